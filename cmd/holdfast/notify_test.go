package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

// This file owns the tests of what systemd is told, with a socket in its place.

// systemd listens as systemd would, and gives what it was told.
func systemd(t *testing.T) <-chan string {
	path := filepath.Join(t.TempDir(), "notify.sock")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	told := make(chan string, 100)
	go func() {
		defer close(told)
		for b := make([]byte, 1000); ; {
			n, err := l.Read(b)
			if err != nil {
				return
			}
			told <- string(b[:n])
		}
	}()
	return told
}

func TestSystemdIsToldOfAStartAndAStop(t *testing.T) {
	t.Setenv(bootstrapVariable, "hf_notifytests_"+strings.Repeat("0123456789", 4))
	t.Setenv("WATCHDOG_USEC", "200000")
	t.Setenv("WATCHDOG_PID", "")
	told := systemd(t)
	ctx, cancel := context.WithCancel(t.Context())
	root := newRoot()
	root.SetArgs([]string{"serve", "--listen", freeAddress(t), "--data", filepath.Join(t.TempDir(), "data")})
	var out, errs bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&errs)
	ended := make(chan error)
	go func() { ended <- root.ExecuteContext(ctx) }()
	require.Equal(t, "READY=1", <-told)
	require.Equal(t, "WATCHDOG=1", <-told)
	require.Equal(t, "WATCHDOG=1", <-told, "again and again")
	cancel()
	require.NoError(t, <-ended, errs.String())
	last := ""
	for last != "STOPPING=1" {
		last = <-told
	}
}

func TestWatchdogFallsSilent(t *testing.T) {
	told := systemd(t)
	t.Setenv("WATCHDOG_USEC", strconv.Itoa(int((20 * time.Millisecond).Microseconds())))
	t.Setenv("WATCHDOG_PID", "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked atomic.Int64
	var dead atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		watchdog(ctx, func(context.Context) error {
			asked.Add(1)
			if dead.Load() {
				return errors.New("the disk has failed")
			}
			return nil
		}, slog.New(slog.DiscardHandler))
	}()
	require.Equal(t, "WATCHDOG=1", <-told)
	dead.Store(true)
	for n := asked.Load(); asked.Load() < n+5; {
		time.Sleep(time.Millisecond)
	}
	for len(told) > 0 { // those of before
		<-told
	}
	for n := asked.Load(); asked.Load() < n+5; {
		time.Sleep(time.Millisecond)
	}
	require.Empty(t, told)
	cancel()
	<-ended
}

// A server whose disk has failed answers those who read, which a start on that disk would end: it is alive.
func TestAServerWhoseDiskHasFailedIsAlive(t *testing.T) {
	c := quietCore(t, t.TempDir(), engine.Options{})
	p := &program{}
	p.core.Store(c)
	require.NoError(t, p.alive(t.Context()))
	require.NoError(t, c.store.Close()) // no command gets onto the disk any more
	_, err := c.engine.Do(engine.Command{Account: base.NewID(clock(), base.BaseOf([10]byte{1})), Actor: "test",
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental"}}})
	require.Error(t, err)
	await(t, "the failure", func() bool { return c.engine.Failed() != nil })
	require.NoError(t, p.alive(t.Context()))
	c.engine.Close()
}
