package hold

import (
	"slices"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
)

// This file owns the change of a hold. One command may change the customer, and add, change and take out lines; it is
// judged as one request.

// ChangeHold changes what a hold has: lines are taken out, asked for anew in another quantity or for other dates, and
// added. It is judged as one request to which what goes leaves its room, and leaves the hold as it was where it is
// refused. A line that is changed has other units then; one that is not keeps its own. Lines that are added come last;
// a refusal numbers the lines as they would be. It answers with the *Hold.
type ChangeHold struct {
	base.Answers[*Hold]
	base.IfMatch
	ID        base.ID
	Customer  base.Opt[base.ID] // the customer that it is for; null: none
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

// Size counts the units of the hold, and those that are asked for.
func (o ChangeHold) Size(a *base.AccountState) int {
	n := UnitsOf(a, o.ID) + asked(a, o.Add)
	for _, x := range o.Change {
		if x.Quantity != nil {
			n += *x.Quantity
		}
	}
	return n
}

func (o ChangeHold) Check(c *base.Checker) {
	if len(o.Add) > 0 {
		for _, f := range base.FaultsIn(PlaceHold{Lines: o.Add}) {
			f.Pointer = "/add" + strings.TrimPrefix(f.Pointer, "/lines")
			c.Faults = append(c.Faults, f)
		}
	}
	named := map[int]bool{}
	name := func(at string, line int) {
		if named[line] {
			c.Fault(at, "duplicate", "names a line that is named already")
		}
		named[line] = true
		c.Number(at, line, 0, base.MaxLines-1)
	}
	for at, x := range base.Each(c, "/change", o.Change, base.MaxLines) {
		name(at+"/line", x.Line)
		if x.Quantity != nil {
			c.Number(at+"/quantity", *x.Quantity, 1, base.MaxCount)
		}
		checkWindow(c, at, x.From, x.To)
	}
	for at, line := range base.Each(c, "/remove", o.Remove, base.MaxLines) {
		name(at, *line)
	}
}

// CheckOn names lines that the hold has not.
func (o ChangeHold) CheckOn(c *base.Checker, a *base.AccountState) {
	rec := Holds(a).Get(o.ID)
	if rec == nil {
		return
	}
	for i, x := range o.Change {
		if x.Line >= len(rec.Lines) {
			c.Fault("/change/"+base.Itoa(i)+"/line", "range", "the hold has no such line")
		}
	}
	for i, line := range o.Remove {
		if line >= len(rec.Lines) {
			c.Fault("/remove/"+base.Itoa(i), "range", "the hold has no such line")
		}
	}
}

func (o ChangeHold) PlanOn(t *base.Tx) (any, error) {
	rec, err := LiveHold(t, o.ID)
	if err != nil {
		return nil, err
	}
	if err := o.IfMatch.Match(rec.revision()); err != nil {
		return nil, err
	}
	lines, err := o.lines(t, rec)
	if err != nil {
		return nil, err
	}
	n := *rec
	if o.Customer.Set {
		if n.Customer = o.Customer.Value; !o.Customer.Null {
			if err := commerce.MayBeFor(t, n.Customer); err != nil {
				return nil, err
			}
		}
	}
	if !slices.ContainsFunc(lines, func(l heldAnew) bool { return l.asks }) && len(lines) == len(rec.Lines) {
		if n.Customer != rec.Customer {
			base.Record(t, HoldKind, rec, &n)
		}
		return HoldIn(t, &n), nil
	}
	if err := letLinesGo(t, rec, lines); err != nil {
		return nil, err
	}
	if err := o.seat(t, &n, rec, lines); err != nil {
		return nil, err
	}
	base.Record(t, HoldKind, rec, &n)
	stock.SeatFreed(t)
	return HoldIn(t, &n), nil
}

// seat gives a hold the lines that it is to have, and seats those that ask for units.
func (o *ChangeHold) seat(t *base.Tx, n, rec *HoldRecord, lines []heldAnew) (err error) {
	n.Lines = make([]LineRow, len(lines))
	proto, next, units := t.NewID(), uint64(1), 0
	var requests []stock.Request
	for i := range lines {
		if l := &lines[i]; l.asks {
			if l.was >= 0 {
				n.Lines[i].Booked = rec.Lines[l.was].Booked
			}
			if requests, err = askHeld(t, requests, &n.Lines[i], i, &l.HoldLineInput, next); err != nil {
				return err
			}
			n.Lines[i].made = made{proto, uint32(next)}
			next += uint64(n.Lines[i].Units)
		} else {
			n.Lines[i] = rec.Lines[l.was]
			n.Lines[i].first = uint32(rec.first(l.was))
		}
		if units += int(n.Lines[i].Units); units > base.MaxUnits {
			return tooManyHeld()
		}
	}
	if len(requests) > 0 {
		if err := stock.SeatAll(t, proto, requests); err != nil {
			return err
		}
		t.Used += next - 1
		if err := stock.ArriveAsked(t); err != nil {
			return err
		}
		if err := stock.Crowded(t); err != nil {
			return err
		}
	}
	for i, id := range n.each() {
		if h, _, ok := stock.Draft(t).Find(id); ok && int(h.Line) != i {
			h.Line = uint16(i)
			stock.Draft(t).Replace(h)
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
func (o *ChangeHold) lines(t *base.Tx, rec *HoldRecord) (list []heldAnew, err error) {
	var c base.Checker
	held := HoldIn(t, rec)
	for i := range rec.Lines {
		if slices.Contains(o.Remove, i) {
			continue
		}
		x := &held.Lines[i]
		l := heldAnew{was: i, HoldLineInput: HoldLineInput{Item: x.Item, Location: x.Location, Window: x.Window,
			Quantity: x.Quantity, Purchase: x.Purchase}}
		if x.Return != x.Location {
			l.Return = x.Return
		}
		if j := slices.IndexFunc(o.Change, func(n HoldLineChange) bool { return n.Line == i }); j >= 0 {
			l.change(&c, "/change/"+base.Itoa(j), &o.Change[j])
			l.asks = l.Window != x.Window || l.Quantity != x.Quantity
			o.notPast(&c, "/change/"+base.Itoa(j)+"/to", &l, t.Now)
		}
		list = append(list, l)
	}
	for i, x := range o.Add {
		l := heldAnew{was: -1, HoldLineInput: x, asks: true}
		o.notPast(&c, "/add/"+base.Itoa(i)+"/to", &l, t.Now)
		list = append(list, l)
	}
	switch {
	case len(list) == 0:
		c.Fault("/remove", "length", "a hold has at least one line; delete the hold to end it")
	case len(list) > base.MaxLines:
		c.Fault("/add", "length", "a hold has at most 1000 lines")
	}
	if len(c.Faults) > 0 {
		return nil, base.Invalid(c.Faults)
	}
	return list, nil
}

// change puts what is given in place of what the line has.
func (l *heldAnew) change(c *base.Checker, at string, x *HoldLineChange) {
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
		c.Fault(at+"/to", "order", "must be later than from")
	case l.Purchase == base.PurchaseSale && l.Window.End != base.Forever:
		c.Fault(at+"/to", "forbidden", "a sale has no end")
	}
}

func (o *ChangeHold) notPast(c *base.Checker, at string, l *heldAnew, now int64) {
	if l.asks && !l.Window.Empty() && l.Window.End <= now && !o.AllowPast {
		c.Fault(at, "past", "is in the past; a line that is over is taken with allowPast")
	}
}

// letLinesGo takes the units out of the lines of a hold that go, or are asked for anew. The latter take no unit from
// holds that count on their arrival.
func letLinesGo(t *base.Tx, rec *HoldRecord, lines []heldAnew) error {
	stays, keeps := make([]bool, len(rec.Lines)), make([]bool, len(rec.Lines))
	for _, l := range lines {
		if l.was >= 0 {
			stays[l.was], keeps[l.was] = true, !l.asks
		}
	}
	var gone, anew []base.ID
	for i, id := range rec.each() {
		switch {
		case !stays[i]:
			gone = append(gone, id)
		case !keeps[i]:
			anew = append(anew, id)
		}
	}
	stock.CallBack(t, gone)
	if err := stock.LiftAsked(t, anew); err != nil {
		return err
	}
	for i, id := range rec.each() {
		if keeps[i] {
			continue
		}
		if h, at, ok := stock.Draft(t).Take(id); ok {
			stock.Freed(t, h.Span, at)
		}
	}
	return nil
}
