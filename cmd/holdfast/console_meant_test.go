//go:build console

package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/console/browser"
)

// This file holds what the console does against what is meant: of moves across days, of files in parts, of what is
// changed meanwhile.

// meant is a merchant with one bare place in a zone, and a browser that looks at it.
type meant struct {
	*consoleWorld
	b  *browser.Browser
	at string // the place
}

func TestConsoleDoesWhatIsMeant(t *testing.T) {
	w := newConsoleWorld(t)
	b := browser.Open(t, w.origin)
	b.Size(1280, 900, false)
	m := &meant{w, b, w.ask("POST", "locations", `{"name":"Harbour","timezone":"Europe/Helsinki"}`)["id"].(string)}
	b.Visit(w.key, "keys")
	for _, flow := range []struct {
		name string
		is   func()
	}{
		{"a move keeps the length", m.keepsLength}, {"a move by days keeps the wall clock", m.keepsClock},
		{"a move of what was changed is begun anew", m.beginsAnew}, {"what is deleted is told of", m.tellsOfDeleted},
		{"cells are taken as by the program", m.takesCells}, {"a file in parts is made once", m.makesParts},
		{"an order of many units is whole", m.showsMany}, {"a row that is cut says so", m.saysCut},
		{"every scope is to be had", m.offersScopes}, {"a day without a midnight is one day", m.countsDays},
		{"a refusal is told elsewhere, too", m.tellsElsewhere}, {"a cart's link has its times", m.fixesTimes},
		{"a page beyond the last is the last", m.findsLastPage},
		{"what comes after signing out is dropped", m.signsOut},
		{"the focus stays", m.keepsFocus}, {"what is asked is what is done", m.asksWhole},
		{"a page that is not seen catches up", m.catchesUp}, {"SKUs beyond the first are found", m.findsSKUs},
	} {
		t.Run(flow.name, func(t *testing.T) {
			b.T, w.T = t, t
			flow.is()
			require.Empty(t, b.Noted())
		})
	}
	b.T, w.T = t, t
}

// stock makes a SKU with so many articles of one unit, and gives the SKU.
func (m *meant) stock(name string, articles int) string {
	sku := m.ask("POST", "skus", fmt.Sprintf(`{"name":%q}`, name))["id"].(string)
	for i := range articles {
		m.ask("POST", "articles", fmt.Sprintf(
			`{"name":"%s %d","skuId":%q,"codes":["%[1]s-%[2]d"],"quantities":[{"serviceLocationId":%[4]q,"count":1,"from":"2020-01-01T00:00:00Z"}]}`,
			name, i+1, sku, m.at))
	}
	return sku
}

// hold holds a unit of a SKU, and gives the hold and its bar.
func (m *meant) hold(sku, from, to string) (hold, bar string) {
	hold = m.ask("POST", "holds", fmt.Sprintf(
		`{"lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q}]}`, sku, m.at, from, to))["id"].(string)
	return hold, m.unit(hold)["id"].(string)
}

// pick begins to move a bar by keys, in a zoom.
func (m *meant) pick(bar, zoom, at string) {
	on, err := time.Parse(time.RFC3339, at)
	require.NoError(m, err)
	m.b.Show(fmt.Sprintf("timeline?at=%s&zoom=%s&on=%d", m.at, zoom, on.UnixMilli()))
	m.b.Until(fmt.Sprintf(`document.querySelector('[data-bar="%s"]')?.focus() || document.activeElement.dataset.bar === %q`,
		bar, bar))
	m.b.Press("m")
	m.b.Until(`document.querySelector(".moving")`)
}

// times are the times of a hold's line.
func (m *meant) times(hold string) []any {
	line := m.ask("GET", "holds/"+hold, "")["lines"].([]any)[0].(map[string]any)
	return []any{line["from"], line["to"]}
}

// drop drops what is moved as soon as it fits.
func (m *meant) drop() {
	m.b.Until(`document.querySelector(".moving")?.textContent.includes("fits")`)
	m.b.Press("Enter")
	m.b.Until(`!document.querySelector(".moving")`)
	m.b.Says(".note", "Moved to")
	m.b.Eval(`document.querySelectorAll(".note .btn").forEach((x) => x.click())`)
}

// keepsLength moves three hours by a day, where one sees weeks: they stay three hours.
func (m *meant) keepsLength() {
	hold, bar := m.hold(m.stock("Short", 2), "2031-01-14T08:00:00Z", "2031-01-14T11:00:00Z")
	m.pick(bar, "weeks", "2031-01-10T00:00:00Z")
	m.b.Press("ArrowRight")
	m.drop()
	require.Equal(m, []any{"2031-01-15T08:00:00.000Z", "2031-01-15T11:00:00.000Z"}, m.times(hold))
}

// keepsClock moves a Friday to the Monday after the clocks went on.
func (m *meant) keepsClock() {
	hold, bar := m.hold(m.stock("Trailer", 1), "2031-03-28T07:00:00Z", "2031-03-28T16:00:00Z")
	m.pick(bar, "weeks", "2031-03-24T00:00:00Z")
	for range 3 {
		m.b.Press("ArrowRight")
	}
	m.drop()
	require.Equal(m, []any{"2031-03-31T06:00:00.000Z", "2031-03-31T15:00:00.000Z"}, m.times(hold))
}

// beginsAnew drops what somebody else has moved meanwhile: what that one did stays.
func (m *meant) beginsAnew() {
	hold, bar := m.hold(m.stock("Tent", 1), "2031-05-14T08:00:00Z", "2031-05-14T11:00:00Z")
	m.pick(bar, "days", "2031-05-13T00:00:00Z")
	m.b.Press("ArrowRight")
	m.b.Says(".moving", "fits")
	label := fmt.Sprintf(`document.querySelector('[data-bar="%s"]')?.ariaLabel`, bar)
	was := m.b.Eval(label)
	m.ask("POST", "holds/"+hold+"/move", fmt.Sprintf(
		`{"lines":[{"unavailabilityId":%q,"from":"2031-05-15T08:00:00Z","to":"2031-05-15T10:00:00Z"}]}`, bar))
	m.b.Until(fmt.Sprintf("%s && %[1]s !== %q", label, was))
	m.b.Press("Enter")
	m.b.Says(".note.bad", "changed it meanwhile")
	require.Equal(m, []any{"2031-05-15T08:00:00.000Z", "2031-05-15T10:00:00.000Z"}, m.times(hold))
	m.b.Press("ArrowRight")
	m.drop()
	require.Equal(m, []any{"2031-05-15T09:00:00.000Z", "2031-05-15T11:00:00.000Z"}, m.times(hold))
}

// tellsOfDeleted releases a hold: the answer has nothing in it, and it is said that it is done.
func (m *meant) tellsOfDeleted() {
	hold, bar := m.hold(m.stock("Stove", 1), "2031-06-14T08:00:00Z", "2031-06-14T11:00:00Z")
	on, err := time.Parse(time.RFC3339, "2031-06-13T00:00:00Z")
	require.NoError(m, err)
	m.b.Show(fmt.Sprintf("timeline?at=%s&on=%d&bar=%s", m.at, on.UnixMilli(), bar))
	m.b.Click(".panel", "Release")
	m.b.Click(".panel .confirm", "Release")
	m.b.Says(".note", "The stock is free again.")
	require.Equal(m, "released", m.ask("GET", "holds/"+hold, "")["status"])
	require.Zero(m, m.b.Eval(`document.querySelectorAll(".note.bad").length`))
}
