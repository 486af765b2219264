package main

import (
	"encoding/binary"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/persist"
	"holdfast/timeline"
)

// This file holds that the demo merchant has something of everything, and is the same wherever it is made.

// demoCore is an engine with a clock that stands and ids that can be foretold, and in it the demo merchant.
func demoCore(t *testing.T, dir string, now int64) (*core, base.ID) {
	store, err := persist.Open(persist.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	var drawn atomic.Uint64
	e, err := engine.Open(t.Context(), engine.Options{
		Store: store, Manual: true, Now: func() int64 { return now }, Logger: slog.New(slog.DiscardHandler),
		Random: func() (b [10]byte) {
			binary.BigEndian.PutUint64(b[2:], drawn.Add(1)<<20)
			return b
		},
	})
	require.NoError(t, err)
	c := &core{store: store, engine: e}
	account := base.ID{6: 0x70, 8: 0x80, 15: 1}
	if len(e.Accounts()) == 0 {
		err = c.do(account, base.CreateAccount{AccountFields: base.AccountFields{Name: "Holdfast"}})
		require.NoError(t, err)
		require.NoError(t, c.loadDemo(firstRun{account: account, key: "there is one"}, slog.New(slog.DiscardHandler)))
	}
	return c, account
}

func TestDemoHasSomethingOfEverything(t *testing.T) {
	const now = 1_780_000_000_000 // an afternoon in May 2026
	dir := t.TempDir()
	c, account := demoCore(t, dir, now)
	v, ok := c.engine.View(account)
	require.True(t, ok)
	require.NoError(t, c.engine.Check())

	zones := map[string]bool{}
	for l := range stock.Locations(v).All() {
		zones[l.Timezone] = true
		require.NotNil(t, l.Address)
	}
	require.Len(t, zones, 3)
	require.Equal(t, [2]int{16, 195}, [2]int{stock.SKUs(v).Len(), stock.Articles(v).Len()})

	scopes, formats := map[label.TagScope]int{}, map[label.AttributeFormat]int{}
	for g := range label.Tags(v).All() {
		scopes[g.Scope]++
	}
	for d := range label.Attributes(v).All() {
		formats[d.Format]++
	}
	require.Len(t, scopes, 4)
	require.Len(t, formats, 7, "all but those that are computed elsewhere")

	// Labels of their own, and those that articles have of their SKUs.
	tagged, states, files, costs := map[string]int{}, map[stock.ArticleStatus]int{}, 0, 0
	archived, inherited, earning := 0, 0, 0
	for r := range stock.Articles(v).All() {
		tagged["articles"] += len(r.Tags)
		states[r.Status]++
		if r.ArchivedAt != nil {
			archived++
		}
		if r.ItemCosts != nil {
			costs++
		}
		require.NotNil(t, r.Details.Category)
		files += len(r.Details.Media) + len(r.Details.Documents)
		own := 0
		label.EachAttribute(v, &r.Labels, &stock.SKUByID(v, *r.SKU).Labels,
			func(_ *label.Attribute, _ label.Value, isOwn bool) {
				if isOwn {
					own++
				} else {
					inherited++
				}
			})
		require.Positive(t, own)
		income, profit := stock.Earnings(v, r)
		require.Less(t, profit, income)
		if income > 0 {
			earning++
		}
	}
	require.Len(t, states, 3)
	require.Equal(t, 1, archived)
	require.Positive(t, files)
	require.Greater(t, costs, 100)
	require.Greater(t, earning, 20)
	require.Greater(t, inherited, 100)

	companies := 0
	for m := range commerce.Customers(v).All() {
		tagged["customers"] += len(m.Tags)
		if m.CustomerType == commerce.Business {
			companies++
		}
		require.NotEmpty(t, m.Name())
	}
	require.Equal(t, [2]int{demoCustomers, demoCustomers / 8}, [2]int{commerce.Customers(v).Len(), companies})

	// Whatever is offered has a price for each way in which it is, and can be had.
	items, _ := commerce.Catalog(v, commerce.CatalogFilter{Active: true, Archived: true}, 0, 100)
	kits, offered := map[base.ID]bool{}, 0
	for _, i := range items {
		tagged["catalog"] += len(i.Tags)
		if !i.Takes() {
			continue
		}
		offered++
		if len(i.Components) > 1 {
			kits[i.ID] = true
		}
		for _, p := range i.Purchases {
			rows := commerce.PricingTableByID(v, *i.PricingTable).Rows
			priced := false
			for _, row := range rows {
				priced = priced || row.Purchase == p && row.Price > 0
			}
			require.True(t, priced, "%s has no price for a %s", i.Name, p)
		}
		later := timeline.Span{Start: now + 200*demoDay, End: now + 201*demoDay}
		free, err := hold.Available(v, hold.Query{Item: base.Item{CatalogItem: i.ID}, Window: later}, now)
		require.NoError(t, err)
		require.Positive(t, free.Available, i.Name)
	}
	require.Equal(t, [3]int{21, 19, 3}, [3]int{len(items), offered, len(kits)})
	external := 0
	for p := range commerce.PricingTables(v).All() {
		if p.External {
			external += len(p.Externals)
		}
	}
	require.Equal(t, 1, external)
	for _, area := range []string{"articles", "customers", "catalog"} {
		require.Positive(t, tagged[area], area)
	}

	// Orders in every state, one of them late in a minute, some subscribed to; codes that are used.
	stages, subscribed := map[order.OrderStatus]int{}, 0
	for o := range order.Orders(v).All() {
		stages[o.Status]++
		tagged["orders"] += len(o.Tags)
		subscribed += len(o.Subscriptions())
		if price, ok := o.Price(); o.Status == order.OrderActive {
			require.True(t, ok && price.Total > 0 && o.Paid(order.Capture, base.ID{}) == price.Total, o.Number)
		}
	}
	require.Len(t, stages, 4)
	require.Positive(t, subscribed)
	require.Greater(t, tagged["orders"], 50)
	codes, _ := commerce.DiscountCodes(v, "", 0, 10)
	require.Len(t, codes, len(demoCodes))
	require.Positive(t, codes[0].Used)

	// Bookings around today: over, under way, and to come; some of kits.
	holds, total := hold.ListHolds(v, &hold.HoldQuery{Part: base.Part{Limit: 10_000}, Units: base.MaxListed})
	require.GreaterOrEqual(t, total, demoHolds)
	var over, out, ahead, ofKits, carts int
	for _, h := range holds {
		l := h.Lines[0]
		if kits[l.CatalogItem] {
			ofKits++
		}
		if h.ExpiresAt != nil {
			carts++
		}
		switch {
		case l.Window.End <= now:
			over++
		case l.Window.Start > now:
			ahead++
		default:
			out++
		}
	}
	for _, n := range []int{over, out, ahead, ofKits, carts} {
		require.GreaterOrEqual(t, n, 10)
	}
	_, conflicts := stock.Conflicts(v, stock.ConflictFilter{}, 0, 100, now)
	require.Equal(t, 1, conflicts)

	// It is the same after a restart.
	seq, hash := c.engine.State()
	require.NoError(t, c.Close())
	c, _ = demoCore(t, dir, now)
	gotSeq, gotHash := c.engine.State()
	require.Equal(t, seq, gotSeq)
	require.Equal(t, hash, gotHash)
	require.NoError(t, c.engine.Check())
	require.NoError(t, c.Close())
}

// The same clock makes the same demo, to the byte; on any day it is complete.
func TestDemoDependsOnTheClockAlone(t *testing.T) {
	states := map[uint64]int{}
	for _, now := range []int64{1_780_000_000_000, 1_780_000_000_000, 1_793_500_000_000} {
		// the last shortly before clocks change
		c, account := demoCore(t, t.TempDir(), now)
		_, hash := c.engine.State()
		states[hash]++
		v, _ := c.engine.View(account)
		_, total := hold.ListHolds(v, &hold.HoldQuery{Part: base.Part{Limit: 1}})
		require.GreaterOrEqual(t, total, demoHolds)
		require.NoError(t, c.Close())
	}
	require.Len(t, states, 2)
}
