package api

import "holdfast/engine"

// This file owns the operations on the service itself, which look at no key.

var serviceOperations = []operation{
	read(operation{
		id: "service.health", method: "GET", path: "/healthz", access: noKey, probe: true, apart: true,
		summary: "Says that the process lives.", answer: recordSchema("Health", has("status", enumSchema("ok").says("ok: the process lives."))),
	}, input[none]{}, func(q *request, _ *none) error {
		q.out = append(q.out, `{"status":"ok"}`...)
		return nil
	}),
	read(operation{
		id: "service.ready", method: "GET", path: "/readyz", access: noKey, probe: true, apart: true,
		summary: "Says that the state is loaded and the log can be written.", answer: recordSchema("Readiness", has("status", enumSchema("ready").
				says("ready: the state is loaded, and the log can be written."))),
	}, input[none]{}, func(q *request, _ *none) error {
		switch {
		case q.eng == nil:
			return refuse(engine.CodeNotReady, "the state is being loaded")
		case q.server.stopping.Load():
			return refuse(engine.CodeNotReady, "the server is stopping")
		case q.eng.Failed() != nil:
			return refuse(engine.CodeStorageFailed, "the log cannot be written: reads go on, writes are refused until a restart")
		}
		q.out = append(q.out, `{"status":"ready"}`...)
		return nil
	}),
}
