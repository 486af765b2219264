package engine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the tests of the list of holds, against lists of all that are judged one by one, and its figures.
// HOLDS says of how many.

func TestListsOfHoldsAgainstASlowOne(t *testing.T) {
	long(t)
	s := newShop(t)
	dice := rand.New(rand.NewPCG(5, 6))
	other := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "UTC"}}).(*stock.Location).ID
	places := []base.ID{s.loc, other}
	var items []base.Item
	for range 2 {
		sku := s.sku()
		r := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Bike", SKU: &sku},
			Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 90},
				{Location: other, Count: 90}}}).(*stock.Article)
		items = append(items, base.Item{SKU: sku}, base.Item{Article: r.ID})
	}
	items = append(items, s.kit(commerce.Component{Item: items[0], Quantity: 1}))
	notes := []string{"", "", "call Anna", "phone call"}
	var customers []*base.ID
	for range 3 {
		customers = append(customers,
			ptr(s.do(commerce.CreateCustomer{
				Contact: base.Changed(commerce.Contact{FirstName: new("Ann")})}).(*commerce.Customer).ID), nil)
	}
	for range 150 {
		o := hold.PlaceHold{Note: notes[dice.IntN(4)], Customer: customers[dice.IntN(6)]}
		for range 1 + dice.IntN(2) {
			from := s.now + int64(dice.IntN(30))*hour
			l := hold.HoldLineInput{Item: items[dice.IntN(5)], Location: places[dice.IntN(2)],
				Window: base.Span{Start: from, End: from + int64(1+dice.IntN(9))*hour}, Quantity: 1}
			if dice.IntN(9) == 0 && l.CatalogItem == (base.ID{}) {
				l.Purchase, l.Window.End = base.PurchaseSale, base.Forever
			}
			o.Lines = append(o.Lines, l)
		}
		if dice.IntN(2) == 0 {
			o.ExpiresIn = ptr(int64(30 + dice.IntN(7000)))
		}
		h := s.do(o).(*hold.Hold)
		switch dice.IntN(5) {
		case 0:
			s.do(hold.ReleaseHold{ID: h.ID})
		case 1:
			_, _ = s.try(order.OrderHold{Holds: []base.ID{h.ID}})
		}
	}
	s.now += hour
	require.NoError(t, s.Tick(t.Context()))
	passed := 0
	for range 1500 {
		q := &hold.HoldQuery{Desc: dice.IntN(2) == 0, Part: base.Part{Offset: dice.IntN(40), Limit: 1 + dice.IntN(20)},
			Units: 3}
		for range dice.IntN(3) {
			switch dice.IntN(6) {
			case 0:
				q.Status = append(q.Status, hold.HoldStatus(1+dice.IntN(len(hold.HoldStatuses))))
			case 1:
				q.Items = append(q.Items, items[dice.IntN(5)])
			case 2:
				q.Location = &places[dice.IntN(2)]
			case 3:
				from := noon + int64(dice.IntN(30))*hour
				q.Window = &base.Span{Start: from, End: from + int64(dice.IntN(5))*hour}
			case 4:
				q.Search = []string{"CALL", "ann", "call pho", "nobody"}[dice.IntN(4)]
			case 5:
				q.Customer = customers[dice.IntN(6)]
			}
		}
		var want []base.ID
		for h := range hold.EachHold(s.view()) {
			lines := slices.ContainsFunc(h.Lines, func(l hold.HoldLine) bool {
				w, to := q.Window, l.Window.End
				if l.Purchase == base.PurchaseSale {
					to = l.Window.Start + 1
				}
				return !slices.ContainsFunc(q.Items, func(i base.Item) bool {
					return i != l.Item
				}) && (q.Location == nil || *q.Location == l.Location) &&
					(w == nil || l.Window.Start < w.End && w.Start < to || w.Start == w.End &&
						l.Window.Start <= w.Start && w.Start < to)
			})
			if lines && (q.Status == nil || slices.Contains(q.Status, h.Status)) &&
				(q.Customer == nil || *q.Customer == h.Customer) && says(q.Search, h.Note) {
				want = append(want, h.ID)
			}
		}
		if q.Desc {
			slices.Reverse(want)
		}
		page, total := hold.ListHolds(s.view(), q)
		require.Equal(t, len(want), total, "%+v", q)
		want = base.PartOf(want, q.Part)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(idsOf(page, func(h *hold.Hold) base.ID { return h.ID })), "%+v",
			q)
		for _, h := range page {
			one, _ := hold.HoldWith(s.view(), h.ID, 3)
			require.Equal(t, one, h)
		}
		passed += len(page)
	}
	require.Greater(t, passed, 2000, "filters let holds through")
}

// heldBook is an account with holds that no command made, and the records beside it, in order of their ids.
type heldBook struct {
	*base.AccountState
	dice      *rand.Rand
	lines     int // that holds with several have, up to
	several   int // one in so many has
	records   []*hold.HoldRecord
	items     []base.Item
	places    []base.ID
	customers []base.ID
	next      int64
}

func newHeldBook(seed uint64, items, places, lines, several int) *heldBook {
	dice := rand.New(rand.NewPCG(seed, 2))
	b := &heldBook{AccountState: base.NewAccount(base.MakeID(1, base.Base{})), dice: dice, lines: lines,
		several: several}
	for i := range items {
		id, no := base.MakeID(2, base.Base{Lo: uint64(i)}), uint32(i+1)
		switch i % 8 {
		case 0:
			stock.ArticleTable(b.AccountState).Put(&stock.Article{ID: id, No: no})
			b.items = append(b.items, base.Item{Article: id})
		case 1:
			commerce.CatalogTable(b.AccountState).Put(&commerce.CatalogItem{ID: id, No: no})
			b.items = append(b.items, base.Item{CatalogItem: id})
		default:
			stock.SKUTable(b.AccountState).Put(&stock.SKU{ID: id, No: no})
			b.items = append(b.items, base.Item{SKU: id})
		}
	}
	for i := range places {
		id := base.MakeID(3, base.Base{Lo: uint64(i)})
		stock.LocationTable(b.AccountState).Put(&stock.Location{ID: id, No: uint32(i + 1)})
		b.places = append(b.places, id)
	}
	for i := range items {
		b.customers = append(b.customers, base.MakeID(4, base.Base{Lo: uint64(i)}))
	}
	return b
}

var notesOfBook = []string{
	"call Anna", "phone call", "Anna", "refundable deposit", "refunding", "call refundable", "a b c", "annabelle",
}

// drawn is a hold that begins some time in two years, most at a full hour.
func (b *heldBook) drawn(id base.ID) *hold.HoldRecord {
	r := &hold.HoldRecord{ID: id, Status: hold.Confirmed}
	if b.dice.IntN(3) == 0 {
		r.Status = hold.HoldStatus(1 + b.dice.IntN(int(hold.Ordered)))
	}
	lines := 1
	if b.dice.IntN(b.several) == 0 {
		lines += b.dice.IntN(b.lines)
	}
	for range lines {
		i := b.dice.IntN(len(b.items))
		from := noon - noon%hour + int64(b.dice.IntN(730*24))*hour
		if b.dice.IntN(10) == 0 {
			from += int64(b.dice.IntN(90_000))
		}
		l := hold.DenseLine{
			From: from, To: from + int64(1+b.dice.IntN(14*24))*hour, Quantity: 1, Units: 1,
			Item: uint32(i + 1), Named: b.items[i].Kind(), Location: uint32(1 + b.dice.IntN(len(b.places))),
		}
		switch b.dice.IntN(40) {
		case 0:
			l.To, l.Purchase = base.Forever, hold.ASale
		case 1:
			l.To = base.Forever
		}
		r.Lines = append(r.Lines, hold.LineRow{DenseLine: l})
	}
	if b.dice.IntN(10) == 0 {
		r.Note = notesOfBook[b.dice.IntN(len(notesOfBook))]
	}
	if b.dice.IntN(20) == 0 {
		r.Customer = b.customers[b.dice.IntN(len(b.customers))]
	}
	return r
}

// put makes one more.
func (b *heldBook) put() {
	b.next += 1 + int64(b.dice.IntN(2000))
	r := b.drawn(base.MakeID(noon+b.next, base.Base{}))
	hold.HoldKind.Put(nil, b.AccountState, nil, r)
	b.records = append(b.records, r)
}

// change takes one out, draws it anew, or gives it another status.
func (b *heldBook) change(i int) {
	was, is := b.records[i], (*hold.HoldRecord)(nil)
	switch b.dice.IntN(4) {
	case 0:
	case 1:
		is = b.drawn(was.ID)
	default:
		n := *was
		n.Status = hold.HoldStatus(1 + b.dice.IntN(int(hold.Ordered)))
		is = &n
	}
	hold.HoldKind.Put(nil, b.AccountState, was, is)
	if is == nil {
		b.records = slices.Delete(b.records, i, i+1)
	} else {
		b.records[i] = is
	}
}

func (b *heldBook) question() *hold.HoldQuery {
	q := &hold.HoldQuery{Desc: b.dice.IntN(2) == 0, Part: base.Part{Limit: 1 + b.dice.IntN(60)}}
	if b.dice.IntN(2) == 0 {
		q.Offset = b.dice.IntN(1 << b.dice.IntN(13))
	}
	for range 1 + b.dice.IntN(3) {
		switch b.dice.IntN(10) {
		case 0, 1:
			q.Status = append(q.Status, hold.HoldStatus(1+b.dice.IntN(int(hold.Ordered))))
		case 2, 3:
			q.Items = append(q.Items, b.items[b.dice.IntN(len(b.items))])
		case 4, 5:
			q.Location = &b.places[b.dice.IntN(len(b.places))]
		case 6, 7:
			from := noon - noon%hour + int64(b.dice.IntN(740*24)-24)*hour
			if b.dice.IntN(2) == 0 {
				from += int64(b.dice.IntN(90_000))
			}
			q.Window = &base.Span{Start: from, End: from + int64(b.dice.IntN(30))*hour}
		case 8:
			words := []string{"call", "ann", "refundable", "refundab", "refundi", "b call", "Anna phone", "nobody", "-"}
			q.Search = words[b.dice.IntN(len(words))]
		case 9:
			q.Customer = &b.customers[b.dice.IntN(len(b.customers))]
		}
	}
	return q
}

// passes says that a record has all that is asked for: one line meets all that is asked of lines.
func (b *heldBook) passes(r *hold.HoldRecord, q *hold.HoldQuery) bool {
	if q.Status != nil && !slices.Contains(q.Status, r.Status) || q.Customer != nil && *q.Customer != r.Customer {
		return false
	}
	if q.Search == "-" || !says(q.Search, r.Note) {
		return false
	}
	return slices.ContainsFunc(r.Lines, func(l hold.LineRow) bool {
		w := base.Span{Start: l.From, End: l.To}
		if l.Purchase.Type() == base.PurchaseSale {
			w.End = w.Start + 1
		}
		return !slices.ContainsFunc(q.Items, func(i base.Item) bool { return i != b.items[l.Item-1] }) &&
			(q.Location == nil || *q.Location == b.places[l.Location-1]) &&
			(q.Window == nil || w.Start < max(q.Window.End, q.Window.Start+1) && q.Window.Start < w.End)
	})
}

// memos is how many sections of a version have a memo, how many have too many lines for one, and the most lines in
// one behind the first of each row.
func memos(a *base.AccountState) (made, tooLong, further int) {
	for s := range hold.Holds(a).Rows.Sections(false) {
		switch m, ok := s.Memo().(*hold.HoldMemo); {
		case m != nil:
			made, further = made+1, max(further, len(m.Owners))
		case ok:
			tooLong++
		}
	}
	return made, tooLong, further
}

func TestListOfABookOfHoldsThatChanges(t *testing.T) {
	long(t)
	for _, c := range []struct {
		holds, lines, several, rounds int
	}{{5000, 1, 1, 30}, {5000, 3, 10, 30}, {2200, 120, 1, 2}} {
		t.Run(fmt.Sprintf("lines=%d", c.lines), func(t *testing.T) {
			b := newHeldBook(uint64(c.lines), 24, 4, c.lines, c.several)
			for range c.holds {
				b.put()
			}
			type version struct {
				base.View
				records []*hold.HoldRecord
			}
			var kept []version
			passed, made, tooLong, further := 0, 0, 0, 0
			for range c.rounds {
				kept = append(kept, version{View: base.View{Acc: b.Publish()}, records: slices.Clone(b.records)})
				for range 60 {
					v, q := kept[len(kept)-1-b.dice.IntN(min(3, len(kept)))], b.question()
					var want []base.ID
					for _, r := range v.records {
						if b.passes(r, q) {
							want = append(want, r.ID)
						}
					}
					if q.Desc {
						slices.Reverse(want)
					}
					page, total := hold.ListHolds(v.View, q)
					if total != len(want) {
						require.Equal(t, len(want), total, "%+v", q)
					}
					got := idsOf(page, func(h *hold.Hold) base.ID { return h.ID })
					require.True(t, slices.Equal(base.PartOf(want, q.Part), got), "%+v", q)
					passed += len(page)
				}
				n, long, most := memos(kept[len(kept)-1].Acc)
				made, tooLong, further = made+n, tooLong+long, max(further, most)
				at := b.dice.IntN(len(b.records))
				for range b.dice.IntN(300) { // some side by side, some anywhere, some new
					switch b.dice.IntN(3) {
					case 0:
						b.change(min(at, len(b.records)-1))
					case 1:
						b.change(b.dice.IntN(len(b.records)))
					case 2:
						b.put()
					}
				}
			}
			require.Greater(t, passed, 20*c.rounds, "filters let holds through")
			require.Greater(t, made, 0, "memos were made")
			require.Equal(t, c.lines > 1, further > 0, "of more lines than rows")
			require.Equal(t, c.lines > 100, tooLong > 0, "sections had too many lines for one")
		})
	}
}

// TestListsOfHoldsBesideTheWriter has readers ask while the writer goes on: what is listed of a version is what a
// walk over its rows finds.
func TestListsOfHoldsBesideTheWriter(t *testing.T) {
	b := newHeldBook(7, 24, 4, 3, 10)
	for range 1000 {
		b.put()
	}
	type asked struct {
		base.View
		questions []*hold.HoldQuery
	}
	versions := make(chan asked, 8)
	var work sync.WaitGroup
	for range 3 {
		work.Go(func() {
			for v := range versions {
				for _, q := range v.questions {
					_, total := hold.ListHolds(v.View, q)
					if n := walk(v.View, q); n != total {
						t.Errorf("%d of %d under %+v", total, n, q)
					}
				}
			}
		})
	}
	for range 100 {
		v := asked{View: base.View{Acc: b.Publish()}}
		for range 4 {
			v.questions = append(v.questions, b.question())
		}
		versions <- v
		versions <- v
		for range 20 {
			b.change(b.dice.IntN(len(b.records)))
			b.put()
		}
	}
	close(versions)
	work.Wait()
}

// walk is how many holds pass by a look at each.
func walk(v base.View, q *hold.HoldQuery) (n int) {
	l, ok := hold.AskHolds(v.Acc, q)
	if !ok {
		return 0
	}
	for id, row := range hold.Holds(v.Acc).Rows.From(base.ID{}) {
		if l.Judge(id, &row) &&
			(q.Customer == nil || row.More && hold.Holds(v.Acc).More.Get(id).Customer == *q.Customer) {
			n++
		}
	}
	return n
}

// heldCrowd is an account with many holds, of 2,000 items at 10 places, one in ten with a note and one in twenty with
// two lines.
func heldCrowd(b *testing.B) *heldBook {
	n := 100_000
	if s := os.Getenv("HOLDS"); s != "" {
		var err error
		n, err = strconv.Atoi(s)
		require.NoError(b, err)
	}
	book := newHeldBook(1, 2000, 10, 2, 10)
	for range n {
		book.put()
	}
	all := book.customers
	for book.customers = all[:1]; len(book.records) < n+50_000; { // one comes again and again
		book.put()
	}
	book.customers = all
	return book
}

func BenchmarkListHolds(b *testing.B) {
	book := heldCrowd(b)
	n := len(book.records)
	v := base.View{Acc: book.Publish()}
	midnight := int64(noon-noon%day) + 400*day
	filters := []struct {
		name string
		q    hold.HoldQuery
	}{
		{"status", hold.HoldQuery{Status: []hold.HoldStatus{hold.Held}}},
		{"statuses", hold.HoldQuery{Status: []hold.HoldStatus{hold.Held, hold.Confirmed}}},
		{"sku", hold.HoldQuery{Items: book.items[7:8]}},
		{"article", hold.HoldQuery{Items: book.items[8:9]}},
		{"catalog-item", hold.HoldQuery{Items: book.items[9:10]}},
		{"place", hold.HoldQuery{Location: &book.places[3]}},
		{"day", hold.HoldQuery{Window: &base.Span{Start: midnight, End: midnight + day}}},
		{"year", hold.HoldQuery{Window: &base.Span{Start: midnight - 365*day, End: midnight}}},
		{"seconds", hold.HoldQuery{Window: &base.Span{Start: midnight + 1001, End: midnight + 50_001}}},
		{"instant", hold.HoldQuery{Window: &base.Span{Start: midnight, End: midnight}}},
		{"word", hold.HoldQuery{Search: "anna"}},
		{"letter", hold.HoldQuery{Search: "c"}},
		{"long-word", hold.HoldQuery{Search: "refundable"}},
		{"customer", hold.HoldQuery{Customer: &book.customers[3]}},
		{"regular", hold.HoldQuery{Customer: &book.customers[0]}},
		{"sku-and-day", hold.HoldQuery{Items: book.items[7:8],
			Window: &base.Span{Start: midnight, End: midnight + day}}},
		{"several", hold.HoldQuery{
			Status: []hold.HoldStatus{hold.Held, hold.Confirmed}, Location: &book.places[3],
			Window: &base.Span{Start: midnight, End: midnight + 30*day},
		}},
		{"several-and-word", hold.HoldQuery{
			Status: []hold.HoldStatus{hold.Held, hold.Confirmed}, Location: &book.places[3], Search: "anna",
			Window: &base.Span{Start: midnight - 365*day, End: midnight},
		}},
	}
	before := heapInUse()
	first := threadTimeOf(func() { hold.ListHolds(v, &filters[0].q) })
	second := threadTimeOf(func() { hold.ListHolds(v, &filters[0].q) }) // which makes the memos
	taken := heapInUse() - before
	for _, f := range filters {
		for _, page := range []string{"first", "middle", "walk"} {
			q := f.q
			q.Limit = 50
			_, total := hold.ListHolds(v, &q)
			hold.ListHolds(v, &q)
			if page == "middle" {
				q.Offset = total / 2
			}
			b.Run(f.name+"/"+page, func(b *testing.B) {
				worked := threadTimeOf(func() {
					for b.Loop() {
						if page == "walk" {
							walk(v, &q)
						} else {
							hold.ListHolds(v, &q)
						}
					}
				})
				b.ReportMetric(worked/float64(b.N), "cpu-ns/op")
				b.ReportMetric(float64(total), "holds")
			})
		}
	}
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			hold.ListHolds(v, &filters[0].q)
		}
		b.ReportMetric(first, "first-cpu-ns")
		b.ReportMetric(second, "second-cpu-ns")
		b.ReportMetric(float64(taken)/float64(n), "B/hold")
		b.ReportMetric(float64(heapInUse()-before)/float64(n), "B/hold-with-words")
	})
	for _, every := range []int{1, 100, 10_000} { // changes between two questions, of any holds
		b.Run(fmt.Sprintf("changed=%d", every), func(b *testing.B) {
			worked := 0.0
			for b.Loop() {
				for range every {
					book.change(book.dice.IntN(len(book.records)))
				}
				v := base.View{Acc: book.Publish()}
				worked += threadTimeOf(func() { hold.ListHolds(v, &filters[5].q) })
			}
			b.ReportMetric(worked/float64(b.N), "cpu-ns/op")
		})
	}
	runtime.KeepAlive(book)
}

// threadTimeOf is what a thread of its own works for something, in ns.
func threadTimeOf(do func()) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	from := threadTime()
	do()
	return float64(threadTime() - from)
}
