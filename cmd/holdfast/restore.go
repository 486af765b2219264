package main

// This file owns `holdfast restore`.

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/persist"
	"holdfast/persist/backup"
	"holdfast/timeline"
)

func newRestore() *cobra.Command {
	var c restoreConfig
	cmd := &cobra.Command{
		Use:   "restore --from DIR|s3://BUCKET/PREFIX|FILE.tar.zst|- [--data DIR] [--at SEQUENCE|INSTANT]",
		Short: "Make a data directory from a backup, checking it on the way",
		Long: `Makes a data directory from a backup, or from the data directory of a stopped server, and checks everything on the way.
Of a directory or bucket of --backup-to it takes the newest archive that was found good, or the last one before --at, and the log behind it.
What was written while the backups there were interrupted is taken from the log in the first archive after that. Where that does not reach back to the instant of --at,
the restored directory ends before the interruption; the command says which records are missing, and exits with 1. Where nothing was written between the end of a
backup line and --at, as before a directory is put back by other means, it restores that line to its end.
With --at it is taken back to a sequence of the log or to an instant, as far back as the log was kept.
The restored log has a new incarnation number; cursors of the old change feed are refused.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.from == "" {
				return usagef("--from says which backup")
			}
			if err := fitData(c.data); err != nil {
				return err
			}
			if !backup.IsBucket(c.from) && isIn(c.data, c.from) {
				return usagef("--data %q must not be in the backup %q: that stays as it is", c.data, c.from)
			}
			o := persist.RestoreOptions{To: c.data, RowHash: base.RowHash, Mark: engine.Mark}
			var at int64
			instant := false
			if given(cmd, "at") {
				var err error
				if o.At, at, instant, err = parsePoint(c.at); err != nil {
					return err
				}
			}
			from, err := c.bucket.open(cmd.Context(), "from", c.from, cmd.InOrStdin())
			if err != nil {
				return err
			}
			defer from.Close()
			var plan backup.Plan
			log := "the log"
			if len(from.lines) > 0 {
				if plan, err = tellPlan(cmd, from, o.At); err != nil {
					return err
				}
				log = "the backup line"
			}
			progress, done := copyProgress(cmd.ErrOrStderr(), "restore")
			o.Progress = progress
			b, err := from.restore(cmd.Context(), o)
			done()
			if used := b.Plan; plan.Before != nil && used.Line.Name == plan.Before.Line.Name {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: the log in that archive has nothing that was written between "+
					"the end of the backup line before it and --at: restored from %s, and %d pieces of the log behind "+
					"it\n",
					used.Full.Name, len(used.Pieces))
			}
			for _, fault := range b.Unmarked {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: behind --at: %v; customers who were erased there may be back\n",
					fault)
			}
			var missing *backup.MissingError
			switch {
			case errors.As(err, &missing):
				fmt.Fprintf(cmd.ErrOrStderr(), "restored to %s what there is before --at\n", c.data)
				return err
			case errors.Is(err, persist.ErrBadTarget):
				return fmt.Errorf("%w; --at 0 makes an empty directory, before the first record", err)
			case err != nil:
				return copyFirst(err)
			}
			if instant && at > max(b.Source.At, b.Plan.Line.End().At) {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: --at lies behind the end of %s: all of it is restored\n", log)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "restored to %s: log sequence %d, %s\n", c.data, b.End.Seq,
				endText(b.End))
			return err
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

// tellPlan says which archive is taken of the backup lines at a target, which marks of archives are damaged, and which
// other lines there are.
func tellPlan(cmd *cobra.Command, from source, at persist.Point) (backup.Plan, error) {
	for _, fault := range from.faults {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %v\n", fault)
	}
	plan, err := from.plan(at)
	if err != nil {
		return plan, err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "from %s, and %d pieces of the log behind it\n", plan.Full.Name, len(plan.Pieces))
	for _, l := range plan.Others(from.lines) {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: there is another backup line beside it: %s\n", l)
	}
	return plan, nil
}

// parsePoint reads --at: a log sequence or an instant.
func parsePoint(s string) (p persist.Point, ms int64, instant bool, err error) {
	if seq, err := strconv.ParseUint(s, 10, 63); err == nil {
		return persist.AtSeq(seq), 0, false, nil
	}
	ms, fault := timeline.ParseInstant(s)
	if fault != "" {
		return p, 0, false, usagef("--at %q is no log sequence, and as an instant it %s", s, fault)
	}
	return persist.AtInstant(ms), ms, true, nil
}

// endText is the instant of a log's last record, for people.
func endText(p persist.Position) string {
	if p.Seq == 0 {
		return "nothing was ever written"
	}
	return "last written " + instantText(p.At)
}
