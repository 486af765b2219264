package engine

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds what other systems keep on records: one record of a kind has an external id, and metadata merges.

func externally(id string, pairs ...string) ExternalPatch {
	p := ExternalPatch{ID: Some(id)}
	for i := 0; i < len(pairs); i += 2 {
		p.Metadata.Set = true
		p.Metadata.Value = append(p.Metadata.Value, MetadataInput{pairs[i], &pairs[i+1]})
	}
	return p
}

func TestExternalIDs(t *testing.T) {
	s := newShop(t)
	name := ContactPatch{FirstName: Some("Ada")}
	labels := func(p ExternalPatch) LabelsPatch { return LabelsPatch{External: p} }
	// Each kind makes a record with an external id, and gives one to a record.
	kinds := []struct {
		name   string
		create func(p ExternalPatch) Op
		patch  func(id ID, p ExternalPatch) Op
		record func(res any) (ID, *External)
		find   func(external string) (ids []ID)
	}{
		{"location", func(p ExternalPatch) Op { return CreateLocation{Name: "x", Timezone: "UTC", External: p} },
			func(id ID, p ExternalPatch) Op { return PatchLocation{ID: id, External: p} },
			func(res any) (ID, *External) { l := res.(*Location); return l.ID, l.External },
			func(x string) []ID {
				list, _ := s.view().FindLocations(&RecordQuery{External: &x}, First)
				return idsOf(list, func(l *Location) ID { return l.ID })
			}},
		{"SKU", func(p ExternalPatch) Op { return CreateSKU{Name: "x", Labels: labels(p)} },
			func(id ID, p ExternalPatch) Op { return PatchSKU{ID: id, Labels: labels(p)} },
			func(res any) (ID, *External) { r := res.(*SKU); return r.ID, r.External },
			func(x string) []ID {
				list, _ := s.view().FindSKUs(&RecordQuery{External: &x}, First)
				return idsOf(list, func(r *SKU) ID { return r.ID })
			}},
		{"article", func(p ExternalPatch) Op { return CreateArticle{Name: "x", Labels: labels(p)} },
			func(id ID, p ExternalPatch) Op { return PatchArticle{ID: id, Labels: labels(p)} },
			func(res any) (ID, *External) { r := res.(*Article); return r.ID, r.External },
			func(x string) []ID {
				list, _, err := s.view().ListArticles(&ArticleQuery{External: &x, Active: true, Limit: 9}, nil)
				require.NoError(t, err)
				return idsOf(list, func(r *Article) ID { return r.ID })
			}},
		{"customer", func(p ExternalPatch) Op { return CreateCustomer{Contact: name, Labels: labels(p)} },
			func(id ID, p ExternalPatch) Op { return PatchCustomer{ID: id, Labels: labels(p)} },
			func(res any) (ID, *External) { r := res.(*Customer); return r.ID, r.External },
			func(x string) []ID {
				list, _ := s.view().FindCustomers(&RecordQuery{External: &x}, First)
				return idsOf(list, func(r *Customer) ID { return r.ID })
			}},
		{"catalog item", func(p ExternalPatch) Op { return CreateCatalogItem{Name: "x", Labels: labels(p)} },
			func(id ID, p ExternalPatch) Op { return PatchCatalogItem{ID: id, Labels: labels(p)} },
			func(res any) (ID, *External) { r := res.(*CatalogItem); return r.ID, r.External },
			func(x string) []ID {
				list, _ := s.view().Catalog(CatalogFilter{Active: true, External: x}, 0, 9)
				return idsOf(list, func(r *CatalogItem) ID { return r.ID })
			}},
		{"order", func(p ExternalPatch) Op { return CreateOrder{OrderInput: OrderInput{Pickup: s.loc, External: p}} },
			func(id ID, p ExternalPatch) Op { return PatchOrder{ID: id, External: p} },
			func(res any) (ID, *External) { r := res.(*OrderRecord); return r.ID, r.External },
			func(x string) []ID {
				list, _ := s.view().ListOrders(&OrderQuery{External: &x, Active: true, Limit: 9})
				return idsOf(list, func(r *Order) ID { return r.ID })
			}},
	}
	for _, k := range kinds {
		a, x := k.record(s.do(k.create(externally("a", "source", "shop", "b", ""))))
		require.Equal(t, &External{ID: "a", Metadata: []Metadata{{"b", ""}, {"source", "shop"}}}, x, k.name)
		b, x := k.record(s.do(k.create(ExternalPatch{})))
		require.Nil(t, x, k.name)
		require.Contains(t, s.refused(CodeConflict, k.create(externally("a"))).Detail, "another "+k.name+" has the external id \"a\": "+a.String())
		s.refused(CodeConflict, k.patch(b, externally("a")))
		require.Equal(t, []ID{a}, k.find("a"), k.name)
		require.Empty(t, k.find("b"), k.name)

		// The same again is no conflict; a text is changed, one is added, one taken away.
		_, x = k.record(s.do(k.patch(a, ExternalPatch{ID: Some("a"), Metadata: Some([]MetadataInput{{"b", nil}, {"none", nil}, {"a", new("new")}, {"source", new("till")}})})))
		require.Equal(t, &External{ID: "a", Metadata: []Metadata{{"a", "new"}, {"source", "till"}}}, x, k.name)
		_, x = k.record(s.do(k.patch(a, ExternalPatch{})))
		require.Equal(t, "a", x.ID, "what is not given stays")
		_, x = k.record(s.do(k.patch(a, ExternalPatch{Metadata: Null[[]MetadataInput]()})))
		require.Equal(t, &External{ID: "a"}, x)
		_, x = k.record(s.do(k.patch(a, ExternalPatch{ID: Null[string]()})))
		require.Nil(t, x)
		_, x = k.record(s.do(k.patch(b, externally("a"))))
		require.Equal(t, "a", x.ID, "it is free again")
		require.Equal(t, []ID{b}, k.find("a"), k.name)
	}
	s.reopen()
	for _, k := range kinds {
		require.Len(t, k.find("a"), 1, k.name)
	}

	// All faults are named, with the pointer of the key.
	long := strings.Repeat("x", 501)
	bad := ExternalPatch{ID: Some(""), Metadata: Some([]MetadataInput{{"", new("x")}, {long[:41], nil}, {"a/b", &long}})}
	require.Equal(t, []string{"/externalId", "/metadata/", "/metadata/" + long[:41], "/metadata/a~1b"}, pointers(s.refused(CodeInvalid, kinds[0].create(bad))))
	var many ExternalPatch
	many.Metadata.Set = true
	for i := range maxMetadata {
		many.Metadata.Value = append(many.Metadata.Value, MetadataInput{"k" + strconv.Itoa(i), new("")})
	}
	id, _ := kinds[0].record(s.do(kinds[0].create(many)))
	s.refused(CodeConflict, kinds[0].patch(id, ExternalPatch{Metadata: Some([]MetadataInput{{"more", new("")}})}))
	many.Metadata.Value = append(many.Metadata.Value, MetadataInput{"more", nil})
	require.Equal(t, []string{"/metadata"}, pointers(s.refused(CodeInvalid, kinds[0].create(many))))
}

func idsOf[R any](list []*R, id func(*R) ID) (ids []ID) {
	for _, r := range list {
		ids = append(ids, id(r))
	}
	return ids
}

// Two rows of a batch are as two commands.
func TestExternalIDsOfABatch(t *testing.T) {
	s := newShop(t)
	row := CreateSKU{Name: "x", Code: new("c"), Labels: LabelsPatch{External: externally("c")}}
	s.do(Batch{Rows: []Row{row}})
	again := CreateSKU{Name: "y", Labels: LabelsPatch{External: externally("d")}}
	require.Equal(t, []string{"/1/externalId"}, pointers(s.refused(CodeInvalid, Batch{Rows: []Row{again, again}})))
	require.Equal(t, []string{"/1"}, pointers(s.refused(CodeInvalid, Batch{Rows: []Row{again, CreateSKU{Name: "z", Labels: row.Labels}}})))
}
