package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file holds every operation against inputs that are wrong: all faults named, and nothing changed (refused checks
// the state hash each time).

func TestBadInput(t *testing.T) {
	s, location, sku, article, _ := stocked(t)
	unit := at(s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, noon+day, noon+2*day, 1)), "lines", 0,
		"unavailabilities", 0, "id").(string)
	hold := s.ok("GET", "/v1/admin/holds", "")
	holdPath := "/v1/admin/holds/" + at(hold, "data", 0, "id").(string)

	fill := strings.NewReplacer("$location", location, "$sku", sku, "$article", article, "$unit", unit).Replace
	bad := func(request, body string, faults ...string) {
		t.Helper()
		method, path, _ := strings.Cut(fill(request), " ")
		code := base.CodeInvalid
		for _, f := range faults {
			if strings.HasSuffix(f, "malformed") && strings.HasPrefix(f, "body") {
				code = base.CodeMalformed
			}
		}
		s.refused(400, code, method, path, fill(body), faults...)
	}
	const from = `"from":"2025-06-02T12:00:00Z"`

	// Ranges.
	bad("POST /v1/admin/holds",
		`{"lines":[{"skuId":"$sku","serviceLocationId":"$location","from":"2025-06-03T12:00:00Z","to":"2025-06-02T12:00:00Z"}]}`, "body /lines/0/to order")
	bad("POST /v1/admin/holds",
		`{"lines":[{"skuId":"$sku","serviceLocationId":"$location","from":"2025-06-03T12:00:00Z","to":"2025-06-03T12:00:00Z"}]}`, "body /lines/0/to order")
	bad("POST /v1/admin/holds",
		`{"lines":[{"skuId":"$sku","serviceLocationId":"$location","from":"2025-06-03","to":"2025-06-04T25:00:00Z"}]}`,
		"body /lines/0/from format", "body /lines/0/to format")
	bad("POST /v1/admin/holds",
		`{"lines":[{"skuId":"$sku","serviceLocationId":"$location","from":"2025-02-29T00:00:00Z","to":"2025-06-04T12:00:00.1234567890Z"}]}`, "body /lines/0/from format", "body /lines/0/to format")
	bad("POST /v1/admin/holds",
		`{"lines":[{"skuId":"$sku","serviceLocationId":"$location","from":"1969-12-31T23:59:59Z","to":"2025-06-04T12:00:00"}]}`, "body /lines/0/from format", "body /lines/0/to format")
	bad("GET /v1/admin/availability?skuId=$sku&from=2025-06-03T12:00:00Z&to=2025-06-02T12:00:00Z", "", "query to order")
	bad("GET /v1/admin/availability?skuId=$sku&from=2025-06-03T12:00:00Z&to=2025-06-03T12:00:00Z", "", "query to order")
	// a plus is a space here
	bad("GET /v1/admin/availability?skuId=$sku&from=2025-06-03T12:00:00+02:00", "", "query from format")
	bad("GET /v1/admin/articles?dateRange[from]=2025-06-03T12:00:00Z&dateRange[to]=2025-06-02T12:00:00Z", "",
		"query dateRange[to] order")
	bad("GET /v1/admin/articles/$article?dateRange[from]=2025-06-03", "", "query dateRange[from] format",
		"query dateRange[to] required")
	bad("GET /v1/admin/conflicts?dateRange[from]=2025-06-03T12:00:00Z&dateRange[to]=2025-06-02T12:00:00Z", "",
		"query dateRange[to] order")
	bad("POST /v1/admin/availability/query", `{"lines":[{"skuId":"$sku",`+from+
		`},{"skuId":"$sku","from":"2025-06-03T12:00:00Z","to":"2025-06-01T12:00:00Z"}]}`, "body /lines/1/to order")
	bad("POST /v1/admin/availability/next",
		`{"skuId":"$sku","serviceLocationId":"$location","notBefore":"2025-06-03T12:00:00Z","until":"2025-06-03T12:00:00Z","seconds":0}`, "body /seconds range", "body /until order")
	bad("GET /v1/admin/availability/calendar?skuId=$sku&from=2025-06-03T12:00:00Z", "", "query to required")
	bad("GET /v1/admin/availability/calendar?skuId=$sku&from=2025-06-03T12:00:00Z&to=2125-06-03T12:00:00Z&bucket=week",
		"", "query bucket enum")
	bad("GET /v1/admin/availability/calendar?skuId=$sku&from=2025-06-03T12:00:00Z&to=2125-06-03T12:00:00Z&bucket=hour",
		"", "query bucket range")
	calendar := "GET /v1/admin/availability/calendar?skuId=$sku&from=2025-06-03T12:00:00Z&to=2025-06-04T12:00:00Z"
	bad(calendar+"&length=0&startTimes=9:00", "", "query length range", "query startTimes format")
	bad(calendar+"&startTimes=24:00&quantity=0", "", "query quantity range", "query startTimes format",
		"query length required")
	bad(calendar+"&quantity=2", "", "query length required")
	bad(calendar+"&length=11&lengthUnit=years", "", "query length range")
	bad(calendar+"&length=11&lengthUnit=moons", "", "query lengthUnit enum")
	bad("POST /v1/admin/availability/calendar",
		`{"items":[{"skuId":"$sku","quantity":2},{"quantity":0}],"from":"2025-06-03T12:00:00Z","to":"2025-06-03T12:00:00Z"}`,
		"body /items/1/quantity range", "body /to order", "body /length required", "body /items/1/skuId required")
	// What comes of the window alone is refused before an item is looked at: none of these is a SKU.
	items := strings.Repeat(`{"skuId":"$location"},`, 249) + `{"skuId":"$location"}`
	bad("POST /v1/admin/availability/calendar", `{"items":[`+items+`],"length":1,"lengthUnit":"days",`+
		`"from":"2025-06-03T12:00:00Z","to":"2025-12-30T12:00:00Z"}`, "body /items range")
	bad("POST /v1/admin/availability/calendar", `{"items":[`+items+`],"length":1,"lengthUnit":"days",`+
		`"from":"2025-06-03T12:00:00Z","to":"2025-10-31T12:00:00Z"}`, "body /items range")
	items = strings.Repeat(`{"skuId":"$location"},`, 9) + `{"skuId":"$location"}`
	bad("POST /v1/admin/availability/calendar", `{"items":[`+items+`],"bucket":"hour",`+
		`"from":"2025-06-03T12:00:00Z","to":"2026-01-03T12:00:00Z"}`, "body /items range")
	bad("GET /v1/admin/availability/calendar?skuId=$location&from=2025-06-03T00:00:00Z&to=2026-12-03T00:00:00Z"+
		"&bucket=hour", "", "query bucket range")
	bad("GET /v1/admin/availability/calendar?skuId=$location&from=2025-06-03T00:00:00Z&to=2026-06-03T00:00:00Z"+
		"&length=1&lengthUnit=days&startTimes="+startTimes(30), "", "query length range")
	bad("POST "+holdPath+"/move",
		`{"lines":[{"unavailabilityId":"$unit","from":"2025-06-03T12:00:00Z","to":"2025-06-03T11:00:00Z"}]}`,
		"body /lines/0/to order")
	bad("POST "+holdPath+"/move", `{"lines":[{"unavailabilityId":"$unit"}]}`, "body /lines/0 required")
	bad("POST /v1/admin/articles/$article/scheduled-events",
		`{"type":"holiday","name":"","serviceLocationId":"$location","startDate":"2025-06-03T12:00:00Z","endDate":"2025-06-02T12:00:00Z"}`,
		"body /type enum", "body /name length", "body /endDate order")

	// Zones, ids.
	for _, zone := range []string{"Europe/Atlantis", "Local", "../etc/passwd", "europe lisbon"} {
		bad("POST /v1/admin/locations", fmt.Sprintf(`{"name":"x","timezone":%q}`, zone), "body /timezone zone")
	}
	bad("POST /v1/admin/locations", `{"name":"x","timezone":""}`, "body /timezone length")
	for _, id := range []string{"", "1", "{$sku}", "urn:uuid:$sku", strings.ReplaceAll(sku, "-", ""),
		"0190d3a4-6b1f-0c32-9d5e-3f2a1b0c9d8e", "0190d3a4-6b1f-7c32-1d5e-3f2a1b0c9d8e"} {
		bad("POST /v1/admin/holds", `{"lines":[{"skuId":"`+id+`","serviceLocationId":"`+id+`",`+from+`}]}`,
			"body /lines/0/skuId format", "body /lines/0/serviceLocationId format")
		bad("GET /v1/admin/availability?"+from2query+"&skuId="+id, "", "query skuId format")
		if id != "" {
			bad("GET /v1/admin/skus/"+id, "", "path id format")
			bad("PATCH /v1/admin/locations/"+id, `{"nme":"x"}`, "path id format", "body /nme unknown")
			// typed as plain string by the interface
			s.refused(404, base.CodeNotFound, "GET", "/v1/admin/articles/"+fill(id), "")
		}
	}

	// Numbers.
	bad("POST /v1/admin/skus", `{"name":"x","purchasePrice":9007199254740992}`, "body /purchasePrice range")
	bad("POST /v1/admin/skus", `{"name":"x","purchasePrice":-9007199254740992}`, "body /purchasePrice range")
	bad("POST /v1/admin/skus",
		`{"name":"x","purchasePrice":1.5,"bufferTimeAmountBefore":-1,"bufferTimeUnitBefore":"hours"}`,
		"body /purchasePrice type", "body /bufferTimeAmountBefore range")
	bad("POST /v1/admin/skus", `{"name":"x","bufferTimeAmountBefore":11,"bufferTimeUnitBefore":"years"}`,
		"body /bufferTimeAmountBefore range")
	bad("POST /v1/admin/skus", `{"name":"x","bufferTimeAmountBefore":11,"bufferTimeUnitAfter":"fortnights"}`,
		"body /bufferTimeUnitAfter enum", "body /bufferTimeUnitBefore required",
		"body /bufferTimeAmountAfter required")
	bad("PATCH /v1/admin/skus/$sku", `{"bufferTimeAmountBefore":3,"bufferTimeUnitBefore":"fortnights"}`,
		"body /bufferTimeUnitBefore enum")
	bad("GET /v1/admin/articles?filters[5][field]=name&filters[5][operator]=isEmpty", "", "query filters[0] required")
	bad("GET /v1/admin/articles?filters[0][field]=name&filters[0][operator]=isEmpty&filters[2][field]=name"+
		"&filters[0][x]=1", "", "query filters[1] required", "query filters[0][x] unknown")
	bad("POST /v1/admin/articles/$article/increase-quantity", `{"serviceLocationId":"$location","amount":0}`,
		"body /amount range")
	bad("POST /v1/admin/articles/$article/decrease-quantity",
		`{"serviceLocationId":"$location","amount":10001,"effectiveFrom":"yesterday","force":1}`,
		"body /amount range", "body /effectiveFrom format", "body /force type")
	bad("GET /v1/admin/articles/$article/plan-quantity-change?amount=0", "", "query serviceLocationId required",
		"query amount range")
	bad("GET /v1/admin/articles/$article/plan-quantity-change?serviceLocationId=$location&amount=1e2&amount=2", "",
		"query amount duplicate", "query amount type")
	bad("POST /v1/admin/articles/$article/transfer-quantity",
		`{"fromServiceLocationId":"$location","toServiceLocationId":"$location","amount":1}`,
		"body /toServiceLocationId same")
	bad("POST /v1/admin/holds", `{"lines":[{"skuId":"$sku","serviceLocationId":"$location",`+from+
		`,"quantity":0}],"expiresInSeconds":29}`, "body /lines/0/quantity range", "body /expiresInSeconds range")
	bad("POST /v1/admin/holds", `{"lines":[]}`, "body /lines length")
	bad("POST /v1/admin/holds", `{"lines":[`+strings.Repeat(`{},`, 1000)+`{}]}`, thousandLines()...)
	bad("POST /v1/admin/articles", `{"name":"x","quantities":[{"serviceLocationId":"$location","count":0}]}`,
		"body /quantities/0/count range")
	tooMany := strings.Repeat(`,{"serviceLocationId":"$location","count":10000}`, 11)[1:]
	bad("POST /v1/admin/articles", `{"name":"x","quantities":[`+tooMany+`]}`, "body /quantities range")
	bad("POST /v1/admin/articles", `{"name":"","quantities":[`+tooMany+`,{"serviceLocationId":"$location","count":0}]}`,
		"body /name length", "body /quantities/11/count range", "body /quantities range")
	bad("GET /v1/admin/locations?page=0&pageSize=251", "", "query page range", "query pageSize range")
	bad("GET /v1/admin/locations?page=-1&pageSize=ten", "", "query page range", "query pageSize type")
	bad("GET /v1/admin/locations?page=01&pageSize=%2B5", "", "query page type", "query pageSize type")

	// Names.
	bad("POST /v1/admin/locations", `{"name":"x","Timezone":"UTC","timeZone":"UTC"}`, "body /Timezone unknown",
		"body /timeZone unknown", "body /timezone required")
	bad("POST /v1/admin/locations",
		`{"name":"x","name":"y","timezone":"UTC","address":{"city":"x","city":"y","street":"z"}}`,
		"body /name duplicate", "body /address/city duplicate", "body /address/street unknown")
	bad("POST /v1/admin/articles", `{"name":"x","id":"$article","tenantId":"$article","createdAt":0,"quantity":5}`,
		"body /id unknown", "body /tenantId unknown", "body /createdAt unknown", "body /quantity unknown")
	bad("GET /v1/admin/account?verbose=1", "", "query verbose unknown")
	bad("GET /v1/admin/articles?sort=&dateRange[zone]=UTC", "", "query dateRange[from] required",
		"query dateRange[to] required", "query sort enum", "query dateRange[zone] unknown")
	bad("GET /v1/admin/account?a=%zz&b=%ff", "", "query a malformed", "query b malformed")
	bad("GET /v1/admin/articles/$article/plan-quantity-change?serviceLocationId=%ff&amount=1%zz", "",
		"query serviceLocationId malformed", "query amount malformed")
	bad("GET /v1/admin/articles/$article?dateRange[from]=%ff&dateRange[to]=2025-06-03T12:00:00Z", "",
		"query dateRange[from] malformed")
	bad("POST "+holdPath+"/confirm", `{"now":true}`, "body /now unknown")
	bad("DELETE "+holdPath, `{"force":true}`, "body /force unknown")
	bad("GET "+holdPath, `{"x":1}`, "body /x unknown")
	bad("POST /v1/admin/holds", `{"lines":[{"skuId":"$sku","articleId":"$article","serviceLocationId":"$location",`+
		from+`},{"serviceLocationId":"$location",`+from+`}]}`,
		"body /lines/0 exclusive", "body /lines/1 required")
	bad("GET /v1/admin/availability?from=2025-06-02T12:00:00Z", "", "query skuId required")
	bad("POST /v1/admin/availability/explain", `{"skuId":"$sku","articleId":"$article",`+from+`}`,
		"body /skuId exclusive")
	bad("POST /v1/admin/holds", `{"lines":[{}]}`, "body /lines/0/serviceLocationId required",
		"body /lines/0/from required", "body /lines/0 required")

	// Syntax, and everything at once.
	bad("POST /v1/admin/holds", `{"lines":[{"skuId":"$sku",}]}`, "body /lines/0/skuId malformed")
	bad("POST /v1/admin/holds?dry=1", `{"lines":[{"quantity":0,"x":[`, "query dry unknown",
		"body /lines/0/quantity range", "body /lines/0/x unknown", "body /lines/0/x/0 malformed")
	bad("POST /v1/admin/holds", `[]`, "body  type")
	bad("POST /v1/admin/holds", `{"lines":`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)+"}",
		"body /lines/0 type", "body /lines"+strings.Repeat("/0", 31)+" too_deep")
	// Behind what is too deep nothing was read: what stands there is not missing.
	deep := `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,`
	deeper := "body /a" + strings.Repeat("/0", 31) + " too_deep"
	bad("POST /v1/admin/holds", deep+`"lines":[{"skuId":"$sku","serviceLocationId":"$location",`+from+`}]}`,
		"body /a unknown", deeper)
	bad("POST /v1/admin/availability/explain", deep+`"skuId":"$sku",`+from+`}`, "body /a unknown", deeper)
	bad("POST /v1/admin/availability/explain", `{"a":1,`, "body /a unknown", "body /a malformed")
	bad("POST /v1/admin/articles/$article/tags", deep+`"tagIds":[]}`, "body /a unknown", deeper)
	bad("POST /v1/admin/holds", "", "body /lines required") // no body counts as {}
	s.call("PATCH", "/v1/admin/skus/"+sku, "", "Content-Type", "application/json").
		isRefusal(400, base.CodeMalformed, "body  malformed")
}

const from2query = "from=2025-06-02T12:00:00Z"

func thousandLines() (faults []string) {
	for i := range 333 {
		faults = append(faults, fmt.Sprintf("body /lines/%d/serviceLocationId required", i),
			fmt.Sprintf("body /lines/%d/from required", i))
	}
	for i := 333; len(faults) < wire.MaxFaults; i++ {
		faults = append(faults, fmt.Sprintf("body /lines/%d/serviceLocationId required", i),
			fmt.Sprintf("body /lines/%d/from required", i))
	}
	return faults[:wire.MaxFaults]
}

// Another account's ids answer exactly as ids that nobody has.
func TestForeignIdsAreNobodys(t *testing.T) {
	s, location, sku, article, _ := stocked(t)
	hold := s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, noon+day, noon+2*day, 1))["id"].(string)
	event := s.ok("POST", "/v1/admin/articles/"+article+"/scheduled-events", fmt.Sprintf(
		`{"type":"note","name":"n","serviceLocationId":%q,"startDate":%q,"endDate":%q}`, location, when(noon),
		when(noon+day)))["id"].(string)
	const nobody = "0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e"
	own := "X-API-KEY"
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/v1/admin/locations/$location", ""},
		{"PATCH", "/v1/admin/locations/$location", `{"name":"x"}`},
		{"GET", "/v1/admin/skus/$sku", ""},
		{"PATCH", "/v1/admin/skus/$sku", `{"name":"x"}`},
		{"GET", "/v1/admin/articles/$article", ""},
		{"PATCH", "/v1/admin/articles/$article", `{"name":"x"}`},
		{"POST", "/v1/admin/articles", `{"name":"x","skuId":"$sku"}`},
		{"POST", "/v1/admin/articles", `{"name":"x","quantities":[{"serviceLocationId":"$location","count":1}]}`},
		{"GET", "/v1/admin/articles/$article/plan-quantity-change?serviceLocationId=$location&amount=1", ""},
		{"POST", "/v1/admin/articles/$article/increase-quantity", `{"serviceLocationId":"$location","amount":1}`},
		{"POST", "/v1/admin/articles/$article/decrease-quantity", `{"serviceLocationId":"$location","amount":1}`},
		{"POST", "/v1/admin/articles/$article/transfer-quantity",
			`{"fromServiceLocationId":"$location","toServiceLocationId":"$sku","amount":1}`},
		{"POST", "/v1/admin/articles/$article/scheduled-events",
			`{"type":"note","name":"n","serviceLocationId":"$location","startDate":"2025-06-02T12:00:00Z","endDate":"2025-06-03T12:00:00Z"}`},
		{"PATCH", "/v1/admin/articles/$article/scheduled-events/$event", `{"name":"x"}`},
		{"DELETE", "/v1/admin/articles/$article/scheduled-events/$event", ""},
		{"GET", "/v1/admin/availability?skuId=$sku&from=2025-06-02T12:00:00Z", ""},
		{"GET", "/v1/admin/availability?articleId=$article&serviceLocationId=$location&from=2025-06-02T12:00:00Z", ""},
		{"POST", "/v1/admin/availability/query", `{"lines":[{"skuId":"$sku","from":"2025-06-02T12:00:00Z"}]}`},
		{"GET", "/v1/admin/availability/calendar?skuId=$sku&from=2025-06-02T12:00:00Z&to=2025-06-03T12:00:00Z", ""},
		{"POST", "/v1/admin/availability/next",
			`{"skuId":"$sku","serviceLocationId":"$location","notBefore":"2025-06-02T12:00:00Z","seconds":60}`},
		{"POST", "/v1/admin/availability/explain", `{"skuId":"$sku","from":"2025-06-02T12:00:00Z"}`},
		{"POST", "/v1/admin/holds",
			`{"lines":[{"skuId":"$sku","serviceLocationId":"$location","from":"2025-06-02T12:00:00Z"}]}`},
		{"GET", "/v1/admin/holds/$hold", ""},
		{"DELETE", "/v1/admin/holds/$hold", ""},
		{"POST", "/v1/admin/holds/$hold/move",
			`{"lines":[{"unavailabilityId":"$hold","from":"2025-06-02T12:00:00Z"}]}`},
		{"POST", "/v1/admin/holds/$hold/extend", `{"expiresInSeconds":60}`},
		{"POST", "/v1/admin/holds/$hold/confirm", ""},
	} {
		theirs := strings.NewReplacer("$location", location, "$sku", sku, "$article", article, "$hold", hold, "$event",
			event).Replace
		nobodys := strings.NewReplacer("$location", nobody, "$sku", nobody, "$article", nobody, "$hold", nobody,
			"$event", nobody).Replace
		if strings.Contains(c.path, "transfer") {
			nobodys = strings.NewReplacer("$location", nobody, "$sku", strings.Replace(nobody, "0", "1", 1), "$article",
				nobody).Replace
		}
		a := s.call(c.method, theirs(c.path), theirs(c.body), own, s.other, "X-Request-Id", "same")
		b := s.call(c.method, nobodys(c.path), nobodys(c.body), own, s.other, "X-Request-Id", "same")
		a.isRefusal(404, base.CodeNotFound)
		require.Equal(t, string(b.body), string(a.body), "%s %s", c.method, c.path)
	}
	for _, path := range []string{"/v1/admin/locations", "/v1/admin/skus", "/v1/admin/holds",
		"/v1/admin/conflicts?skuId=" + sku} {
		require.Empty(t, s.ok("GET", path, "", own, s.other)["data"], path)
	}
	require.Equal(t, 0.0, s.ok("GET", "/v1/admin/articles", "", own, s.other)["totalCount"])
}

func TestTheNilIdIsNobodys(t *testing.T) {
	s, location, _, _, _ := stocked(t)
	const null = "00000000-0000-0000-0000-000000000000"
	s.refused(404, base.CodeNotFound, "POST", "/v1/admin/holds", s.holdBody("sku", null, location, noon, noon+day, 1))
	s.refused(404, base.CodeNotFound, "POST", "/v1/admin/holds",
		s.holdBody("article", null, location, noon, noon+day, 1))
	s.refused(404, base.CodeNotFound, "GET", "/v1/admin/availability?from=2025-06-02T12:00:00Z&skuId="+null, "")
	s.refused(404, base.CodeNotFound, "GET", "/v1/admin/locations/"+null, "")
	s.refused(404, base.CodeNotFound, "GET", "/v1/admin/locations/ffffffff-ffff-ffff-ffff-ffffffffffff", "")
	require.Empty(t, s.ok("GET", "/v1/admin/conflicts?skuId="+null, "")["data"])
}

// startTimes are n times of day, as a query has them.
func startTimes(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%02d:%02d", i/2, i%2*30)
	}
	return strings.Join(list, "&startTimes=")
}
