package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"holdfast/timeline"
)

// This file owns quantities: planning, taking and adding units of an article at a location, moving them to another, and
// taking an article out of its pool.
//
// A change of n at an instant changes the quantity by n at every instant from then on, whatever is planned before or behind it: changes
// add up, in whatever order they are entered, and a decrease that would leave less than nothing at any later instant is refused. A
// planned change is called off by its opposite at its own instant, a transfer by the transfer back: a decrease takes units that begin
// just then before others where that costs no more moves, and an increase lets units that were to end just then go on before it makes
// new ones.

// QuantityPlan says how units of an article can go. It is the answer of the preview and of the write alike.
//
// Of its three lists it has a part each; the digest is of the whole.
type QuantityPlan struct {
	OK      bool
	Moves   []SlotMove
	Removed []ID   // slots that end at the effective instant
	Reason  string // empty when OK; not_enough_stock | holds_exceed_remaining_stock | pinned_holds_in_the_way
	// PossibleFrom is the earliest instant from which on there are as many units at every instant, where there are not from the effective
	// instant on; nil where there is none either. Holds may be in the way of a plan from then on, too.
	PossibleFrom *int64           `json:",omitempty"`
	Blockers     []Unavailability // by start, then id
	// Minimal: no plan that keeps all holds moves fewer; so of one that is refused for not_enough_stock, which moves none. Where all
	// stay in the article, that is among the plans in which they do: others are looked at only where there is no such plan.
	Minimal    bool
	LowerBound int // no such plan moves fewer than this
	Digest     string

	MovesTotal, RemovedTotal, BlockersTotal int `json:",omitzero"` // how long the lists are as a whole
}

// SlotMove is a hold that changes its slot.
type SlotMove struct{ Unavailability, From, To ID }

// quantityChange are the inputs that all changes of a quantity share.
type quantityChange struct {
	Article  ID
	Location ID
	Amount   int
	At       *int64 // effective instant; nil: now
}

func (q quantityChange) check(c *checker) {
	c.number("/amount", q.Amount, 1, maxUnits)
	if q.At != nil {
		c.instant("/effectiveFrom", *q.At)
	}
}

// resolve finds the article, the location and the effective instant.
func (q quantityChange) resolve(a *account, now int64) (*Article, *Location, int64, error) {
	r, l := a.articles().Get(q.Article), a.locations().Get(q.Location)
	if r == nil {
		return nil, nil, 0, notFound("article")
	}
	if l == nil {
		return nil, nil, 0, notFound("location")
	}
	if q.At != nil {
		return r, l, *q.At, nil
	}
	return r, l, now, nil
}

// PlanQuantity plans taking units from an article at a location, and changes nothing. It gives the first part of the plan.
func (v View) PlanQuantity(article, location ID, amount int, at *int64, now int64) (*QuantityPlan, error) {
	return v.PlanQuantityPart(article, location, amount, at, nil, First, now)
}

// PlanQuantityPart is PlanQuantity with another part of the plan. Where a plan is expected, by its digest, and it is another by
// now, it is refused with the first part of that.
func (v View) PlanQuantityPart(article, location ID, amount int, at *int64, expected *string, p Part, now int64) (*QuantityPlan, error) {
	q := quantityChange{article, location, amount, at}
	var c checker
	q.check(&c)
	if len(c.faults) > 0 {
		return nil, invalid(c.faults)
	}
	r, l, from, err := q.resolve(v.acc, now)
	if err != nil {
		return nil, err
	}
	_, plan := v.acc.planReduction(r, l, amount, from, now, nil, p)
	if expected != nil && *expected != plan.Digest {
		_, plan = v.acc.planReduction(r, l, amount, from, now, nil, First)
		return nil, planChanged(plan)
	}
	return plan, nil
}

// foresee plans the reduction ahead of its command.
func (q quantityChange) foresee(v View, now int64) *timeline.Ahead {
	r, l, at, err := q.resolve(v.acc, now)
	if err != nil {
		return nil
	}
	lot := r.lotAt(l.No)
	if lot == nil {
		return nil
	}
	return v.acc.stock.ReduceAhead(lot.no, q.Amount, at, now)
}

// planReduction plans on the state as it is, or takes over what was planned ahead; the plan of the preview and of the write. It
// shows a part of it.
func (a *account) planReduction(r *Article, l *Location, amount int, at, now int64, ahead *timeline.Ahead, p Part) (timeline.Reduction, *QuantityPlan) {
	lot := r.lotAt(l.No)
	if lot == nil {
		plan := &QuantityPlan{Reason: "not_enough_stock", Minimal: true}
		plan.Digest = plan.digest(nil)
		return timeline.Reduction{}, plan
	}
	red, ok := a.stock.ReduceAs(ahead, lot.no, amount, at, now)
	if !ok {
		red = a.stock.Reduce(lot.no, amount, at, now)
	}
	return red, a.quantityPlan(a.stock, red, p)
}

// quantityPlan shows a part of a reduction that was planned on some timelines.
func (a *account) quantityPlan(s *timeline.Stock, red timeline.Reduction, p Part) *QuantityPlan {
	plan := &QuantityPlan{OK: red.OK, Reason: red.Reason.String(), Minimal: red.Minimal, LowerBound: red.LowerBound}
	if red.Reason == timeline.NotEnoughStock && red.PossibleFrom < Forever {
		from := red.PossibleFrom
		plan.PossibleFrom = &from
	}
	plan.Removed = slices.Grow(plan.Removed, len(red.Slots))
	for _, no := range red.Slots {
		plan.Removed = append(plan.Removed, slotID(s, no))
	}
	plan.Moves = slices.Grow(plan.Moves, len(red.Moves))
	for _, m := range red.Moves {
		plan.Moves = append(plan.Moves, SlotMove{m.Hold, slotID(s, m.From), slotID(s, m.To)})
	}
	plan.Digest = plan.digest(red.Blockers)
	plan.MovesTotal, plan.RemovedTotal, plan.BlockersTotal = len(plan.Moves), len(plan.Removed), len(red.Blockers)
	plan.Moves, plan.Removed, plan.Blockers = partOf(plan.Moves, p), partOf(plan.Removed, p), a.standing(s, red.Blockers, p)
	return plan
}

// standing is a part of what stands in the way of a plan, by start, then id.
func (a *account) standing(s *timeline.Stock, ids []ID, p Part) (list []Unavailability) {
	all := make([]timeline.Placed, len(ids))
	for i, id := range ids {
		all[i].Hold, all[i].Place, _ = s.Find(id)
	}
	slices.SortFunc(all, func(x, y timeline.Placed) int { return byStart(x.Hold, y.Hold) })
	for _, u := range partOf(all, p) {
		list = append(list, a.unavailability(u.Hold, u.Place))
	}
	return list
}

func planChanged(plan *QuantityPlan) error {
	return &Error{Code: CodePlanChanged, Detail: "the plan is not the one that was expected", Details: QuantityDetails{plan}}
}

func slotID(s *timeline.Stock, no timeline.SlotNo) ID {
	slot, _ := s.Slot(no)
	return slot.ID
}

// digest names a plan, which is whole but for its blockers, by what it would do: slots, moves and blockers, not the instant.
func (p *QuantityPlan) digest(blockers []ID) string {
	b := make([]byte, 0, 3*8+len(ID{})*(len(p.Removed)+3*len(p.Moves)+len(blockers)))
	b = binary.BigEndian.AppendUint64(b, uint64(len(p.Removed)))
	for i := range p.Removed {
		b = append(b, p.Removed[i][:]...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(len(p.Moves)))
	for i := range p.Moves {
		m := &p.Moves[i]
		b = append(append(append(b, m.Unavailability[:]...), m.From[:]...), m.To[:]...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(len(blockers)))
	for i := range blockers {
		b = append(b, blockers[i][:]...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// IncreaseQuantity adds units to an article at a location: those that were to end just then go on, the others are new. It answers with
// the *Article.
type IncreaseQuantity struct {
	Article  ID
	Location ID
	Amount   int
	From     *int64 // default now
}

func (o IncreaseQuantity) Check() []Fault {
	var c checker
	quantityChange{o.Article, o.Location, o.Amount, o.From}.check(&c)
	return c.faults
}

func (o IncreaseQuantity) plan(t *tx) (any, error) {
	r, l, from, err := quantityChange{o.Article, o.Location, o.Amount, o.From}.resolve(t.acc, t.now)
	if err != nil {
		return nil, err
	}
	if err := t.addUnits(r, l, o.Amount, from); err != nil {
		return nil, err
	}
	t.seatFreed()
	return r, nil
}

func (IncreaseQuantity) result() any { return new(Article) }

// addUnits adds units of an article at a location. Slots that end just then go on, which calls off what was planned; the others are made.
func (t *tx) addUnits(r *Article, l *Location, amount int, from int64) error {
	stock := t.acc.stock
	if t.seating().stock != nil {
		stock = t.seating().stock.Stock()
	}
	var ending []timeline.SlotNo
	if lot := r.lotAt(l.No); lot != nil {
		ending = stock.EndingAt(lot.no, from, amount)
	}
	slots := 0
	for _, x := range r.lots {
		slots += len(t.acc.stock.Slots(x.no))
	}
	if slots+amount-len(ending) > maxSlots {
		return invalid([]Fault{{Pointer: "/amount", Code: "range", Message: "an article has at most 100000 slots"}})
	}
	for _, no := range ending {
		t.draft().EndSlot(no, Forever)
	}
	t.newUnits(r, l.No, amount-len(ending), Span{Start: from, End: Forever})
	return nil
}

// newUnits makes slots of an article at a location, and the lot where it is the first. Conflicts may want them: where there
// are any, or may be by now, the plan's own timelines get the units, too.
func (t *tx) newUnits(r *Article, location uint32, amount int, over Span) {
	of := lotOf{r.No, location}
	no, ok := t.seating().lots[of]
	if l := r.lotAt(location); l != nil {
		no, ok = l.no, true
	}
	drafted := t.seating().stock != nil || t.acc.stock.ConflictLen() > 0
	if !ok {
		no = t.newLot(r.No, location)
		if t.seating().lots == nil {
			t.seating().lots = map[lotOf]timeline.LotNo{}
		}
		t.seating().lots[of] = no
		if drafted {
			t.draft().AddLot(no, r.No, location, t.acc.poolNow(r, location))
			t.house(r.SKU)
		}
	}
	for range amount {
		if drafted {
			t.ledger.Slot++
			t.draft().AddSlot(timeline.Slot{ID: t.newID(), No: timeline.SlotNo(t.ledger.Slot), Lot: no, Span: over})
		} else {
			t.newSlot(no, over)
		}
	}
	t.freedOf(r, no, over)
}

// poolNow is the pool that a lot of an article at a location belongs to, 0 where there is no such pool yet.
func (a *account) poolNow(r *Article, location uint32) timeline.PoolNo {
	if r.SKU == nil || !r.Takes() {
		return 0
	}
	key := a.poolKey(r, location)
	for _, p := range a.skus().Get(*r.SKU).pools {
		if p.is(key) {
			return p.no
		}
	}
	return 0
}

// DecreaseQuantity takes units from an article at a location: it plans on the state it meets and applies the plan. Where
// not all holds can be kept it is refused, or, with Force, the blockers become conflicts. Where at some instant from then on there are
// not as many units, it is refused. It answers with the
// *QuantityPlan applied.
type DecreaseQuantity struct {
	Article  ID
	Location ID
	Amount   int
	From     *int64  // default now
	Expected *string // digest of the preview: another plan is refused
	Force    bool
}

func (o DecreaseQuantity) Check() []Fault {
	var c checker
	quantityChange{o.Article, o.Location, o.Amount, o.From}.check(&c)
	return c.faults
}

func (o DecreaseQuantity) foresee(v View, now int64) *timeline.Ahead {
	return quantityChange{o.Article, o.Location, o.Amount, o.From}.foresee(v, now)
}

func (o DecreaseQuantity) plan(t *tx) (any, error) {
	plan, err := t.reduce(quantityChange{o.Article, o.Location, o.Amount, o.From}, o.Expected, o.Force)
	if err != nil {
		return nil, err
	}
	t.seatFreed()
	return plan, nil
}

func (DecreaseQuantity) result() any { return new(QuantityPlan) }

// QuantityDetails is the Details of QUANTITY_CHANGE_BLOCKED and PLAN_CHANGED: the plan as it is now.
type QuantityDetails struct{ Plan *QuantityPlan }

func (t *tx) reduce(q quantityChange, expected *string, force bool) (*QuantityPlan, error) {
	r, l, at, err := q.resolve(t.acc, t.now)
	if err != nil {
		return nil, err
	}
	red, plan := t.acc.planReduction(r, l, q.Amount, at, t.now, t.ahead, First)
	if expected != nil && *expected != plan.Digest {
		return nil, planChanged(plan)
	}
	if !red.OK && (!force || !red.Feasible()) {
		return nil, &Error{Code: CodeQuantityBlocked, Detail: plan.refusal(), Details: QuantityDetails{plan}}
	}
	t.apply(red)
	return plan, nil
}

// apply has a lot have fewer units, as planned. Until then the units of those who lose theirs are free for those who wait. A hold whose unit leaves waits, too: the plan
// has to keep it on its article, and now it may have a unit of another.
func (t *tx) apply(red timeline.Reduction) {
	d := t.draft()
	waits := d.ConflictLen() > 0
	for _, id := range red.Blockers {
		if h, at, _ := d.Find(id); waits || h.Flags.Has(timeline.OneWay) {
			t.freed(h.Span, at)
		}
	}
	d.ApplyReduction(red)
}

// refusal says why a plan is refused.
func (p *QuantityPlan) refusal() string {
	if p.Reason == timeline.NotEnoughStock.String() {
		return "there are not as many units at every instant from then on: " + p.Reason
	}
	return "not every hold can be kept: " + p.Reason
}

// TransferQuantity moves units of an article to another location: they end here and begin there. It answers with the
// *QuantityPlan of the location they leave.
type TransferQuantity struct {
	Article  ID
	From, To ID
	Amount   int
	At       *int64 // default now
}

func (o TransferQuantity) Check() []Fault {
	var c checker
	quantityChange{o.Article, o.From, o.Amount, o.At}.check(&c)
	if o.From == o.To {
		c.fault("/toServiceLocationId", "same", "must be another location")
	}
	return c.faults
}

func (o TransferQuantity) foresee(v View, now int64) *timeline.Ahead {
	return quantityChange{o.Article, o.From, o.Amount, o.At}.foresee(v, now)
}

func (o TransferQuantity) plan(t *tx) (any, error) {
	to := t.acc.locations().Get(o.To)
	if to == nil {
		return nil, notFound("location")
	}
	q := quantityChange{o.Article, o.From, o.Amount, o.At}
	r, _, at, err := q.resolve(t.acc, t.now)
	if err != nil {
		return nil, err
	}
	plan, err := t.reduce(q, nil, false)
	if err != nil {
		return nil, err
	}
	if err := t.addUnits(r, to, o.Amount, at); err != nil {
		return nil, err
	}
	t.seatFreed()
	return plan, nil
}

func (TransferQuantity) result() any { return new(QuantityPlan) }

// reassign plans what a changed article does to its holds. Taken out of its pool, it gives its auto-assigned holds to other
// articles of the pool; what is handed over, over, or an event of its own stays; the rest become conflicts, if that is forced, else it
// is refused. Taking holds again, its lots are tried for conflicts.
func (t *tx) reassign(before, after *Article, force bool) error {
	stays := after.Takes()
	moved := !same(before.SKU, after.SKU)
	t.seating().article = after // what takes no holds has no room for a unit whose departure is called off
	var out []timeline.Placed
	if before.Takes() && (!stays || moved) {
		out = t.takeOut(before, after)
	}
	for _, u := range out {
		t.draft().Keep(u.Hold, u.Place.Lot)
	}
	if t.draft().ConflictLen() > 0 {
		switch {
		case moved || stays != before.Takes():
			if stays {
				t.rejoin(before, after)
			}
			t.house(append(t.waitingOn(before), before.SKU, after.SKU)...)
		case !same(before.Before, after.Before) || !same(before.After, after.After):
			t.rehouse(after.SKU, one(after))
		}
	}
	if t.seatFreed(); force {
		return nil
	}
	return t.stranded(out)
}

// waitingOn lists the SKUs that the conflicts on an article's lots belong to: what was unassigned there may be of another than the article.
func (t *tx) waitingOn(r *Article) (skus []*ID) {
	for _, l := range r.lots {
		for h := range t.draft().Stock().Conflicts(l.no) {
			sku := t.ownerSKU(timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.no}})
			if !slices.ContainsFunc(skus, func(id *ID) bool { return *id == sku }) {
				skus = append(skus, &sku)
			}
		}
	}
	return skus
}

// rejoin puts the lots of an article that takes holds again into their pools, where conflicts may want them.
func (t *tx) rejoin(before, after *Article) {
	for _, l := range before.lots {
		t.draft().SetPool(l.no, t.acc.poolNow(after, l.location))
	}
	t.lotsFreed(before)
}

// takeOut empties an article's lots of what may not stay there. Where the article still takes holds, in another SKU, what was made for it or for that SKU stays,
// and all where it had no SKU, as nothing of it can be of another article. It returns what found no other place, taken out, with the lot it belongs to.
func (t *tx) takeOut(r, after *Article) (unseated []timeline.Placed) {
	d, stays := t.draft(), after.Takes()
	for _, l := range r.lots {
		pool := t.acc.stock.Lot(l.no).Pool
		d.SetPool(l.no, 0)
		var leaving []timeline.Hold
		foreign := map[ID]bool{} // what was made for another SKU, and has no place in this one's pool
		for _, s := range t.acc.stock.Slots(l.no) {
			for h := range t.acc.stock.Holds(s, Span{Start: t.now, End: Forever}) {
				pinned := h.Flags.Any(timeline.PinnedArticle | timeline.PinnedSlot)
				if h.Flags.Has(timeline.Out) || h.Flags.Blocker() == timeline.BlockerScheduledEvent || stays && (pinned || r.SKU == nil) {
					continue
				}
				if made := t.acc.madeFor(h, r); made != (ID{}) && !r.isOf(made) {
					if stays && after.isOf(made) {
						continue
					}
					foreign[h.ID] = true
				}
				leaving = append(leaving, h)
			}
		}
		slices.SortFunc(leaving, func(x, y timeline.Hold) int { return x.ID.Compare(y.ID) })
		for _, h := range leaving {
			if h.Flags.Has(timeline.OneWay) {
				t.lift(h.ID)
			}
			h, _, _ = d.Take(h.ID)
			pinned := h.Flags.Any(timeline.PinnedArticle | timeline.PinnedSlot)
			if !pinned && pool != 0 && !foreign[h.ID] {
				if t.seatPushed(timeline.SKURef(pool), h) {
					continue
				}
			}
			unseated = append(unseated, timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.no}})
		}
	}
	return unseated
}
