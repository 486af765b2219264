package engine

import (
	"crypto/sha256"
	"fmt"
	"runtime"

	"holdfast/persist"
)

// This file owns how this program writes rows, as one hash: a directory says by it whether its rows are written so.

// rowEncoding is a hash over what this program makes of two rows of each kind, one with nothing in it and one with
// something in every field, and the Go release, whose JSON any other may write in other bytes.
func rowEncoding() (sum persist.Hash) {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version())
	for _, k := range schema {
		for _, full := range []bool{false, true} {
			b, _ := k.Example(full)
			fmt.Fprintln(h, k.TableTag(), len(b))
			h.Write(b)
		}
	}
	return persist.Hash(h.Sum(nil))
}
