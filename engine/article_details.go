package engine

import "slices"

// This file owns what an article's record says beside its stock: what it cost, where it stands in the merchant's own order of
// things, and the files that show or describe it.

// ArticleDetails is the part of an article's record that few articles have.
type ArticleDetails struct {
	CategoryID  *string           `json:",omitempty"` // of a taxonomy, as given; so are the next four
	Category    *TaxonomyCategory `json:",omitempty"`
	ParentID    *string           `json:",omitempty"`
	Path        *string           `json:",omitempty"`
	Fulfillment []FieldValue      `json:",omitempty"`
	Media       []File            `json:",omitempty"`
	Documents   []File            `json:",omitempty"`
}

// TaxonomyCategory is a category of a taxonomy that is kept elsewhere.
type TaxonomyCategory struct {
	ID       string
	Name     *string `json:",omitempty"`
	FullName *string `json:",omitempty"`
	Level    *int64  `json:",omitempty"`
	ParentID *string `json:",omitempty"`
	IsLeaf   *bool   `json:",omitempty"`
}

// FieldValue is a value of a fulfillment field: an attribute value whose attribute is kept elsewhere.
type FieldValue struct {
	ID          *string `json:",omitempty"`
	Name        *string `json:",omitempty"`
	Key         string
	Value       Value
	Format      *AttributeFormat `json:",omitempty"`
	GroupID     *string          `json:",omitempty"`
	GroupName   *string          `json:",omitempty"`
	SystemGroup *string          `json:",omitempty"`
	Origin      *string          `json:",omitempty"`
}

// File is the record of a file that lies elsewhere; its place in the list is its place in the order.
type File struct {
	ID ID
	FileInfo
	Comment   *string `json:",omitempty"`
	UpdatedAt int64
}

// FileInfo is what a caller says of a file.
type FileInfo struct {
	URL          string
	MimeType     *string `json:",omitempty"`
	OriginalName *string `json:",omitempty"`
	FolderPath   *string `json:",omitempty"`
	Size         *int64  `json:",omitempty"` // in bytes
}

// FilePatch is a file as it is to be: with an id it is the article's own of that id, in whose record Info is then put, if
// given; without, a new one.
type FilePatch struct {
	ID      *ID
	Info    *FileInfo
	Comment Opt[string]
}

const (
	maxFiles  = 100
	maxFields = 100
	maxPath   = 2048
)

// DetailsPatch gives an article its details, or other ones. Lists are replaced as a whole.
type DetailsPatch struct {
	ItemCosts   Opt[int64]
	CategoryID  Opt[string]
	Category    Opt[TaxonomyCategory]
	ParentID    Opt[string]
	Path        Opt[string]
	Fulfillment Opt[[]FieldValue]
	Media       Opt[[]FilePatch]
	Documents   Opt[[]FilePatch]
}

func (p *DetailsPatch) check(c *checker) {
	c.patchMoney("/itemCosts", p.ItemCosts)
	c.patchText("/taxonomyCategoryId", p.CategoryID, 1, maxName)
	if o := p.Category; o.Set && !o.Null {
		o.Value.check(c, "/taxonomyCategory")
	}
	c.patchText("/parentId", p.ParentID, 1, maxName)
	c.patchText("/path", p.Path, 1, maxPath)
	if len(p.Fulfillment.Value) > maxFields {
		c.fault("/fulfillmentFields", "length", "must have at most 100 entries")
	} else {
		for i := range p.Fulfillment.Value {
			p.Fulfillment.Value[i].check(c, "/fulfillmentFields/"+itoa(i))
		}
	}
	c.files("/media", "media", p.Media.Value)
	c.files("/documents", "document", p.Documents.Value)
}

func (x *TaxonomyCategory) check(c *checker, pointer string) {
	c.text(pointer+"/id", x.ID, 1, maxName)
	c.optional(pointer+"/name", x.Name, 0, maxName)
	c.optional(pointer+"/fullName", x.FullName, 0, maxPath)
	c.optional(pointer+"/parentId", x.ParentID, 0, maxName)
	if x.Level != nil && (*x.Level < 0 || *x.Level > maxSafe) {
		c.fault(pointer+"/level", "range", "must be between 0 and 9007199254740991")
	}
}

func (f *FieldValue) check(c *checker, pointer string) {
	c.text(pointer+"/key", f.Key, 1, maxName)
	for _, x := range [...]struct {
		name  string
		value *string
	}{{"id", f.ID}, {"name", f.Name}, {"groupId", f.GroupID}, {"groupName", f.GroupName}, {"systemGroup", f.SystemGroup}, {"origin", f.Origin}} {
		c.optional(pointer+"/"+x.name, x.value, 0, maxName)
	}
	c.text(pointer+"/value", f.Value.Text, 0, maxNote)
}

// files checks a list of files; info is the name of the member that has a file's record.
func (c *checker) files(pointer, info string, list []FilePatch) {
	if len(list) > maxFiles {
		c.fault(pointer, "length", "must have at most 100 entries")
		return
	}
	seen := map[ID]bool{}
	for i, f := range list {
		at := pointer + "/" + itoa(i)
		switch {
		case f.ID != nil && seen[*f.ID]:
			c.fault(at+"/fileId", "duplicate", "is the id of an earlier file")
		case f.ID != nil:
			seen[*f.ID] = true
		case f.Info == nil:
			c.fault(at+"/"+info, "required", "is needed for a new file")
		}
		if x := f.Info; x != nil {
			at := at + "/" + info
			c.link(at+"/fileUrl", x.URL)
			c.optional(at+"/mimeType", x.MimeType, 1, maxName)
			c.optional(at+"/originalName", x.OriginalName, 1, maxName)
			c.optional(at+"/folderPath", x.FolderPath, 0, maxPath)
			if x.Size != nil && (*x.Size < 0 || *x.Size > maxSafe) {
				c.fault(at+"/size", "range", "must be between 0 and 9007199254740991")
			}
		}
		c.patchText(at+"/comment", f.Comment, 0, maxNote)
	}
}

// checkOn names the files of a patch that are none of an article's; a new article has none.
func (p *DetailsPatch) checkOn(r *Article) (faults []Fault) {
	var c checker
	var was ArticleDetails
	if r != nil && r.Details != nil {
		was = *r.Details
	}
	known := func(pointer string, list []FilePatch, files []File) {
		for i, f := range list {
			if f.ID != nil && !slices.ContainsFunc(files, func(x File) bool { return x.ID == *f.ID }) {
				c.fault(pointer+"/"+itoa(i)+"/fileId", "unknown", "is the id of no such file of this article; leave it out for a new one")
			}
		}
	}
	known("/media", p.Media.Value, was.Media)
	known("/documents", p.Documents.Value, was.Documents)
	return c.faults
}

// apply changes an article's details as a patch says.
func (p *DetailsPatch) apply(t *tx, r *Article) {
	p.ItemCosts.merge(&r.ItemCosts)
	var n ArticleDetails
	if r.Details != nil {
		n = *r.Details
	}
	p.CategoryID.merge(&n.CategoryID)
	p.Category.merge(&n.Category)
	p.ParentID.merge(&n.ParentID)
	p.Path.merge(&n.Path)
	if p.Fulfillment.Set {
		n.Fulfillment = p.Fulfillment.Value
	}
	if p.Media.Set {
		n.Media = t.files(n.Media, p.Media.Value)
	}
	if p.Documents.Set {
		n.Documents = t.files(n.Documents, p.Documents.Value)
	}
	r.Details = nil
	if n.CategoryID != nil || n.Category != nil || n.ParentID != nil || n.Path != nil || len(n.Fulfillment)+len(n.Media)+len(n.Documents) > 0 {
		r.Details = &n
	}
}

// files makes the files of a patch of those that are there.
func (t *tx) files(was []File, list []FilePatch) []File {
	files := make([]File, len(list))
	for i, p := range list {
		var old File
		if p.ID != nil {
			old = was[slices.IndexFunc(was, func(x File) bool { return x.ID == *p.ID })]
		}
		f := &files[i]
		if *f = old; p.ID == nil {
			f.ID = t.newID()
		}
		if p.Info != nil {
			f.FileInfo = *p.Info
		}
		p.Comment.merge(&f.Comment)
		if !alike(encodeCold[File], &old, f) {
			f.UpdatedAt = t.now
		}
	}
	return files
}

// Earnings are an article's income, which orders bring in that are in the account's currency, and what is left of it: less what was spent on it and its price, or
// its SKU's where it has none of its own.
func (v View) Earnings(r *Article) (income, profit int64) {
	income = v.acc.earned(r.No)
	profit = income
	for _, spent := range [...]*int64{r.ItemCosts, v.acc.purchasePrice(r, nil)} {
		if spent != nil {
			profit -= *spent
		}
	}
	return income, profit
}

// purchasePrice is what an article was bought for, or its SKU where it has no price of its own, or a SKU where there is no article; nil:
// nobody said.
func (a *account) purchasePrice(r *Article, s *SKU) *int64 {
	if r != nil {
		if r.PurchasePrice != nil || r.SKU == nil {
			return r.PurchasePrice
		}
		s = a.skus().Get(*r.SKU)
	}
	if s == nil {
		return nil
	}
	return s.PurchasePrice
}

// profits gives the profit of each article by its number, as Earnings does, from columns. It is to be asked in ascending
// order, and looks at each block once.
func (a *account) profits() func(no uint32) float64 {
	costs, price := fieldSource(FieldItemCosts), fieldSource(FieldPurchasePrice)
	prices := make([]float64, a.ledger.SKU+1)
	price.skuColumns(a, func(first int, c *column) {
		for i := range blockRows {
			if f := c.row(i); f != nil {
				prices[first+i] = f.number
			}
		}
	})
	income := a.incomes()
	at := -1
	var facts *blockFacts
	var spent, paid *column
	return func(no uint32) (profit float64) {
		i, bit := int(no/blockRows), int(no%blockRows)
		if i != at {
			b := a.articles().Block(i)
			at, facts, spent, paid = i, a.blockFacts(b), costs.articles(b), price.articles(b)
		}
		profit = income(no)
		if f := spent.row(bit); f != nil {
			profit -= f.number
		}
		if f := paid.row(bit); f != nil {
			return profit - f.number
		}
		return profit - prices[facts.sku[bit]]
	}
}
