package stock

import (
	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns what an auto-assigned unit was made for. It belongs to that SKU whatever its article is of by now: given other dates it
// asks for that SKU, and as a conflict it waits for it. An article keeps what is over when it goes to another SKU, so that what a unit
// sits on does not say it.

// MadeFor is the SKU that an auto-assigned unit on an article was made for: the one that its line names, or that of the component of a
// kit that it is. It is zero where its line names an article, and where nobody can say which component it is.
func MadeFor(a *base.AccountState, h timeline.Hold, on *Article) base.ID {
	if o := ownerships[h.Flags.Blocker()]; o != nil && !h.Flags.Any(timeline.PinnedArticle|timeline.PinnedSlot) {
		return o.Made(a, h, on)
	}
	return base.ID{}
}

// IsOf says that an article is of a SKU.
func (r *Article) IsOf(sku base.ID) bool { return r != nil && r.SKU != nil && *r.SKU == sku }
