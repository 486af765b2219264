package engine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the figures of the list of orders: a page by each filter and sort, what the index takes for an order, and what it costs
// a write. ORDERS says how many orders there are.

// orderCrowd is an account with many orders, which no command made, and the bytes that the index takes of each.
func orderCrowd(b *testing.B) (a *account, perOrder float64) {
	n := 100_000
	if s := os.Getenv("ORDERS"); s != "" {
		var err error
		n, err = strconv.Atoi(s)
		require.NoError(b, err)
	}
	a = newAccount(makeID(1, Base{}))
	dice := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		a.orders().Put(drawnOrder(dice, uint32(i+1)))
	}
	before := heapInUse()
	a.loadOrderIndex()
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
func drawnOrder(dice *rand.Rand, no uint32) *Order {
	place := func() ID { return makeID(2, Base{lo: uint64(dice.IntN(8))}) }
	m := dice.IntN(200_000)
	first, email := fmt.Sprint("Customer", m%5000), fmt.Sprint("c", m, "@example.com")
	from := noon + int64(dice.IntN(730*24))*hour
	o := &Order{
		ID: makeID(noon+int64(no)*1000, Base{}), Number: no, Status: OrderStatus(dice.IntN(4)), Channel: newWord(Channels[dice.IntN(3)]),
		Customer: makeID(3, Base{lo: uint64(m)}), Pickup: place(), Return: place(), UpdatedAt: noon + int64(no)*1000 + int64(dice.IntN(90))*day,
		OrderCopies: OrderCopies{Contact: &Contact{FirstName: &first, Email: &email}, Currency: newWord("EUR")},
		Lines: []OrderLine{{
			Purchase: purchaseOf(PurchaseBooking), Quantity: 1, From: from, To: from + int64(1+dice.IntN(14))*day, UnitPrice: int64(dice.IntN(100_000)),
			Name: newWord([]string{"Mountain bike", "Road bike", "Tent", "Camera body"}[dice.IntN(4)]),
		}},
	}
	state := []Fulfillment{Pending, Pending, Fulfilled, Returned}[o.Status]
	o.Lines[0].Units = []OrderUnit{{State: state}}
	if o.Status == OrderClosed && dice.IntN(4) == 0 {
		o.ArchivedAt = 1
	}
	return o
}

func BenchmarkListOrders(b *testing.B) {
	a, perOrder := orderCrowd(b)
	v := View{acc: a}
	now := int64(noon + 400*day)
	somewhere := makeID(2, Base{})
	somebody := makeID(3, Base{lo: 77})
	no := false
	filters := []struct {
		name string
		q    OrderQuery
	}{
		{"all", OrderQuery{Archived: true}}, {"active", OrderQuery{}}, {"open", OrderQuery{Status: []OrderStatus{OrderOpen}}},
		{"returned", OrderQuery{Fulfillment: []Fulfillment{Returned}}}, {"no-conflict", OrderQuery{Conflict: &no}}, {"late", OrderQuery{Late: []Lateness{LateReturn}, Now: now}},
		{"pickup-place", OrderQuery{Pickup: []ID{somewhere}}}, {"pickup-day", OrderQuery{Start: &Span{Start: now, End: now + day}}},
		{"pickup-year", OrderQuery{Start: &Span{Start: noon, End: noon + 365*day}}}, {"return-day", OrderQuery{End: &Span{Start: now, End: now + day}}},
		{"window", OrderQuery{Window: &Span{Start: now, End: now + day}}}, {"customer", OrderQuery{Customer: &somebody}},
		{"channel", OrderQuery{Channel: []string{"online"}}}, {"word", OrderQuery{Search: "bike"}}, {"letter", OrderQuery{Search: "c"}}, {"word-begins", OrderQuery{Search: "custo"}}, {"number-begins", OrderQuery{Search: "customer1"}}, {"name", OrderQuery{Search: "customer77"}},
		{"several", OrderQuery{Status: []OrderStatus{OrderOpen, OrderActive}, Pickup: []ID{somewhere}, Channel: []string{"online"}, Start: &Span{Start: noon, End: noon + 365*day}, Search: "bike"}},
	}
	for _, f := range filters {
		for _, sort := range []OrderSort{OrdersByCreatedAt, OrdersByStart, OrdersByTotal} {
			for _, page := range []string{"first", "middle"} {
				q := f.q
				q.Active, q.Limit, q.Sort = true, 50, sort
				_, total := v.ListOrders(&q)
				if page == "middle" {
					q.Offset = total / 2
				}
				b.Run(fmt.Sprintf("%s/%s/%s", f.name, sort, page), func(b *testing.B) {
					runtime.LockOSThread() // each runs on a goroutine of its own
					defer runtime.UnlockOSThread()
					worked := threadTime()
					for b.Loop() {
						v.ListOrders(&q)
					}
					b.ReportMetric(float64(threadTime()-worked)/float64(b.N), "cpu-ns/op")
					b.ReportMetric(float64(total), "orders")
				})
			}
		}
	}
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			v.ListOrders(&filters[0].q)
		}
		b.ReportMetric(perOrder, "B/order")
	})
}

// BenchmarkOrderIndex is what the index adds to a write, a version every so many: an order that is made, and one that goes on by a step.
func BenchmarkOrderIndex(b *testing.B) {
	a, _ := orderCrowd(b)
	x, dice, last := a.orderIndex(), rand.New(rand.NewPCG(3, 4)), a.lastOrder()
	for _, every := range []int{1, 25} {
		b.Run(fmt.Sprintf("made/every=%d", every), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				no := last + uint32(i+1)
				x.change(no, orderEntry{}, drawnOrder(dice, no).entry())
				if i++; i%every == 0 {
					x.publish()
				}
			}
			last += uint32(i)
		})
		b.Run(fmt.Sprintf("step/every=%d", every), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				no := 1 + dice.Uint32N(90_000)
				o := a.orders().No(no)
				n := *o
				n.Status, n.UpdatedAt = (o.Status+1)%4, o.UpdatedAt+1
				x.change(no, o.entry(), n.entry())
				a.orders().Put(&n)
				if i++; i%every == 0 {
					x.publish()
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
