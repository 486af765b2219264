package api

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/engine/base"
)

// This file owns what may stand on the wire. The HTTP library accepts some framings that two programs in a row can read
// differently, which is how requests are smuggled past the first: these are refused, and the connection is closed.

// seen says which of a request's headers are there at all: most have none of these, and to look for one costs as much
// as to go over all.
type seen struct {
	passed  bool // one tells that somebody passes the request on for another
	id      bool // X-Request-Id
	version bool // X-Api-Version
}

// framing says what is ambiguous about a request's headers, "" if nothing is, and which are there, as far as it went.
func framing(h *fasthttp.RequestHeader) (fault string, is seen) {
	if p := h.Protocol(); string(p) != "HTTP/1.1" && string(p) != "HTTP/1.0" {
		return "the protocol has to be HTTP/1.1 or HTTP/1.0", is
	}
	length, encoding := false, false
	for rest := h.RawHeaders(); len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 1 || rest[i-1] != '\r' {
			return "header lines have to end with CR LF", is
		}
		line := rest[:i-1]
		rest = rest[i+1:]
		if len(line) == 0 {
			break
		}
		switch line[0] | 0x20 {
		case ' ', '\t' | 0x20:
			return "folded header lines are not taken", is
		case 'c':
			length = length || named(line, "content-length:")
		case 'f':
			is.passed = is.passed || named(line, "forwarded:")
		case 'v':
			is.passed = is.passed || named(line, "via:")
		case 'x':
			is.passed = is.passed || named(line, "x-forwarded-for:") || named(line, "x-real-ip:")
			is.id = is.id || named(line, "x-request-id:")
			is.version = is.version || named(line, "x-api-version:")
		case 't':
			if named(line, "transfer-encoding:") {
				encoding = true
				if !bytes.EqualFold(bytes.Trim(line[len("transfer-encoding:"):], " \t"), []byte("chunked")) {
					return "the only Transfer-Encoding taken is chunked", is
				}
			}
		}
		for _, c := range line {
			if c == ':' {
				break
			}
			if c == ' ' || c == '\t' {
				return "a header's name has no blank", is
			}
		}
	}
	if length && encoding {
		return "Content-Length and Transfer-Encoding exclude each other", is
	}
	return "", is
}

func named(line []byte, name string) bool {
	return len(line) >= len(name) && bytes.EqualFold(line[:len(name)], []byte(name))
}

// admitUnread says why a request that the HTTP library gave up on is refused.
func (q *request) admitUnread(cause error) *base.Error {
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
		q.identify(true)
		// All that the library tells is the first 200 bytes, in its message: where they have no end of line, the
		// address is long.
		if !strings.Contains(strings.SplitN(cause.Error(), `"..."`, 2)[0], `\n`) {
			return refuse(base.CodeURITooLong, "request line and headers may have at most 16 KiB")
		}
		return refuse(base.CodeHeadersTooLarge, "request line and headers may have at most 16 KiB")
	case errors.As(cause, &timeout) && timeout.Timeout():
		q.identify(true)
		return refuse(codeTimeout, "the request did not arrive in time")
	}
	q.identify(true)
	return refuse(base.CodeInvalid, "this is not an HTTP request that can be read")
}

// drain takes in what the client still sends, within bounds, since a client that is refused while it sends may never
// see the answer. Where it has sent all, nothing is waited for but a moment.
func (q *request) drain() {
	c := q.ctx.Conn()
	end := time.Now().Add(drainTime)
	// What the library has read ahead is not known, so the last bytes may be in already.
	sure := q.ctx.Request.Header.ContentLength() - maxHeader
	buf := make([]byte, 32<<10)
	for got := 0; got < drainBytes; {
		wait := end
		if sure > 0 && got >= sure {
			wait = time.Now().Add(drainMoment)
		}
		if c.SetReadDeadline(wait) != nil {
			return
		}
		n, err := c.Read(buf)
		if got += n; err != nil || bytes.HasSuffix(buf[:n], []byte("\r\n0\r\n\r\n")) || !time.Now().Before(end) {
			return
		}
	}
}

const (
	maxHeader   = 16 << 10
	drainBytes  = 32 << 20
	drainTime   = time.Second
	drainMoment = 20 * time.Millisecond
)
