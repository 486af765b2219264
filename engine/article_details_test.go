package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file holds what an article says beside its stock, and what a SKU says of its articles.

func TestDetailsOfArticles(t *testing.T) {
	s := newShop(t)
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike", PurchasePrice: ptr(int64(100))}}).(*stock.SKU)
	full := stock.DetailsPatch{
		ItemCosts: base.Some(int64(30)),
		Place:     base.Changed(stock.ArticlePlace{CategoryID: ptr("c1"), ParentID: ptr("p"), Path: ptr("/a/b")}),
		Category: base.Some(stock.TaxonomyCategory{ID: "c1", Name: ptr("Bikes"), FullName: ptr("Sport > Bikes"),
			Level: ptr(int64(2)), ParentID: ptr("c0"), IsLeaf: ptr(true)}),
		Fulfillment: base.Some([]stock.FieldValue{
			{ID: ptr("x"), Name: ptr("Size"), Key: "size", Value: list("L", "M"), Format: ptr(label.FormatMultiselect),
				GroupID: ptr("g"), GroupName: ptr("G"), SystemGroup: ptr(stock.SystemGroup("system")),
				Origin: ptr(stock.FieldOrigin("sku"))},
			{Key: "n", Value: numeric(-1.5)}, {Key: "b", Value: boolean(true)}, {Key: "none"},
		}),
		Media: base.Some([]stock.FilePatch{
			{Info: &stock.FileInfo{URL: "https://example.com/1.jpg", MimeType: ptr("image/jpeg"),
				OriginalName: ptr("1.jpg"), FolderPath: ptr("pics"), Size: ptr(int64(5))}},
			{Info: &stock.FileInfo{URL: "https://example.com/2.jpg"}}}),
		Documents: base.Some(
			[]stock.FilePatch{{Info: &stock.FileInfo{URL: "https://example.com/d.pdf"}, Comment: base.Some("manual")}}),
	}
	r := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "one", SKU: &sku.ID},
		Details: full}).(*stock.Article)
	require.Equal(t, int64(30), *r.ItemCosts)
	d := r.Details
	require.Equal(t, full.Fulfillment.Value, d.Fulfillment)
	require.Equal(t, full.Category.Value, *d.Category)
	require.Equal(t, stock.File{ID: d.Media[0].ID, FileInfo: *full.Media.Value[0].Info, UpdatedAt: noon}, d.Media[0])
	require.Equal(t, "manual", *d.Documents[0].Comment)
	_, profit := stock.Earnings(s.view(), r)
	require.Equal(t, int64(-130), profit)
	s.reopen()
	got := stock.ArticleByID(s.view(), r.ID)
	require.Equal(t, d, got.Details)
	require.Equal(t, r.ItemCosts, got.ItemCosts)

	// Files: another order, a new record under an old id, a new one, and one that goes.
	s.now += hour
	one, two := d.Media[0].ID, d.Media[1].ID
	n := s.do(stock.PatchArticle{ID: r.ID, Fields: base.Changed(stock.ArticleFields{PurchasePrice: new(int64(7))}),
		Details: stock.DetailsPatch{
			ItemCosts: base.Null[int64](), Place: base.Changed(stock.ArticlePlace{}, "path"),
			Category:    base.Null[stock.TaxonomyCategory](),
			Fulfillment: base.Null[[]stock.FieldValue](),
			Media: base.Some([]stock.FilePatch{{ID: &two},
				{ID: &one, Info: &stock.FileInfo{URL: "https://example.com/new.jpg"}},
				{Info: &stock.FileInfo{URL: "https://example.com/3.jpg"}}}),
			Documents: base.Some([]stock.FilePatch{{ID: &d.Documents[0].ID, Comment: base.Null[string]()}}),
		}}).(*stock.Article)
	require.Equal(t, d.Media[1], n.Details.Media[0], "it only changed its place")
	require.Equal(t, stock.File{ID: one, FileInfo: stock.FileInfo{URL: "https://example.com/new.jpg"},
		UpdatedAt: s.now}, n.Details.Media[1])
	require.Equal(t, s.now, n.Details.Media[2].UpdatedAt)
	require.Nil(t, n.Details.Documents[0].Comment)
	require.Equal(t, &stock.ArticleDetails{
		ArticlePlace: stock.ArticlePlace{CategoryID: ptr("c1"), ParentID: ptr("p")}, Media: n.Details.Media,
		Documents: n.Details.Documents}, n.Details)
	_, profit = stock.Earnings(s.view(), n)
	require.Equal(t, int64(-7), profit)
	s.do(stock.PatchArticle{ID: r.ID, Fields: base.Changed(stock.ArticleFields{Name: "x"})})
	require.Equal(t, n.Details, stock.ArticleByID(s.view(), r.ID).Details)
	bare := s.do(stock.PatchArticle{ID: r.ID, Details: stock.DetailsPatch{
		Place: base.Changed(stock.ArticlePlace{}, "taxonomyCategoryId", "parentId"),
		Media: base.Some([]stock.FilePatch{}), Documents: base.Null[[]stock.FilePatch]()}}).(*stock.Article)
	require.Nil(t, bare.Details)
	s.reopen()

	other := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "two"},
		Details: stock.DetailsPatch{Media: full.Media}}).(*stock.Article)
	long := strings.Repeat("x", 2049)
	e := s.refused(base.CodeInvalid, stock.PatchArticle{ID: r.ID, Details: stock.DetailsPatch{
		ItemCosts: base.Some(int64(base.MaxSafe + 1)),
		Place:     base.Changed(stock.ArticlePlace{CategoryID: ptr(""), ParentID: ptr(""), Path: &long}),
		Category:  base.Some(stock.TaxonomyCategory{FullName: &long, Level: ptr(int64(-1))}),
		Fulfillment: base.Some([]stock.FieldValue{{Value: text(strings.Repeat("x", base.MaxNote+1)),
			Origin: ptr(stock.FieldOrigin(long))}}),
		Media: base.Some([]stock.FilePatch{{}, {ID: &other.Details.Media[0].ID}, {ID: &one}, {ID: &one}}),
		Documents: base.Some([]stock.FilePatch{
			{Info: &stock.FileInfo{URL: "ftp://x", MimeType: ptr(""), OriginalName: &long, FolderPath: &long,
				Size: ptr(int64(-1))}, Comment: base.Some(strings.Repeat("x", base.MaxNote+1))}}),
	}})
	require.Equal(t, []string{
		"/itemCosts", "/taxonomyCategoryId", "/parentId", "/path", "/taxonomyCategory/id", "/taxonomyCategory/fullName",
		"/taxonomyCategory/level",
		"/fulfillmentFields/0/key", "/fulfillmentFields/0/origin", "/fulfillmentFields/0/value", "/media/0/media",
		"/media/3/fileId",
		"/documents/0/document/fileUrl", "/documents/0/document/mimeType", "/documents/0/document/originalName",
		"/documents/0/document/folderPath", "/documents/0/document/size",
		"/documents/0/comment", "/media/1/fileId", "/media/2/fileId", "/media/3/fileId",
	}, pointers(e))
	e = s.refused(base.CodeInvalid, stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "x"},
		Details: stock.DetailsPatch{Media: base.Some([]stock.FilePatch{{ID: &one}}),
			Documents:   base.Some(make([]stock.FilePatch, stock.MaxFiles+1)),
			Fulfillment: base.Some(make([]stock.FieldValue, stock.MaxFields+1))}})
	require.Equal(t, []string{"/fulfillmentFields", "/documents", "/media/0/fileId"}, pointers(e))
}

func TestASKUSumsUpItsArticles(t *testing.T) {
	s := newShop(t)
	a, b := s.sku(), s.sku()
	sum := func(id base.ID) stock.Aggregate { return stock.SKUByID(s.view(), id).Aggregate() }
	require.Zero(t, sum(a))
	first := s.article(a, 1)
	s.now += hour
	second := s.article(a, 1)
	require.Equal(t, stock.Aggregate{Count: 2, LastCreated: s.now, LastUpdated: s.now}, sum(a))
	s.now += hour
	s.do(stock.PatchArticle{ID: first, Fields: base.Changed(stock.ArticleFields{Name: "x"})})
	require.Equal(t, stock.Aggregate{Count: 2, LastCreated: noon + hour, LastUpdated: s.now}, sum(a))
	s.do(stock.PatchSKU{ID: a, Fields: base.Changed(stock.SKUFields{Name: "A"}),
		After: stock.BufferPatch{Amount: base.Some(int64(1)), Unit: base.Some(fourHours.Unit)}})
	require.Equal(t, stock.Aggregate{Count: 2, LastCreated: noon + hour, LastUpdated: s.now}, sum(a))
	s.reopen()
	require.Equal(t, stock.Aggregate{Count: 2, LastCreated: noon + hour, LastUpdated: s.now}, sum(a))
	s.now += hour
	s.do(stock.PatchArticle{ID: second, Fields: base.Changed(stock.ArticleFields{SKU: new(b)}), Force: true})
	require.Equal(t, stock.Aggregate{Count: 1, LastCreated: noon, LastUpdated: noon + 2*hour}, sum(a))
	require.Equal(t, stock.Aggregate{Count: 1, LastCreated: noon + hour, LastUpdated: s.now}, sum(b))
	s.do(stock.DeleteArticle{ID: first})
	require.Zero(t, sum(a))
	s.do(stock.PatchArticle{ID: second, Fields: base.Changed(stock.ArticleFields{}, "skuId"), Force: true})
	require.Zero(t, sum(b))
	s.reopen()
}
