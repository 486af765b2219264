package api

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// This file owns what is counted of requests. The series of an operation are looked up once, so that counting a request
// costs no map and no text.

type metrics struct {
	requests *prometheus.CounterVec
	limited  *prometheus.CounterVec
	unrouted *opMetrics // what no operation was found for
}

// opMetrics are one operation's series.
type opMetrics struct {
	id      string
	latency prometheus.Observer
	status  [600]atomic.Pointer[prometheus.Counter]
}

// newMetrics registers the series and gives each operation its own.
func newMetrics(registry prometheus.Registerer, list []operation) *metrics {
	m := &metrics{requests: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "holdfast_http_requests_total", Help: "Requests answered, by operation and status.",
	}, []string{"operation", "status"}), limited: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "holdfast_rate_limited_total", Help: "Requests refused by a limit, by whose it was.",
	}, []string{"layer"})}
	latency := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "holdfast_http_request_seconds", Help: "Time from a request being read to its answer being rendered, by operation.",
		Buckets: []float64{1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, .1, .25, .5, 1, 2.5},
	}, []string{"operation"})
	registry.MustRegister(m.requests, m.limited, latency)
	series := func(id string) *opMetrics { return &opMetrics{id: id, latency: latency.WithLabelValues(id)} }
	for i := range list {
		list[i].metrics = series(list[i].id)
	}
	m.unrouted = series("none")
	return m
}

func (m *metrics) observe(op *operation, status int, took time.Duration) {
	o := m.unrouted
	if op != nil {
		o = op.metrics
	}
	o.latency.Observe(took.Seconds())
	c := o.status[status].Load()
	if c == nil {
		n := m.requests.WithLabelValues(o.id, strconv.Itoa(status))
		c = &n
		o.status[status].Store(c)
	}
	(*c).Inc()
}
