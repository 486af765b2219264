package api

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/api/ratelimit"
	"holdfast/engine/base"
)

// This file owns what is counted of requests. The series of an operation are looked up once, so that counting a request
// costs no map and no text.

type metrics struct {
	requests *prometheus.CounterVec
	limited  *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	refusals map[base.Code]prometheus.Counter
	unrouted *opMetrics // what no operation was found for
}

// opMetrics are one operation's series.
type opMetrics struct {
	id      string
	latency atomic.Pointer[prometheus.Observer] // nil until it was called: most operations never are
	status  [600]atomic.Pointer[prometheus.Counter]
}

// newMetrics registers the series and gives each operation its own.
func newMetrics(registry prometheus.Registerer, list []operation, meters *ratelimit.Meters) *metrics {
	m := &metrics{refusals: map[base.Code]prometheus.Counter{},
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_http_requests_total", Help: "Requests answered, by operation and status.",
		}, []string{"operation", "status"}), limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_rate_limited_total", Help: "Requests refused by a limit, by whose it was.",
		}, []string{"layer"})}
	m.latency = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "holdfast_http_request_seconds",
		Help: "Time from a request being read to its answer being rendered, by operation.",
		Buckets: []float64{1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, .1, .25, .5,
			1, 2.5},
	}, []string{"operation"})
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "holdfast_refusals_total", Help: "Requests refused, by the code of the refusal.",
	}, []string{"code"})
	for code := range statuses {
		m.refusals[code] = refused.WithLabelValues(string(code))
	}
	// From 0 on, so that a rate sees the first refusals.
	for _, layer := range []ratelimit.Layer{ratelimit.Address, ratelimit.Account, ratelimit.Key, layerCost, layerBytes,
		layerConns} {
		m.limited.WithLabelValues(string(layer))
	}
	registry.MustRegister(m.requests, m.limited, m.latency, refused, dearest{meters})
	for i := range list {
		list[i].metrics = &opMetrics{id: list[i].id}
	}
	m.unrouted = &opMetrics{id: "none"}
	return m
}

func (m *metrics) observe(op *operation, status int, took time.Duration) {
	o := m.unrouted
	if op != nil {
		o = op.metrics
	}
	l := o.latency.Load()
	if l == nil {
		series := m.latency.WithLabelValues(o.id)
		l = &series
		o.latency.Store(l)
	}
	(*l).Observe(took.Seconds())
	c := o.status[status].Load()
	if c == nil {
		n := m.requests.WithLabelValues(o.id, strconv.Itoa(status))
		c = &n
		o.status[status].Store(c)
	}
	(*c).Inc()
}

// dearest reports the few accounts whose requests took longest: one series for each account would be too many.
type dearest struct{ meters *ratelimit.Meters }

// dearestShown is how many accounts are reported.
const dearestShown = 10

var dearestDesc = prometheus.NewDesc("holdfast_account_request_seconds_total",
	"Time that requests of an account were being answered since the start, of the ten accounts with the most.",
	[]string{"account"}, nil)

func (d dearest) Describe(to chan<- *prometheus.Desc) { to <- dearestDesc }

func (d dearest) Collect(to chan<- prometheus.Metric) {
	for _, s := range d.meters.Dearest(dearestShown) {
		to <- prometheus.MustNewConstMetric(dearestDesc, prometheus.CounterValue,
			time.Duration(s.Nanoseconds).Seconds(), base.ID(s.Account).String())
	}
}
