package engine

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns the engine's invariants as checks: everything derived is recomputed the slow way.

// Check recomputes what the present snapshot derives: the state hash from all rows, every index of the timelines, the
// links between articles, lots and pools, what articles bring in, and what is due. It reads everything: minutes on a
// large state.
func (e *Engine) Check() error { return checkAll(e.current.Load()) }

// Verify rebuilds the state from a store, read-only if need be, and checks it as Check does. Then it tries on that
// state what is due at an instant, as a start would do it, and says what cannot be done.
func Verify(ctx context.Context, store *persist.Store, now int64) error {
	s, older, err := restore(ctx, store)
	if err != nil {
		return err
	}
	if older != nil {
		s.Hash = older.hash // the stored one was compared; what is in memory makes this
	}
	if err := checkAll(s.Publish()); err != nil {
		return err
	}
	return tryDue(s, ctx, now)
}

// tryDue does what is due in a state that nothing is kept of.
func tryDue(s *base.State, ctx context.Context, now int64) error {
	e := &Engine{queue: newQueue(0), bounds: base.Bounds{}.WithDefaults(), step: defaultStep.Milliseconds(),
		log: slog.New(slog.DiscardHandler), random: func() [10]byte { return [10]byte{} }}
	w := newWriter(e, s)
	s.At = max(s.At, now)
	for _, x := range s.Tree.Items() {
		if x.Importing() {
			continue // time does not act on it yet
		}
		for !w.runDue(s.Account(x.ID)) && ctx.Err() == nil {
			w.open = new(group)
		}
		w.open = new(group)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return asideError(setAside(s.Publish()))
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
		fmt.Fprintf(&text, "account %s, %s %s, due at %s", x.Account, x.Table, x.Row,
			time.UnixMilli(x.Due).UTC().Format(time.RFC3339))
	}
	if len(list) > shown {
		fmt.Fprintf(&text, "; and %d more", len(list)-shown)
	}
	return fmt.Errorf("what is due cannot be done, and a start would set it aside: %s", text.String())
}

func checkAll(s *base.Snapshot) error {
	var hash uint64
	var err error
	s.Accounts.Scan(func(a base.Tenant) bool {
		for _, k := range schema {
			hash += k.Sum(a.AccountState)
		}
		if err = checkAccount(a.AccountState); err != nil {
			err = fmt.Errorf("account %s: %w", a.ID, err)
		}
		return err == nil
	})
	if err == nil && hash != s.Hash {
		err = fmt.Errorf("the rows' hash is %016x, the state says %016x", hash, s.Hash)
	}
	return err
}

// checkAccount derives anew what domains keep of an account. While an archive is only half in place, its rows are not
// consistent with each other yet.
func checkAccount(a *base.AccountState) error {
	if a.Importing() {
		return a.Stock.Check()
	}
	for _, f := range base.Followers {
		if f.Check != nil {
			if err := f.Check(a); err != nil {
				return err
			}
		}
	}
	due := 0
	for _, k := range schema {
		due += k.DueRows(a)
	}
	if due != a.Due.Len() {
		return fmt.Errorf("%d items are due, the rows say %d", a.Due.Len(), due)
	}
	return nil
}
