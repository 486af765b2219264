package power

import (
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// This file owns the disk.

// Disk is a file system in memory that knows which bytes were synced. Its methods may be called concurrently.
type Disk struct {
	*vfs.MemFS
	// twice is held for reading by what takes MemFS's lock twice, and for writing by what copies. Only whole operations
	// hold it, so none waits for itself.
	twice sync.RWMutex
}

// NewDisk is an empty disk.
func NewDisk() *Disk { return &Disk{MemFS: vfs.NewCrashableMem()} }

// CrashClone is what a power cut would leave now, with as much of what is not synced as c says.
func (d *Disk) CrashClone(c vfs.CrashCloneCfg) *Disk {
	d.twice.Lock()
	defer d.twice.Unlock()
	return &Disk{MemFS: d.MemFS.CrashClone(c)}
}

// Link gives a file a second name.
func (d *Disk) Link(old, name string) error {
	d.twice.RLock()
	defer d.twice.RUnlock()
	return d.MemFS.Link(old, name)
}

// ReuseForWrite renames a file and opens it to be written over.
func (d *Disk) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	d.twice.RLock()
	defer d.twice.RUnlock()
	return d.MemFS.ReuseForWrite(old, name, c)
}
