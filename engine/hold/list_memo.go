package hold

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns the memos of holds: what readers note of a section of the rows, so that those that pass a filter are
// counted, and found, without a look at them. The writer has no part in it: a hold costs it as much as without memos,
// and a section that no reader asked for has no memo. BenchmarkListHolds prints what one takes.

// HoldMemo says of a section which of its lines have what. Lines have numbers: that of a row's first line is the row's
// place; the other lines have numbers after all of those.
type HoldMemo struct {
	rows   int
	Owners []uint16 // the places of the rows of those lines that are not the first of theirs

	count  [Ordered + 1]int // rows by status
	status [Ordered + 1]timeline.Bits
	items  [base.NamesCatalogItem + 1]linesByNumber // by the kind of what is named
	places linesByNumber
	begins linesByMinute
	ends   linesByMinute // by their last instants

	noted timeline.Bits // rows with a note; nil: none
	words atomic.Pointer[rowsByWord]
}

// linesByNumber is lines by what they name.
type linesByNumber struct {
	numbers []uint32
	until   []uint16 // how many lines there are up to those of a number
	lines   []uint16
}

// of are the lines that name a number.
func (x *linesByNumber) of(no uint32) []uint16 {
	i, ok := slices.BinarySearch(x.numbers, no)
	switch {
	case !ok:
		return nil
	case i == 0:
		return x.lines[:x.until[0]]
	}
	return x.lines[x.until[i-1]:x.until[i]]
}

// linesByMinute is lines in order of an instant, by the minute that it is in.
type linesByMinute struct {
	minutes []uint32
	lines   []uint16
}

// minuteOf is the minute that an instant is in, and whether it begins it.
func minuteOf(t int64) (minute uint32, whole bool) {
	m := min(max(t, 0)/60_000, math.MaxUint32)
	return uint32(m), m*60_000 == t
}

// before says which of the lines have an instant before t: those in front of sure, and perhaps some of those from
// there on up to open, whose instants are in the minute of t. Most that is asked begins a minute, and there is
// nothing open.
func (x *linesByMinute) before(t int64) (sure, open int) {
	minute, whole := minuteOf(t)
	sure, _ = slices.BinarySearch(x.minutes, minute)
	for open = sure; !whole && open < len(x.minutes) && x.minutes[open] == minute; {
		open++
	}
	return sure, open
}

// rowsByWord is places of rows by words of their notes.
type rowsByWord struct {
	words []string
	until []int // how many places there are up to those of a word
	rows  []uint16
}

// from are the places of those with a word that begins so; one may be there several times.
func (x *rowsByWord) from(start string) []uint16 {
	i, _ := slices.BinarySearch(x.words, start)
	first, last := 0, 0
	if i > 0 {
		first = x.until[i-1]
	}
	for last = first; i < len(x.words) && strings.HasPrefix(x.words[i], start); i++ {
		last = x.until[i]
	}
	return x.rows[first:last]
}

// metHolds is the memo of a section that one reader has gone through. The next reader replaces it by a HoldMemo.
type metHolds struct{}

// memoOf is the memo of a section; nil: it is to be gone through.
func (l *holdListing) memoOf(s timeline.Section[holdRow]) *HoldMemo {
	switch memo := s.Memo().(type) {
	case nil:
		s.Note(metHolds{})
	case metHolds:
		made := l.makeMemo(s)
		s.Note(made)
		return made
	case *HoldMemo:
		return memo
	}
	return nil
}

// holdMemoMaker is where memos are made.
type holdMemoMaker struct {
	items                       [base.NamesCatalogItem + 1]keyedLines
	places, begins, ends, spare keyedLines
}

// makeMemo makes the memo of a section; nil where it has more lines than two bytes can tell apart.
func (l *holdListing) makeMemo(s timeline.Section[holdRow]) *HoldMemo {
	if l.maker == nil {
		l.maker = new(holdMemoMaker)
	}
	x := l.maker
	for i := range x.items {
		x.items[i].clear()
	}
	x.places.clear()
	x.begins.clear()
	x.ends.clear()
	line := 0
	add := func(l *DenseLine) {
		x.items[l.Named].add(l.Item, line)
		x.places.add(l.Location, line)
		from, _ := minuteOf(l.From)
		x.begins.add(from, line)
		last, _ := minuteOf(l.last())
		x.ends.add(last, line)
		line++
	}
	memo := &HoldMemo{rows: s.Len()}
	type further struct {
		lines []LineRow
		of    int
	}
	var more []further
	lines := memo.rows
	for id, row := range s.All() {
		at := line
		add(&row.first)
		if memo.status[row.status] == nil {
			memo.status[row.status] = make(timeline.Bits, (memo.rows+63)/64)
		}
		memo.status[row.status].Add(uint32(at))
		memo.count[row.status]++
		if row.noted {
			if memo.noted == nil {
				memo.noted = make(timeline.Bits, (memo.rows+63)/64)
			}
			memo.noted.Add(uint32(at))
		}
		if row.further {
			more = append(more, further{Holds(l.a).More.Get(id).lines, at})
			lines += len(more[len(more)-1].lines)
		}
	}
	if lines > math.MaxUint16 {
		return nil
	}
	if len(more) > 0 {
		memo.Owners = make([]uint16, 0, lines-memo.rows)
	}
	for _, f := range more {
		for i := range f.lines {
			add(&f.lines[i].DenseLine)
			memo.Owners = append(memo.Owners, uint16(f.of))
		}
	}
	for i := range x.items {
		memo.items[i] = x.byNumber(&x.items[i])
	}
	memo.places = x.byNumber(&x.places)
	memo.begins, memo.ends = x.byMinute(&x.begins), x.byMinute(&x.ends)
	return memo
}

// byNumber makes the index of lines with their numbers.
func (x *holdMemoMaker) byNumber(list *keyedLines) (by linesByNumber) {
	list.sort(&x.spare)
	n := 0
	for i, key := range list.keys {
		if i == 0 || key != list.keys[i-1] {
			n++
		}
	}
	both := make([]uint16, n+len(list.lines))
	by = linesByNumber{numbers: make([]uint32, n), until: both[:n:n], lines: both[n:]}
	copy(by.lines, list.lines)
	n = 0
	for i, key := range list.keys {
		if i == 0 || key != list.keys[i-1] {
			by.numbers[n] = key
			n++
		}
		by.until[n-1] = uint16(i + 1)
	}
	return by
}

// byMinute makes the index of lines with their minutes.
func (x *holdMemoMaker) byMinute(list *keyedLines) linesByMinute {
	list.sort(&x.spare)
	return linesByMinute{slices.Clone(list.keys), slices.Clone(list.lines)}
}

// keyedLines is lines, or rows, each with a key.
type keyedLines struct {
	keys  []uint32
	lines []uint16
}

func (x *keyedLines) clear() { x.keys, x.lines = x.keys[:0], x.lines[:0] }

func (x *keyedLines) add(key uint32, line int) {
	x.keys, x.lines = append(x.keys, key), append(x.lines, uint16(line))
}

// sort puts them in order, equal ones as they are: by some bits of their keys after the others, from the last to the
// first, but those in which none differ. That takes a tenth of what a sort by comparing does, and a memo is made of
// some 2,000 rows for one that was changed.
func (x *keyedLines) sort(spare *keyedLines) {
	n := len(x.keys)
	if n == 0 {
		return
	}
	differ := uint32(0)
	for _, key := range x.keys {
		differ |= key ^ x.keys[0]
	}
	spare.keys, spare.lines = slices.Grow(spare.keys[:0], n)[:n], slices.Grow(spare.lines[:0], n)[:n]
	const some = 11
	for shift := 0; differ>>shift != 0; shift += some {
		if differ>>shift%(1<<some) == 0 {
			continue
		}
		var at [1 << some]uint16
		for _, key := range x.keys {
			at[key>>shift%(1<<some)]++
		}
		sum := uint16(0)
		for b, m := range at {
			at[b], sum = sum, sum+m
		}
		for i, key := range x.keys {
			to := &at[key>>shift%(1<<some)]
			spare.keys[*to], spare.lines[*to] = key, x.lines[i]
			*to++
		}
		*x, *spare = *spare, *x
	}
}

// wordsOfMemo are the words of a section's notes.
func (l *holdListing) wordsOfMemo(s timeline.Section[holdRow], memo *HoldMemo) *rowsByWord {
	if words := memo.words.Load(); words != nil {
		return words
	}
	found := map[string][]uint16{}
	for at := range memo.noted.All() {
		id, _ := s.At(int(at))
		base.EachWord(Holds(l.a).More.Get(id).note, func(w string) bool {
			found[w] = append(found[w], uint16(at))
			return true
		})
	}
	words := &rowsByWord{words: slices.Sorted(maps.Keys(found))}
	for _, w := range words.words {
		words.rows = append(words.rows, found[w]...)
		words.until = append(words.until, len(words.rows))
	}
	words.rows, words.until = slices.Clip(words.rows), slices.Clip(words.until)
	memo.words.Store(words)
	return words
}

// fewHolds is how many of a section are judged one by one, where the others would have to be taken out of all.
const fewHolds = 8

// count is how many rows of a section pass, where its memo can tell without a look at which they are.
func (l *holdListing) count(memo *HoldMemo) (n int, ok bool) {
	if memo == nil {
		return 0, false
	}
	for s, asked := range l.status {
		if asked {
			n += memo.count[s]
		}
	}
	switch {
	case n == 0 || l.words != nil && memo.noted == nil:
		return 0, true
	case l.words != nil:
		return 0, false
	}
	asked := 0
	if n < memo.rows {
		asked++
	}
	lead, listed := l.lead(memo)
	if listed {
		if len(lead) == 0 {
			return 0, true
		}
		asked, n = asked+len(l.items), len(lead)
		if l.location != 0 {
			asked++
		}
	}
	if l.Window != nil {
		late, lateOpen := memo.begins.before(l.window.End)
		past, pastOpen := memo.ends.before(l.window.Start)
		if late < lateOpen || past < pastOpen {
			return 0, false
		}
		if rows := late - past; rows < len(memo.begins.lines) { // what ends before it begins before it, too
			asked, n = asked+1, rows
		}
		if n == 0 {
			return 0, true
		}
	}
	return n, asked == 0 || asked == 1 && (len(memo.Owners) == 0 || !listed && l.Window == nil)
}

// lead is the shortest list that all lines are in which pass; listed is false where there is none.
func (l *holdListing) lead(memo *HoldMemo) (lead []uint16, listed bool) {
	for list := range l.lists(memo) {
		if !listed || len(list) < len(lead) {
			lead, listed = list, true
		}
	}
	return lead, listed
}

// lists yields the lines that have what is asked for, by each filter that has a list of them.
func (l *holdListing) lists(memo *HoldMemo) func(yield func(lines []uint16) bool) {
	return func(yield func(lines []uint16) bool) {
		for i := range l.items {
			if !yield(memo.items[l.items[i].Named].of(l.items[i].Item)) {
				return
			}
		}
		if l.location != 0 {
			yield(memo.places.of(l.location))
		}
	}
}

// empty is a set with room for so many, in place of what was in it.
func empty(b *timeline.Bits, n int) timeline.Bits {
	if n = (n + 63) / 64; cap(*b) < n {
		*b = make(timeline.Bits, n)
	}
	*b = (*b)[:n]
	clear(*b)
	return *b
}

// found are the places of a section's rows that pass.
func (l *holdListing) found(s timeline.Section[holdRow], memo *HoldMemo) timeline.Bits {
	if memo == nil {
		in, at := empty(&l.in, s.Len()), uint32(0)
		for id, row := range s.All() {
			if l.Judge(id, row) {
				in.Add(at)
			}
			at++
		}
		return in
	}
	in := l.foundLines(s, memo)
	for line, rows := uint32(memo.rows), len(memo.Owners); rows > 0; line, rows = line+1, rows-1 {
		if in.Has(line) {
			in.Add(uint32(memo.Owners[int(line)-memo.rows]))
			in.Remove(line)
		}
	}
	in = in[:(memo.rows+63)/64]
	if l.Status != nil {
		with := empty(&l.with, memo.rows)
		for status, asked := range l.status {
			for i, word := range memo.status[status] {
				if asked {
					with[i] |= word
				}
			}
		}
		in.Intersect(with)
	}
	if l.words != nil {
		l.keepNoted(s, memo, in)
	}
	return in
}

// foundLines are the lines that meet what is asked of lines.
func (l *holdListing) foundLines(s timeline.Section[holdRow], memo *HoldMemo) timeline.Bits {
	n := memo.rows + len(memo.Owners)
	in := empty(&l.in, n)
	lead, listed := l.lead(memo)
	switch {
	case listed && len(lead) <= fewHolds:
		for _, line := range lead {
			if l.judgeLine(l.lineAt(s, memo, uint32(line))) {
				in.Add(uint32(line))
			}
		}
		return in
	case listed:
		for _, line := range lead {
			in.Add(uint32(line))
		}
		for list := range l.lists(memo) {
			if len(list) == len(lead) && &list[0] == &lead[0] {
				continue
			}
			with := empty(&l.with, n)
			for _, line := range list {
				with.Add(uint32(line))
			}
			in.Intersect(with)
		}
	default:
		for i := range in {
			in[i] = math.MaxUint64
		}
		if n%64 != 0 {
			in[len(in)-1] = 1<<(n%64) - 1
		}
	}
	if l.Window != nil {
		late, lateOpen := memo.begins.before(l.window.End)
		past, pastOpen := memo.ends.before(l.window.Start)
		for _, line := range memo.begins.lines[lateOpen:] {
			in.Remove(uint32(line))
		}
		for _, line := range memo.ends.lines[:past] {
			in.Remove(uint32(line))
		}
		for _, open := range [...][]uint16{memo.begins.lines[late:lateOpen], memo.ends.lines[past:pastOpen]} {
			for _, line := range open {
				if in.Has(uint32(line)) && !l.judgeLine(l.lineAt(s, memo, uint32(line))) {
					in.Remove(uint32(line))
				}
			}
		}
	}
	return in
}

// lineAt is a line by its number.
func (l *holdListing) lineAt(s timeline.Section[holdRow], memo *HoldMemo, line uint32) *DenseLine {
	if int(line) < memo.rows {
		_, row := s.At(int(line))
		return &row.first
	}
	i := int(line) - memo.rows
	first := i
	for first > 0 && memo.Owners[first-1] == memo.Owners[i] {
		first--
	}
	id, _ := s.At(int(memo.Owners[i]))
	return &Holds(l.a).More.Get(id).lines[i-first].DenseLine
}

// keepNoted takes out the rows whose notes have not the words that are asked for.
func (l *holdListing) keepNoted(s timeline.Section[holdRow], memo *HoldMemo, in timeline.Bits) {
	if memo.noted == nil {
		clear(in)
		return
	}
	in.Intersect(memo.noted)
	if in.Count() > fewHolds {
		words := l.wordsOfMemo(s, memo)
		for _, w := range l.words {
			with := empty(&l.with, memo.rows)
			for _, at := range words.from(w) {
				with.Add(uint32(at))
			}
			in.Intersect(with)
		}
		return
	}
	for at := range in.All() {
		if id, _ := s.At(int(at)); !l.judgeNote(id) {
			in.Remove(at)
		}
	}
}
