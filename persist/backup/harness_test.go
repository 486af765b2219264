package backup

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/persist"
)

// world is a store with a history: the rows as they were at every sequence.
type world struct {
	t     *testing.T
	dir   string
	store *persist.Store
	mu    sync.Mutex
	rows  map[string]string
	past  []map[string]string
	at    int64
}

func newWorld(t *testing.T, o persist.Options) *world {
	w := &world{t: t, dir: t.TempDir() + "/data", rows: map[string]string{}, past: []map[string]string{{}},
		at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMilli()}
	w.open(o)
	t.Cleanup(func() { w.store.Close() })
	return w
}

func (w *world) open(o persist.Options) {
	o.Dir = w.dir
	s, err := persist.Open(o)
	require.NoError(w.t, err)
	w.store = s
	w.store.Published(s.End().Seq)
}

func sumOf(rows map[string]string) (sum uint64) {
	for k, v := range rows {
		h := fnv.New64a()
		binary.Write(h, binary.BigEndian, uint32(len(k)))
		io.WriteString(h, k+v)
		sum += h.Sum64()
	}
	return sum
}

// commit writes records of one change each, a second apart.
func (w *world) commit(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for range n {
		seq := w.store.End().Seq + 1
		key, value := fmt.Sprint(seq%17), strings.Repeat("v", int(seq%50))+fmt.Sprint(seq)
		var before []byte
		if old, ok := w.rows[key]; ok {
			before = []byte(old)
		}
		var g persist.Group
		g.Change(1, []byte(key), before, []byte(value))
		w.rows[key] = value
		w.at += 1000
		require.NoError(w.t, w.store.Commit(&g, seq, w.at, sumOf(w.rows)))
		w.store.Published(seq)
		w.past = append(w.past, maps.Clone(w.rows))
	}
}

// instant is when a record was written.
func (w *world) instant(seq uint64) int64 { return w.at - int64(uint64(len(w.past)-1)-seq)*1000 }

// read builds the rows of a directory, and says where its log ends.
func read(dir string) (rows map[string]string, end persist.Position, err error) {
	s, err := persist.Open(persist.Options{Dir: dir, ReadOnly: true})
	if err != nil {
		return nil, end, err
	}
	rows = map[string]string{}
	err = s.ScanRows(1, func(_ int, _ byte, k, v []byte) error {
		rows[string(k)] = string(v)
		return nil
	})
	err = errors.Join(err, s.Tail(func(r persist.Record) error {
		for c := range r.Changes() {
			rows[string(c.Key)] = string(c.After)
		}
		return nil
	}))
	end = s.End()
	return rows, end, errors.Join(err, s.Close())
}

// opener opens archives as a process of its own would.
func opener(t *testing.T, target Target) func(context.Context, string) (Opened, error) {
	return func(ctx context.Context, name string) (o Opened, err error) {
		r, err := target.Get(ctx, name)
		if err != nil {
			return o, err
		}
		defer r.Close()
		dir := t.TempDir() + "/opened"
		if _, err := persist.Restore(ctx, persist.RestoreOptions{Archive: r, To: dir}); err != nil {
			return o, err
		}
		rows, end, err := read(dir)
		end.StateHash = sumOf(rows)
		return Describe(end), err
	}
}

// watched is a target that tells of its puts, and fails as it is told.
type watched struct {
	Target
	mu   sync.Mutex
	fail func(name string) error
	put  chan string // names, when they have been put, or "gone " and the name
	lose func(name string) bool
}

func watch(t Target) *watched { return &watched{Target: t, put: make(chan string, 10_000)} }

func (w *watched) failing(fail func(name string) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = fail
}

func (w *watched) Put(ctx context.Context, name string, r io.Reader, size int64) error {
	w.mu.Lock()
	fail, lose := w.fail, w.lose
	w.mu.Unlock()
	if fail != nil {
		if err := fail(name); err != nil {
			return err
		}
	}
	err := w.Target.Put(ctx, name, r, size)
	if err == nil && lose != nil && lose(name) {
		return errors.New("the answer is lost")
	}
	if err == nil {
		w.put <- name
	}
	return err
}

// Get fails as Put does.
func (w *watched) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	w.mu.Lock()
	fail := w.fail
	w.mu.Unlock()
	if fail != nil {
		if err := fail(name); err != nil {
			return nil, err
		}
	}
	return w.Target.Get(ctx, name)
}

func (w *watched) Delete(ctx context.Context, name string) error {
	err := w.Target.Delete(ctx, name)
	w.put <- gone + name
	return err
}

// until waits for an object to be put that fits.
func (w *watched) until(t *testing.T, fits func(name string) bool) string {
	t.Helper()
	for {
		select {
		case name := <-w.put:
			if fits(name) {
				return name
			}
		case <-time.After(20 * time.Second): // keeps a broken habit from hanging the test
			t.Fatal("still waiting for an object to be put")
		}
	}
}

func marked(name string) bool {
	return strings.HasSuffix(name, verifiedSuffix) && !strings.HasPrefix(name, gone)
}

// gone stands before the name of what was taken away.
const gone = "gone "

// upTo fits segments that reach a record.
func upTo(seq uint64) func(string) bool {
	return func(name string) bool {
		p, ok := parsePiece(name)
		return ok && p.Last >= seq
	}
}

// start starts a habit that is closed with the test.
func (w *world) start(target Target, change func(*Options)) *Habit {
	o := Options{
		Store: w.store, Target: target, Every: time.Hour, Keep: 2, LogEvery: time.Millisecond, LogMax: 1 << 20,
		Retry: time.Millisecond,
		Open:  opener(w.t, target),
	}
	if change != nil {
		change(&o)
	}
	return Start(o)
}

// holds restores to a point, compares it with the history, and says what was read.
func (w *world) holds(target Target, at persist.Point, seq uint64) Plan {
	w.t.Helper()
	lines, err := Lines(w.t.Context(), target)
	require.NoError(w.t, err)
	p, err := PlanFor(target, lines, at)
	require.NoError(w.t, err)
	dir := w.t.TempDir() + "/restored"
	b, err := Restore(w.t.Context(), target, p, persist.RestoreOptions{To: dir, At: at})
	require.NoError(w.t, err)
	require.Equal(w.t, seq, b.End.Seq)
	rows, end, err := read(dir)
	require.NoError(w.t, err)
	require.Equal(w.t, seq, end.Seq)
	require.Equal(w.t, w.past[seq], rows)
	_, err = persist.Verify(dir, persist.VerifyOptions{})
	require.NoError(w.t, err)
	return b.Plan
}
