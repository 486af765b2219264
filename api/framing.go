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
	passed  bool // a header shows that a proxy passes the request on for another
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
		if line[0] == ' ' || line[0] == '\t' {
			return "folded header lines are not taken", is
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		if bytes.IndexByte(name, ' ') >= 0 || bytes.IndexByte(name, '\t') >= 0 {
			return "a header's name has no blank", is
		}
		switch len(name) {
		case len("via"):
			is.passed = is.passed || named(name, "via")
		case len("forwarded"): // which is that of X-Real-Ip
			is.passed = is.passed || named(name, "forwarded") || named(name, "x-real-ip")
		case len("x-request-id"):
			is.id = is.id || named(name, "x-request-id")
		case len("x-api-version"):
			is.version = is.version || named(name, "x-api-version")
		case len("content-length"):
			length = length || named(name, "content-length")
		case len("x-forwarded-for"):
			is.passed = is.passed || named(name, "x-forwarded-for")
		case len("transfer-encoding"):
			if named(name, "transfer-encoding") {
				encoding = true
				if !bytes.EqualFold(bytes.Trim(value, " \t"), []byte("chunked")) {
					return "the only Transfer-Encoding taken is chunked", is
				}
			}
		}
	}
	if length && encoding {
		return "Content-Length and Transfer-Encoding exclude each other", is
	}
	return "", is
}

func named(name []byte, as string) bool { return bytes.EqualFold(name, []byte(as)) }

// admitUnread says why a request that the HTTP library gave up on is refused.
func (q *request) admitUnread(cause error) *base.Error {
	crowded := q.endBody()
	var small *fasthttp.ErrSmallBuffer
	var timeout net.Error
	switch {
	case errors.Is(cause, fasthttp.ErrBodyTooLarge):
		q.drain()
		if err := q.admit(); err != nil {
			return err
		}
		if crowded {
			return q.tooManyBodies()
		}
		return q.tooLarge()
	case errors.As(cause, &small):
		q.identify(true)
		// The library gives only the first 200 bytes, in its message: where they have no end of line, the address is
		// long.
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
// see the answer. Where the client has sent all, drain waits only for a moment.
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
