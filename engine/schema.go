package engine

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns the list of all kinds of rows: a new resource is one line here.

// schema lists every kind in the order in which start-up puts rows in place: what a row refers to comes before it.
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
	untriedKind,
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
}
