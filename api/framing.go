package api

import (
	"bytes"
	"errors"
	"io"
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/engine"
)

// This file owns what may stand on the wire. The HTTP library accepts some framings that two programs in a row can read
// differently, which is how requests are smuggled past the first: these are refused, and the connection is closed.

// framingFault says what is ambiguous about a request's headers, "" if nothing is.
func framingFault(h *fasthttp.RequestHeader) string {
	length, encoding := false, false
	for rest := h.RawHeaders(); len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 1 || rest[i-1] != '\r' {
			return "header lines have to end with CR LF"
		}
		line := rest[:i-1]
		rest = rest[i+1:]
		if len(line) == 0 {
			break
		}
		switch line[0] | 0x20 {
		case ' ', '\t' | 0x20:
			return "folded header lines are not taken"
		case 'c':
			length = length || named(line, "content-length:")
		case 't':
			if named(line, "transfer-encoding:") {
				encoding = true
				if !bytes.EqualFold(bytes.Trim(line[len("transfer-encoding:"):], " \t"), []byte("chunked")) {
					return "the only Transfer-Encoding taken is chunked"
				}
			}
		}
	}
	if length && encoding {
		return "Content-Length and Transfer-Encoding exclude each other"
	}
	return ""
}

func named(line []byte, name string) bool {
	return len(line) >= len(name) && bytes.EqualFold(line[:len(name)], []byte(name))
}

// admitUnread says why a request that the HTTP library gave up on is refused.
func (q *request) admitUnread(cause error) *engine.Error {
	var small *fasthttp.ErrSmallBuffer
	var timeout net.Error
	switch {
	case errors.Is(cause, fasthttp.ErrBodyTooLarge):
		q.drain()
		if err := q.admit(); err != nil {
			return err
		}
		return q.tooLarge()
	case errors.As(cause, &small):
		q.identify()
		// The library has kept the request line if it was whole.
		if uri := q.ctx.Request.Header.RequestURI(); len(uri) > maxHeader/2 || len(q.ctx.Request.Header.Protocol()) == 0 {
			return refuse(engine.CodeURITooLong, "request line and headers may have at most 16 KiB")
		}
		return refuse(engine.CodeHeadersTooLarge, "request line and headers may have at most 16 KiB")
	case errors.As(cause, &timeout) && timeout.Timeout():
		q.identify()
		return refuse(codeTimeout, "the request did not arrive in time")
	}
	q.identify()
	return refuse(engine.CodeInvalid, "this is not an HTTP request that can be read")
}

// drain takes in what the client still sends, within bounds, since a client that is refused while it sends may never see
// the answer.
func (q *request) drain() {
	c := q.ctx.Conn()
	if c.SetReadDeadline(time.Now().Add(drainTime)) == nil {
		_, _ = io.CopyN(io.Discard, c, drainBytes)
	}
}

const (
	maxHeader  = 16 << 10
	drainBytes = 32 << 20
	drainTime  = time.Second
)
