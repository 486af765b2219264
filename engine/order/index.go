package order

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/timeline"
)

// This file owns how orders are found: by terms, which are the states, places, people and words of an order, and by
// what they are put in order by. It is derived from the orders, and from where their units are: an order has a conflict
// while one of them has no slot.

// orderTerm is what a term of an order is of: its first byte. The rest is what it says.
type orderTerm byte

const (
	termState orderTerm = iota + 1 // and whether it is archived
	termFulfillment
	termChannel
	termPickup
	termReturn
	termCustomer // a customer that it is for, also one of its list of customers
	termAssigned
	termTag
	termConflict // of a unit, which no order's row says
	termNoStart
	termNoEnd
	termGaps // there are instants between its beginning and its end that no line is for
	TermLong // and how many of lengths it is longer than, where it is
	termWord // and which of beginnings it is; the last of all
)

// Of is a term that says so much.
func (o orderTerm) Of(says ...byte) (t timeline.Term) {
	t[0] = byte(o)
	copy(t[1:], says)
	return t
}

// Lengths are of how long an order is, from its beginning to its end. Those that are longer than the first are listed,
// by the last that they are longer than: the others that have to do with a window begin and end near it.
var Lengths = [...]int64{16 * days, 64 * days, 256 * days}

const days = 24 * 60 * 60 * 1000

// OrderWords is how many words of an order count, and MaxWord how many bytes of a word do.
const (
	OrderWords = 500
	MaxWord    = len(timeline.Term{}) - 2
)

// beginnings are the lengths, in bytes, of the beginnings of a word by which it is indexed. A search takes the shortest
// of these lengths that is not less than that of the searched text. So it finds few different beginnings, however many
// words begin with that text.
var beginnings = [...]int{1, 4, 8, MaxWord}

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
		return termState.Of(byte(s), 1)
	}
	return termState.Of(byte(s))
}

// orderKey is what orders are put in order by, and are asked for a span of.
type orderKey int

const (
	keyUpdated orderKey = iota
	KeyStart            // the first beginning of a line
	keyEnd              // the last end of one that has one
	keyTotal
	keyPickupDue // the first beginning of a line of which a unit is still to be handed over
	keyReturnDue // the first end of one of which a unit is out
	keyUntil     // the end of the last instant that a line is for, where that is not keyEnd
	orderKeys
)

// keyed are the keys of an order.
type keyed struct {
	At  [orderKeys]int64
	has [orderKeys]bool
}

func (k *keyed) set(key orderKey, at int64) { k.At[key], k.has[key] = at, true }

// least sets a key to the least of what it is given.
func (k *keyed) least(key orderKey, at int64) {
	if !k.has[key] || at < k.At[key] {
		k.set(key, at)
	}
}

// Keys are what an order is found and put in order by.
func (o *Order) Keys() (k keyed) {
	k.set(keyUpdated, o.UpdatedAt)
	price, _ := o.Price() // what is stored has one
	k.set(keyTotal, price.Total)
	start, end := o.Bounds()
	if len(o.Lines) == 0 {
		return k
	}
	k.set(KeyStart, start)
	if end != 0 {
		k.set(keyEnd, end)
	}
	for i := range o.Lines {
		l := &o.Lines[i]
		for j := range l.Units {
			u := &l.Units[j]
			switch {
			case u.out() && l.To != base.Forever:
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
func (o *Order) hull() (h base.Span) {
	h.Start, h.End = o.Bounds()
	for i := range o.Lines {
		h.End = max(h.End, o.Lines[i].taken().End)
	}
	return h
}

// out says that a unit was handed over and is not back.
func (u *OrderUnit) out() bool { return u.State == Fulfilled }

// taken is what a line is for; a sale is for the instant that it is at.
func (l *OrderLine) taken() base.Span {
	over := l.Span()
	if l.Purchase.Type() == base.PurchaseSale {
		over.End = over.Start + 1
	}
	return over
}

// gaps says that there are instants between the beginning and the end of an order that no line is for.
func (o *Order) gaps() bool {
	if len(o.Lines) < 2 {
		return false
	}
	spans := make([]base.Span, len(o.Lines))
	for i := range o.Lines {
		spans[i] = o.Lines[i].taken()
	}
	slices.SortFunc(spans, func(a, b base.Span) int { return cmp.Compare(a.Start, b.Start) })
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
	add(termFulfillment.Of(byte(o.Fulfillment())))
	add(termChannel.Of([]byte(o.Channel.String())...))
	add(termPickup.Of(o.Pickup[:]...))
	add(termReturn.Of(o.Return[:]...))
	for _, id := range o.customers() {
		add(termCustomer.Of(id[:]...))
	}
	if u := o.Rest().Assigned; u != nil {
		add(termAssigned.Of(u.ID[:]...))
	}
	for _, id := range o.Tags {
		add(termTag.Of(id[:]...))
	}
	if len(o.Lines) == 0 {
		add(termNoStart.Of())
	}
	if _, end := o.Bounds(); end == 0 {
		add(termNoEnd.Of())
	}
	if o.gaps() {
		add(termGaps.Of())
	}
	h, longer := o.hull(), 0
	for longer < len(Lengths) && h.End > h.Start+Lengths[longer] {
		longer++
	}
	if longer > 0 {
		add(TermLong.Of(byte(longer)))
	}
	slices.SortFunc(list, func(a, b timeline.Term) int { return cmp.Compare(string(a[:]), string(b[:])) })
	return o.appendBeginnings(slices.Compact(list))
}

// appendBeginnings appends the beginnings of an order's words, in their order, after all other terms.
func (o *Order) appendBeginnings(list []timeline.Term) []timeline.Term {
	var words []string
	for text := range o.texts() {
		if !base.EachWord(text, func(w string) bool { words = append(words, w); return len(words) < OrderWords }) {
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
		person := func(c *commerce.Contact) bool {
			for _, s := range append(c.Names(), c.Email, c.CompanyName) {
				if s != nil && !yield(*s) {
					return false
				}
			}
			return true
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
	Sets *timeline.Sets
	By   [orderKeys]*timeline.Sorted

	short map[uint32]int // how many units of an order have no slot; the writer's alone
	copy  *orderIndex    // what publish gave last, while nothing has changed since
}

var orderIndexExtension = base.RegisterExtension(newOrderIndex)

// OrderIndex is what orders are found by.
func OrderIndex(a *base.AccountState) *orderIndex { return orderIndexExtension.In(a) }

func newOrderIndex() *orderIndex {
	x := &orderIndex{Sets: timeline.NewSets(), short: map[uint32]int{}}
	for i := range x.By {
		x.By[i] = timeline.NewSorted()
	}
	return x
}

// Publish gives a copy that never changes.
func (x *orderIndex) Publish() base.Extension {
	if x.copy == nil {
		x.copy = &orderIndex{Sets: x.Sets.Publish()}
		for i := range x.By {
			x.copy.By[i] = x.By[i].Publish()
		}
	}
	return x.copy
}

// OrderEntry is what the index has of an order.
type OrderEntry struct {
	terms []timeline.Term
	keyed
}

// Entry is what the index has of an order; nil: nothing.
func (o *Order) Entry() (f OrderEntry) {
	if o != nil {
		f = OrderEntry{o.terms(), o.Keys()}
	}
	return f
}

// Change has an order found by what it is in place of what it was.
func (x *orderIndex) Change(no uint32, was, is OrderEntry) {
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
			x.Sets.Remove(was.terms[0], no)
		case order > 0:
			x.Sets.Add(is.terms[0], no)
		}
		if order <= 0 {
			was.terms = was.terms[1:]
		}
		if order >= 0 {
			is.terms = is.terms[1:]
		}
	}
	for k := range x.By {
		if was.has[k] == is.has[k] && was.At[k] == is.At[k] {
			continue
		}
		if was.has[k] {
			x.By[k].Delete(was.At[k], no)
		}
		if is.has[k] {
			x.By[k].Put(is.At[k], no)
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
		x.Sets.Add(termConflict.Of(), no)
	case was > 0 && is == 0:
		x.Sets.Remove(termConflict.Of(), no)
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
func followOrders(a *base.AccountState, set []base.RowChange) (after func()) {
	x := OrderIndex(a)
	var numbers []uint32
	lose := map[uint32]int(nil)
	for _, c := range set {
		switch c := c.(type) {
		case *base.Change[Order]:
			numbers = append(numbers, cmp.Or(c.After, c.Before).Number)
		case *base.Change[OrderUnits]:
			numbers = append(numbers, cmp.Or(c.After, c.Before).Order)
		case *base.Change[timeline.Placed]:
			if n := lost(c.After) - lost(c.Before); n != 0 {
				if lose == nil {
					lose = map[uint32]int{}
				}
				lose[uint32(cmp.Or(c.After, c.Before).Owner)] += n
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
	was := make([]OrderEntry, len(numbers))
	for i, no := range numbers {
		was[i] = OrderTable(a).No(no).Entry()
	}
	return func() {
		for i, no := range numbers {
			x.Change(no, was[i], OrderTable(a).No(no).Entry())
		}
	}
}

// LoadOrderIndex makes the index of all orders.
func LoadOrderIndex(a *base.AccountState) {
	x, sets := OrderIndex(a), timeline.NewSetsLoader()
	var by [orderKeys]timeline.SortedLoader
	for o := range OrderTable(a).All() {
		f := o.Entry()
		for _, t := range f.terms {
			sets.Add(t, o.Number)
		}
		for k := range by {
			if f.has[k] {
				by[k].Add(f.At[k], o.Number)
			}
		}
	}
	x.Sets = sets.Finish()
	for k := range by {
		x.By[k] = by[k].Finish()
	}
	for c := range a.Stock.EachConflict() {
		if n := lost(&c); n != 0 {
			x.lose(uint32(c.Owner), n)
		}
	}
}

func init() {
	base.RegisterFollower(base.Follower{Around: followOrders, Load: LoadOrderIndex, Check: checkOrderIndex})
}

// checkOrderIndex holds the index against the orders, and their numbers against their ids: lists take both for the
// order of creation.
func checkOrderIndex(a *base.AccountState) error {
	x, terms, last := OrderIndex(a), 0, uint32(0)
	var by [orderKeys]int
	for o := range OrderTable(a).All() {
		if o.Number < last {
			return fmt.Errorf("order %d was made behind order %d", o.Number, last)
		}
		last = o.Number
		f := o.Entry()
		terms += len(f.terms)
		for _, t := range f.terms {
			if !x.Sets.Has(t, o.Number) {
				return fmt.Errorf("order %d is not found by the term %q", o.Number, t[:])
			}
		}
		for k := range by {
			if f.has[k] {
				by[k]++
				if !x.By[k].Has(f.At[k], o.Number) {
					return fmt.Errorf("order %d is not found by its key %d, %d", o.Number, k, f.At[k])
				}
			}
		}
	}
	short := map[uint32]bool{}
	for c := range a.Stock.EachConflict() {
		if lost(&c) == 1 {
			if short[uint32(c.Owner)] = true; !x.Sets.Has(termConflict.Of(), uint32(c.Owner)) {
				return fmt.Errorf("the conflict of order %d is not found", c.Owner)
			}
		}
	}
	if n := x.Sets.Len() - len(short); n != terms {
		return fmt.Errorf("orders are found by %d terms, the index has %d", terms, n)
	}
	for k := range by {
		if n := x.By[k].Len(); n != by[k] {
			return fmt.Errorf("orders have %d keys %d, the index has %d", by[k], k, n)
		}
	}
	return nil
}

// LastOrder is the greatest number of an order. While an archive comes in the ledger does not count its orders yet.
func LastOrder(a *base.AccountState) uint32 {
	if n := OrderTable(a).Len(); n > 0 {
		return OrderTable(a).At(n - 1).Number
	}
	return 0
}

// OrdersOf yields the orders of a customer in order of creation.
func OrdersOf(a *base.AccountState, customer base.ID) iter.Seq[*Order] {
	return func(yield func(*Order) bool) {
		for no := range OrderIndex(a).Sets.Of(termCustomer.Of(customer[:]...)) {
			if !yield(OrderTable(a).No(no)) {
				return
			}
		}
	}
}

func init() {
	base.RegisterPricer(base.Pricer{Resource: "order", Count: func(a *base.AccountState, _ int64) int {
		n := OrderTable(a).Len()
		for _, archived := range []bool{false, true} {
			t := termOfState(OrderClosed, archived)
			n -= OrderIndex(a).Sets.Count(t, t.Next(len(t)))
		}
		return n
	}})
}
