package workload

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/fuzz/model"
	"holdfast/timeline"
)

// This file owns cases that random runs come to too seldom: played by hand, or as a world that came to one, and judged by the twin.

// played is a world with a location and a SKU, and what does a command there that is not refused.
func played(t *testing.T) (w *World, do func(engine.Op) any, here, sku ID) {
	w, err := New(vfs.NewMem(), 1)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	do = func(op engine.Op) any {
		res, err, fault := w.Do(0, op)
		require.NoError(t, fault)
		require.NoError(t, err)
		return res.Record
	}
	here = do(engine.CreateLocation{Name: "here", Timezone: Zones[0]}).(*engine.Location).ID
	return w, do, here, do(engine.CreateSKU{Name: "kind"}).(*engine.SKU).ID
}

// TestConflictMovedOntoASlot moves a conflict, together with a unit that leaves a slot, onto that slot. An older conflict
// would fit there, too, but what the command asks for comes before what it leaves free for others.
func TestConflictMovedOntoASlot(t *testing.T) {
	w, do, here, sku := played(t)
	article := do(engine.CreateArticle{
		Name: "thing", SKU: &sku, Quantities: []engine.InitialQuantity{{Location: here, Count: 3}},
	}).(*engine.Article).ID
	line := func(from, to int64) engine.HoldLineInput {
		return engine.HoldLineInput{Item: engine.Item{SKU: sku}, Location: here, Window: Span{Start: from, End: to}, Quantity: 1}
	}
	from := Start + 10*hour
	older := do(engine.PlaceHold{Lines: []engine.HoldLineInput{line(from, timeline.Forever)}}).(*engine.Hold)
	two := do(engine.PlaceHold{Lines: []engine.HoldLineInput{line(from, from+hour), line(from, timeline.Forever)}}).(*engine.Hold)
	do(engine.DecreaseQuantity{Article: article, Location: here, Amount: 2, Force: true})
	seated, conflict := two.Lines[0].Units[0].ID, two.Lines[1].Units[0].ID
	one, _ := w.View(0).Unavailability(seated)
	require.False(t, one.Conflict())
	for _, id := range []ID{older.Lines[0].Units[0].ID, conflict} {
		u, _ := w.View(0).Unavailability(id)
		require.True(t, u.Conflict())
	}
	earlier, end := from-5*hour, from-4*hour
	do(engine.MoveHold{ID: two.ID, Lines: []engine.MoveLine{
		{Unavailability: seated, From: &earlier, To: &end},
		{Unavailability: conflict, Slot: &one.Slot},
	}})
	u, _ := w.View(0).Unavailability(conflict)
	require.Equal(t, one.Slot, u.Slot)
}

// TestUnitOfADeletedArticleGetsBuffersAnew assigns a unit that was on an article that is gone by now to another one: nothing is known of
// the buffers that it had there.
func TestUnitOfADeletedArticleGetsBuffersAnew(t *testing.T) {
	w, do, here, sku := played(t)
	buffer := timeline.Buffer{Amount: 90, Unit: timeline.Minutes}
	gone := do(engine.CreateArticle{Name: "gone", SKU: &sku, After: &buffer, Quantities: []engine.InitialQuantity{{Location: here, Count: 1}}}).(*engine.Article).ID
	other := do(engine.CreateArticle{Name: "other", Quantities: []engine.InitialQuantity{{Location: here, Count: 1}}}).(*engine.Article).ID
	from := Start + hour
	h := do(engine.PlaceHold{Lines: []engine.HoldLineInput{
		{Item: engine.Item{SKU: sku}, Location: here, Window: Span{Start: from, End: from + hour}, Quantity: 1},
	}}).(*engine.Hold)
	unit := h.Lines[0].Units[0].ID
	w.Clock += 10 * hour
	do(engine.DeleteArticle{ID: gone})
	do(engine.MoveHold{ID: h.ID, Lines: []engine.MoveLine{{Unavailability: unit, Article: &other}}})
	u, _ := w.View(0).Unavailability(unit)
	require.Equal(t, u.Body, u.Range)
}

// TestUnitGivenOtherDatesOnAnArticleThatWentElsewhere gives an order's unit other dates that is over on an article that went to another SKU
// since: it asks for the SKU that it was made for.
func TestUnitGivenOtherDatesOnAnArticleThatWentElsewhere(t *testing.T) {
	w, do, here, sku := played(t)
	article := func(sku ID) ID {
		return do(engine.CreateArticle{Name: "thing", SKU: &sku, Quantities: []engine.InitialQuantity{{Location: here, Count: 1}}}).(*engine.Article).ID
	}
	first := article(sku)
	from, to := Start+hour, Start+2*hour
	o := do(engine.CreateOrder{
		OrderInput: engine.OrderInput{Status: engine.OrderOpen, Pickup: here},
		Lines:      []engine.OrderLineInput{{Item: engine.Item{SKU: sku}, Purchase: engine.PurchaseBooking, Quantity: 1, From: &from, To: &to}},
	}).(*engine.OrderRecord)
	w.Clock = Start + 3*hour
	other := do(engine.CreateSKU{Name: "other"}).(*engine.SKU).ID
	do(engine.PatchArticle{ID: first, SKU: engine.Some(other)})
	second := article(sku)
	do(engine.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, From: engine.Some(Start + 5*hour), To: engine.Some(Start + 6*hour)})
	u, _ := w.View(0).Unavailability(o.Lines[0].Units[0].Hold)
	require.Equal(t, second, u.Article)
	require.Positive(t, w.Tenants[0].Twin.Seen.Strayed)
}

// TestOneWayUnitThatALateOneHasPushed keeps a unit that is not back for longer, where one that leaves its place is to follow: that one
// gets the unit of another article, and that leaves then. Both wait for nothing.
func TestOneWayUnitThatALateOneHasPushed(t *testing.T) {
	w, do, here, sku := played(t)
	there := do(engine.CreateLocation{Name: "there", Timezone: Zones[1]}).(*engine.Location).ID
	for _, name := range []string{"one", "two"} {
		do(engine.CreateArticle{Name: name, SKU: &sku, Quantities: []engine.InitialQuantity{{Location: here, Count: 1}}})
	}
	order := func(from, to int64, back ID) *engine.OrderRecord {
		return do(engine.CreateOrder{
			OrderInput: engine.OrderInput{Status: engine.OrderOpen, Pickup: here, Return: &back},
			Lines:      []engine.OrderLineInput{{Item: engine.Item{SKU: sku}, Purchase: engine.PurchaseBooking, Quantity: 1, From: &from, To: &to}},
		}).(*engine.OrderRecord)
	}
	late := order(Start+hour, Start+2*hour, here)
	leaves := order(Start+3*hour, Start+4*hour, there).Lines[0].Units[0].Hold
	was, _ := w.View(0).Unavailability(leaves)
	w.Clock = Start + hour
	do(engine.FulfillOrder{ID: late.ID})
	out, _ := w.View(0).Unavailability(late.Lines[0].Units[0].Hold)
	require.Equal(t, out.Slot, was.Slot, "both are of one unit")
	w.Clock = Start + 3*hour
	_, _, fault := w.Do(0, model.Tick{})
	require.NoError(t, fault)
	is, _ := w.View(0).Unavailability(leaves)
	require.False(t, is.Conflict())
	require.NotEqual(t, was.Article, is.Article)
}

// TestUndoneUnitLeavesLater takes a handover back of a unit that is to leave its place, on an article that keeps more free behind bookings
// by now: it leaves as much later.
func TestUndoneUnitLeavesLater(t *testing.T) {
	w, do, here, sku := played(t)
	there := do(engine.CreateLocation{Name: "there", Timezone: Zones[1]}).(*engine.Location).ID
	article := do(engine.CreateArticle{
		Name: "thing", SKU: &sku, Quantities: []engine.InitialQuantity{{Location: here, Count: 1}},
	}).(*engine.Article).ID
	from, to := Start+hour, Start+3*hour
	o := do(engine.CreateOrder{
		OrderInput: engine.OrderInput{Status: engine.OrderOpen, Pickup: here, Return: &there},
		Lines:      []engine.OrderLineInput{{Item: engine.Item{SKU: sku}, Purchase: engine.PurchaseBooking, Quantity: 1, From: &from, To: &to}},
	}).(*engine.OrderRecord)
	w.Clock = from
	do(engine.FulfillOrder{ID: o.ID})
	do(engine.PatchArticle{ID: article, After: engine.BufferPatch{Amount: engine.Some[int64](1), Unit: engine.Some(timeline.Hours)}})
	do(engine.UndoOrder{ID: o.ID, Units: []ID{o.Lines[0].Units[0].ID}})
	u, _ := w.View(0).Unavailability(o.Lines[0].Units[0].Hold)
	require.Equal(t, to+hour, u.Range.End)
	require.Positive(t, w.Tenants[0].Twin.Seen.CalledBack)
}
