package admin

// This file owns how long it is waited for a client that takes nothing of an answer, or sends nothing of a body: what a
// call holds meanwhile, others wait for.

import (
	"io"
	"net/http"
	"time"
)

// pieceTaken is how many bytes of an answer a client has the time for.
const pieceTaken = 64 << 10

// patient calls off a client that takes or sends nothing for so long.
func patient(most time.Duration, next http.Handler) http.Handler {
	if most == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if r.Body != http.NoBody {
			r.Body = &patientBody{r.Body, c, most}
		}
		p := &patientWriter{w, c, most}
		defer p.wait() // what is left of the answer goes out behind the call
		next.ServeHTTP(p, r)
	})
}

type patientWriter struct {
	http.ResponseWriter
	c    *http.ResponseController
	most time.Duration
}

// wait gives the client its time anew. A connection without deadlines has no client that stalls.
func (w *patientWriter) wait() { _ = w.c.SetWriteDeadline(time.Now().Add(w.most)) }

func (w *patientWriter) Write(b []byte) (n int, err error) {
	for first := true; err == nil && (first || len(b) > 0); first = false {
		var m int
		w.wait()
		m, err = w.ResponseWriter.Write(b[:min(len(b), pieceTaken)])
		n, b = n+m, b[m:]
	}
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

type patientBody struct {
	io.ReadCloser
	c    *http.ResponseController
	most time.Duration
}

// Read has no deadline left behind the body: from there on it is read only to hear that the client hangs up.
func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.c.SetReadDeadline(time.Now().Add(b.most))
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		_ = b.c.SetReadDeadline(time.Time{})
	}
	return n, err
}
