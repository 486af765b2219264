package order

import (
	"strconv"
	"strings"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns the lengths of lines, in words, and the bounds of an order. All of it follows from the record alone,
// so that it is the same wherever the record is written.

// Duration is the length of a line, as ISO 8601 has it; empty where it has no end.
func (l *OrderLine) Duration() string {
	if l.To == base.Forever {
		return ""
	}
	text, left := "PT", l.To-l.From
	for _, u := range [...]struct {
		name string
		ms   int64
	}{{"H", 3_600_000}, {"M", 60_000}} {
		if n := left / u.ms; n > 0 {
			text, left = text+strconv.FormatInt(n, 10)+u.name, left%u.ms
		}
	}
	if left > 0 {
		text += strconv.FormatFloat(float64(left)/1000, 'f', -1, 64) + "S"
	}
	return text
}

// DurationLabel is the length of a line in words: its whole days of the calendar, and the time that is left.
func (r *OrderRecord) DurationLabel(l *OrderLine) string {
	if l.To == base.Forever {
		return ""
	}
	days := (l.To - l.From + timeline.Hour) / (24 * timeline.Hour) // an hour is what a day may lack
	behind := timeline.AddSteps(r.zone(), l.From, days, timeline.Days)
	if behind > l.To {
		days--
		behind = timeline.AddSteps(r.zone(), l.From, days, timeline.Days)
	}
	var parts []string
	if days > 0 {
		parts = append(parts, counted(days, "day"))
	}
	left := (l.To - behind) / 1000
	for _, u := range [...]struct {
		name    string
		seconds int64
	}{{"hour", 3_600}, {"minute", 60}, {"second", 1}} {
		if n := left / u.seconds; n > 0 {
			parts, left = append(parts, counted(n, u.name)), left%u.seconds
		}
	}
	return strings.Join(parts, " ")
}

func counted(n int64, of string) string {
	if n != 1 {
		of += "s"
	}
	return strconv.FormatInt(n, 10) + " " + of
}

// Bounds are the earliest beginning of a line of the order and the latest end, 0 where no line has one.
func (o *Order) Bounds() (from, to int64) {
	for i := range o.Lines {
		l := &o.Lines[i]
		if i == 0 || l.From < from {
			from = l.From
		}
		if l.To != base.Forever {
			to = max(to, l.To)
		}
	}
	return from, to
}
