package main

// This file owns a planted bug: its file, and whether the tests catch it.

import (
	"bytes"
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

// plant plants the bug in a copy of the project, runs the tests up to the first failure, and takes the bug out again. It says which test failed. That a run takes
// too long shows nothing: the machine may be busy.
func (m *mutant) plant(dir string) (by string, err error) {
	if err := m.apply(dir); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, m.apply(dir, "-R")) }()
	for _, args := range m.tests {
		cmd := exec.Command("go", append([]string{"test", "-trimpath", "-vet=off", "-failfast", "-count=1", "-timeout", "5m"}, args...)...)
		cmd.Dir = dir
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

// apply changes a copy of the project as the patch says.
func (m *mutant) apply(dir string, flags ...string) error {
	cmd := exec.Command("git", append([]string{"apply", "-p1"}, flags...)...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(m.patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the patch does not fit: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}
