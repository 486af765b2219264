package persist

// This file owns the head file: how far the log was synced, and in which format the directory is.

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The file HEAD says how far the log was synced. Pebble takes a damaged last
// block of its write-ahead log for a torn write and drops it without a word;
// HEAD is what notices. It has two slots of one block each, written in turn,
// so a torn write of one leaves the other. A slot, little-endian:
//
//	   0  magic:8 ("HOLDFAST"), format number:4, zero:4
//	  16  generation:8       the valid slot of the higher one counts
//	  24  incarnation:8
//	  32  sequence:8
//	  40  record hash:32
//	  72  form (form.go): encoding:32, since:8, begin of each format from 2 on:8
//	      zero
//	4064  SHA-256:32 of the 4064 bytes before
//
// The places of magic, format number and checksum are the same in every
// format.
const (
	headName  = "HEAD"
	headMagic = "HOLDFAST"
	slotSize  = 4096
	slotForm  = 72
	slotSum   = slotSize - sha256.Size
)

// head is what HEAD says.
type head struct {
	form
	Generation  uint64
	Incarnation uint64
	Seq         uint64
	Hash        Hash
}

func (h head) encode(b []byte) {
	clear(b[:slotSize])
	copy(b, headMagic)
	binary.LittleEndian.PutUint32(b[8:], h.number())
	binary.LittleEndian.PutUint64(b[16:], h.Generation)
	binary.LittleEndian.PutUint64(b[24:], h.Incarnation)
	binary.LittleEndian.PutUint64(b[32:], h.Seq)
	copy(b[40:], h.Hash[:])
	h.form.encode(b[slotForm:slotSum])
	sum := sha256.Sum256(b[:slotSum])
	copy(b[slotSum:], sum[:])
}

func decodeHead(b []byte) (h head, ok bool) {
	if len(b) != slotSize || string(b[:8]) != headMagic || sha256.Sum256(b[:slotSum]) != Hash(b[slotSum:]) {
		return h, false
	}
	h.form = decodeForm(binary.LittleEndian.Uint32(b[8:]), b[slotForm:slotSum])
	h.Generation = binary.LittleEndian.Uint64(b[16:])
	h.Incarnation = binary.LittleEndian.Uint64(b[24:])
	h.Seq = binary.LittleEndian.Uint64(b[32:])
	copy(h.Hash[:], b[40:])
	return h, true
}

// headState is what was found of HEAD.
type headState struct {
	head
	valid bool // at least one slot reads
	slot  int  // the slot head is from
	bad   int  // slots that do not read
}

// readHead reads HEAD of dir. A file that is not there or does not read is no
// error; a newer format is.
func readHead(f vfs.FS, dir string) (headState, error) {
	var st headState
	file, err := f.Open(f.PathJoin(dir, headName))
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err != nil {
		return st, err
	}
	b, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return st, fmt.Errorf("read %s: %w", headName, err)
	}
	if st, err = parseHead(b); err != nil {
		err = fmt.Errorf("%s: %w", dir, err)
	}
	return st, err
}

// parseHead reads the bytes of a HEAD.
func parseHead(b []byte) (headState, error) {
	var st headState
	for slot := range 2 {
		lo, hi := min(slot*slotSize, len(b)), min((slot+1)*slotSize, len(b))
		h, ok := decodeHead(b[lo:hi])
		if !ok {
			st.bad++
			continue
		}
		if number := binary.LittleEndian.Uint32(b[lo+8:]); number > Format {
			return st, fmt.Errorf("%w: the directory has format %d, this program knows formats up to %d: use the "+
				"program that wrote it, or a newer one",
				ErrNewerFormat, number, Format)
		}
		if !st.valid || h.Generation > st.Generation {
			st.valid, st.head, st.slot = true, h, slot
		}
	}
	return st, nil
}

// headFile is HEAD open for writing.
type headFile struct {
	f    vfs.File
	mu   sync.Mutex // guards what follows
	last head
	slot int // written last
	buf  [slotSize]byte
}

// createHead makes a HEAD with both slots at the position, durably, under a
// new incarnation and of that form. The file gets its name only when its bytes
// are on disk.
func createHead(f vfs.FS, dir string, at Position, in form) (uint64, error) {
	var inc [8]byte
	rand.Read(inc[:])
	h := head{
		form:        in,
		Incarnation: max(binary.LittleEndian.Uint64(inc[:]), 1),
		Seq:         at.Seq,
		Hash:        at.Hash,
	}
	path := f.PathJoin(dir, headName)
	file, err := f.Create(path+".new", vfs.WriteCategoryUnspecified)
	if err != nil {
		return 0, err
	}
	var buf [slotSize]byte
	for g := range 2 {
		h.Generation = uint64(g + 1)
		h.encode(buf[:])
		if _, err = file.Write(buf[:]); err != nil {
			break
		}
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, err
	}
	if err := f.Rename(path+".new", path); err != nil {
		return 0, err
	}
	return h.Incarnation, syncDir(f, dir)
}

func openHead(f vfs.FS, dir string, st headState) (*headFile, error) {
	file, err := f.OpenReadWrite(f.PathJoin(dir, headName), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	return &headFile{f: file, last: st.head, slot: st.slot}, nil
}

// write makes HEAD name a position that is durable in the log.
func (h *headFile) write(p Position) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.put(p, h.last.form)
}

// reform makes both slots say that the directory is of a form, so that none is
// left which says otherwise.
func (h *headFile) reform(p Position, in form) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return errors.Join(h.put(p, in), h.put(p, in))
}

func (h *headFile) put(p Position, in form) error {
	next := h.last
	next.form, next.Seq, next.Hash = in, p.Seq, p.Hash
	next.Generation++
	next.encode(h.buf[:])
	slot := 1 - h.slot
	if _, err := h.f.WriteAt(h.buf[:], int64(slot)*slotSize); err != nil {
		return fmt.Errorf("write %s: %w", headName, err)
	}
	if err := h.f.SyncData(); err != nil {
		return fmt.Errorf("sync %s: %w", headName, err)
	}
	h.last, h.slot = next, slot
	return nil
}
