package api

import (
	"bytes"
	"strconv"
	"time"

	"holdfast/api/auth"
	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns the feed of changes on the wire, and what has changed one order. What happened is read from the log;
// the record is written as it is now.

// feed says how changes of one kind of record are reported.
type feed struct {
	resource string
	scopes   func(area string) []string                 // any one lets a key read it; none: full access alone
	record   func(q *request, id base.ID) (bool, error) // appends the record to q.Out; false: there is none any more
}

func by(scopes ...string) func(string) []string { return func(string) []string { return scopes } }

// feeds lists what the feed reports: each resource is one entry.
var feeds = []feed{
	{"account", by("account.read"), func(q *request, _ base.ID) (bool, error) {
		appendRecord(&q.scribe, q.view.Account(), (*scribe).writeAccount)
		return true, nil
	}},
	{"apiKey", by(), func(q *request, id base.ID) (bool, error) {
		return told(func(v base.View, id base.ID) *base.Key { return engine.Keys(v).Get(id) }, q.writesKeys())(q, id)
	}},
	{"location", by("locations.read"), told(stock.LocationByID, (*scribe).writeLocation)},
	{"sku", by("inventory.skus.read"), told(stock.SKUByID, (*scribe).writeSKU)},
	{"article", by(stockRead...), func(q *request, id base.ID) (bool, error) {
		r := stock.ArticleByID(q.view, id)
		if r == nil {
			return false, nil
		}
		return true, q.appendArticleUpTo(r, q.span(nil), wire.RowEntries, wire.RowSteps, wire.MaxRow)
	}},
	{"scheduledEvent", by(stockRead...), told(stock.ScheduledEventByID, (*scribe).writeEvent)},
	{"hold", by(stockRead...), told(func(v base.View, id base.ID) *hold.Hold {
		h, _ := hold.HoldWith(v, id, wire.RowEntries)
		return h
	}, listedHold)},
	{"tag", func(area string) []string {
		return []string{tagScopes[label.TagScope(area)] + ".read"}
	}, told(label.TagByID, (*scribe).writeTag)},
	{"attribute", by(attributesRead...), told(label.AttributeByID, (*scribe).writeAttribute)},
	{"customer", by("customers.read"), told(commerce.CustomerByID, (*scribe).writeCustomer)},
	{"pricingTable", by(pricingRead...), told(commerce.PricingTableByID, (*scribe).writePricingTable)},
	{"catalogItem", by(catalogRead...), told(commerce.CatalogItemByID, (*scribe).writeCatalogItem)},
	{"discountCode", by(discountsRead...), told(commerce.DiscountCodeByID, (*scribe).writeDiscountCode)},
	{"webhook", by(webhooksRead...), told(outbox.WebhookByID, (*scribe).writeWebhook)},
	{"order", by(ordersRead...), told(func(v base.View, id base.ID) *order.OrderRecord {
		if r := order.Orders(v).Get(id); r != nil {
			return order.RecordOf(v, r, wire.RowEntries)
		}
		return nil
	}, listedOrder)},
}

// told makes the record function of a feed from a look-up and an encoder.
func told[R any](find func(v base.View, id base.ID) *R, write func(w *scribe, r *R)) func(*request, base.ID) (bool,
	error) {
	return func(q *request, id base.ID) (bool, error) {
		r := find(q.view, id)
		if r != nil {
			start := len(q.Out)
			appendRecord(&q.scribe, r, write)
			q.Out = wire.Bounded(q.Out, start, wire.MaxRow)
		}
		return r != nil, nil
	}
}

// feedOf finds how a change is reported to a key; nil: the key may not read it.
func feedOf(k *base.Key, c engine.Change) *feed {
	for i := range feeds {
		if f := &feeds[i]; f.resource == c.Resource {
			if len(k.Scopes) == 0 || auth.Allows(k.Scopes, f.scopes(c.Area)) {
				return f
			}
			return nil
		}
	}
	return nil
}

// cursor is a place in the feed. It has the account's sequence up to which everything was read, the log that the
// sequence is of (where that is given), and, where an answer ended inside the next command, how many changes of that
// command were read, too.
type cursor struct{ sequence, incarnation, inside uint64 }

var noCursor = wire.Wrong{Code: wire.FaultFormat,
	Message: "must be a sequence, or what next was in an earlier answer"}

var cursorKind = wire.Scalar(wire.JSONString, wire.TextSchema.Shows(`"0"`), func(raw []byte, dst *cursor) wire.Wrong {
	sequence, incarnation, of := bytes.Cut(raw, []byte{'.'})
	n, w := wire.ParseInteger(sequence)
	if w.Code != "" || n < 0 {
		return noCursor
	}
	dst.sequence = uint64(n)
	if of {
		incarnation, inside, within := bytes.Cut(incarnation, []byte{'.'})
		var err error
		if dst.incarnation, err = strconv.ParseUint(string(incarnation), 16, 64); err != nil || dst.incarnation == 0 {
			return noCursor
		}
		if !within {
			return wire.Wrong{}
		}
		if dst.inside, err = strconv.ParseUint(string(inside), 10, 32); err != nil || dst.inside == 0 {
			return noCursor
		}
	}
	return wire.Wrong{}
})

type listChanges struct {
	after   cursor
	limit   int
	wait    int64 // seconds
	records bool
}

var listChangesQuery = wire.ShapeOf("ListChanges",
	wire.Defaulted("after", cursorKind, cursor{}, func(o *listChanges) *cursor { return &o.after }).Says(
		"The next of an earlier answer, or the sequence of a state that was read. Default 0: from the first change "+
			"on, which is refused if that is no longer kept."),
	wire.Defaulted("limit", wire.Integer[int](1, 1000), 100, func(o *listChanges) *int { return &o.limit }).Says(
		"Changes of one command stay together, so there may be more. An answer that would be longer than 7 MiB ends "+
			"earlier, also between changes of one command: continue from its next."),
	wire.Defaulted("wait", wire.Integer[int64](0, 60), 0, func(o *listChanges) *int64 { return &o.wait }).Says(
		"Seconds to wait for a change if there is none. If as many requests of the account wait as may, one more "+
			"ends the oldest wait, which is answered as at the end of its time."),
	wire.Defaulted("records", wire.Boolean, true, func(o *listChanges) *bool { return &o.records }).Says(
		"false: without records, for a reader who needs only what happened."))

var (
	resourceSchema = wire.EnumSchema(engine.Resources()...)
	changeSchema   = wire.EnumSchema(string(base.Created), string(base.Updated), string(base.Deleted))
	anyRecord      = (&wire.Schema{}).
			Says("The record as it is now; null where there is none any more, or none was asked for.")
	changesSchema = describe("ChangeList", func(w *scribe, _ *engine.Change) {
		wire.List(&w.Writer, "changes", "Change", nil, "The changes, in the order in which they were made.",
			w.writeChange)
		w.Text("next", "", "The cursor to go on from.")
	}).Uncut()
)

// writeChange writes what changed, up to the record, which follows where it is wanted.
func (w *scribe) writeChange(c *engine.Change) {
	w.commit(c.Sequence, c.At, c.Actor)
	w.As(resourceSchema, "resource", c.Resource, "What kind of record has changed.")
	w.ID("resourceId", c.ID, "The record's id.")
	w.As(changeSchema, "change", string(c.Kind), "What happened to the record.")
	w.unitMoves(c.Moved)
	w.Key("record", anyRecord, "")
}

// commit writes which command made a change.
func (w *scribe) commit(sequence uint64, at int64, actor string) {
	w.Int("sequence", int64(sequence), "The account's count of committed changes, this one included.")
	w.Instant("at", at, "When it was made.")
	w.Text("actor", actor, "The label of the key that made it, or what else did.")
}

// recordNow writes the record that was changed as it is now, where it is wanted.
func (q *request) recordNow(c engine.Change, wanted bool) (err error) {
	found := false
	if wanted {
		found, err = feedOf(q.key, c).record(q, c.ID)
	}
	if err == nil && !found {
		q.Nil()
	}
	return err
}

// lookAtMost is how many changes that the key may not read are looked at before an answer is given that has only a new
// cursor.
const lookAtMost = 10_000

// listChanges answers with all that has happened after the cursor and that the key may read. Where there is nothing of
// that, it waits.
func (q *request) listChanges(o *listChanges) error {
	if c := o.after.incarnation; c != 0 && c != q.eng.Incarnation() {
		return refuse(base.CodeCursorGone,
			"the cursor belongs to another log: read the present state, and continue from its sequence")
	}
	account, after := q.view.Account().ID, o.after.sequence
	var changes []placedChange
	var over <-chan time.Time
	var wait *poller
	for {
		more := q.eng.Changed(account) // before the look, so that nothing is missed
		q.clock = q.server.now()
		if err := q.authenticate(); err != nil { // the present state, and what the key may still do
			return err
		}
		for looked := 0; len(changes) == 0; {
			if after < q.view.Sequence() { // nothing is read otherwise
				if err := q.dear(pageCost); err != nil {
					return err
				}
			}
			list, next, err := q.eng.Changes(q.ctx, q.view, after, o.limit)
			if err != nil {
				return err
			}
			inside := uint64(0)
			for i, c := range list {
				if inside++; i == 0 || list[i-1].Sequence != c.Sequence {
					inside = 1
				}
				if feedOf(q.key, c) != nil && (c.Sequence > o.after.sequence+1 || inside > o.after.inside) {
					changes = append(changes, placedChange{c, inside})
				}
			}
			after = next
			if looked += len(list); next == q.view.Sequence() || looked > lookAtMost {
				break
			}
		}
		if len(changes) > 0 || o.wait == 0 || after < q.view.Sequence() {
			return q.answerChanges(changes, after, o.records)
		}
		if wait == nil {
			var ok bool
			if wait, ok = q.server.pollers.join(account, q.clock); !ok {
				return q.busy(pollerLeast, "too many requests wait for changes")
			}
			defer q.server.pollers.leave(wait)
			over = time.After(time.Duration(o.wait) * time.Second)
		}
		q.payBack()
		began := time.Now()
		select {
		case <-more:
		case <-over:
			o.wait = 0
		case <-wait.ended:
			o.wait = 0
		case <-q.server.quit:
			o.wait = 0
		}
		q.idle += time.Since(began)
	}
}

func (q *request) answerChanges(changes []placedChange, after uint64, records bool) error {
	q.Out = append(q.Out, `{"changes":[`...)
	inside := uint64(0)
	for i, c := range changes {
		if len(q.Out) >= wire.MaxFeed {
			after, inside = changes[i-1].behind()
			break
		}
		if !q.grown(len(q.Out)) {
			return nil
		}
		q.Next()
		q.Out = append(q.Out, '{')
		q.writeChange(&c.Change)
		if err := q.recordNow(c.Change, records); err != nil {
			return err
		}
		q.Out = append(q.Out, '}')
	}
	q.Out = strconv.AppendUint(append(q.Out, `],"next":"`...), after, 10)
	q.Out = strconv.AppendUint(append(q.Out, '.'), q.eng.Incarnation(), 16)
	if inside > 0 {
		q.Out = strconv.AppendUint(append(q.Out, '.'), inside, 10)
	}
	q.Out = append(q.Out, `"}`...)
	return nil
}

// placedChange is a change, and its position within its command.
type placedChange struct {
	engine.Change
	inside uint64
}

// behind is the cursor right after the change: inside its command, which may have more changes.
func (c placedChange) behind() (sequence, inside uint64) { return c.Sequence - 1, c.inside }

type listOrderHistory struct {
	order base.ID
	upTo  engine.OrderPoint
	limit int
}

var orderPointSchema = wire.TextSchema.Shows(`"2.1748779200000"`)

// orderPoint is a cursor: a revision, and the instant at which it came about.
var orderPoint = wire.Scalar(wire.JSONString, orderPointSchema, func(raw []byte, dst *engine.OrderPoint) wire.Wrong {
	revision, at, _ := bytes.Cut(raw, []byte{'.'})
	n, bad := wire.ParseInteger(revision)
	ms, worse := wire.ParseInteger(at)
	if bad.Code != "" || worse.Code != "" || n < 1 {
		return wire.Wrong{Code: wire.FaultFormat, Message: "must be what next was in an earlier answer"}
	}
	dst.Revision, dst.At = uint64(n), ms
	return wire.Wrong{}
})

var (
	orderMembers       = wire.ListSchema(orderMember)
	orderMember        = wire.EnumSchema(engine.OrderMembers()...).Says("A member of an order's record.")
	orderHistorySchema = describe("OrderHistory", func(w *scribe, _ *engine.OrderChange) {
		wire.List(&w.Writer, "changes", "OrderChange", nil, "The changes of the order, the newest first.",
			w.writeOrderChange)
		w.Bool("whole", true,
			"Whether all that was asked for is here. If not, the log that is kept does not reach back further.")
		w.GivenText("next", "", "The cursor to continue from, as before; null: there is no more.")
	}).Uncut()
)

func (w *scribe) writeOrderChange(c *engine.OrderChange) {
	w.commit(c.Sequence, c.At, c.Actor)
	w.As(changeSchema, "change", string(c.Kind), "What happened to the order.")
	w.Int("revision", int64(c.Revision), "The order's revision after it.")
	w.As(orderStatuses, "status", c.Status.String(), "The order's status after it.")
	w.Key("changed", orderMembers,
		"The names of the members that changed; payments stands for those that capturedTotal and its like count. "+
			"updatedAt of a customer who is the main contact does not count.")
	w.Out = wire.AppendList(w.Out, c.Differs, wire.AppendText)
	w.unitMoves(c.Moved)
}

// unitMoves writes units that have gone to another article, the first of them.
func (w *scribe) unitMoves(moves []engine.UnitMove) {
	wire.First(&w.Writer, "moved", "UnitMove", wire.UpTo(moves, wire.RowEntries), len(moves),
		"Units of it that have kept their dates and gone to another article: to make room, or because somebody "+
			"asked for it.", func(m *engine.UnitMove) {
			w.ID("unavailabilityId", m.Unit, "The unit's unavailability.")
			w.articleName("from", m.From, "The article that it was on")
			w.articleName("to", m.To, "The article that it went to")
		})
}

// articleName writes an article's id and what it is called now.
func (w *scribe) articleName(member string, id base.ID, about string) {
	w.GivenID(member+"ArticleId", id, about+"; null: there is none any more.")
	name := ""
	if id != (base.ID{}) {
		if r := stock.ArticleByID(w.view, id); r != nil {
			name = r.Name
		}
	}
	w.GivenText(member+"ArticleName", name, "What that is called.")
}

func (q *request) listOrderHistory(l *listOrderHistory) error {
	list, older, whole, err := q.eng.OrderHistory(q.ctx, q.view, l.order, l.upTo, l.limit)
	if err != nil {
		return err
	}
	q.Out = append(q.Out, '{')
	wire.List(&q.Writer, "changes", "OrderChange", list, "", q.writeOrderChange)
	q.Bool("whole", whole, "")
	next := ""
	if older != (engine.OrderPoint{}) {
		next = strconv.FormatUint(older.Revision, 10) + "." + strconv.FormatInt(older.At, 10)
	}
	q.GivenText("next", next, "")
	q.Out = append(q.Out, '}')
	return nil
}

var changeOperations = []operation{
	read(operation{
		id: "admin.changes.list", method: "GET", path: "/v1/admin/changes", scopes: []string{"account.read"},
		live: true, answer: changesSchema,
		summary: "Lists in order what has changed. Changes of records that the key may not read are left out.",
	}, input[listChanges]{query: listChangesQuery}, (*request).listChanges),
	read(operation{
		id: "admin.orders.history", method: "GET", path: orderPath + "/history", scopes: ordersRead,
		answer: orderHistorySchema,
		summary: "Tells what has changed an order, by whom and when, as far as the kept log reaches back; moves of " +
			"its units by themselves are in the feed of changes.",
	}, input[listOrderHistory]{
		path: byUUID(func(l *listOrderHistory) *base.ID { return &l.order }),
		query: wire.ShapeOf("ListOrderHistory",
			wire.Defaulted("before", orderPoint, engine.OrderPoint{}, func(l *listOrderHistory) *engine.OrderPoint {
				return &l.upTo
			}).Says("The next of an earlier answer. Default: the newest changes."),
			wire.Defaulted("limit", wire.Integer[int](1, 50), 20, func(l *listOrderHistory) *int { return &l.limit }).
				Says("How many changes at most.")),
	}, (*request).listOrderHistory),
}
