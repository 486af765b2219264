package engine

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file owns the slow twin of the list of articles: it reads every article's whole record, filters it, and sorts them all.

// setArchived archives an article, or takes it back.
type setArchived struct {
	id ID
	at *int64
}

func (setArchived) Check() []Fault { return nil }
func (setArchived) result() any    { return new(Article) }
func (o setArchived) plan(t *tx) (any, error) {
	r := t.acc.articles().Get(o.id)
	n := *r
	n.ArchivedAt = o.at
	record(t, articleKind, r, &n)
	t.reassign(r, &n, true)
	return &n, nil
}

// slowRecord is an article as the twin reads it: of each field a list of values, none where there is none.
type slowRecord struct {
	*Article
	fields     map[string][]any // float64 or lower-case text
	attributes map[ID]Value
}

// slowIncomes is what each article brings in by the records of all orders.
func (s *shop) slowIncomes() map[ID]float64 {
	earned := map[ID]float64{}
	v := s.view()
	for o := range v.Orders().All() {
		r := v.OrderRecord(o, MaxListed)
		prices, ok := o.LinePrices()
		require.True(s, ok)
		units := r.Units
		for i, l := range o.Lines {
			var live []UnitRecord
			for j := range l.Units {
				if l.Units[j].State != Cancelled {
					live = append(live, units[j])
				}
			}
			units = units[len(l.Units):]
			left := int64(math.Floor(float64(prices[i].Total)*l.SplitRate() + 0.5))
			for j, u := range live {
				rest := int64(len(live) - j)
				share := (left + rest - 1) / rest // the greater ones first
				left -= share
				if !u.Conflict && u.Article != (ID{}) && o.Status != OrderDraft && !o.Cancelled {
					earned[u.Article] += float64(share)
				}
			}
		}
	}
	return earned
}

func (s *shop) slowRecords(q *ArticleQuery) (list []slowRecord) {
	v := s.view()
	var location ID
	if q.Location != nil {
		location = *q.Location
	}
	earned := s.slowIncomes()
	for r := range v.Articles().All() {
		x := slowRecord{r, map[string][]any{}, map[ID]Value{}}
		list = append(list, x)
		text := func(field string, texts ...*string) {
			for _, t := range texts {
				if t != nil && *t != "" {
					x.fields[field] = append(x.fields[field], strings.ToLower(*t))
				}
			}
		}
		text("name", &r.Name)
		for i := range r.Codes {
			text("codes", &r.Codes[i])
		}
		status := string(r.Status)
		text("status", &status)
		text("condition", r.Condition)
		var other *Labels
		price, description := r.PurchasePrice, r.Description
		if r.SKU != nil {
			sku := v.SKU(*r.SKU)
			other = &sku.Labels
			id := sku.ID.String()
			text("skuId", &id)
			text("skuName", &sku.Name)
			text("skuCode", sku.Code)
			if price == nil {
				price = sku.PurchasePrice
			}
			if description == nil {
				description = sku.Description
			}
		}
		text("description", description)
		if price != nil {
			x.fields["purchasePrice"] = []any{float64(*price)}
		}
		if r.ItemCosts != nil {
			x.fields["itemCosts"] = []any{float64(*r.ItemCosts)}
		}
		profit := earned[r.ID]
		for _, spent := range []*int64{price, r.ItemCosts} {
			if spent != nil {
				profit -= float64(*spent)
			}
		}
		x.fields["itemIncome"], x.fields["profitability"] = []any{earned[r.ID]}, []any{profit}
		x.fields["createdAt"] = []any{float64(CreatedAt(r.ID))}
		for _, id := range r.Tags {
			if g := v.Tag(id); g != nil {
				text("tags", &g.Value)
			}
		}
		v.EachAttribute(&r.Labels, other, func(d *Attribute, value Value, _ bool) { x.attributes[d.ID] = value })
		var stock, anywhere ArticleStock
		require.NoError(s, v.ArticleStock(&stock, r.ID, location, q.Window, q.Now))
		require.NoError(s, v.ArticleStock(&anywhere, r.ID, ID{}, q.Window, q.Now))
		units, free, taken := 0.0, 0.0, 0.0
		for _, c := range stock.Quantity {
			units += float64(c.Count)
		}
		for _, c := range stock.Availability {
			free += float64(c.Count)
		}
		most := map[ID]int{}
		for _, u := range stock.Units {
			at := max(instantOr(q.Window).Start, u.Range.Start)
			now := 0
			for _, o := range stock.Units {
				if o.Location == u.Location && o.Range.Holds(at) {
					now++
				}
			}
			most[u.Location] = max(most[u.Location], now)
		}
		for _, n := range most {
			taken += float64(n)
		}
		x.fields["quantity"], x.fields["availability"], x.fields["unavailability"] = []any{units}, []any{free}, []any{taken}
		x.fields["hasConflicts"] = []any{0.0}
		if slices.ContainsFunc(stock.Units, Unavailability.Conflict) {
			x.fields["hasConflicts"] = []any{1.0}
		}
		for _, l := range stock.Locations {
			name := v.Location(l.Location).Name
			text("serviceLocation", &name)
		}
		for _, l := range anywhere.Locations {
			id := l.Location.String()
			text("serviceLocationId", &id)
		}
	}
	return list
}

// slowValue is a value as the twin compares it: a number, the instant of a datetime as one, or a text without case. Days are
// texts: they are in order as such.
func slowValue(format AttributeFormat, v Value) any {
	switch {
	case v.Kind == NumberValue:
		return v.Number
	case v.Kind == BooleanValue:
		return fmt.Sprint(v.Bool)
	case format == FormatDatetime:
		at, err := time.Parse(time.RFC3339, v.Text)
		if err != nil {
			panic(err)
		}
		return float64(at.UnixMilli())
	}
	return strings.ToLower(v.Text)
}

// slowDay is the day of a date, or of an instant where the account is.
func slowDay(v any) string {
	if day, ok := v.(string); ok {
		return day
	}
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		panic(err)
	}
	return time.UnixMilli(int64(v.(float64))).In(lisbon).Format(time.DateOnly)
}

func slowCompare(x, y any) int {
	if a, ok := x.(float64); ok {
		return cmp.Compare(a, y.(float64))
	}
	return cmp.Compare(x.(string), y.(string))
}

// passes judges a list of values by the words of the interface.
func passes(f *Filter, format AttributeFormat, have []any, now int64) bool {
	var operands []any
	for _, v := range f.Values {
		operands = append(operands, slowValue(format, v))
	}
	some := func(meets func(h, o any) bool) bool {
		return slices.ContainsFunc(have, func(h any) bool { return slices.ContainsFunc(operands, func(o any) bool { return meets(h, o) }) })
	}
	text := func(meets func(s, part string) bool) bool {
		return some(func(h, o any) bool { return meets(h.(string), o.(string)) })
	}
	day := func(want int) bool {
		return slices.ContainsFunc(have, func(h any) bool { return cmp.Compare(slowDay(h), slowDay(float64(now))) == want })
	}
	within := func() bool {
		return slices.ContainsFunc(have, func(h any) bool { return slowCompare(h, operands[0]) >= 0 && slowCompare(h, operands[1]) <= 0 })
	}
	contains := func() bool {
		if format == FormatMultiselect {
			return some(func(h, o any) bool { return h == o })
		}
		return text(strings.Contains)
	}
	switch f.Operator {
	case IsEmpty:
		return len(have) == 0
	case IsNotEmpty:
		return len(have) > 0
	case StartsWith:
		return text(strings.HasPrefix)
	case EndsWith:
		return text(strings.HasSuffix)
	case Contains:
		return contains()
	case DoesNotContain:
		return !contains()
	case Equal, InArray:
		return some(func(h, o any) bool { return h == o })
	case NotEqual, NotInArray:
		return !some(func(h, o any) bool { return h == o })
	case Greater:
		return some(func(h, o any) bool { return slowCompare(h, o) > 0 })
	case GreaterOrEqual:
		return some(func(h, o any) bool { return slowCompare(h, o) >= 0 })
	case Less:
		return some(func(h, o any) bool { return slowCompare(h, o) < 0 })
	case LessOrEqual:
		return some(func(h, o any) bool { return slowCompare(h, o) <= 0 })
	case Between:
		return within()
	case NotBetween:
		return !within()
	case IsToday:
		return day(0)
	case IsBeforeToday:
		return day(-1)
	case IsAfterToday:
		return day(1)
	}
	panic(f.Operator)
}

// slowList is the twin of ListArticles.
func (s *shop) slowList(q *ArticleQuery) (ids []ID, total int) {
	var found []slowRecord
	for _, x := range s.slowRecords(q) {
		ok := (x.ArchivedAt == nil && q.Active || x.ArchivedAt != nil && q.Archived) &&
			(q.Status == nil || slices.Contains(q.Status, x.Status)) && (q.IDs == nil || slices.Contains(q.IDs, x.ID)) &&
			(q.SKU == nil || x.SKU != nil && *x.SKU == *q.SKU) && (q.Location == nil || x.fields["serviceLocation"] != nil)
		if q.Search != "" {
			hit := false
			for _, field := range []string{"name", "codes", "skuName", "skuCode"} {
				hit = hit || passes(&Filter{Operator: Contains, Values: []Value{{Kind: TextValue, Text: q.Search}}}, FormatText, x.fields[field], q.Now)
			}
			ok = ok && hit
		}
		for i := range q.Filters {
			f := &q.Filters[i]
			have, format := x.fields[string(f.Field)], f.Format
			if f.Field != "" {
				format = f.Field.format()
			} else {
				switch v := x.attributes[f.Attribute]; v.Kind {
				case NoValue:
				case ListValue:
					for _, t := range v.List {
						have = append(have, strings.ToLower(t))
					}
				default:
					have = []any{slowValue(format, v)}
				}
			}
			ok = ok && passes(f, format, have, q.Now)
		}
		if ok {
			found = append(found, x)
		}
	}
	slices.SortStableFunc(found, func(x, y slowRecord) int {
		a, b := x.fields[string(q.Sort)], y.fields[string(q.Sort)]
		if len(a) == 0 || len(b) == 0 {
			return cmp.Compare(len(b), len(a)) * min(len(a)+len(b), 1)
		}
		if q.Sort == ByTags || q.Sort == ByServiceLocation {
			slices.SortFunc(a, func(p, q any) int { return cmp.Compare(p.(string), q.(string)) })
			slices.SortFunc(b, func(p, q any) int { return cmp.Compare(p.(string), q.(string)) })
		}
		n := 0
		switch v := a[0].(type) {
		case string:
			n = cmp.Compare(v, b[0].(string))
		case float64:
			n = cmp.Compare(v, b[0].(float64))
		}
		if q.Desc {
			n = -n
		}
		return n
	})
	for _, x := range found[min(q.Offset, len(found)):min(q.Offset+q.Limit, len(found))] {
		ids = append(ids, x.ID)
	}
	return ids, len(found)
}

func TestListAgainstReadingEverything(t *testing.T) {
	long(t)
	s := newShop(t)
	rnd := rand.New(rand.NewPCG(3, 15))
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	chance := func(n int) bool { return rnd.IntN(n) == 0 }
	words := []string{"drill", "Drill", "saw", "SAW 2", "\u00c9tau", "a", ""}
	some := func() *string {
		if chance(2) {
			return nil
		}
		w := pick(words...)
		return &w
	}
	money := func() *int64 {
		if chance(2) {
			return nil
		}
		n := rnd.Int64N(4)
		return &n
	}
	locations := []ID{s.loc}
	for _, name := range []string{"alpha", "Beta", "beta"} {
		locations = append(locations, s.do(CreateLocation{Name: name, Timezone: "UTC"}).(*Location).ID)
	}
	var tags []ID
	for _, value := range []string{"Red", "red", "blue", "green"} {
		tags = append(tags, s.do(CreateTag{Value: value, Scope: TagInventory}).(*Tag).ID)
	}
	var attributes []*Attribute
	for _, format := range FilterFormats {
		o := CreateAttribute{Name: string(format), Key: string(format), Format: format}
		if format.Chosen() {
			o.Options = []string{"Red", "Blue", "Green"}
		}
		attributes = append(attributes, s.do(o).(*Attribute))
	}
	attributes = append(attributes, s.do(CreateAttribute{Name: "smart", Key: "smart", Format: FormatSmartField}).(*Attribute))
	// Few values, so that equal ones are met; days and instants are around today, where the account is.
	value := func(format AttributeFormat) Value {
		switch format {
		case FormatNumber:
			return Value{Kind: NumberValue, Number: float64(rnd.IntN(4))}
		case FormatBoolean:
			return Value{Kind: BooleanValue, Bool: chance(2)}
		case FormatDate:
			return Value{Kind: TextValue, Text: time.UnixMilli(noon + (rnd.Int64N(5)-2)*day).UTC().Format(time.DateOnly)}
		case FormatDatetime:
			return Value{Kind: TextValue, Text: time.UnixMilli(noon + (rnd.Int64N(9)-4)*11*hour).UTC().Format("2006-01-02T15:04:05.000Z")}
		case FormatSelect, FormatMultiselect:
			return Value{Kind: TextValue, Text: pick("Red", "Blue", "Green")}
		}
		return Value{Kind: TextValue, Text: pick(words[:6]...)}
	}
	labels := func() (p LabelsPatch) {
		var given []AttributeInput
		for _, d := range attributes {
			if chance(2) {
				continue
			}
			v := value(d.Format)
			if d.Format == FormatMultiselect {
				v = Value{Kind: ListValue, List: []string{pick("Red", "Blue"), "Green"}}
			}
			given = append(given, AttributeInput{d.Key, v})
		}
		p.Attributes = Some(given)
		for _, id := range tags {
			if chance(4) {
				p.Tags.Set, p.Tags.Value = true, append(p.Tags.Value, id)
			}
		}
		return p
	}
	costs := func() (p DetailsPatch) {
		if n := money(); n != nil {
			p.ItemCosts = Some(*n)
		}
		return p
	}
	var skus []ID
	for i := range 8 {
		code := fmt.Sprint(pick("k", "K"), i)
		o := CreateSKU{Name: pick(words[:6]...), Description: some(), PurchasePrice: money(), Labels: labels()}
		if chance(2) {
			o.Code = &code
		}
		skus = append(skus, s.do(o).(*SKU).ID)
	}
	var articles []ID
	for range 200 {
		if chance(3) {
			s.now++
		}
		o := CreateArticle{
			Name: pick(words[:6]...), Condition: some(), Description: some(), PurchasePrice: money(), Labels: labels(),
			Status: ArticleStatus(pick("active", "active", "active", "inactive", "draft")), Details: costs(),
		}
		if !chance(3) {
			o.SKU = &skus[rnd.IntN(len(skus))]
		}
		for range rnd.IntN(3) {
			o.Codes = append(o.Codes, pick("c1", "C2", "x"))
		}
		for _, at := range locations {
			if chance(3) {
				from := noon + rnd.Int64N(4)*day
				o.Quantities = append(o.Quantities, InitialQuantity{at, 1 + rnd.IntN(3), &from})
			}
		}
		articles = append(articles, s.do(o).(*Article).ID)
	}
	for range 300 {
		from := noon + day*(1+rnd.Int64N(20))
		_, _ = s.try(PlaceHold{Lines: []HoldLineInput{{
			Item: Item{Article: articles[rnd.IntN(200)]}, Location: locations[rnd.IntN(4)], Window: Span{Start: from, End: from + day*(1+rnd.Int64N(9))}, Quantity: 1,
		}}})
	}
	var orders []ID
	order := func() {
		from := noon + day*(1+rnd.Int64N(20))
		to, i, split := from+day*(1+rnd.Int64N(9)), Item{Article: articles[rnd.IntN(200)]}, []*int64{nil, ptr(int64(500_000)), ptr(int64(0))}[rnd.IntN(3)]
		if chance(2) {
			i = Item{SKU: skus[rnd.IntN(8)]}
		}
		r, err := s.try(CreateOrder{
			OrderInput: OrderInput{Status: []OrderStatus{OrderOpen, OrderOpen, OrderOpen, OrderDraft}[rnd.IntN(4)], Pickup: locations[rnd.IntN(4)], AllowOverbooked: chance(2)},
			Lines: []OrderLineInput{{
				Item: i, Purchase: PurchaseBooking, Quantity: 1 + rnd.IntN(3), From: &from, To: &to, UnitPrice: ptr(rnd.Int64N(5)), TaxRate: ptr(1_700), RevenueSplit: split,
			}},
		})
		if err == nil {
			orders = append(orders, r.(*OrderRecord).ID)
		}
	}
	for range 150 {
		order()
	}
	require.Greater(t, len(orders), 50)
	change := func() {
		id := articles[rnd.IntN(200)]
		switch rnd.IntN(10) {
		case 0:
			s.do(PatchArticle{Force: true, ID: id, Status: Some(ArticleStatus(pick("active", "inactive", "draft")))}) // holds of its own become conflicts
		case 1:
			s.do(PatchArticle{ID: id, Name: Some(pick(words[:6]...)), Labels: labels()})
		case 2:
			s.do(setArchived{id, []*int64{nil, &s.now}[rnd.IntN(2)]})
		case 3:
			s.do(PatchSKU{ID: skus[rnd.IntN(8)], Name: Some(pick(words[:6]...)), Labels: labels()})
		case 4:
			if r := s.view().Article(id); len(r.lots) > 0 {
				at := s.view().acc.locations().No(r.lots[0].location).ID
				_, _ = s.try(DecreaseQuantity{Article: id, Location: at, Amount: 1, Force: chance(2)})
			}
		case 5:
			s.do(PatchArticle{Force: true, ID: id, SKU: Some(skus[rnd.IntN(8)])})
		case 6:
			s.do(PatchArticle{ID: id, PurchasePrice: Null[int64](), Details: costs()})
			s.do(PatchSKU{ID: skus[rnd.IntN(8)], PurchasePrice: Some(rnd.Int64N(5))})
		case 7:
			order()
		case 8:
			_, _ = s.try(CancelOrder{ID: orders[rnd.IntN(len(orders))]})
		case 9:
			if r := s.view().Order(orders[rnd.IntN(len(orders))]); r != nil {
				_, _ = s.try(AssignUnit{Order: r.ID, Unit: r.Lines[0].Units[0].ID, Article: id})
			}
		}
	}
	// Every operator with every format that it fits, of attributes and of fields, again and again.
	type kindOfFilter struct {
		Filter
		format AttributeFormat
	}
	var kinds []kindOfFilter
	for _, d := range attributes {
		format := d.Format
		if format == FormatSmartField {
			format = FormatText
		}
		for _, o := range operatorsOf[format] {
			kinds = append(kinds, kindOfFilter{Filter{Attribute: d.ID, Format: format, Operator: o}, format})
		}
	}
	for _, n := range articleFields {
		for _, o := range operatorsOf[n.format] {
			kinds = append(kinds, kindOfFilter{Filter{Field: n.name, Operator: o}, n.format})
		}
	}
	turn := 0
	filter := func() Filter {
		k := kinds[turn%len(kinds)]
		turn++
		f := k.Filter
		least, most := f.Operator.operands()
		for range min(most, max(least, 1+rnd.IntN(2))) {
			v := value(k.format)
			switch {
			case f.Field == FieldProfitability:
				v.Number -= 4
			case f.Field == FieldStatus:
				v.Text = pick("active", "draft")
			case f.Field == FieldSKU:
				v.Text = skus[rnd.IntN(8)].String()
			case f.Field == FieldServiceLocation:
				v.Text = locations[rnd.IntN(4)].String()
			case k.format == FormatText:
				v.Text = pick("dr", "saw", "\u00e9", "L", "red", "c2", "K1", "a")
			}
			f.Values = append(f.Values, v)
		}
		if least == 2 && slowCompare(slowValue(k.format, f.Values[1]), slowValue(k.format, f.Values[0])) < 0 {
			slices.Reverse(f.Values)
		}
		return f
	}
	full, conflicts := 0, false
	for i := range 600 {
		if chance(4) {
			change()
		}
		from := noon + rnd.Int64N(25*24)*hour
		q := ArticleQuery{
			Window: Span{Start: from, End: from + []int64{0, hour, 7 * day}[rnd.IntN(3)]}, Now: s.now, Active: !chance(4), Archived: chance(3),
			Sort: ArticleSorts[i/2%len(ArticleSorts)], Desc: i%2 == 0, Offset: []int{0, 0, 3, 70, 500}[rnd.IntN(5)], Limit: 1 + rnd.IntN(100),
		}
		for range rnd.IntN(3) {
			q.Status = append(q.Status, ArticleStatus(pick("active", "inactive", "draft")))
		}
		if chance(8) {
			q.SKU = &skus[rnd.IntN(8)]
		}
		if chance(5) {
			q.Location = &locations[rnd.IntN(4)]
		}
		if chance(8) {
			q.IDs = articles[50:150]
		}
		if chance(5) {
			q.Search = pick("DR", "c", "k3", "\u00c9")
		}
		for range rnd.IntN(4) {
			q.Filters = append(q.Filters, filter())
		}
		require.Empty(t, s.view().CheckArticles(&q))
		page, total, err := s.view().ListArticles(&q, nil)
		require.NoError(t, err)
		want, wantTotal := s.slowList(&q)
		var got []ID
		for _, r := range page {
			got = append(got, r.ID)
		}
		require.Equal(t, wantTotal, total, "%+v", q)
		require.Equal(t, want, got, "%+v", q)
		if len(want) > 5 && len(q.Filters) > 0 {
			full++
		}
		conflicts = conflicts || s.view().acc.stock.ConflictLen() > 0
	}
	require.Greater(t, turn, 3*len(kinds))
	require.Greater(t, full, 40, "most pages were empty")
	require.True(t, conflicts)
	require.Greater(t, len(s.slowIncomes()), 20)
	s.reopen()
}

// A page that is picked out of many is the page of all of them in order.
func TestPicker(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 71))
	for range 300 {
		n, offset, limit := rnd.IntN(2000), rnd.IntN(300), 1+rnd.IntN(100)
		var all []picked
		p := picker{}
		p.reset(offset+limit, rnd.IntN(2) == 0)
		distinct, sorted := 1+rnd.IntN(1000), rnd.IntN(4)
		for no := range n {
			x := picked{number: float64(rnd.IntN(distinct)), no: uint32(no)}
			if sorted == 0 {
				x.number = float64(no)
			} else if sorted == 1 {
				x.number = float64(-no)
			}
			all = append(all, x)
			p.add(x)
		}
		slices.SortFunc(all, func(x, y picked) int { return p.compare(&x, &y) })
		got := p.from(offset)
		require.Equal(t, len(all[min(offset, n):min(offset+limit, n)]), min(limit, len(got)))
		for i := range min(limit, len(got)) {
			require.Equal(t, all[offset+i], got[i])
		}
	}
}
