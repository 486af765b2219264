package api

import (
	"holdfast/api/wire"
	"holdfast/engine"
)

// This file owns the operations on the service itself, which look at no key.

// readiness is what is asked besides.
type readiness struct{ backup *string }

var readinessShape = wire.ShapeOf("Readiness", wire.Optional("backup", wire.Text(0, 5), func(r *readiness) **string { return &r.backup }).
	Says("Given, with or without a value: whether a good backup is there that is not too old, too."))

var serviceOperations = []operation{
	read(operation{
		id: "service.health", method: "GET", path: "/healthz", access: noKey, probe: true, apart: true,
		summary: "Says that the process lives.", answer: wire.RecordSchema("Health", wire.Has("status", wire.EnumSchema("ok").Says("ok: the process lives."))),
	}, input[none]{}, func(q *request, _ *none) error {
		q.Out = append(q.Out, `{"status":"ok"}`...)
		return nil
	}),
	read(operation{
		id: "service.ready", method: "GET", path: "/readyz", access: noKey, probe: true, apart: true,
		summary: "Says that the state is loaded and the log can be written.", answer: wire.RecordSchema("Readiness", wire.Has("status", wire.EnumSchema("ready").
				Says("ready: the state is loaded, and the log can be written."))),
	}, input[readiness]{query: readinessShape}, func(q *request, in *readiness) error {
		switch {
		case q.eng == nil:
			return refuse(engine.CodeNotReady, "the state is being loaded")
		case q.server.stopping.Load():
			return refuse(engine.CodeNotReady, "the server is stopping")
		case q.eng.Failed() != nil:
			return refuse(engine.CodeStorageFailed, "the log cannot be written: reads go on, writes are refused until a restart")
		case in.backup != nil:
			if err := q.server.backups(); err != nil {
				return refuse(engine.CodeNotReady, err.Error())
			}
		}
		q.Out = append(q.Out, `{"status":"ready"}`...)
		return nil
	}),
}
