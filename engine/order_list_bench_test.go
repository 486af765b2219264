package engine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns the figures of the list of orders: a page by each filter and sort, what the index takes for an order,
// and what it costs a write. ORDERS says how many orders there are.

// orderCrowd is an account with many orders, which no command made, and the bytes that the index takes of each.
func orderCrowd(b *testing.B) (a *base.AccountState, perOrder float64) {
	n := 100_000
	if s := os.Getenv("ORDERS"); s != "" {
		var err error
		n, err = strconv.Atoi(s)
		require.NoError(b, err)
	}
	a = base.NewAccount(base.MakeID(1, base.Base{}))
	dice := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		order.OrderTable(a).Put(drawnOrder(dice, uint32(i+1)))
	}
	before := heapInUse()
	order.LoadOrderIndex(a)
	return a, float64(heapInUse()-before) / float64(n)
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// drawnOrder is an order of one of many customers, at one of eight places, some time in two years.
func drawnOrder(dice *rand.Rand, no uint32) *order.Order {
	place := func() base.ID { return base.MakeID(2, base.Base{Lo: uint64(dice.IntN(8))}) }
	m := dice.IntN(200_000)
	first, email := fmt.Sprint("Customer", m%5000), fmt.Sprint("c", m, "@example.com")
	from := noon + int64(dice.IntN(730*24))*hour
	o := &order.Order{
		ID: base.MakeID(noon+int64(no)*1000, base.Base{}), Number: no, Status: order.OrderStatus(dice.IntN(4)),
		Channel:  base.NewWord(order.Channel("").Words()[dice.IntN(3)]),
		Customer: base.MakeID(3, base.Base{Lo: uint64(m)}), Pickup: place(), Return: place(),
		UpdatedAt: noon + int64(no)*1000 + int64(dice.IntN(90))*day,
		OrderCopies: order.OrderCopies{Contact: &commerce.Contact{FirstName: &first, Email: &email},
			Currency: base.NewWord("EUR")},
		Lines: []order.OrderLine{{
			Purchase: base.PurchaseOf(base.PurchaseBooking), Quantity: 1, From: from,
			To: from + int64(1+dice.IntN(14))*day, UnitPrice: int64(dice.IntN(100_000)),
			Name: base.NewWord([]string{"Mountain bike", "Road bike", "Tent", "Camera body"}[dice.IntN(4)]),
		}},
	}
	state := []order.Fulfillment{order.Pending, order.Pending, order.Fulfilled, order.Returned}[o.Status]
	o.Lines[0].Units = []order.OrderUnit{{State: state}}
	if o.Status == order.OrderClosed && dice.IntN(4) == 0 {
		o.ArchivedAt = 1
	}
	return o
}

func BenchmarkListOrders(b *testing.B) {
	a, perOrder := orderCrowd(b)
	v := base.View{Acc: a}
	now := int64(noon + 400*day)
	somewhere := base.MakeID(2, base.Base{})
	somebody := base.MakeID(3, base.Base{Lo: 77})
	no := false
	filters := []struct {
		name string
		q    order.OrderQuery
	}{
		{"all", order.OrderQuery{Archived: true}}, {"active", order.OrderQuery{}},
		{"open", order.OrderQuery{Status: []order.OrderStatus{order.OrderOpen}}},
		{"returned", order.OrderQuery{Fulfillment: []order.Fulfillment{order.Returned}}},
		{"no-conflict", order.OrderQuery{Conflict: &no}},
		{"late", order.OrderQuery{Late: []order.Lateness{order.LateReturn}, Now: now}},
		{"pickup-place", order.OrderQuery{Pickup: []base.ID{somewhere}}},
		{"pickup-day", order.OrderQuery{Start: &base.Span{Start: now, End: now + day}}},
		{"pickup-year", order.OrderQuery{Start: &base.Span{Start: noon, End: noon + 365*day}}},
		{"return-day", order.OrderQuery{End: &base.Span{Start: now, End: now + day}}},
		{"window", order.OrderQuery{Window: &base.Span{Start: now, End: now + day}}},
		{"customer", order.OrderQuery{Customer: &somebody}},
		{"channel", order.OrderQuery{Channel: []string{"online"}}}, {"word", order.OrderQuery{Search: "bike"}},
		{"letter", order.OrderQuery{Search: "c"}}, {"word-begins", order.OrderQuery{Search: "custo"}},
		{"number-begins", order.OrderQuery{Search: "customer1"}}, {"name", order.OrderQuery{Search: "customer77"}},
		{"several", order.OrderQuery{Status: []order.OrderStatus{order.OrderOpen, order.OrderActive},
			Pickup: []base.ID{somewhere}, Channel: []string{"online"},
			Start: &base.Span{Start: noon, End: noon + 365*day}, Search: "bike"}},
	}
	for _, f := range filters {
		for _, sort := range []order.OrderSort{order.OrdersByCreatedAt, order.OrdersByStart, order.OrdersByTotal} {
			for _, page := range []string{"first", "middle"} {
				q := f.q
				q.Active, q.Limit, q.Sort = true, 50, sort
				_, total := order.ListOrders(v, &q)
				if page == "middle" {
					q.Offset = total / 2
				}
				b.Run(fmt.Sprintf("%s/%s/%s", f.name, sort, page), func(b *testing.B) {
					runtime.LockOSThread() // each runs on a goroutine of its own
					defer runtime.UnlockOSThread()
					worked := threadTime()
					for b.Loop() {
						order.ListOrders(v, &q)
					}
					b.ReportMetric(float64(threadTime()-worked)/float64(b.N), "cpu-ns/op")
					b.ReportMetric(float64(total), "orders")
				})
			}
		}
	}
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			order.ListOrders(v, &filters[0].q)
		}
		b.ReportMetric(perOrder, "B/order")
	})
}

// BenchmarkOrderIndex is what the index adds to a write, a version every so many: an order that is made, and one that
// goes on by a step.
func BenchmarkOrderIndex(b *testing.B) {
	a, _ := orderCrowd(b)
	x, dice, last := order.OrderIndex(a), rand.New(rand.NewPCG(3, 4)), order.LastOrder(a)
	for _, every := range []int{1, 25} {
		b.Run(fmt.Sprintf("made/every=%d", every), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				no := last + uint32(i+1)
				x.Change(no, order.OrderEntry{}, drawnOrder(dice, no).Entry())
				if i++; i%every == 0 {
					x.Publish()
				}
			}
			last += uint32(i)
		})
		b.Run(fmt.Sprintf("step/every=%d", every), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				no := 1 + dice.Uint32N(90_000)
				o := order.OrderTable(a).No(no)
				n := *o
				n.Status, n.UpdatedAt = (o.Status+1)%4, o.UpdatedAt+1
				x.Change(no, o.Entry(), n.Entry())
				order.OrderTable(a).Put(&n)
				if i++; i%every == 0 {
					x.Publish()
				}
			}
		})
	}
	b.Run("drawn", func(b *testing.B) { // which is a part of made
		b.ReportAllocs()
		for b.Loop() {
			drawnOrder(dice, 1)
		}
	})
}
