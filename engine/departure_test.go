package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns the stories of units that are taken at one place and come back at another.

// oneWay is a shop with two places, and one unit of a SKU at the first.
type oneWay struct {
	*shop
	there ID // the other place
	first ID // the article that it is of
	bike  Item
}

func newOneWay(t *testing.T, units int, after ...Buffer) *oneWay {
	s := newShop(t)
	there := s.do(CreateLocation{Name: "There", Timezone: "Europe/Helsinki"}).(*Location).ID
	sku := s.sku(after...)
	return &oneWay{s, there, s.article(sku, units), Item{SKU: sku}}
}

func (s *oneWay) trip(from, to int64, n int) CreateOrder {
	o := s.rental(OrderOpen, s.bike, from, to, n)
	o.Return = &s.there
	return o
}

// at says how many units can be held at a place, for a window that ends where it begins.
func (s *oneWay) at(place ID, from, to int64) int {
	s.T.Helper()
	a, err := s.view().Available(Query{Item: s.bike, Location: place, Window: Span{Start: from, End: to}}, s.now)
	require.NoError(s.T, err)
	require.True(s.T, a.Exact)
	return a.Available
}

// leaving says how many units can be held that go to the other place.
func (s *oneWay) leaving(from, to int64) int {
	s.T.Helper()
	a, err := s.view().Available(Query{Item: s.bike, Location: s.loc, Return: s.there, Window: Span{Start: from, End: to}}, s.now)
	require.NoError(s.T, err)
	require.True(s.T, a.Exact)
	return a.Available
}

// stock says how many units are at a place over a window.
func (s *oneWay) stock(place ID, from, to int64) int {
	s.T.Helper()
	a, err := s.view().Available(Query{Item: s.bike, Location: place, Window: Span{Start: from, End: to}}, s.now)
	require.NoError(s.T, err)
	return a.Stock
}

func TestOneWayTakesTheUnitAway(t *testing.T) {
	s := newOneWay(t, 1, fourHours)
	end := noon + day
	gone := end + 4*hour // behind its buffer
	out := s.do(s.trip(noon, end, 1)).(*OrderRecord)
	require.Equal(t, Span{Start: noon, End: gone}, out.Units[0].Range)

	require.Equal(t, 0, s.at(s.loc, gone, gone+day))
	require.Equal(t, 0, s.stock(s.loc, gone, gone+day))
	require.Equal(t, 0, s.at(s.there, end, end+day), "its buffer is at the pick-up place")
	require.Equal(t, 1, s.at(s.there, gone, gone+day))
	require.Equal(t, 0, s.at(s.there, gone-1, gone+day))
	s.refused(CodeInsufficient, s.rental(OrderOpen, s.bike, gone+day, gone+2*day, 1))
	w, ok, err := s.view().Next(NextQuery{Item: s.bike, Location: s.loc, NotBefore: noon, Length: day, Quantity: 1, Until: noon + 100*day}, s.now)
	require.NoError(t, err)
	require.False(t, ok, w)
	x, err := s.view().Explain(Query{Item: s.bike, Location: s.loc, Window: Span{Start: gone, End: gone + day}}, 1, s.now)
	require.NoError(t, err)
	require.Equal(t, 0, x.Available)
	require.Equal(t, "location", x.Alternatives[0].Kind)
	require.Equal(t, s.there, x.Alternatives[0].Location)
	s.reopen()

	// What is booked at the other place stays as the unit comes back early, and is seated.
	other := s.rental(OrderOpen, s.bike, gone, gone+day, 1)
	other.Pickup = s.there
	next := s.do(other).(*OrderRecord)
	s.tick(noon)
	s.do(FulfillOrder{ID: out.ID})
	s.tick(noon + 6*hour)
	s.do(ReturnOrder{ID: out.ID})
	require.False(t, s.orderNow(next).Conflict())
	require.Equal(t, 1, s.at(s.there, noon+10*hour, noon+14*hour))
	require.Equal(t, 0, s.stock(s.loc, noon+10*hour, noon+40*day))
	s.do(DeleteOrder{ID: out.ID})
	require.Equal(t, 0, s.stock(s.loc, noon+10*hour, noon+40*day), "it stays where it came back")
	s.reopen()
}

func TestOneWayNeedsAUnitWithoutEnd(t *testing.T) {
	s := newOneWay(t, 2)
	later := s.do(s.rental(OrderOpen, s.bike, noon+10*day, noon+12*day, 2)).(*OrderRecord)
	require.Equal(t, 2, s.at(s.loc, noon, noon+day))
	require.Equal(t, 0, s.leaving(noon, noon+day))
	require.Equal(t, 2, s.leaving(noon+12*day, noon+13*day))

	before := s.view().Sequence()
	e := s.refused(CodeQuantityBlocked, s.trip(noon, noon+day, 1))
	plan := e.Details.(QuantityDetails).Plan
	require.False(t, plan.OK)
	require.Len(t, plan.Blockers, 1)
	require.Contains(t, []ID{later.Lines[0].Units[0].Hold, later.Lines[0].Units[1].Hold}, plan.Blockers[0].ID)
	require.Equal(t, before, s.view().Sequence())
	s.refused(CodeInsufficient, PlaceHold{Lines: []HoldLineInput{{Item: s.bike, Location: s.loc, Return: s.there, Window: Span{Start: noon, End: noon + day}, Quantity: 1}}})
	draft := s.trip(noon, noon+day, 1)
	draft.Status = OrderDraft
	rec := s.do(draft).(*OrderRecord)
	s.refused(CodeQuantityBlocked, ConfirmOrder{ID: rec.ID})

	o := s.trip(noon, noon+day, 1)
	o.AllowOverbooked = true
	trip := s.do(o).(*OrderRecord)
	require.False(t, trip.Conflict())
	require.True(t, s.orderNow(later).Conflict())
	require.Equal(t, 1, s.stock(s.loc, noon+day, noon+2*day))
	require.Equal(t, 1, s.at(s.there, noon+day, noon+2*day))
	s.reopen()

	s.do(CancelOrder{ID: trip.ID})
	require.False(t, s.orderNow(later).Conflict())
	require.Equal(t, 2, s.stock(s.loc, noon+day, noon+2*day))
	require.Equal(t, 0, s.stock(s.there, noon+day, noon+2*day))
	s.reopen()
}

func TestOneWayIsLate(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*OrderRecord)
	other := s.rental(OrderOpen, s.bike, end+10*60_000, end+day, 1)
	other.Pickup = s.there
	next := s.do(other).(*OrderRecord)
	s.tick(noon)
	s.do(FulfillOrder{ID: out.ID})
	s.tick(end)
	require.True(t, s.orderNow(next).Conflict(), "it is late by a step")
	require.Equal(t, 0, s.stock(s.there, end, end+15*60_000))
	require.Equal(t, 1, s.stock(s.there, end+15*60_000, end+day))
	require.Equal(t, 0, s.stock(s.loc, end+15*60_000, end+day))
	s.reopen()
	s.now += 60_000
	s.do(ReturnOrder{ID: out.ID})
	require.False(t, s.orderNow(next).Conflict())
	require.Equal(t, 1, s.stock(s.there, end+60_000, end+day))
	require.Equal(t, 0, s.stock(s.loc, end+60_000, end+day))
	s.reopen()
}

func TestOneWayGoesElsewhereAfterAll(t *testing.T) {
	s := newOneWay(t, 1)
	third := s.do(CreateLocation{Name: "Third", Timezone: "Europe/Helsinki"}).(*Location).ID
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*OrderRecord)
	patch := func(to ID) PatchOrder { return PatchOrder{ID: out.ID, Return: Opt[ID]{Set: true, Value: to}} }
	s.do(patch(third))
	require.Equal(t, []int{0, 0, 1}, []int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+day), s.stock(third, end, end+day)})
	s.reopen()
	s.do(patch(s.loc))
	require.Equal(t, []int{1, 0, 0}, []int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+day), s.stock(third, end, end+day)})
	later := s.do(s.rental(OrderOpen, s.bike, end+day, end+2*day, 1)).(*OrderRecord)
	s.refused(CodeQuantityBlocked, patch(s.there))
	s.tick(noon)
	s.do(FulfillOrder{ID: out.ID})
	s.refused(CodeQuantityBlocked, patch(s.there))
	p := patch(s.there)
	p.AllowOverbooked = true
	s.do(p)
	require.True(t, s.orderNow(later).Conflict())
	s.reopen()
	s.do(ReturnOrder{ID: out.ID})
	require.Equal(t, 1, s.stock(s.there, noon+hour, end+day))
	require.True(t, s.orderNow(later).Conflict())
	s.reopen()
}

func TestOneWayExtended(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*OrderRecord)
	other := s.rental(OrderOpen, s.bike, end, end+day, 1)
	other.Pickup = s.there
	next := s.do(other).(*OrderRecord)
	extend := PatchOrderLine{Order: out.ID, ID: out.Lines[0].ID, To: Opt[int64]{Set: true, Value: end + hour}, UnitPrice: Some(int64(100))}
	for range 2 { // before it is handed over, and behind that
		e := s.refused(CodeQuantityBlocked, extend)
		require.Equal(t, next.Lines[0].Units[0].Hold, e.Details.(QuantityDetails).Plan.Blockers[0].ID)
		s.tick(noon)
		if s.orderNow(out).Status == OrderOpen {
			s.do(FulfillOrder{ID: out.ID})
		}
	}
	extend.To.Value = end - hour
	s.do(extend)
	require.Equal(t, 1, s.at(s.there, end-hour, end))
	extend.To.Value, extend.AllowOverbooked = end+hour, true
	s.do(extend)
	require.True(t, s.orderNow(next).Conflict())
	require.Equal(t, 0, s.stock(s.loc, end+hour, end+day))
	s.reopen()
}

func TestOneWayHold(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	line := HoldLineInput{Item: s.bike, Location: s.loc, Return: s.there, Window: Span{Start: noon, End: end}, Quantity: 1}
	hold := s.do(PlaceHold{Lines: []HoldLineInput{line}, ExpiresIn: ptr(int64(600))}).(*Hold)
	require.Equal(t, s.there, hold.Lines[0].Return)
	require.Equal(t, []int{0, 1}, []int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+day)})
	s.reopen()
	s.refused(CodeInUse, DeleteLocation{ID: s.there})
	s.tick(s.now + 600_000)
	require.Equal(t, []int{1, 0}, []int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+day)})

	hold = s.do(PlaceHold{Lines: []HoldLineInput{line}}).(*Hold)
	s.do(MoveHold{ID: hold.ID, Lines: []MoveLine{{Unavailability: hold.Lines[0].Units[0].ID, To: ptr(end + hour)}}})
	require.Equal(t, []int{0, 1}, []int{s.stock(s.loc, end+hour, end+day), s.stock(s.there, end+hour, end+day)})
	require.Equal(t, []int{1, 0}, []int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+hour)})
	rec := s.do(OrderHold{OrderInput: OrderInput{Pickup: s.loc}, Holds: []ID{hold.ID}}).(*OrderRecord)
	require.Equal(t, s.there, rec.Return)
	require.Equal(t, []int{0, 1}, []int{s.stock(s.loc, end+hour, end+day), s.stock(s.there, end+hour, end+day)})
	s.reopen()
	s.do(CancelOrder{ID: rec.ID})
	require.Equal(t, []int{1, 0}, []int{s.stock(s.loc, end+hour, end+day), s.stock(s.there, end+hour, end+day)})
	s.reopen()
}

func TestOneWayTakesTheArticleThatCanGo(t *testing.T) {
	s := newOneWay(t, 1)
	second := s.article(s.bike.SKU, 1)
	named := s.do(s.rental(OrderOpen, Item{Article: s.first}, noon+5*day, noon+6*day, 1)).(*OrderRecord)
	require.Equal(t, 1, s.leaving(noon, noon+day))
	out := s.do(s.trip(noon, noon+day, 1)).(*OrderRecord)
	require.Equal(t, second, out.Units[0].Article)
	require.False(t, s.orderNow(named).Conflict())

	// Taken out, the article gives it to another from which it can go; else it becomes a conflict, and nothing arrives.
	third := s.article(s.bike.SKU, 1)
	s.do(PatchArticle{ID: second, Status: Opt[ArticleStatus]{Set: true, Value: ArticleInactive}})
	require.Equal(t, third, s.orderNow(out).Units[0].Article)
	require.Equal(t, 1, s.stock(s.there, noon+day, noon+2*day))
	inactive := PatchArticle{ID: third, Status: Opt[ArticleStatus]{Set: true, Value: ArticleInactive}}
	s.refused(CodeQuantityBlocked, inactive)
	inactive.Force = true
	s.do(inactive)
	require.True(t, s.orderNow(out).Conflict())
	require.Equal(t, 0, s.stock(s.there, noon+day, noon+2*day))
	s.do(PatchArticle{ID: third, Status: Opt[ArticleStatus]{Set: true, Value: ArticleActive}})
	require.False(t, s.orderNow(out).Conflict())
	require.Equal(t, 1, s.stock(s.there, noon+day, noon+2*day))
	s.reopen()
}

// The lines of an order make room for each other: those that are seated first do not keep the units that only the later ones can have.
func TestOneWayLinesMakeRoomForEachOther(t *testing.T) {
	s := newOneWay(t, 2)
	second := CreateArticle{Name: "Unit", SKU: &s.bike.SKU, Quantities: []InitialQuantity{{Location: s.loc, Count: 3, From: ptr(noon + 4*hour)}}}
	s.do(second)
	trip := s.trip(noon+2*day, noon+3*day, 2)
	now := s.trip(noon+hour, noon+9*hour, 1)
	trip.Lines = append(trip.Lines, now.Lines...)
	rec := s.do(trip).(*OrderRecord)
	require.Len(t, rec.Units, 3)
	require.Equal(t, s.first, rec.Units[2].Article)
	require.Equal(t, []int{2, 3}, []int{s.stock(s.loc, noon+4*day, noon+5*day), s.stock(s.there, noon+4*day, noon+5*day)})
	s.reopen()
}

// What takes a unit away is counted as any other: it does not get the unit that a conflict waits for because it has fixed itself to that conflict's article.
func TestOneWayLeavesWhatAConflictWaitsFor(t *testing.T) {
	s := newOneWay(t, 3)
	late := s.do(CreateArticle{Name: "Unit", SKU: &s.bike.SKU, Quantities: []InitialQuantity{{Location: s.loc, Count: 2, From: ptr(noon + day)}}}).(*Article).ID
	sale := s.rental(OrderOpen, Item{Article: late}, noon+hour, Forever, 1)
	sale.Lines[0].Purchase, sale.Lines[0].To, sale.AllowOverbooked = PurchaseSale, nil, true
	require.True(t, s.do(sale).(*OrderRecord).Conflict())
	hold := func(n int) PlaceHold {
		return PlaceHold{Lines: []HoldLineInput{{Item: s.bike, Location: s.loc, Return: s.there, Window: Span{Start: noon + 2*day, End: noon + 3*day}, Quantity: n}}}
	}
	require.Equal(t, 4, s.leaving(noon+2*day, noon+3*day))
	s.refused(CodeInsufficient, hold(5))
	s.do(hold(4))
	s.reopen()
}

// forgetDepartures leaves one-way units as a program left them that planned no departures.
type forgetDepartures struct{}

func (forgetDepartures) Check() []Fault { return nil }
func (forgetDepartures) result() any    { return new(any) }

func (forgetDepartures) plan(t *tx) (any, error) {
	for u := range t.acc.stock.Overlapping(Span{Start: minInstant, End: Forever}) {
		if u.Flags.Has(timeline.OneWay) {
			t.lift(u.ID)
			u.Flags &^= timeline.OneWay
			t.draft().Replace(u.Hold)
		}
	}
	return nil, nil
}

// unplanned leaves orders as a program left them that planned no departures.
type unplanned struct{}

func (unplanned) Check() []Fault { return nil }
func (unplanned) result() any    { return new(any) }

func (unplanned) plan(t *tx) (any, error) {
	for was := range t.acc.orders().All() {
		n := was.clone()
		n.Departs = false
		record(t, orderKind, was, n)
	}
	return nil, nil
}

func TestOneWayOfAnOlderDirectory(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*OrderRecord)
	s.do(FulfillOrder{ID: out.ID})
	waits := s.do(s.trip(end, end+day, 1)).(*OrderRecord)
	s.do(forgetDepartures{})
	later := s.do(s.rental(OrderOpen, s.bike, end+2*day, end+3*day, 1)).(*OrderRecord)
	require.Equal(t, 2, s.stock(s.loc, end+5*day, end+6*day))
	s.do(unplanned{})
	s.shut()
	s.open()
	require.Equal(t, 0, s.stock(s.loc, end+5*day, end+6*day))
	require.Equal(t, 2, s.stock(s.there, end+5*day, end+6*day))
	require.False(t, s.orderNow(out).Conflict())
	require.False(t, s.orderNow(waits).Conflict())
	require.True(t, s.orderNow(later).Conflict())
	require.Equal(t, waits.Revision, s.view().Order(waits.ID).Revision)
	s.reopen()
}

// Who waits for a unit where one is to arrive gets it with the order that sends it there.
func TestOneWayArrivesForWhoWaits(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	waits := s.rental(OrderOpen, s.bike, end+day, end+2*day, 1)
	waits.Pickup, waits.AllowOverbooked = s.there, true
	other := s.article(s.bike.SKU, 1) // is there already, and busy
	s.do(TransferQuantity{Article: other, From: s.loc, To: s.there, Amount: 1})
	busy := s.rental(OrderOpen, s.bike, noon, end+10*day, 1)
	busy.Pickup = s.there
	s.do(busy)
	conflict := s.do(waits).(*OrderRecord)
	require.True(t, conflict.Conflict())
	s.do(s.trip(noon, end, 1))
	require.False(t, s.orderNow(conflict).Conflict())
	s.reopen()
}

// A unit of which more is planned where it goes to goes there at the instant that was planned, however long it is out. A start does not
// plan that it leaves once more.
func TestOneWayThatCannotBeCalledOffIsPlannedOnce(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*OrderRecord)
	s.do(FulfillOrder{ID: out.ID})
	s.do(DecreaseQuantity{Article: s.first, Location: s.there, Amount: 1, From: new(end + day)})
	s.do(PatchOrderLine{Order: out.ID, ID: out.Lines[0].ID, To: Some(end + 2*day), UnitPrice: Some(int64(100))})
	for range 2 {
		require.Equal(t, 1, s.stock(s.loc, end, end+day))
		require.Equal(t, 1, s.stock(s.loc, end+10*day, end+11*day))
		require.Equal(t, 1, s.stock(s.there, end, end+day))
		s.shut()
		s.open()
	}
}

// Another beginning changes nothing about where a unit goes to: a hand-over and its undoing leave what was planned on its arrival, and go on when that is called off.
func TestOneWayUndoneLeavesItsDeparture(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	out := s.do(s.trip(noon, end, 1)).(*OrderRecord)
	s.do(DecreaseQuantity{Article: s.first, Location: s.there, Amount: 1, From: new(end + day)})
	s.do(FulfillOrder{ID: out.ID})
	s.do(UndoOrder{ID: out.ID, Units: []ID{out.Lines[0].Units[0].ID}})
	s.do(IncreaseQuantity{Article: s.first, Location: s.there, Amount: 1, From: new(end + day)})
	s.do(CancelOrder{ID: out.ID})
	require.Equal(t, 1, s.stock(s.loc, end, end+day), "it does not go")
	require.Equal(t, 0, s.stock(s.there, end, end+day))
	s.reopen()
}

// A unit that was to leave and is out of its place by force is not taken away, too: the lot is one lower, not two.
func TestOneWayUnitThatAReductionUnseats(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + 2*day
	s.do(s.rental(OrderOpen, s.bike, noon+day, end+day, 1)) // begins after the other, and so stays
	out := s.do(s.trip(noon+day, end, 1)).(*OrderRecord)
	require.Equal(t, 1, s.stock(s.loc, end, end+day))
	s.do(DecreaseQuantity{Article: s.first, Location: s.loc, Amount: 1, Force: true})
	left := 0
	if !s.orderNow(out).Conflict() {
		left = -1 // it was the other that had to go
	}
	require.Equal(t, 1+left, s.stock(s.loc, end, end+day))
	require.Equal(t, -left, s.stock(s.there, end, end+day))
	s.reopen()
}

// An article that takes no holds has no room for the unit whose departure from it was called off by that.
func TestOneWayUnitOfAnArticleThatIsTakenOut(t *testing.T) {
	for _, units := range []int{1, 2} {
		s := newOneWay(t, units)
		out := s.do(s.trip(noon+day, noon+2*day, 1)).(*OrderRecord)
		s.do(PatchArticle{ID: s.first, Status: Some(ArticleInactive), Force: true})
		require.True(t, s.orderNow(out).Conflict(), "%d units", units)
		s.do(PatchArticle{ID: s.first, Status: Some(ArticleActive)})
		require.False(t, s.orderNow(out).Conflict(), "%d units", units)
		require.Equal(t, 1, s.stock(s.there, noon+2*day, noon+3*day))
		s.reopen()
	}
}

// An article that is made has units for who waits to take one away, too.
func TestOneWayConflictGetsAUnitOfANewArticle(t *testing.T) {
	s := newOneWay(t, 1)
	s.do(s.rental(OrderOpen, s.bike, noon, noon+day, 1))
	over := s.trip(noon, noon+day, 1)
	over.AllowOverbooked = true
	o := s.do(over).(*OrderRecord)
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
	s.do(PlaceHold{Lines: []HoldLineInput{{Item: s.bike, Location: s.loc, Window: Span{Start: end + day, End: end + 2*day}, Quantity: 2}}})
	over := s.trip(end+2*day, Forever, 1)
	over.Lines[0].To = nil
	over.Lines = append(over.Lines, s.trip(noon, end, 2).Lines...)
	over.AllowOverbooked = true
	o := s.do(over).(*OrderRecord)
	require.False(t, s.unit(o.Lines[0].Units[0].Hold).Conflict(), "behind the hold that keeps the unit that stays")
	require.Equal(t, 2, s.stock(s.there, end, end+day))
	s.reopen()
}

// Of two units that are to arrive one is planned to go back. Both arrive at another time: one that is late gives what was planned on it to the other.
func TestOneWayUnitsOfWhichOneGoesOn(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + day
	o := s.do(s.trip(noon, end, 2)).(*OrderRecord)
	s.do(TransferQuantity{Article: s.first, From: s.there, To: s.loc, Amount: 1, At: ptr(end + 2*day)})
	s.do(FulfillOrder{ID: o.ID})
	stock := func(at int64) []int { return []int{s.stock(s.loc, at, at+1), s.stock(s.there, at, at+1)} }

	s.tick(end + 1)
	require.Equal(t, []int{2, 0}, stock(end+1), "they are late")
	late := end + s.Engine.step
	require.Equal(t, [][]int{{0, 2}, {1, 1}}, [][]int{stock(late), stock(end + 2*day)})
	s.reopen()
	s.do(ReturnOrder{ID: o.ID})
	require.Equal(t, [][]int{{0, 2}, {1, 1}}, [][]int{stock(s.now + 1), stock(end + 2*day)})
	require.False(t, s.orderNow(o).Conflict())
	s.reopen()
}

// Who waits longest gets the unit that came free with all that it needs: whoever is younger does not have what is behind its end, as the unit leaves then.
func TestOneWayConflictKeepsWhatIsBehindIt(t *testing.T) {
	s := newOneWay(t, 1)
	end := noon + day
	first := s.do(s.trip(noon, end, 1)).(*OrderRecord)
	overbooked := func(o CreateOrder) *OrderRecord {
		o.AllowOverbooked = true
		return s.do(o).(*OrderRecord)
	}
	older := overbooked(s.trip(noon, end, 1))
	younger := overbooked(s.rental(OrderOpen, s.bike, end+day, end+2*day, 1))
	s.do(CancelOrder{ID: first.ID})
	require.False(t, s.orderNow(older).Conflict())
	require.True(t, s.orderNow(younger).Conflict())
	require.Equal(t, 1, s.stock(s.there, end, end+day))
	s.reopen()
}

// What a conflict is counted for does not leave with another order: availability says that there is none to take away, and so does the order.
func TestOneWayLeavesWhatAConflictIsCountedFor(t *testing.T) {
	s := newOneWay(t, 2)
	end := noon + day
	s.do(s.rental(OrderOpen, s.bike, noon, end, 2))
	over := s.rental(OrderOpen, s.bike, noon, end+10*day, 1)
	over.AllowOverbooked = true
	require.True(t, s.do(over).(*OrderRecord).Conflict())
	s.do(s.rental(OrderOpen, s.bike, end+5*day, end+6*day, 1))
	require.Equal(t, 0, s.leaving(end+day, end+2*day))
	s.refused(CodeInsufficient, s.trip(end+day, end+2*day, 1))
	s.reopen()
}

// Units that leave at an instant that nobody knows yet make room for the other lines of their order, on another article too.
func TestOneWayWithoutEndMakesRoomForOtherLines(t *testing.T) {
	s := newOneWay(t, 2)
	begin := noon + 2*day
	s.do(CreateArticle{Name: "Another", SKU: &s.bike.SKU, Quantities: []InitialQuantity{{Location: s.loc, Count: 2}, {Location: s.loc, Count: 2, From: &begin}}})
	o := s.trip(begin, begin, 2)
	o.Lines[0].To = nil
	o.Lines = append(o.Lines, s.trip(noon, noon+day, 3).Lines...)
	rec := s.do(o).(*OrderRecord)
	require.False(t, rec.Conflict())
	require.Equal(t, 3, s.stock(s.there, noon+day, begin))
	s.reopen()
}

// An article that has all the units it may have sends none away: none is lost, as none arrives.
func TestOneWayOfAFullArticle(t *testing.T) {
	s := newOneWay(t, 10_000)
	for range maxSlots/10_000 - 1 {
		s.do(IncreaseQuantity{Article: s.first, Location: s.there, Amount: 10_000})
	}
	end := noon + day
	o := s.do(s.trip(noon, end, 1)).(*OrderRecord)
	stock := func() []int { return []int{s.stock(s.loc, end, end+day), s.stock(s.there, end, end+day)} }
	require.Equal(t, []int{10_000, maxSlots - 10_000}, stock())
	s.do(FulfillOrder{ID: o.ID})
	s.do(ReturnOrder{ID: o.ID})
	require.Equal(t, []int{10_000, maxSlots - 10_000}, stock())
}
