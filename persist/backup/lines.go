package backup

// This file owns what a target holds, and which of it a point needs.

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"holdfast/persist"
)

// Lines lists what a target holds, the line that was begun last at the end. Names that are none of ours are passed
// over. A target may be a line itself.
func Lines(ctx context.Context, t Target) ([]Line, error) {
	list, err := t.List(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	return linesOf(list), nil
}

func linesOf(list []Object) (lines []Line) {
	at := map[string]int{}
	verified := map[string]bool{}
	for _, o := range list {
		dir := path.Dir(o.Name)
		l, ok := parseLine(dir)
		if dir == "." {
			l, ok = Line{}, true
		}
		full, isFull := parseFull(o.Name)
		piece, isPiece := parsePiece(o.Name)
		if !ok || !isFull && !isPiece {
			continue
		}
		i, known := at[dir]
		if !known {
			i, at[dir] = len(lines), len(lines)
			lines = append(lines, l)
		}
		switch {
		case isPiece:
			piece.Size = o.Size
			lines[i].Pieces = append(lines[i].Pieces, piece)
		case full.Verified:
			verified[full.Name] = true
		default:
			full.Size = o.Size
			lines[i].Fulls = append(lines[i].Fulls, full)
		}
	}
	for i := range lines {
		for j := range lines[i].Fulls {
			f := &lines[i].Fulls[j]
			f.Verified = verified[f.Name]
		}
		slices.SortFunc(lines[i].Fulls,
			func(a, b Full) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Made, b.Made)) })
		slices.SortFunc(lines[i].Pieces,
			func(a, b Piece) int { return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last)) })
	}
	slices.SortFunc(lines, func(a, b Line) int { return strings.Compare(a.Name, b.Name) })
	return lines
}

// End is the last record that a line has, and its instant.
func (l Line) End() (p persist.Position) {
	for _, f := range l.Fulls {
		if f.Seq >= p.Seq {
			p = persist.Position{Seq: f.Seq, At: f.At}
		}
	}
	if n := len(l.Pieces); n > 0 && l.Pieces[n-1].Last >= p.Seq {
		p = persist.Position{Seq: l.Pieces[n-1].Last, At: l.Pieces[n-1].At}
	}
	return p
}

// good is the archive of a line that was verified last; none where none was.
func (l Line) good() (f Full, ok bool) {
	for _, g := range l.Fulls {
		if g.Verified {
			f, ok = g, true
		}
	}
	return f, ok
}

// firstGood is the first archive that was verified of a line that has one.
func (l Line) firstGood() Full {
	return l.Fulls[slices.IndexFunc(l.Fulls, func(f Full) bool { return f.Verified })]
}

func (l Line) String() string {
	end := l.End()
	text := fmt.Sprintf("%s (up to record %d, %s", l.Name, end.Seq, readable(end.At))
	if _, ok := l.good(); !ok {
		text += ", no verified archive"
	}
	return text + ")"
}

func readable(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// Newest is the last verified archive of the newest line that has one.
func Newest(lines []Line) (f Full, ok bool) {
	for _, l := range slices.Backward(lines) {
		if f, ok = l.good(); ok {
			break
		}
	}
	return f, ok
}

// written is when something was last put into a line, as far as names tell.
func (l Line) written() int64 {
	last := l.End().At
	for _, f := range l.Fulls {
		last = max(last, f.Made)
	}
	return last
}

// Single says whether the lines with verified archives can be those of one server, which may have been restored: each
// incarnation began after the one before it had ended.
func Single(t Target, lines []Line) error {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { _, ok := l.good(); return !ok })
	for i, l := range lines {
		for _, m := range lines[:i] {
			again := func(n Line) bool { return n.Incarnation == m.Incarnation }
			if m.Incarnation != l.Incarnation && (m.written() > l.Begun || slices.ContainsFunc(lines[i+1:], again)) {
				return fmt.Errorf("%w: %s has backup lines of two servers, or of a copy beside its original: that of "+
					"%s was begun before that of %s had ended. Name the line that is meant: %s/%s, or %s/%s",
					ErrSeveral, t, l, m, t, l.Name, t, m.Name)
			}
		}
	}
	return nil
}

// Plan is what a restore reads.
type Plan struct {
	Line   Line
	Full   Full
	Pieces []Piece
	Behind []Piece // those with records behind the point, also of later lines
	// Before is the plan of the line that ends before the point, where Line begins after it: see Restore.
	Before *Plan
}

// PlanFor chooses a line, in it the newest verified archive at or before the point, and the segments from there to the
// point. A point before the first archive is left to what the log in that archive can undo.
//
// The line is the newest one that had begun by then; for a sequence, which another incarnation may have given to
// another record, one of the newest incarnation. Where it ends before the point, the log in the first archive of the
// next line may have what was written between the two.
func PlanFor(t Target, lines []Line, at persist.Point) (p Plan, err error) {
	var list []Line
	archives := 0
	for _, l := range lines {
		archives += len(l.Fulls)
		if _, ok := l.good(); ok {
			list = append(list, l)
		}
	}
	if len(list) == 0 && archives > 0 {
		return p, fmt.Errorf("%w: none of the %d archives at %s was opened and found good: --from with the name "+
			"of one restores it all the same", ErrNothing, archives, t)
	}
	if len(list) == 0 {
		return p, fmt.Errorf("%w: there is no archive at %s", ErrNothing, t)
	}
	if err := Single(t, lines); err != nil {
		return p, err
	}
	if newest := list[len(list)-1]; at.OfSequence() {
		list = slices.DeleteFunc(list, func(l Line) bool { return l.Incarnation != newest.Incarnation })
	}
	chosen := 0
	for i, l := range list {
		if !at.Past(persist.Position{Seq: l.firstGood().Seq, At: l.Begun}) {
			chosen = i
		}
	}
	if p, err = planIn(list[chosen], at); err != nil {
		return p, err
	}
	end := p.Line.End()
	ended := !at.Past(persist.Position{Seq: end.Seq + 1, At: end.At + 1})
	if next := following(list, chosen); ended && next != nil && next.firstGood().Seq > end.Seq {
		before := p
		p, err = planIn(*next, at)
		p.Before = &before
	}
	p.Behind = behind(p.Line, lines, at)
	if p.Before != nil {
		p.Before.Behind = p.Behind
	}
	return p, err
}

// behind lists the pieces of a line, and of those after it, that have records behind a point. Of another incarnation
// they all have: it began later.
func behind(from Line, lines []Line, at persist.Point) (list []Piece) {
	for _, l := range lines {
		if l.Name < from.Name {
			continue
		}
		for _, x := range l.Pieces {
			if l.Incarnation != from.Incarnation || at.Past(persist.Position{Seq: x.Last, At: x.At}) {
				list = append(list, x)
			}
		}
	}
	return list
}

// following is the next line of the same incarnation; nil where there is none.
func following(lines []Line, i int) *Line {
	for j := i + 1; j < len(lines); j++ {
		if lines[j].Incarnation == lines[i].Incarnation {
			return &lines[j]
		}
	}
	return nil
}

// planIn chooses in a line that has a verified archive.
func planIn(l Line, at persist.Point) (p Plan, err error) {
	p.Line, p.Full = l, l.firstGood()
	for _, f := range l.Fulls {
		if f.Verified && !at.Past(persist.Position{Seq: f.Seq, At: f.At}) {
			p.Full = f
		}
	}
	end := persist.Position{Seq: p.Full.Seq, At: p.Full.At}
	if at.Past(end) { // the archive is taken back
		return p, nil
	}
	for _, x := range p.Line.Pieces {
		if x.Last <= end.Seq {
			continue
		}
		if at.Past(end) || at.Past(persist.Position{Seq: x.First, At: end.At}) {
			break
		}
		if x.First > end.Seq+1 {
			return p, fmt.Errorf(
				"%w: %s has no segment with the records %d to %d: --at %d, or before, is what it can be restored to",
				ErrNothing, p.Line.Name, end.Seq+1, x.First-1, end.Seq)
		}
		p.Pieces = append(p.Pieces, x)
		end = persist.Position{Seq: x.Last, At: x.At}
	}
	return p, nil
}

// Others names the lines other than the one of a plan.
func (p Plan) Others(lines []Line) (list []Line) {
	for _, l := range lines {
		if l.Name != p.Line.Name {
			list = append(list, l)
		}
	}
	return list
}
