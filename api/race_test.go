package api

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Many clients want the last units at once: exactly as many win as there are units, and each winner holds a unit of its
// own.
func TestRaceForTheLastUnits(t *testing.T) {
	s, location, sku, first, _ := stocked(t)
	s.ok("POST", "/v1/admin/articles/"+first+"/increase-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":5}`, location))
	const clients, units = 64, 7
	body := s.holdBody("sku", sku, location, noon+day, noon+2*day, 1)
	request := fmt.Sprintf("POST /v1/admin/holds HTTP/1.1\r\nHost: shop\r\nX-API-KEY: %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\n\r\n%s", s.key, len(body), body)
	var won, lost atomic.Int64
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			c, err := s.listener.Dial()
			if err != nil {
				return
			}
			defer c.Close()
			r := bufio.NewReader(c)
			for range 3 {
				_, _ = io.WriteString(c, request)
				res, err := http.ReadResponse(r, nil)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				switch res.StatusCode {
				case 200:
					won.Add(1)
				case 409:
					lost.Add(1)
				}
			}
		})
	}
	all.Wait()
	require.EqualValues(t, units, won.Load())
	require.EqualValues(t, clients*3-units, lost.Load())
	seen := map[any]bool{}
	for _, h := range s.ok("GET", "/v1/admin/holds?pageSize=250", "")["data"].([]any) {
		slot := at(h, "lines", 0, "unavailabilities", 0, "slotId")
		require.NotNil(t, slot)
		require.False(t, seen[slot], "two holds on one unit")
		seen[slot] = true
	}
	require.Len(t, seen, units)
	require.NoError(t, s.eng.Check())
}
