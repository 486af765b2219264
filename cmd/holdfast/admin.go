package main

// This file owns how `holdfast keys` and `holdfast accounts` reach what they look after: a running server through its ops listener, or the engine on a stopped
// directory. Both answer the same calls.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"holdfast/api"
	"holdfast/engine"
	"holdfast/persist"
)

// admin is one of the two.
type admin struct {
	ctx  context.Context
	do   func(*http.Request) (status int, body []byte, err error)
	base string
}

// withAdmin opens what the options name, and closes it behind use.
func withAdmin(cmd *cobra.Command, c adminConfig, use func(*admin) error) (err error) {
	if given(cmd, "data") && given(cmd, "ops-url") {
		return usagef("--ops-url is for a running server, --data for a stopped one: give one of them")
	}
	if c.data == "" {
		target, err := url.Parse(c.opsURL)
		if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
			return usagef("--ops-url %q must be like %s", c.opsURL, defaultOpsURL)
		}
		return use(&admin{cmd.Context(), askServer, strings.TrimSuffix(c.opsURL, "/")})
	}
	if _, err := os.Stat(filepath.Join(c.data, "HEAD")); err != nil {
		return fmt.Errorf("%w: %s", persist.ErrNoStore, c.data) // opening it would make one
	}
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	core, err := openCore(cmd.Context(), c.data, engine.Options{Now: clock}, log)
	if err != nil {
		return inUse(err)
	}
	defer func() { err = errors.Join(err, core.Close()) }()
	server := api.NewServer(api.Options{Now: clock, Logger: log})
	server.Attach(core.engine)
	defer func() { err = errors.Join(err, server.Shutdown(context.WithoutCancel(cmd.Context()))) }()
	handler := server.Admin()
	return use(&admin{cmd.Context(), func(r *http.Request) (int, []byte, error) {
		w := &kept{header: http.Header{}, status: http.StatusOK}
		handler.ServeHTTP(w, r)
		return w.status, w.Bytes(), nil
	}, "http://localhost"})
}

func askServer(r *http.Request) (int, []byte, error) {
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, fmt.Errorf("no server answers at --ops-url (a stopped one is looked after with --data): %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}

// kept is an answer that goes nowhere.
type kept struct {
	bytes.Buffer
	header http.Header
	status int
}

func (k *kept) Header() http.Header    { return k.header }
func (k *kept) WriteHeader(status int) { k.status = status }

// call sends what in says, nil for nothing, and reads the answer into out. A refusal is an error that says all of it.
func (a *admin) call(method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(a.ctx, method, a.base+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	status, answer, err := a.do(r)
	if err != nil {
		return err
	}
	if status == http.StatusOK {
		return json.Unmarshal(answer, out)
	}
	var problem struct {
		Code, Detail string
		Errors       []struct{ Pointer, Message string }
	}
	if json.Unmarshal(answer, &problem) != nil || problem.Code == "" {
		return fmt.Errorf("the answer is %d: %s", status, strings.TrimSpace(string(answer)))
	}
	text := problem.Detail
	for _, f := range problem.Errors {
		text += fmt.Sprintf("; %s %s", strings.TrimPrefix(f.Pointer, "/"), f.Message)
	}
	if len(problem.Errors) > 0 {
		return usageError{errors.New(text)}
	}
	return fmt.Errorf("%s (%s)", text, problem.Code)
}

// table prints rows of cells under a headline.
func table(w io.Writer, head string, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.ReplaceAll(head, " ", "\t"))
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	return t.Flush()
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
