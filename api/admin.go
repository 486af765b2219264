package api

import (
	"crypto/rand"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"holdfast/api/auth"
	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
)

// This file owns what the operator may do to accounts and keys: the part of the operator's listener that the command
// line uses, too, on the engine of a stopped directory. It asks for no key.
//
//	GET, POST  /accounts
//	PUT        /accounts/{id}/plan
//	GET        /keys?account={id}      of one account, or of all
//	POST       /keys                   of the only account, or of the one that the body names
//	DELETE     /keys/{key}             by id, or by the part of the key in front of its secret
//	POST       /import/{resource}      rows, see exchange.go
//	GET        /export/{resource}
//	GET, POST  /archive                a whole account, see exchange.go

// operator is the actor of what is done here.
const operator = "operator"

// Admin gives the operator's part of the interface.
func (s *Server) Admin() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, answer func(a *adminCall) error, parameters ...string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s.administer(w, r, answer, parameters)
		})
	}
	handle("POST /import/{resource}", (*adminCall).importRows, "account", "check")
	handle("GET /export/{resource}", (*adminCall).exportRows, "account")
	handle("GET "+archivePath, (*adminCall).exportArchive, "account")
	handle("POST "+archivePath, (*adminCall).importArchive, "account", "ids", "name")
	handle("GET /accounts", (*adminCall).listAccounts)
	handle("POST /accounts", (*adminCall).createAccount)
	handle("PUT /accounts/{id}/plan", (*adminCall).setPlan)
	handle("GET /keys", (*adminCall).listKeys, "account")
	handle("POST /keys", (*adminCall).createKey)
	handle("DELETE /keys/{key}", (*adminCall).revokeKey)
	return mux
}

// adminCall is one call of the operator.
type adminCall struct {
	scribe
	server *Server
	eng    *engine.Engine
	r      *http.Request
	query  url.Values
	body   []byte
	more   int                         // faults that were found and are not named
	rest   []byte                      // details of a refusal, as JSON
	stream func(w http.ResponseWriter) // the answer, in place of out
}

func (s *Server) administer(w http.ResponseWriter, r *http.Request, answer func(a *adminCall) error,
	parameters []string) {
	a := &adminCall{server: s, eng: s.engine.Load(), r: r, rest: []byte("{}")}
	err := a.read(w)
	if err == nil {
		err = a.readQuery(parameters)
	}
	if err == nil {
		err = answer(a)
	}
	if err == nil && a.stream != nil {
		a.stream(w)
		return
	}
	kind, status := mediaJSON, http.StatusOK
	if err != nil {
		e := asRefusal(err)
		kind, status = mediaProblem, statuses[e.Code].number
		if status >= 500 {
			s.log.Error("an operator's call failed", "path", r.URL.Path, "cause", err)
		}
		a.Out = appendProblem(a.Out[:0], e, nil, a.more, func(b []byte) []byte { return append(b, a.rest...) })
	}
	w.Header().Set("Content-Type", string(kind))
	w.WriteHeader(status)
	_, _ = w.Write(a.Out) // a caller that hung up can see the outcome with its next call
}

// read takes in the body. A request that has one must say that it is JSON, which no form of a web page can.
func (a *adminCall) read(w http.ResponseWriter) (err error) {
	if a.eng == nil {
		return refuse(base.CodeNotReady, "the state is being loaded")
	}
	if a.r.Method == http.MethodGet || a.r.Method == http.MethodDelete {
		return nil
	}
	want, limit := string(mediaJSON), int64(bodyLimit)
	if a.r.PathValue("resource") != "" || a.r.URL.Path == archivePath {
		want, limit = mediaRows, MaxImport
	}
	if kind, _, _ := strings.Cut(a.r.Header.Get("Content-Type"), ";"); kind != want {
		return refuse(base.CodeMediaType, "Content-Type has to be "+want)
	}
	if a.r.URL.Path == archivePath {
		return nil // it is read as it comes
	}
	if a.body, err = io.ReadAll(http.MaxBytesReader(w, a.r.Body, limit)); err != nil {
		return refuse(base.CodeBodyTooLarge, "the body is not whole, or too large")
	}
	return nil
}

// readQuery reads the parameters of a call: those that it has, each once.
func (a *adminCall) readQuery(known []string) (err error) {
	if a.query, err = url.ParseQuery(a.r.URL.RawQuery); err != nil {
		return refuse(base.CodeInvalid, "the query cannot be read")
	}
	for _, name := range slices.Sorted(maps.Keys(a.query)) {
		switch {
		case !slices.Contains(known, name):
			return badParameter(name, wire.FaultUnknown, "is no parameter here; known are: "+strings.Join(known, ", "))
		case len(a.query[name]) > 1:
			return badParameter(name, wire.FaultDuplicate, "must be given once")
		}
	}
	return nil
}

// badParameter refuses a call for one of its parameters.
func badParameter(name, code, message string) error {
	return &base.Error{Code: base.CodeInvalid, Detail: "a parameter is wrong",
		Faults: []base.Fault{{In: "query", Pointer: name, Code: code, Message: message}}}
}

// readBody reads the body into a value and names all its faults.
func readBody[In any](a *adminCall, s *wire.Shape[In], in *In) error {
	var q request
	q.json.Reset(a.body, &q.faults)
	q.json.Document(func(r *wire.Reader) { s.ReadJSON(r, in) })
	if err := q.faulted(nil); err != nil {
		return err
	}
	return nil
}

func (a *adminCall) do(account base.ID, op base.Op) (any, error) {
	res, err := a.eng.Do(engine.Command{Account: account, Actor: operator, Op: op})
	return res.Record, err
}

var createAccountShape = wire.ShapeOf("CreateAccount", append(
	wire.MadeOf(func(o *base.CreateAccount) *base.AccountFields { return &o.AccountFields }),
	wire.Defaulted("plan", wire.Enum(base.Plans...), "", func(o *base.CreateAccount) *string { return &o.Plan }))...)

var setPlanShape = wire.ShapeOf("SetPlan",
	wire.Required("plan", wire.Enum(base.Plans...), func(o *base.SetPlan) *string { return &o.Plan }))

// adminKey is a new key, of an account.
type adminKey struct {
	engine.CreateKey
	account *base.ID
}

var adminKeyShape = wire.ShapeOf("AdminKey",
	append(keyFields(func(o *adminKey) *engine.CreateKey { return &o.CreateKey }),
		wire.Optional("account", wire.UUID, func(o *adminKey) **base.ID { return &o.account }))...)

func (a *adminCall) listAccounts() error {
	a.Out = append(a.Out, `{"accounts":[`...)
	for _, id := range a.eng.Accounts() {
		v, _ := a.eng.View(id)
		a.Next()
		appendRecord(&a.scribe, v.Account(), (*scribe).writeAccount)
	}
	a.Out = append(a.Out, "]}"...)
	return nil

}

func (a *adminCall) createAccount() error {
	var o base.CreateAccount
	if err := readBody(a, createAccountShape, &o); err != nil {
		return err
	}
	var random [10]byte
	rand.Read(random[:])
	return a.answerAccount(base.NewID(a.eng.Now(), base.BaseOf(random)), o)
}

func (a *adminCall) setPlan() error {
	id, ok := wire.ParseID([]byte(a.r.PathValue("id")))
	var o base.SetPlan
	if err := readBody(a, setPlanShape, &o); err != nil {
		return err
	}
	if !ok {
		return notFound("account")
	}
	return a.answerAccount(id, o)
}

func (a *adminCall) answerAccount(id base.ID, op base.Op) error {
	made, err := a.do(id, op)
	if err == nil {
		appendRecord(&a.scribe, made.(*base.Account), (*scribe).writeAccount)
	}
	return err
}

func (a *adminCall) listKeys() error {
	accounts := a.eng.Accounts()
	if raw := a.query.Get("account"); raw != "" {
		id, err := a.accountOf(raw)
		if err != nil {
			return err
		}
		accounts = []base.ID{id}
	}
	a.Out = append(a.Out, `{"keys":[`...)
	for _, id := range accounts {
		v, _ := a.eng.View(id)
		for k := range engine.Keys(v).All() {
			a.Next()
			a.Braces(func() { a.key(id, k) })
		}
	}
	a.Out = append(a.Out, "]}"...)
	return nil
}

// key writes a key with its account.
func (a *adminCall) key(account base.ID, k *base.Key) {
	a.writeKey(k, a.server.lastUsed(account, k))
	a.ID("account", account, "")
}

func (a *adminCall) createKey() error {
	var o adminKey
	if err := readBody(a, adminKeyShape, &o); err != nil {
		return err
	}
	if o.account == nil {
		only, err := a.onlyAccount()
		if err != nil {
			return err
		}
		o.account = &only
	}
	text := drawKey(&o.CreateKey)
	made, err := a.do(*o.account, o.CreateKey)
	if err != nil {
		return err
	}
	a.Braces(func() {
		a.key(*o.account, made.(*base.Key))
		a.Text("key", text, "")
	})
	return nil
}

// accountOf is the account that a text names.
func (a *adminCall) accountOf(raw string) (base.ID, error) {
	id, ok := wire.ParseID([]byte(raw))
	if !ok || !slices.Contains(a.eng.Accounts(), id) {
		return id, notFound("account")
	}
	return id, nil
}

// onlyAccount is the account that is meant where none is named.
func (a *adminCall) onlyAccount() (base.ID, error) {
	accounts := a.eng.Accounts()
	if len(accounts) != 1 {
		return base.ID{}, &base.Error{Code: base.CodeInvalid,
			Detail: "there is no account, or more than one; say which", Faults: []base.Fault{
				{Pointer: "/account", Code: wire.FaultRequired, Message: "has to say which account"},
			}}
	}
	return accounts[0], nil
}

func (a *adminCall) revokeKey() error {
	account, id, ok := a.findKey(a.r.PathValue("key"))
	if !ok {
		return notFound("API key")
	}
	made, err := a.do(account, engine.RevokeKey{ID: id})
	if err == nil {
		r := made.(*engine.RevokedKey)
		a.view, _ = a.eng.View(account)
		a.Braces(func() {
			a.key(account, &r.Key)
			a.webhooksOf(r)
		})
	}
	return err
}

// findKey finds a key by its id, or by what it begins with.
func (a *adminCall) findKey(name string) (account, id base.ID, ok bool) {
	if public, found := strings.CutPrefix(name, auth.Prefix("")); found {
		k, v, ok := a.eng.Key([]byte(public))
		if !ok {
			return account, id, false
		}
		return v.Account().ID, k.ID, true
	}
	if id, ok = wire.ParseID([]byte(name)); !ok {
		return account, id, false
	}
	for _, account = range a.eng.Accounts() {
		if v, _ := a.eng.View(account); engine.Keys(v).Get(id) != nil {
			return account, id, true
		}
	}
	return account, id, false
}
