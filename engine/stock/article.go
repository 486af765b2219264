package stock

import (
	"slices"
	"unsafe"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns articles: the concrete stock units and lots of like units, and which pool each belongs to.

// ArticleStatus says whether an article takes new holds.
type ArticleStatus string

// Only an active, unarchived article takes new holds.
const (
	ArticleActive   ArticleStatus = "active"
	ArticleInactive ArticleStatus = "inactive"
	ArticleDraft    ArticleStatus = "draft"
)

// Words are those that a status can be.
func (ArticleStatus) Words() []string {
	return []string{string(ArticleActive), string(ArticleInactive), string(ArticleDraft)}
}

// Article is an article's record. Its units are slots of its lots.
type Article struct {
	ID base.ID

	// Derived: where it is. A single lot lies in the record itself, next to what it is found by: a read looks nowhere
	// else.
	Lots   []ArticleLot `json:"-"`
	single [1]ArticleLot

	No uint32
	ArticleFields
	Before, After *Buffer // own buffers; nil falls back to the SKU's, each on its own
	ArchivedAt    *int64
	base.Stamp
	label.Labels
	ItemCosts *int64          `json:",omitempty"` // what was spent on it, in minor units
	Details   *ArticleDetails `json:",omitempty"`
}

// ArticleFields are the fields of an article that callers give, in addition to its buffers, labels and details.
type ArticleFields struct {
	Name          string        `field:"name text 1..255 required" about:"What the article is called."`
	Status        ArticleStatus `field:"status word required" default:"active" about:"Whether it takes bookings: only an active one does."`
	SKU           *base.ID      `field:"skuId id" about:"The SKU that it is of."`
	Codes         []string      `field:"codes list 0..100 text 1..255" about:"Codes on its units, such as those of bar codes, as a whole."`
	Description   *string       `field:"description text 0..10000" about:"What is told of it to customers. Without one it is that of its SKU."`
	Condition     *string       `field:"condition text 0..255" about:"What shape it is in."`
	PurchasePrice *int64        `field:"purchasePrice money" about:"What it was bought for, in minor units. Without one it is that of its SKU."`
}

// ArticleLot is an article at a location, and what of it is in effect there.
type ArticleLot struct {
	Location      uint32
	No            timeline.LotNo
	closed        bool // takes no new holds
	Before, After Buffer
}

// Takes says whether the article takes new holds.
func (r *Article) Takes() bool { return r.Status == ArticleActive && r.ArchivedAt == nil }

// LotAt is the article at a location, or nil.
func (r *Article) LotAt(location uint32) *ArticleLot {
	for i := range r.Lots {
		if r.Lots[i].Location == location {
			return &r.Lots[i]
		}
	}
	return nil
}

const (
	ArticleBySKU = iota
	articleByTag
	articleByExternal
)

var ArticleKind = func() *base.Kind[Article] {
	k := base.RowsOf(base.TagArticle, "article", func(r *Article) base.ID { return r.ID },
		table.By(func(r *Article) []string {
			if r.SKU == nil {
				return nil
			}
			return []string{unsafe.String(&r.SKU[0], len(r.SKU))} // the id never changes, and need not be there twice
		}),
		table.By((*Article).TagKeys),
		table.By((*Article).ExternalKeys),
		table.Numbered(func(r *Article) uint32 { return r.No }))
	k.Put = func(_ *base.State, a *base.AccountState, before, after *Article) {
		if after == nil {
			gone := k.In(a).Delete(before.ID)
			aggregate(a, before, nil)
			for _, l := range gone.Lots {
				a.Stock.SetPool(l.No, 0)
			}
			return
		}
		if before == nil {
			k.In(a).Put(after)
			aggregate(a, nil, after)
			return
		}
		n := *after
		derive(a, &n, k.In(a).Get(after.ID).Lots)
		k.In(a).Put(&n)
		aggregate(a, before, after)
		assignPools(a, &n)
	}
	k.Scan = func(l *base.AccountLoader, key base.ID, b []byte) error { // start-up sums up once, in loadStock
		r, err := k.Decode(l.ID, key, b)
		if err == nil {
			l.Cold[k.Tag] = append(l.Cold[k.Tag], func(_ *base.State, a *base.AccountState) {
				if r.SKU != nil {
					if sku := SKUTable(a).Get(*r.SKU); sku != nil {
						r.SKU = &sku.ID // one for all of its articles: the collector has less to look at
					}
				}
				k.In(a).Put(r)
			})
		}
		return err
	}
	return k
}()

// ArticleLabels is articles as what labels hang on.
var ArticleLabels label.Labelled = &label.LabelledKind[Article, *Article]{Kind: ArticleKind, Scope: label.TagInventory,
	ByTag: articleByTag, ByExternal: articleByExternal}

// ArticleTable are all articles of an account.
func ArticleTable(a *base.AccountState) *table.Table[Article] {
	return base.TableOf[Article](a, base.TagArticle)
}

// EffectiveBuffers are the effective buffers of an article: its own, else its SKU's, else none.
func EffectiveBuffers(a *base.AccountState, r *Article) (before, after Buffer) {
	var s *SKU
	if r.SKU != nil {
		s = SKUTable(a).Get(*r.SKU)
	}
	return r.inEffect(s)
}

// inEffect are the article's buffers, each its own or else that of its SKU, which is nil where it has none.
func (r *Article) inEffect(s *SKU) (before, after Buffer) {
	if s != nil {
		before, after = s.Buffers()
	}
	if r.Before != nil {
		before = *r.Before
	}
	if r.After != nil {
		after = *r.After
	}
	return before, after
}

// derive gives an article its lots, with what is in effect there.
func derive(a *base.AccountState, r *Article, lots []ArticleLot) {
	if len(lots) == 1 {
		r.single[0] = lots[0]
		r.Lots = r.single[:]
	} else {
		r.Lots = slices.Clone(lots)
	}
	before, after := EffectiveBuffers(a, r)
	for i := range r.Lots {
		r.Lots[i].closed, r.Lots[i].Before, r.Lots[i].After = !r.Takes(), before, after
	}
}

// Buffers are those of the SKU.
func (s *SKU) Buffers() (before, after Buffer) {
	if s.Before != nil {
		before = *s.Before
	}
	if s.After != nil {
		after = *s.After
	}
	return before, after
}

// PoolNumbers hands out the numbers of pools. Pools are derived, so their numbers are, too: nothing outside the
// timelines depends on which number a pool has.
type PoolNumbers struct {
	Last timeline.PoolNo
	copy *PoolNumbers // what publish gave last
}

var PoolExtension = base.RegisterExtension(func() *PoolNumbers { return new(PoolNumbers) })

// Pools are the numbers of the pools of an account.
func Pools(a *base.AccountState) *PoolNumbers { return PoolExtension.In(a) }

// Publish gives a copy that never changes.
func (n *PoolNumbers) Publish() base.Extension {
	if n.copy == nil || n.copy.Last != n.Last {
		n.copy = &PoolNumbers{Last: n.Last}
	}
	return n.copy
}

// assignPools puts each lot of an article into the pool it belongs to.
func assignPools(a *base.AccountState, r *Article) {
	for _, l := range r.Lots {
		a.Stock.SetPool(l.No, poolFor(a, r, l.Location))
	}
}

// repool derives anew what hangs on the buffers of a SKU: those of its lots, and in which pools they are.
func repool(a *base.AccountState, sku base.ID) {
	var moves lotMoves
	for _, r := range slices.Collect(ArticleTable(a).By(ArticleBySKU, string(sku[:]))) {
		n := *r
		derive(a, &n, r.Lots)
		ArticleTable(a).Put(&n)
		for _, l := range n.Lots {
			moves.add(l.No, a.Stock.Lot(l.No).Pool, poolFor(a, &n, l.Location))
		}
	}
	moves.carryOut(a.Stock)
}

// lotMoves are lots that go from pool to pool, to be moved together: one by one, each would take as long as its pool is
// large.
type lotMoves struct {
	all  []poolMove // in the order in which they were met; there are few, as a SKU has few pools
	lots map[poolMove][]timeline.LotNo
}

type poolMove struct{ from, to timeline.PoolNo }

// add notes where a lot is and where it goes. Where it is in a pool, it goes to one, too.
func (m *lotMoves) add(no timeline.LotNo, from, to timeline.PoolNo) {
	x := poolMove{from, to}
	if from == to {
		return
	}
	if m.lots == nil {
		m.lots = map[poolMove][]timeline.LotNo{}
	}
	if m.lots[x] == nil {
		m.all = append(m.all, x)
	}
	m.lots[x] = append(m.lots[x], no)
}

func (m *lotMoves) carryOut(on interface {
	MoveLots(lots []timeline.LotNo, from, to timeline.PoolNo)
}) {
	for _, x := range m.all {
		slices.Sort(m.lots[x])
		on.MoveLots(m.lots[x], x.from, x.to)
	}
}

// poolFor is the pool of an article's lot at a location: the one of its SKU, location and effective buffers, or none
// where it takes no new holds or has no SKU.
func poolFor(a *base.AccountState, r *Article, location uint32) timeline.PoolNo {
	if r.SKU == nil || !r.Takes() {
		return 0
	}
	return poolOf(a, *r.SKU, PoolKey(a, r, location))
}

// PoolKey distinguishes the pool of an article's lot from other pools of its SKU: by the place, and by the effective
// buffers as values, however they were entered.
func PoolKey(a *base.AccountState, r *Article, location uint32) skuPool {
	before, after := EffectiveBuffers(a, r)
	return skuPool{location: location, before: before.Value(), after: after.Value()}
}

// Is says that a pool is the one that a key asks for.
func (p skuPool) Is(key skuPool) bool {
	return p.location == key.location && p.before == key.before && p.after == key.after
}

// poolOf finds the number of a SKU's pool, or gives it one.
func poolOf(a *base.AccountState, sku base.ID, want skuPool) timeline.PoolNo {
	s := SKUTable(a).Get(sku)
	for _, p := range s.pools {
		if p.Is(want) {
			return p.no
		}
	}
	Pools(a).Last++
	want.no = Pools(a).Last
	n := *s
	n.pools = append(slices.Clip(s.pools), want)
	SKUTable(a).Put(&n)
	return want.no
}

// InitialQuantity is stock that an article is made with.
type InitialQuantity struct {
	Location base.ID
	Count    int
	From     *int64 // default: the command's instant
}

// CreateArticle makes an article, with its first units where given.
type CreateArticle struct {
	base.Answers[*Article]
	base.Adds
	ArticleFields
	Before, After *Buffer
	Quantities    []InitialQuantity
	Labels        label.LabelsPatch
	Details       DetailsPatch
}

func (o CreateArticle) CheckOn(c *base.Checker, a *base.AccountState) {
	o.Labels.CheckOn(c, a, ArticleLabels)
	o.Details.checkOn(c, nil)
}

// Size is how many units the article begins with.
func (o CreateArticle) Size(*base.AccountState) (n int) {
	for _, q := range o.Quantities {
		n += q.Count
	}
	return n
}

func (o CreateArticle) Check(c *base.Checker) {
	base.CheckFields(c, "", &o.ArticleFields)
	buffer(c, "/bufferTimeAmountBefore", o.Before)
	buffer(c, "/bufferTimeAmountAfter", o.After)
	o.Labels.Check(c)
	o.Details.check(c)
	if len(o.Quantities) > base.MaxLines {
		c.Fault("/quantities", "length", "must have at most 1000 entries")
		return
	}
	units := 0
	for i, q := range o.Quantities {
		at := "/quantities/" + base.Itoa(i)
		c.Number(at+"/count", q.Count, 1, base.MaxCount)
		if q.From != nil {
			c.Instant(at+"/from", *q.From)
		}
		units += min(q.Count, base.MaxCount)
	}
	if units > base.MaxSlots {
		c.Fault("/quantities", "range", manySlots)
	}
}

func (o CreateArticle) PlanOn(t *base.Tx) (any, error) {
	if o.SKU != nil && SKUTable(t.Acc).Get(*o.SKU) == nil {
		return nil, base.NotFound("SKU")
	}
	labels, err := o.Labels.Merged(t.Acc, ArticleLabels, base.ID{}, label.Labels{})
	if err != nil {
		return nil, err
	}
	t.Ledger.Article++
	r := &Article{
		ID: t.NewID(), No: t.Ledger.Article, ArticleFields: o.ArticleFields, Before: o.Before, After: o.After,
		Stamp:  t.Stamp(),
		Labels: labels,
	}
	if r.Status == "" {
		r.Status = ArticleActive
	}
	o.Details.apply(t, r)
	base.Record(t, ArticleKind, nil, r)
	Seating(t).article = r
	if o.Size(t.Acc) >= t.Bounds.Offload {
		Draft(t) // it has the units then, and the writer need not make them once more
	}
	for _, q := range o.Quantities {
		l := LocationTable(t.Acc).Get(q.Location)
		if l == nil {
			return nil, base.NotFound("location")
		}
		from := t.Now
		if q.From != nil {
			from = *q.From
		}
		NewUnits(t, r, l.No, q.Count, base.Span{Start: from, End: base.Forever})
	}
	SeatFreed(t)
	return r, nil
}

// ArchiveArticle takes an article out of use, or back into it: its holds go as with PatchArticle, and so is it refused.
// What is so already stays as it is.
type ArchiveArticle struct {
	base.Answers[*Article]
	ID       base.ID
	Archived bool
	Force    bool // holds to come that find no other place become conflicts
}

// Size counts the units that there are of the article, or were.
func (o ArchiveArticle) Size(a *base.AccountState) int { return unitsOf(a, ArticleTable(a).Get(o.ID)) }

func (o ArchiveArticle) PlanOn(t *base.Tx) (any, error) {
	r := ArticleTable(t.Acc).Get(o.ID)
	if r == nil {
		return nil, base.NotFound("article")
	}
	if o.Archived == (r.ArchivedAt != nil) {
		return r, nil
	}
	n := *r
	n.ArchivedAt = nil
	if at := t.Now; o.Archived {
		n.ArchivedAt = &at
	}
	n.Touch(t.Now)
	base.Record(t, ArticleKind, r, &n)
	return &n, Reassign(t, r, &n, o.Force)
}

// PatchArticle changes an article. One that is taken out (status, archive, another SKU) gives its auto-assigned holds
// to other articles of their pool where they fit; what is handed over or over stays. Where others are left it is
// refused with the plan (quantity.go), or, with Force, they become conflicts.
type PatchArticle struct {
	base.Answers[*Article]
	base.IfMatch
	ID            base.ID
	Force         bool
	Fields        base.Changes[ArticleFields]
	Before, After BufferPatch
	Labels        label.LabelsPatch
	Details       DetailsPatch
}

// Size counts the units that there are of the article, or were.
func (o PatchArticle) Size(a *base.AccountState) int { return unitsOf(a, ArticleTable(a).Get(o.ID)) }

// unitsOf counts the slots of an article, if there is one.
func unitsOf(a *base.AccountState, r *Article) (n int) {
	if r != nil {
		for _, l := range r.Lots {
			n += len(a.Stock.Slots(l.No))
		}
	}
	return n
}

func (o PatchArticle) CheckOn(c *base.Checker, a *base.AccountState) {
	o.Labels.CheckOn(c, a, ArticleLabels)
	if r := ArticleTable(a).Get(o.ID); r != nil {
		o.Details.checkOn(c, r)
	}
}

func (o PatchArticle) Check(c *base.Checker) {
	o.Fields.Check(c, "")
	o.Before.check(c, "/bufferTimeAmountBefore")
	o.After.check(c, "/bufferTimeAmountAfter")
	o.Labels.Check(c)
	o.Details.check(c)
}

func (o PatchArticle) PlanOn(t *base.Tx) (any, error) {
	r, err := base.Found(t, ArticleKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if sku := o.Fields.To.SKU; sku != nil && SKUTable(t.Acc).Get(*sku) == nil {
		return nil, base.NotFound("SKU")
	}
	labels, err := o.Labels.Merged(t.Acc, ArticleLabels, r.ID, r.Labels)
	if err != nil {
		return nil, err
	}
	n := *r
	n.ArticleFields, n.Labels = o.Fields.Of(n.ArticleFields), labels
	var c base.Checker
	n.Before = o.Before.Merged(&c, "/bufferTimeAmountBefore", n.Before)
	n.After = o.After.Merged(&c, "/bufferTimeAmountAfter", n.After)
	if len(c.Faults) > 0 {
		return nil, base.Invalid(c.Faults)
	}
	o.Details.apply(t, &n)
	next := base.Revise(t, ArticleKind, r, n)
	return next, Reassign(t, r, next, o.Force)
}

// ArticleByID returns an article, or nil.
func ArticleByID(v base.View, id base.ID) *Article { return ArticleTable(v.Acc).Get(id) }

// Articles lists the account's articles in order of creation.
func Articles(v base.View) *table.Table[Article] { return ArticleTable(v.Acc) }

// DeleteArticle removes an article with its units and scheduled events, unless a hold or a reservation that is not over
// has one of its units or waits for one. Its units end now; holds that are over keep theirs.
type DeleteArticle struct {
	base.Answers[any]
	base.IfMatch
	ID base.ID
}

// Size counts the units that there were of the article.
func (o DeleteArticle) Size(a *base.AccountState) int { return unitsOf(a, ArticleTable(a).Get(o.ID)) }

func (o DeleteArticle) PlanOn(t *base.Tx) (any, error) {
	r, err := base.Found(t, ArticleKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if err := articleInUse(t.Acc, r, t.Now); err != nil {
		return nil, err
	}
	if err := t.Acc.Unreferred(r.ID, t.Now); err != nil {
		return nil, err
	}
	base.Record(t, ArticleKind, r, nil)
	t.Bury(base.TagArticle, r.ID, r.No)
	gone := *r
	gone.SKU, Seating(t).article = nil, &gone
	rehouse(t, r.SKU, base.One[Article](nil))
	for s := range EventTable(t.Acc).By(eventByArticle, string(r.ID[:])) {
		if s.Type == EventReservation {
			Draft(t).Take(base.After(s.ID, 1))
		}
		base.Record(t, ScheduledEventKind, s, nil)
	}
	for _, l := range r.Lots {
		for _, no := range t.Acc.Stock.Slots(l.No) {
			if s, _ := t.Acc.Stock.Slot(no); s.Span.End > t.Now {
				Draft(t).EndSlot(no, t.Now)
			}
		}
		Draft(t).DropLot(l.No)
	}
	return nil, nil
}

// maxGone is how many units that have not ended go with an article at most: more are to be taken away first, in parts.
const maxGone = 25_000

func articleInUse(a *base.AccountState, r *Article, now int64) error {
	var taken takers
	rest := base.Span{Start: now, End: base.Forever}
	for _, l := range r.Lots {
		for _, no := range a.Stock.Slots(l.No) {
			for h := range a.Stock.Holds(no, rest) {
				taken.add(a, h)
			}
		}
		for h := range a.Stock.ConflictsIn(timeline.LotRef(l.No), rest) {
			taken.add(a, h)
		}
	}
	if err := taken.inUse(); err != nil {
		return err
	}
	if units := a.Stock.Unended(r.No, now); units > maxGone {
		return base.InUse("unit", units)
	}
	return nil
}

func (o CreateArticle) Distinct() []base.DistinctValue { return o.Labels.External.Distinct() }

// IsOf says that an article is of a SKU.
func (r *Article) IsOf(sku base.ID) bool { return r != nil && r.SKU != nil && *r.SKU == sku }
