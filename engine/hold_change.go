package engine

import (
	"slices"
	"strings"
)

// This file owns the change of a hold: of its lines, of which some are added, changed and taken out in one command, which is judged as one
// request, and of whom it is for.

// ChangeHold changes what a hold has: lines are taken out, asked for anew in another quantity or for other dates, and added. It is judged as
// one request to which what goes leaves its room, and leaves the hold as it was where it is refused. A line that is changed has
// other units then; one that is not keeps its own. Lines that are added come last; a refusal numbers the lines as they would be. It
// answers with the *Hold.
type ChangeHold struct {
	ID        ID
	IfMatch   []uint64
	Customer  Opt[ID] // whom it is for; null: nobody
	Add       []HoldLineInput
	Change    []HoldLineChange
	Remove    []int // numbers of lines, from 0
	AllowPast bool
}

// HoldLineChange is what a line of a hold asks for instead. What is nil stays.
type HoldLineChange struct {
	Line     int // from 0
	Quantity *int
	From, To *int64 // To is Forever where the end is open
}

func (o ChangeHold) Check() []Fault {
	var c checker
	if len(o.Add) > 0 {
		for _, f := range (PlaceHold{Lines: o.Add}).Check() {
			f.Pointer = "/add" + strings.TrimPrefix(f.Pointer, "/lines")
			c.faults = append(c.faults, f)
		}
	}
	named := map[int]bool{}
	name := func(at string, line int) {
		if named[line] {
			c.fault(at, "duplicate", "names a line that is named already")
		}
		named[line] = true
		c.number(at, line, 0, maxLines-1)
	}
	for at, x := range each(&c, "/change", o.Change, 0, maxLines) {
		name(at+"/line", x.Line)
		if x.Quantity != nil {
			c.number(at+"/quantity", *x.Quantity, 1, maxCount)
		}
		switch {
		case x.From != nil && x.To != nil:
			c.window(at+"/from", at+"/to", Span{Start: *x.From, End: *x.To})
		case x.From != nil:
			c.instant(at+"/from", *x.From)
		case x.To != nil && *x.To != Forever:
			c.instant(at+"/to", *x.To)
		}
	}
	for at, line := range each(&c, "/remove", o.Remove, 0, maxLines) {
		name(at, *line)
	}
	return c.faults
}

// checkOn names lines that the hold has not.
func (o ChangeHold) checkOn(a *account) []Fault {
	rec := a.holds().get(o.ID)
	if rec == nil {
		return nil
	}
	var c checker
	for i, x := range o.Change {
		if x.Line >= len(rec.lines) {
			c.fault("/change/"+itoa(i)+"/line", "range", "the hold has no such line")
		}
	}
	for i, line := range o.Remove {
		if line >= len(rec.lines) {
			c.fault("/remove/"+itoa(i), "range", "the hold has no such line")
		}
	}
	return c.faults
}

func (o ChangeHold) plan(t *tx) (any, error) {
	rec, err := t.liveHold(o.ID)
	if err != nil {
		return nil, err
	}
	if err := match(o.IfMatch, rec.revision()); err != nil {
		return nil, err
	}
	lines, err := o.lines(t, rec)
	if err != nil {
		return nil, err
	}
	n := *rec
	if o.Customer.Set {
		if n.customer = o.Customer.Value; !o.Customer.Null {
			if err := t.mayBeFor(n.customer); err != nil {
				return nil, err
			}
		}
	}
	if !slices.ContainsFunc(lines, func(l heldAnew) bool { return l.asks }) && len(lines) == len(rec.lines) {
		if n.customer != rec.customer {
			record(t, holdKind, rec, &n)
		}
		return t.hold(&n), nil
	}
	t.letLinesGo(rec, lines)
	if err := o.seat(t, &n, rec, lines); err != nil {
		return nil, err
	}
	record(t, holdKind, rec, &n)
	t.seatFreed()
	return t.hold(&n), nil
}

func (ChangeHold) result() any { return new(Hold) }

// seat gives a hold the lines that it is to have, and seats those that ask for units.
func (o *ChangeHold) seat(t *tx, n, rec *holdRecord, lines []heldAnew) (err error) {
	n.lines = make([]holdLine, len(lines))
	base, next, units := t.newID(), uint64(1), 0
	var requests []request
	for i := range lines {
		if l := &lines[i]; l.asks {
			if l.was >= 0 {
				n.lines[i].booked = rec.lines[l.was].booked
			}
			if requests, err = t.askHeld(requests, &n.lines[i], i, &l.HoldLineInput, next); err != nil {
				return err
			}
			n.lines[i].made = made{base, uint32(next)}
			next += uint64(n.lines[i].units)
		} else {
			n.lines[i] = rec.lines[l.was]
			n.lines[i].first = uint32(rec.first(l.was))
		}
		if units += int(n.lines[i].units); units > maxUnits {
			return tooManyHeld()
		}
	}
	if len(requests) > 0 {
		if err := t.seatAll(base, requests); err != nil {
			return err
		}
		t.used += next - 1
	}
	for i, id := range n.each() {
		if h, _, ok := t.draft().Find(id); ok && int(h.Line) != i {
			h.Line = uint16(i)
			t.draft().Replace(h)
		}
	}
	return nil
}

// heldAnew is a line of a hold as it is to be.
type heldAnew struct {
	HoldLineInput
	was  int  // the line that it was
	asks bool // it is new or changed
}

// lines are those that the hold is to have.
func (o *ChangeHold) lines(t *tx, rec *holdRecord) (list []heldAnew, err error) {
	var c checker
	held := t.hold(rec)
	for i := range rec.lines {
		if slices.Contains(o.Remove, i) {
			continue
		}
		x := &held.Lines[i]
		l := heldAnew{was: i, HoldLineInput: HoldLineInput{Item: x.Item, Location: x.Location, Window: x.Window, Quantity: x.Quantity, Purchase: x.Purchase}}
		if x.Return != x.Location {
			l.Return = x.Return
		}
		if j := slices.IndexFunc(o.Change, func(n HoldLineChange) bool { return n.Line == i }); j >= 0 {
			l.change(&c, "/change/"+itoa(j), &o.Change[j])
			l.asks = l.Window != x.Window || l.Quantity != x.Quantity
			o.notPast(&c, "/change/"+itoa(j)+"/to", &l, t.now)
		}
		list = append(list, l)
	}
	for i, x := range o.Add {
		l := heldAnew{was: -1, HoldLineInput: x, asks: true}
		o.notPast(&c, "/add/"+itoa(i)+"/to", &l, t.now)
		list = append(list, l)
	}
	switch {
	case len(list) == 0:
		c.fault("/remove", "length", "a hold has at least one line; delete the hold to end it")
	case len(list) > maxLines:
		c.fault("/add", "length", "a hold has at most 1000 lines")
	}
	if len(c.faults) > 0 {
		return nil, invalid(c.faults)
	}
	return list, nil
}

// change puts what is given in place of what the line has.
func (l *heldAnew) change(c *checker, at string, x *HoldLineChange) {
	if x.Quantity != nil {
		l.Quantity = *x.Quantity
	}
	if x.From != nil {
		l.Window.Start = *x.From
	}
	if x.To != nil {
		l.Window.End = *x.To
	}
	switch {
	case l.Window.Empty():
		c.fault(at+"/to", "order", "must be later than from")
	case l.Purchase == PurchaseSale && l.Window.End != Forever:
		c.fault(at+"/to", "forbidden", "a sale has no end")
	}
}

func (o *ChangeHold) notPast(c *checker, at string, l *heldAnew, now int64) {
	if l.asks && !l.Window.Empty() && l.Window.End <= now && !o.AllowPast {
		c.fault(at, "past", "is in the past; a line that is over is taken with allowPast")
	}
}

// letLinesGo takes the units out of the lines of a hold that go, or are asked for anew.
func (t *tx) letLinesGo(rec *holdRecord, lines []heldAnew) {
	keeps := make([]bool, len(rec.lines))
	for _, l := range lines {
		if !l.asks {
			keeps[l.was] = true
		}
	}
	for i, id := range rec.each() {
		if !keeps[i] {
			t.lift(id)
		}
	}
	for i, id := range rec.each() {
		if keeps[i] {
			continue
		}
		if h, at, ok := t.draft().Take(id); ok {
			t.freed(h.Span, at)
		}
	}
}
