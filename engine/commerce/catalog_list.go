package commerce

import (
	"slices"
	"strings"

	"holdfast/engine/base"
)

// This file owns the list of catalog items.

// CatalogFilter says which items a list has. Text compares without case.
type CatalogFilter struct {
	Active, Archived bool            // which of the two
	Status           []CatalogStatus // none: all
	Search           string          // a part of the name or the internal name
	External         string          // the external id; empty: any
}

// Catalog lists catalog items in order of creation: those from offset on, at most limit, and how many fit.
func Catalog(v base.View, f CatalogFilter, offset, limit int) (page []*CatalogItem, total int) {
	search := base.Uncased(f.Search)
	all := CatalogTable(v.Acc).All()
	if f.External != "" {
		all = CatalogTable(v.Acc).By(catalogByExternal, f.External)
	}
	return base.PageOf(all, func(i *CatalogItem) bool { return f.fits(i, search) }, offset, limit)
}

func (f CatalogFilter) fits(i *CatalogItem, search string) bool {
	if archived := i.ArchivedAt != nil; archived && !f.Archived || !archived && !f.Active {
		return false
	}
	if len(f.Status) > 0 && !slices.Contains(f.Status, i.Status) {
		return false
	}
	return search == "" || strings.Contains(base.Uncased(i.Name), search) ||
		strings.Contains(base.Uncased(i.Shown()), search)
}

// Shown is the item's internal name, or the name of one that has none.
func (i *CatalogItem) Shown() string {
	if i.InternalName != nil {
		return *i.InternalName
	}
	return i.Name
}
