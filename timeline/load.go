package timeline

// This file owns loading: a whole Stock from rows in the order of the disk, with counting sorts, dense leaves, and all
// processors.

import (
	"cmp"
	"fmt"
	"slices"
)

// Loader makes a Stock of rows that are known all at once: at start-up, or for a test. It is used by one goroutine at a
// time, and once.
//
//	AddLot, AddSlot    by number, ascending
//	AddHolds           in chunks, by id, ascending: here they are dealt out to the slots' buckets, at about
//	                   50 ns a hold, so that it can overlap with a scan
//	Finish             everything else
//
// One after the other the same rows take Put 3 us each; a comparison sort of all rows by slot and start takes ten times
// as long as the buckets.
type Loader struct {
	edit      *token
	lots      []Lot
	slots     []Slot
	buckets   []loadBucket // by slot number / bucketSlots
	ids       treeBuilder[key, uint32, struct{}, none[key, uint32]]
	conflicts []Placed
	choosy    []idKey
	holds     int
	from      int64 // the least seat start
	to        int64 // the greatest
	parts     int   // of time: the items of the classes are dealt out to them
	err       error
}

// A bucket is so many slots that its rows fit into the cache; its rows lie in chunks.
const (
	bucketSlots = 4096
	bucketChunk = 448
)

type loadBucket struct {
	chunks [][]Placed
	n      int
	items  []classItem
	counts []int32 // items by part
}

// classItem is a seat on its way to its time class.
type classItem struct {
	order uint64 // class, then start since the least start of all: seats are in order by it, then by slot
	end   int64
	slot  SlotNo
	lot   LotNo
}

// classShift puts a class above any start: milliseconds until the year 9999 take 48 bits.
const classShift = 58

func (l *Loader) classItem(seat Span, slot SlotNo, lot LotNo) classItem {
	return classItem{uint64(lengthClass(seat))<<classShift | uint64(seat.Start-l.from), seat.End, slot, lot}
}

func (i *classItem) class() int { return int(i.order >> classShift) }

// since is the seat's start since the least start of all.
func (i *classItem) since() uint64 { return i.order & (1<<classShift - 1) }

// NewLoader makes a Loader.
func NewLoader() *Loader {
	edit := newToken()
	l := &Loader{edit: edit, from: Forever}
	l.ids.edit = edit
	return l
}

// AddLot adds a lot, with its pool.
func (l *Loader) AddLot(lot Lot) { l.lots = append(l.lots, lot) }

// AddSlot adds a slot.
func (l *Loader) AddSlot(slot Slot) { l.slots = append(l.slots, slot) }

// AddHolds adds holds where they are. The chunk is the caller's again when it returns.
func (l *Loader) AddHolds(chunk []Placed) {
	for i := range chunk {
		h := &chunk[i]
		if h.Flags.Has(Choosy) {
			l.choosy = append(l.choosy, idKey{h.Place.Lot, h.ID})
		}
		where := uint32(h.Place.Slot)
		if where == 0 {
			where = uint32(h.Place.Lot) | conflictBit
			l.conflicts = append(l.conflicts, *h)
		} else {
			l.deal(h)
		}
		l.ids.add(h.ID.key(), where)
	}
	l.holds += len(chunk)
}

func (l *Loader) deal(h *Placed) {
	b := int(h.Place.Slot / bucketSlots)
	if b >= len(l.buckets) {
		l.buckets = append(l.buckets, make([]loadBucket, b+1-len(l.buckets))...)
	}
	bucket := &l.buckets[b]
	last := len(bucket.chunks) - 1
	if bucket.n%bucketChunk == 0 {
		bucket.chunks = append(bucket.chunks, make([]Placed, 0, bucketChunk))
		last++
	}
	bucket.chunks[last] = append(bucket.chunks[last], *h)
	bucket.n++
	start := seatStart(&h.Hold)
	l.from, l.to = min(l.from, start), max(l.to, start)
}

// fail keeps the first fault.
func (l *Loader) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("timeline: "+format, args...)
	}
}

// Finish makes the Stock. It fails where the rows break an invariant of the package, or do not come in order.
func (l *Loader) Finish() (*Stock, error) {
	s := newStock(l.edit)
	l.parts = min(maxParts, l.holds/partItems+1)
	l.loadLots(s)
	l.loadSlots(s)
	var ok bool
	if s.ids, ok = l.ids.tree(); !ok {
		l.fail("holds not in the order of their ids")
	}
	if l.err != nil {
		return nil, l.err
	}
	l.loadRails(s)
	l.loadConflicts(s)
	for _, k := range l.choosy {
		s.choosy.set(s.edit, k)
	}
	if l.err != nil {
		return nil, l.err
	}
	l.loadClasses(s)
	l.loadLarges(s)
	return s, l.err
}

func (l *Loader) loadLots(s *Stock) {
	for i, lot := range l.lots {
		if lot.No == 0 || lot.No >= conflictBit || i > 0 && lot.No <= l.lots[i-1].No {
			l.fail("lot %d not in order", lot.No)
			return
		}
		s.lots.own(s.edit, int(lot.No)).self[0] = lot.No
		s.noteLot(lot.No, lot.Article, lot.Location)
	}
	// A pool's lots are a stretch of one array: a counting sort by pool keeps them ascending.
	pools := make([]int, 0)
	for _, lot := range l.lots {
		if n := int(lot.Pool) + 2; n > len(pools) {
			pools = append(pools, make([]int, n-len(pools))...)
		}
		pools[lot.Pool+1]++
	}
	for i := 1; i < len(pools); i++ {
		pools[i] += pools[i-1]
	}
	members := make([]LotNo, len(l.lots))
	for _, lot := range l.lots {
		members[pools[lot.Pool]] = lot.No
		pools[lot.Pool]++
		s.lots.own(s.edit, int(lot.No)).pool = lot.Pool
	}
	for no := 1; no < len(pools)-1; no++ {
		if from, to := pools[no-1], pools[no]; from < to {
			s.pools.own(s.edit, no).lots = members[from:to:to]
		}
	}
}

func (l *Loader) loadSlots(s *Stock) {
	ends := make([]int, s.lots.n+1)
	for i, slot := range l.slots {
		if slot.No == 0 || slot.No >= conflictBit || i > 0 && slot.No <= l.slots[i-1].No || slot.Span.Empty() ||
			s.lot(slot.Lot) == nil {
			l.fail("slot %d of lot %d over %v not in order", slot.No, slot.Lot, slot.Span)
			return
		}
		e := s.slots.own(s.edit, int(slot.No))
		e.id, e.span, e.lot = slot.ID, slot.Span, slot.Lot
		ends[slot.Lot+1]++
		b, j := s.ownBlock(slot.Lot)
		b.units[j]++
		b.from[j], b.until[j] = max(b.from[j], slot.Span.Start), min(b.until[j], slot.Span.End)
		b.all = b.all.Clip(slot.Span)
		s.articles.own(s.edit, int(b.article[j])).units++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	members := make([]SlotNo, len(l.slots))
	for _, slot := range l.slots {
		members[ends[slot.Lot]] = slot.No
		ends[slot.Lot]++
	}
	for _, lot := range l.lots {
		from, to := ends[lot.No-1], ends[lot.No]
		e := s.lots.own(s.edit, int(lot.No))
		e.slots = members[from:to:to]
		e.note()
		if lot.Pool != 0 {
			s.pools.own(s.edit, int(lot.Pool)).slots += int32(to - from)
		}
	}
	for i := range s.pools.n {
		q := s.pools.own(s.edit, i)
		q.few = s.slotsOf(q.lots, q.slots)
	}
	s.slotCount = len(l.slots)

	var byUnits []key
	for i := range s.articles.n {
		if a := s.articles.at(i); a.units > 0 {
			byUnits = append(byUnits, unitsKey(a.units, uint32(i)))
			s.setSingle(uint32(i), s.singleOf(a))
		}
	}
	slices.SortFunc(byUnits, key.compare)
	s.byUnits, _ = build[key, struct{}, struct{}, none[key, struct{}]](s.edit, len(byUnits),
		func(i int) (key, struct{}) { return byUnits[i], struct{}{} })
}

// The bounds of the parts of time. Each costs some hundred bytes, so a merchant with few holds has few: a machine may
// have thousands of such.
const (
	maxParts  = 4096
	partItems = 64 // holds for each part, about
)

// part is the part of time of an item.
func (l *Loader) part(i *classItem) int {
	return int(i.since() / (uint64(l.to-l.from)/uint64(l.parts) + 1))
}

// loadRails makes the rails, bucket by bucket.
func (l *Loader) loadRails(s *Stock) {
	faults := make([]error, len(l.buckets))
	parallel(len(l.buckets), func(i int) { faults[i] = l.loadBucket(s, i) })
	for _, err := range faults {
		if err != nil && l.err == nil {
			l.err = err
		}
	}
}

// loadBucket groups the rows of a bucket by slot, orders each slot's by start, and writes them down as the slot's rail.
func (l *Loader) loadBucket(s *Stock, i int) error {
	b := &l.buckets[i]
	type ref struct {
		start int64
		row   int32
	}
	ends := make([]int32, bucketSlots+1)
	for _, chunk := range b.chunks {
		for j := range chunk {
			ends[chunk[j].Place.Slot%bucketSlots+1]++
		}
	}
	for j := 1; j < len(ends); j++ {
		ends[j] += ends[j-1]
	}
	refs := make([]ref, b.n)
	for c, chunk := range b.chunks {
		for j := range chunk {
			end := &ends[chunk[j].Place.Slot%bucketSlots]
			refs[*end] = ref{seatStart(&chunk[j].Hold), int32(c*bucketChunk + j)}
			*end++
		}
	}
	b.items = make([]classItem, 0, b.n)
	b.counts = make([]int32, l.parts)
	from := int32(0)
	for j, to := range ends[:bucketSlots] {
		if from == to {
			continue
		}
		no := SlotNo(i*bucketSlots + j)
		mine := refs[from:to]
		slices.SortFunc(mine, func(a, b ref) int { return cmp.Compare(a.start, b.start) })
		from = to
		e := s.slot(no)
		if e == nil {
			return fmt.Errorf("timeline: holds on slot %d, which does not exist", no)
		}
		rows := make([]Hold, len(mine))
		free := e.span.Start
		for k, r := range mine {
			h := &b.chunks[r.row/bucketChunk][r.row%bucketChunk]
			rows[k] = h.Hold
			if h.Place.Lot != e.lot || r.start < free || r.start >= h.Span.End {
				return fmt.Errorf("timeline: hold %v of lot %d on slot %d of lot %d over %v is in the way of "+
					"another or outside of it", h.ID, h.Place.Lot, no, e.lot, h.Span)
			}
			e.pins |= h.Flags & mayFix
			free = h.Span.End
			b.items = append(b.items, l.classItem(Span{r.start, free}, no, e.lot))
			b.counts[l.part(&b.items[len(b.items)-1])]++
		}
		if free > e.span.End {
			return fmt.Errorf("timeline: slot %d ends before its holds", no)
		}
		e.rail = newRail(rows)
	}
	b.chunks = nil
	return nil
}

// loadClasses deals the items of all buckets out to parts of time, orders each part by class, start and slot, and
// writes it to where it belongs in the leaves.
func (l *Loader) loadClasses(s *Stock) {
	// A part's items begin where those of the parts and buckets before it end.
	begin := make([]int, l.parts+1)
	for p := range l.parts {
		at := begin[p]
		for i := range l.buckets {
			if counts := l.buckets[i].counts; counts != nil {
				n := int(counts[p])
				counts[p] = int32(at - begin[p])
				at += n
			}
		}
		begin[p+1] = at
	}
	items := make([]classItem, begin[l.parts])
	parallel(len(l.buckets), func(i int) {
		b := &l.buckets[i]
		for j := range b.items {
			p := l.part(&b.items[j])
			items[begin[p]+int(b.counts[p])] = b.items[j]
			b.counts[p]++
		}
		b.items, b.counts = nil, nil
	})
	perClass := make([][classCount]int32, l.parts)
	parallel(l.parts, func(p int) {
		part := items[begin[p]:begin[p+1]]
		slices.SortFunc(part, func(a, b classItem) int {
			if a.order != b.order {
				return cmp.Compare(a.order, b.order)
			}
			return cmp.Compare(a.slot, b.slot)
		})
		for i := range part {
			perClass[p][part[i].class()]++
		}
	})
	var builders [classCount]*treeBuilder[key, int64, struct{}, none[key, int64]]
	for c := range classCount {
		n := int32(0)
		for p := range perClass {
			perClass[p][c], n = n, n+perClass[p][c]
		}
		builders[c] = newBuilder[key, int64, struct{}, none[key, int64]](s.edit, int(n))
	}
	parallel(l.parts, func(p int) {
		for _, item := range items[begin[p]:begin[p+1]] {
			c := item.class()
			builders[c].put(int(perClass[p][c]),
				timeKey(l.from+int64(item.since()), uint32(item.slot), uint32(item.lot)), item.end)
			perClass[p][c]++
		}
	})
	for c, b := range builders {
		s.classes.of[c], _ = b.tree()
	}
}

func (l *Loader) loadConflicts(s *Stock) {
	for _, h := range l.conflicts {
		e := s.lot(h.Place.Lot)
		if e == nil || h.Span.Empty() {
			l.fail("conflict %v over %v of lot %d", h.ID, h.Span, h.Place.Lot)
			return
		}
		e.conflicts++
		if h.claims() {
			e.claims++
		}
		if e.pool != 0 {
			s.pools.own(s.edit, int(e.pool)).conflicts++
		}
	}
	slices.SortFunc(l.conflicts, func(a, b Placed) int {
		if a.Place.Lot != b.Place.Lot {
			return cmp.Compare(a.Place.Lot, b.Place.Lot)
		}
		return a.ID.Compare(b.ID)
	})
	for _, c := range l.conflicts {
		s.conflicts.set(s.edit, c)
	}
}

// loadLarges makes what is kept for large lots and pools.
func (l *Loader) loadLarges(s *Stock) {
	type job struct {
		to   **large
		lots []LotNo
	}
	var jobs []job
	for _, lot := range l.lots {
		if e := s.lot(lot.No); len(e.slots)+int(e.conflicts) > walkMax {
			jobs = append(jobs, job{&e.large, e.self[:]})
		}
	}
	for i := range s.pools.n {
		if e := s.pools.at(i); len(e.lots) > 1 && e.slots+e.conflicts > walkMax {
			jobs = append(jobs, job{&e.large, e.lots})
		}
	}
	parallel(len(jobs), func(i int) { *jobs[i].to = s.newLarge(jobs[i].lots) })
}
