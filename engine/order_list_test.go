package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowOrders is a list as it is meant: every order is judged, those that pass are counted, and a part of them is the page.
func (s *shop) slowOrders(q *OrderQuery) (page []ID, total int) {
	all := slices.Collect(s.view().acc.orders().All())
	if q.Desc {
		slices.Reverse(all)
	}
	for _, o := range all {
		archived := o.ArchivedAt != 0
		switch {
		case q.Status != nil && !slices.Contains(q.Status, o.Status), archived && !q.Archived, !archived && !q.Active,
			q.Number != nil && o.Number != *q.Number,
			q.Customer != nil && o.Customer != *q.Customer && !slices.ContainsFunc(o.Rest().Customers, func(c OrderCustomer) bool { return c.Customer == *q.Customer }),
			q.Created != nil && (CreatedAt(o.ID) < q.Created.Start || CreatedAt(o.ID) > q.Created.End):
			continue
		}
		if total++; total > q.Offset && len(page) < q.Limit {
			page = append(page, o.ID)
		}
	}
	return page, total
}

func TestListsOfOrdersAgainstASlowOne(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 10)
	bike := Item{SKU: sku}
	dice := rand.New(rand.NewPCG(1, 2))
	var customers []ID
	for i := range 2 {
		customers = append(customers, s.do(CreateCustomer{Contact: ContactPatch{FirstName: Some(fmt.Sprint("Customer ", i))}}).(*Customer).ID)
	}
	for range 80 {
		s.now += int64(dice.IntN(3)) * hour
		o := s.rental(OrderStatus(dice.IntN(2)), bike, s.now, s.now+hour, 1)
		if n := dice.IntN(3); n < len(customers) {
			o.Customer = &customers[n]
		}
		for range dice.IntN(3) {
			o.Customers = append(o.Customers, OrderCustomerInput{Customer: &customers[dice.IntN(2)]})
		}
		o.AllowOverbooked = true
		r := s.do(o).(*OrderRecord)
		step := dice.IntN(5)
		if r.Status == OrderOpen && step > 0 {
			s.do(FulfillOrder{ID: r.ID})
			if step > 1 {
				s.do(ReturnOrder{ID: r.ID})
			}
			if step > 3 {
				s.do(ArchiveOrder{ID: r.ID, Archive: true})
			}
		}
	}
	maybe := func() bool { return dice.IntN(3) == 0 }
	for range 2000 {
		q := &OrderQuery{Active: !maybe(), Archived: maybe(), Desc: maybe(), Offset: dice.IntN(30), Limit: 1 + dice.IntN(20)}
		for status := range OrderStatuses {
			if maybe() {
				q.Status = append(q.Status, OrderStatus(status))
			}
		}
		if maybe() {
			from := noon + int64(dice.IntN(80))*hour
			q.Created = &Span{Start: from, End: from + int64(dice.IntN(40))*hour}
		}
		if maybe() {
			q.Customer = &customers[dice.IntN(2)]
		}
		if dice.IntN(10) == 0 {
			q.Number = ptr(uint32(dice.IntN(90)))
		}
		want, total := s.slowOrders(q)
		list, n := s.view().ListOrders(q)
		var ids []ID
		for _, o := range list {
			ids = append(ids, o.ID)
		}
		require.Equal(t, total, n, "%+v", q)
		require.Equal(t, want, ids, "%+v", q)
	}
}
