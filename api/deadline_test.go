package api

import (
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp/fasthttputil"
)

// timers counts how often a connection's timers are moved.
type timers struct {
	net.Conn
	moves int
}

func (c *timers) SetReadDeadline(t time.Time) error  { c.moves++; return c.Conn.SetReadDeadline(t) }
func (c *timers) SetWriteDeadline(t time.Time) error { c.moves++; return c.Conn.SetWriteDeadline(t) }

func patient(t *testing.T) (c *patientConn, under *timers, other net.Conn) {
	one, other := net.Pipe()
	under = &timers{Conn: one}
	t.Cleanup(func() { one.Close(); other.Close() })
	return &patientConn{Conn: under}, under, other
}

// However a deadline is moved, an operation ends at the last instant that was set, and not before.
func TestDeadlinesHold(t *testing.T) {
	for _, moves := range [][]time.Duration{
		{5 * time.Second},
		{60 * time.Second, 5 * time.Second},
		{5 * time.Second, 60 * time.Second},
		{5 * time.Second, 60 * time.Second, 6 * time.Second},
		{time.Second, 0, 7 * time.Second},
		{-time.Second},
		{time.Second, -time.Second},
	} {
		for _, operation := range []string{"read", "write"} {
			synctest.Test(t, func(t *testing.T) {
				c, _, _ := patient(t)
				begin := time.Now()
				for _, d := range moves {
					at := begin.Add(d)
					if d == 0 {
						at = time.Time{}
					}
					require.NoError(t, map[string]func(time.Time) error{"read": c.SetReadDeadline, "write": c.SetWriteDeadline}[operation](at))
				}
				n, err := 0, error(nil)
				if operation == "read" {
					n, err = c.Read(make([]byte, 8))
				} else {
					n, err = c.Write([]byte("text"))
				}
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
				require.Zero(t, n)
				require.Equal(t, max(0, moves[len(moves)-1]), time.Since(begin), "%s after %v", operation, moves)
			})
		}
	}
}

func TestNoDeadlineIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, other := patient(t)
		require.NoError(t, c.SetDeadline(time.Now().Add(time.Second)))
		require.NoError(t, c.SetDeadline(time.Time{}))
		go func() {
			time.Sleep(time.Hour)
			other.Write([]byte("late"))
		}()
		b := make([]byte, 8)
		n, err := c.Read(b)
		require.NoError(t, err)
		require.Equal(t, "late", string(b[:n]))
	})
}

// A write of which a part has gone when the timer goes off too early goes on where it was.
func TestWritesGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, other := patient(t)
		require.NoError(t, c.SetWriteDeadline(time.Now().Add(time.Second)))
		require.NoError(t, c.SetWriteDeadline(time.Now().Add(time.Minute)))
		got := make(chan []byte)
		go func() {
			b := make([]byte, 10)
			io.ReadFull(other, b[:4])
			time.Sleep(5 * time.Second)
			io.ReadFull(other, b[4:])
			got <- b
		}()
		n, err := c.Write([]byte("0123456789"))
		require.NoError(t, err)
		require.Equal(t, 10, n)
		require.Equal(t, "0123456789", string(<-got))
	})
}

// Request after request, the timers move once in as long as a request may take.
func TestTimersMoveSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, under, other := patient(t)
		go io.Copy(other, other)
		b := make([]byte, 1)
		for range 1000 {
			require.NoError(t, c.SetReadDeadline(time.Now().Add(idleTimeout)))
			require.NoError(t, c.SetReadDeadline(time.Now().Add(readTimeout)))
			require.NoError(t, c.SetWriteDeadline(time.Now().Add(writeTimeout)))
			_, err := c.Write([]byte{1})
			require.NoError(t, err)
			_, err = c.Read(b)
			require.NoError(t, err)
			time.Sleep(time.Millisecond)
		}
		require.Equal(t, 3, under.moves)
	})
}

// The tests' own connections are as patient as real ones: a request that comes when the timer has gone off is read all the same.
func TestConnectionsInMemoryArePatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := fasthttputil.NewInmemoryListener()
		other := make(chan net.Conn, 1)
		go func() {
			c, err := l.Dial()
			require.NoError(t, err)
			other <- c
		}()
		c, err := patientListener{timely{l}}.Accept()
		require.NoError(t, err)
		require.NoError(t, c.SetReadDeadline(time.Now().Add(readTimeout)))
		require.NoError(t, c.SetReadDeadline(time.Now().Add(idleTimeout)))
		go func() {
			time.Sleep(readTimeout + time.Second)
			_, _ = (<-other).Write([]byte("late"))
		}()
		b := make([]byte, 8)
		n, err := c.Read(b)
		require.NoError(t, err)
		require.Equal(t, "late", string(b[:n]))
		require.NoError(t, l.Close())
	})
}
