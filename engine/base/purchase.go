package base

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

// Words are those that a purchase type can be.
func (PurchaseType) Words() []string { return Purchases }

// Kind is what the unit is to the timelines.
func (p PurchaseType) Kind() timeline.Kind {
	if p == PurchaseSale {
		return timeline.SalesReservation
	}
	return timeline.Booking
}

// Valid says that it is one of the three, or left out.
func (p PurchaseType) Valid() bool {
	return p == "" || p == PurchaseBooking || p == PurchaseSale || p == PurchaseSubscription
}

// Purchase is a PurchaseType in a byte.
type Purchase uint8

var Purchases = []string{string(PurchaseBooking), string(PurchaseSale), string(PurchaseSubscription)}

// PurchaseOf is a purchase type in a byte.
func PurchaseOf(p PurchaseType) Purchase { return Purchase(max(0, slices.Index(Purchases, string(p)))) }

// Type is the purchase type again.
func (p Purchase) Type() PurchaseType { return PurchaseType(Purchases[p]) }

// MarshalText writes a purchase type into a stored row.
func (p Purchase) MarshalText() ([]byte, error) { return []byte(Purchases[p]), nil }

// UnmarshalText reads what MarshalText wrote.
func (p *Purchase) UnmarshalText(b []byte) (err error) {
	*p, err = NameAt[Purchase](Purchases, "purchase type", b)
	return err
}
