package engine

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the test of the list of orders against a slow one, which looks at every order as it is answered.

// slowOrders is a list as it is meant: every order is judged, those that pass are put in order and counted, and a part of them is the page.
func (s *shop) slowOrders(q *OrderQuery) (page []ID, total int) {
	var all []*OrderRecord
	for o := range s.view().Orders().All() {
		if r := s.view().OrderRecord(o, MaxListed); slowlyPasses(s.view(), r, q) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *OrderRecord) int {
		x, y := slowKey(a, q.Sort), slowKey(b, q.Sort)
		if (x == nil) != (y == nil) {
			return cmp.Compare(btoi(x == nil), btoi(y == nil))
		}
		n := 0
		if x != nil {
			n = cmp.Compare(*x, *y)
		}
		if n = cmp.Or(n, cmp.Compare(a.Number, b.Number)); q.Desc {
			return -n
		}
		return n
	})
	for _, r := range partOf(all, Part{q.Offset, q.Limit}) {
		page = append(page, r.ID)
	}
	return page, len(all)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// slowKey is what an order is put in order by; nil: it has none.
func slowKey(r *OrderRecord, by OrderSort) *int64 {
	start, end := slowBounds(r)
	switch by {
	case OrdersByUpdatedAt:
		return &r.UpdatedAt
	case OrdersByStart:
		return start
	case OrdersByEnd:
		return end
	case OrdersByTotal:
		p, _ := r.Price()
		return &p.Total
	case OrdersByNumber:
		return ptr(int64(r.Number))
	}
	return ptr(CreatedAt(r.ID))
}

func slowBounds(r *OrderRecord) (start, end *int64) {
	for _, l := range r.Lines {
		if start == nil || l.From < *start {
			start = ptr(l.From)
		}
		if l.To != Forever && (end == nil || l.To > *end) {
			end = ptr(l.To)
		}
	}
	return start, end
}

// slowlyPasses judges an order by every filter.
func slowlyPasses(v View, r *OrderRecord, q *OrderQuery) bool {
	in := func(at *int64, s *Span) bool { return s == nil || at != nil && s.Start <= *at && *at <= s.End }
	start, end := slowBounds(r)
	var pickup, back *int64
	conflict, within := false, false
	for _, u := range r.Units {
		conflict = conflict || u.Conflict
	}
	for _, l := range r.Lines {
		over := l.span()
		if l.Purchase.Type() == PurchaseSale {
			over.End = over.Start + 1
		}
		if w := q.Window; w != nil {
			within = within || over.Start < w.End && w.Start < over.End || w.Start == w.End && over.Start <= w.Start && w.Start < over.End
		}
		for _, u := range l.Units {
			if (r.Status == OrderOpen || r.Status == OrderActive) && (u.State == Pending || u.State == Prepared) && (pickup == nil || l.From < *pickup) {
				pickup = ptr(l.From)
			}
			if u.State == Fulfilled && l.To != Forever && (back == nil || l.To < *back) {
				back = ptr(l.To)
			}
		}
	}
	late := pickup != nil && *pickup <= q.Now && slices.Contains(q.Late, LatePickup) || back != nil && *back <= q.Now && slices.Contains(q.Late, LateReturn)
	names := func(id ID) bool {
		return r.Customer == id || slices.ContainsFunc(r.Rest().Customers, func(c OrderCustomer) bool { return c.Customer == id })
	}
	tagged := slices.ContainsFunc(r.TagRows, func(g *Tag) bool { return slices.Contains(q.Tags, g.ID) })
	return (q.Status == nil || slices.Contains(q.Status, r.Status)) && (r.ArchivedAt != 0 && q.Archived || r.ArchivedAt == 0 && q.Active) &&
		(q.Fulfillment == nil || slices.Contains(q.Fulfillment, r.Fulfillment())) && (q.Conflict == nil || *q.Conflict == conflict) && (q.Late == nil || late) &&
		(q.Channel == nil || slices.Contains(q.Channel, r.Channel.String())) && (q.Pickup == nil || slices.Contains(q.Pickup, r.Pickup)) &&
		(q.Return == nil || slices.Contains(q.Return, r.Return)) && (q.Customer == nil || names(*q.Customer)) &&
		(q.Assigned == nil || r.Rest().Assigned != nil && r.Rest().Assigned.ID == *q.Assigned) && (q.Tags == nil || tagged) &&
		(q.Number == nil || r.Number == *q.Number) && (q.External == nil || r.External != nil && r.External.ID == *q.External) &&
		(q.Window == nil || within) && in(ptr(CreatedAt(r.ID)), q.Created) && in(&r.UpdatedAt, q.Updated) && in(start, q.Start) && in(end, q.End) &&
		in(pickup, q.PickupDue) && in(back, q.ReturnDue) && slowlySays(r, q.Search)
}

// slowlySays looks for words that begin as those of a search do.
func slowlySays(r *OrderRecord, search string) bool {
	texts := []string{r.Rest().Reference, r.Rest().Note}
	people := []*Contact{}
	if r.Contact != nil {
		people = append(people, r.Contact)
	}
	for i := range r.Rest().Customers {
		people = append(people, &r.Rest().Customers[i].Contact)
	}
	for _, c := range people {
		texts = append(texts, c.Name())
		for _, s := range []*string{c.Email, c.CompanyName} {
			if s != nil {
				texts = append(texts, *s)
			}
		}
	}
	for _, l := range r.Lines {
		texts = append(texts, l.Name.String())
	}
	plain := strings.NewReplacer("é", "e", "É", "e", "ü", "u", "Ü", "u", "ß", "ss", "@", " ", ".", " ", "-", " ")
	all := strings.Fields(plain.Replace(strings.ToLower(strings.Join(texts, " "))))
	for _, w := range strings.Fields(plain.Replace(strings.ToLower(search))) {
		if w != strconv.Itoa(int(r.Number)) && !slices.ContainsFunc(all, func(x string) bool { return strings.HasPrefix(x, w) }) {
			return false
		}
	}
	return true
}

// orderWorld is a shop with orders in every state.
type orderWorld struct {
	*shop
	dice      *rand.Rand
	bike      Item
	places    []ID
	customers []ID
	tags      []ID
	user      UserRef
	orders    []ID
}

func newOrderWorld(t *testing.T) *orderWorld {
	w := &orderWorld{shop: newShop(t), dice: rand.New(rand.NewPCG(1, 2)), user: UserRef{ID: makeID(7, Base{}), Name: "Eva"}}
	sku := w.sku()
	w.article(sku, 6)
	w.bike = Item{SKU: sku}
	w.places = []ID{w.loc, w.do(CreateLocation{Name: "Porto", Timezone: "Europe/Lisbon"}).(*Location).ID}
	for _, name := range []string{"José Müller", "Jose Groß", "ANNA Weiß-Müller"} {
		email := strings.ToLower(name[:4]) + "@example.com"
		w.customers = append(w.customers, w.do(CreateCustomer{Contact: ContactPatch{FullName: Some(name), Email: Some(strings.ReplaceAll(email, "é", "e"))}}).(*Customer).ID)
	}
	for _, name := range []string{"vip", "late"} {
		w.tags = append(w.tags, w.do(CreateTag{Value: name, Scope: TagOrders}).(*Tag).ID)
	}
	return w
}

func (w *orderWorld) maybe() bool { return w.dice.IntN(3) == 0 }

// line draws a line: a booking, seldom a long one, one without end, or a sale.
func (w *orderWorld) line() OrderLineInput {
	from := w.now + int64(w.dice.IntN(6)-2)*hour
	to := from + int64(1+w.dice.IntN(5))*hour
	if w.dice.IntN(8) == 0 {
		from += int64(w.dice.IntN(40)-10) * day
		to += int64(w.dice.IntN(400)) * day
	}
	l := OrderLineInput{Item: w.bike, Purchase: PurchaseBooking, Quantity: 1 + w.dice.IntN(2), From: &from, To: &to, UnitPrice: ptr(int64(w.dice.IntN(5) * 100))}
	switch w.dice.IntN(12) {
	case 0:
		l.To = nil
	case 1:
		l.Purchase, l.To = PurchaseSale, nil
	}
	return l
}

// draw makes an order, and takes it some way.
func (w *orderWorld) draw() {
	w.now += int64(w.dice.IntN(3)) * hour / 2
	o := CreateOrder{OrderInput: OrderInput{
		Status: OrderStatus(w.dice.IntN(2)), Pickup: w.loc, Channel: Channels[w.dice.IntN(3)], AllowOverbooked: true,
		Reference: ptr(fmt.Sprint("R-", w.dice.IntN(20), " Überführung")),
	}}
	for range 1 + w.dice.IntN(3) {
		o.Lines = append(o.Lines, w.line())
	}
	if o.Status == OrderDraft && w.maybe() {
		o.Lines = nil
	}
	if w.maybe() {
		o.Return = &w.places[1]
	}
	if n := w.dice.IntN(4); n < len(w.customers) {
		o.Customer = &w.customers[n]
	}
	for range w.dice.IntN(3) {
		o.Customers = append(o.Customers, OrderCustomerInput{Customer: &w.customers[w.dice.IntN(3)]})
	}
	if w.maybe() {
		o.Assigned = &w.user
	}
	if w.maybe() {
		o.Tags = []ID{w.tags[w.dice.IntN(2)]}
	}
	if w.maybe() {
		o.External.ID = Some(fmt.Sprint("x", w.now, len(w.orders)))
	}
	r, err := w.try(o)
	if err != nil {
		return
	}
	w.orders = append(w.orders, r.(*OrderRecord).ID)
}

// step changes some order in some way; much is refused.
func (w *orderWorld) step() {
	id := w.orders[w.dice.IntN(len(w.orders))]
	r := w.view().Order(id)
	if r == nil {
		return
	}
	var unit ID
	if len(r.Lines) > 0 && len(r.Lines[0].Units) > 0 {
		unit = r.Lines[0].Units[0].ID
	}
	switch w.dice.IntN(14) {
	case 0, 1, 2:
		_, _ = w.try(FulfillOrder{ID: id})
	case 3:
		_, _ = w.try(FulfillOrder{ID: id, Units: []ID{unit}})
	case 4, 5:
		_, _ = w.try(ReturnOrder{ID: id})
	case 6:
		_, _ = w.try(ReturnOrder{ID: id, Units: []ID{unit}})
	case 7:
		_, _ = w.try(PrepareOrder{ID: id})
	case 8:
		_, _ = w.try(CancelOrder{ID: id})
	case 9:
		_, _ = w.try(ArchiveOrder{ID: id, Archive: w.dice.IntN(4) > 0})
	case 10:
		if w.maybe() {
			_, _ = w.try(DeleteOrder{ID: id})
		}
	case 11:
		_, _ = w.try(PatchOrder{ID: id, Note: Some([]string{"", "call back", "Rückruf 12"}[w.dice.IntN(3)]), Customer: Some(w.customers[w.dice.IntN(3)])})
	case 12:
		_, _ = w.try(ConfirmOrder{ID: id, AllowOverbooked: true})
	case 13:
		_, _ = w.try(UndoOrder{ID: id, Units: []ID{unit}})
	}
}

// query draws what is asked: mostly one or two filters.
func (w *orderWorld) query() *OrderQuery {
	q := &OrderQuery{Active: w.dice.IntN(4) > 0, Archived: w.maybe(), Desc: w.maybe(), Offset: w.dice.IntN(60), Limit: 1 + w.dice.IntN(20), Now: w.now}
	if w.maybe() {
		q.Sort = OrderSorts[w.dice.IntN(len(OrderSorts))]
	}
	span := func() *Span {
		from := noon + int64(w.dice.IntN(120)-10)*hour
		return &Span{Start: from, End: from + int64(w.dice.IntN(60))*hour}
	}
	for range w.dice.IntN(4) {
		switch w.dice.IntN(20) {
		case 0:
			q.Status = append(q.Status, OrderStatus(w.dice.IntN(4)))
		case 1:
			q.Fulfillment = append(q.Fulfillment, Fulfillment(w.dice.IntN(len(Fulfillments))))
		case 2:
			q.Conflict = ptr(w.maybe())
		case 3:
			q.Late = append(q.Late, []Lateness{LatePickup, LateReturn}[w.dice.IntN(2)])
		case 4:
			q.Channel = append(q.Channel, Channels[w.dice.IntN(3)])
		case 5:
			q.Pickup = append(q.Pickup, w.places[w.dice.IntN(2)])
		case 6:
			q.Return = append(q.Return, w.places[w.dice.IntN(2)])
		case 7:
			q.Customer = &w.customers[w.dice.IntN(3)]
		case 8:
			q.Assigned = &w.user.ID
		case 9:
			q.Tags = append(q.Tags, w.tags[w.dice.IntN(2)])
		case 10:
			q.Number = ptr(uint32(w.dice.IntN(200)))
		case 11:
			q.External = ptr(fmt.Sprint("x", w.now, w.dice.IntN(100)))
		case 12:
			if q.Window = span(); w.maybe() {
				far := int64(w.dice.IntN(400)-20) * day
				q.Window = &Span{Start: q.Window.Start + far, End: q.Window.End + far}
			}
		case 13:
			q.Created = span()
		case 14:
			q.Updated = span()
		case 15:
			q.Start = span()
		case 16:
			q.End = span()
		case 17:
			q.PickupDue = span()
		case 18:
			q.ReturnDue = span()
		case 19:
			q.Search = []string{"jose", "MÜL", "mull", "anna weiß", "weiss", "r-1", "12", "bik", "example", "uberf", "nobody", "!", "call ba"}[w.dice.IntN(13)]
		}
	}
	return q
}

// Orders of every state are asked for in every way, through few and through indexes, as they change and after a restart.
func TestListsOfOrdersAgainstASlowOne(t *testing.T) {
	long(t)
	w := newOrderWorld(t)
	passed := 0
	check := func(n int) {
		for range n {
			q := w.query()
			want, total := w.slowOrders(q)
			for _, few := range []int{0, 10, fewOrders} {
				list, n := w.view().listOrders(q, few)
				var ids []ID
				for _, o := range list {
					ids = append(ids, o.ID)
				}
				require.Equal(t, total, n, "%+v", q)
				require.Equal(t, want, ids, "%+v", q)
			}
			passed += len(want)
		}
	}
	for range 40 {
		for range 4 {
			w.draw()
		}
		for range 8 {
			w.step()
		}
		check(15)
	}
	require.NoError(t, w.Engine.Check())
	w.do(DeleteTag{ID: w.tags[1]})
	w.reopen()
	check(1500)
	require.Greater(t, passed, 5000, "filters let orders through")
}

// Whichever of lengths a window is asked for by, the same orders are found; and some orders are longer than each.
func TestAWindowByEachLength(t *testing.T) {
	w := newOrderWorld(t)
	for range 150 {
		w.draw()
	}
	for range 300 {
		from := noon + int64(w.dice.IntN(500)-30)*day + int64(w.dice.IntN(24))*hour
		over := Span{Start: from, End: from + int64(w.dice.IntN(60))*int64(w.dice.IntN(2))*day}
		want, total := w.slowOrders(&OrderQuery{Window: &over, Active: true, Limit: MaxListed})
		slices.SortFunc(want, ID.Compare)
		for nth := range len(lengths) + 1 {
			l := orderListing{OrderQuery: &OrderQuery{}, a: w.view().acc, x: w.view().acc.orderIndex()}
			f, _ := l.windowBy(nth, over)
			l.add(f)
			in, n := l.found()
			require.Equal(t, total, n, "%d %+v", nth, over)
			var got []ID
			for no := range in.All() {
				o := w.view().acc.orders().No(no)
				at := l.x.by[keyStart].Before(o.keys().at[keyStart])
				require.True(t, f.from <= at && at < f.to, "its beginning is among those that a page is picked of")
				got = append(got, o.ID)
			}
			slices.SortFunc(got, ID.Compare)
			require.Equal(t, want, got, "%d %+v", nth, over)
			require.LessOrEqual(t, n, f.most)
		}
	}
	for nth := range lengths {
		long := termLong.of(byte(nth + 1))
		require.NotZero(t, w.view().acc.orderIndex().sets.Count(long, long.Next(len(long))), "orders are as long")
	}
}

// A word counts by its first bytes, and an order by its first words.
func TestWordsOfAnOrderThatCount(t *testing.T) {
	s := newShop(t)
	long := strings.Repeat("a", maxWord)
	s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc, Note: ptr(long + "b " + strings.Repeat("word ", orderWords-2) + "last beyond")}})
	total := func(search string) int {
		_, n := s.view().ListOrders(&OrderQuery{Search: search, Active: true, Limit: 10})
		return n
	}
	require.Equal(t, []int{1, 1, 0}, []int{total(long + "b"), total(long + "c"), total(long[1:] + "b")})
	require.Equal(t, []int{1, 0}, []int{total("last"), total("beyond")})
	s.reopen()
}

// A word is found by each of its beginnings, and by nothing else, however long it is.
func TestBeginningsOfWords(t *testing.T) {
	s := newShop(t)
	long := "abcdefghijklmnopqrs"
	for n := 1; n <= len(long); n++ {
		s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc, Note: ptr(long[:n] + " other" + long[:n])}})
	}
	total := func(search string) int {
		_, n := s.view().listOrders(&OrderQuery{Search: search, Active: true, Limit: 10}, 0)
		return n
	}
	for n := 1; n <= len(long); n++ {
		begin := min(n, maxWord) // those that are longer are as one of so many bytes
		require.Equal(t, len(long)-begin+1, total(long[:n]), long[:n])
		require.Zero(t, total(long[1:n]+"z"), n)
		if n < maxWord {
			require.Zero(t, total(long[:n]+"z"), n)
		}
	}
	require.Equal(t, len(long), total("o"))
	require.Equal(t, len(long), total("othe"))
	require.NoError(t, s.Check())
}

func TestWordsOfTexts(t *testing.T) {
	for text, words := range map[string][]string{
		"Ann-Kathrin O'Neil, é\u0301cole": {"ann", "kathrin", "o", "neil", "ecole"},
		"STRAßE Łódź Ærø Œuvre":           {"strasse", "lodz", "aero", "oeuvre"},
		"anna.b@example.com +49 170/12":   {"anna", "b", "example", "com", "49", "170", "12"},
		"Ελλάς ПРИВЕТ 東京 ½":               {"ελλασ", "привет", "東京", "1", "2"},
		" — ":                             nil,
	} {
		require.Equal(t, words, wordsOf(text), text)
	}
}

// A unit that loses its slot, and gets one again, is found as it does, whoever takes it.
func TestOrdersAreFoundByTheirConflicts(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	bike := s.article(sku, 1)
	r := s.rent(Item{SKU: sku}, s.now+day, s.now+2*day, 1)
	yes := true
	total := func() int {
		_, n := s.view().ListOrders(&OrderQuery{Conflict: &yes, Active: true, Limit: 10})
		return n
	}
	require.Equal(t, 0, total())
	s.do(DecreaseQuantity{Article: bike, Location: s.loc, Amount: 1, Force: true})
	require.True(t, s.orderNow(r).Conflict())
	require.Equal(t, 1, total())
	s.reopen()
	require.Equal(t, 1, total())
	s.do(IncreaseQuantity{Article: bike, Location: s.loc, Amount: 1})
	require.Equal(t, 0, total())
}
