package persist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// A restore to a point stores what goes with the changes behind it: those in the log that it takes back, and those in
// segments that it does not take.
func TestMarksOfWhatIsBehindThePoint(t *testing.T) {
	mem := vfs.NewMem()
	o := small(mem)
	toy := newToy(newSeed(t))
	s := open(t, o)
	toy.run(t, s, 20)
	var archive bytes.Buffer
	b, err := s.WriteCheckpoint(t.Context(), &archive, nil)
	require.NoError(t, err)
	toy.run(t, s, 20)
	list, _ := pieces(t, s, b.End, 1000)
	require.Greater(t, len(list), 2)
	changed := func(first, last uint64) map[string]string {
		want := map[string]string{}
		for seq := first; seq <= last; seq++ {
			r, err := s.Record(seq)
			require.NoError(t, err)
			for c := range r.Changes() {
				want[fmt.Sprint(c.Table, c.Key)] = "marked"
			}
		}
		return want
	}
	taken, all := changed(13, 20), changed(13, 40)
	mark := func(table byte, key, _ []byte) (Pair, error) {
		return Pair{Key: fmt.Append(nil, table, key), Value: []byte("marked")}, nil
	}
	require.NoError(t, s.Close())

	damaged := SegmentFile{Name: "damaged", Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(list[0][:len(list[0])/2])), nil
	}}
	broken := errors.New("no customer")
	for dir, x := range map[string]struct {
		o    RestoreOptions
		want map[string]string
		says string
	}{
		"/log":     {RestoreOptions{Mark: mark}, taken, ""},
		"/behind":  {RestoreOptions{Mark: mark, Behind: files(list)}, all, ""},
		"/damaged": {RestoreOptions{Mark: mark, Behind: append(files(list), damaged)}, all, "damaged: "},
		"/broken": {RestoreOptions{Mark: func(byte, []byte, []byte) (Pair, error) { return Pair{}, broken }},
			map[string]string{}, "record 13: no customer"},
		"/none": {RestoreOptions{}, map[string]string{}, ""},
	} {
		x.o.FS, x.o.Archive, x.o.To, x.o.At = mem, bytes.NewReader(archive.Bytes()), dir, AtSeq(12)
		b, err := Restore(t.Context(), x.o)
		require.NoError(t, err, dir)
		if x.says == "" {
			require.Empty(t, b.Unmarked, dir)
		} else {
			require.ErrorContains(t, errors.Join(b.Unmarked...), x.says)
		}
		mustHold(t, toy, at(o, dir), 12, 12)
		ro := at(o, dir)
		ro.ReadOnly = true
		made := open(t, ro)
		require.Equal(t, x.want, beside(t, made), dir)
		require.NoError(t, made.Close())
	}
}
