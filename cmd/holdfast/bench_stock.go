package main

// This file owns the stock that workloads make to write on, and how it is removed again.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/timeline"
)

// benchName is what all records are called that a bench makes.
const benchName = "Holdfast bench"

// ownStock is a location with SKUs and articles of a workload, and the holds that were taken on them.
type ownStock struct {
	bench    *bench
	location string
	skus     []string
	articles []string
	holds    [][]uuid.UUID // by client
}

// makeStock makes SKUs with articles of so many units each. Where it fails, it removes the stock that it has made until
// then.
func (b *bench) makeStock(skus, articles, units int) (s *ownStock, err error) {
	s = &ownStock{bench: b, holds: make([][]uuid.UUID, b.clients)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.remove(func(string) {}))
		}
	}()
	run := uuid.NewString() // a workload's idempotency keys are its own
	make := func(path, name string, in any) (string, error) {
		var made named
		err := b.do(http.MethodPost, path, run+"-"+name, in, &made)
		return made.ID, err
	}
	if s.location, err = make("locations", "location", map[string]any{"name": benchName, "timezone": "UTC"}); err !=
		nil {
		return s, err
	}
	for i := range skus {
		sku, err := make("skus", "sku-"+strconv.Itoa(i), map[string]any{"name": benchName})
		if err != nil {
			return s, err
		}
		s.skus = append(s.skus, sku)
		for k := range articles {
			article, err := make("articles", fmt.Sprintf("article-%d-%d", i, k), map[string]any{
				"name": benchName, "skuId": sku,
				"quantities": []map[string]any{{"serviceLocationId": s.location, "count": units}},
			})
			if err != nil {
				return s, err
			}
			s.articles = append(s.articles, article)
		}
	}
	return s, nil
}

// hold is the request that takes units of the n-th SKU, as a cart does.
func (s *ownStock) hold(n, quantity int, w timeline.Span) []byte {
	return fmt.Appendf(nil,
		`{"lines":[{"skuId":"%s","serviceLocationId":"%s","quantity":%d,"from":"%s","to":"%s"}],"expiresInSeconds":%d}`,
		s.skus[n], s.location, quantity, instantText(w.Start), instantText(w.End), holdLapses)
}

// take sends such a request, outside of what is measured.
func (s *ownStock) take(body []byte) error {
	var made named
	if err := s.bench.do(http.MethodPost, "holds", "", json.RawMessage(body), &made); err != nil {
		return err
	}
	return s.keep(0, []byte(`{"id":"`+made.ID+`"`))
}

// keep notes the hold that an answer shows: its id comes first.
func (s *ownStock) keep(client int, answer []byte) error {
	const idLength = 36
	_, rest, found := bytes.Cut(answer, []byte(`"id":"`))
	if !found || len(rest) < idLength {
		return fmt.Errorf("the server answers a hold without an id: %.200s", answer)
	}
	id, err := uuid.ParseBytes(rest[:idLength])
	if err != nil {
		return fmt.Errorf("the server answers a hold without an id: %.200s", answer)
	}
	s.holds[client] = append(s.holds[client], id)
	return nil
}

// remove releases the holds and deletes what was made, also where the run was interrupted.
func (s *ownStock) remove(progress func(what string)) error {
	b := *s.bench
	cl := *b.client
	cl.ctx = context.WithoutCancel(cl.ctx)
	b.benchTarget = &benchTarget{client: &cl}
	var ids []uuid.UUID
	for _, list := range s.holds {
		ids = append(ids, list...)
	}
	progress(fmt.Sprintf("releases %d holds", len(ids)))
	r := &requests{method: http.MethodDelete, path: "holds", status: http.StatusOK}
	_, err := b.drive(r, b.clients, time.Hour, func(i int) (path string, more bool) {
		if i >= len(ids) {
			return "", false
		}
		return "holds/" + ids[i].String(), true
	})
	errs := []error{err}
	remove := func(path, id string) {
		if id != "" {
			errs = append(errs, b.do(http.MethodDelete, path+"/"+id, "", nil, nil))
		}
	}
	for _, id := range s.articles {
		remove("articles", id)
	}
	for _, id := range s.skus {
		remove("skus", id)
	}
	remove("locations", s.location)
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("not all that was made is removed; it is called %q: %w", benchName, err)
	}
	return nil
}
