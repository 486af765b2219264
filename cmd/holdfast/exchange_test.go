package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file owns the test that what was exported is what an import makes of it.

// richRows are rows of every resource with every member that there is.
var richRows = map[string][]string{
	"locations": {
		`{"name":"Harbour, \"north\"","timezone":"Europe/Helsinki","address":{"address":"Quay 1","zipCode":"00100","city":"Helsinki","country":"FI","state":null,"details":"2nd\nfloor"}}`,
		`{"name":"  spaces  ","timezone":"UTC","address":null}`,
		`{"name":"=1+1","timezone":"America/Los_Angeles"}`,
	},
	"skus": {
		`{"name":"Bike","code":"B|1","description":"two\nlines; \"quoted\", ünï 🚲","purchasePrice":-5,"tags":["heavy","a|b"],"attributes":{"text":"12","number":1e21,"yes":false,
			"day":"2025-02-28","at":"2025-01-01T00:00:00.000Z","one":"red","many":["L","X|L"]},"bufferTimeAmountBefore":0,"bufferTimeUnitBefore":"days",
			"bufferTimeAmountAfter":90,"bufferTimeUnitAfter":"minutes"}`,
		`{"name":"Helmet"}`,
		`{"name":"007","code":"true","purchasePrice":9007199254740991}`,
	},
	"articles": {
		`{"name":"[one]","status":"active","skuId":"B|1","codes":["[x]","b|c"," d "],"description":"x","condition":"worn","purchasePrice":0,
			"quantities":[{"serviceLocationId":"Harbour, \"north\"","count":2,"from":"2020-01-01T00:00:00.000Z"},{"serviceLocationId":"Harbour, \"north\"","count":1,"from":"2998-01-01T00:00:00.000Z"},
			{"serviceLocationId":"  spaces  ","count":10000,"from":"2020-01-01T00:00:00.000Z"},{"serviceLocationId":"  spaces  ","count":1,"from":"2020-01-01T00:00:00.001Z"}],
			"tags":["heavy"],"attributes":{"text":"own"},"bufferTimeAmountBefore":1,"bufferTimeUnitBefore":"hours"}`,
		`{"name":"helmets","skuId":"Helmet","codes":["H"],"quantities":[{"serviceLocationId":"=1+1","count":5,"from":"2020-01-01T00:00:00.000Z"}]}`,
		`{"name":"alone","status":"inactive","codes":["[\"json\"]"]}`,
		`{"name":"later","status":"draft","skuId":"true"}`,
	},
	"customers": {
		`{"firstName":"Anna","lastName":"Öst","email":"anna@example.com","phone":"+358 40","marketingConsent":true,"dateOfBirth":"1990-02-28","language":"pt-BR",
			"billingAddress":{"address":"A","zipCode":"1","city":"C","country":"D","state":"E","details":"F","deliveryNotes":"G,H"},"shippingAddress":null,
			"customerType":"individual","tags":["vip"],"attributes":{"many":["L"]}}`,
		`{"fullName":"B. Company","companyName":"Company","customerType":"business","taxId":"0012",
			"shippingAddress":{"address":null,"zipCode":"0","city":null,"country":null,"state":null,"details":null,"deliveryNotes":null}}`,
	},
	"holds": {
		`{"lines":[{"skuId":"Helmet","serviceLocationId":"=1+1","from":"2021-01-01T00:00:00.000Z","to":"2021-01-02T00:00:00.000Z","quantity":5}],"note":"over","customerId":"anna@example.com"}`,
		`{"lines":[{"skuId":"B|1","serviceLocationId":"Harbour, \"north\"","from":"2999-01-01T00:00:00.000Z","to":"2999-01-02T00:00:00.000Z","quantity":3},
			{"articleId":"[x]","serviceLocationId":"  spaces  ","from":"2999-01-01T00:00:00.000Z","to":null,"quantity":7,"purchaseType":"sale"},
			{"articleId":"H","serviceLocationId":"=1+1","from":"2999-01-03T00:00:00.000Z","to":null,"quantity":1}],"note":"three, \"lines\""}`,
		`{"lines":[{"catalogItemId":"Kit","serviceLocationId":"=1+1","from":"2999-01-04T00:00:00.000Z","to":"2999-01-05T00:00:00.000Z","quantity":2}],"customerId":"B. Company"}`,
		`{"lines":[{"skuId":"Helmet","serviceLocationId":"=1+1","from":"2999-01-06T00:00:00.000Z","to":"2999-01-07T00:00:00.000Z","quantity":1}],"expiresInSeconds":7200}`,
		`{"lines":[{"skuId":"Helmet","serviceLocationId":"=1+1","from":"2999-01-08T00:00:00.000Z","to":"2999-01-09T00:00:00.000Z","quantity":3}],"note":"moved"}`,
	},
}

// richAccount makes an account with what rows refer to and no file brings: tags and attributes.
func richAccount(t *testing.T, e *engine.Engine) base.ID {
	id := base.NewID(clock(), base.BaseOf(randomBase()))
	ops := []base.Op{
		base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental"}},
		label.CreateTag{TagFields: label.TagFields{Value: "heavy", Scope: label.TagInventory}},
		label.CreateTag{TagFields: label.TagFields{Value: "a|b", Scope: label.TagInventory}},
		label.CreateTag{TagFields: label.TagFields{Value: "vip", Scope: label.TagCustomers}},
	}
	for key, format := range map[string]label.AttributeFormat{
		"text": label.FormatText, "number": label.FormatNumber, "yes": label.FormatBoolean, "day": label.FormatDate,
		"at": label.FormatDatetime,
	} {
		ops = append(ops,
			label.CreateAttribute{AttributeFields: label.AttributeFields{Name: key, Key: key, Format: format}})
	}
	ops = append(ops,
		label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "one", Key: "one",
			Format: label.FormatSelect}, Options: []string{"red", "blue"}},
		label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "many", Key: "many",
			Format: label.FormatMultiselect}, Options: []string{"L", "X|L"}})
	for _, op := range ops {
		_, err := e.Do(engine.Command{Account: id, Op: op})
		require.NoError(t, err)
	}
	return id
}

func TestExportIsImported(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	withEngine := func(use func(e *engine.Engine)) {
		core, err := openCore(context.Background(), data, engine.Options{Now: clock}, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		use(core.engine)
		require.NoError(t, core.Close())
	}
	ok := func(args ...string) {
		t.Helper()
		code, _, errs := holdfast(append(args, "--data", data)...)
		require.Zero(t, code, "%v: %s", args, errs)
		require.Empty(t, errs)
	}
	// fill imports files into an account, and makes the kit between articles and holds.
	fill := func(account base.ID, file func(resource string) string) {
		t.Helper()
		for _, resource := range api.ExchangeNames() {
			if resource == "holds" {
				withEngine(func(e *engine.Engine) {
					v, _ := e.View(account)
					for s := range stock.SKUs(v).All() {
						if s.Name == "Helmet" {
							_, err := e.Do(engine.Command{Account: account,
								Op: commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "Kit",
									Components: []commerce.Component{{Item: base.Item{SKU: s.ID}, Quantity: 2}}}}})
							require.NoError(t, err)
						}
					}
				})
			}
			ok("import", resource, file(resource), "--account", account.String(), "--check")
			ok("import", resource, file(resource), "--account", account.String())
		}
	}
	var first base.ID
	withEngine(func(e *engine.Engine) { first = richAccount(t, e) })
	fill(first, func(resource string) string {
		name := filepath.Join(dir, resource+".ndjson")
		text := ""
		for _, row := range richRows[resource] {
			text += strings.ReplaceAll(strings.ReplaceAll(row, "\n", ""), "\t", "") + "\n"
		}
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	})
	// One unit of three goes to another day, and there is a hold that has ended.
	withEngine(func(e *engine.Engine) {
		do := func(op base.Op) any {
			t.Helper()
			res, err := e.Do(engine.Command{Account: first, Op: op})
			require.NoError(t, err)
			return res.Record
		}
		v, _ := e.View(first)
		for h := range hold.EachHold(v) {
			if h.Note == "moved" {
				l := h.Lines[0]
				from, to := l.Window.Start+3*demoDay, l.Window.End+3*demoDay
				do(hold.MoveHold{ID: h.ID,
					Lines: []hold.MoveLine{{Unavailability: l.Units[1].ID, From: &from, To: &to}}})
				ended := do(hold.PlaceHold{
					Lines: []hold.HoldLineInput{{Item: l.Item, Location: l.Location, Quantity: 1, Window: l.Window}}})
				do(hold.ReleaseHold{ID: ended.(*hold.Hold).ID})
			}
		}
	})
	export := func(account base.ID, resource, format string) string {
		t.Helper()
		name := filepath.Join(dir, account.String()+"-"+resource+"."+format)
		ok("export", resource, name, "--account", account.String())
		return name
	}
	// plain are the rows of a file without what differs from account to account.
	plain := func(name string) (rows []any) {
		t.Helper()
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			var row map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &row))
			delete(row, "id")
			if row["expiresInSeconds"] != nil {
				row["expiresInSeconds"] = "some"
			}
			rows = append(rows, row)
		}
		return rows
	}
	want := map[string][]any{}
	for _, resource := range api.ExchangeNames() {
		want[resource] = plain(export(first, resource, formatNDJSON))
		require.Len(t, want[resource], len(richRows[resource]))
		for i, row := range plain(filepath.Join(dir, resource+".ndjson")) {
			if resource == "holds" {
				break // of which lines get their defaults, and one was moved
			}
			for member, value := range row.(map[string]any) {
				require.Equal(t, value, want[resource][i].(map[string]any)[member], "%s %d %s", resource, i, member)
			}
		}
	}
	require.Len(t, want["holds"][4].(map[string]any)["lines"], 2, "the moved unit is a line of its own")
	for _, format := range []string{formatNDJSON, formatCSV} {
		var second base.ID
		withEngine(func(e *engine.Engine) { second = richAccount(t, e) })
		files := map[string]string{}
		for _, resource := range api.ExchangeNames() {
			if format == formatNDJSON {
				files[resource] = filepath.Join(dir, first.String()+"-"+resource+".ndjson")
				continue
			}
			files[resource] = export(first, resource, format)
		}
		fill(second, func(resource string) string { return files[resource] })
		for _, resource := range api.ExchangeNames() {
			require.Equal(t, want[resource], plain(export(second, resource, formatNDJSON)), "%s through %s", resource,
				format)
		}
		withEngine(func(e *engine.Engine) { require.NoError(t, e.Check()) })
	}
}
