package engine

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns the random rows: bytes of a directory that nobody vouches for.

// FuzzRows reads any bytes as a row of any kind. They are refused, or they are a row that is written and read the same
// for ever.
func FuzzRows(f *testing.F) {
	tags := map[string]byte{}
	for _, k := range schema {
		tags[k.TableName()] = k.TableTag()
		for _, full := range []bool{false, true} {
			row, _ := k.Example(full)
			f.Add(k.TableTag(), row)
		}
	}
	files, err := os.ReadDir("testdata")
	require.NoError(f, err)
	for _, file := range files {
		if !strings.HasPrefix(file.Name(), "encoding-") {
			continue
		}
		b, err := os.ReadFile("testdata/" + file.Name())
		require.NoError(f, err)
		for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
			name, quoted, _ := strings.Cut(lines.Text(), ` "`)
			row, err := strconv.Unquote(`"` + quoted)
			require.NoError(f, err)
			f.Add(tags[name], []byte(row))
		}
	}
	f.Fuzz(func(t *testing.T, tag byte, row []byte) {
		k := kindByTag[tag]
		if k == nil || len(row) == 0 {
			return // no bytes: the row goes
		}
		var id base.ID
		written := func(row []byte) ([]byte, bool) {
			c, err := k.Read(id, id, nil, row)
			if err != nil {
				return nil, false
			}
			var g persist.Group
			var b base.EncodeBuffer
			c.Log(&g, &b, id)
			return b.After[len(b.Key):], true
		}
		once, ok := written(row)
		if !ok {
			return
		}
		again, ok := written(once)
		require.True(t, ok, "what was written is refused: %q", once)
		require.Equal(t, once, again)
	})
}
