package api

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns the operations on the service itself, which look at no key.

// readiness is what is asked besides.
type readiness struct{ backup *string }

var readinessShape = wire.ShapeOf("Readiness",
	wire.Optional("backup", wire.Text(0, 5), func(r *readiness) **string { return &r.backup }).
		Says("Given, with or without a value: whether a good backup is there that is not too old, too."))

// figures are what the service reports about itself. Each has a name, and the series of the metrics that it comes from.
// Of a histogram it is the mean.
var figures = []struct{ name, series, about string }{
	{"queued", "holdfast_commands_queued", "Commands that wait for the writer."},
	{"commands", "holdfast_commands_total", "Commands done since the start."},
	{"refused", "holdfast_commands_refused_total", "Commands refused by the state since the start."},
	{"groups", "holdfast_commit_groups_total", "Records of the log written since the start, each with one sync."},
	{"syncSeconds", "holdfast_log_sync_seconds", "The mean time of a sync of the log since the start."},
	{"memoryBytes", "holdfast_memory_needed_bytes", "Memory that a collection would not give back."},
	{"residentBytes", "process_resident_memory_bytes", "Memory that the process has."},
	{"diskBytes", "holdfast_disk_bytes", "What the data directory takes on its disk."},
	{"snapshots", "holdfast_snapshots_held", "Snapshots that are pinned."},
	{"deliveriesQueued", "holdfast_webhook_deliveries_queued", "Deliveries of webhooks that wait, retries included."},
	{"oldestDeliverySeconds", "holdfast_webhook_oldest_delivery_seconds", "The age of the oldest of them."},
	{"backupAtSeconds", "holdfast_backup_last_good_timestamp_seconds",
		"When the newest good backup was made, in seconds since 1970; 0: never."},
	{"articles", "holdfast_articles", "Articles of all accounts."},
	{"units", "holdfast_units_taken", "Units of all accounts that are taken, now or later."},
	{"startedAtSeconds", "process_start_time_seconds", "When the process began, in seconds since 1970."},
}

// condition is how the service does: a value for each of figures, NaN where there is no such series.
type condition struct {
	values []float64
	backup string
}

var conditionSchema = describe("Condition", (*scribe).writeCondition)

func (w *scribe) writeCondition(c *condition) {
	w.sequence()
	w.GivenText("backupFault", c.backup,
		"What is wrong with the backups, also that none are kept; null: nothing.")
	for i, f := range figures {
		if w.Key(f.name, wire.NumberSchema.OrNull(), f.about+" Null: it is not counted here."); !w.Writes() {
			continue
		}
		if i >= len(c.values) || math.IsNaN(c.values[i]) {
			w.Nil()
		} else {
			w.Out = wire.AppendNumber(w.Out, c.values[i])
		}
	}
}

// condition is how the service does, as one of so many accounts may know. Where there are others, the figures would
// tell what they have and do: only the operator has them then, as metrics.
func (s *Server) condition(accounts int) *condition {
	c := new(condition)
	if accounts == 1 {
		c.values = figuresOf(s.figures)
	}
	if err := s.backups(); err != nil {
		c.backup = err.Error()
	}
	return c
}

// figuresOf reads the series of the figures.
func figuresOf(from prometheus.Gatherer) []float64 {
	families, _ := from.Gather() // what could be gathered is reported, the rest is not
	values := make([]float64, len(figures))
	for i, f := range figures {
		values[i] = math.NaN()
		for _, family := range families {
			if family.GetName() == f.series && len(family.GetMetric()) > 0 {
				values[i] = valueOf(family.GetMetric()[0])
			}
		}
	}
	return values
}

func valueOf(m *dto.Metric) float64 {
	switch {
	case m.GetHistogram().GetSampleCount() > 0:
		return m.GetHistogram().GetSampleSum() / float64(m.GetHistogram().GetSampleCount())
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	}
	return math.NaN()
}

var serviceOperations = []operation{
	read(operation{
		id: "service.health", method: "GET", path: "/healthz", access: noKey, probe: true, apart: true,
		summary: "Says that the process lives.", answer: wire.RecordSchema("Health",
			wire.Has("status", wire.EnumSchema("ok").Says("ok: the process lives."))),
	}, input[none]{}, func(q *request, _ *none) error {
		q.Out = append(q.Out, `{"status":"ok"}`...)
		return nil
	}),
	read(operation{
		id: "service.ready", method: "GET", path: "/readyz", access: noKey, probe: true, apart: true,
		summary: "Says that the state is loaded and the log can be written.",
		answer: wire.RecordSchema("Readiness", wire.Has("status", wire.EnumSchema("ready").
			Says("ready: the state is loaded, and the log can be written."))),
	}, input[readiness]{query: readinessShape}, func(q *request, in *readiness) error {
		switch {
		case q.eng == nil:
			return refuse(base.CodeNotReady, "the state is being loaded")
		case q.server.stopping.Load():
			return refuse(base.CodeNotReady, "the server is stopping")
		case q.eng.Failed() != nil:
			return refuse(base.CodeStorageFailed,
				"the log cannot be written: reads go on, writes are refused until a restart")
		case in.backup != nil:
			if err := q.server.backups(); err != nil {
				return refuse(base.CodeNotReady, err.Error())
			}
		}
		q.Out = append(q.Out, `{"status":"ready"}`...)
		return nil
	}),
	read(operation{
		id: "admin.health.get", method: "GET", path: "/v1/admin/health", access: fullAccess, live: true,
		answer: conditionSchema,
		summary: "Reports the health of the service: its queue, log, memory, deliveries and backups, as its metrics " +
			"have them.",
	}, input[none]{}, func(q *request, _ *none) error {
		if err := q.dear(searchCost); err != nil {
			return err
		}
		appendRecord(&q.scribe, q.server.condition(len(q.eng.Accounts())), (*scribe).writeCondition)
		return nil
	}),
}
