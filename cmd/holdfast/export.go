package main

// This file owns `holdfast export`: the records of a resource as rows of a file that import takes.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"holdfast/api"
	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
)

func newExport() *cobra.Command {
	var c exchangeConfig
	cmd := &cobra.Command{
		Use:   "export RESOURCE FILE.csv|FILE.ndjson|- | export --all DIR",
		Short: "Write the records of an account to a file that import takes",
		Long: `Writes all records of a resource as they are at one instant: of a running server through its ops listener, or of the data directory of a stopped one. The file is one
that holdfast import takes (its help says what is in it), and appears when it is complete. A reference is written as a code or a name if no other record has
it, so that another account finds its own record; else as an id. Values that a row cannot hold are counted at the end.
In CSV an empty text and none are both an empty cell, which an import takes as none: NDJSON tells them apart.
Texts are written as they are. A spreadsheet that opens CSV runs cells that begin with = + - or @ as formulas, and customers may have written some of these texts: let
it read all columns as text.

A directory that another version wrote is read from a copy, in the directory for temporary files, and stays as it is.

An article is written with its own fields and its units that stay, without what it takes from its SKU. A hold that takes stock is written as it was asked for, a cart with
the time that it has left. Units that a hold takes to another location are written as staying where it takes them: the hold moves them again when it is imported. Units
that orders are to take to another location stay where they are. Archived articles and holds that have ended are left out, and so are lines of holds whose item or location was
deleted, and the stock that orders and scheduled events take.

With --all the account is written whole to the new directory DIR: its records as they are stored, with the stock of orders, and what no file of a resource has. Another
account is made of it by import --all. Keys, secrets, deliveries, results under idempotency keys and the feed of changes are not in it.`,
		Args: resourceOrAll(&c.all),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, to := func(a *admin) error { return exportAll(cmd, a, c) }, c.all
			if c.all == "" {
				to = args[1]
				row, err := c.describe(args[0], to)
				if err != nil {
					return err
				}
				write = func(a *admin) error { return export(cmd, a, c, args[0], to, row) }
			}
			if byURL := c.opsURL != "" && !typed(cmd, "data"); to != "-" && !byURL && isIn(to, c.data) {
				return usagef("%q must not be in the data directory %q, which is the server's alone", to, c.data)
			}
			return withReader(cmd, c.adminConfig, write)
		},
	}
	c.flags(cmd.Flags())
	cmd.Flags().StringVar(&c.all, "all", "",
		"write the whole account to this directory, which must not exist or be empty, in place of RESOURCE and FILE")
	return cmd
}

func export(cmd *cobra.Command, a *admin, c exchangeConfig, resource, file string, row *wire.Schema) error {
	r, err := http.NewRequestWithContext(a.ctx, http.MethodGet, a.base+"/export/"+resource+"?"+c.query().Encode(), nil)
	if err != nil {
		return err
	}
	answer, err := a.ask(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	rows := 0
	bar := newBar(cmd.ErrOrStderr(), -1, resource, false)
	write := func(w io.Writer) (err error) {
		rows, err = writeRows(w, answer.Body, c.format, row, bar)
		return err
	}
	if file == "-" {
		err = write(cmd.OutOrStdout())
	} else {
		err = writeFile(file, write)
	}
	bar.Finish()
	switch {
	case errors.Is(err, errThere):
		return fmt.Errorf("%w: name a file that is not there yet, or - for standard output", err)
	case err != nil:
		return fmt.Errorf("the export is not whole: %w", err)
	}
	if notes := answer.Trailer.Get(api.NotesTrailer); notes != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), notes)
	}
	if file == "-" {
		return nil
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "exported %d %s to %s\n", rows, resource, file)
	return err
}

// writeRows writes rows, which come as NDJSON, in a format.
func writeRows(w io.Writer, in io.Reader, format string, row *wire.Schema, bar *progressbar.ProgressBar) (rows int,
	err error) {
	out, columns := bufio.NewWriter(w), columnsOf(row)
	if format == formatCSV {
		head := make([]string, len(columns))
		for i, c := range columns {
			head[i] = c.name
		}
		if _, err := out.Write(appendRecord(nil, head)); err != nil {
			return 0, err
		}
	}
	var record []byte
	for lines := bufio.NewReaderSize(in, 1<<16); ; rows++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			break
		}
		if err != nil {
			return rows, err
		}
		if format == formatCSV {
			cells, err := cellsOf(columns, line)
			if err != nil {
				return rows, err
			}
			record = appendRecord(record[:0], cells)
			line = record
		}
		if _, err = out.Write(line); err != nil {
			return rows, err
		}
		bar.Add(1)
	}
	return rows, out.Flush()
}

// resourceOrAll demands a resource and a file, or --all in place of both.
func resourceOrAll(all *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *all == "" {
			return exactly(2, "RESOURCE and FILE, or --all DIR")(cmd, args)
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
	for kind, n := range end.Rows {
		if kind != base.LedgerKind.Name { // what an account has given out: an import sets it with its rows
			rows += n
		}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "exported the account whole: %d rows to %s; not in it: %s, results "+
		"under idempotency keys, the feed of changes\n",
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
