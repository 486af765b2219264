package stock

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/label"
)

// This file owns what an article's record says in addition to its stock: what it cost, where it stands in the
// merchant's own arrangement of articles, and the files that show or describe it.

// ArticleDetails is the part of an article's record that few articles have.
type ArticleDetails struct {
	ArticlePlace
	Fulfillment []FieldValue `json:",omitempty"` // as given
	Media       []File       `json:",omitempty"`
	Documents   []File       `json:",omitempty"`
}

// ArticlePlace is where an article stands in the merchant's own order of things, as given.
type ArticlePlace struct {
	CategoryID *string           `json:",omitempty" field:"taxonomyCategoryId text 1..255" about:"The id of the category in a taxonomy that is kept elsewhere."`
	Category   *TaxonomyCategory `json:",omitempty"`
	ParentID   *string           `json:",omitempty" field:"parentId text 1..255" about:"The id of the article that it is a part of, as it was given." changed:"Stored as given."`
	Path       *string           `json:",omitempty" field:"path text 1..2048" about:"The path of its category, as it was given." changed:"Stored as given."`
}

// TaxonomyCategory is a category of a taxonomy that is kept elsewhere.
type TaxonomyCategory struct {
	ID       string  `field:"id text 1..255 required" about:"The category's id in its taxonomy."`
	Name     *string `json:",omitempty" field:"name text 0..255" about:"The category's name."`
	FullName *string `json:",omitempty" field:"fullName text 0..2048" about:"The names from the root of the taxonomy down to the category."`
	Level    *int64  `json:",omitempty" field:"level int 0..9007199254740991" about:"How many levels the category is below the root."`
	ParentID *string `json:",omitempty" field:"parentId text 0..255" about:"The id of the category above."`
	IsLeaf   *bool   `json:",omitempty" field:"isLeaf flag" about:"Whether no category is below."`
}

// FieldValue is a value of a fulfillment field: an attribute value whose attribute is kept elsewhere.
type FieldValue struct {
	ID          *string `json:",omitempty" field:"id text 0..255" about:"The field's id where it was made."`
	Name        *string `json:",omitempty" field:"name text 0..255" about:"What people call the field."`
	Key         string  `field:"key text 1..255 required" about:"The key under which programs find the field."`
	Value       label.Value
	Format      *label.AttributeFormat `json:",omitempty" field:"format word" about:"How the value is meant."`
	GroupID     *string                `json:",omitempty" field:"groupId text 0..255" about:"The id of the group that the field is shown in."`
	GroupName   *string                `json:",omitempty" field:"groupName text 0..255" about:"What the group is called."`
	SystemGroup *SystemGroup           `json:",omitempty" field:"systemGroup word" about:"The built-in group that the field belongs to, if any."`
	Origin      *FieldOrigin           `json:",omitempty" field:"origin word" about:"Whose field it is."`
}

// SystemGroup is a built-in group of fields.
type SystemGroup string

// Words are those that a built-in group can be.
func (SystemGroup) Words() []string { return []string{"sustainability", "system"} }

// FieldOrigin is the kind of record that a field is of.
type FieldOrigin string

// Words are those that an origin can be.
func (FieldOrigin) Words() []string { return []string{"article", "sku", "customer", "catalog"} }

// File is the record of a file that lies elsewhere; its place in the list is its place in the order.
type File struct {
	ID base.ID
	FileInfo
	Comment   *string `json:",omitempty"`
	UpdatedAt int64
}

// FileInfo is what a caller says of a file.
type FileInfo struct {
	URL          string  `field:"fileUrl link required" about:"Absolute, http or https. The file itself lies elsewhere."`
	MimeType     *string `json:",omitempty" field:"mimeType text 1..255" about:"The media type of the file, such as image/jpeg."`
	OriginalName *string `json:",omitempty" field:"originalName text 1..255" about:"The file's name where it came from."`
	FolderPath   *string `json:",omitempty" field:"folderPath text 0..2048" about:"The folder that the file is shown in."`
	Size         *int64  `json:",omitempty" field:"size int 0..9007199254740991" about:"Size of the file in bytes."`
}

// FilePatch is a file as it is to be: with an id it is the article's own of that id, in whose record Info is then put,
// if given; without, a new one.
type FilePatch struct {
	ID      *base.ID
	Info    *FileInfo
	Comment base.Opt[string]
}

const (
	MaxFiles  = 100
	MaxFields = 100
)

// DetailsPatch gives an article its details, or other ones. Lists are replaced as a whole.
type DetailsPatch struct {
	ItemCosts   base.Opt[int64]
	Place       base.Changes[ArticlePlace] // but the category, which is replaced as a whole
	Category    base.Opt[TaxonomyCategory]
	Fulfillment base.Opt[[]FieldValue]
	Media       base.Opt[[]FilePatch]
	Documents   base.Opt[[]FilePatch]
}

func (p *DetailsPatch) check(c *base.Checker) {
	c.PatchMoney("/itemCosts", p.ItemCosts)
	p.Place.Check(c, "")
	base.CheckFields(c, "/taxonomyCategory", p.Category.Given())
	if len(p.Fulfillment.Value) > MaxFields {
		c.Fault("/fulfillmentFields", "length", "must have at most 100 entries")
	} else {
		for i := range p.Fulfillment.Value {
			p.Fulfillment.Value[i].check(c, "/fulfillmentFields/"+base.Itoa(i))
		}
	}
	checkFiles(c, "/media", "media", p.Media.Value)
	checkFiles(c, "/documents", "document", p.Documents.Value)
}

func (f *FieldValue) check(c *base.Checker, pointer string) {
	base.CheckFields(c, pointer, f)
	c.Text(pointer+"/value", f.Value.Text, 0, base.MaxNote)
}

// checkFiles checks a list of files; info is the name of the member that has a file's record.
func checkFiles(c *base.Checker, pointer, info string, list []FilePatch) {
	if len(list) > MaxFiles {
		c.Fault(pointer, "length", "must have at most 100 entries")
		return
	}
	seen := map[base.ID]bool{}
	for i, f := range list {
		at := pointer + "/" + base.Itoa(i)
		switch {
		case f.ID != nil && seen[*f.ID]:
			c.Fault(at+"/fileId", "duplicate", "is the id of an earlier file")
		case f.ID != nil:
			seen[*f.ID] = true
		case f.Info == nil:
			c.Fault(at+"/"+info, "required", "is needed for a new file")
		}
		base.CheckFields(c, at+"/"+info, f.Info)
		c.PatchText(at+"/comment", f.Comment, 0, base.MaxNote)
	}
}

// checkOn names the files of a patch that are none of an article's; a new article has none.
func (p *DetailsPatch) checkOn(c *base.Checker, r *Article) {
	var was ArticleDetails
	if r != nil && r.Details != nil {
		was = *r.Details
	}
	known := func(pointer string, list []FilePatch, files []File) {
		for i, f := range list {
			if f.ID != nil && !slices.ContainsFunc(files, func(x File) bool { return x.ID == *f.ID }) {
				c.Fault(pointer+"/"+base.Itoa(i)+"/fileId", "unknown",
					"is the id of no such file of this article; leave it out for a new one")
			}
		}
	}
	known("/media", p.Media.Value, was.Media)
	known("/documents", p.Documents.Value, was.Documents)
}

// apply changes an article's details as a patch says.
func (p *DetailsPatch) apply(t *base.Tx, r *Article) {
	p.ItemCosts.Merge(&r.ItemCosts)
	var n ArticleDetails
	if r.Details != nil {
		n = *r.Details
	}
	n.ArticlePlace = p.Place.Of(n.ArticlePlace)
	p.Category.Merge(&n.Category)
	if p.Fulfillment.Set {
		n.Fulfillment = p.Fulfillment.Value
	}
	if p.Media.Set {
		n.Media = newFiles(t, n.Media, p.Media.Value)
	}
	if p.Documents.Set {
		n.Documents = newFiles(t, n.Documents, p.Documents.Value)
	}
	r.Details = nil
	if n.ArticlePlace != (ArticlePlace{}) || len(n.Fulfillment)+len(n.Media)+len(n.Documents) > 0 {
		r.Details = &n
	}
}

// newFiles makes the files of a patch of those that are there.
func newFiles(t *base.Tx, was []File, list []FilePatch) []File {
	files := make([]File, len(list))
	for i, p := range list {
		var old File
		if p.ID != nil {
			old = was[slices.IndexFunc(was, func(x File) bool { return x.ID == *p.ID })]
		}
		f := &files[i]
		if *f = old; p.ID == nil {
			f.ID = t.NewID()
		}
		if p.Info != nil {
			f.FileInfo = *p.Info
		}
		p.Comment.Merge(&f.Comment)
		if !base.Alike(base.EncodeCold[File], &old, f) {
			f.UpdatedAt = t.Now
		}
	}
	return files
}

// Earnings are an article's income, which orders bring in that are in the account's currency, and what is left of it:
// less what was spent on it and its price, or its SKU's where it has none of its own. Both are at most what a number of
// JSON holds exactly.
func Earnings(v base.View, r *Article) (income, profit int64) {
	income = earned(v.Acc)(r.No)
	profit = income
	for _, spent := range [...]*int64{r.ItemCosts, PurchasePrice(v.Acc, r, nil)} {
		if spent != nil {
			profit -= *spent
		}
	}
	return exact(income), exact(profit)
}

// exact is the amount next to n that a number of JSON holds exactly.
func exact(n int64) int64 { return min(max(n, -base.MaxSafe), base.MaxSafe) }

// PurchasePrice is what an article was bought for, or its SKU where it has no price of its own, or a SKU where there is
// no article; nil: no price was given.
func PurchasePrice(a *base.AccountState, r *Article, s *SKU) *int64 {
	if r != nil {
		if r.PurchasePrice != nil || r.SKU == nil {
			return r.PurchasePrice
		}
		s = SKUTable(a).Get(*r.SKU)
	}
	if s == nil {
		return nil
	}
	return s.PurchasePrice
}

// profits gives the profit of each article by its number, as Earnings does, from columns. It is to be asked in
// ascending order, and looks at each stretch of blocks once.
func profits(a *base.AccountState) func(no uint32) float64 {
	costs, price := fieldSource(FieldItemCosts), fieldSource(FieldPurchasePrice)
	prices := make([]float64, a.Ledger.SKU+1)
	price.skuColumns(a, func(first int, columns *label.Columns) {
		for i := range prices[first:min(first+stretch*blockRows, len(prices))] {
			if f := columns.Row(i); f != nil {
				prices[first+i] = f.Number
			}
		}
	})
	income := incomes(a)
	at := -1
	var facts *[stretch]*blockFacts
	var spent, paid *label.Columns
	return func(no uint32) (profit float64) {
		i := int(no) % (stretch * blockRows)
		if from := int(no) / (stretch * blockRows); from != at {
			at = from
			facts, spent, paid = factsFrom(a, at), costs.columns(a, at), price.columns(a, at)
		}
		profit = income(no)
		if f := spent.Row(i); f != nil {
			profit -= f.Number
		}
		if f := paid.Row(i); f != nil {
			return profit - f.Number
		}
		return profit - prices[facts[i/blockRows].sku[i%blockRows]]
	}
}
