package auth

// This file owns the scopes that there are.

import (
	"slices"
	"strings"
)

// areas is the tree of what scopes are about: a dot goes down. Each area takes read and write but those named below.
var areas = []string{
	"tasks",
	"inventory", "inventory.stock_items", "inventory.skus", "inventory.attributes",
	"catalog", "catalog.listings", "catalog.collections", "catalog.price_tables", "catalog.discounts",
	"orders", "orders.details", "orders.payments",
	"customers", "online_store", "reports", "locations", "account",
	"settings", "settings.account", "settings.content", "settings.payments", "settings.payments.methods",
	"settings.payments.accounts",
	"settings.checkout", "settings.check_in", "settings.translations", "settings.domains", "settings.files",
	"settings.emails",
	"settings.webhooks", "settings.flows",
}

// missing are the scopes that an area does not have: reports and the account are read only, e-mails write only.
var missing = []string{"reports.write", "account.write", "settings.emails.read"}

// Scopes are all scopes that a key may have.
var Scopes = func() (all []string) {
	for _, area := range areas {
		for _, mode := range []string{".read", ".write"} {
			if !slices.Contains(missing, area+mode) {
				all = append(all, area+mode)
			}
		}
	}
	return all
}()

// Known says whether there is such a scope.
func Known(scope string) bool { return slices.Contains(Scopes, scope) }

// Allows says whether a key with these scopes may do what any one of the needed ones suffices for.
func Allows(held, needed []string) bool {
	for _, n := range needed {
		for _, h := range held {
			if covers(h, n) {
				return true
			}
		}
	}
	return false
}

// covers says whether one scope includes another: write includes read, and an area covers everything below it.
func covers(held, needed string) bool {
	heldArea, heldMode := cut(held)
	area, mode := cut(needed)
	if heldMode != mode && heldMode != "write" {
		return false
	}
	return area == heldArea || strings.HasPrefix(area, heldArea) && area[len(heldArea)] == '.'
}

func cut(scope string) (area, mode string) {
	i := strings.LastIndexByte(scope, '.')
	return scope[:max(i, 0)], scope[i+1:]
}

// EventScope is the scope that a key needs to read the records that events of a type are about; empty: there is no such
// type, and only full access suffices.
func EventScope(event string) string {
	resource, _, _ := strings.Cut(event, ".")
	switch resource {
	case "order":
		return "orders.details.read" // a record of an order shows its customers
	case "conflict", "hold", "unit":
		return "inventory.stock_items.read"
	case "webhook":
		return "settings.webhooks.read"
	}
	return ""
}

// MayReceive says whether a key with these scopes may receive events of a type; no scopes: full access.
func MayReceive(held []string, event string) bool {
	return len(held) == 0 || Allows(held, []string{EventScope(event)})
}
