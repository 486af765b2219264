package workload

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
	"holdfast/timeline"
)

// This file owns cases that random runs come to too seldom: played by hand, or as a world that came to one, and judged
// by the twin.

// played is a world with a location and a SKU, and what does a command there that is not refused.
func played(t *testing.T) (w *World, do func(base.Op) any, here, sku ID) {
	w, err := New(vfs.NewMem(), 1)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	do = func(op base.Op) any {
		res, err, fault := w.Do(0, op)
		require.NoError(t, fault)
		require.NoError(t, err)
		return res.Record
	}
	here = do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "here", Timezone: Zones[0]}}).(*stock.Location).ID
	return w, do, here, do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "kind"}}).(*stock.SKU).ID
}

// TestConflictMovedOntoASlot moves a conflict, together with a unit that leaves a slot, onto that slot. An older
// conflict would fit there, too, but what the command asks for comes before what it leaves free for others.
func TestConflictMovedOntoASlot(t *testing.T) {
	w, do, here, sku := played(t)
	article := do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "thing", SKU: &sku},
		Quantities: []stock.InitialQuantity{{Location: here, Count: 3}}}).(*stock.Article).ID
	line := func(from, to int64) hold.HoldLineInput {
		return hold.HoldLineInput{Item: base.Item{SKU: sku}, Location: here, Window: Span{Start: from, End: to},
			Quantity: 1}
	}
	from := Start + 10*hour
	older := do(hold.PlaceHold{Lines: []hold.HoldLineInput{line(from, timeline.Forever)}}).(*hold.Hold)
	two := do(hold.PlaceHold{
		Lines: []hold.HoldLineInput{line(from, from+hour), line(from, timeline.Forever)}}).(*hold.Hold)
	do(stock.DecreaseQuantity{Article: article, Location: here, Amount: 2, Force: true})
	seated, conflict := two.Lines[0].Units[0].ID, two.Lines[1].Units[0].ID
	one, _ := stock.UnavailabilityByID(w.View(0), seated)
	require.False(t, one.Conflict())
	for _, id := range []ID{older.Lines[0].Units[0].ID, conflict} {
		u, _ := stock.UnavailabilityByID(w.View(0), id)
		require.True(t, u.Conflict())
	}
	earlier, end := from-5*hour, from-4*hour
	do(hold.MoveHold{ID: two.ID, Lines: []hold.MoveLine{
		{Unavailability: seated, From: &earlier, To: &end},
		{Unavailability: conflict, Slot: &one.Slot},
	}})
	u, _ := stock.UnavailabilityByID(w.View(0), conflict)
	require.Equal(t, one.Slot, u.Slot)
}

// TestUnitOfADeletedArticleGetsBuffersAnew assigns a unit that was on an article that is gone by now to another one:
// nothing is known of the buffers that it had there.
func TestUnitOfADeletedArticleGetsBuffersAnew(t *testing.T) {
	w, do, here, sku := played(t)
	buffer := timeline.Buffer{Amount: 90, Unit: timeline.Minutes}
	gone := do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "gone", SKU: &sku}, After: &buffer,
		Quantities: []stock.InitialQuantity{{Location: here, Count: 1}}}).(*stock.Article).ID
	other := do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "other"},
		Quantities: []stock.InitialQuantity{{Location: here, Count: 1}}}).(*stock.Article).ID
	from := Start + hour
	h := do(hold.PlaceHold{Lines: []hold.HoldLineInput{
		{Item: base.Item{SKU: sku}, Location: here, Window: Span{Start: from, End: from + hour}, Quantity: 1},
	}}).(*hold.Hold)
	unit := h.Lines[0].Units[0].ID
	w.Clock += 10 * hour
	do(stock.DeleteArticle{ID: gone})
	do(hold.MoveHold{ID: h.ID, Lines: []hold.MoveLine{{Unavailability: unit, Article: &other}}})
	u, _ := stock.UnavailabilityByID(w.View(0), unit)
	require.Equal(t, u.Body, u.Range)
}

// TestUnitGivenOtherDatesOnAnArticleThatWentElsewhere gives an order's unit other dates that is over on an article that
// went to another SKU since: it asks for the SKU that it was made for.
func TestUnitGivenOtherDatesOnAnArticleThatWentElsewhere(t *testing.T) {
	w, do, here, sku := played(t)
	article := func(sku ID) ID {
		return do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "thing", SKU: &sku},
			Quantities: []stock.InitialQuantity{{Location: here, Count: 1}}}).(*stock.Article).ID
	}
	first := article(sku)
	from, to := Start+hour, Start+2*hour
	o := do(order.CreateOrder{
		OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: here},
		Lines: []order.OrderLineInput{
			{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to}},
	}).(*order.OrderRecord)
	w.Clock = Start + 3*hour
	other := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "other"}}).(*stock.SKU).ID
	do(stock.PatchArticle{ID: first, Fields: base.Changed(stock.ArticleFields{SKU: new(other)})})
	second := article(sku)
	do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{From: new(Start + 5*hour), To: new(Start + 6*hour)})})
	u, _ := stock.UnavailabilityByID(w.View(0), o.Lines[0].Units[0].Hold)
	require.Equal(t, second, u.Article)
	require.Positive(t, w.Tenants[0].Twin.Seen.Strayed)
}

// TestOneWayUnitThatALateOneHasPushed keeps a unit that is not back for longer, where one that leaves its place is to
// follow: that one gets the unit of another article, and that leaves then. Both wait for nothing.
func TestOneWayUnitThatALateOneHasPushed(t *testing.T) {
	w, do, here, sku := played(t)
	there := do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "there", Timezone: Zones[1]}}).(*stock.Location).ID
	for _, name := range []string{"one", "two"} {
		do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: name, SKU: &sku},
			Quantities: []stock.InitialQuantity{{Location: here, Count: 1}}})
	}
	made := func(from, to int64, back ID) *order.OrderRecord {
		return do(order.CreateOrder{
			OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: here, Return: &back},
			Lines: []order.OrderLineInput{
				{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to}},
		}).(*order.OrderRecord)
	}
	late := made(Start+hour, Start+2*hour, here)
	leaves := made(Start+3*hour, Start+4*hour, there).Lines[0].Units[0].Hold
	was, _ := stock.UnavailabilityByID(w.View(0), leaves)
	w.Clock = Start + hour
	do(order.FulfillOrder{ID: late.ID})
	out, _ := stock.UnavailabilityByID(w.View(0), late.Lines[0].Units[0].Hold)
	require.Equal(t, out.Slot, was.Slot, "both are of one unit")
	w.Clock = Start + 3*hour
	_, _, fault := w.Do(0, model.Tick{})
	require.NoError(t, fault)
	is, _ := stock.UnavailabilityByID(w.View(0), leaves)
	require.False(t, is.Conflict())
	require.NotEqual(t, was.Article, is.Article)
}

// TestLateUnitKeepsWhatIsCalledOff cancels a trip that was to leave with a unit, while one that is late is on the slot
// that was to end then: it is kept beyond that, and the unit that stays is the one that it has.
func TestLateUnitKeepsWhatIsCalledOff(t *testing.T) {
	w, do, here, sku := played(t)
	there := do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "there", Timezone: Zones[1]}}).(*stock.Location).ID
	do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "thing", SKU: &sku},
		Quantities: []stock.InitialQuantity{{Location: here, Count: 2}}})
	line := func(from, to int64) order.OrderLineInput {
		return order.OrderLineInput{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from,
			To: &to}
	}
	due := Start + hour
	leaves := due + 10*60_000
	next := do(hold.PlaceHold{Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: here,
		Window: Span{Start: leaves, End: leaves + hour}, Quantity: 1}}}).(*hold.Hold)
	trip := do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: here, Return: &there},
		Lines: []order.OrderLineInput{line(Start+60_000, leaves)}}).(*order.OrderRecord)
	late := do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: here},
		Lines: []order.OrderLineInput{line(Start, due)}}).(*order.OrderRecord)
	u, _ := stock.UnavailabilityByID(w.View(0), trip.Lines[0].Units[0].Hold)
	do(hold.MoveHold{ID: next.ID, Lines: []hold.MoveLine{{Unavailability: next.Lines[0].Units[0].ID, Slot: &u.Slot}}})
	w.Clock = Start
	do(order.FulfillOrder{ID: late.ID})
	w.Clock = due
	do(order.CancelOrder{ID: trip.ID})
	a, err := hold.Available(w.View(0), hold.Query{Item: base.Item{SKU: sku}, Location: here,
		Window: Span{Start: leaves, End: leaves + 60_000}}, w.Clock)
	require.NoError(t, err)
	require.Equal(t, [2]int{2, 0}, [2]int{a.Stock, a.Available}, "one is late, the other is booked")
}

// TestUndoneUnitLeavesLater takes a handover back of a unit that is to leave its place, on an article that keeps more
// free behind bookings by now: it leaves as much later.
func TestUndoneUnitLeavesLater(t *testing.T) {
	w, do, here, sku := played(t)
	there := do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "there", Timezone: Zones[1]}}).(*stock.Location).ID
	article := do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "thing", SKU: &sku},
		Quantities: []stock.InitialQuantity{{Location: here, Count: 1}}}).(*stock.Article).ID
	from, to := Start+hour, Start+3*hour
	o := do(order.CreateOrder{
		OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: here, Return: &there},
		Lines: []order.OrderLineInput{
			{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to}},
	}).(*order.OrderRecord)
	w.Clock = from
	do(order.FulfillOrder{ID: o.ID})
	do(stock.PatchArticle{ID: article,
		After: stock.BufferPatch{Amount: base.Some[int64](1), Unit: base.Some(timeline.Hours)}})
	do(order.UndoOrder{ID: o.ID, Units: []ID{o.Lines[0].Units[0].ID}})
	u, _ := stock.UnavailabilityByID(w.View(0), o.Lines[0].Units[0].Hold)
	require.Equal(t, to+hour, u.Range.End)
	require.Positive(t, w.Tenants[0].Twin.Seen.CalledBack)
}

// TestConflictsWaitForADay has orders wait for articles that have what the orders require another day, and lets days
// pass.
func TestConflictsWaitForADay(t *testing.T) {
	w, do, here, sku := played(t)
	date := do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "date", Key: "date",
		Format: label.FormatDate}}).(*label.Attribute).ID
	for _, day := range days {
		do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "thing", SKU: &sku},
			Labels: label.LabelsPatch{Attributes: base.Some([]label.AttributeInput{
				{Key: "date", Value: label.Value{Kind: label.TextValue, Text: day}}})},
			Quantities: []stock.InitialQuantity{{Location: here, Count: 1}}})
	}
	from, to := Start+20*24*hour, Start+21*24*hour
	for _, o := range []label.Operator{label.IsBeforeToday, label.IsToday} {
		do(order.CreateOrder{
			OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: here, AllowOverbooked: true},
			Lines: []order.OrderLineInput{{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 2,
				From: &from, To: &to,
				Requirements: []order.Requirement{{Key: order.RequirementAttribute, Operator: o, Attribute: date}}}},
		})
	}
	for range 2 * 5 {
		w.Clock += 12 * hour
		do(model.Tick{})
	}
	require.Equal(t, 2, w.Seen.Gained, "%+v", w.Seen)
	require.False(t, w.Tenants[0].Twin.HasConflicts())
}
