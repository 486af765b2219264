package api

import (
	"bytes"
	"slices"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// This file owns compression of answers: zstd or gzip, where the caller takes it and it pays.

// compressFrom is the length in bytes from which an answer is compressed.
const compressFrom = 1 << 10

// coding is a content coding; the zero value is none.
type coding uint8

const (
	plain coding = iota
	gzipped
	zstandard
)

func (c coding) String() string { return [...]string{"", "gzip", "zstd"}[c] }

// qualities are how much an Accept-Encoding asks for each coding; 0: it is not taken.
func qualities(header []byte) (quality [3]float64) {
	named := [3]bool{}
	star := 0.0
	for part := range bytes.SplitSeq(header, []byte{','}) {
		name, parameters, _ := bytes.Cut(part, []byte{';'})
		q := 1.0
		if value, ok := bytes.CutPrefix(bytes.TrimSpace(parameters), []byte("q=")); ok {
			var err error
			if q, err = strconv.ParseFloat(string(value), 64); err != nil || q < 0 || q > 1 {
				q = 0
			}
		}
		switch name = bytes.TrimSpace(name); {
		case bytes.EqualFold(name, []byte("gzip")):
			quality[gzipped], named[gzipped] = q, true
		case bytes.EqualFold(name, []byte("zstd")):
			quality[zstandard], named[zstandard] = q, true
		case string(name) == "*":
			star = q
		}
	}
	for c := range quality {
		if !named[c] {
			quality[c] = star
		}
	}
	return quality
}

// accepted says which coding an Accept-Encoding asks for: the one of the higher quality, zstd where both are as good.
func accepted(header []byte) coding {
	quality := qualities(header)
	switch {
	case quality[zstandard] > 0 && quality[zstandard] >= quality[gzipped]:
		return zstandard
	case quality[gzipped] > 0:
		return gzipped
	}
	return plain
}

var (
	gzipWriters = sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one of its own
		return w
	}}
	zstdEncoders = sync.Pool{New: func() any {
		e, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithWindowSize(1<<20))
		return e
	}}
)

// compress appends the body in the coding to a buffer.
func compress(c coding, body, to []byte) []byte {
	to = slices.Grow(to, len(body)/4)
	if c == zstandard {
		e := zstdEncoders.Get().(*zstd.Encoder)
		defer zstdEncoders.Put(e)
		return e.EncodeAll(body, to)
	}
	out := bytes.NewBuffer(to)
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(out)
	_, _ = w.Write(body) // a buffer takes all
	_ = w.Close()
	return out.Bytes()
}
