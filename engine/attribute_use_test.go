package engine

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds who uses attributes: the counts against a look at every record, and what each of the two takes.

// slowLosing looks at every record.
func (a *account) slowLosing(kind int, d *Attribute) (n int) {
	for l := range labelled[kind].all(a) {
		if left := *l; left.withoutGone(d) {
			n++
		}
	}
	return n
}

func TestUsesOfAttributesAreCounted(t *testing.T) {
	s := newShop(t)
	names := []string{"a", "b", "c", "d", "e"}
	one, many, note := s.attribute("one", FormatSelect, names...), s.attribute("many", FormatMultiselect, names...), s.attribute("note", FormatText)
	rnd := rand.New(rand.NewPCG(15, 22))
	some := func() LabelsPatch {
		var pairs []any
		add := func(key string, v Value) {
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
	named := ContactPatch{FirstName: Some("Ann")}
	var skus, articles, customers, items []ID
	for range 20 {
		skus = append(skus, s.do(CreateSKU{Name: "x", Labels: some()}).(*SKU).ID)
		articles = append(articles, s.do(CreateArticle{Name: "x", Labels: some()}).(*Article).ID)
		customers = append(customers, s.do(CreateCustomer{Labels: some(), Contact: named}).(*Customer).ID)
		items = append(items, s.do(CreateCatalogItem{Name: "x", Labels: some()}).(*CatalogItem).ID)
	}
	judge := func() {
		a := s.view().acc
		for kind := range labelled {
			for _, d := range []*Attribute{one, many} {
				n := *d
				n.Options = slices.DeleteFunc(slices.Clone(d.Options), func(AttributeOption) bool { return rnd.IntN(3) == 0 })
				require.Equal(t, a.slowLosing(kind, &n), a.losing(kind, &n), "%s of kind %d with %d options", d.Key, kind, len(n.Options))
			}
			for _, d := range []*Attribute{one, many, note} {
				n := a.losing(kind, &Attribute{ID: d.ID})
				require.Equal(t, a.slowLosing(kind, &Attribute{ID: d.ID}), n, "%s of kind %d", d.Key, kind)
				require.Zero(t, a.losing(kind, d), "it stays as it is")
			}
		}
	}
	judge()
	for i := range 120 {
		switch at := rnd.IntN(20); rnd.IntN(5) {
		case 0:
			s.do(PatchSKU{ID: skus[at], Labels: some()})
		case 1:
			s.do(PatchArticle{ID: articles[at], Labels: some()})
		case 2:
			s.do(PatchCustomer{ID: customers[at], Labels: some()})
		case 3:
			s.do(PatchCatalogItem{ID: items[at], Labels: some()})
		case 4:
			s.do(DeleteCustomer{ID: customers[at]})
			customers[at] = s.do(CreateCustomer{Labels: some(), Contact: named}).(*Customer).ID
		}
		if judge(); i%40 == 0 {
			s.reopen()
			judge()
		}
	}
	s.do(DeleteAttribute{ID: note.ID, Force: true})
	judge()
	s.reopen()
}

// BenchmarkAttributeInUse is what the writer waits for where options are to go, in an account with many orders, a tenth as many customers,
// and a value of each of these: by the counts, and by a look at each record.
func BenchmarkAttributeInUse(b *testing.B) {
	a, _ := orderCrowd(b)
	d := &Attribute{ID: makeID(9, Base{}), Format: FormatMultiselect}
	for i := range 20 {
		d.Options = append(d.Options, AttributeOption{ID: makeID(10, Base{lo: uint64(i)})})
	}
	dice := rand.New(rand.NewPCG(1, 2))
	customers := a.orders().Len() / 10
	for no := range customers {
		v := AttributeValue{Attribute: d.ID, Kind: ListValue}
		for range 1 + dice.IntN(3) {
			if id := d.Options[dice.IntN(20)].ID; !slices.Contains(v.Options, id) {
				v.Options = append(v.Options, id)
			}
		}
		customerKind.in(a).Put(&Customer{ID: makeID(3, Base{lo: uint64(no)}), Labels: Labels{Attributes: []AttributeValue{v}}})
	}
	before := heapInUse()
	a.addAllUses(a.attributeUses())
	memory := float64(heapInUse()-before) / float64(customers)
	less := *d
	less.Options = d.Options[:10]
	for _, f := range []struct {
		name  string
		count func(kind int, d *Attribute) int
	}{{"counted", func(kind int, d *Attribute) int { return a.losing(kind, d) }}, {"looked", func(kind int, d *Attribute) int { return a.slowLosing(kind, d) }}} {
		b.Run(f.name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			n, worked := 0, threadTime()
			for b.Loop() {
				n = 0
				for kind := range labelled {
					n += f.count(kind, &less)
				}
			}
			b.ReportMetric(float64(threadTime()-worked)/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(n), "records")
			b.ReportMetric(memory, "B/value")
		})
	}
	c := a.customers().At(0)
	n := *c
	n.Attributes = []AttributeValue{{Attribute: d.ID, Kind: ListValue, Options: []ID{d.Options[19].ID}}}
	there, back := []rowChange{&change[Customer]{kind: customerKind, before: c, after: &n}}, []rowChange{&change[Customer]{kind: customerKind, before: &n, after: c}}
	b.Run("two-writes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, set := range [][]rowChange{there, back} {
				a.followAttributeUses(set)
				a.attributeUses().publish()
			}
		}
	})
}
