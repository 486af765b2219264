package timeline

// This file owns the drawn scripts of testdata: what is on the slots, what is asked, what comes of it, above each other
// on one ruler.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A case is a paragraph: what there is, what is asked, "----", what comes out. Lines that begin with # are comments.
//
//	now 3
//	lot skates
//	a        |-h!--|.....|-i-->
//	b        ....|-j^--|....../
//	seat k       .|---|
//
// One column is one instant, from 0 at the column behind the names. A slot's row: a dot where it is free, a blank where
// it is not alive, / where it ends for good; a hold from | to |, to > without end, its name a letter behind the first
// |, then ! out with a customer, ^ pinned to the slot, * pinned to the article. A row below "conflict" is a hold
// without a slot. Slots of all lots are one pool.
const scriptNames = 9

type script struct {
	s     *Stock
	now   int64
	lots  []string
	slots []string
	ids   map[string]ID
	width int
}

func (x *script) id(name string) ID {
	if id, ok := x.ids[name]; ok {
		return id
	}
	x.ids[name] = testID(int(name[0]))
	return x.ids[name]
}

// spans reads the holds of a drawn row, and where the row is alive.
func (x *script) spans(t *testing.T, row string) (holds []Hold, alive Span) {
	alive = Span{-1, Forever}
	start, name, flags := -1, "", Flags(0)
	for i := 0; i < len(row); i++ {
		c := row[i]
		if c != ' ' && alive.Start < 0 {
			alive.Start = int64(i)
		}
		switch {
		case c == '|' || c == '>' || c == '/':
			if start >= 0 && name != "" {
				end := int64(i)
				if c == '>' {
					end = Forever
				}
				h := NewHold(x.id(name), Span{int64(start), end}, 0, 0)
				h.Flags = flags
				holds = append(holds, h)
			}
			start, name, flags = -1, "", 0
			if c == '|' && i+1 < len(row) && row[i+1] != '.' && row[i+1] != ' ' {
				start = i
			}
			if c == '/' {
				alive.End = int64(i)
			}
		case c >= 'a' && c <= 'z':
			name = string(c)
		case c == '!':
			flags |= Out
		case c == '^':
			flags |= PinnedSlot
		case c == '*':
			flags |= PinnedArticle
		case c == '.' || c == '-' || c == ' ':
		default:
			t.Fatalf("what is %q in %q?", c, row)
		}
	}
	return holds, alive
}

func (x *script) row(name string, alive Span, holds []Hold) string {
	row := make([]byte, x.width+1)
	for i := range row {
		row[i] = ' '
		if alive.Holds(int64(i)) {
			row[i] = '.'
		}
	}
	for _, h := range holds {
		seat := h.Seat()
		for i := seat.Start; i < min(h.Span.End, int64(len(row))); i++ {
			row[i] = '-'
		}
		label := name1(h.ID)
		for f, c := range []string{"*", "^", "!"} {
			if h.Flags.Has(1 << f) {
				label += c
			}
		}
		at := seat.Start + 1
		if int64(len(label)) < h.Span.End-at-1 {
			at++
		}
		copy(row[at:], label)
		row[seat.Start] = '|'
		if h.Span.Open() {
			row[len(row)-1] = '>'
		} else {
			row[h.Span.End] = '|'
		}
	}
	if !alive.Empty() && !alive.Open() {
		row[alive.End] = '/'
	}
	return strings.TrimRight(fmt.Sprintf("%-*s%s", scriptNames, name, row), " ")
}

func name1(id ID) string { return string(rune(id[15])) }

// draw draws the slots and conflicts.
func (x *script) draw(s *Stock) string {
	var b strings.Builder
	for l, lot := range x.lots {
		no := LotNo(l + 1)
		if len(x.lots) > 1 {
			fmt.Fprintf(&b, "lot %s\n", lot)
		}
		for n := range x.slots {
			if slot, ok := s.Slot(SlotNo(n + 1)); ok && slot.Lot == no {
				fmt.Fprintln(&b, x.row(x.slots[n], slot.Span, slices.Collect(s.Holds(slot.No, Span{0, Forever}))))
			}
		}
		for c := range s.Conflicts(no) {
			fmt.Fprintln(&b, x.row("conflict", Span{}, []Hold{c}))
		}
	}
	return b.String()
}

func (x *script) ref(name string) PoolRef {
	if i := slices.Index(x.lots, name); i >= 0 && len(x.lots) > 1 {
		return LotRef(LotNo(i + 1))
	}
	return SKURef(1)
}

// run reads a paragraph up to "----" and returns what belongs behind it.
func (x *script) run(t *testing.T, lines []string) string {
	x.s, x.ids = New(), map[string]ID{}
	var out strings.Builder
	d := (*Draft)(nil)
	draft := func() *Draft {
		if d == nil {
			d = x.s.Draft(x.now)
		}
		return d
	}
	lot := func() LotNo {
		if len(x.lots) == 0 {
			x.lots = append(x.lots, "")
			x.s.AddLot(1, 1, 1)
			x.s.SetPool(1, 1)
		}
		return LotNo(len(x.lots))
	}
	for _, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		args := strings.Fields(rest)
		drawn := ""
		if len(line) > scriptNames {
			drawn = line[scriptNames:]
		}
		if strings.ContainsAny(drawn, ".|/") && word != "#" {
			x.width = max(x.width, len(drawn))
		}
		number := func(i int) int64 {
			n, err := strconv.ParseInt(args[i], 10, 64)
			require.NoError(t, err, line)
			return n
		}
		switch word {
		case "#":
		case "now":
			x.now = number(0)
		case "lot":
			x.lots = append(x.lots, args[0])
			x.s.AddLot(LotNo(len(x.lots)), uint32(len(x.lots)), 1)
			x.s.SetPool(LotNo(len(x.lots)), 1)
		case "conflict":
			holds, _ := x.spans(t, drawn)
			x.s.Put(holds[0], Place{Lot: lot()})
		case "available": // [lot] |---|
			holds, _ := x.spans(t, strings.Replace(drawn, "|-", "|z", 1))
			p := SKURef(1)
			if len(args) > 1 {
				p = x.ref(args[0])
			}
			a := draft().Stock().Available(p, holds[0].Span, x.now)
			fmt.Fprintf(&out, "%d available of %d, %d committed at %d", a.Available, a.Stock, a.Committed, a.At)
			if !a.Exact {
				out.WriteString(", or more")
			}
			out.WriteString("\n")
		case "seat", "firstfit": // |-k--|, on the article's own pool where the hold is pinned to one: seat lot |-k*--|
			holds, _ := x.spans(t, drawn)
			p := SKURef(1)
			if len(args) > 1 {
				p = x.ref(args[0])
			}
			rule := Exact
			if word == "firstfit" {
				rule = FirstFit
			}
			if _, why := draft().Seat(p, holds[0], rule); why != Granted {
				fmt.Fprintf(&out, "%s: %s\n", name1(holds[0].ID), why)
			}
		case "seaton": // slot |-k^--|
			holds, _ := x.spans(t, strings.Replace(drawn, args[0], " ", 1))
			if _, why := draft().SeatOn(SKURef(1), SlotNo(slices.Index(x.slots, args[0])+1), holds[0]); why != Granted {
				fmt.Fprintf(&out, "%s: %s\n", name1(holds[0].ID), why)
			}
		case "extend": // hold end
			h, _, _ := draft().Find(x.id(args[0]))
			if _, why := draft().Reseat(SKURef(1), h.WithSpan(Span{h.Span.Start, number(1)})); why != Granted {
				fmt.Fprintf(&out, "%s: %s\n", args[0], why)
			}
		case "release":
			h, at, _ := draft().Take(x.id(args[0]))
			r := draft().SeatConflicts(Waiting{Room: []Freed{{at.Lot, h.Span}}}, 1000, nil)
			for _, id := range r.Seated {
				fmt.Fprintf(&out, "%s has a unit now\n", name1(id))
			}
		case "reduce": // [lot] amount at
			no := LotNo(1)
			if len(args) > 2 {
				no = LotNo(slices.Index(x.lots, args[0]) + 1)
				args = args[1:]
			}
			r := draft().Reduce(no, int(number(0)), number(1))
			fmt.Fprintf(&out, "moves %d, lower bound %d", len(r.Moves), r.LowerBound)
			if !r.OK {
				fmt.Fprintf(&out, ", %s", r.Reason)
			}
			out.WriteString("\n")
			if r.Feasible() {
				draft().ApplyReduction(r)
			}
		case "next": // n length not-before
			length := number(1)
			shape := Shape{Pool: SKURef(1), Hull: func(from int64) Span { return Span{from, from + length} }}
			if from, ok := draft().Stock().NextFit([]Shape{shape}, int(number(0)), number(2), 1000, x.now); ok {
				fmt.Fprintf(&out, "from %d\n", from)
			} else {
				out.WriteString("never\n")
			}
		default:
			holds, alive := x.spans(t, drawn)
			no := lot()
			x.slots = append(x.slots, word)
			x.s.PutSlot(Slot{testID(len(x.slots)), SlotNo(len(x.slots)), no, alive})
			for _, h := range holds {
				x.s.Put(h, Place{no, SlotNo(len(x.slots))})
			}
		}
	}
	if d != nil {
		require.NoError(t, d.Stock().Check())
		if c := d.Changes(); len(c.Holds)+len(c.Slots) > 0 {
			out.WriteString(x.draw(d.Stock()))
		}
	}
	return out.String()
}

// HOLDFAST_REWRITE=1 writes what comes out into the scripts; read the difference.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var all []string
			for _, part := range strings.Split(strings.TrimRight(string(text), "\n"), "\n\n") {
				head, want, ok := strings.Cut(part+"\n", "----\n")
				if !ok {
					all = append(all, part)
					continue
				}
				got := (&script{}).run(t, strings.Split(strings.TrimRight(head, "\n"), "\n"))
				if os.Getenv("HOLDFAST_REWRITE") == "" {
					require.Equal(t, want, got, "%s", head)
				}
				all = append(all, head+"----\n"+strings.TrimRight(got, "\n"))
			}
			if os.Getenv("HOLDFAST_REWRITE") != "" {
				require.NoError(t, os.WriteFile(file, []byte(strings.Join(all, "\n\n")+"\n"), 0o644))
			}
		})
	}
}
