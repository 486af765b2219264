package engine

import "slices"

// This file owns line items: what is asked for, how a line comes of it, and how lines are added, changed and taken off.

// OrderLineInput asks for a line item.
type OrderLineInput struct {
	Item
	Purchase      PurchaseType
	Quantity      int
	From          *int64 // of a sale it may be nil: now
	To            *int64 // nil: without end, as a sale always is
	PricingRow    *ID
	UnitPrice     *int64 // in place of what the row says
	TaxRate       *int   // basis points
	Name          *string
	Note          *string
	ImageURL      *string
	OrderCustomer *ID
	AddonOf       *ID  // a line that is there
	AddonOfLine   *int // in place of it an earlier line of the same request, from 0
	CatalogAddon  *ID
	CartAddon     *ID
	IsAddon       *string
	Variants      []LineVariant
	Requirements  []Requirement
	Fields        []CheckoutField
	ExpectsLink   bool
	RevenueSplit  *int64 // millionths
	Subscription  *SubscriptionTerms
	Collection    *string
}

const (
	maxTaxRate = 10_000    // basis points
	wholeSplit = 1_000_000 // millionths
)

func (c *checker) taxRate(pointer string, n *int) {
	if n != nil {
		c.number(pointer, *n, 0, maxTaxRate)
	}
}

func (c *checker) revenueSplit(pointer string, n *int64) {
	if n != nil && (*n < 0 || *n > wholeSplit) {
		c.fault(pointer, "range", "must be between 0 and 1")
	}
}

func (in *OrderLineInput) check(c *checker, at string) {
	c.item(at, in.Item)
	c.purchase(at+"/purchaseType", in.Purchase)
	c.number(at+"/quantity", in.Quantity, 1, maxCount)
	from, to := at+"/startDate", at+"/endDate"
	switch {
	case in.From == nil && in.Purchase != PurchaseSale:
		c.fault(from, "required", "is missing")
	case in.From != nil && in.To != nil:
		c.window(from, to, Span{Start: *in.From, End: *in.To})
	case in.From != nil:
		c.instant(from, *in.From)
	}
	if in.Purchase == PurchaseSale && in.To != nil {
		c.fault(to, "forbidden", "a sale has no end")
	}
	if in.PricingRow != nil && in.UnitPrice != nil {
		c.fault(at+"/unitPrice", "exclusive", "has a pricing row or a unit price, not both")
	}
	if in.UnitPrice != nil {
		c.price(at+"/unitPrice", *in.UnitPrice)
	}
	c.taxRate(at+"/taxRate", in.TaxRate)
	c.optional(at+"/name", in.Name, 1, maxName)
	c.optional(at+"/note", in.Note, 0, maxNote)
	c.optional(at+"/imageUrl", in.ImageURL, 1, maxURL)
	c.optional(at+"/isAddon", in.IsAddon, 1, maxName)
	c.variantsChosen(at+"/variants", in.Variants)
	c.checkoutFields(at+"/checkoutFields", in.Fields)
	c.revenueSplit(at+"/revenueSplitRate", in.RevenueSplit)
	c.subscription(at+"/subscription", in.Subscription)
	c.optional(at+"/subscription/collectionMethod", in.Collection, 1, maxName)
	if in.Subscription != nil && in.Purchase != PurchaseSubscription {
		c.fault(at+"/subscription", "forbidden", "only a subscription has such terms")
	}
}

// checkOn names what the account finds wrong with a line: a row that is for something else, terms that are missing.
func (in *OrderLineInput) checkOn(c *checker, a *account, at string) {
	a.requirements(c, at+"/requirements", in.Requirements)
	if in.PricingRow != nil {
		if _, row := a.pricingRowByID(*in.PricingRow); row != nil {
			if code, message := a.misnamed(in.Item, in.Purchase, row); code != "" {
				c.fault(at+"/pricingRowId", code, message)
			}
		}
	}
	if in.Purchase == PurchaseSubscription && !a.hasTerms(in) {
		c.fault(at+"/subscription", "required", "a subscription needs a pricing row with terms, or terms of its own")
	}
}

// hasTerms says that a subscription has terms: of its own, of the row that is named, or of the one that is chosen. A row that is not
// there is looked for first.
func (a *account) hasTerms(in *OrderLineInput) bool {
	switch {
	case in.Subscription != nil:
		return true
	case in.PricingRow != nil:
		_, row := a.pricingRowByID(*in.PricingRow)
		return row == nil || row.Subscription != nil
	}
	return in.UnitPrice == nil && a.tableOf(in.Item) != nil
}

func checkLines(c *checker, lines []OrderLineInput) {
	if len(lines) > maxLines {
		c.fault("/lineItems", "length", "must have at most 1000 entries")
		return
	}
	units := 0
	for i := range lines {
		at := "/lineItems/" + itoa(i)
		lines[i].check(c, at)
		if n := lines[i].AddonOfLine; n != nil && (*n < 0 || *n >= i) {
			c.fault(at+"/addonOfLine", "range", "must be the number of an earlier line, from 0")
		} else if n != nil && lines[i].AddonOf != nil {
			c.fault(at+"/addonOfLine", "exclusive", "names a line that is there or one of the request, not both")
		}
		units += lines[i].Quantity
	}
	if units > maxUnits {
		c.fault("/lineItems", "range", "must ask for at most 10000 units in all")
	}
}

func checkLinesOn(c *checker, a *account, lines []OrderLineInput) {
	for i := range lines {
		lines[i].checkOn(c, a, "/lineItems/"+itoa(i))
	}
}

// addLine makes a line of what is asked for and adds it to an order. It takes no stock.
func (t *tx) addLine(o *Order, in *OrderLineInput) error {
	if len(o.Lines) == maxLines {
		return invalid([]Fault{{Pointer: "/lineItems", Code: "length", Message: "an order has at most 1000 lines"}})
	}
	if o.LastLine == 1<<16-1 {
		return refuse(CodeConflict, "the order has had too many lines")
	}
	o.LastLine++
	l := OrderLine{
		ID: t.newID(), Purchase: purchaseOf(in.Purchase), No: o.LastLine, Quantity: uint16(in.Quantity), From: t.now, To: Forever, UpdatedAt: t.now,
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
	name, err := t.acc.nameOf(in.Item)
	if err != nil {
		return err
	}
	if in.Name != nil {
		name = *in.Name
	}
	l.Name = newWord(name)
	if in.UnitPrice != nil {
		l.UnitPrice, l.OwnPrice = *in.UnitPrice, true
	}
	if err := t.fillMore(o, &l, in); err != nil {
		return err
	}
	var row *PricingRow
	switch {
	case in.PricingRow != nil:
		if _, row = t.acc.pricingRowByID(*in.PricingRow); row == nil {
			return notFound("pricing row")
		}
		if err = o.paidIn(row); err != nil {
			return err
		}
		l.sellBy(row)
	case in.UnitPrice == nil:
		if row, err = t.acc.sellByTable(o, &l); err != nil {
			return err
		}
	}
	if in.Purchase == PurchaseSubscription {
		l.Subscription = t.newSubscription(row, in)
	}
	o.Lines = append(o.Lines, l)
	return t.price(o, &o.Lines[len(o.Lines)-1])
}

// fillMore keeps what few lines have.
func (t *tx) fillMore(o *Order, l *OrderLine, in *OrderLineInput) error {
	m := LineMore{Variants: in.Variants, Requirements: in.Requirements, Fields: in.Fields, ExpectsLink: in.ExpectsLink, RevenueSplit: in.RevenueSplit, PartPrices: t.acc.partPrices(in.Item)}
	for _, x := range [...]struct {
		given *string
		at    *string
	}{{in.Note, &m.Note}, {in.ImageURL, &m.ImageURL}, {in.IsAddon, &m.IsAddon}} {
		if x.given != nil {
			*x.at = *x.given
		}
	}
	for _, x := range [...]struct {
		given *ID
		at    *ID
	}{{in.AddonOf, &m.AddonOf}, {in.CatalogAddon, &m.CatalogAddon}, {in.CartAddon, &m.CartAddon}, {in.OrderCustomer, &m.OrderCustomer}} {
		if x.given != nil {
			*x.at = *x.given
		}
	}
	if m.AddonOf != (ID{}) && o.line(m.AddonOf) < 0 {
		return notFound("line item of this order")
	}
	if m.OrderCustomer != (ID{}) && !o.hasCustomer(m.OrderCustomer) {
		return notFound("customer of this order")
	}
	if !m.empty() {
		l.More = &m
	}
	return nil
}

func (m *LineMore) empty() bool {
	return m.Note == "" && m.ImageURL == "" && m.IsAddon == "" && len(m.Variants) == 0 && len(m.Requirements) == 0 && len(m.Fields) == 0 && !m.ExpectsLink &&
		m.Combined == nil && m.RevenueSplit == nil && m.Components == nil && m.PartPrices == nil && m.AddonOf == (ID{}) && m.CatalogAddon == (ID{}) && m.CartAddon == (ID{}) && m.OrderCustomer == (ID{})
}

// nameOf is the name of an item as a line of it is called.
func (a *account) nameOf(i Item) (string, error) {
	switch i.kind() {
	case namesCatalogItem:
		if c := a.catalog().Get(i.CatalogItem); c != nil {
			return c.Name, nil
		}
		return "", errNoCatalogItem
	case namesArticle:
		if r := a.articles().Get(i.Article); r != nil {
			return r.Name, nil
		}
		return "", errNoArticle
	}
	if s := a.skus().Get(i.SKU); s != nil {
		return s.Name, nil
	}
	return "", errNoSKU
}

// AddOrderLines adds line items to a draft or an open order; an open one takes their stock, all or nothing. It answers with
// the *OrderRecord.
type AddOrderLines struct {
	Order           ID
	Lines           []OrderLineInput
	AllowOverbooked bool
}

func (o AddOrderLines) Check() []Fault {
	var c checker
	if len(o.Lines) == 0 {
		c.fault("/lineItems", "length", "must have between 1 and 1000 entries")
	}
	checkLines(&c, o.Lines)
	return c.faults
}

func (o AddOrderLines) checkOn(a *account) []Fault {
	var c checker
	checkLinesOn(&c, a, o.Lines)
	return c.faults
}

func (o AddOrderLines) plan(t *tx) (any, error) {
	n, err := t.editFor(EditLines, o.Order, nil)
	if err != nil {
		return nil, err
	}
	if err := t.addLines(n, o.Lines, o.AllowOverbooked); err != nil {
		return nil, err
	}
	return t.answer(n), nil
}

func (AddOrderLines) result() any { return new(OrderRecord) }

// addLines adds lines with their stock, or with the units that they would take.
func (t *tx) addLines(o *Order, lines []OrderLineInput, overbook bool) error {
	first := len(o.Lines)
	for i := range lines {
		in := lines[i]
		if in.AddonOfLine != nil {
			in.AddonOf = &o.Lines[first+*in.AddonOfLine].ID
		}
		if err := t.addLine(o, &in); err != nil {
			return ofNewLine(i, err)
		}
	}
	if o.Status == OrderDraft {
		for i := first; i < len(o.Lines); i++ {
			if err := t.plannedUnits(o, &o.Lines[i]); err != nil {
				return ofLineItem(i-first, err)
			}
		}
		if o.units() > maxUnits {
			return tooManyUnits()
		}
	} else if err := t.open(o, first, overbook); err != nil {
		return err
	}
	return t.reprice(o)
}

// open takes the stock of an order's lines from one on, and begins their subscriptions.
func (t *tx) open(o *Order, first int, overbook bool) error {
	wants := make([]want, 0, len(o.Lines)-first)
	for i := first; i < len(o.Lines); i++ {
		l := &o.Lines[i]
		if l.FromOpening {
			l.From, l.FromOpening, l.UpdatedAt = t.now, false, t.now
		}
		wants = append(wants, want{i, int(l.Quantity)})
	}
	if err := t.takeStock(o, wants, overbook); err != nil {
		return err
	}
	for i := first; i < len(o.Lines); i++ {
		t.beginSubscription(o, &o.Lines[i])
	}
	return nil
}

// PatchOrderLine changes a line item: while it is pending all of it, while it is out its end, which is an extension. What its
// stock needs is checked and taken in the same command. It answers with the *OrderRecord.
type PatchOrderLine struct {
	Order, ID       ID
	IfMatch         []uint64
	Quantity        Opt[int]
	From            Opt[int64]
	To              Opt[int64] // null: without end
	PricingRow      Opt[ID]
	UnitPrice       Opt[int64] // null: what the row says
	TaxRate         Opt[int]
	Name            Opt[string]
	Note            Opt[string]
	ImageURL        Opt[string]
	Variants        Opt[[]LineVariant]
	Fields          Opt[[]CheckoutField]
	ExpectsLink     Opt[bool]
	RevenueSplit    Opt[int64]
	AllowOverbooked bool
}

func (o PatchOrderLine) Check() []Fault {
	var c checker
	if o.Quantity.Set {
		c.number("/quantity", o.Quantity.Value, 1, maxCount)
	}
	c.patchWindow("/startDate", "/endDate", o.From, o.To)
	if o.UnitPrice.Set && !o.UnitPrice.Null {
		if o.PricingRow.Set && !o.PricingRow.Null {
			c.fault("/unitPrice", "exclusive", "has a pricing row or a unit price, not both")
		}
		c.price("/unitPrice", o.UnitPrice.Value)
	}
	if o.TaxRate.Set && !o.TaxRate.Null {
		c.taxRate("/taxRate", &o.TaxRate.Value)
	}
	c.patchName("/name", o.Name)
	c.patchText("/note", o.Note, 0, maxNote)
	c.patchText("/imageUrl", o.ImageURL, 1, maxURL)
	c.variantsChosen("/variants", o.Variants.Value)
	c.checkoutFields("/checkoutFields", o.Fields.Value)
	if o.RevenueSplit.Set && !o.RevenueSplit.Null {
		c.revenueSplit("/revenueSplitRate", &o.RevenueSplit.Value)
	}
	return c.faults
}

func (o PatchOrderLine) plan(t *tx) (any, error) {
	n, i, err := t.editLine(o.Order, o.ID, o.IfMatch)
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
			if err := t.plannedUnits(n, l); err != nil {
				return nil, err
			}
		}
	} else if err := t.changeStock(n, i, &was, o.AllowOverbooked); err != nil {
		return nil, err
	}
	if o.priced() {
		if err := t.price(n, l); err != nil {
			return nil, err
		}
		t.rebill(n, l)
		if err := t.reprice(n); err != nil {
			return nil, err
		}
	}
	if !was.alike(l) {
		l.UpdatedAt = t.now
	}
	t.seatFreed()
	return t.answer(n), nil
}

// alike says that two lines say the same, with the same units.
func (l *OrderLine) alike(m *OrderLine) bool {
	a, b := *l, *m
	a.Units, b.Units = nil, nil // there may be many, and they are not written to be compared
	return slices.Equal(l.Units, m.Units) && alike(encodeCold[OrderLine], &a, &b)
}

// priced says that the price of the line depends on what is changed. A note leaves it as it was, also where its row has another
// price by now, or its location is gone.
func (o *PatchOrderLine) priced() bool {
	return o.From.Set || o.To.Set || o.Quantity.Set || o.PricingRow.Set || o.UnitPrice.Set || o.TaxRate.Set
}

func (PatchOrderLine) result() any { return new(OrderRecord) }

// allowed refuses what the state of the order does not allow to change.
func (o *PatchOrderLine) allowed(n *Order, l *OrderLine) error {
	switch {
	case o.To.Set && l.Subscription != nil && l.Subscription.CancelAt != 0:
		state := string(l.Subscription.Status(n))
		return &Error{Code: CodeStateNotAllowed, Detail: "the subscription is " + state + ", and its end is fixed", Details: StateDetails{State: state, Allowed: n.allowedBut(Extend)}}
	case o.From.Set || o.Quantity.Set || o.TaxRate.Set || (o.PricingRow.Set || o.UnitPrice.Set) && !o.To.Set:
		if n.Status == OrderActive {
			return &Error{Code: CodeStateNotAllowed, Detail: "the order is active: of a line its end can be changed, and what is said of it",
				Details: StateDetails{State: n.Status.String(), Allowed: n.allowedBut(EditLines)}}
		}
		return n.allow(EditLines) // with another end they are a part of the extension
	case o.To.Set:
		if l.Fulfillment() == Returned {
			return &Error{Code: CodeStateNotAllowed, Detail: "the line is over", Details: StateDetails{State: l.Fulfillment().String(), Allowed: n.allowedBut(Extend)}}
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
	o.From.set(&l.From)
	l.FromOpening = l.FromOpening && !o.From.Set
	if o.To.Set {
		l.To = o.To.Value
		if o.To.Null {
			l.To = Forever
		}
	}
	switch {
	case l.Purchase.Type() == PurchaseSale && l.To != Forever:
		return invalid([]Fault{{Pointer: "/endDate", Code: "forbidden", Message: "a sale has no end"}})
	case l.span().Empty():
		return invalid([]Fault{{Pointer: "/endDate", Code: "order", Message: "must be later than startDate"}})
	}
	if o.TaxRate.Set {
		l.TaxRate = uint16(o.TaxRate.Value)
	}
	if o.Name.Set {
		l.Name = newWord(o.Name.Value)
	}
	if o.Note.Set || o.ImageURL.Set || o.Variants.Set || o.Fields.Set || o.ExpectsLink.Set || o.RevenueSplit.Set {
		m := own(&l.More)
		o.Note.set(&m.Note)
		o.ImageURL.set(&m.ImageURL)
		o.Variants.set(&m.Variants)
		o.Fields.set(&m.Fields)
		o.ExpectsLink.set(&m.ExpectsLink)
		o.RevenueSplit.merge(&m.RevenueSplit)
		if m.empty() {
			l.More = nil
		}
	}
	return nil
}

// sell has the line sold by what is given: a row, a price of its own, or, where the one that it had is taken away, as a new line would
// be. A booking's own price was for its dates: with others it needs another.
func (o *PatchOrderLine) sell(t *tx, n *Order, l, was *OrderLine) error {
	if o.PricingRow.Set {
		l.sellByNone()
	}
	if o.UnitPrice.Set {
		l.OwnPrice, l.UnitPrice = !o.UnitPrice.Null, o.UnitPrice.Value
	}
	var row *PricingRow
	var err error
	switch {
	case o.PricingRow.Set && !o.PricingRow.Null:
		if _, row = t.acc.pricingRowByID(o.PricingRow.Value); row == nil {
			return notFound("pricing row")
		}
		if code, message := t.acc.misnamed(l.Item(), l.Purchase.Type(), row); code != "" {
			return invalid([]Fault{{Pointer: "/pricingRowId", Code: code, Message: message}})
		}
		if err = n.paidIn(row); err != nil {
			return err
		}
		l.sellBy(row)
	case (o.PricingRow.Set || o.UnitPrice.Set) && !l.Priced():
		if row, err = t.acc.sellByTable(n, l); err != nil {
			return err
		}
	case l.span() != was.span() && l.Purchase.Type() == PurchaseBooking && !o.UnitPrice.Set && (l.OwnPrice || l.PricingRow != (ID{}) && l.Terms == nil):
		return invalid([]Fault{{Pointer: "/unitPrice", Code: "required", Message: "is missing: the line's price is for its dates, with others it needs another, or a pricing row"}})
	}
	if row != nil && l.Subscription != nil {
		l.Subscription.agree(row)
	}
	return nil
}

// changeStock gives a line of an open or active order the stock for its changed window and quantity.
func (t *tx) changeStock(o *Order, line int, was *OrderLine, overbook bool) error {
	l := &o.Lines[line]
	if l.Quantity != was.Quantity && slices.ContainsFunc(l.Units, func(u OrderUnit) bool { return u.State == Cancelled }) {
		return refuse(CodeConflict, "units of the line are cancelled; make another line")
	}
	if l.Quantity < was.Quantity { // first: what goes needs no room in the other window
		if err := t.fewer(l, int(was.Quantity)); err != nil {
			return err
		}
	}
	if l.span() != was.span() {
		if err := t.extend(l, line, overbook); err != nil {
			return err
		}
		if err := t.redate(o, line, overbook); err != nil {
			return err
		}
	}
	if l.Quantity > was.Quantity {
		return t.takeStock(o, []want{{line, int(l.Quantity - was.Quantity)}}, overbook)
	}
	return nil
}

// fewer keeps the units of as many items as a line has now, of each part the first. None of them is cancelled.
func (t *tx) fewer(l *OrderLine, items int) error {
	of, seen := map[uint16]int{}, map[uint16]int{}
	for i := range l.Units {
		of[l.Units[i].Part]++
	}
	for i := range l.Units {
		if of[l.Units[i].Part]%items != 0 {
			return refuse(CodeConflict, "the item takes other components now; make another line")
		}
	}
	l.Units = slices.DeleteFunc(l.Units, func(u OrderUnit) bool {
		seen[u.Part]++
		goes := seen[u.Part] > of[u.Part]/items*int(l.Quantity)
		if goes {
			t.free(&u)
		}
		return goes
	})
	return nil
}

// DeleteOrderLine takes a line item and its add-ons off a draft or an open order. It answers with nil.
type DeleteOrderLine struct {
	Order, ID ID
	IfMatch   []uint64
}

func (DeleteOrderLine) Check() []Fault { return nil }

func (o DeleteOrderLine) plan(t *tx) (any, error) {
	n, _, err := t.editLine(o.Order, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if err := n.allow(EditLines); err != nil {
		return nil, err
	}
	gone := map[ID]bool{o.ID: true}
	n.Lines = slices.DeleteFunc(n.Lines, func(l OrderLine) bool { // an add-on comes behind what it is added to
		if !gone[l.ID] && (l.Rest().AddonOf == ID{} || !gone[l.Rest().AddonOf]) {
			return false
		}
		gone[l.ID] = true
		for j := range l.Units {
			t.free(&l.Units[j])
		}
		return true
	})
	if err := t.reprice(n); err != nil {
		return nil, err
	}
	t.seatFreed()
	return nil, nil
}

func (DeleteOrderLine) result() any { return new(any) }
