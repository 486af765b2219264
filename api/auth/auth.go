package auth

// This file owns the text of keys.

import (
	"bytes"
	"crypto/rand"
)

// Forms of a key made here: hf_<id>_<secret>.
const (
	prefix       = "hf_"
	idLength     = 12
	secretLength = 40
)

// Parse takes the text of a key apart. The parts share raw's memory.
func Parse(raw []byte) (id, secret []byte, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(prefix))
	if !ok {
		return nil, nil, false
	}
	id, secret, _ = bytes.Cut(rest, []byte{'_'})
	return id, secret, plain(id, 8, 32) && plain(secret, 32, 64)
}

func plain(b []byte, least, most int) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return len(b) >= least && len(b) <= most
}

// Prefix is the part of a key's text that may be shown: all in front of the secret.
func Prefix(id string) string { return prefix + id }

// Draw makes the text of a new key.
func Draw() string { return prefix + draw(idLength) + "_" + draw(secretLength) }

// draw is n letters and digits. Of 256 values of a byte the first 248 are four times 62, so each is equally likely.
func draw(n int) string {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	out := make([]byte, 0, n)
	for len(out) < n {
		var b [64]byte
		rand.Read(b[:])
		for _, v := range b {
			if v < 4*byte(len(letters)) && len(out) < n {
				out = append(out, letters[v%byte(len(letters))])
			}
		}
	}
	return string(out)
}
