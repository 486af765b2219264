package engine

import (
	"reflect"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns what is turned away while memory is short: what adds records. What takes stock back, ends or removes something, or
// goes on with an order that there is, is done as ever, so that a merchant can make room and a counter can hand over.

// adding are the operations that make records that stay.
var adding = func() map[reflect.Type]bool {
	types := map[reflect.Type]bool{}
	for _, op := range []base.Op{
		Batch{}, hold.PlaceHold{}, order.OrderHold{}, order.CreateOrder{}, order.AddOrderLines{}, order.AddComment{},
		stock.IncreaseQuantity{}, base.CreateAccount{}, stock.CreateArticle{}, label.CreateAttribute{},
		commerce.CreateCatalogItem{}, commerce.CreateCustomer{}, commerce.CreateDiscountCode{},
		commerce.CreateExternalPricingRow{}, CreateKey{}, stock.CreateLocation{}, commerce.CreatePricingRow{},
		commerce.CreatePricingTable{}, stock.CreateSKU{}, stock.CreateScheduledEvent{}, label.CreateTag{},
		outbox.CreateWebhook{}, outbox.TestWebhook{}, outbox.RecoverDeliveries{}, outbox.RedeliverDelivery{}, importPart{},
	} {
		types[reflect.TypeOf(op)] = true
	}
	return types
}()

// adds says whether an operation, or the one that a pointer points to, makes records that stay.
func adds(op base.Op) bool {
	t := reflect.TypeOf(op)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return adding[t]
}

// crowdedOut is the refusal of what adds records while memory is short, nil while it is not.
func (e *Engine) crowdedOut(op base.Op) *base.Error {
	if e.full == nil || !adds(op) || !e.full() {
		return nil
	}
	return base.Refuse(base.CodeOverloaded, "the memory of the server is nearly full: nothing can be added; what ends or removes something is done")
}
