package main

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/persist"
)

// What is wrong with a copy's content is said of what was copied, and what is wrong with its disk of the copy itself.
func TestErrorsOfACopy(t *testing.T) {
	const dir = "/tmp/holdfast-copy-1/copy"
	said := func(err error) string { return copyError{err, dir, "/backups/monday.tar.zst"}.Error() }
	full := &fs.PathError{Op: "write", Path: dir + "/000004.sst", Err: syscall.ENOSPC}
	require.Equal(t, "extract 000004.sst: write "+dir+"/000004.sst: no space left on device",
		said(fmt.Errorf("restore to %s: extract 000004.sst: %w", dir, full)))
	require.Equal(t, "copy to "+dir+": flush failed: "+persist.ErrDiskFull.Error(),
		said(fmt.Errorf("restore to %s: flush failed: %w", dir, persist.ErrDiskFull)))
	require.Equal(t, "/backups/monday.tar.zst/000004.sst: its bytes are damaged",
		said(errors.New("restore to "+dir+": "+dir+"/000004.sst: its bytes are damaged")))
	require.Equal(t, "open /backups/monday.tar.zst/000004.sst: no such file or directory",
		said(&fs.PathError{Op: "open", Path: dir + "/000004.sst", Err: syscall.ENOENT}))
	gone := &fs.PathError{Op: "open", Path: "/backups/tuesday", Err: syscall.ENOENT}
	require.Equal(t, gone.Error(), said(gone))
}
