package engine

// This file owns the list of all kinds of rows: a new resource is one line here.

// schema lists every kind in the order in which start-up puts rows in place: what a row refers to comes before it.
var schema = registerKinds(
	accountKind,
	ledgerKind,
	keyKind,
	locationKind,
	skuKind,
	articleKind,
	lotKind,
	slotKind,
	unitKind,
	holdKind,
	scheduledEventKind,
	idempotencyKind,
	pricingTableKind,
	catalogKind,
	tagKind,
	attributeKind,
	customerKind,
	formerKind,
	orderKind,
	orderUnitsKind,
	discountKind,
	webhookKind,
	bodyKind,
	deliveryKind,
	attemptKind,
	unseatedKind,
	untriedKind,
	sweepingKind,
	importKind,
)

var kindByTag = func() (t [256]kindOf) {
	for _, k := range schema {
		if t[k.tableTag()] != nil {
			panic("engine: two kinds with one table byte")
		}
		t[k.tableTag()] = k
	}
	return t
}()

func init() {
	registerLabelled(SKULabels, ArticleLabels, CustomerLabels, CatalogLabels, OrderLabels)
}

// completions are what domains do before a write set is complete, in this order.
var completions = []func(*tx){
	(*tx).keepRequirements,
	(*tx).recordOrders,
	(*tx).settleLast,
	(*tx).houseNew,
	(*tx).leftRoom,
	(*tx).recordStock,
	(*tx).deliverEvents,
	(*tx).recordWebhooks,
}
