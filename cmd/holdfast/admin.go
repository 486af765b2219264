package main

// This file owns how `holdfast keys`, `accounts`, `import` and `export` reach what they look after: a running server
// through its ops listener, or the engine on a stopped directory. Both answer the same calls.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"holdfast/api"
	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/persist"
)

// admin is one of the two.
type admin struct {
	ctx  context.Context
	do   func(*http.Request) (*http.Response, error)
	base string
}

// withAdmin opens what the options name, and closes it after use.
func withAdmin(cmd *cobra.Command, c adminConfig, use func(*admin) error) error {
	return c.reach(cmd, use, withStopped)
}

// withReader is withAdmin for what changes nothing.
func withReader(cmd *cobra.Command, c adminConfig, use func(*admin) error) error {
	return c.reach(cmd, use, readStopped)
}

func (c *adminConfig) reach(cmd *cobra.Command, use func(*admin) error,
	stopped func(cmd *cobra.Command, dir string, use func(*admin) error) error) error {
	server, err := c.find(cmd)
	if err != nil {
		return err
	}
	if server != nil {
		return use(&admin{cmd.Context(), server.do, server.base})
	}
	return stopped(cmd, c.data, use)
}

// readsCopy says so to those who read help.
const readsCopy = "A directory that another version wrote is read from a copy, in the directory for\n" +
	"temporary files, and stays as it is."

// readStopped reads a directory that no server has open: where another version wrote it, a copy, so that it is still
// that version's afterwards.
func readStopped(cmd *cobra.Command, dir string, use func(*admin) error) error {
	form, err := persist.FormOf(dir)
	if err != nil || !engine.Rewrites(form) {
		return withStopped(cmd, dir, use) // which says what is wrong with it
	}
	return inUse(withCopy(cmd.Context(), source{name: dir, dir: dir}, persist.RestoreOptions{},
		func(dir string) error { return withStopped(cmd, dir, use) }))
}

// withStopped looks after a directory that no server has open.
func withStopped(cmd *cobra.Command, dir string, use func(*admin) error) (err error) {
	if _, err := persist.FormOf(dir); err != nil {
		return err // opening it might make one
	}
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(),
		&slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: readable}))
	core, err := openCore(cmd.Context(), dir, engine.Options{Now: clock}, log)
	if err != nil {
		return inUse(err)
	}
	defer func() { err = errors.Join(err, core.Close()) }()
	server := api.NewServer(api.Options{Now: clock, Logger: log})
	server.Attach(core.engine)
	defer func() { err = errors.Join(err, server.Shutdown(context.WithoutCancel(cmd.Context()))) }()
	handler := server.Admin()
	return use(&admin{cmd.Context(),
		func(r *http.Request) (*http.Response, error) { return answerHere(handler, r), nil }, "http://localhost"})
}

// answerHere has a handler answer a request in this process. The answer's body is written as it is read.
func answerHere(handler http.Handler, r *http.Request) *http.Response {
	body, to := io.Pipe()
	w := &hereWriter{answer: &http.Response{Body: body, Trailer: http.Header{}, Request: r}, header: http.Header{},
		body: to, begun: make(chan struct{})}
	go func() {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			} else if p != nil {
				w.WriteHeader(http.StatusInternalServerError)
				to.CloseWithError(io.ErrUnexpectedEOF)
			}
		}()
		handler.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
		for _, name := range w.header["Trailer"] {
			w.answer.Trailer[name] = w.header[name]
		}
		to.Close()
	}()
	<-w.begun
	return w.answer
}

// hereWriter is the handler's end of answerHere.
type hereWriter struct {
	answer *http.Response
	header http.Header
	body   *io.PipeWriter
	begun  chan struct{} // closed when the status is known
}

func (w *hereWriter) Header() http.Header { return w.header }

func (w *hereWriter) WriteHeader(status int) {
	if w.answer.StatusCode == 0 {
		w.answer.StatusCode, w.answer.Header = status, w.header.Clone()
		close(w.begun)
	}
}

func (w *hereWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// call sends what in says, nil for nothing, and reads the answer into out. A refusal is an error that says all of it.
func (a *admin) call(method, path string, in, out any) error {
	var text []byte
	if in != nil {
		var err error
		if text, err = json.Marshal(in); err != nil {
			return err
		}
	}
	err := a.send(method, path, http.Header{"Content-Type": {"application/json"}}, text, out)
	var p *problem
	if errors.As(err, &p) && len(p.Errors) > 0 {
		return usageError{p.byFlag()}
	}
	return err
}

// memberFlags are the flags of members that are called otherwise.
var memberFlags = map[string]string{"expiresAt": "expires", "scopes": "scope"}

// byFlag says each fault with the flag that the member was given by.
func (p *problem) byFlag() error {
	var list []error
	for _, f := range p.Errors {
		member, _, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
		list = append(list, fmt.Errorf("--%s %s", cmp.Or(memberFlags[member], member), f.Message))
	}
	return errors.Join(list...)
}

// problem is a refusal.
type problem struct {
	Code, Detail string
	Errors       []struct{ Pointer, Code, Message string }
	Details      struct{ Alike []api.Alike } // of an import
}

func (p *problem) Error() string {
	if len(p.Errors) == 0 {
		return fmt.Sprintf("%s (%s)", p.Detail, p.Code)
	}
	text := p.Detail
	for _, f := range p.Errors {
		text += fmt.Sprintf("; %s %s", strings.TrimPrefix(f.Pointer, "/"), f.Message)
	}
	return text
}

// send sends a body and reads the answer into out.
func (a *admin) send(method, path string, header http.Header, body []byte, out any) error {
	r, err := http.NewRequestWithContext(a.ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = header
	answer, err := a.ask(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// ask has a request answered; a refusal is an error, a *problem if it is one.
func (a *admin) ask(r *http.Request) (*http.Response, error) {
	answer, err := a.do(r)
	if err != nil || answer.StatusCode == http.StatusOK {
		return answer, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	p := new(problem)
	if json.Unmarshal(text, p) != nil || p.Code == "" {
		return nil, fmt.Errorf("the answer is %d: %s", answer.StatusCode, strings.TrimSpace(string(text)))
	}
	if len(p.Errors) > 0 && p.Errors[0].Pointer == "/account" && p.Errors[0].Code == string(wire.FaultRequired) {
		_, err := a.account("")
		return nil, err
	}
	return nil, p
}

// account is the account of an id, or the only one where none is named.
func (a *admin) account(id string) (found accountRecord, err error) {
	var list struct{ Accounts []accountRecord }
	if err := a.call("GET", "/accounts", nil, &list); err != nil {
		return found, err
	}
	if id == "" && len(list.Accounts) == 1 {
		return list.Accounts[0], nil
	}
	names := ""
	for _, x := range list.Accounts {
		if strings.EqualFold(x.ID, id) {
			return x, nil
		}
		names += fmt.Sprintf("\n  %s %s", x.ID, printable(x.Name))
	}
	if id == "" {
		return found, usagef("--account has to say which account: there are %d%s", len(list.Accounts), names)
	}
	return found, fmt.Errorf("there is no account %q", id)
}

// table prints rows of cells under a headline.
func table(w io.Writer, head string, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.ReplaceAll(head, " ", "\t"))
	for _, r := range rows {
		for i := range r {
			r[i] = printable(r[i])
		}
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	return t.Flush()
}

// printable spells out what is no letter, sign or space: names come from callers, and a terminal would do what their
// control characters say.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

func orDash(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

// group is a command that has only others below it.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q below %s", args[0], cmd.Name())
			}
			return usagef("which command below %s?", cmd.Name())
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(commands...)
	return cmd
}
