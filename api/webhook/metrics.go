package webhook

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/engine"
	"holdfast/engine/outbox"
)

// This file owns the counts of deliveries.

type metrics struct {
	delivered, failed prometheus.Counter
	took              prometheus.Observer
	underWay          prometheus.Gauge
}

func newMetrics(registry prometheus.Registerer, e *engine.Engine, now func() int64) *metrics {
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "holdfast_webhook_attempts_total", Help: "Attempts at deliveries, by what came of them.",
	}, []string{"outcome"})
	took := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "holdfast_webhook_attempt_seconds", Help: "Time of attempts at deliveries.",
		Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 2.5, 5, 10},
	})
	m := &metrics{delivered: attempts.WithLabelValues("delivered"), failed: attempts.WithLabelValues("failed"),
		took: took, underWay: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "holdfast_webhook_attempts_under_way", Help: "Attempts at deliveries that are under way.",
		})}
	if registry != nil {
		registry.MustRegister(attempts, took, m.underWay, queue{e, now})
	}
	return m
}

func (m *metrics) observe(a *outbox.Attempt) {
	m.took.Observe((time.Duration(a.Took) * time.Millisecond).Seconds())
	if a.Acknowledged() {
		m.delivered.Inc()
	} else {
		m.failed.Inc()
	}
}

// queue reports the queues of all accounts together.
type queue struct {
	engine *engine.Engine
	now    func() int64
}

var (
	queueLength = prometheus.NewDesc("holdfast_webhook_deliveries_queued", "Deliveries that wait, retries included.",
		nil, nil)
	queueAge = prometheus.NewDesc("holdfast_webhook_oldest_delivery_seconds",
		"Age of the oldest event that waits, 0 where none does.", nil, nil)
)

func (q queue) Describe(to chan<- *prometheus.Desc) {
	to <- queueLength
	to <- queueAge
}

func (q queue) Collect(to chan<- prometheus.Metric) {
	n, oldest := 0, int64(0)
	for _, id := range q.engine.Accounts() {
		v, _ := q.engine.View(id)
		some, at := outbox.Waiting(v)
		if n += some; at != 0 && (oldest == 0 || at < oldest) {
			oldest = at
		}
	}
	age := 0.0
	if oldest != 0 {
		age = (time.Duration(max(0, q.now()-oldest)) * time.Millisecond).Seconds()
	}
	to <- prometheus.MustNewConstMetric(queueLength, prometheus.GaugeValue, float64(n))
	to <- prometheus.MustNewConstMetric(queueAge, prometheus.GaugeValue, age)
}
