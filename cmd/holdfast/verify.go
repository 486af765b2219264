package main

// This file owns `holdfast verify`: everything in a data directory or a backup is read back and compared.

import (
	"bytes"
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
Items that are due are executed on that state in memory; no file is changed. For a directory or bucket of --backup-to it reads every piece of the log of every
backup line, restores the newest archive with the log after it to a temporary directory, and verifies that. Exits with 1 on any fault, and if it may not read a file.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := fitData(c.data); err != nil {
				return err
			}
			from, err := c.bucket.open(cmd.Context(), "data", c.data, cmd.InOrStdin())
			if err != nil {
				return notVerified(err)
			}
			defer from.Close()
			if from.dir != "" && !c.start {
				return verifyDir(cmd, from.dir, from.dir)
			}
			if len(from.lines) > 0 && !c.start {
				if err := verifyLines(cmd, from); err != nil {
					return err
				}
			}
			o := persist.RestoreOptions{}
			done := func() {}
			if from.dir == "" {
				o.Progress, done = copyProgress(cmd.ErrOrStderr(), "unpack")
				defer done()
			}
			return copyFirst(withCopy(cmd.Context(), from, o, func(dir string) error {
				done()
				if c.start {
					return startOn(cmd, dir, c.data)
				}
				return verifyDir(cmd, dir, c.data)
			}))
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
		return copyFirst(err)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, persist.ErrNewerFormat) {
		return notVerified(err)
	}
	said := printReport(cmd.OutOrStdout(), name, report, rebuilt, err)
	if err != nil {
		return fmt.Errorf("%w\nnothing was changed; restore a backup with `holdfast restore`", err)
	}
	return said
}

// verifyLines reads every piece of the log of every backup line at a target, up to the first fault, and says what there
// is.
func verifyLines(cmd *cobra.Command, from source) error {
	if err := backup.Single(from.target, from.lines); err != nil {
		return notVerified(err)
	}
	out, faults := new(bytes.Buffer), from.faults
	fmt.Fprintf(out, "%s\n", from.target)
	for _, l := range from.lines {
		good := 0
		for _, f := range l.Fulls {
			if f.Verified {
				good++
			}
		}
		c, err := backup.CheckSegments(cmd.Context(), from.target, l)
		fmt.Fprintf(out, "  line   %s\n", l.Name)
		fmt.Fprintf(out, "         %d archives that were opened when they were made, %d that were not\n", good,
			len(l.Fulls)-good)
		if c.Segments > 0 {
			fmt.Fprintf(out, "         %d pieces of the log, records %d to %d, %d bytes: checksums and chain\n",
				c.Segments, c.First, c.Last, c.Bytes)
		}
		if err != nil {
			faults = append(faults, err)
			break
		}
	}
	if err := errors.Join(faults...); err != nil {
		fmt.Fprintln(out, "  result FAULTS FOUND")
		_, _ = out.WriteTo(cmd.OutOrStdout()) // the fault counts
		return fmt.Errorf("%w\nnothing was changed; `holdfast restore` passes over archives with damaged marks, "+
			"and with --at goes to the records before a fault of the log", err)
	}
	_, err := out.WriteTo(cmd.OutOrStdout())
	return err
}

// notVerified says why nothing can be said of a directory or a backup: not that there are faults in it.
func notVerified(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("not verified: this user may not read it: %w", err)
	case errors.Is(err, backup.ErrSeveral):
		return fmt.Errorf("not verified: %w", err)
	case errors.Is(err, persist.ErrNewerFormat):
		return fmt.Errorf("not verified: only the version of holdfast that wrote it, or a newer one, can: %w", err)
	}
	return err
}

// printReport says what was looked at.
func printReport(out io.Writer, name string, r persist.Report, rebuilt bool, err error) error {
	w := new(bytes.Buffer)
	fmt.Fprintf(w, "%s\n", name)
	fmt.Fprintf(w, "  log    %d records from %d to %d, %d changes, %d bytes: checksums and chain\n", r.Records,
		r.Marker.FirstKept, r.End.Seq, r.Changes, r.LogBytes)
	if r.Records > 0 {
		fmt.Fprintf(w, "         kept from %s on: `restore --at` goes back to there\n", instantText(r.FirstAt))
	}
	fmt.Fprintf(w, "  head   at %d, %s\n", r.HeadSeq, endText(r.End))
	fmt.Fprintf(w, "  rows   %d in %d tables, %d bytes, folded up to %d; %d compared with the log\n", r.Rows,
		len(r.Tables), r.RowBytes, r.Marker.Seq, r.Compared)
	fmt.Fprintf(w, "  files  %d, every block\n", r.Files)
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "  note   %s\n", warning)
	}
	switch {
	case err != nil:
		fmt.Fprintln(w, "  result FAULTS FOUND")
	case rebuilt:
		fmt.Fprintf(w, "  state  rebuilt from the rows and the log, invariants checked, hash %016x equal\n  "+
			"result in order\n", r.End.StateHash)
	default:
		fmt.Fprintln(w, "  result in order; there is no state yet")
	}
	_, err = w.WriteTo(out)
	return err
}
