//go:build console

package main

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file goes through the console from a first visit to a redelivery, and holds each step against the interface's
// answers.

func TestConsoleFromAFirstVisit(t *testing.T) {
	var mu sync.Mutex
	var got []string
	endpoint := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, string(body))
	}))
	defer endpoint.Close()
	authority := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(authority,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: endpoint.Certificate().Raw}), 0o600))
	w := newConsoleWorld(t, "--webhook-allow", "127.0.0.0/8", "--webhook-ca", authority)
	b := browser.Open(t, w.origin)
	b.Size(1440, 900, false)
	b.Visit(w.key, "timeline")
	b.Says("main h1", "There is no stock yet")
	b.Eval(`document.querySelector("a.card[href*=import]").click()`)
	w.imports(b)

	// Another system is told of the first order, twice with the same bytes.
	b.Show("webhooks")
	b.Says("main", "Nobody is told yet")
	b.Click("main", "New webhook")
	b.Until(`document.querySelector("input[type=url]")`)
	b.Eval(`document.querySelector("input[type=url]").focus()`)
	b.Text(endpoint.URL + "/hook")
	b.Click("form", "Make it")
	b.Says(".notice.good", "shown only once")
	b.Click(".notice.good", "I have it")
	hook := w.first("webhooks?pageSize=1")
	w.ordersFromLookUp(b)
	deliveries := func() []any { return w.ask("GET", "webhooks/"+hook+"/deliveries", "")["data"].([]any) }
	require.Eventually(t, func() bool {
		return len(deliveries()) == 1 && deliveries()[0].(map[string]any)["state"] == "delivered"
	}, 20*time.Second, 50*time.Millisecond)
	b.Show("webhooks?id=" + hook)
	b.Says("tr", "delivered")
	b.Click("tr", "Send again")
	b.Says(".note", "once more")
	require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(got) == 2 }, 20*time.Second,
		50*time.Millisecond)
	mu.Lock()
	require.Equal(t, got[0], got[1], "the same bytes")
	mu.Unlock()
	b.Show("webhooks?id=" + hook + "&delivery=" + deliveries()[0].(map[string]any)["id"].(string))
	b.Says(".panel", "2.")
	b.Says(".panel pre", "order.created")
	w.well(b, "open-delivery")
	require.Empty(t, b.Noted())
	w.stop()
}

// imports drops files: one with a fault makes nothing, and says which line.
func (w *consoleWorld) imports(b *browser.Browser) {
	b.Until(`document.querySelector(".drop")`)
	drop := func(name, text string) {
		file := filepath.Join(w.TempDir(), name)
		require.NoError(w, os.WriteFile(file, []byte(text), 0o600))
		b.Drop(".drop", file)
	}
	count := func(list string) any {
		return w.ask("GET", list+"?pageSize=1", "")["pagination"].(map[string]any)["total"]
	}
	drop("locations.csv", "name,timezone,address.city\nHarbour,Europe/Lisbon,Porto\nStation,Europe/Nowhere,Porto\n")
	b.Says("[role=alert]", "1 fault; nothing was made")
	b.Says("tbody tr", "timezone")
	w.well(b, "open-import")
	require.Equal(w, "3", b.Eval(`document.querySelector("tbody td").textContent`), "the line of the fault")
	require.Equal(w, 0.0, count("locations"))
	for _, file := range [][2]string{
		{"locations.csv", "name,timezone,address.city\nHarbour,Europe/Lisbon,Porto\nStation,Europe/Madrid,Vigo\n"},
		{"skus.csv", "name,code\n\"Bike, small\",B1\n"},
	} {
		drop(file[0], file[1])
		b.Says(".notice.good", "No fault.")
		b.Until(`[...document.querySelectorAll(".btn.primary")].some((x) => /^Import \d+ rows?$/.test(x.textContent.trim()) && !x.ariaDisabled && (x.click(), true))`)
		b.Says(".notice.good", "imported")
	}
	require.Equal(w, 2.0, count("locations"))
	sku, at := w.first("skus?pageSize=1"), w.first("locations?pageSize=1")
	require.Equal(w, "Bike, small", w.ask("GET", "skus/"+sku, "")["name"])
	drop("articles.csv",
		fmt.Sprintf("name,skuId,codes,quantities.0.serviceLocationId,quantities.0.count,quantities.0.from\nBike "+
			"1,%[1]s,b-1,%[2]s,1,2026-01-01T00:00:00Z\nBike 2,%[1]s,b-2,%[2]s,1,2026-01-01T00:00:00Z\n", sku, at))
	b.Says(".notice.good", "No fault.")
	b.Click("main", "Import 2 rows")
	b.Says(".notice.good", "imported")
	require.Equal(w, 2.0, w.ask("GET", "articles?pageSize=1", "")["totalCount"])
	require.Empty(w, b.Noted())
}

// newest is the order that was made last.
func (w *consoleWorld) newest() map[string]any {
	return w.ask("GET", "orders?pageSize=1&direction=desc", "")["data"].([]any)[0].(map[string]any)
}

// ordersFromLookUp makes an order of a cart.
func (w *consoleWorld) ordersFromLookUp(b *browser.Browser) map[string]any {
	b.Show("lookup")
	b.Until(`document.querySelector(".offer .btn.primary")`)
	b.Eval(`document.querySelector(".offer .btn.primary").click()`)
	b.Until(`document.querySelector(".cart li")`)
	b.Click(".cart", "Order")
	b.Until(`location.hash.startsWith("#/orders") && document.querySelector(".panel .steps")`)
	order := w.newest()
	require.Equal(w, "open", order["status"])
	b.Says(".panel h2", fmt.Sprintf("Order #%.0f", order["number"]))
	return order
}

// orders takes an order through its life by the steps that its state allows.
func (w *consoleWorld) orders(b *browser.Browser) {
	id := w.ordersFromLookUp(b)["id"].(string)
	is := func(state, step string) {
		b.Says(".panel .steps [aria-current]", step)
		require.Equal(w, state,
			w.ask("GET", "orders/"+id, "")["stockItems"].([]any)[0].(map[string]any)["fulfillmentState"])
	}
	is("pending", "Open")
	b.Click(".panel", "Ready")
	is("prepared", "Ready")
	b.Click(".panel", "Hand over")
	is("fulfilled", "Out")
	b.Click(".panel", "Take back")
	is("returned", "Closed")
	require.Equal(w, false,
		b.Eval(`[...document.querySelectorAll(".panel footer .btn")].some((x) => x.textContent.includes("Hand over"))`),
		"a closed order is not handed over")
	require.Empty(w, b.Noted())
}

// settles has a booking without a unit take another article, which is tried first.
func (w *consoleWorld) settles(b *browser.Browser) {
	hold, _, from := w.heldFar(b, "Stranded")
	article, at := w.unit(hold)["articleId"].(string), w.first("locations?pageSize=1")
	b.Show("timeline")
	// pinned, so that it does not move by itself
	w.ask("POST", "holds/"+hold+"/move",
		fmt.Sprintf(`{"lines":[{"unavailabilityId":%q,"articleId":%q}]}`, w.unit(hold)["id"], article))
	w.ask("POST", "articles/"+article+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":1,"effectiveFrom":%q,"force":true}`, at,
			from.Add(-time.Hour).Format(time.RFC3339)))
	require.Nil(w, w.unit(hold)["slotId"])
	b.Show("conflicts?id=" + w.unit(hold)["id"].(string))
	b.Until(`[...document.querySelectorAll(".panel .btn")].some((x) => x.textContent.trim().startsWith("Take ") && (x.click(), true))`)
	b.Says(".panel .notice.good", "That fits.")
	require.Nil(w, w.unit(hold)["slotId"], "tried, not done")
	b.Click(".panel", "Do it")
	b.Says(".note", "solved")
	require.NotNil(w, w.unit(hold)["slotId"])
	require.NotEqual(w, article, w.unit(hold)["articleId"])
	require.Empty(w, b.Noted())
}

// scan types a code at the counter, as a scanner does.
func scan(b *browser.Browser, code string) {
	b.Eval(`document.querySelector("form.row input").focus()`)
	b.Text(code)
	b.Press("Enter")
}

// counter hands a unit over on its day by its code, and prints the pick list; an unknown code is refused.
func (w *consoleWorld) counter(b *browser.Browser) {
	id := w.ordersFromLookUp(b)["id"].(string)
	unit := func() map[string]any { return w.ask("GET", "orders/"+id, "")["stockItems"].([]any)[0].(map[string]any) }
	code := unit()["code"].(string)
	at, err := time.Parse(time.RFC3339, unit()["pickupDate"].(string))
	require.NoError(w, err)
	b.Show(fmt.Sprintf("today?on=%d", at.UnixMilli()))
	b.Says("tbody tr", code)
	scan(b, "no such code")
	b.Says(".note.bad", "neither to be handed over nor to come back")
	require.Equal(w, "pending", unit()["fulfillmentState"])
	scan(b, code)
	b.Says(".note", "Handed over: ")
	require.Equal(w, "fulfilled", unit()["fulfillmentState"])
	b.Eval(`window.print = () => {window.printed = true;}`)
	b.Click("main", "Pick list")
	b.Until("window.printed")
	require.Empty(w, b.Noted())
}

// heats holds a cell of the heat map against the interface, and goes through it to the timeline at its day.
func (w *consoleWorld) heats(b *browser.Browser) {
	zone, err := time.LoadLocation(w.ask("GET", "account", "")["timezone"].(string))
	require.NoError(w, err)
	now := time.Now().In(zone)
	day := time.Date(now.Year(), now.Month(), now.Day()+2, 0, 0, 0, 0, zone)
	b.Show(fmt.Sprintf("heat?from=%d", day.AddDate(0, 0, -2).UnixMilli()))
	free := w.ask("GET", fmt.Sprintf("availability/counts?pageSize=10&from=%s&to=%s",
		day.AddDate(0, 0, -2).UTC().Format(time.RFC3339), day.AddDate(0, 0, 33).UTC().Format(time.RFC3339)),
		"")["data"].([]any)
	b.Until(`document.querySelector("[data-cell='9-2']")`)
	cells := func() (differ []string) {
		for r, s := range free {
			for c, n := range s.(map[string]any)["minFree"].([]any) {
				if at := fmt.Sprintf("%d-%d", r, c); b.Eval(
					fmt.Sprintf(`document.querySelector("[data-cell='%s']").textContent`, at)) != fmt.Sprint(n) {
					differ = append(differ, at)
				}
			}
		}
		return differ
	}
	require.Len(w, free[0].(map[string]any)["minFree"], 35)
	require.Empty(w, cells())
	b.Eval(`document.querySelector("[data-cell='3-7']").firstChild.data++`)
	require.Equal(w, []string{"3-7"}, cells(), "a cell with another number is found")
	b.Eval(`document.querySelector("[data-cell='0-2']").click()`)
	b.Until(fmt.Sprintf(
		`location.hash.startsWith("#/timeline") && location.hash.includes("sku=%s") && location.hash.includes("on=%d")`,
		w.first("skus?pageSize=1"), day.UnixMilli()))
	require.Empty(w, b.Noted())
}

// keys makes a key that may do little, sees it once, and revokes it.
func (w *consoleWorld) keys(b *browser.Browser) {
	may := func(key, path string) int { status, _ := w.answer(key, "GET", path, ""); return status }
	stored := func() map[string]any {
		for _, k := range w.ask("GET", "api-keys?pageSize=250", "")["data"].([]any) {
			if k.(map[string]any)["label"] == "The till" {
				return k.(map[string]any)
			}
		}
		return nil
	}
	b.Show("keys")
	b.Click("main", "New key")
	b.Until(`document.querySelector("input[name=label]")`)
	b.Eval(`document.querySelector("input[name=label]").focus()`)
	b.Text("The till")
	b.Eval(`document.querySelector("select[name=orders]").value = "write"; document.querySelector("select[name=locations]").value = "read"`)
	b.Click("form", "Make the key")
	b.Says(".notice.good", "“The till”, shown only once")
	secret := b.Eval(`document.querySelector(".notice.good pre").textContent`).(string)
	require.ElementsMatch(w, []any{"orders.write", "locations.read"}, stored()["scopes"])
	require.True(w, strings.HasPrefix(secret, stored()["prefix"].(string)))
	require.Equal(w, []int{200, 200, 403},
		[]int{may(secret, "orders"), may(secret, "locations"), may(secret, "webhooks")})
	row := `[...document.querySelectorAll("tbody tr")].find((x) => x.textContent.includes("The till"))`
	b.Until(row + `?.textContent.includes("orders.write")`)
	b.Click(".notice.good", "I have it")
	shown := fmt.Sprintf(`document.documentElement.outerHTML.includes(%q)`, secret)
	b.Until("!" + shown)
	require.NotContains(w, stored(), "key")
	b.Reload()
	b.Until(row)
	require.Equal(w, false, b.Eval(shown), "a key is shown once")

	b.Eval(row + `.querySelector(".btn.danger").click()`)
	b.Says("tr .confirm", "The next request with it is refused.")
	require.Equal(w, 200, may(secret, "orders"), "asked, not done")
	b.Click("tr .confirm", "Revoke")
	b.Until(row + `.textContent.includes("revoked")`)
	require.NotNil(w, stored()["revokedAt"])
	require.Equal(w, 401, may(secret, "orders"))
	require.Empty(w, b.Noted())
}
