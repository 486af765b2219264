package holdfast

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// This file owns retries: which requests are sent again, and when. Every request may be sent again: those that change
// something have an Idempotency-Key, and the others change nothing.

// The first pause, which doubles with each attempt up to the longest.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 8 * time.Second
)

// lasting is an error that another attempt would meet again.
type lasting struct{ error }

func (l *lasting) Unwrap() error { return l.error }

// answer sends a request until it is answered for good, or until attempts or time run out. The error is that of the
// last attempt; where the context has ended before the next one, it is the context's, too.
func (t *transport) answer(ctx context.Context, c *call) ([]byte, error) {
	for n := 0; ; n++ {
		text, header, err := t.attempt(ctx, c)
		if err == nil {
			return text, nil
		}
		if last := (*lasting)(nil); errors.As(err, &last) {
			return nil, last.error
		}
		if n == t.retries || !again(err) {
			return nil, err
		}
		pause := backoff(n)
		if asked, ok := retryAfter(header, time.Now()); ok {
			pause = asked + rand.N(asked/10+firstPause) // not all clients at once
			if asked > t.maxWait {
				return nil, err
			}
		}
		if !sleep(ctx, min(pause, t.maxWait)) {
			if end := ctx.Err(); end != nil && !errors.Is(err, end) {
				err = fmt.Errorf("%w; then %w", err, end)
			}
			return nil, err
		}
	}
}

// again says whether another attempt may be answered otherwise.
func again(err error) bool {
	var p *Problem
	if !errors.As(err, &p) {
		var untrusted *tls.CertificateVerificationError
		return !errors.As(err, &untrusted)
	}
	switch p.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return p.Code == CodeIdempotencyKeyInUse // an earlier attempt is still being done
}

// backoff is the pause after attempt n, from 0: half of it certain, half by chance.
func backoff(n int) time.Duration {
	whole := min(firstPause<<min(n, 10), longestPause)
	return whole/2 + rand.N(whole/2)
}

// retryAfter reads Retry-After: seconds, or an instant, as a proxy may write it.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// sleep waits. It is false where the context ends before, and then it does not wait in vain.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ctx.Err() != nil || ok && time.Until(end) < d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
