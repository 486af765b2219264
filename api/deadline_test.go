package api

import (
	"bufio"
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
					require.NoError(t, map[string]func(time.Time) error{"read": c.SetReadDeadline,
						"write": c.SetWriteDeadline}[operation](at))
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

// The tests' own connections are as patient as real ones: a request that comes when the timer has gone off is read all
// the same.
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

// pieced counts the pieces in which a connection is written.
type pieced struct {
	net.Conn
	got    []byte
	pieces int
}

func (c *pieced) Write(b []byte) (int, error) {
	c.got, c.pieces = append(c.got, b...), c.pieces+1
	return len(b), nil
}

func (c *pieced) Read([]byte) (int, error) { return 0, io.EOF }

// An answer that is longer than the library's buffer goes out whole: in one piece, or in two where it is long. So do
// those behind it, also where one waits in the buffer for the next.
func TestAnswersGoOutWhole(t *testing.T) {
	text := make([]byte, 3*joinedUpTo)
	for i := range text {
		text[i] = byte(i % 251)
	}
	for _, header := range []int{1, 200, 300, writeBuffer - 1, writeBuffer, writeBuffer + 1} {
		for _, body := range []int{writeBuffer + 1, writeBuffer + 2, 2*writeBuffer - 200, 2*writeBuffer - 1,
			2 * writeBuffer, 2*writeBuffer + 1, 15_000,
			joinedUpTo - 1, joinedUpTo, joinedUpTo + writeBuffer, joinedUpTo + 2*writeBuffer} {
			under := new(pieced)
			c := &patientConn{Conn: under}
			w := bufio.NewWriterSize(c, writeBuffer)
			var want []byte
			for _, flushed := range []bool{true, false, true} {
				before := under.pieces
				c.inOne()
				w.Write(text[:header])
				w.Write(text[:body])
				if want = append(append(want, text[:header]...), text[:body]...); !flushed {
					continue
				}
				require.NoError(t, w.Flush())
				require.Equal(t, want, under.got, "%d and %d bytes", header, body)
				if before == 0 && header < writeBuffer && header+body <= joinedUpTo {
					require.Equal(t, 1, under.pieces, "%d and %d bytes", header, body)
				}
			}
		}
	}
	under := new(pieced)
	c := &patientConn{Conn: under}
	c.inOne()
	c.Write([]byte("all that comes"))
	require.Zero(t, under.pieces)
	_, err := c.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, "all that comes", string(under.got),
		"what is held back goes out before the connection waits for the other side")
}
