package hold

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns how hold records are kept: 56 bytes each without a pointer, and a side table for the few that have a
// note, a customer, more than one line, lines of kits, units that come back elsewhere, or lines that were changed.

// HoldStatus is where a hold record is in its life.
type HoldStatus uint8

// A hold that expires is held; one without expiry is confirmed. The other three are ends: the record is kept for 24
// hours.
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

// LineRow is one line of a hold record: what was asked for.
type LineRow struct {
	DenseLine
	back   uint32     // number of the location that its units go to when they end, 0: they stay
	made              // of a line of a hold that was changed
	Booked *BookedKit // what kits were made of; nil: it is of none, or an older program's
}

// made is where the ids of a line's units begin: the n-th of them is that of after(base, first+n).
type made struct {
	base  base.ID // of the change that made them; zero: the hold's own
	first uint32  // 0: they follow those of the line before
}

// DenseLine is the part of a line that lies in the dense rows.
type DenseLine struct {
	From, To       int64
	Item, Location uint32 // numbers of what is named, and of the location
	Quantity       uint16 // asked for
	Units          uint16 // that it takes: of kits, several each
	Named          base.ItemKind
	Purchase       base.Purchase
}

// Goes is the number of the location where units of the line are when they have ended.
func (l *LineRow) Goes() uint32 { return cmp.Or(l.back, l.Location) }

// HoldRecord is a hold record's row. Its units are the unavailabilities whose ids follow its own: the n-th is after(id,
// n). Those that a change made follow an id of its own.
type HoldRecord struct {
	ID     base.ID
	Due    int64 // expiry of a held one, instant at which an ended one is forgotten; 0: never
	Status HoldStatus
	Note   string
	Lines  []LineRow

	Customer base.ID // the customer that it is for; zero: none
}

// units is the number of unavailabilities that the record was made with.
func (r *HoldRecord) units() (n int) {
	for _, l := range r.Lines {
		n += int(l.Units)
	}
	return n
}

// each yields the ids of the record's units with their lines, in order.
func (r *HoldRecord) each() iter.Seq2[int, base.ID] {
	return func(yield func(int, base.ID) bool) {
		next := uint64(1)
		for i := range r.Lines {
			proto, first := r.Lines[i].Begin(r.ID, next)
			for n := range uint64(r.Lines[i].Units) {
				if !yield(i, base.After(proto, first+n)) {
					return
				}
			}
			next = first + uint64(r.Lines[i].Units)
		}
	}
}

// Begin is the id that the ids of a line's units follow, and the distance of the first of them: as the line's last
// change says, or after those of the line before.
func (l *LineRow) Begin(hold base.ID, next uint64) (proto base.ID, first uint64) {
	switch {
	case l.first == 0:
		return hold, next
	case l.base == base.ID{}:
		return hold, uint64(l.first)
	}
	return l.base, uint64(l.first)
}

// first is the distance at which the first unit of a line follows its base.
func (r *HoldRecord) first(line int) uint64 {
	if n := r.Lines[line].first; n != 0 {
		return uint64(n)
	}
	n := uint64(1)
	for _, before := range r.Lines[:line] {
		n += uint64(before.Units)
	}
	return n
}

// lineOf is the line that a unit is of, and at which distance from its base that line begins; -1: of none. The unit's
// own number of its line does not say it while a command changes lines: units have the new numbers then, and the record
// the old lines.
func (r *HoldRecord) lineOf(h timeline.Hold) (line int, first uint64) {
	next := uint64(1)
	for i := range r.Lines {
		proto, first := r.Lines[i].Begin(r.ID, next)
		next = first + uint64(r.Lines[i].Units)
		if first <= h.Owner && h.Owner < next && base.After(proto, h.Owner) == h.ID {
			return i, first
		}
	}
	return -1, 0
}

// changed says that the record's lines are not those that it was made with.
func (r *HoldRecord) changed() bool { return len(r.Lines) > 0 && r.Lines[0].first != 0 }

// revision is a hash of what is stored of the record: it keeps no count of its changes. It is never 0.
func (r *HoldRecord) revision() uint64 {
	var few [128]byte
	return max(1, xxhash.Sum64(HoldKind.Encode(few[:0], r)))
}

// holdRow is a record without its id; of one with a note, a customer, several lines, kits or units that come back
// elsewhere it has the first line, and the rest lies outside (holdMore).
type holdRow struct {
	due    int64
	first  DenseLine
	status HoldStatus

	More    bool // something lies outside it
	further bool // lines do
	noted   bool // a note does
}

type holdMore struct {
	id    base.ID
	note  string
	back  uint32    // of the first line
	made  made      // of the first line
	lines []LineRow // all but the first

	booked   *BookedKit // of the first line
	Customer base.ID
}

// holdByCustomer is the index of holds that name a customer.
const holdByCustomer = 0

func (m *holdMore) customerKeys() []string {
	if m.Customer == (base.ID{}) {
		return nil
	}
	return []string{string(m.Customer[:])}
}

// changeOf is a change of a hold that made units.
type changeOf struct{ id, hold base.ID }

type holdStore struct {
	Rows *timeline.ByID[holdRow]
	More *table.Table[holdMore]

	changes *table.Table[changeOf]
}

var holdExtension = base.RegisterExtension(newHoldStore)

// Holds are the holds of an account.
func Holds(a *base.AccountState) *holdStore { return holdExtension.In(a) }

var (
	noMore    = table.New(func(m *holdMore) table.ID { return m.id }, table.By((*holdMore).customerKeys))
	noChanges = table.New(func(c *changeOf) table.ID { return c.id })
)

func newHoldStore() *holdStore {
	return &holdStore{Rows: timeline.NewByID[holdRow](), More: noMore.Like(), changes: noChanges.Like()}
}

// Publish gives a copy that never changes.
func (s *holdStore) Publish() base.Extension {
	return &holdStore{Rows: s.Rows.Publish(), More: s.More.Publish(), changes: s.changes.Publish()}
}

// Get is a hold by its id; nil: there is none.
func (s *holdStore) Get(id base.ID) *HoldRecord {
	row, ok := s.Rows.Get(id)
	if !ok {
		return nil
	}
	return s.full(id, row)
}

func (s *holdStore) full(id base.ID, row holdRow) *HoldRecord {
	r := &HoldRecord{ID: id, Due: row.due, Status: row.status, Lines: []LineRow{{DenseLine: row.first}}}
	if row.More {
		m := s.More.Get(id)
		r.Lines[0].back, r.Lines[0].made, r.Lines[0].Booked = m.back, m.made, m.booked
		r.Note, r.Customer, r.Lines = m.note, m.Customer, append(r.Lines, m.lines...)
	}
	return r
}

// Note is the note of a hold. Most holds have none, so it lies outside the dense rows.
func (s *holdStore) Note(id base.ID) string {
	if s.More.Get(id) != nil {
		if r := s.Get(id); r != nil {
			return r.Note
		}
	}
	return ""
}

func (s *holdStore) put(r *HoldRecord) {
	s.Rows.Put(r.ID, r.row())
	if more := r.more(); more != nil {
		s.putMore(more)
	}
}

func (s *holdStore) putMore(m *holdMore) {
	s.More.Put(m)
	for id := range m.bases() {
		s.changes.Put(&changeOf{id, m.id})
	}
}

// bases are the ids of the changes that made units of the record.
func (m *holdMore) bases() iter.Seq[base.ID] {
	return func(yield func(base.ID) bool) {
		last := m.made.base
		if last != (base.ID{}) && !yield(last) {
			return
		}
		for i := range m.lines {
			if id := m.lines[i].base; id != last && id != (base.ID{}) && !yield(id) {
				return
			}
			last = m.lines[i].base
		}
	}
}

// holding is the id of the record that a unit belongs to.
func holding(a *base.AccountState, h timeline.Hold) base.ID {
	id := stock.RecordOf(a, h)
	if c := Holds(a).changes.Get(id); c != nil {
		return c.hold
	}
	return id
}

// row is the part of a record that lies in the dense rows; the rest does not fit there, and most records have no rest.
func (r *HoldRecord) row() holdRow {
	return holdRow{
		due: r.Due, first: r.Lines[0].DenseLine, status: r.Status,
		More: !r.dense(), further: len(r.Lines) > 1, noted: r.Note != "",
	}
}

func (r *HoldRecord) more() *holdMore {
	if r.dense() {
		return nil
	}
	return &holdMore{r.ID, r.Note, r.Lines[0].back, r.Lines[0].made, r.Lines[1:], r.Lines[0].Booked, r.Customer}
}

// dense says that all of a record is in its dense row.
func (r *HoldRecord) dense() bool {
	return r.Note == "" && r.Customer == base.ID{} && len(r.Lines) == 1 && r.Lines[0].back == 0 &&
		r.Lines[0].Booked == nil && !r.changed()
}

func (s *holdStore) delete(id base.ID) {
	s.Rows.Delete(id)
	if m := s.More.Get(id); m != nil {
		for base := range m.bases() {
			s.changes.Delete(base)
		}
	}
	s.More.Delete(id)
}

var HoldKind = &base.Kind[HoldRecord]{
	Tag:      base.TagHold,
	Name:     "hold",
	Resource: "hold",
	Key:      func(r *HoldRecord) base.ID { return r.ID },
	Weigh:    func(r *HoldRecord) int { return len(EncodeHold(nil, r)) },
	Encode:   EncodeHold,
	Decode:   DecodeHold,
	Scan: func(l *base.AccountLoader, key base.ID, b []byte) error {
		x := holdBulk.On(&l.Bulk)
		r := &x.last
		if err := r.decode(key, b); err != nil {
			return err
		}
		*x.rows.Next() = keyedHold{key, r.row()}
		if more := r.more(); more != nil {
			x.more = append(x.more, more)
			r.Lines = nil // more has them now
		}
		if r.Due != 0 {
			l.Due = append(l.Due, base.DueItem{At: r.Due, ID: key, Tag: base.TagHold})
		}
		return nil
	},
	Bulk: loadHolds,
	Find: func(a *base.AccountState, like *HoldRecord) *HoldRecord { return Holds(a).Get(like.ID) },
	All: func(a *base.AccountState) iter.Seq[*HoldRecord] {
		return func(yield func(*HoldRecord) bool) {
			for id, row := range Holds(a).Rows.From(base.ID{}) {
				if !yield(Holds(a).full(id, row)) {
					return
				}
			}
		}
	},
	Put: func(_ *base.State, a *base.AccountState, before, after *HoldRecord) {
		if before != nil && (after == nil || !before.dense()) {
			Holds(a).delete(before.ID)
		}
		if after != nil {
			Holds(a).put(after)
		}
	},
}

func init() {
	HoldKind.DueAt(func(r *HoldRecord) int64 { return r.Due })
	HoldKind.WhenDue.Do = lapse
}

// returnsElsewhere is a bit in the byte that has the kind of what a line names. It says that the number of the location
// that its units go to follows; rows up to format 5 have none. keepsComponents, in the same byte, says that the
// components of its kits follow; rows up to format 7 have none.
const (
	returnsElsewhere = 0x80
	keepsComponents  = 0x40
)

// wasChanged is a bit in the byte that has the status. It says that each line says which ids its units have; rows up to
// format 6 have none. isForOne, in the same byte, says that the id of a customer follows the note; rows up to format 7
// have none.
const (
	wasChanged = 0x80
	isForOne   = 0x40
)

// EncodeHold appends the row of a hold.
func EncodeHold(dst []byte, r *HoldRecord) []byte {
	status := byte(r.Status)
	if r.changed() {
		status |= wasChanged
	}
	if r.Customer != (base.ID{}) {
		status |= isForOne
	}
	dst = append(dst, base.HotVersion, status)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.Due))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(r.Lines)))
	for _, l := range r.Lines {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(l.From))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(l.To))
		dst = binary.LittleEndian.AppendUint32(dst, l.Item)
		dst = binary.LittleEndian.AppendUint32(dst, l.Location)
		dst = binary.LittleEndian.AppendUint16(dst, l.Quantity)
		named := byte(l.Named)
		if l.back != 0 {
			named |= returnsElsewhere
		}
		if l.Booked != nil {
			named |= keepsComponents
		}
		dst = append(dst, named, byte(l.Purchase)+1)
		if l.back != 0 {
			dst = binary.LittleEndian.AppendUint32(dst, l.back)
		}
		if l.Named == base.NamesCatalogItem {
			dst = binary.LittleEndian.AppendUint16(dst, l.Units)
		}
		if l.Booked != nil {
			dst = appendComponents(dst, l.Booked.Components)
		}
		if r.changed() {
			dst = binary.LittleEndian.AppendUint32(append(dst, l.base[:]...), l.first)
		}
	}
	dst = base.AppendText(dst, r.Note)
	if r.Customer != (base.ID{}) {
		dst = append(dst, r.Customer[:]...)
	}
	return dst
}

// appendComponents appends what one kit takes: its articles and SKUs, each with how many.
func appendComponents(dst []byte, list []commerce.Component) []byte {
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(list)))
	for _, c := range list {
		id := c.SKU
		if c.Article != (base.ID{}) {
			id = c.Article
		}
		dst = append(append(dst, byte(c.Kind())), id[:]...)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(c.Quantity))
	}
	return dst
}

// components reads what appendComponents wrote.
func components(r *base.Reader) []commerce.Component {
	list := make([]commerce.Component, 0, 4)
	for range r.U16() {
		named, id := base.ItemKind(r.U8()), r.ID()
		c := commerce.Component{Item: base.Item{SKU: id}}
		if named == base.NamesArticle {
			c.Item = base.Item{Article: id}
		}
		c.Quantity = int(r.U32())
		list = append(list, c)
	}
	return slices.Clip(list)
}

// DecodeHold reads the row of a hold.
func DecodeHold(_, key base.ID, b []byte) (*HoldRecord, error) {
	h := new(HoldRecord)
	return h, h.decode(key, b)
}

// decode reads the row of a hold into a record, whose lines it uses again.
func (h *HoldRecord) decode(key base.ID, b []byte) error {
	r, err := base.HotReader("hold", b)
	if err != nil {
		return err
	}
	status := r.U8()
	*h = HoldRecord{ID: key, Status: HoldStatus(status &^ (wasChanged | isForOne)), Due: r.I64(), Lines: h.Lines[:0]}
	n := int(r.U16())
	if n == 0 || n > base.MaxLines || h.Status < Held || h.Status > Ordered {
		return fmt.Errorf("hold: stored row has %d lines and status %d", n, h.Status)
	}
	h.Lines = slices.Grow(h.Lines, n)[:n]
	for i := range h.Lines {
		h.Lines[i] = LineRow{DenseLine: DenseLine{From: r.I64(), To: r.I64(), Item: r.U32(), Location: r.U32(),
			Quantity: r.U16()}}
		named := r.U8()
		h.Lines[i].Named, h.Lines[i].Purchase = base.ItemKind(named&^(returnsElsewhere|keepsComponents)),
			base.Purchase(r.U8()-1)
		if named&returnsElsewhere != 0 {
			h.Lines[i].back = r.U32()
		}
		switch l := &h.Lines[i]; {
		case int(l.Purchase) >= len(base.Purchases):
			return fmt.Errorf("hold: stored line has purchase type %d", l.Purchase)
		case l.Named == base.NamesCatalogItem:
			l.Units = r.U16()
		case l.Named > base.NamesCatalogItem:
			return fmt.Errorf("hold: stored line names an item of kind %d", l.Named)
		default:
			l.Units = l.Quantity
		}
		if named&keepsComponents != 0 {
			h.Lines[i].Booked = &BookedKit{components(r)}
		}
		if status&wasChanged != 0 {
			h.Lines[i].made = made{base: r.ID(), first: r.U32()}
			if h.Lines[i].first == 0 {
				return fmt.Errorf("hold: stored line %d does not say which units it has", i)
			}
		}
	}
	if h.Note = r.Text(); status&isForOne != 0 {
		h.Customer = r.ID()
	}
	return r.Done("hold")
}

// keyedHold is a hold's dense row with its id.
type keyedHold struct {
	id  base.ID
	row holdRow
}

// holdRows are hold records as they are read at start-up.
type holdRows struct {
	rows base.Chunks[keyedHold]
	more []*holdMore
	last HoldRecord // that was read last
}

var holdBulk = base.RegisterPlace[holdRows]()

// loadHolds puts hold records in place. They refer to nothing, so they are put in order while other rows are put in
// place.
func loadHolds(of []*base.AccountLoader) (finish func(a *base.AccountState) error) {
	lists := make([]base.Chunks[keyedHold], len(of))
	for i, l := range of {
		x := holdBulk.On(&l.Bulk)
		lists[i], x.rows = x.rows, base.Chunks[keyedHold]{}
	}
	var work sync.WaitGroup
	var rows *timeline.ByID[holdRow]
	inOrder := false
	work.Go(func() {
		loader := timeline.NewByIDLoader[holdRow]()
		base.Merge(lists, func(h *keyedHold) base.ID { return h.id }, func(run []keyedHold) {
			for i := range run {
				loader.Add(run[i].id, run[i].row)
			}
		})
		rows, inOrder = loader.Finish()
	})
	return func(a *base.AccountState) error {
		for _, l := range of {
			x := holdBulk.On(&l.Bulk)
			for _, m := range x.more {
				Holds(a).putMore(m)
			}
			*x = holdRows{}
		}
		if work.Wait(); !inOrder {
			return errors.New("hold records are out of order")
		}
		Holds(a).Rows = rows
		return nil
	}
}

func init() { base.RegisterFollower(base.Follower{Check: checkHolds}) }

// checkHolds holds the records against the timelines.
func checkHolds(a *base.AccountState) error {
	for r := range HoldKind.All(a) {
		for i, id := range r.each() {
			h, _, ok := a.Stock.Find(id)
			its := ok && h.Flags.Blocker() == timeline.BlockerHold && stock.OwnerOf(a, h) == r.ID && int(h.Line) == i
			if its == r.Status.Ended() {
				return fmt.Errorf("hold %s is %s, its unit %s is there: %t", r.ID, r.Status, id, its)
			}
		}
	}
	return nil
}

func init() { base.RegisterReferrers(base.Referrer{Resource: "hold", Count: holdsNaming}) }

// holdsNaming counts the holds that are not over and name a record: they ask for it, return to it, or are for it as
// their customer. All of those that ask for a record were made after it.
func holdsNaming(a *base.AccountState, id base.ID, now int64) (n int) {
	if commerce.CustomerTable(a).Get(id) != nil {
		for m := range Holds(a).More.By(holdByCustomer, string(id[:])) {
			if r := Holds(a).Get(m.id); !r.Status.Ended() &&
				slices.ContainsFunc(r.Lines, func(l LineRow) bool { return l.To > now }) {
				n++
			}
		}
		return n
	}
	if i := commerce.CatalogTable(a).Get(id); i != nil {
		return holdsOf(a, id, now, func(x *LineRow) bool { return x.Named == base.NamesCatalogItem && x.Item == i.No })
	}
	if l := stock.LocationTable(a).Get(id); l != nil {
		return holdsOf(a, id, now, func(x *LineRow) bool { return x.Location == l.No || x.back == l.No })
	}
	if s := stock.SKUTable(a).Get(id); s != nil {
		return holdsOf(a, id, now, func(x *LineRow) bool {
			return x.Named == base.NamesSKU && x.Item == s.No || x.takes(base.Item{SKU: id})
		})
	}
	if r := stock.ArticleTable(a).Get(id); r != nil {
		return holdsOf(a, id, now, func(x *LineRow) bool {
			return x.Named == base.NamesArticle && x.Item == r.No || x.takes(base.Item{Article: id})
		})
	}
	return 0
}

// holdsOf counts the holds that are not over and ask for something: all of them made after it was. It looks at each,
// at 20 ms a million, as a removal is rare and a count kept with every hold would cost more.
func holdsOf(a *base.AccountState, made base.ID, now int64, names func(l *LineRow) bool) (n int) {
	var first LineRow
	for id, row := range Holds(a).Rows.From(made) {
		if row.status.Ended() {
			continue
		}
		first.DenseLine, first.back, first.Booked = row.first, 0, nil
		var more []LineRow
		if row.More {
			m := Holds(a).More.Get(id)
			first.back, first.Booked, more = m.back, m.booked, m.lines
		}
		found := first.To > now && names(&first)
		if !found {
			for i := range more {
				found = found || more[i].To > now && names(&more[i])
			}
		}
		if found {
			n++
		}
	}
	return n
}
