package engine

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns the tests of the queue: turns, order, shares.

func queuedOf(account byte, n int) *Future {
	return &Future{cmd: Command{Account: base.ID{account}, Actor: base.Itoa(n)}}
}

// given is what the queue gives out next: account and number.
func (q *queue) given(n int) (list []string) {
	for range n {
		if f := q.take(); f != nil {
			list = append(list, base.Itoa(int(f.cmd.Account[0]))+"."+f.cmd.Actor)
		}
	}
	return list
}

func TestQueueGoesByAccountsInTurn(t *testing.T) {
	q := newQueue(100)
	require.Empty(t, q.given(1))
	for n := range 5 {
		require.True(t, q.put(queuedOf(1, n)))
	}
	for n := range 2 {
		require.True(t, q.put(queuedOf(2, n)))
	}
	require.True(t, q.put(queuedOf(3, 0)))
	require.Equal(t, 8, q.len())
	require.Equal(t, []string{"1.0", "2.0", "3.0", "1.1"}, q.given(4))
	require.True(t, q.put(queuedOf(3, 1)))
	require.Equal(t, []string{"2.1", "1.2", "3.1", "1.3", "1.4"}, q.given(6))
	require.Empty(t, q.lanes, "nothing is kept of accounts of which nothing waits")
}

// One account fills half of the queue. What does not wait for room is not taken beyond it, what does comes in its
// order.
func TestQueueShares(t *testing.T) {
	q := newQueue(6)
	for n := range 3 {
		require.True(t, q.put(queuedOf(1, n)))
	}
	require.False(t, q.put(queuedOf(1, 9)))
	in := make(chan bool)
	late := func(account byte, n int, patient bool) {
		before, f := len(q.waitingOutside()), queuedOf(account, n)
		f.patient = patient
		go func() { in <- q.put(f) }()
		for len(q.waitingOutside()) == before {
			runtime.Gosched()
		}
	}
	late(1, 3, true)
	late(1, 4, true)
	for n := range 2 {
		require.True(t, q.put(queuedOf(2, n)))
	}
	require.True(t, q.put(queuedOf(3, 0)))
	late(3, 1, false) // the queue is full: no account's fault
	require.Equal(t, 6, q.len())
	require.Equal(t, []string{"1.0"}, q.given(1))
	require.True(t, <-in)
	require.Equal(t, 6, q.len(), "who waited longest and may come in has the place")
	require.Equal(t, []string{"2.0"}, q.given(1))
	require.True(t, <-in)
	require.Equal(t, []string{"3.0", "1.1"}, q.given(2))
	require.True(t, <-in)
	require.Equal(t, []string{"2.1", "3.1", "1.2", "1.3", "1.4"}, q.given(9))
	require.Empty(t, q.lanes)
	require.Zero(t, q.len())
}

func (q *queue) waitingOutside() []*blocked {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.blocked
}

// stall keeps the writer busy until it is let go.
type stall struct {
	base.Answers[any]
	begun, over chan struct{}
}

func (o stall) PlanOn(*base.Tx) (any, error) {
	close(o.begun)
	<-o.over
	return nil, nil
}

// Where many commands of an account wait, the clock does not: each of them does what is due. It goes on with the next.
func TestTheClockDoesNotWaitForTheQueue(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.queued = 2
	s.open()
	ids := s.carts(2, 1)
	o := stall{begun: make(chan struct{}), over: make(chan struct{})}
	first := s.Submit(Command{Account: s.acc, Actor: "test", Op: o})
	<-o.begun
	s.now += 60_000
	full := s.Submit(Command{Account: s.acc, Actor: "test", Op: nudge{}})
	n := nudges{engine: s.Engine, under: map[base.ID]bool{}}
	n.send(t.Context(), nil)
	require.Len(t, n.list, 1)
	n.over()
	require.Empty(t, n.list, "turned away at once")
	close(o.over)
	for _, f := range []*Future{first, full} {
		_, err := f.Wait()
		require.NoError(t, err)
	}
	require.Equal(t, 2, s.expired(ids))
}

// The many commands of one account do not keep another's from its turn; beyond half of the queue they are refused.
// Those of all accounts stand in the same groups.
func TestAccountsTakeTurns(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.queued = 64
	s.open()
	other := base.MakeID(noon, base.Base{Lo: 2})
	_, err := s.Do(Command{Account: other, Actor: "test",
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}}})
	require.NoError(t, err)
	o := stall{begun: make(chan struct{}), over: make(chan struct{})}
	first := s.Submit(Command{Account: s.acc, Actor: "test", Op: o})
	<-o.begun
	groups := s.Stats().Groups
	var mine []*Future
	for range 32 {
		mine = append(mine,
			s.Submit(Command{Account: s.acc, Actor: "test",
				Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "Here", Timezone: "UTC"}}}))
	}
	_, err = s.Do(Command{Account: s.acc, Actor: "test",
		Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "Here", Timezone: "UTC"}}})
	require.Equal(t, base.CodeOverloaded, err.(*base.Error).Code)
	theirs := s.Submit(Command{Account: other, Actor: "test",
		Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "There", Timezone: "UTC"}}})
	require.Equal(t, 33, s.Stats().Queued)
	close(o.over)
	_, err = first.Wait()
	require.NoError(t, err)
	r, err := theirs.Wait()
	require.NoError(t, err)
	var before base.ID
	for n, f := range mine {
		m, err := f.Wait()
		require.NoError(t, err)
		id := m.Record.(*stock.Location).ID
		require.Positive(t, id.Compare(before), "one account's keep their order")
		before = id
		require.Equal(t, n >= 1, id.Compare(r.Record.(*stock.Location).ID) > 0, "the other's is the second")
	}
	require.LessOrEqual(t, s.Stats().Groups, groups+2, "turns make no more groups")
}

// A heavy command takes long to be written down and synced. Who came before it does not wait for that, and who comes
// behind it goes to the log at once, not with the next heavy one.
func TestHeavyCommandsHaveGroupsOfTheirOwn(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 40)
	s.shut()
	held, release := s.holdSyncs()
	defer release()
	s.bounds = base.Bounds{Heavy: 30}
	s.open()
	held.Store(true)
	heavy := func(on int64) Command {
		return Command{Account: s.acc, Actor: "test",
			Op: s.booking(base.Item{Article: article}, noon+on*day, noon+(on+1)*day, 40)}
	}
	light := Command{Account: s.acc, Actor: "test",
		Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "Here", Timezone: "UTC"}}}
	seq, _ := s.State()
	o := stall{begun: make(chan struct{}), over: make(chan struct{})}
	all := []*Future{s.Submit(Command{Account: s.acc, Actor: "test", Op: o})}
	<-o.begun
	for _, c := range []Command{light, heavy(1)} { // both are there when the writer looks for more
		all = append(all, s.Submit(c))
	}
	close(o.over)
	_, _ = all[2].Planned()
	all = append(all, s.Submit(light)) // what is behind the heavy one does not wait for company
	require.Eventually(t, func() bool { return s.Stats().Waiting == 3 }, 20*time.Second, time.Millisecond)
	all = append(all, s.Submit(heavy(2)))
	_, _ = all[4].Planned()
	release()
	for _, f := range all {
		_, err := f.Wait()
		require.NoError(t, err)
	}
	var rows []int
	for last, _ := s.State(); seq < last; {
		seq++
		r, err := s.store.Record(seq)
		require.NoError(t, err)
		rows = append(rows, r.Len())
	}
	require.Len(t, rows, 4)
	for i, n := range rows {
		require.Equal(t, i%2 == 1, n > 40, "rows of record %d of %v", i, rows)
	}
}
