//go:build console

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file opens the console in a browser, walks through it as a person does, and holds what came of it against the
// interface's answers.

// consoleWorld is a merchant whose server is a process of its own.
type consoleWorld struct {
	*testing.T
	origin, key, data string
	metrics           string // the address that they are served at
	server            *exec.Cmd
}

func newConsoleWorld(t *testing.T, flags ...string) *consoleWorld {
	w := &consoleWorld{T: t, data: t.TempDir(), metrics: freeAddress(t),
		key: "hf_consoletest_" + strings.Repeat("0123456789", 4)}
	w.origin = "http://" + freeAddress(t)
	w.start(flags...)
	t.Cleanup(func() { w.server.Process.Kill() })
	return w
}

// start serves the directory.
func (w *consoleWorld) start(flags ...string) {
	self, err := os.Executable()
	require.NoError(w, err)
	address := strings.TrimPrefix(w.origin, "http://")
	w.server = exec.Command(self)
	w.server.Args = append([]string{"holdfast", "serve", "--listen", address, "--data", w.data, "--metrics-listen",
		w.metrics}, flags...)
	w.server.Env = append(os.Environ(), bootstrapVariable+"="+w.key)
	w.server.Stderr = new(bytes.Buffer)
	require.NoError(w, w.server.Start())
	require.NoError(w, awaitReady(address))
}

// stop ends the server as it is ended in good order.
func (w *consoleWorld) stop() {
	require.NoError(w, w.server.Process.Signal(syscall.SIGTERM))
	require.NoError(w, w.server.Wait(), "%s", w.server.Stderr)
}

// kill ends it where it stands.
func (w *consoleWorld) kill() {
	require.NoError(w, w.server.Process.Kill())
	require.Error(w, w.server.Wait())
}

// ask asks the interface, which does as it is asked.
func (w *consoleWorld) ask(method, path string, body string) map[string]any {
	w.Helper()
	status, got := w.answer(w.key, method, path, body)
	require.Less(w, status, 300, "%v", got)
	return got
}

// answer is what the interface says to one with a key, be it a refusal.
func (w *consoleWorld) answer(key, method, path, body string) (int, map[string]any) {
	w.Helper()
	status, raw := requestWithKey(w, key, method, w.origin+"/v1/admin/"+path, body)
	var got map[string]any
	require.NoError(w, json.Unmarshal(raw, &got), "%s", raw)
	return status, got
}

func (w *consoleWorld) first(path string) string {
	return w.ask("GET", path, "")["data"].([]any)[0].(map[string]any)["id"].(string)
}

// consoleViews are all views by their addresses.
var consoleViews = []string{"timeline", "lookup", "heat", "today", "orders", "conflicts", "plan", "webhooks", "keys",
	"import", "health"}

func TestConsole(t *testing.T) {
	w := newConsoleWorld(t, "--demo")
	b := browser.Open(t, w.origin)
	b.Size(1440, 900, false)

	// A first visit asks for a key and nothing of the interface before it has one.
	b.Call("Page.navigate", map[string]any{"url": w.origin + "/"})
	b.Until(`document.querySelector("input[name=key]")`)
	for _, path := range b.Requests() {
		require.False(t, strings.HasPrefix(path, "/v1"), "asked before there is a key: %s", path)
	}
	b.Eval(`document.querySelector("input[name=key]").focus()`)
	b.Text("hf_not-a-key")
	b.Until(`!document.querySelector("form button").disabled`)
	b.Press("Enter")
	b.Until(`document.querySelector("[role=alert]")`)
	require.Nil(t, b.Eval(`sessionStorage.getItem("holdfast.key")`), "a key that is refused is not kept")
	b.Eval(`document.querySelector("input[name=key]").focus()`)
	b.Eval(`document.querySelector("input[name=key]").select()`)
	b.Text(w.key)
	b.Until(`!document.querySelector("form button").disabled`)
	b.Press("Enter")
	b.Until(`document.querySelectorAll(".bar[data-bar]").length > 10`)
	require.Empty(t, b.Noted())

	for _, view := range consoleViews {
		b.Show(view)
		w.well(b, view)
		t.Logf("%-10s %5.0f nodes", view, b.Elements())
	}
	require.Empty(t, b.Noted())
	for _, flow := range []struct {
		name string
		is   func(b *browser.Browser)
	}{
		{"a cart becomes a booking", w.books}, {"a cart that is refused has a way out", w.refuses},
		{"what had no answer is done once", w.loses}, {"a double click does one thing", w.doubles},
		{"a code that is read twice is taken once", w.rescans},
		{"what a key may not read is left out", w.narrows}, {"a cart is sent as a link", w.shares},
		{"a key is made and revoked", w.keys}, {"an order goes out and comes back", w.orders},
		{"filters list what passes", w.filters},
		{"an order is paid for", w.pays}, {"figures are the service's", w.figures},
		{"a code is scanned at the counter", w.counter}, {"what was read for another choice is not acted on", w.waits},
		{"a cell leads to its day", w.heats}, {"a bar is moved by keys", w.moves}, {"arrows lead on", w.arrows},
		{"a bar is dragged", w.drags},
		{"what is changed elsewhere is seen", w.hears}, {"what is changed meanwhile is seen", w.begins},
		{"the plan that is shown is applied", w.plans}, {"a conflict has a way out", w.settles},
		{"a bar is where its day is", w.places}, {"many units are a curve", w.curves},
		{"what is late, leaves or has no end looks so", w.shows}, {"a link shows what its sender saw", w.links},
		{"a state that changes while it is read is read again", w.agrees}, {"what is opened is well", w.opens},
		{"faults that are planted are found", w.planted}, {"the server goes and comes back", w.returns},
	} {
		t.Run(flow.name, func(t *testing.T) {
			b.T, w.T = t, t
			flow.is(b)
		})
	}
	b.T, w.T = t, t
	w.stop()
}

// well looks at a page as it is: controls, colours and widths, on a wide screen, a narrow one and a projector, light
// and dark.
func (w *consoleWorld) well(b *browser.Browser, name string) {
	w.Helper()
	require.Empty(w, b.Nameless(), "%s: controls without a name", name)
	require.Empty(w, b.Unreached(), "%s: controls that keys do not come to", name)
	require.Empty(w, b.Kept(w.key), "%s: the key is in no storage but the session's", name)
	require.Less(w, b.Elements(), 5000.0, name)
	b.Eval(`document.activeElement.blur(); document.querySelectorAll("main, main *").forEach((x) => {x.scrollTop = 0;})`)
	for _, look := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"wide-light", 1440, 900, false}, {"wide-dark", 1440, 900, true}, {"narrow-light", 360, 720, false},
		{"narrow-dark", 360, 720, true}, {"projector", 1920, 1080, false}} {
		if b.Size(look.width, look.height, look.dark); shots() != "" {
			b.Eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`)
			b.Shot(filepath.Join(shots(), name+"-"+look.name+".png"))
		}
		require.LessOrEqual(w, b.Wider(), 0.0, "%s, %s", name, look.name)
		require.Empty(w, b.Cut(), "%s, %s: what is opened is cut", name, look.name)
		for _, text := range b.Faint() {
			w.Errorf("%s, %s: too little contrast: %s", name, look.name, text)
		}
	}
	b.Size(1440, 900, false)
	require.Empty(w, b.Noted(), name)
}

// shots is where pictures are kept, empty where none are.
func shots() string { return os.Getenv("CONSOLE_SHOTS") }

// opens looks at what can be opened in the views: panels, forms, reasons.
func (w *consoleWorld) opens(b *browser.Browser) {
	order := w.newest()
	open := func(name, address string, steps ...string) {
		b.Show(address)
		for _, step := range steps {
			b.Until(step)
		}
		w.well(b, "open-"+name)
	}
	click := func(text string) string {
		return fmt.Sprintf(
			`[...document.querySelectorAll("main button")].some((x) => x.textContent.trim() === %q && (x.click(), true))`, text)
	}
	open("order", "orders?id="+order["id"].(string), `document.querySelector(".panel .steps")`)
	unit := order["stockItems"].([]any)[0].(map[string]any)
	w.bar(b, unit["unavailabilityId"].(string), unit["inventoryArticleId"], unit["pickupDate"].(string))
	open("bar", b.Eval(`location.hash.slice(2)`).(string)+"&bar="+unit["unavailabilityId"].(string),
		`document.querySelector(".panel")`)
	conflict := w.ask("GET", "conflicts?pageSize=1",
		"")["data"].([]any)[0].(map[string]any)["unavailability"].(map[string]any)["id"].(string)
	open("conflict", "conflicts?id="+conflict, `document.querySelector(".panel .blockers")`)
	at := w.first("locations?pageSize=1")
	lot := w.ask("GET", "articles?search=Helmet&fields=id&pageSize=1&serviceLocationId="+at,
		"")["articles"].([]any)[0].(map[string]any)
	open("plan", fmt.Sprintf("plan?at=%s&article=%s&amount=20", at, lot["id"]),
		`document.querySelector(".chart canvas")`)
	open("cart", fmt.Sprintf("lookup?cart=%s*400", w.first("skus?pageSize=1")), click("Book firmly"),
		`document.querySelector(".cart [role=alert]")`, click("Why, and when?"), `document.querySelector(".why .row")`)
	open("key", "keys", click("New key"), `document.querySelector("form fieldset")`)
	open("webhook", "webhooks", click("New webhook"), `document.querySelector("form input")`)
	open("lots", fmt.Sprintf("timeline?at=%s&search=Helmet&zoom=weeks", at), `document.querySelector(".lot")`)
	open("season", "timeline?zoom=season", `document.querySelectorAll(".bar").length > 20`)
	open("hours", "timeline?zoom=hours", `document.querySelector(".bar")`)
}

// books goes from the look-up to a firm booking.
func (w *consoleWorld) books(b *browser.Browser) {
	before := w.ask("GET", "holds?pageSize=1", "")["pagination"].(map[string]any)["total"].(float64)
	b.Show("lookup")
	b.Until(`document.querySelector(".offer .btn.primary")`)
	b.Eval(`document.querySelector(".offer .btn.primary").click()`)
	b.Until(`location.hash.includes("cart=") && document.querySelector(".cart li")`)
	b.Eval(`[...document.querySelectorAll(".cart .btn")].find((x) => x.textContent.includes("Book firmly")).click()`)
	b.Until(`location.hash.startsWith("#/timeline")`)
	require.Equal(w, before+1, w.ask("GET", "holds?pageSize=1", "")["pagination"].(map[string]any)["total"])
	require.Empty(w, b.Noted())
}

// returns loses the server, which is killed, and has it back: the page says so, and goes on by itself.
func (w *consoleWorld) returns(b *browser.Browser) {
	b.Show("timeline")
	w.kill()
	b.Until(`document.querySelector(".banner")`)
	require.NotZero(w, b.Eval(`document.querySelectorAll(".bar[data-bar]").length`), "what was read stays")
	w.start()
	b.Until(`!document.querySelector(".banner")`)
	hold, bar, _ := w.heldFar(b, "Back again")
	require.NotEmpty(w, hold+bar)
	require.Empty(w, b.Noted(), "a server that is away is no error of the page")
}

// TestShots takes the pictures that README shows: a demo merchant in the middle of a week, with orders that are out and
// a conflict.
func TestShots(t *testing.T) {
	if os.Getenv("SHOTS") == "" {
		t.Skip("make shots takes them")
	}
	w := newConsoleWorld(t, "--demo")
	at, sku := w.first("locations?pageSize=1"), w.first("skus?pageSize=1")
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for i, name := range []string{"Aino Salo", "Ben Carter", "Carla Reis", "Duarte Costa", "Eero Laine", "Fay Morgan",
		"Grace Hughes"} {
		from := today.Add(time.Duration(26+i*13) * time.Hour)
		order := w.ask("POST", "orders",
			fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"mainContact":{"fullName":%q},"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q}]}`,
				at, name, sku, from.Format(time.RFC3339), from.Add(time.Duration(20+i%4*14)*time.Hour).
					Format(time.RFC3339)))
		if i < 3 {
			w.ask("POST", "orders/"+order["id"].(string)+"/fulfill", `{}`)
		}
	}
	article := w.ask("GET", "articles?fields=id&pageSize=1&search=City+bike+8&serviceLocationId="+at,
		"")["articles"].([]any)[0].(map[string]any)["id"].(string)
	from := today.Add(80 * time.Hour)
	w.ask("POST", "holds",
		fmt.Sprintf(`{"note":"Promised by name","lines":[{"articleId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":1}]}`,
			article, at, from.Format(time.RFC3339), from.Add(40*time.Hour).Format(time.RFC3339)))
	w.ask("POST", "articles/"+article+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":1,"effectiveFrom":%q,"force":true}`, at,
			today.Add(60*time.Hour).Format(time.RFC3339)))
	b := browser.Open(t, w.origin)
	b.Size(1440, 760, false)
	b.Call("Page.addScriptToEvaluateOnNewDocument",
		map[string]any{"source": fmt.Sprintf("try { sessionStorage.setItem('holdfast.key', %q) } catch {}", w.key)})
	for file, address := range map[string]string{
		"timeline.png": fmt.Sprintf("timeline?at=%s&on=%d", at, today.Add(-6*time.Hour).UnixMilli()),
		"heat.png":     "heat?at=" + at,
	} {
		b.Call("Page.navigate", map[string]any{"url": w.origin + "/#/" + address})
		b.Until(`document.querySelector("main .view")`)
		time.Sleep(time.Second)
		b.Shot(filepath.Join("..", "..", "api", "console", "shots", file))
	}
	w.stop()
}
