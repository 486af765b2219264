package main

// This file owns the token of the operator's listener: what a file with a token has to be like, and how another token
// replaces the one in use.

import (
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
)

// tokenFile is the token in a file, as it was last good.
type tokenFile struct {
	name  string
	now   atomic.Pointer[string]
	fault string // why the file was no good when last looked at
}

// openToken reads a token that has to be good.
func openToken(name string) (*tokenFile, error) {
	token, err := readToken(name)
	if err != nil {
		return nil, err
	}
	f := &tokenFile{name: name}
	f.now.Store(&token)
	return f, nil
}

// get is the present token.
func (f *tokenFile) get() string { return *f.now.Load() }

// look takes the token that the file holds. A file without a good token is logged once, or each time that a look is
// asked for, and the old token stays.
func (f *tokenFile) look(asked bool, log *slog.Logger) {
	token, err := readToken(f.name)
	if err != nil {
		if text := err.Error(); asked || text != f.fault {
			f.fault = text
			log.Error("the token of the operator's listener cannot be read again, the old one stays", "cause", err)
		}
		return
	}
	f.fault = ""
	if token != f.get() {
		f.now.Store(&token)
		log.Info("the operator's listener takes another token", "file", f.name)
	}
}

// readToken reads --ops-token-file.
func readToken(name string) (string, error) {
	token, err := readSecret("--ops-token-file", "a token", name)
	if err != nil {
		return "", err
	}
	if len(token) < 32 || len(token) > 256 ||
		strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", usagef("--ops-token-file %q must have 32 to 256 visible ASCII characters, as openssl rand -hex "+
			"32 makes them", name)
	}
	return token, nil
}

// readSecret reads the secret in a file that has to be its owner's alone, without blanks around it.
func readSecret(flag, what, name string) (string, error) {
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return "", usagef("%s %q must be a file with %s: %w", flag, name, what, err)
	case !st.Mode().IsRegular():
		return "", usagef("%s %q must be a file with %s, and is none", flag, name, what)
	case st.Mode().Perm()&0o077 != 0:
		return "", usagef("%s %q must be its owner's alone, as with mode 0600: it has %#o", flag, name,
			st.Mode().Perm())
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", usagef("%s %q must be a file with %s: %w", flag, name, what, err)
	}
	return strings.TrimSpace(string(text)), nil
}
