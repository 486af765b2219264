package main

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
)

// Whoever restores a backup on a machine whose clock is off should not have to find out why nothing expires.
func TestAClockThatIsBehindIsSaid(t *testing.T) {
	dir := t.TempDir()
	opened := func(now int64, ops ...engine.Op) string {
		var said bytes.Buffer
		core, err := openCore(t.Context(), dir, engine.Options{Now: func() int64 { return now }}, slog.New(slog.NewTextHandler(&said, nil)))
		require.NoError(t, err)
		for _, op := range ops {
			_, err = core.engine.Do(engine.Command{Account: engine.NewID(now, engine.BaseOf([10]byte{1})), Actor: "test", Op: op})
			require.NoError(t, err)
		}
		require.NoError(t, core.Close())
		return said.String()
	}
	now := clock()
	require.NotContains(t, opened(now, engine.CreateAccount{Name: "Rental"}), "clock")
	require.NotContains(t, opened(now-clockMayDiffer), "clock")
	require.Contains(t, opened(now-3_600_000), "seconds=3600")
}
