package engine

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns what webhooks are told of orders: each change once, whoever made it.

// told counts what was said of orders.
func (s *shop) told(hooks []*Webhook) map[string]int {
	got := map[string]int{}
	for _, w := range hooks {
		list, _ := s.view().Deliveries(w.ID, 0, 0, 1000)
		for _, d := range list {
			got[string(d.Type)+" "+d.Resource.String()]++
		}
	}
	return got
}

func TestEventsOfOrders(t *testing.T) {
	s := newShop(t)
	var hooks []*Webhook
	sku := s.sku()
	first, second := s.article(sku, 1), s.article(sku, 1)
	from, to := s.now+day, s.now+3*day
	for _, typ := range []HookEvent{OrderCreated, OrderUpdated, OrderDeleted} {
		hooks = append(hooks, s.hook(typ))
	}
	order := func(from, to int64) *OrderRecord {
		return s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc, Status: OrderOpen}, Lines: []OrderLineInput{
			{Item: Item{SKU: sku}, Purchase: PurchaseBooking, Quantity: 1, From: &from, To: &to},
		}}).(*OrderRecord)
	}
	a := order(from, to)
	at := a.Units[0].Article
	other := first
	if at == first {
		other = second
	}
	created, updated, deleted := "order.created "+a.ID.String(), "order.updated "+a.ID.String(), "order.deleted "+a.ID.String()
	require.Equal(t, map[string]int{created: 1}, s.told(hooks))

	// A note that is the same changes nothing, so nothing is told.
	s.do(PatchOrder{ID: a.ID, Note: Some("gift")})
	require.Equal(t, map[string]int{created: 1, updated: 1}, s.told(hooks))
	again := s.do(PatchOrder{ID: a.ID, Note: Some("gift")}).(*OrderRecord)
	require.Equal(t, uint64(2), again.Revision)
	require.Equal(t, map[string]int{created: 1, updated: 1}, s.told(hooks))

	// A hold made for the article where the order is moves it to the other one: an event, no revision.
	s.book(Item{Article: other}, to, to+day, 1)
	require.Equal(t, map[string]int{created: 1, updated: 1}, s.told(hooks))
	s.do(PlaceHold{Lines: []HoldLineInput{{Item: Item{SKU: sku}, Location: s.loc, Window: Span{Start: to - day, End: to + day}, Quantity: 1}}})
	moved := s.view().Order(a.ID)
	require.Equal(t, other, moved.Units[0].Article)
	require.Equal(t, uint64(2), moved.Revision)
	require.Equal(t, map[string]int{created: 1, updated: 2}, s.told(hooks))

	// Taken out of stock it is a conflict, which is told, too.
	s.do(DecreaseQuantity{Article: other, Location: s.loc, Amount: 1, Force: true})
	require.True(t, s.view().Order(a.ID).Conflict())
	require.Equal(t, map[string]int{created: 1, updated: 3}, s.told(hooks))

	s.do(DeleteOrder{ID: a.ID})
	require.Equal(t, map[string]int{created: 1, updated: 3, deleted: 1}, s.told(hooks))
	s.refused(CodeNotFound, DeleteOrder{ID: a.ID})
	require.Equal(t, map[string]int{created: 1, updated: 3, deleted: 1}, s.told(hooks))
	s.reopen()
	require.Equal(t, map[string]int{created: 1, updated: 3, deleted: 1}, s.told(hooks))
}

func TestEventHasTheOrderAsItIs(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.payload = func(version string, r any) []byte {
		o := r.(*OrderRecord)
		b, err := json.Marshal(map[string]any{"version": version, "revision": o.Revision, "status": o.Status.String()})
		require.NoError(t, err)
		return b
	}
	s.open()
	w := s.hook(OrderUpdated)
	sku := s.sku()
	s.article(sku, 1)
	from, to := s.now+day, s.now+2*day
	o := s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc}, Lines: []OrderLineInput{
		{Item: Item{SKU: sku}, Purchase: PurchaseBooking, Quantity: 1, From: &from, To: &to},
	}}).(*OrderRecord)
	s.do(ConfirmOrder{ID: o.ID})
	list, _ := s.view().Deliveries(w.ID, 0, 0, 10)
	require.Len(t, list, 1)
	body, err := readStored(s.Engine.store, bodyKind, s.acc, list[0].Body)
	require.NoError(t, err)
	var got struct {
		EventType, ResourceID string
		Data                  map[string]any
	}
	text, err := body.text()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, "order.updated", got.EventType)
	require.Equal(t, o.ID.String(), got.ResourceID)
	require.Equal(t, map[string]any{"version": "2025-06", "revision": 2.0, "status": "open"}, got.Data)
}

func TestEventNamesWhatTheSameCommandMakes(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.payload = func(_ string, r any) []byte {
		o := r.(*OrderRecord)
		b, err := json.Marshal(o.Units)
		require.NoError(t, err)
		return b
	}
	s.open()
	w := s.hook(OrderUpdated)
	sku, other := s.sku(), s.do(CreateSKU{Name: "other"}).(*SKU).ID
	s.article(sku, 1)
	from, to := s.now+day, s.now+2*day
	o := s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc, Status: OrderOpen, AllowOverbooked: true}, Lines: []OrderLineInput{
		{Item: Item{SKU: sku}, Purchase: PurchaseBooking, Quantity: 3, From: &from, To: &to},
	}}).(*OrderRecord)
	require.True(t, o.Conflict())
	last := func() (units []UnitRecord) {
		body, _, err := s.DeliveryDetails(s.view(), s.log(w, 0)[0])
		require.NoError(t, err)
		var got struct{ Data json.RawMessage }
		require.NoError(t, json.Unmarshal(body, &got))
		require.NoError(t, json.Unmarshal(got.Data, &units))
		return units
	}
	count := func() int { return len(s.log(w, 0)) }

	// What is short is seated on an article that the command itself makes.
	made := s.do(CreateArticle{Name: "new", SKU: &sku, Quantities: []InitialQuantity{{Location: s.loc, Count: 1}}}).(*Article)
	require.Equal(t, 1, count())
	require.Equal(t, s.view().Order(o.ID).Units, last())
	require.Contains(t, last(), UnitRecord{Article: made.ID, Name: "new", Codes: made.Codes, SKUName: last()[0].SKUName, Range: o.Units[0].Range, Ordered: Item{SKU: sku}, OrderedName: "Bike"})

	// And on one that the command brings into the SKU.
	article := s.article(other, 1)
	s.do(PatchArticle{ID: article, SKU: Some(sku), Force: true})
	require.Equal(t, 2, count())
	require.Equal(t, s.view().Order(o.ID).Units, last())
	require.False(t, s.view().Order(o.ID).Conflict())
}

func TestConflictHasNoArticleWhenItsArticleIsGone(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	from, to := s.now+day, s.now+2*day
	o := s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc, Status: OrderOpen}, Lines: []OrderLineInput{
		{Item: Item{SKU: sku}, Purchase: PurchaseBooking, Quantity: 1, From: &from, To: &to},
	}}).(*OrderRecord)
	s.do(DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, Force: true})
	short := s.view().Order(o.ID).Units
	require.True(t, short[0].Conflict)
	require.Zero(t, short[0].Article)
	s.now = to
	s.do(DeleteArticle{ID: article})
	require.Equal(t, short, s.view().Order(o.ID).Units)
}

// Rows of before bodies were packed are read as they are.
func TestEventBodyOfEachVersion(t *testing.T) {
	text := []byte(`{"eventType":"order.created"}`)
	for _, stored := range [][]byte{append([]byte{bodyPlain}, text...), pack(text)} {
		b, err := bodyKind.decode(ID{}, ID{1}, stored)
		require.NoError(t, err)
		got, err := b.text()
		require.NoError(t, err)
		require.Equal(t, text, got)
		require.Equal(t, stored, bodyKind.encode(nil, b))
	}
	for _, bad := range [][]byte{{}, {bodyPacked + 1}} {
		_, err := bodyKind.decode(ID{}, ID{1}, bad)
		require.Error(t, err)
	}
	b, err := bodyKind.decode(ID{}, ID{1}, []byte{bodyPacked, 0xff})
	require.NoError(t, err)
	_, err = b.text()
	require.Error(t, err)
}
