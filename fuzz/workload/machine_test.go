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

// TestMain makes a run last: HOLDFAST_LONG=1 takes many minutes.
func TestMain(m *testing.M) {
	flag.Parse()
	set := func(name, value string) {
		given := false
		flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
		if !given {
			flag.Set(name, value)
		}
	}
	checks := "60"
	if long, _ := strconv.ParseBool(os.Getenv("HOLDFAST_LONG")); long {
		checks = "5000"
	}
	set("rapid.checks", checks)
	set("rapid.steps", "40")
	set("rapid.nofailfile", "true") // the seed that is printed says it all
	os.Exit(m.Run())
}

func TestEngineAgainstTwin(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := Rapid{r}
		w, err := New(vfs.NewMem(), 2)
		require.NoError(r, err)
		defer w.Close()
		for tenant := range w.Tenants {
			require.NoError(r, w.Furnish(d, tenant, tenant == 1))
		}
		r.Repeat(map[string]func(*rapid.T){
			"command": func(r *rapid.T) {
				d := Rapid{r}
				if odds(d, "time passes", 25) {
					w.Clock += int64(d.N("by", 8)) * hour / 2
				}
				if odds(d, "tick", 50) {
					_, _, fault := w.Do(0, model.Tick{})
					require.NoError(r, fault)
				}
				tenant := d.N("tenant", 8) / 7
				_, _, fault := w.Do(tenant, Command(d, w.Tenants[tenant].Twin, max(w.At, w.Clock)))
				require.NoError(r, fault)
			},
			"restart": func(r *rapid.T) {
				if odds(Rapid{r}, "restart", 5) {
					require.NoError(r, w.Restart())
				}
			},
			"": func(r *rapid.T) {
				d := Rapid{r}
				require.NoError(r, w.Compare(d, d.N("tenant", 8)/7))
			},
		})
	})
}
