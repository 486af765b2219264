package api

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// This file sends the bad requests of all operations from several clients at once, as they are and with bytes flipped,
// for as long as BARRAGE says (as in 1m), else for a few thousand requests.

func TestBarrage(t *testing.T) {
	w := newWorld(t)
	cases := w.cases()
	limit, err := time.ParseDuration(os.Getenv("BARRAGE"))
	require.True(t, err == nil || os.Getenv("BARRAGE") == "", "BARRAGE is a duration")
	const clients = 4
	requests := 1000 // of each client
	if testing.Short() {
		requests = 200
	}
	// round is a barrage that goes on for as many requests, and for as long.
	round := func(seed uint64, requests int, least time.Duration) (sent int) {
		var all sync.WaitGroup
		var counts [clients]int
		var faults [clients]string
		for i := range clients {
			all.Go(func() {
				dice := rand.New(rand.NewPCG(seed, uint64(i)))
				begin := time.Now()
				for n := 0; faults[i] == "" && (n < requests || time.Since(begin) < least); n++ {
					faults[i] = w.fire(cases[dice.IntN(len(cases))], dice)
					counts[i] = n + 1
				}
			})
		}
		all.Wait()
		for i := range clients {
			require.Empty(t, faults[i])
			sent += counts[i]
		}
		return sent
	}
	sequence, hash := w.eng.State()
	round(1, requests/4, 0) // buffers and pools have their size from here on
	goroutines, heap := weight()
	sent := round(2, requests, limit)
	goroutinesAfter, heapAfter := weight()
	runtime.KeepAlive(cases)
	sequenceAfter, hashAfter := w.eng.State()
	require.Equal(t, [2]uint64{sequence, hash}, [2]uint64{sequenceAfter, hashAfter}, "the state is another")
	require.NotContains(t, w.log.String(), "panic")
	require.LessOrEqual(t, goroutinesAfter, goroutines+2*clients)
	require.LessOrEqual(t, heapAfter, heap+16<<20, "the server grows")
	t.Logf("%d requests, heap %d KiB before and %d KiB after", sent, heap>>10, heapAfter>>10)
}

// weight is what the process holds when nothing more can be let go.
func weight() (goroutines int, heap uint64) {
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}

// fire sends a case, every other time with bytes of its body flipped and a parameter that nobody knows, so that it
// cannot have become good.
func (w *world) fire(c badCase, dice *rand.Rand) (fault string) {
	req, res := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(res)
	body := []byte(c.text())
	if dice.IntN(2) == 0 {
		c.query = append(c.query[:len(c.query):len(c.query)], "zz=1")
		for range min(len(body), 1+dice.IntN(4)) {
			body[dice.IntN(len(body))] = byte(dice.Uint32())
		}
	}
	req.Header.SetMethod(c.method)
	req.SetRequestURI("http://shop" + c.target())
	req.Header.Set("X-API-KEY", w.key)
	if len(body) > 0 {
		req.Header.SetContentType("application/json")
		req.SetBody(body)
	}
	for i := 0; i < len(c.headers); i += 2 {
		if req.Header.Del(c.headers[i]); c.headers[i+1] != "" {
			req.Header.Set(c.headers[i], c.headers[i+1])
		}
	}
	if err := w.client.Do(req, res); err != nil {
		return fmt.Sprintf("%s, %s: %v", c.id, c.what, err)
	}
	if s := res.StatusCode(); s < 400 || s >= 500 {
		return fmt.Sprintf("%s, %s: %d %s", c.id, c.what, s, res.Body())
	}
	return ""
}
