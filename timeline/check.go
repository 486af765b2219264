package timeline

// This file owns the check of every invariant: what is kept twice is computed again from the rails and the conflicts,
// the slow way, and compared.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Check computes everything again from the slots, the rows on their rails and the conflicts, and reports the first
// invariants of the package that do not hold, a few of each kind. It takes seconds where there are millions of holds,
// and changes nothing.
func (s *Stock) Check() error {
	c := &checker{s: s, lots: make([]lotFacts, s.lots.n), pools: make([]poolFacts, s.pools.n)}
	c.lotsAndPools()
	c.slots()
	c.conflicts()
	c.members()
	c.packed()
	c.larges()
	return errors.Join(c.faults...)
}

type checker struct {
	s      *Stock
	lots   []lotFacts  // by number
	pools  []poolFacts // by number
	seats  int
	choosy int
	faults []error
}

// lotFacts and poolFacts are what is true of a lot or a pool, gathered from the slots and conflicts.
type lotFacts struct {
	slots     []SlotNo
	conflicts int32
	claims    int32
}

type poolFacts struct {
	lots             []LotNo
	slots, conflicts int32
}

func (c *checker) want(ok bool, format string, args ...any) {
	if !ok && len(c.faults) < 20 {
		c.faults = append(c.faults, fmt.Errorf(format, args...))
	}
}

func (c *checker) tree(what string, err error) { c.want(err == nil, "%s: %v", what, err) }

func (c *checker) lotsAndPools() {
	for i := range c.lots {
		no := LotNo(i)
		lot := c.s.lot(no)
		if lot == nil {
			continue
		}
		c.want(lot.self[0] == no, "lot %d calls itself %d", no, lot.self[0])
		if lot.pool != 0 {
			c.pools[lot.pool].lots = append(c.pools[lot.pool].lots, no)
		}
	}
}

// slots checks every rail, and that ids and classes know its rows.
func (c *checker) slots() {
	count := 0
	for i := range c.s.slots.n {
		e := c.s.slot(SlotNo(i))
		if e == nil {
			continue
		}
		no := SlotNo(i)
		count++
		if c.s.lot(e.lot) == nil {
			c.want(false, "slot %d is of lot %d, which does not exist", no, e.lot)
			continue
		}
		c.lots[e.lot].slots = append(c.lots[e.lot].slots, no)
		c.want(!e.span.Empty(), "slot %d has no range", no)
		c.rail(no, e)
	}
	c.want(count == c.s.slotCount, "%d slots counted, %d there", c.s.slotCount, count)
	classed := 0
	for i := range c.s.classes.of {
		t := &c.s.classes.of[i]
		classed += t.len()
		c.tree("time classes", t.verify())
	}
	c.want(classed == c.seats, "%d seats in the time classes, %d on rails", classed, c.seats)
}

func (c *checker) rail(no SlotNo, e *slotEntry) {
	r := &e.rail
	rows := 0
	if r.long != nil {
		c.want(r.first == nil && r.n == 0 && len(r.long.runs) > 1, "slot %d: a long rail of %d runs", no,
			len(r.long.runs))
		for j, run := range r.long.runs {
			c.want(len(run.rows) > 0 && len(run.rows) <= railMax && run.start == seatStart(&run.rows[0]),
				"slot %d: run %d", no, j)
			rows += len(run.rows)
		}
	} else {
		rows = int(r.n)
		c.want(rows <= railMax, "slot %d: %d rows in one run", no, rows)
	}
	c.want(rows == r.len(), "slot %d: %d rows counted, %d there", no, r.len(), rows)
	end := e.span.Start
	for h, p := r.next(railPos{}); h != nil; h, p = r.next(p) {
		seat := h.Seat()
		c.seats++
		if h.Flags.Has(Choosy) {
			c.choosy++
		}
		if seat.Empty() || seat.Start < end {
			c.want(false, "slot %d: hold %v over %v meets the one before or begins before the slot", no, h.ID, seat)
			return
		}
		end = seat.End
		if where, ok := c.s.ids.get(h.ID.key()); !ok || where != uint32(no) {
			c.want(false, "hold %v is on slot %d, not on %d", h.ID, no, where)
		}
		if at, ok := c.s.classes.of[lengthClass(seat)].get(timeKey(seat.Start, uint32(no), uint32(e.lot))); !ok ||
			at != seat.End {
			c.want(false, "hold %v over %v is not in its time class", h.ID, seat)
		}
	}
	c.want(e.pins == r.pins(), "slot %d: flags %b, its holds have %b", no, e.pins, r.pins())
	c.want(end <= e.span.End, "slot %d: a hold lasts until %d, the slot until %d", no, end, e.span.End)
}

func (c *checker) conflicts() {
	n, last := 0, Placed{}
	c.s.conflicts.rows.Scan(func(x Placed) bool {
		c.want(n == 0 || conflictBefore(last, x), "conflicts: %v of lot %d is out of order", x.ID, x.Place.Lot)
		n, last = n+1, x
		lot := c.s.lot(x.Place.Lot)
		c.want(lot != nil && !x.Place.Seated(), "conflict %v of lot %d", x.ID, x.Place.Lot)
		if lot != nil {
			c.lots[x.Place.Lot].conflicts++
			if x.claims() {
				c.lots[x.Place.Lot].claims++
			}
		}
		if x.Flags.Has(Choosy) {
			c.choosy++
		}
		where, ok := c.s.ids.get(x.ID.key())
		c.want(ok && where == uint32(x.Place.Lot)|conflictBit, "conflict %v is kept for lot %d, not %d", x.ID,
			x.Place.Lot, where&^conflictBit)
		return true
	})
	c.want(n == c.s.ConflictLen(), "%d conflicts counted, %d there", c.s.ConflictLen(), n)
	listed, before := 0, idKey{}
	c.s.choosy.rows.Scan(func(k idKey) bool {
		c.want(listed == 0 || before.before(k), "choosy: %v of lot %d is out of order", k.id, k.lot)
		listed, before = listed+1, k
		h, at, ok := c.s.Find(k.id)
		c.want(ok && at.Lot == k.lot && h.Flags.Has(Choosy), "hold %v is listed as choosy on lot %d", k.id, k.lot)
		return true
	})
	c.want(listed == c.choosy && listed == c.s.ChoosyLen(), "%d holds are listed as choosy, %d counted, %d there",
		listed, c.s.ChoosyLen(), c.choosy)
	c.tree("ids", c.s.ids.verify())
	c.want(c.s.ids.len() == c.seats+n, "%d ids of %d seated holds and %d conflicts", c.s.ids.len(), c.seats, n)
}

func (c *checker) members() {
	for i, want := range c.lots {
		no := LotNo(i)
		lot := c.s.lot(no)
		if lot == nil {
			continue
		}
		single := SlotNo(0)
		if len(want.slots) == 1 {
			single = want.slots[0]
		}
		c.want(lot.single == single, "lot %d has slot %d alone, not %d", no, lot.single, single)
		c.want(slices.Equal(lot.slots, want.slots), "lot %d has slots %v, not %v", no, want.slots, lot.slots)
		c.want(lot.conflicts == want.conflicts, "lot %d has %d conflicts, not %d", no, want.conflicts, lot.conflicts)
		c.want(lot.claims == want.claims, "lot %d has %d conflicts of its own, not %d", no, want.claims, lot.claims)
		if lot.pool != 0 {
			p := &c.pools[lot.pool]
			p.slots += int32(len(want.slots))
			p.conflicts += want.conflicts
		}
		n := len(want.slots) + int(want.conflicts)
		c.want(n <= walkMax || lot.large != nil, "lot %d of size %d is walked", no, n)
		c.want(n > walkMin || lot.large == nil, "lot %d of size %d is not walked", no, n)
	}
	for i, want := range c.pools {
		no := PoolNo(i)
		e := c.s.pools.at(i)
		c.want(slices.Equal(e.lots, want.lots), "pool %d has lots %v, not %v", no, want.lots, e.lots)
		c.want(e.slots == want.slots && e.conflicts == want.conflicts, "pool %d has %d slots and %d conflicts, "+
			"not %d and %d", no, want.slots, want.conflicts, e.slots, e.conflicts)
		c.want(slices.Equal(e.few, c.s.slotsOf(e.lots, e.slots)), "pool %d has slots %v to walk", no, e.few)
		n, several := int(want.slots+want.conflicts), len(want.lots) > 1
		c.want(n <= walkMax || !several || e.large != nil, "pool %d of size %d is walked", no, n)
		c.want(several && n > walkMin || e.large == nil, "pool %d of size %d and %d lots is not walked", no, n,
			len(want.lots))
	}
}

// packed checks the facts of lots that lie side by side, and the order of articles by units.
func (c *checker) packed() {
	units, chains := map[uint32]int32{}, 0
	for i, want := range c.lots {
		no := LotNo(i)
		if c.s.lot(no) == nil {
			continue
		}
		alive := always
		for _, slot := range want.slots {
			alive = alive.Clip(c.s.slot(slot).span)
		}
		b, j := c.s.block(no)
		got := Span{b.from[j], b.until[j]}
		c.want(int(b.units[j]) == len(want.slots) && got == alive,
			"lot %d: %d slots all alive over %v, kept as %d over %v", no, len(want.slots), alive, b.units[j], got)
		c.want(b.all.Clip(got) == b.all, "lot %d: its block is alive over %v, it only over %v", no, b.all, got)
		units[b.article[j]] += b.units[j]
	}
	count := 0
	for i := range c.s.articles.n {
		a := c.s.articles.at(i)
		c.want(a.units == units[uint32(i)], "article %d has %d slots, kept as %d", i, units[uint32(i)], a.units)
		if a.units > 0 {
			count++
			_, ok := c.s.byUnits.get(unitsKey(a.units, uint32(i)))
			c.want(ok, "article %d with %d slots is not in the order by units", i, a.units)
		}
		single := c.s.single(uint32(i))
		c.want(single == c.s.singleOf(a), "article %d has slot %d alone, not %d", i, c.s.singleOf(a), single)
		for no := a.first; no != 0; no = c.s.lot(no).next {
			b, j := c.s.block(no)
			chains++
			c.want(b.article[j] == uint32(i), "lot %d of article %d is in the chain of %d", no, b.article[j], i)
		}
	}
	lots := 0
	for i := range c.lots {
		if c.s.lot(LotNo(i)) != nil {
			lots++
		}
	}
	c.want(chains == lots, "%d lots, %d in the chains of articles", lots, chains)
	c.tree("articles by units", c.s.byUnits.verify())
	c.want(count == c.s.byUnits.len(), "%d articles with slots, %d by units", count, c.s.byUnits.len())
}

func (c *checker) larges() {
	for i := range c.lots {
		if e := c.s.lot(LotNo(i)); e != nil && e.large != nil {
			err := c.large(e.large, e.self[:])
			c.want(err == nil, "lot %d: %v", i, err)
		}
	}
	for i, p := range c.pools {
		if l := c.s.pools.at(i).large; l != nil {
			err := c.large(l, p.lots)
			c.want(err == nil, "pool %d: %v", i, err)
		}
	}
}

// large compares what is kept for some lots with what should be.
func (c *checker) large(l *large, lots []LotNo) error {
	f := c.s.facts(lots)
	var faults []error
	want := func(what string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", what, err))
		}
	}
	want("free units", compareSteps(&l.net.sumTree, f.net))
	want("stock", compareSteps(&l.stock.sumTree, f.stock))
	want("beginnings of slots", compareSteps(&l.begins, f.begins))
	want("ends of slots", compareSteps(&l.ends, f.ends))
	for i, gaps := range f.gaps {
		want("gaps", compareSpans(&l.gaps[i], gaps))
	}
	want("seats pinned to slots", compareSpans(&l.slot, f.slot))
	want("seats pinned to articles", compareSpans(&l.article, f.article))
	return errors.Join(faults...)
}

func compareSteps[S comparable, A summer[instant, int32, S]](t *sumTree[instant, int32, S, A], want []change) error {
	var got []change
	t.all(func(keys []instant, vals []int32) bool {
		for i, k := range keys {
			got = append(got, change{int64(k), vals[i], 0})
		}
		return true
	})
	return cmp.Or(t.verify(), firstDifference(want, got))
}

func compareSpans[S comparable, A summer[key, int64, S]](t *sumTree[key, int64, S, A], want []spanFact) error {
	var got []spanFact
	t.all(func(keys []key, vals []int64) bool {
		for i, k := range keys {
			got = append(got, spanFact{k, vals[i]})
		}
		return true
	})
	return cmp.Or(t.verify(), firstDifference(want, got))
}

func firstDifference[T comparable](want, got []T) error {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return fmt.Errorf("%v is kept as %v", want[i], got[i])
		}
	}
	if len(want) != len(got) {
		return fmt.Errorf("%d kept of %d", len(got), len(want))
	}
	return nil
}

// verify reports what is wrong with the tree's shape, order or summaries.
func (t *sumTree[K, V, S, A]) verify() error {
	if t.root == nil {
		if t.n != 0 {
			return fmt.Errorf("empty, but counts %d", t.n)
		}
		return nil
	}
	depth, items := -1, 0
	var last *K
	var walk func(n *node[K, V, S, A], d int) error
	walk = func(n *node[K, V, S, A], d int) error {
		if n.in == nil {
			if depth < 0 {
				depth = d
			}
			if d != depth || len(n.keys) == 0 || len(n.keys) > leafMax || len(n.keys) != len(n.vals) {
				return fmt.Errorf("leaf of %d keys and %d values at depth %d of %d", len(n.keys), len(n.vals), d, depth)
			}
			items += len(n.keys)
			for i := range n.keys {
				k := n.keys[i : i+1]
				if last != nil && (*last == k[0] || (*last).search(k) != 0) {
					return fmt.Errorf("%v not before %v", *last, k[0])
				}
				last = &k[0]
			}
			return nil
		}
		if len(n.keys) == 0 || len(n.keys) > innerMax {
			return fmt.Errorf("inner node of %d children", len(n.keys))
		}
		for _, kid := range n.in.kids[len(n.keys):] {
			if kid != nil {
				return errors.New("an inner node keeps a child that it lost")
			}
		}
		for i, kid := range n.kids() {
			if err := walk(kid, d+1); err != nil {
				return err
			}
			if n.keys[i] != kid.keys[0] || n.in.sums[i] != kid.sum() {
				return fmt.Errorf("child %d of an inner node: %v, %v", i, n.keys[i], n.in.sums[i])
			}
		}
		return nil
	}
	if err := walk(t.root, 0); err != nil {
		return err
	}
	if items != t.n {
		return fmt.Errorf("%d items, counts %d", items, t.n)
	}
	return nil
}
