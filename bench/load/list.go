package load

// This file owns the list of articles over HTTP: what a merchant's page asks.

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"holdfast/bench"
	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

const listConnections = 8

var (
	pageTarget     = bench.AtLeast(1000, "/s")
	filteredTarget = bench.AtLeast(500, "/s")
	tailTarget     = bench.AtMost(10, "ms") // of 99 in 100 pages
	memoryTarget   = bench.AtMost(100, "%") // allocated for an answer, of its length: no more than one copy
)

// The words that articles are named of, and what they are made of: a search for a word finds one article in 13, a
// material one in 4.
var (
	listKinds = []string{"Trestle", "Hammer", "Wrench", "Ladder", "Chisel", "Spanner", "Mallet", "Grinder",
		"Sander", "Router", "Planer", "Jigsaw", "Torch"}
	listMakes = []string{"Northwind", "Aurora", "Basalt", "Cobalt", "Dorado", "Everest", "Fulmar", "Granite",
		"Harrier", "Ivory", "Jasper", "Kestrel", "Lumen"}
	listMaterials = []string{"Steel", "Oak", "Brass", "Carbon"}
)

// pages asks for the first page of 50 whole records by units free in 7 days, most first and fewest first in turns;
// filtered: with a text that is searched for, and a value of an attribute. The articles get their texts and values
// first, which makes the records larger than the figures before have them.
func pages(ctx context.Context, r *bench.Run, s *Server) {
	material := sync.OnceValues(func() (base.ID, error) { return describe(r.World) })
	rng := dataset.Rand(13)
	list := func(name string, rate bench.Target, filter func(material base.ID) string) {
		sample := sync.OnceValues(func() (x bench.Sample, err error) {
			id, err := material()
			if err != nil {
				return x, err
			}
			return askPages(r, s, func() string { return filter(id) })
		})
		figure := func(name string, target bench.Target, judge func(bench.Sample) bench.Result) {
			r.Figure(ctx, name, target, func() (bench.Result, error) {
				x, err := sample()
				return judge(x), err
			})
		}
		figure(name, rate, func(x bench.Sample) bench.Result {
			y := bench.Rate(x, rate)
			y.Note = fmt.Sprintf("%d connections, %.0f bytes an answer", listConnections, x.Answer)
			return y
		})
		figure(name+"Tail", tailTarget, func(x bench.Sample) bench.Result { return bench.Tail(x, tailTarget) })
		figure(name+"Memory", memoryTarget,
			func(x bench.Sample) bench.Result { return bench.Sampled(x, 100*x.Bytes/x.Answer, memoryTarget) })
	}
	list("HTTPListFirstPage", pageTarget, func(base.ID) string { return "" })
	list("HTTPListFiltered", filteredTarget, func(material base.ID) string {
		words := listKinds
		if rng.Int(2) == 0 {
			words = listMakes
		}
		return fmt.Sprintf(
			"&search=%s&filters[0][attributeId]=%v&filters[0][format]=select&filters[0][operator]=eq&"+
				"filters[0][value]=%s",
			strings.ToLower(words[rng.Int(len(words))]), material, listMaterials[rng.Int(len(listMaterials))])
	})
}

func askPages(r *bench.Run, s *Server, filter func() string) (x bench.Sample, err error) {
	const week = 7 * 24 * 60 * 60 * 1000
	queries := make([][]byte, drawn)
	for i, q := range r.World.Set.Queries(drawn, 14, false) {
		start := min(q.Start, dataset.End-week)
		queries[i] = fmt.Appendf(nil, "dateRange[from]=%s&dateRange[to]=%s&sort=availability&direction=%s%s",
			instant(start), instant(start+week), []string{"desc", "asc"}[i%2], filter())
	}
	c := newClients(s.Address, "GET", s.Key, listConnections)
	defer c.close()
	const path = "/v1/admin/articles"
	var first, t bench.Tally
	if err := c.askFor(&first, r.Budget/4, path, queries); err != nil { // columns and connections are made
		return x, err
	}
	err = c.askFor(&t, r.Budget, path, queries)
	return t.Sample(), err
}

// describe gives the articles names, codes, descriptions and values of two attributes.
func describe(w *bench.World) (material base.ID, err error) {
	var made [2]engine.Result
	for i, o := range []label.CreateAttribute{
		{AttributeFields: label.AttributeFields{Name: "Material", Key: "material", Format: label.FormatSelect},
			Options: listMaterials},
		{AttributeFields: label.AttributeFields{Name: "Weight", Key: "weight", Format: label.FormatNumber}},
	} {
		if made[i], err = w.Engine.Do(engine.Command{Account: w.Account, Actor: "bench", Op: o}); err != nil {
			return material, err
		}
	}
	rng := dataset.Rand(15)
	p := dataset.NewPipeline(w.Engine, w.Account)
	for i, id := range w.Merchant.Articles {
		name := listMakes[rng.Int(len(listMakes))] + " " + listKinds[rng.Int(len(listKinds))]
		p.Submit(stock.PatchArticle{ID: id,
			Fields: base.Changed(stock.ArticleFields{Name: fmt.Sprintf("%s %d", name, i),
				Codes:       []string{fmt.Sprintf("A-%06d", i)},
				Description: new(name + ", checked and cleaned after every return")}),
			Labels: label.LabelsPatch{Attributes: base.Some([]label.AttributeInput{
				{Key: "material",
					Value: label.Value{Kind: label.TextValue, Text: listMaterials[rng.Int(len(listMaterials))]}},
				{Key: "weight", Value: label.Value{Kind: label.NumberValue, Number: float64(rng.Int(400)) / 10}},
			})}})
	}
	err = p.Flush()
	w.Settle()
	return made[0].Record.(*label.Attribute).ID, err
}
