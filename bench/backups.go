package bench

import (
	"context"
	"fmt"
	"io"
	"path"
	"time"

	"holdfast/persist/backup"
)

// This file owns backups of the world that is measured, as a habit.

// Archive writes a backup of the world as one archive.
func (w *World) Archive(ctx context.Context, to io.Writer) error {
	_, err := w.store.WriteCheckpoint(ctx, to, nil)
	return err
}

// SendLog sends the log of the world to a directory, after one archive, until it is closed. The archive is taken as
// good without a check: to open it is the work of another process.
func (w *World) SendLog(dir string, every time.Duration) *backup.Habit {
	return backup.Start(backup.Options{
		Store: w.store, Target: backup.NewDir(dir), Every: 24 * time.Hour, Keep: 1, LogEvery: every, LogMax: 1 << 30,
		Open: func(_ context.Context, name string) (o backup.Opened, err error) {
			var seq uint64
			if _, err := fmt.Sscanf(path.Base(name), "full-%d-", &seq); err != nil {
				return o, err
			}
			r, err := w.store.Record(seq)
			return backup.Describe(r.Position), err
		},
	})
}
