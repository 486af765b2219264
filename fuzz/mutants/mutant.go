package main

// This file owns a planted bug: its file, and whether the tests catch it.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// mutant is one bug.
type mutant struct {
	name  string
	about string
	tests [][]string // arguments of go test, in the order in which they are run
	patch []byte
}

const caughtBy = "Caught by: "

// readMutants reads the bugs of a folder, by name.
func readMutants(dir string) (list []mutant, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.patch"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there are no patches in %s: run it from the top of the project", dir)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		m, err := parse(strings.TrimSuffix(filepath.Base(f), ".patch"), b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		list = append(list, m)
	}
	return list, nil
}

// parse reads a bug from its file.
func parse(name string, b []byte) (mutant, error) {
	head, _, ok := bytes.Cut(b, []byte("\ndiff --git "))
	m := mutant{name: name, patch: b[len(head):]}
	lines := strings.Split(strings.TrimSpace(string(head)), "\n")
	m.about = lines[0]
	for _, l := range lines[1:] {
		if by, is := strings.CutPrefix(l, caughtBy); is {
			m.tests = append(m.tests, strings.Fields(by))
		} else if l != "" {
			return m, fmt.Errorf("line %q is neither empty nor begins with %q", l, caughtBy)
		}
	}
	if !ok || m.about == "" || len(m.tests) == 0 {
		return m, errors.New("a bug has a sentence, the packages that catch it, and a change")
	}
	return m, nil
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^panic: (.*)$`)

// plant runs the tests up to the first failure on the project with the bug in it, and says which test failed. By the
// option -overlay the compiler reads the changed files from a folder of their own in place of the project's: all that
// does not depend on them is compiled already. A run that takes too long proves nothing: the machine may be busy.
func (m *mutant) plant(root string) (by string, err error) {
	dir, err := os.MkdirTemp("", "holdfast-mutant-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := m.overlay(root, dir)
	if err != nil {
		return "", err
	}
	for _, args := range m.tests {
		cmd := exec.Command("go",
			append([]string{"test", "-overlay", overlay, "-vet=off", "-failfast", "-count=1", "-timeout", "5m"},
				args...)...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err == nil {
			continue
		}
		found := failure.FindSubmatch(out)
		if found == nil || bytes.HasPrefix(found[2], []byte("test timed out")) {
			return "", fmt.Errorf("no test failed, and the run did: %w\n%s", err, out[max(0, len(out)-2000):])
		}
		return args[0] + " " + string(found[1]) + string(found[2]), nil
	}
	return "", errors.New("every test passed")
}

var changed = regexp.MustCompile(`(?m)^\+\+\+ b/(\S+)$`)

// overlay writes the files that the patch changes into a folder, as they are with the change. Next to them it writes a
// list that says which files of the project they replace.
func (m *mutant) overlay(root, dir string) (name string, err error) {
	var list struct{ Replace map[string]string }
	list.Replace = map[string]string{}
	for _, f := range changed.FindAllSubmatch(m.patch, -1) {
		from, to := filepath.Join(root, string(f[1])), filepath.Join(dir, string(f[1]))
		b, err := os.ReadFile(from)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755)); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, b, 0o644); err != nil {
			return "", err
		}
		list.Replace[from] = to
	}
	cmd := exec.Command("git", "apply", "-p1")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(m.patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the patch does not fit: %w: %s", err, bytes.TrimSpace(out))
	}
	b, err := json.Marshal(list)
	name = filepath.Join(dir, "overlay.json")
	return name, errors.Join(err, os.WriteFile(name, b, 0o644))
}
