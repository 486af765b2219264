package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// This file owns the disk: a file system in memory that knows what was synced, and meets with one mishap at an
// operation that was drawn before.

// mishap is what happens to a disk.
type mishap int

const (
	nothing     mishap = iota
	powerCut           // what is synced stays, of the rest what the dice say
	failOnce           // one operation fails; of a sync, what it was to sync may be lost for good
	failOn             // that one and all after it
	diskFull           // nothing that takes room can be written any more, until there is room again
	noRoomAtAll        // nor can anything be written in place, as where files are never changed in place
)

func (m mishap) String() string {
	return [...]string{"no mishap", "power cut", "one failure", "failing for good", "disk full",
		"disk full, also in place"}[m]
}

// counted says which operations are counted on the way to a mishap.
type counted int

const (
	all     counted = iota
	ordered         // all except removals, which Pebble leaves to a goroutine
	steps           // syncs of the log, and operations on HEAD where it moves on
)

func (c counted) has(op, base string) bool {
	switch c {
	case ordered:
		return op != "remove"
	case steps:
		return base == headName && op != idle || op == "sync" && strings.HasSuffix(base, ".log")
	}
	return true
}

// idle is an operation on HEAD that says what it said: how many there are is left to a timer.
const idle = "repeat"

// sector is what a disk writes whole or not at all.
const sector = 512

// disk is a file system of one directory. Its methods may be called concurrently.
type disk struct {
	mu     sync.Mutex
	quiet  sync.Cond // of mu: hold has changed
	names  map[string]*inode
	synced map[string]*inode // the names as they are on the disk
	moves  []move            // of names, since the directory was synced
	locked map[string]bool

	dice    *rand.Rand
	counts  counted
	due     int // operations until the mishap; 0: none is to come
	what    mishap
	chance  int  // of each sector and name that is not synced, in percent, to outlast a power cut
	struck  bool // the mishap has come
	at      string
	left    *disk // what a power cut left
	hold    bool  // HEAD is not written
	headSeq uint64
	goesOn  bool // HEAD is being given another sequence
}

// inode is a file. Its bytes are never changed in place but under the disk's lock.
type inode struct {
	data    []byte
	durable []byte
	pending []write // since the last sync
}

type write struct {
	at   int
	data []byte
}

// move is one change of names: all of it outlasts a power cut, or nothing does.
type move []struct {
	name string
	is   *inode // nil: there is none any more
}

func newDisk() *disk {
	d := &disk{names: map[string]*inode{}, synced: map[string]*inode{}, locked: map[string]bool{}}
	d.quiet.L = &d.mu
	return d
}

// arm makes a mishap come at the n-th counted operation from now on.
func (d *disk) arm(what mishap, n, chance int, of counted, dice *rand.Rand) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.what, d.due, d.chance, d.counts, d.dice, d.struck = what, n, chance, of, dice, false
}

// heal ends the mishap, or calls it off.
func (d *disk) heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.what, d.due, d.struck = nothing, 0, false
}

// met says whether the mishap has come, and at what.
func (d *disk) met() (bool, string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.struck, d.at
}

// holdHead makes writers of HEAD wait, or lets them write again.
func (d *disk) holdHead(hold bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = hold
	d.quiet.Broadcast()
}

// head is the sequence that HEAD names durably.
func (d *disk) head() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.headSeq
}

const headName = "HEAD"

// before is asked in front of each operation, with the lock held, and says whether it fails. room: it takes more of the
// disk.
func (d *disk) before(op, name string, room bool) error {
	base := path.Base(name)
	if d.struck {
		switch {
		case d.what == failOn:
			return fmt.Errorf("%s %s: %w", op, base, syscall.EIO)
		case d.what == diskFull && room, d.what == noRoomAtAll && (room || op == "write" || op == idle):
			return fmt.Errorf("%s %s: %w", op, base, syscall.ENOSPC)
		}
		return nil
	}
	if !d.counts.has(op, base) {
		return nil
	}
	if d.due == 0 {
		return nil
	}
	if d.due--; d.due > 0 {
		return nil
	}
	d.struck, d.at = true, op+" "+kindOf(base)
	switch d.what {
	case powerCut:
		d.left = d.remains(d.chance, d.dice)
	case failOnce, failOn:
		return fmt.Errorf("%s: %w", d.at, syscall.EIO)
	case diskFull, noRoomAtAll:
		if room || d.what == noRoomAtAll && op == "write" {
			return fmt.Errorf("%s: %w", d.at, syscall.ENOSPC)
		}
	}
	return nil
}

// after is what a restart finds: of what was not synced, as much as the chance says.
func (d *disk) after(chance int, dice *rand.Rand) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.remains(chance, dice)
}

func (d *disk) remains(chance int, dice *rand.Rand) *disk {
	luck := dice.Uint64()
	// Each name and each sector has a throw of its own, so that none depends on how much else is not synced.
	stays := func(name string, at int) bool {
		h := fnv.New64a()
		_, _ = io.WriteString(h, name)
		return rand.New(rand.NewPCG(luck^h.Sum64(), uint64(at))).IntN(100) < chance
	}
	to := newDisk()
	names := maps.Clone(d.synced)
	for _, m := range d.moves {
		if !stays(m[len(m)-1].name, len(m)) {
			continue
		}
		for _, x := range m {
			if x.is == nil {
				delete(names, x.name)
			} else {
				names[x.name] = x.is
			}
		}
	}
	copies := map[*inode]*inode{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		n := names[name]
		if copies[n] == nil {
			left := slices.Clone(n.durable)
			for _, w := range n.pending {
				for from := 0; from < len(w.data); {
					end := min((w.at+from)/sector*sector+sector-w.at, len(w.data))
					if stays(kindOf(path.Base(name)), (w.at+from)/sector) {
						left = put(left, w.at+from, w.data[from:end])
					}
					from = end
				}
			}
			copies[n] = &inode{data: left, durable: slices.Clone(left)}
		}
		to.names[name] = copies[n]
		to.synced[name] = copies[n]
	}
	return to
}

// put writes bytes into a file's, which it makes longer where it must.
func put(b []byte, at int, data []byte) []byte {
	if n := at + len(data); n > len(b) {
		b = append(b, make([]byte, n-len(b))...)
	}
	copy(b[at:], data)
	return b
}

func (d *disk) rename(m move) {
	for _, x := range m {
		if x.is == nil {
			delete(d.names, x.name)
		} else {
			d.names[x.name] = x.is
		}
	}
	d.moves = append(d.moves, m)
}

func missing(op, name string) error { return &os.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

func (d *disk) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.before("create", name, true); err != nil {
		return nil, err
	}
	n := new(inode)
	d.rename(move{{name, n}})
	return &file{disk: d, name: name, inode: n}, nil
}

func (d *disk) Link(old, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.before("link", name, true); err != nil {
		return err
	}
	n := d.names[old]
	if n == nil {
		return missing("link", old)
	}
	if d.names[name] != nil {
		return &os.LinkError{Op: "link", Old: old, New: name, Err: fs.ErrExist}
	}
	d.rename(move{{name, n}})
	return nil
}

func (d *disk) Open(name string, _ ...vfs.OpenOption) (vfs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.names[name]
	if n == nil {
		return nil, missing("open", name)
	}
	return &file{disk: d, name: name, inode: n}, nil
}

func (d *disk) OpenReadWrite(name string, _ vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return d.Open(name, o...)
}

func (d *disk) OpenDir(name string) (vfs.File, error) { return &file{disk: d, name: name}, nil }

func (d *disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.before("remove", name, false); err != nil {
		return err
	}
	if d.names[name] == nil {
		return missing("remove", name)
	}
	d.rename(move{{name, nil}})
	return nil
}

// RemoveAll is for backups, which are not simulated.
func (d *disk) RemoveAll(name string) error { return errors.ErrUnsupported }

func (d *disk) Rename(old, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.renamed("rename", old, name)
}

func (d *disk) renamed(op, old, name string) error {
	if err := d.before(op, name, false); err != nil {
		return err
	}
	n := d.names[old]
	if n == nil {
		return missing(op, old)
	}
	d.rename(move{{old, nil}, {name, n}})
	return nil
}

func (d *disk) ReuseForWrite(old, name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.renamed("reuse", old, name); err != nil {
		return nil, err
	}
	return &file{disk: d, name: name, inode: d.names[name]}, nil
}

// MkdirAll has nothing to do: the one directory is there.
func (d *disk) MkdirAll(string, os.FileMode) error { return nil }

func (d *disk) Lock(name string) (io.Closer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.locked[name] {
		return nil, syscall.EAGAIN
	}
	d.locked[name] = true
	return unlock(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.locked, name)
	}), nil
}

type unlock func()

func (u unlock) Close() error {
	u()
	return nil
}

func (d *disk) List(dir string) (list []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range d.names {
		if path.Dir(name) == dir {
			list = append(list, path.Base(name))
		}
	}
	slices.Sort(list)
	return list, nil
}

func (d *disk) Stat(name string) (vfs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if name == dir || name == "/" {
		return info{name: name, dir: true}, nil
	}
	n := d.names[name]
	if n == nil {
		return nil, missing("stat", name)
	}
	return info{name: name, size: len(n.data)}, nil
}

func (d *disk) PathBase(name string) string     { return path.Base(name) }
func (d *disk) PathJoin(parts ...string) string { return path.Join(parts...) }
func (d *disk) PathDir(name string) string      { return path.Dir(name) }
func (d *disk) Unwrap() vfs.FS                  { return nil }

func (d *disk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: 1 << 30, TotalBytes: 1 << 30}, nil
}

// file is an open file, or the directory, which has no inode.
type file struct {
	disk   *disk
	name   string
	inode  *inode
	offset int
}

func (f *file) Close() error { return nil }

func (f *file) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, int64(f.offset))
	f.offset += n
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *file) ReadAt(p []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if int(at) >= len(f.inode.data) {
		return 0, io.EOF
	}
	n := copy(p, f.inode.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, int64(f.offset))
	f.offset += n
	return n, err
}

func (f *file) WriteAt(p []byte, at int64) (int, error) {
	d := f.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.hold && path.Base(f.name) == headName {
		d.quiet.Wait()
	}
	op := "write"
	if path.Base(f.name) == headName {
		if d.goesOn = sequence(p) != d.headSeq; !d.goesOn {
			op = idle
		}
	}
	if err := d.before(op, f.name, int(at)+len(p) > len(f.inode.data)); err != nil {
		return 0, err
	}
	f.inode.data = put(f.inode.data, int(at), p)
	if n := len(f.inode.pending); n > 0 && f.inode.pending[n-1].at+len(f.inode.pending[n-1].data) == int(at) {
		last := &f.inode.pending[n-1] // so that it makes no difference in how many parts bytes are written
		last.data = append(last.data, p...)
	} else {
		f.inode.pending = append(f.inode.pending, write{int(at), slices.Clone(p)})
	}
	return len(p), nil
}

func (f *file) Sync() error {
	d := f.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if f.inode == nil {
		if err := d.before("sync", f.name, false); err != nil {
			return err
		}
		for _, m := range d.moves {
			for _, x := range m {
				if x.is == nil {
					delete(d.synced, x.name)
				} else {
					d.synced[x.name] = x.is
				}
			}
		}
		d.moves = nil
		return nil
	}
	op := "sync"
	if path.Base(f.name) == headName && !d.goesOn {
		op = idle
	}
	if err := d.before(op, f.name, false); err != nil {
		// The kernel takes the pages for clean, though they are not on the disk: no later sync writes them.
		if d.dice.IntN(2) == 0 {
			f.inode.pending = nil
		}
		return err
	}
	for _, w := range f.inode.pending {
		f.inode.durable = put(f.inode.durable, w.at, w.data)
	}
	f.inode.pending = f.inode.pending[:0]
	if path.Base(f.name) == headName {
		d.headSeq = named(f.inode.durable)
	}
	return nil
}

func (f *file) SyncData() error { return f.Sync() }

func (f *file) SyncTo(int64) (bool, error) { return true, f.Sync() }

func (f *file) Preallocate(int64, int64) error { return nil }
func (f *file) Prefetch(int64, int64) error    { return nil }
func (f *file) Fd() uintptr                    { return vfs.InvalidFd }

func (f *file) Stat() (vfs.FileInfo, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.inode == nil {
		return info{name: f.name, dir: true}, nil
	}
	return info{name: f.name, size: len(f.inode.data)}, nil
}

type info struct {
	name string
	size int
	dir  bool
}

func (i info) Name() string           { return path.Base(i.name) }
func (i info) Size() int64            { return int64(i.size) }
func (i info) ModTime() time.Time     { return time.Time{} }
func (i info) IsDir() bool            { return i.dir }
func (i info) Sys() any               { return nil }
func (i info) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }

func (i info) Mode() os.FileMode {
	if i.dir {
		return os.ModeDir | 0o700
	}
	return 0o600
}

// cut says whether the power has failed: answers do not reach clients any more.
func (d *disk) cut() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.left != nil
}

// kindOf is a file's name without its number.
func kindOf(name string) string {
	if parts := strings.Split(name, "."); parts[0] == "marker" {
		return "marker." + parts[1]
	}
	if ext := path.Ext(name); ext != "" {
		return ext
	}
	kind, _, _ := strings.Cut(name, "-")
	return strings.TrimRight(kind, ".0123456789")
}

// sequence is what a slot of HEAD says (persist/head.go).
func sequence(slot []byte) uint64 { return binary.LittleEndian.Uint64(slot[32:]) }

// named is the sequence that the newer of HEAD's two slots says.
func named(head []byte) (seq uint64) {
	for slot := 0; slot+4096 <= len(head); slot += 4096 {
		seq = max(seq, sequence(head[slot:]))
	}
	return seq
}
