package label

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns the tests of columns: a pass over them says what the judge says of each fact by itself.

// passes has 64 columns of facts judged, some of which are not there, and holds each verdict against that of
// the judge on the fact alone. It counts the verdicts.
func passes(t *testing.T, rnd *rand.Rand, j Judge, fact func() Fact, seen map[Verdict]int) {
	facts := make([]Fact, ColumnRows*ColumnRows)
	columns := MakeColumns(func(i int) *Column {
		if rnd.IntN(4) == 0 {
			return nil
		}
		return MakeColumn(func(row int) (f Fact) {
			if rnd.IntN(8) > 0 {
				f = fact()
			}
			facts[i*ColumnRows+row] = Fact{f.Has, f.Void, f.Number, slices.Clone(f.Texts), slices.Clone(f.Ids)}
			return f
		})
	})
	var some Rows
	for i := range some {
		some[i] = rnd.Uint64()
	}
	passes, fails := j.Columns(columns, &some)
	for i, among := range some {
		passed, failed := passes[i], fails[i]
		var visited uint64
		without := columns.EachFact(i, among, func(f *Fact, rows uint64) {
			require.Zero(t, visited&rows)
			visited |= rows
			for row := range ColumnRows {
				if rows>>row&1 != 0 {
					require.True(t, f.Equal(&facts[i*ColumnRows+row]))
				}
			}
		})
		require.Equal(t, among, visited|without)
		for row := range ColumnRows {
			f := &facts[i*ColumnRows+row]
			if got := columns.Row(i*ColumnRows + row); f.Has || f.Void {
				require.True(t, f.Equal(got))
			} else {
				require.Nil(t, got)
				require.Zero(t, visited>>row&1)
			}
			verdict := Absent
			if among>>row&1 != 0 && (f.Has || f.Void) {
				verdict = j.Of(f)
			}
			seen[verdict]++
			require.Equal(t, verdict == Passed, passed>>row&1 != 0, "%v of %v", j.operator, f)
			require.Equal(t, verdict == Failed, failed>>row&1 != 0, "%v of %v", j.operator, f)
		}
	}
}

func TestIDsSideBySideAgainstEachFact(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 12))
	seen := map[Verdict]int{}
	for range 100 {
		distinct := []int{4, 24, fewIDs, fewIDs + 1, 100}[rnd.IntN(5)]
		some := func(most int) (ids []base.ID) {
			for range rnd.IntN(most + 1) {
				ids = append(ids, base.ID{15: byte(rnd.IntN(distinct))})
			}
			return ids
		}
		wanted, tags := some(6), 1+rnd.IntN(4)
		o := []Operator{InArray, NotInArray, Equal, NotEqual, IsEmpty, IsNotEmpty}[rnd.IntN(6)]
		j := NewJudge(FormatMultiselect, o, []Operand{{}}, timeline.Date{}, nil,
			func(Operand) []base.ID { return wanted })
		if rnd.IntN(2) == 0 {
			j.Alive = func(id base.ID) bool { return id[15]%3 != 0 }
		}
		passes(t, rnd, j, func() Fact { return IdsFact(some(tags)...) }, seen)
	}
	require.Len(t, seen, 3, "%v", seen)
}

// Texts are of few letters, so that what is looked for is in many and begins and ends some, and of any length from none
// on; many rows have the same, or several, or the empty one.
func TestTextsSideBySideAgainstEachFact(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 13))
	seen := map[Verdict]int{}
	for range 200 {
		letters := []string{"ab", "abcdefgh", "aé\x00b", "aAbB"}[rnd.IntN(4)]
		text := func(most int) string {
			var s strings.Builder
			for range rnd.IntN(most + 1) {
				s.WriteByte(letters[rnd.IntN(len(letters))])
			}
			return s.String()
		}
		var operands []Operand
		for range 1 + rnd.IntN(3) {
			operands = append(operands, Operand{Text: strings.ToLower(text(4))})
		}
		o := OperatorsOf[FormatText][rnd.IntN(len(OperatorsOf[FormatText]))]
		j := NewJudge(FormatText, o, operands, timeline.Date{}, nil, nil)
		longest := []int{1, 3, 12, 40}[rnd.IntN(4)]
		void := false
		passes(t, rnd, j, func() Fact {
			if rnd.IntN(100) == 0 {
				void = !void // for so long that whole columns have no text
			}
			if void {
				return OptionalTextFact(new(""))
			}
			switch rnd.IntN(6) {
			case 0:
				return TextFact(text(longest), text(longest), text(longest))
			case 1:
				return TextFact("usual")
			case 2:
				return OptionalTextFact(new(""))
			}
			return OptionalTextFact(new(text(longest)))
		}, seen)
	}
	require.Len(t, seen, 3, "%v", seen)
}
