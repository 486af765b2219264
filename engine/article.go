package engine

import (
	"slices"

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

// Article is an article's record. Its units are slots of its lots.
type Article struct {
	ID ID

	// Derived: where it is. A single lot lies in the record itself, next to what it is found by: a read looks nowhere else.
	lots []articleLot
	lone [1]articleLot

	No            uint32
	Name          string
	Status        ArticleStatus
	SKU           *ID
	Codes         []string
	Description   *string
	Condition     *string
	PurchasePrice *int64
	Before, After *Buffer // own buffers; nil falls back to the SKU's, each on its own
	ArchivedAt    *int64
	UpdatedAt     int64
	Revision      uint64
	Labels
	ItemCosts *int64          `json:",omitempty"` // what was spent on it, in minor units
	Details   *ArticleDetails `json:",omitempty"`
}

// articleLot is an article at a location, and what of it is in effect there.
type articleLot struct {
	location      uint32
	no            timeline.LotNo
	closed        bool // takes no new holds
	before, after Buffer
}

// Takes says whether the article takes new holds.
func (r *Article) Takes() bool { return r.Status == ArticleActive && r.ArchivedAt == nil }

// lotAt is the article at a location, or nil.
func (r *Article) lotAt(location uint32) *articleLot {
	for i := range r.lots {
		if r.lots[i].location == location {
			return &r.lots[i]
		}
	}
	return nil
}

const (
	articleBySKU = iota
	articleByTag
	articleByExternal
)

var articleKind = func() *kind[Article] {
	k := rowsOf(tagArticle, "article", func(r *Article) ID { return r.ID },
		table.By(func(r *Article) []string {
			if r.SKU == nil {
				return nil
			}
			return []string{string(r.SKU[:])}
		}),
		table.By(func(r *Article) []string { return r.tagKeys() }),
		table.By(func(r *Article) []string { return r.externalKeys() }),
		table.Numbered(func(r *Article) uint32 { return r.No }))
	k.put = func(_ *state, a *account, before, after *Article) {
		if after == nil {
			gone := k.in(a).Delete(before.ID)
			a.aggregate(before, nil)
			for _, l := range gone.lots {
				a.stock.SetPool(l.no, 0)
			}
			return
		}
		if before == nil {
			k.in(a).Put(after)
			a.aggregate(nil, after)
			return
		}
		n := *after
		a.derive(&n, k.in(a).Get(after.ID).lots)
		k.in(a).Put(&n)
		a.aggregate(before, after)
		a.assignPools(&n)
	}
	k.scan = func(l *accountLoader, key ID, b []byte) error { // start-up sums up once, in loadStock
		r, err := k.decode(l.id, key, b)
		if err == nil {
			l.cold[k.tag] = append(l.cold[k.tag], func(_ *state, a *account) {
				k.in(a).Put(r)
			})
		}
		return err
	}
	return k
}()

// ArticleLabels is articles as what labels hang on.
var ArticleLabels Labelled = &labelledKind[Article, *Article]{kind: articleKind, scope: TagInventory, byTag: articleByTag, byExternal: articleByExternal}

func (r *Article) revision() uint64 { return r.Revision }
func (r *Article) touch(now int64)  { r.UpdatedAt, r.Revision = now, r.Revision+1 }

func (a *account) articles() *table.Table[Article] { return tableOf[Article](a, tagArticle) }

// buffers are the effective buffers of an article: its own, else its SKU's, else none.
func (a *account) buffers(r *Article) (before, after Buffer) {
	var s *SKU
	if r.SKU != nil {
		s = a.skus().Get(*r.SKU)
	}
	return r.inEffect(s)
}

// inEffect are the article's buffers, each its own or else that of its SKU, which is nil where it has none.
func (r *Article) inEffect(s *SKU) (before, after Buffer) {
	if s != nil {
		before, after = s.buffers()
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
func (a *account) derive(r *Article, lots []articleLot) {
	if len(lots) == 1 {
		r.lone[0] = lots[0]
		r.lots = r.lone[:]
	} else {
		r.lots = slices.Clone(lots)
	}
	before, after := a.buffers(r)
	for i := range r.lots {
		r.lots[i].closed, r.lots[i].before, r.lots[i].after = !r.Takes(), before, after
	}
}

func (s *SKU) buffers() (before, after Buffer) {
	if s.Before != nil {
		before = *s.Before
	}
	if s.After != nil {
		after = *s.After
	}
	return before, after
}

// poolNumbers hands out the numbers of pools. Pools are derived, so their numbers are, too: nothing outside the timelines
// depends on which number a pool has.
type poolNumbers struct {
	last timeline.PoolNo
	copy *poolNumbers // what publish gave last
}

var poolExtension = registerExtension(func() *poolNumbers { return new(poolNumbers) })

func (a *account) pools() *poolNumbers { return poolExtension.in(a) }

func (n *poolNumbers) publish() extension {
	if n.copy == nil || n.copy.last != n.last {
		n.copy = &poolNumbers{last: n.last}
	}
	return n.copy
}

// assignPools puts each lot of an article into the pool it belongs to.
func (a *account) assignPools(r *Article) {
	for _, l := range r.lots {
		a.stock.SetPool(l.no, a.poolFor(r, l.location))
	}
}

// poolFor is the pool of an article's lot at a location: the one of its SKU, location and effective buffers, or none where
// it takes no new holds or has no SKU.
func (a *account) poolFor(r *Article, location uint32) timeline.PoolNo {
	if r.SKU == nil || !r.Takes() {
		return 0
	}
	return a.poolOf(*r.SKU, a.poolKey(r, location))
}

// poolKey tells the pool of an article's lot from others of its SKU: by the place, and by the effective buffers as values, however
// they were entered.
func (a *account) poolKey(r *Article, location uint32) skuPool {
	before, after := a.buffers(r)
	return skuPool{location: location, before: before.Value(), after: after.Value()}
}

// is says that a pool is the one that a key asks for.
func (p skuPool) is(key skuPool) bool {
	return p.location == key.location && p.before == key.before && p.after == key.after
}

// poolOf finds the number of a SKU's pool, or gives it one.
func (a *account) poolOf(sku ID, want skuPool) timeline.PoolNo {
	s := a.skus().Get(sku)
	for _, p := range s.pools {
		if p.is(want) {
			return p.no
		}
	}
	a.pools().last++
	want.no = a.pools().last
	n := *s
	n.pools = append(slices.Clip(s.pools), want)
	a.skus().Put(&n)
	return want.no
}

// InitialQuantity is stock that an article is made with.
type InitialQuantity struct {
	Location ID
	Count    int
	From     *int64 // default: the command's instant
}

// CreateArticle makes an article, with its first units where given. It answers with the *Article.
type CreateArticle struct {
	Name          string
	Status        ArticleStatus // default active
	SKU           *ID
	Codes         []string
	Description   *string
	Condition     *string
	PurchasePrice *int64
	Before, After *Buffer
	Quantities    []InitialQuantity
	Labels        LabelsPatch
	Details       DetailsPatch
}

func (o CreateArticle) checkOn(a *account) []Fault {
	return append(o.Labels.checkOn(a, ArticleLabels), o.Details.checkOn(nil)...)
}

func (o CreateArticle) Check() []Fault {
	var c checker
	c.text("/name", o.Name, 1, maxName)
	c.status("/status", o.Status)
	c.codes("/codes", o.Codes)
	c.optional("/description", o.Description, 0, maxNote)
	c.optional("/condition", o.Condition, 0, maxName)
	c.money("/purchasePrice", o.PurchasePrice)
	c.buffer("/bufferTimeAmountBefore", o.Before)
	c.buffer("/bufferTimeAmountAfter", o.After)
	o.Labels.check(&c)
	o.Details.check(&c)
	if len(o.Quantities) > maxLines {
		c.fault("/quantities", "length", "must have at most 1000 entries")
		return c.faults
	}
	units := 0
	for i, q := range o.Quantities {
		at := "/quantities/" + itoa(i)
		c.number(at+"/count", q.Count, 1, maxCount)
		if q.From != nil {
			c.instant(at+"/from", *q.From)
		}
		units += min(q.Count, maxCount)
	}
	if units > maxSlots {
		c.fault("/quantities", "range", "an article has at most 100000 slots")
	}
	return c.faults
}

func (c *checker) status(pointer string, s ArticleStatus) {
	if s != "" {
		c.oneOf(pointer, string(s), string(ArticleActive), string(ArticleInactive), string(ArticleDraft))
	}
}

func (c *checker) codes(pointer string, codes []string) {
	if len(codes) > 100 {
		c.fault(pointer, "length", "must have at most 100 entries")
		return
	}
	for i, s := range codes {
		c.text(pointer+"/"+itoa(i), s, 1, maxName)
	}
}

func (o CreateArticle) plan(t *tx) (any, error) {
	if o.SKU != nil && t.acc.skus().Get(*o.SKU) == nil {
		return nil, notFound("SKU")
	}
	labels, err := o.Labels.merged(t.acc, ArticleLabels, ID{}, Labels{})
	if err != nil {
		return nil, err
	}
	t.ledger.Article++
	r := &Article{
		ID: t.newID(), No: t.ledger.Article, Name: o.Name, Status: o.Status, SKU: o.SKU, Codes: o.Codes, Description: o.Description,
		Condition: o.Condition, PurchasePrice: o.PurchasePrice, Before: o.Before, After: o.After, UpdatedAt: t.now, Revision: 1,
		Labels: labels,
	}
	if r.Status == "" {
		r.Status = ArticleActive
	}
	o.Details.apply(t, r)
	record(t, articleKind, nil, r)
	t.seating().article = r
	for _, q := range o.Quantities {
		l := t.acc.locations().Get(q.Location)
		if l == nil {
			return nil, notFound("location")
		}
		from := t.now
		if q.From != nil {
			from = *q.From
		}
		t.newUnits(r, l.No, q.Count, Span{Start: from, End: Forever})
	}
	t.seatFreed()
	return r, nil
}

func (CreateArticle) result() any { return new(Article) }

// ArchiveArticle takes an article out of use, or back into it: its holds go as with PatchArticle, and so is it refused. What is so
// already stays as it is. It answers with the *Article.
type ArchiveArticle struct {
	ID       ID
	Archived bool
	Force    bool // holds to come that find no other place become conflicts
}

func (ArchiveArticle) Check() []Fault { return nil }

func (o ArchiveArticle) plan(t *tx) (any, error) {
	r := t.acc.articles().Get(o.ID)
	if r == nil {
		return nil, notFound("article")
	}
	if o.Archived == (r.ArchivedAt != nil) {
		return r, nil
	}
	n := *r
	n.ArchivedAt = nil
	if at := t.now; o.Archived {
		n.ArchivedAt = &at
	}
	n.touch(t.now)
	record(t, articleKind, r, &n)
	return &n, t.reassign(r, &n, o.Force)
}

func (ArchiveArticle) result() any { return new(Article) }

// PatchArticle changes an article. One that is taken out (status, archive, another SKU) gives its auto-assigned holds to
// other articles of their pool where they fit; what is handed over or over stays. Where others are left it is refused with the plan
// (article_out.go), or, with Force, they become conflicts. It answers with the *Article.
type PatchArticle struct {
	ID            ID
	IfMatch       []uint64
	Force         bool
	Name          Opt[string]
	Status        Opt[ArticleStatus]
	SKU           Opt[ID]
	Codes         Opt[[]string]
	Description   Opt[string]
	Condition     Opt[string]
	PurchasePrice Opt[int64]
	Before, After BufferPatch
	Labels        LabelsPatch
	Details       DetailsPatch
}

func (o PatchArticle) checkOn(a *account) []Fault {
	faults := o.Labels.checkOn(a, ArticleLabels)
	if r := a.articles().Get(o.ID); r != nil {
		faults = append(faults, o.Details.checkOn(r)...)
	}
	return faults
}

func (o PatchArticle) Check() []Fault {
	var c checker
	c.patchName("/name", o.Name)
	if o.Status.Set {
		c.oneOf("/status", string(o.Status.Value), string(ArticleActive), string(ArticleInactive), string(ArticleDraft))
	}
	if o.Codes.Set && !o.Codes.Null {
		c.codes("/codes", o.Codes.Value)
	}
	c.patchText("/description", o.Description, 0, maxNote)
	c.patchText("/condition", o.Condition, 0, maxName)
	c.patchMoney("/purchasePrice", o.PurchasePrice)
	o.Before.check(&c, "/bufferTimeAmountBefore")
	o.After.check(&c, "/bufferTimeAmountAfter")
	o.Labels.check(&c)
	o.Details.check(&c)
	return c.faults
}

func (o PatchArticle) plan(t *tx) (any, error) {
	r, err := found(t, articleKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if o.SKU.Set && !o.SKU.Null && t.acc.skus().Get(o.SKU.Value) == nil {
		return nil, notFound("SKU")
	}
	labels, err := o.Labels.merged(t.acc, ArticleLabels, r.ID, r.Labels)
	if err != nil {
		return nil, err
	}
	n := *r
	n.Labels = labels
	if o.Name.Set {
		n.Name = o.Name.Value
	}
	if o.Status.Set {
		n.Status = o.Status.Value
	}
	o.SKU.merge(&n.SKU)
	replace(o.Codes, &n.Codes)
	o.Description.merge(&n.Description)
	o.Condition.merge(&n.Condition)
	o.PurchasePrice.merge(&n.PurchasePrice)
	var c checker
	n.Before = o.Before.merged(&c, "/bufferTimeAmountBefore", n.Before)
	n.After = o.After.merged(&c, "/bufferTimeAmountAfter", n.After)
	if len(c.faults) > 0 {
		return nil, invalid(c.faults)
	}
	o.Details.apply(t, &n)
	next := revise(t, articleKind, r, n)
	return next, t.reassign(r, next, o.Force)
}

func (PatchArticle) result() any { return new(Article) }

// Article returns an article, or nil.
func (v View) Article(id ID) *Article { return v.acc.articles().Get(id) }

// Articles lists the account's articles in order of creation.
func (v View) Articles() *table.Table[Article] { return v.acc.articles() }

// Buffers are an article's effective buffers, and whether each is its own (else its SKU's).
func (v View) Buffers(r *Article) (before, after Buffer, ownBefore, ownAfter bool) {
	before, after = v.acc.buffers(r)
	return before, after, r.Before != nil, r.After != nil
}

func (a *account) articleID(no uint32) ID {
	if r := a.articles().No(no); r != nil {
		return r.ID
	}
	return a.formerID(tagArticle, no)
}

// DeleteArticle removes an article with its units and scheduled events, unless a hold or a reservation that is not over has
// one of its units or waits for one. Its units end now; holds that are over keep theirs. It answers with nil.
type DeleteArticle struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteArticle) Check() []Fault { return nil }

func (o DeleteArticle) plan(t *tx) (any, error) {
	r, err := found(t, articleKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if err := t.acc.articleInUse(r, t.now); err != nil {
		return nil, err
	}
	if err := t.acc.unreferred(r.ID, t.now); err != nil {
		return nil, err
	}
	record(t, articleKind, r, nil)
	t.bury(tagArticle, r.ID, r.No)
	gone := *r
	gone.SKU, t.seating().article = nil, &gone
	t.rehouse(r.SKU, one[Article](nil))
	for s := range t.acc.events().By(eventByArticle, string(r.ID[:])) {
		if s.Type == EventReservation {
			t.draft().Take(after(s.ID, 1))
		}
		record(t, scheduledEventKind, s, nil)
	}
	for _, l := range r.lots {
		for _, no := range t.acc.stock.Slots(l.no) {
			if s, _ := t.acc.stock.Slot(no); s.Span.End > t.now {
				t.draft().EndSlot(no, t.now)
			}
		}
	}
	return nil, nil
}

// maxGone is how many units go with an article at most: more are to be taken away first, in parts.
const maxGone = 25_000

func (a *account) articleInUse(r *Article, now int64) error {
	var taken takers
	units := 0
	rest := Span{Start: now, End: Forever}
	for _, l := range r.lots {
		units += len(a.stock.Slots(l.no))
		for _, no := range a.stock.Slots(l.no) {
			for h := range a.stock.Holds(no, rest) {
				taken.add(a, h)
			}
		}
		for h := range a.stock.ConflictsIn(timeline.LotRef(l.no), rest) {
			taken.add(a, h)
		}
	}
	if err := taken.inUse(); err != nil {
		return err
	}
	if units > maxGone {
		return inUse("unit", units)
	}
	return nil
}

func (DeleteArticle) result() any { return new(any) }

func (o CreateArticle) distinct() []distinctValue { return o.Labels.External.distinct() }
