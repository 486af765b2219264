package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns requirements of a line: what an article must have for a unit of it to be the line's. A unit with requirements moves
// among the articles of its pool that meet them; where all do, like any other. Its hold says so by a flag (timeline.Choosy), and by its
// order's number and line which requirements they are: the timelines ask for them here. Nothing of it is kept but the flag.

// Requirement is one condition on an attribute of the article.
type Requirement struct {
	Key       string // attribute
	Operator  Operator
	Values    []string
	Attribute ID
}

// RequirementAttribute is the one key of requirements.
const RequirementAttribute = "attribute"

const maxRequirements = 32 // of a line

func (r *Requirement) filter(d *Attribute) Filter {
	f := Filter{Attribute: r.Attribute, Format: d.Format, Operator: r.Operator, Written: true}
	if d.Format == FormatFormula || d.Format == FormatSmartField {
		f.Format = FormatText
	}
	for _, s := range r.Values {
		f.Values = append(f.Values, Value{Kind: TextValue, Text: s})
	}
	return f
}

// requirements names what is wrong with conditions as the account stands.
func (a *account) requirements(c *checker, pointer string, list []Requirement) {
	for at, r := range each(c, pointer, list, 0, maxRequirements) {
		c.oneOf(at+"/key", r.Key, RequirementAttribute)
		d := a.attributes().Get(r.Attribute)
		if d == nil {
			c.fault(at+"/attributeId", "unknown", "is no attribute of the account")
			continue
		}
		f := r.filter(d)
		f.read(c, at)
	}
}

// requirement is one ready to be asked, of the account as a plan leaves it.
func (a *account) requirement(r *Requirement, e *edits, now int64) func(*Article) bool {
	d := e.attribute(a, r.Attribute)
	if d == nil {
		return func(*Article) bool { return false } // nothing has what is gone
	}
	var faults checker
	f := r.filter(d)
	format, operands := f.read(&faults, "")
	if len(faults.faults) > 0 {
		return func(*Article) bool { return false } // the attribute has become something else
	}
	zone := mustZone(a.row.Timezone)
	j := newJudge(format, f.Operator, operands, timeline.DateOf(zone, now), zone, d.chosen)
	if d.Format.Chosen() {
		j.alive = func(id ID) bool { return d.option(id) != nil }
	}
	from := attributeSource(d, format)
	return func(r *Article) bool {
		own := from.own(r)
		v := j.of(&own)
		if v == absent && r.SKU != nil {
			general := from.sku(e.sku(a, *r.SKU))
			v = j.of(&general)
		}
		return v == passed || v == absent && j.without()
	}
}

// wish is what a hold of an order asks of its lot: the requirements of its line. What is not found asks for nothing. lot finds lots.
func (a *account) wish(o *Order, h *timeline.Hold, e *edits, lot func(timeline.LotNo) timeline.Lot, now int64) (key string, meets func(timeline.LotNo) bool) {
	var list []Requirement
	if o != nil {
		if l := o.lineNo(h.Line); l != nil {
			list = l.Rest().Requirements
		}
	}
	var b []byte
	conditions := make([]func(*Article) bool, len(list))
	for i := range list {
		r := &list[i]
		conditions[i] = a.requirement(r, e, now)
		b = appendText(append(b, r.Attribute[:]...), string(r.Operator))
		b = append(b, byte(len(r.Values)))
		for _, v := range r.Values {
			b = appendText(b, v)
		}
	}
	return string(b), func(no timeline.LotNo) bool {
		r := e.article(a, lot(no).Article)
		return r != nil && !slices.ContainsFunc(conditions, func(meets func(*Article) bool) bool { return !meets(r) })
	}
}

// Wish and Version make an account the timelines' Chooser; a plan is one of its own, for what it changes.
func (a *account) Wish(h *timeline.Hold, now int64) (key string, meets func(timeline.LotNo) bool) {
	return a.wish(a.orders().No(uint32(h.Owner)), h, &edits{}, a.stock.Lot, now)
}

func (a *account) Version() int { return 0 }

func (t *tx) Wish(h *timeline.Hold, now int64) (key string, meets func(timeline.LotNo) bool) {
	t.named.read(t.set)
	o := t.acc.orders().No(uint32(h.Owner))
	for _, e := range t.orders {
		if e.now != nil && e.now.Number == uint32(h.Owner) {
			o = e.now
		}
	}
	return t.acc.wish(o, h, &t.named, func(no timeline.LotNo) timeline.Lot {
		if lot := t.acc.stock.Lot(no); lot.No != 0 {
			return lot
		}
		return t.draft().Stock().Lot(no) // the plan makes it
	}, now)
}

func (t *tx) Version() int { return len(t.set) }

// asks is a hold that asks what a request asks, nil where that is nothing: one that was put on an article by hand asks for nothing else.
func (q *request) asks() *timeline.Hold {
	if f := q.proto.Flags; !f.Has(timeline.Choosy) || q.first == 0 && f.Any(timeline.PinnedArticle|timeline.PinnedSlot) {
		return nil
	}
	return &q.proto
}

// ask has a request ask what a hold asks.
func (q *request) ask(h *timeline.Hold) {
	if h != nil {
		q.proto.Owner, q.proto.Line, q.proto.Flags = h.Owner, h.Line, q.proto.Flags|timeline.Choosy.WithBlocker(timeline.BlockerOrder)
	}
}

// meeting leaves of sources those in which some article has what is asked for; where nothing is asked for, all.
func meeting(s *timeline.Stock, sources []source, asks *timeline.Hold, now int64) []source {
	if asks == nil {
		return sources
	}
	sources = slices.DeleteFunc(sources, func(x source) bool {
		return !slices.ContainsFunc(s.Lots(x.pool), func(no timeline.LotNo) bool { return s.Meets(*asks, no, now) })
	})
	for i := range sources {
		if !sources[i].named { // an article that is named has it, and that is all that is asked
			sources[i].asks = asks
		}
	}
	return sources
}

// hold is one that asks what the source is asked for, over a hull.
func (x *source) hold(hull Span) timeline.Hold {
	h := timeline.NewHold(ID{}, hull, 0, 0)
	h.Flags, h.Owner, h.Line = x.asks.Flags, x.asks.Owner, x.asks.Line
	return h
}

// available is how many units of a source can be held over a hull, of articles that meet what is asked for.
func (x *source) available(s *timeline.Stock, hull Span, now int64) timeline.Answer {
	if x.asks != nil {
		return s.AvailableFor(x.pool, x.hold(hull), now)
	}
	a := s.Available(x.pool, hull, now)
	if x.named {
		a = s.AvailableNamed(x.lot(), hull, now, a)
	}
	return a
}

// freeThroughout counts units of a source that are free all the time.
func (x *source) freeThroughout(s *timeline.Stock, now int64) int {
	if x.asks == nil {
		return s.FreeThroughout(x.pool, x.hull)
	}
	return s.FreeThroughoutFor(x.pool, x.hold(x.hull), now)
}

// free bounds available by counting.
func (x *source) free(s *timeline.Stock, hull Span, now int64) int {
	switch {
	case x.asks != nil:
		return s.BoundFor(x.pool, x.hold(hull), now)
	case x.named:
		return s.BoundNamed(x.lot(), hull)
	}
	n, _, _, _ := s.MinFree(x.pool, hull)
	return n
}

// lot is the lot of an article that is named.
func (x *source) lot() timeline.LotNo {
	no, _ := x.pool.Lot()
	return no
}

// pools are the source, or where something is asked for its articles that have it, each for itself.
func (x *source) pools(s *timeline.Stock, now int64) (list []timeline.PoolRef) {
	if x.asks == nil {
		return []timeline.PoolRef{x.pool}
	}
	for _, no := range s.Lots(x.pool) {
		if s.Meets(*x.asks, no, now) {
			list = append(list, timeline.LotRef(no))
		}
	}
	return list
}

// keepRequirements moves what a change of attributes has left on articles that do not have what its line requires to those that have
// it, in the order in which it was made. What finds no room there stays as it is, and fixed there; so does what is left after as many
// tries as conflicts get, of which a search in vain takes as many as theirs.
func (t *tx) keepRequirements() {
	if t.acc.stock.ChoosyLen() == 0 {
		return
	}
	var ids []ID
	for _, no := range t.relabelledLots() {
		ids = slices.AppendSeq(ids, t.draft().Stock().Choosy(no))
	}
	slices.SortFunc(ids, ID.Compare)
	d, left := t.draft(), maxTries
	for _, id := range ids {
		h, at, ok := d.Find(id)
		lot := d.Stock().Lot(at.Lot)
		if !ok || !at.Seated() || lot.Pool == 0 || h.Span.End <= t.now || h.Flags.Any(timeline.Pinned) || d.Stock().Meets(h, at.Lot, t.now) {
			continue
		}
		if left--; left < 0 {
			break
		}
		f := d.Fork()
		f.Take(id)
		if _, why := f.Seat(timeline.SKURef(lot.Pool), begun(h, t.now), timeline.Exact); why != timeline.Granted {
			if why == timeline.FragmentedByPinnedHolds {
				left -= searchTries
			}
			continue
		}
		d.Adopt(f)
		t.freed(h.Span, at)
	}
	t.seatFreed()
}

// searchTries is how many tries one counts for that took a search in vain.
const searchTries = 50

// relabelledLots lists the lots whose articles may have other values than before: of their own, of their SKU, or of what is left of an
// attribute.
func (t *tx) relabelledLots() (lots []timeline.LotNo) {
	of := func(r *Article) {
		for _, l := range r.lots {
			lots = append(lots, l.no)
		}
	}
	for _, c := range t.set {
		switch c := c.(type) {
		case *change[Article]:
			if c.before != nil && c.after != nil && (!same(c.before.SKU, c.after.SKU) || !sameValues(&c.before.Labels, &c.after.Labels)) {
				of(c.before)
			}
		case *change[SKU]:
			if c.before != nil && c.after != nil && !sameValues(&c.before.Labels, &c.after.Labels) {
				for r := range t.acc.articles().By(articleBySKU, string(c.after.ID[:])) {
					of(r)
				}
			}
		case *change[Attribute]:
			if c.before != nil {
				lots = slices.AppendSeq(lots, t.acc.stock.ChoosyLots())
			}
		}
	}
	slices.Sort(lots)
	return slices.Compact(lots)
}

// sameValues says that two records have the same for all attributes.
func sameValues(x, y *Labels) bool {
	return slices.EqualFunc(x.Attributes, y.Attributes, func(v, w AttributeValue) bool {
		return v.Attribute == w.Attribute && v.Kind == w.Kind && v.Text == w.Text && v.Number == w.Number && slices.Equal(v.Options, w.Options)
	})
}

// unmet says that a unit sits on an article that does not have what its line requires any more. Of what is over, nobody asks.
func unmet(s *timeline.Stock, h timeline.Hold, at timeline.Place, now int64) bool {
	return h.Flags.Has(timeline.Choosy) && at.Seated() && h.Span.End > now && !s.Meets(h, at.Lot, now)
}
