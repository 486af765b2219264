package workload

import (
	"holdfast/engine/base"
	"holdfast/fuzz/model"
)

// This file owns windows: on a grid of hours, so that ends and starts meet, often at those of what is there.

const hour = 60 * 60 * 1000

var lengths = []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 48}

// Window draws a range near now, sometimes in the past, sometimes without an end.
func Window(d Dice, a *model.Account, now int64) Span {
	w := Span{Start: instant(d, a, now)}
	switch d.N("length", 24) {
	case 0:
		w.End = base.Forever
	case 1:
		if w.End = instant(d, a, now); w.End <= w.Start {
			w.End = w.Start + hour
		}
	default:
		w.End = w.Start + pick(d, "hours", lengths)*hour
	}
	return w
}

// Closed draws a window with an end.
func Closed(d Dice, a *model.Account, now int64) Span {
	w := Window(d, a, now)
	if w.End == base.Forever {
		w.End = w.Start + 24*hour
	}
	return w
}

// instant draws an instant: on the grid, or where something begins or ends.
func instant(d Dice, a *model.Account, now int64) int64 {
	if len(a.Units) > 0 && odds(d, "at an edge", 25) {
		u := pick(d, "edge of", a.Units)
		t := pick(d, "edge", []int64{u.Hull.Start, u.Hull.End, u.Body().Start, u.Body().End})
		if t != base.Forever {
			return t
		}
	}
	switch d.N("instant", 20) {
	case 0:
		return now
	case 1:
		return now + int64(d.N("ms", 2*hour)) - hour
	}
	return now/hour*hour + int64(d.N("hour", 44)-6)*hour
}
