package label

import (
	"slices"

	"holdfast/engine/base"
)

// This file owns what is taken off many records at once: a deleted tag, and the values that an attribute has no place
// for any more.
//
// From the command on, readers see none of it: they look at tags and attributes first. The records follow in parts,
// each a command of its own, so that none keeps the writer long. The rest is due at once: no other command of the
// account comes in between.

// sweeping is what is still to be taken off records. It goes with the last part.
type sweeping struct {
	ID        base.ID
	At        int64
	Tag       base.ID    `json:",omitzero"`
	Attribute *Attribute `json:",omitempty"` // as it is to be
	Scope     TagScope   `json:",omitempty"` // of the tag
	Kind      string     // the name of the kind of records that is gone through now; "": none was yet
	From      base.ID    // the first of them that was not looked at; a tag's are found by an index
}

var SweepingKind = func() *base.Kind[sweeping] {
	k := base.RowsOf(base.TagSweeping, "rest of a deletion", func(s *sweeping) base.ID { return s.ID })
	k.Resource = "" // the feed shows the changes of the records themselves
	k.DueAt(func(s *sweeping) int64 { return s.At })
	return k
}()

func init() {
	SweepingKind.WhenDue.Long, SweepingKind.WhenDue.Alone = true, true
	SweepingKind.WhenDue.Do = func(t *base.Tx, id base.ID) {
		was := SweepingKind.In(t.Acc).Get(id)
		sweep(t, was, *was)
	}
}

// The bounds of a part. The number of records that it changes is bounded, too, by one of Bounds.
const (
	sweptSeen  = 20_000  // records that it looks at
	sweptBytes = 4 << 20 // that it writes, about
)

// sweptPart counts what a part has done.
type sweptPart struct{ rows, seen, bytes int }

// sweptUnits is how many units one record counts as that may be looked at (base.Sized).
const sweptUnits = 8

// sizeOfSweep is how much a sweep goes through.
func sizeOfSweep(a *base.AccountState) (n int) {
	for _, k := range LabelledKinds {
		n += sweptUnits * k.count(a)
	}
	return n
}

// sweepTag takes a tag off the records of its scope.
func sweepTag(t *base.Tx, g *Tag) { sweep(t, nil, sweeping{Tag: g.ID, Scope: g.Scope}) }

// sweepValues takes from every record what an attribute, as it is to be, has no place for.
func sweepValues(t *base.Tx, d *Attribute) { sweep(t, nil, sweeping{Attribute: d}) }

// sweep does a part, and keeps what is left. was is nil where it is the first.
func sweep(t *base.Tx, was *sweeping, s sweeping) {
	var p sweptPart
	begun := s.Kind == ""
	for _, k := range LabelledKinds {
		if begun = begun || k.Name() == s.Kind; !begun || s.Scope != "" && k.tagScope() != s.Scope {
			continue
		}
		s.Kind = k.Name()
		if from, more := k.sweep(t, &p, &s); more {
			if s.From = from; was == nil {
				s.ID, s.At = t.NewID(), t.Now
			}
			base.Record(t, SweepingKind, was, &s)
			return
		}
		s.From = base.ID{}
	}
	if was != nil {
		base.Record(t, SweepingKind, was, nil)
	}
}

func (k *LabelledKind[R, P]) sweep(t *base.Tx, p *sweptPart, s *sweeping) (next base.ID, more bool) {
	rows := k.Kind.In(t.Acc).From(s.From)
	if s.Tag != (base.ID{}) {
		rows = k.Kind.In(t.Acc).By(k.ByTag, string(s.Tag[:]))
	}
	for r := range rows {
		if p.seen > 0 && (p.rows >= t.Bounds.Swept || p.seen >= sweptSeen || p.bytes >= sweptBytes) {
			return k.Kind.Key(r), true
		}
		p.seen++
		now := *P(r).OwnLabels()
		if !now.without(s) {
			continue
		}
		n := *r
		*P(&n).OwnLabels() = now
		P(&n).Touch(t.Now)
		base.Record(t, k.Kind, r, &n)
		p.rows, p.bytes = p.rows+1, p.bytes+k.Kind.Weigh(r)+k.Kind.Weigh(&n)
	}
	return base.ID{}, false
}

// without takes from labels what is swept; changed says that there was any.
func (l *Labels) without(s *sweeping) (changed bool) {
	if s.Attribute != nil {
		return l.WithoutGone(s.Attribute)
	}
	before := len(l.Tags)
	l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(id base.ID) bool { return id == s.Tag })
	return len(l.Tags) < before
}
