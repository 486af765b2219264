package s3test

// This file owns the real service: versitygw on a directory, which `make test-backup` builds.

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// GatewayVariable is the environment variable that names the program.
const GatewayVariable = "VERSITYGW_PROGRAM"

// The credentials that a gateway takes.
const (
	AccessKey = "access-of-a-test"
	SecretKey = "secret-of-a-test"
)

// Gateway is a process that keeps its bucket in a directory.
type Gateway struct {
	URL     string
	address string
	dir     string
	process *exec.Cmd
}

// NewGateway starts a process with an empty bucket in a directory.
func NewGateway(dir string) (*Gateway, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &Gateway{URL: "http://" + l.Addr().String(), address: l.Addr().String(), dir: dir}
	if err := errors.Join(l.Close(), os.Mkdir(filepath.Join(dir, Bucket), 0o700)); err != nil {
		return nil, err
	}
	return g, g.Start()
}

// Start starts the process again, on what the one before has left.
func (g *Gateway) Start() error {
	g.process = exec.Command(os.Getenv(GatewayVariable), "--quiet", "--access", AccessKey, "--secret", SecretKey,
		"--port", g.address, "posix", g.dir)
	if err := g.process.Start(); err != nil {
		return err
	}
	for range 600 {
		if c, err := net.Dial("tcp", g.address); err == nil {
			return c.Close()
		}
		time.Sleep(20 * time.Millisecond) // another process is starting
	}
	return errors.Join(errors.New("the S3 server does not listen"), g.Kill())
}

// Kill ends the process at once.
func (g *Gateway) Kill() error {
	err := g.process.Process.Kill()
	g.process.Wait() // says that it was killed
	return err
}
