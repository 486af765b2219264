package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of what is in a release.

// linked is what a binary says that it is made of; a test's own says nothing.
var linked = &debug.BuildInfo{GoVersion: "go1.26.0", Deps: []*debug.Module{
	{Path: "github.com/valyala/fasthttp", Version: "v1.74.0",
		Sum: "h1:" + base64.StdEncoding.EncodeToString(make([]byte, 32))},
	{Path: "github.com/google/uuid", Version: "v1.6.0",
		Sum: "h1:" + base64.StdEncoding.EncodeToString(make([]byte, 32))},
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
	require.Equal(t, []string{"github.com/google/uuid", "github.com/valyala/fasthttp"},
		[]string{modules[0].Path, modules[1].Path})
	packed, err := os.ReadFile(filepath.Join("..", "..", "..", "..", reference.file))
	require.NoError(t, err)
	data, err := partsOf("v1.2.3", linked, packed)
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
	require.Len(t, bom.Components, len(modules)+2, "and the standard library, and the reference")
	last := bom.Components[len(bom.Components)-1]
	require.Equal(t, "pkg:npm/%40scalar/api-reference@1.72.1", last.PURL)
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(packed)), last.Hashes[0].Content)
	licence, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "api", "docs", "reference", "LICENSE"))
	require.NoError(t, err)
	require.Contains(t, string(licence), reference.name+" "+reference.version,
		"the licence beside the file names what it is of")
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
