package engine

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
)

// This file owns the tests of what would be.

// What is tried on a copy comes to the same as what is done.
func TestWhatIfSaysWhatComesOfIt(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := newShop(t)
		porto := s.do(stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
		sku := s.sku(fourHours)
		articles := []base.ID{s.article(sku, 2), s.article(sku, 1), s.article(base.ID{}, 2)}
		items := []base.Item{{SKU: sku}, {Article: articles[0]}, {Article: articles[2]},
			s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1},
				commerce.Component{Item: base.Item{Article: articles[2]}, Quantity: 1})}
		place := func() hold.PlaceHold {
			from := noon + int64(r.IntN(30))*hour
			o := s.booking(items[r.IntN(4)], from, from+int64(1+r.IntN(20))*hour, 1)
			if r.IntN(5) == 0 {
				o.Lines[0].Location = porto
			}
			return o
		}
		var holds []base.ID
		for range 8 {
			if h, err := s.try(place()); err == nil {
				holds = append(holds, h.(*hold.Hold).ID)
			}
		}
		if r.IntN(2) == 0 {
			s.try(stock.DecreaseQuantity{Article: articles[0], Location: s.loc, Amount: 1, Force: true})
		}
		var changes []base.Op
		for range 4 {
			location := s.loc
			if r.IntN(3) == 0 {
				location = porto
			}
			switch r.IntN(4) {
			case 0:
				changes = append(changes, place())
			case 1:
				changes = append(changes, hold.ReleaseHold{ID: holds[r.IntN(len(holds))]})
			case 2:
				changes = append(changes,
					stock.IncreaseQuantity{Article: articles[r.IntN(3)], Location: location, Amount: 1 + r.IntN(2)})
			case 3:
				changes = append(changes, stock.DecreaseQuantity{Article: articles[r.IntN(3)], Location: location,
					Amount: 1, Force: r.IntN(2) == 0})
			}
		}
		before := s.view()
		seq, hash := s.State()
		tried, refusal := hold.WhatIf(before, changes, s.Now())
		gotSeq, gotHash := s.State()
		require.Equal(t, []any{seq, hash}, []any{gotSeq, gotHash})
		require.NoError(t, s.Check(), "the state was not touched")
		var done error
		for _, op := range changes {
			if _, done = s.try(op); done != nil {
				break
			}
		}
		if done != nil {
			require.ErrorIs(t, refusal, &base.Error{Code: done.(*base.Error).Code}, "seed %d", seed)
			continue
		}
		require.NoError(t, refusal, "seed %d", seed)
		for _, i := range items {
			for _, location := range []base.ID{{}, s.loc, porto} {
				for range 6 {
					from := noon + int64(r.IntN(50))*hour
					q := hold.Query{Item: i, Location: location,
						Window: base.Span{Start: from, End: from + int64(1+r.IntN(9))*hour}}
					want, err := hold.Available(s.view(), q, s.Now())
					require.NoError(t, err)
					got, err := hold.Available(tried, q, s.Now())
					require.NoError(t, err)
					require.Equal(t, want, got, "seed %d: %+v after %+v", seed, q, changes)
				}
			}
		}
	}
}

func TestWhatIfNamesTheChangeThatIsRefused(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	i := base.Item{Article: article}
	h := s.book(i, noon, noon+day, 1)
	tried := func(code base.Code, changes ...base.Op) *base.Error {
		t.Helper()
		_, err := hold.WhatIf(s.view(), changes, s.now)
		require.ErrorIs(t, err, &base.Error{Code: code})
		return err.(*base.Error)
	}
	e := tried(base.CodeInsufficient, hold.ReleaseHold{ID: h.ID}, s.booking(i, noon, noon+day, 1),
		s.booking(i, noon, noon+day, 1))
	require.Contains(t, e.Detail, "(change 2)")
	require.Equal(t, 0, e.Details.(base.ShortageDetails).Lines[0].Available)
	tried(base.CodeNotFound, hold.ReleaseHold{ID: h.ID}, hold.ReleaseHold{ID: h.ID})
	tried(base.CodeQuantityBlocked, stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1})
	tried(base.CodeNotFound, stock.IncreaseQuantity{Article: h.ID, Location: s.loc, Amount: 1})
	e = tried(base.CodeInvalid, stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: base.MaxUnits},
		stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: base.MaxUnits},
		stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 1})
	require.Equal(t, "/changes/2", e.Faults[0].Pointer)
	after, err := hold.WhatIf(s.view(),
		[]base.Op{stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, Force: true},
			stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 2}}, s.now)
	require.NoError(t, err)
	a, err := hold.Available(after, hold.Query{Item: i, Window: base.Span{Start: noon, End: noon + day}}, s.now)
	require.NoError(t, err)
	require.Equal(t, stock.Availability{Available: 1, Stock: 2, Committed: 1, Exact: true}, a,
		"the conflict has got a unit again")
}

// Many ask what would be of one snapshot, while the writer goes on.
func TestWhatIfBesideTheWriter(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 3)
	v := s.view()
	porto := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
	var askers sync.WaitGroup
	for range 4 {
		askers.Go(func() {
			for n := range 50 {
				w, err := hold.WhatIf(v, []base.Op{
					stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 1 + n%3},
					s.booking(base.Item{SKU: sku}, noon, noon+day, 3),
				}, noon)
				if err != nil {
					t.Errorf("what if: %v", err)
					return
				}
				a, _ := hold.Available(w, hold.Query{Item: base.Item{SKU: sku}, Location: s.loc,
					Window: base.Span{Start: noon, End: noon + day}}, noon)
				if a.Available != 1+n%3 {
					t.Errorf("%d are left, want %d", a.Available, 1+n%3)
				}
			}
		})
	}
	for n := range 50 {
		s.do(stock.IncreaseQuantity{Article: article, Location: []base.ID{s.loc, porto}[n%2], Amount: 1})
	}
	askers.Wait()
}
