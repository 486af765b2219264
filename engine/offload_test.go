package engine

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the tests of plans that are made off the writer.

// large is an operation of many units whose plan takes as long as a test wants.
type large struct {
	base.Op
	begun, over chan struct{}
}

func (large) Size(*base.AccountState) int { return base.MaxUnits }

func (o large) PlanOn(t *base.Tx) (any, error) {
	close(o.begun)
	<-o.over
	return o.Op.PlanOn(t)
}

// failing is an operation whose plan panics.
type failing struct{ base.Op }

func (failing) PlanOn(*base.Tx) (any, error) { panic("a fault of the program") }

func place(name string) base.Op {
	return stock.CreateLocation{LocationFields: stock.LocationFields{Name: name, Timezone: "UTC"}}
}

// tenants are further accounts of a shop's engine.
func (s *shop) tenants(n int) (ids []base.ID) {
	for i := range n {
		ids = append(ids, base.MakeID(noon, base.Base{Lo: uint64(2 + i)}))
		_, err := s.Do(Command{Account: ids[i], Actor: "test",
			Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Other"}}})
		require.NoError(s.T, err)
	}
	return ids
}

// large submits a large command, and is back when its plan is being made, until it is over.
func (s *shop) large(account base.ID, op base.Op) (f *Future, over func()) {
	o := large{op, make(chan struct{}), make(chan struct{})}
	over = sync.OnceFunc(func() { close(o.over) })
	s.T.Cleanup(over)
	f = s.submit(account, o)
	<-o.begun
	return f, over
}

func (s *shop) submit(account base.ID, op base.Op) *Future {
	return s.Submit(Command{Account: account, Actor: "test", Op: op})
}

// While the plan of a large command is made, other accounts go on. Those of its own wait, and what becomes due.
func TestOthersGoOnWhileALargeCommandIsPlanned(t *testing.T) {
	s := newShop(t)
	other := s.tenants(1)[0]
	carts := s.carts(3, 1)
	before := s.view().Sequence()
	f, over := s.large(s.acc, place("First"))
	behind := s.submit(s.acc, place("Second"))
	s.now += 60_000
	for range 3 {
		_, err := s.Do(Command{Account: other, Actor: "test", Op: place("There")})
		require.NoError(t, err)
	}
	require.Equal(t, before, s.view().Sequence())
	require.Zero(t, s.expired(carts))
	require.Equal(t, 2, s.Stats().Waiting)
	over()
	first, err := f.Wait()
	require.NoError(t, err)
	second, err := behind.Wait()
	require.NoError(t, err)
	require.Equal(t, before+1, first.Sequence)
	require.Greater(t, second.Sequence, first.Sequence)
	require.Equal(t, 3, s.expired(carts))
	require.Negative(t, first.Record.(*stock.Location).ID.Compare(second.Record.(*stock.Location).ID))
	require.Zero(t, s.Stats().Waiting)
	s.reopen()
}

// An article that begins with many units is planned as an increase of as many is.
func TestANewArticleOfManyUnitsIsPlannedOffTheWriter(t *testing.T) {
	d := newDesk(t, nil)
	d.chairs(d.writer.engine.bounds.Offload)
	require.Positive(t, d.off)
	d.chairs(d.writer.engine.bounds.Offload - 1)
	require.Zero(t, d.off)
}

// The writer takes the timelines over as the plan has them where an article comes with many units, or goes.
func TestAnArticleOfManyUnitsIsPutInPlaceOffTheWriter(t *testing.T) {
	d := newDesk(t, nil)
	sku, chairs := d.chairs(d.writer.engine.bounds.Offload)
	for _, op := range []base.Op{
		stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Chair", SKU: &sku},
			Quantities: []stock.InitialQuantity{{Location: d.loc, Count: d.writer.engine.bounds.Offload}}},
		stock.DeleteArticle{ID: chairs},
	} {
		plan, _, err := d.plan(&Command{Account: d.account, Actor: "test", Op: op})
		require.NoError(t, err)
		require.NotNil(t, plan.Drafted, "%T", op)
		d.do(op)
	}
}

// A small change of a large order is planned off the writer as well: its plan goes through all lines and units.
func TestSmallChangesOfALargeOrderArePlannedOffTheWriter(t *testing.T) {
	s := newShop(t)
	const many = 300
	o := s.rent(base.Item{Article: s.article(base.ID{}, many)}, s.now, s.now+day, many)
	unit := o.Lines[0].Units[0].ID
	for _, op := range []base.Sized{
		order.AddPayment{Order: o.ID}, order.AddComment{Order: o.ID}, order.ArchiveOrder{ID: o.ID},
		order.ApplyDiscount{Order: o.ID}, order.RemoveDiscount{Order: o.ID}, order.AssignUnit{Order: o.ID, Unit: unit},
		order.UnassignUnit{Order: o.ID, Unit: unit}, order.CancelUnit{Order: o.ID, Unit: unit},
		order.ReadyUnit{Order: o.ID, Unit: unit}, label.LinkTags{To: order.OrderLabels, ID: o.ID},
		label.UnlinkTags{From: order.OrderLabels, ID: o.ID},
	} {
		require.GreaterOrEqual(t, op.Size(s.view().Acc), many, "%T", op)
	}
	of, _ := s.subscribed(many, nil)
	end := order.CancelSubscription{ID: of.Lines[0].Subscription.ID}
	require.GreaterOrEqual(t, end.Size(s.view().Acc), many)
}

// The removal of a tag or an attribute, which goes through many records, is planned off the writer, too.
func TestSweepsArePlannedOffTheWriter(t *testing.T) {
	s := newShop(t)
	for range s.Engine.bounds.Offload / itemsOff {
		s.customer("Ann", "ann@example.com")
	}
	for _, op := range []base.Sized{label.DeleteTag{}, label.DeleteAttribute{}, label.PatchAttribute{}} {
		require.GreaterOrEqual(t, op.Size(s.view().Acc), s.Engine.bounds.Offload, "%T", op)
	}
}

// What is due in a large order is planned off the writer, too, as what renews its subscriptions compares all of it.
func TestWhatIsDueInALargeOrderIsPlannedOffTheWriter(t *testing.T) {
	d := newDesk(t, func(string, any) []byte { return []byte("null") })
	sku, _ := d.chairs(300)
	for _, x := range []struct {
		lines int
		off   bool
	}{{10, false}, {256, true}} {
		in := d.order(order.OrderOpen, sku, noon, noon+day, 1)
		in.Lines[0].Purchase, in.Lines[0].To = base.PurchaseSubscription, nil
		in.Lines[0].Subscription = &commerce.SubscriptionTerms{Cycle: commerce.Period{Amount: 1, Unit: timeline.Days}}
		for len(in.Lines) < x.lines {
			in.Lines = append(in.Lines, in.Lines[0])
		}
		id := d.do(in).(*order.OrderRecord).ID
		a := d.writer.state.Account(d.account)
		first, _ := a.Due.First()
		d.writer.state.At = first.At
		require.Equal(t, x.off, d.writer.offloadsDue(a))
		d.do(order.CancelOrder{ID: id})
	}
}

// A change of an order of few units with many comments is as well: all of them are written to be compared.
func TestSmallChangesOfAnOrderOfManyPartsArePlannedOffTheWriter(t *testing.T) {
	s := newShop(t)
	o := s.rent(base.Item{Article: s.article(base.ID{}, 1)}, s.now, s.now+day, 1)
	comment := order.AddComment{Order: o.ID, Content: strings.Repeat("a", 10_000)}
	for comment.Size(s.view().Acc) < s.Engine.bounds.Offload {
		s.do(comment)
		require.Less(t, len(order.OrderByID(s.view(), o.ID).Rest().Comments), 100)
	}
}

// Of the plans of several accounts one computes at a time. Who waits for that waits alone.
func TestLargeCommandsTakeTurns(t *testing.T) {
	s := newShop(t)
	s.stopwatch = func() time.Duration { return 0 } // so that no turn is over before its plan is made
	s.reopen()
	ids := s.tenants(3)
	f, over := s.large(ids[0], place("First"))
	next := large{place("Next"), make(chan struct{}), make(chan struct{})}
	waits := s.submit(ids[1], next)
	behind := s.submit(ids[1], place("Behind"))
	_, err := s.Do(Command{Account: ids[2], Actor: "test", Op: place("There")})
	require.NoError(t, err)
	select {
	case <-next.begun:
		t.Fatal("two are planned at once")
	default:
	}
	over()
	<-next.begun
	_, err = f.Wait()
	require.NoError(t, err)
	close(next.over)
	first, err := waits.Wait()
	require.NoError(t, err)
	second, err := behind.Wait()
	require.NoError(t, err)
	require.Equal(t, first.Sequence+1, second.Sequence)
	s.reopen()
}

// endless is a large operation whose plan computes until a test has seen enough.
type endless struct {
	large
	yields *atomic.Int64
}

func (o endless) PlanOn(t *base.Tx) (any, error) {
	close(o.begun)
	for {
		select {
		case <-o.over:
			return o.Op.PlanOn(t)
		default:
			t.Yield()
			o.yields.Add(1)
		}
	}
}

// A plan that takes long lets those of other accounts, and what is due there, go on first.
func TestALongPlanLetsOthersBePlanned(t *testing.T) {
	s := newShop(t)
	ids := s.tenants(maxPlans)
	long := endless{large{place("First"), make(chan struct{}), make(chan struct{})}, new(atomic.Int64)}
	over := sync.OnceFunc(func() { close(long.over) })
	t.Cleanup(over)
	f := s.submit(ids[0], long)
	<-long.begun
	open := make(chan struct{})
	close(open)
	for _, id := range ids[1:] {
		_, err := s.submit(id, large{place("There"), make(chan struct{}), open}).Wait()
		require.NoError(t, err)
	}
	carts := s.carts(s.bounds.Offload/itemsOff, 1)
	s.now += 60_000
	s.do(place("Here"))
	require.Equal(t, len(carts), s.expired(carts))
	n := long.yields.Load()
	require.Eventually(t, func() bool { return long.yields.Load() > n }, 20*time.Second, time.Millisecond)
	over()
	_, err := f.Wait()
	require.NoError(t, err)
	s.reopen()
}

// watched is a large operation whose plan counts how often it lets others go on.
type watched struct {
	base.Op
	yields *int
}

func (watched) Size(*base.AccountState) int { return base.MaxUnits }

func (o watched) PlanOn(t *base.Tx) (any, error) {
	yield := t.Yield
	t.Yield = func() { *o.yields++; yield() }
	return o.Op.PlanOn(t)
}

// A plan lets others go on between its units, also where these take the search for room.
func TestAPlanYieldsBetweenItsUnits(t *testing.T) {
	s := newShop(t)
	item := base.Item{Article: s.article(base.ID{}, 40)}
	for i := range int64(40) { // each unit is taken on one of two days
		s.book(item, s.now+(1+i%2)*day, s.now+(2+i%2)*day, 1)
	}
	yields := 0
	s.do(watched{s.booking(item, s.now+day, s.now+3*day, 20), &yields})
	require.Greater(t, yields, 20)
}

// lingering is an operation that the writer plans itself, and that holds it up until a test has seen enough.
type lingering struct {
	base.Op
	begun, over chan struct{}
}

func (o lingering) PlanOn(t *base.Tx) (any, error) {
	close(o.begun)
	<-o.over
	return o.Op.PlanOn(t)
}

// The writer applies a finished plan without a turn: it waits for none of the plans that compute meanwhile.
func TestTheWriterTakesNoTurn(t *testing.T) {
	s := newShop(t)
	ids := s.tenants(3)
	item := base.Item{Article: s.article(base.ID{}, 20)}
	var clock atomic.Int64
	s.stopwatch = func() time.Duration { return time.Duration(clock.Load()) }
	s.reopen()
	first, over := s.large(s.acc, s.booking(item, s.now+day, s.now+2*day, 20))
	open, begun := make(chan struct{}), make(chan struct{}, 2)
	t.Cleanup(func() { close(open) })
	for _, id := range ids[:2] {
		o := large{place("There"), make(chan struct{}), open}
		s.submit(id, o)
		go func() {
			<-o.begun
			begun <- struct{}{}
		}()
	}
	h := lingering{place("Here"), make(chan struct{}), make(chan struct{})}
	busy := s.submit(ids[2], h)
	<-h.begun
	over()
	<-begun // one of those behind has its turn, the other one waits for it
	clock.Add(int64(turnTime))
	close(h.over)
	_, err := busy.Wait()
	require.NoError(t, err)
	_, err = first.Wait()
	require.NoError(t, err)
	require.Empty(t, begun)
}

// Where many commands have waited for a large one, others come in between: the writer does not judge all in one go.
func TestManyThatHaveWaitedLetOthersIn(t *testing.T) {
	s := newShop(t)
	ids := s.tenants(2)
	for range 10 { // the writer may take either first
		_, over := s.large(s.acc, place("First"))
		var behind []*Future
		for range 4 * turnCommands {
			behind = append(behind, s.submit(s.acc, place("Behind")))
		}
		h := lingering{place("Here"), make(chan struct{}), make(chan struct{})}
		busy := s.submit(ids[0], h)
		<-h.begun
		over()
		other := s.submit(ids[1], place("There"))
		close(h.over)
		_, err := busy.Wait()
		require.NoError(t, err)
		there, err := other.Wait()
		require.NoError(t, err)
		for i, f := range behind {
			r, err := f.Wait()
			require.NoError(t, err)
			if i > 2*turnCommands {
				require.Negative(t, there.Record.(*stock.Location).ID.Compare(r.Record.(*stock.Location).ID))
			}
		}
	}
}

// What is long of a large command is written off the writer, too: what others do is not encoded behind it.
func TestOthersAreWrittenBesideALargeCommand(t *testing.T) {
	s := newShop(t)
	s.shut()
	over, began := make(chan struct{}), make(chan struct{})
	s.payload = func(string, any) []byte {
		close(began)
		<-over
		return []byte("{}")
	}
	s.open()
	s.hook(base.OrderCreated)
	other := s.tenants(1)[0]
	units := s.Engine.bounds.Offload
	item := base.Item{Article: s.article(base.ID{}, units)}
	first, done := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := s.try(s.rental(order.OrderOpen, item, s.now+day, s.now+2*day, units))
		first <- err
	}()
	select {
	case <-began:
	case err := <-first:
		require.NoError(t, err)
		t.Fatal("no event is written")
	}
	go func() {
		_, err := s.Do(Command{Account: other, Actor: "test", Op: place("There")})
		done <- err
	}()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(20 * time.Second):
		t.Error("it waits for what is written of another account's command")
	}
	close(over)
	require.NoError(t, <-first)
}

// More accounts than may have a plan under way at once wait for others to be finished.
func TestMorePlansThanMayBeUnderWay(t *testing.T) {
	s := newShop(t)
	over := make(chan struct{})
	var all []*Future
	for _, id := range s.tenants(2*maxPlans + 1) {
		for range 2 {
			all = append(all, s.submit(id, large{place("There"), make(chan struct{}), over}))
		}
	}
	s.do(place("Here")) // all of them wait by now
	close(over)
	for _, f := range all {
		_, err := f.Wait()
		require.NoError(t, err)
	}
	require.Zero(t, s.Stats().Waiting)
	s.reopen()
}

// Where as many plans are under way as may be, an account with many large commands does not keep another one from its
// first.
func TestLargeCommandsOfOneAccountYield(t *testing.T) {
	s := newShop(t)
	ids := s.tenants(maxPlans + 1)
	over := make([]func(), len(ids)+1)
	begun := make([]chan struct{}, len(over))
	all := make([]*Future, len(over))
	submit := func(i int, account base.ID) {
		o := endless{large{place("There"), make(chan struct{}), make(chan struct{})}, new(atomic.Int64)}
		over[i], begun[i] = sync.OnceFunc(func() { close(o.over) }), o.begun
		t.Cleanup(over[i])
		all[i] = s.submit(account, o)
	}
	for i, id := range ids[:maxPlans] {
		submit(i, id)
		<-begun[i]
	}
	again, first := maxPlans, maxPlans+1
	submit(again, ids[0])
	submit(first, ids[maxPlans])
	for range 4 { // each takes its turn behind one of each of the others: then both are taken
		s.do(place("Here"))
	}
	over[0]()
	<-begun[first]
	select {
	case <-begun[again]:
		t.Fatal("the account had a second command planned before the other one had its first")
	default:
	}
	over[1]()
	<-begun[again]
	for i, f := range all {
		over[i]()
		_, err := f.Wait()
		require.NoError(t, err)
	}
}

// Where the backlog of an account is full, what waits for its turn is taken all the same, and what does not is turned
// away.
func TestWhatIsPatientIsTakenIntoAFullBacklog(t *testing.T) {
	s := newShop(t)
	s.shut()
	s.queued = 2
	s.open()
	first, over := s.large(s.acc, place("First"))
	all := []*Future{first}
	for range 3 * s.queued {
		all = append(all, s.submit(s.acc, place("Behind")))
	}
	for s.Engine.queue.len() > 0 {
		runtime.Gosched()
	}
	_, err := s.Do(Command{Account: s.acc, Actor: "test", Op: place("Late")})
	require.Equal(t, base.CodeOverloaded, err.(*base.Error).Code)
	over()
	for _, f := range all {
		_, err := f.Wait()
		require.NoError(t, err)
	}
}

// What is refused off the writer, or fails there, has changed nothing.
func TestRefusedOffTheWriter(t *testing.T) {
	s := newShop(t)
	before := s.view().Sequence()
	f, over := s.large(s.acc, stock.ArchiveArticle{ID: base.ID{1}, Archived: true})
	over()
	_, err := f.Wait()
	require.Equal(t, base.CodeNotFound, err.(*base.Error).Code)
	f, over = s.large(s.acc, failing{place("Nowhere")})
	over()
	_, err = f.Wait()
	require.Equal(t, base.CodeInternal, err.(*base.Error).Code)
	require.Equal(t, before, s.view().Sequence())
	s.do(place("Here"))
}

// An engine that is closed finishes the plan that is under way, and has what waits behind it done.
func TestCloseFinishesALargeCommand(t *testing.T) {
	s := newShop(t)
	other := s.tenants(1)[0]
	f, over := s.large(s.acc, place("First"))
	behind := s.submit(s.acc, place("Second"))
	next := large{place("Next"), make(chan struct{}), make(chan struct{})}
	waits := s.submit(other, next)
	close(next.over)
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	require.Eventually(t, func() bool {
		s.gate.RLock()
		defer s.gate.RUnlock()
		return s.Engine.shut
	}, 20*time.Second, time.Millisecond)
	over()
	for _, f := range []*Future{f, behind, waits} {
		_, err := f.Wait()
		require.NoError(t, err)
	}
	require.NoError(t, <-closed)
	s.reopen()
}

// When writing ends, nobody waits for a plan that can never be written.
func TestWritingEndsWhileALargeCommandIsPlanned(t *testing.T) {
	s := newShop(t)
	other := s.tenants(1)[0]
	encode := stock.SKUKind.Encode
	defer func() { stock.SKUKind.Encode = encode }()
	stock.SKUKind.Encode = func([]byte, *stock.SKU) []byte { panic("planted") }
	before := s.view().Sequence()
	f, over := s.large(s.acc, place("First"))
	behind := s.submit(s.acc, place("Second"))
	for _, f := range []*Future{s.submit(other, stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}}), f, behind} {
		_, err := f.Wait()
		require.Equal(t, base.CodeStorageFailed, err.(*base.Error).Code)
	}
	over()
	require.Error(t, s.Close())
	require.NoError(t, s.store.Close())
	stock.SKUKind.Encode = encode
	s.open()
	require.Equal(t, before, s.view().Sequence())
}

// A command that was planned off the writer is older than the record that it is in. The history of an order finds it
// all the same, behind what other accounts have done meanwhile.
func TestHistoryFindsWhatWasPlannedOffTheWriter(t *testing.T) {
	s := newShop(t)
	other := s.tenants(1)[0]
	sku := s.sku()
	s.article(sku, 2)
	id := s.do(s.rental(order.OrderOpen, base.Item{SKU: sku}, s.now+day, s.now+2*day, 1)).(*order.OrderRecord).ID
	s.now += 1000
	f, over := s.large(s.acc, order.CancelOrder{ID: id})
	for range 3 {
		s.now += 1000
		_, err := s.Do(Command{Account: other, Actor: "test", Op: place("There")})
		require.NoError(t, err)
	}
	over()
	_, err := f.Wait()
	require.NoError(t, err)
	list, _, whole, err := s.OrderHistory(t.Context(), s.view(), id, OrderPoint{}, 10)
	require.NoError(t, err)
	require.True(t, whole)
	require.Len(t, list, 2)
	require.Contains(t, list[0].Differs, "status")
}
