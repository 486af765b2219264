package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of what the log knows of changes: of an order, and of units that go to another article.

// history reads all changes of an order, so many at a time, the oldest first.
func (s *shop) history(id ID, most int) (list []OrderChange, whole bool) {
	s.T.Helper()
	var upTo OrderPoint
	for {
		part, older, whole, err := s.OrderHistory(s.view(), id, upTo, most)
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
	r := s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc}, Lines: []OrderLineInput{
		{Item: Item{SKU: sku}, Purchase: PurchaseBooking, Quantity: 1, From: &from, To: &to, UnitPrice: ptr(int64(900))},
	}}).(*OrderRecord)
	steps := []struct {
		op      Op
		differs []string
		status  OrderStatus
	}{
		{AddComment{Order: r.ID, Content: "late"}, []string{"comments"}, OrderDraft},
		{ConfirmOrder{ID: r.ID}, []string{"status", "stockItems"}, OrderOpen},
		{AddPayment{Order: r.ID, Kind: Capture, Amount: 900}, []string{"payments"}, OrderOpen},
		{PatchOrder{ID: r.ID, Note: Some("bell")}, []string{"note"}, OrderOpen},
		{PrepareOrder{ID: r.ID}, []string{"stockItems"}, OrderOpen},
		{FulfillOrder{ID: r.ID}, []string{"status", "stockItems"}, OrderActive},
		{ReturnOrder{ID: r.ID}, []string{"status", "stockItems"}, OrderClosed},
		{ArchiveOrder{ID: r.ID, Archive: true}, []string{"archivedAt"}, OrderClosed},
	}
	for _, x := range steps {
		s.now += hour
		s.do(x.op)
	}
	list, whole := s.history(r.ID, 3)
	require.True(t, whole)
	require.Len(t, list, 1+len(steps))
	require.Equal(t, Created, list[0].Kind)
	require.Empty(t, list[0].Differs)
	for i, x := range steps {
		c := list[1+i]
		require.Equal(t, []any{Updated, "test", x.status, uint64(i + 2), noon + int64(i+1)*hour}, []any{c.Kind, c.Actor, c.Status, c.Revision, c.At})
		for _, name := range x.differs {
			require.Contains(t, c.Differs, name)
		}
	}
	require.Equal(t, []string{"comments"}, list[1].Differs)
	require.Equal(t, []string{"payments"}, list[3].Differs)
	require.Equal(t, []string{"note"}, list[4].Differs)
	require.Equal(t, []string{"stockItems"}, list[5].Differs)
	_, _, _, err := s.OrderHistory(s.view(), ID{9}, OrderPoint{}, 1)
	require.Equal(t, CodeNotFound, err.(*Error).Code)
}

// TestHistoryLeavesOutHowAnOrderIsKept keeps an order in another way where the log has forgotten what made it, as a start does on a backup of
// an older program: that is no change of the order, and the log knows of none.
func TestHistoryLeavesOutHowAnOrderIsKept(t *testing.T) {
	s := newShop(t)
	s.forgets()
	id := s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc}}).(*OrderRecord).ID
	made, _ := s.State()
	for s.store.Marker().FirstKept <= made { // all at one instant: the log is searched from there on
		s.do(CreateLocation{Name: "x", Timezone: "UTC"})
	}
	s.do(uncopied{id})
	list, older, whole, err := s.OrderHistory(s.view(), id, OrderPoint{}, 3)
	require.NoError(t, err)
	require.Empty(t, list)
	require.Zero(t, older)
	require.False(t, whole)
}

// TestHistoryAndFeedAgreeWithWhatWasSeen plays orders and bookings that push each other from bike to bike, at few instants, amid another account's
// commands, and notes after each command what is another than before it. History and feed have to tell just that.
func TestHistoryAndFeedAgreeWithWhatWasSeen(t *testing.T) {
	all := 0
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			s := newShop(t)
			other := makeID(noon, Base{lo: 77})
			_, err := s.Do(Command{Account: other, Actor: "test", Op: CreateAccount{Name: "x"}})
			require.NoError(t, err)
			sku := s.sku()
			for range 4 {
				s.article(sku, 1)
			}
			var orders []ID
			want := map[ID][]OrderChange{}
			revision := map[ID]uint64{}
			type place struct {
				article ID
				body    Span
			}
			on := map[ID]place{}          // where each unit is
			moves := map[uint64][]ID{}    // the units that each command has moved
			note := func(before uint64) { // what the last command has changed
				v := s.view()
				if v.Sequence() == before {
					return
				}
				now := map[ID]place{}
				for u := range v.acc.stock.Overlapping(Span{Start: 0, End: Forever}) {
					if !u.Place.Seated() {
						continue
					}
					_, article := v.acc.stockOf(v.acc.stock.Lot(u.Place.Lot).Article)
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
					o := v.Order(id)
					if o == nil || o.Revision == revision[id] {
						continue
					}
					c := OrderChange{Sequence: v.Sequence(), At: o.UpdatedAt, Actor: "test", Kind: Updated, Revision: o.Revision, Status: o.Status}
					if revision[id] == 0 {
						c.Kind = Created
					}
					revision[id] = o.Revision
					for _, m := range moved {
						if u, ok := v.Unavailability(m.Unit); ok && u.Owner == id {
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
					_, err := s.Do(Command{Account: other, Actor: "test", Op: CreateTag{Value: fmt.Sprint(rnd.Uint32()), Scope: TagOrders}})
					require.NoError(t, err)
				}
				before := s.view().Sequence()
				from := s.now + int64(rnd.IntN(12))*hour
				to := from + int64(1+rnd.IntN(9))*hour
				pick := func() ID {
					if len(orders) == 0 {
						return ID{1}
					}
					return orders[max(0, len(orders)-1-rnd.IntN(6))]
				}
				var op Op
				switch rnd.IntN(8) {
				case 0, 1:
					op = CreateOrder{OrderInput: OrderInput{Status: OrderOpen, Pickup: s.loc}, Lines: []OrderLineInput{
						{Item: Item{SKU: sku}, Purchase: PurchaseBooking, Quantity: 1, From: &from, To: &to},
					}}
				case 2, 3:
					op = PlaceHold{Lines: []HoldLineInput{{Item: Item{SKU: sku}, Location: s.loc, Window: Span{Start: from, End: to}, Quantity: 1}}}
				case 4:
					op = AddComment{Order: pick(), Content: "x"}
				case 5:
					op = FulfillOrder{ID: pick()}
				case 6:
					op = ReturnOrder{ID: pick()}
				case 7:
					op = CancelOrder{ID: pick()}
				}
				res, err := s.try(op)
				if r, ok := res.(*OrderRecord); ok && err == nil && !slices.Contains(orders, r.ID) {
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
			told := map[uint64][]ID{}
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
