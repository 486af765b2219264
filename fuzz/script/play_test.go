package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
	"holdfast/fuzz/workload"
	"holdfast/timeline"
)

// This file owns the steps of a scenario.

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	rewrite, _ := strconv.ParseBool(os.Getenv("HOLDFAST_REWRITE"))
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			played := play(t, string(text))
			if rewrite {
				require.NoError(t, os.WriteFile(name, []byte(played), 0o600))
				return
			}
			require.Equal(t, string(text), played)
		})
	}
}

// scenario is one under way: a world of one account, and the names of what is in it.
type scenario struct {
	t      *testing.T
	w      *workload.World
	ids    map[string]base.ID // of locations, SKUs, articles and holds
	names  map[base.ID]string
	order  []string           // articles, as they came
	tables map[string]base.ID // of pricing rows
}

// play runs the steps of a scenario and writes it down anew, with what came of each.
func play(t *testing.T, text string) string {
	w, err := workload.New(vfs.NewMem(), 1)
	require.NoError(t, err)
	defer w.Close()
	s := &scenario{t: t, w: w, ids: map[string]base.ID{}, names: map[base.ID]string{}, tables: map[string]base.ID{}}
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, " ") {
			continue
		}
		fmt.Fprintln(&out, line)
		if line == "" || line[0] == '#' {
			continue
		}
		for came := range strings.Lines(s.step(strings.Fields(line))) {
			fmt.Fprintf(&out, "    %s\n", strings.TrimRight(came, " \n"))
		}
	}
	return out.String()
}

const hour = 60 * 60 * 1000

// at reads an instant: hours since the beginning.
func (s *scenario) at(word string) int64 {
	h, err := strconv.ParseFloat(word, 64)
	require.NoError(s.t, err)
	return workload.Start + int64(h*hour)
}

func (s *scenario) span(word string) base.Span {
	from, to, _ := strings.Cut(word, "-")
	if to == "" {
		return base.Span{Start: s.at(from), End: base.Forever}
	}
	return base.Span{Start: s.at(from), End: s.at(to)}
}

func hours(t int64) string {
	if t == base.Forever {
		return ""
	}
	return strconv.FormatFloat(float64(t-workload.Start)/hour, 'f', -1, 64)
}

// buffer reads a length like 4h, 1d, 2w or 1m; nil for no word.
func (s *scenario) buffer(word string) *stock.Buffer {
	if word == "" {
		return nil
	}
	n, err := strconv.ParseInt(word[:len(word)-1], 10, 64)
	require.NoError(s.t, err)
	return &stock.Buffer{Amount: n, Unit: map[byte]timeline.Unit{'h': timeline.Hours, 'd': timeline.Days,
		'w': timeline.Weeks, 'm': timeline.Months}[word[len(word)-1]]}
}

// option finds what follows a word, empty where it is not there.
func option(words []string, word string) string {
	for i, w := range words {
		if w == word && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

func (s *scenario) id(name string) base.ID {
	require.Contains(s.t, s.ids, name)
	return s.ids[name]
}

func (s *scenario) call(name string, id base.ID) { s.ids[name], s.names[id] = id, name }

// item finds a SKU or an article.
func (s *scenario) item(name string) base.Item {
	switch v := s.w.View(0); {
	case stock.SKUByID(v, s.id(name)) != nil:
		return base.Item{SKU: s.id(name)}
	case commerce.CatalogItemByID(v, s.id(name)) != nil:
		return base.Item{CatalogItem: s.id(name)}
	}
	return base.Item{Article: s.id(name)}
}

// do submits a command; the twin judges it. What came of it is empty, or why it was refused.
func (s *scenario) do(op base.Op) (record any, came string) {
	res, err, fault := s.w.Do(0, op)
	require.NoError(s.t, fault)
	var e *base.Error
	if errors.As(err, &e) {
		came = string(e.Code) + "\n"
		switch d := e.Details.(type) {
		case base.ShortageDetails:
			for _, l := range d.Lines {
				came += fmt.Sprintf("line %d: %d of %d, %s", l.Line, l.Available, l.Requested, l.Reason)
				if l.Next != nil {
					came += ", next " + hours(l.Next.Start) + "-" + hours(l.Next.End)
				}
				came += "\n"
			}
		case stock.QuantityDetails:
			came += s.plan(d.Plan)
		}
	}
	return res.Record, came
}

func (s *scenario) step(f []string) string {
	v, now := s.w.View(0), s.w.Now()
	var at *int64
	if word := option(f, "at"); word != "" {
		t := s.at(word)
		at = &t
	}
	amount := func(i int) int { n, err := strconv.Atoi(f[i]); require.NoError(s.t, err); return n }
	switch f[0] {
	case "location":
		l, _ := s.do(stock.CreateLocation{LocationFields: stock.LocationFields{Name: f[1], Timezone: f[2]}})
		s.call(f[1], l.(*stock.Location).ID)
	case "sku":
		k, _ := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: f[1]}, Before: s.buffer(option(f, "before")),
			After: s.buffer(option(f, "after"))})
		s.call(f[1], k.(*stock.SKU).ID)
	case "article": // NAME SKU LOCATION COUNT [before BUFFER] [after BUFFER] [at HOUR]
		o := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: f[1]}, Before: s.buffer(option(f, "before")),
			After:      s.buffer(option(f, "after")),
			Quantities: []stock.InitialQuantity{{Location: s.id(f[3]), Count: amount(4), From: at}}}
		if f[2] != "-" {
			sku := s.id(f[2])
			o.SKU = &sku
		}
		r, _ := s.do(o)
		s.call(f[1], r.(*stock.Article).ID)
		s.order = append(s.order, f[1])
	case "clock":
		s.w.Clock = s.at(f[1])
		_, came := s.do(model.Tick{})
		return came
	case "book": // NAME and lines of ITEM LOCATION WINDOW [xQUANTITY], with commas between
		return s.book(f[1], strings.Join(f[2:], " "))
	case "release":
		_, came := s.do(hold.ReleaseHold{ID: s.id(f[1])})
		return came
	case "confirm":
		_, came := s.do(hold.ConfirmHold{ID: s.id(f[1])})
		return came
	case "extend":
		_, came := s.do(hold.ExtendHold{ID: s.id(f[1]), ExpiresIn: int64(amount(2))})
		return came
	case "move": // NAME [to WINDOW] [onto ARTICLE]
		h, _ := hold.HoldByID(v, s.id(f[1]))
		l := hold.MoveLine{Unavailability: h.Lines[0].Units[0].ID}
		if w := option(f, "to"); w != "" {
			span := s.span(w)
			l.From, l.To = &span.Start, &span.End
		}
		if name := option(f, "onto"); name != "" {
			id := s.id(name)
			l.Article = &id
		}
		r, came := s.do(hold.MoveHold{ID: h.ID, Lines: []hold.MoveLine{l}})
		if came == "" {
			came = s.where(r.(*hold.Hold))
		}
		return came
	case "out", "in":
		status := map[string]stock.ArticleStatus{"out": stock.ArticleInactive, "in": stock.ArticleActive}[f[0]]
		_, came := s.do(stock.PatchArticle{ID: s.id(f[1]), Fields: base.Changed(stock.ArticleFields{Status: status}),
			Force: true})
		return came
	case "increase":
		_, came := s.do(stock.IncreaseQuantity{Article: s.id(f[1]), Location: s.id(f[2]), Amount: amount(3), From: at})
		return came
	case "decrease":
		r, came := s.do(stock.DecreaseQuantity{Article: s.id(f[1]), Location: s.id(f[2]), Amount: amount(3), From: at,
			Force: f[len(f)-1] == "force"})
		if came == "" {
			came = s.plan(r.(*stock.QuantityPlan))
		}
		return came
	case "plan":
		p, err := stock.PlanQuantity(v, s.id(f[1]), s.id(f[2]), amount(3), at, now)
		require.NoError(s.t, err)
		return s.plan(p)
	case "available":
		q := hold.Query{Item: s.item(f[1]), Location: s.id(f[2]), Window: s.span(f[3])}
		require.NoError(s.t, s.w.Tenants[0].Twin.Available(v, q, now))
		require.NoError(s.t, s.w.Promise(0, q))
		a, _ := hold.Available(v, q, now)
		came := fmt.Sprintf("%d of %d free", a.Available, a.Stock)
		if !a.Exact {
			came += ", perhaps more"
		}
		return came
	case "next": // ITEM LOCATION from HOUR for HOURS
		q := hold.NextQuery{Item: s.item(f[1]), Location: s.id(f[2]), NotBefore: s.at(option(f, "from")),
			Length: s.at(option(f, "for")) - workload.Start, Quantity: 1, Until: s.at("10000")}
		require.NoError(s.t, s.w.Tenants[0].Twin.Next(v, q, now, nil))
		w, ok, _ := hold.Next(v, q, now)
		if !ok {
			return "never"
		}
		return hours(w.Start) + "-" + hours(w.End)
	case "conflicts":
		require.NoError(s.t, s.w.Tenants[0].Twin.Conflicts(v, stock.ConflictFilter{}, now))
		list, _ := stock.Conflicts(v, stock.ConflictFilter{}, 0, 100, now)
		came := ""
		for _, c := range list {
			came += fmt.Sprintf("%s %s-%s on %s: %s\n", s.names[c.Owner], hours(c.Range.Start), hours(c.Range.End),
				s.names[c.Article], c.Reason)
		}
		return came
	case "show": // [from HOUR]
		from := int64(workload.Start)
		if word := option(f, "from"); word != "" {
			from = s.at(word)
		}
		return s.show(from)
	default:
		return s.counter(f)
	}
	return ""
}

func (s *scenario) book(name, lines string) string {
	var o hold.PlaceHold
	for line := range strings.SplitSeq(lines, ",") {
		f := strings.Fields(line)
		l := hold.HoldLineInput{Item: s.item(f[0]), Location: s.id(f[1]), Window: s.span(f[2]), Quantity: 1}
		for _, word := range f[3:] {
			if n, ok := strings.CutPrefix(word, "x"); ok {
				l.Quantity, _ = strconv.Atoi(n)
			}
		}
		if in := option(f, "expires"); in != "" {
			n, err := strconv.ParseInt(in, 10, 64)
			require.NoError(s.t, err)
			o.ExpiresIn = &n
		}
		o.Lines = append(o.Lines, l)
	}
	r, came := s.do(o)
	if came == "" {
		h := r.(*hold.Hold)
		s.call(name, h.ID)
		came = s.where(h)
	}
	return came
}

// where lists the units of a hold by article and number.
func (s *scenario) where(h *hold.Hold) string {
	var list []string
	for _, l := range h.Lines {
		for _, u := range l.Units {
			list = append(list, s.unit(u.Slot))
		}
	}
	return strings.Join(list, ", ")
}

// unit names a slot by its article and its number in it.
func (s *scenario) unit(slot base.ID) string {
	a, n := s.w.Tenants[0].Twin, map[uint32]int{}
	for _, x := range a.Slots {
		n[x.Lot]++
		if x.ID == slot {
			return fmt.Sprintf("%s %d", s.names[a.Articles[a.Lots[x.Lot-1].Article].ID], n[x.Lot])
		}
	}
	return "none"
}

// mostNamed is how many of those in the way of a plan are named.
const mostNamed = 3

func (s *scenario) plan(p *stock.QuantityPlan) string {
	came := "ok"
	if !p.OK {
		came = p.Reason
	}
	came += fmt.Sprintf(", %d moves", len(p.Moves))
	if p.Minimal {
		came += ", fewest"
	}
	for i, b := range p.Blockers {
		if i == mostNamed {
			return came + fmt.Sprintf(" and %d more", p.BlockersTotal-i)
		}
		came += ", in the way " + s.names[b.Owner]
	}
	return came
}
