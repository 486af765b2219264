//go:build console

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// This file shows what is much in parts, and what comes late: nothing is done twice, left out or told to nobody.

// imports drops a file of a kind and presses the button when it has no fault.
func (m *meant) imports(kind, text string) {
	m.drops(kind, text)
	m.b.Says(".notice.good", "No fault.")
	m.presses()
}

func (m *meant) drops(kind, text string) {
	file := filepath.Join(m.TempDir(), kind+".csv")
	require.NoError(m, os.WriteFile(file, []byte(text), 0o600))
	m.b.Drop(".drop", file)
}

func (m *meant) presses() {
	m.b.Until(`[...document.querySelectorAll(".btn.primary")].some((x) => x.textContent.startsWith("Import") && !x.ariaDisabled && (x.click(), true))`)
}

// takesCells imports texts that look like numbers, codes with blanks, amounts, and heads in any case.
func (m *meant) takesCells() {
	sku := m.stock("4711", 0)
	m.b.Show("import")
	m.imports("articles", "Name;SKUID;codes;PurchasePrice\n10;4711;4006381333931|MTB 12;12,50\n")
	m.b.Says(".notice.good", "imported")
	got := m.ask("GET", "articles?skuId="+sku, "")["articles"].([]any)[0].(map[string]any)
	require.Equal(m, "10", got["name"])
	require.Equal(m, []any{"4006381333931", "MTB 12"}, got["codes"])
	require.Equal(m, 1250.0, m.ask("GET", "articles/"+got["id"].(string), "")["purchasePrice"])
	m.drops("skus", "name,purchasePrice\nA,12.50\nB,12\n")
	m.b.Says("[role=alert]", "Line 3: write the amount with a decimal point")
}

// makesParts imports files of more rows than a request takes: what had no answer is made once, and behind a fault it
// goes on.
func (m *meant) makesParts() {
	count := func() float64 {
		return m.ask("GET", "skus?pageSize=1", "")["pagination"].(map[string]any)["total"].(float64)
	}
	rows := func(name string, n int) string {
		s := "name,code\n"
		for i := range n {
			s += fmt.Sprintf("%s %04d,%[1]s-%[2]d\n", name, i)
		}
		return s
	}
	m.b.Show("import")
	before := count()
	m.b.Eval(`window.fetched ||= fetch; window.made = 0; window.fetch = async (url, o) => {
		const got = await fetched(url, o);
		if (/import$/.test(url) && !o.body.includes('"dryRun":true') && ++made === 2) throw new TypeError("planted");
		return got;
	}; 0`)
	m.imports("skus", rows("Lost", 2001))
	m.b.Says(".note.bad", noAnswer)
	m.b.Says(".notice.warn", "up to line 2001")
	m.presses()
	m.b.Says(".notice.good", "imported")
	require.Equal(m, before+2001, count())

	m.imports("skus", rows("Part", 2000)+"Last,Part-0\n")
	m.b.Says("[role=alert]", "1 fault; the rest was not made")
	m.b.Says(".notice.warn", "up to line 2001")
	require.Equal(m, before+4001, count())
	m.imports("skus", rows("Part", 2000)+"Last,Part-2000\n")
	m.b.Says(".notice.good", "imported")
	require.Equal(m, before+4002, count())
	require.Empty(m, m.b.Eval(`Object.keys(sessionStorage).filter((k) => k !== "holdfast.key")`))
	m.b.Reload()
}

// order books units of a SKU.
func (m *meant) order(sku string, units int, from, to string) map[string]any {
	return m.ask("POST", "orders", fmt.Sprintf(
		`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"quantity":%d,"purchaseType":"booking","startDate":%q,"endDate":%q,"unitPrice":100}]}`,
		m.at, sku, units, from, to))
}

func (m *meant) on(at string) int64 {
	t, err := time.Parse(time.RFC3339, at)
	require.NoError(m, err)
	return t.UnixMilli()
}

// showsMany hands over the last of twenty units by its code.
func (m *meant) showsMany() {
	id := m.order(m.stock("Chair", 20), 20, "2031-07-01T08:00:00Z", "2031-07-02T08:00:00Z")["id"].(string)
	units := func() []any { return m.ask("GET", "orders/"+id+"/stock-items", "")["data"].([]any) }
	m.b.Show(fmt.Sprintf("today?at=%s&on=%d", m.at, m.on("2031-07-01T10:00:00Z")))
	m.b.Until(`document.querySelectorAll("tbody tr").length === 20`)
	m.b.Says("main h1", "2031")
	last := units()[19].(map[string]any)
	scan(m.b, last["code"].(string))
	m.b.Says(".note", "Handed over: ")
	require.Equal(m, "fulfilled", units()[19].(map[string]any)["fulfillmentState"])
}

// saysCut looks at an article that has more bookings than a row of the interface.
func (m *meant) saysCut() {
	sku := m.stock("Room", 1)
	for i := range 70 {
		at := time.Date(2031, 9, 1, 12*i, 0, 0, 0, time.UTC)
		m.hold(sku, at.Format(time.RFC3339), at.Add(6*time.Hour).Format(time.RFC3339))
	}
	m.b.Show(fmt.Sprintf("timeline?at=%s&sku=%s&zoom=weeks&on=%d", m.at, sku, m.on("2031-09-10T00:00:00Z")))
	m.b.Says(".tl-name .badge", "+6")
	m.b.Until(`document.querySelector(".tl-row .tl-gone")`)
}

// offersScopes makes a key with the most that each area offers.
func (m *meant) offersScopes() {
	m.b.Show("keys")
	m.b.Click("main", "New key")
	m.b.Until(`document.querySelector("input[name=label]")`)
	m.b.Eval(`document.querySelector("input[name=label]").value = "All"; document.querySelectorAll("fieldset select").forEach((x) => {x.selectedIndex = x.options.length - 1;})`)
	m.b.Click("form", "Make the key")
	m.b.Says(".notice.good", "shown only once")
	made := m.ask("GET", "api-keys?pageSize=250", "")["data"].([]any)
	scopes := fmt.Sprint(made)
	require.Contains(m, scopes, "settings.webhooks.write")
	require.Contains(m, scopes, "reports.read")
}

// countsDays steps over the day on which the clocks of the Azores go from midnight to one.
func (m *meant) countsDays() {
	at := m.ask("POST", "locations", `{"name":"Horta","timezone":"Atlantic/Azores"}`)["id"].(string)
	m.b.Show(fmt.Sprintf("today?at=%s&on=%d", at, m.on("2031-03-30T12:00:00Z")))
	m.b.Says("main h1", "30")
	for _, step := range [][2]string{{"The next day", "31"}, {"The day before", "30"}, {"The day before", "29"}} {
		m.b.Click(".tools", step[0])
		m.b.Says("main h1", step[1])
	}
}

// tellsElsewhere leaves the look-up before an order is refused: meanwhile nothing else is to be pressed, and then it
// is told where one is.
func (m *meant) tellsElsewhere() {
	sku := m.stock("Lens", 1)
	from, to := m.on("2031-10-01T08:00:00Z"), m.on("2031-10-02T08:00:00Z")
	m.hold(sku, "2031-10-01T08:00:00Z", "2031-10-02T08:00:00Z")
	m.b.Show(fmt.Sprintf("lookup?at=%s&from=%d&to=%d&cart=%s*1", m.at, from, to, sku))
	m.b.Eval(`window.fetched ||= fetch; window.held = new Promise((done) => {window.letGo = done;});
		window.fetch = async (url, o) => {if (o.method === "POST" && /orders$/.test(url)) await held; return fetched(url, o);}; 0`)
	m.b.Click(".cart", "Order")
	m.b.Until(`[...document.querySelectorAll(".cart .btn")].filter((x) => x.ariaDisabled).length === 3`)
	m.b.Show("keys")
	m.b.Eval("letGo(); window.fetch = fetched; 0")
	m.b.Until(`document.querySelector(".note.bad")`)
	m.b.Click(".note.bad", "Close this note")
}

// fixesTimes adds to a cart: its address says when and where.
func (m *meant) fixesTimes() {
	m.stock("Boat", 1)
	m.b.Show("lookup?search=Boat")
	m.b.Click(".offer", "Add Boat")
	m.b.Until(`["from=", "to=", "at=", "cart="].every((x) => location.hash.includes(x))`)
}

// findsLastPage opens a link to a page that is no more.
func (m *meant) findsLastPage() {
	m.b.Show("orders?page=9")
	m.b.Until(`document.querySelector("tbody tr") && !location.hash.includes("page=9")`)
}

// signsOut has answers come after the key is gone.
func (m *meant) signsOut() {
	m.b.Show("keys")
	m.b.Eval(`window.fetched ||= fetch; window.held = new Promise((done) => {window.letGo = done;});
		window.fetch = async (url, o) => {const got = await fetched(url, o); if (/account$/.test(url)) await held; return got;}; import("/console/store.js").then((s) => {s.load(); window.store = s;})`)
	m.b.Click("header", "Sign out")
	m.b.Until(`document.querySelector(".signin")`)
	m.b.Eval("letGo(); window.fetch = fetched; 0")
	time.Sleep(300 * time.Millisecond)
	require.Nil(m, m.b.Eval(`store.account.value`))
	m.b.Eval(fmt.Sprintf(`document.querySelector("input[name=key]").value = %q`, m.key))
	m.b.Click("form", "Open the console")
	m.b.Until(`document.querySelector(".rail")`)
}

// keepsFocus presses buttons by keys: the focus is where one goes on.
func (m *meant) keepsFocus() {
	focus := func(inside, text string) {
		m.b.Until(fmt.Sprintf(
			`[...document.querySelectorAll(%q)].some((x) => x.textContent.trim() === %q && (x.focus(), document.activeElement === x))`,
			inside+" .btn", text))
	}
	m.b.Show("keys")
	focus("tbody", "Revoke")
	m.b.Press("Enter")
	m.b.Until(`document.activeElement.textContent.trim() === "Keep"`)
	m.b.Press("Enter")
	m.b.Until(`document.activeElement.textContent.trim() === "Revoke"`)
	id := m.order(m.stock("Bell", 1), 1, "2031-11-01T08:00:00Z", "2031-11-02T08:00:00Z")["id"].(string)
	m.b.Show("orders?id=" + id)
	focus(".panel footer", "Ready")
	m.b.Press("Enter")
	m.b.Says(".note", "All lies ready.")
	m.b.Until(`document.activeElement.closest(".panel")`)
}

// asksWhole releases a hold of two lines, and looks at an order of what was sold.
func (m *meant) asksWhole() {
	sku := m.stock("Drone", 2)
	line := fmt.Sprintf(`{"skuId":%q,"serviceLocationId":%q,"from":"2031-12-01T08:00:00Z","to":"2031-12-01T11:00:00Z"}`,
		sku, m.at)
	hold := m.ask("POST", "holds", fmt.Sprintf(`{"lines":[%s,%s]}`, line, line))["id"].(string)
	m.b.Show(fmt.Sprintf("timeline?at=%s&sku=%s&on=%d&bar=%s", m.at, sku, m.on("2031-11-30T00:00:00Z"),
		m.unit(hold)["id"]))
	m.b.Click(".panel", "Release")
	m.b.Says(".panel .confirm", "all 2 units")
	sold := m.ask("POST", "orders", fmt.Sprintf(
		`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"quantity":1,"purchaseType":"sale","unitPrice":100}]}`,
		m.at, m.stock("Map", 1)))["id"].(string)
	m.ask("POST", "orders/"+sold+"/fulfill", "{}")
	m.b.Show("orders?id=" + sold)
	m.b.Until(`document.querySelector(".panel .steps")`)
	require.NotContains(m, m.b.Eval(`document.querySelector(".panel").innerText`), "Take back")
}

// catchesUp hears of nothing while it is not seen, and of all when it is.
func (m *meant) catchesUp() {
	show := func(seen bool) {
		m.b.Eval(fmt.Sprintf(
			`Object.defineProperty(document, "hidden", {value: %t, configurable: true}); document.dispatchEvent(new Event("visibilitychange"))`, !seen))
	}
	m.b.Show("keys")
	const live = `document.querySelector(".live").textContent`
	show(false)
	was := m.b.Eval(live)
	m.stock("Unseen", 1)
	time.Sleep(time.Second)
	require.Equal(m, was, m.b.Eval(live))
	show(true)
	m.b.Until(fmt.Sprintf("%s !== %q", live, was))
}

// findsSKUs looks for one that is beyond those which are read at first.
func (m *meant) findsSKUs() {
	var rows []string
	for i := range 5000 {
		rows = append(rows, fmt.Sprintf(`{"name":"Bulk %04d"}`, i))
	}
	m.ask("POST", "import", `{"resource":"skus","rows":[`+strings.Join(rows, ",")+`]}`)
	m.stock("Zeppelin", 1)
	m.b.Reload()
	m.b.Show("lookup?at=" + m.at)
	m.b.Says(".cols", "more are found by name")
	m.b.Show("lookup?search=Zeppelin&at=" + m.at)
	m.b.Says(".offer", "Zeppelin")
}
