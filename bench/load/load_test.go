package load

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/bench"
)

// TestSuite takes every figure once on a small data set: the figures mean nothing, but each can be had.
func TestSuite(t *testing.T) {
	const scale = 0.001
	w, err := bench.Build(scale, func(string) {})
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	r := bench.Run{World: w, Scale: scale, Budget: 50 * time.Millisecond, Progress: func(string) {},
		Report: bench.NewReport(scale)}
	s, err := Serve(w)
	require.NoError(t, err)
	require.NoError(t, s.Reads(context.Background(), &r))
	require.NoError(t, s.Writes(context.Background(), &r))
	require.NoError(t, s.Close())
	require.Len(t, r.Report.Results, 22)
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	for _, x := range r.Report.Results {
		name := strings.NewReplacer("Tail", "", "Memory", "", "CPU", "").Replace(x.Name)
		require.Contains(t, string(readme), "`"+name+"`", "bench/README.md says how each figure is taken")
		require.Empty(t, x.Err, x.Name)
		require.Positive(t, x.Figure, x.Name)
	}
}
