package engine

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file holds what other systems keep on records: one record of a kind has an external id, and metadata merges.

func externally(id string, pairs ...string) label.ExternalPatch {
	p := label.ExternalPatch{ID: base.Some(id)}
	for i := 0; i < len(pairs); i += 2 {
		p.Metadata.Set = true
		p.Metadata.Value = append(p.Metadata.Value, label.MetadataInput{Key: pairs[i], Value: &pairs[i+1]})
	}
	return p
}

func TestExternalIDs(t *testing.T) {
	s := newShop(t)
	name := base.Changed(commerce.Contact{FirstName: new("Ada")})
	labels := func(p label.ExternalPatch) label.LabelsPatch { return label.LabelsPatch{External: p} }
	// Each kind makes a record with an external id, and gives one to a record.
	kinds := []struct {
		name   string
		create func(p label.ExternalPatch) base.Op
		patch  func(id base.ID, p label.ExternalPatch) base.Op
		record func(res any) (base.ID, *label.External)
		find   func(external string) (ids []base.ID)
	}{
		{"location", func(p label.ExternalPatch) base.Op {
			return stock.CreateLocation{LocationFields: stock.LocationFields{Name: "x", Timezone: "UTC"}, External: p}
		},
			func(id base.ID, p label.ExternalPatch) base.Op { return stock.PatchLocation{ID: id, External: p} },
			func(res any) (base.ID, *label.External) { l := res.(*stock.Location); return l.ID, l.External },
			func(x string) []base.ID {
				list, _ := stock.LocationDirectory.Find(s.view(), &base.RecordQuery{External: &x}, nil, base.First)
				return idsOf(list, func(l *stock.Location) base.ID { return l.ID })
			}},
		{"SKU", func(p label.ExternalPatch) base.Op {
			return stock.CreateSKU{SKUFields: stock.SKUFields{Name: "x"}, Labels: labels(p)}
		},
			func(id base.ID, p label.ExternalPatch) base.Op { return stock.PatchSKU{ID: id, Labels: labels(p)} },
			func(res any) (base.ID, *label.External) { r := res.(*stock.SKU); return r.ID, r.External },
			func(x string) []base.ID {
				list, _ := stock.SKUDirectory.Find(s.view(), &base.RecordQuery{External: &x}, nil, base.First)
				return idsOf(list, func(r *stock.SKU) base.ID { return r.ID })
			}},
		{"article", func(p label.ExternalPatch) base.Op {
			return stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "x"}, Labels: labels(p)}
		},
			func(id base.ID, p label.ExternalPatch) base.Op { return stock.PatchArticle{ID: id, Labels: labels(p)} },
			func(res any) (base.ID, *label.External) { r := res.(*stock.Article); return r.ID, r.External },
			func(x string) []base.ID {
				list, _, err := stock.ListArticles(s.view(), &stock.ArticleQuery{External: &x, Active: true, Limit: 9},
					nil)
				require.NoError(t, err)
				return idsOf(list, func(r *stock.Article) base.ID { return r.ID })
			}},
		{"customer", func(p label.ExternalPatch) base.Op {
			return commerce.CreateCustomer{Contact: name,
				Labels: labels(p)}
		},
			func(id base.ID, p label.ExternalPatch) base.Op {
				return commerce.PatchCustomer{ID: id, Labels: labels(p)}
			},
			func(res any) (base.ID, *label.External) { r := res.(*commerce.Customer); return r.ID, r.External },
			func(x string) []base.ID {
				list, _ := commerce.CustomerDirectory.Find(s.view(), &base.RecordQuery{External: &x}, nil, base.First)
				return idsOf(list, func(r *commerce.Customer) base.ID { return r.ID })
			}},
		{"catalog item", func(p label.ExternalPatch) base.Op {
			return commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "x"}, Labels: labels(p)}
		},
			func(id base.ID, p label.ExternalPatch) base.Op {
				return commerce.PatchCatalogItem{ID: id, Labels: labels(p)}
			},
			func(res any) (base.ID, *label.External) { r := res.(*commerce.CatalogItem); return r.ID, r.External },
			func(x string) []base.ID {
				list, _ := commerce.Catalog(s.view(), commerce.CatalogFilter{Active: true, External: x}, 0, 9)
				return idsOf(list, func(r *commerce.CatalogItem) base.ID { return r.ID })
			}},
		{"order", func(p label.ExternalPatch) base.Op {
			return order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc, External: p}}
		},
			func(id base.ID, p label.ExternalPatch) base.Op { return order.PatchOrder{ID: id, External: p} },
			func(res any) (base.ID, *label.External) { r := res.(*order.OrderRecord); return r.ID, r.External },
			func(x string) []base.ID {
				list, _ := order.ListOrders(s.view(), &order.OrderQuery{External: &x, Active: true, Limit: 9})
				return idsOf(list, func(r *order.Order) base.ID { return r.ID })
			}},
	}
	for _, k := range kinds {
		a, x := k.record(s.do(k.create(externally("a", "source", "shop", "b", ""))))
		require.Equal(t, &label.External{ID: "a",
			Metadata: []label.Metadata{{Key: "b", Value: ""}, {Key: "source", Value: "shop"}}}, x, k.name)
		b, x := k.record(s.do(k.create(label.ExternalPatch{})))
		require.Nil(t, x, k.name)
		require.Contains(t, s.refused(base.CodeConflict, k.create(externally("a"))).Detail,
			"another "+k.name+" has the external id \"a\": "+a.String())
		s.refused(base.CodeConflict, k.patch(b, externally("a")))
		require.Equal(t, []base.ID{a}, k.find("a"), k.name)
		require.Empty(t, k.find("b"), k.name)

		// The same again is no conflict; a text is changed, one is added, one taken away.
		_, x = k.record(
			s.do(k.patch(a, label.ExternalPatch{ID: base.Some("a"),
				Metadata: base.Some([]label.MetadataInput{{Key: "b", Value: nil}, {Key: "none", Value: nil},
					{Key: "a", Value: new("new")}, {Key: "source", Value: new("till")}})})))
		require.Equal(t, &label.External{ID: "a",
			Metadata: []label.Metadata{{Key: "a", Value: "new"}, {Key: "source", Value: "till"}}}, x, k.name)
		_, x = k.record(s.do(k.patch(a, label.ExternalPatch{})))
		require.Equal(t, "a", x.ID, "what is not given stays")
		_, x = k.record(s.do(k.patch(a, label.ExternalPatch{Metadata: base.Null[[]label.MetadataInput]()})))
		require.Equal(t, &label.External{ID: "a"}, x)
		_, x = k.record(s.do(k.patch(a, label.ExternalPatch{ID: base.Null[string]()})))
		require.Nil(t, x)
		_, x = k.record(s.do(k.patch(b, externally("a"))))
		require.Equal(t, "a", x.ID, "it is free again")
		require.Equal(t, []base.ID{b}, k.find("a"), k.name)
	}
	s.reopen()
	for _, k := range kinds {
		require.Len(t, k.find("a"), 1, k.name)
	}

	// All faults are named, with the pointer of the key.
	long := strings.Repeat("x", 501)
	bad := label.ExternalPatch{ID: base.Some(""),
		Metadata: base.Some([]label.MetadataInput{{Key: "", Value: new("x")}, {Key: long[:41], Value: nil},
			{Key: "a/b", Value: &long}})}
	require.Equal(t, []string{"/externalId", "/metadata/", "/metadata/" + long[:41], "/metadata/a~1b"},
		pointers(s.refused(base.CodeInvalid, kinds[0].create(bad))))
	var many label.ExternalPatch
	many.Metadata.Set = true
	for i := range label.MaxMetadata {
		many.Metadata.Value = append(many.Metadata.Value,
			label.MetadataInput{Key: "k" + strconv.Itoa(i), Value: new("")})
	}
	id, _ := kinds[0].record(s.do(kinds[0].create(many)))
	s.refused(base.CodeConflict, kinds[0].patch(id,
		label.ExternalPatch{Metadata: base.Some([]label.MetadataInput{{Key: "more", Value: new("")}})}))
	many.Metadata.Value = append(many.Metadata.Value, label.MetadataInput{Key: "more", Value: nil})
	require.Equal(t, []string{"/metadata"}, pointers(s.refused(base.CodeInvalid, kinds[0].create(many))))
}

func idsOf[R any](list []*R, id func(*R) base.ID) (ids []base.ID) {
	for _, r := range list {
		ids = append(ids, id(r))
	}
	return ids
}

// Two rows of a batch are as two commands.
func TestExternalIDsOfABatch(t *testing.T) {
	s := newShop(t)
	row := stock.CreateSKU{SKUFields: stock.SKUFields{Name: "x", Code: new("c")},
		Labels: label.LabelsPatch{External: externally("c")}}
	s.do(Batch{Rows: []Row{row}})
	again := stock.CreateSKU{SKUFields: stock.SKUFields{Name: "y"},
		Labels: label.LabelsPatch{External: externally("d")}}
	require.Equal(t, []string{"/1/externalId"}, pointers(s.refused(base.CodeInvalid, Batch{Rows: []Row{again, again}})))
	require.Equal(t, []string{"/1"},
		pointers(s.refused(base.CodeInvalid,
			Batch{Rows: []Row{again, stock.CreateSKU{SKUFields: stock.SKUFields{Name: "z"}, Labels: row.Labels}}})))
}
