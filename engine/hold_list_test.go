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
)

// This file owns the tests of the list of holds, against lists of all that are judged one by one, and its figures.
// HOLDS says of how many.

func TestListsOfHoldsAgainstASlowOne(t *testing.T) {
	long(t)
	s := newShop(t)
	dice := rand.New(rand.NewPCG(5, 6))
	other := s.do(CreateLocation{Name: "Porto", Timezone: "UTC"}).(*Location).ID
	places := []ID{s.loc, other}
	var items []Item
	for range 2 {
		sku := s.sku()
		r := s.do(CreateArticle{Name: "Bike", SKU: &sku, Quantities: []InitialQuantity{{Location: s.loc, Count: 90}, {Location: other, Count: 90}}}).(*Article)
		items = append(items, Item{SKU: sku}, Item{Article: r.ID})
	}
	items = append(items, s.kit(Component{items[0], 1}))
	notes := []string{"", "", "call Anna", "phone call"}
	var customers []*ID
	for range 3 {
		customers = append(customers, ptr(s.do(CreateCustomer{Contact: ContactPatch{FirstName: Some("Ann")}}).(*Customer).ID), nil)
	}
	for range 150 {
		o := PlaceHold{Note: notes[dice.IntN(4)], Customer: customers[dice.IntN(6)]}
		for range 1 + dice.IntN(2) {
			from := s.now + int64(dice.IntN(30))*hour
			l := HoldLineInput{Item: items[dice.IntN(5)], Location: places[dice.IntN(2)], Window: Span{Start: from, End: from + int64(1+dice.IntN(9))*hour}, Quantity: 1}
			if dice.IntN(9) == 0 && l.CatalogItem == (ID{}) {
				l.Purchase, l.Window.End = PurchaseSale, Forever
			}
			o.Lines = append(o.Lines, l)
		}
		if dice.IntN(2) == 0 {
			o.ExpiresIn = ptr(int64(30 + dice.IntN(7000)))
		}
		h := s.do(o).(*Hold)
		switch dice.IntN(5) {
		case 0:
			s.do(ReleaseHold{ID: h.ID})
		case 1:
			_, _ = s.try(OrderHold{Holds: []ID{h.ID}})
		}
	}
	s.now += hour
	require.NoError(t, s.Tick(t.Context()))
	passed := 0
	for range 1500 {
		q := &HoldQuery{Desc: dice.IntN(2) == 0, Part: Part{dice.IntN(40), 1 + dice.IntN(20)}, Units: 3}
		for range dice.IntN(3) {
			switch dice.IntN(6) {
			case 0:
				q.Status = append(q.Status, HoldStatus(1+dice.IntN(len(HoldStatuses))))
			case 1:
				q.Items = append(q.Items, items[dice.IntN(5)])
			case 2:
				q.Location = &places[dice.IntN(2)]
			case 3:
				from := noon + int64(dice.IntN(30))*hour
				q.Window = &Span{Start: from, End: from + int64(dice.IntN(5))*hour}
			case 4:
				q.Search = []string{"CALL", "ann", "call pho", "nobody"}[dice.IntN(4)]
			case 5:
				q.Customer = customers[dice.IntN(6)]
			}
		}
		var want []ID
		for h := range s.view().EachHold() {
			lines := slices.ContainsFunc(h.Lines, func(l HoldLine) bool {
				w, to := q.Window, l.Window.End
				if l.Purchase == PurchaseSale {
					to = l.Window.Start + 1
				}
				return !slices.ContainsFunc(q.Items, func(i Item) bool { return i != l.Item }) && (q.Location == nil || *q.Location == l.Location) &&
					(w == nil || l.Window.Start < w.End && w.Start < to || w.Start == w.End && l.Window.Start <= w.Start && w.Start < to)
			})
			if lines && (q.Status == nil || slices.Contains(q.Status, h.Status)) && (q.Customer == nil || *q.Customer == h.Customer) && says(q.Search, h.Note) {
				want = append(want, h.ID)
			}
		}
		if q.Desc {
			slices.Reverse(want)
		}
		page, total := s.view().ListHolds(q)
		require.Equal(t, len(want), total, "%+v", q)
		want = partOf(want, q.Part)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(idsOf(page, func(h *Hold) ID { return h.ID })), "%+v", q)
		for _, h := range page {
			one, _ := s.view().HoldWith(h.ID, 3)
			require.Equal(t, one, h)
		}
		passed += len(page)
	}
	require.Greater(t, passed, 2000, "filters let holds through")
}

// heldBook is an account with holds that no command made, and the records beside it, in order of their ids.
type heldBook struct {
	*account
	dice      *rand.Rand
	lines     int // that holds with several have, up to
	several   int // one in so many has
	records   []*holdRecord
	items     []Item
	places    []ID
	customers []ID
	next      int64
}

func newHeldBook(seed uint64, items, places, lines, several int) *heldBook {
	dice := rand.New(rand.NewPCG(seed, 2))
	b := &heldBook{account: newAccount(makeID(1, Base{})), dice: dice, lines: lines, several: several}
	for i := range items {
		id, no := makeID(2, Base{lo: uint64(i)}), uint32(i+1)
		switch i % 8 {
		case 0:
			b.articles().Put(&Article{ID: id, No: no})
			b.items = append(b.items, Item{Article: id})
		case 1:
			b.catalog().Put(&CatalogItem{ID: id, No: no})
			b.items = append(b.items, Item{CatalogItem: id})
		default:
			b.skus().Put(&SKU{ID: id, No: no})
			b.items = append(b.items, Item{SKU: id})
		}
	}
	for i := range places {
		id := makeID(3, Base{lo: uint64(i)})
		b.locations().Put(&Location{ID: id, No: uint32(i + 1)})
		b.places = append(b.places, id)
	}
	for i := range items {
		b.customers = append(b.customers, makeID(4, Base{lo: uint64(i)}))
	}
	return b
}

var notesOfBook = []string{
	"call Anna", "phone call", "Anna", "refundable deposit", "refunding", "call refundable", "a b c", "annabelle",
}

// drawn is a hold that begins some time in two years, most at a full hour.
func (b *heldBook) drawn(id ID) *holdRecord {
	r := &holdRecord{id: id, status: Confirmed}
	if b.dice.IntN(3) == 0 {
		r.status = HoldStatus(1 + b.dice.IntN(int(Ordered)))
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
		l := denseLine{
			from: from, to: from + int64(1+b.dice.IntN(14*24))*hour, quantity: 1, units: 1,
			item: uint32(i + 1), named: b.items[i].kind(), location: uint32(1 + b.dice.IntN(len(b.places))),
		}
		switch b.dice.IntN(40) {
		case 0:
			l.to, l.purchase = Forever, aSale
		case 1:
			l.to = Forever
		}
		r.lines = append(r.lines, holdLine{denseLine: l})
	}
	if b.dice.IntN(10) == 0 {
		r.note = notesOfBook[b.dice.IntN(len(notesOfBook))]
	}
	if b.dice.IntN(20) == 0 {
		r.customer = b.customers[b.dice.IntN(len(b.customers))]
	}
	return r
}

// put makes one more.
func (b *heldBook) put() {
	b.next += 1 + int64(b.dice.IntN(2000))
	r := b.drawn(makeID(noon+b.next, Base{}))
	holdKind.put(nil, b.account, nil, r)
	b.records = append(b.records, r)
}

// change takes one out, draws it anew, or gives it another status.
func (b *heldBook) change(i int) {
	was, is := b.records[i], (*holdRecord)(nil)
	switch b.dice.IntN(4) {
	case 0:
	case 1:
		is = b.drawn(was.id)
	default:
		n := *was
		n.status = HoldStatus(1 + b.dice.IntN(int(Ordered)))
		is = &n
	}
	holdKind.put(nil, b.account, was, is)
	if is == nil {
		b.records = slices.Delete(b.records, i, i+1)
	} else {
		b.records[i] = is
	}
}

func (b *heldBook) question() *HoldQuery {
	q := &HoldQuery{Desc: b.dice.IntN(2) == 0, Part: Part{Limit: 1 + b.dice.IntN(60)}}
	if b.dice.IntN(2) == 0 {
		q.Offset = b.dice.IntN(1 << b.dice.IntN(13))
	}
	for range 1 + b.dice.IntN(3) {
		switch b.dice.IntN(10) {
		case 0, 1:
			q.Status = append(q.Status, HoldStatus(1+b.dice.IntN(int(Ordered))))
		case 2, 3:
			q.Items = append(q.Items, b.items[b.dice.IntN(len(b.items))])
		case 4, 5:
			q.Location = &b.places[b.dice.IntN(len(b.places))]
		case 6, 7:
			from := noon - noon%hour + int64(b.dice.IntN(740*24)-24)*hour
			if b.dice.IntN(2) == 0 {
				from += int64(b.dice.IntN(90_000))
			}
			q.Window = &Span{Start: from, End: from + int64(b.dice.IntN(30))*hour}
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
func (b *heldBook) passes(r *holdRecord, q *HoldQuery) bool {
	if q.Status != nil && !slices.Contains(q.Status, r.status) || q.Customer != nil && *q.Customer != r.customer {
		return false
	}
	if q.Search == "-" || !says(q.Search, r.note) {
		return false
	}
	return slices.ContainsFunc(r.lines, func(l holdLine) bool {
		w := Span{Start: l.from, End: l.to}
		if l.purchase.Type() == PurchaseSale {
			w.End = w.Start + 1
		}
		return !slices.ContainsFunc(q.Items, func(i Item) bool { return i != b.items[l.item-1] }) &&
			(q.Location == nil || *q.Location == b.places[l.location-1]) &&
			(q.Window == nil || w.Start < max(q.Window.End, q.Window.Start+1) && q.Window.Start < w.End)
	})
}

// memos is how many sections of a version have a memo, how many have too many lines for one, and the most lines in
// one behind the first of each row.
func memos(a *account) (made, tooLong, further int) {
	for s := range a.holds().rows.Sections(false) {
		switch m, ok := s.Memo().(*holdMemo); {
		case m != nil:
			made, further = made+1, max(further, len(m.owners))
		case ok:
			tooLong++
		}
	}
	return made, tooLong, further
}

func TestListOfABookOfHoldsThatChanges(t *testing.T) {
	long(t)
	for _, c := range []struct{ holds, lines, several, rounds int }{{5000, 1, 1, 30}, {5000, 3, 10, 30}, {2200, 120, 1, 2}} {
		t.Run(fmt.Sprintf("lines=%d", c.lines), func(t *testing.T) {
			b := newHeldBook(uint64(c.lines), 24, 4, c.lines, c.several)
			for range c.holds {
				b.put()
			}
			type version struct {
				View
				records []*holdRecord
			}
			var kept []version
			passed, made, tooLong, further := 0, 0, 0, 0
			for range c.rounds {
				kept = append(kept, version{View{acc: b.publish()}, slices.Clone(b.records)})
				for range 60 {
					v, q := kept[len(kept)-1-b.dice.IntN(min(3, len(kept)))], b.question()
					var want []ID
					for _, r := range v.records {
						if b.passes(r, q) {
							want = append(want, r.id)
						}
					}
					if q.Desc {
						slices.Reverse(want)
					}
					page, total := v.ListHolds(q)
					if total != len(want) {
						require.Equal(t, len(want), total, "%+v", q)
					}
					got := idsOf(page, func(h *Hold) ID { return h.ID })
					require.True(t, slices.Equal(partOf(want, q.Part), got), "%+v", q)
					passed += len(page)
				}
				n, long, most := memos(kept[len(kept)-1].acc)
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
	for range 3000 {
		b.put()
	}
	type asked struct {
		View
		questions []*HoldQuery
	}
	versions := make(chan asked, 8)
	var work sync.WaitGroup
	for range 3 {
		work.Go(func() {
			for v := range versions {
				for _, q := range v.questions {
					_, total := v.ListHolds(q)
					if n := v.walk(q); n != total {
						t.Errorf("%d of %d under %+v", total, n, q)
					}
				}
			}
		})
	}
	for range 150 {
		v := asked{View: View{acc: b.publish()}}
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
func (v View) walk(q *HoldQuery) (n int) {
	l, ok := v.acc.askHolds(q)
	if !ok {
		return 0
	}
	for id, row := range v.acc.holds().rows.From(ID{}) {
		if l.judge(id, &row) && (q.Customer == nil || row.more && v.acc.holds().more.Get(id).customer == *q.Customer) {
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
	v := View{acc: book.publish()}
	midnight := int64(noon-noon%day) + 400*day
	filters := []struct {
		name string
		q    HoldQuery
	}{
		{"status", HoldQuery{Status: []HoldStatus{Held}}},
		{"statuses", HoldQuery{Status: []HoldStatus{Held, Confirmed}}},
		{"sku", HoldQuery{Items: book.items[7:8]}},
		{"article", HoldQuery{Items: book.items[8:9]}},
		{"catalog-item", HoldQuery{Items: book.items[9:10]}},
		{"place", HoldQuery{Location: &book.places[3]}},
		{"day", HoldQuery{Window: &Span{Start: midnight, End: midnight + day}}},
		{"year", HoldQuery{Window: &Span{Start: midnight - 365*day, End: midnight}}},
		{"seconds", HoldQuery{Window: &Span{Start: midnight + 1001, End: midnight + 50_001}}},
		{"instant", HoldQuery{Window: &Span{Start: midnight, End: midnight}}},
		{"word", HoldQuery{Search: "anna"}},
		{"letter", HoldQuery{Search: "c"}},
		{"long-word", HoldQuery{Search: "refundable"}},
		{"customer", HoldQuery{Customer: &book.customers[3]}},
		{"regular", HoldQuery{Customer: &book.customers[0]}},
		{"sku-and-day", HoldQuery{Items: book.items[7:8], Window: &Span{Start: midnight, End: midnight + day}}},
		{"several", HoldQuery{
			Status: []HoldStatus{Held, Confirmed}, Location: &book.places[3], Window: &Span{Start: midnight, End: midnight + 30*day},
		}},
		{"several-and-word", HoldQuery{
			Status: []HoldStatus{Held, Confirmed}, Location: &book.places[3], Search: "anna",
			Window: &Span{Start: midnight - 365*day, End: midnight},
		}},
	}
	before := heapInUse()
	first := threadTimeOf(func() { v.ListHolds(&filters[0].q) })
	second := threadTimeOf(func() { v.ListHolds(&filters[0].q) }) // which makes the memos
	taken := heapInUse() - before
	for _, f := range filters {
		for _, page := range []string{"first", "middle", "walk"} {
			q := f.q
			q.Limit = 50
			_, total := v.ListHolds(&q)
			v.ListHolds(&q)
			if page == "middle" {
				q.Offset = total / 2
			}
			b.Run(f.name+"/"+page, func(b *testing.B) {
				worked := threadTimeOf(func() {
					for b.Loop() {
						if page == "walk" {
							v.walk(&q)
						} else {
							v.ListHolds(&q)
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
			v.ListHolds(&filters[0].q)
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
				v := View{acc: book.publish()}
				worked += threadTimeOf(func() { v.ListHolds(&filters[5].q) })
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
