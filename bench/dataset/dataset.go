package dataset

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
)

// This file owns the merchant: articles, SKUs, locations, units, and the stream of holds that they can carry.

// Epoch is where the 24 months begin, 2025-01-01T00:00:00Z, in milliseconds; End is where they end.
const (
	Epoch  int64 = 1_735_689_600_000
	End          = Epoch + months
	hour   int64 = 60 * 60 * 1000
	months       = 730 * 24 * hour
)

// Middle is the present that questions are asked at: half of the holds are over.
const Middle = Epoch + months/2

const (
	locations   = 10
	longestHold = 14 * 24 // hours
)

// Article is an article: Units of one SKU at one location. FirstSlot is the index of the first of its units.
type Article struct {
	SKU, Location, Units, FirstSlot int
}

// Hold is one unit for a time, in milliseconds. Article and Slot say where the draw has put it.
type Hold struct {
	SKU, Location, Article, Slot int
	Start, End                   int64
}

// Set is a data set and its stream of holds. It is for one goroutine.
type Set struct {
	Articles  []Article
	SKUs      int
	Locations int
	Slots     int
	Target    int // holds that the set is to have
	Drawn     int // holds drawn so far, and carried
	Skipped   int // requests that found no unit

	pools [][]int32 // by SKU and location: the slots
	of    []int32   // slot: its article
	rails [][]stay  // slot: what lies on it, in order
	ranks zipf
	rng   Rand
}

// stay is a range in hours since Epoch.
type stay struct{ start, end int32 }

// New makes a data set of a scale without a hold; 1 is the full one. It refuses a scale below 0.001 or above 100.
func New(scale float64) (*Set, error) {
	if !(scale >= 0.001 && scale <= 100) {
		return nil, fmt.Errorf("the scale is %v, must be between 0.001 and 100", scale)
	}
	times := func(n int) int { return int(math.Round(float64(n) * scale)) }
	s := &Set{SKUs: times(2_000), Locations: locations, Target: times(1_000_000), rng: 20250101}
	s.pools = make([][]int32, s.SKUs*s.Locations)
	s.ranks = newZipf(s.SKUs)
	s.Articles = make([]Article, times(100_000))
	for i := range s.Articles {
		a := Article{SKU: i % s.SKUs, Location: i / s.SKUs % s.Locations, Units: 1, FirstSlot: s.Slots}
		if s.rng.Int(10) == 0 {
			a.Units = 10
		}
		p := s.pool(a.SKU, a.Location)
		for range a.Units {
			s.pools[p] = append(s.pools[p], int32(s.Slots))
			s.of = append(s.of, int32(i))
			s.Slots++
		}
		s.Articles[i] = a
	}
	s.rails = make([][]stay, s.Slots)
	return s, nil
}

// Scale reads a scale from the environment variable BENCH_SCALE, 1 where it is not set.
func Scale() (float64, error) {
	text := os.Getenv("BENCH_SCALE")
	if text == "" {
		return 1, nil
	}
	scale, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("BENCH_SCALE is %q, must be a number such as 1 or 0.01", text)
	}
	return scale, nil
}

func (s *Set) pool(sku, location int) int { return sku*s.Locations + location }

// Next draws the next hold that the stock carries. It can be called beyond the target: there is room for several times
// as many holds.
func (s *Set) Next() Hold {
	for {
		h, slot, ok := s.try()
		if !ok {
			s.Skipped++
			continue
		}
		s.Drawn++
		a := s.of[slot]
		h.Slot, h.Article = int(slot), int(a)
		return h
	}
}

func (s *Set) try() (h Hold, slot int32, ok bool) {
	h.SKU, h.Location = s.ranks.draw(&s.rng), s.rng.Int(s.Locations)
	length := int32(1 + s.rng.Int(longestHold))
	start := int32(s.rng.Int(int(months/hour) - int(length) + 1))
	h.Start, h.End = Epoch+int64(start)*hour, Epoch+int64(start+length)*hour
	slots := s.pools[s.pool(h.SKU, h.Location)]
	first := s.rng.Int(len(slots))
	for i := range slots {
		slot = slots[(first+i)%len(slots)]
		rail := s.rails[slot]
		at, _ := slices.BinarySearchFunc(rail, start, func(x stay, t int32) int { return int(x.start) - int(t) })
		if (at == 0 || rail[at-1].end <= start) && (at == len(rail) || start+length <= rail[at].start) {
			s.rails[slot] = slices.Insert(rail, at, stay{start, start + length})
			return h, slot, true
		}
	}
	return h, 0, false
}

// Query is a question that a shopper asks: one article, its SKU, its location, and a window after Middle.
type Query struct {
	Article, SKU, Location int
	Start, End             int64
}

// Queries draws n questions of windows of 1 hour to 14 days. With popular the SKUs are asked for by Zipf's law, as they
// are booked, else all articles alike.
func (s *Set) Queries(n int, seed uint64, popular bool) []Query {
	rng := Rand(seed)
	list := make([]Query, n)
	for i := range list {
		q := &list[i]
		if popular {
			slots := s.pools[s.pool(s.ranks.draw(&rng), rng.Int(s.Locations))]
			q.Article = int(s.of[slots[rng.Int(len(slots))]])
		} else {
			q.Article = rng.Int(len(s.Articles))
		}
		a := s.Articles[q.Article]
		q.SKU, q.Location = a.SKU, a.Location
		length := int64(1+rng.Int(longestHold)) * hour
		q.Start = Middle + int64(rng.Int(int((End-Middle-length)/hour)))*hour
		q.End = q.Start + length
	}
	return list
}
