package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

const resort = "../../bench/testdata/resort-hotel-bookings.csv.gz"

// replayJSON runs a replay and returns what it prints.
func replayJSON(t testing.TB, args ...string) (r replayReport, text string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(append([]string{"replay", "--json"}, args...), nil, &out, &errs)
	require.Zero(t, code, errs.String())
	require.NoError(t, json.Unmarshal(out.Bytes(), &r))
	return r, out.String()
}

// TestReplayResort is the main job on real input, through the durable write path.
func TestReplayResort(t *testing.T) {
	accepted := map[int]int{40: 28949, 60: 36935, 80: 39599, 100: 40060} // however the stock is laid out
	for stock, capacities := range map[string][]int{stockArticles: {40, 100}, stockLot: {60, 80}} {
		for _, capacity := range capacities {
			want := accepted[capacity]
			t.Run(fmt.Sprint(stock, " ", capacity), func(t *testing.T) {
				r, _ := replayJSON(t, resort, "--capacity", strconv.Itoa(capacity), "--stock", stock)
				require.Equal(t, 40060, r.Bookings)
				require.Equal(t, want, r.Accepted)
				require.Equal(t, 40060-want, r.Refused)
				require.Zero(t, r.WrongRefusals)
				t.Logf("%d moves, %.0f bookings a second", r.Moves, r.PerSecond)
			})
		}
	}
}

// TestReplayWithoutMoving shows what the moves are for.
func TestReplayWithoutMoving(t *testing.T) {
	exact, _ := replayJSON(t, resort, "--capacity", "40")
	require.Equal(t, 78984, exact.NightsSold)
	require.Positive(t, exact.Moves)
	for _, placement := range []string{"best-fit", "first-fit"} {
		r, _ := replayJSON(t, resort, "--capacity", "40", "--placement", placement)
		require.Zero(t, r.Moves, placement)
		require.Greater(t, r.WrongRefusals, 1000, placement)
		require.Less(t, r.NightsSold, exact.NightsSold*97/100, placement)
		t.Logf("%s: %d accepted, %d wrong refusals, %d nights for %d", placement, r.Accepted, r.WrongRefusals,
			r.NightsSold, exact.NightsSold)
	}
}

// TestReplayJSON holds the members of the object, and their order.
func TestReplayJSON(t *testing.T) {
	r, text := replayJSON(t, resort, "--capacity", "80")
	d := json.NewDecoder(bytes.NewBufferString(text))
	d.UseNumber()
	require.Equal(t, "bookings accepted refused wrongRefusals nightsSold moves seconds perSecond skus", members(t, d))
	inner, err := json.Marshal(r.SKUs[0])
	require.NoError(t, err)
	require.Equal(t, "sku units peak bookings accepted refused wrongRefusals nightsSold moves",
		members(t, json.NewDecoder(bytes.NewReader(inner))))

	sum := counts{}
	for i, s := range r.SKUs {
		sum.add(s.counts)
		require.Equal(t, max(1, s.Peak*80/100), s.Units)
		require.True(t, i == 0 || r.SKUs[i-1].SKU < s.SKU)
		require.Equal(t, s.Bookings, s.Accepted+s.Refused)
	}
	require.Equal(t, r.counts, sum)
	require.InDelta(t, float64(r.Bookings)/r.Seconds, r.PerSecond, 1)
}

// members are the names of an object's members, in order.
func members(t *testing.T, d *json.Decoder) string {
	t.Helper()
	var names []byte
	_, err := d.Token()
	require.NoError(t, err)
	for d.More() {
		name, err := d.Token()
		require.NoError(t, err)
		if len(names) > 0 {
			names = append(names, ' ')
		}
		names = append(names, name.(string)...)
		var skip json.RawMessage
		require.NoError(t, d.Decode(&skip))
	}
	return string(names)
}
