package persist

// This file owns the room that the log's file has ahead of what is written.

import "github.com/cockroachdb/pebble/v2/vfs"

// A sync of bytes that are new to a file has to change the file as well: its
// size, and which blocks it has. Over bytes that are there already it takes little
// more than half as long (BenchmarkSync), so zeros go ahead of the log: as many as it has
// written, within these. Pebble takes zeros for the end of the log, and writes
// files it uses again in just that way.
const (
	leastPadding = 32 << 10
	mostPadding  = 1 << 20
)

// paddedFile is a log file that is written from its start to its end. It belongs
// to one goroutine, except for what a vfs.File lets others call.
type paddedFile struct {
	vfs.File
	at   int64 // where the next byte goes
	size int64
}

// newPaddedFile takes a file at its start, which may hold something already.
func newPaddedFile(f vfs.File) (*paddedFile, error) {
	i, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &paddedFile{File: f, size: i.Size()}, nil
}

func (a *paddedFile) Write(p []byte) (int, error) {
	if end := a.at + int64(len(p)); end > a.size {
		zeros := make([]byte, end+min(max(end, leastPadding), mostPadding)-a.size)
		n, err := a.File.WriteAt(zeros, a.size)
		a.size += int64(n)
		if err != nil {
			return 0, err
		}
	}
	n, err := a.File.Write(p)
	a.at += int64(n)
	return n, err
}

// Preallocate makes no room: Pebble asks for that of a whole table in memory at
// once, which four files of a small merchant would fill a small disk with, and
// the zeros are the room that a sync is quick over.
func (a *paddedFile) Preallocate(int64, int64) error { return nil }
