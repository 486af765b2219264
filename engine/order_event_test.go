package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns what webhooks are told of orders: each change once, whoever made it.

// told counts what was said of orders.
func (s *shop) told(hooks []*outbox.Webhook) map[string]int {
	got := map[string]int{}
	for _, w := range hooks {
		list, _ := outbox.Deliveries(s.view(), w.ID, 0, 0, 1000)
		for _, d := range list {
			got[string(d.Type)+" "+d.Resource.String()]++
		}
	}
	return got
}

func TestEventsOfOrders(t *testing.T) {
	s := newShop(t)
	var hooks []*outbox.Webhook
	sku := s.sku()
	first, second := s.article(sku, 1), s.article(sku, 1)
	from, to := s.now+day, s.now+3*day
	for _, typ := range []base.HookEvent{base.OrderCreated, base.OrderUpdated, base.OrderDeleted} {
		hooks = append(hooks, s.hook(typ))
	}
	made := func(from, to int64) *order.OrderRecord {
		return s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc, Status: order.OrderOpen},
			Lines: []order.OrderLineInput{
				{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to},
			}}).(*order.OrderRecord)
	}
	a := made(from, to)
	at := a.Units[0].Article
	other := first
	if at == first {
		other = second
	}
	created, updated, deleted := "order.created "+a.ID.String(), "order.updated "+a.ID.String(),
		"order.deleted "+a.ID.String()
	require.Equal(t, map[string]int{created: 1}, s.told(hooks))

	// A note that is the same changes nothing, so nothing is told.
	note := order.PatchOrder{ID: a.ID, Fields: base.Changed(order.OrderInput{Note: new("gift")})}
	s.do(note)
	require.Equal(t, map[string]int{created: 1, updated: 1}, s.told(hooks))
	again := s.do(note).(*order.OrderRecord)
	require.Equal(t, uint64(2), again.Revision)
	require.Equal(t, map[string]int{created: 1, updated: 1}, s.told(hooks))

	// A hold made for the article where the order is moves it to the other one: an event, no revision.
	s.book(base.Item{Article: other}, to, to+day, 1)
	require.Equal(t, map[string]int{created: 1, updated: 1}, s.told(hooks))
	s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{
		{Item: base.Item{SKU: sku}, Location: s.loc, Window: base.Span{Start: to - day, End: to + day}, Quantity: 1}}})
	moved := order.OrderByID(s.view(), a.ID)
	require.Equal(t, other, moved.Units[0].Article)
	require.Equal(t, uint64(2), moved.Revision)
	require.Equal(t, map[string]int{created: 1, updated: 2}, s.told(hooks))

	// Taken out of stock it is a conflict, which is told, too.
	s.do(stock.DecreaseQuantity{Article: other, Location: s.loc, Amount: 1, Force: true})
	require.True(t, order.OrderByID(s.view(), a.ID).Conflict())
	require.Equal(t, map[string]int{created: 1, updated: 3}, s.told(hooks))

	s.do(order.DeleteOrder{ID: a.ID})
	require.Equal(t, map[string]int{created: 1, updated: 3, deleted: 1}, s.told(hooks))
	s.refused(base.CodeNotFound, order.DeleteOrder{ID: a.ID})
	require.Equal(t, map[string]int{created: 1, updated: 3, deleted: 1}, s.told(hooks))
	s.reopen()
	require.Equal(t, map[string]int{created: 1, updated: 3, deleted: 1}, s.told(hooks))
}

func TestEventHasTheOrderAsItIs(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.payload = func(version string, r any) []byte {
		o := r.(*order.OrderRecord)
		b, err := json.Marshal(map[string]any{"version": version, "revision": o.Revision, "status": o.Status.String()})
		require.NoError(t, err)
		return b
	}
	s.open()
	w := s.hook(base.OrderUpdated)
	sku := s.sku()
	s.article(sku, 1)
	from, to := s.now+day, s.now+2*day
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc}, Lines: []order.OrderLineInput{
		{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to},
	}}).(*order.OrderRecord)
	s.do(order.ConfirmOrder{ID: o.ID})
	list, _ := outbox.Deliveries(s.view(), w.ID, 0, 0, 10)
	require.Len(t, list, 1)
	body, err := base.ReadStored(s.Engine.store, outbox.BodyKind, s.acc, list[0].Body)
	require.NoError(t, err)
	var got struct {
		EventType, ResourceID string
		Data                  map[string]any
	}
	text, err := body.Text()
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
		o := r.(*order.OrderRecord)
		b, err := json.Marshal(o.Units)
		require.NoError(t, err)
		return b
	}
	s.open()
	w := s.hook(base.OrderUpdated)
	sku, other := s.sku(), s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "other"}}).(*stock.SKU).ID
	s.article(sku, 1)
	from, to := s.now+day, s.now+2*day
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc, Status: order.OrderOpen,
		AllowOverbooked: true}, Lines: []order.OrderLineInput{
		{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 3, From: &from, To: &to},
	}}).(*order.OrderRecord)
	require.True(t, o.Conflict())
	last := func() (units []order.UnitRecord) {
		body, _, err := s.DeliveryDetails(s.view(), s.log(w, 0)[0])
		require.NoError(t, err)
		var got struct{ Data json.RawMessage }
		require.NoError(t, json.Unmarshal(body, &got))
		require.NoError(t, json.Unmarshal(got.Data, &units))
		return units
	}
	count := func() int { return len(s.log(w, 0)) }

	// What is short is seated on an article that the command itself makes.
	made := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "new", SKU: &sku},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1}}}).(*stock.Article)
	require.Equal(t, 1, count())
	require.Equal(t, order.OrderByID(s.view(), o.ID).Units, last())
	require.Contains(t, last(), order.UnitRecord{Article: made.ID, Name: "new", Codes: made.Codes,
		SKUName: last()[0].SKUName, Range: o.Units[0].Range, Ordered: base.Item{SKU: sku}, OrderedName: "Bike"})

	// And on one that the command brings into the SKU.
	article := s.article(other, 1)
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{SKU: new(sku)}), Force: true})
	require.Equal(t, 2, count())
	require.Equal(t, order.OrderByID(s.view(), o.ID).Units, last())
	require.False(t, order.OrderByID(s.view(), o.ID).Conflict())
}

func TestConflictHasNoArticleWhenItsArticleIsGone(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	from, to := s.now+day, s.now+2*day
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc, Status: order.OrderOpen},
		Lines: []order.OrderLineInput{
			{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to},
		}}).(*order.OrderRecord)
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, Force: true})
	short := order.OrderByID(s.view(), o.ID).Units
	require.True(t, short[0].Conflict)
	require.Zero(t, short[0].Article)
	s.now = to
	s.do(stock.DeleteArticle{ID: article})
	require.Equal(t, short, order.OrderByID(s.view(), o.ID).Units)
}

// A unit that is out at the end of its line is told to be late once for each end, however it has come about: it is not
// brought back, its return is undone, or its line gets an end that is past.
func TestUnitIsLateOnceForEachEnd(t *testing.T) {
	s := newShop(t)
	w := s.hook(base.UnitOverdue)
	article := base.Item{Article: s.article(s.sku(), 9)}
	from, to := s.now+hour, s.now+3*hour
	var orders [5]*order.OrderRecord
	for i := range orders {
		orders[i] = s.rent(article, from, to, 1)
	}
	asked := 0
	late := func(want ...int) {
		t.Helper()
		asked++
		s.do(label.CreateTag{TagFields: label.TagFields{Value: fmt.Sprint(asked), Scope: label.TagOrders}})
		var got []int
		for _, d := range s.log(w, 0) {
			got = append(got, slices.IndexFunc(orders[:], func(r *order.OrderRecord) bool {
				return s.orderNow(r).Lines[0].Units[0].Hold == d.Resource
			}))
		}
		slices.Sort(got)
		require.Equal(t, want, got)
	}
	end := func(i int, to int64) {
		s.do(order.PatchOrderLine{Order: orders[i].ID, ID: orders[i].Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{To: &to, UnitPrice: ptr(int64(1))})})
	}
	back := func(i int, at int64) { s.do(order.ReturnOrder{ID: orders[i].ID, At: &at}) }
	undo := func(i int) {
		s.do(order.UndoOrder{ID: orders[i].ID, Units: []base.ID{orders[i].Lines[0].Units[0].ID}})
	}
	s.now = from
	for _, r := range orders {
		s.do(order.FulfillOrder{ID: r.ID})
	}
	back(1, from) // no time has gone by: its hold is gone
	s.now += hour
	back(2, s.now)
	end(3, to+8*hour)
	end(4, to+day)
	undo(2)
	back(2, s.now)
	late()
	s.now = to + 2*hour
	late(0)
	undo(1)
	undo(2)
	late(0, 1, 2)
	s.now += day / 2
	late(0, 1, 2, 3)
	end(4, s.now+hour)
	end(3, to+7*hour)
	late(0, 1, 2, 3, 3)
	end(0, s.now+hour)
	end(3, to+7*hour)
	late(0, 1, 2, 3, 3)
	s.now += day
	late(0, 0, 1, 2, 3, 3, 4)
	back(0, s.now)
	undo(0) // it is out again
	late(0, 0, 0, 1, 2, 3, 3, 4)
}

// Rows of before bodies were packed are read as they are.
func TestEventBodyOfEachVersion(t *testing.T) {
	text := []byte(`{"eventType":"order.created"}`)
	for _, stored := range [][]byte{append([]byte{outbox.BodyPlain}, text...), outbox.Pack(text)} {
		b, err := outbox.BodyKind.Decode(base.ID{}, base.ID{1}, stored)
		require.NoError(t, err)
		got, err := b.Text()
		require.NoError(t, err)
		require.Equal(t, text, got)
		require.Equal(t, stored, outbox.BodyKind.Encode(nil, b))
	}
	for _, bad := range [][]byte{{}, {outbox.BodyPacked + 1}} {
		_, err := outbox.BodyKind.Decode(base.ID{}, base.ID{1}, bad)
		require.Error(t, err)
	}
	b, err := outbox.BodyKind.Decode(base.ID{}, base.ID{1}, []byte{outbox.BodyPacked, 0xff})
	require.NoError(t, err)
	_, err = b.Text()
	require.Error(t, err)
}
