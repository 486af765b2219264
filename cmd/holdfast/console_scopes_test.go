//go:build console

package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file opens the console with keys that may do little.

// narrows has keys with few scopes: what they may read is shown, and of the rest is said what to ask for.
func (w *consoleWorld) narrows(b *browser.Browser) {
	for scope, views := range map[string]map[string]string{
		"orders.read": {"orders": `document.querySelector("main tbody tr")`,
			"today": `document.querySelector("main [role=tab]")`,
			"heat":  told("main .notice[role=alert]", "This takes a key with inventory.stock_items.read")},
		"inventory.read": {"timeline": `document.querySelector(".bar[data-bar]")`,
			"heat":   `document.querySelector(".cell")`,
			"orders": told("main .notice[role=alert]", "This takes a key with orders.")},
	} {
		key := w.ask("POST", "api-keys", fmt.Sprintf(`{"label":"Narrow","scopes":[%q]}`, scope))["key"].(string)
		second := browser.Open(w.T, w.origin)
		second.Size(1440, 900, false)
		second.Visit(key, "import")
		for view, shows := range views {
			second.Show(view)
			second.Until(shows)
			second.Says("main .notice.warn", "account.read")
			second.Says("main .notice.warn", "locations.read")
			if shots() != "" {
				second.Shot(filepath.Join(shots(), "narrow-"+scope+"-"+view+".png"))
			}
		}
		require.Empty(w, second.Noted(), scope)
	}
	w.ask("POST", "api-keys", fmt.Sprintf(`{"label":"The fair","expiresAt":%q}`,
		time.Now().Add(time.Second).UTC().Format(time.RFC3339Nano)))
	time.Sleep(time.Second)
	b.Show("keys")
	b.Says("tbody tr", "expired")
	require.Empty(w, b.Noted())
}
