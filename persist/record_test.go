package persist

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func sealed(prev Position, changes ...Change) Record {
	var g Group
	for _, c := range changes {
		g.Change(c.Table, c.Key, c.Before, c.After)
	}
	return g.seal(prev, prev.Seq+1, prev.At+5, 77, 99)
}

func TestRecordRoundTrip(t *testing.T) {
	in := []Change{
		{Table: 0, Key: []byte{}, Before: nil, After: []byte{}},
		{Table: 255, Key: []byte("key"), Before: []byte("before"), After: nil},
		{Table: 7, Key: bytes.Repeat([]byte("k"), 300), Before: []byte{}, After: bytes.Repeat([]byte("v"), 70_000)},
	}
	prev := Position{Seq: 41, At: 10, Hash: sha256.Sum256([]byte("prev"))}
	r := sealed(prev, in...)
	got, err := decodeRecord(bytes.Clone(r.raw))
	require.NoError(t, err)
	require.Equal(t, r.Position, got.Position)
	require.Equal(t, uint64(42), got.Seq)
	require.Equal(t, int64(15), got.At)
	require.Equal(t, uint64(99), got.StateHash)
	require.Equal(t, uint64(77), got.Incarnation)
	require.Equal(t, prev.Hash, got.Prev)
	require.Equal(t, 3, got.Len())
	i := 0
	for c := range got.Changes() {
		require.Equal(t, in[i].Table, c.Table)
		require.Equal(t, in[i].Key, c.Key)
		require.Equal(t, in[i].Before, c.Before, "nil and empty differ")
		require.Equal(t, in[i].After, c.After, "nil and empty differ")
		i++
	}
	require.Equal(t, 3, i)
}

func TestRecordOfNoChange(t *testing.T) {
	r := sealed(Position{})
	got, err := decodeRecord(r.raw)
	require.NoError(t, err)
	require.Zero(t, got.Len())
	for range got.Changes() {
		t.Fatal("a change")
	}
}

func TestRecordFlippedBit(t *testing.T) {
	r := sealed(Position{}, Change{Table: 1, Key: []byte("a"), After: []byte("b")},
		Change{Table: 1, Key: []byte("c"), Before: []byte("b")})
	for i := range r.raw {
		for bit := range 8 {
			b := bytes.Clone(r.raw)
			b[i] ^= 1 << bit
			_, err := decodeRecord(b)
			require.ErrorIs(t, err, ErrCorrupt, "byte %d bit %d", i, bit)
		}
	}
	for n := range r.raw {
		_, err := decodeRecord(r.raw[:n])
		require.ErrorIs(t, err, ErrCorrupt)
	}
}

// resealed gives changed bytes a checksum that fits.
func resealed(b []byte) []byte {
	body := b[:len(b)-hashSize]
	sum := sha256.Sum256(body)
	return append(bytes.Clone(body), sum[:]...)
}

func TestRecordMalformed(t *testing.T) {
	r := sealed(Position{}, Change{Table: 1, Key: []byte("a"), After: []byte("b")})
	newer := bytes.Clone(r.raw)
	newer[0] = 2
	_, err := decodeRecord(resealed(newer))
	require.ErrorIs(t, err, ErrNewerFormat)
	miscounted := bytes.Clone(r.raw)
	miscounted[40]++
	_, err = decodeRecord(resealed(miscounted))
	require.ErrorIs(t, err, ErrCorrupt)
	for _, tail := range [][]byte{{0}, {1}, {2, 1}, {2, 1, 0}, {0x80}, {2, 1, 9, 0},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}} {
		b := append(bytes.Clone(r.raw[:recordHeader]), tail...)
		_, err = decodeRecord(resealed(append(b, make([]byte, hashSize)...)))
		require.ErrorIs(t, err, ErrCorrupt, "%x", tail)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	r := sealed(Position{}, Change{Table: 1, Key: []byte("a"), After: []byte("b")})
	f.Add(r.raw[recordHeader : len(r.raw)-hashSize])
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, changes []byte) {
		b := append(bytes.Clone(r.raw[:recordHeader]), changes...)
		rec, err := decodeRecord(resealed(append(b, make([]byte, hashSize)...)))
		if err != nil {
			return
		}
		n := 0
		for c := range rec.Changes() {
			_ = fmt.Sprint(c)
			n++
		}
		require.Equal(t, rec.Len(), n)
	})
}

func TestChangeFromNothingToNothing(t *testing.T) {
	require.Panics(t, func() { new(Group).Change(1, []byte("k"), nil, nil) })
}

func TestGroupDoesNotAllocate(t *testing.T) {
	var g Group
	key, value := []byte("0123456789abcdef"), make([]byte, 300)
	fill := func() {
		g.Reset()
		for range 20 {
			g.Change(1, key, value, value)
		}
	}
	fill()
	require.Zero(t, testing.AllocsPerRun(100, fill))
	require.Equal(t, 20, g.Len())
	size := g.Bytes()
	require.Equal(t, size, g.seal(Position{}, 1, 0, 0, 0).Size())
	require.Zero(t, g.Len())
}

func TestMarkerRoundTrip(t *testing.T) {
	m := Marker{
		Position:  Position{Seq: 1 << 60, At: -5, Hash: sha256.Sum256([]byte("a")), StateHash: 1<<64 - 1},
		FirstKept: 12, HashBeforeFirstKept: sha256.Sum256([]byte("b")),
	}
	b := m.encode()
	require.Len(t, b, markerSize)
	got, err := decodeMarker(b)
	require.NoError(t, err)
	require.Equal(t, m, got)
	for i := range b {
		c := bytes.Clone(b)
		c[i] ^= 4
		_, err := decodeMarker(c)
		require.ErrorIs(t, err, ErrCorrupt)
	}
	_, err = decodeMarker(nil)
	require.ErrorIs(t, err, ErrCorrupt)
}
