package main

// This file owns `holdfast replay`: its options, the run of one, and what it prints.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"holdfast/timeline"
)

// The two ways in which a SKU's units can be kept.
const (
	stockArticles = "articles" // an article of quantity 1 for each unit
	stockLot      = "lot"      // one article with all units
)

// rules are the values of --placement.
var rules = map[string]timeline.Rule{"exact": timeline.Exact, "best-fit": timeline.BestFit,
	"first-fit": timeline.FirstFit}

func newReplay() *cobra.Command {
	var c replayConfig
	cmd := &cobra.Command{
		Use:   "replay FILE.csv[.gz]",
		Short: "Play a file of real bookings and count what was refused without need",
		Long: `Plays a bookings file, day by day, against an engine in this process or, with --url and --key, against a server. Each SKU gets a share of the units that the
busiest instant of the file needs (--capacity, in percent). Then a sweep of its own over what was accepted counts wrong refusals: bookings refused although
every instant of their window had a free unit.

The whole file is read and checked first: a bad row is named by its line, and nothing is changed. Against a server, whose clock cannot be set, a file
of the past is moved ahead of it by whole weeks, as what is over may not move any more.

"moved" counts holds that were moved to make room. A server does not report moves, so with --url it counts bookings that were not cancelled and end on another
unit than their first: a smaller number.`,
		Args: exactly(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			zone, err := c.check()
			if err != nil {
				return err
			}
			return replay(cmd, c, zone, args[0])
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

// check finds what is wrong with the options before the file is looked at.
func (c *replayConfig) check() (*timeline.Zone, error) {
	zone, err := timeline.LoadZone(c.zone)
	if err != nil {
		return nil, usagef("--zone %q must be an IANA time zone name like %s", c.zone, defaultZone)
	}
	if c.capacity < 1 || c.capacity > 10_000 {
		return nil, usagef("--capacity %d must be a whole number of percent from 1 to 10000", c.capacity)
	}
	if c.stock != stockArticles && c.stock != stockLot {
		return nil, usagef("--stock %q must be %s or %s", c.stock, stockArticles, stockLot)
	}
	if _, ok := rules[c.placement]; !ok {
		return nil, usagef("--placement %q must be exact, best-fit or first-fit", c.placement)
	}
	if c.url == "" {
		if c.key != "" {
			return nil, usagef("--key is for --url")
		}
		return zone, nil
	}
	if c.key == "" {
		return nil, usagef("--url needs --key")
	}
	if c.data != "" {
		return nil, usagef("--data is for a replay in this process, not for --url")
	}
	if c.placement != "exact" {
		return nil, usagef("--placement is for a replay in this process: a server always places exactly")
	}
	return zone, nil
}

// outcome is what came of playing.
type outcome struct {
	accepted []bool // by stay
	// by SKU: changes of place that made room; of a server, holds that end on another unit than they were first put on
	moves   []int
	longest time.Duration // the longest single decision; of a server, the longest answer
	took    time.Duration // the playing alone
}

func replay(cmd *cobra.Command, c replayConfig, zone *timeline.Zone, file string) error {
	bookings, err := readBookingsFile(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	ctx, errs := cmd.Context(), cmd.ErrOrStderr()
	var shift int64
	if c.url != "" {
		if shift = shiftPast(bookings, zone, time.Now().UnixMilli()); shift > 0 {
			fmt.Fprintf(errs,
				"the file's arrivals begin in the past of the server: all dates are moved ahead by %d days\n", shift)
		}
	}
	p, err := planReplay(bookings, zone, c.capacity, shift)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	bar := newBar(errs, int64(len(p.events)), "bookings and cancellations", false)
	tick := func() { bar.Add(1) }
	var o outcome
	if c.url != "" {
		o, err = playOnServer(ctx, p, c, filepath.Base(file), tick)
	} else {
		o, err = playHere(ctx, p, c, filepath.Base(file), errs, tick)
	}
	bar.Finish()
	if err != nil {
		return err
	}
	verdicts, err := checkReplay(p, o.accepted)
	if err != nil {
		return err
	}
	r := newReplayReport(p, o, verdicts)
	if c.json {
		return r.writeJSON(cmd.OutOrStdout())
	}
	return r.writeTable(cmd.OutOrStdout(), o.longest)
}

func readBookingsFile(name string) ([]booking, error) {
	f, err := os.Open(name)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, err
	}
	defer f.Close()
	return readBookings(f)
}

// counts are the members that the whole and each SKU have in common, in this order.
type counts struct {
	Bookings      int `json:"bookings"`
	Accepted      int `json:"accepted"`
	Refused       int `json:"refused"`
	WrongRefusals int `json:"wrongRefusals"`
	NightsSold    int `json:"nightsSold"`
	Moves         int `json:"moves"`
}

func (c *counts) add(o counts) {
	c.Bookings += o.Bookings
	c.Accepted += o.Accepted
	c.Refused += o.Refused
	c.WrongRefusals += o.WrongRefusals
	c.NightsSold += o.NightsSold
	c.Moves += o.Moves
}

// skuReport is one SKU's line.
type skuReport struct {
	SKU   string `json:"sku"`
	Units int    `json:"units"`
	Peak  int    `json:"peak"`
	counts
}

// replayReport is what --json prints: these members, in this order.
type replayReport struct {
	counts
	Seconds   float64     `json:"seconds"` // the playing alone
	PerSecond float64     `json:"perSecond"`
	SKUs      []skuReport `json:"skus"`
}

func newReplayReport(p *replayPlan, o outcome, verdicts []verdict) replayReport {
	r := replayReport{Seconds: o.took.Seconds()}
	for i, s := range p.skus {
		v := verdicts[i]
		line := skuReport{SKU: s.name, Units: s.units, Peak: s.peak, counts: counts{
			Bookings: s.stays, Accepted: v.accepted, Refused: v.refused, WrongRefusals: v.wrongRefusals,
			NightsSold: v.nightsSold, Moves: o.moves[i],
		}}
		r.add(line.counts)
		r.SKUs = append(r.SKUs, line)
	}
	if r.Seconds > 0 {
		r.PerSecond = float64(r.Bookings) / r.Seconds
	}
	return r
}

func (r replayReport) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

func (r replayReport) writeTable(w io.Writer, longest time.Duration) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "SKU\tunits\tpeak\tbookings\taccepted\trefused\twrong\tnights sold\tmoved\t")
	line := func(name string, units, peak int, c counts) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, units, peak, c.Bookings, c.Accepted, c.Refused,
			c.WrongRefusals, c.NightsSold, c.Moves)
	}
	units, peak := 0, 0
	for _, s := range r.SKUs {
		line(s.SKU, s.Units, s.Peak, s.counts)
		units, peak = units+s.Units, peak+s.Peak
	}
	line("total", units, peak, r.counts)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%.0f bookings a second (%d in %.2f s); longest single decision %s\n", r.PerSecond,
		r.Bookings, r.Seconds, longest.Round(time.Microsecond))
	return err
}

// ended says whether a context was cancelled, as an error for people.
func ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return nil
}
