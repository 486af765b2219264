package engine

import (
	"context"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns the tests of what is remembered and kept of commands under keys.

func keyed(n uint64) *Idempotency {
	var k base.ID
	binary.BigEndian.PutUint64(k[:], n)
	return &Idempotency{Key: k, Fingerprint: base.ID{1}}
}

// under does an operation of an account under a key.
func (s *shop) under(account base.ID, n uint64, op base.Op) Result {
	s.T.Helper()
	res, err := s.Do(Command{Account: account, Actor: "test", Op: op, Idem: keyed(n)})
	require.NoError(s.T, err)
	return res
}

// forgotten has an account do so many keyed commands that the writer forgets what was done under keys before.
func (s *shop) forgotten(account base.ID) {
	s.T.Helper()
	var list []*Future
	for i := range len(newRecent(s.Engine.queue.size).order) {
		list = append(list,
			s.Submit(Command{Account: account, Actor: "test", Op: nudge{}, Idem: keyed(1<<32 | s.seed.Add(1))}))
		if i%100 == 0 {
			for _, f := range list {
				_, err := f.Wait()
				require.NoError(s.T, err)
			}
			list = nil
		}
	}
	for _, f := range list {
		_, err := f.Wait()
		require.NoError(s.T, err)
	}
}

// few restarts the engine with a small queue, and so with a short memory of keyed commands.
func (s *shop) few() {
	s.queued = 200
	s.reopen()
}

func (s *shop) keptUnder(account base.ID, n uint64) *idemRow {
	s.T.Helper()
	r, err := base.ReadStored(s.store, idempotencyKind, account, keyed(n).Key)
	require.NoError(s.T, err)
	return r
}

// Where an account's results have used up their room, what it does under keys is done once all the same. The others'
// results are kept, and its own of the next day.
func TestResultsOfAnAccountHaveBoundedRoom(t *testing.T) {
	defer func(was int64) { resultsKept = was }(resultsKept)
	resultsKept = 1000
	s := newShop(t)
	other := s.tenants(1)[0]
	for _, id := range []base.ID{s.acc, other} {
		_, err := s.Do(Command{Account: id, Actor: "test", Op: base.SetPlan{Plan: "starter"}})
		require.NoError(t, err)
	}
	again := func(account base.ID, n uint64) error {
		res, err := s.Do(Command{Account: account, Actor: "test", Op: place("There"), Idem: keyed(n)})
		require.Equal(t, err == nil, res.Replayed)
		return err
	}
	n := uint64(1)
	use := func() {
		for s.under(s.acc, n, place("There")); again(s.acc, n) == nil; s.under(s.acc, n, place("There")) {
			n++
			require.Less(t, n, uint64(50))
		}
	}
	use()
	s.under(other, 1, place("There"))
	require.NoError(t, again(other, 1))
	places := stock.Locations(s.view()).Len()
	require.ErrorIs(t, again(s.acc, n), errErased)
	s.reopen()
	require.ErrorIs(t, again(s.acc, n), errErased)
	require.Equal(t, places, stock.Locations(s.view()).Len())
	n++
	use()
	s.now += idemKept + resultsHour
	s.under(s.acc, n, place("There"))
	require.NoError(t, again(s.acc, n))
}

// Two repeats wait for the plan of a large command. Meanwhile the first command is done, and other accounts do so many
// that the writer forgets it: the repeats are looked up again.
func TestARepeatThatHasWaitedLongIsNotDoneAgain(t *testing.T) {
	s := newShop(t)
	s.few()
	other := s.tenants(1)[0]
	_, over := s.large(s.acc, place("First"))
	submit := func() *Future {
		return s.Submit(Command{Account: s.acc, Actor: "test", Op: place("Once"), Idem: keyed(1)})
	}
	x := submit()
	next := large{place("Second"), make(chan struct{}), make(chan struct{})}
	s.submit(s.acc, next)
	again, third := submit(), submit()
	unkeyed := s.submit(s.acc, place("Third"))
	over()
	<-next.begun
	first, err := x.Wait()
	require.NoError(t, err)
	s.forgotten(other)
	close(next.over)
	for _, f := range []*Future{again, third} {
		res, err := f.Wait()
		require.NoError(t, err)
		require.True(t, res.Replayed)
		require.Equal(t, first.Record, res.Record)
	}
	_, err = unkeyed.Wait()
	require.NoError(t, err)
	require.Equal(t, 5, stock.Locations(s.view()).Len(), "the shop's, and four that were asked for")
	s.reopen()
}

// The same of one that was not done before.
func TestACommandThatHasWaitedLongIsDone(t *testing.T) {
	s := newShop(t)
	s.few()
	other := s.tenants(1)[0]
	_, over := s.large(s.acc, place("First"))
	f := s.Submit(Command{Account: s.acc, Actor: "test", Op: place("Second"), Idem: keyed(1)})
	s.forgotten(other)
	over()
	res, err := f.Wait()
	require.NoError(t, err)
	require.False(t, res.Replayed)
	require.Equal(t, res.Record, s.under(s.acc, 1, place("Second")).Record)
	s.reopen()
}

// A repeat that was looked up before the first command was done is told its result from the disk.
func TestARepeatIsToldWhatWasDoneSinceItsLookUp(t *testing.T) {
	s := newShop(t)
	_, over := s.large(s.acc, place("First"))
	submit := func() *Future {
		return s.Submit(Command{Account: s.acc, Actor: "test", Op: place("Once"), Idem: keyed(1)})
	}
	x := submit()
	next := large{place("Second"), make(chan struct{}), make(chan struct{})}
	s.submit(s.acc, next)
	again := submit()
	over()
	<-next.begun
	first, err := x.Wait()
	require.NoError(t, err)
	close(next.over)
	early, err := again.Planned()
	require.NoError(t, err)
	require.Equal(t, first.Record, early.Record)
	res, err := again.Wait()
	require.NoError(t, err)
	require.True(t, res.Replayed)
	require.Equal(t, first.Record, res.Record)
}

// A record that was changed again is as young as its last change.
func TestTheWindowForgetsTheOldestChange(t *testing.T) {
	m := newRecent(0)
	row := func(n uint64) keyedRow { return keyedRow{keyed(n).Key, idemState{until: int64(n)}} }
	known := func(n, looked uint64) bool {
		_, known := m.is(base.ID{}, keyed(n).Key, nil, looked)
		return known
	}
	m.add(base.ID{}, row(1), 1)
	m.add(base.ID{}, row(2), 2)
	for i := range len(m.order) - 3 {
		m.add(base.ID{}, row(uint64(100+i)), 3)
	}
	m.add(base.ID{}, row(1), 4)
	m.add(base.ID{}, row(3), 5)
	require.True(t, known(1, 0))
	require.True(t, known(9, 0), "none is forgotten")
	m.add(base.ID{}, row(4), 6)
	require.True(t, known(1, 0))
	require.False(t, known(2, 1))
	require.False(t, known(9, 1), "its change may be the one that is forgotten")
	require.True(t, known(2, 2), "it was read when the change could be")
	require.Len(t, m.rows, len(m.order))
}

// What the writer remembers of a keyed command does not grow with its result: it refers to nothing.
func TestWhatIsRememberedOfACommandIsShort(t *testing.T) {
	var flat func(reflect.Type) bool
	flat = func(r reflect.Type) bool {
		switch r.Kind() {
		case reflect.Struct:
			for i := range r.NumField() {
				if !flat(r.Field(i).Type) {
					return false
				}
			}
			return true
		case reflect.Array:
			return flat(r.Elem())
		case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan:
			return false
		}
		return true
	}
	m := newRecent(0)
	require.True(t, flat(reflect.TypeOf(m.rows).Elem()))
	require.True(t, flat(reflect.TypeOf(m.order).Elem()))
	require.False(t, flat(reflect.TypeFor[idemRow]()))
}

// saying is an operation that answers with a long text.
type saying struct {
	base.Answers[string]
	length int
}

func (o saying) PlanOn(*base.Tx) (any, error) { return strings.Repeat("x", o.length), nil }

// swept has what has lapsed dropped, as soon as the rows are as far as the log.
func (s *shop) swept() {
	s.T.Helper()
	seq, _ := s.State()
	require.Eventually(s.T, func() bool { return s.store.Marker().Seq >= seq }, 20*time.Second, time.Millisecond)
	require.NoError(s.T, s.Sweep(s.T.Context()))
}

// A command that drops records writes down what they were, so it drops few that are long.
func TestLongResultsAreDroppedInParts(t *testing.T) {
	s := newShop(t)
	const n, each = 10, 1 << 20
	for i := range uint64(n) {
		s.under(s.acc, i, saying{length: each})
	}
	s.now += idemKept
	before := s.view().Sequence()
	s.swept()
	require.Equal(t, before+3, s.view().Sequence(), "four, four and two of them")
	for i := range uint64(n) {
		require.Nil(t, s.keptUnder(s.acc, i))
	}
	s.reopen()
}

// A record that has lapsed is dropped also where nothing was done under keys since, and one that was used anew is not.
func TestWhatHasLapsedIsDropped(t *testing.T) {
	s := newShop(t)
	first := s.under(s.acc, 1, place("First"))
	s.under(s.acc, 2, place("Second"))
	s.now += idemKept - 1
	require.Equal(t, first.Record, s.under(s.acc, 1, place("First")).Record)
	s.swept()
	require.NotNil(t, s.keptUnder(s.acc, 2))
	s.now++
	require.False(t, s.under(s.acc, 1, place("Third")).Replayed)
	s.swept()
	require.Nil(t, s.keptUnder(s.acc, 2))
	require.True(t, s.under(s.acc, 1, place("Third")).Replayed)
	require.False(t, s.under(s.acc, 2, place("Fourth")).Replayed)
	s.reopen()
}

// What was read of records is not what they are any more where their keys were used anew. The command that drops them
// leaves them, be it that the writer remembers what was done or not.
func TestARecordThatWasUsedAnewIsNotDropped(t *testing.T) {
	for _, remembered := range []bool{true, false} {
		s := newShop(t)
		s.few()
		other := s.tenants(1)[0]
		s.under(s.acc, 1, place("First"))
		s.under(s.acc, 2, place("First"))
		s.now += idemKept + 1 // behind the instant that the log ended at
		keys := []base.ID{keyed(1).Key, keyed(2).Key}
		all := func(*idemRow) bool { return true }
		read, err := s.readKept(s.acc, keys, all)
		require.NoError(t, err)
		require.Len(t, read.rows, 2)
		require.False(t, s.under(s.acc, 1, place("Second")).Replayed)
		if !remembered {
			s.forgotten(other)
		}
		s.do(forget{keptRows: read})
		require.NotNil(t, s.keptUnder(s.acc, 1))
		require.Equal(t, remembered, s.keptUnder(s.acc, 2) == nil, "what is not known is left")
		_, err = s.try(blankTraces{keptRows: read})
		require.Equal(t, remembered, err == nil)
		require.False(t, s.keptUnder(s.acc, 1).Erased)
		read, err = s.readKept(s.acc, keys, all)
		require.NoError(t, err)
		s.do(blankTraces{keptRows: read})
		require.True(t, s.keptUnder(s.acc, 1).Erased)
		s.reopen()
	}
}

// A sweep that is to end does so also where nothing has lapsed.
func TestASweepEndsWithItsContext(t *testing.T) {
	s := newShop(t)
	s.under(s.acc, 1, place("First"))
	s.swept()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, s.Sweep(ctx), context.Canceled)
	require.NoError(t, s.Sweep(t.Context()))
}
