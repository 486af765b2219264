package main

// This file owns the bookings file: its columns, reading it whole, and naming every row that is off before anything is
// done with it.

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"holdfast/timeline"
)

// bookingColumns is the header a bookings file must have.
var bookingColumns = []string{
	"row", "reserved_room_type", "assigned_room_type", "booked_on", "arrival", "nights", "outcome", "outcome_on",
	"country", "daily_rate",
}

// booking is one row.
type booking struct {
	row       int // the row's number in the published table: the order within a day
	roomType  string
	bookedOn  timeline.Date
	arrival   timeline.Date
	nights    int // 0: a day room
	calledOff bool
	offOn     timeline.Date // the day it was called off, if it was
}

// A bookings file is refused as a whole; a few faults are enough to see what is wrong with it.
const maxRowFaults = 20

// maxNights keeps a stay within the years an instant can lie in, whatever its arrival.
const maxNights = 36500

// readBookings reads a bookings file, plain or gzip. An error names the line of every bad row, up to maxRowFaults of
// them; no booking is returned then.
func readBookings(r io.Reader) ([]booking, error) {
	in := bufio.NewReader(r)
	if magic, err := in.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("not a gzip file: %w", err)
		}
		in = bufio.NewReader(z)
	}
	if mark, err := in.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" { // of UTF-8
		in.Discard(len(mark))
	}
	rows := csv.NewReader(in)
	rows.FieldsPerRecord = -1
	rows.ReuseRecord = true

	header, err := rows.Read()
	if err == io.EOF {
		return nil, errors.New("the file is empty: it must begin with the line " + strings.Join(bookingColumns, ","))
	}
	if err != nil {
		return nil, readError(err)
	}
	if !slices.Equal(header, bookingColumns) {
		return nil, errors.New("line 1: must be the header " + strings.Join(bookingColumns, ","))
	}

	var bookings []booking
	var faults []error
	lineOf := map[int]int{}
	for {
		fields, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, errors.Join(append(faults, readError(err))...)
		}
		line, _ := rows.FieldPos(0)
		b, err := parseBooking(fields)
		if first, twice := lineOf[b.row]; err == nil && twice {
			err = fmt.Errorf("row %d was on line %d already", b.row, first)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", line, err))
			if len(faults) == maxRowFaults {
				return nil, errors.Join(append(faults, errors.New("and perhaps more: reading stopped here"))...)
			}
			continue
		}
		lineOf[b.row] = line
		bookings = append(bookings, b)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if len(bookings) == 0 {
		return nil, errors.New("the file has no bookings")
	}
	return bookings, nil
}

func readError(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("line %d: %w", p.Line, p.Err)
	}
	return fmt.Errorf("the file cannot be read to its end: %w", err)
}

func parseBooking(fields []string) (b booking, err error) {
	if len(fields) != len(bookingColumns) {
		return b, fmt.Errorf("has %d fields, must have %d", len(fields), len(bookingColumns))
	}
	var faults []string
	fault := func(column int, must string) {
		faults = append(faults, fmt.Sprintf("%s %q %s", bookingColumns[column], fields[column], must))
	}
	number := func(column, least, most int) int {
		n, err := strconv.Atoi(fields[column])
		if err != nil || n < least || n > most {
			fault(column, fmt.Sprintf("must be a whole number from %d to %d", least, most))
		}
		return n
	}
	date := func(column int) timeline.Date {
		d, ok := timeline.ParseDate(fields[column])
		if !ok || d.Year < 1970 || d.Year > 9800 {
			fault(column, "must be a day of the calendar like 2016-07-31")
		}
		return d
	}
	text := func(column int) string {
		s := strings.Clone(fields[column])
		if s == "" || len(s) > 100 {
			fault(column, "must have 1 to 100 characters")
		}
		return s
	}
	b.row = number(0, 0, math.MaxInt32)
	b.roomType = text(1)
	text(2)
	b.bookedOn = date(3)
	b.arrival = date(4)
	b.nights = number(5, 0, maxNights)
	switch fields[6] {
	case "canceled", "no-show":
		b.calledOff = true
	case "check-out":
	default:
		fault(6, "must be check-out, canceled or no-show")
	}
	if off := date(7); b.calledOff {
		if b.offOn = off; off.Before(b.bookedOn) {
			fault(7, "must not come before booked_on "+fields[3])
		}
	}
	// The country may be unknown, which leaves it empty.
	if rate, err := strconv.ParseFloat(fields[9], 64); err != nil || math.IsInf(rate, 0) || math.IsNaN(rate) {
		fault(9, "must be a number")
	}
	if len(faults) > 0 {
		return b, errors.New(strings.Join(faults, "; "))
	}
	return b, nil
}
