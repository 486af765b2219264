package timeline

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseInstant(t *testing.T) {
	for s, want := range map[string]string{
		"2025-06-01T10:00:00Z":           "2025-06-01T10:00:00.000Z",
		"2025-06-01t10:00:00z":           "2025-06-01T10:00:00.000Z",
		"2025-06-01T10:00Z":              "2025-06-01T10:00:00.000Z",
		"2025-06-01t10:00+02:00":         "2025-06-01T08:00:00.000Z",
		"2025-06-01T10:00:00.5Z":         "2025-06-01T10:00:00.500Z",
		"2025-06-01T10:00:00.05Z":        "2025-06-01T10:00:00.050Z",
		"2025-06-01T10:00:00.123+02:00":  "2025-06-01T08:00:00.123Z",
		"2025-06-01T10:00:00.000000Z":    "2025-06-01T10:00:00.000Z",
		"2025-06-01T10:00:00.999999999Z": "2025-06-01T10:00:00.999Z",
		"2025-06-01T10:00:00-23:59":      "2025-06-02T09:59:00.000Z",
		"2025-06-01T10:00:00-00:00":      "2025-06-01T10:00:00.000Z",
		"2024-02-29T23:59:59.999Z":       "2024-02-29T23:59:59.999Z",
		"1970-01-01T00:00:00Z":           "1970-01-01T00:00:00.000Z",
		"1969-12-31T23:00:00-01:00":      "1970-01-01T00:00:00.000Z",
		"9999-12-31T23:59:59.999Z":       "9999-12-31T23:59:59.999Z",
	} {
		ms, fault := ParseInstant(s)
		require.Empty(t, fault, s)
		require.Equal(t, want, string(AppendInstant(nil, ms)), s)
	}
	for s, want := range map[string]string{
		"":                                faultForm,
		"now":                             faultForm,
		"2025-06-01":                      faultNoTime,
		"2025-06-01T10:00:00":             faultNoZone,
		"2025-06-01T10:00:00.5":           faultNoZone,
		"2025-06-01 10:00:00Z":            faultForm,
		"2025-06-01T10:00":                faultNoZone,
		"2025-06-01T10:00.5Z":             faultForm,
		"2025-06-01T10:00:Z":              faultForm,
		"2025-06-01T10:00:0Z":             faultForm,
		"2025-06-01T10:60Z":               faultClock,
		"2025-06-01T10Z":                  faultForm,
		"2025-06-01T1:00:00Z":             faultForm,
		"2025-06-01T10:00:00.Z":           faultForm,
		"2025-06-01T10:00:00,5Z":          faultForm,
		"2025-06-01T10:00:00.1234567890Z": faultFraction,
		"2025-06-01T10:00:00+0200":        faultForm,
		"2025-06-01T10:00:00+2:00":        faultForm,
		"2025-06-01T10:00:00+24:00":       faultOffset,
		"2025-06-01T10:00:00+02:60":       faultOffset,
		"2025-06-01T10:00:00 Z":           faultForm,
		"2025-06-01T10:00:00Z ":           faultForm,
		" 2025-06-01T10:00:00Z":           faultForm,
		"2025-06-01T10:00:00[UTC]":        faultForm,
		"2025-02-29T10:00:00Z":            faultDay,
		"2025-04-31T10:00:00Z":            faultDay,
		"2025-00-01T10:00:00Z":            faultDay,
		"2025-13-01T10:00:00Z":            faultDay,
		"2025-01-00T10:00:00Z":            faultDay,
		"1900-02-29T10:00:00Z":            faultDay,
		"2025-06-01T24:00:00Z":            faultClock,
		"2025-06-01T23:60:00Z":            faultClock,
		"2016-12-31T23:59:60Z":            faultClock,
		"1969-12-31T23:59:59.999Z":        faultRange,
		"1970-01-01T00:30:00+01:00":       faultRange,
		"9999-12-31T23:30:00-01:00":       faultRange,
		"0000-01-01T00:00:00Z":            faultRange,
		"+2025-06-01T10:00:00Z":           faultForm,
		"12025-06-01T10:00:00Z":           faultForm,
		"２０２５-06-01T10:00:00Z":            faultForm,
		"2025-06-01T-1:00:00Z":            faultForm,
		strings.Repeat("2025-06-01", 99):  faultForm,
	} {
		_, fault := ParseInstant(s)
		require.Equal(t, want, fault, "%.40q", s)
	}
}

func TestInstantsAgainstTimePackage(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 200_000 {
		ms := rnd.Int64N(MaxInstant + 1)
		s := string(AppendInstant(nil, ms))
		if want := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z"); s != want {
			t.Fatalf("%d is written %s, want %s", ms, s, want)
		}
		if got, fault := ParseInstant(s); got != ms || fault != "" {
			t.Fatalf("%s is read as %d (%s)", s, got, fault)
		}
	}
}

func FuzzParseInstant(f *testing.F) {
	for _, s := range []string{"2025-06-01T10:00:00Z", "2025-06-01T10:00:00.123+02:00", "1970-01-01T00:30:00+01:00",
		"2024-02-30T00:00:00z", "2025-06-01", "2025-06-01T10:00+02:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ms, fault := ParseInstant(s)
		if fault != "" {
			return
		}
		// What is accepted is what the time package reads, too, where the seconds are there.
		const short = len("2025-06-01T10:00")
		if s[short] != ':' {
			s = s[:short] + ":00" + s[short:]
		}
		want, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s))
		require.NoError(t, err)
		require.Equal(t, want.UnixMilli(), ms)
	})
}

func TestInstantsDoNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 32)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		ms, _ := ParseInstant("2025-06-01T10:00:00.123+02:00")
		buf = AppendInstant(buf[:0], ms)
	}))
}

func BenchmarkAddDay(b *testing.B) {
	z := zone(b, "Europe/Helsinki")
	b.ReportAllocs()
	for b.Loop() {
		AddSteps(z, 1_750_000_000_000, 1, Days)
	}
}

func BenchmarkNinetyDayEdges(b *testing.B) {
	z := zone(b, "Europe/Helsinki")
	b.ReportAllocs()
	for b.Loop() {
		DayEdges(z, 1_750_000_000_000, 1_750_000_000_000+90*dayMs)
	}
}
