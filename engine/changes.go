package engine

import (
	"errors"

	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns the feed of an account's changes, read back from the log: which records each command changed. What the
// records have come to is not in it: that is in the present state.

// Change is one record that a command changed.
type Change struct {
	Sequence uint64 // of the account, behind the command
	At       int64
	Actor    string
	Resource string
	Area     string // of a tag: its scope
	ID       ID
	Kind     ChangeKind
	Moved    []UnitMove // units of it that have gone to another article, in the order of their rows
}

// UnitMove is a unit that has gone from one article to another and has kept its dates. An article that is no longer there has the zero id.
type UnitMove struct{ Unit, From, To ID }

// Resources are the names of records that the feed can tell of.
func Resources() (names []string) {
	for _, k := range schema {
		if name := k.inFeed(); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Changes reads what commands changed behind a sequence of the account and up to the view: whole commands, until there are
// at least most changes. next is the sequence up to which all was read. It is refused with CURSOR_GONE where the log does not
// reach back so far.
func (e *Engine) Changes(v View, after uint64, most int) (list []Change, next uint64, err error) {
	if after > v.Sequence() {
		return nil, 0, errCursorGone
	}
	<-e.store.Wake(v.seq) // a view is there a moment before its record may be read
	next = after
	for log := uint64(0); next < v.Sequence() && len(list) < most; log++ {
		if log, err = e.places.find(e.store, v.acc.id, next+1, log, v.seq); err != nil {
			return nil, 0, unreadable(err)
		}
		r, err := e.store.Record(log)
		if err == nil {
			list, next, err = v.acc.told(r, list, next, most)
		}
		if err != nil {
			return nil, 0, unreadable(err)
		}
	}
	return list, next, nil
}

// unreadable is the refusal for what went wrong with reading the log.
func unreadable(err error) error {
	if errors.Is(err, persist.ErrPruned) {
		return errCursorGone
	}
	return err
}

var errCursorGone = refuse(CodeCursorGone, "the changes behind this cursor are not kept: read the present state, and go on from its sequence")

// told appends what the account's commands in a log record changed, those behind the sequence next. A record that a command
// changed has one change, whatever parts of it there were.
func (a *account) told(r persist.Record, list []Change, next uint64, most int) ([]Change, uint64, error) {
	type name struct {
		resource string
		id       ID
	}
	var command *ledger // whose changes are being read
	place := map[name]int{}
	if r.Rewrite {
		return list, next, nil
	}
	for c := range r.Changes() {
		account, key, err := splitKey(c.Key)
		if err != nil {
			return nil, 0, err
		}
		if c.Table == tagLedger {
			if command != nil && len(list) >= most {
				return list, next, nil // the record has more, which is read from here next time
			}
			if command = nil; account != a.id {
				continue
			}
			l, err := ledgerKind.decode(account, key, c.After)
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
		t, err := kindByTag[c.Table].told(a, key, c.Before, c.After)
		if err != nil {
			return nil, 0, err
		}
		i, known := place[name{t.resource, t.id}]
		switch {
		case t.resource == "":
		case !known:
			place[name{t.resource, t.id}] = len(list)
			list = append(list, Change{Sequence: command.Sequence, At: command.At, Actor: command.Actor, Resource: t.resource, Area: t.area, ID: t.id, Kind: t.kind})
		case list[i].Kind == Updated:
			list[i].Kind = t.kind
		}
		if c.Table != tagUnit || t.resource == "" {
			continue
		}
		switch m, moved, err := a.unitMove(key, c); {
		case err != nil:
			return nil, 0, err
		case moved:
			of := &list[place[name{t.resource, t.id}]]
			of.Moved = append(of.Moved, m)
		}
	}
	return list, next, nil
}

// unitMove says of a changed row whether the unit was and is seated, has kept its dates and gone to another article, and to which.
func (a *account) unitMove(unit ID, c persist.Change) (m UnitMove, moved bool, err error) {
	if c.Before == nil || c.After == nil {
		return m, false, nil
	}
	var was, is timeline.Placed
	if err := errors.Join(decodeUnitInto(&was, unit, c.Before), decodeUnitInto(&is, unit, c.After)); err != nil {
		return m, false, err
	}
	from, to := a.stock.Lot(was.Place.Lot).Article, a.stock.Lot(is.Place.Lot).Article
	if from == to || was.Body() != is.Body() || !was.Place.Seated() || !is.Place.Seated() { // one without a unit has no article
		return m, false, nil
	}
	m.Unit = unit
	_, m.From = a.stockOf(from)
	_, m.To = a.stockOf(to)
	return m, true, nil
}
