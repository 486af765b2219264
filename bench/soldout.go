package bench

import (
	"errors"
	"fmt"
	"time"

	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
)

// This file owns a SKU that is sold out, and what is answered about it: that there is none, why, and when there is one
// again.

const (
	saleArticles = 54
	saleBefore   = 5   // stays of each article before the one that sells it out
	saleFew      = 5   // and after it
	saleMany     = 155 // or so many
	saleHole     = 6   // the stay that the first article has not: the first one that the few lack
)

// SoldOutTarget is the target for an answer, whatever is booked after the window that it names.
var SoldOutTarget = AtMost(50, "us")

// SoldOut is a SKU of 54 articles with one unit each at one location, of which none is free over a window.
type SoldOut struct {
	SKU, Location base.ID
	Window        base.Span // two days
	Next, NextTwo int64     // when one is free for as long, and when two are: after all stays
	ToCome        int       // stays from the window on
}

// SellOut makes such a SKU at the first location. Each article has stays of three days with a day between, so many of
// them after the window. However many they are, the next window is the same.
func (w *World) SellOut(behind int) (*SoldOut, error) {
	do := func(op base.Op) (any, error) {
		r, err := w.Engine.Do(engine.Command{Account: w.Account, Actor: "bench", Op: op})
		return r.Record, err
	}
	sku, err := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Flash sale"}})
	if err != nil {
		return nil, err
	}
	id, from := sku.(*stock.SKU).ID, int64(dataset.Epoch+60*day)
	s := &SoldOut{SKU: id, Location: w.Merchant.Locations[0], Window: base.Span{Start: from, End: from + 2*day}}
	stay := func(article, k int) base.Span {
		start := from + int64(4*k-1)*day + int64(article%24)*3_600_000
		return base.Span{Start: start, End: start + 3*day}
	}
	s.Next, s.NextTwo = stay(0, saleHole-1).End, stay(0, behind).End
	for i := range saleArticles {
		article, err := do(stock.CreateArticle{
			ArticleFields: stock.ArticleFields{Name: fmt.Sprintf("Flash sale %d", i), SKU: &id},
			Quantities:    []stock.InitialQuantity{{Location: s.Location, Count: 1}},
		})
		if err != nil {
			return nil, err
		}
		made := hold.PlaceHold{AllowPast: true}
		for k := -saleBefore; k <= behind; k++ {
			if i == 0 && k == saleHole {
				continue
			}
			made.Lines = append(made.Lines, hold.HoldLineInput{
				Item: base.Item{Article: article.(*stock.Article).ID}, Location: s.Location, Quantity: 1,
				Window: stay(i, k),
			})
			if k >= 0 {
				s.ToCome++
			}
		}
		if _, err := do(made); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// SellOutFew is SellOut with few stays after the window.
func (w *World) SellOutFew() (*SoldOut, error) { return w.SellOut(saleFew) }

// SoldOut gives two of them, made at the first call: one with few stays after the window, and one with many.
func (w *World) SoldOut() (few, many *SoldOut, err error) {
	for i, behind := range []int{saleFew, saleMany} {
		if w.soldOut[i] == nil {
			if w.soldOut[i], err = w.SellOut(behind); err != nil {
				return nil, nil, err
			}
		}
	}
	return w.soldOut[0], w.soldOut[1], nil
}

// soldOutAsks are the ways to ask. The function that make gives asks again and again.
var soldOutAsks = []struct {
	name string
	make func(w *World, s *SoldOut) func(int)
}{
	{"SoldOutNext", func(w *World, s *SoldOut) func(int) { return nextOf(w, s, 1, s.Next) }},
	{"SoldOutNextOfTwo", func(w *World, s *SoldOut) func(int) { return nextOf(w, s, 2, s.NextTwo) }},
	{"SoldOutExplain", func(w *World, s *SoldOut) func(int) {
		v := w.View()
		q := hold.Query{Item: base.Item{SKU: s.SKU}, Location: s.Location, Window: s.Window}
		return func(int) {
			if x, err := hold.Explain(v, q, 1, w.Now()); err != nil || x.Blocking != saleArticles ||
				x.Alternatives[0].Window.Start != s.Next {
				panic(fmt.Sprint("bench: it is explained as ", x, err))
			}
		}
	}},
	{"SoldOutRefusal", func(w *World, s *SoldOut) func(int) {
		op := hold.PlaceHold{AllowPast: true, Lines: []hold.HoldLineInput{{
			Item: base.Item{SKU: s.SKU}, Location: s.Location, Quantity: 1, Window: s.Window,
		}}}
		return func(int) {
			_, err := w.Engine.Do(engine.Command{Account: w.Account, Actor: "bench", Op: op})
			if refusal := new(base.Error); !errors.As(err, &refusal) || refusal.Code != base.CodeInsufficient {
				panic(fmt.Sprint("bench: the last unit is there: ", err))
			}
		}
	}},
}

func nextOf(w *World, s *SoldOut, units int, is int64) func(int) {
	v := w.View()
	q := hold.NextQuery{
		Item: base.Item{SKU: s.SKU}, Location: s.Location, NotBefore: s.Window.Start, Length: s.Window.Length(),
		Quantity: units,
		Until:    s.Window.Start + stock.SearchSpan,
	}
	return func(int) {
		if next, ok, err := hold.Next(v, q, w.Now()); err != nil || !ok || next.Start != is {
			panic(fmt.Sprint("bench: the next window is ", next, err))
		}
	}
}

func soldOutAnswers(w *World, budget time.Duration, ask func(w *World, s *SoldOut) func(int)) (Result, error) {
	few, many, err := w.SoldOut()
	if err != nil {
		return Result{}, err
	}
	side := func(s *SoldOut) func() (Sample, error) {
		op := ask(w, s)
		return func() (Sample, error) { return Measure(budget/10, op), nil }
	}
	return SoldOutTime(few, many, side(few), side(many))
}

// SoldOutTime is the time of an answer about the SKU with many stays to come. How it differs from that with few is
// measured in turns.
func SoldOutTime(few, many *SoldOut, ofFew, ofMany func() (Sample, error)) (Result, error) {
	s, times, err := Growth(ofFew, ofMany)
	r := Mean(s, SoldOutTarget)
	r.Note = fmt.Sprintf("with %d stays to come; %.2f times what it takes with %d, the middle of %d comparisons",
		many.ToCome, times, few.ToCome, growthTurns)
	return r, err
}
