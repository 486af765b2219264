package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"holdfast/timeline"
)

// This file owns the filters of the list of orders. Each says whom it lets through twice: as a set of numbers, which the index gives, and of
// one order.

// orderFilter lets some orders through.
type orderFilter struct {
	most  int                    // not more than so many
	mark  func(in timeline.Bits) // adds their numbers
	has   func(o *Order) bool    // judges one
	doubt orderTerm              // where it is set, mark adds orders of this term too many: has is asked of them

	spans    bool     // it is for a span of a key, which
	key      orderKey // has these places
	from, to int
}

func (l *orderListing) add(f orderFilter) { l.filters = append(l.filters, f) }

// ask makes the filters of what is asked.
func (l *orderListing) ask() {
	l.states()
	askTerms(l, termFulfillment, l.Fulfillment, func(f Fulfillment) []byte { return []byte{byte(f)} })
	askTerms(l, termChannel, l.Channel, func(c string) []byte { return []byte(c) })
	id := func(id ID) []byte { return id[:] }
	askTerms(l, termPickup, l.Pickup, id)
	askTerms(l, termReturn, l.Return, id)
	askTerms(l, termCustomer, listOf(l.Customer), id)
	askTerms(l, termAssigned, listOf(l.Assigned), id)
	tags := l.Tags
	if slices.ContainsFunc(tags, func(id ID) bool { return l.a.tags().Get(id) == nil }) { // orders may still name one that is gone
		tags = slices.DeleteFunc(slices.Clone(tags), func(id ID) bool { return l.a.tags().Get(id) == nil })
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
		in  *Span
	}{{keyUpdated, l.Updated}, {keyStart, l.Start}, {keyEnd, l.End}, {keyPickupDue, l.PickupDue}, {keyReturnDue, l.ReturnDue}} {
		if x.in != nil {
			l.add(l.between(x.key, x.in.Start, x.in.End))
		}
	}
	if l.Created != nil {
		l.created(*l.Created)
	}
	if l.Window != nil {
		l.window(*l.Window)
	}
	if l.Number != nil {
		l.only(l.a.orders().No(*l.Number))
	}
	if l.External != nil {
		l.only(l.a.orders().First(orderByExternal, *l.External))
	}
	words := wordsOf(l.Search)
	for _, w := range words {
		l.word(w)
	}
	if words == nil && strings.TrimSpace(l.Search) != "" {
		l.only(nil) // what has no word is found nowhere
	}
}

func listOf(id *ID) []ID {
	if id == nil {
		return nil
	}
	return []ID{*id}
}

// terms is a filter for orders of one of some terms.
func (l *orderListing) terms(list []timeline.Term) orderFilter {
	f := orderFilter{
		mark: func(in timeline.Bits) {
			for _, t := range list {
				l.x.sets.Mark(t, t.Next(len(t)), in)
			}
		},
		has: func(o *Order) bool {
			return slices.ContainsFunc(list, func(t timeline.Term) bool { return l.x.sets.Has(t, o.Number) })
		},
	}
	for _, t := range list {
		f.most += l.x.sets.Count(t, t.Next(len(t)))
	}
	return f
}

// askTerms asks for orders of one of some values; nil: of any.
func askTerms[V any](l *orderListing, of orderTerm, values []V, says func(V) []byte) {
	if values == nil {
		return
	}
	list := make([]timeline.Term, len(values))
	for i, v := range values {
		list[i] = of.of(says(v)...)
	}
	l.add(l.terms(list))
}

// states asks for the states, archived and not. Where all pass, that is nothing, unless another filter is not of orders that there are alone.
func (l *orderListing) states() {
	var list []timeline.Term
	for s := range OrderStatuses {
		for _, archived := range []bool{false, true} {
			if s := OrderStatus(s); (l.Status == nil || slices.Contains(l.Status, s)) && (l.Active && !archived || l.Archived && archived) {
				list = append(list, termOfState(s, archived))
			}
		}
	}
	if f := l.terms(list); f.most < l.a.orders().Len() || l.Created != nil || l.Conflict != nil && !*l.Conflict {
		l.add(f)
	}
}

func (l *orderListing) conflict(is bool) {
	f := l.terms([]timeline.Term{termConflict.of()})
	if !is {
		with := f
		f = orderFilter{most: l.a.orders().Len(), mark: func(in timeline.Bits) {
			b := l.bits()
			with.mark(b)
			for i := range in {
				in[i] |= ^b[i]
			}
		}, has: func(o *Order) bool { return !with.has(o) }}
	}
	l.add(f)
}

// either is a filter for orders that one of two lets through.
func either(a, b orderFilter) orderFilter {
	return orderFilter{
		most: a.most + b.most,
		mark: func(in timeline.Bits) { a.mark(in); b.mark(in) },
		has:  func(o *Order) bool { return a.has(o) || b.has(o) },
	}
}

// between is a filter for a span of a key, both ends in it.
func (l *orderListing) between(key orderKey, from, to int64) orderFilter {
	by := l.x.by[key]
	f := orderFilter{spans: true, key: key, from: by.Before(from), to: by.Len()}
	if to < math.MaxInt64 {
		f.to = by.Before(to + 1)
	}
	f.most = max(0, f.to-f.from)
	f.mark = func(in timeline.Bits) { by.Mark(f.from, f.to, in) }
	f.has = func(o *Order) bool {
		k := o.keys()
		return k.has[key] && from <= k.at[key] && k.at[key] <= to
	}
	return f
}

func (l *orderListing) late() {
	none := orderFilter{mark: func(timeline.Bits) {}, has: func(*Order) bool { return false }}
	for _, x := range l.Late {
		key := keyPickupDue
		if x == LateReturn {
			key = keyReturnDue
		}
		none = either(none, l.between(key, math.MinInt64, l.Now))
	}
	l.add(none)
}

// created asks for orders made in a span: those of the numbers from that of the first up to that of the last.
func (l *orderListing) created(s Span) {
	first := func(at int64) uint32 {
		for o := range l.a.orders().From(makeID(min(max(at, 0), 1<<48-1), Base{})) {
			return o.Number
		}
		return l.a.lastOrder() + 1
	}
	from, to := first(s.Start), first(s.End+1)
	l.add(orderFilter{
		most: int(max(from, to) - from),
		mark: func(in timeline.Bits) {
			for no := from; no < to; no++ {
				in.Add(no)
			}
		},
		has: func(o *Order) bool { return from <= o.Number && o.Number < to },
	})
}

// window asks for orders of which a line is for some of a window, by that of lengths which makes the least of it.
func (l *orderListing) window(w Span) {
	best, least := l.windowBy(len(lengths), w)
	for nth := range lengths {
		if f, cost := l.windowBy(nth, w); cost < least {
			best, least = f, cost
		}
	}
	l.add(best)
}

// oneByOne is as how many orders that are marked one costs that is judged.
const oneByOne = 64

// windowBy is a filter for a window, and what it costs. Of the orders that are no longer than one of lengths it looks at those that begin and
// end near the window, and each that is longer is judged; behind the last of lengths it looks at all that have begun and have not ended. Of
// those with gaps each is judged.
func (l *orderListing) windowBy(nth int, w Span) (f orderFilter, cost int) {
	end := max(w.End, w.Start+1)
	first, last, longer := int64(math.MinInt64), int64(math.MaxInt64), []timeline.Term(nil)
	if nth < len(lengths) {
		first, last = max(w.Start, first+lengths[nth])-lengths[nth], min(end, last-lengths[nth])+lengths[nth]
		for i := nth; i < len(lengths); i++ {
			longer = append(longer, termLong.of(byte(i+1)))
		}
	}
	begin := l.between(keyStart, first, end-1)
	ends := either(l.between(keyEnd, w.Start+1, last), l.between(keyUntil, w.Start+1, last))
	long := l.terms(longer)
	f = orderFilter{most: min(begin.most, ends.most) + long.most, doubt: termGaps, spans: true, key: keyStart, from: begin.from, to: begin.to}
	if long.most > 0 {
		f.from = 0
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
			if f.has(l.a.orders().No(no)) {
				near.Add(no)
			}
		}
		for i := range in {
			in[i] |= near[i]
		}
	}
	return f, begin.most + ends.most + oneByOne*long.most
}

// only asks for one order; nil: there is none.
func (l *orderListing) only(one *Order) {
	f := orderFilter{mark: func(timeline.Bits) {}, has: func(o *Order) bool { return o == one }}
	if one != nil {
		f.most, f.mark = 1, func(in timeline.Bits) { in.Add(one.Number) }
	}
	l.add(f)
}

// word asks for orders with a word that begins so, or the number that it is.
func (l *orderListing) word(w string) {
	from := beginning(w, beginningFor(w))
	to := from.Next(2 + min(len(w), maxWord))
	f := orderFilter{
		most: l.x.sets.Count(from, to),
		mark: func(in timeline.Bits) { l.x.sets.Mark(from, to, in) },
		has: func(o *Order) bool {
			return slices.ContainsFunc(o.terms(), func(t timeline.Term) bool {
				return string(t[:]) >= string(from[:]) && string(t[:]) < string(to[:])
			})
		},
	}
	no, err := strconv.ParseUint(w, 10, 32)
	if one := l.a.orders().No(uint32(no)); err == nil && one != nil {
		f = either(f, orderFilter{
			most: 1,
			mark: func(in timeline.Bits) { in.Add(one.Number) },
			has:  func(o *Order) bool { return o == one },
		})
	}
	l.add(f)
}
