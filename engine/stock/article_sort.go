package stock

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/timeline"
)

// This file owns the orders of the list of articles: by what each compares, and how a page is selected.
//
// A record without the value comes last in both directions, and equal ones are in the order of their ids, in both
// directions. Text is ordered by the code points of its lower-case form. If there are several codes, the first one
// counts; if there are several tags or locations, the least one.

// ArticleSort is what a list of articles is ordered by.
type ArticleSort string

// The orders of articles. Availability is units free over the whole window, quantity units at its start, unavailability
// the most units that are taken at one time.
const (
	ByUnavailability  ArticleSort = "unavailability"
	ByServiceLocation ArticleSort = "serviceLocation"
	BySKUName         ArticleSort = "skuName"
	BySKUCode         ArticleSort = "skuCode"
	ByPurchasePrice   ArticleSort = "purchasePrice"
	ByProfitability   ArticleSort = "profitability"
	ByCondition       ArticleSort = "condition"
	ByTags            ArticleSort = "tags"
	ByQuantity        ArticleSort = "quantity"
	ByHasConflicts    ArticleSort = "hasConflicts"
	ByCodes           ArticleSort = "codes"
	ByCreatedAt       ArticleSort = "createdAt"
	ByName            ArticleSort = "name"
	ByStatus          ArticleSort = "status"
	ByItemCosts       ArticleSort = "itemCosts"
	ByItemIncome      ArticleSort = "itemIncome"
	ByAvailability    ArticleSort = "availability"
)

// ArticleSorts are all orders of articles.
var ArticleSorts = []ArticleSort{
	ByUnavailability, ByServiceLocation, BySKUName, BySKUCode, ByPurchasePrice, ByProfitability, ByCondition, ByTags,
	ByQuantity,
	ByHasConflicts, ByCodes, ByCreatedAt, ByName, ByStatus, ByItemCosts, ByItemIncome, ByAvailability,
}

// order appends the page of the articles found.
func (l *listing) order(total int, dst []*Article) []*Article {
	limit := min(l.Limit, total-l.Offset)
	if limit <= 0 {
		return dst
	}
	if l.Sort == ByAvailability {
		q := timeline.RankQuery{
			Window: l.window, Articles: int(l.a.Ledger.Article), Select: l.in, Location: l.location, Desc: l.Desc,
			Offset: l.Offset, Limit: limit,
		}
		l.page = l.a.Stock.FreeRanking(&l.ranking, q, l.page[:0])
		for _, r := range l.page {
			dst = append(dst, ArticleTable(l.a).No(r.Article))
		}
		return dst
	}
	if (l.Sort == "" || l.Sort == ByCreatedAt) && !l.Desc {
		return l.appendFound(dst, l.Offset, limit)
	}
	if len(l.found) == 0 { // any other order is that of all of them
		l.selectAll()
	}
	switch l.Sort {
	case ByUnavailability, ByQuantity:
		l.tallies = l.a.Stock.Tallies(&l.ranking, l.window, l.location, int(l.a.Ledger.Article),
			l.Sort == ByUnavailability, l.tallies)
		return l.byNumber(dst, limit, func(no uint32) (float64, bool) {
			if l.Sort == ByQuantity {
				return float64(l.tallies[no].Units), true
			}
			return float64(l.tallies[no].Taken), true
		})
	case ByHasConflicts:
		conflicted := make([]uint64, l.blocks)
		l.a.Stock.Conflicted(l.window, l.location, conflicted)
		return l.byNumber(dst, limit, func(no uint32) (float64, bool) {
			return float64(conflicted[no/blockRows] >> (no % blockRows) & 1), true
		})
	case ByServiceLocation:
		at := l.places()
		return l.byNumber(dst, limit, func(no uint32) (float64, bool) { return float64(at[no]), at[no] > 0 })
	case ByItemIncome, ByProfitability:
		var of func(no uint32) float64
		if l.Sort == ByProfitability {
			of = profits(l.a)
		} else {
			of = incomes(l.a)
		}
		return l.byNumber(dst, limit, func(no uint32) (float64, bool) { return of(no), true })
	case ByTags:
		ranks := tagRanks(l.a)
		return l.byField(dst, limit, FieldTags, func(f *label.Fact) (x Picked, ok bool) {
			for _, id := range f.Ids {
				if n, alive := ranks[id]; alive && (!ok || n < x.Number) {
					x.Number, ok = n, true
				}
			}
			return x, ok
		})
	}
	return l.byField(dst, limit, sortFields[l.Sort], func(f *label.Fact) (x Picked, ok bool) {
		if len(f.Texts) > 0 {
			return Picked{text: f.Texts[0]}, true
		}
		return Picked{Number: f.Number}, f.Has
	})
}

// sortFields are the orders that are by a field's own value.
var sortFields = map[ArticleSort]ArticleField{
	"": FieldCreatedAt, BySKUName: FieldSKUName, BySKUCode: FieldSKUCode, ByPurchasePrice: FieldPurchasePrice,
	ByCondition: FieldCondition, ByCodes: FieldCodes, ByCreatedAt: FieldCreatedAt, ByName: FieldName,
	ByStatus: FieldStatus, ByItemCosts: FieldItemCosts,
}

// places is for each article the rank, from 1, of the least location by name at which it has units in the window.
func (l *listing) places() []int32 {
	var all []*Location
	for at := range LocationTable(l.a).All() {
		all = append(all, at)
	}
	ranks := make([]int32, l.a.Ledger.Location+1)
	rankTexts(all, func(at *Location) string { return at.Name },
		func(at *Location, rank int) { ranks[at.No] = int32(rank) })
	places := make([]int32, l.blocks*blockRows)
	l.a.Stock.Stocked(l.window, func(article, location uint32) {
		if l.location != 0 && location != l.location {
			return
		}
		if rank := ranks[location]; places[article] == 0 || rank < places[article] {
			places[article] = rank
		}
	})
	return places
}

// tagRanks is the rank of each tag by its value.
func tagRanks(a *base.AccountState) map[base.ID]float64 {
	var all []*label.Tag
	for g := range label.TagTable(a).All() {
		if g.Scope == label.TagInventory {
			all = append(all, g)
		}
	}
	ranks := make(map[base.ID]float64, len(all))
	rankTexts(all, func(g *label.Tag) string { return g.Value },
		func(g *label.Tag, rank int) { ranks[g.ID] = float64(rank) })
	return ranks
}

// rankTexts gives each row the rank, from 1, of its text; equal ones have the same.
func rankTexts[R any](rows []R, text func(R) string, give func(r R, rank int)) {
	type ranked struct {
		text string
		row  R
	}
	list := make([]ranked, len(rows))
	for i, r := range rows {
		list[i] = ranked{strings.ToLower(text(r)), r}
	}
	slices.SortStableFunc(list, func(x, y ranked) int { return cmp.Compare(x.text, y.text) })
	rank := 0
	for i, x := range list {
		if i == 0 || x.text != list[i-1].text {
			rank++
		}
		give(x.row, rank)
	}
}

// byNumber appends a page of the articles found, by what a function of their numbers gives.
func (l *listing) byNumber(dst []*Article, limit int, key func(no uint32) (float64, bool)) []*Article {
	l.picker.Reset(l.Offset+limit, l.Desc)
	for i, word := range l.found {
		for rest := word; rest != 0; rest &= rest - 1 {
			no := uint32(i*blockRows + bits.TrailingZeros64(rest))
			if n, ok := key(no); ok {
				l.picker.Add(Picked{Number: n, No: no})
				l.found[i] &^= rest & -rest
			}
		}
	}
	return l.appendPicked(dst, limit)
}

// byField is byNumber by what articles have in a field, or their SKUs where these stand in.
func (l *listing) byField(dst []*Article, limit int, n ArticleField, key func(*label.Fact) (Picked, bool)) []*Article {
	from := fieldSource(n)
	var skus []*label.Fact
	if from.SKU != nil {
		skus = make([]*label.Fact, l.a.Ledger.SKU+1)
		from.skuColumns(l.a, func(first int, columns *label.Columns) {
			for i := range skus[first:min(first+stretch*blockRows, len(skus))] {
				skus[first+i] = columns.Row(i)
			}
		})
	}
	l.picker.Reset(l.Offset+limit, l.Desc)
	var facts *[stretch]*blockFacts
	var columns *label.Columns
	for i, word := range l.found {
		if i%stretch == 0 {
			facts, columns = factsFrom(l.a, i/stretch), from.columns(l.a, i/stretch)
		}
		if word == 0 {
			continue
		}
		pick := func(f *label.Fact, rows uint64) {
			if x, ok := key(f); ok {
				l.found[i] &^= rows
				for ; rows != 0; rows &= rows - 1 {
					x.No = uint32(i*blockRows + bits.TrailingZeros64(rows))
					l.picker.Add(x)
				}
			}
		}
		if columns != nil {
			word = columns.EachFact(i%stretch, word, pick)
		}
		for ; skus != nil && word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			if f := skus[facts[i%stretch].sku[bit]]; f != nil {
				pick(f, 1<<bit)
			}
		}
	}
	return l.appendPicked(dst, limit)
}

// appendPicked appends a page of what was picked, and then of what was not, which is left in found.
func (l *listing) appendPicked(dst []*Article, limit int) []*Article {
	list := l.picker.From(l.Offset)
	for _, x := range list[:min(limit, len(list))] {
		dst = append(dst, ArticleTable(l.a).No(x.No))
	}
	return l.appendFound(dst, max(0, l.Offset-l.picker.added), limit-min(limit, len(list)))
}

// appendFound appends some of the articles found, by number.
func (l *listing) appendFound(dst []*Article, skip, limit int) []*Article {
	for i := 0; i < l.blocks && limit > 0; i++ {
		word, _ := l.in(i)
		if n := bits.OnesCount64(word); skip >= n {
			skip -= n
			continue
		}
		rows := ArticleTable(l.a).Block(i).Rows
		for ; word != 0 && limit > 0; word &= word - 1 {
			if skip--; skip < 0 {
				dst = append(dst, rows[bits.TrailingZeros64(word)])
				limit--
			}
		}
		skip = max(skip, 0)
	}
	return dst
}

// Picked is what an article is ordered by: a number or a text, and its own number.
type Picked struct {
	Number float64
	text   string
	No     uint32
}

// Picker keeps the first of what it is given, in no more room than twice as many.
type Picker struct {
	keep  int
	desc  bool
	added int
	list  []Picked
	bound *Picked // what comes after it is not among the first
}

// Reset begins anew with room for so many.
func (p *Picker) Reset(keep int, desc bool) {
	*p = Picker{keep: max(keep, 64), desc: desc, list: p.list[:0]}
}

// Compare orders two as they are listed.
func (p *Picker) Compare(x, y *Picked) int {
	n := cmp.Compare(x.Number, y.Number)
	if n == 0 {
		n = cmp.Compare(x.text, y.text)
	}
	if p.desc {
		n = -n
	}
	if n == 0 {
		n = cmp.Compare(x.No, y.No)
	}
	return n
}

// Add takes one in, where it is among the first.
func (p *Picker) Add(x Picked) {
	p.added++
	if p.bound != nil && p.Compare(&x, p.bound) > 0 {
		return
	}
	if p.list = append(p.list, x); len(p.list) == 2*p.keep {
		p.part(p.keep)
		p.list = p.list[:p.keep]
		last := p.list[0]
		for i := range p.list {
			if p.Compare(&p.list[i], &last) > 0 {
				last = p.list[i]
			}
		}
		p.bound = &last
	}
}

// From is what was kept from an offset on, in order.
func (p *Picker) From(offset int) []Picked {
	if len(p.list) > p.keep {
		p.part(p.keep)
		p.list = p.list[:p.keep]
	}
	if offset >= len(p.list) {
		return nil
	}
	p.part(offset)
	list := p.list[offset:]
	slices.SortFunc(list, func(x, y Picked) int { return p.Compare(&x, &y) })
	return list
}

// part puts the first n before all others: quickselect.
func (p *Picker) part(n int) {
	list := p.list
	for 0 < n && n < len(list) {
		// The pivot is the middle one of three.
		a, b, c := &list[0], &list[len(list)/2], &list[len(list)-1]
		if p.Compare(a, b) > 0 {
			a, b = b, a
		}
		if p.Compare(b, c) > 0 {
			if b = c; p.Compare(a, b) > 0 {
				b = a
			}
		}
		pivot := *b
		i, j := 0, len(list)-1
		for i <= j {
			for p.Compare(&list[i], &pivot) < 0 {
				i++
			}
			for p.Compare(&list[j], &pivot) > 0 {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			list = list[:j+1]
		case n >= i:
			list, n = list[i:], n-i
		default:
			return
		}
	}
}
