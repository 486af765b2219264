package model

import (
	"fmt"
	"maps"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the twin's state: one account as plain lists.

// ID, Span and Forever are the engine's.
type (
	ID   = base.ID
	Span = base.Span
)

// Forever is the open end.
const Forever = base.Forever

// Account is one tenant. Lists of records are in order of creation; slots and units are in the order of their ids.
type Account struct {
	Zone       string
	Currency   string
	Seen       *Tally
	Named      int // of a refused line, as many holds in its way are named at most; 0: 20
	NamedAll   int // of a refusal; 0: 1,000
	Locations  []*Location
	SKUs       []*SKU
	Articles   []*Article
	Attributes []*Attribute
	Tables     []*Table
	Lots       []Lot
	Slots      []Slot
	Units      []Unit
	Holds      []*Hold
	Events     []*Event
	Kits       []*Kit
	Customers  []ID
	Lost       map[ID]int64  // since when each conflict has been one
	Homed      map[ID]int64  // since when each conflict has been on its lot
	Pins       map[ID]uint32 // the slot that each conflict was made for that was made for one
	Orders     []*Order
	LastOrder  uint32
	At         int64 // the instant of the last command that changed something
	Codes      []*commerce.DiscountCode

	Hooks      []Hook
	Deliveries []outbox.Delivery // without sizes and revisions
	Said       map[ID]string     // what the last event of an order said of it, where a webhook was enabled for it
}

// Tally counts how often a run came to what it is there for: a generator that never gets to the hard cases shows.
type Tally struct {
	Commands, Refused    int
	Moved, Between, Ends int // units moved for others, between articles, slots that changed ends
	Evicted, Reseated    int // units that became conflicts, and conflicts that were seated
	Opened               int // of those, the ones that wanted nothing that came free: time alone made room
	Hard, Inexact        int // answers from pools that are not easy, and those that said so
	Searched, Fewer      int // answers held against an exhaustive search, and those below the count
	Named, NamedLines    int // questions about an article that count moves, lines that others make room for
	WaitedFor            int // questions about an article of which units are free that conflicts of its pool wait for
	// lines of refusals with more in the way than are named, and those that name none as others have named all
	Unnamed, UnnamedLines  int
	PoolShort              int // lines that name an article and are refused for what is in its SKU's pool alone
	Plans, Blocked, Pushed int // plans of reductions: all, those that keep not all, those that use other articles
	Aside                  int // holds of other articles in the way of one
	// reductions that only units to come could carry, and units whose planned end or beginning was called off
	Scarce, CalledOff int
	// counts of pools in which a conflict counts for nothing as its article is taken by what is pinned there
	Stranded int
	// conflicts that wait for a slot that is taken, and units that waited for a slot and have one
	Pins, Unpinned   int
	RaisedOut        int // increases of articles that are out and have conflicts
	Repaired         int // scheduled events that waited on articles that are out, and have a unit of these
	Asked            int // removals of attributes and options that records had a value of
	Removed, InUse   int // locations, SKUs and articles that were deleted, and those that could not be
	Kits, Met        int // answers about kits, and those of kits of which two parts meet in a pool
	Late, Postponed  int // units kept for another step, and slots that ended later for one
	Early, Elsewhere int // units handed over before their time, and units that came back at another location
	// departures of units that were planned or moved, and those that were called off or moved
	OneWay, CalledBack, Shifted, CastOff int
	StaysHere                            int // orders refused for what counts later on units that they would take away
	Overbooked                           int // units of orders that were short
	Ahead                                int // lines that wait where what they name has never been
	// units that were given other dates where their article was of another SKU than the one that they were made for
	Strayed int
	// conflicts that were brought to another article of their SKU, and those for which it had none
	Housed, Homeless int
	// conflicts seated on what came into their pool as buffers changed, and those whose pool lost a lot so
	Joined, Parted int
	Endless, Ended int // units of bookings without end that orders took, and those that came back
	Applied        int // discount codes
	// other currencies that were refused as something was priced in the one that there was, and those that were taken
	Priced, Relabelled int
	// units that a command moved to where and when they were already, and those that got other buffers at the dates
	// that they had
	Still, Restamped int
	// patches of lines that changed nothing, and commands on revisions of orders that are past
	Idle, Stale   int
	Carts, Recast int // orders of several holds, and holds of which lines were changed
	// orders that are for the customer of their holds, and those of holds for several customers, which were refused
	Owned, Disowned  int
	Listed           int // lists of holds of which some passed and others did not
	Wanted           int // customers who were not deleted, as a hold or an order was for them
	Chosen, Unpriced int // lines that named no row and got one, and those that no one row was for
	Together, Mixed  int // lines that were sold by rows together, and those for less than any row alone
	Quotes, Offered  int // quotes, and combinations that they offered
	// lines of orders that got more of what their kit was made of as they were booked, and of holds that were asked for
	// anew of that
	Rebooked, Reheld int
	Quoted, Kept     int // lines that were priced by rows, and those that kept their price as their row was gone
	// lines of which some articles have what is required and others not, and numbers of their units that were found by
	// trying all ways
	Narrow, Fitted int
	// units that went to another article as theirs lost what their line requires, and those that stayed without
	Refitted, Unfit int
	Gained          int // conflicts that got a unit as an article has by now what a line requires
	Turned          int // conflicts whose requirement an article meets as another day has come
	// lines with requirements that got units, and those for which no article had what is required
	Required, Unmet int
	Billed, Lapsed  int // subscriptions: payments that came, and those that ended by time
	Coded, Outlived int // looks at payments to come that a code is for, and at those behind the last that one is for
	// subscriptions that ended as the last unit of them was cancelled, others had come back; those that go on by the
	// undo of another return than the one that ended them, and those that have their agreed end again
	Leftover, Resumed, Rebound int
	// undos that were refused as the subscription was over, and subscriptions that are bound beyond all years
	StaysOut, Bound int
	KeptEvents      int // events that were kept for a webhook that was disabled for failures
	MissedEvents    int // events that were counted for one that was disabled by hand
	Told, Delivered int // events, by webhook: those that were made, and those that an endpoint took
	Lost, Drained   int // events that failed for good, and those that waited for a webhook that was disabled
	// articles with a unit free where a window starts, none over it, and one later on; those of them where one is free
	// at every instant
	FreeLater, WalledIn    int
	FewerDays              int // buckets of a calendar of fewer units of a pool than are free at every instant
	StartsOver, StartsNone int // starts of rentals that would be over, and those of which no unit can be had
	StartsInexact          int // and those of which perhaps more can be had than is said
	Unstocked              int // explanations of what has no units there
	Worst                  int // explanations of several pools, each with its own least
	// articles that a line may not have and did not get, and those that it got as substitutes
	Foreign, Substituted int
	Reassigned           int // units that got another article by hand, and showed no other change
	LateAsItIs           int // units that are late by another end, with the time that they had
	Restored             int // units of other articles that are again what was ordered
	Ready                int // units whose buffer ended before its time
	Unfetched, Undone    int // units that were cancelled as they were not fetched, and steps that were taken back
	Unsold, OutAgain     int // of those, units that were sold, and units that came back
	GoneOn               int // steps that were not, as the stock has gone on
	Sold                 int // units that left the stock for good
	Withheld             int // articles that were not taken out, as holds of theirs would have had no place
	Disabled, Requeued   int // webhooks that the engine disabled, and events that were sent again
}

// Add adds another run's counts.
func (t *Tally) Add(o Tally) {
	for _, n := range []struct{ to, by *int }{
		{&t.Commands, &o.Commands}, {&t.Refused, &o.Refused}, {&t.Moved, &o.Moved}, {&t.Between, &o.Between},
		{&t.Ends, &o.Ends},
		{&t.Evicted, &o.Evicted}, {&t.Reseated, &o.Reseated}, {&t.Hard, &o.Hard}, {&t.Inexact, &o.Inexact},
		{&t.Searched, &o.Searched}, {&t.Named, &o.Named}, {&t.WaitedFor, &o.WaitedFor},
		{&t.NamedLines, &o.NamedLines}, {&t.Unnamed, &o.Unnamed},
		{&t.UnnamedLines, &o.UnnamedLines}, {&t.PoolShort, &o.PoolShort},
		{&t.Fewer, &o.Fewer}, {&t.Plans, &o.Plans}, {&t.Blocked, &o.Blocked},
		{&t.Pushed, &o.Pushed}, {&t.Aside, &o.Aside},
		{&t.Scarce, &o.Scarce}, {&t.CalledOff, &o.CalledOff}, {&t.RaisedOut, &o.RaisedOut}, {&t.Stranded, &o.Stranded},
		{&t.Repaired, &o.Repaired},
		{&t.Pins, &o.Pins}, {&t.Unpinned, &o.Unpinned},
		{&t.Removed, &o.Removed}, {&t.InUse, &o.InUse},
		{&t.Kits, &o.Kits}, {&t.Met, &o.Met},
		{&t.Late, &o.Late}, {&t.Postponed, &o.Postponed}, {&t.Early, &o.Early}, {&t.Elsewhere, &o.Elsewhere},
		{&t.OneWay, &o.OneWay}, {&t.CalledBack, &o.CalledBack}, {&t.Shifted, &o.Shifted}, {&t.CastOff, &o.CastOff},
		{&t.StaysHere, &o.StaysHere},
		{&t.Overbooked, &o.Overbooked}, {&t.Ahead, &o.Ahead}, {&t.Strayed, &o.Strayed},
		{&t.Housed, &o.Housed}, {&t.Homeless, &o.Homeless},
		{&t.Joined, &o.Joined}, {&t.Parted, &o.Parted},
		{&t.Endless, &o.Endless}, {&t.Ended, &o.Ended},
		{&t.Carts, &o.Carts}, {&t.Recast, &o.Recast}, {&t.Owned, &o.Owned}, {&t.Disowned, &o.Disowned},
		{&t.Wanted, &o.Wanted}, {&t.Listed, &o.Listed}, {&t.Chosen, &o.Chosen}, {&t.Unpriced, &o.Unpriced},
		{&t.Applied, &o.Applied}, {&t.Priced, &o.Priced}, {&t.Relabelled, &o.Relabelled}, {&t.Still, &o.Still},
		{&t.Restamped, &o.Restamped}, {&t.Idle, &o.Idle}, {&t.Stale, &o.Stale}, {&t.Quoted, &o.Quoted},
		{&t.Kept, &o.Kept}, {&t.Together, &o.Together}, {&t.Mixed, &o.Mixed}, {&t.Quotes, &o.Quotes},
		{&t.Offered, &o.Offered}, {&t.Rebooked, &o.Rebooked}, {&t.Reheld, &o.Reheld}, {&t.Narrow, &o.Narrow},
		{&t.Fitted, &o.Fitted}, {&t.Refitted, &o.Refitted},
		{&t.Gained, &o.Gained}, {&t.Turned, &o.Turned}, {&t.Unfit, &o.Unfit}, {&t.Required, &o.Required},
		{&t.Unmet, &o.Unmet}, {&t.Billed, &o.Billed}, {&t.Lapsed, &o.Lapsed},
		{&t.Coded, &o.Coded}, {&t.Outlived, &o.Outlived},
		{&t.Leftover, &o.Leftover}, {&t.Resumed, &o.Resumed}, {&t.Rebound, &o.Rebound},
		{&t.StaysOut, &o.StaysOut}, {&t.Bound, &o.Bound},
		{&t.Told, &o.Told}, {&t.Delivered, &o.Delivered}, {&t.Lost, &o.Lost}, {&t.Drained, &o.Drained},
		{&t.Disabled, &o.Disabled},
		{&t.Requeued, &o.Requeued}, {&t.FreeLater, &o.FreeLater}, {&t.WalledIn, &o.WalledIn},
		{&t.Unstocked, &o.Unstocked}, {&t.Worst, &o.Worst}, {&t.FewerDays, &o.FewerDays},
		{&t.Asked, &o.Asked}, {&t.Opened, &o.Opened}, {&t.KeptEvents, &o.KeptEvents},
		{&t.MissedEvents, &o.MissedEvents},
		{&t.StartsOver, &o.StartsOver}, {&t.StartsNone, &o.StartsNone}, {&t.StartsInexact, &o.StartsInexact},
		{&t.Withheld, &o.Withheld}, {&t.Sold, &o.Sold}, {&t.Ready, &o.Ready},
		{&t.Unfetched, &o.Unfetched}, {&t.Undone, &o.Undone}, {&t.Unsold, &o.Unsold}, {&t.OutAgain, &o.OutAgain},
		{&t.GoneOn, &o.GoneOn},
		{&t.Foreign, &o.Foreign}, {&t.Substituted, &o.Substituted}, {&t.Restored, &o.Restored},
		{&t.Reassigned, &o.Reassigned}, {&t.LateAsItIs, &o.LateAsItIs},
	} {
		*n.to += *n.by
	}
}

// Location, SKU, Article, Hold and Event are the parts of the engine's records that rules depend on. They are values: a
// changed one is a new one.
type (
	Location struct {
		ID   ID
		Zone string
		Gone bool
	}
	SKU struct {
		ID            ID
		Before, After *stock.Buffer
		Has           []Has
		Revision      uint64
		Gone          bool
	}
	Article struct {
		ID            ID
		SKU           *ID
		Active        bool
		Archived      bool
		Takes         bool // active and not archived
		Before, After *stock.Buffer
		Has           []Has
		Revision      uint64
		Gone          bool
	}
	Hold struct {
		ID     ID
		Status hold.HoldStatus
		Due    int64 // expiry of a held one, end of keeping of an ended one, else 0
		Lines  []Line

		Customer ID // the customer that it is for; zero: none
		Note     string
	}
	Line struct {
		base.Item
		Location ID
		Return   ID // where its units are when they have ended
		Window   Span
		Quantity int
		Purchase base.PurchaseType
		Made     []ID                 // of each unit the SKU that it was made for; zero: an article
		Booked   []commerce.Component // of a kit, what one of it took when the line was made

		Base  ID     // what the ids of its units follow: the hold, or the change that made them
		First uint64 // at which distance the first does
	}
	Event struct {
		ID, Article, Location ID
		Name                  string
		Revision              uint64
		Type                  stock.EventType
		Window                Span
	}
)

// Lot is one article at one location.
type Lot struct {
	No                uint32
	Article, Location int // indexes into the account's lists; of a lot of no article -1
}

// Slot is one unit of stock.
type Slot struct {
	ID   ID
	No   uint32
	Lot  uint32
	Span Span
}

// Unit is an unavailability: one unit taken. Slot 0: a conflict of its lot.
type Unit struct {
	ID                 ID
	Hull               Span
	Before, After, Cut int64
	Nth                uint64 // how many ids after its owner's
	Line               uint16
	Kind               timeline.Kind
	Flags              timeline.Flags
	Lot, Slot          uint32
}

// Body is the hull without its buffers.
func (u Unit) Body() Span {
	if u.Hull.End == Forever {
		return Span{Start: u.Hull.Start + u.Before, End: Forever}
	}
	return Span{Start: u.Hull.Start + u.Before, End: u.Hull.End - u.After}
}

// Takes is the range over which the unit counts as committed: its hull, and of a seated one the part that was not cut
// off.
func (u Unit) Takes() Span {
	if u.Slot == 0 {
		return u.Hull
	}
	return Span{Start: u.Hull.Start + u.Cut, End: u.Hull.End}
}

func (u Unit) slotPinned() bool    { return u.Flags.Has(timeline.PinnedSlot) }
func (u Unit) articlePinned() bool { return u.Flags.Any(timeline.PinnedArticle | timeline.PinnedSlot) }
func (u Unit) out() bool           { return u.Flags.Has(timeline.Out) }
func (u Unit) event() bool         { return u.Flags.Blocker() == timeline.BlockerScheduledEvent }

// clone is a copy whose lists can be changed.
func (a *Account) clone() *Account {
	c := *a
	c.Locations, c.SKUs, c.Articles = slices.Clone(a.Locations), slices.Clone(a.SKUs), slices.Clone(a.Articles)
	c.Attributes, c.Tables = slices.Clone(a.Attributes), slices.Clone(a.Tables)
	c.Lots, c.Slots, c.Units = slices.Clone(a.Lots), slices.Clone(a.Slots), slices.Clone(a.Units)
	c.Holds, c.Events, c.Kits = slices.Clone(a.Holds), slices.Clone(a.Events), slices.Clone(a.Kits)
	c.Customers = slices.Clone(a.Customers)
	c.Orders, c.Codes = slices.Clone(a.Orders), slices.Clone(a.Codes)
	c.Hooks, c.Deliveries = slices.Clone(a.Hooks), slices.Clone(a.Deliveries)
	c.Said = make(map[ID]string, len(a.Said))
	maps.Copy(c.Said, a.Said)
	return &c
}

func find[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// standing are the locations that are there.
func (a *Account) standing() []*Location {
	return slices.DeleteFunc(slices.Clone(a.Locations), func(l *Location) bool { return l.Gone })
}

func (a *Account) location(id ID) *Location {
	return find(a.Locations, func(l *Location) bool { return l.ID == id && !l.Gone })
}
func (a *Account) sku(id ID) *SKU {
	return find(a.SKUs, func(s *SKU) bool { return s.ID == id && !s.Gone })
}
func (a *Account) article(id ID) *Article {
	return find(a.Articles, func(r *Article) bool { return r.ID == id && !r.Gone })
}
func (a *Account) hold(id ID) *Hold { return find(a.Holds, func(h *Hold) bool { return h.ID == id }) }
func (a *Account) event(id ID) *Event {
	return find(a.Events, func(e *Event) bool { return e.ID == id })
}
func (a *Account) lot(no uint32) Lot    { return a.Lots[no-1] }
func (a *Account) unit(id ID) *Unit     { return at(a.Units, func(u *Unit) bool { return u.ID == id }) }
func (a *Account) slot(no uint32) *Slot { return at(a.Slots, func(s *Slot) bool { return s.No == no }) }

func at[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Known says that an item is there.
func (a *Account) Known(i base.Item) bool {
	return a.sku(i.SKU) != nil || a.article(i.Article) != nil || a.kit(i.CatalogItem) != nil
}

// Takes says that an article takes new holds, HasConflicts that a unit has no slot.
func (a *Account) Takes(article ID) bool { return a.article(article).Takes }
func (a *Account) HasConflicts() bool {
	return slices.ContainsFunc(a.Units, func(u Unit) bool { return u.Slot == 0 })
}

// of is the article of a lot; of one where conflicts wait that no article is left for it is none.
func (a *Account) of(l Lot) *Article {
	if l.Article < 0 {
		return &Article{Gone: true}
	}
	return a.Articles[l.Article]
}

// lotAt is the number of the lot of an article at a location, 0 where there is none.
func (a *Account) lotAt(article, location ID) uint32 { return a.lotAmong(a.Lots, article, location) }

// lotAmong is lotAt of some lots.
func (a *Account) lotAmong(lots []Lot, article, location ID) uint32 {
	for _, l := range lots {
		if a.of(l).ID == article && a.Locations[l.Location].ID == location {
			return l.No
		}
	}
	return 0
}

// buffers are the effective buffers of an article.
func (a *Account) buffers(r *Article) (before, after stock.Buffer) {
	pick := func(own, shared *stock.Buffer) stock.Buffer {
		switch {
		case own != nil:
			return *own
		case shared != nil:
			return *shared
		}
		return stock.Buffer{}
	}
	var s SKU
	if r.SKU != nil {
		s = *a.sku(*r.SKU)
	}
	return pick(r.Before, s.Before), pick(r.After, s.After)
}

// keepsAlike says that two buffers keep the same time free, in whatever words: an exact time is as long as it has
// milliseconds; steps of the calendar are so many days or so many months, which are no exact times.
func keepsAlike(x, y stock.Buffer) bool {
	in := func(b stock.Buffer) (length [3]int64) {
		kind, each := 0, int64(0)
		switch b.Unit {
		case timeline.Seconds:
			each = 1000
		case timeline.Minutes:
			each = 60 * 1000
		case timeline.Hours:
			each = 60 * 60 * 1000
		case timeline.Days:
			kind, each = 1, 1
		case timeline.Weeks:
			kind, each = 1, 7
		case timeline.Months:
			kind, each = 2, 1
		case timeline.Years:
			kind, each = 2, 12
		}
		length[kind] = b.Amount * each
		return length
	}
	return in(x) == in(y)
}

// sameSetting says that bookings of two articles bring the same buffers.
func (a *Account) sameSetting(x, y *Article) bool {
	before, after := a.buffers(x)
	b, c := a.buffers(y)
	return keepsAlike(before, b) && keepsAlike(after, c)
}

// Pool is a set of lots whose units stand in for each other, with the buffers that a booking of it brings.
type Pool struct {
	Lots          []uint32
	Before, After stock.Buffer
	Location      *Location
	Closed        bool // an article that takes no new holds
}

func (p Pool) has(lot uint32) bool { return slices.Contains(p.Lots, lot) }

// hull is what a booking of the pool takes.
func (p Pool) hull(body Span, now int64) Span {
	return Hull(body, p.Before, p.After, p.Location.Zone, now)
}

// lotPool is a lot as a pool of its own.
func (a *Account) lotPool(no uint32) Pool {
	l := a.lot(no)
	r := a.of(l)
	p := Pool{Lots: []uint32{no}, Location: a.Locations[l.Location], Closed: !r.Takes}
	p.Before, p.After = a.buffers(r)
	return p
}

// skuPools are the pools of a SKU at a location, by their smallest lots: its articles that take holds, apart where
// their buffers differ.
func (a *Account) skuPools(sku, location ID) (pools []Pool) {
next:
	for _, l := range a.Lots {
		r, at := a.of(l), a.Locations[l.Location]
		if r.SKU == nil || *r.SKU != sku || !r.Takes || at.ID != location {
			continue
		}
		before, after := a.buffers(r)
		for i := range pools {
			if keepsAlike(pools[i].Before, before) && keepsAlike(pools[i].After, after) {
				pools[i].Lots = append(pools[i].Lots, l.No)
				continue next
			}
		}
		pools = append(pools, Pool{Lots: []uint32{l.No}, Before: before, After: after, Location: at})
	}
	return pools
}

// poolOf is the pool in which what sits on a lot may move: its SKU's, or the lot alone.
func (a *Account) poolOf(no uint32) Pool {
	l := a.lot(no)
	if r := a.of(l); r.SKU != nil {
		for _, p := range a.skuPools(*r.SKU, a.Locations[l.Location].ID) {
			if p.has(no) {
				return p
			}
		}
	}
	return a.lotPool(no)
}

// apart says that the articles of two lots at one location are of one SKU and take holds, in pools apart as their
// buffers differ.
func (a *Account) apart(one, other uint32) bool {
	x, y := a.lot(one), a.lot(other)
	r, q := a.of(x), a.of(y)
	return x.Location == y.Location && r.Takes && q.Takes && r.SKU != nil && q.SKU != nil && *r.SKU == *q.SKU &&
		!a.poolOf(one).has(other)
}

// pools are the pools of an item at a location, or at all of them where none is named; of a kit, those of its parts.
func (a *Account) pools(i base.Item, location ID) (pools []Pool) {
	if k := a.kit(i.CatalogItem); k != nil {
		for _, p := range k.parts() {
			pools = append(pools, a.pools(p.Item, location)...)
		}
		return pools
	}
	for _, l := range a.Locations {
		if l.Gone || location != (ID{}) && l.ID != location {
			continue
		}
		if i.Article == (ID{}) {
			pools = append(pools, a.skuPools(i.SKU, l.ID)...)
		} else if no := a.lotAt(i.Article, l.ID); no != 0 {
			pools = append(pools, a.lotPool(no))
		}
	}
	return pools
}

func (a *Account) slotsOf(p Pool) (list []Slot) {
	for _, s := range a.Slots {
		if p.has(s.Lot) {
			list = append(list, s)
		}
	}
	return list
}

func (a *Account) unitsOf(p Pool) (list []Unit) {
	for _, u := range a.Units {
		if p.has(u.Lot) {
			list = append(list, u)
		}
	}
	return list
}

func wrong(format string, args ...any) error { return fmt.Errorf(format, args...) }
