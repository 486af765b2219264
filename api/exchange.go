package api

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns import and export: the records of a resource as rows, one JSON object a line, through the operator's
// calls.
//
// A row is the body that makes the record over REST, read by the same shape and so with the same faults. There are two
// differences: it may use names for the records that it refers to (exchange_names.go), and it may say under which id
// the record was known before. A record that the account has already is not made twice. All rows of one call are one
// command: all are imported, or none.
//
// A whole account goes out and comes in as the lines of an archive (engine/archive.go), in one body.

const mediaRows = "application/x-ndjson"

// MaxImport is the most bytes of one call.
const MaxImport = 16 << 20

// exchanged is a resource that can be imported and exported.
type exchanged struct {
	name string
	row  *wire.Schema
	own  func(v base.View, id base.ID) bool // there is a record with the id
	tags label.TagScope
	read func(q *request) engine.Row
	each func(x *exporter) // writes all rows
}

// has says whether there is a record that a function finds.
func has[R any](find func(base.View, base.ID) *R) func(base.View, base.ID) bool {
	return func(v base.View, id base.ID) bool { return find(v, id) != nil }
}

// exchangedAs makes one of the shape that makes a record, the command that does, and what writes it.
func exchangedAs[In any](e exchanged, create *wire.Shape[In], command func(q *request, in *In) engine.Row) *exchanged {
	rows := wire.ShapeOf(create.Name, append([]wire.Field[In]{sourceID[In]()}, wire.FieldsOf(create)...)...)
	e.row = rows.Schema()
	e.read = func(q *request) engine.Row {
		in := new(In)
		q.json.Document(func(r *wire.Reader) { rows.ReadJSON(r, in) })
		return command(q, in)
	}
	return &e
}

// sourceID is a member of every row: the id of the record where it comes from.
func sourceID[In any]() wire.Field[In] {
	return wire.Ignored[In]("id", wire.TextSchema.OrNull(), func(r *wire.Reader) {
		if !r.Null() {
			var known base.ID
			wire.LooseID.JSON(r, &known)
		}
	})
}

// exchanges are the resources in the order in which an empty account takes them.
var exchanges = []*exchanged{
	exchangedAs(exchanged{name: "locations", own: has(stock.LocationByID), each: (*exporter).locations},
		createLocationShape, func(_ *request, o *stock.CreateLocation) engine.Row { return *o }),
	exchangedAs(exchanged{name: "skus", own: has(stock.SKUByID), tags: label.TagInventory, each: (*exporter).skus},
		createSKUShape, func(q *request, o *createSKU) engine.Row { return o.command(q) }),
	exchangedAs(exchanged{name: "articles", own: has(stock.ArticleByID), tags: label.TagInventory,
		each: (*exporter).articles},
		createArticleShape, func(q *request, o *createArticle) engine.Row { return o.command(q) }),
	exchangedAs(exchanged{name: "customers", own: has(commerce.CustomerByID), tags: label.TagCustomers,
		each: (*exporter).customers},
		createCustomerShape, func(_ *request, o *commerce.CreateCustomer) engine.Row { return *o }),
	exchangedAs(exchanged{name: "holds", own: func(v base.View, id base.ID) bool {
		_, ok := hold.HoldByID(v, id)
		return ok
	}, each: (*exporter).holds},
		wire.ShapeOf("HoldRow", holdFields...), func(_ *request, o *hold.PlaceHold) engine.Row {
			o.AllowPast = true // a file has what was, too
			return *o
		}),
}

// ExchangeNames lists the resources that can be imported and exported, in the order in which an empty account takes
// them.
func ExchangeNames() (names []string) {
	for _, e := range exchanges {
		names = append(names, e.name)
	}
	return names
}

// ExchangeRow describes a row of a resource; nil where there is no such resource.
func ExchangeRow(resource string) *wire.Schema {
	if e := exchangeOf(resource); e != nil {
		return e.row
	}
	return nil
}

func exchangeOf(resource string) *exchanged {
	if i := slices.IndexFunc(exchanges, func(e *exchanged) bool { return e.name == resource }); i >= 0 {
		return exchanges[i]
	}
	return nil
}

// exchange finds what a call is about.
func (a *adminCall) exchange() (e *exchanged, v base.View, err error) {
	if e = exchangeOf(a.r.PathValue("resource")); e == nil {
		return nil, v, refuse(base.CodeNotFound,
			"only "+strings.Join(ExchangeNames(), ", ")+" are imported and exported")
	}
	v, err = a.meant()
	return e, v, err
}

// meant is the account that a call names, or the only one.
func (a *adminCall) meant() (v base.View, err error) {
	id, raw := base.ID{}, a.query.Get("account")
	if raw != "" {
		id, err = a.accountOf(raw)
	} else {
		id, err = a.onlyAccount()
	}
	if err != nil {
		return v, err
	}
	v, _ = a.eng.View(id)
	if err := v.Ready(); err != nil {
		return v, err
	}
	return v, nil
}

// importRows makes records of rows, all or none. Faults have pointers that begin with the row's number from 0. With
// check=inputs or check=all nothing is made: rows are judged by themselves, or as the import would. A repeat under an
// Idempotency-Key is done once, and is a repeat also where its rows have faults by now, as a name in them has changed.
func (a *adminCall) importRows() error {
	e, v, err := a.exchange()
	if err != nil {
		return err
	}
	check := a.query.Get("check")
	if check != "" && check != "inputs" && check != "all" {
		return badParameter("check", wire.FaultFormat, "must be inputs or all")
	}
	lines := bytes.Split(bytes.TrimSuffix(a.body, []byte("\n")), []byte("\n"))
	batch, faults := readRows(e, v, lines, mostOfRows)
	cmd := engine.Command{Account: v.Account().ID, Actor: operator, Op: batch}
	if raw := a.r.Header.Get("Idempotency-Key"); raw != "" {
		cmd.Idem = &engine.Idempotency{Key: digest([]byte("import"), []byte(e.name), []byte(raw)),
			Fingerprint: digest(a.body, nil, nil)}
	}
	if len(faults.ListOf) > 0 {
		if check == "" && cmd.Idem != nil {
			if res, done, err := a.eng.Repeat(cmd); done || err != nil {
				return a.imported(batch, res, err)
			}
		}
		if check != "inputs" {
			judgeRest(a.eng, v, batch, &faults)
		}
		a.more = faults.More
		return a.thinned(badRows(faults.ListOf))
	}
	var res engine.Result
	switch check {
	case "":
		res, err = a.eng.Do(cmd)
	case "all":
		_, err = a.eng.Preview(cmd)
	}
	return a.imported(batch, res, err)
}

// imported answers with what an import came to.
func (a *adminCall) imported(batch engine.Batch, res engine.Result, err error) error {
	if err != nil {
		return a.thinned(err)
	}
	a.Braces(func() {
		a.Count("rows", len(batch.Rows), "")
		a.Bool("repeated", res.Replayed, "")
	})
	return nil
}

// badRows refuses rows for their faults.
func badRows(faults []base.Fault) *base.Error {
	return &base.Error{Code: base.CodeInvalid, Detail: "rows have faults; errors names them all", Faults: faults}
}

// MaxAlike is how many rows with one fault an operator is told of. The others are counted.
const MaxAlike = 20

// mostOfRows is how many faults of rows are looked for, of which few are named where they are alike.
const mostOfRows = 200 * engine.MaxBatch

var numbers = regexp.MustCompile(`[0-9]+`)

// FaultKind names what faults that are one have in common: they may differ in numbers, as 0 of 2 units and 1 of 3
// units.
func FaultKind(text string) string { return numbers.ReplaceAllString(text, "0") }

// Alike are more rows that have the fault of a number in the list that is answered, or where there is none, others.
type Alike struct {
	Fault *int  `json:"fault"`
	Rows  []int `json:"rows"`
}

// thinned leaves of the faults that a refusal names for rows those of the first rows with each of them, as many as
// there is room for, so that a frequent fault hides no other one. Its details have the numbers of the other rows.
func (a *adminCall) thinned(err error) error {
	var e *base.Error
	if !errors.As(err, &e) || len(e.Faults) <= MaxAlike {
		return err
	}
	type kind struct {
		Alike
		rows, last int
	}
	kinds := map[string]*kind{} // "": not named, for want of room
	var list []*kind
	var kept wire.Faults
	for _, f := range e.Faults {
		row, pointer, _ := rowOf(f)
		name := FaultKind(pointer + " " + f.Message)
		if kinds[name] == nil && kept.Full() {
			name = ""
		}
		k := kinds[name]
		if k == nil {
			k = &kind{last: -1}
			if n := len(kept.ListOf); name != "" {
				k.Fault = &n
			}
			kinds[name], list = k, append(list, k)
		}
		if row != k.last {
			k.rows, k.last = k.rows+1, row
		}
		if k.rows <= MaxAlike && !kept.Full() {
			kept.Add(f)
			continue
		}
		a.more++
		if n := len(k.Rows); n == 0 || k.Rows[n-1] != row {
			k.Rows = append(k.Rows, row)
		}
	}
	var rest struct {
		Alike []Alike `json:"alike"`
	}
	for _, k := range list {
		if len(k.Rows) > 0 {
			rest.Alike = append(rest.Alike, k.Alike)
		}
	}
	if len(rest.Alike) > 0 {
		if a.rest, err = json.Marshal(rest); err != nil {
			return err
		}
	}
	at := *e
	at.Faults = kept.ListOf
	return &at
}

// readRows reads rows and names what is wrong with them, row by row: as much of it as there is room for.
func readRows(e *exchanged, v base.View, lines [][]byte, most int) (batch engine.Batch, faults wire.Faults) {
	batch.Rows = make([]engine.Row, len(lines))
	found := make([][]base.Fault, len(lines)) // by row
	malformed := make([]bool, len(lines))
	names := newNameBook(e, v)
	q := request{faults: wire.Faults{Most: most}}
	for i, line := range lines {
		before := len(q.faults.ListOf)
		q.json.Reset(line, &q.faults)
		q.json.Refer = names.refer
		batch.Rows[i] = e.read(&q)
		for _, f := range q.faults.ListOf[before:] {
			malformed[i] = malformed[i] || f.Code == wire.FaultMalformed || f.Code == wire.FaultTooDeep
			f.Pointer = "/" + strconv.Itoa(i) + f.Pointer
			found[i] = append(found[i], f)
		}
	}
	if faults = q.faults; !faults.Full() {
		covers := make([]cover, len(lines))
		for _, f := range v.Check(batch) {
			i, _, ok := rowOf(f)
			if !ok {
				return batch, wire.Faults{ListOf: []base.Fault{f}} // of all rows
			}
			if covers[i].add(found[i]); malformed[i] || covers[i].has(f) {
				continue
			}
			before := len(faults.ListOf)
			faults.Add(f)
			found[i] = append(found[i], faults.ListOf[before:]...)
		}
	}
	faults.ListOf = slices.Concat(found...)
	return batch, faults
}

// rowOf is the row that a fault is of, and its pointer inside; ok is false where it is of none.
func rowOf(f base.Fault) (row int, pointer string, ok bool) {
	number, _, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
	row, err := strconv.Atoi(number)
	return row, strings.TrimPrefix(f.Pointer, "/"+number), err == nil
}

// judgeRest adds to the faults of some rows the refusals of the others, as long as there is room for them.
func judgeRest(eng *engine.Engine, v base.View, all engine.Batch, faults *wire.Faults) {
	if faults.Full() {
		return
	}
	bad := make([]bool, len(all.Rows))
	for _, f := range faults.ListOf {
		row, _, ok := rowOf(f)
		if !ok {
			return
		}
		bad[row] = true
	}
	var rest engine.Batch
	var at []int
	for i, r := range all.Rows {
		if !bad[i] {
			rest.Rows, at = append(rest.Rows, r), append(at, i)
		}
	}
	var refusal *base.Error
	if _, err := eng.Preview(engine.Command{Account: v.Account().ID, Op: rest}); !errors.As(err, &refusal) ||
		len(rest.Rows) == 0 {
		return
	}
	for _, f := range refusal.Faults {
		if i, pointer, ok := rowOf(f); ok {
			f.Pointer = "/" + strconv.Itoa(at[i]) + pointer
			faults.Add(f)
		}
	}
}

// importOfRows is an import by a key with full access: what importRows does, in the words of the interface.
type importOfRows struct {
	resource string
	rows     [][]byte
	dryRun   bool
}

// rawRows are rows as they stand; each is read by the shape of the resource.
var rawRows = wire.Kind[[][]byte]{
	Schema: (&wire.Schema{Type: "array", Items: &wire.Schema{Type: "object", Extra: &wire.Schema{}},
		Example: `[{"name":"Harbour","timezone":"Europe/Helsinki","address":{"city":"Helsinki"}}]`}),
	JSON: func(r *wire.Reader, dst *[][]byte) {
		if !r.Enter('[', "an array") {
			return
		}
		for n := 0; r.Element(n); n++ {
			*dst = append(*dst, bytes.Clone(r.Raw()))
		}
	},
	Query: func(*wire.Args, string, *[][]byte) bool { return false },
}

var importShape = wire.ShapeOf("ImportRows",
	wire.Required("resource", wire.Enum(ExchangeNames()...), func(o *importOfRows) *string { return &o.resource }).
		Says("What is made: locations first, then skus, articles, customers and holds."),
	wire.Required("rows", rawRows, func(o *importOfRows) *[][]byte { return &o.rows }).
		Says("What is made, each as the operation that makes one takes it; what it refers to may be named. At "+
			"most 5,000."),
	wire.Flag("dryRun", func(o *importOfRows) *bool { return &o.dryRun }).
		Says("Names the faults of all rows, 1,000 at most, and makes nothing."))

var importedSchema = describe("Imported",
	func(w *scribe, n *int) { w.Count("rows", *n, "How many records were made, or would be.") })

// importByRows makes records of rows, all or none. A fault points to its row: /rows/12/name. An import that was done
// under its key is repeated also where its rows have faults by now.
func (q *request) importByRows(in input[importOfRows]) error {
	if err := q.weighBody(); err != nil {
		return err
	}
	var o importOfRows
	q.read(in.untyped(), &o)
	q.readConditions(&o)
	if err := q.faulted(nil); err != nil {
		return err
	}
	q.preview = o.dryRun
	batch, faults := readRows(exchangeOf(o.resource), q.view, o.rows, 0)
	var err error
	if len(faults.ListOf) == 0 {
		q.payBack() // the rows are read: reads need not wait until they are made
		_, err = q.do(batch)
	} else if done, failed := q.repeat(batch); failed != nil {
		err = failed
	} else if !done {
		judgeRest(q.eng, q.view, batch, &faults)
		q.faults.More = faults.More
		err = badRows(faults.ListOf)
	}
	if err != nil {
		return atRows(err)
	}
	q.Braces(func() { q.Count("rows", len(batch.Rows), "") })
	return nil
}

// atRows has the faults of an import point into the body that the rows stand in.
func atRows(err error) error {
	var e *base.Error
	if !errors.As(err, &e) || len(e.Faults) == 0 {
		return err
	}
	at := *e
	at.Faults = slices.Clone(e.Faults)
	for i := range at.Faults {
		at.Faults[i].In, at.Faults[i].Pointer = "body", "/rows"+at.Faults[i].Pointer
	}
	return &at
}

var importOperations = []operation{func() operation {
	in := input[importOfRows]{body: importShape}
	o := operation{
		id: "admin.import.rows", method: "POST", path: "/v1/admin/import", access: fullAccess, limit: bulkBodyLimit,
		write:  true,
		answer: importedSchema, summary: "Makes records of the rows of a file, all or none; tried with dryRun it " +
			"names the faults of all rows.",
	}
	o.declare(in.untyped())
	o.run = func(q *request) error { return q.importByRows(in) }
	return o
}()}

// exportRows answers with all records of a resource, of one snapshot. What they cannot say is noted in a trailer.
func (a *adminCall) exportRows() error {
	e, v, err := a.exchange()
	if err != nil {
		return err
	}
	a.stream = func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", mediaRows)
		w.Header().Set("Trailer", NotesTrailer)
		x := &exporter{request: &request{scribe: scribe{view: v}, now: v.Now(a.server.now())}, w: w,
			names: newNameBook(e, v)}
		e.each(x)
		x.flush()
		w.Header().Set(NotesTrailer, strings.Join(x.notes(), "; "))
		if x.err != nil {
			panic(http.ErrAbortHandler) // the reader cannot take what it has for the whole
		}
	}
	return nil
}

// NotesTrailer is the name of the trailer of an export with what its rows do not say.
const NotesTrailer = "Holdfast-Notes"

const archivePath = "/archive"

// exportArchive answers with an account as an archive, of one snapshot. One that breaks off has no end, and is no
// archive.
func (a *adminCall) exportArchive() error {
	v, err := a.meant()
	if err != nil {
		return err
	}
	a.stream = func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", mediaRows)
		if err := engine.WriteArchive(v, w); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	return nil
}

// importArchive makes an account of an archive, which is judged whole before anything is done. account names one
// without records, or is the id of the new one; without it the one is meant that an import of the archive has begun or
// made, or else a new one: of the archive's own id where ids is keep, the default, and no account has it. A second
// import of the same archive continues where the first one ended.
func (a *adminCall) importArchive() error {
	o := engine.ImportArchive{Name: a.query.Get("name"), Secret: func() (b [outbox.SecretBytes]byte) {
		rand.Read(b[:])
		return b
	}}
	switch a.query.Get("ids") {
	case "", "keep":
	case "new":
		o.NewIDs = true
	default:
		return badParameter("ids", wire.FaultFormat, "must be keep or new")
	}
	if !a.server.importing.TryLock() {
		return refuse(base.CodeNotReady, "another archive is being imported, since "+
			string(trimQuotes(wire.AppendInstant(nil, a.server.imports.Load()))))
	}
	a.server.imports.Store(a.server.now())
	defer a.server.importing.Unlock()
	archive, err := engine.ReadArchive(a.r.Body)
	if err != nil {
		return err
	}
	if o.Account, err = a.intoAccount(archive, o.NewIDs); err != nil {
		return err
	}
	r, err := a.eng.Import(a.r.Context(), archive, o)
	if err != nil {
		return err
	}
	a.view, _ = a.eng.View(o.Account)
	a.Braces(func() {
		a.ID("account", r.Account, "")
		a.Text("name", a.view.Account().Name, "")
		a.Count("rows", r.Rows, "")
		a.Count("before", r.Before, "")
		a.Count("webhooks", r.Hooks, "")
		a.Count("keys", engine.Keys(a.view).Len(), "")
		a.Text("shift", r.IDs.String(), "")
	})
	return nil
}

// intoAccount is the account that an archive goes into.
func (a *adminCall) intoAccount(archive *engine.AccountArchive, newIDs bool) (id base.ID, err error) {
	if raw := a.query.Get("account"); raw != "" {
		id, ok := wire.ParseID([]byte(raw))
		if !ok || id == (base.ID{}) {
			return id, badParameter("account", wire.FaultFormat, "must be an id")
		}
		return id, nil
	}
	if id, ok := a.eng.ImportOf(archive, newIDs); ok {
		return id, nil
	}
	if id, ok := wire.ParseID([]byte(archive.Head.Account)); ok && !newIDs {
		if _, taken := a.eng.View(id); !taken {
			return id, nil
		}
	}
	var random [10]byte
	rand.Read(random[:])
	return base.NewID(a.eng.Now(), base.BaseOf(random)), nil
}
