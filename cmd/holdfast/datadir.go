package main

// This file owns what may be a data directory: an empty one, or one that the program has made.

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ours are the beginnings and ends of the names in a data directory, from before its head file is there.
var ours = []string{"LOCK", "HEAD.*", "MANIFEST-*", "OPTIONS-*", "marker.*", "[0-9]*.log", "[0-9]*.sst", "[0-9]*.dbtmp",
	firstRunMark, "ops.sock", "ops.sock.new", "lost+found"}

// fitData says what is wrong with the name of a data directory itself.
func fitData(dir string) error {
	if dir == "" {
		return usagef("--data %q must name a directory", dir)
	}
	if to, err := os.Readlink(dir); err == nil {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return usagef("--data %q is a link to %q, which is not there", dir, to)
		}
	}
	return nil
}

// isIn says whether a name lies in a directory that is there, or is it.
func isIn(name, dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && st.IsDir() && within(resolved(name), resolved(dir))
}

// notForeign refuses a directory that is in use for something else: with other files in it and nothing of the
// program's. A mistyped --data would fill a folder of other files with tables.
func notForeign(dir string) error {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var foreign []string
	for _, f := range list {
		if f.Name() == "HEAD" {
			return nil
		}
		if !isOurs(f.Name()) {
			foreign = append(foreign, f.Name())
		}
	}
	const most = 3
	if len(foreign) > most {
		foreign = append(foreign[:most], "...")
	}
	if len(foreign) > 0 {
		return usagef("--data %q has other files (%s) and no data of holdfast: name an empty directory, or one that "+
			"is not there yet", dir, strings.Join(foreign, ", "))
	}
	return nil
}

func isOurs(name string) bool {
	for _, pattern := range ours {
		if ok, _ := filepath.Match(pattern, name); ok { // the patterns are well formed
			return true
		}
	}
	return false
}
