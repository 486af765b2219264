package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
)

// This file owns the book: the answers that clients got, and how the state after a restart is compared with them. It is
// a plain list, and knows of the engine only what answers say.

// fate is what is known of a command.
type fate int

const (
	open    fate = iota // not answered
	done                // acknowledged
	refused             // it left nothing
	unknown             // there whole or not at all
)

func (f fate) String() string { return [...]string{"open", "done", "refused", "unknown"}[f] }

// booking is a hold or an order. Its number is in its note or its reference.
type booking struct {
	no      int
	id      base.ID // once it is known
	order   bool
	lines   []line
	expires int64 // 0: never
	placed  fate
	ended   fate // by a release or a cancellation
}

type line struct{ article, quantity int }

// delta is a change of an article's number of units.
type delta struct {
	article, by int
	fate        fate
}

// account is what clients know of one.
type account struct {
	id       base.ID
	made     fate
	location base.ID
	articles []base.ID
	units    []int // by article, as far as they are known
	changes  []*delta
	bookings []*booking
}

// lost is an acknowledged command that is gone, or half of one that is there, or something that no client asked for.
var errLost = errors.New("lost")

func lost(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errLost}, args...)...)
}

// found is a live booking as a view shows it.
type found struct {
	id      base.ID
	order   bool
	lines   []line
	expires int64
}

// live reads the bookings of a view by their numbers.
func (a *account) live(v base.View) (map[int]found, error) {
	all := map[int]found{}
	put := func(text string, f found) error {
		no, err := strconv.Atoi(text)
		if err != nil {
			return lost("a booking says that it is %q", text)
		}
		if _, twice := all[no]; twice {
			return lost("booking %d is there twice", no)
		}
		all[no] = f
		return nil
	}
	for h := range hold.EachHold(v) {
		if h.Status.Ended() {
			continue
		}
		f := found{id: h.ID}
		if h.ExpiresAt != nil {
			f.expires = *h.ExpiresAt
		}
		for _, l := range h.Lines {
			if len(l.Units) != l.Quantity {
				return nil, lost("of %d units in hold %s there are %d", l.Quantity, h.Note, len(l.Units))
			}
			f.lines = append(f.lines, line{slices.Index(a.articles, l.Article), l.Quantity})
		}
		if err := put(h.Note, f); err != nil {
			return nil, err
		}
	}
	for o := range order.Orders(v).All() {
		if o.Cancelled || o.More == nil {
			continue
		}
		f := found{id: o.ID, order: true}
		for _, l := range o.Lines {
			if len(l.Units) != int(l.Quantity) {
				return nil, lost("of %d units in order %s there are %d", l.Quantity, o.More.Reference, len(l.Units))
			}
			f.lines = append(f.lines, line{slices.Index(a.articles, l.Of), int(l.Quantity)})
		}
		if err := put(o.More.Reference, f); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// judge holds a view against the book, and writes into it what became of the commands whose fate was unknown. clock is
// what the clock says, now the engine's present, which may be ahead of it. back is how many of unknown fate are there.
func (a *account) judge(v base.View, clock, now int64) (back int, err error) {
	there, err := a.live(v)
	if err != nil {
		return 0, err
	}
	taken := make([]int, len(a.articles))
	kept := a.bookings[:0]
	for _, b := range a.bookings {
		f, ok := there[b.no]
		delete(there, b.no)
		if b.placed == unknown && ok {
			b.placed, b.id, b.expires = done, f.id, f.expires
			back++
		}
		gone := b.placed != done || b.ended == done || b.expires != 0 && b.expires <= clock
		may := b.ended == unknown || b.expires != 0 && b.expires <= now
		switch {
		case ok && (f.order != b.order || f.expires != b.expires || f.id != b.id || !slices.Equal(f.lines, b.lines)):
			return 0, lost("booking %d was %+v and is %+v", b.no, *b, f)
		case ok && gone:
			return 0, lost("booking %d is there again: %+v", b.no, *b)
		case !ok && !gone && !may:
			return 0, lost("booking %d is gone: %+v", b.no, *b)
		}
		if !ok && !gone && b.ended == unknown {
			back++
		}
		if ok {
			b.ended = open
			for _, l := range b.lines {
				taken[l.article] += l.quantity
			}
			kept = append(kept, b)
		}
	}
	a.bookings = kept
	for no := range there {
		return 0, lost("nobody asked for booking %d", no)
	}
	for i := range a.articles {
		n, err := a.count(v, i, taken[i], now)
		if err != nil {
			return 0, err
		}
		back += n
	}
	a.changes = nil
	return back, nil
}

// count holds the units of an article, and how many of them are free, against the book.
func (a *account) count(v base.View, i, taken int, now int64) (back int, err error) {
	has, err := hold.Available(v,
		hold.Query{Item: base.Item{Article: a.articles[i]}, Location: a.location, Window: probe}, now)
	if err != nil {
		return 0, fmt.Errorf("article %d: %w", i, err)
	}
	may := map[int]int{a.units[i]: 0}
	for _, c := range a.changes {
		if c.article != i || c.fate != unknown {
			continue
		}
		for n, k := range maps.Clone(may) {
			may[n+c.by] = max(may[n+c.by], k+1)
		}
	}
	back, ok := may[has.Stock]
	if !ok {
		return 0, lost("article %d had %d units and has %d", i, a.units[i], has.Stock)
	}
	if has.Available != has.Stock-taken {
		return 0, lost("of article %d %d units are free, of %d with %d taken", i, has.Available, has.Stock, taken)
	}
	a.units[i] = has.Stock
	return back, nil
}
