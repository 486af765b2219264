package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the tests of what is refused on a snapshot.

// onSnapshot is the refusal of a command on the present snapshot, explained; nil where it is left to the writer.
func (s *shop) onSnapshot(op hold.PlaceHold) error {
	cmd := Command{Account: s.acc, Actor: "test", Op: op}
	s.Engine.refused.add(op.Wanted())
	if err := s.soldOut(&cmd); err != nil {
		return s.explain(&cmd, err)
	}
	return nil
}

// byWriter is what the writer says to a command.
func (s *shop) byWriter(op base.Op) (Result, error) {
	return s.Submit(Command{Account: s.acc, Actor: "test", Op: op}).Wait()
}

// TestSnapshotRefusesAsTheWriterDoes: whoever refuses, the refusal is the same, and what the snapshot refuses, the
// writer does. Of a hold of one line the snapshot refuses all that the writer refuses.
func TestSnapshotRefusesAsTheWriterDoes(t *testing.T) {
	long(t)
	s := newShop(t)
	d := rand.New(rand.NewPCG(7, 17))
	far := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
	bikes, vans := s.sku(stock.Buffer{Unit: timeline.Hours, Amount: 3}), s.sku()
	items := []base.Item{{SKU: bikes}, {SKU: vans}}
	for range 3 {
		items = append(items, base.Item{Article: s.article(bikes, 1)})
	}
	items = append(items, base.Item{Article: s.article(vans, 4)}, base.Item{Article: s.article(base.ID{}, 2)},
		s.kit(commerce.Component{Item: base.Item{SKU: bikes}, Quantity: 1},
			commerce.Component{Item: base.Item{SKU: vans}, Quantity: 2}))
	line := func() hold.HoldLineInput {
		from := s.now + int64(d.IntN(40)-4)*6*hour
		l := hold.HoldLineInput{
			Item: items[d.IntN(len(items))], Location: s.loc, Quantity: 1 + d.IntN(2),
			Window: base.Span{Start: from, End: from + int64(1+d.IntN(12))*6*hour},
		}
		switch d.IntN(8) {
		case 0:
			l.Return = far
		case 1:
			l.Window.End = base.Forever
		}
		return l
	}
	var held []base.ID
	on, by := 0, 0
	for range 1500 {
		s.now += int64(d.IntN(3)) * hour / 2
		op := hold.PlaceHold{AllowPast: d.IntN(4) > 0}
		for range 1 + d.IntN(2)*d.IntN(3) {
			op.Lines = append(op.Lines, line())
		}
		if d.IntN(3) == 0 {
			soon := int64(hour / 1000)
			op.ExpiresIn = &soon
		}
		due := s.view().Acc.Due.Behind(s.now)
		fast := s.onSnapshot(op)
		res, err := s.byWriter(op)
		switch {
		case fast != nil:
			require.Equal(t, err, fast)
			on++
		case short(err):
			require.True(t, due || len(op.Lines) > 1 || op.Lines[0].CatalogItem != base.ID{}, "%+v", op)
		}
		if short(err) {
			by++
		}
		if err == nil {
			held = append(held, res.Record.(*hold.Hold).ID)
		}
		switch d.IntN(12) {
		case 0, 1: // some come free
			if n := len(held); n > 0 {
				_, _ = s.try(hold.ReleaseHold{ID: held[d.IntN(n)]})
			}
		case 2: // and some are overbooked
			from := s.now + int64(d.IntN(40))*6*hour
			to := from + 24*hour
			_, _ = s.try(order.CreateOrder{
				OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc, AllowOverbooked: true},
				Lines: []order.OrderLineInput{
					{Item: items[d.IntN(2)], Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to}},
			})
		}
	}
	require.Greater(t, on, 300)
	require.Greater(t, by-on, 0)
	require.Greater(t, len(held), 100)
}

// TestWhatIsDueMayMakeRoom: a cart that has lapsed is in the way no more, whoever asks first.
func TestWhatIsDueMayMakeRoom(t *testing.T) {
	s := newShop(t)
	bike := base.Item{Article: s.article(base.ID{}, 1)}
	soon := int64(60)
	cart := s.booking(bike, s.now+day, s.now+2*day, 1)
	cart.ExpiresIn = &soon
	s.do(cart)
	op := s.booking(bike, s.now+day, s.now+2*day, 1)
	s.refusedTwice(op)
	s.now += soon*1000 - 1
	s.refusedTwice(op)
	s.now++
	require.NoError(t, s.onSnapshot(op))
	s.do(op)
	s.refusedTwice(op)
}

// refusedTwice demands that the writer refuses a hold for want of stock, and the snapshot then.
func (s *shop) refusedTwice(op hold.PlaceHold) {
	s.T.Helper()
	_, err := s.byWriter(op)
	require.True(s.T, short(err), "%v", err)
	before := s.Stats().Refused
	require.Equal(s.T, err, s.onSnapshot(op))
	require.Equal(s.T, before+1, s.Stats().Refused)
}

// TestRepeatIsNoRefusal: what was done under a key is done, also where nothing is left.
func TestRepeatIsNoRefusal(t *testing.T) {
	s := newShop(t)
	op := s.booking(base.Item{Article: s.article(base.ID{}, 1)}, s.now+day, s.now+2*day, 1)
	keyed := Command{Account: s.acc, Actor: "test", Op: op,
		Idem: &Idempotency{Key: base.ID{1}, Fingerprint: base.ID{2}}}
	first, err := s.Do(keyed)
	require.NoError(t, err)
	s.refusedTwice(op)
	again, err := s.Do(keyed)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Record, again.Record)
}

// TestRefusalIsNotSubmitted: once the same was refused, a refusal waits neither for the writer nor for what others have
// on its way to the disk.
func TestRefusalIsNotSubmitted(t *testing.T) {
	s := newShop(t)
	s.shut()
	held, release := s.holdSyncs()
	s.open()
	defer release()
	bike := base.Item{Article: s.article(base.ID{}, 1)}
	op := s.booking(bike, s.now+day, s.now+2*day, 1)
	s.do(op)
	s.refused(base.CodeInsufficient, op)
	held.Store(true)
	later := s.Submit(Command{Account: s.acc, Actor: "test", Op: s.booking(bike, s.now+4*day, s.now+5*day, 1)})
	_, err := later.Planned()
	require.NoError(t, err)
	require.True(t, short(s.onSnapshot(op)))
	require.Equal(t, 1, s.available(bike, s.now+4*day, s.now+5*day), "the other is on its way still")
	release()
	_, err = later.Wait()
	require.NoError(t, err)

	require.NoError(t, s.Engine.Close()) // from here on nothing is submitted
	s.refused(base.CodeInsufficient, op)
	s.refused(base.CodeNotReady, s.booking(bike, s.now+6*day, s.now+7*day, 1))
}

// TestRefusedOfLate: a refusal has the snapshot asked a few times, until it is asked in vain or another takes its
// place.
func TestRefusedOfLate(t *testing.T) {
	var l lately
	one, same, other := uint64(5<<32), uint64(5<<32|1<<10), uint64(6<<32)
	require.False(t, l.has(one))
	l.add(one)
	for range perRefusal {
		require.True(t, l.has(one))
		require.False(t, l.has(same), "another with the same place")
		require.False(t, l.has(other))
		l.less(same)
		l.less(other)
		l.less(one)
	}
	require.False(t, l.has(one))
	l.less(one)
	require.False(t, l.has(one))
	l.add(one)
	l.add(same)
	require.False(t, l.has(one))
	require.True(t, l.has(same))
	require.False(t, l.has(0))
}
