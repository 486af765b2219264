package hold

import (
	"slices"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the list of holds. A page of all is found by its place, and holds for a customer by the index of
// those. For any other question it goes through the sections of the rows: what readers noted of a section says how many
// of its holds pass and which (list_memo.go). If a section changed, the first reader goes through it row by row. Only
// the next one notes what it says, as most sections that change will change again before long.

// HoldQuery says which holds are asked for. A member that is not set asks nothing; several values of one member are
// or-ed.
type HoldQuery struct {
	Status   []HoldStatus
	Items    []base.Item // a line asks for it; as a line asks for one, none asks for two
	Location *base.ID    // a line is at it
	Window   *base.Span  // a line is for some of it; a sale is at its beginning
	Customer *base.ID    // it is for
	Search   string      // words, each the beginning of one of the note
	Desc     bool        // the youngest first
	base.Part
	Units int // so many units, at most, of each hold of the page
}

// ListHolds gives the page asked for, in order of creation, and how many holds pass.
func ListHolds(v base.View, q *HoldQuery) (page []*Hold, total int) {
	rows := Holds(v.Acc).Rows
	if q.Customer == nil && q.bare() {
		first, last := min(q.Offset, rows.Len()), min(q.Offset+q.Limit, rows.Len())
		if q.Desc {
			first, last = rows.Len()-last, rows.Len()-first
		}
		for id, row := range rows.FromPlace(first) {
			if len(page) == last-first {
				break
			}
			page = append(page, listedHold(v.Acc, id, row, q.Units))
		}
		if q.Desc {
			slices.Reverse(page)
		}
		return page, rows.Len()
	}
	l, ok := AskHolds(v.Acc, q)
	switch {
	case !ok:
		return nil, 0
	case q.Customer != nil:
		return l.ofCustomer()
	}
	var places []uint32
	for s := range rows.Sections(q.Desc) {
		memo := l.memoOf(s)
		n, ok := l.count(memo)
		if !ok || n > 0 && total+n > q.Offset && len(page) < q.Limit {
			in := l.found(s, memo)
			n = in.Count()
			places = in.Pick(places[:0], max(0, q.Offset-total), q.Limit-len(page), q.Desc)
			for _, at := range places {
				id, row := s.At(int(at))
				page = append(page, listedHold(v.Acc, id, *row, q.Units))
			}
		}
		total += n
	}
	return page, total
}

// bare says that nothing is asked except which customer a hold is for.
func (q *HoldQuery) bare() bool {
	return q.Status == nil && len(q.Items) == 0 && q.Location == nil && q.Window == nil && q.Search == ""
}

func listedHold(a *base.AccountState, id base.ID, row holdRow, units int) *Hold {
	return HoldFrom(a, Holds(a).full(id, row), a.Stock.Find, units)
}

// holdListing is a list in the making: what is asked, by the numbers that rows have.
type holdListing struct {
	*HoldQuery
	a        *base.AccountState
	status   [Ordered + 1]bool // those that are asked for
	items    []DenseLine       // what each line that passes names
	location uint32            // 0: any
	window   base.Span         // with Window: of at least an instant
	words    []string

	in, with timeline.Bits // used again for each section
	maker    *holdMemoMaker
}

// AskHolds puts a question in numbers. ok is false where no hold passes.
func AskHolds(a *base.AccountState, q *HoldQuery) (l *holdListing, ok bool) {
	l = &holdListing{HoldQuery: q, a: a, words: base.WordsOf(q.Search)}
	for s := range l.status {
		l.status[s] = q.Status == nil || slices.Contains(q.Status, HoldStatus(s))
	}
	for _, x := range q.Items {
		no := numberOf(a, x)
		if no == 0 {
			return nil, false
		}
		l.items = append(l.items, DenseLine{Named: x.Kind(), Item: no})
	}
	if q.Location != nil {
		if l.location = stock.LocationKind.NoOf(a, *q.Location); l.location == 0 {
			return nil, false
		}
	}
	if q.Window != nil {
		l.window = base.Span{Start: q.Window.Start, End: max(q.Window.End, q.Window.Start+1)}
	}
	return l, l.words != nil || strings.TrimSpace(q.Search) == "" // what has no word is found nowhere
}

// ofCustomer is the list of those for a customer.
func (l *holdListing) ofCustomer() (page []*Hold, total int) {
	var found []base.ID
	all := l.bare()
	for id := range Holds(l.a).More.Prefix(holdByCustomer, string(l.Customer[:])) { // ids alone: all keys are as long
		if all {
			found = append(found, id)
		} else if row, _ := Holds(l.a).Rows.Get(id); l.Judge(id, &row) {
			found = append(found, id)
		}
	}
	if l.Desc {
		slices.Reverse(found)
	}
	for _, id := range base.PartOf(found, l.Part) {
		row, _ := Holds(l.a).Rows.Get(id)
		page = append(page, listedHold(l.a, id, row, l.Units))
	}
	return page, len(found)
}

// Judge judges a record by all that is asked except its customer. One line meets all that is asked of lines.
func (l *holdListing) Judge(id base.ID, row *holdRow) bool {
	if !l.status[row.status] || l.words != nil && !row.noted {
		return false
	}
	passes := func(x LineRow) bool { return l.judgeLine(&x.DenseLine) }
	return (l.judgeLine(&row.first) || row.further && slices.ContainsFunc(Holds(l.a).More.Get(id).lines, passes)) &&
		(l.words == nil || l.judgeNote(id))
}

// judgeNote judges what a hold is noted with.
func (l *holdListing) judgeNote(id base.ID) bool {
	has := base.WordsOf(Holds(l.a).More.Get(id).note)
	for _, w := range l.words {
		if !slices.ContainsFunc(has, func(x string) bool { return strings.HasPrefix(x, w) }) {
			return false
		}
	}
	return true
}

func (l *holdListing) judgeLine(x *DenseLine) bool {
	for i := range l.items {
		if x.Named != l.items[i].Named || x.Item != l.items[i].Item {
			return false
		}
	}
	return (l.location == 0 || x.Location == l.location) &&
		(l.Window == nil || x.From < l.window.End && l.window.Start <= x.last())
}

// last is the last instant of a line: of a sale its beginning.
func (l *DenseLine) last() int64 {
	if l.Purchase == ASale {
		return l.From
	}
	return l.To - 1
}

var ASale = base.PurchaseOf(base.PurchaseSale)

// numberOf is the number of an item, also of one that is gone; 0: there is no such item.
func numberOf(a *base.AccountState, i base.Item) uint32 {
	switch i.Kind() {
	case base.NamesSKU:
		return stock.SKUKind.NoOf(a, i.SKU)
	case base.NamesArticle:
		return stock.ArticleKind.NoOf(a, i.Article)
	case base.NamesCatalogItem:
		return commerce.CatalogKind.NoOf(a, i.CatalogItem)
	}
	return 0
}
