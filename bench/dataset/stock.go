package dataset

import (
	"encoding/binary"

	"holdfast/timeline"
)

// This file owns the data set as timelines alone: what the indexes cost without records, log and disk.

// Stock gives the lots, pools and units of the set as a timeline.Stock, without a hold. An article's lot, a slot and a
// pool have the number index + 1.
func (s *Set) Stock() *timeline.Stock {
	t := timeline.New()
	for i, a := range s.Articles {
		lot := timeline.LotNo(i + 1)
		t.AddLot(lot, uint32(i+1), uint32(a.Location+1))
		for j := range a.Units {
			no := timeline.SlotNo(a.FirstSlot + j + 1)
			t.PutSlot(timeline.Slot{ID: slotID(no), No: no, Lot: lot,
				Span: timeline.Span{Start: Epoch - 1, End: timeline.Forever}})
		}
		t.SetPool(lot, s.Pool(a.SKU, a.Location))
	}
	return t
}

// Pool is the number of a SKU's pool at a location in Stock.
func (s *Set) Pool(sku, location int) timeline.PoolNo {
	return timeline.PoolNo(s.pool(sku, location) + 1)
}

// Row is a drawn hold as a row of timelines, where the draw has put it. n is a number of its own.
func (h Hold) Row(n int) timeline.Placed {
	row := timeline.NewHold(holdID(n), timeline.Span{Start: h.Start, End: h.End}, 0, 0)
	row.Kind, row.Owner = timeline.Booking, 1
	return timeline.Placed{Hold: row,
		Place: timeline.Place{Lot: timeline.LotNo(h.Article + 1), Slot: timeline.SlotNo(h.Slot + 1)}}
}

// slotID and holdID make ids that look like UUIDv7 and grow with their number; slots come before holds.
func slotID(no timeline.SlotNo) timeline.ID { return makeID(Epoch-1, uint64(no)) }
func holdID(n int) timeline.ID              { return makeID(Epoch+int64(n/20), uint64(n)) }

func makeID(ms int64, n uint64) (id timeline.ID) {
	binary.BigEndian.PutUint64(id[:8], uint64(ms)<<16|0x7000)
	binary.BigEndian.PutUint64(id[8:], 1<<63|n)
	return id
}
