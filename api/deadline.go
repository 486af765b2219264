package api

import (
	"errors"
	"net"
	"os"
	"time"
)

// This file owns the deadlines of connections. The HTTP library moves them four times a request, nearly always to later, and
// each move of a timer costs as much as a look-up of stock: here a deadline that moves to later is only noted, and the timer
// is moved when the earlier instant has come.

// patientListener makes patient connections.
type patientListener struct{ net.Listener }

func (l patientListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &patientConn{Conn: c}, nil
}

// patientConn is a connection that moves its timers seldom. Like the connections of the library it is read, written and given
// deadlines by one goroutine at a time.
type patientConn struct {
	net.Conn
	read, write deadline
}

// deadline is the instant at which an operation is to end, and the one at which the timer goes off: no later. Zero is never.
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

func (c *patientConn) Read(b []byte) (n int, err error) {
	for {
		if n, err = c.Conn.Read(b); n > 0 || !c.read.early(err) {
			return n, err
		}
		if err := c.read.move(c.Conn.SetReadDeadline); err != nil {
			return 0, err
		}
	}
}

func (c *patientConn) Write(b []byte) (n int, err error) {
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
