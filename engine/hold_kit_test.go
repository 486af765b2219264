package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of holds whose kit takes something else by now.

// asFormat7 has holds be written as programs up to format 7 did, so that a start knows no more of them than those did.
func asFormat7(t *testing.T) {
	t.Cleanup(holdKind.restored())
	encode := holdKind.encode
	holdKind.encode = func(dst []byte, r *holdRecord) []byte {
		n := *r
		n.customer, n.lines = ID{}, slices.Clone(r.lines)
		for i := range n.lines {
			n.lines[i].booked = nil
		}
		return encode(dst, &n)
	}
}

func TestAHoldKeepsWhatItsKitWasMadeOf(t *testing.T) {
	s := newShop(t)
	body, lens, bag := s.sku(), s.sku(), s.sku()
	for _, k := range []ID{body, lens, bag} {
		s.article(k, 9)
	}
	of := func(list ...ID) (parts []Component) {
		for _, k := range list {
			parts = append(parts, Component{Item{SKU: k}, 1})
		}
		return parts
	}
	kit := s.do(CreateCatalogItem{Name: "Film kit", Components: of(body, lens)}).(*CatalogItem)
	window := Span{Start: s.now + day, End: s.now + 2*day}
	line := HoldLineInput{Item: Item{CatalogItem: kit.ID}, Location: s.loc, Window: window, Quantity: 2}
	ordered := func(l HoldLine) (list []ID) {
		for _, u := range l.Units {
			list = append(list, u.Ordered.SKU)
		}
		return list
	}
	taken := func() (list []int) {
		for _, k := range []ID{body, lens, bag} {
			list = append(list, 9-s.available(Item{SKU: k}, window.Start, window.End))
		}
		return list
	}
	h, other := s.do(PlaceHold{Lines: []HoldLineInput{line}}).(*Hold), s.do(PlaceHold{Lines: []HoldLineInput{line}}).(*Hold)
	require.Equal(t, []ID{body, body, lens, lens}, ordered(h.Lines[0]))
	s.do(PatchCatalogItem{ID: kit.ID, Components: Some(of(body, bag))})
	s.reopen()
	kept, _ := s.view().Hold(h.ID)
	require.Equal(t, []ID{body, body, lens, lens}, ordered(kept.Lines[0]))

	// More and fewer are of what it was made of; a new line is of what the kit takes now.
	c := s.do(ChangeHold{ID: h.ID, Change: []HoldLineChange{{Line: 0, Quantity: ptr(3)}}, Add: []HoldLineInput{line}}).(*Hold)
	require.Equal(t, []ID{body, body, body, lens, lens, lens}, ordered(c.Lines[0]))
	require.Equal(t, []ID{body, body, bag, bag}, ordered(c.Lines[1]))
	require.Equal(t, []int{7, 5, 2}, taken())
	s.reopen()
	c = s.do(ChangeHold{ID: h.ID, Change: []HoldLineChange{{Line: 0, Quantity: ptr(1), To: ptr(window.End + hour)}}, Remove: []int{1}}).(*Hold)
	require.Equal(t, []ID{body, lens}, ordered(c.Lines[0]))
	units, total, _ := s.view().HoldUnits(h.ID, Part{1, 5})
	require.Equal(t, []any{2, lens}, []any{total, units[0].Ordered.SKU})
	require.Equal(t, []int{3, 3, 0}, taken())

	// What it was made of stays while it is held, though the kit takes it no more.
	for r := range s.view().Articles().All() {
		if r.isOf(lens) {
			s.do(PatchArticle{ID: r.ID, SKU: Null[ID](), Force: true})
			require.Equal(t, InUseDetails{"hold", 2}, s.refused(CodeInUse, DeleteSKU{ID: lens}).Details)
			s.do(PatchArticle{ID: r.ID, SKU: Some(lens)})
			break
		}
	}

	// So is its order, which says of each unit which component it is.
	o := s.do(OrderHold{Holds: []ID{other.ID}}).(*OrderRecord)
	require.Equal(t, of(body, lens), o.Lines[0].Rest().Components)
	o = s.do(PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, Quantity: Some(3)}).(*OrderRecord)
	require.Equal(t, []int{4, 4, 0}, taken())
	o = s.do(PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, Quantity: Some(1)}).(*OrderRecord)
	require.Equal(t, []int{2, 2, 0}, taken())
	require.Equal(t, []ID{body, lens}, []ID{o.Units[0].Ordered.SKU, o.Units[1].Ordered.SKU})
	s.reopen()
}

// A line that an older program made does not say what it was made of: its units are of the kit as it was while it has not changed, else nobody can say.
func TestAHoldOfAnOlderProgramSaysWhatItCan(t *testing.T) {
	asFormat7(t)
	s := newShop(t)
	body, bag := s.sku(), s.sku()
	s.article(body, 3)
	s.article(bag, 3)
	kit := s.kit(Component{Item{SKU: body}, 1})
	s.now++
	h := s.book(kit, s.now+day, s.now+2*day, 1)
	s.reopen()
	ordered := func() Item {
		h, _ := s.view().Hold(h.ID)
		return h.Lines[0].Units[0].Ordered
	}
	require.Equal(t, Item{SKU: body}, ordered())
	s.now++
	s.do(PatchCatalogItem{ID: kit.CatalogItem, Components: Some([]Component{{Item{SKU: bag}, 1}})})
	require.Zero(t, ordered())
	c := s.do(ChangeHold{ID: h.ID, Change: []HoldLineChange{{Line: 0, Quantity: ptr(2)}}}).(*Hold)
	require.Equal(t, Item{SKU: bag}, c.Lines[0].Units[0].Ordered)
}
