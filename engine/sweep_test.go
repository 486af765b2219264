package engine

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds what is taken off many records at once.

// A tag that many records have is gone for readers with the command that deletes it. The records follow in parts of bounded size,
// before any other command of the account, also behind a stop.
func TestATagIsTakenOffInParts(t *testing.T) {
	for _, stop := range []bool{false, true} {
		t.Run(fmt.Sprintf("stop=%v", stop), func(t *testing.T) {
			s := newShop(t)
			gone, stays := s.tag("gone", TagCustomers), s.tag("stays", TagCustomers)
			var ids []ID
			for range 11 {
				c := s.do(CreateCustomer{Contact: ContactPatch{FirstName: Some("Ann")}, Labels: LabelsPatch{Tags: Some([]ID{gone, stays})}}).(*Customer)
				ids = append(ids, c.ID)
			}
			s.bounded(Bounds{Swept: 3})
			before := s.view().Sequence()
			s.do(DeleteTag{ID: gone})
			if stop {
				s.reopen()
			}
			s.do(PatchCustomer{ID: ids[10], Contact: ContactPatch{FirstName: Some("Bea")}})
			require.Equal(t, before+5, s.view().Sequence(), "the deletion, three parts more and the patch")
			for i, id := range ids {
				c := s.view().Customer(id)
				require.Equal(t, []ID{stays}, c.Tags)
				revision := uint64(2)
				if i == 10 {
					revision = 3
				}
				require.Equal(t, revision, c.Revision)
			}
			require.Zero(t, sweepingKind.in(s.view().acc).Len())
			s.reopen()
		})
	}
}

// The same of values that have no attribute any more, over all kinds of records.
func TestValuesAreTakenOffInParts(t *testing.T) {
	s := newShop(t)
	d := s.do(CreateAttribute{Name: "Size", Key: "size", Format: FormatText}).(*Attribute)
	var skus, articles []ID
	labels := values("size", text("M"))
	for range 4 {
		skus = append(skus, s.do(CreateSKU{Name: "Bike", Labels: labels}).(*SKU).ID)
		articles = append(articles, s.do(CreateArticle{Name: "Bike", Labels: labels}).(*Article).ID)
	}
	s.bounded(Bounds{Swept: 1})
	s.do(DeleteAttribute{ID: d.ID, Force: true})
	s.do(CreateSKU{Name: "Last"})
	for i := range skus {
		require.Empty(t, s.view().SKU(skus[i]).Attributes)
		require.Empty(t, s.view().Article(articles[i]).Attributes)
		require.EqualValues(t, 2, s.view().SKU(skus[i]).Revision)
		require.EqualValues(t, 2, s.view().Article(articles[i]).Revision)
	}
	require.Zero(t, sweepingKind.in(s.view().acc).Len())
	s.reopen()
}

// A tag of the inventory is on SKUs and on articles.
func TestATagIsTakenOffAllKindsOfItsScope(t *testing.T) {
	s := newShop(t)
	gone := s.tag("gone", TagInventory)
	labels := LabelsPatch{Tags: Some([]ID{gone})}
	var skus, articles []ID
	for range 3 {
		skus = append(skus, s.do(CreateSKU{Name: "Bike", Labels: labels}).(*SKU).ID)
		articles = append(articles, s.do(CreateArticle{Name: "Bike", Labels: labels}).(*Article).ID)
	}
	s.bounded(Bounds{Swept: 2})
	s.do(DeleteTag{ID: gone})
	s.do(CreateSKU{Name: "Last"})
	for i := range skus {
		require.Empty(t, s.view().SKU(skus[i]).Tags)
		require.Empty(t, s.view().Article(articles[i]).Tags)
	}
	s.reopen()
}
