package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"time"

	"holdfast/api"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns the server of a run, on a directory of its own, with two accounts: one with 10,000 units of an
// article, holds that make a page of lists as long as it may be and an article that is sold out; and one that wants to
// book.

const secret = "0123456789abcdefghijABCDEFGHIJ0123456789"

func serve() (p plan, end func(), err error) {
	dir, err := os.MkdirTemp("", "holdfast-fair-")
	if err != nil {
		return p, nil, err
	}
	undo := []func(){func() { os.RemoveAll(dir) }}
	end = func() {
		for i := range undo {
			undo[len(undo)-1-i]()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	store, err := persist.Open(persist.Options{Dir: dir})
	if err != nil {
		return p, end, err
	}
	undo = append(undo, func() { store.Close() })
	now := func() int64 { return time.Now().UnixMilli() }
	began := time.Now()
	e, err := engine.Open(context.Background(), engine.Options{
		Store: store, Now: now, Payload: api.EventPayload, Logger: slog.New(slog.DiscardHandler),
		Random:    func() (b [10]byte) { rand.Read(b[:]); return b },
		Stopwatch: func() time.Duration { return time.Since(began) },
	})
	if err != nil {
		return p, end, err
	}
	undo = append(undo, func() { e.Close() })
	listener, err := listen()
	if err != nil {
		return p, end, err
	}
	s := api.NewServer(api.Options{Now: now, Logger: slog.New(slog.DiscardHandler)})
	s.Attach(e)
	go s.Serve(listener)
	undo = append(undo, func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		listener.Close()
		s.Shutdown(ctx)
	})
	p.Address, p.From = listener.Addr().String(), time.Now().UTC().Truncate(24*time.Hour)
	a := account{e: e, id: base.ID{6: 0x70, 8: 0x80, 15: 1}}
	b := account{e: e, id: base.ID{6: 0x70, 8: 0x80, 15: 2}}
	p.Key, p.Location, p.SKU = a.open("fair00000001", 10_000)
	p.Beside, p.BesideAt, p.Another = b.open("fair00000002", 10_000)
	p.SoldOut = a.article(p.Location, 12)
	a.hold(p.Location, p.SoldOut, p.From, 30, 12)
	for n := range 250 {
		a.hold(p.Location, p.SKU, p.From.AddDate(0, 0, 100+n), 1, 200)
	}
	if a.err == nil {
		a.err = b.err
	}
	return p, end, a.err
}

// account does commands until one fails.
type account struct {
	e   *engine.Engine
	id  base.ID
	err error
}

func (a *account) do(op base.Op) any {
	if a.err != nil {
		return nil
	}
	r, err := a.e.Do(engine.Command{Account: a.id, Actor: "bench", Op: op})
	a.err = err
	return r.Record
}

func (a *account) open(public string, units int) (key, location, sku string) {
	a.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Fair"}})
	a.do(engine.CreateKey{PublicID: public, Hash: sha256.Sum256([]byte(secret)), Label: "bench"})
	if l, ok := a.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Here", Timezone: "UTC"}}).(*stock.Location); ok {
		location = l.ID.String()
	}
	return fmt.Sprintf("hf_%s_%s", public, secret), location, a.article(location, units)
}

func (a *account) article(location string, units int) string {
	sku, ok := a.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Chair"}}).(*stock.SKU)
	if !ok {
		return ""
	}
	from, at := time.Now().Add(-24*time.Hour).UnixMilli(), parse(location)
	a.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Chair", SKU: &sku.ID},
		Quantities: []stock.InitialQuantity{{Location: at, Count: units, From: &from}}})
	return sku.ID.String()
}

func (a *account) hold(location, sku string, from time.Time, days, quantity int) {
	a.do(hold.PlaceHold{Lines: []hold.HoldLineInput{{
		Item: base.Item{SKU: parse(sku)}, Location: parse(location), Quantity: quantity,
		Window: timeline.Span{Start: from.UnixMilli(), End: from.AddDate(0, 0, days).UnixMilli()},
	}}})
}

func parse(id string) base.ID {
	x, _ := base.ParseID(id)
	return x
}
