package api

import (
	"strings"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns what an operation is. An operation is declared once, as a value: the router, the chain, the decoder,
// the scope check and the document are all driven by it.

// access says who may call an operation.
type access uint8

const (
	scoped     access = iota // a key with full access, or with any one of the scopes
	fullAccess               // a key with full access
	anyKey                   // every key
	noKey                    // no key is looked at
)

func (a access) String() string { return [...]string{"scoped", "full-access", "any-key", "no-key"}[a] }

const (
	bodyLimit     = 1 << 20
	bulkBodyLimit = 4 << 20
)

// operation is one method of one path. It is set up once and read from many goroutines.
type operation struct {
	id      string // as in the document: admin.locations.create
	method  string
	path    string // with {name} where a segment is a parameter
	summary string
	access  access
	scopes  []string
	limit   int  // of the body in bytes; 0 is bodyLimit
	cost    int  // of the account's share of expensive reads (share.go)
	probe   bool // called by programs that watch the service: no account is charged for it
	apart   bool // outside the interface, for programs that watch the service or read its document: not in the document
	live    bool // about the present alone: a read that takes no asOf
	write   bool // changes something: takes an Idempotency-Key
	guarded bool // takes If-Match; set by write
	cached  bool // takes If-None-Match

	policy string // Content-Security-Policy of an answer that is a page; empty: that of all answers

	// What it reads and answers, for the document and for the names in faults. The builders below fill the first three.
	pathParams, queryParams []wire.Member
	body                    *wire.Schema // nil: none, or {}
	answer                  *wire.Schema

	params  []string // names of the path's parameters, in order
	run     func(q *request) error
	metrics *opMetrics // set by the server
}

// input is what an operation reads into a value of type In: nil where it takes none.
type input[In any] struct {
	path, query, body *wire.Shape[In]
}

// untyped is the input without its type: what reads it is compiled once for all operations.
func (in input[In]) untyped() anyInput {
	return anyInput{(*wire.Members)(in.path), (*wire.Members)(in.query), (*wire.Members)(in.body)}
}

// anyInput is an input of any type.
type anyInput struct{ path, query, body *wire.Members }

// none is the input of an operation without any.
type none struct{}

// read declares an operation that changes nothing. handle appends the answer to q.Out.
func read[In any](o operation, in input[In], handle func(q *request, in *In) error) operation {
	return readChecked(o, in, nil, handle)
}

// readChecked is read with a check of what the fields say together, whose faults are named with all others.
func readChecked[In any](o operation, in input[In], check func(q *request, in *In),
	handle func(q *request, in *In) error) operation {
	from := in.untyped()
	o.declare(from)
	o.run = func(q *request) error {
		if err := q.weighBody(); err != nil {
			return err
		}
		v := new(In)
		q.read(from, v)
		if check != nil && !q.json.Dead { // what was not read says nothing
			check(q, v)
		}
		if err := q.mayRead(); err != nil {
			return err
		}
		return handle(q, v)
	}
	return o
}

// mayRead names the faults of the input, and makes the read wait for its share.
func (q *request) mayRead() error {
	if err := q.faulted(nil); err != nil {
		return err
	}
	if err := q.pinnedView(); err != nil {
		return err
	}
	if err := q.weigh(); err != nil {
		return err
	}
	return nil
}

// write declares an operation that is one command of the engine. command makes it of the input; render appends the
// record that the command answers with. The command's check is asked even where the input has faults of its own, so
// that all faults are named together.
func write[In, Record any](
	o operation, in input[In], command func(q *request, in *In) base.OpOf[Record],
	render func(q *request, record Record) error,
) operation {
	o.write = true
	_, o.guarded = any(new(In)).(guarded)
	from := in.untyped()
	o.declare(from)
	o.run = func(q *request) error {
		if err := q.weighBody(); err != nil {
			return err
		}
		v := new(In)
		q.read(from, v)
		q.readConditions(v)
		got, err := q.carryOut(command(q, v))
		if err != nil {
			return err
		}
		record, _ := got.(Record) // of what removes a record there is none
		return render(q, record)
	}
	return o
}

// carryOut does a command where it has no fault and the key may ask for it; it returns the record of the command.
func (q *request) carryOut(op base.Op) (record any, err error) {
	if err := q.faulted(op); err != nil {
		return nil, err
	}
	if err := q.denied(op); err != nil {
		return nil, err
	}
	if err := q.lacking(op); err != nil {
		return nil, err
	}
	if err := q.weigh(); err != nil {
		return nil, err
	}
	res, err := q.do(op)
	if err != nil {
		return nil, err
	}
	return res.Record, nil
}

// guarded is an input that takes If-Match: it has base.IfMatch in it.
type guarded interface{ Demand(revisions []uint64) }

// asIs is the command of an input that is one itself.
func asIs[Op base.OpOf[R], R any](_ *request, in Op) base.OpOf[R] { return in }

// deletion makes the operation that deletes a record; by makes its path, which names the record by an id.
func deletion[R any, P base.Revised[R]](o operation,
	by func(at func(*base.Delete[R, P]) *base.ID) *wire.Shape[base.Delete[R, P]]) operation {
	return removal(o, input[base.Delete[R, P]]{path: by(func(d *base.Delete[R, P]) *base.ID { return &d.ID })})
}

// removal makes the operation that removes what its input names.
func removal[In any, Op interface {
	*In
	base.OpOf[any]
}](o operation, in input[In]) operation {
	o.method, o.answer = "DELETE", wire.NullSchema
	return write(o, in, func(_ *request, in *In) base.OpOf[any] { return Op(in) }, answerNull)
}

// answerNull is the answer of what removes a record.
func answerNull(q *request, _ any) error {
	q.Nil()
	return nil
}

// readOne makes an operation that answers with the record that its path names by an id alone. If there is no such
// record, the refusal says so, and says what kind of record it is by the name.
func readOne[R any](o operation, path *wire.Shape[base.ID], name string, find func(base.View, base.ID) *R,
	answer func(*request, *R) error) operation {
	return read(o, input[base.ID]{path: path}, func(q *request, id *base.ID) error {
		r := find(q.view, *id)
		if r == nil {
			return notFound(name)
		}
		return answer(q, r)
	})
}

// itself is the place for the id in an input that is only an id.
func itself(id *base.ID) *base.ID { return id }

func (o *operation) declare(in anyInput) {
	if in.path != nil {
		o.pathParams = in.path.Schema().Members
	}
	if in.query != nil {
		o.queryParams = in.query.Schema().Members
	}
	if in.body != nil {
		o.body = in.body.Schema()
	}
	if o.takesAsOf() {
		o.queryParams = append(o.queryParams[:len(o.queryParams):len(o.queryParams)], asOfMember)
	}
	if o.limit == 0 {
		o.limit = bodyLimit
	}
	o.cost = costOf(o)
	for _, segment := range strings.Split(o.path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			o.params = append(o.params, strings.TrimSuffix(name, "}"))
		}
	}
}

// read reads path, query and body into what v points to, and collects their faults. Nothing that it puts there belongs
// to the request's memory: every parser copies.
func (q *request) read(in anyInput, v any) {
	if in.path != nil {
		q.readPath()
		in.path.ReadArgs(&q.path, "", v)
	}
	q.query.Parse(q.ctx.URI().QueryString())
	if in.query != nil {
		in.query.ReadArgs(&q.query, "", v)
	}
	if q.op.takesAsOf() {
		asOf.Query(&q.query, asOfMember.Name, &q.asOf)
	}
	q.query.Unknown(q.op.queryParams)
	body := q.ctx.Request.Body()
	q.inQuery = in.body == nil
	switch {
	case in.body != nil && len(body) == 0 && q.op.method != "PATCH":
		q.json.Reset([]byte("{}"), &q.faults)
		q.json.Document(func(r *wire.Reader) { in.body.ReadJSON(r, v) })
	case in.body != nil:
		q.json.Reset(body, &q.faults)
		q.json.Document(func(r *wire.Reader) { in.body.ReadJSON(r, v) })
	case len(body) > 0:
		q.json.Reset(body, &q.faults)
		q.json.Document(func(r *wire.Reader) { emptyShape.ReadJSON(r, &none{}) })
	}
}

var emptyShape = wire.ShapeOf[none]("Empty")

// byID is the path of most operations on one record.
func byID[In any](at func(*In) *base.ID) *wire.Shape[In] { return byIDOf(wire.LooseID, at) }

// byUUID is the same where the interface types the id as a uuid: another form is a fault.
func byUUID[In any](at func(*In) *base.ID) *wire.Shape[In] {
	return byIDOf(wire.UUID, at)
}

func byIDOf[In any](id wire.Kind[base.ID], at func(*In) *base.ID) *wire.Shape[In] {
	return wire.ShapeOf("ID", wire.Required("id", id, at).Says("The record's id."))
}

// pathID is an id in a path.
type pathID struct {
	name  string
	kind  wire.Kind[base.ID]
	about string
}

// byTwo is the path of a record in another one; at gives the places for the ids of both.
func byTwo[In any](shape string, outer, inner pathID, at func(*In) (outer, inner *base.ID)) *wire.Shape[In] {
	return wire.ShapeOf(shape,
		wire.Required(outer.name, outer.kind, func(in *In) *base.ID { id, _ := at(in); return id }).Says(outer.about),
		wire.Required(inner.name, inner.kind, func(in *In) *base.ID { _, id := at(in); return id }).Says(inner.about))
}
