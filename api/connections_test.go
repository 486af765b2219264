package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// This file owns clients that misuse real connections: that send drop by drop, do not read, say nothing, go away, or
// send what is small packed and large unpacked. Beside them somebody books as usual. Held is what has to be: answers
// are right, the limits close the connections, goroutines and memory come back. How long the usual requests took is
// printed.
//
// Where BARRAGE is set there are as many connections as a server is to bear. Else there are a few, and the limits come
// sooner.

// harbour is a shop on a port.
type harbour struct {
	*shop
	server  *Server
	address string
	full    bool
}

// newHarbour is a server whose time-outs are short, as what is looked at comes after them.
func newHarbour(t *testing.T, bytes Bytes) *harbour { return newHarbourOf(t, bytes, 4) }

// newHarbourOf is one whose time to read is divided by a number.
func newHarbourOf(t *testing.T, bytes Bytes, hurry time.Duration) *harbour {
	if testing.Short() {
		t.Skip("limits of connections take seconds to come")
	}
	h := &harbour{shop: newShop(t), full: os.Getenv("BARRAGE") != ""}
	h.server = NewServer(Options{Now: h.clock.Load, Logger: slog.New(slog.DiscardHandler), Bytes: bytes})
	// goroutines that wait for more connections are not what is looked at
	h.server.http.MaxIdleWorkerDuration = 200 * time.Millisecond
	if !h.full {
		s := h.server.http
		received := s.HeaderReceived
		// none stays none
		s.ReadTimeout, s.WriteTimeout, s.IdleTimeout = s.ReadTimeout/hurry, s.WriteTimeout/4, s.IdleTimeout/12
		s.HeaderReceived = func(head *fasthttp.RequestHeader) fasthttp.RequestConfig {
			c := received(head)
			c.ReadTimeout /= hurry
			return c
		}
	}
	h.server.Attach(h.eng)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	h.address = l.Addr().String()
	done := make(chan error, 1)
	go func() { done <- h.server.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, h.server.Shutdown(context.Background()))
		require.NoError(t, <-done)
	})
	return h
}

// many is a number of connections: as many as a server is to bear, or a few.
func (h *harbour) many(full, few int) int {
	if h.full {
		return full
	}
	return few
}

// dial opens a connection. What it waits for in vain ends the test.
func (h *harbour) dial() *net.TCPConn {
	c, err := net.Dial("tcp", h.address)
	require.NoError(h, err)
	require.NoError(h, c.SetReadDeadline(time.Now().Add(time.Duration(h.many(300, 30))*time.Second)))
	return c.(*net.TCPConn)
}

// closed reads what is left of a connection, and says why it is not over where it is not.
func closed(c net.Conn) (answer string, fault error) {
	b, err := io.ReadAll(c)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return string(b), errors.New("the server leaves the connection open")
	}
	return string(b), nil
}

// usual is somebody who asks, books, asks again and releases, one after the other, in an account with one unit.
type usual struct {
	h             *harbour
	client        fasthttp.HostClient
	question      string
	booking       string
	key           string
	times         []time.Duration
	fault         error
	stop, stopped chan struct{}
}

// begin has somebody come who books as usual.
func (h *harbour) begin() *usual {
	u := &usual{h: h, key: h.other,
		client: fasthttp.HostClient{Addr: h.address, MaxConns: 1, MaxIdemponentCallAttempts: 1},
		stop:   make(chan struct{}), stopped: make(chan struct{})}
	as := []string{"X-API-KEY", u.key}
	location := h.ok("POST", "/v1/admin/locations", `{"name":"Quay","timezone":"UTC"}`, as...)["id"].(string)
	sku := h.ok("POST", "/v1/admin/skus", `{"name":"Boat"}`, as...)["id"].(string)
	h.ok("POST", "/v1/admin/articles",
		fmt.Sprintf(`{"name":"Boat","skuId":%q,"quantities":[{"serviceLocationId":%q,"count":1,"from":%q}]}`,
			sku, location, when(noon-day)), as...)
	u.booking = h.holdBody("sku", sku, location, noon+day, noon+2*day, 1)
	u.question = fmt.Sprintf("/v1/admin/availability?skuId=%s&serviceLocationId=%s&from=%s&to=%s", sku, location,
		when0(noon+day), when0(noon+2*day))
	go func() {
		defer close(u.stopped)
		for u.fault == nil {
			select {
			case <-u.stop:
				return
			case <-time.After(10 * time.Millisecond):
				u.fault = u.round()
			}
		}
	}()
	return u
}

// round books the unit and gives it back.
func (u *usual) round() error {
	free, err := u.ask("GET", u.question, "")
	if err == nil && free["available"] != 1. {
		err = fmt.Errorf("1 unit is free, not %v", free["available"])
	}
	var hold map[string]any
	if err == nil {
		hold, err = u.ask("POST", "/v1/admin/holds", u.booking)
	}
	if err == nil {
		free, err = u.ask("GET", u.question, "")
	}
	if err == nil && free["available"] != 0. {
		err = fmt.Errorf("no unit is free, not %v", free["available"])
	}
	if err == nil {
		_, err = u.ask("DELETE", "/v1/admin/holds/"+hold["id"].(string), "")
	}
	return err
}

func (u *usual) ask(method, path, body string) (map[string]any, error) {
	var req fasthttp.Request
	var res fasthttp.Response
	req.Header.SetMethod(method)
	req.Header.Set("X-API-KEY", u.key)
	req.SetRequestURI("http://shop" + path)
	if body != "" {
		req.Header.SetContentType("application/json")
		req.SetBodyString(body)
	}
	began := time.Now()
	if err := u.client.Do(&req, &res); err != nil {
		return nil, err
	}
	u.times = append(u.times, time.Since(began))
	a := &answer{shop: u.h.shop, what: method + " " + path, status: res.StatusCode(), body: res.Body()}
	if a.status != 200 {
		return nil, fmt.Errorf("%s: %d %s", a.what, a.status, a.body)
	}
	return a.object(), nil
}

// end ends them, and prints how long their requests took beside something. At least one round went through.
func (u *usual) end(beside string) {
	u.h.Helper()
	close(u.stop)
	<-u.stopped
	u.client.CloseIdleConnections()
	require.NoError(u.h, u.fault)
	require.GreaterOrEqual(u.h, len(u.times), 4)
	slices.Sort(u.times)
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	n, p99, word := len(u.times), u.times[len(u.times)*99/100], "met"
	switch {
	case n < 400:
		word = "too few to say"
	case p99 > 20*time.Millisecond:
		word = "missed"
	}
	u.h.Logf("%d usual requests beside %s: half within %.2f ms, 99 in 100 within %.2f ms, all within %.1f ms; "+
		"target 20 ms: %s",
		n, beside, ms(u.times[n/2]), ms(p99), ms(u.times[n-1]), word)
}

// comesBack waits until goroutines and memory are as they were before n connections. The runtime keeps what describes a
// goroutine that has ended, and the disk of these tests is memory, too: it has a line for each usual request.
func (u *usual) comesBack(goroutines int, heap uint64, n int) {
	h := u.h
	h.Helper()
	most := heap + 4<<20 + uint64(n)<<10 + uint64(len(u.times))<<9
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		g, b := weight()
		if g <= goroutines+4 && b <= most {
			require.Zero(h, h.server.room.taken())
			h.Logf("goroutines %d before and %d after, heap %d KiB before and %d KiB after", goroutines, g, heap>>10,
				b>>10)
			return
		}
		if time.Now().After(end) {
			h.Fatalf("goroutines %d before and %d after, heap %d KiB before and %d KiB after: they do not come back",
				goroutines, g, heap>>10, b>>10)
		}
	}
}

// together does something n times at once, and reports the first fault.
func (h *harbour) together(n int, do func(i int) error) {
	h.Helper()
	var all sync.WaitGroup
	faults := make([]error, n)
	for i := range n {
		all.Go(func() { faults[i] = do(i) })
	}
	all.Wait()
	require.NoError(h, errors.Join(faults...))
}

// A request that comes drop by drop, in its headers or in its body, holds a connection for as long as it may take, and
// others up not at all.
func TestBarrageOfDrops(t *testing.T) {
	h := newHarbour(t, Bytes{})
	u := h.begin()
	goroutines, heap := weight()
	sequence, hash := h.stateOf(h.key)
	n := h.many(2000, 50)
	text := "POST /v1/admin/locations HTTP/1.1\r\nHost: shop\r\nX-API-KEY: " + h.key +
		"\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n"
	drip := func(i int) error {
		c := h.dial()
		defer c.Close()
		head, sent := text+"X-Long: "+strings.Repeat("x", 4000), len(text)/2
		if i%2 == 1 {
			head, sent = text+"\r\n"+strings.Repeat(" ", 4000), len(text)+2
		}
		answer, gone := "", make(chan error, 1)
		go func() {
			var fault error
			answer, fault = closed(c)
			gone <- fault
		}()
		if _, err := io.WriteString(c, head[:sent]); err != nil {
			return err
		}
		for pause := time.Duration(rand.IntN(200)); ; pause = 200 {
			select {
			case fault := <-gone:
				if answer != "" && !strings.HasPrefix(answer, "HTTP/1.1 408 ") {
					// a client that goes on sending may not see it
					fault = errors.Join(fault, fmt.Errorf("%q is the answer to drops", answer))
				}
				return fault
			case <-time.After(pause * time.Millisecond):
				_, _ = io.WriteString(c, head[sent:sent+1]) // the server may have closed it
				sent++
			}
		}
	}
	for range h.many(4, 1) {
		h.together(n, drip)
	}
	u.end(fmt.Sprint(n, " connections that send drop by drop"))
	gotSequence, gotHash := h.stateOf(h.key)
	require.Equal(t, []any{sequence, hash}, []any{gotSequence, gotHash})
	u.comesBack(goroutines, heap, n)
}

// stateOf is what an account's changes have come to.
func (h *harbour) stateOf(key string) (sequence, records string) {
	a := h.call("GET", "/v1/admin/locations", "", "X-API-KEY", key)
	require.Equal(h, 200, a.status)
	return a.header["X-Sequence"], string(a.body)
}

// Who asks for 7 MB and does not read them, or reads them drop by drop, is let go when the time for an answer is over.
// Until then no more bytes are under way than may be, and others notice nothing.
func TestBarrageOfSlowReaders(t *testing.T) {
	h := newHarbour(t, Bytes{PerAccount: 32 << 20, InAll: 64 << 20})
	note := strings.Repeat("\u20ac", 9500)
	for range 250 {
		h.ok("POST", "/v1/admin/skus", fmt.Sprintf(`{"name":"Long","description":%q}`, note))
	}
	const list = "/v1/admin/skus?pageSize=250"
	whole := len(h.call("GET", list, "").body)
	require.Greater(t, whole, 7_000_000)
	u := h.begin()
	goroutines, heap := weight()
	n := h.many(400, 40)
	turned, held := make([]bool, n), make(chan struct{})
	var asked sync.WaitGroup
	asked.Add(n)
	go func() {
		asked.Wait()
		close(held)
	}()
	watched := make(chan uint64)
	go func() { // what the server holds while nobody reads
		var m runtime.MemStats
		<-held
		runtime.GC()
		runtime.ReadMemStats(&m)
		watched <- m.HeapAlloc
	}()
	h.together(n, func(i int) error {
		c := h.dial()
		defer c.Close()
		if err := c.SetReadBuffer(4 << 10); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: shop\r\nX-API-KEY: %s\r\n\r\n", list, h.key)
		r := bufio.NewReaderSize(c, 1<<10)
		res, e := http.ReadResponse(r, nil)
		asked.Done()
		if err = errors.Join(err, e); err != nil {
			return err
		}
		if turned[i] = res.StatusCode == 429; turned[i] {
			return nil
		}
		if res.StatusCode != 200 || res.ContentLength != int64(whole) {
			return fmt.Errorf("%d with %d bytes", res.StatusCode, res.ContentLength)
		}
		// Half of the readers take a little now and then. None goes: it is the server that ends the connection.
		drop := make([]byte, 1<<10)
		for end := time.Now().
			Add(time.Minute); h.server.http.GetOpenConnectionsCount() > 1; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				return errors.New("the server does not let go")
			}
			if i%2 == 0 {
				_, _ = r.Read(drop)
			}
		}
		return c.SetLinger(0)
	})
	during := <-watched
	stuck := 0
	for _, x := range turned {
		if !x {
			stuck++
		}
	}
	require.Positive(t, stuck)
	require.Less(t, stuck, n, "not all could have their 7 MB at once")
	require.LessOrEqual(t, during, heap+2*(32<<20)+16<<20, "more than the account may have under way")
	u.end(fmt.Sprintf("%d readers of %d bytes who do not read, %d of them turned away", n, whole, n-stuck))
	t.Logf("heap %d KiB before and %d KiB while %d answers wait", heap>>10, during>>10, stuck)
	u.comesBack(goroutines, heap, n)
}

// crowdOfIdle are connections that a process of its own has open, so that each of the two has one end of each.
type crowdOfIdle struct {
	*harbour
	say   io.Writer
	hears *bufio.Scanner
}

// idleClients is what the process is told: address, key, and how many connections.
const idleClients = "BARRAGE_IDLE_CLIENTS"

func (h *harbour) idle(n int) *crowdOfIdle {
	child := exec.Command(os.Args[0], "-test.run=^TestIdleClients$", "-test.timeout=8m")
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", idleClients, h.address, h.key, n))
	in, err := child.StdinPipe()
	require.NoError(h, err)
	out, err := child.StdoutPipe()
	require.NoError(h, err)
	require.NoError(h, child.Start())
	h.Cleanup(func() {
		in.Close()
		_ = child.Wait()
	})
	return &crowdOfIdle{h, in, bufio.NewScanner(out)}
}

// all has every one of the connections do something.
func (c *crowdOfIdle) all(what string) {
	c.Helper()
	_, err := fmt.Fprintln(c.say, what)
	require.NoError(c, err)
	var said []string
	for c.hears.Scan() {
		if said = append(said, c.hears.Text()); c.hears.Text() == "done: "+what {
			return
		}
	}
	require.Fail(c, "the clients could not: "+what, "%q", said)
}

// TestIdleClients is the process of idle connections: it does what it reads, with all of them.
func TestIdleClients(t *testing.T) {
	told := os.Getenv(idleClients)
	if told == "" {
		t.Skip("part of another test")
	}
	h := &harbour{shop: &shop{TB: t}, full: os.Getenv("BARRAGE") != ""}
	n := 0
	_, err := fmt.Sscan(told, &h.address, &h.key, &n)
	require.NoError(t, err)
	conns := make([]*net.TCPConn, n)
	ask := func(c net.Conn) error {
		if _, err := fmt.Fprintf(c, "GET /v1/admin/account HTTP/1.1\r\nHost: shop\r\nX-API-KEY: %s\r\n\r\n",
			h.key); err != nil {
			return err
		}
		res, err := http.ReadResponse(bufio.NewReaderSize(c, 512), nil)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, res.Body)
		if res.StatusCode != 200 {
			return errors.Join(err, errors.New(res.Status))
		}
		return err
	}
	does := map[string]func(i int) error{
		"open and ask": func(i int) error {
			conns[i] = h.dial()
			return ask(conns[i])
		},
		"ask again": func(i int) error { return ask(conns[i]) },
		"wait for the end": func(i int) error {
			answer, fault := closed(conns[i])
			if answer != "" {
				fault = errors.Join(fault, fmt.Errorf("%q was said to a connection that said nothing", answer))
			}
			return errors.Join(fault, conns[i].Close())
		},
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		const workers = 50
		h.together(workers, func(w int) error {
			for i := w; i < n; i += workers {
				if err := does[lines.Text()](i); err != nil {
					return err
				}
			}
			return nil
		})
		fmt.Println("done: " + lines.Text())
	}
}

// Connections on which nothing happens cost little, work when something does, and are closed when nothing has for long.
func TestBarrageOfIdleConnections(t *testing.T) {
	h := newHarbour(t, Bytes{})
	n := h.many(10_000, 200)
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if needed, was := uint64(n+500), limit; was.Cur < needed {
		limit.Cur, limit.Max = needed, max(was.Max, needed)
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Skipf("%d connections need %d open files, and the system allows %d: %v", n, needed, was.Max, err)
		}
		defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was)
	}
	u := h.begin()
	goroutines, heap := weight()
	c := h.idle(n)
	c.all("open and ask")
	goroutinesOpen, heapOpen := weight()
	t.Logf("%d idle connections: %d goroutines and %d KiB of heap, %.1f KiB each", n, goroutinesOpen-goroutines,
		(heapOpen-heap)>>10,
		float64(heapOpen-heap)/1024/float64(n))
	require.LessOrEqual(t, goroutinesOpen, goroutines+n+8, "more than one goroutine a connection")
	require.LessOrEqual(t, heapOpen, heap+uint64(n)*32<<10+4<<20, "more than 32 KiB a connection")
	time.Sleep(idleTimeout / time.Duration(h.many(2, 24))) // half of what they may idle for
	c.all("ask again")
	c.all("wait for the end")
	u.end(fmt.Sprint(n, " idle connections"))
	u.comesBack(goroutines, heap, n)
}

// A client that says nothing, that ends its side, or that goes away in the middle, leaves nothing behind; what it has
// sent whole is answered.
func TestBarrageOfHalves(t *testing.T) {
	h := newHarbour(t, Bytes{})
	u := h.begin()
	goroutines, heap := weight()
	sequence, records := h.stateOf(h.key)
	whole := "GET /v1/admin/account HTTP/1.1\r\nHost: shop\r\nX-API-KEY: " + h.key + "\r\n\r\n"
	part := "POST /v1/admin/locations HTTP/1.1\r\nHost: shop\r\nX-API-KEY: " + h.key +
		"\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n" + `{"name":"x","timezone":"UTC"}`
	n := h.many(2000, 50)
	h.together(n, func(i int) error {
		c := h.dial()
		defer c.Close()
		say := func(text string) error {
			_, err := io.WriteString(c, text)
			return err
		}
		answered := func(want string) error {
			answer, fault := closed(c)
			if !strings.HasPrefix(answer, want) || want == "" && answer != "" {
				return fmt.Errorf("%q is answered, not %q", answer, want)
			}
			return fault
		}
		switch i % 5 {
		case 0: // silent from the start
			answer, fault := closed(c)
			if answer != "" && !strings.HasPrefix(answer, "HTTP/1.1 408 ") {
				return fmt.Errorf("%q is said to who says nothing", answer)
			}
			return fault
		case 1: // ends its side behind a request
			return errors.Join(say(whole), c.CloseWrite(), answered("HTTP/1.1 200 "))
		case 2: // ends its side in the middle of a body
			if err := errors.Join(say(part), c.CloseWrite()); err != nil {
				return err
			}
			answer, fault := closed(c)
			if strings.HasPrefix(answer, "HTTP/1.1 200 ") {
				return errors.New("half a request is done")
			}
			return fault
		case 3: // is gone in the middle of a body
			return errors.Join(say(part), c.SetLinger(0))
		default: // is gone before its answer
			return errors.Join(say(strings.Repeat(whole, 20)), c.SetLinger(0))
		}
	})
	u.end(fmt.Sprint(n, " halves of connections"))
	gotSequence, gotRecords := h.stateOf(h.key)
	require.Equal(t, []any{sequence, records}, []any{gotSequence, gotRecords})
	u.comesBack(goroutines, heap, n)
}

// What is sent without waiting is answered in order, as far as it can be read: each with its own answer, short or in
// two pieces.
func TestBarrageOfPipelines(t *testing.T) {
	h := newHarbourOf(t, Bytes{}, 1)       // no client is slow here, unless the machine is
	h.server.shares.patience = time.Minute // a list waits for those of all connections, on a machine that may be busy
	for range 10 {
		h.ok("POST", "/v1/admin/skus", fmt.Sprintf(`{"name":"Long","description":%q}`, strings.Repeat("x", 1500)))
	}
	paths := []string{"/v1/admin/account", "/v1/admin/skus", "/v1/admin/nothing"}
	whole := make([]string, len(paths)) // what is answered; empty: a refusal, which names its request
	for i, path := range paths[:2] {
		whole[i] = string(h.call("GET", path, "").body)
	}
	require.Less(t, len(whole[0]), writeBuffer)
	require.Greater(t, len(whole[1]), writeBuffer)
	require.Less(t, len(whole[1]), joinedUpTo)
	u := h.begin()
	goroutines, heap := weight()
	n, deep := h.many(200, 50), 200
	h.together(n, func(i int) error {
		c := h.dial()
		defer c.Close()
		var text strings.Builder
		for k := range deep {
			fmt.Fprintf(&text, "GET %s HTTP/1.1\r\nHost: shop\r\nX-API-KEY: %s\r\nX-Request-Id: of-%d-%d\r\n\r\n",
				paths[k%3], h.key, i, k)
		}
		text.WriteString("GET /v1/admin/account HTTP/1.1\r\nHost : shop\r\n\r\n" +
			"GET /v1/admin/account HTTP/1.1\r\nHost: shop\r\n\r\n")
		sent := make(chan error, 1)
		go func() {
			_, err := io.WriteString(c, text.String())
			sent <- err
		}()
		r := bufio.NewReader(c)
		for k := range deep {
			res, err := http.ReadResponse(r, nil)
			if err != nil {
				return err
			}
			body, err := io.ReadAll(res.Body)
			if err != nil {
				return err
			}
			if is := whole[k%3]; is != "" && string(body) != is {
				return fmt.Errorf("answer %d is %q, not %q", k, body, is)
			}
			want := 200
			if k%3 == 2 {
				want = 404
			}
			if id := fmt.Sprintf("of-%d-%d", i, k); res.StatusCode != want || res.Header.Get("X-Request-Id") != id {
				return fmt.Errorf("answer %d is %d to %s, not %d to %s", k, res.StatusCode,
					res.Header.Get("X-Request-Id"), want, id)
			}
		}
		rest, err := io.ReadAll(r)
		if !strings.HasPrefix(string(rest), "HTTP/1.1 400 ") || strings.Count(string(rest), "HTTP/1.1") != 1 {
			return fmt.Errorf("behind the last good one comes %q", rest)
		}
		return errors.Join(err, <-sent)
	})
	u.end(fmt.Sprintf("%d connections with %d requests each that wait for no answer", n, deep))
	u.comesBack(goroutines, heap, n)
}

// A body that is packed is refused as it is: nobody unpacks it.
func TestBarrageOfBombs(t *testing.T) {
	h := newHarbour(t, Bytes{})
	size := int64(h.many(1<<30, 64<<20))
	bombs := map[string][]byte{}
	for coding, pack := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed); return z },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
			return z
		},
	} {
		var b strings.Builder
		z := pack(&b)
		_, err := io.CopyN(z, zeros{}, size)
		require.NoError(t, errors.Join(err, z.Close()))
		bombs[coding] = []byte(b.String())[:min(b.Len(), 1<<20)]
	}
	u := h.begin()
	goroutines, heap := weight()
	n, sent := h.many(100, 10), 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for coding, bomb := range bombs {
		sent += n * len(bomb)
		h.together(n, func(int) error {
			c := h.dial()
			defer c.Close()
			_, err := fmt.Fprintf(c, "POST /v1/admin/locations HTTP/1.1\r\nHost: shop\r\nX-API-KEY: "+
				"%s\r\nContent-Type: application/json\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s",
				h.key, coding, len(bomb), bomb)
			if err != nil {
				return err
			}
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				return err
			}
			if res.StatusCode != 415 {
				return fmt.Errorf("%s: %s", coding, res.Status)
			}
			return nil
		})
	}
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d KiB allocated for %d KiB that were sent", allocated>>10, sent>>10)
	require.Less(t, allocated, uint64(4*sent+n*len(bombs)<<17+8<<20), "bodies are unpacked")
	u.end(fmt.Sprintf("%d bodies that would be %d MiB each", len(bombs)*n, size>>20))
	u.comesBack(goroutines, heap, n)
}

// zeros is a body without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
