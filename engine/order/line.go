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
	Purchase      base.PurchaseType
	Quantity      int
	From          *int64 // of a sale it may be nil: now
	To            *int64 // nil: without end, as a sale always is
	PricingRow    *base.ID
	UnitPrice     *int64 // in place of what the row says
	TaxRate       *int   // basis points
	Name          *string
	Note          *string
	ImageURL      *string
	OrderCustomer *base.ID
	AddonOf       *base.ID // a line that is there
	AddonOfLine   *int     // in place of it an earlier line of the same request, from 0
	CatalogAddon  *base.ID
	CartAddon     *base.ID
	IsAddon       *string
	Variants      []LineVariant
	Requirements  []Requirement
	Fields        []CheckoutField
	ExpectsLink   bool
	RevenueSplit  *int64 // millionths
	Subscription  *commerce.SubscriptionTerms
	Collection    *string
}

const (
	MaxTaxRate = 10_000    // basis points
	WholeSplit = 1_000_000 // millionths
)

func taxRate(c *base.Checker, pointer string, n *int) {
	if n != nil {
		c.Number(pointer, *n, 0, MaxTaxRate)
	}
}

func revenueSplit(c *base.Checker, pointer string, n *int64) {
	if n != nil && (*n < 0 || *n > WholeSplit) {
		c.Fault(pointer, "range", "must be between 0 and 1")
	}
}

func (in *OrderLineInput) check(c *base.Checker, at string) {
	c.Item(at, in.Item)
	commerce.CheckPurchase(c, at+"/purchaseType", in.Purchase)
	c.Number(at+"/quantity", in.Quantity, 1, base.MaxCount)
	from, to := at+"/startDate", at+"/endDate"
	switch {
	case in.From == nil && in.Purchase != base.PurchaseSale:
		c.Fault(from, "required", "is missing")
	case in.From != nil && in.To != nil:
		c.Window(from, to, base.Span{Start: *in.From, End: *in.To})
	case in.From != nil:
		c.Instant(from, *in.From)
	}
	if in.Purchase == base.PurchaseSale && in.To != nil {
		c.Fault(to, "forbidden", "a sale has no end")
	}
	if in.PricingRow != nil && in.UnitPrice != nil {
		c.Fault(at+"/unitPrice", "exclusive", "has a pricing row or a unit price, not both")
	}
	if in.UnitPrice != nil {
		commerce.CheckPrice(c, at+"/unitPrice", *in.UnitPrice)
	}
	taxRate(c, at+"/taxRate", in.TaxRate)
	c.Optional(at+"/name", in.Name, 1, base.MaxName)
	c.Optional(at+"/note", in.Note, 0, base.MaxNote)
	c.Optional(at+"/imageUrl", in.ImageURL, 1, base.MaxURL)
	c.Optional(at+"/isAddon", in.IsAddon, 1, base.MaxName)
	base.CheckEach(c, at+"/variants", in.Variants, commerce.MaxVariants)
	checkoutFields(c, at+"/checkoutFields", in.Fields)
	revenueSplit(c, at+"/revenueSplitRate", in.RevenueSplit)
	commerce.CheckSubscription(c, at+"/subscription", in.Subscription)
	c.Optional(at+"/subscription/collectionMethod", in.Collection, 1, base.MaxName)
	if in.Subscription != nil && in.Purchase != base.PurchaseSubscription {
		c.Fault(at+"/subscription", "forbidden", "only a subscription has such terms")
	}
}

// checkOn names what the account finds wrong with a line: a row that is for something else, terms that are missing.
func (in *OrderLineInput) checkOn(c *base.Checker, a *base.AccountState, at string) {
	requirements(a, c, at+"/requirements", in.Requirements)
	if in.PricingRow != nil {
		if _, row := commerce.PricingRowByID(a, *in.PricingRow); row != nil {
			if code, message := misnamed(a, in.Item, in.Purchase, row); code != "" {
				c.Fault(at+"/pricingRowId", code, message)
			}
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
		_, row := commerce.PricingRowByID(a, *in.PricingRow)
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

func checkLinesOn(c *base.Checker, a *base.AccountState, lines []OrderLineInput) {
	for i := range lines {
		lines[i].checkOn(c, a, "/lineItems/"+base.Itoa(i))
	}
}

// addLine makes a line of what is asked for and adds it to an order. It takes no stock.
func addLine(t *base.Tx, o *Order, in *OrderLineInput) error {
	if len(o.Lines) == base.MaxLines {
		return base.Invalid(
			[]base.Fault{{Pointer: "/lineItems", Code: "length", Message: "an order has at most 1000 lines"}})
	}
	if o.LastLine == 1<<16-1 {
		return base.Refuse(base.CodeConflict, "the order has had too many lines")
	}
	o.LastLine++
	l := OrderLine{
		ID: t.NewID(), Purchase: base.PurchaseOf(in.Purchase), No: o.LastLine, Quantity: uint16(in.Quantity),
		From: t.Now, To: base.Forever, UpdatedAt: t.Now,
	}
	l.named(in.Item)
	if l.FromOpening = in.From == nil; !l.FromOpening {
		l.From = *in.From
	}
	if in.To != nil {
		l.To = *in.To
	}
	if in.TaxRate != nil {
		l.TaxRate = uint16(*in.TaxRate)
	}
	name, err := nameOf(t.Acc, in.Item)
	if err != nil {
		return err
	}
	if in.Name != nil {
		name = *in.Name
	}
	l.Name = base.NewWord(name)
	if in.UnitPrice != nil {
		l.UnitPrice, l.OwnPrice = *in.UnitPrice, true
	}
	if err := fillMore(t, o, &l, in); err != nil {
		return err
	}
	var row *commerce.PricingRow
	switch {
	case in.PricingRow != nil:
		if _, row = commerce.PricingRowByID(t.Acc, *in.PricingRow); row == nil {
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

// fillMore keeps what few lines have.
func fillMore(t *base.Tx, o *Order, l *OrderLine, in *OrderLineInput) error {
	m := LineMore{Variants: in.Variants, Requirements: in.Requirements, Fields: in.Fields, ExpectsLink: in.ExpectsLink,
		RevenueSplit: in.RevenueSplit, PartPrices: commerce.PartPrices(t.Acc, in.Item)}
	for _, x := range [...]struct {
		given *string
		at    *string
	}{{in.Note, &m.Note}, {in.ImageURL, &m.ImageURL}, {in.IsAddon, &m.IsAddon}} {
		if x.given != nil {
			*x.at = *x.given
		}
	}
	for _, x := range [...]struct {
		given *base.ID
		at    *base.ID
	}{{in.AddonOf, &m.AddonOf}, {in.CatalogAddon, &m.CatalogAddon}, {in.CartAddon, &m.CartAddon},
		{in.OrderCustomer, &m.OrderCustomer}} {
		if x.given != nil {
			*x.at = *x.given
		}
	}
	if m.AddonOf != (base.ID{}) && o.line(m.AddonOf) < 0 {
		return base.NotFound("line item of this order")
	}
	if m.OrderCustomer != (base.ID{}) && !o.hasCustomer(m.OrderCustomer) {
		return base.NotFound("customer of this order")
	}
	if !m.Empty() {
		l.More = &m
	}
	return nil
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

func (o AddOrderLines) Check() []base.Fault {
	var c base.Checker
	if len(o.Lines) == 0 {
		c.Fault("/lineItems", "length", "must have between 1 and 1000 entries")
	}
	checkLines(&c, o.Lines)
	return c.Faults
}

func (o AddOrderLines) CheckOn(a *base.AccountState) []base.Fault {
	var c base.Checker
	checkLinesOn(&c, a, o.Lines)
	return c.Faults
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
	return reprice(t, o)
}

// open takes the stock of an order's lines from one on, and begins their subscriptions.
func open(t *base.Tx, o *Order, first int, overbook bool) error {
	wants := make([]want, 0, len(o.Lines)-first)
	for i := first; i < len(o.Lines); i++ {
		l := &o.Lines[i]
		if l.FromOpening {
			l.From, l.FromOpening, l.UpdatedAt = t.Now, false, t.Now
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
	Order, ID       base.ID
	IfMatch         []uint64
	Quantity        base.Opt[int]
	From            base.Opt[int64]
	To              base.Opt[int64] // null: without end
	PricingRow      base.Opt[base.ID]
	UnitPrice       base.Opt[int64] // null: what the row says
	TaxRate         base.Opt[int]
	Name            base.Opt[string]
	Note            base.Opt[string]
	ImageURL        base.Opt[string]
	Variants        base.Opt[[]LineVariant]
	Fields          base.Opt[[]CheckoutField]
	ExpectsLink     base.Opt[bool]
	RevenueSplit    base.Opt[int64]
	AllowOverbooked bool
}

func (o PatchOrderLine) Check() []base.Fault {
	var c base.Checker
	if o.Quantity.Set {
		c.Number("/quantity", o.Quantity.Value, 1, base.MaxCount)
	}
	c.PatchWindow("/startDate", "/endDate", o.From, o.To)
	if o.UnitPrice.Set && !o.UnitPrice.Null {
		if o.PricingRow.Set && !o.PricingRow.Null {
			c.Fault("/unitPrice", "exclusive", "has a pricing row or a unit price, not both")
		}
		commerce.CheckPrice(&c, "/unitPrice", o.UnitPrice.Value)
	}
	if o.TaxRate.Set && !o.TaxRate.Null {
		taxRate(&c, "/taxRate", &o.TaxRate.Value)
	}
	c.PatchName("/name", o.Name)
	c.PatchText("/note", o.Note, 0, base.MaxNote)
	c.PatchText("/imageUrl", o.ImageURL, 1, base.MaxURL)
	base.CheckEach(&c, "/variants", o.Variants.Value, commerce.MaxVariants)
	checkoutFields(&c, "/checkoutFields", o.Fields.Value)
	if o.RevenueSplit.Set && !o.RevenueSplit.Null {
		revenueSplit(&c, "/revenueSplitRate", &o.RevenueSplit.Value)
	}
	return c.Faults
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
	if err := o.merge(l); err != nil {
		return nil, err
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
	if o.priced() {
		if err := price(t, n, l); err != nil {
			return nil, err
		}
		rebill(t, n, l)
		if err := reprice(t, n); err != nil {
			return nil, err
		}
	}
	if !was.alike(l) {
		l.UpdatedAt = t.Now
	}
	stock.SeatFreed(t)
	return answer(t, n), nil
}

// alike says that two lines say the same, with the same units.
func (l *OrderLine) alike(m *OrderLine) bool {
	a, b := *l, *m
	a.Units, b.Units = nil, nil // there may be many, and they are not written to be compared
	return slices.Equal(l.Units, m.Units) && base.Alike(base.EncodeCold[OrderLine], &a, &b)
}

// priced says that the price of the line depends on what is changed. A note leaves it as it was, also where its row has
// another price by now, or its location is gone.
func (o *PatchOrderLine) priced() bool {
	return o.From.Set || o.To.Set || o.Quantity.Set || o.PricingRow.Set || o.UnitPrice.Set || o.TaxRate.Set
}

// allowed refuses what the state of the order does not allow to change.
func (o *PatchOrderLine) allowed(n *Order, l *OrderLine) error {
	switch {
	case o.To.Set && l.Subscription != nil && l.Subscription.CancelAt != 0:
		state := string(l.Subscription.Status(n))
		return &base.Error{Code: base.CodeStateNotAllowed, Detail: "the subscription is " + state +
			", and its end is fixed", Details: base.StateDetails{State: state, Allowed: n.allowedBut(Extend)}}
	case o.From.Set || o.Quantity.Set || o.TaxRate.Set || (o.PricingRow.Set || o.UnitPrice.Set) && !o.To.Set:
		if n.Status == OrderActive {
			return &base.Error{Code: base.CodeStateNotAllowed,
				Detail:  "the order is active: of a line its end can be changed, and what is said of it",
				Details: base.StateDetails{State: n.Status.String(), Allowed: n.allowedBut(EditLines)}}
		}
		return n.allow(EditLines) // with another end they are a part of the extension
	case o.To.Set:
		if l.Fulfillment() == Returned {
			return &base.Error{Code: base.CodeStateNotAllowed, Detail: "the line is over",
				Details: base.StateDetails{State: l.Fulfillment().String(), Allowed: n.allowedBut(Extend)}}
		}
		return n.allow(Extend)
	}
	return n.allow(Annotate)
}

// merge puts what is given in place of what the line has.
func (o *PatchOrderLine) merge(l *OrderLine) error {
	if o.Quantity.Set {
		l.Quantity = uint16(o.Quantity.Value)
	}
	o.From.Assign(&l.From)
	l.FromOpening = l.FromOpening && !o.From.Set
	if o.To.Set {
		l.To = o.To.Value
		if o.To.Null {
			l.To = base.Forever
		}
	}
	switch {
	case l.Purchase.Type() == base.PurchaseSale && l.To != base.Forever:
		return base.Invalid([]base.Fault{{Pointer: "/endDate", Code: "forbidden", Message: "a sale has no end"}})
	case l.Span().Empty():
		return base.Invalid([]base.Fault{{Pointer: "/endDate", Code: "order", Message: "must be later than startDate"}})
	}
	if o.TaxRate.Set {
		l.TaxRate = uint16(o.TaxRate.Value)
	}
	if o.Name.Set {
		l.Name = base.NewWord(o.Name.Value)
	}
	if o.Note.Set || o.ImageURL.Set || o.Variants.Set || o.Fields.Set || o.ExpectsLink.Set || o.RevenueSplit.Set {
		m := Own(&l.More)
		o.Note.Assign(&m.Note)
		o.ImageURL.Assign(&m.ImageURL)
		o.Variants.Assign(&m.Variants)
		o.Fields.Assign(&m.Fields)
		o.ExpectsLink.Assign(&m.ExpectsLink)
		o.RevenueSplit.Merge(&m.RevenueSplit)
		if m.Empty() {
			l.More = nil
		}
	}
	return nil
}

// sell has the line sold by what is given: a row, a price of its own, or, where the one that it had is taken away, as a
// new line would be. A booking's own price was for its dates: with others it needs another.
func (o *PatchOrderLine) sell(t *base.Tx, n *Order, l, was *OrderLine) error {
	if o.PricingRow.Set {
		l.sellByNone()
	}
	if o.UnitPrice.Set {
		l.OwnPrice, l.UnitPrice = !o.UnitPrice.Null, o.UnitPrice.Value
	}
	var row *commerce.PricingRow
	var err error
	switch {
	case o.PricingRow.Set && !o.PricingRow.Null:
		if _, row = commerce.PricingRowByID(t.Acc, o.PricingRow.Value); row == nil {
			return base.NotFound("pricing row")
		}
		if code, message := misnamed(t.Acc, l.Item(), l.Purchase.Type(), row); code != "" {
			return base.Invalid([]base.Fault{{Pointer: "/pricingRowId", Code: code, Message: message}})
		}
		if err = n.paidIn(row); err != nil {
			return err
		}
		l.sellBy(row)
	case (o.PricingRow.Set || o.UnitPrice.Set) && !l.Priced():
		if row, err = sellByTable(t.Acc, n, l); err != nil {
			return err
		}
	case l.Span() != was.Span() && l.Purchase.Type() == base.PurchaseBooking && !o.UnitPrice.Set &&
		(l.OwnPrice || l.PricingRow != (base.ID{}) && l.Terms == nil):
		return base.Invalid([]base.Fault{{Pointer: "/unitPrice", Code: "required",
			Message: "is missing: the line's price is for its dates, with others it needs another, or a pricing row"}})
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
		if err := extend(t, l, line, overbook); err != nil {
			return err
		}
		if err := redate(t, o, line, overbook); err != nil {
			return err
		}
	}
	if l.Quantity > was.Quantity {
		return takeStock(t, o, []want{{line, int(l.Quantity - was.Quantity)}}, overbook)
	}
	return nil
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
	Order, ID base.ID
	IfMatch   []uint64
}

func (DeleteOrderLine) Check() []base.Fault { return nil }

func (o DeleteOrderLine) PlanOn(t *base.Tx) (any, error) {
	n, _, err := editLine(t, o.Order, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if err := n.allow(EditLines); err != nil {
		return nil, err
	}
	gone := map[base.ID]bool{o.ID: true}
	n.Lines = slices.DeleteFunc(n.Lines, func(l OrderLine) bool { // an add-on comes behind what it is added to
		if !gone[l.ID] && (l.Rest().AddonOf == base.ID{} || !gone[l.Rest().AddonOf]) {
			return false
		}
		gone[l.ID] = true
		for j := range l.Units {
			free(t, &l.Units[j])
		}
		return true
	})
	if err := reprice(t, n); err != nil {
		return nil, err
	}
	stock.SeatFreed(t)
	return nil, nil
}
