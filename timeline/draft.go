package timeline

// This file owns the draft: a scratch copy of a Stock that remembers what was changed on it.

import (
	"cmp"
	"slices"
)

// Draft is a scratch copy of a Stock for planning: holds are seated, taken and kept on it, slots begun and ended, and
// Changes gives the net difference to the Stock. A Draft never writes to that Stock. The Stock must not change while
// the Draft is in use.
//
// Making one is free, and so is a first seat in a plain gap: the copy is made when something is asked or changed after
// that. A Draft belongs to one goroutine.
type Draft struct {
	base *Stock
	work *Stock // the copy, once there is one
	now  int64

	// One hold that was seated and is not yet on a copy.
	seated  Placed
	pending bool

	under   *Draft   // that this is a fork of
	touched []ID     // holds that were put or taken, in no order, some more than once; of a fork since it is one
	slots   []SlotNo // slots that were changed, likewise
	left    []Freed  // room that holds left when they were moved to other lots; SeatConflicts empties it

	changes   Changes // as they were when so much was touched
	changesOf int     // 0: not computed since
	regrouped bool    // lots have other pools
	running   int     // holds and slots that were changed since the copy was last read

	searched int // what its searches for room have cost (board.cost)

	claimed *Stock // as it was when Claim was called, nil where it was not or Waive was

	// Yield is called between the steps of a long plan, where other goroutines may go on first; nil: nothing is. It
	// must not use the draft.
	Yield func()
}

// Draft starts a draft of the Stock for a command of the instant now.
func (s *Stock) Draft(now int64) *Draft { return &Draft{base: s, now: now} }

// Fork is a separate draft that starts from the present state of d. It is valid until d changes; Adopt makes d what the
// fork has become.
func (d *Draft) Fork() *Draft {
	f := &Draft{base: d.base, now: d.now, under: d, left: slices.Clone(d.left), claimed: d.claimed,
		regrouped: d.regrouped, Yield: d.Yield}
	if d.work == nil {
		f.seated, f.pending = d.seated, d.pending
	} else {
		f.work = d.own().Fork()
	}
	return f
}

// Adopt takes over what a fork of d, made since d last changed, has become. The fork is used up.
func (d *Draft) Adopt(f *Draft) {
	f.under, f.touched, f.slots, f.changes = d.under, append(d.touched, f.touched...), append(d.slots, f.slots...),
		Changes{}
	f.changesOf = 0
	*d = *f
}

// Stock is the stock as the draft has it, to be read until the draft changes.
func (d *Draft) Stock() *Stock {
	if d.pending {
		return d.own()
	}
	if d.work != nil {
		return d.own()
	}
	d.step()
	return d.base
}

// step calls Yield.
func (d *Draft) step() {
	if d.Yield != nil {
		d.Yield()
	}
}

// own is the copy, to be changed or to be looked at.
func (d *Draft) own() *Stock {
	s := d.copied()
	s.flush()
	d.running = 0
	return s
}

// row is the copy, for the next change of a hold, which may be one of many in a row. While there are many, nothing of
// the copy is read except what Find gives.
func (d *Draft) row() *Stock {
	s := d.copied()
	if d.running++; d.running > batchFrom {
		s.begin()
	}
	return s
}

// copied is the copy as it is.
func (d *Draft) copied() *Stock {
	d.step()
	if d.work == nil {
		d.work = d.base.Fork()
	}
	if d.pending {
		d.pending = false
		d.work.Put(d.seated.Hold, d.seated.Place)
		d.touched = append(d.touched, d.seated.ID)
	}
	return d.work
}

// Outcome is the Stock with the draft's Changes and the lots that it added, to go on with in its place; nil where the
// draft made no copy, or moved lots to other pools. The draft is used up, and so is the Stock.
func (d *Draft) Outcome() *Stock {
	if d.work == nil || d.regrouped {
		return nil
	}
	s := d.own()
	s.edit = d.base.edit // what the Stock may change in place stays so
	return s
}

// Touched is about how many holds and slots were changed so far: no fewer than Changes will tell.
func (d *Draft) Touched() (n int) {
	if d.pending {
		n++
	}
	for ; d != nil; d = d.under {
		n += len(d.touched) + len(d.slots)
	}
	return n
}

// gather orders what was touched, each once, with what a fork was touched before it was one.
func (d *Draft) gather() (holds []ID, slots []SlotNo) {
	for u := d.under; u != nil; u = u.under {
		d.touched, d.slots = append(d.touched, u.touched...), append(d.slots, u.slots...)
	}
	d.under = nil
	slices.Sort(d.slots)
	d.touched, d.slots = slices.Compact(inOrder(d.touched)), slices.Compact(d.slots)
	return d.touched, d.slots
}

// inOrder orders ids of which long runs are in order already: what was made together is taken, and put, in order.
func inOrder(ids []ID) []ID {
	var runs [][]ID
	for from, i := 0, 1; i <= len(ids); i++ {
		if i == len(ids) || ids[i].Before(ids[i-1]) {
			runs = append(runs, ids[from:i])
			from = i
		}
	}
	for len(runs) > 1 {
		next := runs[:0]
		for i := 0; i < len(runs); i += 2 {
			if i+1 == len(runs) {
				next = append(next, runs[i])
				break
			}
			a, b := runs[i], runs[i+1]
			both := make([]ID, 0, len(a)+len(b))
			for len(a) > 0 && len(b) > 0 {
				if b[0].Before(a[0]) {
					both, b = append(both, b[0]), b[1:]
				} else {
					both, a = append(both, a[0]), a[1:]
				}
			}
			next = append(next, append(append(both, a...), b...))
		}
		runs = next
	}
	if len(runs) == 0 {
		return nil
	}
	return runs[0]
}

// leave notes room that a hold left when it was moved to another lot.
func (d *Draft) leave(lot LotNo, room Span) {
	f := Freed{lot, room}
	if n := len(d.left); n == 0 || d.left[n-1] != f { // like holds leave the same, one after the other
		d.left = append(d.left, f)
	}
}

// Left is the room that holds left when they were moved to other lots, since SeatConflicts last looked at it.
func (d *Draft) Left() []Freed { return slices.Clone(d.left) }

// put seats or keeps a hold where it fits.
func (d *Draft) put(h Hold, at Place) {
	if d.work == nil && !d.pending {
		d.seated, d.pending = Placed{h, at}, true
		return
	}
	d.row().Put(h, at)
	d.touched = append(d.touched, h.ID)
}

// Take takes a hold out, seated or a conflict, and says where it was.
func (d *Draft) Take(id ID) (h Hold, at Place, ok bool) {
	if d.pending && d.seated.ID == id {
		d.pending = false
		return d.seated.Hold, d.seated.Place, true
	}
	if h, at, ok = d.row().take(id); ok {
		d.touched = append(d.touched, id)
	}
	return h, at, ok
}

// Keep keeps a hold as a conflict of a lot. A conflict needs no room; its cut goes.
func (d *Draft) Keep(h Hold, lot LotNo) { d.put(h.WithCut(0), Place{Lot: lot}) }

// Replace puts another row in the place of the hold of the same id: the seat is the same or free, as when a hold is
// only marked.
func (d *Draft) Replace(h Hold) (ok bool) {
	if d.pending && d.seated.ID == h.ID {
		d.seated.Hold = h
		return true
	}
	if ok = d.row().change(h, false); ok {
		d.touched = append(d.touched, h.ID)
	}
	return ok
}

// Stretch is Replace of a seated hold by one with another seat on its slot, where nothing else is in the way of that;
// it says whether.
func (d *Draft) Stretch(h Hold) bool {
	ok := d.row().change(h, true)
	if ok {
		d.touched = append(d.touched, h.ID)
	}
	return ok
}

// AddSlot adds a slot.
func (d *Draft) AddSlot(slot Slot) {
	d.row().PutSlot(slot)
	d.slots = append(d.slots, slot.No)
}

// EndSlot lets a slot end at another instant, earlier or later. Its holds fit. A slot that would end where it begins,
// or before, is taken out of existence.
func (d *Draft) EndSlot(no SlotNo, at int64) {
	s := d.row()
	slot, _ := s.Slot(no)
	d.slots = append(d.slots, no)
	if slot.Span.End = at; slot.Span.Empty() {
		d.own().RemoveSlot(no)
		return
	}
	s.PutSlot(slot)
}

// Lot and Slot are those of the draft's Stock; neither ends a row of changes.
func (d *Draft) Lot(no LotNo) Lot { return cmp.Or(d.work, d.base).Lot(no) }

func (d *Draft) Slot(no SlotNo) (Slot, bool) { return cmp.Or(d.work, d.base).Slot(no) }

// Gone lists the holds of the Stock that the draft has taken out and not put back, by id.
func (d *Draft) Gone() (list []Placed) {
	holds, _ := d.gather()
	for _, id := range holds {
		if h, at, had := d.base.Find(id); had {
			if _, _, has := d.Find(id); !has {
				list = append(list, Placed{h, at})
			}
		}
	}
	return list
}

// HoldChange is what became of a hold. Had: it was there before. Has: it is there after.
type HoldChange struct {
	Before, After Placed
	Had, Has      bool
}

// ID is the hold's id.
func (c HoldChange) ID() ID {
	if c.Had {
		return c.Before.ID
	}
	return c.After.ID
}

// SlotChange is what became of a slot, as HoldChange.
type SlotChange struct {
	Before, After Slot
	Had, Has      bool
}

// Changes is the net difference between a Stock and a Draft of it.
type Changes struct {
	Holds []HoldChange // by id
	Slots []SlotChange // by number
}

// Changes gives the net difference to the Stock. What was put and taken again is not in it.
func (d *Draft) Changes() (c Changes) {
	if d.work == nil {
		if d.pending {
			c.Holds = []HoldChange{{After: d.seated, Has: true}}
		}
		return c
	}
	d.own()
	if d.changesOf > 0 && d.changesOf == d.Touched() {
		return d.changes
	}
	holds, slots := d.gather()
	base, work := d.base.Finder(), d.work.Finder()
	for _, id := range holds {
		var x HoldChange
		x.Before.Hold, x.Before.Place, x.Had = base.Find(id)
		x.After.Hold, x.After.Place, x.Has = work.Find(id)
		if x.Before != x.After {
			if c.Holds == nil {
				c.Holds = make([]HoldChange, 0, len(holds))
			}
			c.Holds = append(c.Holds, x)
		}
	}
	for _, no := range slots {
		var x SlotChange
		x.Before, x.Had = d.base.Slot(no)
		x.After, x.Has = d.work.Slot(no)
		if x.Before != x.After {
			if c.Slots == nil {
				c.Slots = make([]SlotChange, 0, len(slots))
			}
			c.Slots = append(c.Slots, x)
		}
	}
	d.changes, d.changesOf = c, d.Touched()
	return c
}
