package order

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/timeline"
)

// This file owns the filters of the list of orders. Each says in two ways what it lets through: as a set of numbers,
// which the index gives, and as a judgement of one order.

// orderFilter lets some orders through.
type orderFilter struct {
	Most  int                    // not more than so many
	mark  func(in timeline.Bits) // adds their numbers
	has   func(o *Order) bool    // judges one
	doubt orderTerm              // where it is set, mark adds orders of this term too many: has is asked of them

	spans    bool     // it is for a span of a key, which
	key      orderKey // has these places
	From, To int
}

// Add has orders pass one more filter.
func (l *OrderListing) Add(f orderFilter) { l.filters = append(l.filters, f) }

// ask makes the filters of what is asked.
func (l *OrderListing) ask() {
	l.states()
	askTerms(l, termFulfillment, l.Fulfillment, func(f Fulfillment) []byte { return []byte{byte(f)} })
	askTerms(l, termChannel, l.Channel, func(c string) []byte { return []byte(c) })
	id := func(id base.ID) []byte { return id[:] }
	askTerms(l, termPickup, l.Pickup, id)
	askTerms(l, termReturn, l.Return, id)
	askTerms(l, termCustomer, listOf(l.Customer), id)
	askTerms(l, termAssigned, listOf(l.Assigned), id)
	tags := l.Tags
	if slices.ContainsFunc(tags, func(id base.ID) bool { return label.TagTable(l.A).Get(id) == nil }) {
		// orders may still name one that is gone
		tags = slices.DeleteFunc(slices.Clone(tags),
			func(id base.ID) bool { return label.TagTable(l.A).Get(id) == nil })
	}
	askTerms(l, termTag, tags, id)
	if l.Conflict != nil {
		l.conflict(*l.Conflict)
	}
	if l.Late != nil {
		l.late()
	}
	for _, x := range [...]struct {
		key orderKey
		in  *base.Span
	}{{keyUpdated, l.Updated}, {KeyStart, l.Start}, {keyEnd, l.End}, {keyPickupDue, l.PickupDue},
		{keyReturnDue, l.ReturnDue}} {
		if x.in != nil {
			l.Add(l.between(x.key, x.in.Start, x.in.End))
		}
	}
	if l.Created != nil {
		l.created(*l.Created)
	}
	if l.Window != nil {
		l.window(*l.Window)
	}
	if l.Number != nil {
		l.only(OrderTable(l.A).No(*l.Number))
	}
	if l.External != nil {
		l.only(OrderTable(l.A).First(orderByExternal, *l.External))
	}
	words := base.WordsOf(l.Search)
	for _, w := range words {
		l.word(w)
	}
	if words == nil && strings.TrimSpace(l.Search) != "" {
		l.only(nil) // what has no word is found nowhere
	}
}

func listOf(id *base.ID) []base.ID {
	if id == nil {
		return nil
	}
	return []base.ID{*id}
}

// terms is a filter for orders of one of some terms.
func (l *OrderListing) terms(list []timeline.Term) orderFilter {
	f := orderFilter{
		mark: func(in timeline.Bits) {
			for _, t := range list {
				l.X.Sets.Mark(t, t.Next(len(t)), in)
			}
		},
		has: func(o *Order) bool {
			return slices.ContainsFunc(list, func(t timeline.Term) bool { return l.X.Sets.Has(t, o.Number) })
		},
	}
	for _, t := range list {
		f.Most += l.X.Sets.Count(t, t.Next(len(t)))
	}
	return f
}

// askTerms asks for orders of one of some values; nil: of any.
func askTerms[V any](l *OrderListing, of orderTerm, values []V, says func(V) []byte) {
	if values == nil {
		return
	}
	list := make([]timeline.Term, len(values))
	for i, v := range values {
		list[i] = of.Of(says(v)...)
	}
	l.Add(l.terms(list))
}

// states asks for the states, archived and not. Where all pass, that is nothing, unless another filter is not of orders
// that there are alone.
func (l *OrderListing) states() {
	var list []timeline.Term
	for s := range OrderStatuses {
		for _, archived := range []bool{false, true} {
			if s := OrderStatus(s); (l.Status == nil || slices.Contains(l.Status, s)) &&
				(l.Active && !archived || l.Archived && archived) {
				list = append(list, termOfState(s, archived))
			}
		}
	}
	if f := l.terms(list); f.Most < OrderTable(l.A).Len() || l.Created != nil || l.Conflict != nil && !*l.Conflict {
		l.Add(f)
	}
}

func (l *OrderListing) conflict(is bool) {
	f := l.terms([]timeline.Term{termConflict.Of()})
	if !is {
		with := f
		f = orderFilter{Most: OrderTable(l.A).Len(), mark: func(in timeline.Bits) {
			b := l.bits()
			with.mark(b)
			for i := range in {
				in[i] |= ^b[i]
			}
		}, has: func(o *Order) bool { return !with.has(o) }}
	}
	l.Add(f)
}

// either is a filter for orders that one of two lets through.
func either(a, b orderFilter) orderFilter {
	return orderFilter{
		Most: a.Most + b.Most,
		mark: func(in timeline.Bits) { a.mark(in); b.mark(in) },
		has:  func(o *Order) bool { return a.has(o) || b.has(o) },
	}
}

// between is a filter for a span of a key, both ends in it.
func (l *OrderListing) between(key orderKey, from, to int64) orderFilter {
	by := l.X.By[key]
	f := orderFilter{spans: true, key: key, From: by.Before(from), To: by.Len()}
	if to < math.MaxInt64 {
		f.To = by.Before(to + 1)
	}
	f.Most = max(0, f.To-f.From)
	f.mark = func(in timeline.Bits) { by.Mark(f.From, f.To, in) }
	f.has = func(o *Order) bool {
		k := o.Keys()
		return k.has[key] && from <= k.At[key] && k.At[key] <= to
	}
	return f
}

func (l *OrderListing) late() {
	none := orderFilter{mark: func(timeline.Bits) {}, has: func(*Order) bool { return false }}
	for _, x := range l.Late {
		key := keyPickupDue
		if x == LateReturn {
			key = keyReturnDue
		}
		none = either(none, l.between(key, math.MinInt64, l.Now))
	}
	l.Add(none)
}

// created asks for orders made in a span: those of the numbers from that of the first up to that of the last.
func (l *OrderListing) created(s base.Span) {
	first := func(at int64) uint32 {
		for o := range OrderTable(l.A).From(base.MakeID(min(max(at, 0), 1<<48-1), base.Base{})) {
			return o.Number
		}
		return LastOrder(l.A) + 1
	}
	from, to := first(s.Start), first(s.End+1)
	l.Add(orderFilter{
		Most: int(max(from, to) - from),
		mark: func(in timeline.Bits) {
			for no := from; no < to; no++ {
				in.Add(no)
			}
		},
		has: func(o *Order) bool { return from <= o.Number && o.Number < to },
	})
}

// window asks for orders of which a line is for some of a window, by that of lengths which makes the least of it.
func (l *OrderListing) window(w base.Span) {
	best, least := l.WindowBy(len(Lengths), w)
	for nth := range Lengths {
		if f, cost := l.WindowBy(nth, w); cost < least {
			best, least = f, cost
		}
	}
	l.Add(best)
}

// oneByOne is as how many orders that are marked one costs that is judged.
const oneByOne = 64

// WindowBy is a filter for a window, and what it costs. Of the orders that are no longer than one of lengths it looks
// at those that begin and end near the window, and each that is longer is judged. If nth is past the last of lengths,
// it looks at all orders that have begun and have not ended. Each order with gaps is judged.
func (l *OrderListing) WindowBy(nth int, w base.Span) (f orderFilter, cost int) {
	end := max(w.End, w.Start+1)
	first, last, longer := int64(math.MinInt64), int64(math.MaxInt64), []timeline.Term(nil)
	if nth < len(Lengths) {
		first, last = max(w.Start, first+Lengths[nth])-Lengths[nth], min(end, last-Lengths[nth])+Lengths[nth]
		for i := nth; i < len(Lengths); i++ {
			longer = append(longer, TermLong.Of(byte(i+1)))
		}
	}
	begin := l.between(KeyStart, first, end-1)
	ends := either(l.between(keyEnd, w.Start+1, last), l.between(keyUntil, w.Start+1, last))
	long := l.terms(longer)
	f = orderFilter{Most: min(begin.Most, ends.Most) + long.Most, doubt: termGaps, spans: true, key: KeyStart,
		From: begin.From, To: begin.To}
	if long.Most > 0 {
		f.From = 0
	}
	f.has = func(o *Order) bool {
		return slices.ContainsFunc(o.Lines, func(x OrderLine) bool {
			over := x.taken()
			return over.Start < end && w.Start < over.End
		})
	}
	f.mark = func(in timeline.Bits) {
		near, ending, far := l.bits(), l.bits(), l.bits()
		begin.mark(near)
		ends.mark(ending)
		near.Intersect(ending)
		long.mark(far)
		for no := range far.All() {
			if f.has(OrderTable(l.A).No(no)) {
				near.Add(no)
			}
		}
		for i := range in {
			in[i] |= near[i]
		}
	}
	return f, begin.Most + ends.Most + oneByOne*long.Most
}

// only asks for one order; nil: there is none.
func (l *OrderListing) only(one *Order) {
	f := orderFilter{mark: func(timeline.Bits) {}, has: func(o *Order) bool { return o == one }}
	if one != nil {
		f.Most, f.mark = 1, func(in timeline.Bits) { in.Add(one.Number) }
	}
	l.Add(f)
}

// word asks for orders with a word that begins so, or the number that it is.
func (l *OrderListing) word(w string) {
	from := beginning(w, beginningFor(w))
	to := from.Next(2 + min(len(w), MaxWord))
	f := orderFilter{
		Most: l.X.Sets.Count(from, to),
		mark: func(in timeline.Bits) { l.X.Sets.Mark(from, to, in) },
		has: func(o *Order) bool {
			return slices.ContainsFunc(o.terms(), func(t timeline.Term) bool {
				return string(t[:]) >= string(from[:]) && string(t[:]) < string(to[:])
			})
		},
	}
	no, err := strconv.ParseUint(w, 10, 32)
	if one := OrderTable(l.A).No(uint32(no)); err == nil && one != nil {
		f = either(f, orderFilter{
			Most: 1,
			mark: func(in timeline.Bits) { in.Add(one.Number) },
			has:  func(o *Order) bool { return o == one },
		})
	}
	l.Add(f)
}
