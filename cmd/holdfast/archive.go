package main

// This file owns `holdfast export --all` and `holdfast import --all`: a whole account goes to a directory, and another account is made of it.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"holdfast/engine"
)

// resourceOrAll demands a resource and a file, or --all in place of both.
func resourceOrAll(all *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *all == "" {
			return exactly(2, "RESOURCE and FILE, or --all DIR,")(cmd, args)
		}
		return exactly(0, "no argument beside --all")(cmd, args)
	}
}

// exportAll writes an account to a directory.
func exportAll(cmd *cobra.Command, a *admin, c exchangeConfig) error {
	r, err := http.NewRequestWithContext(a.ctx, http.MethodGet, a.base+"/archive?"+c.query().Encode(), nil)
	if err != nil {
		return err
	}
	answer, err := a.ask(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	m, err := writeArchive(c.all, answer.Body)
	if err != nil {
		return err
	}
	var end engine.ArchiveEnd
	if err := json.Unmarshal(m.End, &end); err != nil {
		return err
	}
	rows := 0
	for _, n := range end.Rows {
		rows += n
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "exported the account whole: %d rows to %s; not in it: %s, results under idempotency keys, the feed of changes\n",
		rows, c.all, counted(end.LeftOut))
	return err
}

// counted lists counts by name.
func counted(counts map[string]int) string {
	var list []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, strconv.Itoa(counts[what])+" "+what)
	}
	return strings.Join(list, ", ")
}

// importedAll is what came of an import.
type importedAll struct {
	Account, Name          string
	Rows, Before, Webhooks int
	Shift                  string
}

// importAll makes an account of a directory.
func importAll(cmd *cobra.Command, a *admin, c importConfig) error {
	archive, err := openArchiveDir(c.all)
	if err != nil {
		return err
	}
	q := url.Values{"ids": {c.ids}}
	if c.account != "" {
		q.Set("account", c.account)
	}
	if c.name != "" {
		q.Set("name", c.name)
	}
	body := archive.lines()
	defer body.Close()
	r, err := http.NewRequestWithContext(a.ctx, http.MethodPost, a.base+"/archive?"+q.Encode(), body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-ndjson")
	answer, err := a.ask(r)
	if err != nil {
		return archive.refused(err)
	}
	defer answer.Body.Close()
	var is importedAll
	if err := json.NewDecoder(answer.Body).Decode(&is); err != nil {
		return err
	}
	text := fmt.Sprintf("imported the account %s (%s): %d rows", is.Account, is.Name, is.Rows)
	if is.Before > 0 {
		text += fmt.Sprintf(", %d of them before now", is.Before)
	}
	if c.ids == "new" {
		name := filepath.Clean(c.all) + "-ids-" + is.Account + ".ndjson"
		if err := archive.writeIDs(name, is.Shift); err != nil {
			return err
		}
		text += "; its ids are in " + name
	}
	text += "; it has no keys: holdfast keys create --account " + is.Account
	if is.Webhooks > 0 {
		text += fmt.Sprintf("; %d webhooks are disabled and have other secrets: give them new ones, then enable them", is.Webhooks)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}

// refused says of a refusal where in the archive its cause is.
func (a *archiveDir) refused(err error) error {
	var p *problem
	if !errors.As(err, &p) || len(p.Errors) != 1 {
		return err
	}
	f := p.Errors[0]
	switch line, e := strconv.Atoi(strings.TrimPrefix(f.Pointer, "/")); {
	case e == nil:
		return fmt.Errorf("%s: %s; nothing was imported", a.place(line), f.Message)
	case f.Pointer == "":
		return fmt.Errorf("%s: %s; nothing was imported", a.dir, f.Message)
	}
	return err
}

// writeIDs writes which record has which id now. One that was written before is the same.
func (a *archiveDir) writeIDs(name, shift string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	ids, err := engine.ParseIDShift(shift)
	if err != nil {
		return err
	}
	return writeFile(name, func(w io.Writer) error {
		out, in := bufio.NewWriter(w), a.lines()
		defer in.Close()
		for lines := bufio.NewReaderSize(in, 1<<16); ; {
			line, err := lines.ReadBytes('\n')
			if err == io.EOF {
				return out.Flush()
			} else if err != nil {
				return err
			}
			var row engine.ArchiveLine
			if err := json.Unmarshal(line, &row); err != nil {
				return err
			}
			if from, ok := engine.ArchivedID(row); ok {
				fmt.Fprintf(out, `{"kind":%q,"from":%q,"to":%q}`+"\n", row.Kind, from, ids.Of(from))
			}
		}
	})
}
