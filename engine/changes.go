package engine

import (
	"context"
	"errors"

	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns the feed of an account's changes, read back from the log: which records each command changed. It does
// not have the content of the records: that is in the present state.

// Change is one record that a command changed.
type Change struct {
	Sequence uint64 // of the account, after the command
	At       int64
	Actor    string
	Resource string
	Area     string // of a tag: its scope
	ID       base.ID
	Kind     base.ChangeKind
	Moved    []UnitMove // units of it that have gone to another article, in the order of their rows
}

// UnitMove is a unit that has gone from one article to another and has kept its dates. An article that is no longer
// there has the zero id.
type UnitMove struct{ Unit, From, To base.ID }

// Resources are the names of records that the feed can tell of.
func Resources() (names []string) {
	for _, k := range schema {
		if name := k.InFeed(); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Changes reads what commands changed after a sequence of the account and up to the view: whole commands, until there
// are at least most changes. next is the sequence up to which all was read. It is refused with CURSOR_GONE if the log
// does not reach back so far.
func (e *Engine) Changes(ctx context.Context, v base.View, after uint64, most int) (list []Change, next uint64,
	err error) {
	if after > v.Sequence() {
		return nil, 0, errCursorGone
	}
	<-e.store.Wake(v.Seq) // a view is there a moment before its record may be read
	next = after
	for log := uint64(0); next < v.Sequence() && len(list) < most; log++ {
		if log, err = e.logIndex.find(ctx, e.store, v.Acc.ID, next+1, log, v.Seq); err != nil {
			return nil, 0, unreadable(err)
		}
		r, err := e.store.Record(log)
		if err == nil {
			list, next, err = changesIn(v.Acc, r, list, next, most)
		}
		if err != nil {
			return nil, 0, unreadable(err)
		}
	}
	return list, next, nil
}

// unreadable is the refusal for what went wrong with reading the log.
func unreadable(err error) error {
	switch {
	case errors.Is(err, persist.ErrPruned):
		return errCursorGone
	case errors.Is(err, context.Canceled):
		return base.Refuse(base.CodeNotReady, "the reader of the changes, or the server, has ended")
	}
	return err
}

var errCursorGone = base.Refuse(base.CodeCursorGone,
	"the changes after this cursor are no longer kept: read the present state, and continue from its sequence")

// changesIn appends what the account's commands in a log record changed; it leaves out commands up to the sequence
// next. A record that a command changed has one change, whatever parts of it there were.
func changesIn(a *base.AccountState, r persist.Record, list []Change, next uint64, most int) ([]Change, uint64, error) {
	type name struct {
		resource string
		id       base.ID
	}
	var command *base.Ledger // whose changes are being read
	place := map[name]int{}
	if r.Rewrite {
		return list, next, nil
	}
	for c := range r.Changes() {
		account, key, err := base.SplitKey(c.Key)
		if err != nil {
			return nil, 0, err
		}
		if c.Table == base.TagLedger {
			if command != nil && len(list) >= most {
				return list, next, nil // the record has more, which is read from here next time
			}
			if command = nil; account != a.ID {
				continue
			}
			l, err := base.LedgerKind.Decode(account, key, c.After)
			switch {
			case err != nil:
				return nil, 0, err
			case l.Sequence > next+1:
				return nil, 0, errCursorGone
			case l.Sequence == next+1:
				command, next = l, l.Sequence
				clear(place)
			}
			continue
		}
		if command == nil {
			continue
		}
		t, err := kindByTag[c.Table].FeedChange(a, key, c.Before, c.After)
		if err != nil {
			return nil, 0, err
		}
		i, known := place[name{t.Resource, t.ID}]
		switch {
		case t.Resource == "":
		case !known:
			place[name{t.Resource, t.ID}] = len(list)
			list = append(list, Change{Sequence: command.Sequence, At: command.At, Actor: command.Actor,
				Resource: t.Resource, Area: t.Area, ID: t.ID, Kind: t.Kind})
		case list[i].Kind == base.Updated:
			list[i].Kind = t.Kind
		}
		if c.Table != base.TagUnit || t.Resource == "" {
			continue
		}
		switch m, moved, err := unitMove(a, key, c); {
		case err != nil:
			return nil, 0, err
		case moved:
			of := &list[place[name{t.Resource, t.ID}]]
			of.Moved = append(of.Moved, m)
		}
	}
	return list, next, nil
}

// unitMove says of a changed row whether the unit was and is seated, has kept its dates and gone to another article,
// and to which.
func unitMove(a *base.AccountState, unit base.ID, c persist.Change) (m UnitMove, moved bool, err error) {
	if c.Before == nil || c.After == nil {
		return m, false, nil
	}
	var was, is timeline.Placed
	if err := errors.Join(stock.DecodeUnitInto(&was, unit, c.Before), stock.DecodeUnitInto(&is, unit, c.After)); err !=
		nil {
		return m, false, err
	}
	from, to := a.Stock.Lot(was.Place.Lot).Article, a.Stock.Lot(is.Place.Lot).Article
	if from == to || was.Body() != is.Body() || !was.Place.Seated() || !is.Place.Seated() {
		// one without a unit has no article
		return m, false, nil
	}
	m.Unit = unit
	_, m.From = stock.StockOf(a, from)
	_, m.To = stock.StockOf(a, to)
	return m, true, nil
}
