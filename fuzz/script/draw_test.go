package script

import (
	"fmt"
	"strings"

	"holdfast/engine/stock"
	"holdfast/fuzz/model"
)

// This file owns the drawing of stock in time.

// drawn is how many hours are drawn.
const drawn = 50

// show draws every unit of every article, and the conflicts, from an instant on.
func (s *scenario) show(from int64) string {
	a := s.w.Tenants[0].Twin
	width := 0
	for _, name := range s.order {
		width = max(width, len(name)+2)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%-*s  ", width, "")
	for h := 0; h < drawn; h += 10 {
		fmt.Fprintf(&out, "%-10s", hours(from+int64(h)*hour))
	}
	out.WriteString("\n")
	for _, name := range s.order {
		n := 0
		for _, slot := range a.Slots {
			if a.Articles[a.Lots[slot.Lot-1].Article].ID != s.ids[name] {
				continue
			}
			n++
			fmt.Fprintf(&out, "%-*s  %s\n", width, fmt.Sprintf("%s %d", name, n), s.line(a, from, func(t int64) byte {
				if slot.Span.Holds(t) {
					return '.'
				}
				return ' '
			}, func(u model.Unit) bool { return u.Slot == slot.No }))
		}
		for _, c := range a.Units {
			if c.Slot == 0 && a.Articles[a.Lots[c.Lot-1].Article].ID == s.ids[name] {
				fmt.Fprintf(&out, "%-*s  %s\n", width, name+" !",
					s.line(a, from, func(int64) byte { return ' ' }, func(u model.Unit) bool { return u.ID == c.ID }))
			}
		}
	}
	return out.String()
}

// line draws some units, a character an hour.
func (s *scenario) line(a *model.Account, from int64, ground func(int64) byte, on func(model.Unit) bool) string {
	line := make([]byte, drawn)
	for h := range line {
		t := from + int64(h)*hour
		line[h] = ground(t)
		for _, u := range a.Units {
			switch {
			case !on(u) || !u.Takes().Holds(t):
			case !u.Body().Holds(t):
				line[h] = '~'
			default:
				line[h] = s.letter(u)
			}
		}
	}
	return string(line)
}

// letter is that of the hold or the order that a unit is of: the first of its name.
func (s *scenario) letter(u model.Unit) byte {
	x, _ := stock.UnavailabilityByID(s.w.View(0), u.ID)
	return (s.names[x.Owner] + "?")[0]
}
