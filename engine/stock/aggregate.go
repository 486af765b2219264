package stock

import (
	"holdfast/engine/base"
)

// This file owns what a SKU knows of its articles as a whole. It is derived, and kept up to date with every article
// that is written, so that a page of articles counts nothing.

// Aggregate sums up the articles of a SKU.
type Aggregate struct {
	Count       int
	LastCreated int64
	LastUpdated int64
}

// Aggregate sums up the SKU's articles. It is empty in a SKU that a command answers with: read it from a view.
func (s *SKU) Aggregate() Aggregate { return s.articles }

// setAggregate puts a SKU's sum in place of the one it has.
func setAggregate(a *base.AccountState, s *SKU, sum Aggregate) {
	if s.articles != sum {
		n := *s
		n.articles = sum
		SKUTable(a).Put(&n)
	}
}

// aggregate brings the sums of the SKUs up to date of which an article is or was; the article is in its table as it is
// now.
func aggregate(a *base.AccountState, before, after *Article) {
	var left, joined *base.ID
	if before != nil {
		left = before.SKU
	}
	if after != nil {
		joined = after.SKU
	}
	stays := left != nil && joined != nil && *left == *joined
	if left != nil && !stays {
		s := SKUTable(a).Get(*left)
		sum := s.articles
		if sum.Count--; sum.LastCreated == base.CreatedAt(before.ID) || sum.LastUpdated == before.UpdatedAt {
			sum = summed(a, s)
		}
		setAggregate(a, s, sum)
	}
	if joined != nil {
		s := SKUTable(a).Get(*joined)
		sum := s.articles
		if !stays {
			sum.Count++
		}
		sum.add(after)
		setAggregate(a, s, sum)
	}
}

func (x *Aggregate) add(r *Article) {
	x.LastCreated, x.LastUpdated = max(x.LastCreated, base.CreatedAt(r.ID)), max(x.LastUpdated, r.UpdatedAt)
}

// summed goes through all articles of a SKU.
func summed(a *base.AccountState, s *SKU) (sum Aggregate) {
	for r := range ArticleTable(a).By(ArticleBySKU, string(s.ID[:])) {
		sum.Count++
		sum.add(r)
	}
	return sum
}

// aggregateAll sums up the articles of all SKUs, at start-up: nothing else has read the SKUs yet, so they may be
// changed.
func aggregateAll(a *base.AccountState) {
	for r := range ArticleTable(a).All() {
		if r.SKU != nil {
			s := SKUTable(a).Get(*r.SKU)
			s.articles.Count++
			s.articles.add(r)
		}
	}
}
