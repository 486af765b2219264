package main

// This file owns `holdfast backup`: of a running server through its ops listener, or of a stopped directory.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/spf13/cobra"

	"holdfast/engine/base"
	"holdfast/persist"
)

func newBackup() *cobra.Command {
	var c backupConfig
	cmd := &cobra.Command{
		Use:   "backup --to DIR|FILE.tar.zst|-",
		Short: "Copy a consistent state of a running server, or of a stopped directory",
		Long: `Copies a consistent state of a running server, without holding up its writes, or of the data directory of a stopped one.
What is copied is read back in full before the backup counts as done.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.to == "" {
				return usagef("--to says where the backup goes")
			}
			if err := fitTarget(c.to, c.data); err != nil {
				return err
			}
			server, err := c.find(cmd)
			if err != nil {
				return err
			}
			if server != nil {
				return backupRunning(cmd, c, server)
			}
			if err := backupStopped(cmd, c); err != nil {
				return inUse(fmt.Errorf("backup of %s to %s: %w", c.data, c.to, err))
			}
			return nil
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

// oddSuffixes are ends of names that a user may give to an archive, and that would become directories.
var oddSuffixes = []string{".tar", ".tgz", ".tar.gz", ".gz", ".zip", ".zst", ".tzst", ".bak"}

// fitTarget says what is wrong with a place for a backup, before anything is read.
func fitTarget(to, data string) error {
	if to == "-" {
		return nil
	}
	if strings.Contains(to, "://") {
		return usagef("--to %q must be a new directory, a file that ends with %s, or -; serve --backup-to keeps "+
			"backups in a bucket", withoutSecret(to), archiveSuffix)
	}
	if !isArchive(to) {
		for _, suffix := range oddSuffixes {
			if strings.HasSuffix(strings.ToLower(to), suffix) {
				return usagef("--to %q must be a new directory, a file that ends with %s, or -", to, archiveSuffix)
			}
		}
	}
	if isIn(to, data) {
		return usagef("--to %q must not be in the data directory %q: who loses one would lose both", to, data)
	}
	st, err := os.Stat(to)
	if err != nil {
		return nil // it is made
	}
	if isArchive(to) || !st.IsDir() {
		return thereIs(to)
	}
	if list, err := os.ReadDir(to); err == nil && len(list) > 0 {
		return fmt.Errorf("%s is not empty", to)
	}
	return nil
}

// backupRunning streams a backup from a server's ops listener.
func backupRunning(cmd *cobra.Command, c backupConfig, server *opsServer) error {
	request, err := http.NewRequestWithContext(cmd.Context(), http.MethodPost, server.base+"/backup", nil)
	if err != nil {
		return err
	}
	answer, err := server.do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
		return fmt.Errorf("the server at %s answers %s: %s", server.base, answer.Status,
			strings.TrimSpace(string(text)))
	}
	progress, done := copyProgress(cmd.ErrOrStderr(), "backup")
	stream := &meter{r: answer.Body, progress: progress}
	var made persist.Backup
	switch {
	case c.to == "-":
		_, err = io.Copy(cmd.OutOrStdout(), stream)
	case isArchive(c.to):
		err = writeFile(c.to, func(w io.Writer) error {
			_, err := io.Copy(w, stream)
			return err
		})
	default:
		// A directory is made from the stream, and read back in full.
		made, err = persist.Restore(cmd.Context(), persist.RestoreOptions{Archive: stream, To: c.to,
			RowHash: base.RowHash})
	}
	done()
	if err != nil {
		return fmt.Errorf("the backup is not whole: %w", err)
	}
	return backedUp(cmd, c.to, cmp.Or(made.Bytes, stream.n))
}

// backupStopped copies a directory that no process has open.
func backupStopped(cmd *cobra.Command, c backupConfig) error {
	progress, done := copyProgress(cmd.ErrOrStderr(), "backup")
	defer done()
	if !isArchive(c.to) {
		to := resolved(c.to) // in full, so that an error names it without doubt
		b, err := persist.Restore(cmd.Context(), persist.RestoreOptions{From: c.data, To: to, RowHash: base.RowHash,
			Progress: progress})
		if err != nil {
			return copyError{err, to, c.data}
		}
		return backedUp(cmd, c.to, b.Bytes)
	}
	// An archive is written from a copy that was checked: the directory itself is left as it is.
	from, o := source{name: c.data, dir: c.data}, persist.RestoreOptions{RowHash: base.RowHash}
	return withCopy(cmd.Context(), from, o, func(dir string) error {
		write := func(w io.Writer) error { return persist.WriteArchive(cmd.Context(), w, vfs.Default, dir, progress) }
		if c.to == "-" {
			return write(cmd.OutOrStdout())
		}
		if err := writeFile(c.to, write); err != nil {
			return err
		}
		st, err := os.Stat(c.to)
		if err != nil {
			return err
		}
		return backedUp(cmd, c.to, st.Size())
	})
}

// inUse says what to do about a directory that a server has open, where the command has --ops-url.
func inUse(err error) error {
	if errors.Is(err, persist.ErrLocked) {
		return fmt.Errorf("%w, or reach the server by --ops-url", err)
	}
	return err
}

// copyFirst says what to do about it where the command reads directories and backups alone.
func copyFirst(err error) error {
	if errors.Is(err, persist.ErrLocked) {
		return fmt.Errorf("%w, or name a backup: holdfast backup makes one of a running server", err)
	}
	return err
}

func backedUp(cmd *cobra.Command, to string, bytes int64) error {
	if to == "-" {
		return nil
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "backed up to %s, %d bytes\n", to, bytes)
	return err
}

// meter counts what is read through it.
type meter struct {
	r        io.Reader
	n        int64
	progress persist.Progress
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.n += int64(n)
	m.progress(m.n, 0)
	return n, err
}
