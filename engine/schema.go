package engine

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns what domains register with the code that schedules, plans and writes commands, which names no domain.

// schema lists every kind: a new resource is one line here. Start-up puts rows in place in this order, so what a row
// refers to comes before it.
var schema = base.RegisterKinds(
	base.AccountKind,
	base.LedgerKind,
	base.KeyKind,
	stock.LocationKind,
	stock.SKUKind,
	stock.ArticleKind,
	stock.LotKind,
	stock.SlotKind,
	stock.UnitKind,
	hold.HoldKind,
	stock.ScheduledEventKind,
	idempotencyKind,
	commerce.PricingTableKind,
	commerce.CatalogKind,
	label.TagKind,
	label.AttributeKind,
	commerce.CustomerKind,
	base.TombstoneKind,
	order.OrderKind,
	order.OrderUnitsKind,
	commerce.DiscountKind,
	outbox.WebhookKind,
	outbox.BodyKind,
	outbox.DeliveryKind,
	outbox.AttemptKind,
	stock.UnseatedKind,
	stock.UntriedKind,
	label.SweepingKind,
	base.ImportKind,
)

var kindByTag = func() (t [256]base.KindOf) {
	for _, k := range schema {
		if t[k.TableTag()] != nil {
			panic("engine: two kinds with one table byte")
		}
		t[k.TableTag()] = k
	}
	return t
}()

// packed says of a table that its rows are packed and short.
var packed = func() (is [256]bool) {
	for _, k := range [...]base.KindOf{base.LedgerKind, stock.LotKind, stock.SlotKind, stock.UnitKind, hold.HoldKind} {
		is[k.TableTag()] = true
	}
	return is
}()

func init() {
	label.RegisterLabelled(stock.SKULabels, stock.ArticleLabels, commerce.CustomerLabels, commerce.CatalogLabels,
		order.OrderLabels)
}

// completions are what domains do before a write set is complete, in this order.
var completions = []func(*base.Tx){
	stock.KeepRequirements,
	order.RecordOrders,
	stock.SettleLast,
	stock.HouseNew,
	stock.LeftRoom,
	stock.RecordStock,
	outbox.DeliverEvents,
	outbox.RecordWebhooks,
	stock.HandOver,
}

// unrecorded is about how many rows the completions will add to a plan, with the events that report changes of orders.
func unrecorded(t *base.Tx) int {
	return stock.Unrecorded(t) + order.Edited(t)*(1+outbox.WebhookTable(t.Acc).Len())
}

// settle is done behind the last item of what is due that a command does.
var settle = stock.SeatFreed

// followUp is the command that goes on where one before it left conflicts untried: now, or as work that is due.
func followUp(left timeline.Waiting, tries int, later bool) base.Op {
	if later {
		return stock.PostponeConflicts{Waiting: left}
	}
	return stock.SeatConflicts{Waiting: left, Tries: tries}
}
