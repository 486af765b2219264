package stock

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns quantities: planning, taking and adding units of an article at a location, moving them to another, and
// taking an article out of its pool.
//
// A change of n at an instant changes the quantity by n at every instant from then on, whatever is planned before or
// after it: changes add up, in whatever order they are entered, and a decrease that would leave less than nothing at
// any later instant is refused. A planned change is called off by its opposite at its own instant, a transfer by the
// transfer back: a decrease takes units that begin just then before others where that costs no more moves, and an
// increase lets units that were to end just then go on before it makes new ones.

// QuantityPlan says how units of an article can go. It is the answer of the preview and of the write alike.
//
// Of its three lists it has a part each; the digest is of the whole.
type QuantityPlan struct {
	OK      bool
	Moves   []SlotMove
	Removed []base.ID // slots that end at the effective instant
	Reason  string    // empty when OK; not_enough_stock | holds_exceed_remaining_stock | pinned_holds_in_the_way
	// PossibleFrom is set only for not_enough_stock: the earliest instant from which enough units exist at every later
	// instant, nil if there is none. Holds may be in the way even then.
	PossibleFrom *int64           `json:",omitempty"`
	Blockers     []Unavailability // by start, then id
	// Minimal says that no plan that keeps all holds moves fewer. If all holds can stay in the article, only such plans
	// are compared. A plan that is refused for not_enough_stock moves nothing and is minimal.
	Minimal    bool
	LowerBound int // no such plan moves fewer than this
	Digest     string

	MovesTotal, RemovedTotal, BlockersTotal int `json:",omitzero"` // how long the lists are as a whole
}

// SlotMove is a hold that changes its slot.
type SlotMove struct{ Unavailability, From, To base.ID }

// quantityChange are the inputs that all changes of a quantity share.
type quantityChange struct {
	Article  base.ID
	Location base.ID
	Amount   int
	At       *int64 // effective instant; nil: now
}

func (q quantityChange) check(c *base.Checker) {
	c.Number("/amount", q.Amount, 1, base.MaxUnits)
	if q.At != nil {
		c.Instant("/effectiveFrom", *q.At)
	}
}

// resolve finds the article, the location and the effective instant.
func (q quantityChange) resolve(a *base.AccountState, now int64) (*Article, *Location, int64, error) {
	r, l := ArticleTable(a).Get(q.Article), LocationTable(a).Get(q.Location)
	if r == nil {
		return nil, nil, 0, base.NotFound("article")
	}
	if l == nil {
		return nil, nil, 0, base.NotFound("location")
	}
	if q.At != nil {
		return r, l, *q.At, nil
	}
	return r, l, now, nil
}

// PlanQuantity plans taking units from an article at a location, and changes nothing. It gives the first part of the
// plan.
func PlanQuantity(v base.View, article, location base.ID, amount int, at *int64, now int64) (*QuantityPlan, error) {
	return PlanQuantityPart(v, article, location, amount, at, nil, base.First, now)
}

// PlanQuantityPart is PlanQuantity with another part of the plan. Where a plan is expected, by its digest, and it is
// another by now, it is refused with the first part of that.
func PlanQuantityPart(v base.View, article, location base.ID, amount int, at *int64, expected *string, p base.Part,
	now int64) (*QuantityPlan, error) {
	q := quantityChange{article, location, amount, at}
	var c base.Checker
	q.check(&c)
	if len(c.Faults) > 0 {
		return nil, base.Invalid(c.Faults)
	}
	r, l, from, err := q.resolve(v.Acc, now)
	if err != nil {
		return nil, err
	}
	_, plan := planReduction(v.Acc, r, l, amount, from, now, nil, p)
	if expected != nil && *expected != plan.Digest {
		_, plan = planReduction(v.Acc, r, l, amount, from, now, nil, base.First)
		return nil, planChanged(plan)
	}
	return plan, nil
}

// Foresee plans the reduction ahead of its command.
func (q quantityChange) Foresee(v base.View, now int64) *timeline.SearchedReduction {
	r, l, at, err := q.resolve(v.Acc, now)
	if err != nil {
		return nil
	}
	lot := r.LotAt(l.No)
	if lot == nil {
		return nil
	}
	return v.Acc.Stock.SearchReduction(lot.No, q.Amount, at, now)
}

// planReduction plans on the state as it is, or takes over what was planned ahead; the plan of the preview and of the
// write. It shows a part of it.
func planReduction(a *base.AccountState, r *Article, l *Location, amount int, at, now int64,
	ahead *timeline.SearchedReduction, p base.Part) (timeline.Reduction, *QuantityPlan) {
	lot := r.LotAt(l.No)
	if lot == nil {
		plan := &QuantityPlan{Reason: "not_enough_stock", Minimal: true}
		plan.Digest = plan.Fingerprint(nil)
		return timeline.Reduction{}, plan
	}
	red, ok := a.Stock.ReduceAs(ahead, lot.No, amount, at, now)
	if !ok {
		red = a.Stock.Reduce(lot.No, amount, at, now)
	}
	return red, quantityPlan(a, a.Stock, red, p)
}

// quantityPlan shows a part of a reduction that was planned on some timelines.
func quantityPlan(a *base.AccountState, s *timeline.Stock, red timeline.Reduction, p base.Part) *QuantityPlan {
	plan := &QuantityPlan{OK: red.OK, Reason: red.Reason.String(), Minimal: red.Minimal, LowerBound: red.LowerBound}
	if red.Reason == timeline.NotEnoughStock && red.PossibleFrom < base.Forever {
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
	plan.Digest = plan.Fingerprint(red.Blockers)
	plan.MovesTotal, plan.RemovedTotal, plan.BlockersTotal = len(plan.Moves), len(plan.Removed), len(red.Blockers)
	plan.Moves, plan.Removed, plan.Blockers = base.PartOf(plan.Moves, p), base.PartOf(plan.Removed, p),
		Standing(a, s, red.Blockers, p)
	return plan
}

// Standing is a part of what stands in the way of a plan, by start, then id.
func Standing(a *base.AccountState, s *timeline.Stock, ids []base.ID, p base.Part) []Unavailability {
	all := make([]timeline.Placed, len(ids))
	for i, id := range ids {
		all[i].Hold, all[i].Place, _ = s.Find(id)
	}
	return unavailable(a, all, p)
}

// unavailable is a part of some holds, by start, then id.
func unavailable(a *base.AccountState, all []timeline.Placed, p base.Part) (list []Unavailability) {
	var first base.FirstOf[timeline.Placed]
	first.Begin(p.Offset+p.Limit, func(x, y timeline.Placed) int { return byStart(x.Hold, y.Hold) })
	for _, u := range all {
		first.Add(u)
	}
	for _, u := range base.PartOf(first.List(), p) {
		list = append(list, UnavailabilityAt(a, u.Hold, u.Place))
	}
	return list
}

func planChanged(plan *QuantityPlan) error {
	return &base.Error{Code: base.CodePlanChanged, Detail: "the plan is not the one that was expected",
		Details: QuantityDetails{plan}}
}

func slotID(s *timeline.Stock, no timeline.SlotNo) base.ID {
	slot, _ := s.Slot(no)
	return slot.ID
}

// Fingerprint names a plan, which is whole except for its blockers, by what it would do: slots, moves and blockers, not
// the instant.
func (p *QuantityPlan) Fingerprint(blockers []base.ID) string {
	b := make([]byte, 0, 3*8+len(base.ID{})*(len(p.Removed)+3*len(p.Moves)+len(blockers)))
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

// IncreaseQuantity adds units to an article at a location: those that were to end just then go on, the others are new.
type IncreaseQuantity struct {
	base.Answers[*Article]
	base.Adds
	Article  base.ID
	Location base.ID
	Amount   int
	From     *int64 // default now
}

// Size is the amount.
func (o IncreaseQuantity) Size(*base.AccountState) int { return o.Amount }

func (o IncreaseQuantity) Check(c *base.Checker) {
	quantityChange{o.Article, o.Location, o.Amount, o.From}.check(c)
}

func (o IncreaseQuantity) PlanOn(t *base.Tx) (any, error) {
	r, l, from, err := quantityChange{o.Article, o.Location, o.Amount, o.From}.resolve(t.Acc, t.Now)
	if err != nil {
		return nil, err
	}
	if o.Amount >= t.Bounds.Offload {
		Draft(t) // it has the units then, and the writer need not make them once more
	}
	if err := mayAdd(t, r, l, o.Amount, from); err != nil {
		return nil, err
	}
	addUnits(t, r, l, o.Amount, from)
	SeatFreed(t)
	return r, nil
}

// mayAdd refuses units with which an article would have more slots than it may have. Slots that have ended do not
// count, until they go on.
func mayAdd(t *base.Tx, r *Article, l *Location, amount int, from int64) error {
	more := amount
	if from > t.Now && beyond(planned(t), r, more, t.Now) > 0 {
		more -= len(ending(t, r, l, amount, from))
	}
	if more == 0 || beyond(planned(t), r, more, t.Now) == 0 {
		return nil
	}
	return base.InvalidAt("/amount", "range", manySlots)
}

const manySlots = "an article has at most 100000 slots"

// beyond is how many slots more than it may have an article has on some timelines, with some that come. Those that have
// ended are counted only to see whether it is worth a look.
func beyond(s *timeline.Stock, r *Article, more int, now int64) int {
	if s.SlotsOf(r.No)+more <= base.MaxSlots {
		return 0
	}
	return max(0, s.Unended(r.No, now)+more-base.MaxSlots)
}

// planned is the account's timelines as the plan has them so far.
func planned(t *base.Tx) *timeline.Stock {
	if Seating(t).Stock == nil {
		return t.Acc.Stock
	}
	return Seating(t).Stock.Stock()
}

// ending lists slots of an article at a location that end at an instant, at most n. Where the caller knows as many, it
// is these.
func ending(t *base.Tx, r *Article, l *Location, n int, at int64, known ...timeline.SlotNo) []timeline.SlotNo {
	if lot := r.LotAt(l.No); lot != nil && len(known) < n {
		return planned(t).EndingAt(lot.No, at, n)
	}
	return known
}

// addUnits adds units of an article at a location. Slots that end just then go on, which calls off what was planned:
// those that the caller knows, where these are as many, else any. The others are made.
func addUnits(t *base.Tx, r *Article, l *Location, amount int, from int64, ends ...timeline.SlotNo) {
	ends = ending(t, r, l, amount, from, ends...)
	for _, no := range ends {
		Draft(t).EndSlot(no, base.Forever)
	}
	NewUnits(t, r, l.No, amount-len(ends), base.Span{Start: from, End: base.Forever})
}

// NewUnits makes slots of an article at a location, and the lot where it is the first. Conflicts may want them: where
// there are any, or may be by now, the plan's own timelines get the units, too.
func NewUnits(t *base.Tx, r *Article, location uint32, amount int, over base.Span) {
	drafted := Seating(t).Stock != nil || t.Acc.Stock.ConflictLen() > 0
	no, made := placeOf(t, r, location, drafted)
	for range amount {
		if drafted {
			t.Ledger.Slot++
			Draft(t).AddSlot(timeline.Slot{ID: t.NewID(), No: timeline.SlotNo(t.Ledger.Slot), Lot: no, Span: over})
		} else {
			newSlot(t, no, over)
		}
	}
	if made && drafted {
		house(t, r.SKU)
	}
	FreedOf(t, no, over)
}

// placeOf is the lot of an article at a location. The plan makes it if there is none yet. If drafted, the plan's own
// timelines get it, too: conflicts that wait there may then belong on it (house).
func placeOf(t *base.Tx, r *Article, location uint32, drafted bool) (no timeline.LotNo, made bool) {
	if no, ok := lotFor(t, r, location); ok {
		return no, false
	}
	no = newLot(t, r.No, location)
	if Seating(t).lots == nil {
		Seating(t).lots = map[lotOf]timeline.LotNo{}
	}
	Seating(t).lots[lotOf{r.No, location}] = no
	if drafted {
		Draft(t).AddLot(no, r.No, location, poolNow(t.Acc, r, location))
	}
	return no, true
}

// poolNow is the pool that a lot of an article at a location belongs to, 0 where there is no such pool yet.
func poolNow(a *base.AccountState, r *Article, location uint32) timeline.PoolNo {
	if r.SKU == nil || !r.Takes() {
		return 0
	}
	key := PoolKey(a, r, location)
	for _, p := range SKUTable(a).Get(*r.SKU).pools {
		if p.Is(key) {
			return p.no
		}
	}
	return 0
}

// DecreaseQuantity takes units from an article at a location: it plans on the state it meets and applies the plan.
// Where not all holds can be kept it is refused, or, with Force, the blockers become conflicts. Where at some instant
// from then on there are not as many units, it is refused.
type DecreaseQuantity struct {
	base.Answers[*QuantityPlan]
	Article  base.ID
	Location base.ID
	Amount   int
	From     *int64  // default now
	Expected *string // digest of the preview: another plan is refused
	Force    bool
}

// Size is the amount.
func (o DecreaseQuantity) Size(*base.AccountState) int { return o.Amount }

func (o DecreaseQuantity) Check(c *base.Checker) {
	quantityChange{o.Article, o.Location, o.Amount, o.From}.check(c)
}

// Foresee plans ahead what leaves the stock.
func (o DecreaseQuantity) Foresee(v base.View, now int64) *timeline.SearchedReduction {
	return quantityChange{o.Article, o.Location, o.Amount, o.From}.Foresee(v, now)
}

func (o DecreaseQuantity) PlanOn(t *base.Tx) (any, error) {
	plan, err := reduce(t, quantityChange{o.Article, o.Location, o.Amount, o.From}, o.Expected, o.Force)
	if err != nil {
		return nil, err
	}
	SeatFreed(t)
	return plan, nil
}

// QuantityDetails is the Details of QUANTITY_CHANGE_BLOCKED and PLAN_CHANGED: the plan as it is now.
type QuantityDetails struct{ Plan *QuantityPlan }

func reduce(t *base.Tx, q quantityChange, expected *string, force bool) (*QuantityPlan, error) {
	r, l, at, err := q.resolve(t.Acc, t.Now)
	if err != nil {
		return nil, err
	}
	red, plan := planReduction(t.Acc, r, l, q.Amount, at, t.Now, t.Searched, base.First)
	if expected != nil && *expected != plan.Digest {
		return nil, planChanged(plan)
	}
	if !red.OK && (!force || !red.Feasible()) {
		return nil, plan.blocks()
	}
	apply(t, red)
	return plan, nil
}

// apply gives a lot fewer units, as planned. Until then the units of the holds that lose theirs are free for conflicts
// that wait. A hold whose unit leaves waits, too: the plan has to keep it on its article, and now it may have a unit of
// another.
func apply(t *base.Tx, red timeline.Reduction) {
	d := Draft(t)
	waits := d.ConflictLen() > 0
	for _, id := range red.Blockers {
		if h, at, _ := d.Find(id); waits || h.Flags.Has(timeline.OneWay) {
			Freed(t, h.Span, at)
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

// TransferQuantity moves units of an article to another location: they end here and begin there. The plan is that of
// the location they leave.
type TransferQuantity struct {
	base.Answers[*QuantityPlan]
	Article  base.ID
	From, To base.ID
	Amount   int
	At       *int64 // default now
}

// Size is the amount.
func (o TransferQuantity) Size(*base.AccountState) int { return o.Amount }

func (o TransferQuantity) Check(c *base.Checker) {
	quantityChange{o.Article, o.From, o.Amount, o.At}.check(c)
	if o.From == o.To {
		c.Fault("/toServiceLocationId", "same", "must be another location")
	}
}

// Foresee plans ahead what leaves the stock.
func (o TransferQuantity) Foresee(v base.View, now int64) *timeline.SearchedReduction {
	return quantityChange{o.Article, o.From, o.Amount, o.At}.Foresee(v, now)
}

func (o TransferQuantity) PlanOn(t *base.Tx) (any, error) {
	to := LocationTable(t.Acc).Get(o.To)
	if to == nil {
		return nil, base.NotFound("location")
	}
	q := quantityChange{o.Article, o.From, o.Amount, o.At}
	r, _, at, err := q.resolve(t.Acc, t.Now)
	if err != nil {
		return nil, err
	}
	plan, err := reduce(t, q, nil, false)
	if err != nil {
		return nil, err
	}
	if err := mayAdd(t, r, to, o.Amount, at); err != nil {
		return nil, err
	}
	addUnits(t, r, to, o.Amount, at)
	SeatFreed(t)
	return plan, nil
}

// Reassign plans what a changed article does to its holds. Taken out of its pool, it gives its auto-assigned holds to
// other articles of the pool; what is handed over, over, or an event of its own stays; the rest become conflicts, if
// that is forced, else it is refused. Taking holds again, its lots are tried for conflicts.
func Reassign(t *base.Tx, before, after *Article, force bool) error {
	stays := after.Takes()
	moved := !same(before.SKU, after.SKU)
	Seating(t).article = after // what takes no holds has no room for a unit whose departure is called off
	var out []timeline.Placed
	if before.Takes() && (!stays || moved) {
		x := leavingOf(t, before, after)
		if !force && x.stuck(t, before) {
			return (&QuantityPlan{}).strands(t, slices.Concat(x.lots...))
		}
		out = x.takeOut(t, before)
	}
	for _, u := range out {
		Draft(t).Keep(u.Hold, u.Place.Lot)
	}
	if Draft(t).ConflictLen() > 0 {
		switch {
		case moved || stays != before.Takes():
			rejoin(t, before, after)
			house(t, append(waitingOn(t, before), before.SKU, after.SKU)...)
		case !same(before.Before, after.Before) || !same(before.After, after.After):
			rehouse(t, after.SKU, base.One(after))
		}
	}
	if SeatFreed(t); force {
		return nil
	}
	return stranded(t, out)
}

// waitingOn lists the SKUs that the conflicts on an article's lots belong to: what was unassigned there may be of
// another than the article.
func waitingOn(t *base.Tx, r *Article) (skus []*base.ID) {
	for _, l := range r.Lots {
		for h := range Draft(t).Stock().Conflicts(l.No) {
			sku := ownerSKU(t, timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.No}})
			if !slices.ContainsFunc(skus, func(id *base.ID) bool { return *id == sku }) {
				skus = append(skus, &sku)
			}
		}
	}
	return skus
}

// rejoin puts the lots of an article into the pools that they are of by now, where conflicts may want them. Lots that
// are in none, as the article takes no holds, scheduled events may want.
func rejoin(t *base.Tx, before, after *Article) {
	for _, l := range before.Lots {
		Draft(t).SetPool(l.No, poolNow(t.Acc, after, l.Location))
	}
	lotsFreed(t, before)
}

// leaving is what may not stay on an article that is taken out.
type leaving struct {
	lots    [][]timeline.Placed // by lot, then id
	foreign map[base.ID]bool    // what was made for another SKU, and has no place in this one's pool
	away    []base.ID           // what is to leave for another place
}

// leavingOf lists it. Where the article still takes holds, in another SKU, what was made for it or for that SKU stays,
// and all where it had no SKU, as nothing of it can be of another article.
func leavingOf(t *base.Tx, r, after *Article) *leaving {
	x, stays := &leaving{make([][]timeline.Placed, len(r.Lots)), map[base.ID]bool{}, nil}, after.Takes()
	for i, l := range r.Lots {
		var all []timeline.Placed
		for _, s := range t.Acc.Stock.Slots(l.No) {
			for h := range t.Acc.Stock.Holds(s, base.Span{Start: t.Now, End: base.Forever}) {
				if !h.Flags.Has(timeline.Out) && h.Flags.Blocker() != timeline.BlockerScheduledEvent &&
					!(stays && (pinned(h) || r.SKU == nil)) {
					all = append(all, timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.No, Slot: s}})
				}
			}
		}
		slices.SortFunc(all, func(x, y timeline.Placed) int { return x.ID.Compare(y.ID) })
		x.lots[i] = slices.DeleteFunc(all, func(u timeline.Placed) bool {
			if made := MadeFor(t.Acc, u.Hold, r); made != (base.ID{}) && !r.IsOf(made) {
				if stays && after.IsOf(made) {
					return true
				}
				x.foreign[u.ID] = true
			}
			if u.Flags.Has(timeline.OneWay) {
				x.away = append(x.away, u.ID)
			}
			return false
		})
	}
	slices.SortFunc(x.away, base.ID.Compare)
	return x
}

// pinned says that no other article will do for a hold.
func pinned(h timeline.Hold) bool { return h.Flags.Any(timeline.PinnedArticle | timeline.PinnedSlot) }

// stuck says that nothing of it can have another place, as it is pinned, or its SKU has no other article there. What is
// on its way to another place is not looked at.
func (x *leaving) stuck(t *base.Tx, r *Article) bool {
	some := false
	for i, l := range r.Lots {
		some = some || len(x.lots[i]) > 0
		if slices.ContainsFunc(x.lots[i], func(u timeline.Placed) bool { return !pinned(u.Hold) }) &&
			(r.SKU == nil || len(homes(t, *r.SKU, l.Location)) > 0) {
			return false
		}
	}
	return some && len(x.foreign)+len(x.away) == 0
}

// takeOut empties the lots of an article of it, and returns what found no other place, taken out.
func (x *leaving) takeOut(t *base.Tx, r *Article) (unseated []timeline.Placed) {
	d := Draft(t)
	for _, l := range r.Lots {
		d.SetPool(l.No, 0)
	}
	callOff(t, x.away)
	for i, l := range r.Lots {
		for j := range x.lots[i] {
			u := &x.lots[i][j]
			u.Hold, _, _ = d.Take(u.ID)
		}
		pool := t.Acc.Stock.Lot(l.No).Pool
		others := pool != 0 && len(d.Stock().Lots(timeline.SKURef(pool))) > 0
		for _, u := range x.lots[i] {
			if !others || pinned(u.Hold) || x.foreign[u.ID] || !seatPushed(t, timeline.SKURef(pool), u.Hold) {
				unseated = append(unseated, u)
			}
		}
	}
	return unseated
}

// stranded refuses a command that has left some of the holds that it took out without a unit, with the plan of what it
// does. It removes no slot; the plan is the one that the command found, and it is not proven that no plan leaves fewer.
func stranded(t *base.Tx, out []timeline.Placed) error {
	left := slices.DeleteFunc(out, func(u timeline.Placed) bool {
		_, at, ok := Draft(t).Find(u.ID)
		return !ok || at.Seated()
	})
	if len(left) == 0 {
		return nil
	}
	for i := range left { // as the command found it
		left[i].Hold, left[i].Place, _ = t.Acc.Stock.Find(left[i].ID)
	}
	plan := &QuantityPlan{}
	for _, c := range Draft(t).Changes().Holds {
		if c.Had && c.Has && c.Before.Place.Seated() && c.After.Place.Seated() && c.Before.Place != c.After.Place {
			plan.Moves = append(plan.Moves, SlotMove{c.ID(), slotID(t.Acc.Stock, c.Before.Place.Slot),
				slotID(Draft(t).Stock(), c.After.Place.Slot)})
		}
	}
	return plan.strands(t, left)
}

// strands refuses a plan of which the moves are known, as it leaves some holds without a unit.
func (p *QuantityPlan) strands(t *base.Tx, left []timeline.Placed) error {
	p.Reason = timeline.HoldsExceedRemainingStock.String()
	ids := make([]base.ID, len(left))
	for i, u := range left {
		if ids[i] = u.ID; pinned(u.Hold) {
			p.Reason = timeline.PinnedHoldsInTheWay.String()
		}
	}
	p.Digest = p.Fingerprint(ids)
	p.MovesTotal, p.BlockersTotal = len(p.Moves), len(left)
	p.Moves, p.Blockers = base.PartOf(p.Moves, base.First), unavailable(t.Acc, left, base.First)
	return p.blocks()
}
