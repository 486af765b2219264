package main

// This file owns `holdfast import`: a file becomes batches of rows, each one command of the engine.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"holdfast/api"
	"holdfast/api/wire"
	"holdfast/engine"
)

func newImport() *cobra.Command {
	var c importConfig
	cmd := &cobra.Command{
		Use:   "import RESOURCE FILE.csv|FILE.ndjson|- | import --all DIR",
		Short: "Make records of the rows of a file, all or none",
		Long:  importHelp(),
		Args:  resourceOrAll(&c.all),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case c.ids != "keep" && c.ids != "new":
				return usagef("--ids %q must be keep or new", c.ids)
			case c.all != "" && c.check:
				return usagef("--check is for RESOURCE and FILE: --all judges the whole of DIR before anything is made")
			case c.all != "":
				return withAdmin(cmd, c.adminConfig, func(a *admin) error { return importAll(cmd, a, c) })
			case given(cmd, "ids") || given(cmd, "name"):
				return usagef("--ids and --name are for --all")
			}
			row, err := c.describe(args[0], args[1])
			if err != nil {
				return err
			}
			switch {
			case c.batch < 0 || c.batch > engine.MaxBatch || given(cmd, "batch") && c.batch == 0:
				return usagef("--batch must be from 1 to %d", engine.MaxBatch)
			case c.from < 1:
				return usagef("--from-line must be the number of a line")
			case len(c.again) > 200 || strings.ContainsFunc(c.again, func(r rune) bool { return r <= ' ' || r > '~' }):
				return usagef("--idempotency-key must have at most 200 visible ASCII characters")
			}
			form := rowForm{format: c.format}
			if form.separator, err = c.separatorOf(); err != nil {
				return err
			}
			in, size, err := openRows(cmd, args[1])
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			defer in.Close()
			open := withAdmin
			if c.check {
				open = withReader
			}
			return open(cmd, c.adminConfig, func(a *admin) error {
				form.currency = func() (string, error) {
					account, err := a.account(c.account)
					return account.Currency, err
				}
				rows, faults, err := c.readFile(cmd, in, size, form, row)
				if err != nil {
					if errors.As(err, new(usageError)) {
						return err
					}
					return fmt.Errorf("%s: %w", args[1], err)
				}
				i := &importer{importConfig: c, admin: a, resource: args[0], file: args[1], out: cmd.OutOrStdout(),
					errs: cmd.ErrOrStderr(), faults: faults}
				if err := i.cut(rows); err != nil {
					return fmt.Errorf("%s: %w", args[1], err)
				}
				return i.run(len(rows))
			})
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

func importHelp() string {
	text := `Makes records of the rows of a file: of a running server through its ops listener, or in the data directory of a stopped one. RESOURCE is one of
` + strings.Join(api.ExchangeNames(), ", ") + `; an empty account takes them in this order.

A file of up to 5,000 rows is one command of the engine: all rows are made or none. Every bad row is reported with its line, at most 20 rows for one fault. A larger
file is cut into batches of 5,000 rows, or of as many as --batch says. Each batch is a command. The first one that is refused ends the import, which then says what was
imported before. Faults of the rows themselves are found in all rows before the first batch. A command takes at most 16 MiB, and 25,000 rows together with the units of
new articles and of holds; a batch of one row may have more. --check reports what is wrong with all rows and changes nothing; each batch is compared with the present
state. For --check a directory that another version wrote is read from a copy, in the directory for temporary files.

Rows are executed in their order. Holds of the past do not move to make room: sort holds by their beginning, as an export does.

The same import again is safe: within 24 hours, rows that were imported are not imported twice, if they are the same, on the same lines, with the same --batch. So repeat
an import that was interrupted, or that was refused in the middle and then corrected. Another --idempotency-key imports the same rows once more.

NDJSON has one object a line, with the members that create the record over REST (see /docs). CSV begins with the names of its columns, in any order and in any case. They
are those members; a member of an object inside another has the names of both with a dot between, and so has an element of a list of objects, with its number from 0.
Commas, semicolons or tabs stand between cells: the first line shows which, or --separator says it. Blanks around a cell are ignored, except in quotes around free text. An
empty cell, in quotes or not, is a member that is not given: CSV has no empty text, NDJSON has. Cells with a list of texts have bars between the texts (a|b) or are JSON;
attributes, and lists of objects in one column, are JSON. Both formats are UTF-8.

In CSV, ` + strings.Join(moneyColumns, " and ") + ` are amounts in the account's currency if they have a decimal point or name the currency (12.50, 12 EUR, 1.250 BHD; if
semicolons separate cells, 12,50 as well). Otherwise they are minor units (1250), as in an export. Whole numbers beside amounts could be either, and are refused.

A reference to a record is its id, or a name that no other record has: of a SKU its code or name, of an article one of its codes or its name, of a location or catalog
item its name, of a tag its value. Attributes are named by key. Tags, attributes and catalog items have to exist already. The column id may have the id that the row had
where it comes from. An id of this very account is refused, because an import makes new records.

With --all, DIR is what export --all has written. A new account is made of it, or the one of --account is filled, which must have no records. It gets the same locations,
stock, seats, orders, numbers, prices and states, with the ids of the archive or, with --ids new, others. DIR is checked as a whole before anything is made. Its rows are
put in place by commands of bounded size; until the last one the account does nothing, and requests to it are refused. Repeat an import that was interrupted: it
continues where it ended. An import that is done is not done again.

Columns (* is required):
`
	for _, name := range api.ExchangeNames() {
		row := api.ExchangeRow(name)
		var words []string
		for _, c := range columnsOf(row) {
			if c.required {
				c.name += "*"
			}
			words = append(words, c.name)
		}
		text += "\n  " + name + "\n" + wrap(words, "    ", 140)
	}
	return strings.TrimSuffix(text, "\n")
}

// wrap sets words in lines.
func wrap(words []string, indent string, width int) (text string) {
	line := indent
	for _, w := range words {
		if len(line)+len(w) > width && line != indent {
			text += strings.TrimRight(line, " ") + "\n"
			line = indent
		}
		line += w + " "
	}
	return text + strings.TrimRight(line, " ") + "\n"
}

// describe finds a resource, and the format of a file where none is given.
func (c *exchangeConfig) describe(resource, file string) (*wire.Schema, error) {
	row := api.ExchangeRow(resource)
	if row == nil {
		return nil, usagef("RESOURCE %q must be one of %s", resource, strings.Join(api.ExchangeNames(), ", "))
	}
	if c.format == "" {
		switch filepath.Ext(file) {
		case ".csv":
			c.format = formatCSV
		case ".ndjson", ".jsonl":
			c.format = formatNDJSON
		default:
			return nil, usagef("--format says whether %s is csv or ndjson", file)
		}
	}
	if c.format != formatCSV && c.format != formatNDJSON {
		return nil, usagef("--format %q must be csv or ndjson", c.format)
	}
	return row, nil
}

// query names the account.
func (c *exchangeConfig) query() url.Values {
	q := url.Values{}
	if c.account != "" {
		q.Set("account", c.account)
	}
	return q
}

// separatorOf is the separator that is given, 0 for none.
func (c *importConfig) separatorOf() (byte, error) {
	if c.separator != "" && c.format != formatCSV {
		return 0, usagef("--separator %q is for CSV: the file is %s", c.separator, c.format)
	}
	switch c.separator {
	case "":
		return 0, nil
	case "comma", ",":
		return ',', nil
	case "semicolon", ";":
		return ';', nil
	case "tab", "\t":
		return '\t', nil
	}
	return 0, usagef("--separator %q must be comma, semicolon or tab", c.separator)
}

// openRows opens the file of an import; a size of -1 is not known.
func openRows(cmd *cobra.Command, name string) (in io.ReadCloser, size int64, err error) {
	if name == "-" {
		return io.NopCloser(cmd.InOrStdin()), -1, nil
	}
	f, err := os.Open(name)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, 0, err
	}
	size = -1
	if st, err := f.Stat(); err == nil {
		size = st.Size()
	}
	return f, size, nil
}

// readFile reads a file whole, from the line on that the import begins with.
func (c *importConfig) readFile(cmd *cobra.Command, in io.Reader, size int64, form rowForm,
	row *wire.Schema) (rows []fileRow, faults []rowFault, err error) {
	bar := newBar(cmd.ErrOrStderr(), size, "reading", true)
	rows, faults, err = readRows(io.TeeReader(in, bar), form, row)
	bar.Finish()
	rows = slices.DeleteFunc(rows, func(r fileRow) bool { return r.line < c.from })
	faults = slices.DeleteFunc(faults, func(f rowFault) bool { return f.line < c.from })
	if err == nil && len(rows)+len(faults) == 0 && c.from > 1 {
		err = fmt.Errorf("the file has no rows from line %d on", c.from)
	}
	return rows, faults, err
}

// importer is an import under way.
type importer struct {
	importConfig
	*admin
	resource, file string
	out, errs      io.Writer
	faults         []rowFault
	batches        []importBatch
	bar            *progressbar.ProgressBar
}

// importBatch is the rows of one command.
type importBatch struct {
	rows []fileRow
	body []byte
}

func (b *importBatch) first() int { return b.rows[0].line }
func (b *importBatch) last() int  { return b.rows[len(b.rows)-1].line }

// cut makes batches of rows.
func (i *importer) cut(rows []fileRow) error {
	n := cmp.Or(i.batch, engine.MaxBatch)
	for part := range slices.Chunk(rows, n) {
		b := importBatch{rows: part}
		for _, r := range part {
			b.body = append(append(b.body, r.json...), '\n')
		}
		if len(b.body) > api.MaxImport {
			return fmt.Errorf("lines %d to %d have %d bytes of rows, and one command takes at most %d: give a "+
				"smaller --batch", b.first(), b.last(), len(b.body), api.MaxImport)
		}
		i.batches = append(i.batches, b)
	}
	return nil
}

// importAnswer is what came of a batch.
type importAnswer struct {
	Rows     int
	Repeated bool
}

// sendBatch sends a batch; check says how it is judged only, if at all. Faults of its rows are kept.
func (i *importer) sendBatch(b *importBatch, check string) (answer importAnswer, err error) {
	q := i.query()
	if check != "" {
		q.Set("check", check)
	}
	header := http.Header{"Content-Type": {"application/x-ndjson"}}
	if check == "" {
		header.Set("Idempotency-Key", i.key(b))
	}
	err = i.send("POST", "/import/"+i.resource+"?"+q.Encode(), header, b.body, &answer)
	p, ok := err.(*problem)
	if !ok || len(p.Errors) == 0 {
		return answer, err
	}
	var texts []string
	for _, f := range p.Errors {
		row, member, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
		n, e := strconv.Atoi(row)
		if e != nil || n >= len(b.rows) {
			text := fmt.Sprintf("lines %d to %d: %s", b.first(), b.last(), f.Message)
			if len(b.rows) > 1 {
				text += ": give a smaller --batch"
			}
			return answer, &problem{Code: p.Code, Detail: text}
		}
		if member = strings.ReplaceAll(member, "/", "."); member != "" {
			member = strings.NewReplacer("~1", "/", "~0", "~").Replace(member) + ": "
		}
		texts = append(texts, member+f.Message)
		i.faults = append(i.faults, rowFault{b.rows[n].line, member + f.Message})
	}
	for _, more := range p.Details.Alike {
		text := "has faults for which there is no room here"
		if more.Fault != nil {
			text = texts[*more.Fault]
		}
		for _, n := range more.Rows {
			i.faults = append(i.faults, rowFault{b.rows[n].line, text})
		}
	}
	return answer, nil
}

// key names a batch so that a repeat of it is known: by its rows and their lines.
func (i *importer) key(b *importBatch) string {
	lines := strconv.Itoa(b.first()) + "-" + strconv.Itoa(b.last())
	if i.again != "" {
		return i.again + ":" + lines
	}
	sum := sha256.Sum256(b.body)
	return lines + "-" + hex.EncodeToString(sum[:])
}

func (i *importer) run(rows int) error {
	passes := 1
	look := i.check || len(i.faults) > 0 || len(i.batches) > 1
	if look && !i.check && len(i.faults) == 0 {
		passes = 2
	}
	i.bar = newBar(i.errs, int64(rows*passes), i.resource, false)
	defer i.bar.Finish()
	if look {
		if err := i.look(); err != nil || i.check {
			return err
		}
	}
	repeated := 0
	for n := range i.batches {
		b := &i.batches[n]
		answer, err := i.sendBatch(b, "")
		if err != nil || len(i.faults) > 0 {
			i.bar.Finish()
			return i.stopped(n, err)
		}
		if answer.Repeated {
			repeated += answer.Rows
		}
		i.bar.Add(len(b.rows))
	}
	i.bar.Finish()
	text := ""
	if repeated > 0 {
		text = fmt.Sprintf(", %d of them before now", repeated)
	}
	_, err := fmt.Fprintf(i.out, "imported %d %s%s\n", rows, i.resource, text)
	return err
}

// look finds what is wrong with all rows, before anything is changed.
func (i *importer) look() error {
	mode := "all"
	if !i.check && len(i.batches) > 1 {
		mode = "inputs" // of what lands before a batch the state knows nothing yet
	}
	for n := range i.batches {
		if _, err := i.sendBatch(&i.batches[n], mode); err != nil {
			return err
		}
		i.bar.Add(len(i.batches[n].rows))
	}
	if len(i.faults) > 0 {
		i.bar.Finish()
		return fmt.Errorf("%s; nothing was imported", i.report())
	}
	if !i.check {
		return nil
	}
	i.bar.Finish()
	_, err := fmt.Fprintf(i.out, "%d %s can be imported\n", i.rows(len(i.batches)), i.resource)
	return err
}

// rows counts those of the first n batches.
func (i *importer) rows(n int) (rows int) {
	for _, b := range i.batches[:n] {
		rows += len(b.rows)
	}
	return rows
}

// alike are the lines that have one fault.
type alike struct{ lines, line, last int } // how many, the one seen last, the number of the last one that is reported

// report prints the faults in the order of their lines, few of those that are alike, and counts the rows that have any.
func (i *importer) report() string {
	slices.SortStableFunc(i.faults, func(x, y rowFault) int { return cmp.Compare(x.line, y.line) })
	kinds := map[string]*alike{}
	told := make([]*alike, len(i.faults)) // nil: is not reported
	bad, last := 0, -1
	for n, f := range i.faults {
		if f.line != last {
			bad, last = bad+1, f.line
		}
		name := api.FaultKind(f.text)
		k := kinds[name]
		if k == nil {
			k = &alike{line: -1}
			kinds[name] = k
		}
		if f.line != k.line {
			k.lines, k.line = k.lines+1, f.line
		}
		if k.lines <= api.MaxAlike {
			k.last, told[n] = n, k
		}
	}
	var text bytes.Buffer
	for n, f := range i.faults {
		k := told[n]
		if k == nil {
			continue
		}
		fmt.Fprintf(&text, "%s:%d: %s\n", i.file, f.line, f.text)
		if more := k.lines - api.MaxAlike; n == k.last && more == 1 {
			text.WriteString("... and 1 more line with this fault\n")
		} else if n == k.last && more > 1 {
			fmt.Fprintf(&text, "... and %d more lines with this fault\n", more)
		}
	}
	_, _ = i.errs.Write(text.Bytes())
	if bad == 1 {
		return "1 row is bad"
	}
	return strconv.Itoa(bad) + " rows are bad"
}

// stopped says what has landed when a batch has not.
func (i *importer) stopped(batch int, err error) error {
	b := &i.batches[batch]
	landed := "nothing was imported"
	if batch > 0 {
		landed = fmt.Sprintf("lines %d to %d were imported (%d rows), what is from line %d on was not: mend it and "+
			"repeat the import, or go on with --from-line %d",
			i.batches[0].first(), i.batches[batch-1].last(), i.rows(batch), b.first(), b.first())
	}
	if err == nil {
		return fmt.Errorf("%s; %s", i.report(), landed)
	}
	if errors.As(err, new(usageError)) {
		return err
	}
	var p *problem
	if errors.As(err, &p) &&
		!slices.Contains([]string{"STORAGE_FAILED", "IDEMPOTENCY_KEY_IN_USE", "INTERNAL", "NOT_READY"}, p.Code) {
		return fmt.Errorf("%w; %s", err, landed)
	}
	return fmt.Errorf("%w; whether lines %d to %d have landed is not known: repeat the import, it makes nothing twice",
		err, b.first(), b.last())
}

// importedAll is what came of an import.
type importedAll struct {
	Account, Name                string
	Rows, Before, Webhooks, Keys int
	Shift                        string
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
	if is.Keys == 0 {
		text += "; it has no keys: holdfast keys create --account " + is.Account
	}
	if is.Webhooks > 0 {
		text += fmt.Sprintf("; %d webhooks are disabled and have other secrets: give them new ones, then enable them",
			is.Webhooks)
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
