package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the stories of units that are taken at one place and come back at another.

// oneWay is a shop with two places, and one unit of a SKU at the first.
type oneWay struct {
	*shop
	there base.ID // the other place
	first base.ID // the article that it is of
	bike  base.Item
}

func newOneWay(t *testing.T, units int, after ...stock.Buffer) *oneWay {
	s := newShop(t)
	there := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "There", Timezone: "Europe/Helsinki"}}).(*stock.Location).ID
	sku := s.sku(after...)
	return &oneWay{s, there, s.article(sku, units), base.Item{SKU: sku}}
}

func (s *oneWay) trip(from, to int64, n int) order.CreateOrder {
	o := s.rental(order.OrderOpen, s.bike, from, to, n)
	o.Return = &s.there
	return o
}

// thereAndBack books a unit that goes to the other place, and one that comes from there a day later with the same unit.
func (s *oneWay) thereAndBack(from, end int64) (goes, back *order.OrderRecord) {
	s.T.Helper()
	goes = s.do(s.trip(from, end, 1)).(*order.OrderRecord)
	trip := s.trip(end+day, end+2*day, 1)
	trip.Pickup, trip.Return = s.there, &s.loc
	return goes, s.do(trip).(*order.OrderRecord)
}

// at says how many units can be held at a place, for a window that ends where it begins.
func (s *oneWay) at(place base.ID, from, to int64) int {
	s.T.Helper()
	a, err := hold.Available(s.view(),
		hold.Query{Item: s.bike, Location: place, Window: base.Span{Start: from, End: to}}, s.now)
	require.NoError(s.T, err)
	require.True(s.T, a.Exact)
	return a.Available
}

// leaving says how many units can be held that go to the other place.
func (s *oneWay) leaving(from, to int64) int {
	s.T.Helper()
	a, err := hold.Available(s.view(),
		hold.Query{Item: s.bike, Location: s.loc, Return: s.there, Window: base.Span{Start: from, End: to}}, s.now)
	require.NoError(s.T, err)
	require.True(s.T, a.Exact)
	return a.Available
}

// stock says how many units are at a place over a window.
func (s *oneWay) stock(place base.ID, from, to int64) int {
	s.T.Helper()
	a, err := hold.Available(s.view(),
		hold.Query{Item: s.bike, Location: place, Window: base.Span{Start: from, End: to}}, s.now)
	require.NoError(s.T, err)
	return a.Stock
}

func TestOneWayTakesTheUnitAway(t *testing.T) {
	s := newOneWay(t, 1, fourHours)
	end := noon + day
	gone := end + 4*hour // behind its buffer
	out := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	require.Equal(t, base.Span{Start: noon, End: gone}, out.Units[0].Range)

	require.Equal(t, 0, s.at(s.loc, gone, gone+day))
	require.Equal(t, 0, s.stock(s.loc, gone, gone+day))
	require.Equal(t, 0, s.at(s.there, end, end+day), "its buffer is at the pick-up place")
	require.Equal(t, 1, s.at(s.there, gone, gone+day))
	require.Equal(t, 0, s.at(s.there, gone-1, gone+day))
	s.refused(base.CodeInsufficient, s.rental(order.OrderOpen, s.bike, gone+day, gone+2*day, 1))
	w, ok, err := hold.Next(s.view(), hold.NextQuery{Item: s.bike, Location: s.loc, NotBefore: noon, Length: day,
		Quantity: 1, Until: noon + 100*day}, s.now)
	require.NoError(t, err)
	require.False(t, ok, w)
	x, err := hold.Explain(s.view(),
		hold.Query{Item: s.bike, Location: s.loc, Window: base.Span{Start: gone, End: gone + day}}, 1, s.now)
	require.NoError(t, err)
	require.Equal(t, 0, x.Available)
	require.Equal(t, "location", x.Alternatives[0].Kind)
	require.Equal(t, s.there, x.Alternatives[0].Location)
	s.reopen()

	// What is booked at the other place stays as the unit comes back early, and is seated.
	other := s.rental(order.OrderOpen, s.bike, gone, gone+day, 1)
	other.Pickup = s.there
	next := s.do(other).(*order.OrderRecord)
	s.tick(noon)
	s.do(order.FulfillOrder{ID: out.ID})
	s.tick(noon + 6*hour)
	s.do(order.ReturnOrder{ID: out.ID})
	require.False(t, s.orderNow(next).Conflict())
	require.Equal(t, 1, s.at(s.there, noon+10*hour, noon+14*hour))
	require.Equal(t, 0, s.stock(s.loc, noon+10*hour, noon+40*day))
	s.do(order.DeleteOrder{ID: out.ID})
	require.Equal(t, 0, s.stock(s.loc, noon+10*hour, noon+40*day), "it stays where it came back")
	s.reopen()
}

func TestOneWayNeedsAUnitWithoutEnd(t *testing.T) {
	s := newOneWay(t, 2)
	later := s.do(s.rental(order.OrderOpen, s.bike, noon+10*day, noon+12*day, 2)).(*order.OrderRecord)
	require.Equal(t, 2, s.at(s.loc, noon, noon+day))
	require.Equal(t, 0, s.leaving(noon, noon+day))
	require.Equal(t, 2, s.leaving(noon+12*day, noon+13*day))

	before := s.view().Sequence()
	e := s.refused(base.CodeQuantityBlocked, s.trip(noon, noon+day, 1))
	plan := e.Details.(stock.QuantityDetails).Plan
	require.False(t, plan.OK)
	require.Len(t, plan.Blockers, 1)
	require.Contains(t, []base.ID{later.Lines[0].Units[0].Hold, later.Lines[0].Units[1].Hold}, plan.Blockers[0].ID)
	require.Equal(t, before, s.view().Sequence())
	s.refused(base.CodeInsufficient,
		hold.PlaceHold{Lines: []hold.HoldLineInput{{Item: s.bike, Location: s.loc, Return: s.there,
			Window: base.Span{Start: noon, End: noon + day}, Quantity: 1}}})
	draft := s.trip(noon, noon+day, 1)
	draft.Status = order.OrderDraft
	rec := s.do(draft).(*order.OrderRecord)
	s.refused(base.CodeQuantityBlocked, order.ConfirmOrder{ID: rec.ID})

	o := s.trip(noon, noon+day, 1)
	o.AllowOverbooked = true
	trip := s.do(o).(*order.OrderRecord)
	require.False(t, trip.Conflict())
	require.True(t, s.orderNow(later).Conflict())
	require.Equal(t, 1, s.stock(s.loc, noon+day, noon+2*day))
	require.Equal(t, 1, s.at(s.there, noon+day, noon+2*day))
	s.reopen()

	s.do(order.CancelOrder{ID: trip.ID})
	require.False(t, s.orderNow(later).Conflict())
	require.Equal(t, 2, s.stock(s.loc, noon+day, noon+2*day))
	require.Equal(t, 0, s.stock(s.there, noon+day, noon+2*day))
	s.reopen()
}

func TestOneWayIsLate(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	other := s.rental(order.OrderOpen, s.bike, end+10*60_000, end+day, 1)
	other.Pickup = s.there
	next := s.do(other).(*order.OrderRecord)
	s.tick(noon)
	s.do(order.FulfillOrder{ID: out.ID})
	s.tick(end)
	require.True(t, s.orderNow(next).Conflict(), "it is late by a step")
	require.Equal(t, 0, s.stock(s.there, end, end+15*60_000))
	require.Equal(t, 1, s.stock(s.there, end+15*60_000, end+day))
	require.Equal(t, 0, s.stock(s.loc, end+15*60_000, end+day))
	s.reopen()
	s.now += 60_000
	s.do(order.ReturnOrder{ID: out.ID})
	require.False(t, s.orderNow(next).Conflict())
	require.Equal(t, 1, s.stock(s.there, end+60_000, end+day))
	require.Equal(t, 0, s.stock(s.loc, end+60_000, end+day))
	s.reopen()
}

func TestOneWayThatALateUnitKeepsFromLeaving(t *testing.T) {
	s := newOneWay(t, 1)
	back := noon + hour
	first := s.do(s.rental(order.OrderOpen, s.bike, noon, back, 1)).(*order.OrderRecord)
	trip := s.do(s.trip(back, back+10*60_000, 1)).(*order.OrderRecord)
	s.tick(noon)
	s.do(order.FulfillOrder{ID: first.ID})
	s.tick(back) // it is late by a step, beyond the end of the trip
	require.True(t, s.orderNow(trip).Conflict())
	for at := range int64(20) {
		require.Equal(t, 1, s.stock(s.loc, back+at*60_000, back+at*60_000+1), "its unit goes nowhere: minute %d", at)
	}
	require.Equal(t, 0, s.stock(s.there, back, back+day))
	s.reopen()
}

// The same where another trip was to leave with the unit: that one goes nowhere either.
func TestOneWayThatALateUnitKeepsFromLeavingAndComingBack(t *testing.T) {
	s := newOneWay(t, 1)
	back := noon + hour
	first := s.do(s.rental(order.OrderOpen, s.bike, noon, back, 1)).(*order.OrderRecord)
	trip := s.do(s.trip(back, back+10*60_000, 1)).(*order.OrderRecord)
	home := s.rental(order.OrderOpen, s.bike, back+2*hour, back+3*hour, 1)
	home.Pickup, home.Return = s.there, &s.loc
	second := s.do(home).(*order.OrderRecord)
	s.tick(noon)
	s.do(order.FulfillOrder{ID: first.ID})
	s.tick(back)
	require.True(t, s.orderNow(trip).Conflict())
	require.True(t, s.orderNow(second).Conflict())
	for at := range int64(20) {
		require.Equal(t, 1, s.stock(s.loc, back+at*60_000, back+at*60_000+1), "minute %d", at)
	}
	require.Equal(t, 1, s.stock(s.loc, back+day, back+2*day))
	require.Equal(t, 0, s.stock(s.there, back, back+day))
	s.reopen()
}

// A late unit that keeps the end of the trip of another is not there a second time when that trip is called off.
func TestOneWayCalledOffWhileALateUnitIsOnItsSlot(t *testing.T) {
	s := newOneWay(t, 2)
	back := noon + hour
	leaves := back + 10*60_000
	next := s.book(s.bike, leaves, leaves+hour, 1)
	trip := s.do(s.trip(noon+60_000, leaves, 1)).(*order.OrderRecord)
	first := s.do(s.rental(order.OrderOpen, s.bike, noon, back, 1)).(*order.OrderRecord)
	_, at, _ := s.view().Acc.Stock.Find(trip.Lines[0].Units[0].Hold)
	slot, _ := s.view().Acc.Stock.Slot(at.Slot)
	s.do(hold.MoveHold{ID: next.ID,
		Lines: []hold.MoveLine{{Unavailability: next.Lines[0].Units[0].ID, Slot: &slot.ID}}})
	s.tick(noon)
	s.do(order.FulfillOrder{ID: first.ID})
	s.tick(back)
	require.Equal(t, 2, s.stock(s.loc, leaves, leaves+1), "it is late by a step, beyond the end of the trip")
	require.Equal(t, 1, s.stock(s.loc, back+hour, back+day))
	s.do(order.CancelOrder{ID: trip.ID})
	for at := range int64(20) {
		require.Equal(t, 2, s.stock(s.loc, back+at*60_000, back+at*60_000+1), "minute %d", at)
	}
	require.Equal(t, 0, s.at(s.loc, leaves, leaves+60_000), "one is late, the other is booked")
	require.Equal(t, 2, s.stock(s.loc, back+day, back+2*day))
	require.Equal(t, 0, s.stock(s.there, back, back+day))
	s.reopen()
}

// A one-way unit that was never fetched is called off when it was to have left: it is there from now on, beside a unit
// that is late, and what is planned for the time when that one is back stays planned.
func TestOneWayCalledOffBehindItsEndBesideALateUnit(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + hour
	gone := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	out := s.do(s.rental(order.OrderOpen, s.bike, noon, end, 1)).(*order.OrderRecord)
	s.tick(noon)
	s.do(order.FulfillOrder{ID: out.ID})
	s.tick(end + 1)
	late := end + s.Engine.step
	s.do(stock.DecreaseQuantity{Article: s.first, Location: s.loc, Amount: 1, From: &late})
	s.do(order.CancelOrder{ID: gone.ID})
	require.Equal(t, []int{2, 1}, []int{s.stock(s.loc, end+1, late), s.stock(s.loc, late, end+day)})
	s.reopen()
}

// Two units that are late change places, of which one place is to have a unit less soon: none of them stays for that.
func TestOneWaysThatAreLateChangePlaces(t *testing.T) {
	s := newOneWay(t, 1)
	s.do(stock.IncreaseQuantity{Article: s.first, Location: s.there, Amount: 1})
	end := noon + hour
	out := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	home := s.rental(order.OrderOpen, s.bike, noon, end, 1)
	home.Pickup, home.Return = s.there, &s.loc
	back := s.do(home).(*order.OrderRecord)
	s.do(stock.DecreaseQuantity{Article: s.first, Location: s.loc, Amount: 1, From: ptr(end + hour)})
	s.tick(noon)
	s.do(order.FulfillOrder{ID: out.ID})
	s.do(order.FulfillOrder{ID: back.ID})
	s.tick(end)
	late := end + s.Engine.step
	for _, at := range []int64{end, late, late + 1, end + hour - 1} {
		require.Equal(t, []int{1, 1}, []int{s.stock(s.loc, at, at+1), s.stock(s.there, at, at+1)})
	}
	require.Equal(t, []int{0, 1}, []int{s.stock(s.loc, end+hour, end+day), s.stock(s.there, end+hour, end+day)})
	s.reopen()
}

// A unit that is given another end waits among conflicts for a moment, and then leaves at that end: others count on it
// where it goes.
func TestOneWayThatWaitsAMomentLeavesAtItsNewEnd(t *testing.T) {
	s := newOneWay(t, 2)
	o := s.do(s.trip(noon+day, noon+2*day, 1)).(*order.OrderRecord)
	s.do(stock.DecreaseQuantity{Article: s.first, Location: s.there, Amount: 1, From: ptr(noon + 5*day)})
	long := s.rental(order.OrderOpen, s.bike, noon+hour, noon+9*day, 2)
	long.AllowOverbooked = true
	s.do(long)
	s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, AllowOverbooked: true,
		Fields: base.Changed(order.OrderLineInput{To: new(noon + 3*day), UnitPrice: new(int64(100))})})
	require.False(t, s.orderNow(o).Conflict())
	for i, want := range [][]int{{2, 0}, {2, 0}, {2, 0}, {1, 1}, {1, 1}, {1, 0}} {
		at := noon + int64(i)*day + 2*hour
		require.Equal(t, want, []int{s.stock(s.loc, at, at+1), s.stock(s.there, at, at+1)}, "%d days on", i)
	}
	s.reopen()
}

func TestOneWayGoesElsewhereAfterAll(t *testing.T) {
	s := newOneWay(t, 1)
	third := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Third", Timezone: "Europe/Helsinki"}}).(*stock.Location).ID
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	patch := func(to base.ID) order.PatchOrder {
		return order.PatchOrder{ID: out.ID, Fields: base.Changed(order.OrderInput{Return: &to})}
	}
	s.do(patch(third))
	require.Equal(t, []int{0, 0, 1},
		[]int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+day), s.stock(third, end, end+day)})
	s.reopen()
	s.do(patch(s.loc))
	require.Equal(t, []int{1, 0, 0},
		[]int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+day), s.stock(third, end, end+day)})
	later := s.do(s.rental(order.OrderOpen, s.bike, end+day, end+2*day, 1)).(*order.OrderRecord)
	s.refused(base.CodeQuantityBlocked, patch(s.there))
	s.tick(noon)
	s.do(order.FulfillOrder{ID: out.ID})
	s.refused(base.CodeQuantityBlocked, patch(s.there))
	p := patch(s.there)
	p.AllowOverbooked = true
	s.do(p)
	require.True(t, s.orderNow(later).Conflict())
	s.reopen()
	s.do(order.ReturnOrder{ID: out.ID})
	require.Equal(t, 1, s.stock(s.there, noon+hour, end+day))
	require.True(t, s.orderNow(later).Conflict())
	s.reopen()
}

// Where a unit of an order leaves for good, what stands in its way waits: that may be another unit of the order itself.
func TestOneWayOrderGoesElsewhereOverbooked(t *testing.T) {
	s := newOneWay(t, 2)
	in := s.rental(order.OrderOpen, s.bike, noon+hour, noon+day, 1)
	in.Lines = append(in.Lines, s.rental(order.OrderOpen, s.bike, noon+2*day, noon+3*day, 1).Lines...)
	out := s.do(in).(*order.OrderRecord)
	other := s.do(s.rental(order.OrderOpen, s.bike, noon+day, noon+4*day, 1)).(*order.OrderRecord)
	patch := order.PatchOrder{ID: out.ID, Fields: base.Changed(order.OrderInput{Return: &s.there})}
	s.refused(base.CodeInsufficient, patch)
	patch.AllowOverbooked = true
	s.do(patch)
	require.Equal(t, 1, s.view().Acc.Stock.ConflictLen())
	require.True(t, s.orderNow(out).Conflict() != s.orderNow(other).Conflict())
	require.Equal(t, []int{1, 1}, []int{s.stock(s.loc, noon+day, noon+2*day), s.stock(s.there, noon+day, noon+2*day)})
	s.reopen()
}

// A unit that is out stays the unit that it is, where it is to come back elsewhere, too.
func TestOneWayThatIsOutStaysOnItsUnit(t *testing.T) {
	s := newOneWay(t, 2)
	out := s.do(s.rental(order.OrderOpen, s.bike, noon, noon+day, 1)).(*order.OrderRecord)
	s.do(order.FulfillOrder{ID: out.ID})
	was := s.unit(out.Lines[0].Units[0].Hold)
	next := s.book(s.bike, noon+2*day, noon+3*day, 1)
	s.do(hold.MoveHold{ID: next.ID,
		Lines: []hold.MoveLine{{Unavailability: next.Lines[0].Units[0].ID, Slot: &was.Slot}}})
	s.do(order.PatchOrder{ID: out.ID, Fields: base.Changed(order.OrderInput{Return: &s.there})})
	require.Equal(t, was.Slot, s.unit(out.Lines[0].Units[0].Hold).Slot)
	require.Equal(t, []int{1, 1}, []int{s.stock(s.loc, noon+day, noon+2*day), s.stock(s.there, noon+day, noon+2*day)})
	s.reopen()
}

func TestOneWayExtended(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	other := s.rental(order.OrderOpen, s.bike, end, end+day, 1)
	other.Pickup = s.there
	next := s.do(other).(*order.OrderRecord)
	extend := order.PatchOrderLine{Order: out.ID, ID: out.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{To: new(end + hour), UnitPrice: new(int64(100))})}
	for range 2 { // before it is handed over, and behind that
		e := s.refused(base.CodeQuantityBlocked, extend)
		require.Equal(t, next.Lines[0].Units[0].Hold, e.Details.(stock.QuantityDetails).Plan.Blockers[0].ID)
		s.tick(noon)
		if s.orderNow(out).Status == order.OrderOpen {
			s.do(order.FulfillOrder{ID: out.ID})
		}
	}
	*extend.Fields.To.To = end - hour
	s.do(extend)
	require.Equal(t, 1, s.at(s.there, end-hour, end))
	*extend.Fields.To.To, extend.AllowOverbooked = end+hour, true
	s.do(extend)
	require.True(t, s.orderNow(next).Conflict())
	require.Equal(t, 0, s.stock(s.loc, end+hour, end+day))
	s.reopen()
}

func TestOneWayHold(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	line := hold.HoldLineInput{Item: s.bike, Location: s.loc, Return: s.there, Window: base.Span{Start: noon, End: end},
		Quantity: 1}
	made := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line}, ExpiresIn: ptr(int64(600))}).(*hold.Hold)
	require.Equal(t, s.there, made.Lines[0].Return)
	require.Equal(t, []int{0, 1}, []int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+day)})
	s.reopen()
	s.refused(base.CodeInUse, stock.DeleteLocation{ID: s.there})
	s.tick(s.now + 600_000)
	require.Equal(t, []int{1, 0}, []int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+day)})

	made = s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line}}).(*hold.Hold)
	s.do(hold.MoveHold{ID: made.ID,
		Lines: []hold.MoveLine{{Unavailability: made.Lines[0].Units[0].ID, To: ptr(end + hour)}}})
	require.Equal(t, []int{0, 1}, []int{s.stock(s.loc, end+hour, end+day), s.stock(s.there, end+hour, end+day)})
	require.Equal(t, []int{1, 0}, []int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+hour)})
	rec := s.do(order.OrderHold{OrderInput: order.OrderInput{Pickup: s.loc},
		Holds: []base.ID{made.ID}}).(*order.OrderRecord)
	require.Equal(t, s.there, rec.Return)
	require.Equal(t, []int{0, 1}, []int{s.stock(s.loc, end+hour, end+day), s.stock(s.there, end+hour, end+day)})
	s.reopen()
	s.do(order.CancelOrder{ID: rec.ID})
	require.Equal(t, []int{1, 0}, []int{s.stock(s.loc, end+hour, end+day), s.stock(s.there, end+hour, end+day)})
	s.reopen()
}

func TestOneWayTakesTheArticleThatCanGo(t *testing.T) {
	s := newOneWay(t, 1)
	second := s.article(s.bike.SKU, 1)
	named := s.do(s.rental(order.OrderOpen, base.Item{Article: s.first}, noon+5*day, noon+6*day,
		1)).(*order.OrderRecord)
	require.Equal(t, 1, s.leaving(noon, noon+day))
	out := s.do(s.trip(noon, noon+day, 1)).(*order.OrderRecord)
	require.Equal(t, second, out.Units[0].Article)
	require.False(t, s.orderNow(named).Conflict())

	// Taken out, the article gives it to another from which it can go; else it becomes a conflict, and nothing arrives.
	third := s.article(s.bike.SKU, 1)
	s.do(stock.PatchArticle{ID: second, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive})})
	require.Equal(t, third, s.orderNow(out).Units[0].Article)
	require.Equal(t, 1, s.stock(s.there, noon+day, noon+2*day))
	inactive := stock.PatchArticle{ID: third, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive})}
	s.refused(base.CodeQuantityBlocked, inactive)
	inactive.Force = true
	s.do(inactive)
	require.True(t, s.orderNow(out).Conflict())
	require.Equal(t, 0, s.stock(s.there, noon+day, noon+2*day))
	s.do(stock.PatchArticle{ID: third, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleActive})})
	require.False(t, s.orderNow(out).Conflict())
	require.Equal(t, 1, s.stock(s.there, noon+day, noon+2*day))
	s.reopen()
}

// The lines of an order make room for each other: those that are seated first do not keep the units that only the later
// ones can have.
func TestOneWayLinesMakeRoomForEachOther(t *testing.T) {
	s := newOneWay(t, 2)
	second := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &s.bike.SKU},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 3, From: ptr(noon + 4*hour)}}}
	s.do(second)
	trip := s.trip(noon+2*day, noon+3*day, 2)
	now := s.trip(noon+hour, noon+9*hour, 1)
	trip.Lines = append(trip.Lines, now.Lines...)
	rec := s.do(trip).(*order.OrderRecord)
	require.Len(t, rec.Units, 3)
	require.Equal(t, s.first, rec.Units[2].Article)
	require.Equal(t, []int{2, 3},
		[]int{s.stock(s.loc, noon+4*day, noon+5*day), s.stock(s.there, noon+4*day, noon+5*day)})
	s.reopen()
}

// What takes a unit away is counted as any other: it does not get the unit that a conflict waits for because it has
// fixed itself to that conflict's article.
func TestOneWayLeavesWhatAConflictWaitsFor(t *testing.T) {
	s := newOneWay(t, 3)
	late := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &s.bike.SKU},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 2, From: ptr(noon + day)}}}).(*stock.Article).ID
	sale := s.rental(order.OrderOpen, base.Item{Article: late}, noon+hour, base.Forever, 1)
	sale.Lines[0].Purchase, sale.Lines[0].To, sale.AllowOverbooked = base.PurchaseSale, nil, true
	require.True(t, s.do(sale).(*order.OrderRecord).Conflict())
	hold := func(n int) hold.PlaceHold {
		return hold.PlaceHold{
			Lines: []hold.HoldLineInput{{Item: s.bike, Location: s.loc, Return: s.there,
				Window: base.Span{Start: noon + 2*day, End: noon + 3*day}, Quantity: n}}}
	}
	require.Equal(t, 4, s.leaving(noon+2*day, noon+3*day))
	s.refused(base.CodeInsufficient, hold(5))
	s.do(hold(4))
	s.reopen()
}

// forgetDepartures leaves one-way units as a program left them that planned no departures.
type forgetDepartures struct {
	base.Answers[any]
}

func (forgetDepartures) PlanOn(t *base.Tx) (any, error) {
	for u := range t.Acc.Stock.Overlapping(base.Span{Start: base.MinInstant, End: base.Forever}) {
		if u.Flags.Has(timeline.OneWay) {
			stock.Lift(t, u.ID)
			u.Flags &^= timeline.OneWay
			stock.Draft(t).Replace(u.Hold)
		}
	}
	return nil, nil
}

// unplanned leaves orders as a program left them that planned no departures.
type unplanned struct {
	base.Answers[any]
}

func (unplanned) PlanOn(t *base.Tx) (any, error) {
	for was := range order.OrderTable(t.Acc).All() {
		n := was.Clone()
		n.Departs = false
		base.Record(t, order.OrderKind, was, n)
	}
	return nil, nil
}

func TestOneWayOfAnOlderDirectory(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	s.do(order.FulfillOrder{ID: out.ID})
	waits := s.do(s.trip(end, end+day, 1)).(*order.OrderRecord)
	s.do(forgetDepartures{})
	later := s.do(s.rental(order.OrderOpen, s.bike, end+2*day, end+3*day, 1)).(*order.OrderRecord)
	require.Equal(t, 2, s.stock(s.loc, end+5*day, end+6*day))
	s.do(unplanned{})
	s.shut()
	s.open()
	require.Equal(t, 0, s.stock(s.loc, end+5*day, end+6*day))
	require.Equal(t, 2, s.stock(s.there, end+5*day, end+6*day))
	require.False(t, s.orderNow(out).Conflict())
	require.False(t, s.orderNow(waits).Conflict())
	require.True(t, s.orderNow(later).Conflict())
	require.Equal(t, waits.Revision, order.OrderByID(s.view(), waits.ID).Revision)
	s.reopen()
}

// What has no unit left to leave is not taken for the order of an older program.
func TestOneWayOfUnitsThatAreGone(t *testing.T) {
	s := newOneWay(t, 3)
	o := s.rental(order.OrderOpen, s.bike, noon+day, noon+2*day, 1)
	o.Lines = append(o.Lines, o.Lines[0])
	o.Lines[1].Purchase, o.Lines[1].To = base.PurchaseSale, nil
	r := s.do(o).(*order.OrderRecord)
	s.do(order.CancelUnit{Order: r.ID, Unit: r.Lines[0].Units[0].ID})
	s.do(order.PatchOrder{ID: r.ID, Fields: base.Changed(order.OrderInput{Return: &s.there})})
	before := s.view().Sequence()
	s.tick(s.now + hour)
	require.Equal(t, before, s.view().Sequence())
	s.reopen()
}

// Who waits for a unit where one is to arrive gets it with the order that sends it there.
func TestOneWayArrivesForWhoWaits(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	waits := s.rental(order.OrderOpen, s.bike, end+day, end+2*day, 1)
	waits.Pickup, waits.AllowOverbooked = s.there, true
	other := s.article(s.bike.SKU, 1) // is there already, and busy
	s.do(stock.TransferQuantity{Article: other, From: s.loc, To: s.there, Amount: 1})
	busy := s.rental(order.OrderOpen, s.bike, noon, end+10*day, 1)
	busy.Pickup = s.there
	s.do(busy)
	conflict := s.do(waits).(*order.OrderRecord)
	require.True(t, conflict.Conflict())
	s.do(s.trip(noon, end, 1))
	require.False(t, s.orderNow(conflict).Conflict())
	s.reopen()
}

// What arrives for who waits may leave again, and arrive for the next who waits, in the same command.
func TestOneWayArrivesForWhoLeavesAgain(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	back := s.rental(order.OrderOpen, s.bike, end+day, end+2*day, 1)
	back.Pickup, back.Return, back.AllowOverbooked = s.there, &s.loc, true
	s.do(stock.IncreaseQuantity{Article: s.first, Location: s.there, Amount: 1})
	s.do(stock.DecreaseQuantity{Article: s.first, Location: s.there, Amount: 1})
	waits := s.do(back).(*order.OrderRecord)
	require.True(t, waits.Conflict())
	trip := s.trip(noon, end, 1)
	trip.Lines = append(trip.Lines, s.trip(end+3*day, end+4*day, 1).Lines...)
	trip.AllowOverbooked = true
	r := s.do(trip).(*order.OrderRecord)
	require.False(t, s.orderNow(waits).Conflict())
	require.False(t, s.orderNow(r).Conflict(), "the unit is back before its second line begins")
	s.reopen()
}

// Who was to leave with a unit that does not come any more waits for another, and brings nothing where it goes either:
// nobody carries a unit there and back for nothing.
func TestOneWayThereAndBackIsCancelled(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	trip := func(there bool, from, to int64) *order.OrderRecord {
		o := s.trip(from, to, 1)
		if !there {
			o.Pickup, o.Return = s.there, &s.loc
		}
		return s.do(o).(*order.OrderRecord)
	}
	goes, back, again := trip(true, noon, end), trip(false, end+day, end+2*day), trip(true, end+3*day, end+4*day)
	stocks := func(place base.ID, want ...int) {
		for i, n := range want {
			from := end + int64(i)*day
			require.Equal(t, n, s.stock(place, from+hour, from+2*hour), i)
		}
	}
	stocks(s.loc, 0, 0, 1, 1, 0)
	stocks(s.there, 1, 1, 0, 0, 1)
	s.do(order.CancelOrder{ID: goes.ID})
	stocks(s.loc, 1, 1, 1, 1, 0)
	stocks(s.there, 0, 0, 0, 0, 1)
	require.True(t, s.orderNow(back).Conflict())
	require.False(t, s.orderNow(again).Conflict(), "it has the unit that stays")
	s.reopen()

	// One that is out has left: what it brought is there.
	t2 := newOneWay(t, 1)
	goes = t2.do(t2.trip(noon, end, 1)).(*order.OrderRecord)
	o := t2.trip(end+day, end+2*day, 1)
	o.Pickup, o.Return = t2.there, &t2.loc
	back = t2.do(o).(*order.OrderRecord)
	t2.tick(end + day)
	t2.do(order.FulfillOrder{ID: back.ID})
	t2.do(order.CancelOrder{ID: goes.ID})
	require.False(t, t2.orderNow(back).Conflict())
	require.Equal(t, 1, t2.stock(t2.loc, end+2*day, end+3*day))
}

// A line of a hold that is given other dates takes no unit from who counts on its arrival, as one of an order does not:
// it is refused, as is one on whose arrival a change of quantity counts. A line that goes takes it.
func TestOneWayHoldKeepsItsArrival(t *testing.T) {
	for _, counts := range []struct {
		name string
		plan func(s *oneWay, end int64)
	}{
		{"a booking", func(s *oneWay, end int64) {
			o := s.rental(order.OrderOpen, s.bike, end+day, end+2*day, 1)
			o.Pickup = s.there
			s.do(o)
		}},
		{"a decrease", func(s *oneWay, end int64) {
			s.do(stock.DecreaseQuantity{Article: s.first, Location: s.there, Amount: 1, From: new(end + day)})
		}},
	} {
		t.Run(counts.name, func(t *testing.T) {
			s := newOneWay(t, 1)
			end := noon + day
			line := hold.HoldLineInput{Item: s.bike, Location: s.loc, Return: s.there,
				Window: base.Span{Start: noon, End: end}, Quantity: 1}
			h := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line}}).(*hold.Hold)
			counts.plan(s, end)
			later := hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{{Line: 0, To: new(end + 3*day)}}}
			e := s.refused(base.CodeQuantityBlocked, later)
			require.False(t, e.Details.(stock.QuantityDetails).Plan.OK)
			require.Equal(t, 1, s.stock(s.there, end, end+hour))
			require.Equal(t, 0, s.stock(s.loc, end, end+10*day))
			s.do(stock.IncreaseQuantity{Article: s.first, Location: s.loc, Amount: 1})
			s.do(hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{{Line: 0, To: new(end + day/2)}}})
			require.Equal(t, []int{0, 1}, []int{s.stock(s.there, end, end+hour), s.stock(s.there, end+day/2, end+day)})
			require.Equal(t, []int{2, 1}, []int{s.stock(s.loc, end, end+hour), s.stock(s.loc, end+day/2, end+day)})
			s.reopen()
			s.do(hold.ChangeHold{ID: h.ID, Remove: []int{0}, Add: []hold.HoldLineInput{{Item: s.bike,
				Location: s.loc, Window: base.Span{Start: noon, End: end}, Quantity: 1}}})
			s.reopen()
		})
	}
}

// Lines of a hold that go there and back with one unit are called off in whatever order that can be as they are given
// other dates: none counts on what the other brings any more, and another article may serve both.
func TestOneWayHoldThereAndBackIsGivenOtherDates(t *testing.T) {
	s := newOneWay(t, 1)
	line := func(there bool, from, to int64) hold.HoldLineInput {
		l := hold.HoldLineInput{Item: s.bike, Location: s.loc, Return: s.there,
			Window: base.Span{Start: from, End: to}, Quantity: 1}
		if there {
			l.Location, l.Return = s.there, s.loc
		}
		return l
	}
	h := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line(false, noon+2*day, noon+3*day)}}).(*hold.Hold)
	s.do(hold.ChangeHold{ID: h.ID, Add: []hold.HoldLineInput{line(true, noon+4*day, noon+5*day)}})
	s.do(s.rental(order.OrderOpen, base.Item{Article: s.first}, noon, noon+day, 1))
	second := s.article(s.bike.SKU, 1)
	s.do(stock.IncreaseQuantity{Article: second, Location: s.there, Amount: 1})
	s.do(hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{
		{Line: 0, From: new(noon + hour), To: new(noon + day)},
		{Line: 1, From: new(noon + 4*day), To: new(noon + 6*day)}}})
	for i, want := range [][]int{{2, 1}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {2, 1}, {2, 1}} {
		at := noon + int64(i)*day + 2*hour
		require.Equal(t, want, []int{s.stock(s.loc, at, at+1), s.stock(s.there, at, at+1)}, "%d days on", i)
	}
	s.reopen()
}

// A unit that is handed over and brought back elsewhere at once is there from then on, also where it was to be there
// later and its transfer back is planned.
func TestOneWayIsBroughtBackAtOnce(t *testing.T) {
	s := newOneWay(t, 1)
	out := s.do(s.trip(noon, noon+day, 1)).(*order.OrderRecord)
	s.do(stock.TransferQuantity{Article: s.first, From: s.there, To: s.loc, Amount: 1, At: new(noon + 2*day)})
	s.tick(noon)
	s.do(order.FulfillOrder{ID: out.ID})
	s.do(order.ReturnOrder{ID: out.ID})
	for i, there := range []int{1, 1, 0} {
		from := noon + int64(i)*day + hour
		require.Equal(t, []int{1 - there, there},
			[]int{s.stock(s.loc, from, from+hour), s.stock(s.there, from, from+hour)})
	}
	s.reopen()
}

// Where an article is taken out, units that were to leave there and back are called off in whatever order that can be.
func TestOneWayThereAndBackOfAnArticleThatGoesOut(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	goes, back := s.thereAndBack(noon, end)
	s.do(stock.PatchArticle{ID: s.first, Force: true,
		Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive})})
	s.do(order.DeleteOrder{ID: goes.ID})
	s.do(order.DeleteOrder{ID: back.ID})
	s.do(stock.PatchArticle{ID: s.first, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleActive})})
	require.Equal(t, 1, s.stock(s.loc, end+hour, end+2*hour))
	s.reopen()
}

// Where one that leaves again with the unit has to wait, its own departure is called off with that of the first.
func TestOneWayThereAndBackAndOnOfAnArticleThatLeavesItsSKU(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	goes, back := s.thereAndBack(noon+hour, end)
	on := s.trip(end+3*day, end+4*day, 1)
	on.Lines[0].Item = base.Item{Article: s.first}
	named := s.do(on).(*order.OrderRecord)
	s.do(stock.PatchArticle{ID: s.first, Force: true,
		Fields: base.Changed(stock.ArticleFields{SKU: new(s.sku())})})
	require.True(t, s.orderNow(goes).Conflict())
	require.True(t, s.orderNow(back).Conflict())
	require.False(t, s.orderNow(named).Conflict())
	units := stocked{s.shop, s.there}.units
	at := []int64{noon, end, end + 2*day, end + 4*day - 1, end + 4*day}
	require.Equal(t, []int{1, 1, 1, 1, 0}, units(s.first, s.loc, at...))
	require.Equal(t, []int{0, 0, 0, 0, 1}, units(s.first, s.there, at...))
	s.reopen()
}

// Units that leave there and back go with another article, both ways, where theirs is taken out: nothing of it leaves
// any more.
func TestOneWayThereAndBackGoesWithAnotherArticle(t *testing.T) {
	for name, out := range map[string]func(s *oneWay) base.Op{
		"archived": func(s *oneWay) base.Op { return stock.ArchiveArticle{ID: s.first, Archived: true} },
		"of another SKU": func(s *oneWay) base.Op {
			return stock.PatchArticle{ID: s.first, Fields: base.Changed(stock.ArticleFields{SKU: new(s.sku())})}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newOneWay(t, 1)
			end := noon + day
			goes, back := s.thereAndBack(noon+hour, end)
			other := s.article(s.bike.SKU, 1)
			s.do(out(s))
			for _, o := range []*order.OrderRecord{goes, back} {
				require.Equal(t, other, s.orderNow(o).Units[0].Article)
				require.False(t, s.orderNow(o).Conflict())
			}
			at := []int64{noon, end, end + 2*day - 1, end + 2*day}
			units := stocked{s.shop, s.there}.units
			require.Equal(t, []int{1, 1, 1, 1}, units(s.first, s.loc, at...))
			require.Equal(t, []int{0, 0, 0, 0}, units(s.first, s.there, at...))
			require.Equal(t, []int{1, 0, 0, 1}, units(other, s.loc, at...))
			require.Equal(t, []int{0, 1, 1, 0}, units(other, s.there, at...))
			s.reopen()
		})
	}
}

// A unit of which more is planned where it goes to goes there at the instant that was planned, however long it is out.
// A start does not plan that it leaves once more.
func TestOneWayThatCannotBeCalledOffIsPlannedOnce(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	s.do(order.FulfillOrder{ID: out.ID})
	s.do(stock.DecreaseQuantity{Article: s.first, Location: s.there, Amount: 1, From: new(end + day)})
	extend := order.PatchOrderLine{Order: out.ID, ID: out.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{To: new(end + 2*day), UnitPrice: new(int64(100))})}
	s.refused(base.CodeQuantityBlocked, extend)
	extend.AllowOverbooked = true
	s.do(extend)
	for range 2 {
		require.Equal(t, 1, s.stock(s.loc, end, end+day))
		require.Equal(t, 1, s.stock(s.loc, end+10*day, end+11*day))
		require.Equal(t, 1, s.stock(s.there, end, end+day))
		s.shut()
		s.open()
	}
}

// Another beginning changes nothing about where a unit goes to: a hand-over and its undoing leave what was planned on
// its arrival, and go on when that is called off.
func TestOneWayUndoneLeavesItsDeparture(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	s.do(stock.DecreaseQuantity{Article: s.first, Location: s.there, Amount: 1, From: new(end + day)})
	s.do(order.FulfillOrder{ID: out.ID})
	s.do(order.UndoOrder{ID: out.ID, Units: []base.ID{out.Lines[0].Units[0].ID}})
	s.do(stock.IncreaseQuantity{Article: s.first, Location: s.there, Amount: 1, From: new(end + day)})
	s.do(order.CancelOrder{ID: out.ID})
	require.Equal(t, 1, s.stock(s.loc, end, end+day), "it does not go")
	require.Equal(t, 0, s.stock(s.there, end, end+day))
	s.reopen()
}

// A unit that was to leave and is out of its place by force is not taken away, too: the lot is one lower, not two.
func TestOneWayUnitThatAReductionUnseats(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + 2*day
	s.do(s.rental(order.OrderOpen, s.bike, noon+day, end+day, 1)) // begins after the other, and so stays
	out := s.do(s.trip(noon+day, end, 1)).(*order.OrderRecord)
	require.Equal(t, 1, s.stock(s.loc, end, end+day))
	s.do(stock.DecreaseQuantity{Article: s.first, Location: s.loc, Amount: 1, Force: true})
	left := 0
	if !s.orderNow(out).Conflict() {
		left = -1 // it was the other that had to go
	}
	require.Equal(t, 1+left, s.stock(s.loc, end, end+day))
	require.Equal(t, -left, s.stock(s.there, end, end+day))
	s.reopen()
}

// A unit that a reduction takes its place, and that is back on it in the same command, leaves from it as before.
func TestOneWayUnitThatAReductionSeatsAgain(t *testing.T) {
	s := newOneWay(t, 3)
	out := s.do(s.rental(order.OrderOpen, s.bike, noon, noon+7*day, 1)).(*order.OrderRecord)
	other := s.do(s.rental(order.OrderOpen, s.bike, noon, noon+4*day, 1)).(*order.OrderRecord)
	s.tick(noon)
	s.do(order.FulfillOrder{ID: out.ID})
	s.do(order.FulfillOrder{ID: other.ID})
	lost := s.do(s.trip(noon+day, noon+5*day, 1)).(*order.OrderRecord)
	kept := s.do(s.trip(noon+6*day, noon+8*day, 1)).(*order.OrderRecord)
	require.Equal(t, 1, s.stock(s.loc, noon+8*day, noon+9*day))

	plan := s.do(stock.DecreaseQuantity{Article: s.first, Location: s.loc, Amount: 1,
		Force: true}).(*stock.QuantityPlan)
	require.Len(t, plan.Blockers, 2)
	require.True(t, s.orderNow(lost).Conflict())
	require.False(t, s.orderNow(kept).Conflict())
	require.Equal(t, []int{2, 1}, []int{s.stock(s.loc, noon+7*day, noon+8*day), s.stock(s.loc, noon+8*day, noon+9*day)})
	require.Equal(t, []int{0, 1},
		[]int{s.stock(s.there, noon+7*day, noon+8*day), s.stock(s.there, noon+8*day, noon+9*day)})
	s.reopen()
}

// A one-way unit whose arrival others count on keeps one departure, and one arrival, where its end moves.
func TestOneWayMovesWithWhatIsPlannedOnIt(t *testing.T) {
	planned := func(units int) (*oneWay, *order.OrderRecord) {
		s := newOneWay(t, units)
		out := s.do(s.trip(noon+hour, noon+4*hour, 1)).(*order.OrderRecord)
		s.do(stock.DecreaseQuantity{Article: s.first, Location: s.there, Amount: 1, From: new(noon + 10*hour)})
		return s, out
	}
	// stands demands how many units are here and there at some instants.
	stands := func(s *oneWay, hours []int64, here, there []int) {
		t.Helper()
		for i, h := range hours {
			at := noon + h*hour
			require.Equal(t, []int{here[i], there[i]}, []int{s.stock(s.loc, at, at+1), s.stock(s.there, at, at+1)},
				"%d hours on", h)
		}
		s.reopen()
	}
	end := func(out *order.OrderRecord, hours int64) order.PatchOrderLine {
		return order.PatchOrderLine{Order: out.ID, ID: out.Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{To: new(noon + hours*hour), UnitPrice: new(int64(100))})}
	}
	for _, units := range []int{1, 2} {
		here := func(n ...int) []int {
			for i := range n {
				n[i] += units - 1
			}
			return n
		}
		s, out := planned(units)
		stands(s, []int64{3, 4, 9, 10}, here(1, 0, 0, 0), []int{0, 1, 1, 0})
		for _, to := range []int64{2, 6, 3} { // before it is handed over, and behind that
			s.do(end(out, to))
			stands(s, []int64{to - 1, to, 9, 10}, here(1, 0, 0, 0), []int{0, 1, 1, 0})
		}
		s.tick(noon + hour)
		s.do(order.FulfillOrder{ID: out.ID})
		s.do(end(out, 5))
		stands(s, []int64{4, 5, 9, 10}, here(1, 0, 0, 0), []int{0, 1, 1, 0})
		s.tick(noon + 5*hour) // it is late by a step
		stands(s, []int64{5, 6, 9, 10}, here(1, 0, 0, 0), []int{0, 1, 1, 0})
		s.now += 60_000
		s.do(order.ReturnOrder{ID: out.ID})
		stands(s, []int64{6, 9, 10}, here(0, 0, 0), []int{1, 1, 0})
	}
	for _, units := range []int{1, 2} { // it is not there before what is planned on it
		s, out := planned(units)
		never := func() {
			if units == 1 { // else the other one goes there
				endless := end(out, 0)
				endless.Fields.To.To = nil
				s.refused(base.CodeQuantityBlocked, endless)
			}
		}
		s.refused(base.CodeQuantityBlocked, end(out, 12))
		never()
		s.tick(noon + hour)
		s.do(order.FulfillOrder{ID: out.ID})
		s.refused(base.CodeQuantityBlocked, end(out, 12))
		never()
		s.tick(noon + 10*hour)
		require.Equal(t, 0, s.stock(s.there, noon+10*hour, noon+11*hour))
		s.reopen()
	}
}

// An article that takes no holds has no room for the unit whose departure from it was called off by that.
func TestOneWayUnitOfAnArticleThatIsTakenOut(t *testing.T) {
	for _, units := range []int{1, 2} {
		s := newOneWay(t, units)
		out := s.do(s.trip(noon+day, noon+2*day, 1)).(*order.OrderRecord)
		s.do(stock.PatchArticle{ID: s.first, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
			Force: true})
		require.True(t, s.orderNow(out).Conflict(), "%d units", units)
		s.do(stock.PatchArticle{ID: s.first, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleActive})})
		require.False(t, s.orderNow(out).Conflict(), "%d units", units)
		require.Equal(t, 1, s.stock(s.there, noon+2*day, noon+3*day))
		s.reopen()
	}
}

// An article that takes no holds has no unit for a conflict on it that goes nowhere any more.
func TestOneWayConflictOfAnArticleThatIsOutStaysHere(t *testing.T) {
	s := newOneWay(t, 1)
	out := s.do(s.trip(noon+day, noon+2*day, 1)).(*order.OrderRecord)
	s.do(stock.PatchArticle{ID: s.first, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	s.do(order.PatchOrder{ID: out.ID, Fields: base.Changed(order.OrderInput{Return: &s.loc})})
	require.True(t, s.orderNow(out).Conflict())
	s.do(stock.PatchArticle{ID: s.first, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleActive})})
	require.False(t, s.orderNow(out).Conflict())
	s.reopen()
}

// An article that is made has units for who waits to take one away, too.
func TestOneWayConflictGetsAUnitOfANewArticle(t *testing.T) {
	s := newOneWay(t, 1)
	s.do(s.rental(order.OrderOpen, s.bike, noon, noon+day, 1))
	over := s.trip(noon, noon+day, 1)
	over.AllowOverbooked = true
	o := s.do(over).(*order.OrderRecord)
	require.True(t, o.Conflict())

	s.article(s.bike.SKU, 1)
	require.False(t, s.unit(o.Lines[0].Units[0].Hold).Conflict())
	require.Equal(t, 1, s.stock(s.there, noon+day, noon+2*day), "it arrives there")
	require.Equal(t, 1, s.at(s.loc, noon+day, noon+2*day), "the other unit is the only one here")
	s.reopen()
}

// A unit that leaves, and loses its unit to others that leave, gets one of another article of its SKU.
func TestOneWayUnitIsPushedToAnotherArticle(t *testing.T) {
	s := newOneWay(t, 1)
	s.article(s.bike.SKU, 2)
	end := noon + day
	s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{
		{Item: s.bike, Location: s.loc, Window: base.Span{Start: end + day, End: end + 2*day}, Quantity: 2}}})
	over := s.trip(end+2*day, base.Forever, 1)
	over.Lines[0].To = nil
	over.Lines = append(over.Lines, s.trip(noon, end, 2).Lines...)
	over.AllowOverbooked = true
	o := s.do(over).(*order.OrderRecord)
	require.False(t, s.unit(o.Lines[0].Units[0].Hold).Conflict(), "behind the hold that keeps the unit that stays")
	require.Equal(t, 2, s.stock(s.there, end, end+day))
	s.reopen()
}

// Of two units that are to arrive one is planned to go back. Both arrive at another time: one that is late gives what
// was planned on it to the other.
func TestOneWayUnitsOfWhichOneGoesOn(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + day
	o := s.do(s.trip(noon, end, 2)).(*order.OrderRecord)
	s.do(stock.TransferQuantity{Article: s.first, From: s.there, To: s.loc, Amount: 1, At: ptr(end + 2*day)})
	s.do(order.FulfillOrder{ID: o.ID})
	stock := func(at int64) []int { return []int{s.stock(s.loc, at, at+1), s.stock(s.there, at, at+1)} }

	s.tick(end + 1)
	require.Equal(t, []int{2, 0}, stock(end+1), "they are late")
	late := end + s.Engine.step
	require.Equal(t, [][]int{{0, 2}, {1, 1}}, [][]int{stock(late), stock(end + 2*day)})
	s.reopen()
	s.do(order.ReturnOrder{ID: o.ID})
	require.Equal(t, [][]int{{0, 2}, {1, 1}}, [][]int{stock(s.now + 1), stock(end + 2*day)})
	require.False(t, s.orderNow(o).Conflict())
	s.reopen()
}

// Who waits longest gets the unit that came free with all that it needs: whoever is younger does not have what is
// behind its end, as the unit leaves then.
func TestOneWayConflictKeepsWhatIsBehindIt(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	first := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	overbooked := func(o order.CreateOrder) *order.OrderRecord {
		o.AllowOverbooked = true
		return s.do(o).(*order.OrderRecord)
	}
	older := overbooked(s.trip(noon, end, 1))
	younger := overbooked(s.rental(order.OrderOpen, s.bike, end+day, end+2*day, 1))
	s.do(order.CancelOrder{ID: first.ID})
	require.False(t, s.orderNow(older).Conflict())
	require.True(t, s.orderNow(younger).Conflict())
	require.Equal(t, 1, s.stock(s.there, end, end+day))
	s.reopen()
}

// A unit that leaves at the instant at which another one begins lets its slot go on in the place of that one, so that
// whoever has a claim across the instant finds one slot for it.
func TestOneWayLeavesItsSlotToTheUnitThatBeginsThen(t *testing.T) {
	for _, units := range []int{2, 80} { // a few slots, and as many as are not looked through
		s := newOneWay(t, units)
		begun, end := s.now, noon+day
		s.do(stock.IncreaseQuantity{Article: s.first, Location: s.loc, Amount: 1, From: ptr(end)})
		s.do(s.trip(noon, end, units))
		spans := map[base.Span]int{}
		acc := s.view().Acc
		for slot := range acc.Stock.PoolSlots(timeline.LotRef(stock.ArticleTable(acc).Get(s.first).Lots[0].No)) {
			spans[slot.Span]++
		}
		require.Equal(t, map[base.Span]int{{Start: begun, End: base.Forever}: 1, {Start: begun, End: end}: units - 1},
			spans, "of %d units", units)
		s.reopen()
	}
}

// What a conflict is counted for does not leave with another order: availability says that there is none to take away,
// and so does the order.
func TestOneWayLeavesWhatAConflictIsCountedFor(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + day
	s.do(s.rental(order.OrderOpen, s.bike, noon, end, 2))
	over := s.rental(order.OrderOpen, s.bike, noon, end+10*day, 1)
	over.AllowOverbooked = true
	require.True(t, s.do(over).(*order.OrderRecord).Conflict())
	s.do(s.rental(order.OrderOpen, s.bike, end+5*day, end+6*day, 1))
	require.Equal(t, 0, s.leaving(end+day, end+2*day))
	s.refused(base.CodeInsufficient, s.trip(end+day, end+2*day, 1))
	s.reopen()
}

// Units that leave at an instant that nobody knows yet make room for the other lines of their order, on another article
// too.
func TestOneWayWithoutEndMakesRoomForOtherLines(t *testing.T) {
	s := newOneWay(t, 2)
	begin := noon + 2*day
	s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Another", SKU: &s.bike.SKU},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 2}, {Location: s.loc, Count: 2, From: &begin}}})
	o := s.trip(begin, begin, 2)
	o.Lines[0].To = nil
	o.Lines = append(o.Lines, s.trip(noon, noon+day, 3).Lines...)
	rec := s.do(o).(*order.OrderRecord)
	require.False(t, rec.Conflict())
	require.Equal(t, 3, s.stock(s.there, noon+day, begin))
	s.reopen()
}

// Units that leave are refused where their article has all the slots that it may have. A unit that is out comes back
// where it comes back: its article gets one slot more than it may have, and no more than that one.
func TestOneWayOfAFullArticle(t *testing.T) {
	long(t)
	s := newOneWay(t, 10_000, fourHours)
	for range base.MaxSlots/10_000 - 1 {
		s.do(stock.IncreaseQuantity{Article: s.first, Location: s.there, Amount: 10_000})
	}
	end := noon + day
	units := func() []int {
		return []int{s.stock(s.loc, end+day, end+2*day), s.stock(s.there, end+day, end+2*day)}
	}
	full := []int{10_000, base.MaxSlots - 10_000}
	trip := s.trip(noon, end, 1)
	s.refused(base.CodeConflict, trip)
	trip.AllowOverbooked = true
	s.refused(base.CodeConflict, trip)
	line := hold.HoldLineInput{Item: s.bike, Location: s.loc, Return: s.there, Quantity: 1,
		Window: base.Span{Start: noon, End: end}}
	s.refused(base.CodeConflict, hold.PlaceHold{Lines: []hold.HoldLineInput{line}})
	stays := s.do(s.rental(order.OrderOpen, s.bike, noon, end, 1)).(*order.OrderRecord)
	reroute := order.PatchOrder{ID: stays.ID, Fields: base.Changed(order.OrderInput{Return: &s.there})}
	s.refused(base.CodeConflict, reroute)
	open := s.trip(noon, noon, 1)
	open.Lines[0].To = nil // when it leaves is not known
	out := s.do(open).(*order.OrderRecord)
	require.Equal(t, full, units())

	s.tick(noon)
	s.do(order.FulfillOrder{ID: out.ID})
	s.tick(noon + 2*hour)
	s.do(order.ReturnOrder{ID: out.ID})
	require.Equal(t, []int{full[0] - 1, full[1] + 1}, units())
	s.do(stock.DecreaseQuantity{Article: s.first, Location: s.there, Amount: 1})
	s.refused(base.CodeConflict, reroute)
	s.do(stock.DecreaseQuantity{Article: s.first, Location: s.there, Amount: 1})
	s.do(reroute)
	require.Equal(t, []int{full[0] - 2, full[1]}, units())
	s.reopen()
}

// Slots of an article that have ended are none of those that it may have: its units go where they come back, and others
// come.
func TestOneWayOfAnArticleWhoseSlotsHaveEnded(t *testing.T) {
	long(t)
	s := newOneWay(t, 10_000)
	for range base.MaxSlots/10_000 - 1 {
		s.do(stock.IncreaseQuantity{Article: s.first, Location: s.loc, Amount: 10_000})
	}
	s.refused(base.CodeInvalid, stock.IncreaseQuantity{Article: s.first, Location: s.there, Amount: 1})
	s.now += hour
	for range base.MaxSlots/10_000 - 1 {
		s.do(stock.DecreaseQuantity{Article: s.first, Location: s.loc, Amount: 10_000})
	}
	end := noon + day
	units := func() []int { return []int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+day)} }
	o := s.do(s.trip(noon, end, 1)).(*order.OrderRecord)
	require.Equal(t, []int{9_999, 1}, units())
	s.do(order.FulfillOrder{ID: o.ID})
	s.tick(noon + 6*hour)
	s.do(order.ReturnOrder{ID: o.ID})
	require.Equal(t, []int{9_999, 1}, units())
	s.do(stock.TransferQuantity{Article: s.first, From: s.loc, To: s.there, Amount: 9})
	s.do(stock.IncreaseQuantity{Article: s.first, Location: s.there, Amount: 10})
	require.Equal(t, []int{9_990, 20}, units())
	s.reopen()
}

// Who waits to leave from a place, and is to come back there by now, needs a unit for its time alone: one that others
// have later does.
func TestWhoStaysHereIsTriedAnew(t *testing.T) {
	s := newOneWay(t, 1)
	trip := s.trip(noon+5*day, noon+6*day, 1)
	trip.Lines = append(trip.Lines, s.trip(noon+day, noon+2*day, 1).Lines...)
	trip.AllowOverbooked = true
	waits := s.do(trip).(*order.OrderRecord)
	require.True(t, waits.Conflict(), "the unit leaves once")
	s.do(order.PatchOrder{ID: waits.ID, Fields: base.Changed(order.OrderInput{Return: &s.loc})})
	require.False(t, s.orderNow(waits).Conflict())
	s.reopen()
}

// Where not all units of an overbooked line can leave, those get a unit that can: what has to be given up again lies
// idle for nobody.
func TestWhoCanLeaveDoes(t *testing.T) {
	s := newOneWay(t, 1)
	second := s.article(s.bike.SKU, 2)
	end := noon + 10*day
	s.do(stock.DecreaseQuantity{Article: second, Location: s.loc, Amount: 2, From: &end})
	trip := s.trip(noon, noon+day, 2)
	trip.AllowOverbooked = true
	r := s.do(trip).(*order.OrderRecord)
	waiting := 0
	for _, u := range r.Units {
		if u.Conflict {
			waiting++
		}
	}
	require.Equal(t, 1, waiting, "one unit stays for good, and can leave")
	s.reopen()
}

// What waits where no article is left for it keeps its buffer with the dates that it is given.
func TestOneWayConflictOfNoArticleKeepsItsBuffer(t *testing.T) {
	s := newOneWay(t, 1, stock.Buffer{Amount: 2, Unit: timeline.Hours})
	o := s.do(s.trip(noon+day, noon+5*day, 1)).(*order.OrderRecord)
	s.do(stock.PatchArticle{ID: s.first, Fields: base.Changed(stock.ArticleFields{}, "skuId"), Force: true})
	s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{To: new(noon + 3*day), UnitPrice: new(int64(100))})})
	u := s.unit(o.Lines[0].Units[0].Hold)
	require.True(t, u.Conflict())
	require.Equal(t, base.Span{Start: noon + day, End: noon + 3*day}, u.Body)
	require.Equal(t, noon+3*day+2*hour, u.Range.End)
	s.reopen()
}

// A one-way unit without end that waits where no article has what it requires keeps its buffers when it is given an
// end: none, as one that comes back would.
func TestOneWayConflictWithoutEndKeepsItsBuffers(t *testing.T) {
	for _, elsewhere := range []bool{true, false} {
		s := newShop(t)
		there := s.do(stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: "There", Timezone: "Europe/Helsinki"}}).(*stock.Location).ID
		sku, red, isRed := s.coloured()
		s.do(stock.PatchSKU{ID: sku,
			After: stock.BufferPatch{Amount: base.Some(int64(2)), Unit: base.Some(timeline.Hours)}})
		s.rent(base.Item{Article: red}, s.now, noon+5*day, 1)
		trip := s.rental(order.OrderOpen, base.Item{SKU: sku}, s.now, base.Forever, 1)
		trip.AllowOverbooked, trip.Lines[0].To, trip.Lines[0].Requirements = true, nil, isRed
		if elsewhere {
			trip.Return = &there
		}
		o := s.do(trip).(*order.OrderRecord)
		s.do(stock.PatchArticle{ID: red,
			Labels: label.LabelsPatch{Attributes: base.Some([]label.AttributeInput{{Key: "colour"}})}})
		waits := o.Lines[0].Units[0].Hold
		require.True(t, s.unit(waits).Conflict())
		s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{To: new(noon + 3*day), UnitPrice: new(int64(100))})})
		require.True(t, s.unit(waits).Conflict())
		require.Equal(t, noon+3*day, s.unit(waits).Range.End, "elsewhere %v", elsewhere)
		s.reopen()
	}
}
