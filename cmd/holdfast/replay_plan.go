package main

// This file owns what a replay does and in which order, as far as the file alone decides it: windows, the order of
// bookings and cancellations, the peak of each SKU and the units that follow from it.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"holdfast/timeline"
)

// Times of day of a stay, in the zone of the replay.
const (
	checkIn     = 15 * timeline.Hour
	checkOut    = 11 * timeline.Hour
	dayRoomFrom = 7 * timeline.Hour
)

// cleaning is the buffer after every booking.
var cleaning = timeline.Buffer{Amount: 4, Unit: timeline.Hours}

// stay is a booking as the engine sees it.
type stay struct {
	row    int
	sku    int           // index into replayPlan.skus
	window timeline.Span // what is asked for
	hull   timeline.Span // what it takes from a unit: the window and the cleaning
	nights int
}

// event is a booking that is made, or called off.
type event struct {
	stay int // index into replayPlan.stays
	off  bool
}

// replaySKU is a kind of room with the stock it gets.
type replaySKU struct {
	name  string
	peak  int // the most units any instant ever needs while the file is played with nothing refused
	units int
	stays int
}

// replayPlan is all that a replay is going to do.
type replayPlan struct {
	zone   *timeline.Zone
	skus   []replaySKU // by name
	stays  []stay      // in the order of the file
	events []event     // in the order of play
	start  int64       // an instant before every window, and on the first day of the file or earlier
}

// planReplay lays out the play of the bookings in a zone, at a capacity in percent of each SKU's peak, with all dates
// moved by shift days.
func planReplay(bookings []booking, zone *timeline.Zone, capacity int, shift int64) (*replayPlan, error) {
	p := &replayPlan{zone: zone, stays: make([]stay, len(bookings))}
	for _, b := range bookings {
		if i, found := p.findSKU(b.roomType); !found {
			p.skus = slices.Insert(p.skus, i, replaySKU{name: b.roomType})
		}
	}
	p.start = timeline.Forever
	for i, b := range bookings {
		window := stayWindow(zone, b.arrival.AddDays(shift), b.nights)
		if window.Start >= window.End || window.Start < timeline.MinInstant || window.End > timeline.MaxInstant {
			return nil, fmt.Errorf("row %d: the zone %s has no window for %d nights from %04d-%02d-%02d", b.row,
				zone.Name(), b.nights, b.arrival.Year, b.arrival.Month, b.arrival.Day)
		}
		sku, _ := p.findSKU(b.roomType)
		p.skus[sku].stays++
		p.stays[i] = stay{
			row: b.row, sku: sku, window: window, nights: b.nights,
			hull: timeline.Hull(window, timeline.Buffer{}, cleaning, zone, window.Start),
		}
		booked, _ := timeline.DayStart(zone, b.bookedOn.AddDays(shift))
		p.start = min(p.start, booked, window.Start)
	}
	if p.start < timeline.MinInstant {
		return nil, errors.New("the file begins before 1970")
	}
	p.events = orderOfPlay(bookings)
	peaks := newOccupancy(p)
	for _, e := range p.events {
		s := &p.stays[e.stay]
		if e.off {
			peaks.add(s, -1)
			continue
		}
		peaks.add(s, +1)
		p.skus[s.sku].peak = max(p.skus[s.sku].peak, peaks.most(s))
	}
	for i := range p.skus {
		p.skus[i].units = max(1, p.skus[i].peak*capacity/100)
	}
	return p, nil
}

func (p *replayPlan) findSKU(name string) (int, bool) {
	return slices.BinarySearchFunc(p.skus, name,
		func(s replaySKU, name string) int { return cmp.Compare(s.name, name) })
}

// stayWindow is the window of a stay: nights from 15:00 to 11:00, a day room from 07:00 to 11:00.
func stayWindow(zone *timeline.Zone, arrival timeline.Date, nights int) timeline.Span {
	from := checkIn
	if nights == 0 {
		from = dayRoomFrom
	}
	return timeline.Span{
		Start: timeline.WallInstant(zone, arrival, from),
		End:   timeline.WallInstant(zone, arrival.AddDays(int64(nights)), checkOut),
	}
}

// orderOfPlay goes day by day: first what is called off of bookings made on earlier days, then the day's bookings, then
// what is called off of those the same day; within each by row.
func orderOfPlay(bookings []booking) []event {
	type key struct {
		day   int64
		phase int
		row   int
	}
	var epoch timeline.Date
	epoch.Year, epoch.Month, epoch.Day = 1970, 1, 1
	type entry struct {
		key
		event
	}
	entries := make([]entry, 0, len(bookings)*3/2)
	for i, b := range bookings {
		entries = append(entries, entry{key{epoch.DaysUntil(b.bookedOn), 1, b.row}, event{stay: i}})
		if !b.calledOff {
			continue
		}
		phase := 0
		if b.offOn == b.bookedOn {
			phase = 2
		}
		entries = append(entries, entry{key{epoch.DaysUntil(b.offOn), phase, b.row}, event{stay: i, off: true}})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.phase, b.phase), cmp.Compare(a.row, b.row))
	})
	events := make([]event, len(entries))
	for i, e := range entries {
		events[i] = e.event
	}
	return events
}

// firstArrival is the earliest day on which a guest arrives.
func firstArrival(bookings []booking) timeline.Date {
	first := bookings[0].arrival
	for _, b := range bookings {
		if b.arrival.Before(first) {
			first = b.arrival
		}
	}
	return first
}

// shiftPast is the number of days, whole weeks, by which a file has to be moved so that every window lies at least a
// day past now; 0 where they do. A server judges by its own clock, and what is over for it may not move any more.
func shiftPast(bookings []booking, zone *timeline.Zone, now int64) int64 {
	days := firstArrival(bookings).DaysUntil(timeline.DateOf(zone, now).AddDays(2))
	return max(0, (days+6)/7*7)
}
