package history

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the races of orders: for the last units, beside holds, and for the last use of a code.

func (s *shop) order(i base.Item, w base.Span, n int, status order.OrderStatus) order.CreateOrder {
	price := int64(1000)
	return order.CreateOrder{OrderInput: order.OrderInput{Status: status, Pickup: s.location},
		Lines: []order.OrderLineInput{
			{Item: i, Purchase: base.PurchaseBooking, Quantity: n, From: &w.Start, To: &w.End, UnitPrice: &price},
		}}
}

// TestRaceOfOrdersAndHolds lets clients go for k units at once, some by a hold, some by an order, some by the
// confirmation of a draft, and some by a hold that they make an order of. Each unit has one winner.
func TestRaceOfOrdersAndHolds(t *testing.T) {
	seed := newSeed(t)
	for name, stock := range map[string]func(*shop, int) base.Item{"singles": (*shop).singles, "lot": (*shop).lot} {
		for _, c := range []struct{ clients, units int }{{4, 1}, {12, 1}, {16, 7}, {60, 33}} {
			t.Run(fmt.Sprintf("%s/%d for %d", name, c.clients, c.units), func(t *testing.T) {
				s := newShop(t)
				item := stock(s, c.units)
				for round := range 3 {
					raceOrders(s, rand.New(rand.NewPCG(seed, uint64(round))), item, int64(3+10*round)*24*hour,
						c.clients, c.units)
				}
				s.reopen()
			})
		}
	}
}

func raceOrders(s *shop, rng *rand.Rand, item base.Item, ahead int64, clients, units int) {
	meet := today + ahead
	windows, drafts := make([]base.Span, clients), make([]base.ID, clients)
	for i := range windows {
		windows[i] = base.Span{Start: meet - rng.Int64N(48)*hour, End: meet + (1+rng.Int64N(48))*hour}
		if i%4 == 1 {
			drafts[i] = s.do(s.order(item, windows[i], 1, order.OrderDraft)).(*order.OrderRecord).ID
		}
	}
	taken, errs := make([]base.ID, clients), make([]error, clients) // unavailabilities
	together(clients, func(i int) {
		var res engine.Result
		var err error
		switch i % 4 {
		case 0:
			res, err = s.Do(s.command(s.order(item, windows[i], 1, order.OrderOpen)))
		case 1:
			res, err = s.Do(s.command(order.ConfirmOrder{ID: drafts[i]}))
		default:
			if res, err = s.Do(s.booking(item, windows[i], 1)); err == nil {
				h := res.Record.(*hold.Hold)
				if taken[i] = h.Lines[0].Units[0].ID; i%4 == 3 {
					res, err = s.Do(s.command(order.OrderHold{Holds: []base.ID{h.ID}}))
				}
			}
		}
		if errs[i] = err; err != nil {
			return
		}
		if o, is := res.Record.(*order.OrderRecord); is {
			if i%4 == 3 && o.Lines[0].Units[0].Hold != taken[i] {
				s.t.Errorf("the order has another unit than the hold had")
			}
			taken[i] = o.Lines[0].Units[0].Hold
		}
	})
	winners := 0
	v, _ := s.View(s.account)
	slots := map[base.ID]bool{}
	for i, err := range errs {
		if err != nil {
			require.ErrorIs(s.t, err, insufficient)
			if i%4 == 1 {
				require.Equal(s.t, order.OrderDraft, order.OrderByID(v, drafts[i]).Status)
			}
			continue
		}
		winners++
		u, ok := stock.UnavailabilityByID(v, taken[i])
		require.True(s.t, ok && !u.Conflict())
		slots[u.Slot] = true
	}
	require.Equal(s.t, min(clients, units), winners)
	require.Len(s.t, slots, winners)
	require.Equal(s.t, units-winners, s.available(item, base.Span{Start: meet, End: meet + 1}))
}

// TestRaceForLastUse lets clients apply a code of which some uses are left, each to an order of its own: so many win,
// whoever else is told that it is used up. Uses that are given back can be had again, once each.
func TestRaceForLastUse(t *testing.T) {
	usedUp := &base.Error{Code: base.CodeDiscountUsageLimit}
	for _, c := range []struct{ clients, uses int }{{8, 1}, {32, 1}, {40, 7}} {
		t.Run(fmt.Sprintf("%d for %d", c.clients, c.uses), func(t *testing.T) {
			s := newShop(t)
			item := s.lot(1)
			limit := int64(c.uses)
			code := s.do(commerce.CreateDiscountCode{DiscountTerms: commerce.DiscountTerms{
				Code: "Spring", ValueType: commerce.DiscountPercentage, Value: 10, UsageLimit: &limit,
			}}).(*commerce.DiscountCode).ID
			orders := make([]base.ID, c.clients)
			for i := range orders {
				w := base.Span{Start: today + 24*hour, End: today + 48*hour}
				orders[i] = s.do(s.order(item, w, 1, order.OrderDraft)).(*order.OrderRecord).ID
			}
			carry := func() (n int64) {
				v, _ := s.View(s.account)
				for o := range order.Orders(v).All() {
					p, ok := o.Price()
					require.True(t, ok)
					require.Equal(t, int64(100*len(o.Codes)), p.Discount)
					n += int64(len(o.Codes))
				}
				require.Equal(t, n, commerce.DiscountCodeByID(v, code).Used)
				return n
			}
			errs := make([]error, c.clients)
			apply := func(i int) {
				_, errs[i] = s.Do(s.command(order.ApplyDiscount{Order: orders[i], Code: "SPRING"}))
			}
			together(c.clients, apply)
			wins := 0
			for _, err := range errs {
				if err == nil {
					wins++
				} else {
					require.ErrorIs(t, err, usedUp)
				}
			}
			require.Equal(t, c.uses, wins)
			require.Equal(t, limit, carry())

			// Whoever has a use gives it back while the others go for it.
			won := make([]bool, c.clients)
			for i := range won {
				won[i] = errs[i] == nil
			}
			together(c.clients, func(i int) {
				if won[i] {
					if _, err := s.Do(s.command(order.RemoveDiscount{Order: orders[i], Code: "spring"})); err != nil {
						t.Error(err)
					}
					return
				}
				if apply(i); errs[i] != nil && !errors.Is(errs[i], usedUp) {
					t.Error(errs[i])
				}
			})
			require.LessOrEqual(t, carry(), limit)
			s.reopen()
			carry()
		})
	}
}
