package engine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns how hold records are kept: 56 bytes each without a pointer, and a side table for the few that have a note, a customer,
// more than one line, lines of kits, units that come back elsewhere, or lines that were changed.

// HoldStatus is where a hold record is in its life.
type HoldStatus uint8

// A hold that expires is held; one without expiry is confirmed. The other three are ends: the record is kept for 24 hours.
const (
	Held HoldStatus = iota + 1
	Confirmed
	Expired
	Released
	Ordered
)

var holdStatuses = [...]string{"", "held", "confirmed", "expired", "released", "ordered"}

// HoldStatuses are the names of all of them, in their order.
var HoldStatuses = holdStatuses[Held:]

// String is the status as the API writes it.
func (s HoldStatus) String() string {
	return holdStatuses[s]
}

// Ended says that the hold takes no stock any more.
func (s HoldStatus) Ended() bool { return s >= Expired }

// holdLine is one line of a hold record: what was asked for.
type holdLine struct {
	denseLine
	back   uint32     // number of the location that its units go to when they end, 0: they stay
	made              // of a line of a hold that was changed
	booked *bookedKit // what kits were made of; nil: it is of none, or an older program's
}

// made is where the ids of a line's units begin: the n-th of them is that of after(base, first+n).
type made struct {
	base  ID     // of the change that made them; zero: the hold's own
	first uint32 // 0: they follow those of the line before
}

// denseLine is the part of a line that lies in the dense rows.
type denseLine struct {
	from, to       int64
	item, location uint32 // numbers of what is named, and of the location
	quantity       uint16 // asked for
	units          uint16 // that it takes: of kits, several each
	named          itemKind
	purchase       purchase
}

// goes is the number of the location where units of the line are when they have ended.
func (l *holdLine) goes() uint32 { return cmp.Or(l.back, l.location) }

// holdRecord is a hold record's row. Its units are the unavailabilities whose ids follow its own: the n-th is after(id, n). Those that a
// change made follow an id of its own.
type holdRecord struct {
	id     ID
	due    int64 // expiry of a held one, instant at which an ended one is forgotten; 0: never
	status HoldStatus
	note   string
	lines  []holdLine

	customer ID // whom it is for; zero: nobody
}

// units is the number of unavailabilities that the record was made with.
func (r *holdRecord) units() (n int) {
	for _, l := range r.lines {
		n += int(l.units)
	}
	return n
}

// each yields the ids of the record's units with their lines, in order.
func (r *holdRecord) each() iter.Seq2[int, ID] {
	return func(yield func(int, ID) bool) {
		next := uint64(1)
		for i := range r.lines {
			base, first := r.lines[i].begin(r.id, next)
			for n := range uint64(r.lines[i].units) {
				if !yield(i, after(base, first+n)) {
					return
				}
			}
			next = first + uint64(r.lines[i].units)
		}
	}
}

// begin is what the ids of a line's units follow, and at which distance the first does: as its change says, or behind those of the line before.
func (l *holdLine) begin(hold ID, next uint64) (base ID, first uint64) {
	switch {
	case l.first == 0:
		return hold, next
	case l.base == ID{}:
		return hold, uint64(l.first)
	}
	return l.base, uint64(l.first)
}

// first is the distance at which the first unit of a line follows its base.
func (r *holdRecord) first(line int) uint64 {
	if n := r.lines[line].first; n != 0 {
		return uint64(n)
	}
	n := uint64(1)
	for _, before := range r.lines[:line] {
		n += uint64(before.units)
	}
	return n
}

// lineOf is the line that a unit is of, and at which distance from its base that line begins; -1: of none. The unit's own number of its line
// does not say it while a command changes lines: units have the new numbers then, and the record the old lines.
func (r *holdRecord) lineOf(h timeline.Hold) (line int, first uint64) {
	next := uint64(1)
	for i := range r.lines {
		base, first := r.lines[i].begin(r.id, next)
		next = first + uint64(r.lines[i].units)
		if first <= h.Owner && h.Owner < next && after(base, h.Owner) == h.ID {
			return i, first
		}
	}
	return -1, 0
}

// changed says that the record's lines are not those that it was made with.
func (r *holdRecord) changed() bool { return len(r.lines) > 0 && r.lines[0].first != 0 }

// revision is a hash of what is stored of the record: it keeps no count of its changes. It is never 0.
func (r *holdRecord) revision() uint64 {
	var few [128]byte
	return max(1, xxhash.Sum64(holdKind.encode(few[:0], r)))
}

// holdRow is a record without its id; of one with a note, a customer, several lines, kits or units that come back elsewhere it has the first, the rest
// lies beside it.
type holdRow struct {
	due    int64
	first  denseLine
	status HoldStatus

	more    bool // something lies beside it
	further bool // lines do
	noted   bool // a note does
}

type holdMore struct {
	id    ID
	note  string
	back  uint32     // of the first line
	made  made       // of the first line
	lines []holdLine // all but the first

	booked   *bookedKit // of the first line
	customer ID
}

// holdByCustomer is the index of holds of which it is said whom they are for.
const holdByCustomer = 0

func (m *holdMore) customerKeys() []string {
	if m.customer == (ID{}) {
		return nil
	}
	return []string{string(m.customer[:])}
}

// changeOf is a change of a hold that made units.
type changeOf struct{ id, hold ID }

type holdStore struct {
	rows *timeline.ByID[holdRow]
	more *table.Table[holdMore]

	changes *table.Table[changeOf]
}

var holdExtension = registerExtension(newHoldStore)

func (a *account) holds() *holdStore { return holdExtension.in(a) }

func newHoldStore() *holdStore {
	return &holdStore{
		rows: timeline.NewByID[holdRow](),
		more: table.New(func(m *holdMore) table.ID { return m.id }, table.By((*holdMore).customerKeys)),

		changes: table.New(func(c *changeOf) table.ID { return c.id }),
	}
}

func (s *holdStore) publish() extension {
	return &holdStore{rows: s.rows.Publish(), more: s.more.Publish(), changes: s.changes.Publish()}
}

func (s *holdStore) get(id ID) *holdRecord {
	row, ok := s.rows.Get(id)
	if !ok {
		return nil
	}
	return s.full(id, row)
}

func (s *holdStore) full(id ID, row holdRow) *holdRecord {
	r := &holdRecord{id: id, due: row.due, status: row.status, lines: []holdLine{{denseLine: row.first}}}
	if row.more {
		m := s.more.Get(id)
		r.lines[0].back, r.lines[0].made, r.lines[0].booked = m.back, m.made, m.booked
		r.note, r.customer, r.lines = m.note, m.customer, append(r.lines, m.lines...)
	}
	return r
}

// note is what a hold was noted with, most with nothing: it lies beside the dense rows.
func (s *holdStore) note(id ID) string {
	if s.more.Get(id) != nil {
		if r := s.get(id); r != nil {
			return r.note
		}
	}
	return ""
}

func (s *holdStore) put(r *holdRecord) {
	s.rows.Put(r.id, r.row())
	if more := r.beside(); more != nil {
		s.putMore(more)
	}
}

func (s *holdStore) putMore(m *holdMore) {
	s.more.Put(m)
	for id := range m.bases() {
		s.changes.Put(&changeOf{id, m.id})
	}
}

// bases are the ids of the changes that made units of the record.
func (m *holdMore) bases() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		last := m.made.base
		if last != (ID{}) && !yield(last) {
			return
		}
		for i := range m.lines {
			if id := m.lines[i].base; id != last && id != (ID{}) && !yield(id) {
				return
			}
			last = m.lines[i].base
		}
	}
}

// holding is the id of the record that a unit belongs to.
func (a *account) holding(h timeline.Hold) ID {
	id := ahead(a, h)
	if c := a.holds().changes.Get(id); c != nil {
		return c.hold
	}
	return id
}

// row is the part of a record that lies in the dense rows, beside what does not fit there, nil for most.
func (r *holdRecord) row() holdRow {
	return holdRow{
		due: r.due, first: r.lines[0].denseLine, status: r.status,
		more: !r.dense(), further: len(r.lines) > 1, noted: r.note != "",
	}
}

func (r *holdRecord) beside() *holdMore {
	if r.dense() {
		return nil
	}
	return &holdMore{r.id, r.note, r.lines[0].back, r.lines[0].made, r.lines[1:], r.lines[0].booked, r.customer}
}

// dense says that all of a record is in its dense row.
func (r *holdRecord) dense() bool {
	return r.note == "" && r.customer == ID{} && len(r.lines) == 1 && r.lines[0].back == 0 && r.lines[0].booked == nil && !r.changed()
}

func (s *holdStore) delete(id ID) {
	s.rows.Delete(id)
	if m := s.more.Get(id); m != nil {
		for base := range m.bases() {
			s.changes.Delete(base)
		}
	}
	s.more.Delete(id)
}

var holdKind = &kind[holdRecord]{
	tag:      tagHold,
	name:     "hold",
	resource: "hold",
	key:      func(r *holdRecord) ID { return r.id },
	weigh:    func(r *holdRecord) int { return len(encodeHold(nil, r)) },
	encode:   encodeHold,
	decode:   decodeHold,
	scan: func(l *accountLoader, key ID, b []byte) error {
		r, err := decodeHold(l.id, key, b)
		if err != nil {
			return err
		}
		x := holdBulk.on(&l.bulk)
		*x.rows.next() = keyedHold{key, r.row()}
		if more := r.beside(); more != nil {
			x.more = append(x.more, more)
		}
		if r.due != 0 {
			l.due = append(l.due, dueItem{r.due, key, tagHold})
		}
		return nil
	},
	bulk: loadHolds,
	find: func(a *account, like *holdRecord) *holdRecord { return a.holds().get(like.id) },
	all: func(a *account) iter.Seq[*holdRecord] {
		return func(yield func(*holdRecord) bool) {
			for id, row := range a.holds().rows.From(ID{}) {
				if !yield(a.holds().full(id, row)) {
					return
				}
			}
		}
	},
	put: func(_ *state, a *account, before, after *holdRecord) {
		if before != nil {
			if before.due != 0 {
				a.due.remove(dueItem{before.due, before.id, tagHold})
			}
			if after == nil || !before.dense() {
				a.holds().delete(before.id)
			}
		}
		if after == nil {
			return
		}
		a.holds().put(after)
		if after.due != 0 {
			a.due.add(dueItem{after.due, after.id, tagHold})
		}
	},
}

func init() { holdKind.fall = (*tx).lapse }

// returnsElsewhere is set beside the kind of what a line names where the number of the location that its units go to follows; rows up to
// format 5 have none. keepsComponents is set there where what its kits were made of follows; rows up to format 7 have none.
const (
	returnsElsewhere = 0x80
	keepsComponents  = 0x40
)

// wasChanged is set beside the status where each line says which ids its units have; rows up to format 6 have none. isForOne is set there where
// the id of a customer stands behind the note; rows up to format 7 have none.
const (
	wasChanged = 0x80
	isForOne   = 0x40
)

func encodeHold(dst []byte, r *holdRecord) []byte {
	status := byte(r.status)
	if r.changed() {
		status |= wasChanged
	}
	if r.customer != (ID{}) {
		status |= isForOne
	}
	dst = append(dst, hotVersion, status)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.due))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(r.lines)))
	for _, l := range r.lines {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(l.from))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(l.to))
		dst = binary.LittleEndian.AppendUint32(dst, l.item)
		dst = binary.LittleEndian.AppendUint32(dst, l.location)
		dst = binary.LittleEndian.AppendUint16(dst, l.quantity)
		named := byte(l.named)
		if l.back != 0 {
			named |= returnsElsewhere
		}
		if l.booked != nil {
			named |= keepsComponents
		}
		dst = append(dst, named, byte(l.purchase)+1)
		if l.back != 0 {
			dst = binary.LittleEndian.AppendUint32(dst, l.back)
		}
		if l.named == namesCatalogItem {
			dst = binary.LittleEndian.AppendUint16(dst, l.units)
		}
		if l.booked != nil {
			dst = appendComponents(dst, l.booked.components)
		}
		if r.changed() {
			dst = binary.LittleEndian.AppendUint32(append(dst, l.base[:]...), l.first)
		}
	}
	dst = appendText(dst, r.note)
	if r.customer != (ID{}) {
		dst = append(dst, r.customer[:]...)
	}
	return dst
}

// appendComponents appends what one kit takes: its articles and SKUs, each with how many.
func appendComponents(dst []byte, list []Component) []byte {
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(list)))
	for _, c := range list {
		id := c.SKU
		if c.Article != (ID{}) {
			id = c.Article
		}
		dst = append(append(dst, byte(c.kind())), id[:]...)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(c.Quantity))
	}
	return dst
}

// components reads what appendComponents wrote.
func (r *reader) components() []Component {
	list := make([]Component, 0, 4)
	for range r.u16() {
		named, id := itemKind(r.u8()), r.id()
		c := Component{Item: Item{SKU: id}}
		if named == namesArticle {
			c.Item = Item{Article: id}
		}
		c.Quantity = int(r.u32())
		list = append(list, c)
	}
	return slices.Clip(list)
}

func decodeHold(_, key ID, b []byte) (*holdRecord, error) {
	r, err := hotReader("hold", b)
	if err != nil {
		return nil, err
	}
	status := r.u8()
	h := &holdRecord{id: key, status: HoldStatus(status &^ (wasChanged | isForOne)), due: r.i64()}
	n := int(r.u16())
	if n == 0 || n > maxLines || h.status < Held || h.status > Ordered {
		return nil, fmt.Errorf("hold: stored row has %d lines and status %d", n, h.status)
	}
	h.lines = make([]holdLine, n)
	for i := range h.lines {
		h.lines[i].denseLine = denseLine{from: r.i64(), to: r.i64(), item: r.u32(), location: r.u32(), quantity: r.u16()}
		named := r.u8()
		h.lines[i].named, h.lines[i].purchase = itemKind(named&^(returnsElsewhere|keepsComponents)), purchase(r.u8()-1)
		if named&returnsElsewhere != 0 {
			h.lines[i].back = r.u32()
		}
		switch l := &h.lines[i]; {
		case int(l.purchase) >= len(purchases):
			return nil, fmt.Errorf("hold: stored line has purchase type %d", l.purchase)
		case l.named == namesCatalogItem:
			l.units = r.u16()
		case l.named > namesCatalogItem:
			return nil, fmt.Errorf("hold: stored line names an item of kind %d", l.named)
		default:
			l.units = l.quantity
		}
		if named&keepsComponents != 0 {
			h.lines[i].booked = &bookedKit{r.components()}
		}
		if status&wasChanged != 0 {
			h.lines[i].made = made{base: r.id(), first: r.u32()}
			if h.lines[i].first == 0 {
				return nil, fmt.Errorf("hold: stored line %d says not which units it has", i)
			}
		}
	}
	if h.note = r.text(); status&isForOne != 0 {
		h.customer = r.id()
	}
	return h, r.done("hold")
}

// keyedHold is a hold's dense row with its id.
type keyedHold struct {
	id  ID
	row holdRow
}

// holdRows are hold records as they are read at start-up.
type holdRows struct {
	rows chunks[keyedHold]
	more []*holdMore
}

var holdBulk = registerPlace[holdRows]()

// loadHolds puts hold records in place. They refer to nothing, so they are put in order while other rows are put in place.
func loadHolds(of []*accountLoader) (finish func(a *account) error) {
	lists := make([]chunks[keyedHold], len(of))
	for i, l := range of {
		x := holdBulk.on(&l.bulk)
		lists[i], x.rows = x.rows, chunks[keyedHold]{}
	}
	var work sync.WaitGroup
	var rows *timeline.ByID[holdRow]
	inOrder := false
	work.Go(func() {
		loader := timeline.NewByIDLoader[holdRow]()
		merge(lists, func(h *keyedHold) ID { return h.id }, func(run []keyedHold) {
			for i := range run {
				loader.Add(run[i].id, run[i].row)
			}
		})
		rows, inOrder = loader.Finish()
	})
	return func(a *account) error {
		for _, l := range of {
			x := holdBulk.on(&l.bulk)
			for _, m := range x.more {
				a.holds().putMore(m)
			}
			*x = holdRows{}
		}
		if work.Wait(); !inOrder {
			return errors.New("hold records are out of order")
		}
		a.holds().rows = rows
		return nil
	}
}

func init() { registerFollower(follower{check: checkHolds}) }

// checkHolds holds the records against the timelines.
func checkHolds(a *account) (due int, err error) {
	for r := range holdKind.all(a) {
		if r.due != 0 {
			due++
		}
		for i, id := range r.each() {
			h, _, ok := a.stock.Find(id)
			its := ok && h.Flags.Blocker() == timeline.BlockerHold && a.ownerOf(h) == r.id && int(h.Line) == i
			if its == r.status.Ended() {
				return 0, fmt.Errorf("hold %s is %s, its unit %s is there: %t", r.id, r.status, id, its)
			}
		}
	}
	return due, nil
}

func init() { registerReferrers(referrer{"hold", holdsNaming}) }

// holdsNaming counts the holds that are not over and ask for something, all of them made after it was, or are for somebody.
func holdsNaming(a *account, id ID, now int64) (n int) {
	if a.customers().Get(id) != nil {
		for m := range a.holds().more.By(holdByCustomer, string(id[:])) {
			if r := a.holds().get(m.id); !r.status.Ended() && slices.ContainsFunc(r.lines, func(l holdLine) bool { return l.to > now }) {
				n++
			}
		}
		return n
	}
	if i := a.catalog().Get(id); i != nil {
		return a.holdsOf(id, now, func(x *holdLine) bool { return x.named == namesCatalogItem && x.item == i.No })
	}
	if l := a.locations().Get(id); l != nil {
		return a.holdsOf(id, now, func(x *holdLine) bool { return x.location == l.No || x.back == l.No })
	}
	if s := a.skus().Get(id); s != nil {
		return a.holdsOf(id, now, func(x *holdLine) bool { return x.named == namesSKU && x.item == s.No || x.takes(Item{SKU: id}) })
	}
	if r := a.articles().Get(id); r != nil {
		return a.holdsOf(id, now, func(x *holdLine) bool { return x.named == namesArticle && x.item == r.No || x.takes(Item{Article: id}) })
	}
	return 0
}

// holdsOf counts the holds that are not over and ask for something: all of them made after it was. It looks at each,
// at 20 ms a million, as a removal is rare and a count kept with every hold would be dear.
func (a *account) holdsOf(made ID, now int64, names func(l *holdLine) bool) (n int) {
	var first holdLine
	for id, row := range a.holds().rows.From(made) {
		if row.status.Ended() {
			continue
		}
		first.denseLine, first.back, first.booked = row.first, 0, nil
		var more []holdLine
		if row.more {
			m := a.holds().more.Get(id)
			first.back, first.booked, more = m.back, m.booked, m.lines
		}
		found := first.to > now && names(&first)
		if !found {
			for i := range more {
				found = found || more[i].to > now && names(&more[i])
			}
		}
		if found {
			n++
		}
	}
	return n
}
