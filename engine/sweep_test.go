package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file holds what is taken off many records at once.

// A tag that many records have is gone for readers with the command that deletes it. The records follow in parts of
// bounded size, before any other command of the account, also behind a stop.
func TestATagIsTakenOffInParts(t *testing.T) {
	for _, stop := range []bool{false, true} {
		t.Run(fmt.Sprintf("stop=%v", stop), func(t *testing.T) {
			s := newShop(t)
			gone, stays := s.tag("gone", label.TagCustomers), s.tag("stays", label.TagCustomers)
			var ids []base.ID
			for range 11 {
				c := s.do(commerce.CreateCustomer{Contact: base.Changed(commerce.Contact{FirstName: new("Ann")}),
					Labels: label.LabelsPatch{Tags: base.Some([]base.ID{gone, stays})}}).(*commerce.Customer)
				ids = append(ids, c.ID)
			}
			s.bounded(base.Bounds{Swept: 3})
			before := s.view().Sequence()
			s.do(label.DeleteTag{ID: gone})
			if stop {
				s.reopen()
			}
			s.do(commerce.PatchCustomer{ID: ids[10], Contact: base.Changed(commerce.Contact{FirstName: new("Bea")})})
			require.Equal(t, before+5, s.view().Sequence(), "the deletion, three parts more and the patch")
			for i, id := range ids {
				c := commerce.CustomerByID(s.view(), id)
				require.Equal(t, []base.ID{stays}, c.Tags)
				revision := uint64(2)
				if i == 10 {
					revision = 3
				}
				require.Equal(t, revision, c.Revision)
			}
			require.Zero(t, label.SweepingKind.In(s.view().Acc).Len())
			s.reopen()
		})
	}
}

// bikes makes so many SKUs, and as many articles, with the same labels.
func (s *shop) bikes(n int, labels label.LabelsPatch) (skus, articles []base.ID) {
	for range n {
		skus = append(skus,
			s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}, Labels: labels}).(*stock.SKU).ID)
		articles = append(articles,
			s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Bike"},
				Labels: labels}).(*stock.Article).ID)
	}
	return skus, articles
}

// The same of values that have no attribute any more, over all kinds of records.
func TestValuesAreTakenOffInParts(t *testing.T) {
	s := newShop(t)
	d := s.do(label.CreateAttribute{
		AttributeFields: label.AttributeFields{Name: "Size", Key: "size", Format: label.FormatText}}).(*label.Attribute)
	skus, articles := s.bikes(4, values("size", text("M")))
	s.bounded(base.Bounds{Swept: 1})
	s.do(label.DeleteAttribute{ID: d.ID, Force: true})
	s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Last"}})
	for i := range skus {
		require.Empty(t, stock.SKUByID(s.view(), skus[i]).Attributes)
		require.Empty(t, stock.ArticleByID(s.view(), articles[i]).Attributes)
		require.EqualValues(t, 2, stock.SKUByID(s.view(), skus[i]).Revision)
		require.EqualValues(t, 2, stock.ArticleByID(s.view(), articles[i]).Revision)
	}
	require.Zero(t, label.SweepingKind.In(s.view().Acc).Len())
	s.reopen()
}

// A tag of the inventory is on SKUs and on articles.
func TestATagIsTakenOffAllKindsOfItsScope(t *testing.T) {
	s := newShop(t)
	gone := s.tag("gone", label.TagInventory)
	skus, articles := s.bikes(3, label.LabelsPatch{Tags: base.Some([]base.ID{gone})})
	s.bounded(base.Bounds{Swept: 2})
	s.do(label.DeleteTag{ID: gone})
	s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Last"}})
	for i := range skus {
		require.Empty(t, stock.SKUByID(s.view(), skus[i]).Tags)
		require.Empty(t, stock.ArticleByID(s.view(), articles[i]).Tags)
	}
	s.reopen()
}

// The rest of a sweep is due at the same instant as a payment of the orders that it takes a tag off.
func TestATagIsTakenOffWhatIsDue(t *testing.T) {
	s := newShop(t)
	gone := s.tag("gone", label.TagOrders)
	item := base.Item{Article: s.article(base.ID{}, 3)}
	var ids []base.ID
	for range 3 {
		o := s.order(item, base.PurchaseSubscription, s.now, nil, 1, false)
		s.do(label.LinkTags{To: order.OrderLabels, ID: o.ID, Tags: []base.ID{gone}})
		ids = append(ids, o.ID)
	}
	s.bounded(base.Bounds{Swept: 1})
	s.now += day - 1
	s.do(label.DeleteTag{ID: gone})
	s.now++
	require.NoError(t, s.Tick(t.Context()))
	require.Empty(t, s.SetAside())
	for _, id := range ids {
		o := order.OrderByID(s.view(), id)
		require.Empty(t, o.Tags)
		require.Equal(t, s.now+day, o.Lines[0].Subscription.NextBillingAt)
	}
	require.Zero(t, label.SweepingKind.In(s.view().Acc).Len())
	s.reopen()
}

// Sweeps of all kinds of records meet, in commands of few rows, all else that time does to the same records.
func TestSweepsBesideAllThatIsDue(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			s, dice := newShop(t), rand.New(rand.NewPCG(seed, 7))
			s.bounded(base.Bounds{Swept: 1 + dice.IntN(4), DueItems: 1 + dice.IntN(10), DueRows: 1 + dice.IntN(30)})
			s.now++ // the engine is never at the instant of the last change when it starts
			var tags []base.ID
			tagged := func(scope label.TagScope) label.LabelsPatch {
				tags = append(tags, s.tag(fmt.Sprint(len(tags)), scope))
				return label.LabelsPatch{Tags: base.Some([]base.ID{tags[len(tags)-1]})}
			}
			labels := tagged(label.TagInventory)
			sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}, Labels: labels}).(*stock.SKU).ID
			for range 3 {
				s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Bike", SKU: &sku}, Labels: labels,
					Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 9}}})
			}
			people, orders, expires := tagged(label.TagCustomers), tagged(label.TagOrders), int64(2*hour/1000)
			for range 6 {
				s.do(commerce.CreateCustomer{Contact: base.Changed(commerce.Contact{FirstName: new("Ann")}),
					Labels: people})
				o := s.order(base.Item{SKU: sku}, base.PurchaseSubscription, s.now, nil, 1, true)
				s.do(label.LinkTags{To: order.OrderLabels, ID: o.ID, Tags: orders.Tags.Value})
				late := s.rent(base.Item{SKU: sku}, s.now, s.now+hour*int64(1+dice.IntN(30)), 1)
				s.do(label.LinkTags{To: order.OrderLabels, ID: late.ID, Tags: orders.Tags.Value})
				s.do(order.FulfillOrder{ID: late.ID})
				cart := s.booking(base.Item{SKU: sku}, s.now+40*day, s.now+41*day, 1)
				cart.ExpiresIn = &expires
				s.do(cart)
				s.now += int64(dice.IntN(3)) * hour
			}
			for _, i := range dice.Perm(len(tags)) {
				s.now += int64(dice.IntN(48)) * hour
				s.do(label.DeleteTag{ID: tags[i]})
				if dice.IntN(2) == 0 {
					s.shut()
					s.open()
				}
			}
			s.now += day * int64(dice.IntN(2))
			require.NoError(t, s.Tick(t.Context()))
			require.Empty(t, s.SetAside())
			require.Zero(t, label.SweepingKind.In(s.view().Acc).Len())
			s.reopen()
		})
	}
}
