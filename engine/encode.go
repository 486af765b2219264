package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns the encoder. It stands between the writer and the committer, takes the groups that the writer has
// closed in their order, writes their changes as they go to the log, and hands them over. So what is to be written of a
// command, its result under an idempotency key and its events among it, holds up no other command.
//
// To encode a brief group takes less time than to wake another goroutine for it. So, while no group is on its way and
// the encoder is idle, the writer calls it for such a group itself.
//
// The writer passes only values to the encoder: rows before and after, and what an answer or an event is made of. None
// of them changes after the plan that made it. The state hash, and the sums of rows that are only on disk, follow from
// the bytes, so they are added up here; a snapshot gets them before anybody sees it.

// maxRecordBytes is how large a record grows before the next command of its group begins another one. The size of a row
// is known when it is encoded, which is too late for the writer's own bounds of a group.
const maxRecordBytes = 8 << 20

// entry is what one command changed.
type entry struct {
	account base.ID
	at      int64
	set     []base.RowChange
	// it finishes what the command before it began: both are in one record, if that is not too long (write)
	follows bool
}

type encoder struct {
	store  *persist.Store
	log    persist.Group // of the record that is being written
	buf    base.EncodeBuffer
	limit  int    // maxRecordBytes; tests have another
	seq    uint64 // of the last record handed over
	hash   uint64 // sum of base.RowHash over all rows
	kept   map[base.ID]*base.KeptSums
	owned  map[base.ID]bool // whose sums no snapshot has
	failed error            // what ended it
}

func newEncoder(store *persist.Store, s *base.Snapshot) *encoder {
	c := &encoder{store: store, limit: maxRecordBytes, seq: s.Seq, hash: s.Hash, kept: map[base.ID]*base.KeptSums{},
		owned: map[base.ID]bool{}}
	s.Accounts.Scan(func(a base.Tenant) bool {
		c.kept[a.ID] = a.Kept
		return true
	})
	return c
}

// run writes groups until there are no more. After one that could not be handed over, no other is.
func (c *encoder) run(closed <-chan *group, written chan<- *group) {
	defer close(written)
	for g := range closed {
		c.take(g)
		written <- g
	}
}

// take writes a group, unless one before it could not be.
func (c *encoder) take(g *group) {
	if c.failed == nil {
		c.failed = c.written(g)
	}
	g.err = c.failed
}

// briefRows is up to how many rows a group is brief.
const briefRows = 64

// brief says that a group is encoded in some microseconds, as a few bookings are: no order, no event, no result.
func (g *group) brief() bool {
	if g.rows > briefRows {
		return false
	}
	for _, e := range g.entries {
		for _, c := range e.set {
			if !packed[c.Of().TableTag()] {
				return false
			}
		}
	}
	return true
}

// errRow is a fault of the program, not of the disk: a row could not be written.
var errRow = errors.New("a row could not be written")

// programFault says that what ended writing lies with the program.
func programFault(err error) bool {
	return errors.Is(err, errRow) || errors.Is(err, persist.ErrTooLarge)
}

// written is write, where a panic is an error: what is written of a command by a function from elsewhere, its result
// and its events, contains its own.
func (c *encoder) written(g *group) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", errRow, p, debug.Stack())
		}
	}()
	return c.write(g)
}

// write hands a group to the log: as one record, or as several where it is large. After a failure the log has all of
// it, or a part from its beginning, which was not yet reported to anyone.
func (c *encoder) write(g *group) error {
	for i, e := range g.entries {
		// A record ends after limit bytes; before an entry that finishes the previous command only after twice as many.
		// Such an entry tries to seat conflicts: if it is lost, they stay conflicts.
		if n := c.log.Bytes(); n >= c.limit && (!e.follows || n >= 2*c.limit) {
			if err := c.hand(g, g.entries[i-1].at); err != nil {
				return err
			}
		}
		for _, x := range e.set {
			delta := x.Log(&c.log, &c.buf, e.account)
			c.hash += delta
			if k := x.Of(); k.Stored() {
				c.sums(e.account)[k.TableTag()] += delta
			}
		}
	}
	g.entries = nil
	if err := c.hand(g, g.snapshot.At); err != nil {
		return err
	}
	g.snapshot.Seq, g.snapshot.Hash = c.seq, c.hash
	for _, a := range g.snapshot.Changed {
		a.Kept = c.kept[a.ID]
	}
	g.snapshot.Changed = nil
	clear(c.owned)
	return nil
}

// hand hands what is written to the log, as a record of an instant.
func (c *encoder) hand(g *group, at int64) error {
	p, err := c.store.Append(&c.log, c.seq+1, at, c.hash)
	if err != nil {
		return err
	}
	c.seq++
	g.records = append(g.records, p)
	return nil
}

// sums are an account's sums, to change.
func (c *encoder) sums(id base.ID) *base.KeptSums {
	if !c.owned[id] {
		n := new(base.KeptSums)
		if s := c.kept[id]; s != nil {
			*n = *s
		}
		c.kept[id], c.owned[id] = n, true
	}
	return c.kept[id]
}

// withoutPanic makes null of a record that a fault of the program keeps from being written: the event says that it
// changed.
func withoutPanic(payload func(version string, record any) []byte, log *slog.Logger) func(version string,
	record any) []byte {
	if payload == nil {
		return nil
	}
	return func(version string, record any) (b []byte) {
		defer func() {
			if p := recover(); p != nil {
				log.Error("an event could not be written, it is sent without its record", "record",
					fmt.Sprintf("%T", record), "panic", p, "stack", string(debug.Stack()))
				b = []byte("null")
			}
		}()
		return payload(version, record)
	}
}
