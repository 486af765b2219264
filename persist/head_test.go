package persist

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
)

// written is a closed store of n records.
func written(t testing.TB, n int) (*vfs.MemFS, *toy) {
	t.Helper()
	mem := vfs.NewMem()
	toy := newToy(1)
	s := open(t, small(mem))
	toy.run(t, s, n)
	require.NoError(t, s.Close())
	return mem, toy
}

// TestHeadIsMadeBeforeAnythingElse holds a part of invariant 4.
func TestHeadIsMadeBeforeAnythingElse(t *testing.T) {
	fs := hook(vfs.NewMem())
	var first atomic.Pointer[string]
	fs.set(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && strings.HasPrefix(op.Path, "/data/") {
			first.CompareAndSwap(nil, &op.Path)
		}
		return nil
	})
	s := open(t, small(fs))
	defer s.Close()
	require.Equal(t, "/data/HEAD.new", *first.Load())
	require.NotZero(t, s.Incarnation())
}

func TestHeadIsSyncedAtMostEveryInterval(t *testing.T) {
	fs := hook(vfs.NewMem())
	var syncs atomic.Int64
	fs.set(func(op errorfs.Op) error {
		if strings.HasSuffix(op.Path, headName) && isSync(op) {
			syncs.Add(1)
		}
		return nil
	})
	o := small(fs)
	o.HeadInterval = time.Hour
	toy := newToy(1)
	s := open(t, o)
	opened := syncs.Load()
	toy.run(t, s, 200)
	require.Equal(t, opened, syncs.Load(), "not within the interval")
	require.NoError(t, s.Close())
	require.Equal(t, opened+1, syncs.Load(), "once at the end")

	o.HeadInterval = time.Millisecond
	s = open(t, o)
	opened = syncs.Load()
	toy.resume(s)
	toy.run(t, s, 1)
	eventually(t, "once when idle", func() bool {
		st, err := readHead(fs, "/data")
		return err == nil && st.Seq == toy.seq
	})
	require.Equal(t, opened+1, syncs.Load())
	require.NoError(t, s.Close())
}

func TestHeadWithOneBadSlot(t *testing.T) {
	for slot := range 2 {
		mem, toy := written(t, 9)
		b := readAll(t, mem, "/data/HEAD")
		b[slot*slotSize+100] ^= 1
		writeAll(t, mem, "/data/HEAD", b)
		var l logs
		o := small(mem)
		o.Logger = l.logger()
		s := open(t, o)
		require.NoError(t, toy.check(s, 9, 9))
		require.Contains(t, l.String(), "slot of the head file")
		require.NoError(t, s.Close())
		st, err := readHead(mem, "/data")
		require.NoError(t, err)
		require.Zero(t, st.bad, "both are written again")
		require.Equal(t, uint64(9), st.Seq)
	}
}

func TestHeadLost(t *testing.T) {
	mem, _ := written(t, 9)
	b := readAll(t, mem, "/data/HEAD")
	b[100] ^= 1
	b[slotSize+100] ^= 1
	writeAll(t, mem, "/data/HEAD", b)
	for range 2 {
		_, err := Open(small(mem))
		require.ErrorIs(t, err, ErrHeadLost)
		require.ErrorIs(t, err, ErrCorrupt)
		require.Contains(t, err.Error(), "holdfast restore")
		_, err = Verify("/data", VerifyOptions{FS: mem})
		require.ErrorIs(t, err, ErrHeadLost)
		_, err = Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/restored"})
		require.ErrorIs(t, err, ErrHeadLost)
		require.NoError(t, mem.RemoveAll("/data/HEAD"))
	}
}

// setHead writes a head into both slots.
func setHead(t *testing.T, fs vfs.FS, change func(*head)) {
	t.Helper()
	st, err := readHead(fs, "/data")
	require.NoError(t, err)
	change(&st.head)
	b := make([]byte, 2*slotSize)
	st.head.encode(b)
	st.head.encode(b[slotSize:])
	writeAll(t, fs, "/data/HEAD", b)
}

// TestLogShorterThanHead holds invariants 4 and 5.
func TestLogShorterThanHead(t *testing.T) {
	mem, _ := written(t, 9)
	before := mem.String()
	setHead(t, mem, func(h *head) { h.Seq = 12 })
	_, err := Open(small(mem))
	require.ErrorIs(t, err, ErrShortLog)
	require.ErrorIs(t, err, ErrCorrupt)
	for _, part := range []string{"ends at record 9", "record 12", "3 records are lost", "holdfast verify",
		"holdfast restore"} {
		require.Contains(t, err.Error(), part)
	}
	require.Equal(t, before, mem.String(), "nothing was touched")

	setHead(t, mem, func(h *head) { h.Seq, h.Hash = 9, sha256.Sum256(nil) })
	_, err = Open(small(mem))
	require.ErrorIs(t, err, ErrShortLog)
	require.Contains(t, err.Error(), "not the one this head file belongs to")

	setHead(t, mem, func(h *head) { h.Seq = 9 })
	require.NoError(t, mem.RemoveAll("/data/HEAD.new"))
	names, err := mem.List("/data")
	require.NoError(t, err)
	for _, n := range names {
		if isPebbleFile(n) {
			require.NoError(t, mem.Remove("/data/"+n))
		}
	}
	_, err = Open(small(mem))
	require.ErrorIs(t, err, ErrShortLog, "all of Pebble is gone")
	require.Contains(t, err.Error(), "ends at record 0")
}

func TestNewerFormat(t *testing.T) {
	mem, _ := written(t, 3)
	require.NoError(t, mem.MkdirAll("/data/"+stagePrefix+"1", 0o700)) // of a backup that was cut short
	before := mem.String()
	setHead(t, mem, func(h *head) { h.begins = make([]uint64, Format) })
	_, err := Open(small(mem))
	require.ErrorIs(t, err, ErrNewerFormat)
	require.Contains(t, err.Error(),
		fmt.Sprintf("the directory has format %d, this program knows formats up to %d", Format+1, Format))
	require.NotContains(t, err.Error(), "\n")
	_, err = Verify("/data", VerifyOptions{FS: mem})
	require.ErrorIs(t, err, ErrNewerFormat)
	require.Equal(t, before, mem.String())
}

func TestHeadSlot(t *testing.T) {
	h := head{form: newForm(), Generation: 2, Incarnation: 3, Seq: 4, Hash: sha256.Sum256([]byte("x"))}
	b := make([]byte, slotSize)
	h.encode(b)
	got, ok := decodeHead(b)
	require.True(t, ok)
	require.Equal(t, h, got)
	for _, i := range []int{0, 8, 15, 16, 40, 72, 2000, slotSum, slotSize - 1} {
		b[i] ^= 16
		_, ok := decodeHead(b)
		require.False(t, ok, i)
		b[i] ^= 16
	}
	require.Equal(t, "HOLDFAST", string(b[:8]))
	require.Equal(t, uint32(Format), binary.LittleEndian.Uint32(b[8:]))
}

// FuzzHead reads any bytes as a HEAD. What reads is written as it was read.
func FuzzHead(f *testing.F) {
	var h head
	h.form = newForm()
	h.Generation, h.Seq = 3, 17
	b := make([]byte, 2*slotSize)
	h.encode(b[:slotSize])
	f.Add(b[:slotSum])
	f.Add([]byte(headMagic))
	f.Add(bytes.Repeat([]byte{0xff}, slotSum))
	f.Fuzz(func(t *testing.T, image []byte) {
		b := make([]byte, 2*slotSize)
		copy(b[:slotSum], image)
		sum := sha256.Sum256(b[:slotSum])
		copy(b[slotSum:slotSize], sum[:])
		st, err := parseHead(b)
		if err != nil {
			require.ErrorIs(t, err, ErrNewerFormat)
			return
		}
		require.Equal(t, 1, st.bad+map[bool]int{false: -1}[st.valid], "the second slot never reads")
		if !st.valid {
			return
		}
		again := make([]byte, slotSize)
		st.encode(again)
		got, ok := decodeHead(again)
		require.True(t, ok)
		require.Equal(t, st.head, got)
	})
}
