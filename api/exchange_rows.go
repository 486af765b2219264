package api

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"holdfast/engine"
)

// This file owns how records are written as rows that an import takes.

// exporter writes rows.
type exporter struct {
	*request
	w     http.ResponseWriter
	names *nameBook
	err   error

	byID, archived, ending, conflicts int // what is noted
}

const exportBuffer = 64 << 10

// line ends a row.
func (x *exporter) line() {
	x.out = append(x.out, '\n')
	if len(x.out) >= exportBuffer {
		x.flush()
	}
}

func (x *exporter) flush() {
	if x.err == nil && len(x.out) > 0 {
		_, x.err = x.w.Write(x.out)
	}
	x.out = x.out[:0]
}

// notes are what the rows do not say.
func (x *exporter) notes() (notes []string) {
	for _, n := range [...]struct {
		count int
		text  string
	}{
		{x.byID, "references are ids, as no code or name stands for the record alone: another account does not have them"},
		{x.archived, "archived articles are left out"},
		{x.ending, "units that end later are left out"},
		{x.conflicts, "holds are in conflict: where the stock is as here, an import refuses them"},
	} {
		if n.count > 0 {
			notes = append(notes, strconv.Itoa(n.count)+" "+n.text)
		}
	}
	return notes
}

func (x *exporter) begin(id engine.ID) { x.out = appendID(append(x.out, `{"id":`...), id) }

// refer appends a member that refers to a record.
func (x *exporter) refer(member string, id engine.ID, texts ...string) {
	x.out = key(x.out, member)
	x.called(member, id, texts...)
}

func (x *exporter) called(member string, id engine.ID, texts ...string) {
	named := false
	if x.out, named = x.names.append(x.out, member, id, texts...); !named {
		x.byID++
	}
}

func (x *exporter) location(id engine.ID) {
	name := ""
	if l := x.view.Location(id); l != nil {
		name = l.Name
	}
	x.refer("serviceLocationId", id, name)
}

func (x *exporter) sku(id engine.ID) {
	s := x.view.SKU(id)
	switch {
	case s == nil:
		x.refer("skuId", id)
	case s.Code != nil:
		x.refer("skuId", id, *s.Code)
	default:
		x.refer("skuId", id, s.Name)
	}
}

func (x *exporter) article(id engine.ID) {
	var texts []string
	if r := x.view.Article(id); r != nil {
		texts = append(append(texts, r.Codes...), r.Name)
	}
	x.refer("articleId", id, texts...)
}

// labels appends tags by their values, and the record's own attributes by their keys.
func (x *exporter) labels(l *engine.Labels) {
	x.out = append(x.out, `,"tags":[`...)
	for _, id := range l.Tags {
		if g := x.view.Tag(id); g != nil {
			if x.out[len(x.out)-1] != '[' {
				x.out = append(x.out, ',')
			}
			x.called("tags", id, g.Value)
		}
	}
	x.out = append(x.out, `],"attributes":{`...)
	x.view.EachAttribute(l, nil, func(d *engine.Attribute, value engine.Value, _ bool) {
		if x.out[len(x.out)-1] != '{' {
			x.out = append(x.out, ',')
		}
		x.out = appendValue(append(appendText(x.out, d.Key), ':'), value)
	})
	x.out = appendExternal(append(x.out, '}'), l.External)
}

func (x *exporter) locations() {
	for l := range x.view.Locations().All() {
		x.begin(l.ID)
		x.out = appendText(append(x.out, `,"name":`...), l.Name)
		x.out = appendText(append(x.out, `,"timezone":`...), l.Timezone)
		x.out = append(appendExternal(x.out, l.External), `,"address":`...)
		if l.Address == nil {
			x.out = append(x.out, "null}"...)
		} else {
			x.out = append(appendAddress(append(x.out, '{'), l.Address), "}}"...)
		}
		x.line()
	}
}

func (x *exporter) skus() {
	for s := range x.view.SKUs().All() {
		x.begin(s.ID)
		x.out = appendText(append(x.out, `,"name":`...), s.Name)
		x.out = appendTextOrNull(append(x.out, `,"code":`...), s.Code)
		x.out = appendTextOrNull(append(x.out, `,"description":`...), s.Description)
		x.out = appendIntOrNull(append(x.out, `,"purchasePrice":`...), s.PurchasePrice)
		x.labels(&s.Labels)
		x.out = append(appendBuffers(x.out, s.Before, s.After), '}')
		x.line()
	}
}

func (x *exporter) articles() {
	for r := range x.view.Articles().All() {
		if r.ArchivedAt != nil {
			x.archived++
			continue
		}
		x.begin(r.ID)
		x.out = appendText(append(x.out, `,"name":`...), r.Name)
		x.out = appendText(append(x.out, `,"status":`...), string(r.Status))
		if r.SKU == nil {
			x.out = append(x.out, `,"skuId":null`...)
		} else {
			x.sku(*r.SKU)
		}
		x.out = appendList(append(x.out, `,"codes":`...), r.Codes, appendText)
		x.out = appendTextOrNull(append(x.out, `,"description":`...), r.Description)
		x.out = appendTextOrNull(append(x.out, `,"condition":`...), r.Condition)
		x.out = appendIntOrNull(append(x.out, `,"purchasePrice":`...), r.PurchasePrice)
		x.quantities(r)
		x.labels(&r.Labels)
		x.out = append(appendBuffers(x.out, r.Before, r.After), '}')
		x.line()
	}
}

// quantities appends an article's units: those that stay. More than a count takes are several counts.
func (x *exporter) quantities(r *engine.Article) {
	x.out = append(x.out, `,"quantities":[`...)
	for _, l := range x.view.UnitsOf(r, x.now) {
		if l.Range.End != engine.Forever {
			x.ending += l.Count
			continue
		}
		for left := l.Count; left > 0; left -= maxCount {
			if x.out[len(x.out)-1] != '[' {
				x.out = append(x.out, ',')
			}
			x.out = append(x.out, '{')
			x.location(l.Location)
			x.out = appendInt(append(x.out, `,"count":`...), min(left, maxCount))
			x.out = append(appendInstant(append(x.out, `,"from":`...), l.Range.Start), '}')
		}
	}
	x.out = append(x.out, ']')
}

func (x *exporter) customers() {
	for m := range x.view.Customers().All() {
		x.begin(m.ID)
		x.out = appendNamedContact(append(x.out, ','), &m.Contact, m.FullName)
		x.labels(&m.Labels)
		x.out = append(x.out, '}')
		x.line()
	}
}

// holds writes those that take stock, in the order in which they begin: what is over does not move to make room, and taken in
// this order it finds some wherever there was any.
func (x *exporter) holds() {
	type begins struct {
		at int64
		id engine.ID
	}
	var order []begins
	for h := range x.view.EachHold() {
		if h.Status.Ended() {
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
		h, _ := x.view.Hold(o.id)
		x.begin(h.ID)
		x.out = append(x.out, `,"lines":[`...)
		short := false
		for i := range h.Lines {
			for _, part := range parts(&h.Lines[i]) {
				if x.out[len(x.out)-1] != '[' {
					x.out = append(x.out, ',')
				}
				x.holdLine(&h.Lines[i], part)
			}
			for _, u := range h.Lines[i].Units {
				short = short || u.Conflict()
			}
		}
		if short {
			x.conflicts++
		}
		x.out = append(x.out, ']')
		if h.ExpiresAt != nil {
			left := (*h.ExpiresAt - x.now + 999) / 1000
			x.out = appendInt(append(x.out, `,"expiresInSeconds":`...), min(max(left, minExpiry), maxExpiry))
		}
		if h.Note != "" {
			x.out = appendText(append(x.out, `,"note":`...), h.Note)
		}
		x.out = append(x.out, '}')
		x.line()
	}
}

// linePart is units of a line that have one window.
type linePart struct {
	window   engine.Span
	quantity int
}

// parts takes a line apart where units were moved to other dates. A kit is held whole.
func parts(l *engine.HoldLine) (list []linePart) {
	if l.CatalogItem != (engine.ID{}) || len(l.Units) != l.Quantity {
		return []linePart{{l.Window, l.Quantity}}
	}
next:
	for _, u := range l.Units {
		for i := range list {
			if list[i].window == u.Body {
				list[i].quantity++
				continue next
			}
		}
		list = append(list, linePart{u.Body, 1})
	}
	return list
}

func (x *exporter) holdLine(l *engine.HoldLine, part linePart) {
	x.out = append(x.out, '{')
	switch {
	case l.SKU != (engine.ID{}):
		x.sku(l.SKU)
	case l.Article != (engine.ID{}):
		x.article(l.Article)
	default:
		x.refer("catalogItemId", l.CatalogItem, x.view.CatalogItem(l.CatalogItem).Name)
	}
	x.location(l.Location)
	x.out = appendInstant(append(x.out, `,"from":`...), part.window.Start)
	x.out = appendInstant(append(x.out, `,"to":`...), part.window.End)
	x.out = appendInt(append(x.out, `,"quantity":`...), part.quantity)
	x.out = append(appendText(append(x.out, `,"purchaseType":`...), string(l.Purchase)), '}')
}
