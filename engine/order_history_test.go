package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the tests of what the log knows of changes: of an order, and of units that go to another article.

// history reads all changes of an order, so many at a time, the oldest first.
func (s *shop) history(id base.ID, most int) (list []OrderChange, whole bool) {
	s.T.Helper()
	var upTo OrderPoint
	for {
		part, older, whole, err := s.OrderHistory(s.T.Context(), s.view(), id, upTo, most)
		require.NoError(s.T, err)
		require.LessOrEqual(s.T, len(part), most)
		list = append(list, part...)
		if older == (OrderPoint{}) {
			slices.Reverse(list)
			return list, whole
		}
		require.Len(s.T, part, most)
		upTo = older
	}
}

// TestOrderHistorySaysWhatWasChanged goes the way of an order, and reads at the end what was done to it.
func TestOrderHistorySaysWhatWasChanged(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 2)
	from, to := s.now+day, s.now+2*day
	r := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc}, Lines: []order.OrderLineInput{
		{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to,
			UnitPrice: ptr(int64(900))},
	}}).(*order.OrderRecord)
	steps := []struct {
		op      base.Op
		differs []string
		status  order.OrderStatus
	}{
		{order.AddComment{Order: r.ID, Content: "late"}, []string{"comments"}, order.OrderDraft},
		{order.ConfirmOrder{ID: r.ID}, []string{"status", "stockItems"}, order.OrderOpen},
		{order.AddPayment{Order: r.ID, Kind: order.Capture, Amount: 900}, []string{"payments"}, order.OrderOpen},
		{order.PatchOrder{ID: r.ID, Fields: base.Changed(order.OrderInput{Note: new("bell")})}, []string{"note"},
			order.OrderOpen},
		{order.PrepareOrder{ID: r.ID}, []string{"stockItems"}, order.OrderOpen},
		{order.FulfillOrder{ID: r.ID}, []string{"status", "stockItems"}, order.OrderActive},
		{order.ReturnOrder{ID: r.ID}, []string{"status", "stockItems"}, order.OrderClosed},
		{order.ArchiveOrder{ID: r.ID, Archive: true}, []string{"archivedAt"}, order.OrderClosed},
	}
	for _, x := range steps {
		s.now += hour
		s.do(x.op)
	}
	list, whole := s.history(r.ID, 3)
	require.True(t, whole)
	require.Len(t, list, 1+len(steps))
	require.Equal(t, base.Created, list[0].Kind)
	require.Empty(t, list[0].Differs)
	for i, x := range steps {
		c := list[1+i]
		require.Equal(t, []any{base.Updated, "test", x.status, uint64(i + 2), noon + int64(i+1)*hour},
			[]any{c.Kind, c.Actor, c.Status, c.Revision, c.At})
		for _, name := range x.differs {
			require.Contains(t, c.Differs, name)
		}
	}
	require.Equal(t, []string{"comments"}, list[1].Differs)
	require.Equal(t, []string{"payments"}, list[3].Differs)
	require.Equal(t, []string{"note"}, list[4].Differs)
	require.Equal(t, []string{"lineItems", "stockItems"}, list[5].Differs)
	_, _, _, err := s.OrderHistory(s.T.Context(), s.view(), base.ID{9}, OrderPoint{}, 1)
	require.Equal(t, base.CodeNotFound, err.(*base.Error).Code)
}

// Whatever changes what an order or a line of it costs is named, as is what the codes take off.
func TestOrderHistorySaysThatPricesHaveChanged(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 9)
	s.do(commerce.CreateDiscountCode{
		DiscountTerms: commerce.DiscountTerms{Code: "ten", ValueType: commerce.DiscountPercentage, Value: 10}})
	op := s.rental(order.OrderDraft, base.Item{SKU: sku}, s.now+day, s.now+2*day, 1)
	op.Lines[0].UnitPrice = new(int64(900))
	op.Lines = append(op.Lines, op.Lines[0])
	r := s.do(op).(*order.OrderRecord)
	line := func(f order.OrderLineInput) base.Op {
		return order.PatchOrderLine{Order: r.ID, ID: r.Lines[0].ID, Fields: base.Changed(f)}
	}
	for _, x := range []struct {
		op      base.Op
		differs []string
	}{
		{line(order.OrderLineInput{Quantity: 3}), []string{"lineItems", "pricing", "stockItems"}},
		{line(order.OrderLineInput{UnitPrice: new(int64(800))}), []string{"lineItems", "pricing"}},
		{line(order.OrderLineInput{TaxRate: new(1000)}), []string{"lineItems", "pricing"}},
		{line(order.OrderLineInput{Note: new("bell")}), []string{"lineItems"}},
		{order.ApplyDiscount{Order: r.ID, Code: "ten"}, []string{"lineItems", "pricing"}},
		{order.RemoveDiscount{Order: r.ID, Code: "ten"}, []string{"lineItems", "pricing"}},
		{order.DeleteOrderLine{Order: r.ID, ID: r.Lines[1].ID}, []string{"lineItems", "pricing", "stockItems"}},
	} {
		s.do(x.op)
		list, _ := s.history(r.ID, 9)
		require.Equal(t, x.differs, list[len(list)-1].Differs, "%T", x.op)
	}
	r = s.do(order.ConfirmOrder{ID: r.ID}).(*order.OrderRecord)
	s.do(order.CancelUnit{Order: r.ID, Unit: r.Lines[0].Units[0].ID})
	list, _ := s.history(r.ID, 9)
	require.Equal(t, []string{"lineItems", "pricing", "stockItems"}, list[len(list)-1].Differs)
}

// Each assignment that puts a unit on another article is a change of the order, also of a unit whose article was named
// before, and within one instant. One that leaves all as it was is none.
func TestOrderHistoryHasEachAssignment(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	first, second := s.article(sku, 1), s.article(sku, 1)
	r := s.do(s.rental(order.OrderOpen, base.Item{SKU: sku}, s.now+day, s.now+2*day, 1)).(*order.OrderRecord)
	unit := r.Lines[0].Units[0].ID
	at := r.UpdatedAt
	for i, x := range []struct {
		to       base.ID
		by       int64
		revision uint64
	}{{second, hour, 2}, {first, hour, 3}, {second, 0, 4}, {second, hour, 4}, {first, 0, 5}} {
		if s.now += x.by; r.Revision != x.revision {
			at = s.now
		}
		r = s.do(order.AssignUnit{Order: r.ID, Unit: unit, Article: x.to}).(*order.OrderRecord)
		require.Equal(t, []any{x.to, x.revision, at, at},
			[]any{r.Units[0].Article, r.Revision, r.UpdatedAt, r.Lines[0].Units[0].UpdatedAt}, i)
	}
	list, whole := s.history(r.ID, 9)
	require.True(t, whole)
	require.Len(t, list, 5)
	for _, c := range list[1:] {
		require.Equal(t, []string{"stockItems"}, c.Differs)
		require.Len(t, c.Moved, 1)
	}
}

// asksTheIndex has each search in the log go on from record to record by the index.
func asksTheIndex(t *testing.T) {
	of := searchBytes
	searchBytes = 1
	t.Cleanup(func() { searchBytes = of })
}

// TestHistoryOfAPointThatWasMadeUp asks from points that no answer gave: those beyond the order are refused, and from
// the others the records that are not the account's are read once at most, while the reader is there.
func TestHistoryOfAPointThatWasMadeUp(t *testing.T) {
	asksTheIndex(t)
	s := newShop(t)
	other := s.tenants(1)[0]
	id := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc}}).(*order.OrderRecord).ID
	quiet := func(n int) {
		for range n {
			s.now += 1000
			_, err := s.Do(Command{Account: other, Actor: "test", Op: place("There")})
			require.NoError(t, err)
		}
	}
	ask := func(p OrderPoint) []OrderChange {
		t.Helper()
		list, older, whole, err := s.OrderHistory(t.Context(), s.view(), id, p, 10)
		require.NoError(t, err)
		require.Zero(t, older)
		require.Equal(t, len(list) > 0, whole)
		return list
	}
	made, first := s.now, s.view().Seq
	quiet(300)
	s.do(order.AddComment{Order: id, Content: "x"})
	changed := s.now
	quiet(300)
	for _, p := range []OrderPoint{{3, changed}, {999999, changed}, {1, changed + 1}, {2, changed - 1}, {2, made}} {
		_, _, _, err := s.OrderHistory(t.Context(), s.view(), id, p, 10)
		require.Equal(t, base.CodeInvalid, err.(*base.Error).Code)
		require.Equal(t, "/before", err.(*base.Error).Faults[0].Pointer)
	}
	require.Zero(t, s.logIndex.high, "no record was looked for")

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, _, err := s.OrderHistory(gone, s.view(), id, OrderPoint{1, made + 1}, 10)
	require.Equal(t, base.CodeNotReady, err.(*base.Error).Code)
	require.Empty(t, ask(OrderPoint{1, made + 1}), "there is none between")
	require.LessOrEqual(t, s.logIndex.low, first+2, "what lies between is known from now on")
	require.Empty(t, ask(OrderPoint{1, changed}))
	require.Len(t, ask(OrderPoint{1, made}), 1)
	require.Len(t, ask(OrderPoint{2, changed}), 2)
	require.Len(t, ask(OrderPoint{}), 2)
}

// TestHistoryLeavesOutHowAnOrderIsKept keeps an order in another way where the log has forgotten what made it, as a
// start does on a backup of an older program: that is no change of the order, and the log knows of none.
func TestHistoryLeavesOutHowAnOrderIsKept(t *testing.T) {
	s := newShop(t)
	s.forgets()
	id := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc}}).(*order.OrderRecord).ID
	made, _ := s.State()
	for s.store.Marker().FirstKept <= made { // all at one instant: the log is searched from there on
		s.do(stock.CreateLocation{LocationFields: stock.LocationFields{Name: "x", Timezone: "UTC"}})
	}
	s.do(uncopied{ID: id})
	list, older, whole, err := s.OrderHistory(s.T.Context(), s.view(), id, OrderPoint{}, 3)
	require.NoError(t, err)
	require.Empty(t, list)
	require.Zero(t, older)
	require.False(t, whole)
}

// TestHistoryAndFeedAgreeWithWhatWasSeen plays orders and bookings that push each other from bike to bike, at few
// instants, amid another account's commands, and notes after each command what is another than before it. History and
// feed have to tell just that.
func TestHistoryAndFeedAgreeWithWhatWasSeen(t *testing.T) {
	long(t)
	all := 0
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			if seed%2 > 0 {
				asksTheIndex(t)
			}
			s := newShop(t)
			other := base.MakeID(noon, base.Base{Lo: 77})
			_, err := s.Do(Command{Account: other, Actor: "test",
				Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "x"}}})
			require.NoError(t, err)
			sku := s.sku()
			for range 4 {
				s.article(sku, 1)
			}
			var orders []base.ID
			want := map[base.ID][]OrderChange{}
			revision := map[base.ID]uint64{}
			type place struct {
				article base.ID
				body    base.Span
			}
			on := map[base.ID]place{}       // where each unit is
			moves := map[uint64][]base.ID{} // the units that each command has moved
			note := func(before uint64) {   // what the last command has changed
				v := s.view()
				if v.Sequence() == before {
					return
				}
				now := map[base.ID]place{}
				for u := range v.Acc.Stock.Overlapping(base.Span{Start: 0, End: base.Forever}) {
					if !u.Place.Seated() {
						continue
					}
					_, article := stock.StockOf(v.Acc, v.Acc.Stock.Lot(u.Place.Lot).Article)
					now[u.ID] = place{article, u.Body()}
				}
				var moved []UnitMove
				for id, is := range now {
					if was, ok := on[id]; ok && was.article != is.article && was.body == is.body {
						moved = append(moved, UnitMove{id, was.article, is.article})
						moves[v.Sequence()] = append(moves[v.Sequence()], id)
					}
				}
				on = now
				for _, id := range orders {
					o := order.OrderByID(v, id)
					if o == nil || o.Revision == revision[id] {
						continue
					}
					c := OrderChange{Sequence: v.Sequence(), At: o.UpdatedAt, Actor: "test", Kind: base.Updated,
						Revision: o.Revision, Status: o.Status}
					if revision[id] == 0 {
						c.Kind = base.Created
					}
					revision[id] = o.Revision
					for _, m := range moved {
						if u, ok := stock.UnavailabilityByID(v, m.Unit); ok && u.Owner == id {
							c.Moved = append(c.Moved, m)
						}
					}
					want[id] = append(want[id], c)
				}
			}
			for range 300 {
				if rnd.IntN(3) == 0 {
					s.now += int64(rnd.IntN(2)) * hour / 4
				}
				if rnd.IntN(3) == 0 {
					_, err := s.Do(Command{Account: other, Actor: "test",
						Op: label.CreateTag{
							TagFields: label.TagFields{Value: fmt.Sprint(rnd.Uint32()), Scope: label.TagOrders}}})
					require.NoError(t, err)
				}
				before := s.view().Sequence()
				from := s.now + int64(rnd.IntN(12))*hour
				to := from + int64(1+rnd.IntN(9))*hour
				pick := func() base.ID {
					if len(orders) == 0 {
						return base.ID{1}
					}
					return orders[max(0, len(orders)-1-rnd.IntN(6))]
				}
				var op base.Op
				switch rnd.IntN(8) {
				case 0, 1:
					op = order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
						Lines: []order.OrderLineInput{
							{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from,
								To: &to},
						}}
				case 2, 3:
					op = hold.PlaceHold{
						Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: s.loc,
							Window: base.Span{Start: from, End: to}, Quantity: 1}}}
				case 4:
					op = order.AddComment{Order: pick(), Content: "x"}
				case 5:
					op = order.FulfillOrder{ID: pick()}
				case 6:
					op = order.ReturnOrder{ID: pick()}
				case 7:
					op = order.CancelOrder{ID: pick()}
				}
				res, err := s.try(op)
				if r, ok := res.(*order.OrderRecord); ok && err == nil && !slices.Contains(orders, r.ID) {
					orders = append(orders, r.ID)
				}
				note(before)
				if rnd.IntN(60) == 0 {
					s.reopen()
				}
			}
			moved := 0
			for _, id := range orders {
				got, whole := s.history(id, 1+rnd.IntN(4))
				require.True(t, whole)
				for i := range got {
					got[i].Differs = nil
					moved += len(got[i].Moved)
					slices.SortFunc(got[i].Moved, func(a, b UnitMove) int { return a.Unit.Compare(b.Unit) })
				}
				for _, c := range want[id] {
					slices.SortFunc(c.Moved, func(a, b UnitMove) int { return a.Unit.Compare(b.Unit) })
				}
				require.Equal(t, want[id], got)
			}
			feed, err := s.feed(s.acc, 0, 7)
			require.NoError(t, err)
			told := map[uint64][]base.ID{}
			for _, c := range feed {
				for _, m := range c.Moved {
					require.NotEqual(t, m.From, m.To)
					told[c.Sequence] = append(told[c.Sequence], m.Unit)
				}
			}
			all += len(moves)
			require.Len(t, told, len(moves))
			for at := range moves {
				require.ElementsMatch(t, moves[at], told[at])
			}
		})
	}
	require.Greater(t, all, 6, "commands that moved units")
}
