package api

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

// This file holds the removal of locations, SKUs and articles on the wire, and the archive.

func TestWhatIsInUseIsNotRemoved(t *testing.T) {
	s, location, sku, first, second := stocked(t)
	inUse := func(path, resource string) {
		t.Helper()
		a := s.refused(409, base.CodeInUse, "DELETE", path, "")
		require.Equal(t, map[string]any{"resource": resource, "count": at(a.object(), "details", "count")},
			at(a.object(), "details"))
	}
	hold := s.ok("POST", "/v1/admin/holds",
		s.holdBody("article", first, location, noon+day, noon+2*day, 1))["id"].(string)
	inUse("/v1/admin/locations/"+location, "article")
	inUse("/v1/admin/skus/"+sku, "article")
	inUse("/v1/admin/articles/"+first, "hold")
	for _, path := range []string{"/v1/admin/locations/" + location, "/v1/admin/skus/" + sku,
		"/v1/admin/articles/" + second} {
		s.call("DELETE", path, "", "If-Match", `"9"`).isRefusal(412, base.CodePrecondition)
		s.call("DELETE", path, "", "X-API-KEY", s.other).isRefusal(404, base.CodeNotFound)
		s.refused(400, base.CodeInvalid, "DELETE", path+"?force=true", "", "query force unknown")
	}
	s.refused(400, base.CodeInvalid, "DELETE", "/v1/admin/locations/x", "", "path id format")
	s.refused(400, base.CodeInvalid, "DELETE", "/v1/admin/skus/x", "", "path id format")
	s.refused(404, base.CodeNotFound, "DELETE", "/v1/admin/articles/x", "")

	s.ok("DELETE", "/v1/admin/holds/"+hold, "")
	for _, path := range []string{"/v1/admin/articles/" + first, "/v1/admin/articles/" + second,
		"/v1/admin/skus/" + sku, "/v1/admin/locations/" + location} {
		require.Equal(t, "null", string(s.call("DELETE", path, "").body), path)
		s.refused(404, base.CodeNotFound, "GET", path, "")
		s.refused(404, base.CodeNotFound, "DELETE", path, "")
	}
	require.Equal(t, 0.0, s.ok("GET", "/v1/admin/articles", "")["totalCount"])
	require.Empty(t, s.ok("GET", "/v1/admin/locations", "")["data"])
	old := s.ok("GET", "/v1/admin/holds/"+hold, "")
	require.Equal(t, []any{first, location}, []any{at(old, "lines", 0, "articleId"),
		at(old, "lines", 0, "serviceLocationId")}, "an old hold still names them")
}

func TestArchive(t *testing.T) {
	s, location, sku, first, _ := stocked(t)
	path := "/v1/admin/articles/" + first
	r := s.ok("POST", path+"/archive", "")
	require.Equal(t, when(noon), r["archivedAt"])
	require.Equal(t, 0.0, at(r, "availability", "total"))
	require.Equal(t, r, s.ok("POST", path+"/archive", "{}"))
	require.Equal(t, 1.0, s.available("sku", sku, location, noon+day, noon+2*day))
	s.refused(409, base.CodeStateNotAllowed, "POST", "/v1/admin/holds",
		s.holdBody("article", first, location, noon+day, noon+2*day, 1))
	require.Nil(t, s.ok("POST", path+"/unarchive", "")["archivedAt"])
	require.Equal(t, 2.0, s.available("sku", sku, location, noon+day, noon+2*day))
	for _, verb := range []string{"archive", "unarchive"} {
		s.refused(400, base.CodeInvalid, "POST", path+"/"+verb, `{"at":1}`, "body /at unknown")
		s.refused(404, base.CodeNotFound, "POST", "/v1/admin/articles/x/"+verb, "")
		s.call("POST", path+"/"+verb, "", "X-API-KEY", s.other).isRefusal(404, base.CodeNotFound)
		reader := s.newKey(s.account,
			engine.CreateKey{PublicID: fmt.Sprintf("%-9.9s0", verb+"0000"), Scopes: []string{"inventory.read"}})
		s.call("POST", path+"/"+verb, "", "X-API-KEY", reader).isRefusal(403, base.CodeMissingScope)
	}
}
