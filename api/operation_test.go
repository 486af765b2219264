package api

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/auth"
	"holdfast/api/wire"
)

// What every operation's declaration has to have: the document and the chain are made of it.
func TestOperationsAreWellDeclared(t *testing.T) {
	ids, routes, named := map[string]bool{}, map[string]bool{}, map[string]*wire.Schema{}
	var look func(op string, s *wire.Schema)
	look = func(op string, s *wire.Schema) {
		if s == nil {
			return
		}
		if s.Name != "" {
			plain := *s
			plain.Nullable, plain.About = false, ""
			if known := named[s.Name]; known != nil {
				require.True(t, reflect.DeepEqual(*known, plain), "%s: two schemas are named %s", op, s.Name)
			}
			named[s.Name] = &plain
		}
		look(op, s.Items)
		look(op, s.Extra)
		for _, m := range s.Members {
			require.True(t, m.Scope == "" || auth.Known(m.Scope), "%s: %s", op, m.Scope)
			look(op, m.Schema)
		}
	}
	for _, op := range operations {
		require.False(t, ids[op.id], "two operations are %s", op.id)
		ids[op.id] = true
		require.False(t, routes[op.method+op.path], "two operations at %s %s", op.method, op.path)
		routes[op.method+op.path] = true
		require.NotEmpty(t, op.summary, op.id)
		require.NotNil(t, op.answer, op.id)
		require.True(t, op.path == "/" || strings.HasPrefix(op.path, "/") && !strings.HasSuffix(op.path, "/"), op.id)
		require.Equal(t, op.access == scoped, len(op.scopes) > 0, op.id)
		require.False(t, op.method == "GET" && (op.write || op.guarded || op.body != nil), op.id)
		require.False(t, op.cached && op.method != "GET", op.id)
		require.False(t, op.guarded && op.method != "PATCH" && op.method != "DELETE", op.id)
		require.True(t, op.method != "PATCH" || op.guarded, "%s: a PATCH takes If-Match", op.id)
		single := strings.HasSuffix(op.path, "}") && op.access != noKey
		moves := strings.HasPrefix(op.path, "/v1/admin/articles/") || strings.HasPrefix(op.path, "/v1/admin/holds/") ||
			strings.HasPrefix(op.path, ordersPath+"/")
		require.True(t, op.method != "GET" || !single || op.cached != moves,
			"%s: If-None-Match is for single records, but articles, holds and orders", op.id)
		require.True(t, op.method != "DELETE" || !single || op.guarded, "%s: a DELETE of a record takes If-Match",
			op.id)
		for _, scope := range op.scopes {
			require.Equal(t, op.write, strings.HasSuffix(scope, ".write"), "%s: %s", op.id, scope)
			require.True(t, auth.Known(scope), "%s: %s", op.id, scope)
		}
		var declared []string
		for _, m := range op.pathParams {
			require.True(t, m.Required, op.id)
			declared = append(declared, m.Name)
			look(op.id, m.Schema)
		}
		require.Equal(t, op.params, declared, op.id)
		for _, m := range op.queryParams {
			look(op.id, m.Schema)
		}
		look(op.id, op.body)
		look(op.id, op.answer)
	}
	look("", problemSchema)
}
