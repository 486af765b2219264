package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the tests of holds whose kit takes something else by now.

// asFormat7 has holds be written as programs up to format 7 did, so that a start knows no more of them than those did.
func asFormat7(t *testing.T) {
	t.Cleanup(restored(hold.HoldKind))
	encode := hold.HoldKind.Encode
	hold.HoldKind.Encode = func(dst []byte, r *hold.HoldRecord) []byte {
		n := *r
		n.Customer, n.Lines = base.ID{}, slices.Clone(r.Lines)
		for i := range n.Lines {
			n.Lines[i].Booked = nil
		}
		return encode(dst, &n)
	}
}

func TestAHoldKeepsWhatItsKitWasMadeOf(t *testing.T) {
	s := newShop(t)
	body, lens, bag := s.sku(), s.sku(), s.sku()
	for _, k := range []base.ID{body, lens, bag} {
		s.article(k, 9)
	}
	of := func(list ...base.ID) (parts []commerce.Component) {
		for _, k := range list {
			parts = append(parts, commerce.Component{Item: base.Item{SKU: k}, Quantity: 1})
		}
		return parts
	}
	kit := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "Film kit",
		Components: of(body, lens)}}).(*commerce.CatalogItem)
	window := base.Span{Start: s.now + day, End: s.now + 2*day}
	line := hold.HoldLineInput{Item: base.Item{CatalogItem: kit.ID}, Location: s.loc, Window: window, Quantity: 2}
	ordered := func(l hold.HoldLine) (list []base.ID) {
		for _, u := range l.Units {
			list = append(list, u.Ordered.SKU)
		}
		return list
	}
	taken := func() (list []int) {
		for _, k := range []base.ID{body, lens, bag} {
			list = append(list, 9-s.available(base.Item{SKU: k}, window.Start, window.End))
		}
		return list
	}
	h, other := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line}}).(*hold.Hold),
		s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line}}).(*hold.Hold)
	require.Equal(t, []base.ID{body, body, lens, lens}, ordered(h.Lines[0]))
	s.do(takes(kit.ID, of(body, bag)...))
	s.reopen()
	kept, _ := hold.HoldByID(s.view(), h.ID)
	require.Equal(t, []base.ID{body, body, lens, lens}, ordered(kept.Lines[0]))

	// More and fewer are of what it was made of; a new line is of what the kit takes now.
	c := s.do(hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{{Line: 0, Quantity: ptr(3)}},
		Add: []hold.HoldLineInput{line}}).(*hold.Hold)
	require.Equal(t, []base.ID{body, body, body, lens, lens, lens}, ordered(c.Lines[0]))
	require.Equal(t, []base.ID{body, body, bag, bag}, ordered(c.Lines[1]))
	require.Equal(t, []int{7, 5, 2}, taken())
	s.reopen()
	c = s.do(hold.ChangeHold{ID: h.ID,
		Change: []hold.HoldLineChange{{Line: 0, Quantity: ptr(1), To: ptr(window.End + hour)}},
		Remove: []int{1}}).(*hold.Hold)
	require.Equal(t, []base.ID{body, lens}, ordered(c.Lines[0]))
	units, total, _ := hold.HoldUnits(s.view(), h.ID, base.Part{Offset: 1, Limit: 5})
	require.Equal(t, []any{2, lens}, []any{total, units[0].Ordered.SKU})
	require.Equal(t, []int{3, 3, 0}, taken())

	// What it was made of stays while it is held, though the kit takes it no more.
	for r := range stock.Articles(s.view()).All() {
		if r.IsOf(lens) {
			s.do(stock.PatchArticle{ID: r.ID, Fields: base.Changed(stock.ArticleFields{}, "skuId"), Force: true})
			require.Equal(t, base.InUseDetails{Resource: "hold", Count: 2},
				s.refused(base.CodeInUse, stock.DeleteSKU{ID: lens}).Details)
			s.do(stock.PatchArticle{ID: r.ID, Fields: base.Changed(stock.ArticleFields{SKU: new(lens)})})
			break
		}
	}

	// So is its order, which says of each unit which component it is.
	o := s.do(order.OrderHold{Holds: []base.ID{other.ID}}).(*order.OrderRecord)
	require.Equal(t, of(body, lens), o.Lines[0].Rest().Components)
	o = s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{Quantity: 3})}).(*order.OrderRecord)
	require.Equal(t, []int{4, 4, 0}, taken())
	o = s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{Quantity: 1})}).(*order.OrderRecord)
	require.Equal(t, []int{2, 2, 0}, taken())
	require.Equal(t, []base.ID{body, lens}, []base.ID{o.Units[0].Ordered.SKU, o.Units[1].Ordered.SKU})
	s.reopen()
}

// A line that an older program made does not say what it was made of: its units are of the kit as it was while it has
// not changed, else nobody can say.
func TestAHoldOfAnOlderProgramSaysWhatItCan(t *testing.T) {
	asFormat7(t)
	s := newShop(t)
	body, bag := s.sku(), s.sku()
	s.article(body, 3)
	s.article(bag, 3)
	kit := s.kit(commerce.Component{Item: base.Item{SKU: body}, Quantity: 1})
	s.now++
	h := s.book(kit, s.now+day, s.now+2*day, 1)
	s.reopen()
	ordered := func() base.Item {
		h, _ := hold.HoldByID(s.view(), h.ID)
		return h.Lines[0].Units[0].Ordered
	}
	require.Equal(t, base.Item{SKU: body}, ordered())
	s.now++
	s.do(takes(kit.CatalogItem, commerce.Component{Item: base.Item{SKU: bag}, Quantity: 1}))
	require.Zero(t, ordered())
	c := s.do(hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{{Line: 0, Quantity: ptr(2)}}}).(*hold.Hold)
	require.Equal(t, base.Item{SKU: bag}, c.Lines[0].Units[0].Ordered)
}
