package timeline

// This file owns the forms that BenchmarkForms compares: ids, classes and conflicts, in trees of tree.go and in those
// of tidwall/btree.

// form is one structure in one kind of tree. A version that publish gave never changes; fork goes on from a version.
type form[E any] interface {
	put(e E)
	del(e E) bool
	get(e E) bool
	scan(from E) int // reads on from a row as the engine does, and counts what it sees
	publish() form[E]
	fork() form[E]
	load(ordered []E)
}

// idRow is where the hold of an id is.
type idRow struct {
	id    key
	where uint32
}

// seatRow is a seat on its slot: the key of the classes, and the end.
type seatRow struct {
	at  key
	end int64
}

func (r seatRow) seat() Span   { return Span{r.at.time(), r.end} }
func (r seatRow) place() Place { return Place{LotNo(r.at.lower()), SlotNo(r.at.upper())} }

// pageRows is how many ids a page of a list reads.
const pageRows = 50

// whole is a tree that was built of rows in order.
func whole[K sorter[K], V any](t tree[K, V], ok bool) tree[K, V] {
	if !ok {
		panic("rows out of order")
	}
	return t
}

type treeIDs struct {
	edit *token
	rows tree[key, uint32]
}

func (f *treeIDs) put(e idRow)      { f.rows.set(f.edit, e.id, e.where) }
func (f *treeIDs) del(e idRow) bool { _, ok := f.rows.del(f.edit, e.id); return ok }
func (f *treeIDs) get(e idRow) bool { _, ok := f.rows.get(e.id); return ok }

func (f *treeIDs) scan(from idRow) (n int) {
	f.rows.scan(from.id, func(keys []key, _ []uint32) bool {
		n += len(keys)
		return n < pageRows
	})
	return min(n, pageRows)
}

func (f *treeIDs) publish() form[idRow] {
	p := &treeIDs{newToken(), f.rows}
	f.edit = f.edit.next()
	return p
}

func (f *treeIDs) fork() form[idRow] { return &treeIDs{newToken(), f.rows} }

func (f *treeIDs) load(ordered []idRow) {
	b := treeBuilder[key, uint32, struct{}, none[key, uint32]]{edit: f.edit}
	for _, e := range ordered {
		b.add(e.id, e.where)
	}
	f.rows = whole(b.tree())
}

type treeClasses struct {
	edit *token
	rows *classes
}

func (f *treeClasses) put(e seatRow) {
	f.rows = f.rows.own(f.edit)
	f.rows.put(f.edit, e.seat(), e.place())
}

func (f *treeClasses) del(e seatRow) bool {
	f.rows = f.rows.own(f.edit)
	_, ok := f.rows.of[lengthClass(e.seat())].del(f.edit, e.at)
	return ok
}

func (f *treeClasses) get(e seatRow) bool {
	_, ok := f.rows.of[lengthClass(e.seat())].get(e.at)
	return ok
}

// scan reads as the article list does.
func (f *treeClasses) scan(from seatRow) (n int) {
	w := dayOf(from)
	end := timeKey(w.End, 0, 0)
	for c := range f.rows.of {
		f.rows.of[c].scan(timeKey(reach(c, w.Start), 0, 0), func(keys []key, ends []int64) bool {
			m := len(keys)
			if !keys[m-1].before(end) {
				m = end.search(keys)
			}
			for _, until := range ends[:m] {
				if until > w.Start {
					n++
				}
			}
			return m == len(keys)
		})
	}
	return n
}

// dayOf is the day that begins with a seat.
func dayOf(e seatRow) Span { return Span{e.at.time(), e.at.time() + benchDay} }

func (f *treeClasses) publish() form[seatRow] {
	p := &treeClasses{newToken(), f.rows}
	f.edit = f.edit.next()
	return p
}

func (f *treeClasses) fork() form[seatRow] { return &treeClasses{newToken(), f.rows} }

func (f *treeClasses) load(ordered []seatRow) {
	f.rows = &classes{edit: f.edit}
	var of [classCount]treeBuilder[key, int64, struct{}, none[key, int64]]
	for _, e := range ordered {
		of[lengthClass(e.seat())].add(e.at, e.end)
	}
	for c := range of {
		f.rows.of[c] = whole(of[c].tree())
	}
}

// treeConflicts is the form that conflicts do not have in a Stock.
type treeConflicts struct {
	edit *token
	rows tree[idKey, Hold]
}

func conflictKey(c Placed) idKey { return idKey{c.Place.Lot, c.ID} }

func (k idKey) search(run []idKey) int {
	lo, hi := 0, len(run)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if run[mid].before(k) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func (f *treeConflicts) put(e Placed)      { f.rows.set(f.edit, conflictKey(e), e.Hold) }
func (f *treeConflicts) del(e Placed) bool { _, ok := f.rows.del(f.edit, conflictKey(e)); return ok }
func (f *treeConflicts) get(e Placed) bool { _, ok := f.rows.get(conflictKey(e)); return ok }

func (f *treeConflicts) scan(from Placed) (n int) {
	f.rows.scan(idKey{lot: from.Place.Lot}, func(keys []idKey, _ []Hold) bool {
		for _, k := range keys {
			if k.lot != from.Place.Lot {
				return false
			}
			n++
		}
		return true
	})
	return n
}

func (f *treeConflicts) publish() form[Placed] {
	p := &treeConflicts{newToken(), f.rows}
	f.edit = f.edit.next()
	return p
}

func (f *treeConflicts) fork() form[Placed] { return &treeConflicts{newToken(), f.rows} }

func (f *treeConflicts) load(ordered []Placed) {
	f.rows = whole(build[idKey, Hold, struct{}, none[idKey, Hold]](f.edit, len(ordered), func(i int) (idKey, Hold) {
		return conflictKey(ordered[i]), ordered[i].Hold
	}))
}

// libraryRows is one tree of the library.
type libraryRows[E any] struct {
	edit *token
	versioned[E]
}

func newLibraryRows[E any](before func(a, b E) bool) libraryRows[E] {
	edit := newToken()
	return libraryRows[E]{edit, newVersioned(edit, before)}
}

func (f *libraryRows[E]) put(e E)      { f.set(f.edit, e) }
func (f *libraryRows[E]) del(e E) bool { _, ok := f.versioned.del(f.edit, e); return ok }
func (f *libraryRows[E]) get(e E) bool { _, ok := f.rows.Get(e); return ok }

// load puts every other row first. A full node splits in half, so this leaves half a node, which the other rows fill.
func (f *libraryRows[E]) load(ordered []E) {
	for i := 0; i < len(ordered); i += 2 {
		f.own(f.edit).Load(ordered[i])
	}
	for i := 1; i < len(ordered); i += 2 {
		f.own(f.edit).Set(ordered[i])
	}
	f.n = f.rows.Len()
}

// next is the rows as a version has them; f goes on with a token of its own.
func (f *libraryRows[E]) next() libraryRows[E] {
	f.edit = f.edit.next()
	return libraryRows[E]{newToken(), f.versioned}
}

type libraryIDs struct{ libraryRows[idRow] }

func newLibraryIDs() form[idRow] {
	return &libraryIDs{newLibraryRows(func(a, b idRow) bool { return a.id.before(b.id) })}
}

func (f *libraryIDs) scan(from idRow) (n int) {
	f.rows.Ascend(from, func(idRow) bool {
		n++
		return n < pageRows
	})
	return n
}

func (f *libraryIDs) publish() form[idRow] { return &libraryIDs{f.next()} }
func (f *libraryIDs) fork() form[idRow] {
	return &libraryIDs{libraryRows[idRow]{newToken(), f.versioned}}
}

type libraryConflicts struct{ libraryRows[Placed] }

func newLibraryConflicts() form[Placed] {
	return &libraryConflicts{newLibraryRows(conflictBefore)}
}

func (f *libraryConflicts) scan(from Placed) (n int) {
	f.rows.Ascend(conflict(from.Place.Lot, ID{}), func(e Placed) bool {
		if e.Place.Lot != from.Place.Lot {
			return false
		}
		n++
		return true
	})
	return n
}

func (f *libraryConflicts) publish() form[Placed] { return &libraryConflicts{f.next()} }

func (f *libraryConflicts) fork() form[Placed] {
	return &libraryConflicts{libraryRows[Placed]{newToken(), f.versioned}}
}

// libraryClasses has a tree of the library for each length class.
type libraryClasses struct {
	edit *token
	of   [classCount]versioned[seatRow]
}

func newLibraryClasses() form[seatRow] {
	f := &libraryClasses{edit: newToken()}
	for c := range f.of {
		f.of[c] = newVersioned(f.edit, func(a, b seatRow) bool { return a.at.before(b.at) })
	}
	return f
}

// class is the rows of a row's length class.
func (f *libraryClasses) class(e seatRow) *versioned[seatRow] { return &f.of[lengthClass(e.seat())] }

func (f *libraryClasses) put(e seatRow)      { f.class(e).set(f.edit, e) }
func (f *libraryClasses) del(e seatRow) bool { _, ok := f.class(e).del(f.edit, e); return ok }

func (f *libraryClasses) get(e seatRow) bool {
	_, ok := f.class(e).rows.Get(e)
	return ok
}

func (f *libraryClasses) scan(from seatRow) (n int) {
	w := dayOf(from)
	end := timeKey(w.End, 0, 0)
	for c := range f.of {
		rows := f.of[c].rows
		if rows.Len() == 0 {
			continue
		}
		rows.Ascend(seatRow{at: timeKey(reach(c, w.Start), 0, 0)}, func(e seatRow) bool {
			if !e.at.before(end) {
				return false
			}
			if e.end > w.Start {
				n++
			}
			return true
		})
	}
	return n
}

func (f *libraryClasses) publish() form[seatRow] {
	p := *f
	p.edit, f.edit = newToken(), f.edit.next()
	return &p
}

func (f *libraryClasses) fork() form[seatRow] {
	n := *f
	n.edit = newToken()
	return &n
}

// load is as that of libraryRows, class by class.
func (f *libraryClasses) load(ordered []seatRow) {
	for pass := range 2 {
		var n [classCount]int
		for _, e := range ordered {
			c := lengthClass(e.seat())
			if n[c]++; n[c]%2 != pass {
				f.of[c].set(f.edit, e)
			}
		}
	}
}
