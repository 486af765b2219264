package main

// This file owns the operator's listener as serve has it: a socket in the data directory, which only the user of the
// server may open, or an address with a token; and, in addition, an address that serves only metrics.

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	listener "holdfast/api/admin"
)

// socketName is the socket's in the data directory.
const socketName = "ops.sock"

type opsConfig struct {
	listen    string
	tokenFile string
	metrics   string
	token     *tokenFile // nil: the socket takes none
}

func (c *opsConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.listen, "ops-listen", "",
		"address for metrics, profiles, backups, accounts, keys, import and export, with --ops-token-file; "+
			"default: the socket "+socketName+" in the data directory, which commands find by --data")
	f.StringVar(&c.tokenFile, "ops-token-file", "", tokenFileUse+"--ops-listen takes")
	f.StringVar(&c.metrics, "metrics-listen", "",
		"address for /metrics alone, beside the other listener; it asks for no token, so whoever reaches it reads them")
}

const tokenFileUse = "file, of its owner alone, with the token of 32 to 256 characters that "

// check judges the options and reads the token.
func (c *opsConfig) check(n networkConfig) (err error) {
	if c.metrics != "" {
		if err := checkAddress("--metrics-listen", c.metrics); err != nil {
			return err
		}
	}
	if c.listen == "" {
		if c.tokenFile != "" {
			return usagef("--ops-token-file %q is for --ops-listen: the socket in the data directory takes no token",
				c.tokenFile)
		}
		return nil
	}
	if err := checkAddress("--ops-listen", c.listen); err != nil {
		return err
	}
	switch {
	case c.tokenFile == "":
		return usagef("--ops-listen %q needs --ops-token-file, as every user of the machine reaches it: "+
			"without --ops-listen there is a socket in the data directory", c.listen)
	case n.cert == "" && !n.insecure && !listener.CheckLoopback(c.listen):
		return usagef("--ops-listen %q is no loopback address like 127.0.0.1:8081, and its token would travel in "+
			"the clear: "+
			"give --tls-cert and --tls-key, or --listen-insecure where the network is private", c.listen)
	}
	c.token, err = openToken(c.tokenFile)
	return err
}

// open listens at the address. Beyond loopback it has the certificate of the public interface, where there is one.
func (c *opsConfig) open(p *pair) (net.Listener, error) {
	l, err := net.Listen("tcp", c.listen)
	if err == nil && p != nil && !listener.CheckLoopback(c.listen) {
		l = tls.NewListener(l, p.config())
	}
	return l, err
}

// url is where commands ask.
func (c *opsConfig) url(l net.Listener, p *pair) string {
	if p != nil && !listener.CheckLoopback(c.listen) {
		return localURL("https", l.Addr().String())
	}
	return localURL("http", l.Addr().String())
}

// listenSocket listens on the socket in a data directory, in place of one that a process left there when it died. The
// caller has the directory's lock, and removes the socket before it gives the lock back.
func listenSocket(dir string) (net.Listener, error) {
	name := filepath.Join(dir, socketName)
	room := name + roomSuffix // the socket is in it until only the owner may open it
	if err := errors.Join(os.RemoveAll(room), os.Mkdir(room, 0o700)); err != nil {
		return nil, err
	}
	defer os.RemoveAll(room)
	made := filepath.Join(room, roomSocket)
	short, err := shortest(made)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", short)
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(made, 0o600), os.Rename(made, name)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Where a socket is made: in a directory next to its place.
const (
	roomSuffix = ".new"
	roomSocket = "s"
)

// fitSocket says whether a data directory has too long a name for the socket in it.
func fitSocket(dir string) error {
	made := filepath.Join(socketName+roomSuffix, roomSocket)
	if _, err := shortest(filepath.Join(dir, made)); err != nil {
		return usagef("--data %q is too long a name for the socket in it: it may have %d characters, in full or from "+
			"the working directory; --ops-listen with --ops-token-file takes an address in place of the socket", dir,
			longestSocket-len("/"+made))
	}
	return nil
}

// longestSocket is how long the name of a socket may be on every system.
const longestSocket = 103

// shortest is a socket's name in as few characters as possible.
func shortest(name string) (string, error) {
	if full, err := filepath.Abs(name); err == nil {
		here, _ := os.Getwd()
		if from, err := filepath.Rel(here, full); err == nil && len(from) < len(full) {
			full = from
		}
		name = full
	}
	if len(name) > longestSocket {
		return "", fmt.Errorf("%s is too long a name for a socket: --ops-listen with --ops-token-file needs none", name)
	}
	return name, nil
}
