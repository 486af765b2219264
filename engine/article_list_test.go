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

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the slow twin of the list of articles: it reads every article's whole record, filters it, and sorts
// them all.

// setArchived archives an article, or takes it back.
type setArchived struct {
	base.Answers[*stock.Article]
	id base.ID
	at *int64
}

func (o setArchived) PlanOn(t *base.Tx) (any, error) {
	r := stock.ArticleTable(t.Acc).Get(o.id)
	n := *r
	n.ArchivedAt = o.at
	base.Record(t, stock.ArticleKind, r, &n)
	stock.Reassign(t, r, &n, true)
	return &n, nil
}

// slowRecord is an article as the twin reads it: of each field a list of values, none where there is none.
type slowRecord struct {
	*stock.Article
	fields     map[string][]any // float64 or lower-case text
	attributes map[base.ID]label.Value
}

// slowIncomes is what each article brings in by the records of all orders.
func (s *shop) slowIncomes() map[base.ID]float64 {
	earned := map[base.ID]float64{}
	v := s.view()
	for o := range order.Orders(v).All() {
		r := order.RecordOf(v, o, base.MaxListed)
		prices, ok := o.LinePrices()
		require.True(s, ok)
		units := r.Units
		for i, l := range o.Lines {
			var live []order.UnitRecord
			for j := range l.Units {
				if l.Units[j].State != order.Cancelled {
					live = append(live, units[j])
				}
			}
			units = units[len(l.Units):]
			left := int64(math.Floor(float64(prices[i].Total)*l.SplitRate() + 0.5))
			for j, u := range live {
				rest := int64(len(live) - j)
				share := (left + rest - 1) / rest // the greater ones first
				left -= share
				if !u.Conflict && u.Article != (base.ID{}) && o.Status != order.OrderDraft && !o.Cancelled {
					earned[u.Article] += float64(share)
				}
			}
		}
	}
	return earned
}

func (s *shop) slowRecords(q *stock.ArticleQuery) (list []slowRecord) {
	v := s.view()
	var location base.ID
	if q.Location != nil {
		location = *q.Location
	}
	earned := s.slowIncomes()
	for r := range stock.Articles(v).All() {
		x := slowRecord{Article: r, fields: map[string][]any{}, attributes: map[base.ID]label.Value{}}
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
		var other *label.Labels
		price, description := r.PurchasePrice, r.Description
		if r.SKU != nil {
			sku := stock.SKUByID(v, *r.SKU)
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
		x.fields["createdAt"] = []any{float64(base.CreatedAt(r.ID))}
		for _, id := range r.Tags {
			if g := label.TagByID(v, id); g != nil {
				text("tags", &g.Value)
			}
		}
		label.EachAttribute(v, &r.Labels, other,
			func(d *label.Attribute, value label.Value, _ bool) { x.attributes[d.ID] = value })
		var lots, anywhere stock.ArticleStock
		require.NoError(s, stock.FillArticleStock(v, &lots, r.ID, location, q.Window, q.Now))
		require.NoError(s, stock.FillArticleStock(v, &anywhere, r.ID, base.ID{}, q.Window, q.Now))
		units, free, taken := 0.0, 0.0, 0.0
		for _, c := range lots.Quantity {
			units += float64(c.Count)
		}
		for _, c := range lots.Availability {
			free += float64(c.Count)
		}
		most := map[base.ID]int{}
		for _, u := range lots.Units {
			at := max(stock.InstantOr(q.Window).Start, u.Range.Start)
			now := 0
			for _, o := range lots.Units {
				if o.Location == u.Location && o.Range.Holds(at) {
					now++
				}
			}
			most[u.Location] = max(most[u.Location], now)
		}
		for _, n := range most {
			taken += float64(n)
		}
		x.fields["quantity"], x.fields["availability"], x.fields["unavailability"] = []any{units}, []any{free},
			[]any{taken}
		x.fields["hasConflicts"] = []any{0.0}
		if slices.ContainsFunc(lots.Units, stock.Unavailability.Conflict) {
			x.fields["hasConflicts"] = []any{1.0}
		}
		for _, l := range lots.Locations {
			name := stock.LocationByID(v, l.Location).Name
			text("serviceLocation", &name)
		}
		for _, l := range anywhere.Locations {
			id := l.Location.String()
			text("serviceLocationId", &id)
		}
	}
	return list
}

// slowValue is a value as the twin compares it: a number, the instant of a datetime as one, or a text without case.
// Days are texts: they are in order as such.
func slowValue(format label.AttributeFormat, v label.Value) any {
	switch {
	case v.Kind == label.NumberValue:
		return v.Number
	case v.Kind == label.BooleanValue:
		return fmt.Sprint(v.Bool)
	case format == label.FormatDatetime:
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
func passes(f *stock.Filter, format label.AttributeFormat, have []any, now int64) bool {
	var operands []any
	for _, v := range f.Values {
		operands = append(operands, slowValue(format, v))
	}
	some := func(meets func(h, o any) bool) bool {
		return slices.ContainsFunc(have,
			func(h any) bool { return slices.ContainsFunc(operands, func(o any) bool { return meets(h, o) }) })
	}
	text := func(meets func(s, part string) bool) bool {
		return some(func(h, o any) bool { return meets(h.(string), o.(string)) })
	}
	day := func(want int) bool {
		return slices.ContainsFunc(have,
			func(h any) bool { return cmp.Compare(slowDay(h), slowDay(float64(now))) == want })
	}
	within := func() bool {
		return slices.ContainsFunc(have,
			func(h any) bool { return slowCompare(h, operands[0]) >= 0 && slowCompare(h, operands[1]) <= 0 })
	}
	contains := func() bool {
		if format == label.FormatMultiselect {
			return some(func(h, o any) bool { return h == o })
		}
		return text(strings.Contains)
	}
	switch f.Operator {
	case label.IsEmpty:
		return len(have) == 0
	case label.IsNotEmpty:
		return len(have) > 0
	case label.StartsWith:
		return text(strings.HasPrefix)
	case label.EndsWith:
		return text(strings.HasSuffix)
	case label.Contains:
		return contains()
	case label.DoesNotContain:
		return !contains()
	case label.Equal, label.InArray:
		return some(func(h, o any) bool { return h == o })
	case label.NotEqual, label.NotInArray:
		return !some(func(h, o any) bool { return h == o })
	case label.Greater:
		return some(func(h, o any) bool { return slowCompare(h, o) > 0 })
	case label.GreaterOrEqual:
		return some(func(h, o any) bool { return slowCompare(h, o) >= 0 })
	case label.Less:
		return some(func(h, o any) bool { return slowCompare(h, o) < 0 })
	case label.LessOrEqual:
		return some(func(h, o any) bool { return slowCompare(h, o) <= 0 })
	case label.Between:
		return within()
	case label.NotBetween:
		return !within()
	case label.IsToday:
		return day(0)
	case label.IsBeforeToday:
		return day(-1)
	case label.IsAfterToday:
		return day(1)
	}
	panic(f.Operator)
}

// slowList is the twin of ListArticles.
func (s *shop) slowList(q *stock.ArticleQuery) (ids []base.ID, total int) {
	var found []slowRecord
	for _, x := range s.slowRecords(q) {
		ok := (x.ArchivedAt == nil && q.Active || x.ArchivedAt != nil && q.Archived) &&
			(q.Status == nil || slices.Contains(q.Status, x.Status)) &&
			(q.IDs == nil || slices.Contains(q.IDs, x.ID)) &&
			(q.SKU == nil || x.SKU != nil && *x.SKU == *q.SKU) &&
			(q.Location == nil || x.fields["serviceLocation"] != nil)
		if q.Search != "" {
			hit := false
			for _, field := range []string{"name", "codes", "skuName", "skuCode"} {
				hit = hit || passes(&stock.Filter{Operator: label.Contains,
					Values: []label.Value{{Kind: label.TextValue, Text: q.Search}}}, label.FormatText, x.fields[field],
					q.Now)
			}
			ok = ok && hit
		}
		for i := range q.Filters {
			f := &q.Filters[i]
			have, format := x.fields[string(f.Field)], f.Format
			if f.Field != "" {
				format = f.Field.Format()
			} else {
				switch v := x.attributes[f.Attribute]; v.Kind {
				case label.NoValue:
				case label.ListValue:
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
		if q.Sort == stock.ByTags || q.Sort == stock.ByServiceLocation {
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
	locations := []base.ID{s.loc}
	for _, name := range []string{"alpha", "Beta", "beta"} {
		locations = append(locations,
			s.do(stock.CreateLocation{
				LocationFields: stock.LocationFields{Name: name, Timezone: "UTC"}}).(*stock.Location).ID)
	}
	var tags []base.ID
	for _, value := range []string{"Red", "red", "blue", "green"} {
		tags = append(tags,
			s.do(label.CreateTag{TagFields: label.TagFields{Value: value, Scope: label.TagInventory}}).(*label.Tag).ID)
	}
	var attributes []*label.Attribute
	for _, format := range label.FilterFormats {
		o := label.CreateAttribute{
			AttributeFields: label.AttributeFields{Name: string(format), Key: string(format), Format: format}}
		if format.Chosen() {
			o.Options = []string{"Red", "Blue", "Green"}
		}
		attributes = append(attributes, s.do(o).(*label.Attribute))
	}
	attributes = append(attributes,
		s.do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "smart", Key: "smart",
			Format: label.FormatSmartField}}).(*label.Attribute))
	// Few values, so that equal ones are met; days and instants are around today, where the account is.
	value := func(format label.AttributeFormat) label.Value {
		switch format {
		case label.FormatNumber:
			return label.Value{Kind: label.NumberValue, Number: float64(rnd.IntN(4))}
		case label.FormatBoolean:
			return label.Value{Kind: label.BooleanValue, Bool: chance(2)}
		case label.FormatDate:
			return label.Value{Kind: label.TextValue,
				Text: time.UnixMilli(noon + (rnd.Int64N(5)-2)*day).UTC().Format(time.DateOnly)}
		case label.FormatDatetime:
			return label.Value{Kind: label.TextValue,
				Text: time.UnixMilli(noon + (rnd.Int64N(9)-4)*11*hour).UTC().Format("2006-01-02T15:04:05.000Z")}
		case label.FormatSelect, label.FormatMultiselect:
			return label.Value{Kind: label.TextValue, Text: pick("Red", "Blue", "Green")}
		}
		return label.Value{Kind: label.TextValue, Text: pick(words[:6]...)}
	}
	labels := func() (p label.LabelsPatch) {
		var given []label.AttributeInput
		for _, d := range attributes {
			if chance(2) {
				continue
			}
			v := value(d.Format)
			if d.Format == label.FormatMultiselect {
				v = label.Value{Kind: label.ListValue, List: []string{pick("Red", "Blue"), "Green"}}
			}
			given = append(given, label.AttributeInput{Key: d.Key, Value: v})
		}
		p.Attributes = base.Some(given)
		for _, id := range tags {
			if chance(4) {
				p.Tags.Set, p.Tags.Value = true, append(p.Tags.Value, id)
			}
		}
		return p
	}
	costs := func() (p stock.DetailsPatch) {
		if n := money(); n != nil {
			p.ItemCosts = base.Some(*n)
		}
		return p
	}
	var skus []base.ID
	for i := range 8 {
		code := fmt.Sprint(pick("k", "K"), i)
		o := stock.CreateSKU{SKUFields: stock.SKUFields{Name: pick(words[:6]...), Description: some(),
			PurchasePrice: money()}, Labels: labels()}
		if chance(2) {
			o.Code = &code
		}
		skus = append(skus, s.do(o).(*stock.SKU).ID)
	}
	var articles []base.ID
	for range 200 {
		if chance(3) {
			s.now++
		}
		o := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: pick(words[:6]...), Condition: some(),
			Description: some(), PurchasePrice: money(),
			Status: stock.ArticleStatus(pick("active", "active", "active", "inactive", "draft"))}, Labels: labels(),
			Details: costs()}
		if !chance(3) {
			o.SKU = &skus[rnd.IntN(len(skus))]
		}
		for range rnd.IntN(3) {
			o.Codes = append(o.Codes, pick("c1", "C2", "x"))
		}
		for _, at := range locations {
			if chance(3) {
				from := noon + rnd.Int64N(4)*day
				o.Quantities = append(o.Quantities,
					stock.InitialQuantity{Location: at, Count: 1 + rnd.IntN(3), From: &from})
			}
		}
		articles = append(articles, s.do(o).(*stock.Article).ID)
	}
	for range 300 {
		from := noon + day*(1+rnd.Int64N(20))
		_, _ = s.try(hold.PlaceHold{Lines: []hold.HoldLineInput{{
			Item: base.Item{Article: articles[rnd.IntN(200)]}, Location: locations[rnd.IntN(4)],
			Window: base.Span{Start: from, End: from + day*(1+rnd.Int64N(9))}, Quantity: 1,
		}}})
	}
	var orders []base.ID
	made := func() {
		from := noon + day*(1+rnd.Int64N(20))
		to, i, split := from+day*(1+rnd.Int64N(9)), base.Item{Article: articles[rnd.IntN(200)]},
			[]*int64{nil, ptr(int64(500_000)), ptr(int64(0))}[rnd.IntN(3)]
		if chance(2) {
			i = base.Item{SKU: skus[rnd.IntN(8)]}
		}
		r, err := s.try(order.CreateOrder{
			OrderInput: order.OrderInput{Status: []order.OrderStatus{order.OrderOpen, order.OrderOpen, order.OrderOpen,
				order.OrderDraft}[rnd.IntN(4)], Pickup: locations[rnd.IntN(4)], AllowOverbooked: chance(2)},
			Lines: []order.OrderLineInput{{
				Item: i, Purchase: base.PurchaseBooking, Quantity: 1 + rnd.IntN(3), From: &from, To: &to,
				UnitPrice: ptr(rnd.Int64N(5)), TaxRate: ptr(1_700), RevenueSplit: split,
			}},
		})
		if err == nil {
			orders = append(orders, r.(*order.OrderRecord).ID)
		}
	}
	for range 150 {
		made()
	}
	require.Greater(t, len(orders), 50)
	change := func() {
		id := articles[rnd.IntN(200)]
		switch rnd.IntN(10) {
		case 0:
			// holds of its own become conflicts
			s.do(stock.PatchArticle{Force: true, ID: id,
				Fields: base.Changed(
					stock.ArticleFields{Status: stock.ArticleStatus(pick("active", "inactive", "draft"))})})
		case 1:
			s.do(stock.PatchArticle{ID: id, Fields: base.Changed(stock.ArticleFields{Name: pick(words[:6]...)}),
				Labels: labels()})
		case 2:
			s.do(setArchived{id: id, at: []*int64{nil, &s.now}[rnd.IntN(2)]})
		case 3:
			s.do(stock.PatchSKU{ID: skus[rnd.IntN(8)], Fields: base.Changed(stock.SKUFields{Name: pick(words[:6]...)}),
				Labels: labels()})
		case 4:
			if r := stock.ArticleByID(s.view(), id); len(r.Lots) > 0 {
				at := stock.LocationTable(s.view().Acc).No(r.Lots[0].Location).ID
				_, _ = s.try(stock.DecreaseQuantity{Article: id, Location: at, Amount: 1, Force: chance(2)})
			}
		case 5:
			s.do(stock.PatchArticle{Force: true, ID: id,
				Fields: base.Changed(stock.ArticleFields{SKU: new(skus[rnd.IntN(8)])})})
		case 6:
			s.do(stock.PatchArticle{ID: id, Fields: base.Changed(stock.ArticleFields{}, "purchasePrice"),
				Details: costs()})
			s.do(stock.PatchSKU{ID: skus[rnd.IntN(8)],
				Fields: base.Changed(stock.SKUFields{PurchasePrice: new(rnd.Int64N(5))})})
		case 7:
			made()
		case 8:
			_, _ = s.try(order.CancelOrder{ID: orders[rnd.IntN(len(orders))]})
		case 9:
			if r := order.OrderByID(s.view(), orders[rnd.IntN(len(orders))]); r != nil {
				_, _ = s.try(order.AssignUnit{Order: r.ID, Unit: r.Lines[0].Units[0].ID, Article: id})
			}
		}
	}
	// Every operator with every format that it fits, of attributes and of fields, again and again.
	type kindOfFilter struct {
		stock.Filter
		format label.AttributeFormat
	}
	var kinds []kindOfFilter
	for _, d := range attributes {
		format := d.Format
		if format == label.FormatSmartField {
			format = label.FormatText
		}
		for _, o := range label.OperatorsOf[format] {
			kinds = append(kinds,
				kindOfFilter{Filter: stock.Filter{Attribute: d.ID, Format: format, Operator: o}, format: format})
		}
	}
	for _, n := range stock.FilteredFields {
		for _, o := range label.OperatorsOf[n.Format] {
			kinds = append(kinds, kindOfFilter{Filter: stock.Filter{Field: n.Name, Operator: o}, format: n.Format})
		}
	}
	turn := 0
	filter := func() stock.Filter {
		k := kinds[turn%len(kinds)]
		turn++
		f := k.Filter
		least, most := f.Operator.Operands()
		for range min(most, max(least, 1+rnd.IntN(2))) {
			v := value(k.format)
			switch {
			case f.Field == stock.FieldProfitability:
				v.Number -= 4
			case f.Field == stock.FieldStatus:
				v.Text = pick("active", "draft")
			case f.Field == stock.FieldSKU:
				v.Text = skus[rnd.IntN(8)].String()
			case f.Field == stock.FieldServiceLocation:
				v.Text = locations[rnd.IntN(4)].String()
			case k.format == label.FormatText:
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
		q := stock.ArticleQuery{
			Window: base.Span{Start: from, End: from + []int64{0, hour, 7 * day}[rnd.IntN(3)]}, Now: s.now,
			Active: !chance(4), Archived: chance(3),
			Sort: stock.ArticleSorts[i/2%len(stock.ArticleSorts)], Desc: i%2 == 0,
			Offset: []int{0, 0, 3, 70, 500}[rnd.IntN(5)], Limit: 1 + rnd.IntN(100),
		}
		for range rnd.IntN(3) {
			q.Status = append(q.Status, stock.ArticleStatus(pick("active", "inactive", "draft")))
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
		require.Empty(t, stock.CheckArticles(s.view(), &q))
		page, total, err := stock.ListArticles(s.view(), &q, nil)
		require.NoError(t, err)
		want, wantTotal := s.slowList(&q)
		var got []base.ID
		for _, r := range page {
			got = append(got, r.ID)
		}
		require.Equal(t, wantTotal, total, "%+v", q)
		require.Equal(t, want, got, "%+v", q)
		if len(want) > 5 && len(q.Filters) > 0 {
			full++
		}
		conflicts = conflicts || s.view().Acc.Stock.ConflictLen() > 0
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
		var all []stock.Picked
		p := stock.Picker{}
		p.Reset(offset+limit, rnd.IntN(2) == 0)
		distinct, sorted := 1+rnd.IntN(1000), rnd.IntN(4)
		for no := range n {
			x := stock.Picked{Number: float64(rnd.IntN(distinct)), No: uint32(no)}
			if sorted == 0 {
				x.Number = float64(no)
			} else if sorted == 1 {
				x.Number = float64(-no)
			}
			all = append(all, x)
			p.Add(x)
		}
		slices.SortFunc(all, func(x, y stock.Picked) int { return p.Compare(&x, &y) })
		got := p.From(offset)
		require.Equal(t, len(all[min(offset, n):min(offset+limit, n)]), min(limit, len(got)))
		for i := range min(limit, len(got)) {
			require.Equal(t, all[offset+i], got[i])
		}
	}
}
