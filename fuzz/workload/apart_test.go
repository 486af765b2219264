package workload

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
	"holdfast/persist"
)

// This file owns the test of accounts that share an engine: what one of them does is nothing to the other.

// said is a command of a script, when it was given, and what came of it. No command: time passed.
type said struct {
	clock    int64
	ids      uint64 // where the ids of the command begin
	op       base.Op
	record   any
	sequence uint64
	moves    int
	err      error
}

// playAlone plays a script anew on an engine that has no other account, and demands the same answers.
func playAlone(t require.TestingT, script []said) (rows map[string]string) {
	w, err := New(vfs.NewMem(), 1)
	require.NoError(t, err)
	for n, s := range script {
		w.Clock, w.draws = s.clock, s.ids
		op := s.op
		if op == nil {
			op = model.Tick{}
		}
		res, err, fault := w.Do(0, op)
		require.NoError(t, fault)
		require.Equal(t, s.err, err, "command %d: %T", n, op)
		require.Equal(t, s.record, res.Record, "command %d: %T", n, op)
		require.Equal(t, s.sequence, res.Sequence, "command %d: %T", n, op)
		require.Equal(t, s.moves, res.Moves, "command %d: %T", n, op)
	}
	return w.rowsOf(t, 0)
}

// rowsOf closes the world and reads what is stored of an account.
func (w *World) rowsOf(t require.TestingT, tenant int) map[string]string {
	require.NoError(t, w.Close())
	store, err := persist.Open(persist.Options{Dir: Dir, FS: w.FS, ReadOnly: true})
	require.NoError(t, err)
	rows, account := map[string]string{}, w.Tenants[tenant].ID
	put := func(table byte, key, value []byte) {
		if len(key) < len(account) || ID(key[:len(account)]) != account {
			return
		}
		row := string(append([]byte{table}, key...))
		if rows[row] = string(value); value == nil {
			delete(rows, row)
		}
	}
	require.NoError(t,
		store.ScanRows(1, func(_ int, table byte, key, value []byte) error { put(table, key, value); return nil }))
	require.NoError(t, store.Tail(func(r persist.Record) error {
		for c := range r.Changes() {
			put(c.Table, c.Key, c.After)
		}
		return nil
	}))
	require.NoError(t, store.Close())
	return rows
}

// TestAccountsDoNotInterfere plays a random script of one account amid the random commands of another, and then the
// script alone: all answers and all stored rows are the same, to the byte.
func TestAccountsDoNotInterfere(t *testing.T) {
	ops, refused := 0, 0
	lessOften(t)
	rapid.Check(t, func(r *rapid.T) {
		d := Roll(r)
		w, err := New(vfs.NewMem(), 2)
		require.NoError(r, err)
		var script []said
		step := uint64(0)
		do := func(tenant int, op base.Op) {
			step++
			w.Clock++ // within a millisecond ids go on where those of the command before end, whose ever it was
			w.draws = step << 20
			s := said{clock: w.Clock, ids: w.draws, op: op}
			if _, tick := op.(model.Tick); tick {
				s.op = nil
			}
			res, err, fault := w.Do(tenant, op)
			require.NoError(r, fault)
			s.record, s.sequence, s.moves, s.err = res.Record, res.Sequence, res.Moves, err
			if tenant == 0 {
				script = append(script, s)
			}
			ops++
			if err != nil {
				refused++
			}
		}
		for tenant := range w.Tenants {
			a := func() *model.Account { return w.Tenants[tenant].Twin }
			for i := range 2 {
				do(tenant, stock.CreateLocation{LocationFields: stock.LocationFields{Name: "here", Timezone: Zones[i]}})
				do(tenant, stock.CreateSKU{SKUFields: stock.SKUFields{Name: "kind"}, Before: buffer(d),
					After: buffer(d)})
			}
			for range 4 {
				do(tenant, createArticle(d, a(), w.Now()))
			}
			do(tenant, createKit(d, a()))
		}
		for range 60 {
			if odds(d, "time passes", 40) {
				w.Clock += int64(d.N("by", 8)) * hour / 2
				do(0, model.Tick{})
			}
			tenant := d.N("tenant", 2)
			a := w.Tenants[tenant].Twin
			op := Command(d, a, w.Now())
			if odds(d, "of orders", 40) {
				op = orderCommand(d, a, w.Now())
			}
			do(tenant, op)
		}
		require.Equal(r, playAlone(r, script), w.rowsOf(r, 0))
	})
	require.Positive(t, refused)
	require.Greater(t, ops, 2*refused)
}
