package api

import (
	"slices"
	"strings"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
)

// This file owns how a request finds its operation.

// routes finds operations by method and path.
type routes struct {
	// by method, those whose path has no parameters: none that has is asked for them
	fixed   map[string]map[string]*operation
	paths   map[string]bool // theirs
	router  *router.Router
	methods []string
}

// opValue is the key under which the router leaves the operation it found.
const opValue = "holdfast.operation"

func newRoutes(list []operation) *routes {
	r := &routes{router: router.New(), fixed: map[string]map[string]*operation{}, paths: map[string]bool{}}
	for i := range list {
		op := &list[i]
		r.router.Handle(op.method, op.path, func(ctx *fasthttp.RequestCtx) { ctx.SetUserValue(opValue, op) })
		if !slices.Contains(r.methods, op.method) {
			r.methods = append(r.methods, op.method)
			r.fixed[op.method] = map[string]*operation{}
		}
		if len(op.params) == 0 {
			r.fixed[op.method][op.path], r.paths[op.path] = op, true
		}
	}
	slices.Sort(r.methods)
	return r
}

// find returns the operation, and leaves the path's parameters in ctx; nil if there is none.
func (r *routes) find(ctx *fasthttp.RequestCtx, method, path []byte) *operation {
	if op := r.fixed[string(method)][string(path)]; op != nil {
		return op
	}
	if r.paths[string(path)] {
		return nil
	}
	handler, _ := r.router.Lookup(string(method), string(path), ctx)
	if handler == nil {
		return nil
	}
	handler(ctx)
	op, _ := ctx.UserValue(opValue).(*operation)
	return op
}

// allowed lists the methods of a path, "" if there are none.
func (r *routes) allowed(path string) string {
	var found []string
	for _, m := range r.methods {
		handler, _ := r.router.Lookup(m, path, nil)
		if handler != nil && (!r.paths[path] || r.fixed[m][path] != nil) {
			found = append(found, m)
			if m == fasthttp.MethodGet {
				found = append(found, fasthttp.MethodHead)
			}
		}
	}
	return strings.Join(found, ", ")
}
