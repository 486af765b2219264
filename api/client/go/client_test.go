package holdfast

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// This file holds what is sent and how answers are read.

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct{ address, key, says string }{
		{"rent.example.com", testKey, "not of the form https://host"},
		{"ftp://rent.example.com", testKey, "not of the form https://host"},
		{"https://", testKey, "not of the form https://host"},
		{"https://rent.example.com/?a=1", testKey, "more than a scheme"},
		{"https://me:secret@rent.example.com", testKey, "more than a scheme"},
		{"https://rent example.com", testKey, "the address"},
		{"https://rent.example.com", "", "the key is empty"},
		{"https://rent.example.com", "hf_secret\nX-Other: 1", "characters that no key has"},
	} {
		_, err := New(c.address, c.key)
		says(t, err, c.says)
		if strings.Contains(err.Error(), "secret") {
			t.Fatalf("%q shows a secret", err)
		}
	}
}

func TestAnAddressHoweverItIsWritten(t *testing.T) {
	for _, address := range []string{"HTTPS://rent.example.com", "https://rent.example.com//"} {
		s := &script{answers: []answer{done}}
		c, err := New(address, testKey, WithHTTPClient(&http.Client{Transport: s}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.SKUs.Get(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		equal(t, "path", s.asked[0].path, "/v1/admin/skus/1")
	}
}

func TestWhatIsSent(t *testing.T) {
	c, s := client(t, []answer{done, done, done}, WithUserAgent("desk/7"))
	change := PatchScheduledEvent{Name: Set("x")}
	_, err := c.Articles.UpdateScheduledEvent(t.Context(), "a/b", "c d?", change, IfMatch(`"4"`))
	if err != nil {
		t.Fatal(err)
	}
	a := s.asked[0]
	equal(t, "path", a.path, "/v1/admin/articles/a%2Fb/scheduled-events/c%20d%3F")
	equal(t, "method and body", a.method+" "+a.body, `PATCH {"name":"x"}`)
	for name, value := range map[string]string{
		"X-Api-Key": testKey, "X-Api-Version": Version, "Content-Type": "application/json", "If-Match": `"4"`,
		"User-Agent": "desk/7 holdfast-go/" + Version,
	} {
		equal(t, name, a.header.Get(name), value)
	}

	from := time.Date(2031, 6, 2, 9, 0, 0, 5, time.FixedZone("", 3600))
	_, err = c.Articles.List(t.Context(), ArticlesListQuery{
		IDs: []string{"1", "2"}, Search: "a&b", DateRange: &DateRange{From: from, To: from.Add(time.Hour)}, Page: 3,
		Filters: []ArticleFilter{
			{Field: Set(ArticleFilterFieldName), Operator: OperatorContains, Value: "x"},
			{Field: Set(ArticleFilterFieldTags), Operator: OperatorInArray, Value: []string{"b", "c"}},
		},
	}, AsOf(9))
	if err != nil {
		t.Fatal(err)
	}
	query, err := url.ParseQuery(s.asked[1].query)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "query", fmt.Sprint(query), fmt.Sprint(url.Values{
		"ids": {"1", "2"}, "search": {"a&b"}, "page": {"3"}, "asOf": {"9"},
		"dateRange[from]":   {"2031-06-02T09:00:00.000000005+01:00"},
		"dateRange[to]":     {"2031-06-02T10:00:00.000000005+01:00"},
		"filters[0][field]": {"name"}, "filters[0][operator]": {"contains"}, "filters[0][value]": {"x"},
		"filters[1][field]": {"tags"}, "filters[1][operator]": {"inArray"}, "filters[1][value]": {"b", "c"},
	}))
	equal(t, "a read has no body", s.asked[1].body+s.asked[1].header.Get("Content-Type"), "")
	_, err = c.Articles.List(t.Context(), ArticlesListQuery{Filters: []ArticleFilter{{Value: make(chan int)}}})
	says(t, err, "filters[0]")
	equal(t, "nothing was sent", len(s.asked), 2)
}

// An id that would make another path of it is not sent: deleting "" or ".." would delete something else.
func TestPathsStayTheirOwn(t *testing.T) {
	c, s := client(t, nil)
	for _, id := range []string{"", ".", ".."} {
		says(t, c.Orders.RemoveDiscountCode(t.Context(), "1", id), "cannot be the code of a path")
		_, err := c.Orders.Get(t.Context(), id)
		says(t, err, "cannot be the id of a path")
	}
	equal(t, "sent", len(s.asked), 0)
}

func TestOptionalMembers(t *testing.T) {
	for want, body := range map[string]PatchSKU{
		`{}`:                          {},
		`{"code":null}`:               {Code: Null[string]()},
		`{"code":"","tags":[]}`:       {Code: Set(""), Tags: Set([]string{})},
		`{"bufferTimeAmountAfter":0}`: {BufferTimeAmountAfter: Set[int64](0)},
	} {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "JSON", string(text), want)
		var back PatchSKU
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(back)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "JSON read and written", string(again), want)
	}
	value, ok := Set(3).Get()
	equal(t, "value", value, 3)
	equal(t, "is set", ok, true)
	_, ok = Null[int]().Get()
	equal(t, "null is set", ok, false)
}

func TestProblems(t *testing.T) {
	ctx := t.Context()
	c, _ := client(t, []answer{
		{status: 409, body: `{"code":"STATE_NOT_ALLOWED","status":409,"detail":"it is a draft","requestId":"r-1",
			"details":{"state":"draft","allowed":["open"]}}`},
		{status: 400, body: `{"code":"INVALID_ARGUMENTS","detail":"faults","details":{},
			"errors":[{"in":"body","pointer":"/name","code":"required","message":"is missing"}]}`},
		{status: 403, body: `<html>no</html>`, header: http.Header{"Content-Type": {"text/html"}}},
		{status: 404, body: `{"code"`},
		{status: 418, body: `{"code":"NEW_IN_2040","detail":"later","details":7}`},
		{status: 304},
		{status: 200, body: `<html>`},
	}, WithRetries(0))
	_, err := c.Orders.Return(ctx, "1", TakeBack{})
	wrapped := fmt.Errorf("step 4: %w", err)
	var p *Problem
	if !errors.As(wrapped, &p) || !errors.Is(wrapped, CodeStateNotAllowed) || errors.Is(wrapped, CodeNotFound) {
		t.Fatalf("%v is not the refusal", wrapped)
	}
	equal(t, "text", p.Error(), "holdfast: 409 STATE_NOT_ALLOWED: it is a draft (request r-1)")
	state, ok := p.StateNotAllowed()
	equal(t, "details", fmt.Sprintf("%t %s %v", ok, state.State, state.Allowed), "true draft [open]")
	if _, ok := p.InsufficientAvailability(); ok {
		t.Fatal("it has the details of another code")
	}
	_, err = c.SKUs.Create(ctx, CreateSKU{})
	says(t, err, "400 INVALID_ARGUMENTS: faults; body /name: is missing")
	_, err = c.SKUs.Create(ctx, CreateSKU{})
	says(t, err, "holdfast: 403: Forbidden")
	_, err = c.SKUs.Get(ctx, "1")
	says(t, err, "holdfast: 404: Not Found")
	_, err = c.SKUs.Get(ctx, "1")
	says(t, err, "holdfast: 418 NEW_IN_2040: later")
	_, err = c.SKUs.Get(ctx, "1", IfNoneMatch(`"1"`))
	equal(t, "error", err, ErrNotModified)
	_, err = c.SKUs.Get(ctx, "1")
	says(t, err, "GET /v1/admin/skus/{id}: the answer")
}

func TestHeadersOfAnAnswer(t *testing.T) {
	c, _ := client(t, []answer{{status: 200, body: `{}`, header: http.Header{"Etag": {`"7"`}}}})
	var header http.Header
	if _, err := c.SKUs.Get(t.Context(), "1", ResponseHeader(&header)); err != nil {
		t.Fatal(err)
	}
	equal(t, "ETag", header.Get("ETag"), `"7"`)
}

// A redirect to another host would take the key along: it is not followed, not even by a client that would.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var asked int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	own := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
	for _, options := range [][]Option{nil, {WithHTTPClient(own)}} {
		c, err := New(server.URL, testKey, options...)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.SKUs.Create(t.Context(), CreateSKU{})
		says(t, err, "307: Temporary Redirect")
	}
	equal(t, "asked elsewhere", asked, 0)
	if own.CheckRedirect(nil, nil) != nil {
		t.Fatal("the caller's client was changed")
	}
}

func TestPages(t *testing.T) {
	page := func(link string, ids ...string) answer {
		var records []string
		for _, id := range ids {
			records = append(records, `{"id":"`+id+`"}`)
		}
		return answer{status: 200, body: `{"data":[` + strings.Join(records, ",") + `]}`,
			header: http.Header{"Link": {link}}}
	}
	next := `</v1/admin/orders?page=1>; rel="first", </v1/admin/orders?page=3>; rel="next"`
	c, s := client(t, []answer{
		page(next, "a", "b"), page(next, "c"), page(`</x>; rel="last"`, "d"),
		page(next, "e", "f"),
		page(next, "g"), refusal(CodeSnapshotGone, 410),
	})
	ids, query := "", OrdersListQuery{Number: 5}
	all := c.Orders.All(t.Context(), query, AsOf(7))
	for order, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		ids += order.ID
	}
	equal(t, "all", ids, "abcd")
	for i, want := range []string{"asOf=7&number=5&page=1", "asOf=7&number=5&page=2", "asOf=7&number=5&page=3"} {
		equal(t, "query", s.asked[i].query, want)
	}
	for order := range all {
		equal(t, "first again", order.ID, "e")
		break
	}
	equal(t, "asked", len(s.asked), 4)
	query.Page = 4
	var last error
	for _, err := range c.Orders.All(t.Context(), query) {
		last = err
	}
	if !errors.Is(last, CodeSnapshotGone) {
		t.Fatalf("got %v, want the refusal of the second page", last)
	}
	equal(t, "page", s.asked[5].query, "number=5&page=5")
}

// A filter that is false asks for something else than one that is left out.
func TestFalseIsSent(t *testing.T) {
	page := answer{status: 200, body: `{"orders":[]}`}
	c, s := client(t, []answer{page, page, page})
	yes, no := true, false
	for i, x := range []struct {
		query OrdersListQuery
		want  string
	}{{OrdersListQuery{}, ""}, {OrdersListQuery{HasConflicts: &no}, "hasConflicts=false"},
		{OrdersListQuery{HasConflicts: &yes}, "hasConflicts=true"}} {
		if _, err := c.Orders.List(t.Context(), x.query); err != nil {
			t.Fatal(err)
		}
		equal(t, "query", s.asked[i].query, x.want)
	}
}
