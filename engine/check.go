package engine

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"holdfast/persist"
)

// This file owns the engine's invariants as checks: everything derived is recomputed the slow way.

func one[R any](r *R) iter.Seq[*R] {
	return func(yield func(*R) bool) {
		if r != nil {
			yield(r)
		}
	}
}

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
// between articles, lots and pools, and what is due. It reads everything: minutes on a large state.
func (e *Engine) Check() error { return e.current.Load().check() }

// Verify rebuilds the state from a store, read-only if need be, and checks it as Check does.
func Verify(ctx context.Context, store *persist.Store) error {
	s, err := restore(ctx, store)
	if err != nil {
		return err
	}
	return s.publish().check()
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
			if ok == r.status.Ended() {
				return fmt.Errorf("hold %s is %s, its unit %d is there: %t", r.id, r.status, i+1, ok)
			}
			if ok && ownerOf(h) != r.id {
				return fmt.Errorf("unit %d of hold %s names another owner", i+1, r.id)
			}
		}
	}
	if !slices.Equal(kits.items.Items(), a.kits.items.Items()) {
		return fmt.Errorf("holds name catalog items %v, the index says %v", kits.items.Items(), a.kits.items.Items())
	}
	n, err := a.checkCalls()
	if err != nil {
		return err
	}
	if due += n; due != a.due.items.Len() {
		return fmt.Errorf("%d items are due, the rows say %d", a.due.items.Len(), due)
	}
	return nil
}
