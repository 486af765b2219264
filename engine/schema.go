package engine

// This file owns the list of all kinds of rows: a new resource is one line here.

// schema lists every kind in the order in which start-up puts rows in place: what a row refers to comes before it.
var schema = []kindOf{
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
}

// Table bytes, in the log and the rows. A number is never reused for another kind.
const (
	tagAccount        = 1
	tagLedger         = 2
	tagKey            = 3
	tagLocation       = 4
	tagSKU            = 5
	tagArticle        = 6
	tagLot            = 7
	tagSlot           = 8
	tagUnit           = 9
	tagHold           = 10
	tagScheduledEvent = 11
	tagIdempotency    = 12
	tagUnseated       = 13
	tagUntried        = 14
	tagPricingTable   = 20
	tagCatalogItem    = 21
	tagTag            = 30
	tagAttribute      = 31
	tagCustomer       = 32
	tagFormer         = 33
	tagOrder          = 40
	tagDiscount       = 41

	tagWebhook  = 42
	tagBody     = 43
	tagDelivery = 44
	tagAttempt  = 45

	tagOrderUnits = 46

	maxTag = tagOrderUnits
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
