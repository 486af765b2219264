package timeline

import "cmp"

// This file owns what a plan asks of its draft without making it copy the Stock, and the lots and pools that a plan
// changes on it.

// Find is the hold of an id and where it is, as the draft has it.
func (d *Draft) Find(id ID) (h Hold, at Place, ok bool) {
	switch {
	case d.pending && d.seated.ID == id:
		return d.seated.Hold, d.seated.Place, true
	case d.work != nil:
		return d.work.Find(id)
	}
	return d.base.Find(id)
}

// ConflictLen counts the conflicts of the account, as the draft has them.
func (d *Draft) ConflictLen() int {
	n := cmp.Or(d.work, d.base).ConflictLen()
	if d.pending && !d.seated.Place.Seated() {
		n++
	}
	return n
}

// AddLot adds a lot and puts it into a pool, 0 for none. Lots and pools are not among the draft's Changes: the caller
// knows them. The Outcome has the lot.
func (d *Draft) AddLot(no LotNo, article, location uint32, pool PoolNo) {
	d.own().AddLot(no, article, location)
	if pool != 0 {
		d.own().SetPool(no, pool)
	}
}

// SetPool moves a lot to a pool, 0 for none; see AddLot.
func (d *Draft) SetPool(no LotNo, pool PoolNo) {
	d.regrouped = true
	d.own().SetPool(no, pool)
}

// DropLot takes a lot out of its pool for good, as its article goes.
func (d *Draft) DropLot(no LotNo) { d.own().SetPool(no, 0) }

// MoveLots moves lots from pool to pool, as MoveLots of the Stock does.
func (d *Draft) MoveLots(lots []LotNo, from, to PoolNo) {
	d.regrouped = true
	d.own().MoveLots(lots, from, to)
}

// Conflicts lists, by id, the holds that the draft has made conflicts, or has given other dates or pins as such.
func (d *Draft) Conflicts() (list []Placed) {
	if d.ConflictLen() == 0 {
		return nil
	}
	for _, c := range d.Changes().Holds {
		if c.Has && !c.After.Place.Seated() && (!c.Had || c.Before.Hold != c.After.Hold || c.Before.Place.Seated()) {
			list = append(list, c.After)
		}
	}
	return list
}
