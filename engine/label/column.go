package label

import (
	"math/bits"
	"slices"
	"strings"

	"holdfast/engine/base"
)

// This file owns columns: what the rows of a table have in one field, side by side, and a judge's pass over them.
//
// A pass reads 64 rows as a column, and 64 columns together. So many rows are judged in one step of a few words, most
// of them without a look at what they have: ids are found by the rows that have them, and of texts there is a note of
// the pairs of bytes that are in them.

// ColumnRows is how many rows a column has, and how many columns are read together.
const ColumnRows = 64

// Column is one field of some rows. It never changes.
type Column struct {
	some  uint64            // rows with a fact
	of    [ColumnRows]uint8 // by row: the number of its fact in facts
	facts []Fact            // those that several rows have stand there once, where that is cheap
	rows  []uint64          // by fact: the rows that have it, a bit each
	ids   []idRows          // those of the facts
	texts *columnTexts      // those of the facts; nil: there are none
}

// idRows is an id and the rows that have it.
type idRows struct {
	id   base.ID
	rows uint64
}

const (
	// shared is how many facts, or ids, of a column are compared with one more, to have equal ones stand there once.
	shared = 16
	// fewIDs is how many ids columns have together that are judged once for all of them.
	fewIDs = 32
)

// columnTexts are the texts of a column.
type columnTexts struct {
	all   string               // one after the other
	of    [ColumnRows]textSpan // by row: where its text is in all; nothing: its fact says
	pairs [pairKinds]uint64    // by two bytes in a row, as pairOf has them: the rows whose texts have such
}

type textSpan struct{ start, end uint32 }

// pairKinds is how many kinds of pairs of bytes there are: a name of 25 letters has about one kind in six.
const pairKinds = 128

// pairOf is the kind of the bytes at i-1 and i.
func pairOf(s string, i int) uint8 { return (s[i-1]*37 ^ s[i]) % pairKinds }

// MakeColumn makes a column of what each row has; one that has nothing is neither there nor void.
func MakeColumn(get func(row int) Fact) *Column {
	c := new(Column)
	for i := range ColumnRows {
		f := get(i)
		if !f.Has && !f.Void {
			continue
		}
		at := slices.IndexFunc(c.facts[:min(len(c.facts), shared)], func(g Fact) bool { return g.Equal(&f) })
		if at < 0 {
			at = len(c.facts)
			c.facts, c.rows = append(c.facts, f), append(c.rows, 0)
		}
		c.of[i] = uint8(at)
		c.rows[at] |= 1 << i
		c.some |= 1 << i
	}
	c.facts, c.rows = slices.Clip(c.facts), slices.Clip(c.rows)
	c.packIDs()
	c.packTexts()
	return c
}

// packIDs notes which rows have each id.
func (c *Column) packIDs() {
	for n, f := range c.facts {
		for _, id := range f.Ids {
			at := slices.IndexFunc(c.ids[:min(len(c.ids), shared)], func(x idRows) bool { return x.id == id })
			if at < 0 {
				at = len(c.ids)
				c.ids = append(c.ids, idRows{id: id})
			}
			c.ids[at].rows |= c.rows[n]
		}
	}
	c.ids = slices.Clip(c.ids)
}

// packTexts puts the texts side by side, as a pass looks at one after the other, and notes where each row's is, and
// which pairs of bytes are in it.
func (c *Column) packTexts() {
	var all strings.Builder
	var texts []string
	for _, f := range c.facts {
		texts = append(texts, f.Texts...)
		for _, s := range f.Texts {
			all.WriteString(s)
		}
	}
	if len(texts) == 0 {
		return
	}
	c.texts = &columnTexts{all: all.String()}
	texts = slices.Clip(texts)
	start := 0
	for n := range c.facts {
		f := &c.facts[n]
		f.Texts, texts = texts[:len(f.Texts):len(f.Texts)], texts[len(f.Texts):]
		for i, s := range f.Texts {
			end := start + len(s)
			f.Texts[i] = c.texts.all[start:end]
			for j := 1; j < len(s); j++ {
				c.texts.pairs[pairOf(s, j)] |= c.rows[n]
			}
			if rows := c.rows[n]; len(f.Texts) == 1 && rows&(rows-1) == 0 {
				c.texts.of[bits.TrailingZeros64(rows)] = textSpan{uint32(start), uint32(end)}
			}
			start = end
		}
	}
}

// Columns are 64 columns in a row, nil where there are no rows. They never change.
type Columns struct {
	of   [ColumnRows]*Column
	some Rows // by column: the rows with a fact
	wide int  // how many there are, up to the last one with texts
	// by kind of pair, by each of these columns: the rows whose texts have such
	pairs []uint64
	ids   []idColumns // of all columns; nil: there are more than a few
}

// idColumns is an id and the rows that have it.
type idColumns struct {
	id   base.ID
	rows Rows
}

// MakeColumns puts columns side by side.
func MakeColumns(get func(i int) *Column) *Columns {
	cs := new(Columns)
	for i := range cs.of {
		if c := get(i); c != nil {
			cs.of[i], cs.some[i] = c, c.some
			if c.texts != nil {
				cs.wide = i + 1
			}
		}
	}
	cs.pairs = make([]uint64, pairKinds*cs.wide)
	for i, c := range cs.of[:cs.wide] {
		if c != nil && c.texts != nil {
			for kind, rows := range c.texts.pairs {
				cs.pairs[kind*cs.wide+i] = rows
			}
		}
	}
	cs.ids = cs.mergedIDs()
	return cs
}

// mergedIDs is what ids is to be.
func (cs *Columns) mergedIDs() []idColumns {
	ids := []idColumns{}
	for i, c := range cs.of {
		if c == nil {
			continue
		}
		for _, x := range c.ids {
			at := slices.IndexFunc(ids, func(y idColumns) bool { return x.id == y.id })
			if at < 0 {
				if at = len(ids); at == fewIDs {
					return nil
				}
				ids = append(ids, idColumns{id: x.id})
			}
			ids[at].rows[i] |= x.rows
		}
	}
	return slices.Clip(ids)
}

// Row is the fact of the i-th of all rows, nil if it has none.
func (cs *Columns) Row(i int) *Fact {
	c, i := i/ColumnRows, i%ColumnRows
	if cs.some[c]>>i&1 == 0 {
		return nil
	}
	return &cs.of[c].facts[cs.of[c].of[i]]
}

// EachFact visits the facts of some rows of the i-th column, each with those of the rows that have it, and returns the
// rows that have none.
func (cs *Columns) EachFact(i int, among uint64, visit func(f *Fact, rows uint64)) (without uint64) {
	if among&cs.some[i] != 0 {
		c := cs.of[i]
		for n, rows := range c.rows {
			if rows &= among; rows != 0 {
				visit(&c.facts[n], rows)
			}
		}
	}
	return among &^ cs.some[i]
}

// Rows are rows of 64 columns, a bit each.
type Rows [ColumnRows]uint64

// Columns judges some rows of columns: those that pass, and those that fail. The others have no value.
func (j *Judge) Columns(cs *Columns, among *Rows) (pass, fail Rows) {
	switch {
	case j.text != nil:
		pass = cs.holding(j, among)
		for i := range fail {
			fail[i] = among[i] & cs.some[i] &^ pass[i]
		}
	case j.wants != nil:
		pass, fail = cs.chosen(j, among)
	default:
		for i, c := range cs.of {
			if rows := among[i] & cs.some[i]; rows != 0 {
				pass[i], fail[i] = c.judged(j, rows)
			}
		}
		return pass, fail
	}
	if j.negated {
		return fail, pass
	}
	return pass, fail
}

// holding is the rows among some of which a text passes the judge's test.
func (cs *Columns) holding(j *Judge, among *Rows) (held Rows) {
	may := cs.having(j.needles)
	var batch textBatch
	for i, c := range cs.of[:cs.wide] {
		rows := among[i] & may[i]
		if rows == 0 || c.texts == nil {
			continue
		}
		for rows != 0 {
			row := bits.TrailingZeros64(rows)
			at, n := c.texts.of[row], c.of[row]
			if at.start == at.end {
				if j.holds(&c.facts[n]) {
					held[i] |= c.rows[n] & rows
				}
				rows &^= c.rows[n]
				continue
			}
			if batch.n == len(batch.list) {
				batch.test(j, &held)
			}
			batch.list[batch.n] = rowText{c.texts.all[at.start:at.end], uint8(i), uint8(row)}
			batch.n++
			rows &= rows - 1
		}
	}
	batch.test(j, &held)
	return held
}

// having is the rows that may have one of some texts in theirs, and few others.
func (cs *Columns) having(texts []string) (may Rows) {
	for _, s := range texts {
		rows := cs.some
		for i := 1; i < len(s); i++ {
			kind := int(pairOf(s, i))
			for k, have := range cs.pairs[kind*cs.wide:][:cs.wide] {
				rows[k] &= have
			}
		}
		for k := range rows[:cs.wide] {
			may[k] |= rows[k]
		}
	}
	return may
}

// textBatch are texts to be tested. They are far from each other, so the beginnings of all are read first: then the
// processor waits for them together, and not for one after the other.
type textBatch struct {
	list  [ColumnRows]rowText
	n     int
	first byte // of all, mixed
}

type rowText struct {
	text    string
	of, row uint8
}

func (b *textBatch) test(j *Judge, held *Rows) {
	for i := range b.list[:b.n] {
		b.first ^= b.list[i].text[0]
	}
	for i := range b.list[:b.n] {
		if x := &b.list[i]; j.text(x.text) {
			held[x.of] |= 1 << x.row
		}
	}
	b.n = 0
}

// judged judges some rows, which have facts.
func (c *Column) judged(j *Judge, among uint64) (pass, fail uint64) {
	for among != 0 {
		n := c.of[bits.TrailingZeros64(among)]
		rows := c.rows[n] & among
		among &^= rows
		switch j.Of(&c.facts[n]) {
		case Passed:
			pass |= rows
		case Failed:
			fail |= rows
		}
	}
	return pass, fail
}

// chosen is the rows among some that have an id that is wanted, and the others that have one that is alive. The ids lie
// side by side, and the facts, which are large, need not be read.
func (cs *Columns) chosen(j *Judge, among *Rows) (held, alive Rows) {
	kind := func(id base.ID) *Rows {
		switch {
		case j.wants(id):
			return &held
		case j.Alive == nil || j.Alive(id):
			return &alive
		}
		return nil
	}
	for k := range cs.ids {
		if to := kind(cs.ids[k].id); to != nil {
			for i, rows := range &cs.ids[k].rows {
				to[i] |= rows & among[i]
			}
		}
	}
	for i, c := range cs.of {
		if rows := among[i] & cs.some[i]; cs.ids == nil && rows != 0 {
			for k := range c.ids {
				if x := &c.ids[k]; x.rows&rows != 0 {
					if to := kind(x.id); to != nil {
						to[i] |= x.rows & rows
					}
				}
			}
		}
		alive[i] &^= held[i]
	}
	return held, alive
}
