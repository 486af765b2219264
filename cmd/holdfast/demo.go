package main

// This file owns the demo merchant: a rental of bicycles and cameras, small enough to look at and full enough to show
// something.

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// demoSeed makes every demo the same, except for the day on which it is made.
const demoSeed = 20250601

const demoDay = 24 * timeline.Hour

// loadDemo fills the account of a first run with the demo merchant; on a directory that is in use already it leaves
// everything as it is.
func (c *core) loadDemo(first firstRun, log *slog.Logger) error {
	if first.key == "" {
		log.Info("the data directory is in use already: the demo merchant is not loaded")
		return nil
	}
	if view, _ := c.engine.View(first.account); stock.Locations(view).Len() > 0 {
		return errors.New("an earlier first run was cut short while it loaded the demo merchant: begin again with " +
			"an empty data directory")
	}
	d := demo{core: c, account: first.account, rnd: rand.New(rand.NewPCG(demoSeed, 1)),
		today: c.engine.Now() / demoDay * demoDay}
	d.place() // first: a location is how a start knows of a demo that was cut short
	d.label()
	d.stock()
	d.offer()
	d.meet()
	d.rent()
	d.sell()
	if d.err != nil {
		return fmt.Errorf("demo merchant: %w", d.err)
	}
	return nil
}

// demo is the merchant being made. Behind an error nothing more is done.
type demo struct {
	core      *core
	account   base.ID
	rnd       *rand.Rand
	today     int64 // the beginning of the day in UTC
	err       error
	locations []base.ID
	tags      map[string]base.ID // by value
	skus      map[string]base.ID // by code
	articles  []demoArticle
	kits      []base.ID // of demoKits
	customers []string  // their names
}

// made does a command that answers with a record of a type. Behind an error the record is an empty one.
func made[R any](d *demo, op base.Op) *R {
	if records := allMade[R](d, op); len(records) > 0 {
		return records[0]
	}
	return new(R)
}

// allMade does several such commands at once.
func allMade[R any](d *demo, ops ...base.Op) (records []*R) {
	for _, f := range d.start(ops) {
		res, err := f.Wait()
		if err != nil {
			d.err = errors.Join(d.err, err)
			continue
		}
		records = append(records, res.Record.(*R))
	}
	return records
}

// try does what it can of some commands and says how many were done: the stock may not carry all.
func (d *demo) try(ops []base.Op) (done int) {
	for _, f := range d.start(ops) {
		var refusal *base.Error
		switch _, err := f.Wait(); {
		case err == nil:
			done++
		case errors.As(err, &refusal) && refusal.Code == base.CodeInsufficient:
		default:
			d.err = errors.Join(d.err, err)
		}
	}
	return done
}

// start hands commands to the writer in their order, to be waited for together.
func (d *demo) start(ops []base.Op) (futures []*engine.Future) {
	if d.err != nil {
		return nil
	}
	for _, op := range ops {
		futures = append(futures,
			d.core.engine.Submit(engine.Command{Account: d.account, Actor: "demo", Op: op, Brief: true}))
	}
	return futures
}

// draw takes one of some things.
func draw[T any](d *demo, list []T) T { return list[d.rnd.IntN(len(list))] }

func ptr[T any](v T) *T { return &v }
