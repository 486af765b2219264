package engine

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/persist"
	"holdfast/timeline"
)

// feed reads all changes behind a sequence, at most so many commands' worth at a time.
func (s *shop) feed(account base.ID, after uint64, most int) (list []Change, err error) {
	s.T.Helper()
	for {
		v, ok := s.View(account)
		require.True(s.T, ok)
		part, next, err := s.Changes(s.Context(), v, after, most)
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
		if next == v.Sequence() {
			return list, nil
		}
		require.Greater(s.T, next, after)
		require.GreaterOrEqual(s.T, len(part), most)
		after = next
	}
}

func TestChangesOfEachCommand(t *testing.T) {
	s := newShop(t)
	told := func(want ...string) {
		t.Helper()
		var got []string
		list, err := s.feed(s.acc, s.view().Sequence()-1, 100)
		require.NoError(t, err)
		for _, c := range list {
			got = append(got, fmt.Sprint(c.Resource, " ", c.Kind))
			require.Equal(t, s.view().Sequence(), c.Sequence)
			require.Equal(t, s.now, c.At)
			require.Equal(t, "test", c.Actor)
		}
		require.Equal(t, want, got)
	}
	told("location created")
	sku := s.sku()
	told("sku created")
	first := s.article(sku, 2)
	told("article created")
	h := s.book(base.Item{SKU: sku}, noon+day, noon+2*day, 1)
	told("hold created")
	s.do(stock.PatchSKU{ID: sku,
		After: stock.BufferPatch{Amount: base.Some[int64](4), Unit: base.Some(timeline.Hours)}})
	told("sku updated")
	s.do(stock.IncreaseQuantity{Article: first, Location: s.loc, Amount: 2})
	told("article updated")
	s.do(hold.ReleaseHold{ID: h.ID})
	told("hold updated")
	e := s.do(stock.CreateScheduledEvent{Article: first, Location: s.loc,
		ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "x"},
		Window:               base.Span{Start: noon, End: noon + day}}).(*stock.ScheduledEvent)
	told("scheduledEvent created")
	s.do(stock.PatchScheduledEvent{Article: first, ID: e.ID, To: base.Some[int64](noon + 2*day)})
	told("scheduledEvent updated")
	s.do(stock.DeleteScheduledEvent{Article: first, ID: e.ID})
	told("scheduledEvent deleted")
	k := s.do(CreateKey{PublicID: "12345678", Label: "x"}).(*base.Key)
	told("apiKey created")
	s.do(RevokeKey{ID: k.ID})
	told("apiKey updated")

	g := s.do(label.CreateTag{TagFields: label.TagFields{Value: "v", Scope: label.TagOrders}}).(*label.Tag)
	told("tag created")
	s.do(label.DeleteTag{ID: g.ID})
	told("tag deleted")
	gone, err := s.feed(s.acc, s.view().Sequence()-1, 1)
	require.NoError(t, err)
	require.Equal(t, "orders", gone[0].Area, "who may read it is known of what is gone, too")
	empty := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "x"}}).(*stock.Article).ID
	s.do(stock.DeleteArticle{ID: empty})
	told("article deleted")

	// However many units of a record change, it is told once.
	s.book(base.Item{Article: first}, noon+3*day, noon+4*day, 3)
	s.do(stock.DecreaseQuantity{Article: first, Location: s.loc, Amount: 1, Force: true})
	list, err := s.feed(s.acc, s.view().Sequence()-1, 1)
	require.NoError(t, err)
	seen := map[string]int{}
	for _, c := range list {
		seen[c.Resource+" "+string(c.Kind)]++
	}
	require.Equal(t, 1, seen["article updated"])

	all, err := s.feed(s.acc, 0, 3)
	require.NoError(t, err)
	require.Equal(t, Change{Sequence: 1, At: noon, Actor: "test", Resource: "account", ID: s.acc, Kind: base.Created},
		all[0])
	_, _, err = s.Changes(t.Context(), s.view(), s.view().Sequence()+1, 1)
	require.ErrorIs(t, err, errCursorGone)
	require.Equal(t, []string{"account", "apiKey", "location", "sku", "article", "hold", "scheduledEvent",
		"pricingTable", "catalogItem", "tag", "attribute", "customer", "order", "discountCode", "webhook"}, Resources())
}

// What a hold had for a time is told of as the hold, and, where the line is gone since, as nothing else.
func TestChangesOfLinesThatAreGone(t *testing.T) {
	s := newShop(t)
	article := s.article(s.sku(), 3)
	h := s.book(base.Item{Article: article}, noon+day, noon+2*day, 1)
	begin := s.view().Sequence()
	s.do(hold.ChangeHold{ID: h.ID, Add: s.booking(base.Item{Article: article}, noon+day, noon+2*day, 1).Lines})
	s.do(hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{{Line: 1, To: new(noon + 3*day)}}})
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 2, Force: true})
	s.do(hold.ChangeHold{ID: h.ID, Remove: []int{1}})
	list, err := s.feed(s.acc, begin, 1)
	require.NoError(t, err)
	at := map[uint64]bool{}
	for _, c := range list {
		if c.Resource == "hold" {
			require.Equal(t, h.ID, c.ID)
			require.Equal(t, base.Updated, c.Kind)
			at[c.Sequence] = true
		}
	}
	require.Len(t, at, 3, "%+v", list)
}

// The feed does not read a hold for each of its units: of a thousand lines, each would cost it 66 KB then, and costs it
// less than one. What else runs in the process counts, too.
func TestChangesOfManyLines(t *testing.T) {
	s := newShop(t)
	const lines = 1000
	article := s.article(s.sku(), lines)
	o := s.booking(base.Item{Article: article}, noon+day, noon+2*day, 1)
	for len(o.Lines) < lines {
		o.Lines = append(o.Lines, o.Lines[0])
	}
	h := s.do(o).(*hold.Hold)
	var before, after runtime.MemStats
	for range 2 { // the first makes the buffers
		runtime.ReadMemStats(&before)
		list, err := s.feed(s.acc, s.view().Sequence()-1, 1)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, h.ID, list[0].ID)
	}
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(lines*8<<10))
}

// From wherever a reader goes on, at whatever pace, it reads what one long read gives: with few and many accounts in
// the log, some seldom used, before and after a restart.
func TestChangesFromAnywhere(t *testing.T) {
	long(t)
	s := newShop(t)
	const accounts = 5
	ids := []base.ID{s.acc}
	for i := range uint64(accounts - 1) {
		id := base.MakeID(noon, base.Base{Lo: 100 + i})
		_, err := s.Do(Command{Account: id, Actor: "test",
			Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "x"}}})
		require.NoError(t, err)
		ids = append(ids, id)
	}
	write := func(n int) {
		for i := range n {
			of := ids[0]
			switch {
			case i%7 == 0:
				of = ids[1+i%2]
			case i%300 == 299:
				of = ids[3+i/300%2]
			}
			_, err := s.Do(Command{Account: of, Actor: fmt.Sprint(i),
				Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "x", Timezone: "UTC"}}})
			require.NoError(t, err)
		}
	}
	whole := map[base.ID][]Change{}
	check := func() {
		t.Helper()
		for _, id := range ids {
			v, _ := s.View(id)
			for after := v.Sequence(); ; after -= min(after, 1+v.Sequence()/23) {
				got, err := s.feed(id, after, 1+int(after%90))
				require.NoError(t, err)
				require.Equal(t, len(whole[id])-int(after), len(got), "every command here changes one record")
				for i := range got {
					require.Equal(t, whole[id][int(after)+i], got[i])
				}
				if after == 0 {
					break
				}
			}
		}
	}
	read := func() {
		for _, id := range ids {
			list, err := s.feed(id, uint64(len(whole[id])), 1)
			require.NoError(t, err)
			whole[id] = append(whole[id], list...)
			for i, c := range whole[id] {
				require.Equal(t, uint64(i+1), c.Sequence)
			}
		}
	}
	write(900)
	read()
	check()
	s.reopen()
	check()
	write(900)
	read()
	s.reopen()
	write(5)
	read()
	check()
	require.Less(t, len(s.logIndex.of(s.acc).up)+len(s.logIndex.of(s.acc).down), 60)
}

// forgets opens the shop anew on a store that keeps little of its log.
func (s *shop) forgets() {
	s.T.Helper()
	s.shut()
	var err error
	s.store, err = persist.Open(persist.Options{Dir: "data", FS: s.fs, FoldBytes: 1 << 10,
		KeepLog: persist.Keep{Records: 100}})
	require.NoError(s.T, err)
	s.Engine, err = Open(context.Background(), Options{Store: s.store, Now: func() int64 { return s.now }, Manual: true,
		Random: func() (b [10]byte) { return b }})
	require.NoError(s.T, err)
}

// What is not kept is said to be gone; what is kept is all there.
func TestChangesBehindTheKeptLog(t *testing.T) {
	s := newShop(t)
	s.forgets()
	other := base.MakeID(noon, base.Base{Lo: 100})
	_, err := s.Do(Command{Account: other, Actor: "test",
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "x"}}})
	require.NoError(t, err)
	_, err = s.feed(s.acc, 0, 10)
	require.NoError(t, err)
	made := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc}}).(*order.OrderRecord).ID
	for s.store.Marker().FirstKept < 500 {
		s.now++
		s.do(stock.CreateLocation{LocationFields: stock.LocationFields{Name: "x", Timezone: "UTC"}})
		if s.now%40 == 0 {
			s.do(order.AddComment{Order: made, Content: "x"})
		}
	}
	end := s.view().Sequence()
	history, whole := s.history(made, 2)
	require.False(t, whole, "the log does not reach back to where the order was made")
	last := order.OrderByID(s.view(), made).Revision
	require.NotEmpty(t, history)
	require.Less(t, len(history), int(last))
	for i, c := range history {
		require.Equal(t, last-uint64(len(history)-1-i), c.Revision)
		require.Equal(t, []string{"comments"}, c.Differs)
	}
	_, err = s.feed(s.acc, 0, 10)
	require.ErrorIs(t, err, errCursorGone)
	_, err = s.feed(other, 0, 10)
	require.ErrorIs(t, err, errCursorGone)
	list, err := s.feed(other, 1, 10)
	require.NoError(t, err)
	require.Empty(t, list)
	reached := false
	for after := end; !reached; after-- {
		list, err := s.feed(s.acc, after, 10)
		if err != nil {
			require.ErrorIs(t, err, errCursorGone)
			require.Greater(t, end-after, uint64(90))
			reached = true
			continue
		}
		require.Len(t, list, int(end-after))
	}
	s.logIndex.trim(s.store.Marker().FirstKept)
	for after := end - 90; after <= end; after++ {
		list, err := s.feed(s.acc, after, 10)
		require.NoError(t, err)
		require.Len(t, list, int(end-after))
	}
}

func TestChangedRings(t *testing.T) {
	s := newShop(t)
	other := base.MakeID(noon, base.Base{Lo: 100})
	c := s.Changed(s.acc)
	require.Equal(t, c, s.Changed(s.acc))
	_, err := s.Do(Command{Account: other, Actor: "test",
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "x"}}})
	require.NoError(t, err)
	select {
	case <-c:
		t.Fatal("another account has changed")
	default:
	}
	s.sku()
	<-c
	require.NotEqual(t, c, s.Changed(s.acc))
}

// slow is a context that is asked between two records, and says what it is asked for when a test wants it to.
type slow struct {
	context.Context
	asked, over chan struct{}
}

func (c slow) Err() error {
	select {
	case c.asked <- struct{}{}:
	default:
	}
	<-c.over
	return c.Context.Err()
}

// One who reads the log for long keeps nobody from looking things up, and ends with the context.
func TestALongLookIntoTheLogIsAlone(t *testing.T) {
	s := newShop(t)
	for range 100 {
		s.do(place("x"))
	}
	s.reopen()
	ctx, stop := context.WithCancel(t.Context())
	c := slow{ctx, make(chan struct{}, 1), make(chan struct{})}
	failed := make(chan error)
	go func() {
		_, _, err := s.Changes(c, s.view(), 0, 1000)
		failed <- err
	}()
	<-c.asked
	list, err := s.feed(s.acc, 2, 1000)
	require.NoError(t, err)
	require.Len(t, list, 100)
	stop()
	close(c.over)
	require.ErrorIs(t, <-failed, &base.Error{Code: base.CodeNotReady})
	list, err = s.feed(s.acc, 2, 1000)
	require.NoError(t, err)
	require.Len(t, list, 100)
}
