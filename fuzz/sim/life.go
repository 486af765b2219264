package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/persist"
)

// This file owns a history: the lives of one directory, each from a start to an end that was drawn.

const (
	dir     = "/data"
	begin   = int64(1_774_512_000_000) // of the first clock
	clients = 2
)

// probe is a window that every booking covers, a year ahead.
var probe = base.Span{Start: begin + 365*24*3600*1000, End: begin + 365*24*3600*1000 + 60_000}

// history is the lives that a seed makes.
type history struct {
	dice  *rand.Rand
	loose bool // groups, folding and flushes come as goroutines run; else one step after the other
	disk  *disk
	clock int64
	life  int
	no    int // of the last command
	keys  int // of the last key

	accounts  []*account
	again     []*retry // commands that their client asks once more
	acked     struct{ seq, hash uint64 }
	folds     bool
	piecemeal bool // records are folded one by one
	small     bool
	keep      persist.Keep

	store  *persist.Store
	engine *engine.Engine
	draws  uint64
	gate   atomic.Pointer[gate]

	counts map[string]int
	broken error // what an answer gave away
	trace  hash.Hash
	tell   io.Writer
}

// gate is where the first plan of a group waits until the others are queued.
type gate struct{ reached, open chan struct{} }

// retry is a command of unknown fate that its client asks once more under its key.
type retry struct {
	account *account
	booking *booking
	op      base.Op
	key     *engine.Idempotency
}

// newHistory makes the history of a seed. One of eight is loose.
func newHistory(seed uint64, tell io.Writer) *history {
	h := &history{dice: rand.New(rand.NewPCG(seed, 1)), disk: newDisk(), clock: begin, counts: map[string]int{},
		trace: sha256.New(), tell: tell}
	h.loose = h.chance(12)
	return h
}

func (h *history) count(what string) { h.counts[what]++ }

func (h *history) chance(percent int) bool { return h.dice.IntN(100) < percent }

// note writes a line of the trace. The trace of a loose history leaves out all that goroutines decide.
func (h *history) note(format string, args ...any) {
	text := fmt.Sprintf("life %d: ", h.life) + fmt.Sprintf(format, args...) + "\n"
	io.WriteString(h.tell, text)
	if !h.loose {
		io.WriteString(h.trace, text)
	}
}

// play lives all lives. An error is a loss, or says what kept it from going on.
func (h *history) play() (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("life %d: %w", h.life, err)
		}
	}()
	lives := 6
	if h.loose {
		lives = 16
	}
	for h.life = 1; h.life <= lives; h.life++ {
		h.small, h.folds, h.piecemeal, h.keep = h.loose && h.chance(70), h.chance(80), h.chance(50),
			persist.Keep{All: true}
		if h.chance(60) {
			h.keep = persist.Keep{Records: uint64(1 + h.dice.IntN(6))}
		}
		h.clock += int64(h.dice.IntN(20)) * 60_000
		if h.chance(8) {
			h.clock -= 10 * 60_000 // the machine's clock was put back
		}
		if err := h.start(); err != nil {
			return err
		}
		if err := h.live(); err != nil {
			return err
		}
	}
	h.small, h.folds, h.keep = false, true, persist.Keep{All: true}
	if err := h.open(); err != nil {
		return err
	}
	h.count("clean stops")
	return h.close()
}

// start opens what is there, after up to three crashes and perhaps a failing or a full disk on the way.
func (h *history) start() error {
	for range 3 {
		if !h.chance(45) {
			break
		}
		h.draws = uint64(h.dice.Uint32()) << 24
		what := powerCut
		switch h.dice.IntN(24) {
		case 0:
			what = []mishap{failOnce, failOn}[h.dice.IntN(2)]
		case 1:
			what = []mishap{diskFull, noRoomAtAll}[h.dice.IntN(2)]
		}
		h.disk.arm(what, 1+h.dice.IntN(h.openOps()), h.kept(), h.counted(ordered), h.fork())
		err := h.open()
		struck, at := h.disk.met()
		h.note("%v in recovery at %s: %v", what, at, struck)
		switch {
		case err != nil && (!struck || what == powerCut):
			return err
		case err != nil && errors.Is(err, persist.ErrCorrupt):
			return lost("a failing disk is taken for a damaged directory: %w", err)
		case err == nil && (!struck || what == powerCut):
			if !struck {
				h.disk.heal()
			}
			if err := h.close(); err != nil {
				return err
			}
		case err == nil:
			h.abandon()
		}
		switch {
		case !struck:
			h.count("clean stops")
		case what == powerCut:
			h.disk = h.disk.left
			h.count("power cuts in recovery")
		default:
			h.died(what, at)
		}
	}
	h.draws = uint64(h.dice.Uint32()) << 24
	return h.open()
}

// openOps is about how many operations an opening takes.
func (h *history) openOps() int {
	if h.life == 1 {
		return 20
	}
	return 26
}

// counted are the operations that come in one order, or all where the history is loose.
func (h *history) counted(of counted) counted {
	if h.loose {
		return all
	}
	return of
}

// kept draws how much of what is not synced outlasts a crash, in percent.
func (h *history) kept() int { return []int{0, 0, 50, 50, 90, 100}[h.dice.IntN(6)] }

func (h *history) fork() *rand.Rand { return rand.New(rand.NewPCG(h.dice.Uint64(), 2)) }

// died starts the next life on what a process leaves that ended because its disk failed, or was full; the power may
// fail with it.
func (h *history) died(what mishap, at string) {
	if what == failOnce || what == failOn {
		op, _, _ := strings.Cut(at, " ")
		if op == idle {
			op = "write"
		}
		h.count("failing disks: " + op)
	} else {
		h.count("full disks")
	}
	h.disk = h.disk.after([]int{100, 100, 0, 50}[h.dice.IntN(4)], h.fork())
}

func (h *history) options() persist.Options {
	o := persist.Options{
		Dir: dir, FS: h.disk, HeadInterval: time.Microsecond, FoldDelay: time.Microsecond, KeepLog: h.keep,
		MemTableSize: 256 << 10, CacheSize: 64 << 10,
	}
	if h.piecemeal {
		o.FoldBytes = 1
	}
	if !h.folds {
		o.FoldDelay = time.Hour
	}
	if h.small {
		o.MemTableSize = 16 << 10
	}
	return o
}

// random makes ids: others in every command, and the same in every run. It is asked by the writer, which waits here for
// the rest of a group.
func (h *history) random() (b [10]byte) {
	if g := h.gate.Swap(nil); g != nil {
		close(g.reached)
		<-g.open
	}
	h.draws++
	binary.BigEndian.PutUint64(b[2:], h.draws<<8)
	return b
}

// open opens the directory and holds what is there against the book, unless a mishap came on the way.
func (h *history) open() (err error) {
	h.store, h.engine = nil, nil
	if h.store, err = persist.Open(h.options()); err != nil {
		return fmt.Errorf("it does not open: %w", err)
	}
	end := h.store.End()
	if struck, _ := h.disk.met(); !struck {
		if h.dice.IntN(16) == 0 {
			h.count("replays")
			if err := engine.Verify(context.Background(), h.store, h.clock); err != nil {
				return lost("verified: %w", err)
			}
		}
	}
	h.engine, err = engine.Open(context.Background(), engine.Options{
		Store: h.store, Manual: true, Queue: 64, Checks: true, Logger: slog.New(slog.DiscardHandler), Random: h.random,
		Now: func() int64 { return h.clock }, Bounds: h.bounds(),
	})
	if err != nil {
		return errors.Join(err, h.store.Close())
	}
	if struck, _ := h.disk.met(); struck || h.engine.Failed() != nil {
		return nil
	}
	if err := h.ends(end); err != nil {
		return err
	}
	if err := h.engine.Check(); err != nil {
		return lost("the checks: %w", err)
	}
	back := 0
	for _, a := range h.accounts {
		v, ok := h.engine.View(a.id)
		if !ok {
			if a.made == done {
				return lost("an account is gone")
			}
			continue
		}
		a.made = done
		n, err := a.judge(v, h.clock, h.engine.Now())
		if err != nil {
			return err
		}
		back += n
	}
	h.counts["recovered"] += back
	seq, sum := h.engine.State()
	h.acked.seq, h.acked.hash = seq, sum
	h.note("opened at %d with %016x; of what was not acknowledged %d came back", seq, sum, back)
	h.rest()
	return nil
}

// ends holds the end of the log against what was acknowledged.
func (h *history) ends(end persist.Position) error {
	if end.Seq < h.acked.seq {
		return lost("the log ends at %d, and %d was acknowledged", end.Seq, h.acked.seq)
	}
	is := end.StateHash
	if end.Seq > h.acked.seq {
		if h.acked.seq == 0 || h.store.Marker().FirstKept > h.acked.seq {
			return nil
		}
		r, err := h.store.Record(h.acked.seq)
		if err != nil && h.store.Marker().FirstKept > h.acked.seq {
			return nil // it was folded and cut meanwhile
		}
		if err != nil {
			return lost("record %d: %w", h.acked.seq, err)
		}
		is = r.StateHash
	}
	if is != h.acked.hash {
		return lost("the state at %d was %016x and is %016x", h.acked.seq, h.acked.hash, is)
	}
	return nil
}

func (h *history) bounds() (b base.Bounds) {
	if h.loose {
		b.Group = 1 // every command is a record, with several on their way
	}
	return b
}

// close stops as an operator does. A power cut meanwhile is none of its business.
func (h *history) close() error {
	h.disk.holdHead(false)
	if err := errors.Join(h.engine.Close(), h.store.Close()); err != nil {
		return fmt.Errorf("it does not close: %w", err)
	}
	return nil
}

// abandon ends a process whose storage failed.
func (h *history) abandon() {
	h.disk.holdHead(false)
	_ = h.engine.Close()
	_ = h.store.Close()
	h.disk.heal() // or what is left of it would try again for ever
}

// live plays one life from after its start to its end.
func (h *history) live() error {
	what := powerCut
	switch h.dice.IntN(16) {
	case 0:
		what = nothing
	case 1:
		what = []mishap{failOnce, failOn}[h.dice.IntN(2)]
	case 2:
		what = []mishap{diskFull, noRoomAtAll}[h.dice.IntN(2)]
	}
	rounds := 1 + h.dice.IntN(4)
	at := 1 + h.dice.IntN(3*rounds+1)
	if h.loose {
		at = 1 + h.dice.IntN(12*rounds)
	}
	if what == nothing {
		at = 0
	}
	h.disk.arm(what, at, h.kept(), h.counted(steps), h.fork())
	h.disk.holdHead(!h.loose)
	if len(h.accounts) == 0 {
		h.furnish()
	}
	h.askAgain()
	for range rounds {
		if h.over() {
			break
		}
		h.step()
		if h.broken != nil {
			return h.broken
		}
	}
	struck, where := h.disk.met()
	if err := h.engine.Failed(); err != nil {
		if !struck || what == powerCut {
			return lost("the storage failed on a disk that is well: %w", h.store.Failed())
		}
		if err := h.closed(); err != nil {
			return err
		}
	}
	if struck && what != powerCut && h.store.Failed() != nil {
		h.note("%v at %s", what, where)
		h.abandon()
		h.died(what, where)
		return nil
	}
	before := struck
	err := h.close()
	struck, where = h.disk.met()
	h.note("%v at %s, struck %v before the stop and %v behind it", what, where, before, struck)
	switch {
	case what == powerCut && struck:
		if err != nil {
			return err
		}
		h.disk = h.disk.left
		if before {
			h.count("power cuts at work")
		} else {
			h.count("power cuts while it stopped")
		}
	case struck && err != nil:
		h.disk.heal()
		h.died(what, where)
	case err != nil:
		return err
	default:
		h.disk.heal()
		h.count("clean stops")
	}
	return nil
}

// closed sees that an engine whose storage failed takes nothing any more.
func (h *history) closed() error {
	_, err := h.engine.Do(engine.Command{Account: h.accounts[0].id,
		Op: stock.CreateLocation{LocationFields: stock.LocationFields{Name: "late", Timezone: "UTC"}}})
	if !errors.Is(err, &base.Error{Code: base.CodeStorageFailed}) {
		return lost("with its storage failed it answers %v", err)
	}
	return nil
}

// over says that nothing more is to be asked in this life.
func (h *history) over() bool {
	struck, _ := h.disk.met()
	return h.engine.Failed() != nil || h.store.Failed() != nil || struck && h.disk.left != nil
}

// asked is a command on its way: what is to be noted of its fate, and of its answer.
type asked struct {
	cmd  engine.Command
	what string
	told func(f fate, res engine.Result)
}

// ask submits commands as one group, in their order, and notes what becomes of each.
func (h *history) ask(list []asked) {
	g := &gate{make(chan struct{}), make(chan struct{})}
	if !h.loose {
		h.gate.Store(g)
	}
	var all []*engine.Future
	for _, x := range list {
		f := h.engine.Submit(x.cmd)
		all = append(all, f)
		if h.gate.Load() == nil {
			continue
		}
		judged := make(chan struct{})
		go func() {
			_, _ = f.Planned()
			close(judged)
		}()
		select {
		case <-g.reached:
		case <-judged: // without a plan
		}
	}
	h.gate.Store(nil)
	close(g.open)
	for i, f := range all {
		res, err := f.Wait()
		is := h.fate(err)
		if refusal, ok := errors.AsType[*base.Error](err); err != nil && (!ok || refusal.Code == base.CodeInternal) {
			h.broken = lost("%s: %w", list[i].what, err)
		}
		h.count("operations")
		if is == done {
			h.count("acknowledged")
		}
		h.note("%s: %v", list[i].what, is)
		list[i].told(is, res)
	}
	h.settle()
}

// fate is what a client learns from an answer, if it still gets it.
func (h *history) fate(err error) fate {
	if err == nil && h.disk.cut() {
		return unknown
	}
	if err == nil {
		return done
	}
	if e, ok := errors.AsType[*base.Error](err); ok {
		if _, may := e.Details.(base.UnknownOutcomeDetails); may {
			return unknown
		}
	}
	return refused
}

// rest waits until what follows on its own is over.
func (h *history) rest() {
	for h.store.Failed() == nil {
		end := h.store.End().Seq
		if h.disk.head() >= end && (!h.folds || h.store.Marker().Seq == end) {
			return
		}
		runtime.Gosched()
	}
}

// settle lets HEAD be written, waits until all is at rest, and notes the state that was acknowledged.
func (h *history) settle() {
	hurried := h.loose && h.chance(70)
	if h.over() || hurried {
		return
	}
	h.disk.holdHead(false)
	h.rest()
	h.disk.holdHead(!h.loose)
	seq, sum := h.engine.State()
	if !h.disk.cut() && h.engine.Failed() == nil {
		h.acked.seq, h.acked.hash = seq, sum
	}
}

// key makes the key that a client asks a command under, for one of two.
func (h *history) key() *engine.Idempotency {
	if h.chance(50) {
		return nil
	}
	h.keys++
	k := &engine.Idempotency{Fingerprint: base.ID{15: 1}}
	binary.BigEndian.PutUint64(k.Key[:8], uint64(h.keys))
	return k
}

// furnish makes two accounts, each with a location and two articles. None of it is at risk.
func (h *history) furnish() {
	h.disk.mu.Lock()
	due := h.disk.due
	h.disk.due = 0
	h.disk.mu.Unlock()
	for n := range 2 {
		a := &account{id: base.ID{0: 1, 6: 0x70, 8: 0x80, 15: byte(n + 1)}}
		h.accounts = append(h.accounts, a)
		must := func(what string, op base.Op) (record any) {
			h.ask([]asked{{engine.Command{Account: a.id, Op: op}, what,
				func(f fate, res engine.Result) { a.made, record = f, res.Record }}})
			return record
		}
		must("account", base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental", Timezone: "UTC"}})
		a.location = must("location",
			stock.CreateLocation{
				LocationFields: stock.LocationFields{Name: "Harbour", Timezone: "UTC"}}).(*stock.Location).ID
		for range 2 {
			op := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Bike"},
				Quantities: []stock.InitialQuantity{{Location: a.location, Count: 6}}}
			a.articles = append(a.articles, must("article", op).(*stock.Article).ID)
			a.units = append(a.units, 6)
		}
	}
	h.disk.mu.Lock()
	h.disk.due = due
	h.disk.mu.Unlock()
}

// askAgain asks commands of unknown fate once more under their keys: a command that was done is answered as it was, one
// that was not is done now.
func (h *history) askAgain() {
	list := h.again
	h.again = nil
	for _, r := range list {
		if h.over() {
			return
		}
		if !h.chance(70) {
			continue
		}
		known := r.booking.placed == done
		h.ask([]asked{{engine.Command{Account: r.account.id, Op: r.op, Idem: r.key, Brief: true}, "asked again",
			func(f fate, res engine.Result) {
				switch {
				case f != done:
					if !known && f == unknown {
						r.booking.placed = unknown
						r.account.bookings = append(r.account.bookings, r.booking)
					}
				case known && (!res.Replayed || recordID(res.Record) != r.booking.id):
					h.broken = lost("booking %d was made twice", r.booking.no)
				case !known && !res.Replayed:
					r.booking.told(res)
					r.account.bookings = append(r.account.bookings, r.booking)
				case !known && !expires(r.op):
					h.broken = lost("booking %d is remembered and not there", r.booking.no)
				}
			}}})
	}
}

func expires(op base.Op) bool {
	p, is := op.(hold.PlaceHold)
	return is && p.ExpiresIn != nil
}

func recordID(record any) base.ID {
	switch r := record.(type) {
	case *hold.Hold:
		return r.ID
	case *order.OrderRecord:
		return r.ID
	}
	return base.ID{}
}

// told takes in the answer to a booking's command.
func (b *booking) told(res engine.Result) {
	b.placed, b.id = done, recordID(res.Record)
	if r, is := res.Record.(*hold.Hold); is && r.ExpiresAt != nil {
		b.expires = *r.ExpiresAt
	}
}

// step makes the clients send a few commands at once, at times after a while.
func (h *history) step() {
	if h.chance(40) {
		h.clock += int64(h.dice.IntN(90)) * 10_000
	}
	var list []asked
	for range 1 + h.dice.IntN(4) {
		a := h.accounts[h.dice.IntN(len(h.accounts))]
		h.no++
		list = append(list, h.command(a, h.no))
	}
	h.ask(list)
}

// command draws what a client asks for.
func (h *history) command(a *account, no int) asked {
	who := "client " + strconv.Itoa(no%clients)
	switch roll := h.dice.IntN(10); {
	case roll < 5:
		return h.book(a, no, who)
	case roll < 8 && len(a.bookings) > 0:
		b := a.bookings[h.dice.IntN(len(a.bookings))]
		if b.placed != done || b.ended != open {
			return h.book(a, no, who)
		}
		op := base.Op(hold.ReleaseHold{ID: b.id})
		if b.order {
			op = order.CancelOrder{ID: b.id}
		}
		b.ended = refused // not ended so far; only this command ends it
		what := fmt.Sprintf("%s ends booking %d", who, b.no)
		return asked{engine.Command{Account: a.id, Op: op, Brief: true, Idem: h.key()}, what,
			func(f fate, _ engine.Result) {
				if b.ended = f; f == refused {
					b.ended = open
				}
			}}
	default:
		c := &delta{article: h.dice.IntN(len(a.articles)), by: 1 + h.dice.IntN(2)}
		op := base.Op(stock.IncreaseQuantity{Article: a.articles[c.article], Location: a.location, Amount: c.by})
		if h.chance(50) {
			op = stock.DecreaseQuantity{Article: a.articles[c.article], Location: a.location, Amount: c.by}
			c.by = -c.by
		}
		what := fmt.Sprintf("%s changes article %d by %d", who, c.article, c.by)
		return asked{engine.Command{Account: a.id, Op: op, Brief: true, Idem: h.key()}, what,
			func(f fate, _ engine.Result) {
				c.fate = f
				if f == done {
					a.units[c.article] += c.by
				}
				a.changes = append(a.changes, c)
			}}
	}
}

func (h *history) book(a *account, no int, who string) asked {
	b := &booking{no: no, order: h.chance(35)}
	for i := range a.articles {
		if i == 0 || h.chance(50) {
			b.lines = append(b.lines, line{i, 1 + h.dice.IntN(2)})
		}
	}
	window := base.Span{Start: probe.Start - int64(no%1000)*60_000, End: probe.End}
	text := strconv.Itoa(no)
	var op base.Op
	if b.order {
		in := order.CreateOrder{
			OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: a.location, Reference: &text}}
		price := int64(1000)
		for _, l := range b.lines {
			in.Lines = append(in.Lines, order.OrderLineInput{
				Item: base.Item{Article: a.articles[l.article]}, Purchase: base.PurchaseBooking, Quantity: l.quantity,
				From: &window.Start, To: &window.End, UnitPrice: &price,
			})
		}
		op = in
	} else {
		in := hold.PlaceHold{Note: text}
		for _, l := range b.lines {
			in.Lines = append(in.Lines, hold.HoldLineInput{Item: base.Item{Article: a.articles[l.article]},
				Location: a.location, Window: window, Quantity: l.quantity})
		}
		// Were something due in both accounts as it starts, chance would say whether that is one record or two.
		if h.chance(60) && (h.loose || a == h.accounts[0]) {
			in.ExpiresIn = new(int64(30 + h.dice.IntN(3600)))
		}
		op = in
	}
	key := h.key()
	what := fmt.Sprintf("%s places booking %d, an order: %v", who, no, b.order)
	return asked{engine.Command{Account: a.id, Op: op, Brief: true, Idem: key}, what, func(f fate, res engine.Result) {
		switch f {
		case refused:
			return
		case done:
			b.told(res)
		default:
			b.placed = f
			if key != nil {
				h.again = append(h.again, &retry{a, b, op, key})
			}
		}
		a.bookings = append(a.bookings, b)
	}}
}
