package engine

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/stock"
	"holdfast/persist"
)

// This file owns the tests of rows that another program wrote. The other program is this one with its encoders changed.

var update = flag.Bool("update", false, "write the encodings of the present format again")

// What of a row is in a golden directory is few of what may be in one. Here is every field, and none, of each kind. It
// holds a part of invariant 5.
func TestEncodingsAreOfTheFormat(t *testing.T) {
	var b bytes.Buffer
	for _, k := range schema {
		for _, full := range []bool{false, true} {
			row, _ := k.Example(full)
			fmt.Fprintf(&b, "%s %q\n", k.TableName(), row)
		}
	}
	file := fmt.Sprintf("testdata/encoding-%d.txt", persist.Format)
	if *update {
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.Split(string(want), "\n"), strings.Split(b.String(), "\n"),
		"rows are written otherwise than the format says: persist.Format moves, once for all changes between two "+
			"releases, and make golden writes what belongs to the new number")
}

// otherwise is the byte in front of a row that the other program wrote.
const otherwise = 0xEE

// other makes a kind write its rows as the other program does, until present is called; both then read both. restore
// puts it back as it was.
func other(k base.KindOf) (present, restore func()) {
	kind := reflect.ValueOf(k).Elem()
	was := reflect.New(kind.Type()).Elem()
	was.Set(kind)
	// with has a function of the kind called with another value for one of its arguments.
	with := func(name string, arg int, value func([]byte) []byte) {
		if f := was.FieldByName(name); !f.IsNil() {
			kind.FieldByName(name).Set(reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
				args[arg] = reflect.ValueOf(value(args[arg].Bytes()))
				return f.Call(args)
			}))
		}
	}
	own := func(b []byte) []byte {
		if len(b) > 0 && b[0] == otherwise {
			return b[1:]
		}
		return b
	}
	with("Encode", 0, func(dst []byte) []byte { return append(dst, otherwise) })
	with("Decode", 2, own)
	with("Knows", 0, own)
	if tag := k.TableTag(); tag != base.TagIdempotency && tag != base.TagBody && tag != base.TagAttempt {
		// these sum the bytes
		with("Scan", 2, own)
	}
	return func() { kind.FieldByName("Encode").Set(was.FieldByName("Encode")) }, func() { kind.Set(was) }
}

// restored puts a kind back as it was.
func restored[R any](k *base.Kind[R]) func() {
	was := *k
	return func() { *k = was }
}

// asOther has all kinds, or those named, write as the other program does, until present is called.
func asOther(t *testing.T, tags ...byte) (present func()) {
	var back []func()
	for _, k := range schema {
		if len(tags) == 0 || bytes.IndexByte(tags, k.TableTag()) >= 0 {
			present, restore := other(k)
			t.Cleanup(restore)
			back = append(back, present)
		}
	}
	return func() {
		for _, f := range back {
			f()
		}
	}
}

// close is shut without a look at the state, which another program's encoders would not find in order.
func (s *shop) close() {
	require.NoError(s.T, s.Engine.Close())
	require.NoError(s.T, s.store.Close())
}

// trade makes rows of many kinds, and changes and deletes some.
func (s *shop) trade(name string) {
	s.T.Helper()
	gone := s.tag(name+" gone", label.TagCustomers)
	s.do(label.DeleteTag{ID: gone})
	s.tag(name, label.TagCustomers)
	sku := s.sku()
	article := s.article(sku, 4)
	item := base.Item{SKU: sku}
	s.book(item, s.now+day, s.now+2*day, 1)
	made := s.book(base.Item{Article: article}, s.now+day, s.now+3*day, 1)
	s.do(hold.ReleaseHold{ID: made.ID})
	s.rent(item, s.now+day, s.now+2*day, 1)
	_, err := s.Do(Command{Account: s.acc, Actor: "test",
		Op:   label.CreateTag{TagFields: label.TagFields{Value: name + " once", Scope: label.TagOrders}},
		Idem: &Idempotency{Key: base.MakeID(s.now, base.Base{Lo: uint64(len(name))})}})
	require.NoError(s.T, err)
	s.now += hour
}

// rows are the stored rows of a closed shop as they are behind the whole log.
func (s *shop) rows() map[string]string {
	store, err := persist.Open(persist.Options{Dir: "data", FS: s.fs, ReadOnly: true})
	require.NoError(s.T, err)
	defer store.Close()
	rows := map[string]string{}
	require.NoError(s.T, store.ScanRows(1, func(_ int, tag byte, key, value []byte) error {
		rows[string(append([]byte{tag}, key...))] = string(value)
		return nil
	}))
	require.NoError(s.T, store.Tail(func(r persist.Record) error {
		for c := range r.Changes() {
			row := string(append([]byte{c.Table}, c.Key...))
			if rows[row] = string(c.After); c.After == nil {
				delete(rows, row)
			}
		}
		return nil
	}))
	return rows
}

// judged demands that the closed shop is found in order by a reader that changes nothing.
func (s *shop) judged() {
	s.T.Helper()
	_, err := persist.Verify("data", persist.VerifyOptions{FS: s.fs,
		Check: func(store *persist.Store) error { return Verify(s.T.Context(), store, s.now) }})
	require.NoError(s.T, err)
}

// back takes the closed shop back to a sequence of its log.
func (s *shop) back(seq uint64) {
	s.T.Helper()
	_, err := persist.Restore(s.T.Context(),
		persist.RestoreOptions{FS: s.fs, From: "data", To: "then", At: persist.AtSeq(seq), RowHash: base.RowHash,
			Mark: Mark})
	require.NoError(s.T, err)
	require.NoError(s.T, s.fs.RemoveAll("data"))
	require.NoError(s.T, s.fs.Rename("then", "data"))
}

func TestRowsOfAnotherProgramAreWrittenAnew(t *testing.T) {
	for _, folded := range []bool{false, true} {
		t.Run(fmt.Sprint("folded ", folded), func(t *testing.T) {
			present := asOther(t)
			s := newShop(t)
			s.hook(base.OrderCreated)
			s.trade("one")
			if folded {
				s.reopen()
			}
			s.trade("two")
			oldSeq, oldHash := s.State()
			sequence := s.view().Sequence()
			told, err := s.feed(s.acc, 0, 1<<20)
			require.NoError(t, err)
			s.close()
			present()
			before := s.rows()
			s.judged()
			require.Equal(t, before, s.rows())

			s.open()
			seq, hash := s.State()
			require.Greater(t, seq, oldSeq)
			require.NotEqual(t, oldHash, hash)
			require.NoError(t, s.Check())
			require.Equal(t, sequence, s.view().Sequence())
			require.Equal(t, persist.Form{Format: persist.Format, Encoding: rowEncoding(), Since: seq}, s.store.Form())
			again, err := s.feed(s.acc, 0, 1<<20)
			require.NoError(t, err)
			require.Equal(t, told, again, "the feed does not tell of it")
			s.close()
			after := s.rows()
			require.Len(t, after, len(before))
			for row, value := range before {
				require.Equal(t, value, string([]byte{otherwise})+after[row])
			}
			s.open()
			gotSeq, gotHash := s.State()
			require.Equal(t, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash}, "the second start writes nothing")
			s.trade("three")
			s.reopen()
			s.close()
			s.judged()

			// Back to before: the bytes of then, with which all goes the same way again.
			s.back(oldSeq)
			require.Equal(t, before, s.rows())
			s.judged()
			s.open()
			_, gotHash = s.State()
			require.Equal(t, hash, gotHash)
			s.trade("four")
			s.reopen()
		})
	}
}

// A start that was cut short at any record is gone on with by the next: a directory that is taken back to that record
// is the one that was left.
func TestAStartThatWritesRowsAnewMayBeCutShort(t *testing.T) {
	defer func(n int) { rewriteBytes = n }(rewriteBytes)
	rewriteBytes = 700
	present := asOther(t)
	s := newShop(t)
	s.hook(base.OrderCreated)
	s.trade("one")
	s.trade("two")
	oldSeq, _ := s.State()
	s.close()
	present()
	s.open()
	seq, hash := s.State()
	require.Greater(t, seq, oldSeq+5)
	for cut := seq - 1; cut >= oldSeq; cut-- {
		s.close()
		s.back(cut)
		s.judged()
		s.open()
		gotSeq, gotHash := s.State()
		require.Equal(t, hash, gotHash)
		require.Equal(t, seq, gotSeq)
		require.NoError(t, s.Check())
	}
	s.trade("three")
	s.reopen()
}

// A member that every row has is written into the old ones; one that is left out where it is empty changes none.
func TestANewMember(t *testing.T) {
	for _, always := range []bool{true, false} {
		t.Run(fmt.Sprint("always written ", always), func(t *testing.T) {
			t.Cleanup(restored(stock.SKUKind))
			encode := stock.SKUKind.Encode
			stock.SKUKind.Encode = func(dst []byte, r *stock.SKU) []byte { // by the program that did not know it
				was := *r
				was.Tags = nil
				b := encode(nil, &was)
				if always {
					b = bytes.Replace(b, []byte(`,"Description":null`), nil, 1)
				}
				return append(dst, b...)
			}
			s := newShop(t)
			first, second := s.sku(), s.sku()
			s.do(stock.DeleteSKU{ID: second})
			seq, hash := s.State()
			sequence, was := s.view().Sequence(), *stock.SKUByID(s.view(), first)
			s.reopen()
			s.close()
			before := s.rows()
			stock.SKUKind.Encode = encode
			s.judged()
			s.open()
			gotSeq, gotHash := s.State()
			require.Equal(t, always, gotSeq > seq)
			require.Equal(t, always, gotHash != hash)
			require.Equal(t, sequence, s.view().Sequence())
			require.Equal(t, was, *stock.SKUByID(s.view(), first))
			s.do(stock.PatchSKU{ID: first, Fields: base.Changed(stock.SKUFields{Name: "Other"})})
			s.reopen()
			s.close()
			s.back(seq)
			require.Equal(t, before, s.rows())
			s.open()
		})
	}
}

// A kind may leave its form: what was one row becomes several.
func TestARowBecomesSeveral(t *testing.T) {
	present := asOther(t, base.TagTag)
	encode, decode := label.TagKind.Encode, label.TagKind.Decode
	s := newShop(t)
	s.trade("one")
	s.reopen()
	s.trade("two")
	seq, _ := s.State()
	tags := label.Tags(s.view()).Len()
	s.close()
	present()
	encode = label.TagKind.Encode
	label.TagKind.Older = func(account, id base.ID, b []byte) ([]base.Image, bool, error) {
		if b[0] != otherwise {
			return nil, false, nil
		}
		r, err := decode(account, id, b)
		if err != nil {
			return nil, true, err
		}
		part := label.Tag{ID: base.ID(bytes.Clone(id[:])),
			TagFields: label.TagFields{Value: r.Value + " part", Scope: r.Scope}}
		part.ID[15] ^= 0x80
		return []base.Image{{Tag: base.TagTag, ID: id, Value: encode(nil, r)},
			{Tag: base.TagTag, ID: part.ID, Value: encode(nil, &part)}}, true, nil
	}
	for range 2 {
		s.judged()
		s.open()
		require.Equal(t, 2*tags, label.Tags(s.view()).Len())
		require.NoError(t, s.Check())
		s.trade("three")
		s.reopen()
		s.close()
		s.back(seq)
	}
	s.open()
}

// What this program would lose, it refuses before anything is changed.
func TestARowOfANewerProgramIsRefused(t *testing.T) {
	for name, newer := range map[string]func(b []byte) []byte{
		"version 2":   func(b []byte) []byte { return append([]byte{2}, b[1:]...) },
		`field "New"`: func(b []byte) []byte { return append(b[:len(b)-1], `,"New":1}`...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(restored(stock.SKUKind))
			encode := stock.SKUKind.Encode
			stock.SKUKind.Encode = func(dst []byte, r *stock.SKU) []byte {
				return append(dst, newer(encode(nil, r))...)
			}
			s := newShop(t)
			s.sku()
			s.close()
			before := s.rows()
			stock.SKUKind.Encode = encode
			store, err := persist.Open(persist.Options{Dir: "data", FS: s.fs})
			require.NoError(t, err)
			form := store.Form()
			_, err = Open(t.Context(),
				Options{Store: store, Now: func() int64 { return s.now }, Random: func() (b [10]byte) { return b }})
			require.ErrorIs(t, err, persist.ErrNewerFormat)
			require.ErrorContains(t, err, name)
			require.ErrorContains(t, err, "SKU")
			require.Equal(t, form, store.Form())
			require.NoError(t, store.Close())
			require.Equal(t, before, s.rows())
			require.NoError(t, s.fs.RemoveAll("data"))
			s.open()
		})
	}
}
