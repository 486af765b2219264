package base

// This file owns the table bytes of all kinds of rows, in the log and on disk. They stand in one place so that no
// number is given twice.

// A number is never reused for another kind.
const (
	TagAccount        = 1
	TagLedger         = 2
	TagKey            = 3
	TagLocation       = 4
	TagSKU            = 5
	TagArticle        = 6
	TagLot            = 7
	TagSlot           = 8
	TagUnit           = 9
	TagHold           = 10
	TagScheduledEvent = 11
	TagIdempotency    = 12
	TagUnseated       = 13
	TagUntried        = 14
	TagSweeping       = 15
	TagPricingTable   = 20
	TagCatalogItem    = 21
	TagTag            = 30
	TagAttribute      = 31
	TagCustomer       = 32
	tagTombstone      = 33
	TagOrder          = 40
	TagDiscount       = 41

	TagWebhook  = 42
	TagBody     = 43
	TagDelivery = 44
	TagAttempt  = 45

	TagOrderUnits = 46

	TagImport = 50

	maxTag = TagImport
)
