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

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the test of the list of orders against a slow one, which looks at every order as it is answered.

// slowOrders is a list as it is meant: every order is judged, those that pass are put in order and counted, and a part
// of them is the page.
func (s *shop) slowOrders(q *order.OrderQuery) (page []base.ID, total int) {
	var all []*order.OrderRecord
	for o := range order.Orders(s.view()).All() {
		if r := order.RecordOf(s.view(), o, base.MaxListed); slowlyPasses(s.view(), r, q) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *order.OrderRecord) int {
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
	for _, r := range base.PartOf(all, base.Part{Offset: q.Offset, Limit: q.Limit}) {
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
func slowKey(r *order.OrderRecord, by order.OrderSort) *int64 {
	start, end := slowBounds(r)
	switch by {
	case order.OrdersByUpdatedAt:
		return &r.UpdatedAt
	case order.OrdersByStart:
		return start
	case order.OrdersByEnd:
		return end
	case order.OrdersByTotal:
		p, _ := r.Price()
		return &p.Total
	case order.OrdersByNumber:
		return ptr(int64(r.Number))
	}
	return ptr(base.CreatedAt(r.ID))
}

func slowBounds(r *order.OrderRecord) (start, end *int64) {
	for _, l := range r.Lines {
		if start == nil || l.From < *start {
			start = ptr(l.From)
		}
		if l.To != base.Forever && (end == nil || l.To > *end) {
			end = ptr(l.To)
		}
	}
	return start, end
}

// slowlyPasses judges an order by every filter.
func slowlyPasses(v base.View, r *order.OrderRecord, q *order.OrderQuery) bool {
	in := func(at *int64, s *base.Span) bool { return s == nil || at != nil && s.Start <= *at && *at <= s.End }
	start, end := slowBounds(r)
	var pickup, back *int64
	conflict, within := false, false
	for _, u := range r.Units {
		conflict = conflict || u.Conflict
	}
	for _, l := range r.Lines {
		over := l.Span()
		if l.Purchase.Type() == base.PurchaseSale {
			over.End = over.Start + 1
		}
		if w := q.Window; w != nil {
			within = within || over.Start < w.End && w.Start < over.End || w.Start == w.End && over.Start <= w.Start &&
				w.Start < over.End
		}
		for _, u := range l.Units {
			if (r.Status == order.OrderOpen || r.Status == order.OrderActive) &&
				(u.State == order.Pending || u.State == order.Prepared) && (pickup == nil || l.From < *pickup) {
				pickup = ptr(l.From)
			}
			if u.State == order.Fulfilled && l.To != base.Forever && (back == nil || l.To < *back) {
				back = ptr(l.To)
			}
		}
	}
	late := pickup != nil && *pickup <= q.Now && slices.Contains(q.Late, order.LatePickup) ||
		back != nil && *back <= q.Now && slices.Contains(q.Late, order.LateReturn)
	names := func(id base.ID) bool {
		return r.Customer == id ||
			slices.ContainsFunc(r.Rest().Customers, func(c order.OrderCustomer) bool { return c.Customer == id })
	}
	tagged := slices.ContainsFunc(r.TagRows, func(g *label.Tag) bool { return slices.Contains(q.Tags, g.ID) })
	return (q.Status == nil || slices.Contains(q.Status, r.Status)) &&
		(r.ArchivedAt != 0 && q.Archived || r.ArchivedAt == 0 && q.Active) &&
		(q.Fulfillment == nil || slices.Contains(q.Fulfillment, r.Fulfillment())) &&
		(q.Conflict == nil || *q.Conflict == conflict) && (q.Late == nil || late) &&
		(q.Channel == nil || slices.Contains(q.Channel, r.Channel.String())) &&
		(q.Pickup == nil || slices.Contains(q.Pickup, r.Pickup)) &&
		(q.Return == nil || slices.Contains(q.Return, r.Return)) && (q.Customer == nil || names(*q.Customer)) &&
		(q.Assigned == nil || r.Rest().Assigned != nil && r.Rest().Assigned.ID == *q.Assigned) &&
		(q.Tags == nil || tagged) &&
		(q.Number == nil || r.Number == *q.Number) &&
		(q.External == nil || r.External != nil && r.External.ID == *q.External) &&
		(q.Window == nil || within) && in(ptr(base.CreatedAt(r.ID)), q.Created) && in(&r.UpdatedAt, q.Updated) &&
		in(start, q.Start) && in(end, q.End) &&
		in(pickup, q.PickupDue) && in(back, q.ReturnDue) && slowlySays(r, q.Search)
}

// slowlySays looks for words that begin as those of a search do.
func slowlySays(r *order.OrderRecord, search string) bool {
	texts := []string{r.Rest().Reference, r.Rest().Note}
	people := []*commerce.Contact{}
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
		if w != strconv.Itoa(int(r.Number)) &&
			!slices.ContainsFunc(all, func(x string) bool { return strings.HasPrefix(x, w) }) {
			return false
		}
	}
	return true
}

// orderWorld is a shop with orders in every state.
type orderWorld struct {
	*shop
	dice      *rand.Rand
	bike      base.Item
	places    []base.ID
	customers []base.ID
	tags      []base.ID
	user      order.UserRef
	orders    []base.ID
}

func newOrderWorld(t *testing.T) *orderWorld {
	w := &orderWorld{shop: newShop(t), dice: rand.New(rand.NewPCG(1, 2)),
		user: order.UserRef{ID: base.MakeID(7, base.Base{}), Name: "Eva"}}
	sku := w.sku()
	w.article(sku, 6)
	w.bike = base.Item{SKU: sku}
	w.places = []base.ID{w.loc,
		w.do(stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID}
	for _, name := range []string{"José Müller", "Jose Groß", "ANNA Weiß-Müller"} {
		email := strings.ToLower(name[:4]) + "@example.com"
		w.customers = append(w.customers,
			w.do(commerce.CreateCustomer{
				Contact: base.Changed(commerce.Contact{FullName: new(name),
					Email: new(strings.ReplaceAll(email, "é", "e"))})}).(*commerce.Customer).ID)
	}
	for _, name := range []string{"vip", "late"} {
		w.tags = append(w.tags,
			w.do(label.CreateTag{TagFields: label.TagFields{Value: name, Scope: label.TagOrders}}).(*label.Tag).ID)
	}
	return w
}

func (w *orderWorld) maybe() bool { return w.dice.IntN(3) == 0 }

// line draws a line: a booking, seldom a long one, one without end, or a sale.
func (w *orderWorld) line() order.OrderLineInput {
	from := w.now + int64(w.dice.IntN(6)-2)*hour
	to := from + int64(1+w.dice.IntN(5))*hour
	if w.dice.IntN(8) == 0 {
		from += int64(w.dice.IntN(40)-10) * day
		to += int64(w.dice.IntN(400)) * day
	}
	l := order.OrderLineInput{Item: w.bike, Purchase: base.PurchaseBooking, Quantity: 1 + w.dice.IntN(2), From: &from,
		To: &to, UnitPrice: ptr(int64(w.dice.IntN(5) * 100))}
	switch w.dice.IntN(12) {
	case 0:
		l.To = nil
	case 1:
		l.Purchase, l.To = base.PurchaseSale, nil
	}
	return l
}

// draw makes an order, and takes it some way.
func (w *orderWorld) draw() {
	w.now += int64(w.dice.IntN(3)) * hour / 2
	o := order.CreateOrder{OrderInput: order.OrderInput{
		Status: order.OrderStatus(w.dice.IntN(2)), Pickup: w.loc,
		Channel:         order.Channel(order.Channel("").Words()[w.dice.IntN(3)]),
		AllowOverbooked: true,
		Reference:       ptr(fmt.Sprint("R-", w.dice.IntN(20), " Überführung")),
	}}
	for range 1 + w.dice.IntN(3) {
		o.Lines = append(o.Lines, w.line())
	}
	if o.Status == order.OrderDraft && w.maybe() {
		o.Lines = nil
	}
	if w.maybe() {
		o.Return = &w.places[1]
	}
	if n := w.dice.IntN(4); n < len(w.customers) {
		o.Customer = &w.customers[n]
	}
	for range w.dice.IntN(3) {
		o.Customers = append(o.Customers, order.OrderCustomerInput{Customer: &w.customers[w.dice.IntN(3)]})
	}
	if w.maybe() {
		o.Assigned = &w.user
	}
	if w.maybe() {
		o.Tags = []base.ID{w.tags[w.dice.IntN(2)]}
	}
	if w.maybe() {
		o.External.ID = base.Some(fmt.Sprint("x", w.now, len(w.orders)))
	}
	r, err := w.try(o)
	if err != nil {
		return
	}
	w.orders = append(w.orders, r.(*order.OrderRecord).ID)
}

// step changes some order in some way; much is refused.
func (w *orderWorld) step() {
	id := w.orders[w.dice.IntN(len(w.orders))]
	r := order.OrderByID(w.view(), id)
	if r == nil {
		return
	}
	var unit base.ID
	if len(r.Lines) > 0 && len(r.Lines[0].Units) > 0 {
		unit = r.Lines[0].Units[0].ID
	}
	switch w.dice.IntN(14) {
	case 0, 1, 2:
		_, _ = w.try(order.FulfillOrder{ID: id})
	case 3:
		_, _ = w.try(order.FulfillOrder{ID: id, Units: []base.ID{unit}})
	case 4, 5:
		_, _ = w.try(order.ReturnOrder{ID: id})
	case 6:
		_, _ = w.try(order.ReturnOrder{ID: id, Units: []base.ID{unit}})
	case 7:
		_, _ = w.try(order.PrepareOrder{ID: id})
	case 8:
		_, _ = w.try(order.CancelOrder{ID: id})
	case 9:
		_, _ = w.try(order.ArchiveOrder{ID: id, Archive: w.dice.IntN(4) > 0})
	case 10:
		if w.maybe() {
			_, _ = w.try(order.DeleteOrder{ID: id})
		}
	case 11:
		_, _ = w.try(order.PatchOrder{ID: id, Fields: base.Changed(order.OrderInput{
			Note:     new([]string{"", "call back", "Rückruf 12"}[w.dice.IntN(3)]),
			Customer: &w.customers[w.dice.IntN(3)]})})
	case 12:
		_, _ = w.try(order.ConfirmOrder{ID: id, AllowOverbooked: true})
	case 13:
		_, _ = w.try(order.UndoOrder{ID: id, Units: []base.ID{unit}})
	}
}

// query draws what is asked: mostly one or two filters.
func (w *orderWorld) query() *order.OrderQuery {
	q := &order.OrderQuery{Active: w.dice.IntN(4) > 0, Archived: w.maybe(), Desc: w.maybe(), Offset: w.dice.IntN(60),
		Limit: 1 + w.dice.IntN(20), Now: w.now}
	if w.maybe() {
		q.Sort = order.OrderSorts[w.dice.IntN(len(order.OrderSorts))]
	}
	span := func() *base.Span {
		from := noon + int64(w.dice.IntN(120)-10)*hour
		return &base.Span{Start: from, End: from + int64(w.dice.IntN(60))*hour}
	}
	for range w.dice.IntN(4) {
		switch w.dice.IntN(20) {
		case 0:
			q.Status = append(q.Status, order.OrderStatus(w.dice.IntN(4)))
		case 1:
			q.Fulfillment = append(q.Fulfillment, order.Fulfillment(w.dice.IntN(len(order.Fulfillments))))
		case 2:
			q.Conflict = ptr(w.maybe())
		case 3:
			q.Late = append(q.Late, []order.Lateness{order.LatePickup, order.LateReturn}[w.dice.IntN(2)])
		case 4:
			q.Channel = append(q.Channel, order.Channel("").Words()[w.dice.IntN(3)])
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
				q.Window = &base.Span{Start: q.Window.Start + far, End: q.Window.End + far}
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
			q.Search = []string{"jose", "MÜL", "mull", "anna weiß", "weiss", "r-1", "12", "bik", "example", "uberf",
				"nobody", "!", "call ba"}[w.dice.IntN(13)]
		}
	}
	return q
}

// Orders of every state are asked for in every way, through few and through indexes, as they change and after a
// restart.
func TestListsOfOrdersAgainstASlowOne(t *testing.T) {
	long(t)
	w := newOrderWorld(t)
	passed := 0
	check := func(n int) {
		for range n {
			q := w.query()
			want, total := w.slowOrders(q)
			for _, few := range []int{0, 10, order.FewOrders} {
				list, n := order.ListOrdersBy(w.view(), q, few)
				var ids []base.ID
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
	w.do(label.DeleteTag{ID: w.tags[1]})
	w.reopen()
	check(1500)
	require.Greater(t, passed, 5000, "filters let orders through")
}

// Whichever of lengths a window is asked for by, the same orders are found; and some orders are longer than each.
func TestAWindowByEachLength(t *testing.T) {
	long(t)
	w := newOrderWorld(t)
	for range 150 {
		w.draw()
	}
	for range 300 {
		from := noon + int64(w.dice.IntN(500)-30)*day + int64(w.dice.IntN(24))*hour
		over := base.Span{Start: from, End: from + int64(w.dice.IntN(60))*int64(w.dice.IntN(2))*day}
		want, total := w.slowOrders(&order.OrderQuery{Window: &over, Active: true, Limit: base.MaxListed})
		slices.SortFunc(want, base.ID.Compare)
		for nth := range len(order.Lengths) + 1 {
			l := order.OrderListing{OrderQuery: &order.OrderQuery{}, A: w.view().Acc, X: order.OrderIndex(w.view().Acc)}
			f, _ := l.WindowBy(nth, over)
			l.Add(f)
			in, n := l.Found()
			require.Equal(t, total, n, "%d %+v", nth, over)
			var got []base.ID
			for no := range in.All() {
				o := order.OrderTable(w.view().Acc).No(no)
				at := l.X.By[order.KeyStart].Before(o.Keys().At[order.KeyStart])
				require.True(t, f.From <= at && at < f.To, "its beginning is among those that a page is picked of")
				got = append(got, o.ID)
			}
			slices.SortFunc(got, base.ID.Compare)
			require.Equal(t, want, got, "%d %+v", nth, over)
			require.LessOrEqual(t, n, f.Most)
		}
	}
	for nth := range order.Lengths {
		long := order.TermLong.Of(byte(nth + 1))
		require.NotZero(t, order.OrderIndex(w.view().Acc).Sets.Count(long, long.Next(len(long))), "orders are as long")
	}
}

// A word counts by its first bytes, and an order by its first words.
func TestWordsOfAnOrderThatCount(t *testing.T) {
	s := newShop(t)
	long := strings.Repeat("a", order.MaxWord)
	s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc,
		Note: ptr(long + "b " + strings.Repeat("word ", order.OrderWords-2) + "last beyond")}})
	total := func(search string) int {
		_, n := order.ListOrders(s.view(), &order.OrderQuery{Search: search, Active: true, Limit: 10})
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
		s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc, Note: ptr(long[:n] + " other" + long[:n])}})
	}
	total := func(search string) int {
		_, n := order.ListOrdersBy(s.view(), &order.OrderQuery{Search: search, Active: true, Limit: 10}, 0)
		return n
	}
	for n := 1; n <= len(long); n++ {
		begin := min(n, order.MaxWord) // those that are longer are as one of so many bytes
		require.Equal(t, len(long)-begin+1, total(long[:n]), long[:n])
		require.Zero(t, total(long[1:n]+"z"), n)
		if n < order.MaxWord {
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
		require.Equal(t, words, base.WordsOf(text), text)
	}
}

// A unit that loses its slot, and gets one again, is found as it does, whoever takes it.
func TestOrdersAreFoundByTheirConflicts(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	bike := s.article(sku, 1)
	r := s.rent(base.Item{SKU: sku}, s.now+day, s.now+2*day, 1)
	yes := true
	total := func() int {
		_, n := order.ListOrders(s.view(), &order.OrderQuery{Conflict: &yes, Active: true, Limit: 10})
		return n
	}
	require.Equal(t, 0, total())
	s.do(stock.DecreaseQuantity{Article: bike, Location: s.loc, Amount: 1, Force: true})
	require.True(t, s.orderNow(r).Conflict())
	require.Equal(t, 1, total())
	s.reopen()
	require.Equal(t, 1, total())
	s.do(stock.IncreaseQuantity{Article: bike, Location: s.loc, Amount: 1})
	require.Equal(t, 0, total())
}
