package persist

// This file owns the form of a directory: its format number, and how its rows are written.

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Format is the number of the directory format this program writes. It moves
// with every change of what is stored; a directory with a higher number is
// refused. doc.go says what else belongs to such a change.
const Format = 8

// form is what HEAD says of how the directory is written.
type form struct {
	encoding Hash     // of the rows, as the program that wrote them names it; zero: they have several
	since    uint64   // the last record after which it was so
	begins   []uint64 // the first record that may be of format 2, 3 and so on up to the directory's
}

// mostFormats is how many format numbers a head file has room for.
const mostFormats = 1 + (slotSum-slotForm-hashSize-8)/8

// newForm is the form of a directory in which nothing was written yet.
func newForm() form { return form{begins: make([]uint64, Format-1)} }

func (f form) number() uint32 { return uint32(len(f.begins)) + 1 }

// at is the form of a directory that is taken back to the record seq: its
// format number is the one of then, so that the program of then opens it.
func (f form) at(seq uint64) form {
	n := 0
	for n < len(f.begins) && f.begins[n] <= seq {
		n++
	}
	f.begins = f.begins[:n]
	if f.since > seq {
		f.encoding, f.since = Hash{}, 0
	}
	return f
}

func (f form) encode(b []byte) {
	copy(b, f.encoding[:])
	binary.LittleEndian.PutUint64(b[hashSize:], f.since)
	for i, seq := range f.begins {
		binary.LittleEndian.PutUint64(b[hashSize+8+8*i:], seq)
	}
}

// decodeForm reads what encode wrote. A number that is too high for the room is
// too high for this program, too.
func decodeForm(number uint32, b []byte) form {
	f := form{since: binary.LittleEndian.Uint64(b[hashSize:])}
	copy(f.encoding[:], b)
	f.begins = make([]uint64, min(max(number, 1), mostFormats)-1)
	for i := range f.begins {
		f.begins[i] = binary.LittleEndian.Uint64(b[hashSize+8+8*i:])
	}
	return f
}

// Form is what a directory says of how it is written.
type Form struct {
	Format      uint32 // its number
	Encoding    Hash   // what Rewritten was called with; zero where it is not known, or of several kinds
	Since       uint64 // the rows as of this record and later ones are of Encoding, and so are the records after it
	Incarnation uint64 // see Store.Incarnation; FormOf alone says it
}

// FormOf says how a directory is written, and reads nothing else of it. It gives ErrNoStore if nothing was written yet,
// and ErrHeadLost if the form is not known.
func FormOf(dir string) (Form, error) {
	f := newPrivateFS(vfs.Default)
	st, err := readHead(f, dir)
	if err != nil || st.valid {
		form := st.form.public()
		form.Incarnation = st.Incarnation
		return form, err
	}
	switch names, err := list(f, dir); {
	case err != nil:
		return Form{}, err
	case !slices.ContainsFunc(names, isPebbleFile):
		return Form{}, fmt.Errorf("%w: %s", ErrNoStore, dir)
	}
	return Form{}, headLost(dir)
}

// Form says how the directory is written.
func (s *Store) Form() Form { return s.form.Load().public() }

func (f form) public() Form { return Form{Format: f.number(), Encoding: f.encoding, Since: f.since} }

// Rewriting gives the directory this program's format number and takes its
// encoding away, before the first row in it is written anew: from here on an
// older program refuses it. It is durable when it returns.
func (s *Store) Rewriting() error {
	f := form{begins: slices.Clone(s.form.Load().begins)}
	for len(f.begins) < Format-1 {
		f.begins = append(f.begins, s.End().Seq+1)
	}
	return s.reform(f)
}

// Rewritten says that all rows are of an encoding, as of the last durable
// record. It is durable when it returns.
func (s *Store) Rewritten(encoding Hash) error {
	return s.reform(form{encoding: encoding, since: s.End().Seq, begins: s.form.Load().begins})
}

func (s *Store) reform(f form) error {
	if s.o.ReadOnly {
		return ErrReadOnly
	}
	if err := s.guarded(func() error { return s.head.reform(s.End(), f) }); err != nil {
		return err
	}
	s.form.Store(&f)
	return nil
}
