package main

// This file owns a replay against a server: the same events over its REST interface, one after the other.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// client speaks to a server with a key.
type client struct {
	ctx  context.Context
	base *url.URL
	key  string
	who  string // the command that asks
	run  string // makes the idempotency keys of this run its own
	http *http.Client
}

func newClient(ctx context.Context, at, key, who string) (*client, error) {
	base, err := baseURL(at)
	if err != nil {
		return nil, err
	}
	run, err := uuid.NewRandom()
	if err != nil {
		return nil, err
	}
	c := &client{ctx: ctx, base: base, key: key, who: who, run: run.String(), http: keyClient()}
	c.http.Timeout = 60 * time.Second
	return c, nil
}

// baseURL reads --url.
func baseURL(at string) (*url.URL, error) {
	base, err := url.Parse(at)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, usagef("--url %q must be like http://127.0.0.1:8080", at)
	}
	return base, nil
}

// refusal is an answer of a server that is not a success.
type refusal struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// refusalOf reads an answer that is not a success.
func refusalOf(status int, body []byte) *refusal {
	r := &refusal{}
	if json.Unmarshal(body, r) != nil || r.Code == "" {
		r.Detail = string(body[:min(len(body), 200)])
	}
	r.Status = status
	return r
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the server answers %d %s: %s", r.Status, r.Code, r.Detail)
}

// agent is how a client calls itself.
func (c *client) agent() string { return "holdfast-" + c.who }

// attempts is how often a request is sent whose answer got lost. Its idempotency key sees to it that it is done once.
const attempts = 3

// do sends a request and decodes the answer into out, where that is not nil. The name identifies a write within the
// run.
func (c *client) do(method, path, name string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	var lost error
	for range attempts {
		answer, err := c.send(method, path, name, body)
		if err != nil {
			if lost = err; c.ctx.Err() != nil {
				break
			}
			continue
		}
		if answer.status >= 200 && answer.status < 300 {
			if out == nil {
				return nil
			}
			return json.Unmarshal(answer.body, out)
		}
		return refusalOf(answer.status, answer.body)
	}
	if err := ended(c.ctx); err != nil {
		return err
	}
	return lost
}

type rawAnswer struct {
	status int
	body   []byte
}

func (c *client) send(method, path, name string, body []byte) (rawAnswer, error) {
	path, query, _ := strings.Cut(path, "?")
	target := c.base.JoinPath("v1", "admin", path)
	target.RawQuery = query
	request, err := http.NewRequestWithContext(c.ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return rawAnswer{}, err
	}
	request.Header.Set("X-API-KEY", c.key)
	request.Header.Set("User-Agent", c.agent())
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	if name != "" {
		request.Header.Set("Idempotency-Key", c.who+"-"+c.run+"-"+name)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return rawAnswer{}, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return rawAnswer{answer.StatusCode, b}, err
}

type named struct {
	ID string `json:"id"`
}

type holdAnswer struct {
	ID    string `json:"id"`
	Lines []struct {
		Unavailabilities []struct {
			ID   string  `json:"id"`
			Slot *string `json:"slotId"`
		} `json:"unavailabilities"`
	} `json:"lines"`
}

// slot is where the hold's only unit sits.
func (h *holdAnswer) slot() string {
	if len(h.Lines) == 1 && len(h.Lines[0].Unavailabilities) == 1 && h.Lines[0].Unavailabilities[0].Slot != nil {
		return *h.Lines[0].Unavailabilities[0].Slot
	}
	return ""
}

type holdBody struct {
	Lines []holdBodyLine `json:"lines"`
	Note  string         `json:"note"`
	Past  bool           `json:"allowPast"`
}

type holdBodyLine struct {
	SKU      string `json:"skuId"`
	Location string `json:"serviceLocationId"`
	From     string `json:"from"`
	To       string `json:"to"`
}

// serverPlay is one replay on a server.
type serverPlay struct {
	*client
	plan     *replayPlan
	location string
	skus     []string
	holds    []holdAnswer // by stay; no id: refused or called off
	out      outcome
}

func playOnServer(ctx context.Context, p *replayPlan, c replayConfig, file string, tick func()) (outcome, error) {
	cl, err := newClient(ctx, c.url, c.key, "replay")
	if err != nil {
		return outcome{}, err
	}
	r := &serverPlay{client: cl, plan: p, holds: make([]holdAnswer, len(p.stays))}
	r.out = outcome{accepted: make([]bool, len(p.stays)), moves: make([]int, len(p.skus))}
	if err := r.stock(c.stock, file); err != nil {
		return r.out, err
	}
	begin := time.Now()
	for _, e := range p.events {
		if err := r.event(e); err != nil {
			return r.out, fmt.Errorf("row %d: %w", p.stays[e.stay].row, err)
		}
		tick()
	}
	r.out.took = time.Since(begin)
	return r.out, r.countMoves()
}

// stock makes the location, the SKUs and their units.
func (r *serverPlay) stock(kind, file string) error {
	var made named
	err := r.do("POST", "locations", "location",
		map[string]any{"name": "Replay of " + file, "timezone": r.plan.zone.Name()}, &made)
	if err != nil {
		return err
	}
	r.location = made.ID
	for _, s := range r.plan.skus {
		if err := r.sku(s, &made); err != nil {
			return err
		}
		r.skus = append(r.skus, made.ID)
		for i, a := range articlesOf(s, kind) {
			quantities := []map[string]any{}
			for _, n := range a.counts {
				quantities = append(quantities, map[string]any{"serviceLocationId": r.location, "count": n})
			}
			name := "article-" + s.name + "-" + strconv.Itoa(i)
			if err := r.do("POST", "articles", name,
				map[string]any{"name": a.name, "skuId": made.ID, "quantities": quantities}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// sku makes a SKU. Its code is the room type's name, with the name of the run after it where an earlier replay has
// taken the code.
func (r *serverPlay) sku(s replaySKU, made *named) error {
	body := map[string]any{"name": "Room type " + s.name, "code": s.name, "bufferTimeAmountAfter": cleaning.Amount,
		"bufferTimeUnitAfter": cleaning.Unit.String()}
	err := r.do("POST", "skus", "sku-"+s.name, body, made)
	var taken *refusal
	if errors.As(err, &taken) && taken.Code == "CONFLICT" {
		body["code"] = s.name + " " + r.run
		err = r.do("POST", "skus", "sku-again-"+s.name, body, made)
	}
	return err
}

func (r *serverPlay) event(e event) error {
	s, hold := &r.plan.stays[e.stay], &r.holds[e.stay]
	row := strconv.Itoa(s.row)
	if e.off {
		if hold.ID == "" {
			return nil
		}
		id := hold.ID
		*hold = holdAnswer{}
		return r.do("DELETE", "holds/"+id, "off-"+row, nil, nil)
	}
	body := holdBody{Note: "row " + row, Past: true, Lines: []holdBodyLine{{
		SKU: r.skus[s.sku], Location: r.location, From: instantText(s.window.Start), To: instantText(s.window.End),
	}}}
	begin := time.Now()
	err := r.do("POST", "holds", "row-"+row, body, hold)
	r.out.longest = max(r.out.longest, time.Since(begin))
	var short *refusal
	switch {
	case err == nil:
		r.out.accepted[e.stay] = true
	case errors.As(err, &short) && short.Code == "INSUFFICIENT_AVAILABILITY":
	default:
		return err
	}
	return nil
}

// countMoves looks at where the holds that were not called off sit in the end. An answer does not say what was moved
// for it: a hold that was moved twice counts once here, and one that was called off later not at all, so these are
// fewer than a replay in process counts.
func (r *serverPlay) countMoves() error {
	placed := map[string]int{}
	for i := range r.holds {
		if r.holds[i].ID != "" {
			placed[r.holds[i].ID] = i
		}
	}
	const pageSize = 250
	for page := 1; ; page++ {
		var list struct {
			Data []holdAnswer `json:"data"`
		}
		if err := r.do("GET", fmt.Sprintf("holds?page=%d&pageSize=%d", page, pageSize), "", nil, &list); err != nil {
			return err
		}
		for i := range list.Data {
			if stay, ours := placed[list.Data[i].ID]; ours && list.Data[i].slot() != r.holds[stay].slot() {
				r.out.moves[r.plan.stays[stay].sku]++
			}
		}
		if len(list.Data) < pageSize {
			return nil
		}
	}
}
