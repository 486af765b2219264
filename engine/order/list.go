package order

import (
	"cmp"
	"slices"
	"sync"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns the list of orders: what may be asked, and how a page is found. Each filter is a set of numbers
// (filter.go); the page is picked of what is in all of them, from the nearer end of the order that is asked for. If one
// filter lets few through, the others judge only these. Only the orders of the page are rendered.

// OrderSort is what a list of orders is put in order by. Equal ones come by their numbers.
type OrderSort string

// The sorts of orders. Orders are numbered as they are made, so the first is also that by number.
const (
	OrdersByCreatedAt OrderSort = "createdAt"
	OrdersByUpdatedAt OrderSort = "updatedAt"
	OrdersByStart     OrderSort = "earliestStartDate"
	OrdersByEnd       OrderSort = "latestEndDate"
	OrdersByTotal     OrderSort = "total"
	OrdersByNumber    OrderSort = "number"
)

// OrderSorts are all of them.
var OrderSorts = []OrderSort{OrdersByCreatedAt, OrdersByUpdatedAt, OrdersByStart, OrdersByEnd, OrdersByTotal,
	OrdersByNumber}

// keysOfSorts are the keys of those that are not by number, with the term of the orders that have none.
var keysOfSorts = map[OrderSort]struct {
	key  orderKey
	none timeline.Term
}{
	OrdersByUpdatedAt: {key: keyUpdated}, OrdersByTotal: {key: keyTotal},
	OrdersByStart: {KeyStart, termNoStart.Of()}, OrdersByEnd: {keyEnd, termNoEnd.Of()},
}

// Lateness is how an order can be late.
type Lateness string

// A unit was not handed over though its line has begun, or is not back though its line is over.
const (
	LatePickup Lateness = "pickup"
	LateReturn Lateness = "return"
)

// OrderQuery says which orders are asked for. A member that is not set asks nothing; several values of one member are
// or-ed. Both ends of a span are in it, except those of Window.
type OrderQuery struct {
	Status      []OrderStatus
	Fulfillment []Fulfillment
	Conflict    *bool      // whether a unit of it has no stock
	Late        []Lateness // at Now
	Now         int64
	Channel     []string
	Pickup      []base.ID // the location that its stock is taken at
	Return      []base.ID // the location that its units come back to
	Customer    *base.ID  // a customer that it is for, also one of its list of customers
	Assigned    *base.ID  // the user that it is assigned to
	Tags        []base.ID
	Number      *uint32
	External    *string
	Active      bool // those that are not archived
	Archived    bool

	Window    *base.Span // a line is for some of it; a sale is at its beginning
	Created   *base.Span
	Updated   *base.Span
	Start     *base.Span // the first beginning of a line
	End       *base.Span // the last end of a line that has one
	PickupDue *base.Span // the first beginning of a line of which a unit is still to be handed over
	ReturnDue *base.Span // the first end of a line of which a unit is out

	Search string // words, each the beginning of one that the order has, or its whole number

	Sort   OrderSort // default OrdersByCreatedAt
	Desc   bool      // the greatest first; what has no value comes last all the same
	Offset int
	Limit  int
}

// ListOrders gives the page asked for, and how many orders pass.
func ListOrders(v base.View, q *OrderQuery) (page []*Order, total int) {
	return ListOrdersBy(v, q, FewOrders)
}

// ListOrdersBy is ListOrders, with how few orders are looked at one by one.
func ListOrdersBy(v base.View, q *OrderQuery, few int) (page []*Order, total int) {
	l := OrderListing{OrderQuery: q, A: v.Acc, X: OrderIndex(v.Acc), few: few}
	l.ask()
	numbers, total := l.page()
	page = make([]*Order, len(numbers))
	for i, no := range numbers {
		page[i] = OrderTable(v.Acc).No(no)
	}
	return page, total
}

// OrderListing is a list in the making.
type OrderListing struct {
	*OrderQuery
	A       *base.AccountState
	X       *orderIndex
	few     int // see FewOrders
	filters []orderFilter
	taken   []*timeline.Bits
}

// FewOrders is how many are judged or put in order one by one, where that is less than to go through an index.
const FewOrders = 200

var spareBits = sync.Pool{New: func() any { return new(timeline.Bits) }}

// bits is an empty set with room for every order, until the page is found.
func (l *OrderListing) bits() timeline.Bits {
	n := int(LastOrder(l.A))/64 + 1
	b := spareBits.Get().(*timeline.Bits)
	l.taken = append(l.taken, b)
	if cap(*b) < n {
		*b = make(timeline.Bits, n+n/8)
	}
	*b = (*b)[:n]
	clear(*b)
	return *b
}

// page is the numbers of the orders of the page, and how many pass.
func (l *OrderListing) page() (numbers []uint32, total int) {
	defer func() {
		for _, b := range l.taken {
			spareBits.Put(b)
		}
	}()
	sort, byKey := keysOfSorts[l.Sort]
	if len(l.filters) == 0 && !byKey {
		return l.ofAll(), OrderTable(l.A).Len()
	}
	in, total := l.Found()
	switch {
	case !byKey:
		return in.Pick(nil, l.Offset, l.Limit, l.Desc), total
	case total <= l.few:
		return l.sorted(in, sort.key), total
	}
	without := l.bits()
	l.X.Sets.Mark(sort.none, sort.none.Next(len(sort.none)), without)
	without.Intersect(in)
	with := total - without.Count()
	numbers = l.pick(in, sort.key, with)
	return without.Pick(numbers, max(0, l.Offset-with), l.Limit-len(numbers), l.Desc), total
}

// ofAll is a page of all orders by their numbers.
func (l *OrderListing) ofAll() (numbers []uint32) {
	n := OrderTable(l.A).Len()
	for i := l.Offset; i < min(l.Offset+l.Limit, n); i++ {
		at := i
		if l.Desc {
			at = n - 1 - i
		}
		numbers = append(numbers, OrderTable(l.A).At(at).Number)
	}
	return numbers
}

// Found are the orders that pass, and how many. Where all do, numbers that no order has are in it, too.
func (l *OrderListing) Found() (in timeline.Bits, total int) {
	in = l.bits()
	if len(l.filters) == 0 {
		for i := range in {
			in[i] = ^uint64(0)
		}
		return in, OrderTable(l.A).Len()
	}
	slices.SortStableFunc(l.filters, func(a, b orderFilter) int { return cmp.Compare(a.Most, b.Most) })
	l.filters[0].mark(in)
	if l.filters[0].Most <= l.few {
		for _, no := range in.Pick(nil, 0, l.few, false) {
			o := OrderTable(l.A).No(no)
			if o == nil || slices.ContainsFunc(l.filters, func(f orderFilter) bool { return !f.has(o) }) {
				in.Remove(no)
			}
		}
		return in, in.Count()
	}
	for i := range l.filters {
		f := &l.filters[i]
		if i > 0 {
			b := l.bits()
			f.mark(b)
			in.Intersect(b)
		}
		if f.doubt != 0 {
			b, t := l.bits(), f.doubt.Of()
			l.X.Sets.Mark(t, t.Next(len(t)), b)
			b.Intersect(in)
			for no := range b.All() {
				if !f.has(OrderTable(l.A).No(no)) {
					in.Remove(no)
				}
			}
		}
	}
	return in, in.Count()
}

// pick is a page of those that are in a set and have a key, which are so many, in its order.
func (l *OrderListing) pick(in timeline.Bits, key orderKey, with int) []uint32 {
	first, last := min(l.Offset, with), min(l.Offset+l.Limit, with)
	from, to := 0, l.X.By[key].Len()
	for i := range l.filters {
		if f := &l.filters[i]; f.spans && f.key == key {
			from, to = max(from, f.From), min(to, f.To)
		}
	}
	if to-from == with { // all that is there passes
		if l.Desc {
			from, to = to-last, to-first
		} else {
			from, to = from+first, from+last
		}
		return l.X.By[key].Pick(nil, in, from, to, 0, last-first, l.Desc)
	}
	if first <= with/2 {
		return l.X.By[key].Pick(nil, in, from, to, first, last-first, l.Desc)
	}
	numbers := l.X.By[key].Pick(nil, in, from, to, with-last, last-first, !l.Desc)
	slices.Reverse(numbers)
	return numbers
}

// sorted is a page of few orders, put in order by a key here.
func (l *OrderListing) sorted(in timeline.Bits, key orderKey) (numbers []uint32) {
	type row struct {
		no  uint32
		at  int64
		has bool
	}
	var rows []row
	for no := range in.All() {
		if o := OrderTable(l.A).No(no); o != nil {
			k := o.Keys()
			rows = append(rows, row{no, k.At[key], k.has[key]})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		if a.has != b.has {
			if a.has {
				return -1
			}
			return 1
		}
		n := cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.no, b.no))
		if l.Desc {
			n = -n
		}
		return n
	})
	for _, r := range base.PartOf(rows, base.Part{Offset: l.Offset, Limit: l.Limit}) {
		numbers = append(numbers, r.no)
	}
	return numbers
}
