package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
)

// This file owns what the main job, a booking of one unit, must not come to: it is planned on the timelines as they
// are, and only what it changes is copied.

func TestABookingCopiesNothingToBePlanned(t *testing.T) {
	for _, units := range []int{3, 300} { // slots that are walked, and such as are kept by their gaps
		d := newDesk(t, func(string, any) []byte { return []byte("null") })
		sku, _ := d.chairs(units)
		for range 2 {
			cmd := &Command{Account: d.account, Actor: "test",
				Op: hold.PlaceHold{
					Lines: []hold.HoldLineInput{{Item: base.Item{SKU: sku}, Location: d.loc, Quantity: 1,
						Window: base.Span{Start: noon + day, End: noon + 2*day}}}}}
			plan, _, err := d.writer.plan(cmd)
			require.NoError(t, err)
			require.Nil(t, plan.Drafted, "a copy of the timelines")
			d.do(cmd.Op) // the next one meets it
		}
	}
}
