package timeline

// This file owns the plan of a reduction: which slots of a lot end, where their holds go, and what stands in the way.

import (
	"cmp"
	"math"
	"slices"
)

// Move is a hold that changes its slot. Cut is its cut on the new one.
type Move struct {
	Hold     ID
	From, To SlotNo
	Cut      int64
}

// SlotEnd is a slot that ends at another instant than before.
type SlotEnd struct {
	Slot SlotNo
	End  int64
}

// Reduction is a plan for a lot to have Amount units less at every instant from At on, whatever is planned for it
// already. Holds on slots past their new ends are seated elsewhere.
//
// Slots are the ones that end then; one that begins just then is taken out of existence. No planned end is used up for
// that: a slot that was to end later hands its end on to another of the lot, and one that gets the end at which it
// begins is gone. Ends are these other slots.
//
// Where at some instant from At on the lot has fewer units, the reason is NotEnoughStock, there is nothing else in the
// plan, and PossibleFrom says from when on it has as many. Where not all holds can be kept, OK is false and Reason says
// why. Blockers then are a smallest set of holds that would have to go, on the lot or, of those that may be moved to
// it, on others of its pool; and Slots, Ends and Moves are what happens when they do: applied all the same, the plan
// makes conflicts of them. Where even that is not possible, because there are not as many units that are not with a
// customer, there are no Slots, and Blockers are all holds whose units are with a customer then.
type Reduction struct {
	Lot    LotNo
	Amount int
	At     int64
	OK     bool
	Reason Refusal
	// with NotEnoughStock: the earliest instant from which on there are as many units at every instant, Forever where
	// there is none
	PossibleFrom int64
	Slots        []SlotNo  // ascending
	Ends         []SlotEnd // by slot
	Moves        []Move    // by hold
	Blockers     []ID      // ascending
	// no plan that keeps the same holds has fewer moves; so where stock is not enough, and there is none
	Minimal    bool
	LowerBound int // no plan that keeps the same holds has fewer moves than this
}

// Feasible says that the plan can be applied, if need be by making conflicts of its blockers. The zero Reduction is no
// plan.
func (r *Reduction) Feasible() bool { return r.Amount > 0 && len(r.Slots) >= r.Amount }

// Reduce plans for a lot to have amount slots less from at on, on the Stock as it is, for a command of the instant now.
// Conflicts are neither counted nor repaired.
//
// Fewest moves: where each displaced hold has a gap on the emptiest slots, that is proven; a lot of up to six slots and
// about 60 holds in play is swept, which is exact; else the plan is as good as direct fits, the search for few moves
// and the exchange walk make it. Where nothing is pinned and the count of units that stay suffices, there is a plan
// always. Where the lot's own slots do not suffice, auto-assigned holds go to other lots of the pool; only then is such
// a plan looked at, and what is said of the moves of a plan inside the lot is said among those.
func (s *Stock) Reduce(lot LotNo, amount int, at, now int64) Reduction {
	return s.Draft(now).Reduce(lot, amount, at)
}

// Reduce is Stock.Reduce for the draft as it is. It changes nothing; ApplyReduction does.
func (d *Draft) Reduce(lot LotNo, amount int, at int64) Reduction {
	if from := d.Stock().enough(lot, amount, at); from > at {
		return Reduction{Lot: lot, Amount: amount, At: at, Reason: NotEnoughStock, PossibleFrom: from, Minimal: true}
	}
	if quick, ok := d.reduceIdle(lot, amount, at); ok {
		return quick
	}
	if quick, ok := d.reduceEmptiest(lot, amount, at); ok {
		return quick
	}
	r := d.reducer(LotRef(lot), lot, amount, at)
	if p := r.plan(nil); p != nil {
		return r.result(p, nil, Granted)
	}
	over, _ := r.excess()
	why := HoldsExceedRemainingStock
	if len(over) == 0 {
		why = PinnedHoldsInTheWay
	}
	best := r.force(over, why)
	others := d.Stock().Home(&Hold{}, lot)
	if len(d.Stock().Lots(others)) < 2 || !best.Feasible() {
		return best
	}
	f := d.Stock().fixityOf(others, at, d.now)
	if leaving, ok := r.orphans(nil, r.auto(f)); ok {
		best = d.pushOut(r, others, f, r.force(leaving, why), best)
	}
	if !best.OK {
		best = d.pushOut(r, others, f, r.force(over, why), best)
	}
	return d.fewer(others, best)
}

// fewerSlots is the most slots of a pool of several lots in which a plan looks for fewer blockers than its lot has.
const fewerSlots = 512

// fewer is best, or a plan whose blockers are the fewest that the count of the whole pool admits: one hold of another
// lot, which may be moved among them, may stand in the way of several of the lot's own.
func (d *Draft) fewer(p PoolRef, best Reduction) Reduction {
	if len(best.Blockers) < 2 || d.Stock().SlotCount(p) > fewerSlots {
		return best
	}
	r := d.reducer(p, best.Lot, best.Amount, best.At)
	over, ok := r.orphans(nil, func(x *bar) bool {
		return x.bound != fixed && (r.lanes[x.home].slot.Lot == best.Lot || r.of(r.holds[x.hold]) < inLot)
	})
	if !ok || len(over) == 0 || len(over) >= len(best.Blockers) {
		return best
	}
	g := d.Fork()
	var blockers []ID
	for _, i := range over {
		blockers = append(blockers, r.holds[i].ID)
		g.Take(r.holds[i].ID)
	}
	plan := g.Reduce(best.Lot, best.Amount, best.At)
	if !plan.OK {
		return best
	}
	plan.OK, plan.Reason, plan.Blockers = false, HoldsExceedRemainingStock, blockers
	plan.sort()
	return plan
}

// enough is the earliest instant, not before at, from which on a lot has at least amount units at every instant;
// Forever where there is none.
func (s *Stock) enough(lot LotNo, amount int, at int64) (from int64) {
	if l := s.large(LotRef(lot)); l != nil {
		below, ok := l.stock.lastBelow(Span{at, Forever}, int32(amount))
		if !ok {
			return at
		}
		var behind steps
		behind.seek(&l.stock, below)
		return behind.at()
	}
	edges := []int64{at}
	for _, no := range s.Slots(lot) {
		for _, t := range [2]int64{s.slot(no).span.Start, s.slot(no).span.End} {
			if at < t && t < Forever {
				edges = append(edges, t)
			}
		}
	}
	slices.Sort(edges)
	from = Forever
	for _, t := range slices.Backward(edges) {
		if int(s.unitsOver(lot, Span{t, t + 1})) < amount {
			break
		}
		from = t
	}
	return from
}

// reduceIdle ends slots on which nothing lies from the instant on: those that begin just then, then those that were
// taken last. It is for large lots, which it does not look through; ok is false where there are not as many.
func (d *Draft) reduceIdle(lot LotNo, amount int, at int64) (out Reduction, ok bool) {
	l := d.Stock().large(LotRef(lot))
	if l == nil {
		return out, false
	}
	return d.ReduceTo(lot, at, l.gaps.idle(at, amount), amount)
}

// ReduceTo is Reduce for slots that have no end, and on which nothing lies from the instant on, where these are as
// many: they end, except for as many as begin just then with nothing on them, which are taken out of existence before
// others end. So no booking across the instant finds one slot that ends and one that begins where one could go on. ok
// is false if the slots are too few, or if one that begins just then has an end, which would have to be handed on.
func (d *Draft) ReduceTo(lot LotNo, at int64, idle []SlotNo, amount int) (out Reduction, ok bool) {
	if len(idle) < amount {
		return out, false
	}
	fresh, ok := d.Stock().unbegun(lot, at, amount)
	if !ok {
		return out, false
	}
	slots := slices.Clone(fresh)
	for _, no := range idle {
		if _, is := slices.BinarySearch(fresh, no); !is && len(slots) < amount {
			slots = append(slots, no)
		}
	}
	slices.Sort(slots)
	return Reduction{Lot: lot, Amount: amount, At: at, OK: true, Slots: slots, Minimal: true}, true
}

// unbegun lists slots of a lot that begin at an instant and have nothing on them, ascending, those of the largest
// numbers, at most n. ok is false where one of them has an end.
func (s *Stock) unbegun(lot LotNo, at int64, n int) (list []SlotNo, ok bool) {
	if l := s.large(LotRef(lot)); l != nil {
		if most, _ := l.begins.get(instant(at)); most == 0 {
			return nil, true
		}
	}
	for _, no := range slices.Backward(s.Slots(lot)) {
		if len(list) == n {
			break
		}
		e := s.slot(no)
		if e.span.Start != at {
			continue
		}
		if first, _ := e.rail.next(railPos{}); first != nil {
			continue
		}
		if !e.span.Open() {
			return nil, false
		}
		list = append(list, no)
	}
	slices.Reverse(list)
	return list, true
}

// reduceEmptiest ends the slots with the fewest holds past the instant, where each of these has a gap elsewhere, and so
// has each end that is handed on: then nothing could be better. It is for lots of many slots, which it does not lay
// out; ok is false where it is not that simple.
func (d *Draft) reduceEmptiest(lot LotNo, amount int, at int64) (out Reduction, ok bool) {
	s := d.Stock()
	f := s.fixityOf(LotRef(lot), at, d.now)
	if !s.wide(LotRef(lot), f.floor) {
		return out, false
	}
	if free, _, _, _ := s.MinFree(LotRef(lot), Span{at, Forever}); free < amount && s.ConflictCount(LotRef(lot)) == 0 {
		return out, false // by count alone
	}
	var list []closing
	for _, no := range s.Slots(lot) {
		e := s.slot(no)
		if !e.span.Holds(at) {
			continue
		}
		c := closing{lane: int(no), fresh: e.span.Start == at, ends: !e.span.Open()}
		for h, p := e.rail.next(e.rail.from(at)); h != nil; h, p = e.rail.next(p) {
			c.holds++
			if f.of(h) == fixed {
				c.holds = math.MaxInt32
				break
			}
		}
		list = append(list, c)
	}
	slices.SortFunc(list, closing.compare)
	if len(list) < amount || list[amount-1].holds == math.MaxInt32 {
		return out, false
	}
	g := d.Fork()
	var displaced []Hold
	var handedOn []int64
	for _, c := range list[:amount] {
		no := SlotNo(c.lane)
		if c.ends {
			handedOn = append(handedOn, s.slot(no).span.End)
		}
		for h := range s.Holds(no, Span{at, Forever}) {
			g.Take(h.ID)
			displaced = append(displaced, h.WithCut(max(h.Cut(), f.floor-h.Span.Start)))
		}
		g.EndSlot(no, at)
	}
	slices.SortFunc(displaced, func(x, y Hold) int {
		return cmp.Or(cmp.Compare(x.Seat().Start, y.Seat().Start), x.ID.Compare(y.ID))
	})
	for _, h := range displaced {
		no, ok := g.Stock().TightGap(LotRef(lot), h.Seat())
		if !ok {
			return out, false
		}
		g.put(h, Place{lot, no})
	}
	for _, end := range handedOn {
		no, ok := g.Stock().TightGap(LotRef(lot), Span{end, Forever})
		if !ok {
			return out, false
		}
		g.EndSlot(no, end)
	}
	out = Reduction{Lot: lot, Amount: amount, At: at, OK: true, LowerBound: holds(list[:amount])}
	return d.difference(g, out, nil), true
}

// ApplyReduction carries out a plan that was made for the draft as it is. A hold that stands in its way becomes a
// conflict of the lot that it was on.
func (d *Draft) ApplyReduction(r Reduction) {
	for _, x := range d.carry(r) {
		d.Keep(x.Hold, x.Place.Lot)
	}
}

// carry carries out a plan except for its blockers, which it takes out and returns with where they were.
func (d *Draft) carry(r Reduction) (blockers []Placed) {
	moved := make([]Hold, len(r.Moves))
	d.touched = slices.Grow(d.touched, 2*len(r.Moves)+len(r.Blockers))
	d.slots = slices.Grow(d.slots, len(r.Ends)+len(r.Slots))
	for i, m := range r.Moves {
		var from Place
		moved[i], from, _ = d.Take(m.Hold)
		if to, _ := d.Slot(m.To); from.Lot != to.Lot {
			d.leave(from.Lot, moved[i].Seat())
		}
	}
	for _, id := range r.Blockers {
		h, from, _ := d.Take(id)
		blockers = append(blockers, Placed{h, from})
	}
	for _, e := range r.Ends {
		d.EndSlot(e.Slot, e.End)
	}
	for _, no := range slices.Backward(r.Slots) { // those that go altogether leave the end of their lot's list
		d.EndSlot(no, r.At)
	}
	for i, m := range r.Moves {
		to, _ := d.Slot(m.To)
		d.put(moved[i].WithCut(m.Cut), Place{to.Lot, m.To})
	}
	return blockers
}

// result reads a plan off the board that it came to.
func (r *reducer) result(p *layout, blockers []int32, why Refusal) Reduction {
	out := Reduction{Lot: r.lot, Amount: r.amount, At: r.at, OK: why == Granted, Reason: why, LowerBound: p.lower}
	for l := range p.lanes {
		slot := p.lanes[l].slot
		switch end := p.endOf(l); {
		case end == slot.Span.End:
		case end == r.at && len(out.Slots) < r.amount: // one more has the end of a slot that was to end then anyway
			out.Slots = append(out.Slots, slot.No)
		default:
			out.Ends = append(out.Ends, SlotEnd{slot.No, end})
		}
		for i := range p.lanes[l].bars {
			x := &p.lanes[l].bars[i]
			if x.hold < 0 || x.home == int32(l) {
				continue
			}
			h := p.holds[x.hold]
			out.Moves = append(out.Moves,
				Move{h.ID, p.lanes[x.home].slot.No, slot.No, max(h.Cut(), p.floor-h.Span.Start)})
		}
	}
	for _, i := range blockers {
		out.Blockers = append(out.Blockers, p.holds[i].ID)
	}
	out.Minimal = len(out.Moves) == out.LowerBound
	out.sort()
	return out
}

func (r *Reduction) sort() {
	slices.Sort(r.Slots)
	slices.SortFunc(r.Ends, func(x, y SlotEnd) int { return cmp.Compare(x.Slot, y.Slot) })
	slices.SortFunc(r.Moves, func(x, y Move) int { return x.Hold.Compare(y.Hold) })
	slices.SortFunc(r.Blockers, ID.Compare)
}

// force plans with blockers: those that have to go by count alone, and what cannot be kept for what is pinned.
func (r *reducer) force(over []int32, why Refusal) Reduction {
	if !r.loose() {
		// What is pinned may be what has to go.
		if all, ok := r.orphans(nil, r.droppable); ok && len(all) < len(over) {
			over = all
		}
	}
	if len(over) > 0 {
		if p := r.plan(over); p != nil {
			return r.result(p, over, why)
		}
	}
	if swept, _ := r.sweepAll(r.board, nil, true); swept != nil {
		return r.lost(swept, why)
	}
	b := r.without(over)
	now := r.closable(b, r.at)
	best := (*board)(nil)
	if len(now) >= r.amount {
		try := b.clone()
		if r.shut(try, now[:r.amount], true); !try.keepsEnd() {
			best = try
		}
	}
	if try := b.clone(); best == nil || len(best.stuck) > 0 {
		if displaced, ok := r.match(try, b.droppable); ok {
			if r.settle(try, displaced, true); best == nil || len(try.stuck) < len(best.stuck) {
				best = try
			}
		}
	}
	if best == nil {
		return Reduction{Lot: r.lot, Amount: r.amount, At: r.at, Reason: PinnedHoldsInTheWay, Blockers: r.outs()}
	}
	for _, i := range over {
		best.stuck = append(best.stuck, bar{hold: i})
	}
	return r.lost(best, why)
}

// loose says that nothing on the board is pinned that could go.
func (r *reducer) loose() bool {
	for l := range r.lanes {
		for i := range r.lanes[l].bars {
			if x := &r.lanes[l].bars[i]; x.bound == fixed && r.droppable(x) {
				return false
			}
		}
	}
	return true
}

// lost is the result of a board on which not everything found a place.
func (r *reducer) lost(b *board, why Refusal) Reduction {
	var blockers []int32
	for _, x := range b.stuck {
		blockers = append(blockers, x.hold)
	}
	rest := r.without(blockers)
	lower, _ := r.bound(rest, r.closable(rest, r.at))
	return r.result(&layout{b, lower}, blockers, why)
}

// outs lists the holds that are with a customer past the instant, and so keep their slots from ending.
func (r *reducer) outs() (ids []ID) {
	for _, l := range r.lasting {
		for _, x := range r.past(l, r.at) {
			if x.hold >= 0 && x.bound == fixed && !r.droppable(&x) {
				ids = append(ids, r.holds[x.hold].ID)
			}
		}
	}
	slices.SortFunc(ids, ID.Compare)
	return ids
}

// pushOut is plan with its blockers seated in the other lots of the pool, by exchanges all over the pool if need be;
// best where that does not leave fewer.
func (d *Draft) pushOut(r *reducer, p PoolRef, f fixity, plan, best Reduction) Reduction {
	if !plan.Feasible() {
		return best
	}
	// Those that start first go first.
	g := d.Fork()
	leaving := g.carry(plan)
	slices.SortFunc(leaving, func(x, y Placed) int {
		return cmp.Or(cmp.Compare(x.Seat().Start, y.Seat().Start), x.ID.Compare(y.ID))
	})
	var blockers []ID
	for _, x := range leaving {
		h := x.Hold
		if h.Seat().Start < r.floor {
			h = h.WithCut(r.floor - h.Span.Start)
		}
		if !g.seatElsewhere(p, h, f) {
			blockers = append(blockers, h.ID)
		}
	}
	if len(blockers) >= len(best.Blockers) {
		return best
	}
	plan.LowerBound = r.atLeast(blockers, f)
	best = d.difference(g, plan, blockers)
	if len(blockers) == 0 {
		best.OK, best.Reason = true, Granted
	}
	return best
}

// auto says which holds of the lot may leave it for others of its pool.
func (r *reducer) auto(f fixity) func(*bar) bool {
	return func(x *bar) bool { return x.hold >= 0 && f.of(r.holds[x.hold]) < inLot }
}

// atLeast bounds the moves, in the lot and out of it, of any plan that keeps all holds but the blockers. Whatever slots
// end, what lies on them past their ends has to move, and no choice of them has less on it than the cheapest. And the
// holds that leave the lot are at least as many as orphans says: with fewer gone, there is an instant at which more
// stay than the lot has slots left.
func (r *reducer) atLeast(blockers []ID, f fixity) (moves int) {
	blocks := make(map[ID]bool, len(blockers))
	for _, id := range blockers {
		blocks[id] = true
	}
	var gone []int32
	for i, h := range r.holds {
		if blocks[h.ID] {
			gone = append(gone, int32(i))
		}
	}
	rest := r.without(gone)
	moves, _ = r.bound(rest, r.closable(rest, r.at))
	if leaving, ok := r.orphans(gone, r.auto(f)); ok {
		moves = max(moves, len(leaving))
	}
	return moves
}

// seatElsewhere seats a hold that was taken out of its lot in the pool of the lot. The units that are counted for
// conflicts do not prevent that.
func (d *Draft) seatElsewhere(p PoolRef, h Hold, f fixity) bool {
	if f.of(&h) >= inLot {
		return false
	}
	s := d.Stock()
	w := s.asks(p, &h, d.now)
	if no, ok := s.tight(p, w, h.Seat()); ok {
		d.put(h, Place{s.slot(no).lot, no})
		return true
	}
	if s.Full(p, h.Seat()) {
		return false
	}
	b, l, ok := s.makeRoom(p, 0, w, h.Seat(), d.now)
	if !ok {
		return false
	}
	d.carryOut(b)
	d.put(h, Place{b.lanes[l].slot.Lot, b.lanes[l].slot.No})
	return true
}

// difference is the plan that leads from d to its fork g, which has carried out plan and more, and taken out the
// blockers.
func (d *Draft) difference(g *Draft, plan Reduction, blockers []ID) Reduction {
	out := plan
	out.Slots, out.Ends, out.Moves, out.Blockers = nil, nil, nil, blockers
	was, is := d.Stock(), g.Stock()
	holds, slots := g.gather()
	for _, id := range holds {
		_, from, _ := was.Find(id)
		h, to, ok := is.Find(id)
		if ok && from.Slot != to.Slot {
			out.Moves = append(out.Moves, Move{id, from.Slot, to.Slot, h.Cut()})
		}
	}
	for _, no := range slots {
		before, _ := was.Slot(no)
		after, ok := is.Slot(no)
		if !ok {
			after.Span.End = before.Span.Start // it got the end at which it begins
		}
		switch end := after.Span.End; {
		case end == before.Span.End:
		case end == plan.At && before.Lot == plan.Lot && len(out.Slots) < plan.Amount:
			out.Slots = append(out.Slots, no)
		default:
			out.Ends = append(out.Ends, SlotEnd{no, end})
		}
	}
	out.Minimal = len(out.Moves) == out.LowerBound
	out.sort()
	return out
}
