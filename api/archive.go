package api

import (
	"crypto/rand"
	"net/http"

	"holdfast/api/wire"
	"holdfast/engine"
)

// This file owns how a whole account goes out and comes in, through the operator's calls: the lines of an archive (engine/archive.go) as
// one body.

const archivePath = "/archive"

// exportArchive answers with an account as an archive, of one snapshot. One that breaks off has no end, and is no archive.
func (a *adminCall) exportArchive() error {
	v, err := a.meant()
	if err != nil {
		return err
	}
	a.stream = func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", mediaRows)
		if err := v.WriteArchive(w); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	return nil
}

// importArchive makes an account of an archive, which is judged whole before anything is done. account names one without records, or
// is the id of the new one; without it the one is meant that an import of the archive has begun or made, or else a new one: of the
// archive's own id where ids is keep, the default, and no account has it. The same archive again goes on where an import ended.
func (a *adminCall) importArchive() error {
	query := a.r.URL.Query()
	o := engine.ImportArchive{Name: query.Get("name"), Secret: func() (b [engine.SecretBytes]byte) {
		rand.Read(b[:])
		return b
	}}
	switch ids := query.Get("ids"); ids {
	case "", "keep":
	case "new":
		o.NewIDs = true
	default:
		return &engine.Error{Code: engine.CodeInvalid, Detail: "ids is not known", Faults: []engine.Fault{
			{In: "query", Pointer: "ids", Code: wire.FaultFormat, Message: "must be keep or new"},
		}}
	}
	if !a.server.importing.TryLock() {
		return refuse(engine.CodeNotReady, "another archive is being imported")
	}
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
		a.Text("shift", r.IDs.String(), "")
	})
	return nil
}

// intoAccount is the account that an archive goes into.
func (a *adminCall) intoAccount(archive *engine.AccountArchive, newIDs bool) (id engine.ID, err error) {
	if raw := a.r.URL.Query().Get("account"); raw != "" {
		id, ok := wire.ParseID([]byte(raw))
		if !ok || id == (engine.ID{}) {
			return id, &engine.Error{Code: engine.CodeInvalid, Detail: "account is no id", Faults: []engine.Fault{
				{In: "query", Pointer: "account", Code: wire.FaultFormat, Message: "must be an id"},
			}}
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
	return engine.NewID(a.eng.Now(), engine.BaseOf(random)), nil
}
