package auth

// This file owns the text of keys and what their scopes cover.

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
