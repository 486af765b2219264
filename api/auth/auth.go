// Package auth owns what an API key's text and scopes mean. It knows no request and no storage: the state keeps a key's
// record, the chain of the api asks here.
//
// A key is hf_<id>_<secret>: id is 8 to 32 and secret 32 to 64 letters and digits. A scope is an area and a mode,
// inventory.skus.read; an area covers everything below it, and write includes read.
package auth

import (
	"bytes"
	"strings"
)

// Parse takes the text of a key apart. The parts share raw's memory.
func Parse(raw []byte) (id, secret []byte, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte("hf_"))
	if !ok {
		return nil, nil, false
	}
	id, secret, ok = bytes.Cut(rest, []byte{'_'})
	return id, secret, ok && plain(id, 8, 32) && plain(secret, 32, 64)
}

func plain(b []byte, least, most int) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return len(b) >= least && len(b) <= most
}

// Allows says whether a key with these scopes may do what any one of the needed ones suffices for.
func Allows(held, needed []string) bool {
	for _, n := range needed {
		for _, h := range held {
			if covers(h, n) {
				return true
			}
		}
	}
	return false
}

func covers(held, needed string) bool {
	heldArea, heldMode := cut(held)
	area, mode := cut(needed)
	if heldMode != mode && heldMode != "write" {
		return false
	}
	return area == heldArea || strings.HasPrefix(area, heldArea) && area[len(heldArea)] == '.'
}

func cut(scope string) (area, mode string) {
	i := strings.LastIndexByte(scope, '.')
	return scope[:max(i, 0)], scope[i+1:]
}
