package engine

// This file owns what is turned away while memory is short: what adds records. What takes stock back, ends or removes something, or
// goes on with an order that there is, is done as ever, so that a merchant can make room and a counter can hand over.

// adds says whether an operation makes records that stay.
func adds(op Op) bool {
	switch op.(type) {
	case Batch, PlaceHold, OrderHold, CreateOrder, AddOrderLines, AddComment, IncreaseQuantity,
		CreateAccount, CreateArticle, CreateAttribute, CreateCatalogItem, CreateCustomer, CreateDiscountCode, CreateExternalPricingRow, CreateKey,
		CreateLocation, CreatePricingRow, CreatePricingTable, CreateSKU, CreateScheduledEvent, CreateTag, CreateWebhook,
		TestWebhook, RecoverDeliveries, RedeliverDelivery, importPart:
		return true
	}
	return false
}

// crowdedOut is the refusal of what adds records while memory is short, nil while it is not.
func (e *Engine) crowdedOut(op Op) *Error {
	if e.full == nil || !adds(op) || !e.full() {
		return nil
	}
	return refuse(CodeOverloaded, "the memory of the server is nearly full: nothing can be added; what ends or removes something is done")
}
