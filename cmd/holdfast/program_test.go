package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

// Whoever restores a backup on a machine whose clock is off should not have to find out why nothing expires.
func TestAClockThatIsBehindIsSaid(t *testing.T) {
	dir := t.TempDir()
	opened := func(now int64, ops ...base.Op) string {
		var said bytes.Buffer
		core, err := openCore(t.Context(), dir, engine.Options{Now: func() int64 { return now }},
			slog.New(slog.NewTextHandler(&said, nil)))
		require.NoError(t, err)
		for _, op := range ops {
			_, err = core.engine.Do(engine.Command{Account: base.NewID(now, base.BaseOf([10]byte{1})), Actor: "test",
				Op: op})
			require.NoError(t, err)
		}
		require.NoError(t, core.Close())
		return said.String()
	}
	now := clock()
	require.NotContains(t, opened(now, base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental"}}), "clock")
	require.NotContains(t, opened(now-clockMayDiffer.Milliseconds()), "clock")
	require.Contains(t, opened(now-3_600_000), "seconds=3600")
}

// Whoever waits for a start is told what it does, and who asks it to stop is heard, also where what loads does not
// hear.
func TestALongStartIsSaidAndStops(t *testing.T) {
	var said bytes.Buffer
	p := &program{log: slog.New(slog.NewTextHandler(&said, nil))}
	p.phase.Store("counts sheep")
	ctx, stop := context.WithCancel(t.Context())
	say, ended := make(chan time.Time), make(chan error)
	go func() { ended <- p.await(ctx, nil, say) }()
	say <- time.Time{}
	stop()
	require.ErrorIs(t, <-ended, errStillLoading)
	require.Contains(t, said.String(), `msg=loading now="counts sheep"`)
}

// Plans that are made beside the writer have turns of a length only where it can be measured.
func TestPlansAreMeasured(t *testing.T) {
	core, err := openCore(t.Context(), t.TempDir(), engine.Options{Now: clock}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	r, err := core.engine.Do(engine.Command{Account: base.NewID(clock(), base.BaseOf([10]byte{1})), Actor: "test",
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental"}}})
	require.NoError(t, err)
	require.Positive(t, r.Took)
	require.NoError(t, core.Close())
}

// Clients leave files to the store and to calls of webhooks, also where there are few.
func TestFilesAreSharedOut(t *testing.T) {
	for files, want := range map[uint64]filesShared{
		256: {tables: 64, attempts: 32, idle: 16, conns: 112}, 1024: {256, 128, 64, 448},
		4096: {1000, 512, 256, 2128}, 21_967: {1000, 512, 256, 19_999}, 1 << 20: {1000, 512, 256, 20_000},
		math.MaxUint64: {1000, 512, 256, 20_000},
	} {
		require.Equal(t, want, shareFiles(files), "%d files", files)
	}
}

// deep is an error as Pebble's are: asked for more, it tells its stack.
type deep struct{ error }

func (d deep) Format(to fmt.State, _ rune) { fmt.Fprint(to, d.error, "\nstack") }

// A log line has what an error says, and no stack.
func TestErrorsAreLoggedInOneLine(t *testing.T) {
	var said bytes.Buffer
	slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{ReplaceAttr: readable})).
		Warn("lost", "error", deep{errors.New("no space")}, "after", 90*time.Second)
	require.Contains(t, said.String(), `error="no space" after=1m30s`)
}
