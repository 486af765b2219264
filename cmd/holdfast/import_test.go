package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
)

// This file owns the tests of imports that are cut short.

func jsonText(t require.TestingT, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// holdfast runs a command line of the program in this process.
func holdfast(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// An import whose server is lost in front of, in the middle of or behind any of its batches makes nothing twice when it
// is repeated, and what had landed is said.
func TestImportIsRepeated(t *testing.T) {
	const rows, batch = 10, 3
	file := filepath.Join(t.TempDir(), "customers.csv")
	text := "companyName\n"
	for n := range rows {
		text += fmt.Sprintf("Company %d\n", n)
	}
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	for _, size := range []int{batch, rows} {
		batches := (rows + size - 1) / size
		for lost := range 2 * batches {
			dir := filepath.Join(t.TempDir(), "data")
			core, err := openCore(context.Background(), dir, engine.Options{Now: clock}, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			account := base.NewID(clock(), base.BaseOf(randomBase()))
			_, err = core.engine.Do(engine.Command{Account: account,
				Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental"}}})
			require.NoError(t, err)
			server := api.NewServer(api.Options{Now: clock})
			server.Attach(core.engine)
			writes := 0
			ops := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("check") != "" {
					server.Admin().ServeHTTP(w, r)
					return
				}
				now := writes
				writes++
				switch {
				case now*2+1 == lost:
					server.Admin().ServeHTTP(httptest.NewRecorder(), r)
					panic(http.ErrAbortHandler) // behind the batch
				case now*2 >= lost:
					panic(http.ErrAbortHandler) // in front of it, and of all that follow
				}
				server.Admin().ServeHTTP(w, r)
			}))
			args := []string{"import", "customers", file, "--ops-url", ops.URL}
			if size < rows {
				args = append(args, "--batch", strconv.Itoa(size))
			}
			code, _, errs := holdfast(args...)
			require.Equal(t, exitFailed, code)
			first := lost/2*size + 2
			require.Contains(t, errs,
				fmt.Sprintf("whether lines %d to %d have landed is not known", first, min(first+size-1, rows+1)))
			landed := min((lost+1)/2*size, rows)
			view, _ := core.engine.View(account)
			require.Equal(t, landed, commerce.Customers(view).Len())
			ops.Close()
			require.NoError(t, server.Shutdown(context.Background()))
			require.NoError(t, core.Close())

			// The server comes no more: the same on its directory.
			args[3], args[4] = "--data", dir
			for _, before := range []int{landed, rows} {
				code, out, errs := holdfast(args...)
				require.Zero(t, code, errs)
				want := fmt.Sprintf("imported %d customers", rows)
				if before > 0 {
					want += fmt.Sprintf(", %d of them before now", before)
				}
				require.Equal(t, want+"\n", out)
				code, out, errs = holdfast("export", "customers", "-", "--format", "ndjson", "--data", dir)
				require.Zero(t, code, errs)
				require.Equal(t, rows, strings.Count(out, "\n"))
				for n := range rows {
					require.Equal(t, 1, strings.Count(out, fmt.Sprintf(`"Company %d"`, n)))
				}
			}
		}
	}
}

// withAccount makes a directory with an account that has nothing.
func withAccount(t *testing.T, dir string) base.ID {
	core, err := openCore(context.Background(), dir, engine.Options{Now: clock}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	account := base.NewID(clock(), base.BaseOf(randomBase()))
	_, err = core.engine.Do(engine.Command{Account: account,
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental"}}})
	require.NoError(t, err)
	require.NoError(t, core.Close())
	return account
}

// What an export of nothing has written is imported: it is no row.
func TestExportOfNothingIsImported(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	withAccount(t, data)
	for _, format := range []string{formatCSV, formatNDJSON} {
		for _, resource := range api.ExchangeNames() {
			file := filepath.Join(dir, resource+"."+format)
			code, _, errs := holdfast("export", resource, file, "--data", data)
			require.Zero(t, code, errs)
			code, out, errs := holdfast("import", resource, file, "--data", data)
			require.Zero(t, code, errs)
			require.Contains(t, out, "imported 0 "+resource)
			code, out, errs = holdfast("import", resource, file, "--data", data, "--check")
			require.Zero(t, code, errs)
			require.Contains(t, out, "0 "+resource+" can be imported")
		}
	}
	file := filepath.Join(dir, "none.csv")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	code, _, _ := holdfast("import", "customers", file, "--data", data)
	require.Equal(t, exitFailed, code, "it has no head")
}

// An export that breaks off leaves no file that could be taken for the whole.
func TestExportIsWhole(t *testing.T) {
	ops := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"id":"1","name":"x"}` + "\n" + `{"id":"2",`))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer ops.Close()
	dir := t.TempDir()
	for _, format := range []string{formatCSV, formatNDJSON} {
		code, _, errs := holdfast("export", "skus", filepath.Join(dir, "skus."+format), "--ops-url", ops.URL)
		require.Equal(t, exitFailed, code)
		require.Contains(t, errs, "the export is not whole")
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Every bad row of a batch counts, and a frequent fault hides no other one.
func TestEveryBadRowCounts(t *testing.T) {
	dir := t.TempDir()
	c := quietCore(t, dir, engine.Options{})
	started(t, c, dir, "")
	require.NoError(t, c.Close())
	file := filepath.Join(t.TempDir(), "skus.ndjson")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat(`{"name":""}`+"\n", 1400)+
		strings.Repeat(`{"name":"x","purchasePrice":"abc"}`+"\n", 100)), 0o600))
	errs := refusedWith(t, exitFailed, "import", "skus", file, "--data", dir, "--check")
	require.Contains(t, errs, "1500 rows are bad")
	require.Contains(t, errs, "... and 1380 more lines with this fault\n")
	require.Contains(t, errs, file+":1401: purchasePrice: ")
	require.Contains(t, errs, "... and 80 more lines with this fault\n")
}

// Of one fault twenty lines are told, each once for every fault that it has, and the others are counted.
func TestFaultsAreTold(t *testing.T) {
	var errs bytes.Buffer
	i := importer{file: "f", errs: &errs}
	want := ""
	for n := 1; n <= 23; n++ {
		line := 24 - n // they come in any order
		i.faults = append(i.faults, rowFault{line, fmt.Sprintf("lines.%d: 0 of %d units are available", n%2, n)},
			rowFault{line, "lines.7: 1 of 9 units are available"})
	}
	i.faults = append(i.faults, rowFault{5, "name: is missing"}, rowFault{30, "name: is missing"})
	for line := 1; line <= 20; line++ {
		want += fmt.Sprintf("f:%d: lines.%d: 0 of %d units are available\nf:%d: lines.7: 1 of 9 units are available\n",
			line, (24-line)%2, 24-line, line)
		if line == 5 {
			want += "f:5: name: is missing\n"
		}
	}
	want += "... and 3 more lines with this fault\nf:30: name: is missing\n"
	require.Equal(t, "24 rows are bad", i.report())
	require.Equal(t, want, errs.String())

	errs.Reset()
	i.faults = nil
	for line := range 21 {
		i.faults = append(i.faults, rowFault{line, "name: is missing"})
	}
	require.Equal(t, "21 rows are bad", i.report())
	require.Equal(t, 21, strings.Count(errs.String(), "\n"))
	require.True(t, strings.HasSuffix(errs.String(), "\n... and 1 more line with this fault\n"))
}

// A file that is too large for one command goes in batches without being told to, and a bad row in the last of them is
// found before the first is made.
func TestImportCutsLargeFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	account := withAccount(t, dir)
	const rows = engine.MaxBatch + 1
	text := "name,code\n"
	for n := range rows {
		text += fmt.Sprintf("Bike,B-%d\n", n)
	}
	file := filepath.Join(t.TempDir(), "skus.csv")
	sequence := func() (n uint64, skus int) {
		core, err := openCore(context.Background(), dir, engine.Options{Now: clock}, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		defer func() { require.NoError(t, core.Close()) }()
		v, _ := core.engine.View(account)
		return v.Sequence(), stock.SKUs(v).Len()
	}
	before, _ := sequence()
	require.NoError(t,
		os.WriteFile(file, []byte(strings.Replace(text, fmt.Sprintf("Bike,B-%d\n", rows-1), ",\n", 1)), 0o600))
	code, _, errs := holdfast("import", "skus", file, "--data", dir)
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, fmt.Sprintf("skus.csv:%d: name", rows+1))
	require.Contains(t, errs, "nothing was imported")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	code, out, errs := holdfast("import", "skus", file, "--data", dir)
	require.Zero(t, code, errs)
	require.Equal(t, fmt.Sprintf("imported %d skus\n", rows), out)
	after, skus := sequence()
	require.Equal(t, rows, skus)
	require.Equal(t, before+2, after)
}
