package timeline

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// slowProfile is the spans as they were added, and every question answered by looking at all of them.
type slowProfile []struct {
	Span
	d int32
}

func (p slowProfile) at(t int64) (sum int32) {
	for _, s := range p {
		if s.Holds(t) || s.Open() && t >= s.Start {
			sum += s.d
		}
	}
	return sum
}

// instants are those inside w at which something may change, and its start.
func (p slowProfile) instants(w Span) []int64 {
	list := []int64{w.Start}
	for _, s := range p {
		for _, t := range []int64{s.Start, s.End} {
			if t > w.Start && t < w.End {
				list = append(list, t)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestProfileAgainstSlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p profile
		var slow slowProfile
		edit := newToken()
		instants := int64(rapid.SampledFrom([]int{10, 300, 5000}).Draw(t, "instants"))
		for range rapid.SampledFrom([]int{1, 5, 60, 500, 3000}).Draw(t, "spans") {
			// The draws are few: the bulk follows from one number, or rapid would spend its time on drawing.
			from := int64(len(slow)) * 7919 % instants
			span := Span{from, from + 1 + int64(len(slow))*31%(1+instants/4)}
			if len(slow)%17 == 3 {
				span.End = Forever
			}
			d := int32(1 - len(slow)%3)
			if d == 0 {
				d = -1
			}
			p.add(edit, span, d)
			slow = append(slow, struct {
				Span
				d int32
			}{span, d})
		}
		for len(slow) > 0 && rapid.Bool().Draw(t, "drop some") {
			kept := p
			edit = newToken()
			before := kept.at(instants / 2)
			for range rapid.IntRange(1, 1+len(slow)/2).Draw(t, "drop") {
				i := len(slow) / 2
				p.add(edit, slow[i].Span, -slow[i].d)
				slow = slices.Delete(slow, i, i+1)
			}
			require.Equal(t, before, kept.at(instants/2), "a version stays")
			require.NoError(t, kept.verify())
		}
		require.NoError(t, p.verify())
		for range 20 {
			from := rapid.Int64Range(-1, instants*5/4).Draw(t, "from")
			w := Span{from, from + rapid.Int64Range(1, instants).Draw(t, "length")}
			if rapid.IntRange(0, 4).Draw(t, "open") == 0 {
				w.End = Forever
			}
			want := rapid.Int32Range(-5, 5).Draw(t, "want")
			require.Equal(t, slow.at(w.Start), p.at(w.Start))

			list := slow.instants(w)
			low, at, high := slow.at(w.Start), w.Start, slow.at(w.Start)
			last, below := int64(0), false
			for _, u := range list {
				v := slow.at(u)
				if v < low {
					low, at = v, u
				}
				high = max(high, v)
				if v < want {
					last, below = u, true
				}
			}
			gotLow, gotAt := p.least(w)
			require.Equal(t, low, gotLow)
			require.Equal(t, at, gotAt)
			require.Equal(t, high, p.most(w))
			gotLast, gotBelow := p.lastBelow(w, want)
			require.Equal(t, below, gotBelow)
			if below {
				// The slow list has instants where changes cancel out, too: the level is what counts.
				require.LessOrEqual(t, gotLast, last)
				require.Less(t, p.at(gotLast), want)
				for _, u := range list {
					if u > gotLast {
						require.True(t, slow.at(u) >= want || u <= last)
					}
				}
			}

			var reach int64
			reached := false
			for _, u := range slow.instants(Span{w.Start, Forever}) {
				if slow.at(u) >= want {
					reach, reached = u, true
					break
				}
			}
			gotReach, ok := p.reaches(w.Start, want)
			require.Equal(t, reached, ok)
			require.Equal(t, reach, gotReach)

			var c steps
			c.seek(&p, w.Start)
			now := p.at(w.Start)
			for ; c.at() < w.End && c.at() != Forever; now += c.take() {
				require.Equal(t, p.at(c.at()-1), now)
			}
			require.Equal(t, slow.at(w.End-1), now)
		}
	})
}
