package api

import (
	"encoding/hex"
	"log/slog"
	"regexp"
	"time"
)

// This file owns what is logged of a request: who asked for what, and what came of it. The part of an address after the
// path is never logged, and a secret in a place where none belongs is cut off.

const (
	slowRequest      = 100 * time.Millisecond
	loggedText       = 200 // bytes of what a caller chooses
	escapesOfEscapes = 4   // are looked through for secrets
)

// observe counts a request and logs it where that is due.
func (s *Server) observe(q *request, took time.Duration) {
	status := q.ctx.Response.StatusCode()
	s.metrics.observe(q.op, status, took)
	if q.meter != nil {
		q.meter.Spend(took.Nanoseconds())
	}
	slow := took >= slowRequest
	if !s.accessLog && !slow {
		return
	}
	level, account, keyID, address := slog.LevelInfo, "", "", ""
	if slow {
		level = slog.LevelWarn
	}
	if q.key != nil {
		account, keyID = q.view.Account().ID.String(), q.key.PublicID
	}
	if q.from.address.IsValid() {
		address = q.from.address.String()
	}
	r := &q.ctx.Request
	s.log.Log(q.ctx, level, "request", "request", loggable(q.id), "address", address, "method",
		loggable(r.Header.Method()),
		"path", loggable(r.URI().PathOriginal()), "agent", loggable(r.Header.UserAgent()), "account", account, "key",
		keyID, "route", q.opID(),
		"status", status, "duration", took.Round(time.Microsecond).String())
}

// secrets are those that this program makes, each after the prefix that names its kind.
var secrets = regexp.MustCompile(`(hf_[0-9A-Za-z]+_)[0-9A-Za-z]+|(whsec_)[0-9A-Za-z+/=_%-]+`)

// escape is a byte as a path may spell it.
var escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// loggable is a caller's text as a log may have it. Where a secret is spelt with escapes, or escapes of these, the text
// is logged without them.
func loggable(text []byte) string {
	plain := text
	for range escapesOfEscapes {
		if !escape.Match(plain) {
			break
		}
		plain = escape.ReplaceAllFunc(plain, func(b []byte) []byte {
			b, _ = hex.AppendDecode(nil, b[1:])
			return b
		})
		if secrets.Match(plain) {
			text = plain
		}
	}
	text = secrets.ReplaceAll(text, []byte("${1}${2}..."))
	return string(text[:min(len(text), loggedText)])
}
