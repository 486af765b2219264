package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// This file owns what is held against the plain sweep before it is timed.

const checked = 25 // questions of each kind

type checkBoth = func(ctx context.Context, c *caller, conn *pgx.Conn) error

type availability struct{ Available int }

// agree says what differs.
func agree(what string, want, ours, theirs any) error {
	if w := fmt.Sprint(want); fmt.Sprint(ours) != w || fmt.Sprint(theirs) != w {
		return fmt.Errorf("%s: the sweep says %v, Holdfast %v, PostgreSQL %v", what, want, ours, theirs)
	}
	return nil
}

func numbers(ctx context.Context, conn *pgx.Conn, sql string, args ...any) ([]int, error) {
	list, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(list, pgx.RowTo[int])
}

func (s *sharedStock) checkPoints(list []question) checkBoth {
	return func(ctx context.Context, c *caller, conn *pgx.Conn) error {
		for _, q := range list[:checked] {
			if _, err := c.get(availabilityPath, s.pointQuery(q)); err != nil {
				return err
			}
			var ours availability
			if err := c.read(&ours); err != nil {
				return err
			}
			theirs, err := numbers(ctx, conn, pointSQL, q.from(), q.to(), q.article)
			if err != nil {
				return err
			}
			if err := agree("an article", []int{s.freeOfArticle(q)}, []int{ours.Available}, theirs); err != nil {
				return err
			}
		}
		return nil
	}
}

func (s *sharedStock) checkSKUs(list []question) checkBoth {
	return func(ctx context.Context, c *caller, conn *pgx.Conn) error {
		for _, q := range list[:checked] {
			if _, err := c.get(availabilityPath, s.skuQuery(q)); err != nil {
				return err
			}
			var ours availability
			if err := c.read(&ours); err != nil {
				return err
			}
			theirs, err := numbers(ctx, conn, skuSQL, q.from(), q.to(), q.sku, q.location)
			if err != nil {
				return err
			}
			if err := agree("a SKU", []int{s.freeOfSKU(q.sku, q.location, q.window)}, []int{ours.Available},
				theirs); err != nil {
				return err
			}
		}
		return nil
	}
}

func (s *sharedStock) checkLists(list []question) checkBoth {
	type line struct {
		No    int
		Name  string
		Free  int
		Total int
	}
	return func(ctx context.Context, c *caller, conn *pgx.Conn) error {
		for _, q := range list[:3] {
			if _, err := c.get("/v1/admin/articles", listQuery(q)); err != nil {
				return err
			}
			var page struct {
				Articles   []struct{ Availability struct{ Total int } }
				TotalCount int
			}
			if err := c.read(&page); err != nil {
				return err
			}
			w := week(q)
			found, err := conn.Query(ctx, listSQL, w.from(), w.to())
			if err != nil {
				return err
			}
			lines, err := pgx.CollectRows(found, pgx.RowToStructByPos[line])
			if err != nil {
				return err
			}
			_, want := s.best(50, w)
			ours, theirs := []int{page.TotalCount}, []int{lines[0].Total}
			for _, a := range page.Articles {
				ours = append(ours, a.Availability.Total)
			}
			for _, l := range lines {
				theirs = append(theirs, l.Free)
			}
			if err := agree("a list", append([]int{len(s.articles)}, want...), ours, theirs); err != nil {
				return err
			}
		}
		return nil
	}
}

func (s *sharedStock) checkCalendars(list []question) checkBoth {
	return func(ctx context.Context, c *caller, conn *pgx.Conn) error {
		for _, q := range list[:5] {
			if _, err := c.get("/v1/admin/availability/calendar", s.calendarQuery(q)); err != nil {
				return err
			}
			var page struct{ Buckets []availability }
			if err := c.read(&page); err != nil {
				return err
			}
			w := calendar(q)
			theirs, err := numbers(ctx, conn, calendarSQL, w.from(), w.to(), q.sku, q.location)
			if err != nil {
				return err
			}
			var ours, want []int
			for i, b := range page.Buckets {
				start := w.start + int64(i)*day
				ours, want = append(ours, b.Available),
					append(want, s.freeOfSKU(q.sku, q.location, window{start, start + day}))
			}
			if len(ours) != calendarDays {
				return fmt.Errorf("a calendar has %d days", len(ours))
			}
			if err := agree("a calendar", want, ours, theirs); err != nil {
				return err
			}
		}
		return nil
	}
}

func (s *sharedStock) checkBulk(list []question, body []byte) checkBoth {
	return func(ctx context.Context, c *caller, conn *pgx.Conn) error {
		if _, err := c.post(availabilityPath+"/query", body); err != nil {
			return err
		}
		var ours struct{ Lines []availability }
		if err := c.read(&ours); err != nil {
			return err
		}
		if len(ours.Lines) != len(list) {
			return fmt.Errorf("the service answers %d of %d questions", len(ours.Lines), len(list))
		}
		for i, q := range list[:checked] {
			want, sql, args := 0, pointSQL, []any{q.from(), q.to(), q.article}
			if i%2 == 1 {
				sql, args = skuSQL, []any{q.from(), q.to(), q.sku, q.location}
				want = s.freeOfSKU(q.sku, q.location, q.window)
			} else {
				want = s.freeOfArticle(q)
			}
			theirs, err := numbers(ctx, conn, sql, args...)
			if err != nil {
				return err
			}
			if err := agree("a line of many", []int{want}, []int{ours.Lines[i].Available}, theirs); err != nil {
				return err
			}
		}
		return askMany(ctx, conn, list)
	}
}
