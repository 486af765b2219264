package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// This file owns which packages the console is built on, and how their modules become files that are served.

const (
	registry    = "https://registry.npmjs.org/"
	into        = "api/console/lib"
	largestPack = 32 << 20
)

// pack is a package of the registry, and the files that are taken out of it.
type pack struct {
	name, version, hash string
	files               map[string]string // by their path in the package: the name that they are served under
}

var packs = []pack{
	{"preact", "11.2.0", "/HfHI/7N84e6GrWBJ3J280z3mLaRJiDcSvj/A+y/4AbLnND/1UlGHe1sR6oYuTGwId0nP7dqDU9OnLxMPZ7xBg==",
		map[string]string{"dist/preact.mjs": "preact.js", "hooks/dist/hooks.mjs": "hooks.js",
			"LICENSE": "preact.LICENSE"}},
	{"@preact/signals-core", "1.14.5",
		"vcRv7Ityz5JVmeiVqIluLFzT/PDS/AlhHUpw3/aUWqcVUs6bDGIPXE/6RSC4evBNWYvnniozg5Syfj33al3gkg==",
		map[string]string{"dist/signals-core.mjs": "signals-core.js", "LICENSE": "signals-core.LICENSE"}},
	{"@preact/signals", "2.11.4",
		"Rb+5RPo9gWSaHtzJeauhHxiC8KP/IF2DEPkHPEOGOnuy2wnJzRqyeLRankUCYd6ADqtxS6GnWGv6Ie343d8aYw==",
		map[string]string{"dist/signals.mjs": "signals.js", "LICENSE": "signals.LICENSE"}},
	{"htm", "3.1.1", "983Vyg8NwUE7JkZ6NmOqpCZ+sh1bKv2iYTlUkzlWmA5JD2acKoxd4KVxbMmxX/85mtfdnDmTFoNKcg5DGAvxNQ==",
		map[string]string{"dist/htm.module.js": "htm.js", "LICENSE": "htm.LICENSE"}},
	{"uplot", "1.6.32", "KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw==",
		map[string]string{"dist/uPlot.esm.js": "uplot.js", "dist/uPlot.min.css": "uplot.css",
			"LICENSE": "uplot.LICENSE"}},
}

// served are the modules that modules name, by the names that they go by in a bundler.
var served = map[string]string{
	"preact": "./preact.js", "preact/hooks": "./hooks.js", "@preact/signals-core": "./signals-core.js",
	"htm": "./htm.js",
}

func main() {
	check := flag.Bool("check", false, "write nothing; fail if a file is not what the pinned versions give")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	for _, p := range packs {
		packed, err := p.fetch()
		if err != nil {
			return fmt.Errorf("%s %s: %w", p.name, p.version, err)
		}
		files, err := p.unpack(packed)
		if err != nil {
			return fmt.Errorf("%s %s: %w", p.name, p.version, err)
		}
		for name, b := range files {
			at := filepath.Join(into, name)
			if !check {
				if err := os.WriteFile(at, b, 0o644); err != nil {
					return err
				}
				continue
			}
			if is, err := os.ReadFile(at); err != nil || !bytes.Equal(is, b) {
				return errors.Join(fmt.Errorf("%s is not what %s %s gives", at, p.name, p.version), err)
			}
		}
	}
	return nil
}

// fetch gets the package and holds it against its hash.
func (p pack) fetch() ([]byte, error) {
	_, short, scoped := strings.Cut(p.name, "/")
	if !scoped {
		short = p.name
	}
	c := http.Client{Timeout: time.Minute}
	res, err := c.Get(registry + p.name + "/-/" + short + "-" + p.version + ".tgz")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New(res.Status)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, largestPack))
	if err != nil {
		return nil, err
	}
	if sum := sha512.Sum512(b); base64.StdEncoding.EncodeToString(sum[:]) != p.hash {
		return nil, errors.New("its bytes do not have the hash that is pinned")
	}
	return b, nil
}

// unpack takes the files out that are asked for, by the names under which they are served.
func (p pack) unpack(packed []byte) (map[string][]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		name := p.files[strings.TrimPrefix(h.Name, "package/")]
		if name == "" {
			continue
		}
		b, err := io.ReadAll(io.LimitReader(r, largestPack))
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, ".js") {
			if b, err = relative(b); err != nil {
				return nil, err
			}
		}
		files[name] = b
	}
	if len(files) != len(p.files) {
		return nil, fmt.Errorf("it has %d of the %d files that are served", len(files), len(p.files))
	}
	return files, nil
}

var (
	imported = regexp.MustCompile(`\bfrom\s*"([@a-z][@a-z0-9./-]*)"`)
	mapped   = regexp.MustCompile(`(?m)^//# sourceMappingURL=.*\n?`)
)

// relative has a module name others by their addresses.
func relative(module []byte) ([]byte, error) {
	var unknown error
	module = imported.ReplaceAllFunc(mapped.ReplaceAll(module, nil), func(m []byte) []byte {
		name := string(imported.FindSubmatch(m)[1])
		to := served[name]
		if to == "" {
			unknown = fmt.Errorf("it names the module %q, which is not served", name)
		}
		return []byte(`from"` + to + `"`)
	})
	return module, unknown
}
