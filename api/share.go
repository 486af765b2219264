package api

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"holdfast/api/ratelimit"
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns the share of the machine that one account's expensive reads have at once, and how they wait for it.
// The cost of a read depends on its kind and on how much is asked of it. A read that costs nothing here is one that
// clients send by the thousand.

const (
	pageCost     = 1 // of a list's page, or of many questions at once
	longPageCost = 2 // of a page of more than longPage
	searchCost   = 2 // of what goes through a stock's time, or plans: also to explain a refusal
	longPage     = 100

	shareWait = time.Second // beyond its share a read waits for so long

	layerCost ratelimit.Layer = "cost"
)

// costs are those of operations that have no pageSize in their query. Some of them are writes: of one the plan is made
// before its turn comes, and an import is read row by row, and tried where rows have faults.
var costs = map[string]int{
	"admin.webhooks.getDelivery":        pageCost, // with a body of up to 4 MiB
	"admin.availability.query":          pageCost,
	"admin.availability.calendar":       pageCost,
	"admin.availability.calendars":      searchCost,
	"admin.availability.next":           searchCost,
	"admin.availability.explain":        searchCost,
	"admin.availability.whatIf":         searchCost,
	"admin.articles.search":             pageCost,
	"admin.import.rows":                 searchCost,
	"admin.orders.history":              searchCost,
	"admin.orders.quote":                searchCost,
	"admin.orders.validateDiscountCode": pageCost,
	"admin.articles.planQuantityChange": searchCost,
	"admin.articles.decreaseQuantity":   searchCost,
	"admin.articles.transferQuantity":   searchCost,
}

const pageSizeName = "pageSize"

// costOf is what an operation costs, as it is declared.
func costOf(o *operation) int {
	if cost := costs[o.id]; cost > 0 {
		return cost
	}
	if slices.ContainsFunc(o.queryParams, func(m wire.Member) bool { return m.Name == pageSizeName }) {
		return pageCost
	}
	return 0
}

// weighBody makes a request with a body wait before the body is read: to read it and to name its faults may be most of
// the work.
func (q *request) weighBody() *base.Error {
	if q.op.body == nil {
		return nil
	}
	return q.dear(q.op.cost)
}

// largeOrder is from which size on an order takes long to be answered: it may be cut from 8 MB.
const largeOrder = 1000

// ofLargeOrder says that the path names an order that is large.
func (q *request) ofLargeOrder() bool {
	if !strings.HasPrefix(q.op.path, "/v1/admin/orders/{id}") {
		return false
	}
	for _, p := range q.path.ListOf {
		if id, ok := wire.ParseID(p.Value); ok && string(p.Name) == "id" {
			o := order.Orders(q.view).Get(id)
			return o != nil && o.Size() >= largeOrder
		}
	}
	return false
}

// weigh makes the request wait until there is room for what it costs.
func (q *request) weigh() *base.Error {
	cost := q.op.cost
	if q.long = q.ofLargeOrder(); q.long {
		cost = max(cost, pageCost)
	}
	if cost == 0 {
		return nil
	}
	for _, a := range q.query.ListOf {
		if string(a.Name) == pageSizeName {
			if n, _ := strconv.Atoi(string(a.Value)); n > longPage {
				cost = max(cost, longPageCost)
			}
		}
	}
	return q.dear(cost)
}

// defaultShare is what expensive reads of an account may cost at once. It is such that lists can keep all cores busy,
// and searches half of them.
func defaultShare() int { return max(searchCost, runtime.GOMAXPROCS(0)) }

// shares are the reads under way, by account.
type shares struct {
	most     int
	patience time.Duration
	mu       sync.Mutex
	by       map[base.ID]*share
}

type share struct {
	used int
	line []*inLine // in the order in which they came
}

// inLine is a read that waits.
type inLine struct {
	cost int
	turn chan struct{} // closed when it has come
}

// take lets a read begin, at once or within the time that it may wait; it says whether its turn has come.
func (s *shares) take(account base.ID, cost int) bool {
	s.mu.Lock()
	x := s.by[account]
	if x == nil {
		if s.by == nil {
			s.by = map[base.ID]*share{}
		}
		x = new(share)
		s.by[account] = x
	}
	if len(x.line) == 0 && x.used+cost <= s.most {
		x.used += cost
		s.mu.Unlock()
		return true
	}
	w := &inLine{cost, make(chan struct{})}
	x.line = append(x.line, w)
	late := time.NewTimer(s.patience)
	s.mu.Unlock()
	defer late.Stop()
	select {
	case <-w.turn:
		return true
	case <-late.C:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range x.line {
		if x.line[i] == w {
			x.line = append(x.line[:i], x.line[i+1:]...)
			s.admit(account, x) // one after it in the line may cost less
			return false
		}
	}
	return true // it came at the same moment
}

func (s *shares) give(account base.ID, cost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.by[account]
	x.used -= cost
	s.admit(account, x)
}

// admit lets those reads begin whose turn has come.
func (s *shares) admit(account base.ID, x *share) {
	for len(x.line) > 0 && x.used+x.line[0].cost <= s.most {
		x.used += x.line[0].cost
		close(x.line[0].turn)
		x.line = x.line[1:]
	}
	if x.used == 0 && len(x.line) == 0 {
		delete(s.by, account)
	}
}

// dear makes the request wait until an expensive read of its account may begin. It refuses the request where that takes
// too long.
func (q *request) dear(cost int) *base.Error {
	if q.waits(cost) {
		return nil
	}
	return q.later(base.CodeRateLimited, layerCost, 1000, "too many expensive reads of the account are running")
}

// waits is like dear, for a request that can do without the read: it says whether its turn has come. What the request
// has taken before counts.
func (q *request) waits(cost int) bool {
	if cost <= q.cost || q.key == nil {
		return true
	}
	q.payBack()
	ok := q.server.shares.take(q.view.Account().ID, cost)
	if ok {
		q.cost = cost
	}
	return ok
}

// MayExplain makes a refusal wait for its account's share before it is explained. Where that takes too long, the
// refusal is answered without an explanation: a client that is told to come again instead would not learn that nothing
// is left.
func (q *request) MayExplain() bool { return q.waits(searchCost) }

// payBack gives back what the request has of its account's share.
func (q *request) payBack() {
	if q.cost > 0 {
		q.server.shares.give(q.view.Account().ID, q.cost)
		q.cost = 0
	}
}
