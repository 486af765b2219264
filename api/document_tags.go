package api

import "strings"

// This file owns the areas of the document: in which order a shop needs them, and what each is about.

var areas = []struct{ name, about string }{
	{"availability", "Asks how much can be held, when, and why not."},
	{"holds", "Takes stock for a cart, a phone call or another system's booking, and gives it back."},
	{"orders", "Takes an order from its draft over payment records and hand-over to the return."},
	{"catalog", "Keeps what a shop offers: items, and the stock that each of them takes."},
	{"articles", "Keeps the things that are rented and sold: how many there are where, and what happens to them."},
	{"skus", "Keeps what articles of one sort have in common."},
	{"locations", "Keeps the places at which stock lies."},
	{"pricingTables", "Keeps prices by length of time, and the terms of subscriptions."},
	{"customers", "Keeps whom orders are with."},
	{"discountCodes", "Keeps the codes that take something off an order."},
	{"subscriptions", "Shows the subscriptions of orders, and ends them."},
	{"conflicts", "Lists the holds that have no unit."},
	{"webhooks", "Tells other systems what happens, and lists what they were told."},
	{"changes", "Reads every change in order, from any point on."},
	{"import", "Makes records of the rows of a file, once all of them are without fault."},
	{"tags", "Keeps the words by which records are grouped."},
	{"attributes", "Keeps the fields that an account adds to its records."},
	{"snapshots", "Pins the present state, so that many reads are of one."},
	{"apiKeys", "Makes and revokes keys."},
	{"health", "Reports the health of the service."},
	{"account", "Shows and changes the account of the key."},
}

// area is the part of the document that an operation stands in: the middle of its id.
func area(op *operation) string {
	parts := strings.Split(op.id, ".")
	return parts[max(0, len(parts)-2)]
}

func declaredTags() (all []any) {
	for _, a := range areas {
		all = append(all, ordered{{"name", a.name}, {"description", a.about}})
	}
	return all
}
