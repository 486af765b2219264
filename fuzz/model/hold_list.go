package model

import (
	"slices"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/hold"
)

// This file owns the list of holds under filters.

// HeldList judges a page of the holds that pass: each is looked at.
func (a *Account) HeldList(v base.View, q *hold.HoldQuery) error {
	var want []*Hold
	for _, h := range a.Holds {
		if a.passes(h, q) {
			want = append(want, h)
		}
	}
	if len(want) > 0 && len(want) < len(a.Holds) {
		a.Seen.Listed++
	}
	if q.Desc {
		want = slices.Clone(want)
		slices.Reverse(want)
	}
	page, total := hold.ListHolds(v, q)
	from := min(q.Offset, len(want))
	part := want[from:min(from+q.Limit, len(want))]
	if total != len(want) || len(page) != len(part) {
		return wrong("a page of %d of %d holds under %+v, the twin has %d of %d", len(page), total, *q, len(part),
			len(want))
	}
	for i, h := range page {
		if err := a.record(h, part[i]); err != nil {
			return err
		}
	}
	return nil
}

// passes says that a hold has all that is asked for: one line meets all that is asked of lines.
func (a *Account) passes(h *Hold, q *hold.HoldQuery) bool {
	if q.Status != nil && !slices.Contains(q.Status, h.Status) || q.Customer != nil && h.Customer != *q.Customer {
		return false
	}
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
	}
	asked := words(q.Search)
	if q.Search != "" && len(asked) == 0 {
		return false
	}
	for _, w := range asked {
		if !slices.ContainsFunc(words(h.Note), func(has string) bool { return strings.HasPrefix(has, w) }) {
			return false
		}
	}
	return slices.ContainsFunc(h.Lines, func(l Line) bool {
		if slices.ContainsFunc(q.Items, func(i base.Item) bool { return i != l.Item }) || q.Location != nil &&
			l.Location != *q.Location {
			return false
		}
		if q.Window == nil {
			return true
		}
		over := l.Window
		if l.Purchase == base.PurchaseSale {
			over.End = over.Start + 1
		}
		return meets(Span{Start: q.Window.Start, End: max(q.Window.End, q.Window.Start+1)}, over)
	})
}
