package main

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api"
	"holdfast/api/auth"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the test that an account which was exported whole and imported is the account that it was.

// lists are the paths of all lists of the interface that need no parameter, but those of what stays behind.
func lists(t *testing.T) (paths []string) {
	text, err := os.ReadFile("../../api/openapi.json")
	require.NoError(t, err)
	var document struct{ Paths map[string]map[string]any }
	require.NoError(t, json.Unmarshal(text, &document))
	for path, methods := range document.Paths {
		if _, get := methods["get"]; !get || strings.Contains(path, "{") || !strings.HasPrefix(path, "/v1/admin/") {
			continue
		}
		switch path[len("/v1/admin/"):] {
		case "account", "api-keys", "changes", "webhooks", "usage":
		default:
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	require.Greater(t, len(paths), 8)
	return paths
}

// asked gets what the interface answers for an account.
type asked struct {
	*testing.T
	url, key string
}

func askAs(t *testing.T, c *core, account base.ID, now int64) asked {
	var k engine.CreateKey
	text := auth.Draw()
	id, secret, _ := auth.Parse([]byte(text))
	k.PublicID, k.Hash, k.Version = string(id), sha256.Sum256(secret), api.Version
	k.Label = "test"
	err := c.do(account, k)
	require.NoError(t, err)
	server := api.NewServer(api.Options{Now: func() int64 { return now }})
	server.Attach(c.engine)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Shutdown(t.Context()) })
	return asked{t, "http://" + l.Addr().String(), text}
}

func (a asked) get(path string) string {
	r, err := http.NewRequest(http.MethodGet, a.url+path, nil)
	require.NoError(a.T, err)
	r.Header.Set("X-API-KEY", a.key)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(a.T, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(a.T, err)
	if answer.StatusCode != http.StatusOK {
		return answer.Status // the text has the id of the request in it
	}
	return sequences.ReplaceAllString(string(text), `"sequence":0`)
}

// sequences are what answers say of the account's own count of changes, which begins anew.
var sequences = regexp.MustCompile(`"sequence":[0-9]+`)

// sameWindows demands that two accounts answer alike for every SKU, place and catalog item over many windows.
func sameWindows(t *testing.T, one, other base.View, now int64, to func(base.ID) base.ID) {
	asked, free := 0, 0
	for l := range stock.Locations(one).All() {
		for n := range int64(40) {
			from := now/demoDay*demoDay + (n-12)*demoDay/2
			window := base.Span{Start: from, End: from + (n%7+1)*demoDay/3}
			for s := range stock.SKUs(one).All() {
				is, err := hold.Available(one, hold.Query{Item: base.Item{SKU: s.ID}, Location: l.ID, Window: window},
					now)
				require.NoError(t, err)
				then, err := hold.Available(other,
					hold.Query{Item: base.Item{SKU: to(s.ID)}, Location: to(l.ID), Window: window}, now)
				require.NoError(t, err)
				require.Equal(t, is, then)
				asked, free = asked+1, free+is.Available
			}
		}
	}
	require.Greater(t, asked, 1000)
	require.Greater(t, free, 1000)
}

// The demo merchant, taken to another account of the same directory and to another directory, with its ids and with new
// ones, answers every question as before, and goes on from there.
func TestAccountMovesWhole(t *testing.T) {
	home, away := t.TempDir(), filepath.Join(t.TempDir(), "away")
	c, account := demoCore(t, home, clock())
	err := c.do(account,
		outbox.CreateWebhook{EventType: base.OrderUpdated, APIVersion: "2025-06",
			WebhookFields: outbox.WebhookFields{URL: "https://example.com/hook"},
			Secret:        "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="})
	require.NoError(t, err)
	require.NoError(t, c.Close())
	empty, err := openCore(t.Context(), away, engine.Options{Now: clock}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, empty.Close())
	shop := filepath.Join(t.TempDir(), "shop")
	code, out, errs := holdfast("export", "--all", shop, "--data", home)
	require.Zero(t, code, errs)
	require.Contains(t, out, "not in it: 0 API keys")
	rows := regexp.MustCompile(`[0-9]+ rows`).FindString(out)
	require.NotEmpty(t, rows)
	code, _, errs = holdfast("export", "--all", shop, "--data", home)
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "must not exist or be empty")

	twin := "01900000-0000-7000-8000-000000000001"
	for _, into := range [][]string{{"--data", home, "--account", twin, "--name", "Twin"}, {"--data", away},
		{"--data", away, "--ids", "new"}} {
		for round := range 2 {
			code, out, errs = holdfast(append([]string{"import", "--all", shop}, into...)...)
			require.Zero(t, code, errs)
			require.Contains(t, out, "1 webhooks are disabled")
			require.Contains(t, out, ": "+rows)
			require.Contains(t, out, "it has no keys")
			require.Equal(t, round == 1, strings.Contains(out, "before now"), out)
		}
	}
	code, _, errs = holdfast("import", "--all", shop, "--data", home, "--account", account.String())
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "CONFLICT")

	now := clock() + timeline.Hour // what is late is kept longer in all of them by then, at once
	here, _ := demoCore(t, home, now)
	there, _ := demoCore(t, away, now)
	require.Len(t, here.engine.Accounts(), 2)
	require.Len(t, there.engine.Accounts(), 2)
	was, _ := here.engine.View(account)
	keep := func(id base.ID) base.ID { return id }
	before := askAs(t, here, account, now)
	for _, m := range []struct {
		core    *core
		account base.ID
	}{{here, here.engine.Accounts()[0]}, {here, here.engine.Accounts()[1]}, {there, account}} {
		v, ok := m.core.engine.View(m.account)
		require.True(t, ok)
		sameWindows(t, was, v, now, keep)
		after := askAs(t, m.core, m.account, now)
		paths := lists(t)
		for o := range order.Orders(v).All() {
			paths = append(paths, "/v1/admin/orders/"+o.ID.String(), "/v1/admin/orders/"+o.ID.String()+"/stock-items")
		}
		for r := range stock.Articles(v).All() {
			paths = append(paths, "/v1/admin/articles/"+r.ID.String())
		}
		answered := 0
		for _, path := range paths {
			is := before.get(path)
			// it is the tenant of files
			requireSame(t, path, is, strings.ReplaceAll(after.get(path), m.account.String(), account.String()))
			if strings.HasPrefix(is, "{") || strings.HasPrefix(is, "[") {
				answered++
			}
		}
		require.Greater(t, answered, 300)
	}
	ids := map[base.ID]base.ID{}
	for _, id := range there.engine.Accounts() {
		if id == account {
			continue
		}
		text, err := os.ReadFile(shop + "-ids-" + id.String() + ".ndjson")
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			var x struct{ From, To base.ID }
			require.NoError(t, json.Unmarshal([]byte(line), &x))
			ids[x.From] = x.To
		}
		v, _ := there.engine.View(id)
		sameWindows(t, was, v, now, func(id base.ID) base.ID { return ids[id] })
		goesOn(t, there, id, now)
	}
	goesOn(t, there, account, now)
	require.NoError(t, here.engine.Check())
	require.NoError(t, here.Close())
	require.NoError(t, there.Close())
	there, _ = demoCore(t, away, now)
	require.NoError(t, there.Close())
	for _, dir := range []string{home, away} {
		code, out, errs = holdfast("verify", "--data", dir)
		require.Zero(t, code, out+errs)
	}
}

// An account that was there keeps its name, its plan and its keys.
func TestImportIntoAnAccountWithAKey(t *testing.T) {
	shop, dir := shopArchive(t), t.TempDir()
	c := quietCore(t, dir, engine.Options{})
	first := started(t, c, dir, "")
	require.NoError(t, c.Close())
	code, out, errs := holdfast("import", "--all", shop, "--data", dir, "--account", first.account.String())
	require.Zero(t, code, errs)
	require.Contains(t, out, "(Holdfast)")
	require.NotContains(t, out, "keys")
}

// requireSame demands that two answers are equal, and says where they are not.
func requireSame(t *testing.T, path, one, other string) {
	t.Helper()
	for i := range min(len(one), len(other)) {
		if one[i] != other[i] {
			from, to := max(0, i-100), i+100
			t.Fatalf("%s: %s\nis now %s", path, one[from:min(to, len(one))], other[from:min(to, len(other))])
		}
	}
	require.Len(t, other, len(one), path)
}

// goesOn demands that an account which was imported can be written to: what is out comes back, what is booked is
// extended, and what is free is booked.
func goesOn(t *testing.T, c *core, account base.ID, now int64) {
	v, _ := c.engine.View(account)
	returned, extended, booked := 0, 0, 0
	for o := range order.Orders(v).All() {
		if err := c.do(account, order.ReturnOrder{ID: o.ID}); err == nil {
			returned++
		}
		for _, l := range o.Lines {
			later := base.Changed(order.OrderLineInput{To: new(l.To + timeline.Hour)})
			if err := c.do(account, order.PatchOrderLine{Order: o.ID, ID: l.ID, Fields: later}); err == nil {
				extended++
			}
		}
	}
	for s := range stock.SKUs(v).All() {
		for l := range stock.Locations(v).All() {
			line := hold.HoldLineInput{Item: base.Item{SKU: s.ID}, Location: l.ID, Quantity: 1,
				Window: base.Span{Start: now + demoDay, End: now + 2*demoDay}}
			if err := c.do(account, hold.PlaceHold{Lines: []hold.HoldLineInput{line}}); err == nil {
				booked++
			}
		}
	}
	require.NotZero(t, returned)
	require.NotZero(t, extended)
	require.NotZero(t, booked)
	require.NoError(t, c.engine.Check())
}

// What is wrong with an archive is said with the file and the line, and nothing is imported.
func TestDamagedArchiveIsNamed(t *testing.T) {
	home := t.TempDir()
	c, _ := demoCore(t, home, clock())
	require.NoError(t, c.Close())
	shop := filepath.Join(t.TempDir(), "shop")
	code, _, errs := holdfast("export", "--all", shop, "--data", home)
	require.Zero(t, code, errs)
	name := filepath.Join(shop, "order.ndjson")
	good, err := os.ReadFile(name)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(good), "\n")
	swapped := slices.Clone(lines)
	swapped[2], swapped[3] = swapped[3], swapped[2]
	for want, text := range map[string]string{
		"order.ndjson:2: ":          lines[0] + strings.Replace(lines[1], "0", "1", 1) + strings.Join(lines[2:], ""),
		"order.ndjson:3: it is no":  lines[0] + lines[1] + lines[2][:20] + "\n" + strings.Join(lines[3:], ""),
		"rows, the manifest says":   strings.Join(lines[1:], ""),
		"or not in their order":     strings.Join(swapped, ""),
		"order.ndjson:1: it is no ": "",
	} {
		if text == "" {
			text = "x\n" + string(good)
		}
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		code, _, errs := holdfast("import", "--all", shop, "--data", home, "--account",
			"01900000-0000-7000-8000-000000000001")
		require.Equal(t, exitFailed, code)
		require.Contains(t, errs, want)
		require.Contains(t, errs, "nothing was imported")
	}
	require.NoError(t, os.WriteFile(name, good, 0o600))
	about := filepath.Join(shop, manifestName)
	text, err := os.ReadFile(about)
	require.NoError(t, err)
	for _, behind := range []string{"garbage\n", "{}\n", "}"} {
		require.NoError(t, os.WriteFile(about, append(slices.Clone(text), behind...), 0o600))
		code, _, errs = holdfast("import", "--all", shop, "--data", home)
		require.Equal(t, exitFailed, code, behind)
		require.Contains(t, errs, "is not as it was written")
	}
	require.NoError(t, os.Remove(about))
	code, _, errs = holdfast("import", "--all", shop, "--data", home)
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "is no archive of an account")
	for _, args := range [][]string{{"import", "--all", shop, "skus"}, {"export", "--all", shop, "x", "y"},
		{"import", "skus", "x.csv", "--ids", "new"}, {"import", "--all", shop, "--ids", "other"},
		{"import", "--all", shop, "--check"}} {
		code, _, _ = holdfast(args...)
		require.Equal(t, exitUsage, code, args)
	}
}

// panics is a reader of which a read panics.
type panics struct{}

func (panics) Read([]byte) (int, error) { panic("fault") }

// An export that breaks off, by a fault or by a panic, leaves nothing that it made, and what was there.
func TestAnExportThatBreaksOffLeavesNothing(t *testing.T) {
	half := `{"head":1}` + "\n" + `{"kind":"account","row":{}}` + "\n" + `{"kind":"customer","row":{}}` + "\n" + `{"kind":`
	there, parent := t.TempDir(), t.TempDir()
	for _, dir := range []string{there, filepath.Join(parent, "new")} {
		_, err := writeArchive(dir, strings.NewReader(half))
		require.ErrorContains(t, err, "the export is not whole")
		require.PanicsWithValue(t, "fault", func() {
			_, _ = writeArchive(dir, io.MultiReader(strings.NewReader(half), panics{}))
		})
	}
	for _, dir := range []string{there, parent} {
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, list)
	}
	require.NoError(t, os.WriteFile(filepath.Join(there, "notes.txt"), nil, 0o600))
	_, err := writeArchive(there, strings.NewReader(half))
	require.ErrorContains(t, err, "must not exist or be empty")
	require.FileExists(t, filepath.Join(there, "notes.txt"))
	code, _, errs := holdfast("export", "customers", "/dev/null", "--format", "csv", "--data", archived(t))
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "holdfast: /dev/null exists: name a file that is not there yet")
}

// archived is a stopped directory with one account.
func archived(t *testing.T) string {
	dir := t.TempDir()
	c := quietCore(t, dir, engine.Options{})
	started(t, c, dir, "")
	require.NoError(t, c.Close())
	return dir
}
