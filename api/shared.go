package api

import (
	"sync"

	"github.com/valyala/fasthttp"
)

// This file owns answers that are the same for every caller: the document and the files for browsers, which are served
// without a key. Their bytes are held once in each coding, so that a client that reads slowly holds no copy of its own.

// shared is such an answer.
type shared struct {
	media  string
	packed bool             // it lies compressed with gzip, and is sent so where the caller takes that
	in     [3]func() []byte // by coding; made when it is first asked for
}

// newShared makes an answer of a body, which is called once.
func newShared(media string, body func() []byte) *shared {
	x := &shared{media: media}
	x.in[plain] = sync.OnceValue(body)
	for _, c := range []coding{gzipped, zstandard} {
		x.in[c] = sync.OnceValue(func() []byte { return compress(c, x.in[plain](), nil) })
	}
	return x
}

// newPacked makes an answer of a body that is compressed with gzip.
func newPacked(media string, body []byte) *shared {
	x := newShared(media, func() []byte { return unpacked(body) })
	x.packed, x.in[gzipped] = true, func() []byte { return body }
	return x
}

// unpacked is a body without its gzip. It is one that the program holds itself, so that it can be read.
func unpacked(body []byte) []byte {
	plain, err := fasthttp.AppendGunzipBytes(nil, body)
	if err != nil {
		panic(err)
	}
	return plain
}

// answerShared answers with it.
func (q *request) answerShared(x *shared) error {
	q.media = x.media
	h := &q.ctx.Response.Header
	c := plain
	if x.packed || len(x.in[plain]()) >= compressFrom {
		h.SetCanonical(headerVary, valueAcceptEncoding)
		asked := q.ctx.Request.Header.Peek("Accept-Encoding")
		if c = accepted(asked); x.packed && qualities(asked)[gzipped] > 0 {
			c = gzipped
		}
	}
	if c != plain {
		h.SetContentEncoding(c.String())
	}
	q.same = x.in[c]()
	return nil
}

// sharedFiles are the files of a package that have been asked for.
type sharedFiles struct{ by sync.Map }

// of is the answer with a file.
func (s *sharedFiles) of(name, media string, body []byte, packed bool) *shared {
	if x, ok := s.by.Load(name); ok {
		return x.(*shared)
	}
	x := newShared(media, func() []byte { return body })
	if packed {
		x = newPacked(media, body)
	}
	kept, _ := s.by.LoadOrStore(name, x)
	return kept.(*shared)
}
