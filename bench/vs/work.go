package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/valyala/fasthttp"

	"holdfast/bench"
	"holdfast/bench/dataset"
)

// This file owns the kinds of work, and how each is driven.

type sides struct {
	*holdfast
	*postgres
}

// outcome says what an operation came to.
type outcome int

const (
	done   outcome = iota
	denied         // no unit was free
	aside          // work that runs at the same time as the measured work
)

// operation does the i-th piece of work of all clients.
type operation func(i int) (outcome, error)

// work is one kind of work on both sides. Each function makes what one client does.
type work struct {
	name, about string
	goal        float64 // how many times PostgreSQL's rate at 32 clients
	least, most int     // clients
	holdfast    func(c *caller, client int) operation
	postgres    func(ctx context.Context, conn *pgx.Conn, client int) operation
	check       func(ctx context.Context, c *caller, conn *pgx.Conn) error
	denies      bool // every answer is that nothing is free
}

const drawn = 1 << 15

// stays are bookings of the data set's stream, which both sides work off from its beginning.
type stays struct {
	mu   sync.Mutex
	set  *dataset.Set
	list []dataset.Hold
}

func (s *stays) at(i int) dataset.Hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.list) <= i {
		for range 10_000 {
			s.list = append(s.list, s.set.Next())
		}
	}
	return s.list[i]
}

// turns hands out numbers that go on from one run to the next.
type turns struct{ holdfast, postgres atomic.Int64 }

func ask(c *caller, path string, queries [][]byte) operation {
	return func(i int) (outcome, error) {
		return c.answered(c.get(path, queries[i%len(queries)]))
	}
}

func (c *caller) answered(status int, err error) (outcome, error) {
	switch {
	case err != nil:
		return done, err
	case status == fasthttp.StatusConflict:
		return denied, nil
	case status != fasthttp.StatusOK:
		return done, fmt.Errorf("the service answers %d: %.300s", status, c.response.Body())
	}
	return done, nil
}

// rows reads all rows of a statement, as a program that shows them has to.
func rows(ctx context.Context, conn *pgx.Conn, sql string, args ...any) (n int, err error) {
	list, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	defer list.Close()
	for list.Next() {
		if _, err := list.Values(); err != nil {
			return n, err
		}
		n++
	}
	return n, list.Err()
}

func queriesOf(list []question, text func(question) []byte) [][]byte {
	all := make([][]byte, len(list))
	for i, q := range list {
		all[i] = text(q)
	}
	return all
}

func reading(name, about string, goal float64, path string, list []question, text func(question) []byte, sql string,
	args func(question) []any) work {
	queries := queriesOf(list, text)
	return work{
		name: name, about: about, goal: goal,
		holdfast: func(c *caller, _ int) operation { return ask(c, path, queries) },
		postgres: func(ctx context.Context, conn *pgx.Conn, _ int) operation {
			return func(i int) (outcome, error) {
				_, err := rows(ctx, conn, sql, args(list[i%len(list)])...)
				return done, err
			}
		},
	}
}

// works are all kinds of work; those that book come after those that ask.
func works(s *sharedStock) []work {
	shoppers, popular := s.questions(drawn, 11, false), s.questions(drawn, 12, true)
	point := reading("point", "one article at its place over a window", 0, availabilityPath, shoppers, s.pointQuery,
		pointSQL,
		func(q question) []any { return []any{q.from(), q.to(), q.article} })
	point.check = s.checkPoints(shoppers)
	skuArgs := func(q question) []any { return []any{q.from(), q.to(), q.sku, q.location} }
	sku := reading("SKU", "a SKU at one place over a window", 20, availabilityPath, popular, s.skuQuery, skuSQL,
		skuArgs)
	sku.check = s.checkSKUs(popular)
	list := reading("list", "the first 50 of all articles by units free in a week, with the total", 150,
		"/v1/admin/articles", shoppers, listQuery, listSQL,
		func(q question) []any { w := week(q); return []any{w.from(), w.to()} })
	list.check = s.checkLists(shoppers)
	days := reading("calendar", "a SKU at one place, the units free of each of 90 days", 100,
		"/v1/admin/availability/calendar", popular, s.calendarQuery, calendarSQL,
		func(q question) []any { w := calendar(q); return []any{w.from(), w.to(), q.sku, q.location} })
	days.check = s.checkCalendars(popular)

	next := &stays{set: s.world.Set}
	booked := new(turns)
	spread := bookings(s, booked, func(i int) (sku, location int, w window) {
		h := next.at(i)
		return h.SKU, h.Location, window{h.Start, h.End}
	})
	spread.name, spread.about, spread.goal = "book", "one unit, durable, spread over the stock", 6
	one := bookings(s, new(turns), func(i int) (int, int, window) {
		const hour = 60 * 60 * 1000
		q := dataset.Rand(uint64(i) + 1)
		length := int64(1+q.Int(14*24)) * hour
		start := dataset.Epoch + 24*hour + int64(q.Int(int((dataset.End-dataset.Epoch-24*hour-length)/hour)))*hour
		return s.world.Set.SKUs, 0, window{start, start + length}
	})
	one.name, one.about, one.goal = "one pool", "one unit, durable, all of one SKU of 10,000 units", 12
	gone := bookings(s, new(turns), func(int) (int, int, window) { return s.sale, 0, s.saleWindow })
	gone.name, gone.about, gone.goal, gone.denies = "sold out",
		"one unit of a SKU of 54 articles of which none is free", 10, true

	return []work{point, sku, list, days, s.bulk(shoppers, popular), spread, one, gone, beside(sku, spread)}
}

func bookings(s *sharedStock, t *turns, draw func(i int) (sku, location int, w window)) work {
	return work{
		holdfast: func(c *caller, _ int) operation {
			return func(int) (outcome, error) {
				sku, location, w := draw(int(t.holdfast.Add(1) - 1))
				return c.answered(c.post(holdsPath, s.holdBody(sku, location, w)))
			}
		},
		postgres: func(ctx context.Context, conn *pgx.Conn, _ int) operation {
			return func(int) (outcome, error) {
				sku, location, w := draw(int(t.postgres.Add(1) - 1))
				soldOut, err := book(ctx, conn, sku, location, w)
				if soldOut {
					return denied, err
				}
				return done, err
			}
		},
	}
}

const bulkLines = 10_000

// bulk asks about 10,000 windows in one call, of articles and SKUs in turns.
func (s *sharedStock) bulk(articles, skus []question) work {
	var lists [4][]question
	bodies := make([][]byte, len(lists))
	for i := range lists {
		for k := range bulkLines {
			from := articles
			if k%2 == 1 {
				from = skus
			}
			lists[i] = append(lists[i], from[(i*bulkLines+k)%len(from)])
		}
		bodies[i] = s.bulkBody(lists[i])
	}
	return work{
		name: "bulk", about: "10,000 windows in one call", goal: 20, most: 8,
		holdfast: func(c *caller, _ int) operation {
			return func(i int) (outcome, error) {
				return c.answered(c.post(availabilityPath+"/query", bodies[i%len(bodies)]))
			}
		},
		postgres: func(ctx context.Context, conn *pgx.Conn, _ int) operation {
			return func(i int) (outcome, error) { return done, askMany(ctx, conn, lists[i%len(lists)]) }
		},
		check: s.checkBulk(lists[0], bodies[0]),
	}
}

// askMany asks about articles with one statement and about SKUs with another.
func askMany(ctx context.Context, conn *pgx.Conn, list []question) error {
	var from, to [2][]time.Time
	var articles, skus, locations []int
	for i, q := range list {
		from[i%2], to[i%2] = append(from[i%2], q.from()), append(to[i%2], q.to())
		if i%2 == 0 {
			articles = append(articles, q.article)
		} else {
			skus, locations = append(skus, q.sku), append(locations, q.location)
		}
	}
	n, err := rows(ctx, conn, pointsSQL, from[0], to[0], articles)
	m, e := rows(ctx, conn, skusSQL, from[1], to[1], skus, locations)
	if err = errors.Join(err, e); err == nil && n+m != len(list) {
		return fmt.Errorf("PostgreSQL answers %d of %d questions", n+m, len(list))
	}
	return err
}

// beside reads with every second client, while the others book as fast as they can.
func beside(read, write work) work {
	return work{
		name: "SKU beside bookings", about: "half of the clients ask, the other half books at full speed", least: 2,
		holdfast: func(c *caller, client int) operation {
			if client%2 == 0 {
				return read.holdfast(c, client)
			}
			return notCounted(write.holdfast(c, client))
		},
		postgres: func(ctx context.Context, conn *pgx.Conn, client int) operation {
			if client%2 == 0 {
				return read.postgres(ctx, conn, client)
			}
			return notCounted(write.postgres(ctx, conn, client))
		},
	}
}

func notCounted(do operation) operation {
	return func(i int) (outcome, error) {
		_, err := do(i)
		return aside, err
	}
}

// measured is what one side did of one kind of work.
type measured struct {
	PerSecond float64 `json:"perSecond"`
	P50us     float64 `json:"p50us"`
	P99us     float64 `json:"p99us"`
	Count     int     `json:"count"`
	Denied    int     `json:"denied,omitempty"` // bookings that were refused because nothing is free
}

// drive does operations from many clients for a time; each of them at least one.
func drive(clients int, budget time.Duration, client func(no int) (operation, func(), error)) (r measured, err error) {
	operations := make([]operation, clients)
	for i := range operations {
		do, end, err := client(i)
		if err != nil {
			return r, err
		}
		defer end()
		operations[i] = do
	}
	var next, denials atomic.Int64
	times, errs := make([][]time.Duration, clients), make([]error, clients)
	var workers sync.WaitGroup
	begin := time.Now()
	end := begin.Add(budget)
	for i, do := range operations {
		workers.Go(func() {
			for first := true; first || time.Now().Before(end); first = false {
				start := time.Now()
				o, err := do(int(next.Add(1) - 1))
				if errs[i] = err; err != nil {
					return
				}
				if o == denied {
					denials.Add(1)
				}
				if o != aside {
					times[i] = append(times[i], time.Since(start))
				}
			}
		})
	}
	workers.Wait()
	took := time.Since(begin)
	all := slices.Concat(times...)
	p50, p99 := bench.Percentiles(all)
	r = measured{float64(len(all)) / took.Seconds(), micros(p50), micros(p99), len(all), int(denials.Load())}
	return r, errors.Join(errs...)
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// measureAll checks each kind of work and does it with each number of clients, on one side after the other.
func measureAll(ctx context.Context, o options, s *sharedStock, both sides, r *report, progress func(string)) error {
	for _, w := range works(s) {
		if !o.only.MatchString(w.name) {
			continue
		}
		if err := w.checkBoth(ctx, both, progress); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		for _, n := range o.clients {
			if n < w.least || w.most > 0 && n > w.most {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			progress(fmt.Sprintf("%s, %d clients", w.name, n))
			ours, err := drive(n, o.budget, func(no int) (operation, func(), error) {
				c := newCaller(both.server.Address, both.server.Key)
				return w.holdfast(c, no), c.close, nil
			})
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			theirs, err := drive(n, o.budget, func(no int) (operation, func(), error) {
				conn, err := pgx.Connect(ctx, both.url)
				if err != nil {
					return nil, nil, err
				}
				return w.postgres(ctx, conn, no), func() { conn.Close(ctx) }, nil
			})
			if err != nil {
				return fmt.Errorf("%s on PostgreSQL: %w", w.name, err)
			}
			if err := w.plausible(ours, theirs); err != nil {
				return err
			}
			r.add(w, n, ours, theirs)
		}
	}
	return nil
}

// plausible says whether all bookings of what is sold out were refused.
func (w *work) plausible(ours, theirs measured) error {
	if w.denies && (ours.Denied < ours.Count || theirs.Denied < theirs.Count) {
		return fmt.Errorf("%s: a booking of what is sold out was accepted", w.name)
	}
	return nil
}

func (w *work) checkBoth(ctx context.Context, both sides, progress func(string)) error {
	if w.check == nil {
		return nil
	}
	progress("checking " + w.name)
	c := newCaller(both.server.Address, both.server.Key)
	defer c.close()
	conn, err := pgx.Connect(ctx, both.url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return w.check(ctx, c, conn)
}
