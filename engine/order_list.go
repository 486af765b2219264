package engine

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"holdfast/engine/table"
)

// This file owns the list of orders: which pass, and how they are found. Where nothing but the state is asked for, the page is
// found by its place; where a number, an external id, a customer, tags or the time of creation are given, it looks at theirs alone. What a list
// answers with is the page: no other order is rendered.

// OrderQuery says which orders are asked for. What is not set asks nothing; several values of one are or-ed.
type OrderQuery struct {
	Status   []OrderStatus
	Window   *Span // a line is for some of it; a sale is at its beginning
	Created  *Span // its end is in it
	Customer *ID   // whom it is for, or whom its list of customers names
	Tags     []ID
	Number   *uint32
	External *string
	Active   bool // those that are not archived
	Archived bool
	Search   string // a part of the reference, the note, a customer's name or email, a line's name, or the whole number
	Desc     bool   // the youngest first
	Offset   int
	Limit    int
}

// ListOrders gives the page asked for, and how many orders pass.
func (v View) ListOrders(q *OrderQuery) (page []*Order, total int) {
	if q.byState() {
		return v.acc.orders().Page(orderByState, q.states(), q.Offset, q.Limit, q.Desc)
	}
	search := strings.ToLower(q.Search)
	return pageOf(q.candidates(v.acc), func(o *Order) bool { return q.passes(o) && o.mentions(search) }, q.Offset, q.Limit)
}

func (q *OrderQuery) byState() bool {
	return q.Window == nil && q.Created == nil && q.Customer == nil && q.Tags == nil && q.Number == nil && q.External == nil && q.Search == ""
}

// states are the states that pass.
func (q *OrderQuery) states() (keys []string) {
	for s := range OrderStatuses {
		for _, archived := range []bool{false, true} {
			if s := OrderStatus(s); (q.Status == nil || slices.Contains(q.Status, s)) && (q.Active && !archived || q.Archived && archived) {
				keys = append(keys, orderState(s, archived))
			}
		}
	}
	return keys
}

// candidates are orders among which all are that pass, in the order of the list.
func (q *OrderQuery) candidates(a *account) iter.Seq[*Order] {
	orders := a.orders()
	switch {
	case q.Number != nil:
		return func(yield func(*Order) bool) {
			if o := orders.No(*q.Number); o != nil {
				yield(o)
			}
		}
	case q.External != nil:
		return orders.By(orderByExternal, *q.External)
	case q.Customer != nil:
		return inOrder(orders.By(orderByCustomer, string(q.Customer[:])), q.Desc)
	case q.Tags != nil:
		var list []*Order
		for _, id := range q.Tags {
			if a.tags().Get(id) != nil {
				list = slices.AppendSeq(list, orders.By(orderByTag, string(id[:])))
			}
		}
		slices.SortFunc(list, func(a, b *Order) int { return a.ID.Compare(b.ID) })
		return inOrder(slices.Values(slices.Compact(list)), q.Desc)
	case q.Created != nil:
		return inOrder(createdIn(orders, *q.Created), q.Desc)
	case q.Desc:
		return orders.Backward()
	}
	return orders.All()
}

// createdIn yields the orders that were created in a span, its end included.
func createdIn(orders *table.Table[Order], s Span) iter.Seq[*Order] {
	return func(yield func(*Order) bool) {
		for o := range orders.From(makeID(max(s.Start, 0), Base{})) {
			if CreatedAt(o.ID) > s.End || !yield(o) {
				return
			}
		}
	}
}

// inOrder is a sequence as it comes, or the other way round.
func inOrder(all iter.Seq[*Order], desc bool) iter.Seq[*Order] {
	if !desc {
		return all
	}
	list := slices.Collect(all)
	slices.Reverse(list)
	return slices.Values(list)
}

// passes judges an order by all but the text.
func (q *OrderQuery) passes(o *Order) bool {
	switch {
	case q.Status != nil && !slices.Contains(q.Status, o.Status),
		o.ArchivedAt == 0 && !q.Active, o.ArchivedAt != 0 && !q.Archived,
		q.External != nil && (o.External == nil || o.External.ID != *q.External),
		q.Customer != nil && !slices.Contains(o.customers(), *q.Customer),
		q.Tags != nil && !slices.ContainsFunc(o.Tags, func(id ID) bool { return slices.Contains(q.Tags, id) }),
		q.Created != nil && (CreatedAt(o.ID) < q.Created.Start || CreatedAt(o.ID) > q.Created.End),
		q.Window != nil && !slices.ContainsFunc(o.Lines, func(l OrderLine) bool { return l.within(*q.Window) }):
		return false
	}
	return true
}

// within says whether a line is for some of a window, or for the instant that it is.
func (l *OrderLine) within(w Span) bool {
	over := l.span()
	if l.Purchase.Type() == PurchaseSale {
		over.End = over.Start + 1
	}
	return over.Start < max(w.End, w.Start+1) && w.Start < over.End
}

// mentions looks for a text, in lower case, in what an order says.
func (o *Order) mentions(text string) bool {
	if text == "" {
		return true
	}
	has := func(s string) bool { return s != "" && strings.Contains(strings.ToLower(s), text) }
	names := func(c *Contact) bool {
		return has(c.Name()) || c.CompanyName != nil && has(*c.CompanyName) || c.Email != nil && has(*c.Email)
	}
	m := o.Rest()
	if has(m.Reference) || has(m.Note) || strconv.FormatUint(uint64(o.Number), 10) == text {
		return true
	}
	if o.Contact != nil && names(o.Contact) {
		return true
	}
	return slices.ContainsFunc(m.Customers, func(c OrderCustomer) bool { return names(&c.Contact) }) ||
		slices.ContainsFunc(o.Lines, func(l OrderLine) bool { return has(l.Name.String()) })
}
