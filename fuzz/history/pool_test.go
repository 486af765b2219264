package history

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
)

// This file owns histories of one pool: clients book, release and read at the same time, and the whole history is
// judged.

// days is how many days the bookings of a history lie on; a window is a run of them.
const days = 6

type action byte

const (
	book action = iota
	release
	read
)

// call is what a client asks for. Days are counted from 0; to is the day behind the last.
type call struct {
	action   action
	from, to int
	n        int // units
	id       base.ID
}

// answer is what it was told.
type answer struct {
	ok        bool
	id        base.ID // of what was booked
	available int
}

// pool is the model's state: the set of bookings, and how many units of each day they make.
type pool struct {
	booked [days]int
	held   string // the ids, sorted
}

func (p pool) free(capacity, from, to int) int {
	free := capacity
	for d := from; d < to; d++ {
		free = min(free, capacity-p.booked[d])
	}
	return free
}

func (p pool) with(from, to, n int) pool {
	for d := from; d < to; d++ {
		p.booked[d] += n
	}
	return p
}

// holds finds where an id is, or would be, in the sorted ids.
func (p pool) holds(id base.ID) (at int, ok bool) {
	const size = len(id)
	for at = 0; at < len(p.held); at += size {
		if k := p.held[at : at+size]; k >= string(id[:]) {
			return at, k == string(id[:])
		}
	}
	return at, false
}

// model is a pool that does one call after the other.
func model(capacity int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return pool{} },
		Step: func(state, input, output any) (bool, any) {
			p, c, a := state.(pool), input.(call), output.(answer)
			switch c.action {
			case read:
				return a.available == p.free(capacity, c.from, c.to), p
			case book:
				if fits := p.free(capacity, c.from, c.to) >= c.n; fits != a.ok || !fits {
					return fits == a.ok, p
				}
				at, there := p.holds(a.id)
				p = p.with(c.from, c.to, c.n)
				p.held = p.held[:at] + string(a.id[:]) + p.held[at:]
				return !there, p
			default:
				at, there := p.holds(c.id)
				if there != a.ok || !there {
					return there == a.ok, p
				}
				p = p.with(c.from, c.to, -c.n)
				p.held = p.held[:at] + p.held[at+len(c.id):]
				return true, p
			}
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
	}
}

// client plays calls on the engine and writes down what it sees.
type client struct {
	*shop
	no      int
	rng     *rand.Rand
	item    base.Item
	start   time.Time
	held    []call // what can be released
	history []porcupine.Operation
}

func window(c call) base.Span {
	return base.Span{Start: today + int64(1+c.from)*24*hour, End: today + int64(1+c.to)*24*hour}
}

// next draws a call: half of them book, and what was booked is released before long, so that the pool is full at times
// and comes free again.
func (c *client) next() call {
	from := c.rng.IntN(days)
	x := call{from: from, to: from + 1 + c.rng.IntN(days-from), n: 1}
	switch r := c.rng.IntN(10); {
	case r < 3:
		x.action = read
	case r < 6 && len(c.held) > 0:
		i := c.rng.IntN(len(c.held))
		x = c.held[i]
		if c.rng.IntN(8) > 0 { // else it is released twice
			c.held = append(c.held[:i:i], c.held[i+1:]...)
		}
		x.action = release
	default:
		x.action = book
		if c.rng.IntN(8) == 0 {
			x.n = 2
		}
	}
	return x
}

func (c *client) play(x call) {
	began := time.Since(c.start).Nanoseconds()
	var a answer
	var err error
	switch x.action {
	case read:
		a.available, a.ok = c.available(c.item, window(x)), true
	case book:
		var res engine.Result
		if res, err = c.Do(c.booking(c.item, window(x), x.n)); err == nil {
			a.ok, a.id = true, res.Record.(*hold.Hold).ID
		} else if !errors.Is(err, insufficient) {
			c.t.Error(err)
		}
	case release:
		if _, err = c.Do(c.command(hold.ReleaseHold{ID: x.id})); err == nil {
			a.ok = true
		} else if !errors.Is(err, &base.Error{Code: base.CodeNotFound}) {
			c.t.Error(err)
		}
	}
	ended := time.Since(c.start).Nanoseconds()
	c.history = append(c.history, porcupine.Operation{ClientId: c.no, Input: x, Output: a, Call: began, Return: ended})
	if x.action == book && a.ok {
		x.id = a.id
		c.held = append(c.held, x)
	}
}

// record plays a history of a pool.
func record(s *shop, item base.Item, seed uint64, clients, calls int) (history []porcupine.Operation) {
	all := make([]*client, clients)
	start := time.Now()
	for i := range all {
		all[i] = &client{shop: s, no: i, rng: rand.New(rand.NewPCG(seed, uint64(i))), item: item, start: start}
	}
	together(clients, func(i int) {
		for range calls {
			all[i].play(all[i].next())
		}
	})
	for _, c := range all {
		history = append(history, c.history...)
	}
	return history
}

// checkTime is far above what a check takes; a check that is not done by then says nothing.
const checkTime = time.Minute

func TestHistoriesOfOnePool(t *testing.T) {
	seed := newSeed(t)
	runs, calls := 6, 60
	if testing.Short() {
		runs, calls = 3, 40
	}
	for run := range runs {
		for name, stock := range map[string]func(*shop, int) base.Item{"singles": (*shop).singles, "lot": (*shop).lot} {
			capacity, clients := 1+run%4, 3+run%4
			t.Run(fmt.Sprintf("%d clients on %s of %d, run %d", clients, name, capacity, run), func(t *testing.T) {
				s := newShop(t)
				history := record(s, stock(s, capacity), seed+uint64(run), clients, calls)
				require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(model(capacity), history, checkTime))
				s.reopen()
			})
		}
	}
}

// TestCheckerSeesFaults makes sure that a wrong history would be found: one unit more or less than there were, an
// answer that came to another client's ears before it was true, a read of what was gone.
func TestCheckerSeesFaults(t *testing.T) {
	const capacity = 2
	s := newShop(t)
	item := s.singles(capacity)
	history := record(s, item, newSeed(t), 3, 40)
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(model(capacity), history, checkTime))
	for _, wrong := range []int{capacity - 1, capacity + 1} {
		require.Equal(t, porcupine.Illegal, porcupine.CheckOperationsTimeout(model(wrong), history, checkTime),
			"capacity %d", wrong)
	}

	first, second := base.ID{15: 1}, base.ID{15: 2}
	at := func(from, to int64, c call, a answer) porcupine.Operation {
		return porcupine.Operation{Input: c, Output: a, Call: from, Return: to}
	}
	day := call{action: book, to: 1, n: 1}
	took := at(0, 10, day, answer{ok: true, id: first})
	gave := at(20, 30, call{action: release, to: 1, n: 1, id: first}, answer{ok: true})
	for name, late := range map[string]porcupine.Operation{
		"a booking beside another of the last unit": at(11, 19, day, answer{ok: true, id: second}),
		"a refusal while there is stock":            at(31, 40, day, answer{}),
		"a read of what was there before":           at(11, 19, call{action: read, to: 1}, answer{available: 1}),
		"a read that misses the release":            at(31, 40, call{action: read, to: 1}, answer{available: 0}),
		"a second release": at(31, 40, call{action: release, to: 1, n: 1, id: first},
			answer{ok: true}),
		"the same booking twice": at(31, 40, day, answer{ok: true, id: first}),
	} {
		h := []porcupine.Operation{took, gave, late}
		if name == "the same booking twice" {
			h = []porcupine.Operation{took, late}
		}
		require.Equal(t, porcupine.Illegal, porcupine.CheckOperationsTimeout(model(1), h, checkTime), name)
	}
	require.Equal(t, porcupine.Ok,
		porcupine.CheckOperationsTimeout(model(1), []porcupine.Operation{took, gave}, checkTime))
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(model(1),
		[]porcupine.Operation{took, gave, at(25, 40, day, answer{ok: true, id: second})}, checkTime))
}
