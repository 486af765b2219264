package engine

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

func TestBookQueryAndSurvive(t *testing.T) {
	s := newShop(t)
	sku := s.sku(fourHours)
	for range 3 {
		s.article(sku, 1)
	}
	bike := Item{SKU: sku}
	require.Equal(t, 3, s.available(bike, noon+day, noon+2*day))
	h := s.book(bike, noon+day, noon+2*day, 2)
	require.Len(t, h.Lines[0].Units, 2)
	require.Equal(t, noon+2*day+4*hour, h.Lines[0].Units[0].Range.End, "the buffer is in the hull")
	require.Equal(t, 1, s.available(bike, noon+2*day, noon+3*day), "the buffer is taken")
	require.Equal(t, 3, s.available(bike, noon+2*day+4*hour, noon+3*day))

	e := s.refused(CodeInsufficient, s.booking(bike, noon+day, noon+2*day, 2))
	short := e.Details.(ShortageDetails).Lines[0]
	require.Equal(t, 1, short.Available)
	require.Equal(t, "not_enough_stock", short.Reason)
	require.Len(t, short.Blockers, 2)
	require.Equal(t, &Span{Start: noon + 2*day + 4*hour, End: noon + 3*day + 4*hour}, short.Next)

	s.reopen()
	require.Equal(t, 1, s.available(bike, noon+day, noon+2*day))
	got, ok := s.view().Hold(h.ID)
	require.True(t, ok)
	require.Equal(t, h, got)
	s.do(ReleaseHold{ID: h.ID})
	require.Equal(t, 3, s.available(bike, noon+day, noon+2*day))
	s.refused(CodeNotFound, ReleaseHold{ID: h.ID})
	s.reopen()
}

// A hold that has ended has nothing that could be changed, however it ended.
func TestEndedHoldsStayAsTheyAre(t *testing.T) {
	s := newShop(t)
	bike := Item{Article: s.article(ID{}, 5)}
	cart := s.booking(bike, noon+day, noon+2*day, 1)
	cart.ExpiresIn = ptr[int64](600)
	for _, end := range []func(ID){func(id ID) { s.do(ReleaseHold{ID: id}) }, func(id ID) { s.do(OrderHold{Holds: []ID{id}}) }} {
		h := s.do(cart).(*Hold)
		end(h.ID)
		for _, o := range []Op{ExtendHold{ID: h.ID, ExpiresIn: 900}, ConfirmHold{ID: h.ID}, ChangeHold{ID: h.ID, Remove: []int{0}}, OrderHold{Holds: []ID{h.ID}}} {
			s.refused(CodeStateNotAllowed, o)
		}
		s.refused(CodeNotFound, ReleaseHold{ID: h.ID})
	}
	require.Equal(t, 4, s.available(bike, noon+day, noon+2*day), "an order has one")
}

func TestFragmentedStockIsNotSoldOut(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a, b := s.article(sku, 1), s.article(sku, 1)
	_, _ = a, b
	bike := Item{SKU: sku}
	// Two bookings end up on different bikes; the third needs one of them moved.
	s.book(bike, noon, noon+4*day, 1)
	second := s.book(bike, noon+2*day, noon+6*day, 1)
	s.book(bike, noon+6*day, noon+10*day, 1)
	s.book(bike, noon+4*day, noon+6*day, 1)
	require.Equal(t, 1, s.available(bike, noon+6*day, noon+8*day))
	s.book(bike, noon+6*day, noon+8*day, 1)
	require.Equal(t, 1, s.available(bike, noon+8*day, noon+20*day))
	s.do(ReleaseHold{ID: second.ID})
	s.reopen()
}

func TestHoldsExpireByCommand(t *testing.T) {
	s := newShop(t)
	bike := Item{Article: s.article(ID{}, 1)}
	cart := s.booking(bike, noon+day, noon+2*day, 1)
	seconds := int64(60)
	cart.ExpiresIn = &seconds
	h := s.do(cart).(*Hold)
	require.Equal(t, Held, h.Status)
	require.Equal(t, noon+60_000, *h.ExpiresAt)
	s.now += 59_999
	s.refused(CodeInsufficient, s.booking(bike, noon+day, noon+2*day, 1))
	s.do(ExtendHold{ID: h.ID, ExpiresIn: 30})
	s.now += 30_000
	second := s.book(bike, noon+day, noon+2*day, 1)
	got, _ := s.view().Hold(h.ID)
	require.Equal(t, Expired, got.Status, "no write meets a hold that has lapsed")
	s.refused(CodeHoldExpired, ConfirmHold{ID: h.ID})
	s.do(ReleaseHold{ID: second.ID})

	cart.Note = "phone"
	h = s.do(cart).(*Hold)
	s.now += 60_000
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, 1, s.available(bike, noon+day, noon+2*day), "an idle engine expires, too")
	s.reopen()
	s.now += endedKept
	require.NoError(t, s.Tick(t.Context()))
	_, ok := s.view().Hold(h.ID)
	require.False(t, ok, "an ended hold is forgotten after a day")
	s.reopen()
}

func TestIdempotency(t *testing.T) {
	s := newShop(t)
	bike := Item{Article: s.article(ID{}, 1)}
	cmd := Command{Account: s.acc, Op: s.booking(bike, noon+day, noon+2*day, 1), Idem: &Idempotency{Key: ID{1}, Fingerprint: ID{2}}}
	first, err := s.Do(cmd)
	require.NoError(t, err)
	for range 2 {
		again, err := s.Do(cmd)
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.Equal(t, first.Record, again.Record)
		s.reopen()
	}
	other := makeID(noon, Base{lo: 2})
	_, err = s.Do(Command{Account: other, Op: CreateAccount{Name: "Other"}})
	require.NoError(t, err)
	theirs, err := s.Do(Command{Account: other, Op: CreateSKU{Name: "Bike"}, Idem: &Idempotency{Key: ID{8}, Fingerprint: ID{2}}})
	require.NoError(t, err)
	ours, err := s.Do(Command{Account: s.acc, Op: CreateSKU{Name: "Bike"}, Idem: &Idempotency{Key: ID{8}, Fingerprint: ID{2}}})
	require.NoError(t, err)
	require.False(t, ours.Replayed, "another account's keys are its own")
	require.NotEqual(t, theirs.Record.(*SKU).ID, ours.Record.(*SKU).ID)
	cmd.Idem = &Idempotency{Key: ID{1}, Fingerprint: ID{3}}
	_, err = s.Do(cmd)
	require.ErrorIs(t, err, &Error{Code: CodeIdempotencyReused})
	cmd.Idem = &Idempotency{Key: ID{4}, Fingerprint: ID{3}}
	_, err = s.Do(cmd)
	require.ErrorIs(t, err, &Error{Code: CodeInsufficient})
	s.do(ReleaseHold{ID: first.Record.(*Hold).ID})
	_, err = s.Do(cmd)
	require.NoError(t, err, "a refusal is not kept: it is judged anew")
	s.now += idemKept
	cmd.Idem = &Idempotency{Key: ID{1}, Fingerprint: ID{9}}
	_, err = s.Do(cmd)
	require.ErrorIs(t, err, &Error{Code: CodeInsufficient}, "forgotten after a day")
}

func TestConcurrentBuyersOfTheLastUnits(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 7)
	var wg sync.WaitGroup
	var won [64]bool
	for i := range won {
		wg.Go(func() {
			_, err := s.Do(Command{Account: s.acc, Op: s.booking(Item{SKU: sku}, noon+day, noon+2*day, 1)})
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

func TestAnotherAccountsIdsAreNotFound(t *testing.T) {
	s := newShop(t)
	mine := s.article(ID{}, 1)
	h := s.book(Item{Article: mine}, noon, noon+day, 1)
	other := makeID(noon, Base{lo: 2})
	_, err := s.Do(Command{Account: other, Op: CreateAccount{Name: "Other"}})
	require.NoError(t, err)
	for _, op := range []Op{
		s.booking(Item{Article: mine}, noon+day, noon+2*day, 1), ReleaseHold{ID: h.ID}, ConfirmHold{ID: h.ID},
		IncreaseQuantity{Article: mine, Location: s.loc, Amount: 1}, PatchArticle{ID: mine}, PatchLocation{ID: s.loc},
	} {
		_, err := s.Do(Command{Account: other, Op: op})
		require.ErrorIs(t, err, &Error{Code: CodeNotFound})
	}
	_, err = s.Do(Command{Account: makeID(noon, Base{lo: 3}), Op: CreateLocation{Name: "x", Timezone: "UTC"}})
	require.ErrorIs(t, err, &Error{Code: CodeNotFound})
}

func TestFaultsAreAllNamed(t *testing.T) {
	s := newShop(t)
	e := s.refused(CodeInvalid, PlaceHold{Note: "n", Lines: []HoldLineInput{
		{Window: Span{Start: noon + 1, End: noon}, Quantity: 0, Purchase: "gift"},
		{Item: Item{SKU: ID{1}, Article: ID{2}}, Window: Span{Start: -1, End: Forever}, Quantity: 1},
		{Item: Item{SKU: ID{1}}, Window: Span{Start: noon, End: noon + day}, Quantity: 1, Purchase: PurchaseSale},
	}})
	var pointers []string
	for _, f := range e.Faults {
		pointers = append(pointers, f.Pointer)
	}
	require.Equal(t, []string{"/lines/0", "/lines/0/quantity", "/lines/0/to", "/lines/0/purchaseType", "/lines/1", "/lines/1/from", "/lines/2/to"}, pointers)
}

// What an article may have it may have from the start, and what waits for its units is seated by the same command.
func TestTheLargestArticle(t *testing.T) {
	long(t)
	s := newShop(t)
	sku := s.sku()
	old := s.article(sku, 1)
	s.book(Item{SKU: sku}, noon+day, noon+2*day, 1)
	s.do(DecreaseQuantity{Article: old, Location: s.loc, Amount: 1, Force: true})
	o := CreateArticle{Name: "Chair", SKU: &sku}
	for range maxSlots / maxCount {
		o.Quantities = append(o.Quantities, InitialQuantity{Location: s.loc, Count: maxCount})
	}
	chair := s.do(o).(*Article).ID
	require.Zero(t, s.view().acc.stock.ConflictLen())
	s.refused(CodeInvalid, IncreaseQuantity{Article: chair, Location: s.loc, Amount: 1})
	o.Quantities = append(o.Quantities, InitialQuantity{Location: s.loc, Count: 1})
	require.Equal(t, []Fault{{Pointer: "/quantities", Code: "range", Message: "an article has at most 100000 slots"}}, s.refused(CodeInvalid, o).Faults)
}

func TestPreviewIsThePlanWithoutTheWrite(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 2)
	s.book(Item{Article: article}, noon+day, noon+2*day, 1)
	seq, hash := s.State()
	res, err := s.Preview(Command{Account: s.acc, Op: DecreaseQuantity{Article: article, Location: s.loc, Amount: 1}})
	require.NoError(t, err)
	gotSeq, gotHash := s.State()
	require.Equal(t, seq, gotSeq)
	require.Equal(t, hash, gotHash)
	require.Equal(t, res.Record, s.do(DecreaseQuantity{Article: article, Location: s.loc, Amount: 1}))
}

// What an article does not have it does not have, be it nothing at all: one plan, one digest.
func TestPlanOfMoreThanThereIs(t *testing.T) {
	s := newShop(t)
	want := QuantityPlan{Reason: "not_enough_stock", Minimal: true}
	for units := range 3 {
		article := s.article(ID{}, units)
		plan, err := s.view().PlanQuantity(article, s.loc, 3, nil, s.now)
		require.NoError(t, err)
		want.Digest = want.digest(nil)
		require.Equal(t, &want, plan, units)
	}
}

func TestTakingAnArticleOutGivesItsHoldsToOthers(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a, b := s.article(sku, 1), s.article(sku, 1)
	bike := Item{SKU: sku}
	long := s.book(bike, noon+hour, noon+10*day, 1) // on a; it has begun when a is taken out
	s.book(Item{Article: b}, noon+2*hour, noon+day, 1)
	s.now += 2 * day
	pinned := s.book(Item{Article: a}, noon+20*day, noon+21*day, 1)
	_, err := s.try(PatchArticle{ID: a, Status: Some(ArticleInactive), Force: true})
	require.NoError(t, err)
	got, _ := s.view().Hold(long.ID)
	require.Equal(t, b, got.Lines[0].Units[0].Article, "what is past of it needs no room")
	require.Equal(t, long.Lines[0].Units[0].Range, got.Lines[0].Units[0].Range)
	conflicts, total := s.view().Conflicts(ConflictFilter{}, 0, 10, s.now)
	require.Equal(t, 1, total)
	require.Equal(t, pinned.Lines[0].Units[0].ID, conflicts[0].ID)
	s.refused(CodeStateNotAllowed, s.booking(Item{Article: a}, noon+30*day, noon+31*day, 1))
	s.reopen()
	s.do(PatchArticle{ID: a, Status: Some(ArticleActive)})
	_, total = s.view().Conflicts(ConflictFilter{}, 0, 10, s.now)
	require.Zero(t, total, "a conflict is seated again when its article takes holds")
	s.reopen()
}

// Free is what is free, whatever takes new holds; only available is none where nothing does. The calendar says what the point
// answer says.
func TestCalendarOfWhatTakesNoHolds(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 2)
	bike := Item{Article: article}
	kit := s.kit(Component{bike, 1})
	s.book(bike, noon+day, noon+2*day, 1)
	window := Span{Start: noon, End: noon + 2*day}
	requireClosed := func(i Item) {
		t.Helper()
		a, err := s.view().Available(Query{Item: i, Location: s.loc, Window: window}, s.now)
		require.NoError(t, err)
		require.Equal(t, Availability{Stock: 2, Committed: 1, Exact: true}, a)
		for _, location := range []ID{s.loc, {}} {
			buckets, err := s.view().Calendar(Query{Item: i, Location: location, Window: window}, BucketChange, s.now, nil)
			require.NoError(t, err)
			require.Equal(t, []Bucket{{Span{Start: noon, End: noon + day}, 2, 2, 0, true}, {Span{Start: noon + day, End: noon + 2*day}, 1, 1, 0, true}}, buckets)
		}
	}
	s.do(PatchCatalogItem{ID: kit.CatalogItem, Status: Some(CatalogInactive)})
	requireClosed(kit)
	s.do(PatchCatalogItem{ID: kit.CatalogItem, Status: Some(CatalogActive)})
	s.do(ArchiveArticle{ID: article, Archived: true, Force: true})
	requireClosed(bike)
	requireClosed(kit)
}

func TestForcedReductionAndReturn(t *testing.T) {
	s := newShop(t)
	lot := s.article(ID{}, 3)
	item := Item{Article: lot}
	for range 3 {
		s.book(item, noon+day, noon+2*day, 1)
	}
	e := s.refused(CodeQuantityBlocked, DecreaseQuantity{Article: lot, Location: s.loc, Amount: 2})
	plan := e.Details.(QuantityDetails).Plan
	require.False(t, plan.OK)
	require.Len(t, plan.Blockers, 2)
	stale := "another"
	s.now = noon + hour
	since := func() (list []int64) {
		page, total := s.view().Conflicts(ConflictFilter{}, 0, 10, s.now)
		require.Len(t, page, total)
		for _, c := range page {
			list = append(list, c.Since)
		}
		return list
	}
	s.refused(CodePlanChanged, DecreaseQuantity{Article: lot, Location: s.loc, Amount: 2, Force: true, Expected: &stale})
	s.do(DecreaseQuantity{Article: lot, Location: s.loc, Amount: 2, Force: true, Expected: &plan.Digest})
	require.Equal(t, []int64{noon + hour, noon + hour}, since(), "when they lost their units")
	require.Zero(t, s.available(item, noon+day, noon+2*day))
	s.reopen()
	s.now = noon + 2*hour
	s.do(IncreaseQuantity{Article: lot, Location: s.loc, Amount: 1})
	require.Equal(t, []int64{noon + hour}, since(), "new stock seats the older one")
	s.do(DecreaseQuantity{Article: lot, Location: s.loc, Amount: 1, Force: true})
	require.ElementsMatch(t, []int64{noon + hour, noon + 2*hour}, since(), "the one that was seated lost its unit again")
	s.do(IncreaseQuantity{Article: lot, Location: s.loc, Amount: 1})
	s.refused(CodeInsufficient, s.booking(item, noon+day, noon+2*day, 1))
	s.reopen()
}

func TestMoreConflictsThanOneCommandTries(t *testing.T) {
	s := newShop(t)
	lot := s.article(ID{}, maxTries+200)
	s.book(Item{Article: lot}, noon+day, noon+2*day, maxTries+200)
	s.do(DecreaseQuantity{Article: lot, Location: s.loc, Amount: maxTries + 200, Force: true})
	_, total := s.view().Conflicts(ConflictFilter{}, 0, 1, s.now)
	require.Equal(t, maxTries+200, total)
	seq, _ := s.State()
	s.do(IncreaseQuantity{Article: lot, Location: s.loc, Amount: maxTries + 100})
	got, _ := s.State()
	require.Greater(t, got, seq)
	_, total = s.view().Conflicts(ConflictFilter{}, 0, 1, s.now)
	require.Equal(t, 100, total, "the follow-up tried the rest")
	s.reopen()
}

func TestPlannedIsToldBeforeItIsDurable(t *testing.T) {
	s := newShop(t)
	item := Item{Article: s.article(ID{}, 1)}
	placed := s.Submit(Command{Account: s.acc, Op: s.booking(item, noon+day, noon+2*day, 1)})
	early, err := placed.Planned()
	require.NoError(t, err)
	released := s.Submit(Command{Account: s.acc, Op: ReleaseHold{ID: early.Record.(*Hold).ID}})
	refused := s.Submit(Command{Account: s.acc, Brief: true, Op: s.booking(item, noon+day, noon+2*day, 2)})
	res, err := placed.Wait()
	require.NoError(t, err)
	require.Equal(t, early, res)
	_, err = released.Wait()
	require.NoError(t, err)
	_, err = refused.Wait()
	short := err.(*Error).Details.(ShortageDetails).Lines[0]
	require.Equal(t, 1, short.Available)
	require.Nil(t, short.Blockers, "brief")
}

func TestWhatASKULosesDoesNotComeBackAtOnce(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a := s.article(sku, 1)
	other := s.article(ID{}, 1)
	s.book(Item{Article: other}, noon+day, noon+2*day, 1)
	s.do(DecreaseQuantity{Article: other, Location: s.loc, Amount: 1, Force: true}) // some conflict elsewhere
	h := s.book(Item{SKU: sku}, noon+day, noon+2*day, 1)
	s.do(PatchArticle{ID: a, SKU: Null[ID](), Force: true})
	got, _ := s.view().Hold(h.ID)
	require.True(t, got.Lines[0].Units[0].Conflict())
	_, total := s.view().Conflicts(ConflictFilter{}, 0, 10, s.now)
	require.Equal(t, 2, total)
	s.reopen()
}

func TestANewArticleServesTheConflictsOfItsSKU(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a := s.article(sku, 1)
	s.book(Item{SKU: sku}, noon+day, noon+2*day, 1)
	s.do(DecreaseQuantity{Article: a, Location: s.loc, Amount: 1, Force: true})
	_, total := s.view().Conflicts(ConflictFilter{}, 0, 10, s.now)
	require.Equal(t, 1, total)
	s.article(sku, 1)
	_, total = s.view().Conflicts(ConflictFilter{}, 0, 10, s.now)
	require.Zero(t, total)
	s.reopen()
}

func TestTheAccountIsPatched(t *testing.T) {
	s := newShop(t)
	a := s.do(PatchAccount{IfMatch: []uint64{1}, Name: Some("Other"), Currency: Some("SEK"), Timezone: Some("Europe/Stockholm")}).(*Account)
	require.Equal(t, &Account{ID: s.acc, Name: "Other", Currency: "SEK", Timezone: "Europe/Stockholm", Plan: "unlimited", Revision: 2, UpdatedAt: noon}, a)
	s.refused(CodePrecondition, PatchAccount{IfMatch: []uint64{1}})
	e := s.refused(CodeInvalid, PatchAccount{Name: Some(""), Currency: Some("sek"), Timezone: Some("Mars")})
	require.Equal(t, []string{"/name", "/currency", "/timezone"}, pointers(e))
	s.reopen()
	require.Equal(t, a, s.view().Account())
}

// The clock goes back behind a refusal, which moves no instant that can be seen: the next refusal is explained as of its own.
func TestARefusalIsExplainedAtItsInstant(t *testing.T) {
	s := newShop(t)
	week := Buffer{Amount: 1, Unit: timeline.Weeks}
	sku := Item{SKU: s.do(CreateSKU{Name: "Bike", Before: &week}).(*SKU).ID}
	s.article(sku.SKU, 2)
	s.book(sku, noon+hour, noon+2*hour, 1)
	s.book(sku, noon+hour, noon+4*day, 1)
	s.now = noon + 3*hour
	s.refused(CodeInsufficient, s.booking(sku, noon+4*hour, noon+5*hour, 2))
	s.now = noon + hour
	short := s.refused(CodeInsufficient, s.booking(sku, noon+4*hour, noon+5*hour, 2)).Details.(ShortageDetails)
	require.Equal(t, 1, short.Lines[0].Available, "at noon and three hours one of the two is back")
}
