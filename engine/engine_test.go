package engine

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/persist"
	"holdfast/timeline"
)

func TestBookQueryAndSurvive(t *testing.T) {
	s := newShop(t)
	sku := s.sku(fourHours)
	for range 3 {
		s.article(sku, 1)
	}
	bike := base.Item{SKU: sku}
	require.Equal(t, 3, s.available(bike, noon+day, noon+2*day))
	h := s.book(bike, noon+day, noon+2*day, 2)
	require.Len(t, h.Lines[0].Units, 2)
	require.Equal(t, noon+2*day+4*hour, h.Lines[0].Units[0].Range.End, "the buffer is in the hull")
	require.Equal(t, 1, s.available(bike, noon+2*day, noon+3*day), "the buffer is taken")
	require.Equal(t, 3, s.available(bike, noon+2*day+4*hour, noon+3*day))

	e := s.refused(base.CodeInsufficient, s.booking(bike, noon+day, noon+2*day, 2))
	short := e.Details.(base.ShortageDetails).Lines[0]
	require.Equal(t, 1, short.Available)
	require.Equal(t, "not_enough_stock", short.Reason)
	require.Len(t, short.Blockers, 2)
	require.Equal(t, &base.Span{Start: noon + 2*day + 4*hour, End: noon + 3*day + 4*hour}, short.Next)

	s.reopen()
	require.Equal(t, 1, s.available(bike, noon+day, noon+2*day))
	got, ok := hold.HoldByID(s.view(), h.ID)
	require.True(t, ok)
	require.Equal(t, h, got)
	s.do(hold.ReleaseHold{ID: h.ID})
	require.Equal(t, 3, s.available(bike, noon+day, noon+2*day))
	s.refused(base.CodeNotFound, hold.ReleaseHold{ID: h.ID})
	s.reopen()
}

func TestAnEngineNeedsAStoreAClockAndChance(t *testing.T) {
	s := newShop(t)
	now, random := func() int64 { return noon }, func() [10]byte { return [10]byte{} }
	for _, o := range []Options{{Now: now, Random: random}, {Store: s.store, Random: random},
		{Store: s.store, Now: now}} {
		_, err := Open(t.Context(), o)
		require.EqualError(t, err, "an engine needs a store, a clock and random numbers")
	}
}

func TestTheNilIDIsNoAccount(t *testing.T) {
	s := newShop(t)
	_, err := s.Do(Command{Actor: "test", Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "x"}}})
	require.ErrorIs(t, err, &base.Error{Code: base.CodeInvalid})
	_, there := s.View(base.ID{})
	require.False(t, there)
}

// A hold that has ended has nothing that could be changed, however it ended.
func TestEndedHoldsStayAsTheyAre(t *testing.T) {
	s := newShop(t)
	bike := base.Item{Article: s.article(base.ID{}, 5)}
	cart := s.booking(bike, noon+day, noon+2*day, 1)
	cart.ExpiresIn = ptr[int64](600)
	for _, end := range []func(base.ID){func(id base.ID) {
		s.do(hold.ReleaseHold{ID: id})
	}, func(id base.ID) { s.do(order.OrderHold{Holds: []base.ID{id}}) }} {
		h := s.do(cart).(*hold.Hold)
		end(h.ID)
		for _, o := range []base.Op{hold.ExtendHold{ID: h.ID, ExpiresIn: 900}, hold.ConfirmHold{ID: h.ID},
			hold.ChangeHold{ID: h.ID, Remove: []int{0}}, order.OrderHold{Holds: []base.ID{h.ID}}} {
			s.refused(base.CodeStateNotAllowed, o)
		}
		s.refused(base.CodeNotFound, hold.ReleaseHold{ID: h.ID})
	}
	require.Equal(t, 4, s.available(bike, noon+day, noon+2*day), "an order has one")
}

func TestFragmentedStockIsNotSoldOut(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a, b := s.article(sku, 1), s.article(sku, 1)
	_, _ = a, b
	bike := base.Item{SKU: sku}
	// Two bookings end up on different bikes; the third needs one of them moved.
	s.book(bike, noon, noon+4*day, 1)
	second := s.book(bike, noon+2*day, noon+6*day, 1)
	s.book(bike, noon+6*day, noon+10*day, 1)
	s.book(bike, noon+4*day, noon+6*day, 1)
	require.Equal(t, 1, s.available(bike, noon+6*day, noon+8*day))
	s.book(bike, noon+6*day, noon+8*day, 1)
	require.Equal(t, 1, s.available(bike, noon+8*day, noon+20*day))
	s.do(hold.ReleaseHold{ID: second.ID})
	s.reopen()
}

func TestHoldsExpireByCommand(t *testing.T) {
	s := newShop(t)
	bike := base.Item{Article: s.article(base.ID{}, 1)}
	cart := s.booking(bike, noon+day, noon+2*day, 1)
	seconds := int64(60)
	cart.ExpiresIn = &seconds
	h := s.do(cart).(*hold.Hold)
	require.Equal(t, hold.Held, h.Status)
	require.Equal(t, noon+60_000, *h.ExpiresAt)
	s.now += 59_999
	s.refused(base.CodeInsufficient, s.booking(bike, noon+day, noon+2*day, 1))
	s.do(hold.ExtendHold{ID: h.ID, ExpiresIn: 30})
	s.now += 30_000
	second := s.book(bike, noon+day, noon+2*day, 1)
	got, _ := hold.HoldByID(s.view(), h.ID)
	require.Equal(t, hold.Expired, got.Status, "no write meets a hold that has lapsed")
	s.refused(base.CodeHoldExpired, hold.ConfirmHold{ID: h.ID})
	s.do(hold.ReleaseHold{ID: second.ID})

	cart.Note = "phone"
	h = s.do(cart).(*hold.Hold)
	s.now += 60_000
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, 1, s.available(bike, noon+day, noon+2*day), "an idle engine expires, too")
	s.reopen()
	s.now += hold.EndedKept
	require.NoError(t, s.Tick(t.Context()))
	_, ok := hold.HoldByID(s.view(), h.ID)
	require.False(t, ok, "an ended hold is forgotten after a day")
	s.reopen()
}

func TestIdempotency(t *testing.T) {
	s := newShop(t)
	bike := base.Item{Article: s.article(base.ID{}, 1)}
	cmd := Command{Account: s.acc, Op: s.booking(bike, noon+day, noon+2*day, 1),
		Idem: &Idempotency{Key: base.ID{1}, Fingerprint: base.ID{2}}}
	first, err := s.Do(cmd)
	require.NoError(t, err)
	for range 2 {
		again, err := s.Do(cmd)
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.Equal(t, first.Record, again.Record)
		s.reopen()
	}
	other := base.MakeID(noon, base.Base{Lo: 2})
	_, err = s.Do(Command{Account: other, Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}}})
	require.NoError(t, err)
	theirs, err := s.Do(Command{Account: other, Op: stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}},
		Idem: &Idempotency{Key: base.ID{8}, Fingerprint: base.ID{2}}})
	require.NoError(t, err)
	ours, err := s.Do(Command{Account: s.acc, Op: stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}},
		Idem: &Idempotency{Key: base.ID{8}, Fingerprint: base.ID{2}}})
	require.NoError(t, err)
	require.False(t, ours.Replayed, "another account's keys are its own")
	require.NotEqual(t, theirs.Record.(*stock.SKU).ID, ours.Record.(*stock.SKU).ID)
	cmd.Idem = &Idempotency{Key: base.ID{1}, Fingerprint: base.ID{3}}
	_, err = s.Do(cmd)
	require.ErrorIs(t, err, &base.Error{Code: base.CodeIdempotencyReused})
	cmd.Idem = &Idempotency{Key: base.ID{4}, Fingerprint: base.ID{3}}
	_, err = s.Do(cmd)
	require.ErrorIs(t, err, &base.Error{Code: base.CodeInsufficient})
	s.do(hold.ReleaseHold{ID: first.Record.(*hold.Hold).ID})
	_, err = s.Do(cmd)
	require.NoError(t, err, "a refusal is not kept: it is judged anew")
	s.now += idemKept
	cmd.Idem = &Idempotency{Key: base.ID{1}, Fingerprint: base.ID{9}}
	_, err = s.Do(cmd)
	require.ErrorIs(t, err, &base.Error{Code: base.CodeInsufficient}, "forgotten after a day")
}

func TestConcurrentBuyersOfTheLastUnits(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 7)
	var wg sync.WaitGroup
	var won [64]bool
	for i := range won {
		wg.Go(func() {
			_, err := s.Do(Command{Account: s.acc, Op: s.booking(base.Item{SKU: sku}, noon+day, noon+2*day, 1)})
			won[i] = err == nil
		})
	}
	wg.Wait()
	n := 0
	for _, w := range won {
		if w {
			n++
		}
	}
	require.Equal(t, 7, n)
	s.reopen()
}

// TestAnotherAccountsIdsAreNotFound holds invariant 7.
func TestAnotherAccountsIdsAreNotFound(t *testing.T) {
	s := newShop(t)
	mine := s.article(base.ID{}, 1)
	h := s.book(base.Item{Article: mine}, noon, noon+day, 1)
	other := base.MakeID(noon, base.Base{Lo: 2})
	_, err := s.Do(Command{Account: other, Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}}})
	require.NoError(t, err)
	for _, op := range []base.Op{
		s.booking(base.Item{Article: mine}, noon+day, noon+2*day, 1), hold.ReleaseHold{ID: h.ID},
		hold.ConfirmHold{ID: h.ID},
		stock.IncreaseQuantity{Article: mine, Location: s.loc, Amount: 1}, stock.PatchArticle{ID: mine},
		stock.PatchLocation{ID: s.loc},
	} {
		_, err := s.Do(Command{Account: other, Op: op})
		require.ErrorIs(t, err, &base.Error{Code: base.CodeNotFound})
	}
	_, err = s.Do(Command{Account: base.MakeID(noon, base.Base{Lo: 3}),
		Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "x", Timezone: "UTC"}}})
	require.ErrorIs(t, err, &base.Error{Code: base.CodeNotFound})
}

func TestFaultsAreAllNamed(t *testing.T) {
	s := newShop(t)
	e := s.refused(base.CodeInvalid, hold.PlaceHold{Note: "n", Lines: []hold.HoldLineInput{
		{Window: base.Span{Start: noon + 1, End: noon}, Quantity: 0, Purchase: "gift"},
		{Item: base.Item{SKU: base.ID{1}, Article: base.ID{2}}, Window: base.Span{Start: -1, End: base.Forever},
			Quantity: 1},
		{Item: base.Item{SKU: base.ID{1}}, Window: base.Span{Start: noon, End: noon + day}, Quantity: 1,
			Purchase: base.PurchaseSale},
	}})
	var pointers []string
	for _, f := range e.Faults {
		pointers = append(pointers, f.Pointer)
	}
	require.Equal(t, []string{"/lines/0", "/lines/0/quantity", "/lines/0/to", "/lines/0/purchaseType", "/lines/1",
		"/lines/1/from", "/lines/2/to"}, pointers)
}

// What an article may have it may have from the start, and what waits for its units is seated by the same command.
// Slots that have ended count no more, until they go on.
func TestTheLargestArticle(t *testing.T) {
	long(t)
	s := newShop(t)
	sku := s.sku()
	old := s.article(sku, 1)
	s.book(base.Item{SKU: sku}, noon+day, noon+2*day, 1)
	s.do(stock.DecreaseQuantity{Article: old, Location: s.loc, Amount: 1, Force: true})
	o := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Chair", SKU: &sku}}
	for range base.MaxSlots / base.MaxCount {
		o.Quantities = append(o.Quantities, stock.InitialQuantity{Location: s.loc, Count: base.MaxCount})
	}
	chair := s.do(o).(*stock.Article).ID
	require.Zero(t, s.view().Acc.Stock.ConflictLen())
	s.refused(base.CodeInvalid, stock.IncreaseQuantity{Article: chair, Location: s.loc, Amount: 1})
	o.Quantities = append(o.Quantities, stock.InitialQuantity{Location: s.loc, Count: 1})
	require.Equal(t,
		[]base.Fault{{Pointer: "/quantities", Code: "range", Message: "an article has at most 100000 slots"}},
		s.refused(base.CodeInvalid, o).Faults)

	s.do(stock.DecreaseQuantity{Article: chair, Location: s.loc, Amount: 2})
	later := s.now + day
	s.do(stock.IncreaseQuantity{Article: chair, Location: s.loc, Amount: 2, From: &later})
	s.refused(base.CodeInvalid, stock.IncreaseQuantity{Article: chair, Location: s.loc, Amount: 1})
	s.do(stock.DecreaseQuantity{Article: chair, Location: s.loc, Amount: 2, From: &later})
	s.do(stock.IncreaseQuantity{Article: chair, Location: s.loc, Amount: 2})
}

func TestPreviewIsThePlanWithoutTheWrite(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 2)
	s.book(base.Item{Article: article}, noon+day, noon+2*day, 1)
	seq, hash := s.State()
	res, err := s.Preview(
		Command{Account: s.acc, Op: stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1}})
	require.NoError(t, err)
	gotSeq, gotHash := s.State()
	require.Equal(t, seq, gotSeq)
	require.Equal(t, hash, gotHash)
	require.Equal(t, res.Record, s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1}))
}

// What an article does not have it does not have, be it nothing at all: one plan, one digest.
func TestPlanOfMoreThanThereIs(t *testing.T) {
	s := newShop(t)
	want := stock.QuantityPlan{Reason: "not_enough_stock", Minimal: true}
	for units := range 3 {
		article := s.article(base.ID{}, units)
		plan, err := stock.PlanQuantity(s.view(), article, s.loc, 3, nil, s.now)
		require.NoError(t, err)
		want.Digest = want.Fingerprint(nil)
		require.Equal(t, &want, plan, units)
	}
}

func TestTakingAnArticleOutGivesItsHoldsToOthers(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a, b := s.article(sku, 1), s.article(sku, 1)
	bike := base.Item{SKU: sku}
	long := s.book(bike, noon+hour, noon+10*day, 1) // on a; it has begun when a is taken out
	s.book(base.Item{Article: b}, noon+2*hour, noon+day, 1)
	s.now += 2 * day
	pinned := s.book(base.Item{Article: a}, noon+20*day, noon+21*day, 1)
	_, err := s.try(stock.PatchArticle{ID: a, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	require.NoError(t, err)
	got, _ := hold.HoldByID(s.view(), long.ID)
	require.Equal(t, b, got.Lines[0].Units[0].Article, "what is past of it needs no room")
	require.Equal(t, long.Lines[0].Units[0].Range, got.Lines[0].Units[0].Range)
	conflicts, total := stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 10, s.now)
	require.Equal(t, 1, total)
	require.Equal(t, pinned.Lines[0].Units[0].ID, conflicts[0].ID)
	s.refused(base.CodeStateNotAllowed, s.booking(base.Item{Article: a}, noon+30*day, noon+31*day, 1))
	s.reopen()
	s.do(stock.PatchArticle{ID: a, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleActive})})
	_, total = stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 10, s.now)
	require.Zero(t, total, "a conflict is seated again when its article takes holds")
	s.reopen()
}

// Free is what is free, whatever takes new holds; only available is none where nothing does. The calendar says what the
// point answer says.
func TestCalendarOfWhatTakesNoHolds(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 2)
	bike := base.Item{Article: article}
	kit := s.kit(commerce.Component{Item: bike, Quantity: 1})
	s.book(bike, noon+day, noon+2*day, 1)
	window := base.Span{Start: noon, End: noon + 2*day}
	requireClosed := func(i base.Item) {
		t.Helper()
		a, err := hold.Available(s.view(), hold.Query{Item: i, Location: s.loc, Window: window}, s.now)
		require.NoError(t, err)
		require.Equal(t, stock.Availability{Stock: 2, Committed: 1, Exact: true}, a)
		for _, location := range []base.ID{s.loc, {}} {
			buckets, err := hold.Calendar(s.view(), hold.Query{Item: i, Location: location, Window: window},
				stock.BucketChange, s.now, nil)
			require.NoError(t, err)
			require.Equal(t,
				[]stock.Bucket{{Range: base.Span{Start: noon, End: noon + day}, MinFree: 2, MaxFree: 2, Available: 0,
					Exact: true}, {Range: base.Span{Start: noon + day, End: noon + 2*day}, MinFree: 1, MaxFree: 1,
					Available: 0, Exact: true}}, buckets)
		}
	}
	s.do(commerce.PatchCatalogItem{ID: kit.CatalogItem,
		Fields: base.Changed(commerce.CatalogFields{Status: commerce.CatalogInactive})})
	requireClosed(kit)
	s.do(commerce.PatchCatalogItem{ID: kit.CatalogItem,
		Fields: base.Changed(commerce.CatalogFields{Status: commerce.CatalogActive})})
	s.do(stock.ArchiveArticle{ID: article, Archived: true, Force: true})
	requireClosed(bike)
	requireClosed(kit)
}

func TestForcedReductionAndReturn(t *testing.T) {
	s := newShop(t)
	lot := s.article(base.ID{}, 3)
	item := base.Item{Article: lot}
	for range 3 {
		s.book(item, noon+day, noon+2*day, 1)
	}
	e := s.refused(base.CodeQuantityBlocked, stock.DecreaseQuantity{Article: lot, Location: s.loc, Amount: 2})
	plan := e.Details.(stock.QuantityDetails).Plan
	require.False(t, plan.OK)
	require.Len(t, plan.Blockers, 2)
	stale := "another"
	s.now = noon + hour
	since := func() (list []int64) {
		page, total := stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 10, s.now)
		require.Len(t, page, total)
		for _, c := range page {
			list = append(list, c.Since)
		}
		return list
	}
	s.refused(base.CodePlanChanged,
		stock.DecreaseQuantity{Article: lot, Location: s.loc, Amount: 2, Force: true, Expected: &stale})
	s.do(stock.DecreaseQuantity{Article: lot, Location: s.loc, Amount: 2, Force: true, Expected: &plan.Digest})
	require.Equal(t, []int64{noon + hour, noon + hour}, since(), "when they lost their units")
	require.Zero(t, s.available(item, noon+day, noon+2*day))
	s.reopen()
	s.now = noon + 2*hour
	s.do(stock.IncreaseQuantity{Article: lot, Location: s.loc, Amount: 1})
	require.Equal(t, []int64{noon + hour}, since(), "new stock seats the older one")
	s.do(stock.DecreaseQuantity{Article: lot, Location: s.loc, Amount: 1, Force: true})
	require.ElementsMatch(t, []int64{noon + hour, noon + 2*hour}, since(),
		"the one that was seated lost its unit again")
	s.do(stock.IncreaseQuantity{Article: lot, Location: s.loc, Amount: 1})
	s.refused(base.CodeInsufficient, s.booking(item, noon+day, noon+2*day, 1))
	s.reopen()
}

func TestMoreConflictsThanOneCommandTries(t *testing.T) {
	s := newShop(t)
	lot := s.article(base.ID{}, base.MaxTries+200)
	s.book(base.Item{Article: lot}, noon+day, noon+2*day, base.MaxTries+200)
	s.do(stock.DecreaseQuantity{Article: lot, Location: s.loc, Amount: base.MaxTries + 200, Force: true})
	_, total := stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 1, s.now)
	require.Equal(t, base.MaxTries+200, total)
	seq, _ := s.State()
	s.do(stock.IncreaseQuantity{Article: lot, Location: s.loc, Amount: base.MaxTries + 100})
	got, _ := s.State()
	require.Greater(t, got, seq)
	_, total = stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 1, s.now)
	require.Equal(t, 100, total, "the follow-up tried the rest")
	s.reopen()
}

func TestPlannedIsToldBeforeItIsDurable(t *testing.T) {
	s := newShop(t)
	item := base.Item{Article: s.article(base.ID{}, 1)}
	placed := s.Submit(Command{Account: s.acc, Op: s.booking(item, noon+day, noon+2*day, 1)})
	early, err := placed.Planned()
	require.NoError(t, err)
	released := s.Submit(Command{Account: s.acc, Op: hold.ReleaseHold{ID: early.Record.(*hold.Hold).ID}})
	refused := s.Submit(Command{Account: s.acc, Brief: true, Op: s.booking(item, noon+day, noon+2*day, 2)})
	res, err := placed.Wait()
	require.NoError(t, err)
	require.Equal(t, early, res)
	_, err = released.Wait()
	require.NoError(t, err)
	_, err = refused.Wait()
	short := err.(*base.Error).Details.(base.ShortageDetails).Lines[0]
	require.Equal(t, 1, short.Available)
	require.Nil(t, short.Blockers, "brief")
}

func TestWhatASKULosesDoesNotComeBackAtOnce(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a := s.article(sku, 1)
	other := s.article(base.ID{}, 1)
	s.book(base.Item{Article: other}, noon+day, noon+2*day, 1)
	s.do(stock.DecreaseQuantity{Article: other, Location: s.loc, Amount: 1, Force: true}) // some conflict elsewhere
	h := s.book(base.Item{SKU: sku}, noon+day, noon+2*day, 1)
	s.do(stock.PatchArticle{ID: a, Fields: base.Changed(stock.ArticleFields{}, "skuId"), Force: true})
	got, _ := hold.HoldByID(s.view(), h.ID)
	require.True(t, got.Lines[0].Units[0].Conflict())
	_, total := stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 10, s.now)
	require.Equal(t, 2, total)
	s.reopen()
}

func TestANewArticleServesTheConflictsOfItsSKU(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a := s.article(sku, 1)
	s.book(base.Item{SKU: sku}, noon+day, noon+2*day, 1)
	s.do(stock.DecreaseQuantity{Article: a, Location: s.loc, Amount: 1, Force: true})
	_, total := stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 10, s.now)
	require.Equal(t, 1, total)
	s.article(sku, 1)
	_, total = stock.Conflicts(s.view(), stock.ConflictFilter{}, 0, 10, s.now)
	require.Zero(t, total)
	s.reopen()
}

func TestTheAccountIsPatched(t *testing.T) {
	s := newShop(t)
	a := s.do(base.PatchAccount{IfMatch: []uint64{1},
		Fields: base.Changed(base.AccountFields{Name: "Other", Currency: "SEK",
			Timezone: "Europe/Stockholm"})}).(*base.Account)
	require.Equal(t,
		&base.Account{ID: s.acc, AccountFields: base.AccountFields{Name: "Other", Currency: "SEK",
			Timezone: "Europe/Stockholm"}, Plan: "unlimited", Revision: 2, UpdatedAt: noon}, a)
	s.refused(base.CodePrecondition, base.PatchAccount{IfMatch: []uint64{1}})
	e := s.refused(base.CodeInvalid,
		base.PatchAccount{Fields: base.Changed(base.AccountFields{Currency: "sek", Timezone: "Mars"}, "name")})
	require.Equal(t, []string{"/name", "/currency", "/timezone"}, pointers(e))
	s.reopen()
	require.Equal(t, a, s.view().Account())
}

// The clock goes back behind a refusal, which moves no instant that can be seen: the next refusal is explained as of
// its own.
func TestARefusalIsExplainedAtItsInstant(t *testing.T) {
	s := newShop(t)
	week := stock.Buffer{Amount: 1, Unit: timeline.Weeks}
	sku := base.Item{
		SKU: s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}, Before: &week}).(*stock.SKU).ID}
	s.article(sku.SKU, 2)
	s.book(sku, noon+hour, noon+2*hour, 1)
	s.book(sku, noon+hour, noon+4*day, 1)
	s.now = noon + 3*hour
	s.refused(base.CodeInsufficient, s.booking(sku, noon+4*hour, noon+5*hour, 2))
	s.now = noon + hour
	short := s.refused(base.CodeInsufficient, s.booking(sku, noon+4*hour, noon+5*hour, 2)).
		Details.(base.ShortageDetails)
	require.Equal(t, 1, short.Lines[0].Available, "at noon and three hours one of the two is back")
}

// twofold is an operation whose plan changes a row twice.
type twofold struct {
	base.Answers[*stock.Location]
	id   base.ID
	more int // rows that it makes besides
}

func (o twofold) PlanOn(t *base.Tx) (any, error) {
	for range o.more {
		base.Record(t, stock.LocationKind, nil, &stock.Location{ID: t.NewID()})
	}
	was := stock.LocationKind.In(t.Acc).Get(o.id)
	for range 2 {
		now := *was
		now.Revision++
		base.Record(t, stock.LocationKind, was, &now)
	}
	return nil, nil
}

// Where the program has such a fault, nothing of the command is kept: the state hash could never again be that of the
// rows, and no start would take the directory. It holds a part of invariant 1.
func TestAPlanThatChangesARowTwiceIsRefused(t *testing.T) {
	s := newShop(t)
	before := s.view().Sequence()
	for _, more := range []int{0, 10} {
		s.refused(base.CodeInternal, twofold{id: s.loc, more: more})
	}
	require.Equal(t, before, s.view().Sequence())
	s.reopen()
}

// What it takes to open an account with few rows is small: there may be thousands of such.
func TestManyAccountsAreOpened(t *testing.T) {
	s := newShop(t)
	const accounts = 100
	for i := range uint64(accounts) {
		s.acc = base.MakeID(noon, base.Base{Lo: 2 + i})
		s.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental", Timezone: "Europe/Lisbon"}})
		s.loc = s.do(stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: "Lisbon", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
		s.book(base.Item{Article: s.article(base.ID{}, 1)}, noon+day, noon+2*day, 1)
	}
	s.shut()
	store, err := persist.Open(persist.Options{Dir: "data", FS: s.fs})
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err = restore(t.Context(), store)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	s.open()
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/accounts, uint64(256<<10), "bytes for each")
}
