package order

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
)

// This file owns line items: what is asked for, how a line comes of it, and how lines are added, changed and taken off.

// OrderLineInput asks for a line item.
type OrderLineInput struct {
	base.Item
	Purchase      base.PurchaseType `field:"purchaseType word required fixed" about:"How it is taken: booked for a time, sold, or subscribed to."`
	Quantity      int               `field:"quantity int 1..10000 required" default:"1" about:"How many units."`
	From          *int64            `field:"startDate instant required" made:"The first instant of the line. Of a sale it may be left out: then it is now." changed:"The first instant of the line. It can be changed only while no unit of the order is handed over."`
	To            *int64            `field:"endDate instant" made:"The first instant after the line; a sale has none. Default: without end, until the units come back; where a pricing row is for a length of time, the unit price is that of one such length until there is an end." changed:"The first instant after the line. It can also be changed while units are out, for example to extend the rental. Null: without end."`
	PricingRow    *base.ID          `field:"pricingRowId id" made:"The pricing row that the price is of, which is of the item's table where it has one. Without it or a unit price the line is sold by the fitting row of that table with the least total, and is refused where none fits, or where several are for a subscription; what has no table is free." changed:"The pricing row that the price is of. The one that the line is sold by may be named also when it is retired: the line keeps the terms that it has. Null clears it." example:"null"`
	UnitPrice     *int64            `field:"unitPrice int 0..9007199254740991" made:"Price of one unit for the whole time, in minor units of the account's currency; of a subscription for a cycle." changed:"Price of one unit for the whole time, in minor units of the account's currency; of a subscription for a cycle. Null: what the pricing row says."`
	TaxRate       *int              `field:"taxRate int 0..10000" given:"Tax in hundredths of a percent: 2300 is 23 %." made:"Tax in hundredths of a percent: 2300 is 23 %. Default: 0."`
	Name          *string           `field:"name text 1..255 required" given:"What the line is called: a string, or an object with the string as def, as a line is read." made:"What the line is called: a string, or an object with the string as def, as a line is read. Default: the item's name."`
	Note          *string           `field:"note text 0..10000" about:"A text for those who read it."`
	ImageURL      *string           `field:"imageUrl text 1..2048" about:"A picture of it."`
	OrderCustomer *base.ID          `field:"orderCustomerId id fixed" about:"The customer of the order that the line is for." example:"null"`
	AddonOf       *base.ID          `field:"addonOfLineItemId id fixed" about:"The line of this order, there already, that this one is an add-on of." example:"null"`
	AddonOfLine   *int              `field:"addonOfLine int 0..999 fixed" about:"The earlier line of this request that it is an add-on of, counted from 0." example:"null"`
	CatalogAddon  *base.ID          `field:"catalogAddonId id fixed" about:"The add-on's id in the shop's catalog, as it was given."`
	CartAddon     *base.ID          `field:"cartAddonId id fixed" about:"The add-on's id in the cart, as it was given."`
	IsAddon       *string           `field:"isAddon text 1..255 fixed" about:"What kind of add-on it is, which is kept as it is." example:"cart"`
	Variants      []LineVariant     `field:"variants list 0..20 object ChosenVariantInput ChosenVariant" made:"What the customer chose. Default: nothing." changed:"What the customer chose, replaced as a whole."`
	Requirements  []Requirement     `field:"requirements own fixed" made:"What the article of each unit has to be like." example:"null"`
	Fields        []CheckoutField   `field:"checkoutFields own" made:"What the customer was asked for this line. Default: nothing." changed:"What the customer was asked for this line, replaced as a whole."`
	ExpectsLink   bool              `field:"expectsInventoryLink flag" about:"Whether an article is expected to be named, which is kept as it is; nothing is checked here." changed:"Whether an article is expected to be named, which is kept as it is; nothing is checked here. Null clears it."`
	RevenueSplit  *int64            `field:"revenueSplitRate int 0..1000000" made:"The part of the income that is the article's own. Default 1." changed:"Which part of the line's total counts as the article's income, from 0 to 1; null: 1."` // millionths
	Subscription  *commerce.SubscriptionTerms
	Collection    *string
}

// WholeSplit is a revenue split of all, in millionths.
const WholeSplit = 1_000_000

func (in *OrderLineInput) check(c *base.Checker, at string) {
	c.Item(at, in.Item)
	var of base.Checker
	base.CheckFields(&of, "", in)
	known := in.Purchase != "" && in.Purchase.Valid() // what else is wrong hangs on it
	if known && in.From == nil && in.Purchase != base.PurchaseSale {
		of.Fault("/startDate", "required", "is missing")
	}
	in.checkTogether(&of)
	if in.Purchase == base.PurchaseSale && in.To != nil {
		of.Fault("/endDate", "forbidden", "a sale has no end")
	}
	commerce.CheckSubscription(&of, in.Subscription)
	of.Optional("/subscription/collectionMethod", in.Collection, 1, base.MaxName)
	if known && in.Subscription != nil && in.Purchase != base.PurchaseSubscription {
		of.Fault("/subscription", "forbidden", "only a subscription has such terms")
	}
	c.Within(at, base.InOrder[OrderLineInput](of.Faults))
}

// checkTogether names what is wrong with fields that are given together, and with those of its form.
func (in *OrderLineInput) checkTogether(c *base.Checker) {
	if in.From != nil && in.To != nil && *in.From >= *in.To {
		c.Fault("/endDate", "order", "must be later than startDate")
	}
	onePrice(c, "", in.PricingRow, in.UnitPrice)
	checkoutFields(c, in.Fields)
}

// onePrice demands that a line is for the price of a row or for its own.
func onePrice(c *base.Checker, at string, row *base.ID, price *int64) {
	if row != nil && price != nil {
		c.Fault(at+"/unitPrice", "exclusive", "has a pricing row or a unit price, not both")
	}
}

// checkOn names what the account finds wrong with a line of an order in a currency: a row that is for something
// else, a row or terms that are missing.
func (in *OrderLineInput) checkOn(c *base.Checker, a *base.AccountState, at, currency string) {
	requirements(a, c, at+"/requirements", in.Requirements)
	if in.PricingRow != nil {
		if row := commerce.PricingRowByID(a, *in.PricingRow); row != nil {
			if code, message := misnamed(a, in.Item, in.Purchase, row); code != "" {
				c.Fault(at+"/pricingRowId", code, message)
			}
		}
	}
	if table := tableOf(a, in.Item); table != nil && in.PricingRow == nil && in.UnitPrice == nil &&
		in.Purchase.Valid() {
		if message := unchosen(fitting(table, currency, in.Purchase), in.Purchase); message != "" {
			c.Fault(at+"/pricingRowId", "required", message)
		}
	}
	if in.Purchase == base.PurchaseSubscription && !hasTerms(a, in) {
		c.Fault(at+"/subscription", "required", "a subscription needs a pricing row with terms, or terms of its own")
	}
}

// hasTerms says that a subscription has terms: of its own, of the row that is named, or of the one that is chosen. A
// row that is not there is looked for first.
func hasTerms(a *base.AccountState, in *OrderLineInput) bool {
	switch {
	case in.Subscription != nil:
		return true
	case in.PricingRow != nil:
		row := commerce.PricingRowByID(a, *in.PricingRow)
		return row == nil || row.Subscription != nil
	}
	return in.UnitPrice == nil && tableOf(a, in.Item) != nil
}

func checkLines(c *base.Checker, lines []OrderLineInput) {
	if len(lines) > base.MaxLines {
		c.Fault("/lineItems", "length", "must have at most 1000 entries")
		return
	}
	units := 0
	for i := range lines {
		at := "/lineItems/" + base.Itoa(i)
		lines[i].check(c, at)
		if n := lines[i].AddonOfLine; n != nil && (*n < 0 || *n >= i) {
			c.Fault(at+"/addonOfLine", "range", "must be the number of an earlier line, from 0")
		} else if n != nil && lines[i].AddonOf != nil {
			c.Fault(at+"/addonOfLine", "exclusive", "names a line that is there or one of the request, not both")
		}
		units += lines[i].Quantity
	}
	if units > base.MaxUnits {
		c.Fault("/lineItems", "range", "must ask for at most 10000 units in all")
	}
}

func checkLinesOn(c *base.Checker, a *base.AccountState, lines []OrderLineInput, currency string) {
	for i := range lines {
		lines[i].checkOn(c, a, "/lineItems/"+base.Itoa(i), currency)
	}
}

// addLine makes a line of what is asked for and adds it to an order. It takes no stock.
func addLine(t *base.Tx, o *Order, in *OrderLineInput) error {
	if len(o.Lines) == base.MaxLines {
		return base.InvalidAt("/lineItems", "length", "an order has at most 1000 lines")
	}
	if o.LastLine == 1<<16-1 {
		return base.Refuse(base.CodeConflict, "the order has had too many lines")
	}
	o.LastLine++
	l := OrderLine{
		ID: t.NewID(), Purchase: base.PurchaseOf(in.Purchase), No: o.LastLine, From: t.Now, UpdatedAt: t.Now,
	}
	l.named(in.Item)
	name, err := nameOf(t.Acc, in.Item)
	if err != nil {
		return err
	}
	l.Name, l.FromOpening = base.NewWord(name), true
	if in.UnitPrice != nil {
		l.UnitPrice, l.OwnPrice = *in.UnitPrice, true
	}
	if err := fillMore(o, &l, in); err != nil {
		return err
	}
	l.fill(in, func(string) bool { return true })
	var row *commerce.PricingRow
	switch {
	case in.PricingRow != nil:
		if row = commerce.PricingRowByID(t.Acc, *in.PricingRow); row == nil {
			return base.NotFound("pricing row")
		}
		if err = o.paidIn(row); err != nil {
			return err
		}
		l.sellBy(row)
	case in.UnitPrice == nil:
		if row, err = sellByTable(t.Acc, o, &l); err != nil {
			return err
		}
	}
	if in.Purchase == base.PurchaseSubscription {
		l.Subscription = newSubscription(t, row, in)
	}
	o.Lines = append(o.Lines, l)
	return price(t, o, &o.Lines[len(o.Lines)-1])
}

// fillMore keeps what few lines have and none is given later.
func fillMore(o *Order, l *OrderLine, in *OrderLineInput) error {
	l.More = &LineMore{Requirements: in.Requirements, IsAddon: base.ValueOf(in.IsAddon),
		AddonOf: base.ValueOf(in.AddonOf), CatalogAddon: base.ValueOf(in.CatalogAddon),
		CartAddon: base.ValueOf(in.CartAddon), OrderCustomer: base.ValueOf(in.OrderCustomer)}
	switch m := l.More; {
	case in.AddonOf != nil && o.line(m.AddonOf) < 0:
		return base.NotFound("line item of this order")
	case in.OrderCustomer != nil && !o.hasCustomer(m.OrderCustomer):
		return base.NotFound("customer of this order")
	}
	return nil
}

// fill puts what is given in place of what a line has, except for its price.
func (l *OrderLine) fill(in *OrderLineInput, given func(field string) bool) {
	if given("quantity") {
		l.Quantity = uint16(in.Quantity)
	}
	if in.From != nil {
		l.From, l.FromOpening = *in.From, false
	}
	if given("endDate") {
		if l.To = base.Forever; in.To != nil {
			l.To = *in.To
		}
	}
	if given("taxRate") {
		l.TaxRate = uint16(base.ValueOf(in.TaxRate))
	}
	if in.Name != nil {
		l.Name = base.NewWord(*in.Name)
	}
	m := Own(&l.More)
	assign(given("note"), &m.Note, base.ValueOf(in.Note))
	assign(given("imageUrl"), &m.ImageURL, base.ValueOf(in.ImageURL))
	assign(given("variants"), &m.Variants, in.Variants)
	assign(given("checkoutFields"), &m.Fields, in.Fields)
	assign(given("expectsInventoryLink"), &m.ExpectsLink, in.ExpectsLink)
	assign(given("revenueSplitRate"), &m.RevenueSplit, in.RevenueSplit)
	if m.Empty() {
		l.More = nil
	}
}

func assign[T any](given bool, at *T, v T) {
	if given {
		*at = v
	}
}

// Empty says that there is nothing in it.
func (m *LineMore) Empty() bool {
	return m.Note == "" && m.ImageURL == "" && m.IsAddon == "" && len(m.Variants) == 0 && len(m.Requirements) == 0 &&
		len(m.Fields) == 0 && !m.ExpectsLink &&
		m.Combined == nil && m.RevenueSplit == nil && m.Components == nil && m.PartPrices == nil &&
		m.AddonOf == (base.ID{}) && m.CatalogAddon == (base.ID{}) && m.CartAddon == (base.ID{}) &&
		m.OrderCustomer == (base.ID{})
}

// nameOf is the name of an item as a line of it is called.
func nameOf(a *base.AccountState, i base.Item) (string, error) {
	switch i.Kind() {
	case base.NamesCatalogItem:
		if c := commerce.CatalogTable(a).Get(i.CatalogItem); c != nil {
			return c.Name, nil
		}
		return "", commerce.ErrNoCatalogItem
	case base.NamesArticle:
		if r := stock.ArticleTable(a).Get(i.Article); r != nil {
			return r.Name, nil
		}
		return "", stock.ErrNoArticle
	}
	if s := stock.SKUTable(a).Get(i.SKU); s != nil {
		return s.Name, nil
	}
	return "", stock.ErrNoSKU
}

// AddOrderLines adds line items to a draft or an open order; an open one takes their stock, all or nothing.
type AddOrderLines struct {
	base.Answers[*OrderRecord]
	base.Adds
	Order           base.ID
	Lines           []OrderLineInput
	AllowOverbooked bool
}

func (o AddOrderLines) Check(c *base.Checker) {
	if len(o.Lines) == 0 {
		c.Fault("/lineItems", "length", "must have between 1 and 1000 entries")
	}
	checkLines(c, o.Lines)
}

func (o AddOrderLines) CheckOn(c *base.Checker, a *base.AccountState) {
	currency := a.Row.Currency
	if n := OrderTable(a).Get(o.Order); n != nil {
		currency = n.Currency.String()
	}
	checkLinesOn(c, a, o.Lines, currency)
}

func (o AddOrderLines) PlanOn(t *base.Tx) (any, error) {
	n, err := editFor(t, EditLines, o.Order, nil)
	if err != nil {
		return nil, err
	}
	if err := addLines(t, n, o.Lines, o.AllowOverbooked); err != nil {
		return nil, err
	}
	return answer(t, n), nil
}

// addLines adds lines with their stock, or with the units that they would take.
func addLines(t *base.Tx, o *Order, lines []OrderLineInput, overbook bool) error {
	first := len(o.Lines)
	for i := range lines {
		in := lines[i]
		if in.AddonOfLine != nil {
			in.AddonOf = &o.Lines[first+*in.AddonOfLine].ID
		}
		if err := addLine(t, o, &in); err != nil {
			return ofNewLine(i, err)
		}
	}
	if o.Status == OrderDraft {
		for i := first; i < len(o.Lines); i++ {
			if err := plannedUnits(t, o, &o.Lines[i]); err != nil {
				return ofLineItem(i-first, err)
			}
		}
		if o.UnitCount() > base.MaxUnits {
			return tooManyUnits()
		}
	} else if err := open(t, o, first, overbook); err != nil {
		return err
	}
	return reprice(o)
}

// open takes the stock of an order's lines from one on, and begins their subscriptions.
func open(t *base.Tx, o *Order, first int, overbook bool) error {
	wants := make([]want, 0, len(o.Lines)-first)
	for i := first; i < len(o.Lines); i++ {
		l := &o.Lines[i]
		if l.FromOpening {
			l.From, l.FromOpening = t.Now, false
		}
		wants = append(wants, want{i, int(l.Quantity)})
	}
	if err := takeStock(t, o, wants, overbook); err != nil {
		return err
	}
	for i := first; i < len(o.Lines); i++ {
		beginSubscription(t, o, &o.Lines[i])
	}
	return nil
}

// PatchOrderLine changes a line item: while it is pending all of it, while it is out its end, which is an extension.
// What its stock needs is checked and taken in the same command.
type PatchOrderLine struct {
	base.Answers[*OrderRecord]
	base.IfMatch
	Order, ID       base.ID
	Fields          base.Changes[OrderLineInput] // a unit price of null: what the row says
	AllowOverbooked bool
}

func (o PatchOrderLine) Check(c *base.Checker) {
	o.Fields.Check(c, "")
	o.Fields.To.checkTogether(c)
	c.Faults = base.InOrder[OrderLineInput](c.Faults)
}

func (o PatchOrderLine) PlanOn(t *base.Tx) (any, error) {
	n, i, err := editLine(t, o.Order, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	l := &n.Lines[i]
	if err := o.allowed(n, l); err != nil {
		return nil, err
	}
	was := *l
	was.Units = slices.Clone(l.Units) // the others are changed in place
	l.fill(&o.Fields.To, o.Fields.Has)
	switch {
	case l.Purchase.Type() == base.PurchaseSale && l.To != base.Forever:
		return nil, base.InvalidAt("/endDate", "forbidden", "a sale has no end")
	case l.Span().Empty():
		return nil, base.InvalidAt("/endDate", "order", "must be later than startDate")
	}
	if err := o.sell(t, n, l, &was); err != nil {
		return nil, err
	}
	if n.Status == OrderDraft {
		if l.Quantity != was.Quantity {
			if err := plannedUnits(t, n, l); err != nil {
				return nil, err
			}
		}
	} else if err := changeStock(t, n, i, &was, o.AllowOverbooked); err != nil {
		return nil, err
	}
	if o.resold() {
		if err := price(t, n, l); err != nil {
			return nil, err
		}
		rebill(t, n, l)
	}
	if o.resold() || o.has("quantity", "taxRate") {
		if err := reprice(n); err != nil {
			return nil, err
		}
	}
	stock.SeatFreed(t)
	return answer(t, n), nil
}

// has says that one of some fields is given.
func (o *PatchOrderLine) has(fields ...string) bool { return slices.ContainsFunc(fields, o.Fields.Has) }

// resold says that the unit price of the line depends on what is changed. Other changes leave it as it was, also where
// its row has another price by now, or its location is gone.
func (o *PatchOrderLine) resold() bool {
	return o.has("startDate", "endDate", "pricingRowId", "unitPrice")
}

// allowed refuses what the state of the order does not allow to change.
func (o *PatchOrderLine) allowed(n *Order, l *OrderLine) error {
	switch {
	case o.has("endDate") && l.Subscription != nil && l.Subscription.EndsAt() != 0:
		state := string(l.Subscription.Status(n))
		return base.NotAllowed("the subscription is "+state+", and its end is fixed",
			state, n.allowedBut(Extend)...)
	case o.has("startDate", "quantity", "taxRate") || o.has("pricingRowId", "unitPrice") && !o.has("endDate"):
		if n.Status == OrderActive {
			return base.NotAllowed("the order is active: of a line its end can be changed, and what is said of it",
				n.Status.String(), n.allowedBut(EditLines)...)
		}
		return n.allowAs(EditLines, string(Extend)) // with another end they are a part of the extension
	case o.has("endDate"):
		if l.Fulfillment() == Returned {
			return base.NotAllowed("the line is over", l.Fulfillment().String(), n.allowedBut(Extend)...)
		}
		return n.allow(Extend)
	}
	return n.allow(Annotate)
}

// sell has the line sold by what is given: a row, a price of its own, or, where the one that it had is taken away, as a
// new line would be. A booking's own price was for its dates: with others it needs another.
func (o *PatchOrderLine) sell(t *base.Tx, n *Order, l, was *OrderLine) error {
	in, own := &o.Fields.To, o.has("unitPrice")
	if o.has("pricingRowId") {
		l.sellByNone()
	}
	if own {
		l.OwnPrice, l.UnitPrice = in.UnitPrice != nil, base.ValueOf(in.UnitPrice)
	}
	var row *commerce.PricingRow
	var err error
	switch {
	case in.PricingRow != nil:
		if row, err = l.sellByNamed(t.Acc, n, *in.PricingRow, was); err != nil {
			return err
		}
	case o.has("pricingRowId", "unitPrice") && !l.Priced():
		if row, err = sellByTable(t.Acc, n, l); err != nil {
			return err
		}
	case l.Span() != was.Span() && l.Purchase.Type() == base.PurchaseBooking && !own &&
		(l.OwnPrice || l.PricingRow != (base.ID{}) && l.Terms == nil):
		return base.InvalidAt("/unitPrice", "required",
			"is missing: the line's price is for its dates, with others it needs another, or a pricing row")
	}
	if row != nil && l.Subscription != nil {
		l.Subscription.agree(row)
	}
	return nil
}

// changeStock gives a line of an open or active order the stock for its changed window and quantity.
func changeStock(t *base.Tx, o *Order, line int, was *OrderLine, overbook bool) error {
	l := &o.Lines[line]
	if l.Quantity != was.Quantity &&
		slices.ContainsFunc(l.Units, func(u OrderUnit) bool { return u.State == Cancelled }) {
		return base.Refuse(base.CodeConflict, "units of the line are cancelled; make another line")
	}
	if l.Quantity < was.Quantity { // first: what goes needs no room in the other window
		if err := fewer(t, l, int(was.Quantity)); err != nil {
			return err
		}
	}
	if l.Span() != was.Span() {
		if err := extend(t, l, overbook); err != nil {
			return err
		}
		if err := redate(t, o, line, overbook); err != nil {
			return err
		}
	}
	if l.Quantity > was.Quantity {
		more := int(l.Quantity - was.Quantity)
		return beside(int(was.Quantity), takeStock(t, o, []want{{line, more}}, overbook))
	}
	return nil
}

// beside changes a shortage of the units that a line is to have more, so that it counts all units of the line.
func beside(had int, err error) error {
	refusal, ok := err.(*base.Error)
	if !ok {
		return err
	}
	d, ok := refusal.Details.(base.ShortageDetails)
	if !ok {
		return err
	}
	for i := range d.Lines {
		d.Lines[i].Requested += had
		d.Lines[i].Available += had
	}
	return err
}

// fewer keeps the units of as many items as a line has now, of each part the first. None of them is cancelled.
func fewer(t *base.Tx, l *OrderLine, items int) error {
	of, seen := map[uint16]int{}, map[uint16]int{}
	for i := range l.Units {
		of[l.Units[i].Part]++
	}
	for i := range l.Units {
		if of[l.Units[i].Part]%items != 0 {
			return base.Refuse(base.CodeConflict, "the item takes other components now; make another line")
		}
	}
	l.Units = slices.DeleteFunc(l.Units, func(u OrderUnit) bool {
		seen[u.Part]++
		goes := seen[u.Part] > of[u.Part]/items*int(l.Quantity)
		if goes {
			free(t, &u)
		}
		return goes
	})
	return nil
}

// DeleteOrderLine takes a line item and its add-ons off a draft or an open order.
type DeleteOrderLine struct {
	base.Answers[any]
	base.IfMatch
	Order, ID base.ID
}

func (o DeleteOrderLine) PlanOn(t *base.Tx) (any, error) {
	n, _, err := editLine(t, o.Order, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if err := n.allowAs(EditLines, alongside[EditLines]); err != nil {
		return nil, err
	}
	gone := map[base.ID]bool{o.ID: true}
	n.Lines = slices.DeleteFunc(n.Lines, func(l OrderLine) bool { // an add-on comes after what it is added to
		if !gone[l.ID] && (l.Rest().AddonOf == base.ID{} || !gone[l.Rest().AddonOf]) {
			return false
		}
		gone[l.ID] = true
		for j := range l.Units {
			free(t, &l.Units[j])
		}
		return true
	})
	if err := reprice(n); err != nil {
		return nil, err
	}
	stock.SeatFreed(t)
	return nil, nil
}
