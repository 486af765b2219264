package engine

import "slices"

// This file owns what is taken off many records at once: a deleted tag, and the values that an attribute has no place for any more.
//
// From the command on, readers see none of it: they look at tags and attributes first. The records follow in parts, each a command of
// its own, so that none keeps the writer long. What is left is due at once: no other command of the account comes in between.

// sweeping is what is still to be taken off records. It goes with the last part.
type sweeping struct {
	ID        ID
	At        int64
	Tag       ID         `json:",omitzero"`
	Attribute *Attribute `json:",omitempty"` // as it is to be
	Scope     TagScope   `json:",omitempty"` // of the tag
	Kind      string     // the name of the kind of records that is gone through now; "": none was yet
	From      ID         // the first of them that was not looked at; a tag's are found by an index
}

var sweepingKind = func() *kind[sweeping] {
	k := rowsOf(tagSweeping, "rest of a deletion", func(s *sweeping) ID { return s.ID })
	k.resource = "" // what becomes of the records is told of them
	k.dueAt(func(s *sweeping) int64 { return s.At })
	return k
}()

func init() {
	sweepingKind.fall = func(t *tx, id ID) {
		was := sweepingKind.in(t.acc).Get(id)
		t.sweep(was, *was)
	}
}

// The bounds of a part, beside the records that it changes, which are one of Bounds.
const (
	sweptSeen  = 20_000  // records that it looks at
	sweptBytes = 4 << 20 // that it writes, about
)

// sweptPart counts what a part has done.
type sweptPart struct{ rows, seen, bytes int }

// sweepTag takes a tag off the records of its scope.
func (t *tx) sweepTag(g *Tag) { t.sweep(nil, sweeping{Tag: g.ID, Scope: g.Scope}) }

// sweepValues takes from every record what an attribute, as it is to be, has no place for.
func (t *tx) sweepValues(d *Attribute) { t.sweep(nil, sweeping{Attribute: d}) }

// sweep does a part, and keeps what is left. was is nil where it is the first.
func (t *tx) sweep(was *sweeping, s sweeping) {
	var p sweptPart
	begun := s.Kind == ""
	for _, k := range labelled {
		if begun = begun || k.name() == s.Kind; !begun || s.Scope != "" && k.tagScope() != s.Scope {
			continue
		}
		s.Kind = k.name()
		if from, more := k.sweep(t, &p, &s); more {
			if s.From = from; was == nil {
				s.ID, s.At = t.newID(), t.now
			}
			record(t, sweepingKind, was, &s)
			return
		}
		s.From = ID{}
	}
	if was != nil {
		record(t, sweepingKind, was, nil)
	}
}

func (k *labelledKind[R, P]) sweep(t *tx, p *sweptPart, s *sweeping) (next ID, more bool) {
	rows := k.kind.in(t.acc).From(s.From)
	if s.Tag != (ID{}) {
		rows = k.kind.in(t.acc).By(k.byTag, string(s.Tag[:]))
	}
	for r := range rows {
		if p.seen > 0 && (p.rows >= t.bounds.Swept || p.seen >= sweptSeen || p.bytes >= sweptBytes) {
			return k.kind.key(r), true
		}
		p.seen++
		now := *P(r).labels()
		if !now.without(s) {
			continue
		}
		n := *r
		*P(&n).labels() = now
		P(&n).touch(t.now)
		record(t, k.kind, r, &n)
		p.rows, p.bytes = p.rows+1, p.bytes+k.kind.weigh(r)+k.kind.weigh(&n)
	}
	return ID{}, false
}

// without takes from labels what is swept; changed says that there was any.
func (l *Labels) without(s *sweeping) (changed bool) {
	if s.Attribute != nil {
		return l.withoutGone(s.Attribute)
	}
	before := len(l.Tags)
	l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(id ID) bool { return id == s.Tag })
	return len(l.Tags) < before
}
