// Package commerce is what a merchant sells and to whom: catalog items and their kits, pricing tables, discount codes
// and customers.
//
// # Model
//
// A catalog item is booked by its variant; one that bundles others is a kit, whose components take stock as one
// (kit.go). A pricing table says what a length of time costs, by rows of which the cheapest combination is found
// (price_combine.go). A discount is shared out over lines without losing a cent (allocate.go). A customer's contact may
// be erased, and is gone from every record then.
//
// # Invariants
//
//  1. Money is whole cents. What is shared out sums up to what there was.
//  2. A kit is there as often as the scarcest of its components, at one and the same time.
//  3. A code is used no more often than it may be; a use that is given back can be taken again.
//  4. What an order has agreed on it keeps: later changes of a price change no order.
//
// It imports stock, label and base.
package commerce
