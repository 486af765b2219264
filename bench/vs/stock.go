package main

import (
	"fmt"
	"slices"

	"holdfast/bench"
	"holdfast/bench/dataset"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
)

// This file owns the stock that both sides have: what PostgreSQL's tables are filled with, read from the engine, and a
// plain sweep over the same rows.

// sharedStock is units and bookings with numbers for ids, as a table would have them.
type sharedStock struct {
	world    *bench.World
	articles []article
	bookings []booking
	slots    int

	sale       int // the SKU that is sold out
	saleWindow window
	byArticle  [][]int32 // bookings
	bySKU      map[[2]int][]int32
}

// article has consecutive slots from first on.
type article struct {
	id, sku      base.ID
	number       int // of the SKU; -1: none
	location     int
	first, units int
	slotsSeen    map[base.ID]int
}

type window struct{ start, end int64 }

type booking struct {
	article, slot int
	window
}

// readStock sells out a SKU, and reads articles and bookings.
func readStock(w *bench.World) (*sharedStock, error) {
	s := &sharedStock{world: w, sale: w.Set.SKUs + 1, bySKU: map[[2]int][]int32{}}
	sale, err := w.SellOutFew()
	if err != nil {
		return nil, err
	}
	s.saleWindow = window{sale.Window.Start, sale.Window.End}
	numbers := map[base.ID]int{w.Merchant.LotSKU: w.Set.SKUs, sale.SKU: s.sale}
	for i, id := range w.Merchant.SKUs {
		numbers[id] = i
	}
	v, _ := w.Engine.View(w.Account)
	index := map[base.ID]int{}
	for r := range stock.Articles(v).All() {
		a := article{id: r.ID, number: -1, first: s.slots, slotsSeen: map[base.ID]int{}}
		if r.SKU != nil {
			a.sku, a.number = *r.SKU, numbers[*r.SKU]
		}
		for _, l := range stock.StayingOf(v, r, 0).Units {
			a.location = slices.Index(w.Merchant.Locations, l.Location)
			a.units += l.Count
		}
		s.slots += a.units
		index[r.ID] = len(s.articles)
		s.articles = append(s.articles, a)
	}
	s.byArticle = make([][]int32, len(s.articles))
	for h := range hold.EachHold(v) {
		for i := range h.Lines {
			for _, u := range h.Lines[i].Units {
				if err := s.add(index[u.Article], u.Unavailability); err != nil {
					return nil, err
				}
			}
		}
	}
	return s, nil
}

func (s *sharedStock) add(no int, u stock.Unavailability) error {
	a := &s.articles[no]
	slot, seen := a.slotsSeen[u.Slot]
	if !seen {
		slot = a.first + len(a.slotsSeen)
		a.slotsSeen[u.Slot] = slot
	}
	if u.Conflict() || slot >= a.first+a.units {
		return fmt.Errorf("article %v has %d units and a booking on another", a.id, a.units)
	}
	n := int32(len(s.bookings))
	s.bookings = append(s.bookings, booking{no, slot, window{u.Range.Start, u.Range.End}})
	s.byArticle[no] = append(s.byArticle[no], n)
	pool := [2]int{a.number, a.location}
	s.bySKU[pool] = append(s.bySKU[pool], n)
	return nil
}

// question is about one article, or about a SKU at a location, over a window.
type question struct {
	article       int
	sku, location int
	window
}

func (s *sharedStock) questions(n int, seed uint64, popular bool) []question {
	list := make([]question, n)
	for i, q := range s.world.Set.Queries(n, seed, popular) {
		list[i] = question{q.Article, q.SKU, q.Location, window{q.Start, q.End}}
	}
	return list
}

// free is how many units are free at every instant of a window: the units less the most that are taken at one instant.
func (s *sharedStock) free(units int, bookings []int32, w window) int {
	most := 0
	for _, i := range bookings {
		at := max(s.bookings[i].start, w.start)
		if at >= w.end || s.bookings[i].end <= w.start {
			continue
		}
		n := 0
		for _, j := range bookings {
			if x := s.bookings[j]; x.start <= at && at < x.end {
				n++
			}
		}
		most = max(most, n)
	}
	return units - most
}

func (s *sharedStock) freeOfArticle(q question) int {
	return s.free(s.articles[q.article].units, s.byArticle[q.article], q.window)
}

func (s *sharedStock) freeOfSKU(sku, location int, w window) int {
	units := 0
	for i := range s.articles {
		if a := &s.articles[i]; a.number == sku && a.location == location {
			units += a.units
		}
	}
	return s.free(units, s.bySKU[[2]int{sku, location}], w)
}

// best is the articles with most units free over a window, of equal ones the first, and how many each has.
func (s *sharedStock) best(n int, w window) (articles, free []int) {
	all := make([]int, len(s.articles))
	for i := range all {
		articles = append(articles, i)
		all[i] = s.free(s.articles[i].units, s.byArticle[i], w)
	}
	slices.SortStableFunc(articles, func(i, j int) int { return all[j] - all[i] })
	articles = articles[:n]
	for _, i := range articles {
		free = append(free, all[i])
	}
	return articles, free
}

// week and calendar are windows of fixed lengths that begin with a day of a question, as far as the data set goes.
func week(q question) window     { return days(q, 7) }
func calendar(q question) window { return days(q, calendarDays) }

const (
	day          = 24 * 60 * 60 * 1000
	calendarDays = 90
)

func days(q question, n int64) window {
	start := min(q.start, dataset.End-n*day) / day * day
	return window{start, start + n*day}
}
