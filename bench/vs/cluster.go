package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
)

// This file owns a PostgreSQL of its own: a cluster in a temporary directory, on a free loopback port, that goes when
// the run ends.

type cluster struct {
	dir  string
	bin  string
	port int
	as   *syscall.Credential // the user that runs it; nil: the user of this program
}

// startCluster makes a cluster with the newest PostgreSQL that Debian's packages have put on this machine.
func startCluster(ctx context.Context, progress func(string)) (c *cluster, err error) {
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(bins) == 0 {
		return nil, errors.New("PostgreSQL is not installed: apt-get install postgresql-15")
	}
	version := func(bin string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
		return n
	}
	c = &cluster{bin: slices.MaxFunc(bins, func(p, q string) int { return version(p) - version(q) })}
	if c.dir, err = os.MkdirTemp("", "holdfast-vs-*"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(c.dir)
		}
	}()
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		if c.as, err = credentials("postgres"); err != nil {
			return nil, err
		}
		if err := errors.Join(os.Chown(c.dir, int(c.as.Uid), int(c.as.Gid)), os.Chmod(c.dir, 0o700)); err != nil {
			return nil, err
		}
	}
	if c.port, err = freePort(); err != nil {
		return nil, err
	}
	progress("making a PostgreSQL cluster with " + c.bin)
	data := filepath.Join(c.dir, "data")
	if err := c.run(ctx, "initdb", "-D", data, "-U", "bench", "--auth=trust", "--encoding=UTF8", "--locale=C"); err !=
		nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	_, err = file.WriteString(c.settings())
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return c, c.run(ctx, "pg_ctl", "-D", data, "-w", "-l", filepath.Join(c.dir, "log"), "start")
}

// settings are what an engineer sets on a machine that PostgreSQL has for itself, with what is on disk on fast storage.
// Durability stays as it is by default.
func (c *cluster) settings() string {
	return fmt.Sprintf(`
listen_addresses = '127.0.0.1'
port = %d
unix_socket_directories = '%s'
max_connections = 200
shared_buffers = 1GB
effective_cache_size = 4GB
work_mem = 32MB
maintenance_work_mem = 512MB
random_page_cost = 1.1
max_wal_size = 8GB
max_parallel_workers_per_gather = %d
jit = off
timezone = 'UTC'
`, c.port, c.dir, min(2, runtime.NumCPU()))
}

func (c *cluster) url() string {
	return fmt.Sprintf("postgres://bench@127.0.0.1:%d/postgres?sslmode=disable", c.port)
}

func (c *cluster) run(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, name), args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// stop ends the cluster and removes it.
func (c *cluster) stop() error {
	err := c.run(context.Background(), "pg_ctl", "-D", filepath.Join(c.dir, "data"), "-m", "immediate", "stop")
	return errors.Join(err, os.RemoveAll(c.dir))
}

func credentials(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
