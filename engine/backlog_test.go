package engine

import (
	"bytes"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/persist"
)

// carts places holds of some units each, on days of their own, that lapse in half a minute.
func (s *shop) carts(n, units int) (ids []base.ID) {
	item := base.Item{Article: s.article(base.ID{}, units)}
	expires := int64(30)
	for i := range int64(n) {
		o := s.booking(item, noon+(i+1)*day, noon+(i+2)*day, units)
		o.ExpiresIn = &expires
		ids = append(ids, s.do(o).(*hold.Hold).ID)
	}
	return ids
}

func (s *shop) expired(ids []base.ID) (n int) {
	for _, id := range ids {
		if h, ok := hold.HoldByID(s.view(), id); ok && h.Status == hold.Expired {
			n++
		}
	}
	return n
}

// Twelve holds that lapse in one stop change more rows together than one command may: they are done in parts.
func TestMoreIsDueThanOneCommandMayChange(t *testing.T) {
	for name, b := range map[string]base.Bounds{
		"by count":         {Rows: 50, DueRows: 20},
		"by refusal alone": {Rows: 50, DueRows: 1 << 30},
		"one is too many":  {Rows: 5, DueRows: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			ids := s.carts(12, 10)
			s.bounded(b)
			s.shut()
			s.now += 60_000
			s.open()
			require.Equal(t, 12, s.expired(ids))
			require.Zero(t, s.Stats().SetAside, "never for size")
			s.reopen()
		})
	}
}

// Groups are closed when they are full, also while nothing but what is due is done.
func TestGroupsOfWhatIsDueAreClosedWhenFull(t *testing.T) {
	s := newShop(t)
	ids := s.carts(40, 20)
	s.bounded(base.Bounds{DueItems: 1, Group: 30})
	seq, _ := s.State()
	s.now += 60_000
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, 40, s.expired(ids))
	require.NoError(t, s.Failed())
	last, _ := s.State()
	require.Greater(t, last, seq+10)
	for n := seq + 1; n <= last; n++ {
		r, err := s.store.Record(n)
		require.NoError(t, err)
		require.LessOrEqual(t, r.Len(), 30+22, "what is there when a part is begun, and the part")
	}
	s.reopen()
}

// A group that the log does not take is a fault of the program, and says so.
func TestATooLargeGroupIsNoFailureOfTheDisk(t *testing.T) {
	var said bytes.Buffer
	s := newShop(t)
	s.Engine.log = slog.New(slog.NewTextHandler(&said, nil))
	s.Engine.storageFailed(nil, persist.ErrTooLarge)
	require.ErrorContains(t, s.Failed(), "fault of the program")
	s.Engine.failure.Store(nil)
}

// What cannot be done by a fault of the program is set aside, and stops neither a start nor anybody else.
func TestWhatIsDueAndCannotBeDone(t *testing.T) {
	s := newShop(t)
	ids := s.carts(7, 2)
	fall := hold.HoldKind.WhenDue.Do
	t.Cleanup(func() { hold.HoldKind.WhenDue.Do = fall })
	broken := func(t *base.Tx, id base.ID) {
		switch id {
		case ids[2]:
			panic("planted")
		case ids[4]: // changes nothing
		default:
			fall(t, id)
		}
	}
	hold.HoldKind.WhenDue.Do = broken
	s.now += 60_000
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, 5, s.expired(ids))
	require.Equal(t, []SetAside{{s.acc, ids[2], "hold", noon + 30_000}, {s.acc, ids[4], "hold", noon + 30_000}},
		s.SetAside())
	require.Equal(t, uint64(2), s.Stats().SetAside)
	s.article(base.ID{}, 1)
	require.NoError(t, s.Check())

	s.reopen() // tried again at the start
	require.Eventually(t, func() bool {
		return len(s.SetAside()) == 2
	}, 10*time.Second, time.Millisecond, "the last one is seen with the next snapshot")
	require.Equal(t, uint64(2), s.Stats().SetAside)

	store := s.store
	require.NoError(t, s.Engine.Close())
	err := Verify(t.Context(), store, s.now)
	require.ErrorContains(t, err, "hold "+ids[2].String())
	require.ErrorContains(t, err, "hold "+ids[4].String())
	hold.HoldKind.WhenDue.Do = fall
	require.NoError(t, Verify(t.Context(), store, s.now))
	hold.HoldKind.WhenDue.Do = broken
	require.NoError(t, store.Close())
	s.open()

	s.now += base.TryAgain - 1
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, uint64(2), s.Stats().SetAside, "not before an hour has passed")
	s.now += 2 // a start is never at the instant of the last change
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, uint64(4), s.Stats().SetAside)
	s.do(hold.ReleaseHold{ID: ids[4]})
	require.Len(t, s.SetAside(), 1, "it is due no more")
	hold.HoldKind.WhenDue.Do = fall
	s.now += base.TryAgain
	require.NoError(t, s.Tick(t.Context()))
	require.Empty(t, s.SetAside())
	require.Equal(t, 6, s.expired(ids))
}

// Another account's command does not wait until all is done that is due in this one.
func TestOthersHaveTheirTurnsWhileMuchIsDue(t *testing.T) {
	s := newShop(t)
	other := base.MakeID(noon, base.Base{Lo: 2})
	_, err := s.Do(Command{Account: other, Actor: "test",
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}}})
	require.NoError(t, err)
	ids := s.carts(50, 1)
	s.bounded(base.Bounds{DueItems: 1})
	s.now += 60_000

	// The engine asks for the time before each part of what is due, on the writer's goroutine.
	parts, asking := 0, false
	var others *Future
	s.onNow = func() {
		if asking {
			return
		}
		if parts++; parts == 5 {
			asking = true
			others = s.Submit(Command{Account: other, Actor: "test",
				Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "There", Timezone: "UTC"}}})
			asking = false
		}
	}
	own := s.Submit(Command{Account: s.acc, Actor: "test",
		Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "Here", Timezone: "UTC"}}})
	mine, err := own.Wait()
	require.NoError(t, err)
	s.onNow = nil
	require.Equal(t, 50, s.expired(ids), "an account's own command meets nothing that has lapsed")
	theirs, err := others.Wait()
	require.NoError(t, err)
	require.Negative(t, theirs.Record.(*stock.Location).ID.Compare(mine.Record.(*stock.Location).ID), "judged before")
	require.Less(t, parts, 60)
}

// While much is on its way to the disk no more of what is due is done: another account's command goes behind no more
// than that.
func TestWhatIsDueWaitsForTheDisk(t *testing.T) {
	s := newShop(t)
	other := base.MakeID(noon, base.Base{Lo: 2})
	_, err := s.Do(Command{Account: other, Actor: "test",
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}}})
	require.NoError(t, err)
	ids := s.carts(20, 10)
	s.shut()
	held, release := s.holdSyncs()
	defer release()
	s.bounds = base.Bounds{DueItems: 1, Group: 10}
	s.open()
	s.now += 60_000
	held.Store(true)
	own := s.Submit(Command{Account: s.acc, Actor: "test",
		Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "Here", Timezone: "UTC"}}})
	for s.Stats().Commands == 0 {
		runtime.Gosched()
	}
	for range 3 {
		theirs := s.Submit(Command{Account: other, Actor: "test",
			Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "There", Timezone: "UTC"}}})
		planned := make(chan struct{})
		go func() {
			_, _ = theirs.Planned()
			close(planned)
		}()
		select {
		case <-planned:
		case <-time.After(20 * time.Second):
			release()
			require.Fail(t, "it waits for the disk")
		}
	}
	require.LessOrEqual(t, s.Stats().Commands, uint64(1+3))
	release()
	_, err = own.Wait()
	require.NoError(t, err)
	require.Equal(t, 20, s.expired(ids))
}

// holdSyncs has the disk take its time with the log from when it is told to, until it is released.
func (s *shop) holdSyncs() (held *atomic.Bool, release func()) {
	held = new(atomic.Bool)
	released := make(chan struct{})
	s.fs = errorfs.Wrap(s.fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		sync := op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo
		if sync && held.Load() && strings.HasSuffix(op.Path, ".log") {
			<-released
		}
		return nil
	}))
	return held, sync.OnceFunc(func() { close(released) })
}

// Where the conflicts that may want what came free are too many for one group, the rest of them is due, also after a
// stop.
func TestConflictsThatFollowLater(t *testing.T) {
	long(t)
	const many = 4 * base.MaxTries
	s := newShop(t)
	lot := s.article(base.ID{}, many)
	s.book(base.Item{Article: lot}, noon+day, noon+2*day, many)
	s.do(stock.DecreaseQuantity{Article: lot, Location: s.loc, Amount: many, Force: true})
	s.bounded(base.Bounds{FollowUps: 1})
	total := func() int {
		_, n := stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 1, s.now)
		return n
	}
	s.do(stock.IncreaseQuantity{Article: lot, Location: s.loc, Amount: many - 100})
	require.Equal(t, many-2*base.MaxTries, total())
	require.NoError(t, s.Check())
	s.shut()
	s.now += 1000
	s.open()
	require.Equal(t, 100, total())
	require.Zero(t, stock.UntriedKind.In(s.view().Acc).Len())
}
