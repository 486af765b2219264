package bench

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
)

// This file owns the Go benchmarks: the same operations as in a run, one by one, for go test -bench and its tools.

var built *World

var world = sync.OnceValues(func() (*World, error) {
	scale, err := dataset.Scale()
	if err == nil {
		built, err = Build(scale, func(string) {})
	}
	return built, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built != nil {
		if err := built.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

func open(b *testing.B) *World {
	w, err := world()
	require.NoError(b, err)
	return w
}

func benchmarkRead(b *testing.B, name string) {
	w := open(b)
	for _, r := range reads {
		if r.name == name {
			op := r.make(w)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				op(i)
				i++
			}
			return
		}
	}
	b.Fatalf("there is no read %q", name)
}

func BenchmarkPointAvailability(b *testing.B) { benchmarkRead(b, "PointAvailability") }
func BenchmarkSKUAvailability(b *testing.B)   { benchmarkRead(b, "SKUAvailability") }
func BenchmarkListFirstPage(b *testing.B)     { benchmarkRead(b, "ListFirstPage") }
func BenchmarkListAnyPage(b *testing.B)       { benchmarkRead(b, "ListAnyPage") }
func BenchmarkCalendar90Days(b *testing.B)    { benchmarkRead(b, "Calendar90Days") }
func BenchmarkStarts90Days(b *testing.B)      { benchmarkRead(b, "Starts90Days") }
func BenchmarkPlanReduction(b *testing.B)     { benchmarkRead(b, "PlanReduction") }

// BenchmarkBook books one hold an iteration, in order and many under way.
func BenchmarkBook(b *testing.B) {
	w := open(b)
	b.ReportAllocs()
	p := dataset.NewPipeline(w.Engine, w.Account)
	var list []hold.PlaceHold
	for b.Loop() {
		if len(list) == 0 {
			b.StopTimer()
			for range 10_000 {
				list = append(list, w.Command(w.Next()))
			}
			b.StartTimer()
		}
		p.Submit(list[0])
		list = list[1:]
	}
	require.NoError(b, p.Flush())
}

// stream draws orders for all benchmarks of orders, so that none meets another's.
var stream = sync.OnceValue(func() *dataset.Orders { return built.Orders() })

// openOrder is a drawn order as the command that opens it.
func openOrder(w *World, x dataset.Order) order.CreateOrder {
	price := int64(4_500)
	o := order.CreateOrder{
		OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: w.Merchant.Locations[x.Location]}}
	for _, sku := range x.SKUs {
		o.Lines = append(o.Lines, order.OrderLineInput{
			Item: base.Item{SKU: w.Merchant.SKUs[sku]}, Purchase: base.PurchaseBooking, Quantity: dataset.LineUnits,
			From: &x.Start, To: &x.End, UnitPrice: &price,
		})
	}
	return o
}

// BenchmarkOrder opens one order of three lines and nine units an iteration, many under way.
func BenchmarkOrder(b *testing.B) {
	w := open(b)
	b.ReportAllocs()
	p := dataset.NewPipeline(w.Engine, w.Account)
	for b.Loop() {
		p.Submit(openOrder(w, stream().Next()))
	}
	require.NoError(b, p.Flush())
}

// BenchmarkPatchOrder changes the note of such an order, of a thousand in turn.
func BenchmarkPatchOrder(b *testing.B) {
	w := open(b)
	var orders []base.ID
	for range 1_000 {
		r, err := w.Engine.Do(engine.Command{Account: w.Account, Op: openOrder(w, stream().Next())})
		require.NoError(b, err)
		orders = append(orders, r.Record.(*order.OrderRecord).ID)
	}
	b.ReportAllocs()
	p := dataset.NewPipeline(w.Engine, w.Account)
	i := 0
	for b.Loop() {
		p.Submit(order.PatchOrder{ID: orders[i%len(orders)],
			Fields: base.Changed(order.OrderInput{Note: new(strconv.Itoa(i))})})
		i++
	}
	require.NoError(b, p.Flush())
}

// BenchmarkStartUp opens the engine from disk.
func BenchmarkStartUp(b *testing.B) {
	w := open(b)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		require.NoError(b, w.shut())
		b.StartTimer()
		require.NoError(b, w.open())
	}
	b.ReportMetric(float64(w.Drawn)*float64(b.N)/b.Elapsed().Seconds(), "holds/s")
}

// TestSuite takes every figure once on a small data set: the figures mean nothing, but each can be had.
func TestSuite(t *testing.T) {
	const scale = 0.001
	w, err := Build(scale, func(string) {})
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	r := Run{World: w, Scale: scale, Budget: 10 * time.Millisecond, Progress: func(string) {}, Report: NewReport(scale)}
	require.NoError(t, Reads(context.Background(), &r))
	require.NoError(t, Writes(context.Background(), &r))
	require.NotEmpty(t, r.Report.Results)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, x := range r.Report.Results {
		require.Contains(t, string(readme), "`"+x.Name+"`", "README.md says how each figure is taken")
		require.Empty(t, x.Err, x.Name)
		require.Positive(t, x.Figure, x.Name)
	}
}
