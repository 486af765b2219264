package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"holdfast/api"
	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns the directory that the program serves: a merchant, and a past of holds that have ended.

const (
	kinds  = 20  // of things
	units  = 400 // of each
	ahead  = 300 // days that are booked
	expiry = 30  // seconds until a cart lapses

	publicKey = "soak00000001"
	secretKey = "0123456789abcdefghijABCDEFGHIJ0123456789"

	endedKept = 24 * time.Hour // the engine keeps an ended hold for so long
)

// merchant is the account that is visited.
type merchant struct {
	key, location string
	skus          []string
	from          time.Time // the first day that is booked
	past          int       // holds that have ended
}

// furnish makes a directory with a merchant. So many of its holds a second ended yesterday, from this hour on and for
// as long as the load will last: during the load the program forgets as many holds as it gains.
func furnish(ctx context.Context, dir string, endings float64, length time.Duration) (m *merchant, err error) {
	store, err := persist.Open(persist.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	var clock atomic.Int64
	clock.Store(time.Now().Add(-endedKept - expiry*time.Second).UnixMilli())
	e, err := engine.Open(ctx, engine.Options{
		Store: store, Now: clock.Load, Manual: true, Payload: api.EventPayload, Logger: slog.New(slog.DiscardHandler),
		Random: func() (b [10]byte) { rand.Read(b[:]); return b },
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	account := base.ID{6: 0x70, 8: 0x80, 15: 1}
	do := func(op base.Op) any {
		if err != nil {
			return nil
		}
		var r engine.Result
		r, err = e.Do(engine.Command{Account: account, Actor: "soak", Op: op})
		return r.Record
	}
	do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Soak"}})
	do(engine.CreateKey{PublicID: publicKey, Hash: sha256.Sum256([]byte(secretKey)), Label: "soak",
		Version: api.Version})
	location, _ := do(
		stock.CreateLocation{LocationFields: stock.LocationFields{Name: "Here", Timezone: "UTC"}}).(*stock.Location)
	if err != nil {
		return nil, err
	}
	m = &merchant{key: fmt.Sprintf("hf_%s_%s", publicKey, secretKey), location: location.ID.String(),
		from: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 2)}
	var skus []base.ID
	for i := range kinds {
		sku, _ := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: fmt.Sprint("Kind ", i)}}).(*stock.SKU)
		if err != nil {
			return nil, err
		}
		begin := clock.Load()
		do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: fmt.Sprint("Lot ", i), SKU: &sku.ID},
			Quantities: []stock.InitialQuantity{{Location: location.ID, Count: units, From: &begin}}})
		skus, m.skus = append(skus, sku.ID), append(m.skus, sku.ID.String())
	}
	if err != nil || endings == 0 {
		return m, err
	}
	p := dataset.NewPipeline(e, account)
	ttl := int64(expiry)
	for began := clock.Load(); ctx.Err() == nil; clock.Add(1000) {
		for due := endings * float64(clock.Load()-began) / 1000; float64(m.past) < due; m.past++ {
			from := m.from.AddDate(0, 0, m.past%ahead)
			p.Submit(hold.PlaceHold{ExpiresIn: &ttl, Lines: []hold.HoldLineInput{{
				Item: base.Item{SKU: skus[m.past/ahead%kinds]}, Location: location.ID, Quantity: 1,
				Window: timeline.Span{Start: from.UnixMilli(), End: from.AddDate(0, 0, 1).UnixMilli()},
			}}})
		}
		if err := errors.Join(p.Flush(), e.Tick(ctx)); err != nil {
			return nil, err
		}
		if clock.Load() > time.Now().Add(length-endedKept).UnixMilli() {
			break
		}
	}
	return m, ctx.Err()
}
