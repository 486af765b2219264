package main

// This file owns the first run on a data directory: the account, its first key, and what happens when the run ends
// before the key is good for anything.

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"holdfast/api"
	"holdfast/api/auth"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/persist/backup"
	"holdfast/timeline"
)

// firstRunMark is a file in the data directory that holds the public part of the first key, from before the key is made
// until the program is ready. A start that finds it knows that the run before died in between. Perhaps the key was
// never seen, or was seen by someone who should not have seen it. So it is revoked and another is made.
const firstRunMark = "FIRST-RUN"

const keyLabel = "first key"

// bootstrapKey is the first key that is given from outside, empty where none is. It is judged before anything is made.
func bootstrapKey() (string, error) {
	key := os.Getenv(bootstrapVariable)
	if _, _, ok := auth.Parse([]byte(key)); key != "" && !ok {
		return "", usagef("%s must be hf_<id>_<secret>: 8 to 32 and 32 to 64 letters and digits", bootstrapVariable)
	}
	return key, nil
}

// firstRun is what the first run on a directory made; on a later one nothing is.
type firstRun struct {
	account base.ID
	key     string // to be shown, or given from outside; empty: none was made
	given   bool   // the key was given from outside
	mark    string // path of the mark, empty where there is none
}

// firstRun makes the account and its first key where there are none, or finishes what an earlier first run has begun.
// The key is bootstrap (see bootstrapKey), where that is not empty. Call confirm when the program is ready.
func (c *core) firstRun(dir, name, bootstrap string) (f firstRun, err error) {
	mark := filepath.Join(dir, firstRunMark)
	marked, err := readMark(mark)
	if err != nil {
		return f, err
	}
	if marked != "" {
		f.mark = mark
	}
	fresh := len(c.engine.Accounts()) == 0
	unseen, view, seen := c.engine.Key([]byte(marked))
	switch {
	case fresh:
		id, err := uuid.NewV7()
		if err != nil {
			return f, err
		}
		f.account = base.ID(id)
	case seen && view.Ready() != nil:
		return firstRun{}, nil // an archive is being imported into it; the mark is for a start after that
	case seen:
		f.account = view.Account().ID
	default:
		without, ok := c.withoutKey()
		if !ok {
			return f, nil
		}
		f.account = without
	}
	key, given := bootstrap, bootstrap != ""
	if !given {
		key = auth.Draw()
	}
	id, secret, _ := auth.Parse([]byte(key))
	f.key, f.given, f.mark = key, given, mark
	if seen && unseen.RevokedAt == nil {
		if given && marked == string(id) {
			return f, nil
		}
		if err := c.do(f.account, engine.RevokeKey{ID: unseen.ID}); err != nil {
			return f, err
		}
	}
	if err := writeMark(mark, string(id)); err != nil {
		return f, err
	}
	if fresh {
		if err := c.do(f.account, base.CreateAccount{AccountFields: base.AccountFields{Name: name}}); err != nil {
			return f, err
		}
	}
	err = c.do(f.account,
		engine.CreateKey{PublicID: string(id), Hash: sha256.Sum256(secret), Label: keyLabel, Version: api.Version})
	return f, err
}

// withoutKey is the account that a first run has made and that has no key yet: the first one that came of no import,
// where no account has a key.
func (c *core) withoutKey() (account base.ID, ok bool) {
	for _, id := range c.engine.Accounts() {
		view, _ := c.engine.View(id)
		if engine.Keys(view).Len() > 0 {
			return account, false
		}
		if !ok && view.Imported() == nil {
			account, ok = id, true
		}
	}
	return account, ok
}

func (c *core) do(account base.ID, op base.Op) error {
	_, err := c.engine.Do(engine.Command{Account: account, Actor: "holdfast", Op: op})
	return err
}

// show says what runs where, and the first key if this run made one.
func (f firstRun) show(w io.Writer, headline string) {
	fmt.Fprintln(w, headline)
	switch {
	case f.given:
		fmt.Fprintf(w, "The first key is the one in %s.\n", bootstrapVariable)
	case f.key != "":
		fmt.Fprintf(w, "The key, shown only once:\n\n  %s\n\n", f.key)
	}
}

// question is a first question that an account can answer, as path and query; empty where it has nothing to ask about.
func (c *core) question(account base.ID) string {
	view, ok := c.engine.View(account)
	if !ok {
		return ""
	}
	for sku := range stock.SKUs(view).All() {
		for place := range stock.Locations(view).All() {
			const day = 24 * 60 * 60 * 1000
			from := c.engine.Now()/day*day + day
			return fmt.Sprintf("/v1/admin/availability?skuId=%s&serviceLocationId=%s&from=%s&to=%s", uuid.UUID(sku.ID),
				uuid.UUID(place.ID),
				timeline.AppendInstant(nil, from), timeline.AppendInstant(nil, from+2*day))
		}
	}
	return ""
}

// confirm says that the program is ready: the first key stays.
func (f firstRun) confirm() error {
	if f.mark == "" {
		return nil
	}
	return errors.Join(os.Remove(f.mark), backup.SyncDir(filepath.Dir(f.mark)))
}

func readMark(name string) (string, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}

// writeMark makes the mark durable before the key it names exists.
func writeMark(name, id string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	return errors.Join(err, f.Sync(), f.Close(), backup.SyncDir(filepath.Dir(name)))
}
