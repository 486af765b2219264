package engine

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns the engine's invariants as checks: everything derived is recomputed the slow way.

// sum is the part of the state hash that an account's rows of a kind make.
func (k *kind[R]) sum(a *account) (total uint64) {
	if k.total != nil {
		return k.total(a)
	}
	var buf []byte
	var key []byte
	for r := range k.all(a) {
		key = rowKey(key[:0], k.tag, a.id, k.key(r))
		var h uint64
		h, buf = rowHash(buf, k.tag, key[1:], k.encode(nil, r))
		total += h
	}
	return total
}

// Check recomputes what the present snapshot derives: the state hash from all rows, every index of the timelines, the links
// between articles, lots and pools, what articles bring in, and what is due. It reads everything: minutes on a large state.
func (e *Engine) Check() error { return e.current.Load().check() }

// Verify rebuilds the state from a store, read-only if need be, and checks it as Check does. Then it tries on that state what is
// due at an instant, as a start would do it, and says what cannot be done.
func Verify(ctx context.Context, store *persist.Store, now int64) error {
	s, older, err := restore(ctx, store)
	if err != nil {
		return err
	}
	if older != nil {
		s.hash = older.hash // the stored one was compared; what is in memory makes this
	}
	if err := s.publish().check(); err != nil {
		return err
	}
	return s.tryDue(ctx, now)
}

// tryDue does what is due in a state that nothing is kept of.
func (s *state) tryDue(ctx context.Context, now int64) error {
	e := &Engine{queue: newQueue(0), bounds: Bounds{}.withDefaults(), step: defaultStep.Milliseconds(), log: slog.New(slog.DiscardHandler), random: func() [10]byte { return [10]byte{} }}
	w := newWriter(e, s)
	s.at = max(s.at, now)
	for _, x := range s.tree.Items() {
		for !w.runDue(s.account(x.id)) && ctx.Err() == nil {
			w.open = new(group)
		}
		w.open = new(group)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return asideError(s.publish().setAside())
}

// asideError says what could not be done; nil where there is nothing.
func asideError(list []SetAside) error {
	if len(list) == 0 {
		return nil
	}
	const shown = 10
	var text strings.Builder
	for i, x := range list[:min(shown, len(list))] {
		if i > 0 {
			text.WriteString("; ")
		}
		fmt.Fprintf(&text, "account %s, %s %s, due at %s", x.Account, x.Table, x.Row, time.UnixMilli(x.Due).UTC().Format(time.RFC3339))
	}
	if len(list) > shown {
		fmt.Fprintf(&text, "; and %d more", len(list)-shown)
	}
	return fmt.Errorf("what is due cannot be done, and a start would set it aside: %s", text.String())
}

func (s *snapshot) check() error {
	var hash uint64
	var err error
	s.accounts.Scan(func(a tenant) bool {
		for _, k := range schema {
			hash += k.sum(a.account)
		}
		if err = a.check(); err != nil {
			err = fmt.Errorf("account %s: %w", a.id, err)
		}
		return err == nil
	})
	if err == nil && hash != s.hash {
		err = fmt.Errorf("the rows' hash is %016x, the state says %016x", hash, s.hash)
	}
	return err
}

func (a *account) check() error {
	if err := a.stock.Check(); err != nil {
		return err
	}
	due, kits := 0, newKitUses()
	for s := range a.skus().All() {
		if want := a.summed(s); s.articles != want {
			return fmt.Errorf("SKU %s sums its articles up to %v, they make %v", s.ID, s.articles, want)
		}
	}
	for r := range a.articles().All() {
		if a.articles().No(r.No) != r {
			return fmt.Errorf("article %s is not found by its number", r.ID)
		}
		for _, l := range r.lots {
			lot := a.stock.Lot(l.no)
			if lot.Article != r.No || lot.Location != l.location {
				return fmt.Errorf("article %s names lot %d of another", r.ID, l.no)
			}
			if want := a.poolNow(r, l.location); lot.Pool != want {
				return fmt.Errorf("lot %d is in pool %d, its article says %d", l.no, lot.Pool, want)
			}
			if before, after := a.buffers(r); l.before != before || l.after != after || l.closed == r.Takes() {
				return fmt.Errorf("lot %d has the buffers %v and %v and is closed: %t; in effect are %v, %v and %t", l.no, l.before, l.after, l.closed, before, after, !r.Takes())
			}
		}
	}
	for r := range holdKind.all(a) {
		kits.count(r, 1)
		if r.due != 0 {
			due++
		}
		for i := range r.units() {
			h, _, ok := a.stock.Find(after(r.id, uint64(i+1)))
			its := ok && h.Flags.Blocker() == timeline.BlockerHold && a.ownerOf(h) == r.id
			if its == r.status.Ended() {
				return fmt.Errorf("hold %s is %s, its unit %d is there: %t", r.id, r.status, i+1, its)
			}
		}
	}
	if err := a.checkOrders(&due); err != nil {
		return err
	}
	if !slices.Equal(kits.items.Items(), a.kits.items.Items()) {
		return fmt.Errorf("holds name catalog items %v, the index says %v", kits.items.Items(), a.kits.items.Items())
	}
	brought := newIncomes()
	if brought.addAll(a); !slices.Equal(brought.items.Items(), a.income.items.Items()) {
		return fmt.Errorf("orders make the incomes %v, the index says %v", brought.items.Items(), a.income.items.Items())
	}
	n, err := a.checkCalls()
	if err != nil {
		return err
	}
	if due += n + untriedKind.in(a).Len(); due != a.due.len() {
		return fmt.Errorf("%d items are due, the rows say %d", a.due.len(), due)
	}
	return nil
}

// checkOrders holds orders against the timelines and the codes: the units that their lines take are the holds that say so,
// and a code's uses are the orders that carry it. It adds what is due of them.
func (a *account) checkOrders(due *int) error {
	units, uses := 0, map[ID]int64{}
	for o := range a.orders().All() {
		if a.orders().No(o.Number) != o {
			return fmt.Errorf("order %s is not found by its number", o.ID)
		}
		if o.Due != 0 {
			*due++
		}
		for i := range o.Lines {
			l := &o.Lines[i]
			for j := range l.Units {
				u := &l.Units[j]
				if u.Hold == (ID{}) {
					if takes := o.Status != OrderDraft && (u.State == Pending || u.State == Prepared || u.State == Fulfilled); takes {
						return fmt.Errorf("unit %s of order %s is %s and takes no stock", u.ID, o.ID, u.State)
					}
					continue
				}
				units++
				h, _, ok := a.stock.Find(u.Hold)
				if !ok || h.Flags.Blocker() != timeline.BlockerOrder || h.Owner != uint64(o.Number) || h.Line != l.No {
					return fmt.Errorf("unit %s of order %s has no hold of its own", u.ID, o.ID)
				}
				if out := u.Handed != 0; out != h.Flags.Has(timeline.Out) || (u.Returned != 0) != h.Flags.Has(timeline.Back) {
					return fmt.Errorf("unit %s of order %s is %s, its hold says otherwise", u.ID, o.ID, u.State)
				}
			}
		}
		if _, ok := o.Price(); !ok {
			return fmt.Errorf("order %s has no price", o.ID)
		}
		for i := range o.Codes {
			uses[o.Codes[i].ID]++
		}
	}
	for h := range a.stock.Overlapping(Span{Start: math.MinInt64, End: Forever}) {
		if h.Flags.Blocker() == timeline.BlockerOrder {
			units--
		}
		if _, is := outUntil(h.Hold); is {
			*due++
		}
	}
	if units != 0 {
		return fmt.Errorf("orders have %d units more than there are holds of orders", units)
	}
	for d := range a.discounts().All() {
		if d.Used != uses[d.ID] {
			return fmt.Errorf("discount code %s has %d uses, %d orders carry it", d.ID, d.Used, uses[d.ID])
		}
	}
	return nil
}
