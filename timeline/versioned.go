package timeline

// This file owns the sets of a Stock that are trees of tidwall/btree, and the rows in them: conflicts, and the holds
// that are choosy.

import "github.com/tidwall/btree"

// versioned is an ordered set with versions like those of sumTree: copying the struct makes one, and a token says which
// owner may change it in place. Make it with newVersioned; the zero value is not usable.
type versioned[E any] struct {
	edit *token
	rows *btree.BTreeG[E] // to be read only
	last btree.PathHint   // where the owner changed it last: what was made together lies side by side
	n    int              // how many there are, where the reads of a Stock have it at hand
}

func newVersioned[E any](edit *token, before func(a, b E) bool) versioned[E] {
	return versioned[E]{edit: edit, rows: btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})}
}

func (v *versioned[E]) len() int { return v.n }

// set puts a row in place of its like.
func (v *versioned[E]) set(edit *token, e E) {
	if _, had := v.own(edit).SetHint(e, &v.last); !had {
		v.n++
	}
}

// del takes out the like of a row, and says whether it was there.
func (v *versioned[E]) del(edit *token, like E) (e E, ok bool) {
	if e, ok = v.own(edit).DeleteHint(like, &v.last); ok {
		v.n--
	}
	return e, ok
}

// own is the tree, to be changed by the owner of edit.
func (v *versioned[E]) own(edit *token) *btree.BTreeG[E] {
	if v.edit != edit {
		rows := *v.rows // Copy writes to what it copies, which others may be reading
		v.edit, v.rows = edit, rows.Copy()
	}
	return v.rows
}

// idKey names a hold of a lot, and orders holds by lot, then id.
type idKey struct {
	lot LotNo
	id  ID
}

func (k idKey) before(o idKey) bool {
	return k.lot < o.lot || k.lot == o.lot && k.id.Before(o.id)
}

// conflictBefore orders conflicts by lot, then id.
func conflictBefore(a, b Placed) bool {
	return idKey{a.Place.Lot, a.ID}.before(idKey{b.Place.Lot, b.ID})
}

// conflict is a row to look for one with.
func conflict(lot LotNo, id ID) Placed { return Placed{Hold{ID: id}, Place{Lot: lot}} }
