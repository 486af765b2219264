package stock

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns the test of columns of ids: a pass over them says what the judge says of each fact by itself.

func TestIDsSideBySideAgainstEachFact(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 12))
	seen := map[label.Verdict]int{}
	for range 3_000 {
		some := func(most int) (ids []base.ID) {
			for range rnd.IntN(most + 1) {
				ids = append(ids, base.ID{15: byte(rnd.IntN(24))})
			}
			return ids
		}
		var block table.Block[Article]
		block.Rows, block.Memo = new([blockRows]*Article), new(table.Memo)
		tags := 1 + rnd.IntN(4)
		for i := range block.Rows {
			if rnd.IntN(8) > 0 {
				block.Rows[i] = new(Article)
				block.Rows[i].Tags = some(tags)
			}
		}
		wanted := some(6)
		o := []label.Operator{label.InArray, label.NotInArray, label.Equal, label.NotEqual}[rnd.IntN(4)]
		j := label.NewJudge(label.FormatMultiselect, o, []label.Operand{{}}, timeline.Date{}, nil,
			func(label.Operand) []base.ID { return wanted })
		if rnd.IntN(2) == 0 {
			j.Alive = func(id base.ID) bool { return id[15]%3 != 0 }
		}
		among := rnd.Uint64()
		pass, fail := columnOf(block, FieldTags, FieldTags.field().own).judged(&j, among)
		for i, r := range block.Rows {
			verdict := label.Absent
			if r != nil && among>>i&1 != 0 {
				f := label.IdsFact(r.Tags...)
				verdict = j.Of(&f)
			}
			seen[verdict]++
			require.Equal(t, verdict == label.Passed, pass>>i&1 != 0, "row %d, %s", i, o)
			require.Equal(t, verdict == label.Failed, fail>>i&1 != 0, "row %d, %s", i, o)
		}
	}
	require.Len(t, seen, 3, "%v", seen)
}
