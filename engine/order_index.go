package engine

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"holdfast/timeline"
)

// This file owns how orders are found: by terms, which are the states, places, people and words of an order, and by what they are put in
// order by. It is derived from the orders, and from where their units are: an order has a conflict while one of them has no slot.

// orderTerm is what a term of an order is of: its first byte. The rest is what it says.
type orderTerm byte

const (
	termState orderTerm = iota + 1 // and whether it is archived
	termFulfillment
	termChannel
	termPickup
	termReturn
	termCustomer // whom it is for, or whom its list of customers names
	termAssigned
	termTag
	termConflict // of a unit, which no order's row says
	termNoStart
	termNoEnd
	termGaps // there are instants between its beginning and its end that no line is for
	termLong // and how many of lengths it is longer than, where it is
	termWord // and which of beginnings it is; the last of all
)

// of is a term that says so much.
func (o orderTerm) of(says ...byte) (t timeline.Term) {
	t[0] = byte(o)
	copy(t[1:], says)
	return t
}

// lengths are of how long an order is, from its beginning to its end. Those that are longer than the first are listed, by the last that they
// are longer than: the others that have to do with a window begin and end near it.
var lengths = [...]int64{16 * days, 64 * days, 256 * days}

const days = 24 * 60 * 60 * 1000

// orderWords is how many words of an order count, and maxWord how many bytes of a word do.
const (
	orderWords = 500
	maxWord    = len(timeline.Term{}) - 2
)

// beginnings are of how many bytes the beginnings of a word are by which it is found. What is searched for is the beginning of few of the
// shortest that are as long as that, however many words begin so.
var beginnings = [...]int{1, 4, 8, maxWord}

// beginning is what of a word is found by the one of beginnings with a number.
func beginning(w string, nth int) (t timeline.Term) {
	t[0], t[1] = byte(termWord), byte(nth)
	copy(t[2:], w[:min(len(w), beginnings[nth])])
	return t
}

// beginningFor is which of beginnings finds words that begin so.
func beginningFor(w string) (nth int) {
	for nth < len(beginnings)-1 && beginnings[nth] < len(w) {
		nth++
	}
	return nth
}

func termOfState(s OrderStatus, archived bool) timeline.Term {
	if archived {
		return termState.of(byte(s), 1)
	}
	return termState.of(byte(s))
}

// orderKey is what orders are put in order by, and are asked for a span of.
type orderKey int

const (
	keyUpdated orderKey = iota
	keyStart            // the first beginning of a line
	keyEnd              // the last end of one that has one
	keyTotal
	keyPickupDue // the first beginning of a line of which a unit is still to be handed over
	keyReturnDue // the first end of one of which a unit is out
	keyUntil     // the end of the last instant that a line is for, where that is not keyEnd
	orderKeys
)

// keyed are the keys of an order.
type keyed struct {
	at  [orderKeys]int64
	has [orderKeys]bool
}

func (k *keyed) set(key orderKey, at int64) { k.at[key], k.has[key] = at, true }

// least sets a key to the least of what it is given.
func (k *keyed) least(key orderKey, at int64) {
	if !k.has[key] || at < k.at[key] {
		k.set(key, at)
	}
}

// keys are what an order is found and put in order by.
func (o *Order) keys() (k keyed) {
	k.set(keyUpdated, o.UpdatedAt)
	price, _ := o.Price() // what is stored has one
	k.set(keyTotal, price.Total)
	start, end := o.Bounds()
	if len(o.Lines) == 0 {
		return k
	}
	k.set(keyStart, start)
	if end != 0 {
		k.set(keyEnd, end)
	}
	for i := range o.Lines {
		l := &o.Lines[i]
		for j := range l.Units {
			u := &l.Units[j]
			switch {
			case u.out() && l.To != Forever:
				k.least(keyReturnDue, l.To)
			case o.Status != OrderDraft && (u.State == Pending || u.State == Prepared):
				k.least(keyPickupDue, l.From)
			}
		}
	}
	if until := o.hull().End; until != end {
		k.set(keyUntil, until)
	}
	return k
}

// hull is from the first beginning of a line to the end of the last instant that one is for.
func (o *Order) hull() (h Span) {
	h.Start, h.End = o.Bounds()
	for i := range o.Lines {
		h.End = max(h.End, o.Lines[i].taken().End)
	}
	return h
}

// out says that a unit was handed over and is not back.
func (u *OrderUnit) out() bool { return u.State == Fulfilled }

// taken is what a line is for; a sale is for the instant that it is at.
func (l *OrderLine) taken() Span {
	over := l.span()
	if l.Purchase.Type() == PurchaseSale {
		over.End = over.Start + 1
	}
	return over
}

// gaps says that there are instants between the beginning and the end of an order that no line is for.
func (o *Order) gaps() bool {
	if len(o.Lines) < 2 {
		return false
	}
	spans := make([]Span, len(o.Lines))
	for i := range o.Lines {
		spans[i] = o.Lines[i].taken()
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	end := spans[0].End
	for _, s := range spans[1:] {
		if s.Start > end {
			return true
		}
		end = max(end, s.End)
	}
	return false
}

// terms are what an order's row says by which it is found, ascending, each once.
func (o *Order) terms() (list []timeline.Term) {
	add := func(t timeline.Term) { list = append(list, t) }
	add(termOfState(o.Status, o.ArchivedAt != 0))
	add(termFulfillment.of(byte(o.Fulfillment())))
	add(termChannel.of([]byte(o.Channel.String())...))
	add(termPickup.of(o.Pickup[:]...))
	add(termReturn.of(o.Return[:]...))
	for _, id := range o.customers() {
		add(termCustomer.of(id[:]...))
	}
	if u := o.Rest().Assigned; u != nil {
		add(termAssigned.of(u.ID[:]...))
	}
	for _, id := range o.Tags {
		add(termTag.of(id[:]...))
	}
	if len(o.Lines) == 0 {
		add(termNoStart.of())
	}
	if _, end := o.Bounds(); end == 0 {
		add(termNoEnd.of())
	}
	if o.gaps() {
		add(termGaps.of())
	}
	h, longer := o.hull(), 0
	for longer < len(lengths) && h.End > h.Start+lengths[longer] {
		longer++
	}
	if longer > 0 {
		add(termLong.of(byte(longer)))
	}
	slices.SortFunc(list, func(a, b timeline.Term) int { return cmp.Compare(string(a[:]), string(b[:])) })
	return o.appendBeginnings(slices.Compact(list))
}

// appendBeginnings appends the beginnings of an order's words, in their order, behind all other terms.
func (o *Order) appendBeginnings(list []timeline.Term) []timeline.Term {
	var words []string
	for text := range o.texts() {
		if !eachWord(text, func(w string) bool { words = append(words, w); return len(words) < orderWords }) {
			break
		}
	}
	slices.Sort(words)
	list = slices.Grow(list, len(words)*len(beginnings))
	for nth := range beginnings {
		for _, w := range words {
			if nth > beginningFor(w) {
				continue
			}
			if t := beginning(w, nth); t != list[len(list)-1] {
				list = append(list, t)
			}
		}
	}
	return list
}

// texts are what a search of an order's words looks at.
func (o *Order) texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		person := func(c *Contact) bool {
			return yield(c.Name()) && (c.Email == nil || yield(*c.Email)) && (c.CompanyName == nil || yield(*c.CompanyName))
		}
		m := o.Rest()
		if !yield(m.Reference) || o.Contact != nil && !person(o.Contact) {
			return
		}
		for i := range m.Customers {
			if !person(&m.Customers[i].Contact) {
				return
			}
		}
		for i := range o.Lines {
			if !yield(o.Lines[i].Name.String()) {
				return
			}
		}
		yield(m.Note)
	}
}

// orderIndex is the extension of accounts by which orders are found.
type orderIndex struct {
	sets *timeline.Sets
	by   [orderKeys]*timeline.Sorted

	short map[uint32]int // how many units of an order have no slot; the writer's alone
	copy  *orderIndex    // what publish gave last, while nothing has changed since
}

var orderIndexExtension = registerExtension(newOrderIndex)

func (a *account) orderIndex() *orderIndex { return orderIndexExtension.in(a) }

func newOrderIndex() *orderIndex {
	x := &orderIndex{sets: timeline.NewSets(), short: map[uint32]int{}}
	for i := range x.by {
		x.by[i] = timeline.NewSorted()
	}
	return x
}

func (x *orderIndex) publish() extension {
	if x.copy == nil {
		x.copy = &orderIndex{sets: x.sets.Publish()}
		for i := range x.by {
			x.copy.by[i] = x.by[i].Publish()
		}
	}
	return x.copy
}

// orderEntry is what the index has of an order.
type orderEntry struct {
	terms []timeline.Term
	keyed
}

// entry is what the index has of an order; nil: nothing.
func (o *Order) entry() (f orderEntry) {
	if o != nil {
		f = orderEntry{o.terms(), o.keys()}
	}
	return f
}

// change has an order found by what it is in place of what it was.
func (x *orderIndex) change(no uint32, was, is orderEntry) {
	for len(was.terms) > 0 || len(is.terms) > 0 {
		order := 0
		switch {
		case len(is.terms) == 0:
			order = -1
		case len(was.terms) == 0:
			order = 1
		default:
			order = cmp.Compare(string(was.terms[0][:]), string(is.terms[0][:]))
		}
		switch {
		case order < 0:
			x.sets.Remove(was.terms[0], no)
		case order > 0:
			x.sets.Add(is.terms[0], no)
		}
		if order <= 0 {
			was.terms = was.terms[1:]
		}
		if order >= 0 {
			is.terms = is.terms[1:]
		}
	}
	for k := range x.by {
		if was.has[k] == is.has[k] && was.at[k] == is.at[k] {
			continue
		}
		if was.has[k] {
			x.by[k].Delete(was.at[k], no)
		}
		if is.has[k] {
			x.by[k].Put(is.at[k], no)
		}
	}
	x.copy = nil
}

// lose counts units of an order that have no slot.
func (x *orderIndex) lose(no uint32, n int) {
	was := x.short[no]
	if x.short[no] += n; x.short[no] == 0 {
		delete(x.short, no)
	}
	switch is := was + n; {
	case was == 0 && is > 0:
		x.sets.Add(termConflict.of(), no)
	case was > 0 && is == 0:
		x.sets.Remove(termConflict.of(), no)
	}
	x.copy = nil
}

// lost is 1 for a unit of an order that has no slot.
func lost(u *timeline.Placed) int {
	if u == nil || u.Place.Seated() || u.Flags.Blocker() != timeline.BlockerOrder {
		return 0
	}
	return 1
}

// followOrders keeps the index up to date around a write set.
func (a *account) followOrders(set []rowChange) (after func()) {
	x := a.orderIndex()
	var numbers []uint32
	lose := map[uint32]int(nil)
	for _, c := range set {
		switch c := c.(type) {
		case *change[Order]:
			numbers = append(numbers, cmp.Or(c.after, c.before).Number)
		case *change[orderUnits]:
			numbers = append(numbers, cmp.Or(c.after, c.before).order)
		case *change[timeline.Placed]:
			if n := lost(c.after) - lost(c.before); n != 0 {
				if lose == nil {
					lose = map[uint32]int{}
				}
				lose[uint32(cmp.Or(c.after, c.before).Owner)] += n
			}
		}
	}
	if len(lose) > 0 { // not of every command
		for _, no := range slices.Sorted(maps.Keys(lose)) {
			if n := lose[no]; n != 0 {
				x.lose(no, n)
			}
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	was := make([]orderEntry, len(numbers))
	for i, no := range numbers {
		was[i] = a.orders().No(no).entry()
	}
	return func() {
		for i, no := range numbers {
			x.change(no, was[i], a.orders().No(no).entry())
		}
	}
}

// loadOrderIndex makes the index of all orders.
func (a *account) loadOrderIndex() {
	x, sets := a.orderIndex(), timeline.NewSetsLoader()
	var by [orderKeys]timeline.SortedLoader
	for o := range a.orders().All() {
		f := o.entry()
		for _, t := range f.terms {
			sets.Add(t, o.Number)
		}
		for k := range by {
			if f.has[k] {
				by[k].Add(f.at[k], o.Number)
			}
		}
	}
	x.sets = sets.Finish()
	for k := range by {
		x.by[k] = by[k].Finish()
	}
	for c := range a.stock.EachConflict() {
		if n := lost(&c); n != 0 {
			x.lose(uint32(c.Owner), n)
		}
	}
}

func init() {
	registerFollower(follower{around: (*account).followOrders, load: (*account).loadOrderIndex, check: checkOrderIndex})
}

// checkOrderIndex holds the index against the orders, and their numbers against their ids: lists take both for the order of creation.
func checkOrderIndex(a *account) (due int, err error) {
	x, terms, last := a.orderIndex(), 0, uint32(0)
	var by [orderKeys]int
	for o := range a.orders().All() {
		if o.Number < last {
			return 0, fmt.Errorf("order %d was made behind order %d", o.Number, last)
		}
		last = o.Number
		f := o.entry()
		terms += len(f.terms)
		for _, t := range f.terms {
			if !x.sets.Has(t, o.Number) {
				return 0, fmt.Errorf("order %d is not found by the term %q", o.Number, t[:])
			}
		}
		for k := range by {
			if f.has[k] {
				by[k]++
				if !x.by[k].Has(f.at[k], o.Number) {
					return 0, fmt.Errorf("order %d is not found by its key %d, %d", o.Number, k, f.at[k])
				}
			}
		}
	}
	short := map[uint32]bool{}
	for c := range a.stock.EachConflict() {
		if lost(&c) == 1 {
			if short[uint32(c.Owner)] = true; !x.sets.Has(termConflict.of(), uint32(c.Owner)) {
				return 0, fmt.Errorf("the conflict of order %d is not found", c.Owner)
			}
		}
	}
	if n := x.sets.Len() - len(short); n != terms {
		return 0, fmt.Errorf("orders are found by %d terms, the index has %d", terms, n)
	}
	for k := range by {
		if n := x.by[k].Len(); n != by[k] {
			return 0, fmt.Errorf("orders have %d keys %d, the index has %d", by[k], k, n)
		}
	}
	return 0, nil
}

// lastOrder is the greatest number of an order. While an archive comes in the ledger does not count its orders yet.
func (a *account) lastOrder() uint32 {
	if n := a.orders().Len(); n > 0 {
		return a.orders().At(n - 1).Number
	}
	return 0
}

// ordersOf yields the orders of a customer in order of creation.
func (a *account) ordersOf(customer ID) iter.Seq[*Order] {
	return func(yield func(*Order) bool) {
		for no := range a.orderIndex().sets.Of(termCustomer.of(customer[:]...)) {
			if !yield(a.orders().No(no)) {
				return
			}
		}
	}
}

func init() {
	registerPricer(pricer{"order", func(a *account, _ int64) int {
		n := a.orders().Len()
		for _, archived := range []bool{false, true} {
			t := termOfState(OrderClosed, archived)
			n -= a.orderIndex().sets.Count(t, t.Next(len(t)))
		}
		return n
	}})
}
