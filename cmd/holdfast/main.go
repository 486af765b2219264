package main

// This file owns the command line as a whole: its subcommands and the exit codes.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"holdfast/engine/pace"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	pace.Start()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program, for a command line and the three streams. The first SIGTERM or interrupt asks a command to stop,
// the second ends the process at once.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-asked:
		case <-ctx.Done():
		}
		signal.Stop(asked) // before anything acts on the first one: a user who sees that may send the second
		stop()
	}()
	warnOfVariables(root, os.Environ(), errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	var u usageError
	if errors.As(err, &u) {
		fmt.Fprintf(errs, "holdfast: %v\nRun 'holdfast --help', or --help behind a command, for what there is.\n", err)
		return exitUsage
	}
	fmt.Fprintf(errs, "holdfast: %v\n", err)
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "holdfast",
		Short: "An in-memory availability engine for rental merchants",
		Long: `Holdfast keeps a rental merchant's stock in time and answers what is free, from memory.

Every flag has a twin in the environment: --listen is HOLDFAST_LISTEN. A flag that is given wins.
Exit codes: 0 done, 1 failed, 2 wrong usage.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       programVersion(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{badValue("", err)} })
	root.AddCommand(newServe(), newReplay(), newBackup(), newRestore(), newVerify(), newAccounts(), newKeys(),
		newImport(), newExport(), newDoctor(), newBench(), newVersion())
	giveExamples(root, "")
	nameTwins(root)
	return root
}
