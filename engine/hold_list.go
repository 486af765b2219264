package engine

import (
	"slices"
	"strings"
)

// This file owns the list of holds. A page of all is found by its place, and holds for a customer by the index of those. Where something else is asked, it looks at
// each record, which takes some 20 ms a million: an index of holds would cost every hold memory, and most of them live for minutes.

// HoldQuery says which holds are asked for. What is not set asks nothing; several values of one are or-ed.
type HoldQuery struct {
	Status   []HoldStatus
	Items    []Item // a line asks for it; as a line asks for one, none asks for two
	Location *ID    // a line is at it
	Window   *Span  // a line is for some of it; a sale is at its beginning
	Customer *ID    // it is for
	Search   string // words, each the beginning of one of the note
	Desc     bool   // the youngest first
	Part
	Units int // so many units, at most, of each hold of the page
}

// ListHolds gives the page asked for, in order of creation, and how many holds pass.
func (v View) ListHolds(q *HoldQuery) (page []*Hold, total int) {
	rows := v.acc.holds().rows
	if q.Status == nil && len(q.Items) == 0 && q.Location == nil && q.Window == nil && q.Customer == nil && q.Search == "" {
		first, last := min(q.Offset, rows.Len()), min(q.Offset+q.Limit, rows.Len())
		if q.Desc {
			first, last = rows.Len()-last, rows.Len()-first
		}
		for id, row := range rows.FromPlace(first) {
			if len(page) == last-first {
				break
			}
			page = append(page, v.acc.listedHold(id, row, q.Units))
		}
		if q.Desc {
			slices.Reverse(page)
		}
		return page, rows.Len()
	}
	var found []ID
	judge := v.acc.judgeHolds(q)
	if q.Customer != nil {
		for m := range v.acc.holds().more.By(holdByCustomer, string(q.Customer[:])) {
			if row, _ := rows.Get(m.id); judge(m.id, &row) {
				found = append(found, m.id)
			}
		}
	} else {
		for id, row := range rows.From(ID{}) {
			if judge(id, &row) {
				found = append(found, id)
			}
		}
	}
	if q.Desc {
		slices.Reverse(found)
	}
	for _, id := range partOf(found, q.Part) {
		row, _ := rows.Get(id)
		page = append(page, v.acc.listedHold(id, row, q.Units))
	}
	return page, len(found)
}

func (a *account) listedHold(id ID, row holdRow, units int) *Hold {
	return a.hold(a.holds().full(id, row), a.stock.Find, units)
}

// judgeHolds makes what judges a record by all that is asked but whom it is for. One line meets what is asked of lines.
func (a *account) judgeHolds(q *HoldQuery) func(id ID, row *holdRow) bool {
	var status [Ordered + 1]bool
	for s := range status {
		status[s] = q.Status == nil || slices.Contains(q.Status, HoldStatus(s))
	}
	line := a.judgeHoldLines(q)
	words := wordsOf(q.Search)
	nowhere := words == nil && strings.TrimSpace(q.Search) != "" // what has no word is found nowhere
	return func(id ID, row *holdRow) bool {
		if !status[row.status] || nowhere {
			return false
		}
		if !row.more {
			return words == nil && line(&row.first)
		}
		rec := a.holds().full(id, *row)
		if words != nil {
			has := wordKeys(&rec.note)
			if slices.ContainsFunc(words, func(w string) bool { return !begins(has, w) }) {
				return false
			}
		}
		return slices.ContainsFunc(rec.lines, func(l holdLine) bool { return line(&l.denseLine) })
	}
}

// judgeHoldLines makes what judges a line.
func (a *account) judgeHoldLines(q *HoldQuery) func(l *denseLine) bool {
	none := false
	items := make([]denseLine, len(q.Items))
	for i, x := range q.Items {
		no, gone := a.numberOf(x)
		items[i], none = denseLine{named: x.kind(), item: no}, none || gone
	}
	location := uint32(0)
	if q.Location != nil {
		if l := a.locations().Get(*q.Location); l != nil {
			location = l.No
		}
		none = none || location == 0
	}
	return func(l *denseLine) bool {
		for i := range items {
			if l.named != items[i].named || l.item != items[i].item {
				return false
			}
		}
		if none || location != 0 && l.location != location {
			return false
		}
		if w := q.Window; w != nil {
			to := l.to
			if l.purchase.Type() == PurchaseSale {
				to = l.from + 1
			}
			return l.from < max(w.End, w.Start+1) && w.Start < to
		}
		return true
	}
}

// numberOf is the number of an item; none says that there is no such item.
func (a *account) numberOf(i Item) (no uint32, none bool) {
	switch i.kind() {
	case namesSKU:
		if s := a.skus().Get(i.SKU); s != nil {
			return s.No, false
		}
	case namesArticle:
		if r := a.articles().Get(i.Article); r != nil {
			return r.No, false
		}
	case namesCatalogItem:
		if c := a.catalog().Get(i.CatalogItem); c != nil {
			return c.No, false
		}
	}
	return 0, true
}
