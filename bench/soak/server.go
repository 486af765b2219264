package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// This file owns the program under load: how it is built, started, asked for its figures and stopped.

// server is the program as a process of its own.
type server struct {
	address string
	process *exec.Cmd
	log     *os.File
	ops     *http.Client // over the socket in the data directory
}

func build(ctx context.Context, dir string) (binary string, err error) {
	binary = filepath.Join(dir, "holdfast")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/holdfast").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return binary, nil
}

// keptLog is how much of its log the server keeps: so little that the log has its full length before the warm-up is
// over.
const keptLog = "16MiB"

// serve starts the program on a directory and waits until it is ready.
func serve(ctx context.Context, binary, data, logs string) (*server, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{address: free.Addr().String()}
	free.Close()
	if s.log, err = os.Create(filepath.Join(logs, filepath.Base(data)+".log")); err != nil {
		return nil, err
	}
	s.process = exec.Command(binary, "serve", "--listen", s.address, "--data", data, "--log-keep", keptLog)
	s.process.Stdout, s.process.Stderr = s.log, s.log
	s.ops = &http.Client{Timeout: 30 * time.Second,
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(data, "ops.sock"))
		}}}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end) &&
		ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		if answer, err := http.Get("http://" + s.address + "/readyz"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return s, nil
			}
		}
	}
	return nil, errors.Join(fmt.Errorf("the server does not become ready"), ctx.Err(), s.stop())
}

// stop ends the process; where it did not end well, its log says why.
func (s *server) stop() error {
	s.ops.CloseIdleConnections()
	_ = s.process.Process.Signal(syscall.SIGTERM) // it may have ended
	err := s.process.Wait()
	if err != nil {
		text, _ := os.ReadFile(s.log.Name())
		err = fmt.Errorf("the server: %w: %s", err, text[max(0, len(text)-2000):])
	}
	return errors.Join(err, s.log.Close())
}

// sample asks for the figures, after a collection.
func (s *server) sample(ctx context.Context) (x sample, err error) {
	if err := s.ask(ctx, "/debug/pprof/heap?gc=1", func(io.Reader) error { return nil }); err != nil {
		return x, err
	}
	err = s.ask(ctx, "/metrics", func(r io.Reader) error {
		x, err = readSample(r)
		return err
	})
	return x, err
}

func (s *server) ask(ctx context.Context, path string, read func(io.Reader) error) error {
	r, err := http.NewRequestWithContext(ctx, "GET", "http://localhost"+path, nil)
	if err != nil {
		return err
	}
	answer, err := s.ops.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, answer.Status)
	}
	return errors.Join(read(answer.Body), discard(answer.Body))
}

func discard(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// readSample reads the figures out of an answer in the format of Prometheus. Each has to be there.
func readSample(r io.Reader) (x sample, err error) {
	found := map[string]float64{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), " "); ok {
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				found[name] = v
			}
		}
	}
	if err := lines.Err(); err != nil {
		return x, err
	}
	for name, to := range map[string]*float64{
		"go_memstats_heap_alloc_bytes": &x.heap, "process_resident_memory_bytes": &x.resident,
		"go_goroutines": &x.goroutines, "process_open_fds": &x.files, "holdfast_snapshots_held": &x.snapshots,
		"holdfast_disk_bytes": &x.disk, "holdfast_holds": &x.holds, "holdfast_orders": &x.orders,
		"holdfast_units_taken": &x.taken,
	} {
		v, ok := found[name]
		if !ok {
			return x, fmt.Errorf("/metrics has no %s", name)
		}
		*to = v
	}
	return x, nil
}
