package order

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns orders as they are kept: with their lines and units, and their states. units.go writes them.
//
// An order takes stock by the same seating as a hold (stock.go). Where a unit sits is not in the row: that is in the
// timelines, and changes without it.

// OrderStatus is where an order is in its life.
type OrderStatus uint8

// A draft takes no stock; an open order does; an active one has something handed over; a closed one is over.
const (
	OrderDraft OrderStatus = iota
	OrderOpen
	OrderActive
	OrderClosed
)

// OrderStatuses are the names of all of them, in their order.
var OrderStatuses = []string{"draft", "open", "active", "closed"}

// String is the word on the wire.
func (s OrderStatus) String() string { return OrderStatuses[s] }

// MarshalText writes a status into a stored row.
func (s OrderStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *OrderStatus) UnmarshalText(b []byte) (err error) {
	*s, err = base.NameAt[OrderStatus](OrderStatuses, "order status", b)
	return err
}

// Fulfillment is how far a unit of an order is on its way to the customer and back.
type Fulfillment uint8

// The order of the first four is the way that a unit takes. The partial ones are of orders and lines alone.
const (
	Pending Fulfillment = iota
	Prepared
	Fulfilled
	Returned
	Cancelled
	PartiallyFulfilled
	PartiallyReturned
)

// Fulfillments are the names of all of them, in their order.
var Fulfillments = []string{"pending", "prepared", "fulfilled", "returned", "cancelled", "partially_fulfilled",
	"partially_returned"}

// UnitFulfillments are the names of those that a unit can have. The others are of several units together.
var UnitFulfillments = Fulfillments[:PartiallyFulfilled]

// String is the word on the wire.
func (f Fulfillment) String() string { return Fulfillments[f] }

// MarshalText writes a state into a stored row.
func (f Fulfillment) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (f *Fulfillment) UnmarshalText(b []byte) (err error) {
	*f, err = base.NameAt[Fulfillment](Fulfillments, "fulfillment state", b)
	return err
}

// Order is an order as it is stored. OrderRecord (record.go) is what is answered.
type Order struct {
	ID        base.ID
	Number    uint32 // counts in the account from 1
	Status    OrderStatus
	Cancelled bool      `json:",omitempty"`
	Channel   base.Word // admin, api or online
	Customer  base.ID   // the customer that it is for; zero: none is named
	Pickup    base.ID   // the location that its stock is taken at
	Return    base.ID   // where units come back to
	OrderCopies
	UpdatedAt  int64
	UpdatedBy  base.Word
	ArchivedAt int64 `json:",omitempty"` // 0: it is not
	// its units go elsewhere, and that is planned; an older program planned nothing
	Departs  bool   `json:",omitempty"`
	LastLine uint16 // last number given to a line
	Revision uint64
	Lines    []OrderLine `json:",omitempty"`
	// discount codes that it carries, in the order in which they were applied
	Codes    []OrderCode    `json:",omitempty"`
	Payments []OrderPayment `json:",omitempty"`
	Due      int64          `json:",omitempty"` // when the next of its subscriptions is paid or ends; 0: never
	label.Labels
	More *OrderMore `json:",omitempty"`

	bare bool // it was read without its units
}

// OrderMore is what few orders have.
type OrderMore struct {
	Reference string          `json:",omitempty"`
	Note      string          `json:",omitempty"`
	Assigned  *UserRef        `json:",omitempty"`
	Customers []OrderCustomer `json:",omitempty"`
	Fields    []CheckoutField `json:",omitempty"` // of the customer that it is for
	Consents  []Consent       `json:",omitempty"`
	Documents []OrderDocument `json:",omitempty"`
	Comments  []OrderComment  `json:",omitempty"`
	Method    PaymentMethod
}

// OrderLine is a line item as it is stored.
type OrderLine struct {
	ID          base.ID
	Of          base.ID // what is taken: by Names a SKU, an article or a catalog item
	Names       base.ItemKind
	Purchase    base.Purchase
	No          uint16 // what units of the line say they are of: never given twice in an order
	Quantity    uint16
	Waived      uint16 `json:",omitempty"` // of the quantity, cancelled as it was not fetched, and not charged
	TaxRate     uint16 `json:",omitempty"` // basis points
	OwnPrice    bool   `json:",omitempty"` // the unit price was given, not worked out
	FromOpening bool   `json:",omitempty"` // no start was given: it begins when it takes stock
	From, To    int64  // To is Forever where the end is open
	UnitPrice   int64  `json:",omitempty"` // of one unit for the whole period; of a subscription for the first cycle
	PricingRow  base.ID
	// of the row; nil: of none, or of one that was gone before lines kept them
	Terms        *RowTerms `json:",omitempty"`
	Name         base.Word
	Units        []OrderUnit `json:",omitempty"` // in the order in which they were made
	UpdatedAt    int64
	Subscription *Subscription `json:",omitempty"`
	More         *LineMore     `json:",omitempty"`
}

// LineMore is what few lines have.
type LineMore struct {
	Note          string          `json:",omitempty"`
	ImageURL      string          `json:",omitempty"`
	Variants      []LineVariant   `json:",omitempty"`
	Requirements  []Requirement   `json:",omitempty"`
	Fields        []CheckoutField `json:",omitempty"`
	OrderCustomer base.ID         `json:",omitzero"`
	AddonOf       base.ID         `json:",omitzero"`
	CatalogAddon  base.ID         `json:",omitzero" ids:"foreign"`
	CartAddon     base.ID         `json:",omitzero" ids:"foreign"`
	IsAddon       string          `json:",omitempty"`
	ExpectsLink   bool            `json:",omitempty"`
	// the rows whose combination it is sold by; nil: it is sold by one row, or by none
	Combined     []SoldRow `json:",omitempty"`
	RevenueSplit *int64    `json:",omitempty"` // millionths; nil: all of it
	// of a kit, what one of it takes since it was booked; nil: it is not booked, or that is not known
	Components []commerce.Component `json:",omitempty"`
	// of a kit, what its components were bought for as it was booked; nil: that is not known of all
	PartPrices []int64 `json:",omitempty"`
}

// OrderUnit is an order stock item: one unit of a line.
type OrderUnit struct {
	ID         base.ID
	Hold       base.ID // its unavailability; zero: it takes none
	Handed     int64   `json:",omitempty"` // instant of the hand-over, 0: not yet
	Returned   int64   `json:",omitempty"`
	UpdatedAt  int64   `json:",omitempty"` // 0: not since it was made, or before rows said so
	State      Fulfillment
	ByHand     bool   `json:",omitempty"` // its article was named
	WasReady   bool   `json:",omitempty"` // it lay ready before it was handed over
	Substitute bool   `json:",omitempty"` // its article is none that its line may have
	Part       uint16 `json:",omitempty"` // which component of a kit it is

	// that it was of as its hold went: it was sold, or came back before any time had gone by; else 0
	Lot timeline.LotNo `json:",omitzero"`
}

const (
	orderByTag = iota
	orderBySubscription
	orderByExternal
)

// OrderKind's rows are found by number, too: a unit in the timelines says the number of its order.
var OrderKind = func() *base.Kind[Order] {
	k := base.RowsOf(base.TagOrder, "order", func(o *Order) base.ID { return o.ID },
		table.By(func(o *Order) []string { return o.TagKeys() }),
		table.By(func(o *Order) (keys []string) {
			for _, s := range o.Subscriptions() {
				keys = append(keys, string(s.ID[:]))
			}
			if keys != nil {
				keys = append(keys, "") // all orders with one
			}
			return keys
		}),
		table.By((*Order).ExternalKeys),
		table.Numbered(func(o *Order) uint32 { return o.Number }))
	k.Encode, k.Decode, k.Knows, k.Older, k.Weigh = encodeOrder, decodeOrder, base.Knows[storedOrder], olderOrder,
		weighOrder
	put := k.Put
	k.Put = func(s *base.State, a *base.AccountState, before, after *Order) {
		if after != nil {
			after.unpack(k.In(a).Get(after.ID))
			after.share(a)
		}
		recount(orderUses(a), before, after)
		put(s, a, before, after)
	}
	k.Told = base.ToldByRevision
	k.DueAt((*Order).dueAt)
	return k
}()

// dueAt is when time next changes the order; 0: never.
func (o *Order) dueAt() int64 {
	switch {
	case !o.copied() || o.undeparted():
		return base.AsOlder
	case o.Due == 0:
		return 0
	}
	return o.renewsAt()
}

func init() {
	OrderKind.WhenDue.Do = func(t *base.Tx, id base.ID) {
		switch o := order(t, id); {
		case o != nil && !o.copied():
			copyOlder(t, id)
		case o != nil && o.undeparted():
			departOlder(t, id)
		default:
			renewSubscriptions(t, id)
		}
	}
}

// OrderLabels is orders as what labels hang on.
var OrderLabels label.Labelled = orderLabels{LabelledKind: &label.LabelledKind[Order, *Order]{Kind: OrderKind,
	Scope: label.TagOrders, ByTag: orderByTag, ByExternal: orderByExternal}}

// orderLabels answers with whole records.
type orderLabels struct {
	*label.LabelledKind[Order, *Order]
}

// Zero is an empty record, for reading one back.
func (orderLabels) Zero() any { return new(OrderRecord) }

// Edit changes the labels of an order.
func (k orderLabels) Edit(t *base.Tx, id base.ID, ifMatch base.IfMatch, change func(*label.Labels) error) (any, error) {
	r, err := k.LabelledKind.Edit(t, id, ifMatch, change)
	if err != nil {
		return nil, err
	}
	o := r.(*Order)
	if o != OrderTable(t.Acc).Get(id) { // a new row, which nothing else has read yet
		o.UpdatedBy = base.NewWord(t.Actor)
	}
	return answer(t, o), nil
}

func (o *Order) Rev() uint64     { return o.Revision }
func (o *Order) Touch(now int64) { o.UpdatedAt, o.Revision = now, o.Revision+1 }

// OrderTable are all orders of an account.
func OrderTable(a *base.AccountState) *table.Table[Order] {
	return base.TableOf[Order](a, base.TagOrder)
}

// line finds a line by its id, or -1.
func (o *Order) line(id base.ID) int {
	return slices.IndexFunc(o.Lines, func(l OrderLine) bool { return l.ID == id })
}

// LineOf is the line of an id, or nil; it is not to be changed.
func (o *Order) LineOf(id base.ID) *OrderLine {
	if i := o.line(id); i >= 0 {
		return &o.Lines[i]
	}
	return nil
}

// LineNo finds a line by its number, or nil.
func (o *Order) LineNo(no uint16) *OrderLine {
	for i := range o.Lines {
		if o.Lines[i].No == no {
			return &o.Lines[i]
		}
	}
	return nil
}

// unit finds a unit by its id.
func (o *Order) unit(id base.ID) (*OrderLine, *OrderUnit) {
	for i := range o.Lines {
		l := &o.Lines[i]
		for j := range l.Units {
			if l.Units[j].ID == id {
				return l, &l.Units[j]
			}
		}
	}
	return nil, nil
}

// unitOf is the unit that an unavailability is of.
func (o *Order) unitOf(line uint16, hold base.ID) *OrderUnit {
	l := o.LineNo(line)
	if l == nil {
		return nil
	}
	for j := range l.Units {
		if l.Units[j].Hold == hold {
			return &l.Units[j]
		}
	}
	return nil
}

// UnitCount is how many units an order has.
func (o *Order) UnitCount() (n int) {
	for i := range o.Lines {
		n += len(o.Lines[i].Units)
	}
	return n
}

// customers are the customers that an order refers to, each once: the one that it is for, and those of its own list.
func (o *Order) customers() (ids []base.ID) {
	if o.Customer != (base.ID{}) {
		ids = append(ids, o.Customer)
	}
	if o.More == nil {
		return ids
	}
	for i := range o.More.Customers {
		if id := o.More.Customers[i].Customer; id != (base.ID{}) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Item names what a line takes.
func (l *OrderLine) Item() (i base.Item) {
	switch l.Names {
	case base.NamesSKU:
		i.SKU = l.Of
	case base.NamesArticle:
		i.Article = l.Of
	default:
		i.CatalogItem = l.Of
	}
	return i
}

// named sets what a line takes.
func (l *OrderLine) named(i base.Item) {
	l.Names = i.Kind()
	switch l.Names {
	case base.NamesSKU:
		l.Of = i.SKU
	case base.NamesArticle:
		l.Of = i.Article
	default:
		l.Of = i.CatalogItem
	}
}

// Span is what a line takes its units for.
func (l *OrderLine) Span() base.Span { return base.Span{Start: l.From, End: l.To} }

// Rest is the part that few orders have; it is not to be changed.
func (o *Order) Rest() *OrderMore {
	if o.More == nil {
		return &OrderMore{}
	}
	return o.More
}

// Rest is the part that few lines have; it is not to be changed.
func (l *OrderLine) Rest() *LineMore {
	if l.More == nil {
		return &LineMore{}
	}
	return l.More
}

// Own is the part that few orders or lines have, to change: a copy in its place, for the other is the stored row's.
func Own[T any](part **T) *T {
	n := new(T)
	if *part != nil {
		*n = **part
	}
	*part = n
	return n
}

// SplitRate is the part of what a line brings in that is the merchant's.
func (l *OrderLine) SplitRate() float64 {
	if s := l.Rest().RevenueSplit; s != nil {
		return float64(*s) / WholeSplit
	}
	return 1
}

// Clone is a copy of an order that shares nothing that a plan changes in place.
func (o *Order) Clone() *Order {
	n := *o
	n.Lines = slices.Clone(o.Lines)
	for i := range n.Lines {
		n.Lines[i].Units = slices.Clone(o.Lines[i].Units)
		if s := n.Lines[i].Subscription; s != nil {
			c := *s
			n.Lines[i].Subscription = &c
		}
	}
	n.Codes = slices.Clone(o.Codes)
	return &n
}

// Waive works out how much of its quantity a line does not charge for: of kits those of which every unit is cancelled
// that could be.
func (l *OrderLine) Waive() {
	type units struct{ all, live int }
	var parts []units
	for i := range l.Units {
		u := &l.Units[i]
		for int(u.Part) >= len(parts) {
			parts = append(parts, units{})
		}
		if parts[u.Part].all++; u.State != Cancelled {
			parts[u.Part].live++
		}
	}
	n, charged := int(l.Quantity), 0
	for _, p := range parts {
		if p.all > 0 {
			charged = max(charged, (p.live*n+p.all-1)/p.all)
		}
	}
	l.Waived = uint16(n - charged)
}

// Charged is how much of its quantity a line costs.
func (l *OrderLine) Charged() int { return int(l.Quantity - l.Waived) }
