package history

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
)

// This file owns the races for the last units.

var insufficient = &base.Error{Code: base.CodeInsufficient}

// TestRaceForUnits lets N clients go for k units.
func TestRaceForUnits(t *testing.T) {
	seed := newSeed(t)
	stocks := map[string]func(*shop, int) base.Item{"singles": (*shop).singles, "lot": (*shop).lot}
	for name, stock := range stocks {
		for _, c := range []struct{ clients, units, each int }{
			// more than 32: the large pool's indexes
			{2, 1, 1}, {8, 1, 1}, {8, 7, 1}, {16, 16, 1}, {40, 5, 1}, {64, 33, 1}, {100, 40, 1},
			{12, 7, 2}, {20, 40, 3}, // several at once: what is left over serves nobody
		} {
			t.Run(fmt.Sprintf("%s/%d for %d by %d", name, c.clients, c.units, c.each), func(t *testing.T) {
				s := newShop(t)
				item := stock(s, c.units)
				rng := rand.New(rand.NewPCG(seed, uint64(c.clients)))
				for round := range 3 {
					race(s, rng, item, int64(3+10*round)*24*hour, c.clients, c.units, c.each)
				}
				n := s.Stats()
				t.Logf("%d commands done and %d refused in %d syncs", n.Commands, n.Refused, n.Groups)
				s.reopen()
			})
		}
	}
}

// race has one winner for each unit, on windows that differ but all meet at an instant.
func race(s *shop, rng *rand.Rand, item base.Item, ahead int64, clients, units, each int) {
	meet := today + ahead
	windows := make([]base.Span, clients)
	for i := range windows {
		windows[i] = base.Span{Start: meet - rng.Int64N(48)*hour, End: meet + (1+rng.Int64N(48))*hour}
	}
	results, errs := make([]engine.Result, clients), make([]error, clients)
	// Half of the clients pipeline, the others wait for each answer.
	together(clients, func(i int) {
		if i%2 == 0 {
			results[i], errs[i] = s.Submit(s.booking(item, windows[i], each)).Wait()
		} else {
			results[i], errs[i] = s.Do(s.booking(item, windows[i], each))
		}
	})
	winners := min(clients, units/each)
	won := map[base.ID]bool{}
	for i, err := range errs {
		if err == nil {
			won[results[i].Record.(*hold.Hold).ID] = true
		} else {
			require.ErrorIs(s.t, err, insufficient)
			_, again := s.Do(s.booking(item, windows[i], each))
			require.ErrorIs(s.t, again, insufficient)
		}
	}
	require.Len(s.t, won, winners)
	require.Equal(s.t, units-winners*each, s.available(item, base.Span{Start: meet, End: meet + 1}))

	// The winners have a unit each, and no two the same.
	v, _ := s.View(s.account)
	seats := map[base.ID]bool{}
	for id := range won {
		h, ok := hold.HoldByID(v, id)
		require.True(s.t, ok)
		for _, u := range h.Lines[0].Units {
			require.False(s.t, u.Conflict())
			seats[u.Slot] = true
		}
	}
	require.Len(s.t, seats, winners*each)
}

// TestRaceForReleasedUnit lets clients go for one unit that comes free again and again: every release has one winner.
func TestRaceForReleasedUnit(t *testing.T) {
	const clients, rounds = 8, 40
	s := newShop(t)
	item := s.singles(1)
	w := base.Span{Start: today + 24*hour, End: today + 48*hour}
	won := make([][]base.ID, clients)
	together(clients, func(i int) {
		for range rounds {
			res, err := s.Do(s.booking(item, w, 1))
			if errors.Is(err, insufficient) {
				continue
			}
			if err != nil {
				t.Error(err)
				return
			}
			id := res.Record.(*hold.Hold).ID
			won[i] = append(won[i], id)
			if n := s.available(item, w); n != 0 {
				t.Errorf("a read behind the winner's answer sees %d free", n)
			}
			if _, err := s.Do(s.command(hold.ReleaseHold{ID: id})); err != nil {
				t.Error(err)
			}
		}
	})
	require.Equal(t, 1, s.available(item, w))
	wins := 0
	for _, ids := range won {
		wins += len(ids)
	}
	require.NotZero(t, wins)
	s.reopen()
}

// TestRaceUnderOneKey lets clients send the same keyed command: one of them does it, whoever else has an answer has the
// same.
func TestRaceUnderOneKey(t *testing.T) {
	const clients = 32
	s := newShop(t)
	item := s.lot(clients)
	w := base.Span{Start: today + 24*hour, End: today + 48*hour}
	for round := range 5 {
		cmd := s.booking(item, w, 1)
		cmd.Idem = &engine.Idempotency{Key: base.ID{0: byte(round + 1)}, Fingerprint: base.ID{15: 1}}
		results, errs := make([]engine.Result, clients), make([]error, clients)
		together(clients, func(i int) { results[i], errs[i] = s.Do(cmd) })
		done, ids := 0, map[base.ID]bool{}
		for i, err := range errs {
			if err != nil {
				require.ErrorIs(t, err, &base.Error{Code: base.CodeIdempotencyInUse})
				continue
			}
			ids[results[i].Record.(*hold.Hold).ID] = true
			if !results[i].Replayed {
				done++
			}
		}
		require.Equal(t, 1, done)
		require.Len(t, ids, 1)
		require.Equal(t, clients-round-1, s.available(item, w))
		res, err := s.Do(cmd)
		require.NoError(t, err)
		require.True(t, res.Replayed)
		require.True(t, ids[res.Record.(*hold.Hold).ID])
	}
	s.reopen()
}
