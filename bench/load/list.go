package load

// This file owns the list of articles over HTTP: what a merchant's page asks.

import (
	"context"
	"fmt"
	"strings"
	"time"

	"holdfast/bench"
	"holdfast/bench/dataset"
	"holdfast/engine"
)

const (
	listConnections = 8
	listTail        = 20 * time.Millisecond // the most that 99 in 100 pages may take
)

var (
	pageTarget     = bench.AtLeast(1000, "/s")
	filteredTarget = bench.AtLeast(500, "/s")
)

// The words that articles are named of, and what they are made of: a search for a word finds one article in 13, a material
// one in 4.
var (
	listKinds     = []string{"Trestle", "Hammer", "Wrench", "Ladder", "Chisel", "Spanner", "Mallet", "Grinder", "Sander", "Router", "Planer", "Jigsaw", "Torch"}
	listMakes     = []string{"Northwind", "Aurora", "Basalt", "Cobalt", "Dorado", "Everest", "Fulmar", "Granite", "Harrier", "Ivory", "Jasper", "Kestrel", "Lumen"}
	listMaterials = []string{"Steel", "Oak", "Brass", "Carbon"}
)

// pages asks for the first page of 50 whole records by units free in 7 days, most first and fewest first in turns; filtered:
// with a text that is searched for, and a value of an attribute.
func pages(ctx context.Context, r *bench.Run, s *server) {
	queries := make([][]byte, drawn)
	rng := dataset.Rand(13)
	draw := func(filter func() string) {
		for i, q := range r.World.Set.Queries(drawn, 14, false) {
			start := min(q.Start, dataset.End-7*24*time.Hour.Milliseconds())
			queries[i] = fmt.Appendf(nil, "dateRange[from]=%s&dateRange[to]=%s&sort=availability&direction=%s%s",
				instant(start), instant(start+7*24*time.Hour.Milliseconds()), []string{"desc", "asc"}[i%2], filter())
		}
	}
	ask := func(target bench.Target) (x bench.Result, err error) {
		c := newClients(s.address, "GET", s.key, listConnections)
		defer c.close()
		var t bench.Tally
		if err := c.askFor(&t, r.Budget, "/v1/admin/articles", queries); err != nil {
			return x, err
		}
		sample := t.Sample()
		x = bench.Rate(sample, target)
		x.Note = fmt.Sprintf("%d connections; 99 in 100 within %.1f ms, the bound is %.0f ms",
			listConnections, float64(sample.P99.Microseconds())/1000, float64(listTail.Milliseconds()))
		return x, nil
	}
	r.Figure(ctx, "HTTPListFirstPage", pageTarget, func() (bench.Result, error) {
		draw(func() string { return "" })
		return ask(pageTarget)
	})
	r.Figure(ctx, "HTTPListFiltered", filteredTarget, func() (x bench.Result, err error) {
		material, err := label(r.World)
		if err != nil {
			return x, err
		}
		draw(func() string {
			words := listKinds
			if rng.Int(2) == 0 {
				words = listMakes
			}
			return fmt.Sprintf("&search=%s&filters[0][attributeId]=%v&filters[0][format]=select&filters[0][operator]=eq&filters[0][value]=%s",
				strings.ToLower(words[rng.Int(len(words))]), material, listMaterials[rng.Int(len(listMaterials))])
		})
		return ask(filteredTarget)
	})
}

// label gives the articles names, codes and a material. It comes last, as it makes the records larger than other figures have them.
func label(w *bench.World) (engine.ID, error) {
	res, err := w.Engine.Do(engine.Command{Account: w.Account, Actor: "bench", Op: engine.CreateAttribute{
		Name: "Material", Key: "material", Format: engine.FormatSelect, Options: listMaterials,
	}})
	if err != nil {
		return engine.ID{}, err
	}
	rng := dataset.Rand(15)
	p := dataset.NewPipeline(w.Engine, w.Account)
	for i, id := range w.Merchant.Articles {
		p.Submit(engine.PatchArticle{
			ID:    id,
			Name:  engine.Some(listMakes[rng.Int(len(listMakes))] + " " + listKinds[rng.Int(len(listKinds))] + fmt.Sprintf(" %d", i)),
			Codes: engine.Some([]string{fmt.Sprintf("A-%06d", i)}),
			Labels: engine.LabelsPatch{Attributes: engine.Some([]engine.AttributeInput{
				{Key: "material", Value: engine.Value{Kind: engine.TextValue, Text: listMaterials[rng.Int(len(listMaterials))]}},
			})},
		})
	}
	return res.Record.(*engine.Attribute).ID, p.Flush()
}
