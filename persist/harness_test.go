package persist

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
)

// toy is a stand-in for the engine: rows in memory, a state hash, and the whole
// history, so that a store read back can be compared with what was written.
type toy struct {
	rng     *rand.Rand
	rows    map[string]string // table and key
	sum     uint64
	seq     uint64
	at      int64
	past    []map[string]string // by sequence
	ends    []Position          // by sequence, Hash left out
	g       Group
	perStep int
}

func newToy(seed uint64) *toy {
	return &toy{
		rng: rand.New(rand.NewPCG(seed, 1)), rows: map[string]string{},
		past: []map[string]string{{}}, ends: []Position{{}}, perStep: 6,
	}
}

func rowSum(row, value string) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.BigEndian, uint32(len(row)))
	io.WriteString(h, row)
	io.WriteString(h, value)
	return h.Sum64()
}

func toyHash(buf []byte, table byte, key, value []byte) (uint64, []byte) {
	return rowSum(string(table)+string(key), string(value)), buf
}

func sumOf(rows map[string]string) (sum uint64) {
	for k, v := range rows {
		sum += rowSum(k, v)
	}
	return sum
}

// step fills the group with random changes and returns the next sequence,
// instant and hash. Some rows change twice, some come and go within the group.
func (t *toy) step() (seq uint64, at int64, hash uint64) {
	t.g.Reset()
	for range 1 + t.rng.IntN(t.perStep) {
		row := string([]byte{byte(t.rng.IntN(3)), byte('a' + t.rng.IntN(5)), byte('a' + t.rng.IntN(6))})
		old, ok := t.rows[row]
		var before, after []byte
		if ok {
			before = []byte(old)
			t.sum -= rowSum(row, old)
		}
		if !ok || t.rng.IntN(3) > 0 {
			after = make([]byte, t.rng.IntN(60))
			for i := range after {
				after[i] = byte('A' + t.rng.IntN(26))
			}
			t.rows[row] = string(after)
			t.sum += rowSum(row, string(after))
		} else {
			delete(t.rows, row)
		}
		t.g.Change(row[0], []byte(row[1:]), before, after)
	}
	t.seq++
	t.at += int64(t.rng.IntN(3))
	t.past = append(t.past, maps.Clone(t.rows))
	t.ends = append(t.ends, Position{Seq: t.seq, At: t.at, StateHash: t.sum})
	return t.seq, t.at, t.sum
}

// commit makes a step, commits and publishes it.
func (t *toy) commit(s *Store) error {
	seq, at, hash := t.step()
	if err := s.Commit(&t.g, seq, at, hash); err != nil {
		return err
	}
	s.Published(seq)
	return nil
}

func (t *toy) run(tb testing.TB, s *Store, n int) {
	tb.Helper()
	for range n {
		require.NoError(tb, t.commit(s))
	}
}

// recovered reads a store as an engine does, and checks every hash on the way.
func recovered(s *Store) (rows map[string]string, end Position, err error) {
	rows = map[string]string{}
	var mu sync.Mutex
	err = s.ScanRows(2, func(_ int, table byte, key, value []byte) error {
		mu.Lock()
		defer mu.Unlock()
		k := string(table) + string(key)
		if _, ok := rows[k]; ok {
			return fmt.Errorf("row %q twice", k)
		}
		rows[k] = string(value)
		return nil
	})
	if err != nil {
		return nil, end, err
	}
	end = s.Marker().Position
	sum := sumOf(rows)
	if sum != end.StateHash {
		return nil, end, fmt.Errorf("rows at %d sum up to %x, the marker says %x", end.Seq, sum, end.StateHash)
	}
	err = s.Tail(func(r Record) error {
		for c := range r.Changes() {
			k := string(c.Table) + string(c.Key)
			old, ok := rows[k]
			if ok != (c.Before != nil) || old != string(c.Before) {
				return fmt.Errorf("record %d: row %q is %q, its before is %q", r.Seq, k, old, c.Before)
			}
			if ok {
				sum -= rowSum(k, old)
			}
			delete(rows, k)
			if c.After != nil {
				rows[k] = string(c.After)
				sum += rowSum(k, string(c.After))
			}
		}
		if sum != r.StateHash {
			return fmt.Errorf("record %d: state %x, it says %x", r.Seq, sum, r.StateHash)
		}
		end = r.Position
		return nil
	})
	return rows, end, err
}

// check compares a store with the history: it must stand at a sequence between
// least and most, with exactly the rows of that moment.
func (t *toy) check(s *Store, least, most uint64) error {
	rows, end, err := recovered(s)
	if err != nil {
		return err
	}
	if end != s.End() {
		return fmt.Errorf("recovered up to %+v, the store says %+v", end, s.End())
	}
	if end.Seq < least || end.Seq > most {
		return fmt.Errorf("recovered up to record %d, expected %d to %d", end.Seq, least, most)
	}
	end.Hash = Hash{}
	if want := t.ends[end.Seq]; end != want {
		return fmt.Errorf("recovered %+v, written was %+v", end, want)
	}
	if !maps.Equal(rows, t.past[end.Seq]) {
		return fmt.Errorf("rows at %d differ from what was written", end.Seq)
	}
	return nil
}

// resume lets the toy go on with a recovered store.
func (t *toy) resume(s *Store) {
	end := s.End()
	t.seq, t.at, t.sum = end.Seq, end.At, end.StateHash
	t.rows = maps.Clone(t.past[end.Seq])
	t.past, t.ends = t.past[:end.Seq+1], t.ends[:end.Seq+1]
	s.Published(end.Seq)
}

func small(fs vfs.FS) Options {
	return Options{
		Dir: "/data", FS: fs, FoldBytes: 600, FoldDelay: time.Millisecond, HeadInterval: time.Millisecond,
		KeepLog: Keep{All: true}, MemTableSize: 16 << 10, CacheSize: 1 << 20,
	}
}

func open(tb testing.TB, o Options) *Store {
	tb.Helper()
	s, err := Open(o)
	require.NoError(tb, err)
	return s
}

// newSeed makes a seed and prints it.
func newSeed(tb testing.TB) uint64 {
	seed := uint64(time.Now().UnixNano())
	tb.Logf("seed %d", seed)
	return seed
}

// eventually waits for something another goroutine does.
func eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	for start := time.Now(); !ok(); time.Sleep(time.Millisecond) {
		if time.Since(start) > 20*time.Second {
			tb.Fatalf("still waiting: %s", what)
		}
	}
}

// logs collects what a store logs.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logs) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// hooked is a file system that asks fn before each operation; what fn returns
// is the operation's error. fn may be changed.
type hooked struct {
	*errorfs.FS
	fn atomic.Pointer[func(errorfs.Op) error]
}

func hook(fs vfs.FS) *hooked {
	h := &hooked{}
	h.FS = errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if fn := h.fn.Load(); fn != nil {
			return (*fn)(op)
		}
		return nil
	}))
	return h
}

func (h *hooked) set(fn func(errorfs.Op) error) { h.fn.Store(&fn) }

func isSync(op errorfs.Op) bool {
	switch op.Kind {
	case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
		return true
	}
	return false
}
