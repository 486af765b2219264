package api

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns the calendar of rentals over REST.

// No start that is shown as bookable refuses a hold that begins then, and no exact one takes more than it shows: every
// bucket of calendars of bookings that came as they came, of a SKU, an article and a kit.
func TestStartsKeepTheirWord(t *testing.T) {
	rnd := rand.New(rand.NewSource(9))
	s, location, sku, first, _ := stocked(t)
	there := s.ok("POST", "/v1/admin/locations", `{"name":"Porto","timezone":"Europe/Lisbon"}`)["id"].(string)
	kit := s.ok("POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"Two","components":[{"skuId":%q},{"articleId":%q}]}`, sku, first))["id"].(string)
	for range 40 {
		from := noon + rnd.Int63n(300)*hour
		item, id := "sku", sku
		if rnd.Intn(3) == 0 {
			item, id = "article", first
		}
		s.call("POST", "/v1/admin/holds", s.holdBody(item, id, location, from, from+1+rnd.Int63n(40)*hour, 1))
	}
	shown := map[bool]int{}
	for _, item := range []string{"skuId=" + sku, "articleId=" + first, "catalogItemId=" + kit} {
		for _, length := range []string{"length=1&lengthUnit=days", "length=7200",
			"length=30&lengthUnit=hours&startTimes=09:30&startTimes=17:00",
			"length=1&lengthUnit=days&returnServiceLocationId=" + there} {
			c := s.ok("GET", fmt.Sprintf("/v1/admin/availability/calendar?%s&serviceLocationId=%s&from=%s&to=%s&%s",
				item, location, when(noon), when(noon+14*day), length), "")
			name, id, _ := strings.Cut(item, "=")
			back := ""
			if strings.Contains(length, "return") {
				back = fmt.Sprintf(`"returnServiceLocationId":%q,`, there)
			}
			for _, b := range c["buckets"].([]any) {
				for _, x := range b.(tree)["starts"].([]any) {
					x := x.(tree)
					require.Equal(t, x["available"].(float64) > 0, x["bookable"])
					shown[x["bookable"].(bool)]++
					hold := func(n float64) *answer {
						return s.call("POST", "/v1/admin/holds",
							fmt.Sprintf(`{"lines":[{%q:%q,"serviceLocationId":%q,%s"from":%q,"to":%q,"quantity":%g}]}`,
								name, id, location, back, x["from"], x["to"], n))
					}
					if n := x["available"].(float64); n > 0 {
						a := hold(n)
						require.Equal(t, 200, a.status, "%s was shown: %s", x, a.body)
						s.ok("DELETE", "/v1/admin/holds/"+a.object()["id"].(string), "")
					}
					if x["exact"].(bool) {
						require.Equal(t, 409, hold(x["available"].(float64)+1).status, "%s was shown", x)
					}
				}
			}
		}
	}
	require.Positive(t, shown[true])
	require.Positive(t, shown[false])
}

// One call for many items says what a call for each does; a bucket has the starts in it.
func TestCalendarsOfManyItems(t *testing.T) {
	s, location, sku, first, second := stocked(t)
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", first, location, noon+day, noon+2*day, 1))
	ask := fmt.Sprintf(
		`"serviceLocationId":%q,"from":%q,"to":%q,"length":2,"lengthUnit":"days","startTimes":["09:00","15:30"]`,
		location, when(noon), when(noon+4*day))
	all := s.ok("POST", "/v1/admin/availability/calendar",
		fmt.Sprintf(`{"items":[{"skuId":%q,"quantity":2},{"articleId":%q},{"articleId":%q}],%s}`, sku, first, second,
			ask))
	for i, one := range []string{"skuId=" + sku + "&quantity=2", "articleId=" + first, "articleId=" + second} {
		c := s.ok("GET",
			fmt.Sprintf("/v1/admin/availability/calendar?%s&serviceLocationId=%s&from=%s&to=%s&length=2&"+
				"lengthUnit=days&startTimes=09:00&startTimes=15:30",
				one, location, when(noon), when(noon+4*day)), "")
		require.Equal(t, c["buckets"], at(all, "calendars", i, "buckets"))
	}
	require.Equal(t, first, at(all, "calendars", 1, "articleId"))
	require.Nil(t, at(all, "calendars", 1, "skuId"))
	// noon is 13:00 at the place: on the first day one start is left, and none on the last.
	buckets := at(all, "calendars", 0, "buckets").([]any)
	require.Len(t, buckets, 5)
	require.Equal(t, "2025-06-01", at(buckets, 0, "date"))
	require.Equal(t,
		[]any{tree{"from": "2025-06-01T14:30:00.000Z", "to": "2025-06-03T14:30:00.000Z", "available": 1.0,
			"bookable": false, "exact": true}}, at(buckets, 0, "starts"))
	require.Equal(t, "2025-06-02T08:00:00.000Z", at(buckets, 1, "starts", 0, "from"))
	require.Len(t, at(buckets, 4, "starts"), 1)

	plain := s.ok("GET",
		fmt.Sprintf("/v1/admin/availability/calendar?skuId=%s&from=%s&to=%s", sku, when(noon), when(noon+day)), "")
	require.Empty(t, at(plain, "buckets", 0, "starts"))

	long := fmt.Sprintf(`"from":%q,"to":%q`, when(noon), when(noon+9000*hour))
	var items []string
	for range 10 {
		items = append(items, fmt.Sprintf(`{"skuId":%q}`, sku))
	}
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/availability/calendar",
		`{"items":[`+strings.Join(items, ",")+`],"bucket":"hour",`+long+`}`, "body /items range")
	times, err := json.Marshal(strings.Split(strings.Repeat("09:00,", 47)+"10:00", ","))
	require.NoError(t, err)
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/availability/calendar",
		`{"items":[`+items[0]+`],"length":60,"startTimes":`+string(times)+`,`+long+`}`, "body /length range")
}

// An item that is asked for twice, for as many units, is looked at once.
func TestCalendarOfAnItemThatIsThereTwice(t *testing.T) {
	s, _, sku, first, _ := stocked(t)
	v, _ := s.eng.View(s.account)
	bike, one := base.Item{}, base.Item{}
	bike.SKU, _ = base.ParseID(sku)
	one.Article, _ = base.ParseID(first)
	o := calendarsInput{items: []calendarItem{{Item: bike}, {Item: one}, {Item: bike, quantity: new(1)},
		{Item: bike, quantity: new(2)}}}
	o.Window, o.size = base.Span{Start: noon, End: noon + 3*day}, stock.BucketDay
	for n := range o.items {
		require.NoError(t, o.fill(v, n, noon))
	}
	require.Same(t, &o.items[0].buckets[0], &o.items[2].buckets[0])
	require.NotSame(t, &o.items[0].buckets[0], &o.items[3].buckets[0])
	require.Equal(t, 2, o.items[0].buckets[1].Available)
	require.Equal(t, 1, o.items[1].buckets[1].Available)
	require.Equal(t, 2, o.items[3].buckets[1].wanted)
}

// The list of articles counts without buffers, and tells with them what can be booked when asked: what it shows a hold
// takes.
func TestArticlesThatCanBeBooked(t *testing.T) {
	s, location, _, first, second := stocked(t)
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", first, location, noon+3*day, noon+4*day, 1))
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", second, location, noon+4*day, noon+5*day, 1))
	from, to := noon+2*day, noon+3*day-hour
	window := fmt.Sprintf("?dateRange[from]=%s&dateRange[to]=%s&fields=id,availability", when(from), when(to))
	free := func(query string) (list [][]any) {
		for _, x := range s.ok("GET", "/v1/admin/articles"+query, "")["articles"].([]any) {
			list = append(list,
				[]any{at(x, "id"), at(x, "availability", "total"), at(x, "availability", "byLocation", 0, "fromDate")})
		}
		return list
	}
	require.Equal(t, [][]any{{first, 1.0, when(from)}, {second, 1.0, when(from)}}, free(window))
	require.Equal(t, [][]any{{first, 0.0, when(noon + 4*day + 2*hour)}, {second, 1.0, when(from)}},
		free(window+"&withBuffers=true"))
	require.Equal(t, [][]any{{first, 1.0, when(from)}, {second, 1.0, when(from)}}, free(window), "as it was")
	s.refused(409, base.CodeInsufficient, "POST", "/v1/admin/holds",
		s.holdBody("article", first, location, from, to, 1))
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", first, location, from, to-hour, 1))
	require.Equal(t, 1.0, at(s.ok("POST", "/v1/admin/articles/search", fmt.Sprintf(
		`{"dateRange":{"from":%q,"to":%q},"withBuffers":true,"fields":["availability"]}`, when(from), when(to))),
		"articles", 1, "availability", "total"))
}
