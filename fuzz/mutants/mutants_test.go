package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns what can be said of planted bugs without a run: that there are enough, and that each fits the code as
// it is.

func TestPatchesFit(t *testing.T) {
	list, err := readMutants(".")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(list), 40)
	heart := 0
	for _, m := range list {
		if regexp.MustCompile(`(?m)^\+\+\+ b/(timeline|engine/(conflict|seat|stock|hold))`).Match(m.patch) {
			heart++
		}
	}
	require.GreaterOrEqual(t, 2*heart, len(list), "half of the bugs are in stock and timelines")
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git, which says whether a patch fits")
	}
	for _, m := range list {
		_, err := m.overlay(filepath.Join("..", ".."), t.TempDir())
		require.NoError(t, err, m.name)
	}
}

func TestFilesOfBugs(t *testing.T) {
	const change = "\ndiff --git a/x b/x\n"
	m, err := parse("x", []byte("It is wrong.\n\nCaught by: ./a -run B\nCaught by: ./c\n"+change))
	require.NoError(t, err)
	require.Equal(t, mutant{name: "x", about: "It is wrong.", tests: [][]string{{"./a", "-run", "B"}, {"./c"}},
		patch: []byte(change)}, m)
	for _, text := range []string{"", "It is wrong.\n", "It is wrong.\n" + change, "It is wrong.\n\nCaught by: ./a\n",
		"It is wrong.\nfound by: ./a\n" + change} {
		_, err = parse("x", []byte(text))
		require.Error(t, err, text)
	}
}
