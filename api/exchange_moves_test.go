package api

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of exports of units that holds and orders take to other locations.

// moving is a shop with three locations, whose units go from one to another.
type moving struct {
	*exchangeShop
	at [3]string
}

func newMoving(t *testing.T) *moving {
	s := &moving{exchangeShop: newExchangeShop(t)}
	for i := range s.at {
		s.at[i] = s.ok("POST", "/v1/admin/locations", fmt.Sprintf(`{"name":"L%d","timezone":"UTC"}`, i))["id"].(string)
	}
	return s
}

// article makes one with units at the first location.
func (s *moving) article(name string, units int) string {
	return s.ok("POST", "/v1/admin/articles",
		fmt.Sprintf(`{"name":%q,"quantities":[{"serviceLocationId":%q,"count":%d}]}`, name, s.at[0], units))["id"].(string)
}

// line is one of a hold that takes units of an article to another location.
func (s *moving) line(article string, from, to int, start, end int64, quantity int) string {
	return fmt.Sprintf(`{"articleId":%q,"serviceLocationId":%q,"returnServiceLocationId":%q,"from":%q,"to":%q,"quantity":%d}`,
		article, s.at[from], s.at[to], when(start), when(end), quantity)
}

func (s *moving) hold(lines ...string) {
	s.Helper()
	s.ok("POST", "/v1/admin/holds", `{"allowPast":true,"lines":[`+strings.Join(lines, ",")+`]}`)
}

// rowsOf exports the shop's rows of a resource.
func (s *moving) rowsOf(resource string) (rows string, answer *http.Response) {
	s.Helper()
	status, rows, answer := s.send("GET", "/export/"+resource+"?account="+s.account.String(), "")
	require.Equal(s, 200, status, rows)
	return rows, answer
}

// over imports what the shop's account exports of some resources into the other account, which is empty.
func (s *moving) over(resources ...string) {
	s.Helper()
	_, other, ok := s.eng.Key([]byte("22222222"))
	require.True(s, ok)
	for _, resource := range resources {
		rows, _ := s.rowsOf(resource)
		status, text, _ := s.send("POST", "/import/"+resource+"?account="+other.Account().ID.String(), rows)
		require.Equal(s, 200, status, "%s: %s", resource, text)
	}
}

// stock is what an account has by article, location and day, and how much of it is free.
func (s *moving) stock(key string) (lines []string) {
	s.Helper()
	list := func(resource string) []any {
		page := s.ok("GET", "/v1/admin/"+resource, "", "X-API-KEY", key)
		rows, _ := cmp.Or(page["data"], page[resource]).([]any)
		return rows
	}
	now := s.clock.Load()
	for _, r := range list("articles") {
		for _, l := range list("locations") {
			line := fmt.Sprintf("%s at %s:", at(r, "name"), at(l, "name"))
			for d := int64(-6); d < 12; d++ {
				a := s.ok("GET", fmt.Sprintf("/v1/admin/availability?articleId=%s&serviceLocationId=%s&from=%s&to=%s",
					at(r, "id"), at(l, "id"), when(now+d*day+hour), when(now+d*day+2*hour)), "", "X-API-KEY", key)
				line += fmt.Sprintf(" %v/%v", a["available"], a["stock"])
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// What holds take to other locations is there before, and arrives when they bring it: an import has the same stock.
func TestExportOfUnitsThatHoldsMove(t *testing.T) {
	s := newMoving(t)
	bike, tandem := s.article("bike", 5), s.article("tandem", 3)
	now := s.clock.Add(10 * day)
	s.hold(s.line(bike, 0, 1, now-3*day, now-2*day, 1)) // over
	s.hold(s.line(bike, 0, 1, now-day, now+day, 1), s.line(tandem, 0, 2, now+day, now+2*day, 3))
	s.hold(s.line(bike, 0, 1, now+2*day, now+3*day, 2))
	s.hold(s.line(bike, 1, 2, now+4*day, now+5*day, 4)) // all of them have come by holds
	s.hold(s.line(bike, 2, 0, now+6*day, now+7*day, 2))
	s.hold(s.line(bike, 0, 0, now+8*day, now+9*day, 3))
	rows, answer := s.rowsOf("articles")
	require.Equal(t, 2, strings.Count(rows, `"count"`), rows)
	require.Empty(t, answer.Trailer.Get(NotesTrailer))
	s.over("locations", "articles", "holds")
	require.Equal(t, s.stock(s.key), s.stock(s.other))
}

// The same of units of a SKU, and of two articles of it.
func TestExportOfUnitsOfASKUThatHoldsMove(t *testing.T) {
	s := newMoving(t)
	sku := s.ok("POST", "/v1/admin/skus", `{"name":"Bike","bufferTimeAmountAfter":1,"bufferTimeUnitAfter":"hours"}`)["id"].(string)
	for _, name := range []string{"one", "two"} {
		s.ok("POST", "/v1/admin/articles", fmt.Sprintf(`{"name":%q,"skuId":%q,"quantities":[{"serviceLocationId":%q,"count":2}]}`,
			name, sku, s.at[0]))
	}
	line := func(from, to int, start int64, quantity int) string {
		return strings.Replace(s.line(sku, from, to, noon+start, noon+start+day, quantity), "articleId", "skuId", 1)
	}
	s.hold(line(0, 1, day, 3), line(0, 2, day, 1))
	s.hold(line(1, 2, 3*day, 3))
	s.hold(line(2, 0, 5*day, 4))
	s.hold(line(0, 0, 7*day, 4))
	s.over("locations", "skus", "articles", "holds")
	require.Equal(t, s.stock(s.key), s.stock(s.other))
}

// A unit that a hold has brought, and that somebody has taken back since without a hold, is where it is: the hold is
// written as one that takes nothing elsewhere.
func TestExportOfUnitsThatWereTakenBack(t *testing.T) {
	s := newMoving(t)
	bike := s.article("bike", 1)
	start := s.clock.Load()
	s.hold(s.line(bike, 0, 1, start, start+day, 1))
	s.clock.Add(2 * day)
	transfer := func(from, to int) {
		s.ok("POST", "/v1/admin/articles/"+bike+"/transfer-quantity",
			fmt.Sprintf(`{"fromServiceLocationId":%q,"toServiceLocationId":%q,"amount":1}`, s.at[from], s.at[to]))
	}
	transfer(1, 0)
	s.hold(s.line(bike, 0, 1, start+3*day, start+4*day, 1))
	s.clock.Add(10 * day)
	s.over("locations", "articles", "holds")
	require.Equal(t, s.stock(s.key), s.stock(s.other))
	rows, _ := s.rowsOf("holds")
	require.Equal(t, 1, strings.Count(rows, "returnServiceLocationId"), rows)
}

// What is planned without a hold, as a transfer, is exported as ever: units that leave are left out, and those that
// arrive are there from then on.
func TestExportOfUnitsThatArePlannedElsewhere(t *testing.T) {
	s := newMoving(t)
	bike := s.article("bike", 5)
	s.ok("POST", "/v1/admin/articles/"+bike+"/transfer-quantity",
		fmt.Sprintf(`{"fromServiceLocationId":%q,"toServiceLocationId":%q,"amount":2,"effectiveFrom":%q}`, s.at[0], s.at[1],
			when(noon+day)))
	s.hold(s.line(bike, 0, 2, noon, noon+day, 1))
	rows, answer := s.rowsOf("articles")
	require.Contains(t, rows, fmt.Sprintf(`"quantities":[{"serviceLocationId":"L0","count":3,"from":%q},`+
		`{"serviceLocationId":"L1","count":2,"from":%q}]`, when(noon), when(noon+day)))
	require.Equal(t, "2 units that end later are left out", answer.Trailer.Get(NotesTrailer))
}

// A unit that a hold brings and a later change of quantity takes away ends later, as one that was there from the start.
func TestExportOfUnitsThatAreMovedAndEnd(t *testing.T) {
	s := newMoving(t)
	bike := s.article("bike", 3)
	s.hold(s.line(bike, 0, 1, noon, noon+day, 2))
	s.ok("POST", "/v1/admin/articles/"+bike+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":1,"effectiveFrom":%q}`, s.at[1], when(noon+2*day)))
	rows, answer := s.rowsOf("articles")
	require.Contains(t, rows, fmt.Sprintf(`"quantities":[{"serviceLocationId":"L0","count":2,"from":%q}]`, when(noon)))
	require.Equal(t, "1 units that end later are left out", answer.Trailer.Get(NotesTrailer))
	s.over("locations", "articles", "holds")
}

// No file has orders: what they will take elsewhere stays where it is, what they have taken is where they brought it.
func TestExportOfUnitsThatOrdersMove(t *testing.T) {
	s := newMoving(t)
	bike := s.article("bike", 5)
	order := func(start, end int64, quantity int) {
		s.ok("POST", ordersPath, fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"returnLocationId":%q,"lineItems":[
			{"articleId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q,"quantity":%d}]}`, s.at[0], s.at[1], bike,
			when(start), when(end), quantity))
	}
	order(noon+hour, noon+2*hour, 1)
	order(noon+day, noon+2*day, 2)
	s.hold(s.line(bike, 0, 1, noon+3*day, noon+4*day, 1))
	rows, answer := s.rowsOf("articles")
	require.Contains(t, rows, fmt.Sprintf(`"quantities":[{"serviceLocationId":"L0","count":5,"from":%q}]`, when(noon)))
	require.Equal(t, "3 units that orders are to take to another location are written as staying where they are: only "+
		"export --all has orders", answer.Trailer.Get(NotesTrailer))

	s.clock.Add(day / 2)
	rows, answer = s.rowsOf("articles")
	require.Contains(t, rows, fmt.Sprintf(`"quantities":[{"serviceLocationId":"L0","count":4,"from":%q},`+
		`{"serviceLocationId":"L1","count":1,"from":%q}]`, when(noon), when(noon+2*hour)))
	require.Contains(t, answer.Trailer.Get(NotesTrailer), "2 units that orders are to take")
	s.over("locations", "articles", "holds")
}
