package main

// This file owns `holdfast verify`: everything in a data directory or a backup is read back and compared.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"

	"github.com/spf13/cobra"

	"holdfast/engine"
	"holdfast/persist"
	"holdfast/persist/backup"
)

func newVerify() *cobra.Command {
	var c verifyConfig
	cmd := &cobra.Command{
		Use:   "verify --data DIR|BACKUP",
		Short: "Read everything back and compare: checksums, invariants, derived state",
		Long: `Reads back everything in the data directory of a stopped server, or in a backup, and changes nothing in it: the head file, every block of the store, the
chain of the log, every row; rows and log are held against each other, then the state is rebuilt from them, its invariants are checked and its hash is compared.
What is due by now is tried on that state, which no file sees. Exits with 1 on any fault, and where it may not read what there is.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			in := cmd.InOrStdin()
			if c.data != "-" {
				f, err := openArchive(c.data)
				if err != nil {
					return notVerified(err)
				}
				switch {
				case f == nil && !c.start:
					return verifyDir(cmd, c.data, c.data)
				case f == nil:
					return withCopy(cmd.Context(), persist.RestoreOptions{From: c.data}, func(dir string) error { return startOn(cmd, dir, c.data) })
				}
				defer f.Close()
				in = f
			}
			progress, done := copyProgress(cmd.ErrOrStderr(), "unpack")
			defer done()
			return withCopy(cmd.Context(), persist.RestoreOptions{Archive: in, Progress: progress}, func(dir string) error {
				done()
				if c.start {
					return startOn(cmd, dir, c.data)
				}
				return verifyDir(cmd, dir, c.data)
			})
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

// startOn verifies a copy, starts on it as a server does, and prints what was opened.
func startOn(cmd *cobra.Command, dir, name string) error {
	report, _, err := verified(cmd, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	core, err := openCore(cmd.Context(), dir, engine.Options{Now: clock}, slog.New(slog.DiscardHandler))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := core.Close(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return json.NewEncoder(cmd.OutOrStdout()).Encode(backup.Describe(report.End))
}

// verified reads a directory back and rebuilds its state.
func verified(cmd *cobra.Command, dir string) (report persist.Report, rebuilt bool, err error) {
	report, err = persist.Verify(dir, persist.VerifyOptions{Check: func(s *persist.Store) error {
		rebuilt = true
		return engine.Verify(cmd.Context(), s, clock())
	}})
	return report, rebuilt, err
}

func verifyDir(cmd *cobra.Command, dir, name string) error {
	report, rebuilt, err := verified(cmd, dir)
	if errors.Is(err, persist.ErrNoStore) || errors.Is(err, persist.ErrLocked) {
		return inUse(err)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, persist.ErrNewerFormat) {
		return notVerified(err)
	}
	printReport(cmd.OutOrStdout(), name, report, rebuilt, err)
	if err != nil {
		return fmt.Errorf("%w\nnothing was changed; restore a backup with `holdfast restore`", err)
	}
	return nil
}

// notVerified says why nothing can be said of a directory or a backup: not that there are faults in it.
func notVerified(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("not verified: this user may not read it: %w", err)
	case errors.Is(err, persist.ErrNewerFormat):
		return fmt.Errorf("not verified: only the version of holdfast that wrote it, or a newer one, can: %w", err)
	}
	return err
}

// printReport says what was looked at.
func printReport(w io.Writer, name string, r persist.Report, rebuilt bool, err error) {
	fmt.Fprintf(w, "%s\n", name)
	fmt.Fprintf(w, "  log    %d records from %d to %d, %d changes, %d bytes: checksums and chain\n", r.Records, r.Marker.FirstKept, r.End.Seq, r.Changes, r.LogBytes)
	fmt.Fprintf(w, "  head   at %d, %s\n", r.HeadSeq, endText(r.End))
	fmt.Fprintf(w, "  rows   %d in %d tables, %d bytes, folded up to %d; %d compared with the log\n", r.Rows, len(r.Tables), r.RowBytes, r.Marker.Seq, r.Compared)
	fmt.Fprintf(w, "  files  %d, every block\n", r.Files)
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "  note   %s\n", warning)
	}
	switch {
	case err != nil:
		fmt.Fprintln(w, "  result FAULTS FOUND")
	case rebuilt:
		fmt.Fprintf(w, "  state  rebuilt from the rows and the log, invariants checked, hash %016x equal\n  result in order\n", r.End.StateHash)
	default:
		fmt.Fprintln(w, "  result in order; there is no state yet")
	}
}
