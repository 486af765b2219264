package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/api/auth"
	"holdfast/api/ratelimit"
	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file owns the request: what an operation's handler gets, and how it answers. A request is reused; nothing of it,
// nor of the memory of its connection, outlives the handler.

type request struct {
	// the answer, in the connection's own buffer, and the state of the key's account, of the same snapshot as the key
	scribe
	server *Server
	ctx    *fasthttp.RequestCtx
	op     *operation // nil until the route is known
	id     []byte     // request id
	idBuf  [32]byte
	start  time.Time
	route  []byte // the path without a trailing slash

	eng *engine.Engine
	key *base.Key // nil where no key is looked at
	now int64     // the present for this request, milliseconds since the epoch

	clock   int64 // the server's own present, which may be behind the engine's
	from    sender
	entered bool // counted among what its address has under way
	paid    bool // charged already, when it asked whether it may send its body
	charge  charge
	meter   *ratelimit.Meter // of the account, from when it is charged on
	idle    time.Duration    // spent waiting for something to happen

	json        wire.Reader
	path, query wire.Args
	faults      wire.Faults
	asOf        uint64 // sequence of the pinned snapshot that is read; 0: the present
	idem        engine.Idempotency
	keyed       bool                   // idem is given
	preview     bool                   // the command is planned, not done
	moved       []stock.Unavailability // by it
	secret      string                 // what the answer shows this once, and nothing keeps
	lacks       []string               // scopes that the request needs and the key has not
	inQuery     bool                   // the inputs of the operation are in the query

	stock    stock.ArticleStock // room to read stock into
	bars     engine.ArticleBars // and bars
	media    string             // what the answer is; empty: JSON
	same     []byte             // the answer, where it is the same for every caller: it is never written to
	taken    int64              // bytes of room that it has taken
	crowded  bool               // there was no room for it
	cost     int                // what it has taken of its account's share of expensive reads
	long     bool               // it is about a large order
	tag      uint64             // the answer's entity tag is its revision; 0: none
	tagBuf   []byte
	held     coding // in which the caller has the answer already; it is then told only that
	numBuf   []byte
	replayed bool
	links    []byte // value of the Link header
}

var requests = sync.Pool{New: func() any { return newRequest() }}

func newRequest() *request {
	q := new(request)
	q.path.In, q.path.Faults = "path", &q.faults
	q.query.In, q.query.Faults = "query", &q.faults
	return q
}

func (s *Server) acquire(ctx *fasthttp.RequestCtx, start time.Time) *request {
	q := requests.Get().(*request)
	q.server, q.ctx, q.start = s, ctx, start
	q.eng = s.engine.Load()
	q.clock = s.now()
	q.from = sender{address: peer(ctx.RemoteAddr())}
	if q.Out = buffer(); q.Out == nil {
		q.Out = ctx.Response.SwapBody(nil)[:0]
	}
	return q
}

func (q *request) release() {
	q.giveBack()
	q.payBack()
	q.leave()
	if q.stock.Window != (base.Span{}) { // it was read into
		q.forgetStock()
	}
	q.server, q.ctx, q.op, q.eng, q.key, q.meter = nil, nil, nil, nil, nil, nil
	q.id, q.route, q.Out = nil, nil, nil
	q.view, q.idem = base.View{}, engine.Idempotency{}
	if q.json.Faults != nil { // a body was read, of which nothing is left for the next request
		q.json.Reset(nil, nil)
	}
	q.path.Reset()
	q.query.Reset()
	q.faults = wire.Faults{}
	q.links, q.secret, q.lacks = q.links[:0], "", nil
	q.tag, q.held, q.replayed, q.keyed, q.preview, q.moved = 0, plain, false, false, false, nil
	q.paid, q.charge, q.idle, q.asOf = false, charge{}, 0, 0
	q.crowded, q.long, q.media, q.same, q.inQuery = false, false, "", nil, false
	requests.Put(q)
}

// forgetStock lets go of what was read, and also of the room for it where that is for many.
func (q *request) forgetStock() {
	if cap(q.stock.Units) > keptStock || cap(q.stock.Balance) > keptStock || cap(q.stock.Locations) > keptStock {
		q.stock = stock.ArticleStock{}
	}
	q.stock.Reset(base.Span{})
}

// fault notes what is wrong with a part of the request.
func (q *request) fault(in, pointer, code, message string) {
	q.faults.Add(base.Fault{In: in, Pointer: pointer, Code: code, Message: message})
}

// readPath makes parameters of the path's segments.
func (q *request) readPath() {
	for _, name := range q.op.params {
		if segment, ok := q.ctx.UserValue(name).(string); ok {
			q.path.Add([]byte(name), []byte(segment), false)
		}
	}
}

// readConditions reads the headers that bind a write to a revision, for its input, and to its own repeats.
func (q *request) readConditions(in any) {
	h := &q.ctx.Request.Header
	to, ok := in.(guarded)
	if lines := h.PeekAll("If-Match"); len(lines) > 0 && ok { // several are one list
		tags, all := parseTags(bytes.Join(lines, []byte{','}))
		if !all && len(tags) == 0 {
			tags = append(tags, 0) // none that could be one of ours: no record has revision 0
		}
		to.Demand(tags)
	}
	keys := h.PeekAll("Idempotency-Key")
	if len(keys) == 0 {
		return
	}
	if len(keys) > 1 {
		q.fault("header", "Idempotency-Key", wire.FaultDuplicate, "given more than once")
		return
	}
	raw := keys[0]
	if len(raw) < 1 || len(raw) > 255 || bytes.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) {
		q.fault("header", "Idempotency-Key", wire.FaultFormat, "must be 1 to 255 visible ASCII characters")
		return
	}
	q.keyed = true
	q.idem.Key = digest(h.Method(), q.scope(), raw)
	q.idem.Fingerprint = digest(q.ctx.URI().QueryString(), q.ctx.Request.Body(), nil)
}

// scope is the path for which an idempotency key counts. Each id in it is as the server writes it, so that another
// spelling of one is no other path.
func (q *request) scope() []byte {
	path := q.route
	for _, p := range q.path.ListOf {
		if id, ok := wire.ParseID(p.Value); ok {
			given, _ := q.ctx.UserValue(string(p.Name)).(string)
			if usual := id.String(); given != usual {
				path = bytes.Replace(path, []byte("/"+given), []byte("/"+usual), 1)
			}
		}
	}
	return path
}

// digest is half a SHA-256 over three texts, each with its length, so that none can run into the next.
func digest(a, b, c []byte) (id base.ID) {
	h := sha256.New()
	var length [8]byte
	for _, text := range [...][]byte{a, b, c} {
		binary.BigEndian.PutUint64(length[:], uint64(len(text)))
		h.Write(length[:])
		h.Write(text)
	}
	var sum [sha256.Size]byte
	copy(id[:], h.Sum(sum[:0]))
	return id
}

// faulted refuses the request if anything was found wrong with it. check, if not nil, is asked for further faults. Its
// faults of a value that could not even be read are left out, and so are all its faults of a body that was not read to
// its end.
func (q *request) faulted(check base.Op) *base.Error {
	if len(q.faults.ListOf) == 0 {
		return nil
	}
	if check != nil && !q.json.Dead {
		var read cover
		read.add(q.faults.ListOf)
		for _, f := range q.placed(q.view.Check(check)) {
			if !read.has(f) {
				q.faults.Add(f)
			}
		}
	}
	malformed := func(f base.Fault) bool { return f.Code == wire.FaultMalformed && f.In == "body" }
	if slices.ContainsFunc(q.faults.ListOf, malformed) {
		return &base.Error{Code: base.CodeMalformed, Detail: "the body is not well-formed JSON",
			Faults: q.faults.ListOf}
	}
	return invalid(q.faults.ListOf)
}

// placed says of the faults that an operation found in its inputs where the request has these.
func (q *request) placed(faults []base.Fault) []base.Fault {
	if !q.inQuery {
		return faults // in the body
	}
	faults = slices.Clone(faults)
	for i := range faults {
		if f := &faults[i]; f.In == "" {
			f.In, f.Pointer = "query", strings.TrimPrefix(f.Pointer, "/")
		}
	}
	return faults
}

func invalid(faults []base.Fault) *base.Error {
	return &base.Error{Code: base.CodeInvalid, Detail: "the request has faults; errors names them all", Faults: faults}
}

// denied refuses a body with members for which the key lacks a scope, once there is nothing else wrong with the request
// itself.
func (q *request) denied(op base.Op) error {
	var entries []map[string]any
	if len(q.key.Scopes) > 0 {
		entries = deniedFields(q.json.Claims, q.key.Scopes)
	}
	if entries == nil {
		return nil
	}
	if q.faults.ListOf = q.view.Check(op); len(q.faults.ListOf) > 0 {
		return q.faulted(nil)
	}
	return &base.Error{
		Code: base.CodeDeniedFields, Detail: "the key lacks scopes for members of the body",
		Details: map[string]any{"deniedFields": entries},
	}
}

// deniedFields lists the members that were given without the scope for them, those of one scope together.
func deniedFields(claims []wire.Claim, held []string) (entries []map[string]any) {
	for i, c := range claims {
		if auth.Allows(held, []string{c.Scope}) ||
			slices.ContainsFunc(claims[:i], func(d wire.Claim) bool { return d.Scope == c.Scope }) {
			continue
		}
		var fields []string
		for _, d := range claims[i:] {
			if d.Scope == c.Scope {
				fields = append(fields, d.Field)
			}
		}
		entries = append(entries, map[string]any{"fields": fields, "requiredScopes": []string{c.Scope}})
	}
	return entries
}

// cover is the set of values whose faults are reported already: further faults of them, or of parts of them, are left
// out.
type cover struct {
	at    map[string]bool // pointers of the values
	above map[string]bool // those, and of what they are parts of, where one could not be read
	added int
}

// add takes in the faults of a list that grows: those that came after the last call.
func (c *cover) add(faults []base.Fault) {
	if c.at == nil && len(faults) > 0 {
		c.at, c.above = map[string]bool{}, map[string]bool{}
	}
	for _, f := range faults[c.added:] {
		if f.Code == wire.FaultUnknown || f.Code == wire.FaultDuplicate {
			continue
		}
		c.at[f.Pointer] = true
		// A value that could not be read counts as absent there, so a fault that says that it is missing is nothing
		// new. A member that is missing itself, or is a number out of range, is no such value.
		for p, more := f.Pointer, f.Code != wire.FaultRequired && f.Code != wire.FaultRange; more; p, more = outer(p) {
			if c.above[p] {
				break // and so are those around it
			}
			c.above[p] = true
		}
	}
	c.added = len(faults)
}

// has says whether one of the faults is of the same value as f, or of one around it.
func (c *cover) has(f base.Fault) bool {
	if c.added == 0 {
		return false
	}
	for p, more := f.Pointer, true; more; p, more = outer(p) {
		if c.at[p] {
			return true
		}
	}
	return f.Code == wire.FaultRequired && c.above[f.Pointer] || f.Hangs != "" && c.above[f.Hangs]
}

// unread says that a value was given that could not be read.
func (q *request) unread(pointer string) bool {
	var c cover
	c.add(q.faults.ListOf)
	return c.above[pointer]
}

// outer is the pointer to what a pointer's value is part of; the whole has none.
func outer(pointer string) (string, bool) {
	i := strings.LastIndexByte(pointer, '/')
	return pointer[:max(i, 0)], i >= 0
}

// command is a command on behalf of the key.
func (q *request) command(op base.Op) engine.Command {
	cmd := engine.Command{Account: q.view.Account().ID, Actor: q.key.Label, Op: op, Explainer: q}
	if q.keyed {
		idem := q.idem // the command may outlive the request's memory
		cmd.Idem = &idem
	}
	return cmd
}

// do makes the engine carry out a command.
func (q *request) do(op base.Op) (engine.Result, error) {
	cmd := q.command(op)
	if q.preview {
		if err := q.dear(searchCost); err != nil {
			return engine.Result{}, err
		}
		cmd.Idem = nil // nothing is done that could be repeated
		res, err := q.eng.Preview(cmd)
		q.moved = res.Moved
		return engine.Result{Record: res.Record}, err
	}
	res, err := q.eng.Do(cmd)
	if !q.long { // the expensive part, to explain a refusal, is done: others may begin while the answer is written
		q.payBack()
	}
	q.replayed = res.Replayed
	return res, err
}

// repeat answers a command that has faults in the present state, where it was done under the request's key before it
// had them; else done is false, and nothing was done.
func (q *request) repeat(op base.Op) (done bool, err error) {
	if q.keyed && !q.preview {
		_, q.replayed, err = q.eng.Repeat(q.command(op))
	}
	return q.replayed, err
}

// behind renders the record of a command with the state after the command, because the answer shows parts of other
// records.
func behind[R any](render func(*request, R) error) func(*request, R) error {
	return func(q *request, record R) error {
		if v, ok := q.eng.View(q.view.Account().ID); ok {
			q.view, q.now = v, v.Now(q.server.now())
		}
		return render(q, record)
	}
}

// appendEntityTag appends the entity tag of a revision. A strong tag names bytes: an answer in another coding has
// another.
func appendEntityTag(b []byte, revision uint64, c coding) []byte {
	b = strconv.AppendUint(append(b, '"'), revision, 10)
	if c != plain {
		b = append(append(b, '-'), c.String()...)
	}
	return append(b, '"')
}

// parseTags reads a list of entity tags; all is true for *. Weak tags and those of other forms match nothing of ours.
func parseTags(raw []byte) (tags []uint64, all bool) {
	for len(raw) > 0 {
		var one []byte
		one, raw, _ = bytes.Cut(raw, []byte{','})
		one = bytes.TrimSpace(one)
		if string(one) == "*" {
			return nil, true
		}
		if len(one) > 2 && one[0] == '"' && one[len(one)-1] == '"' {
			revision, of, coded := bytes.Cut(one[1:len(one)-1], []byte{'-'})
			if coded && string(of) != gzipped.String() && string(of) != zstandard.String() {
				continue
			}
			if n, err := strconv.ParseUint(string(revision), 10, 64); err == nil && n > 0 {
				tags = append(tags, n)
			}
		}
	}
	return tags, false
}

// answers makes an answer with a record and its entity tag, of what writes the record.
func answers[R interface{ Rev() uint64 }](write func(*scribe, R)) func(*request, R) error {
	return func(q *request, r R) error {
		if !q.sameRevision(r.Rev()) {
			appendRecord(&q.scribe, r, write)
		}
		return nil
	}
}

// labelled is a record that shows the names of its labels.
type labelled interface {
	OwnStamp() *base.Stamp
	OwnLabels() *label.Labels
}

// answersLabelled is answers for a record whose labels may have changed since the record did: the caller's copy may
// have an old name then.
func answersLabelled[R labelled](write func(*scribe, R)) func(*request, R) error {
	return func(q *request, r R) error {
		stamp := r.OwnStamp()
		q.tag = stamp.Revision
		if label.Relabelled(q.view, r.OwnLabels(), stamp.UpdatedAt) || !q.sameRevision(stamp.Revision) {
			appendRecord(&q.scribe, r, write)
		}
		return nil
	}
}

// sameRevision sets the answer's entity tag, and says whether the caller has this revision already, by If-None-Match:
// then the answer is 304 and has no body.
func (q *request) sameRevision(revision uint64) bool {
	q.tag = revision
	raw := q.ctx.Request.Header.Peek("If-None-Match")
	if len(raw) == 0 || !q.op.cached {
		return false
	}
	// The comparison is the weak one: W/"5" is "5".
	tags, same := parseTags(bytes.ReplaceAll(raw, []byte(`W/"`), []byte(`"`)))
	same = same || slices.Contains(tags, revision)
	if same {
		q.ctx.Response.SetStatusCode(fasthttp.StatusNotModified)
		for _, c := range [...]coding{gzipped, zstandard} {
			if bytes.Contains(raw, appendEntityTag(q.tagBuf[:0], revision, c)) {
				q.held = c
			}
		}
	}
	return same
}
