package main

// This file owns a replay in this process: an engine on a directory of its own, every booking through the durable write
// path.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// The actor that the commands of a replay name.
const replayActor = "replay"

// ahead is how many commands may be under way at once. They are judged in order; none waits for another's sync.
const ahead = 1024

// playHere plays in a new data directory: the one that the options name, which is kept, or a temporary one.
func playHere(ctx context.Context, p *replayPlan, c replayConfig, file string, errs io.Writer, tick func()) (o outcome,
	err error) {
	bootstrap, err := bootstrapKey()
	if err != nil {
		return o, err
	}
	dir := c.data
	if dir == "" {
		if dir, err = os.MkdirTemp("", "holdfast-replay-*"); err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if err := mustBeNew(dir); err != nil {
		return o, err
	}
	log := slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	core, err := openCore(ctx, dir, engine.Options{
		// The clock stands still before every window of the file: nothing is over, so all that is not handed over may
		// move.
		Now: func() int64 { return p.start },
	}, log)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, core.Close()) }()
	first, err := core.firstRun(dir, "Replay of "+file, bootstrap)
	if err != nil {
		return o, err
	}
	r := enginePlay{ctx: ctx, engine: core.engine, account: first.account, plan: p, tick: tick}
	if err := r.stock(c.stock, file); err != nil {
		return o, err
	}
	if o, err = r.play(rules[c.placement]); err != nil {
		return o, err
	}
	if c.data != "" {
		first.show(errs, "The replay is kept in "+dir)
	}
	return o, first.confirm()
}

// mustBeNew refuses a directory in which there is anything.
func mustBeNew(dir string) error {
	names, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("%s is not empty: a replay is kept in a directory of its own", dir)
	}
	return err
}

// enginePlay is one replay on an engine.
type enginePlay struct {
	ctx      context.Context
	engine   *engine.Engine
	account  base.ID
	plan     *replayPlan
	tick     func()
	location base.ID
	skus     []base.ID // as plan.skus

	answers []answer // by stay
	waiting []int    // stays and releases not yet waited for, oldest first; a release is ^stay
	out     outcome
}

// answer is what came, or is to come, of one stay.
type answer struct {
	placed, released *engine.Future
	hold             base.ID // zero: refused
}

func (r *enginePlay) command(op base.Op) engine.Command {
	return engine.Command{Account: r.account, Actor: replayActor, Op: op, Brief: true}
}

// create runs a command that makes a record.
func create[R any](r *enginePlay, op base.Op) (*R, error) {
	res, err := r.engine.Do(r.command(op))
	if err != nil {
		return nil, err
	}
	return res.Record.(*R), nil
}

// stock makes the location, the SKUs and their units.
func (r *enginePlay) stock(kind, file string) error {
	location, err := create[stock.Location](r,
		stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: "Replay of " + file, Timezone: r.plan.zone.Name()}})
	if err != nil {
		return err
	}
	r.location = location.ID
	for _, s := range r.plan.skus {
		sku, err := create[stock.SKU](r,
			stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Room type " + s.name, Code: &s.name}, After: &cleaning})
		if err != nil {
			return err
		}
		r.skus = append(r.skus, sku.ID)
		for _, a := range articlesOf(s, kind) {
			quantities := make([]stock.InitialQuantity, len(a.counts))
			for i, n := range a.counts {
				quantities[i] = stock.InitialQuantity{Location: location.ID, Count: n, From: &r.plan.start}
			}
			if _, err := create[stock.Article](r,
				stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: a.name, SKU: &sku.ID},
					Quantities: quantities}); err != nil {
				return err
			}
		}
		if err := ended(r.ctx); err != nil {
			return err
		}
	}
	return nil
}

// stockArticle is an article to make, with its units in counts that one request may have.
type stockArticle struct {
	name   string
	counts []int
}

// articlesOf lists the articles of a SKU: one a unit, or one with all.
func articlesOf(s replaySKU, kind string) (list []stockArticle) {
	if kind == stockLot {
		lot := stockArticle{name: "Rooms " + s.name}
		const most = 10_000
		for left := s.units; left > 0; left -= most {
			lot.counts = append(lot.counts, min(left, most))
		}
		return []stockArticle{lot}
	}
	for i := range s.units {
		list = append(list, stockArticle{name: "Room " + s.name + " " + strconv.Itoa(i+1), counts: []int{1}})
	}
	return list
}

// play submits every event in order and collects the answers.
func (r *enginePlay) play(rule timeline.Rule) (outcome, error) {
	r.answers = make([]answer, len(r.plan.stays))
	r.out = outcome{accepted: make([]bool, len(r.plan.stays)), moves: make([]int, len(r.plan.skus))}
	begin := time.Now()
	for i, e := range r.plan.events {
		if i%ahead == 0 {
			if err := ended(r.ctx); err != nil {
				return r.out, err
			}
		}
		r.submit(e, rule)
		for len(r.waiting) > ahead {
			if err := r.settleOldest(); err != nil {
				return r.out, err
			}
		}
		r.tick()
	}
	for len(r.waiting) > 0 {
		if err := r.settleOldest(); err != nil {
			return r.out, err
		}
	}
	r.out.took = time.Since(begin)
	return r.out, nil
}

func (r *enginePlay) submit(e event, rule timeline.Rule) {
	s, a := &r.plan.stays[e.stay], &r.answers[e.stay]
	if !e.off {
		a.placed = r.engine.Submit(r.command(hold.PlaceHold{
			Lines: []hold.HoldLineInput{
				{Item: base.Item{SKU: r.skus[s.sku]}, Location: r.location, Window: s.window, Quantity: 1}},
			Note: "row " + strconv.Itoa(s.row),
			Rule: rule,
		}))
		r.waiting = append(r.waiting, e.stay)
		return
	}
	made := a.hold
	if a.placed != nil {
		// Commands go in order: the judgement of the booking says what there is to release, its sync need not be waited
		// for.
		res, err := a.placed.Planned()
		if err != nil {
			return // refused: its own turn reports that
		}
		made = res.Record.(*hold.Hold).ID
	}
	if made == (base.ID{}) {
		return
	}
	a.released = r.engine.Submit(r.command(hold.ReleaseHold{ID: made}))
	r.waiting = append(r.waiting, ^e.stay)
}

func (r *enginePlay) settleOldest() error {
	stay := r.waiting[0]
	r.waiting = r.waiting[1:]
	if stay >= 0 {
		return r.settlePlaced(stay)
	}
	a := &r.answers[^stay]
	res, err := a.released.Wait()
	a.released = nil
	if err != nil {
		return fmt.Errorf("row %d could not be called off: %w", r.plan.stays[^stay].row, err)
	}
	r.count(^stay, res)
	return nil
}

// settlePlaced waits for the answer to a booking, once.
func (r *enginePlay) settlePlaced(stay int) error {
	a := &r.answers[stay]
	if a.placed == nil {
		return nil
	}
	res, err := a.placed.Wait()
	a.placed = nil
	var refusal *base.Error
	switch {
	case err == nil:
		a.hold = res.Record.(*hold.Hold).ID
		r.out.accepted[stay] = true
	case errors.As(err, &refusal) && refusal.Code == base.CodeInsufficient:
	default:
		return fmt.Errorf("row %d: %w", r.plan.stays[stay].row, err)
	}
	r.count(stay, res)
	return nil
}

// count adds what a command moved, and how long its decision took.
func (r *enginePlay) count(stay int, res engine.Result) {
	r.out.moves[r.plan.stays[stay].sku] += res.Moves
	r.out.longest = max(r.out.longest, res.Took)
}
