package persist

// This file owns the open store: options, opening, closing.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options says where a store lies and how it works. Only Dir is needed.
type Options struct {
	Dir    string
	FS     vfs.FS       // nil: the operating system's
	Logger *slog.Logger // nil: nothing is logged

	// HeadInterval is the least time between two syncs of HEAD, and the most
	// the log is ahead of it; 0 means 10 ms.
	HeadInterval time.Duration

	// FoldBytes is how many bytes of log are folded at once; 0 means 256 KiB.
	// A larger record is folded on its own.
	FoldBytes int
	// FoldDelay is how long the folder waits for FoldBytes to come together;
	// 0 means 250 ms.
	FoldDelay time.Duration
	// NoFold leaves the rows as they are: the whole log since the marker stays
	// in memory. For tests and bulk measurements.
	NoFold bool

	KeepLog Keep

	// ReadOnly opens a directory that exists for ScanRows, Tail, Row and Verify
	// and changes nothing in it but the lock. Nothing can be committed.
	ReadOnly bool

	MemTableSize uint64 // bytes; 0 means MostMemory
	CacheSize    int64  // bytes of Pebble's block cache; 0 means MostMemory
	Tables       int    // tables that are kept open, at least 64; 0 means MostTables

	sublevels func(*pebble.DB) int // depth of L0; tests set it
	l0Depth   int                  // twice the depth at which L0 is merged; benchmarks set it
}

// MostMemory is what the cache of a store takes, and each of up to four tables that it gathers writes in, where Options
// do not say otherwise: bytes.
const MostMemory = 64 << 20

// MostTables is how many tables a store keeps open where Options do not say otherwise.
const MostTables = 1000

// Keep says how much of the log is kept after it was folded, for followers and for restores to a point. A record goes
// only when it is beyond both limits. The zero Keep is 1 GiB.
type Keep struct {
	All     bool
	Bytes   int64
	Records uint64
}

func (o Options) withDefaults() Options {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.HeadInterval <= 0 {
		o.HeadInterval = 10 * time.Millisecond
	}
	if o.FoldBytes <= 0 {
		o.FoldBytes = 256 << 10
	}
	if o.FoldDelay <= 0 {
		o.FoldDelay = 250 * time.Millisecond
	}
	if o.KeepLog == (Keep{}) {
		o.KeepLog.Bytes = 1 << 30
	}
	if o.sublevels == nil {
		o.sublevels = func(db *pebble.DB) int { return int(db.Metrics().Levels[0].Sublevels) }
	}
	if o.l0Depth == 0 {
		o.l0Depth = 16
	}
	if o.MemTableSize == 0 {
		o.MemTableSize = MostMemory
	}
	if o.CacheSize == 0 {
		o.CacheSize = MostMemory
	}
	if o.Tables == 0 {
		o.Tables = MostTables
	}
	return o
}

// Store is an open directory. Append, Wait and Published belong to one goroutine
// (each, not all to the same); everything else may be called from any.
type Store struct {
	o           Options
	fs          privateFS
	log         *slog.Logger
	lock        *pebble.Lock
	db          *pebble.DB
	fuse        *fuse
	health      io.Closer
	incarnation uint64

	appended chan *Pending // to the goroutine that calls Pebble
	syncing  chan *Pending // from there to the one that waits for the disk
	tip      Position      // of the last record appended

	mu        sync.Mutex // guards end
	end       Position   // of the last durable record
	attempted atomic.Uint64
	published atomic.Uint64
	overlay   overlay
	kept      keptLog
	marker    atomic.Pointer[Marker]

	form     atomic.Pointer[form]
	head     *headFile
	headWake chan struct{}
	foldWake chan struct{}
	foldFull chan struct{}
	foldBusy atomic.Bool
	wakers   wakers
	staging  chan struct{} // holds the one backup that there is at a time
	stages   int

	stop     chan struct{}
	closed   atomic.Bool
	workers  sync.WaitGroup
	checked  chan struct{} // closed when the log before the marker was checked
	checkErr error
}

// Open opens the store in o.Dir, or creates it there. It takes the directory lock (ErrLocked), refuses a directory of a
// newer format (ErrNewerFormat), one whose log is shorter than its head file says (ErrShortLog), whose head file is
// gone (ErrHeadLost), or in which anything read does not check (ErrCorrupt), and leaves a refused directory as it was.
// It reads and checks the log after the marker; the log before the marker is checked meanwhile, see Tail.
//
// Nothing counts as published until Published is called, so that the rows stay
// as the marker says while the caller builds its state.
func Open(o Options) (*Store, error) {
	o = o.withDefaults()
	s := &Store{
		o: o, log: o.Logger, fuse: newFuse(),
		appended: make(chan *Pending, MaxPending),
		syncing:  make(chan *Pending, MaxPending),
		headWake: make(chan struct{}, 1),
		foldWake: make(chan struct{}, 1),
		foldFull: make(chan struct{}, 1),
		staging:  make(chan struct{}, 1),
		stop:     make(chan struct{}),
		checked:  make(chan struct{}),
	}
	inner, health := withHealth(o.FS, o.Logger)
	s.fs, s.health = newPrivateFS(inner), health
	s.fuse.opening.Store(true)
	if err := s.open(); err != nil {
		s.release()
		if isFull(err) && !errors.Is(err, ErrDiskFull) {
			err = fmt.Errorf("%w: %w", ErrDiskFull, err)
		}
		return nil, fmt.Errorf("open %s: %w", o.Dir, damaged(err))
	}
	return s, nil
}

// release gives back what open took, as far as that is safe: a directory into
// which a stuck goroutine might still write stays locked.
func (s *Store) release() {
	s.closed.Store(true) // ends the check of the log
	close(s.stop)
	s.workers.Wait()
	if s.head != nil {
		s.head.f.Close()
	}
	if s.fuse.abandoned() {
		return
	}
	if s.db != nil {
		s.fuse.guard(s.db.Close)
		if s.fuse.abandoned() {
			return
		}
	}
	if s.lock != nil {
		s.lock.Close()
	}
	if s.health != nil {
		s.health.Close()
	}
}

func (s *Store) open() error {
	dir := s.o.Dir
	ro := s.o.ReadOnly
	if !ro {
		if err := makeDir(s.fs, dir); err != nil {
			return err
		}
	} else if names, err := list(s.fs, dir); err != nil || !hasStore(names) {
		return errors.Join(ErrNoStore, err)
	}
	var err error
	lock := lockDir
	if ro {
		lock = lockToRead
	}
	if s.lock, err = lock(s.fs, dir); err != nil {
		return err
	}
	st, err := s.prepare()
	if err != nil {
		return err
	}
	if st.bad > 0 {
		s.log.Warn("one slot of the head file does not read, the other is used", "dir", dir)
	}
	if st.Seq > 0 && !ro {
		// A look before the leap: opening for writing drops what Pebble takes
		// for a torn end, and files its manifest does not name.
		if err := s.examineReadOnly(st.head); err != nil {
			return err
		}
	}
	if !ro {
		if err := dropStages(s.fs, dir); err != nil {
			return err
		}
	}
	if s.db, err = openPebble(s.o, s.fs, s.lock, s.fuse, ro); err != nil {
		return err
	}
	s.incarnation = st.Incarnation
	s.form.Store(&st.form)
	x, err := examine(s.db, st.head)
	if err != nil {
		return err
	}
	if err := s.load(x); err != nil {
		return err
	}
	if ro {
		return nil
	}
	if s.head, err = openHead(s.fs, dir, st); err != nil {
		return err
	}
	// What Pebble has replayed is synced by now.
	if err := s.head.write(s.end); err != nil {
		return err
	}
	s.fuse.running.Store(true)
	s.fuse.opening.Store(false) // from here on the error of Open no longer reports faults
	if err := s.fuse.failed(); err != nil {
		return err // a flush or a compaction ran into something
	}
	go s.appender()
	go s.syncer()
	s.workers.Add(2)
	go s.keepHead()
	go s.folder()
	return nil
}

// prepare finds out what the directory holds and makes HEAD in an empty one.
func (s *Store) prepare() (headState, error) {
	dir := s.o.Dir
	names, err := s.fs.List(dir)
	if err != nil {
		return headState{}, err
	}
	files := slices.ContainsFunc(names, isPebbleFile)
	st, err := readHead(s.fs, dir)
	if err != nil {
		return st, err
	}
	switch {
	case st.valid:
	case files:
		return st, headLost(dir)
	case s.o.ReadOnly:
		return st, ErrNoStore
	default:
		if _, err := createHead(s.fs, dir, Position{}, newForm()); err != nil {
			return st, err
		}
		if st, err = readHead(s.fs, dir); err != nil {
			return st, err
		}
		if !st.valid {
			return st, corruptf("%s was just written and does not read", headName)
		}
	}
	if st.Seq > 0 {
		desc, err := pebble.Peek(dir, s.fs)
		if err != nil {
			return st, err
		}
		if !desc.Exists {
			return st, shortLog(st.head, 0)
		}
	}
	return st, nil
}

func headLost(dir string) error {
	return fmt.Errorf(
		"%w: %w: without %s in %s nothing tells whether the log is whole; restore a backup with `holdfast restore`",
		ErrCorrupt, ErrHeadLost, headName, dir)
}

// hasStore says whether any of the names is of a store.
func hasStore(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return n == headName || isPebbleFile(n) })
}

func isPebbleFile(name string) bool {
	for _, p := range []string{"MANIFEST-", "OPTIONS-", "marker."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	for _, p := range []string{".sst", ".log", ".blob"} {
		if strings.HasSuffix(name, p) {
			return true
		}
	}
	return false
}

func (s *Store) examineReadOnly(h head) error {
	db, err := openPebble(s.o, s.fs, s.lock, s.fuse, true)
	if err != nil {
		return err
	}
	x, err := examine(db, h)
	if err == nil {
		_, err = walkLog(db, x.marker.Position, x.last, decodeRecord, false, nil)
	}
	return errors.Join(err, db.Close())
}

// openPebble opens Pebble. lock may be nil: then Pebble locks on its own.
func openPebble(o Options, f privateFS, lock *pebble.Lock, fu *fuse, readOnly bool) (*pebble.DB, error) {
	var db *pebble.DB
	err := fu.guard(func() (err error) {
		d, err := pebble.Open(o.Dir, pebbleOptions(o, f, lock, fu, readOnly))
		if err == nil {
			db = d
		}
		return err
	})
	switch {
	case err == nil:
		return db, nil
	case fu.failed() != nil:
		if errors.Is(err, ErrFailed) { // it was not waited for
			return nil, err
		}
		return nil, errors.Join(fu.failed(), err)
	case pebble.IsCorruptionError(err), errors.Is(err, fs.ErrNotExist), errors.Is(err, pebble.ErrDBDoesNotExist):
		return nil, corruptf("pebble: %w; %s", err, advice)
	default:
		return nil, fmt.Errorf("pebble: %w", err)
	}
}

func pebbleOptions(o Options, f privateFS, lock *pebble.Lock, fu *fuse, readOnly bool) *pebble.Options {
	logger := pebbleLogger{log: o.Logger, fuse: fu}
	p := &pebble.Options{
		FS:                          failStopFS{privateFS: f, fatal: logger.Fatalf, free: logger.free},
		Lock:                        lock,
		ReadOnly:                    readOnly,
		FormatMajorVersion:          pebble.FormatNewest,
		Logger:                      logger,
		EventListener:               eventListener(o.Logger, fu),
		MemTableSize:                o.MemTableSize,
		MemTableStopWritesThreshold: 4,
		CacheSize:                   o.CacheSize,
		// Half as deep as this, L0 is merged with what it overlaps in the level
		// below: the deeper it is, the less of that is written anew for a byte.
		// Pebble's own is 4. BenchmarkMerge counts the bytes.
		L0CompactionThreshold: o.l0Depth,
		// The folder is throttled by the depth of L0, the log must not be.
		L0StopWritesThreshold: 1000,
		LBaseMaxBytes:         256 << 20,
		MaxOpenFiles:          o.Tables,
	}
	p.TargetFileSizes[0] = 8 << 20
	for i := range p.Levels {
		p.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		// a start reads everything
		p.Levels[i].BlockSize = 32 << 10
		// ids and instants hardly compress
		p.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
		p.Levels[i].IndexBlockSize = 256 << 10
	}
	p.Experimental.ReadSamplingMultiplier = -1 // no compactions because of reads
	return p
}

// load reads the log after the marker and starts the check of the log before it.
func (s *Store) load(x extent) error {
	m := x.marker
	s.marker.Store(&m)
	s.published.Store(m.Seq)
	s.overlay.init(m.Seq)
	s.kept.keep = s.o.KeepLog
	end, err := walkLog(s.db, m.Position, x.last, decodeRecord, true, func(r Record) error {
		s.overlay.add(r)
		s.kept.add(r)
		return nil
	})
	if err != nil {
		return err
	}
	s.end, s.tip = end, end
	s.attempted.Store(end.Seq)
	s.workers.Add(1)
	go func() {
		defer s.workers.Done()
		defer close(s.checked)
		front := keptLog{keep: s.o.KeepLog}
		s.checkErr = checkKept(s.db, m, recordAt, func(r Record) error {
			if s.closed.Load() {
				return ErrClosed
			}
			front.add(r)
			return nil
		})
		if s.checkErr == nil {
			s.kept.prepend(&front)
		}
	}()
	return nil
}

// checkKept checks the kept log up to the marker, and that it leads there. At
// a start, decode takes a record's own hash on trust: what it says is in the
// rows, and Pebble has checked the bytes of every block it read. To hash a
// gigabyte again would take longer than all the rest.
func checkKept(r pebble.Reader, m Marker, decode func(raw []byte) (Record, error), fn func(Record) error) error {
	end, err := walkLog(r, m.beforeKept(), m.Seq, decode, false, fn)
	if err != nil {
		return err
	}
	if m.Seq > 0 && end != m.Position {
		return corruptf("log record %d has hash %v, state hash %x; the marker of the rows says %v, %x",
			m.Seq, end.Hash, end.StateHash, m.Hash, m.StateHash)
	}
	return nil
}

// Marker is how far the log is folded into the rows, and from where on it is
// kept.
func (s *Store) Marker() Marker { return *s.marker.Load() }

// End is the position of the last durable record.
func (s *Store) End() Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end
}

// Incarnation distinguishes this log from others that went through the same sequences: a backup has another one, and so
// has what is restored. A directory that was copied by other means has the same.
func (s *Store) Incarnation() uint64 { return s.incarnation }

// Failed is nil, or ErrFailed with the cause.
func (s *Store) Failed() error { return s.fuse.failed() }

// Close folds what is published, writes HEAD and closes the directory. The
// caller has stopped committing and reading. After a storage failure it stops
// the goroutines that can be stopped and leaves everything else, the lock
// included, to the end of the process; it never hangs, and returns ErrFailed.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return ErrClosed
	}
	s.fuse.running.Store(false)
	close(s.stop)
	done := make(chan error, 1)
	go func() {
		s.workers.Wait()
		if s.fuse.failed() != nil && !s.o.ReadOnly {
			return
		}
		var err error
		if !s.o.ReadOnly {
			err = s.head.write(s.End())
			err = errors.Join(err, s.head.f.Close())
		}
		err = errors.Join(err, s.db.Close(), s.lock.Close())
		if s.health != nil {
			err = errors.Join(err, s.health.Close())
		}
		done <- err
	}()
	dead := s.fuse.dead
	if s.o.ReadOnly {
		dead = s.fuse.stuck
	}
	select {
	case err := <-done:
		s.wakers.all()
		return err
	case <-dead:
		s.wakers.all()
		return s.fuse.failed()
	}
}

// keepHead syncs HEAD after the log.
func (s *Store) keepHead() {
	defer s.workers.Done()
	timer := time.NewTimer(s.o.HeadInterval)
	defer timer.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-s.fuse.dead:
			return
		case <-s.headWake:
		}
		timer.Reset(s.o.HeadInterval)
		select {
		case <-s.stop:
			return
		case <-s.fuse.dead:
			return
		case <-timer.C:
		}
		if err := s.head.write(s.End()); err != nil {
			s.fail(err)
			return
		}
	}
}

func (s *Store) fail(err error) {
	if s.fuse.failed() == nil {
		s.log.Error("storage failed, writes are refused until a restart", "cause", err)
	}
	s.fuse.blow(err)
}

// LogKept says how much of the log is kept.
func (s *Store) LogKept() Keep { return s.o.KeepLog }
