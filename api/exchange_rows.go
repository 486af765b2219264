package api

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns how records are written as rows that an import takes.

// exporter writes rows.
type exporter struct {
	*request
	w     http.ResponseWriter
	names *nameBook
	err   error

	byID, archived, erased, unborn, ending, ordered, conflicts, kits, over, orders int // what is noted
}

const exportBuffer = 64 << 10

// line ends a row.
func (x *exporter) line() {
	x.Out = append(x.Out, "}\n"...)
	if len(x.Out) >= exportBuffer {
		x.flush()
	}
}

func (x *exporter) flush() {
	if x.err == nil && len(x.Out) > 0 {
		_, x.err = x.w.Write(x.Out)
	}
	x.Out = x.Out[:0]
}

// notes are what the rows do not say.
func (x *exporter) notes() (notes []string) {
	for _, n := range [...]struct {
		count int
		text  string
	}{
		{x.byID, "references are ids, as no code or name stands for the record alone: another account does " +
			"not have them"},
		{x.archived, "archived articles are left out"},
		{x.erased, "erased customers are left out"},
		{x.unborn, "dates of birth are left out: they lie ahead, or are of the year 0"},
		{x.ending, "units that end later are left out"},
		{x.ordered, "units that orders are to take to another location are written as staying where they are: only " +
			"export --all has orders"},
		{x.conflicts, "holds are in conflict: where the stock is as here, an import refuses them"},
		{x.kits, "lines of holds are of kits of which units were moved to other dates: they are written as if none " +
			"was"},
		{x.over, "lines of holds are left out: they are over, and what they are of, or where, was deleted"},
		{x.orders, "orders are left out, and so is the stock that they take: only export --all has them"},
	} {
		if n.count > 0 {
			notes = append(notes, strconv.Itoa(n.count)+" "+n.text)
		}
	}
	return notes
}

// begin begins the row of a record.
func (x *exporter) begin(id base.ID) {
	x.Out = append(x.Out, '{')
	x.ID("id", id, "")
}

// refer appends a member that refers to a record.
func (x *exporter) refer(member string, id base.ID, texts ...string) {
	x.Key(member, nil, "")
	x.called(member, id, texts...)
}

func (x *exporter) called(member string, id base.ID, texts ...string) {
	named := false
	if x.Out, named = x.names.append(x.Out, member, id, texts...); !named {
		x.byID++
	}
}

func (x *exporter) location(member string, id base.ID) {
	name := ""
	if l := stock.LocationByID(x.view, id); l != nil {
		name = l.Name
	}
	x.refer(member, id, name)
}

func (x *exporter) sku(id base.ID) {
	s := stock.SKUByID(x.view, id)
	switch {
	case s == nil:
		x.refer("skuId", id)
	case s.Code != nil:
		x.refer("skuId", id, *s.Code)
	default:
		x.refer("skuId", id, s.Name)
	}
}

func (x *exporter) article(id base.ID) {
	var texts []string
	if r := stock.ArticleByID(x.view, id); r != nil {
		texts = append(append(texts, r.Codes...), r.Name)
	}
	x.refer("articleId", id, texts...)
}

// labels writes tags by their values, and the record's own attributes by their keys.
func (x *exporter) labels(l *label.Labels) {
	x.Key("tags", nil, "")
	x.Out = append(x.Out, '[')
	for _, id := range l.Tags {
		if g := label.TagByID(x.view, id); g != nil {
			x.Next()
			x.called("tags", id, g.Value)
		}
	}
	x.Out = append(x.Out, ']')
	x.Object("attributes", "", "", func() {
		label.EachAttribute(x.view, l, nil, func(d *label.Attribute, value label.Value, _ bool) {
			x.Property(d.Key)
			x.Out = appendValue(x.Out, value)
		})
	})
	x.external(l.External)
}

func (x *exporter) locations() {
	for l := range stock.Locations(x.view).All() {
		x.begin(l.ID)
		x.Text("name", l.Name, "")
		x.Text("timezone", l.Timezone, "")
		x.external(l.External)
		x.locationAddress(l.Address)
		x.line()
	}
}

func (x *exporter) skus() {
	for s := range stock.SKUs(x.view).All() {
		x.begin(s.ID)
		wire.WriteFields(&x.Writer, &s.SKUFields)
		x.labels(&s.Labels)
		x.buffers(s.Before, s.After)
		x.line()
	}
}

func (x *exporter) articles() {
	for r := range stock.Articles(x.view).All() {
		if r.ArchivedAt != nil {
			x.archived++
			continue
		}
		x.begin(r.ID)
		x.Text("name", r.Name, "")
		x.Text("status", string(r.Status), "")
		if r.SKU == nil {
			x.Null("skuId", "")
		} else {
			x.sku(*r.SKU)
		}
		x.Texts("codes", r.Codes, "")
		x.TextOrNull("description", r.Description, "")
		x.TextOrNull("condition", r.Condition, "")
		x.IntOrNull("purchasePrice", r.PurchasePrice, "")
		x.IntOrNull("itemCosts", r.ItemCosts, "")
		x.articleDetails(r)
		x.quantities(r)
		x.labels(&r.Labels)
		x.buffers(r.Before, r.After)
		x.line()
	}
}

// articleDetails appends an article's place, and its files as new ones.
func (x *exporter) articleDetails(r *stock.Article) {
	d := details(r)
	wire.WriteFields(&x.Writer, &d.ArticlePlace)
	wire.Nullable(&x.Writer, "taxonomyCategory", "", d.Category, "", wire.Fields[stock.TaxonomyCategory](&x.Writer))
	x.scribe.fulfillmentFields(r)
	file := func(name string, f *stock.File) {
		x.Object(name, "", "", func() { wire.WriteFields(&x.Writer, &f.FileInfo) })
	}
	wire.List(&x.Writer, "media", "", d.Media, "", func(f *stock.File) { file("media", f) })
	wire.List(&x.Writer, "documents", "", d.Documents, "", func(f *stock.File) {
		file("document", f)
		x.TextOrNull("comment", f.Comment, "")
	})
}

// quantities appends an article's units: those that stay. More than a count takes are several counts.
func (x *exporter) quantities(r *stock.Article) {
	staying := stock.StayingOf(x.view, r, x.now)
	x.ending += staying.Ending
	x.ordered += staying.Ordered
	x.Key("quantities", nil, "")
	x.Out = append(x.Out, '[')
	for _, l := range staying.Units {
		for left := l.Count; left > 0; left -= base.MaxCount {
			x.Next()
			x.Braces(func() {
				x.location(locationMember, l.Location)
				x.Count("count", min(left, base.MaxCount), "")
				x.Instant("from", l.From, "")
			})
		}
	}
	x.Out = append(x.Out, ']')
}

func (x *exporter) customers() {
	for m := range commerce.Customers(x.view).All() {
		if m.ErasedAt != 0 {
			x.erased++
			continue
		}
		c := m.Contact
		if c.Unborn(x.view.Account(), x.now) {
			c.DateOfBirth = nil
			x.unborn++
		}
		x.begin(m.ID)
		x.contactNamed(&c, given(c.FullName))
		x.labels(&m.Labels)
		x.line()
	}
}

// holds writes those that take stock, in the order in which they begin. Holds that are over do not move to make room;
// read in this order, they find room wherever there was any. Lines that name what was deleted are left out.
func (x *exporter) holds() {
	for o := range order.Orders(x.view).All() {
		if slices.ContainsFunc(o.Lines, func(l order.OrderLine) bool {
			return slices.ContainsFunc(l.Units, func(u order.OrderUnit) bool { return u.Hold != (base.ID{}) })
		}) {
			x.orders++
		}
	}
	type begins struct {
		at int64
		id base.ID
	}
	leaving := stock.Leaving(x.view, x.now)
	var order []begins
	for h := range hold.EachHold(x.view) {
		if h.Status.Ended() {
			continue
		}
		if !slices.ContainsFunc(h.Lines, func(l hold.HoldLine) bool { return !x.gone(&l) }) {
			x.over += len(h.Lines)
			continue
		}
		first := begins{h.Lines[0].Window.Start, h.ID}
		for _, l := range h.Lines[1:] {
			first.at = min(first.at, l.Window.Start)
		}
		order = append(order, first)
	}
	slices.SortFunc(order, func(a, b begins) int { return cmp.Or(cmp.Compare(a.at, b.at), a.id.Compare(b.id)) })
	for _, o := range order {
		h, _ := hold.HoldByID(x.view, o.id)
		x.begin(h.ID)
		x.Key("lines", nil, "")
		x.Out = append(x.Out, '[')
		short := false
		for i := range h.Lines {
			if x.gone(&h.Lines[i]) {
				x.over++
				continue
			}
			if l := &h.Lines[i]; l.CatalogItem != (base.ID{}) &&
				slices.ContainsFunc(l.Units, func(u hold.HeldUnit) bool { return u.Body != l.Window }) {
				x.kits++
			}
			for _, part := range parts(&h.Lines[i], leaving) {
				x.Next()
				x.Braces(func() { x.holdLine(&h.Lines[i], part) })
			}

			for _, u := range h.Lines[i].Units {
				short = short || u.Conflict()
			}
		}
		if short {
			x.conflicts++
		}
		x.Out = append(x.Out, ']')
		if h.ExpiresAt != nil {
			left := (*h.ExpiresAt - x.now + 999) / 1000
			x.Int("expiresInSeconds", min(max(left, hold.MinExpiry), hold.MaxExpiry), "")
		}
		if m := commerce.CustomerByID(x.view, h.Customer); m != nil && m.ErasedAt == 0 {
			x.refer("customerId", m.ID, given(m.Email), m.Name())
		}
		if h.Note != "" {
			x.Text("note", h.Note, "")
		}
		x.line()
	}
}

// linePart is units of a line that have one window and go to one place.
type linePart struct {
	window   base.Span
	leaves   bool
	quantity int
}

// parts takes a line apart where units were moved to other dates, or do not go where the others go any more. A kit is
// held whole.
func parts(l *hold.HoldLine, leaving func(unit base.ID) bool) (list []linePart) {
	leaves := func(u hold.HeldUnit) bool { return l.Return != l.Location && leaving(u.ID) }
	if l.CatalogItem != (base.ID{}) || len(l.Units) != l.Quantity {
		return []linePart{{l.Window, slices.ContainsFunc(l.Units, leaves), l.Quantity}}
	}
next:
	for _, u := range l.Units {
		part := linePart{u.Body, leaves(u), 1}
		for i := range list {
			if list[i].window == part.window && list[i].leaves == part.leaves {
				list[i].quantity++
				continue next
			}
		}
		list = append(list, part)
	}
	return list
}

// gone says that what a line is of, or where, was deleted, as it may be once the line is over: no import finds it.
func (x *exporter) gone(l *hold.HoldLine) bool {
	switch {
	case stock.LocationByID(x.view, l.Location) == nil:
		return true
	case l.SKU != (base.ID{}):
		return stock.SKUByID(x.view, l.SKU) == nil
	case l.Article != (base.ID{}):
		return stock.ArticleByID(x.view, l.Article) == nil
	}
	return commerce.CatalogItemByID(x.view, l.CatalogItem) == nil
}

func (x *exporter) holdLine(l *hold.HoldLine, part linePart) {
	switch {
	case l.SKU != (base.ID{}):
		x.sku(l.SKU)
	case l.Article != (base.ID{}):
		x.article(l.Article)
	default:
		x.refer("catalogItemId", l.CatalogItem, commerce.CatalogItemByID(x.view, l.CatalogItem).Name)
	}
	x.location(locationMember, l.Location)
	if part.leaves {
		x.location(returnMember, l.Return)
	}
	x.Instant("from", part.window.Start, "")
	x.End("to", part.window.End, "")
	x.Count("quantity", part.quantity, "")
	x.Text("purchaseType", string(l.Purchase), "")
}
