package api

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// This file owns the deadlines of connections, and how an answer goes out. The HTTP library moves deadlines four times
// a request, nearly always to later, and each move of a timer costs as much as a look-up of stock: here a deadline that
// moves to later is only noted, and the timer is moved when the earlier instant has come.
//
// The library writes through a buffer that each connection keeps, so a small one. An answer that is longer goes out in
// two pieces, and each wakes the client up: here the first piece is held back until the second comes.

const (
	writeBuffer = 4 << 10  // of a connection
	joinedUpTo  = 32 << 10 // a longer answer is not copied to be in one piece
)

// patientListener makes patient connections.
type patientListener struct{ net.Listener }

func (l patientListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &patientConn{Conn: c}, nil
}

// patientConn is a connection that moves its timers seldom, and may hold a piece of an answer back. Like the
// connections of the library it is read, written and given deadlines by one goroutine at a time.
type patientConn struct {
	net.Conn
	read, write deadline
	begun       bool // something was read

	more bool    // after the next piece comes another
	held *[]byte // a piece that is held back
}

// pieces are buffers for those that are held back.
var pieces = sync.Pool{New: func() any { return new([]byte) }}

// inOne joins the next two pieces that are written and sends them as one, if together they are no longer than one piece
// may be.
func (c *patientConn) inOne() { c.more = true }

// deadline is the instant at which an operation is to end, and the one at which the timer goes off: no later. Zero is
// never.
type deadline struct{ wanted, timer time.Time }

// want notes an instant; it says whether the timer has to be moved to it.
func (d *deadline) want(t time.Time) bool {
	d.wanted = t
	return !t.IsZero() && (d.timer.IsZero() || t.Before(d.timer))
}

// early says of an operation's error that the timer went off before the instant that is wanted.
func (d *deadline) early(err error) bool {
	return err != nil && errors.Is(err, os.ErrDeadlineExceeded) && (d.wanted.IsZero() || time.Now().Before(d.wanted))
}

// move puts the timer to the instant that is wanted.
func (d *deadline) move(set func(time.Time) error) error {
	d.timer = d.wanted
	return set(d.wanted)
}

func (c *patientConn) SetReadDeadline(t time.Time) error {
	if c.read.want(t) {
		return c.read.move(c.Conn.SetReadDeadline)
	}
	return nil
}

func (c *patientConn) SetWriteDeadline(t time.Time) error {
	if c.write.want(t) {
		return c.write.move(c.Conn.SetWriteDeadline)
	}
	return nil
}

func (c *patientConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Read reads what the other side sends. Whatever is held back goes out before: the other side may wait for it.
func (c *patientConn) Read(b []byte) (n int, err error) {
	if c.held != nil {
		if err := c.letGo(); err != nil {
			return 0, err
		}
	}
	for {
		if n, err = c.Conn.Read(b); n > 0 || !c.read.early(err) {
			c.begun = c.begun || n > 0
			return n, midway(c.begun, err)
		}
		if err := c.read.move(c.Conn.SetReadDeadline); err != nil {
			return 0, err
		}
	}
}

// midway says of the end of a connection on which something has come that it is one in the middle. The library passes
// over any error between two requests; but where it reads a chunk, it takes io.EOF for such an end, and then does not
// say that the request under way is over.
func midway(begun bool, err error) error {
	if begun && err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// secureListener makes connections with TLS, which tell their end as patient ones do.
type secureListener struct {
	net.Listener
	config *tls.Config
}

func (l secureListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &secureConn{Conn: tls.Server(c, l.config)}, nil
}

type secureConn struct {
	*tls.Conn
	begun bool
}

func (c *secureConn) Read(b []byte) (n int, err error) {
	n, err = c.Conn.Read(b)
	c.begun = c.begun || n > 0
	return n, midway(c.begun, err)
}

func (c *patientConn) Write(b []byte) (n int, err error) {
	switch {
	case c.more:
		c.more = false
		if c.held == nil {
			c.held = pieces.Get().(*[]byte)
		}
		*c.held = append(*c.held, b...)
		return len(b), nil
	case c.held != nil && len(*c.held)+len(b) <= joinedUpTo+writeBuffer:
		*c.held = append(*c.held, b...)
		if err := c.letGo(); err != nil {
			return 0, err
		}
		return len(b), nil
	case c.held != nil:
		if err := c.letGo(); err != nil {
			return 0, err
		}
	}
	return c.send(b)
}

// letGo sends what is held back.
func (c *patientConn) letGo() error {
	held := c.held
	c.held = nil
	_, err := c.send(*held)
	*held = (*held)[:0]
	pieces.Put(held)
	return err
}

// send sends a piece, as long as the deadline that is wanted lets it.
func (c *patientConn) send(b []byte) (n int, err error) {
	for {
		var k int
		k, err = c.Conn.Write(b[n:])
		if n += k; !c.write.early(err) {
			return n, err
		}
		if err := c.write.move(c.Conn.SetWriteDeadline); err != nil {
			return n, err
		}
	}
}
