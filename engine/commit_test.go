package engine

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/stock"
)

// This file owns the tests of commands that wait for the disk.

// Commands of all groups that are on their way to the disk are counted, until they are answered.
func TestCommandsThatWaitAreCounted(t *testing.T) {
	s := newShop(t)
	s.shut()
	var held atomic.Bool
	begun, released := make(chan struct{}, 1), make(chan struct{})
	s.fs = errorfs.Wrap(s.fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		sync := op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo
		if sync && held.Load() && strings.HasSuffix(op.Path, ".log") {
			select {
			case begun <- struct{}{}:
			default:
			}
			<-released
		}
		return nil
	}))
	s.open()
	require.Zero(t, s.Stats().Waiting)
	before := s.view().Sequence()

	held.Store(true)
	release := sync.OnceFunc(func() { close(released) })
	defer release()
	var all []*Future
	submit := func() *Future {
		f := s.Submit(Command{Account: s.acc, Actor: "test",
			Op: stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}}})
		all = append(all, f)
		return f
	}
	submit()
	<-begun // its group is on its way alone
	for range worthSync {
		submit()
	}
	_, err := submit().Planned() // the writer comes to it behind handing over the others: they are worth a group
	require.NoError(t, err)
	require.Equal(t, 1+worthSync, s.Stats().Waiting)
	require.Zero(t, s.Stats().Groups)
	require.Equal(t, before, s.view().Sequence(), "what the disk may lose is seen by nobody")

	release()
	for _, f := range all {
		_, err := f.Wait()
		require.NoError(t, err)
	}
	require.Zero(t, s.Stats().Waiting)
	require.Equal(t, before+uint64(len(all)), s.view().Sequence())
}
