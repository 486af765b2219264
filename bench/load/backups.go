package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/bench"
)

// This file owns what backups cost bookings: how long they wait while an archive is written, and how much of their rate
// is left while the log is sent to a place for backups.

var (
	logTarget     = bench.AtLeast(95, "%")
	archiveTarget = bench.AtMost(20, "ms")
)

// betweenBookings is the pace of bookings while an archive is written: 500 a second. A full load would leave the
// archive no processor.
const betweenBookings = 2 * time.Millisecond

// bookingBesideArchive books holds at a steady pace while archives of the whole world are written next to the data.
func bookingBesideArchive(ctx context.Context, s *Server, w *bench.World, budget time.Duration) (r bench.Result,
	err error) {
	file, err := os.CreateTemp("", "holdfast-bench-*")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	c := newClients(s.Address, "POST", s.Key, 8)
	defer c.close()
	c.path("/v1/admin/holds")
	bodies := make([][]byte, time.Minute/betweenBookings) // more than an archive takes
	var t bench.Tally
	var size int64
	archives := 0
	for ; archives == 0 || t.Took < budget; archives++ {
		for i := range bodies {
			h := w.Next()
			bodies[i] = body(w.Merchant.SKUs[h.SKU], w.Merchant.Locations[h.Location], h.Start, h.End)
		}
		w.Settle()
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return r, err
		}
		written := make(chan error, 1)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			written <- w.Archive(ctx, file)
		}()
		begin := time.Now()
		err := c.run(&t, func(i int, r *fasthttp.Request) bool {
			select {
			case <-ended:
				return false
			case <-time.After(time.Until(begin.Add(time.Duration(i) * betweenBookings))):
			}
			if i < len(bodies) {
				r.SetBodyRaw(bodies[i])
			}
			return i < len(bodies)
		})
		if err = errors.Join(err, <-written); err != nil {
			return r, err
		}
		if size, err = file.Seek(0, io.SeekCurrent); err != nil {
			return r, err
		}
	}
	r = bench.Tail(t.Sample(), archiveTarget)
	r.Note = fmt.Sprintf("%d holds beside %d archives of %d bytes, %v each", t.N, archives, size,
		(t.Took / time.Duration(archives)).Round(time.Millisecond))
	return r, nil
}

// piecesOfATurn are the pieces of the log that are sent while bookings are counted: the first one is small.
const piecesOfATurn = 5

// bookingBesideLog books holds from 64 connections in turns with and without the log being sent every second to a
// directory next to the data. With a budget of less than five seconds it is sent more often.
func bookingBesideLog(s *Server, w *bench.World, budget time.Duration) (r bench.Result, err error) {
	dir, err := os.MkdirTemp("", "holdfast-bench-*")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	every := min(budget/5, time.Second)
	c := newClients(s.Address, "POST", s.Key, holdConnections)
	defer c.close()
	bodies := make([][]byte, ahead(5_000, budget))
	book := func(t *bench.Tally, enough func() bool) error {
		for t.N == 0 || !enough() {
			for i := range bodies {
				h := w.Next()
				bodies[i] = body(w.Merchant.SKUs[h.SKU], w.Merchant.Locations[h.Location], h.Start, h.End)
			}
			if err := c.askAll(t, "/v1/admin/holds", bodies); err != nil {
				return err
			}
		}
		return nil
	}
	var beside, alone bench.Tally
	var shares []float64
	length := piecesOfATurn * every
	var sent uint64
	for turn := 0; turn < 2 || beside.Took+alone.Took < 2*budget; turn++ {
		var with, without bench.Tally
		for side := range 2 {
			w.Settle()
			if (turn+side)%2 == 0 {
				err = book(&without, func() bool { return without.Took >= length })
			} else {
				sent, err = besideLog(w, dir, every, func(pieces func() uint64) error {
					return book(&with, func() bool { return pieces() >= piecesOfATurn })
				})
				length = with.Took
			}
			if err != nil {
				return r, err
			}
		}
		shares = append(shares, 100*with.PerSecond()/without.PerSecond())
		beside.Add(&with)
		alone.Add(&without)
	}
	slices.Sort(shares)
	r = bench.Sampled(beside.Sample(), shares[len(shares)/2], logTarget)
	r.Note = fmt.Sprintf("%.0f holds/s and %v of CPU each beside the log being sent every %v, %.0f and %v alone; %d "+
		"bytes in the last turn; "+
		"the middle of %d comparisons, from %.0f to %.0f", beside.PerSecond(), beside.Sample().CPU, every,
		alone.PerSecond(), alone.Sample().CPU,
		sent, len(shares), shares[0], shares[len(shares)-1])
	return r, nil
}

// besideLog does something while the log is sent, with an archive already there, and says how many bytes were sent.
func besideLog(w *bench.World, dir string, every time.Duration, do func(pieces func() uint64) error) (bytes uint64,
	err error) {
	h := w.SendLog(dir, every)
	defer h.Close(context.Background())
	for s := h.State(); s.Good == nil || s.GoodLine != s.Line; s = h.State() {
		if s.LastError != "" {
			return 0, errors.New(s.LastError)
		}
		time.Sleep(every / 10)
	}
	before := h.State()
	err = do(func() uint64 { return h.State().Segments - before.Segments })
	after := h.State()
	if after.LogFailures > 0 || after.Breaks > 0 {
		err = errors.Join(err, fmt.Errorf("the log was not sent: %s", after.LastError))
	}
	return after.SegmentBytes - before.SegmentBytes, err
}
