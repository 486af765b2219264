package engine

// This file owns the table bytes of all kinds of rows, in the log and on disk. They stand in one place so that no number is
// given twice.

// A number is never reused for another kind.
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
	tagSweeping       = 15
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

	tagImport = 50

	maxTag = tagImport
)
