package timeline

// This file owns wishes: what some holds ask of the lot they sit on. The package knows no attributes; it asks a
// Chooser.

// Chooser knows of holds what their rows have no room for: the wishes of those with the flag Choosy, and the slots of
// conflicts with the flag PinnedSlot. It is asked for no other hold, so where there are none it costs nothing.
type Chooser interface {
	// Wish is what a hold asks for at an instant. The key is the same for holds that ask for the same; meets says
	// whether a lot has it. Only owner and line of the hold count.
	Wish(h *Hold, now int64) (key string, meets func(LotNo) bool)
	// Version moves when answers may be others than before. One that never changes has one.
	Version() int
	// Pin is the slot that a conflict was made for.
	Pin(ID) SlotNo
}

// wish is what holds of one key ask for, and what is known of it.
type wish struct {
	meets func(LotNo) bool
	lots  map[LotNo]bool
}

// onLot is the wish for one lot.
func onLot(no LotNo) *wish {
	return &wish{func(lot LotNo) bool { return lot == no }, map[LotNo]bool{}}
}

// met says that a lot has it.
func (w *wish) met(no LotNo) bool {
	is, known := w.lots[no]
	if !known {
		is = w.meets(no)
		w.lots[no] = is
	}
	return is
}

// lineKey names the line that has the wish.
type lineKey struct {
	owner uint64
	line  uint16
}

// wishes are the wishes that were asked for so far. It belongs to one goroutine.
type wishes struct {
	chooser Chooser
	now     int64
	version int
	byLine  map[lineKey]*wish
	byKey   map[string]*wish
}

// of is the wish of a hold.
func (x *wishes) of(h *Hold) *wish {
	if v := x.chooser.Version(); x.byLine == nil || x.version != v {
		x.version, x.byLine, x.byKey = v, map[lineKey]*wish{}, map[string]*wish{}
	}
	line := lineKey{h.Owner, h.Line}
	w := x.byLine[line]
	if w == nil {
		key, meets := x.chooser.Wish(h, x.now)
		if w = x.byKey[key]; w == nil {
			w = &wish{meets, map[LotNo]bool{}}
			x.byKey[key] = w
		}
		x.byLine[line] = w
	}
	return w
}

// choosy says that a hold may move to other lots, but only to those that meet its wish.
func (h *Hold) choosy() bool { return h.Flags&(Choosy|PinnedArticle|PinnedSlot) == Choosy }
