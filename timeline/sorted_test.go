package timeline

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// This file owns the tests of what is found by its place or its term, against plain lists.

// pair is what a Sorted is meant to be.
type pair struct {
	at int64
	no uint32
}

func comparePairs(a, b pair) int {
	return key.compare(timeKey(a.at, 0, a.no), timeKey(b.at, 0, b.no))
}

func TestSortedAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []pair
		check := func(m *Sorted, list []pair) {
			require.Equal(t, len(list), m.Len())
			for range 5 {
				from := rapid.IntRange(0, len(list)).Draw(t, "from")
				to := rapid.IntRange(from, len(list)).Draw(t, "to")
				in, marked := make(Bits, 16), make(Bits, 16)
				for n := range len(in) {
					in[n] = rapid.SampledFrom([]uint64{0, 1 << 63, 0x5555555555555555, ^uint64(0)}).Draw(t, "bits")
				}
				var all []uint32
				for _, x := range list[from:to] {
					require.True(t, m.Has(x.at, x.no))
					marked.Add(x.no)
					if in.Has(x.no) {
						all = append(all, x.no)
					}
				}
				got := make(Bits, 16)
				m.Mark(from, to, got)
				require.Equal(t, marked, got)
				backward := rapid.Bool().Draw(t, "backward")
				if backward {
					slices.Reverse(all)
				}
				skip, limit := rapid.IntRange(0, len(all)+1).Draw(t, "skip"), rapid.IntRange(0, 70).Draw(t, "limit")
				want := all[min(skip, len(all)):min(skip+limit, len(all))]
				require.Equal(t, fmt.Sprint(want), fmt.Sprint(m.Pick(nil, in, from, to, skip, limit, backward)))
				at := rapid.Int64Range(-3, 300).Draw(t, "at")
				n, _ := slices.BinarySearchFunc(list, pair{at, 0}, comparePairs)
				require.Equal(t, n, m.Before(at))
			}
		}
		loaded := new(SortedLoader)
		for range rapid.IntRange(0, 3000).Draw(t, "loaded") {
			x := pair{rapid.Int64Range(-2, 290).Draw(t, "at"), rapid.Uint32Range(0, 1023).Draw(t, "no")}
			loaded.Add(x.at, x.no)
			list = append(list, x)
		}
		slices.SortFunc(list, comparePairs)
		list = slices.Compact(list)
		m := loaded.Finish()
		old, was := m.Publish(), slices.Clone(list)
		for range rapid.IntRange(0, 400).Draw(t, "changes") {
			x := pair{rapid.Int64Range(-2, 290).Draw(t, "at"), rapid.Uint32Range(0, 1023).Draw(t, "no")}
			i, has := slices.BinarySearchFunc(list, x, comparePairs)
			if !has && rapid.Bool().Draw(t, "put") {
				m.Put(x.at, x.no)
				list = slices.Insert(list, i, x)
			} else if len(list) > 0 {
				i = min(i, len(list)-1)
				m.Delete(list[i].at, list[i].no)
				list = slices.Delete(list, i, i+1)
			}
		}
		check(m, list)
		check(old, was)
	})
}

func TestSetsAgainstMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type member struct {
			term Term
			no   uint32
		}
		draw := func() (m member) {
			binary.BigEndian.PutUint64(m.term[rapid.SampledFrom([]int{0, 5, 12}).Draw(t, "at"):],
				rapid.SampledFrom([]uint64{1, 2, 1 << 40, 3 << 50}).Draw(t, "term"))
			m.no = rapid.SampledFrom([]uint32{0, 1, 63, 64, 65, 900, 1023}).Draw(t, "base") ^ rapid.Uint32Range(0, 3).
				Draw(t, "no")
			return m
		}
		have := map[member]bool{}
		loader := NewSetsLoader()
		for range rapid.IntRange(0, 200).Draw(t, "loaded") {
			m := draw()
			loader.Add(m.term, m.no)
			have[m] = true
		}
		s := loader.Finish()
		check := func(s *Sets, have map[member]bool) {
			require.Equal(t, len(have), s.Len())
			for range 5 {
				from, to := draw().term, draw().term
				if rapid.Bool().Draw(t, "prefix") {
					to = from.Next(rapid.IntRange(6, 20).Draw(t, "bytes"))
				}
				if string(from[:]) > string(to[:]) {
					from, to = to, from
				}
				n, want := 0, make(Bits, 16)
				var of []uint32
				for m := range have {
					if string(m.term[:]) >= string(from[:]) && string(m.term[:]) < string(to[:]) {
						n++
						want.Add(m.no)
					}
					if m.term == from {
						of = append(of, m.no)
					}
				}
				got := make(Bits, 16)
				s.Mark(from, to, got)
				require.Equal(t, want, got)
				require.Equal(t, n, s.Count(from, to))
				slices.Sort(of)
				require.Equal(t, of, slices.Collect(s.Of(from)))
			}
			m := draw()
			require.Equal(t, have[m], s.Has(m.term, m.no))
		}
		old, was := s.Publish(), map[member]bool{}
		for m := range have {
			was[m] = true
		}
		for range rapid.IntRange(0, 200).Draw(t, "changes") {
			m := draw()
			if rapid.Bool().Draw(t, "add") {
				s.Add(m.term, m.no)
				have[m] = true
			} else {
				s.Remove(m.term, m.no)
				delete(have, m)
			}
		}
		check(s, have)
		check(old, was)
	})
}

func TestBitsArePickedInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Bits(rapid.SliceOfN(rapid.SampledFrom([]uint64{0, 1, 1 << 63, 1<<5 | 1<<40, ^uint64(0)}), 0, 6).Draw(t,
			"words"))
		var all []uint32
		for no := range uint32(len(b) * 64) {
			if b.Has(no) {
				all = append(all, no)
			}
		}
		require.Equal(t, len(all), b.Count())
		skip, limit, backward := rapid.IntRange(0, len(all)+1).Draw(t, "skip"), rapid.IntRange(0, 100).Draw(t, "limit"),
			rapid.Bool().Draw(t, "backward")
		if backward {
			slices.Reverse(all)
		}
		want := all[min(skip, len(all)):min(skip+limit, len(all))]
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(b.Pick(nil, skip, limit, backward)))
	})
}

func TestByIDFromAPlace(t *testing.T) {
	m := NewByID[int]()
	id := func(n int) (id ID) { binary.BigEndian.PutUint64(id[8:], uint64(n)); return id }
	for n := range 5000 {
		m.Put(id(n), n)
	}
	for n := 0; n < 5000; n += 3 {
		m.Delete(id(n))
	}
	for _, place := range []int{0, 1, 63, 64, 2000, 3332, 3333, 4000} {
		next := place
		for _, n := range m.FromPlace(place) {
			require.Equal(t, next/2*3+1+next%2, n)
			next++
		}
		require.Equal(t, max(place, m.Len()), next)
	}
}
