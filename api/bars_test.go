package api

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds the pictures of stock against what was booked, and against the calendar.

// barsOf reads the row of an article.
func (s *shop) barsOf(article string, query string) map[string]any {
	s.Helper()
	rows := s.ok("GET", "/v1/admin/articles/bars?ids="+article+"&"+query, "")["data"].([]any)
	require.Len(s, rows, 1)
	return rows[0].(map[string]any)
}

func over(from, to int64) string {
	return "dateRange[from]=" + when(from) + "&dateRange[to]=" + when(to)
}

func TestBarsSayWhatIsOnAnArticle(t *testing.T) {
	s, location, sku, first, _ := stocked(t)
	s.ok("POST", "/v1/admin/holds",
		`{"note":"Carl",`+s.holdBody("article", first, location, noon+day, noon+2*day, 1)[1:])
	row := s.barsOf(first, over(noon, noon+5*day))
	require.Equal(t, "one", row["name"])
	require.Equal(t, "c-one", row["code"])
	require.Equal(t, sku, row["sku"].(map[string]any)["id"])
	require.EqualValues(t, 1, row["units"])
	require.Empty(t, row["steps"], "one unit is told by its bars")
	bars := row["bars"].([]any)
	require.Len(t, bars, 1)
	bar := bars[0].(map[string]any)
	require.Equal(t, "Carl", bar["label"])
	require.Equal(t, when(noon+day), bar["bodyFrom"])
	require.Equal(t, when(noon+2*day), bar["bodyTo"])
	require.Equal(t, when(noon+2*day+2*60*60*1000), bar["to"], "the buffer of two hours")
	require.Equal(t, true, bar["pinned"], "it was asked for by name")
	require.Equal(t, location, row["serviceLocationId"])
	for _, name := range []string{"from", "type", "orderNumber", "serviceLocationId", "slotId", "state", "dueAt",
		"goesToLocationId"} {
		require.NotContains(t, bar, name, "what goes without saying is left out")
	}

	// A window that the body does not reach, but the buffer does; and one behind all of it.
	require.Len(t, s.barsOf(first, over(noon+2*day+1, noon+5*day))["bars"], 1)
	require.Empty(t, s.barsOf(first, over(noon+3*day, noon+5*day))["bars"])
	s.refused(404, "NOT_FOUND", "GET", "/v1/admin/articles/bars?serviceLocationId="+exampleID("nothing"), "")
	s.refused(400, "INVALID_ARGUMENTS", "GET", "/v1/admin/articles/bars?"+over(noon+day, noon), "",
		"query dateRange[to] order")
	s.refused(400, "INVALID_ARGUMENTS", "GET", "/v1/admin/articles/bars?fields=id", "", "query fields unknown")
}

func TestBarsOfManyUnitsHaveSteps(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	lot := s.ok("POST", "/v1/admin/articles", fmt.Sprintf(
		`{"name":"Helmets","skuId":%q,"quantities":[{"serviceLocationId":%q,"count":5,"from":"2025-01-01T00:00:00Z"}]}`,
		sku, location))["id"].(string)
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", lot, location, noon+day, noon+2*day, 3))
	row := s.barsOf(lot, over(noon, noon+5*day))
	require.EqualValues(t, 5, row["units"])
	require.Len(t, row["bars"], 3)
	require.Equal(t, []any{
		map[string]any{"from": when(noon), "stock": 5.0, "taken": 0.0},
		map[string]any{"from": when(noon + day), "stock": 5.0, "taken": 3.0},
		map[string]any{"from": when(noon + 2*day + 2*60*60*1000), "stock": 5.0, "taken": 0.0},
	}, row["steps"])

	for _, bar := range row["bars"].([]any) {
		require.Contains(t, bar, "slotId")
	}

	// A bar says where it is, if that is not where the first one is.
	porto := s.ok("POST", "/v1/admin/locations", `{"name":"Porto","timezone":"Europe/Lisbon"}`)["id"].(string)
	both := s.ok("POST", "/v1/admin/articles", fmt.Sprintf(
		`{"name":"Pumps","quantities":[{"serviceLocationId":%q,"count":1,"from":"2025-01-01T00:00:00Z"},{"serviceLocationId":%q,"count":1,"from":"2025-01-01T00:00:00Z"}]}`, location, porto))["id"].(string)
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", both, location, noon+day, noon+2*day, 1))
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", both, porto, noon+3*day, noon+4*day, 1))
	pumps := s.barsOf(both, over(noon, noon+5*day))
	require.EqualValues(t, 2, pumps["units"])
	require.Equal(t, location, pumps["serviceLocationId"])
	require.NotContains(t, pumps["bars"].([]any)[0], "serviceLocationId")
	require.Equal(t, porto, pumps["bars"].([]any)[1].(map[string]any)["serviceLocationId"])

	// What is there no more leaves a conflict.
	s.ok("POST", "/v1/admin/articles/"+lot+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":4,"effectiveFrom":%q,"force":true}`, location, when(noon+day)))
	row = s.barsOf(lot, over(noon, noon+5*day))
	require.Len(t, row["conflicts"], 2)
	require.Nil(t, row["conflicts"].([]any)[0].(map[string]any)["slotId"])
	require.Len(t, row["bars"], 1)
}

// The steps of an article with units at several places are those of all together: where a unit is taken at one place as
// one comes back at another, nothing changes.
func TestBarsOfSeveralPlacesHaveStepsWhereTheSumChanges(t *testing.T) {
	s, location, _, _, _ := stocked(t)
	porto := s.ok("POST", "/v1/admin/locations", `{"name":"Porto","timezone":"Europe/Lisbon"}`)["id"].(string)
	both := s.ok("POST", "/v1/admin/articles", fmt.Sprintf(
		`{"name":"Pumps","quantities":[{"serviceLocationId":%q,"count":1,"from":"2025-01-01T00:00:00Z"},{"serviceLocationId":%q,"count":1,"from":"2025-01-01T00:00:00Z"}]}`,
		location, porto))["id"].(string)
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", both, location, noon+day, noon+2*day, 1))
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", both, porto, noon+2*day, noon+3*day, 1))
	row := s.barsOf(both, over(noon, noon+5*day))
	require.Equal(t, []any{
		map[string]any{"from": when(noon), "stock": 2.0, "taken": 0.0},
		map[string]any{"from": when(noon + day), "stock": 2.0, "taken": 1.0},
		map[string]any{"from": when(noon + 3*day), "stock": 2.0, "taken": 0.0},
	}, row["steps"])
	require.Equal(t, true, row["stepped"])
}

// Units are the most of the whole window, and a unit that comes makes steps, also behind more steps than are told.
func TestBarsCountUnitsBehindTheLastStep(t *testing.T) {
	s, location, _, _, _ := stocked(t)
	made := func(name string) string {
		return s.ok("POST", "/v1/admin/articles", fmt.Sprintf(
			`{"name":%q,"quantities":[{"serviceLocationId":%q,"count":1,"from":"2025-01-01T00:00:00Z"}]}`,
			name, location))["id"].(string)
	}
	comes, stays := made("comes"), made("stays")
	s.ok("POST", "/v1/admin/articles/"+comes+"/increase-quantity", fmt.Sprintf(
		`{"serviceLocationId":%q,"amount":2,"effectiveFrom":%q}`, location, when(noon+20*day)))
	for i := range int64(stepsOfRow/2 + 5) {
		for _, article := range []string{comes, stays} {
			from := noon + (2*i+1)*hour
			s.ok("POST", "/v1/admin/holds", s.holdBody("article", article, location, from, from+hour, 1))
		}
	}
	row := s.barsOf(comes, over(noon, noon+30*day))
	require.EqualValues(t, 3, row["units"])
	require.Len(t, row["steps"], stepsOfRow)
	require.Equal(t, false, row["stepped"])

	row = s.barsOf(stays, over(noon, noon+30*day))
	require.EqualValues(t, 1, row["units"])
	require.Empty(t, row["steps"])
	require.Equal(t, true, row["stepped"])
}

// A count is what the calendar says of the SKU's bucket.
func TestCountsAreTheCalendars(t *testing.T) {
	s, location, sku, first, _ := stocked(t)
	s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, noon+day, noon+3*day, 1))
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", first, location, noon+2*day, noon+4*day, 1))
	// One with other buffers is in a pool of its own: it is taken when the others are not, and never are all at once.
	apart := s.ok("POST", "/v1/admin/articles", fmt.Sprintf(
		`{"name":"Slow to clean","skuId":%q,"bufferTimeAmountAfter":3,"bufferTimeUnitAfter":"hours","quantities":[{"serviceLocationId":%q,"count":1,"from":"2025-01-01T00:00:00Z"}]}`, sku, location))["id"].(string)
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", apart, location, noon+4*day+6*hour, noon+4*day+7*hour, 1))
	// Another place has a unit less on the same day, at another hour.
	other := s.ok("POST", "/v1/admin/locations", `{"name":"Elsewhere","timezone":"Europe/Helsinki"}`)["id"].(string)
	s.ok("POST", "/v1/admin/articles/"+first+"/increase-quantity", fmt.Sprintf(
		`{"serviceLocationId":%q,"amount":1,"effectiveFrom":"2025-01-01T00:00:00Z"}`, other))
	s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, other, noon+4*day+2*hour, noon+4*day+3*hour, 1))
	for at, units := range map[string]int{"": 4, "&serviceLocationId=" + location: 3} {
		for _, bucket := range []string{"day", "hour"} {
			window := "from=" + when(noon) + "&to=" + when(noon+6*day) + "&bucket=" + bucket + at
			got := s.ok("GET", "/v1/admin/availability/counts?"+window, "")
			rows := got["data"].([]any)
			require.Len(t, rows, 1)
			row := rows[0].(map[string]any)
			edges := got["edges"].([]any)
			buckets := s.ok("GET", "/v1/admin/availability/calendar?skuId="+sku+"&"+window, "")["buckets"].([]any)
			require.Len(t, edges, len(buckets)+1)
			for i, b := range buckets {
				b := b.(map[string]any)
				require.Equal(t, b["minFree"], row["minFree"].([]any)[i], "%s %v", bucket, b["range"])
				require.Equal(t, b["range"].(map[string]any)["start"], edges[i])
				require.EqualValues(t, units, row["stock"].([]any)[i])
			}
		}
	}
	require.Len(t, s.ok("GET", "/v1/admin/availability/counts?skuIds="+sku+"&from="+when(noon)+"&to="+when(noon+day),
		"")["data"], 1)
	s.refused(404, "NOT_FOUND", "GET",
		"/v1/admin/availability/counts?skuIds="+exampleID("nothing")+"&from="+when(noon)+"&to="+when(noon+day), "")
	s.refused(400, "INVALID_ARGUMENTS", "GET", "/v1/admin/availability/counts?from="+when(noon)+"&to="+when(noon), "",
		"query to order")
	s.refused(400, "INVALID_ARGUMENTS", "GET",
		"/v1/admin/availability/counts?pageSize=250&from="+when(noon)+"&to="+when(noon+400*day), "", "query to range")
}

// What is out for longer than it was to be says when it was due; what comes back elsewhere says where, and leaves no
// stock behind.
func TestBarsSayWhatIsLateAndWhatLeaves(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	porto := s.ok("POST", "/v1/admin/locations",
		`{"name":"Porto","timezone":"Europe/Lisbon","address":{"city":"Porto"}}`)["id"].(string)
	order := s.ok("POST", "/v1/admin/orders",
		fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"returnLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q}]}`,
			location, porto, sku, when(noon), when(noon+day)))
	article := order["stockItems"].([]any)[0].(map[string]any)["inventoryArticleId"].(string)
	row := s.barsOf(article, over(noon, noon+5*day)+"&serviceLocationId="+location)
	bar := row["bars"].([]any)[0].(map[string]any)
	require.Equal(t, porto, bar["goesToLocationId"])
	require.Nil(t, bar["dueAt"])
	require.Equal(t, []any{
		map[string]any{"from": when(noon), "stock": 1.0, "taken": 1.0},
		map[string]any{"from": bar["to"], "stock": 0.0, "taken": 0.0},
	}, row["steps"], "there is no unit behind the hull")

	s.ok("POST", "/v1/admin/orders/"+order["id"].(string)+"/fulfill", `{}`)
	s.clock.Add(day + 60*60*1000)
	require.NoError(t, s.eng.Tick(t.Context()))
	bar = s.barsOf(article, over(noon, noon+5*day)+"&serviceLocationId="+location)["bars"].([]any)[0].(map[string]any)
	require.Equal(t, "out", bar["state"])
	require.Equal(t, when(noon+day), bar["dueAt"])
	require.Greater(t, bar["bodyTo"], when(s.clock.Load()), "it is kept for another step")
}

// The twin of bars: what was booked and overlaps the window, by its start, the first of it; and at each instant of the
// window what is taken then. A read comes before it of an article that has more, and one of less.
func TestBarsAreWhatWasBooked(t *testing.T) {
	const hours = 60 * 60 * 1000
	s, location, _, _, _ := stocked(t)
	type booked struct {
		id       string
		from, to int64
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	counts := []int{1, 3, 40, 1, 9}
	ids, books := make([]string, len(counts)), make([][]booked, len(counts))
	for i, n := range counts {
		ids[i] = s.ok("POST", "/v1/admin/articles", fmt.Sprintf(
			`{"name":"of %d","quantities":[{"serviceLocationId":%q,"count":%d,"from":"2025-01-01T00:00:00Z"}]}`, n,
			location, n))["id"].(string)
		for range 3 * n {
			from := noon + rng.Int64N(40*24)*hours
			to := from + (1+rng.Int64N(72))*hours
			a := s.call("POST", "/v1/admin/holds", s.holdBody("article", ids[i], location, from, to, 1))
			if a.status == 409 {
				continue // it is full then
			}
			u := a.object()["lines"].([]any)[0].(map[string]any)["unavailabilities"].([]any)[0].(map[string]any)
			books[i] = append(books[i], booked{u["id"].(string), from, to})
		}
	}
	for range 60 {
		from := noon + rng.Int64N(40*24)*hours
		to := from + (1+rng.Int64N(30*24))*hours
		rows := s.ok("GET", "/v1/admin/articles/bars?direction=asc&search=of+&"+over(from, to), "")["data"].([]any)
		require.Len(t, rows, len(counts))
		for i, n := range counts {
			var want []booked
			for _, b := range books[i] {
				if b.from < to && b.to > from {
					want = append(want, b)
				}
			}
			slices.SortFunc(want,
				func(x, y booked) int { return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.id, y.id)) })
			row := rows[i].(map[string]any)
			require.Equal(t, ids[i], row["id"])
			require.EqualValues(t, n, row["units"])
			got := row["bars"].([]any)
			require.Len(t, got, min(len(want), barsOfRow))
			for j, b := range got {
				b := b.(map[string]any)
				require.Equal(t, want[j].id, b["id"], "of %d", n)
				require.Equal(t, []any{when(want[j].from), when(want[j].to)}, []any{b["bodyFrom"], b["bodyTo"]})
			}
			if more := row["barsTotal"]; len(want) > barsOfRow {
				require.EqualValues(t, len(want), more)
			} else {
				require.Nil(t, more)
			}
			steps := row["steps"].([]any)
			require.Equal(t, n == 1, len(steps) == 0, "one unit is told by its bars")
			require.True(t, row["stepped"] == true || len(steps) == stepsOfRow)
			for at := from; at < to && n > 1; at += hours {
				if row["stepped"] != true && steps[stepsOfRow-1].(map[string]any)["from"].(string) <= when(at) {
					break // it is told no further
				}
				taken := 0
				for _, b := range want {
					if b.from <= at && at < b.to {
						taken++
					}
				}
				k := len(steps) - 1
				for k > 0 && steps[k].(map[string]any)["from"].(string) > when(at) {
					k--
				}
				require.EqualValues(t, taken, steps[k].(map[string]any)["taken"], "%s of %d", when(at), n)
			}
		}
	}
}
