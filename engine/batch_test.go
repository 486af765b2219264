package engine

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file owns the tests of batches.

// A batch comes to what its rows come to one after the other, and is refused as soon as one of them would be.
func TestBatchIsItsRowsInOrder(t *testing.T) {
	long(t)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 5))
		one, many := newShop(t), newShop(t)
		var items [2][]base.Item
		for i, s := range []*shop{one, many} {
			sku := s.sku(fourHours)
			s.article(sku, 2)
			a := s.article(sku, 1)
			items[i] = []base.Item{{SKU: sku}, {Article: a},
				s.kit(commerce.Component{Item: base.Item{SKU: sku}, Quantity: 1},
					commerce.Component{Item: base.Item{Article: s.article(base.ID{}, 1)}, Quantity: 1})}
		}
		var batch Batch
		refused := map[string]bool{}
		for n := range 12 {
			rows := [2]hold.PlaceHold{{AllowPast: true}, {AllowPast: true}}
			for range 1 + r.IntN(2) {
				item, from := r.IntN(3), noon+int64(r.IntN(60)-10)*hour
				to := from + int64(1+r.IntN(8))*hour
				for i, s := range []*shop{one, many} {
					rows[i].Lines = append(rows[i].Lines, s.booking(items[i][item], from, to, 1).Lines...)
				}
			}
			batch.Rows = append(batch.Rows, rows[1])
			if _, err := one.try(rows[0]); err != nil {
				refused[strconv.Itoa(n)] = true
			}
		}
		if len(refused) > 0 {
			e := many.refused(base.CodeInvalid, batch)
			named := map[string]bool{}
			for _, f := range e.Faults {
				require.Equal(t, string(base.CodeInsufficient), f.Code)
				for n := 1; n < len(f.Pointer); n++ {
					if f.Pointer[n] == '/' {
						named[f.Pointer[1:n]] = true
						break
					}
				}
			}
			require.Equal(t, refused, named, "the rows that were refused one by one")
			var rest Batch
			for n, row := range batch.Rows {
				if !refused[strconv.Itoa(n)] {
					rest.Rows = append(rest.Rows, row)
				}
			}
			batch = rest
		}
		require.Equal(t, &BatchResult{len(batch.Rows)}, many.do(batch))
		for from := noon - 10*hour; from < noon+60*hour; from += hour {
			for i := range items[0] {
				require.Equal(t, one.available(items[0][i], from, from+hour),
					many.available(items[1][i], from, from+hour))
			}
		}
		many.reopen()
	}
}

func TestBatchNamesAllFaults(t *testing.T) {
	s := newShop(t)
	code := "BIKE"
	s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike", Code: &code}})
	other := "HELMET"
	e := s.refused(base.CodeInvalid, Batch{Rows: []Row{
		stock.CreateSKU{SKUFields: stock.SKUFields{Name: ""}},
		stock.CreateSKU{SKUFields: stock.SKUFields{Name: "x", Code: &other}},
		stock.CreateSKU{SKUFields: stock.SKUFields{Name: "y", Code: &other, PurchasePrice: new(int64)}},
		stock.CreateSKU{SKUFields: stock.SKUFields{Name: "z"},
			Labels: label.LabelsPatch{Attributes: base.Some([]label.AttributeInput{{Key: "color"}})}},
	}})
	var got []string
	for _, f := range e.Faults {
		got = append(got, f.Pointer+" "+f.Code)
	}
	require.Equal(t, []string{"/0/name required", "/2/code duplicate", "/3/attributes/color unknown"}, got)
	e = s.refused(base.CodeInvalid,
		Batch{Rows: []Row{stock.CreateSKU{SKUFields: stock.SKUFields{Name: "a"}},
			stock.CreateSKU{SKUFields: stock.SKUFields{Name: "b", Code: &code}},
			stock.CreateSKU{SKUFields: stock.SKUFields{Name: "c"},
				Labels: label.LabelsPatch{Tags: base.Some([]base.ID{{1}})}}}})
	require.Equal(t, []base.Fault{
		{Pointer: "/1", Code: "CONFLICT", Message: `another SKU has the code "BIKE"`},
		{Pointer: "/2", Code: "NOT_FOUND", Message: "no tag with this id"},
	}, e.Faults)
	s.refused(base.CodeInvalid, Batch{})
	s.refused(base.CodeInvalid, Batch{Rows: make([]Row, MaxBatch+1)})
}

// An article that an account can have fits into a batch, which has no other row then.
func TestBatchOfOneLargeArticle(t *testing.T) {
	s := newShop(t)
	row := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Chair"}}
	for range batchRows/base.MaxCount + 1 {
		row.Quantities = append(row.Quantities, stock.InitialQuantity{Location: s.loc, Count: base.MaxCount})
	}
	small := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Table"}}
	require.Contains(t, s.refused(base.CodeInvalid, Batch{Rows: []Row{row, small}}).Faults[0].Message,
		"would change more than 25000 rows at once")
	require.Equal(t, &BatchResult{1}, s.do(Batch{Rows: []Row{row}}))
	for r := range stock.Articles(s.view()).All() {
		require.Equal(t, []stock.Stay{{Location: s.loc, From: s.now, Count: 3 * base.MaxCount}},
			stock.StayingOf(s.view(), r, s.now).Units)
	}
}

// New units of a batch go to the conflicts that wait for them, once all are there; and a repeat under a key does
// nothing.
func TestBatchOfArticles(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a := s.article(sku, 2)
	s.book(base.Item{SKU: sku}, noon+day, noon+2*day, 2)
	s.do(stock.DecreaseQuantity{Article: a, Location: s.loc, Amount: 2, Force: true})
	require.Equal(t, 2, s.view().Acc.Stock.ConflictLen())
	row := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "New", SKU: &sku},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1}, {Location: s.loc, Count: 1}}}
	cmd := Command{Account: s.acc, Op: Batch{Rows: []Row{row, row}},
		Idem: &Idempotency{Key: base.ID{1}, Fingerprint: base.ID{2}}}
	for _, replayed := range []bool{false, true} {
		res, err := s.Do(cmd)
		require.NoError(t, err)
		require.Equal(t, &BatchResult{2}, res.Record)
		require.Equal(t, replayed, res.Replayed)
	}
	require.Zero(t, s.view().Acc.Stock.ConflictLen())
	require.Equal(t, 3, stock.Articles(s.view()).Len())
	require.Equal(t, 2, s.available(base.Item{SKU: sku}, noon+day, noon+2*day))
	for r := range stock.Articles(s.view()).From(base.After(a, 1)) {
		require.Equal(t,
			stock.Staying{Units: []stock.Stay{{Location: s.loc, From: s.now, Count: 2}}},
			stock.StayingOf(s.view(), r, noon))
	}
	s.reopen()
}
