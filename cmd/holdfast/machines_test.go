package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns networks for tests: the test runs again in a network namespace of its own, whose other ends stand for
// other machines.

const insideNetwork = "INSIDE_NETWORK"

// inNetwork runs a test again, alone, in a network that nobody else is in; there it returns true. Where that may not
// be, the test is skipped.
func inNetwork(t *testing.T) bool {
	if os.Getenv(insideNetwork) != "" {
		ip(t, "link", "set", "lo", "up")
		return true
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("another machine takes the program ip to stand for it: ", err)
	}
	self, err := os.Executable()
	require.NoError(t, err)
	again := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	again.Env = append(os.Environ(), insideNetwork+"=1")
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	var out strings.Builder
	again.Stdout, again.Stderr = &out, &out
	if err := again.Start(); err != nil {
		t.Skip("a network of its own cannot be made here: ", err)
	}
	require.NoError(t, again.Wait(), out.String())
	require.Contains(t, out.String(), "--- PASS: "+t.Name())
	return false
}

func ip(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command("ip", args...).CombinedOutput()
	require.NoError(t, err, "ip %v: %s", args, out)
}

// machine is another machine: what it dials comes from its address.
type machine struct{ do chan func() }

// newMachine makes the machine 10.77.n.2, for which this one is 10.77.n.1.
func newMachine(t *testing.T, n int) *machine {
	m := &machine{make(chan func())}
	thread := make(chan int)
	go func() {
		runtime.LockOSThread() // for good: the thread is in the other network, and ends with the goroutine
		if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
			t.Error(err)
		}
		thread <- syscall.Gettid()
		for f := range m.do {
			f()
		}
	}()
	id := strconv.Itoa(<-thread)
	t.Cleanup(func() { close(m.do) })
	here, there, network := "here"+strconv.Itoa(n), "there"+strconv.Itoa(n), "10.77."+strconv.Itoa(n)+"."
	ip(t, "link", "add", here, "type", "veth", "peer", "name", there, "netns", id)
	ip(t, "addr", "add", network+"1/24", "dev", here)
	ip(t, "link", "set", here, "up")
	for _, args := range [][]string{{"link", "set", "lo", "up"}, {"addr", "add", network + "2/24", "dev", there},
		{"link", "set", there, "up"}} {
		m.run(func() { ip(t, args...) })
	}
	return m
}

// run has the machine do something.
func (m *machine) run(f func()) {
	done := make(chan struct{})
	m.do <- func() {
		defer close(done)
		f()
	}
	<-done
}

func (m *machine) dial(ctx context.Context, network, address string) (c net.Conn, err error) {
	m.run(func() { c, err = new(net.Dialer).DialContext(ctx, network, address) })
	return c, err
}

// client is a browser or a program on the machine.
func (m *machine) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: m.dial, DisableCompression: true}}
}
