package dataset

import (
	"hash/crc64"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// poolSize is how many units a SKU has at a location.
func (s *Set) poolSize(sku, location int) int { return len(s.pools[s.pool(sku, location)]) }

// The set is what it says: as many articles, units and holds, and nothing overlaps on a unit.
func TestSet(t *testing.T) {
	s, err := New(0.01)
	require.NoError(t, err)
	require.Len(t, s.Articles, 1_000)
	require.Equal(t, 20, s.SKUs)
	for sku := range s.SKUs {
		for location := range s.Locations {
			require.GreaterOrEqual(t, s.poolSize(sku, location), 5)
		}
	}
	large := 0
	for _, a := range s.Articles {
		require.Contains(t, []int{1, 10}, a.Units)
		large += a.Units / 10
	}
	require.InDelta(t, 100, large, 40)

	stock := s.Stock() // panics on what does not fit
	for n := range s.Target {
		h := s.Next()
		require.GreaterOrEqual(t, h.Start, Epoch)
		require.LessOrEqual(t, h.End, End)
		require.GreaterOrEqual(t, h.End-h.Start, hour)
		require.LessOrEqual(t, h.End-h.Start, 14*24*hour)
		row := h.Row(n)
		stock.Put(row.Hold, row.Place)
	}
	require.Equal(t, 10_000, stock.Len())
	require.NoError(t, stock.Check())
	require.Equal(t, s.poolSize(3, 4), stock.SlotCount(timeline.SKURef(s.Pool(3, 4))))
}

// The set never changes: figures of different days are about the same holds.
func TestSetIsFixed(t *testing.T) {
	s, err := New(0.001)
	require.NoError(t, err)
	sum := crc64.New(crc64.MakeTable(crc64.ECMA))
	for n := range s.Target {
		h := s.Next().Row(n)
		for _, v := range []int64{h.Span.Start, h.Span.End, int64(h.Place.Slot), int64(h.Place.Lot)} {
			sum.Write([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24), byte(v >> 32), byte(v >> 40)})
		}
	}
	require.Equal(t, uint64(0x3e56a8de7da1bcee), sum.Sum64())
}

// Orders are a schedule: no two are in a pool at one time, and each pool has as many units as a line takes.
func TestOrders(t *testing.T) {
	s, err := New(0.01)
	require.NoError(t, err)
	orders := s.Orders()
	free := map[int]int64{}
	for range 10_000 {
		x := orders.Next()
		require.Len(t, x.SKUs, OrderLines)
		require.GreaterOrEqual(t, x.Start, End)
		require.Greater(t, x.End, x.Start)
		for i, sku := range x.SKUs {
			require.NotContains(t, x.SKUs[:i], sku)
			require.GreaterOrEqual(t, s.poolSize(sku, x.Location), LineUnits)
			require.LessOrEqual(t, free[s.pool(sku, x.Location)], x.Start)
			free[s.pool(sku, x.Location)] = x.End
		}
	}
}

func TestABadScaleIsRefused(t *testing.T) {
	for _, bad := range []float64{0, -1, 0.0001, 1000} {
		_, err := New(bad)
		require.Error(t, err)
	}
}
