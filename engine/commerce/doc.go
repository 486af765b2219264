// Package commerce has what a merchant sells, and the customers: catalog items and their kits, pricing tables, discount
// codes and customers.
//
// # Model
//
// A catalog item is booked by its variant. An item that bundles others is a kit: its components take stock together,
// all or none (kit.go). A pricing table says what a length of time costs; its rows may be combined, and the cheapest
// combination is taken (price_combine.go). A discount is spread over lines without losing a cent (allocate.go). The
// personal data of a customer can be erased; it is then removed from every record.
//
// # Invariants
//
//  1. Money is whole cents. The parts of an amount that is spread sum up to that amount.
//  2. There are as many kits as the scarcest component allows, with all components taken over the same time.
//  3. A code is used no more often than its limit; a use that is given back can be taken again.
//  4. An order keeps the terms that its lines were sold by: later changes of a price change no order.
//
// It imports stock, label and base.
package commerce
