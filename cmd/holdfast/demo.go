package main

// This file owns the demo merchant: a rental of bicycles and cameras, small enough to look at and full enough to show something.

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"

	"holdfast/engine"
	"holdfast/timeline"
)

// demoSeed makes every demo the same but for the day it is made on.
const demoSeed = 20250601

// demoHolds is how many bookings the demo has.
const demoHolds = 2000

const demoDay = 24 * timeline.Hour

var demoLocations = []struct{ name, zone string }{
	{"Helsinki Harbour", "Europe/Helsinki"},
	{"Lisbon Baixa", "Europe/Lisbon"},
	{"Portland Pearl", "America/Los_Angeles"},
}

// demoSKU is a kind of thing to rent: how many articles of it each location has, the buffer behind each rental, and how long people take it, in hours.
type demoSKU struct {
	name, code        string
	articles          int
	lot               int // units of each article
	after             timeline.Buffer
	shortest, longest int
	weight            int // of all rentals
}

var demoSKUs = []demoSKU{
	{"City bike", "BIKE-CITY", 12, 1, timeline.Buffer{Amount: 30, Unit: timeline.Minutes}, 2, 72, 10},
	{"E-bike", "BIKE-E", 8, 1, timeline.Buffer{Amount: 2, Unit: timeline.Hours}, 2, 72, 8},
	{"Cargo bike", "BIKE-CARGO", 4, 1, timeline.Buffer{Amount: 1, Unit: timeline.Hours}, 3, 48, 3},
	{"Road bike", "BIKE-ROAD", 5, 1, timeline.Buffer{Amount: 1, Unit: timeline.Hours}, 6, 120, 4},
	{"Mountain bike", "BIKE-MTB", 6, 1, timeline.Buffer{Amount: 3, Unit: timeline.Hours}, 6, 120, 4},
	{"Children's bike", "BIKE-KIDS", 4, 1, timeline.Buffer{Amount: 30, Unit: timeline.Minutes}, 3, 72, 3},
	{"Helmet", "HELMET", 1, 25, timeline.Buffer{Amount: 15, Unit: timeline.Minutes}, 2, 72, 8},
	{"Child seat", "SEAT", 1, 8, timeline.Buffer{}, 2, 72, 2},
	{"Mirrorless camera", "CAM-ML", 6, 1, timeline.Buffer{Amount: 4, Unit: timeline.Hours}, 24, 168, 5},
	{"Cinema camera", "CAM-CINE", 2, 1, timeline.Buffer{Amount: 1, Unit: timeline.Days}, 48, 240, 1},
	{"Lens 24-70 mm", "LENS-2470", 4, 1, timeline.Buffer{Amount: 2, Unit: timeline.Hours}, 24, 168, 3},
	{"Lens 70-200 mm", "LENS-70200", 3, 1, timeline.Buffer{Amount: 2, Unit: timeline.Hours}, 24, 168, 2},
	{"Gimbal", "GIMBAL", 3, 1, timeline.Buffer{Amount: 2, Unit: timeline.Hours}, 24, 120, 2},
	{"Drone", "DRONE", 3, 1, timeline.Buffer{Amount: 1, Unit: timeline.Days}, 24, 96, 2},
	{"Light kit", "LIGHT", 2, 1, timeline.Buffer{Amount: 2, Unit: timeline.Hours}, 24, 120, 1},
	{"Tripod", "TRIPOD", 1, 10, timeline.Buffer{}, 24, 168, 3},
}

// loadDemo fills the account of a first run with the demo merchant; on a directory that is in use already it leaves everything as it is.
func (c *core) loadDemo(first firstRun, log *slog.Logger) error {
	if first.mark == "" {
		log.Info("the data directory is in use already: the demo merchant is not loaded")
		return nil
	}
	if view, _ := c.engine.View(first.account); view.Locations().Len() > 0 {
		return errors.New("an earlier first run was cut short while it loaded the demo merchant: begin again with an empty data directory")
	}
	d := demo{core: c, account: first.account, rnd: rand.New(rand.NewPCG(demoSeed, 1)), today: c.engine.Now() / demoDay * demoDay}
	if err := d.stock(); err != nil {
		return fmt.Errorf("demo merchant: %w", err)
	}
	if err := d.rent(); err != nil {
		return fmt.Errorf("demo merchant: %w", err)
	}
	return nil
}

type demo struct {
	core      *core
	account   engine.ID
	rnd       *rand.Rand
	today     int64 // the beginning of the day in UTC
	locations []engine.ID
	skus      []engine.ID
	articles  []demoArticle
}

type demoArticle struct{ id, location engine.ID }

func (d *demo) stock() error {
	for _, l := range demoLocations {
		made, err := d.core.do(d.account, engine.CreateLocation{Name: l.name, Timezone: l.zone})
		if err != nil {
			return err
		}
		d.locations = append(d.locations, made.(*engine.Location).ID)
	}
	begin := d.today - 90*demoDay
	for _, s := range demoSKUs {
		op := engine.CreateSKU{Name: s.name, Code: &s.code}
		if !s.after.Zero() {
			op.After = &s.after
		}
		made, err := d.core.do(d.account, op)
		if err != nil {
			return err
		}
		sku := made.(*engine.SKU).ID
		d.skus = append(d.skus, sku)
		for i, location := range d.locations {
			for n := range s.articles {
				code := s.code + "-" + strconv.Itoa(i+1) + strconv.Itoa(n+1)
				made, err := d.core.do(d.account, engine.CreateArticle{
					Name: s.name + " " + strconv.Itoa(n+1), SKU: &sku, Codes: []string{code},
					Quantities: []engine.InitialQuantity{{Location: location, Count: s.lot, From: &begin}},
				})
				if err != nil {
					return err
				}
				d.articles = append(d.articles, demoArticle{made.(*engine.Article).ID, location})
			}
		}
	}
	return nil
}

// rent places bookings from four weeks ago to eight weeks ahead, a few carts that expire, and a repair here and there.
func (d *demo) rent() error {
	for placed, round := 0, 0; placed < demoHolds && round < 5; round++ {
		var wanted []engine.Op
		for range demoHolds - placed {
			wanted = append(wanted, d.booking())
		}
		n, err := d.submit(wanted)
		if err != nil {
			return err
		}
		placed += n
	}
	var repairs []engine.Op
	for i := 0; i < len(d.articles); i += 17 {
		a := d.articles[i]
		from := d.today + int64(2+d.rnd.IntN(40))*demoDay + 9*timeline.Hour
		repairs = append(repairs, engine.CreateScheduledEvent{
			Article: a.id, Location: a.location, Type: engine.EventReservation, Name: "Repair", Window: timeline.Span{Start: from, End: from + demoDay},
		})
	}
	_, err := d.submit(repairs)
	return err
}

// booking draws one.
func (d *demo) booking() engine.Op {
	total := 0
	for _, s := range demoSKUs {
		total += s.weight
	}
	pick, i := d.rnd.IntN(total), 0
	for ; pick >= demoSKUs[i].weight; i++ {
		pick -= demoSKUs[i].weight
	}
	s := demoSKUs[i]
	from := d.today + int64(d.rnd.IntN(84)-28)*demoDay + int64(7+d.rnd.IntN(12))*timeline.Hour
	length := int64(s.shortest+d.rnd.IntN(s.longest-s.shortest+1)) * timeline.Hour
	op := engine.PlaceHold{Lines: []engine.HoldLineInput{{
		Item: engine.Item{SKU: d.skus[i]}, Location: d.locations[d.rnd.IntN(len(d.locations))],
		Window: timeline.Span{Start: from, End: from + length}, Quantity: 1 + d.rnd.IntN(min(s.lot, 3)),
	}}}
	if from > d.today+demoDay && d.rnd.IntN(50) == 0 {
		cart := int64(7200)
		op.ExpiresIn, op.Note = &cart, "a cart"
	}
	return op
}

// submit does what it can of some commands and says how many were done: the stock may not carry all.
func (d *demo) submit(ops []engine.Op) (done int, err error) {
	futures := make([]*engine.Future, len(ops))
	for i, op := range ops {
		futures[i] = d.core.engine.Submit(engine.Command{Account: d.account, Actor: "demo", Op: op})
	}
	for _, f := range futures {
		var refusal *engine.Error
		switch _, e := f.Wait(); {
		case e == nil:
			done++
		case errors.As(e, &refusal) && refusal.Code == engine.CodeInsufficient:
		default:
			err = errors.Join(err, e)
		}
	}
	return done, err
}
