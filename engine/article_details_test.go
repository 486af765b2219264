package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds what an article says beside its stock, and what a SKU says of its articles.

func TestDetailsOfArticles(t *testing.T) {
	s := newShop(t)
	sku := s.do(CreateSKU{Name: "Bike", PurchasePrice: ptr(int64(100))}).(*SKU)
	full := DetailsPatch{
		ItemCosts: Some(int64(30)), CategoryID: Some("c1"), ParentID: Some("p"), Path: Some("/a/b"),
		Category: Some(TaxonomyCategory{ID: "c1", Name: ptr("Bikes"), FullName: ptr("Sport > Bikes"), Level: ptr(int64(2)), ParentID: ptr("c0"), IsLeaf: ptr(true)}),
		Fulfillment: Some([]FieldValue{
			{ID: ptr("x"), Name: ptr("Size"), Key: "size", Value: list("L", "M"), Format: ptr(FormatMultiselect), GroupID: ptr("g"), GroupName: ptr("G"), SystemGroup: ptr("system"), Origin: ptr("sku")},
			{Key: "n", Value: numeric(-1.5)}, {Key: "b", Value: boolean(true)}, {Key: "none"},
		}),
		Media: Some([]FilePatch{{Info: &FileInfo{URL: "https://example.com/1.jpg", MimeType: ptr("image/jpeg"), OriginalName: ptr("1.jpg"), FolderPath: ptr("pics"), Size: ptr(int64(5))}},
			{Info: &FileInfo{URL: "https://example.com/2.jpg"}}}),
		Documents: Some([]FilePatch{{Info: &FileInfo{URL: "https://example.com/d.pdf"}, Comment: Some("manual")}}),
	}
	r := s.do(CreateArticle{Name: "one", SKU: &sku.ID, Details: full}).(*Article)
	require.Equal(t, int64(30), *r.ItemCosts)
	d := r.Details
	require.Equal(t, full.Fulfillment.Value, d.Fulfillment)
	require.Equal(t, full.Category.Value, *d.Category)
	require.Equal(t, File{ID: d.Media[0].ID, FileInfo: *full.Media.Value[0].Info, UpdatedAt: noon}, d.Media[0])
	require.Equal(t, "manual", *d.Documents[0].Comment)
	_, profit := s.view().Earnings(r)
	require.Equal(t, int64(-130), profit)
	s.reopen()
	got := s.view().Article(r.ID)
	require.Equal(t, d, got.Details)
	require.Equal(t, r.ItemCosts, got.ItemCosts)

	// Files: another order, a new record under an old id, a new one, and one that goes.
	s.now += hour
	one, two := d.Media[0].ID, d.Media[1].ID
	n := s.do(PatchArticle{ID: r.ID, PurchasePrice: Some(int64(7)), Details: DetailsPatch{
		ItemCosts: Null[int64](), Path: Null[string](), Category: Null[TaxonomyCategory](), Fulfillment: Null[[]FieldValue](),
		Media:     Some([]FilePatch{{ID: &two}, {ID: &one, Info: &FileInfo{URL: "https://example.com/new.jpg"}}, {Info: &FileInfo{URL: "https://example.com/3.jpg"}}}),
		Documents: Some([]FilePatch{{ID: &d.Documents[0].ID, Comment: Null[string]()}}),
	}}).(*Article)
	require.Equal(t, d.Media[1], n.Details.Media[0], "it only changed its place")
	require.Equal(t, File{ID: one, FileInfo: FileInfo{URL: "https://example.com/new.jpg"}, UpdatedAt: s.now}, n.Details.Media[1])
	require.Equal(t, s.now, n.Details.Media[2].UpdatedAt)
	require.Nil(t, n.Details.Documents[0].Comment)
	require.Equal(t, &ArticleDetails{CategoryID: ptr("c1"), ParentID: ptr("p"), Media: n.Details.Media, Documents: n.Details.Documents}, n.Details)
	_, profit = s.view().Earnings(n)
	require.Equal(t, int64(-7), profit)
	s.do(PatchArticle{ID: r.ID, Name: Some("x")})
	require.Equal(t, n.Details, s.view().Article(r.ID).Details)
	bare := s.do(PatchArticle{ID: r.ID, Details: DetailsPatch{CategoryID: Null[string](), ParentID: Null[string](), Media: Some([]FilePatch{}), Documents: Null[[]FilePatch]()}}).(*Article)
	require.Nil(t, bare.Details)
	s.reopen()

	other := s.do(CreateArticle{Name: "two", Details: DetailsPatch{Media: full.Media}}).(*Article)
	long := strings.Repeat("x", maxPath+1)
	e := s.refused(CodeInvalid, PatchArticle{ID: r.ID, Details: DetailsPatch{
		ItemCosts: Some(int64(maxSafe + 1)), CategoryID: Some(""), ParentID: Some(""), Path: Some(long),
		Category:    Some(TaxonomyCategory{FullName: &long, Level: ptr(int64(-1))}),
		Fulfillment: Some([]FieldValue{{Value: text(strings.Repeat("x", maxNote+1)), Origin: &long}}),
		Media:       Some([]FilePatch{{}, {ID: &other.Details.Media[0].ID}, {ID: &one}, {ID: &one}}),
		Documents:   Some([]FilePatch{{Info: &FileInfo{URL: "ftp://x", MimeType: ptr(""), OriginalName: &long, FolderPath: &long, Size: ptr(int64(-1))}, Comment: Some(strings.Repeat("x", maxNote+1))}}),
	}})
	require.Equal(t, []string{
		"/itemCosts", "/taxonomyCategoryId", "/taxonomyCategory/id", "/taxonomyCategory/fullName", "/taxonomyCategory/level", "/parentId", "/path",
		"/fulfillmentFields/0/key", "/fulfillmentFields/0/origin", "/fulfillmentFields/0/value", "/media/0/media", "/media/3/fileId",
		"/documents/0/document/fileUrl", "/documents/0/document/mimeType", "/documents/0/document/originalName", "/documents/0/document/folderPath", "/documents/0/document/size",
		"/documents/0/comment", "/media/1/fileId", "/media/2/fileId", "/media/3/fileId",
	}, pointers(e))
	e = s.refused(CodeInvalid, CreateArticle{Name: "x", Details: DetailsPatch{Media: Some([]FilePatch{{ID: &one}}), Documents: Some(make([]FilePatch, maxFiles+1)), Fulfillment: Some(make([]FieldValue, maxFields+1))}})
	require.Equal(t, []string{"/fulfillmentFields", "/documents", "/media/0/fileId"}, pointers(e))
}

func TestASKUSumsUpItsArticles(t *testing.T) {
	s := newShop(t)
	a, b := s.sku(), s.sku()
	sum := func(id ID) Aggregate { return s.view().SKU(id).Aggregate() }
	require.Zero(t, sum(a))
	first := s.article(a, 1)
	s.now += hour
	second := s.article(a, 1)
	require.Equal(t, Aggregate{2, s.now, s.now}, sum(a))
	s.now += hour
	s.do(PatchArticle{ID: first, Name: Some("x")})
	require.Equal(t, Aggregate{2, noon + hour, s.now}, sum(a))
	s.do(PatchSKU{ID: a, Name: Some("A"), After: BufferPatch{Amount: Some(int64(1)), Unit: Some(fourHours.Unit)}})
	require.Equal(t, Aggregate{2, noon + hour, s.now}, sum(a))
	s.reopen()
	require.Equal(t, Aggregate{2, noon + hour, s.now}, sum(a))
	s.now += hour
	s.do(PatchArticle{ID: second, SKU: Some(b), Force: true})
	require.Equal(t, Aggregate{1, noon, noon + 2*hour}, sum(a))
	require.Equal(t, Aggregate{1, noon + hour, s.now}, sum(b))
	s.do(DeleteArticle{ID: first})
	require.Zero(t, sum(a))
	s.do(PatchArticle{ID: second, SKU: Null[ID](), Force: true})
	require.Zero(t, sum(b))
	s.reopen()
}
