package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of what is in a release.

// linked is what a binary says that it is made of; a test's own says nothing.
var linked = &debug.BuildInfo{GoVersion: "go1.26.0", Deps: []*debug.Module{
	{Path: "github.com/valyala/fasthttp", Version: "v1.74.0", Sum: "h1:" + base64.StdEncoding.EncodeToString(make([]byte, 32))},
	{Path: "github.com/google/uuid", Version: "v1.6.0", Sum: "h1:" + base64.StdEncoding.EncodeToString(make([]byte, 32))},
}}

func TestArchiveIsTheSameEachTime(t *testing.T) {
	files := []file{{"holdfast", 0o755, []byte("program")}, {"LICENSE", 0o644, []byte("text")}}
	one, err := archiveOf("holdfast_v1", files)
	require.NoError(t, err)
	two, err := archiveOf("holdfast_v1", files)
	require.NoError(t, err)
	require.Equal(t, one, two)
	zip, err := gzip.NewReader(bytes.NewReader(one))
	require.NoError(t, err)
	pack := tar.NewReader(zip)
	for _, f := range files {
		h, err := pack.Next()
		require.NoError(t, err)
		require.Equal(t, "holdfast_v1/"+f.name, h.Name)
		require.Equal(t, f.mode, h.Mode)
		require.Zero(t, h.ModTime.Unix())
		data, err := io.ReadAll(pack)
		require.NoError(t, err)
		require.Equal(t, f.data, data)
	}
	_, err = pack.Next()
	require.ErrorIs(t, err, io.EOF)
}

func TestPartsNameEveryModule(t *testing.T) {
	modules := modulesOf(linked)
	require.Equal(t, []string{"github.com/google/uuid", "github.com/valyala/fasthttp"}, []string{modules[0].Path, modules[1].Path})
	data, err := partsOf("v1.2.3", linked)
	require.NoError(t, err)
	var bom struct {
		BOMFormat  string
		Components []struct {
			Name, Version, PURL string
			Hashes              []struct{ Alg, Content string }
		}
	}
	require.NoError(t, json.Unmarshal(data, &bom))
	require.Equal(t, "CycloneDX", bom.BOMFormat)
	require.Len(t, bom.Components, len(modules)+1, "and the standard library")
	for i, m := range modules {
		c := bom.Components[i+1]
		require.Equal(t, m.Path, c.Name)
		require.Equal(t, m.Version, c.Version)
		require.Len(t, c.Hashes[0].Content, 64)
	}
}

// A module without a licence is not shipped.
func TestNoticesHaveEveryLicence(t *testing.T) {
	modules := modulesOf(linked)
	notices, err := noticesOf(modules)
	require.NoError(t, err)
	for _, m := range modules {
		require.Contains(t, string(notices), m.Path+" "+m.Version+": ")
	}
	require.ErrorContains(t, appendLicences(new(bytes.Buffer), "a module", t.TempDir()), "a module has no licence")
}

func TestVersionIsChecked(t *testing.T) {
	for _, bad := range []string{"", "v1 -X main.x=y", "../v1", "-v"} {
		require.ErrorContains(t, release(bad, t.TempDir(), nil), "-version", bad)
	}
	require.ErrorContains(t, release("v1", t.TempDir(), []string{"linux"}), "linux/amd64")
}
