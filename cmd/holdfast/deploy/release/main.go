// Release makes the archives of a version: for each platform a static binary with its licences, a list of what it is
// made of, and the checksums of all.
//
//	go run ./cmd/holdfast/deploy/release -version v1.2.3 [-to dist] [-platforms linux/amd64,darwin/arm64]
//
// The same tree and the same compiler give the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// This file owns the making of a release.

// platforms are those that a release is for, unless others are given.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64"

func main() {
	version := flag.String("version", "", "the version, such as v1.2.3")
	to := flag.String("to", "dist", "the directory that the files are written to")
	list := flag.String("platforms", platforms, "what the release is for")
	flag.Parse()
	if err := release(*version, *to, strings.Split(*list, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// versions are what file names and the linker's flags can carry.
var versions = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]*$`)

func release(version, to string, platforms []string) error {
	if !versions.MatchString(version) {
		return fmt.Errorf("-version %q: give one of letters, digits, dots, + and -", version)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var made []string
	keep := func(name string, data []byte) error {
		made = append(made, name)
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	}
	for _, p := range platforms {
		system, machine, ok := strings.Cut(p, "/")
		if !ok {
			return fmt.Errorf("-platforms: %q is not of the form linux/amd64", p)
		}
		binary := filepath.Join(dir, system+"-"+machine)
		if err := build(binary, version, system, machine); err != nil {
			return err
		}
		info, err := buildinfo.ReadFile(binary)
		if err != nil {
			return err
		}
		notices, err := noticesOf(modulesOf(info))
		if err != nil {
			return err
		}
		var embedded bytes.Buffer // what is in the binary and is no module
		if err := appendLicences(&embedded, reference.name+" of npm", filepath.Join("api", "docs", "reference")); err !=
			nil {
			return err
		}
		notices = append(notices, embedded.Bytes()...)
		name := fmt.Sprintf("holdfast_%s_%s_%s", version, system, machine)
		files, err := filesOf(binary, notices)
		if err != nil {
			return err
		}
		archive, err := archiveOf(name, files)
		if err != nil {
			return err
		}
		packed, err := os.ReadFile(reference.file)
		if err != nil {
			return err
		}
		parts, err := partsOf(version, info, packed)
		if err != nil {
			return err
		}
		if err := errors.Join(keep(name+".tar.gz", archive), keep(name+".cdx.json", parts)); err != nil {
			return err
		}
	}
	var sums bytes.Buffer
	for _, name := range made {
		data, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
	}
	return keep("SHA256SUMS", sums.Bytes())
}

// build makes a static binary that does not reveal where it was built.
func build(binary, version, system, machine string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version="+version,
		"-o", binary, "./cmd/holdfast")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building for %s/%s: %w", system, machine, err)
	}
	st, err := os.Stat(binary)
	if err == nil && st.Size() > mostBytes {
		err = fmt.Errorf("the binary for %s/%s has %d bytes, more than %d", system, machine, st.Size(), mostBytes)
	}
	return err
}

// mostBytes is how large a binary may be. One that is suddenly larger by a fifth links text/template, with which the
// linker keeps every exported method.
const mostBytes = 45_000_000

// modulesOf are the modules that are linked, by path.
func modulesOf(info *debug.BuildInfo) []*debug.Module {
	list := slices.Clone(info.Deps)
	for i, m := range list {
		if m.Replace != nil {
			list[i] = m.Replace
		}
	}
	slices.SortFunc(list, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// noticesOf are the licences and notices of modules, and of the language's own library.
func noticesOf(modules []*debug.Module) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("Holdfast is linked with the works below. Each stands under the licence that follows its name.\n")
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	if err := appendLicences(&out, "the Go standard library", strings.TrimSpace(string(root))); err != nil {
		return nil, err
	}
	for _, m := range modules {
		var at struct{ Dir string }
		found, err := exec.Command("go", "mod", "download", "-json", m.Path+"@"+m.Version).Output()
		if err == nil {
			err = json.Unmarshal(found, &at)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", m.Path, m.Version, err)
		}
		if err := appendLicences(&out, m.Path+" "+m.Version, at.Dir); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

var licences = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

func appendLicences(out *bytes.Buffer, what, dir string) error {
	list, err := fs.ReadDir(os.DirFS(dir), ".")
	if err != nil {
		return err
	}
	found := false
	for _, f := range list {
		if f.IsDir() || !licences.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("-", 80), what, f.Name(), bytes.TrimSpace(text))
		found = true
	}
	if !found {
		return fmt.Errorf("%s has no licence", what)
	}
	return nil
}

// file is one file of an archive.
type file struct {
	name string
	mode int64
	data []byte
}

func filesOf(binary string, notices []byte) (list []file, err error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	list = []file{{"holdfast", 0o755, program}, {"NOTICES", 0o644, notices}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, file{name, 0o644, text})
	}
	return list, nil
}

// archiveOf packs files under a folder. Nothing in the archive shows when it was made, or who made it.
func archiveOf(folder string, files []file) ([]byte, error) {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	pack := tar.NewWriter(zip)
	for _, f := range files {
		h := &tar.Header{Name: folder + "/" + f.name, Mode: f.mode, Size: int64(len(f.data)), Format: tar.FormatUSTAR}
		if err := pack.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := io.Copy(pack, bytes.NewReader(f.data)); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(pack.Close(), zip.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// reference is the one part of a binary that is no module: what shows the API's description, as api/docs/reference has
// it.
var reference = struct {
	name, version, file string
}{"@scalar/api-reference", "1.72.1", filepath.Join("api", "docs", "reference", "scalar.js.gz")}

// partsOf lists the modules that a binary is made of, and the reference, of which packed is the file, as CycloneDX 1.5
// in JSON.
func partsOf(version string, info *debug.BuildInfo, packed []byte) ([]byte, error) {
	type hash struct {
		Alg     string `json:"alg"`
		Content string `json:"content"`
	}
	type component struct {
		Type    string `json:"type"`
		Ref     string `json:"bom-ref"`
		Name    string `json:"name"`
		Version string `json:"version"`
		URL     string `json:"purl"`
		Hashes  []hash `json:"hashes,omitempty"`
	}
	list := []component{{"library", "std", "std", strings.TrimPrefix(info.GoVersion, "go"),
		"pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"), nil}}
	for _, m := range modulesOf(info) {
		url := "pkg:golang/" + m.Path + "@" + m.Version
		c := component{"library", url, m.Path, m.Version, url, nil}
		if sum, ok := strings.CutPrefix(m.Sum, "h1:"); ok { // of the module's files, as go.sum has it
			raw, err := base64.StdEncoding.DecodeString(sum)
			if err != nil {
				return nil, fmt.Errorf("the sum of %s: %w", m.Path, err)
			}
			c.Hashes = []hash{{"SHA-256", hex.EncodeToString(raw)}}
		}
		list = append(list, c)
	}
	url := "pkg:npm/" + strings.Replace(reference.name, "@", "%40", 1) + "@" + reference.version
	sum := sha256.Sum256(packed)
	list = append(list, component{"library", url, reference.name, reference.version, url,
		[]hash{{"SHA-256", hex.EncodeToString(sum[:])}}})
	own := "pkg:golang/holdfast@" + version
	data, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": component{"application", own, "holdfast", version, own, nil}},
		"components": list,
	}, "", "  ")
	return append(data, '\n'), err
}
