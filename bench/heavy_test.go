package bench

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkHeavy prints what another account's bookings wait under each heavy command, in ms.
func BenchmarkHeavy(b *testing.B) {
	w, err := empty(0.001)
	require.NoError(b, err)
	defer func() { require.NoError(b, w.Close()) }()
	h, err := NewHeavy(w.Engine, w.Now)
	require.NoError(b, err)
	for _, c := range h.Commands() {
		b.Run(c.Name, func(b *testing.B) {
			var waits []time.Duration
			for b.Loop() {
				more, err := h.Beside(c, 1)
				require.NoError(b, err)
				waits = append(waits, more...)
				w.Settle()
			}
			slices.Sort(waits)
			b.ReportMetric(float64(waits[len(waits)*99/100])/1e6, "p99-ms")
			b.ReportMetric(float64(waits[len(waits)-1])/1e6, "max-ms")
			b.ReportMetric(float64(waits[len(waits)/2])/1e6, "p50-ms")
		})
	}
}
