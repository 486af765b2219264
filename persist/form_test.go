package persist

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// This file owns the tests of the form of a directory.

// formerly makes a closed store one of format 1, which no program has said anything of.
func formerly(t *testing.T, mem *vfs.MemFS) {
	t.Helper()
	setHead(t, mem, func(h *head) { h.form = form{} })
}

func formOf(t *testing.T, fs vfs.FS, dir string) Form {
	t.Helper()
	st, err := readHead(fs, dir)
	require.NoError(t, err)
	require.True(t, st.valid)
	return st.public()
}

// TestTheFormMovesOnlyWhenItIsTold holds invariant 11.
func TestTheFormMovesOnlyWhenItIsTold(t *testing.T) {
	mem, toy := written(t, 9)
	formerly(t, mem)
	before := readAll(t, mem, "/data/HEAD")
	_, err := Verify("/data", VerifyOptions{FS: mem})
	require.NoError(t, err)
	require.Equal(t, before, readAll(t, mem, "/data/HEAD"))

	s := open(t, small(mem))
	toy.resume(s)
	toy.run(t, s, 3)
	require.NoError(t, s.Close())
	require.Equal(t, Form{Format: 1}, formOf(t, mem, "/data"), "open, used and closed")

	s = open(t, small(mem))
	toy.resume(s)
	require.NoError(t, s.Rewriting())
	require.Equal(t, Form{Format: Format}, formOf(t, mem, "/data"))
	require.Equal(t, Form{Format: Format}, s.Form())
	b := readAll(t, mem, "/data/HEAD")
	for slot := range 2 {
		h, ok := decodeHead(b[slot*slotSize : (slot+1)*slotSize])
		require.True(t, ok)
		require.EqualValues(t, Format, h.number(), "no slot is left that lets an older program in")
	}
	toy.run(t, s, 3)
	require.NoError(t, s.Rewritten(Hash{7}))
	want := Form{Format: Format, Encoding: Hash{7}, Since: toy.seq}
	require.Equal(t, want, s.Form())
	toy.run(t, s, 3)
	require.NoError(t, s.Close())
	require.Equal(t, want, formOf(t, mem, "/data"), "kept by what is written later")
	require.NoError(t, open(t, small(mem)).Close())
	require.Equal(t, want, formOf(t, mem, "/data"))
}

// A directory that is taken back to before a change of its form is of the form of then, and so is a backup of it.
func TestARestoredDirectoryHasTheFormOfItsPoint(t *testing.T) {
	mem, toy := written(t, 9)
	formerly(t, mem)
	s := open(t, small(mem))
	toy.resume(s)
	var before, archive bytes.Buffer
	from, err := s.WriteCheckpoint(t.Context(), &before, nil)
	require.NoError(t, err)
	require.NoError(t, s.Rewriting())
	toy.run(t, s, 3)
	require.NoError(t, s.Rewritten(Hash{7}))
	toy.run(t, s, 3)
	list, _ := pieces(t, s, from.End, 1)
	require.Len(t, list, 6)
	one, _ := pieces(t, s, from.End, 1<<20)
	require.Len(t, one, 1)
	_, err = s.WriteCheckpoint(t.Context(), &archive, nil)
	require.NoError(t, err)
	_, err = s.Checkpoint(t.Context(), "/copy", nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	whole := Form{Format: Format, Encoding: Hash{7}, Since: 12}
	require.Equal(t, whole, formOf(t, mem, "/copy"))
	for _, c := range []struct {
		seq  uint64
		want Form
	}{
		{15, whole}, {12, whole}, {11, Form{Format: Format}}, {10, Form{Format: Format}}, {9, Form{Format: 1}},
		{1, Form{Format: 1}}, {0, Form{Format: 1}},
	} {
		for name, o := range map[string]RestoreOptions{"archive": {Archive: bytes.NewReader(archive.Bytes())},
			"copy": {From: "/copy"}, "itself": {From: "/data"},
			"pieces": {Archive: bytes.NewReader(before.Bytes()), Segments: files(list)},
			"piece":  {Archive: bytes.NewReader(before.Bytes()), Segments: files(one)}} {
			o.FS, o.To, o.At = mem, "/to", AtSeq(c.seq)
			_, err := Restore(t.Context(), o)
			require.NoError(t, err, name)
			require.Equal(t, c.want, formOf(t, mem, "/to"), "%s to %d", name, c.seq)
			require.NoError(t, mem.RemoveAll("/to"))
		}
	}
}

func TestARecordSaysThatItRewrites(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, small(mem))
	var g Group
	for seq := range uint64(2) {
		g.Change(1, []byte{byte(seq)}, nil, []byte("x"))
		g.Rewrite = seq == 1
		require.NoError(t, s.Commit(&g, seq+1, 5, seq))
		require.False(t, g.Rewrite)
		s.Published(seq + 1)
	}
	for range 2 {
		for seq := range uint64(2) {
			r, err := s.Record(seq + 1)
			require.NoError(t, err)
			require.Equal(t, seq == 1, r.Rewrite)
		}
		require.NoError(t, s.Close())
		s = open(t, small(mem))
		s.Published(2)
	}
	require.NoError(t, s.Close())
}
