package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns the stories of how subscriptions of orders end.

// subscribed is an order of units of one article by the day, and the ids of the units.
func (s *shop) subscribed(units int, to *int64) (o *order.OrderRecord, ids []base.ID) {
	s.T.Helper()
	o = s.order(base.Item{Article: s.article(base.ID{}, units)}, base.PurchaseSubscription, s.now, to, units, false)
	for _, u := range o.Lines[0].Units {
		ids = append(ids, u.ID)
	}
	return o, ids
}

// subscription is what the subscription of an order's first line says, with the order's status.
type subscription struct {
	order         order.OrderStatus
	status        order.SubscriptionStatus
	next          int64
	ends, endedAt int64
}

func (s *shop) subscription(o *order.OrderRecord) subscription {
	s.T.Helper()
	require.NoError(s.T, s.Tick(s.T.Context()))
	r := order.OrderByID(s.view(), o.ID)
	x := r.Lines[0].Subscription
	return subscription{r.Status, x.Status(r.Order), x.NextBillingAt, x.CancelAt, x.CancelledAt}
}

// A subscription ends as the last of its units comes back or is cancelled, whichever of the two comes last.
func TestSubscriptionEndsWithItsLastUnit(t *testing.T) {
	for name, returnedLast := range map[string]bool{"returned": true, "cancelled": false} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			o, units := s.subscribed(2, nil)
			begun := s.now
			s.do(order.FulfillOrder{ID: o.ID, Units: units[:1]})
			steps := []base.Op{order.ReturnOrder{ID: o.ID, Units: units[:1]},
				order.CancelUnit{Order: o.ID, Unit: units[1]}}
			if returnedLast {
				steps[0], steps[1] = steps[1], steps[0]
			}
			s.now += hour
			s.do(steps[0])
			require.Equal(t, subscription{order.OrderActive, order.SubscriptionActive, begun + day, 0, 0},
				s.subscription(o))
			s.now += hour
			s.do(steps[1])
			over := subscription{order.OrderClosed, order.SubscriptionCancelled, 0, s.now, s.now}
			require.Equal(t, over, s.subscription(o))
			s.now += 3 * day
			require.Equal(t, over, s.subscription(o))
			s.reopen()
		})
	}
}
