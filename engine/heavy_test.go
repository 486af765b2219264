package engine

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/persist"
)

// This file owns the bounds of what the writer does for a heavy command, in work that is counted: bytes that it writes
// itself, and rows.

// countWritten adds to n what is written of rows of a kind, until undo.
func countWritten(k base.KindOf, n *int) (undo func()) {
	encode := reflect.ValueOf(k).Elem().FieldByName("Encode")
	was := reflect.ValueOf(encode.Interface())
	encode.Set(reflect.MakeFunc(encode.Type(), func(args []reflect.Value) []reflect.Value {
		to := was.Call(args)
		*n += to[0].Len() - args[0].Len()
		return to
	}))
	return func() { encode.Set(was) }
}

// weighed is an operation whose result tells when it is written.
type weighed struct {
	base.Op
	n *int
}

type weighedResult struct {
	record any
	n      *int
}

func (o weighed) PlanOn(t *base.Tx) (any, error) {
	r, err := o.Op.PlanOn(t)
	return weighedResult{r, o.n}, err
}

func (r weighedResult) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(r.record)
	*r.n += len(b)
	return b, err
}

func TestHeavyCommandsAreWrittenBesideTheWriter(t *testing.T) {
	long(t)
	var rows, texts, results, payloads int // bytes
	base.Marshal = func(v any) ([]byte, error) {
		b, err := json.Marshal(v)
		texts += len(b)
		return b, err
	}
	t.Cleanup(func() { base.Marshal = json.Marshal })
	for _, k := range schema {
		t.Cleanup(countWritten(k, &rows))
	}
	d := newDesk(t, func(_ string, o any) []byte {
		b := base.MustJSON(o)
		payloads += len(b)
		return b
	})
	for _, e := range []base.HookEvent{base.OrderCreated, base.OrderUpdated, base.OrderDeleted} {
		d.do(outbox.CreateWebhook{EventType: e, APIVersion: "2025-06",
			WebhookFields: outbox.WebhookFields{URL: "https://example.com/"},
			Secret:        "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="})
	}
	const units = 2500 // a byte of each would be too much
	beside := 0        // of all commands together
	for _, s := range d.heavyRound(units) {
		rows, texts, results, payloads = 0, 0, 0, 0
		res := d.do(weighed{Op: s.op(), n: &results})
		if s.keep != nil {
			s.keep(res.(weighedResult).record)
		}
		// A hold is written to be weighed; an order without its units, before and after, and a line without them, to be
		// compared. That is no more where there are more units.
		require.LessOrEqual(t, rows, 200, s.name)
		require.LessOrEqual(t, texts, units, s.name)
		require.Zero(t, results, s.name)
		require.Zero(t, payloads, s.name)
		require.LessOrEqual(t, len(d.set), units+(units+order.UnitsPerRow-1)/order.UnitsPerRow+10, s.name)

		var log persist.Group
		for _, c := range d.set {
			c.Log(&log, new(base.EncodeBuffer), d.account)
		}
		require.Positive(t, rows, s.name)
		require.Positive(t, results, s.name)
		beside += payloads
	}
	require.Greater(t, beside, units)
}

// What the benchmark of the writer does can be done again and again.
func TestStepsOfBenchmarkWriterAreAccepted(t *testing.T) {
	long(t)
	d := newDesk(t, func(string, any) []byte { return []byte("null") })
	steps := slices.Concat(d.heavyLines(1_000), d.heavyTrips(1_000), d.heavyHooks())
	for range 2 {
		for _, s := range steps {
			res := d.do(s.op())
			if s.keep != nil {
				s.keep(res)
			}
		}
	}
}
