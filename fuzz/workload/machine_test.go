package workload

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/fuzz/model"
)

// This file owns the state machine: random commands, every one judged by the twin, and reads over random windows after
// each.

// usual is how many runs the test makes, and how many are enough to come to every hard case.
const (
	usual = 120
	fewer = 40 // of those that take longest
)

// TestMain makes a run last: HOLDFAST_LONG=1 takes many minutes, -short a few seconds.
func TestMain(m *testing.M) {
	flag.Parse()
	set := func(name, value string) {
		given := false
		flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
		if !given {
			flag.Set(name, value)
		}
	}
	checks := usual
	if testing.Short() {
		checks = 40
	}
	if long, _ := strconv.ParseBool(os.Getenv("HOLDFAST_LONG")); long {
		checks = 20000
	}
	set("rapid.checks", strconv.Itoa(checks))
	set("rapid.seed", "2") // a test judges the change, not the luck of the day: make fuzz plays other worlds each time
	set("rapid.steps", "50")
	set("rapid.nofailfile", "true") // the seed that is printed says it all
	os.Exit(m.Run())
}

// lessOften has the rest of a test make fewer runs than usual.
func lessOften(t *testing.T) {
	if checks := flag.Lookup("rapid.checks").Value; checks.String() == strconv.Itoa(usual) {
		require.NoError(t, checks.Set(strconv.Itoa(fewer)))
		t.Cleanup(func() { checks.Set(strconv.Itoa(usual)) })
	}
}

// TestEngineAgainstTwin holds invariants 1 and 5 of package engine: the twin judges every row that a command changed,
// and a restart must give the same state hash.
func TestEngineAgainstTwin(t *testing.T) {
	var seen model.Tally
	runs := 0
	rapid.Check(t, func(r *rapid.T) {
		runs++
		d := Roll(r)
		w, err := New(vfs.NewMem(), 2)
		require.NoError(r, err)
		defer func() {
			seen.Add(w.Seen)
			require.NoError(r, w.Close())
		}()
		if odds(d, "few blockers", 50) {
			line := 1 + d.N("of a line", 3)
			require.NoError(r, w.Name(line, line+d.N("in all", 3)))
		}
		for tenant := range w.Tenants {
			require.NoError(r, w.Furnish(d, tenant, tenant == 1))
			if odds(d, "webhooks", 30) {
				require.NoError(r, w.Hook(tenant))
			}
			if odds(d, "attributes", 60) {
				require.NoError(r, w.Describe(d, tenant))
			}
			if odds(d, "pricing", 60) {
				require.NoError(r, w.Price(d, tenant))
			}
		}
		tenant := func(d Dice) int { return d.N("tenant", 8) / 7 }
		command := func(r *rapid.T) {
			d := Roll(r)
			if odds(d, "time passes", 25) {
				w.Clock += int64(d.N("by", 8)) * hour / 2
			}
			if odds(d, "tick", 50) {
				_, _, fault := w.Do(0, model.Tick{})
				require.NoError(r, fault)
			}
			n := tenant(d)
			if a := w.Tenants[n].Twin; len(a.Hooks) > 0 && odds(d, "of webhooks", 10) {
				_, _, fault := w.Do(n, hookCommand(d, a, w.Now()))
				require.NoError(r, fault)
				return
			}
			_, _, fault := w.Do(n, Command(d, w.Tenants[n].Twin, w.Now()))
			require.NoError(r, fault)
		}
		r.Repeat(map[string]func(*rapid.T){
			"command": command, "another command": command, "yet another command": command, "and one more": command,
			"clock goes back": func(r *rapid.T) { w.Clock -= int64(Roll(r).N("by", 3)) * hour },
			"restart": func(r *rapid.T) {
				if odds(Roll(r), "restart", 25) {
					require.NoError(r, w.Restart())
				}
			},
			"singles": func(r *rapid.T) { d := Roll(r); require.NoError(r, w.Singles(d, tenant(d))) },
			"":        func(r *rapid.T) { d := Roll(r); require.NoError(r, w.Compare(d, tenant(d))) },
		})
	})
	t.Logf("%+v", seen)
	if runs < usual {
		return // few runs miss a rare case by chance
	}
	// A generator that no longer gets to the hard cases proves nothing.
	for _, n := range []int{
		seen.Refused, seen.Moved, seen.Between, seen.Evicted, seen.Reseated, seen.Hard, seen.Searched, seen.Fewer,
		seen.Plans - seen.Blocked, seen.Blocked, seen.Pushed,
		seen.Scarce, seen.CalledOff, seen.RaisedOut, seen.Named, seen.NamedLines, seen.Unnamed, seen.UnnamedLines,
		seen.Removed, seen.InUse, seen.Still, seen.Restamped, seen.Endless,
		seen.Kits, seen.Met, seen.Required - seen.Unmet, seen.Unmet, seen.Quoted, seen.Idle, seen.Stale,
		seen.Told, seen.Delivered, seen.Lost, seen.Drained, seen.Disabled, seen.Requeued, seen.FreeLater,
		seen.Unstocked, seen.Worst, seen.FewerDays,
	} {
		require.Positive(t, n, "%+v", seen)
	}
}
