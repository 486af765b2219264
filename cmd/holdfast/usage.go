package main

// This file owns what counts as wrong usage, and how every command says it.

import (
	"fmt"

	"github.com/spf13/cobra"
)

// usageError is a command line that says something wrong; nothing was begun.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exactly is a check of the number of arguments that are no flags.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("wants %s, has %d arguments", what, len(args))
		}
		return nil
	}
}
