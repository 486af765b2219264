package engine

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file holds who uses attributes: the counts against a look at every record, and what each of the two takes.

// slowLosing looks at every record.
func slowLosing(a *base.AccountState, kind int, d *label.Attribute) (n int) {
	for l := range label.LabelledKinds[kind].All(a) {
		if left := *l; left.WithoutGone(d) {
			n++
		}
	}
	return n
}

func TestUsesOfAttributesAreCounted(t *testing.T) {
	s := newShop(t)
	names := []string{"a", "b", "c", "d", "e"}
	one, many, note := s.attribute("one", label.FormatSelect, names...),
		s.attribute("many", label.FormatMultiselect, names...), s.attribute("note", label.FormatText)
	rnd := rand.New(rand.NewPCG(15, 22))
	some := func() label.LabelsPatch {
		var pairs []any
		add := func(key string, v label.Value) {
			switch rnd.IntN(4) {
			case 0:
				pairs = append(pairs, key, nil)
			case 1, 2:
				pairs = append(pairs, key, v)
			}
		}
		add("one", text(names[rnd.IntN(5)]))
		of := slices.Clone(names)
		rnd.Shuffle(5, func(i, j int) { of[i], of[j] = of[j], of[i] })
		add("many", list(of[:1+rnd.IntN(4)]...))
		add("note", text(names[rnd.IntN(5)]))
		return values(pairs...)
	}
	named := base.Changed(commerce.Contact{FirstName: new("Ann")})
	var skus, articles, customers, items []base.ID
	for range 20 {
		skus = append(skus,
			s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "x"}, Labels: some()}).(*stock.SKU).ID)
		articles = append(articles,
			s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "x"}, Labels: some()}).(*stock.Article).
				ID)
		customers = append(customers,
			s.do(commerce.CreateCustomer{Labels: some(), Contact: named}).(*commerce.Customer).ID)
		items = append(items,
			s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "x"},
				Labels: some()}).(*commerce.CatalogItem).ID)
	}
	judge := func() {
		a := s.view().Acc
		for kind := range label.LabelledKinds {
			for _, d := range []*label.Attribute{one, many} {
				n := *d
				n.Options = slices.DeleteFunc(slices.Clone(d.Options),
					func(label.AttributeOption) bool { return rnd.IntN(3) == 0 })
				require.Equal(t, slowLosing(a, kind, &n), label.Losing(a, kind, &n), "%s of kind %d with %d options",
					d.Key, kind, len(n.Options))
			}
			for _, d := range []*label.Attribute{one, many, note} {
				n := label.Losing(a, kind, &label.Attribute{ID: d.ID})
				require.Equal(t, slowLosing(a, kind, &label.Attribute{ID: d.ID}), n, "%s of kind %d", d.Key, kind)
				require.Zero(t, label.Losing(a, kind, d), "it stays as it is")
			}
		}
	}
	judge()
	for i := range 120 {
		switch at := rnd.IntN(20); rnd.IntN(5) {
		case 0:
			s.do(stock.PatchSKU{ID: skus[at], Labels: some()})
		case 1:
			s.do(stock.PatchArticle{ID: articles[at], Labels: some()})
		case 2:
			s.do(commerce.PatchCustomer{ID: customers[at], Labels: some()})
		case 3:
			s.do(commerce.PatchCatalogItem{ID: items[at], Labels: some()})
		case 4:
			s.do(commerce.DeleteCustomer{ID: customers[at]})
			customers[at] = s.do(commerce.CreateCustomer{Labels: some(), Contact: named}).(*commerce.Customer).ID
		}
		if judge(); i%40 == 0 {
			s.reopen()
			judge()
		}
	}
	s.do(label.DeleteAttribute{ID: note.ID, Force: true})
	judge()
	s.reopen()
}

// BenchmarkAttributeInUse is what the writer waits for where options are to go, in an account with many orders, a tenth
// as many customers, and a value of each of these: by the counts, and by a look at each record.
func BenchmarkAttributeInUse(b *testing.B) {
	a, _ := orderCrowd(b)
	d := &label.Attribute{ID: base.MakeID(9, base.Base{}),
		AttributeFields: label.AttributeFields{Format: label.FormatMultiselect}}
	for i := range 20 {
		d.Options = append(d.Options, label.AttributeOption{ID: base.MakeID(10, base.Base{Lo: uint64(i)})})
	}
	dice := rand.New(rand.NewPCG(1, 2))
	customers := order.OrderTable(a).Len() / 10
	for no := range customers {
		v := label.AttributeValue{Attribute: d.ID, Kind: label.ListValue}
		for range 1 + dice.IntN(3) {
			if id := d.Options[dice.IntN(20)].ID; !slices.Contains(v.Options, id) {
				v.Options = append(v.Options, id)
			}
		}
		commerce.CustomerKind.In(a).
			Put(&commerce.Customer{ID: base.MakeID(3, base.Base{Lo: uint64(no)}),
				Labels: label.Labels{Attributes: []label.AttributeValue{v}}})
	}
	before := heapInUse()
	label.AddAllUses(a, label.AttributeUses(a))
	memory := float64(heapInUse()-before) / float64(customers)
	less := *d
	less.Options = d.Options[:10]
	for _, f := range []struct {
		name  string
		count func(kind int, d *label.Attribute) int
	}{{"counted", func(kind int, d *label.Attribute) int {
		return label.Losing(a, kind, d)
	}}, {"looked", func(kind int, d *label.Attribute) int { return slowLosing(a, kind, d) }}} {
		b.Run(f.name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			n, worked := 0, threadTime()
			for b.Loop() {
				n = 0
				for kind := range label.LabelledKinds {
					n += f.count(kind, &less)
				}
			}
			b.ReportMetric(float64(threadTime()-worked)/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(n), "records")
			b.ReportMetric(memory, "B/value")
		})
	}
	c := commerce.CustomerTable(a).At(0)
	n := *c
	n.Attributes = []label.AttributeValue{
		{Attribute: d.ID, Kind: label.ListValue, Options: []base.ID{d.Options[19].ID}}}
	there, back := []base.RowChange{&base.Change[commerce.Customer]{Kind: commerce.CustomerKind, Before: c, After: &n}},
		[]base.RowChange{&base.Change[commerce.Customer]{Kind: commerce.CustomerKind, Before: &n, After: c}}
	b.Run("two-writes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, set := range [][]base.RowChange{there, back} {
				label.FollowAttributeUses(a, set)
				label.AttributeUses(a).Publish()
			}
		}
	})
}
