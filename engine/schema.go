package engine

import (
	"encoding/json"
	"fmt"

	gojson "github.com/goccy/go-json"

	"holdfast/persist"
)

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

// coldVersion is the version byte in front of rows kept as JSON: rows that change seldom, in a form that a newer binary
// still reads. They are written by the standard library, whose bytes the state hash covers, and read by a faster one: of
// 100,000 articles that is half a second of a start. Check decodes, encodes and compares.
const coldVersion = 1

func encodeCold[R any](dst []byte, r *R) []byte {
	return append(append(dst, coldVersion), mustJSON(r)...)
}

// marshal is a variable so that tests can count what is written, and by whom.
var marshal = json.Marshal

func mustJSON(v any) []byte {
	b, err := marshal(v)
	if err != nil {
		panic(err) // rows and results are plain structs of strings, numbers and lists
	}
	return b
}

// unknownVersion is the refusal of a row whose version byte is none of this program's.
func unknownVersion(name string, b []byte) error {
	if len(b) == 0 {
		return fmt.Errorf("%s: the stored row is empty", name)
	}
	return fmt.Errorf("%w: %s: the row's version %d is not known here: use the program that wrote it, or a newer one", persist.ErrNewerFormat, name, b[0])
}

func decodeCold[R any](name string) func(account, key ID, b []byte) (*R, error) {
	return func(_, _ ID, b []byte) (*R, error) {
		if len(b) == 0 || b[0] != coldVersion {
			return nil, unknownVersion(name, b)
		}
		r := new(R)
		if err := gojson.Unmarshal(b[1:], r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return r, nil
	}
}
