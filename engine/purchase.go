package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns the ways in which a unit is taken: booked, sold, subscribed to.

// PurchaseType is how a unit is taken.
type PurchaseType string

// A booking and a subscription may have an end, a sale has none.
const (
	PurchaseBooking      PurchaseType = "booking"
	PurchaseSale         PurchaseType = "sale"
	PurchaseSubscription PurchaseType = "subscription"
)

func (p PurchaseType) kind() timeline.Kind {
	if p == PurchaseSale {
		return timeline.SalesReservation
	}
	return timeline.Booking
}

func (p PurchaseType) valid() bool {
	return p == "" || p == PurchaseBooking || p == PurchaseSale || p == PurchaseSubscription
}

// purchase is a PurchaseType in a byte.
type purchase uint8

var purchases = []string{string(PurchaseBooking), string(PurchaseSale), string(PurchaseSubscription)}

func purchaseOf(p PurchaseType) purchase { return purchase(max(0, slices.Index(purchases, string(p)))) }

func (p purchase) Type() PurchaseType { return PurchaseType(purchases[p]) }

// MarshalText writes a purchase type into a stored row.
func (p purchase) MarshalText() ([]byte, error) { return []byte(purchases[p]), nil }

// UnmarshalText reads what MarshalText wrote.
func (p *purchase) UnmarshalText(b []byte) (err error) {
	*p, err = nameAt[purchase](purchases, "purchase type", b)
	return err
}
