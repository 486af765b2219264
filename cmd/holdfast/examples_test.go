package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// This file owns the test of the examples in the help.

// Every command has examples, each is one of its own, and has the flags and arguments that the command takes.
func TestExamplesAreCommands(t *testing.T) {
	seen := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if cmd.HasSubCommands() || cmd.Name() == "help" || cmd.Parent() != nil && cmd.Parent().Name() == "completion" {
			return
		}
		require.NotEmpty(t, cmd.Example, cmd.CommandPath())
		for _, line := range strings.Split(cmd.Example, "\n") {
			words := fields(t, strings.TrimSpace(line))
			require.Equal(t, "holdfast", words[0])
			found, rest, err := newRoot().Find(words[1:])
			require.NoError(t, err, line)
			require.Equal(t, cmd.CommandPath(), found.CommandPath(), line)
			require.NoError(t, found.ParseFlags(rest), line)
			require.NoError(t, found.Args(found, found.Flags().Args()), line)
			seen++
		}
	}
	walk(newRoot())
	require.Greater(t, seen, 15)
	for path := range examples {
		found, _, err := newRoot().Find(strings.Fields(path))
		require.NoError(t, err)
		require.Equal(t, "holdfast "+path, found.CommandPath(), "an example of no command")
	}
}

// fields cuts a line where a shell would, as far as the examples go.
func fields(t *testing.T, line string) (words []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	require.Zero(t, strings.Count(line, `"`)%2, line)
	return words
}
