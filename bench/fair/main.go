package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"text/tabwriter"
	"time"

	"holdfast/bench"
	"holdfast/engine/pace"
)

// This file owns the run: one load after the other, each together with the same questions of the other account.

// plan is what the processes of a run are given.
type plan struct {
	Address           string
	Key, Beside       string // of the account that takes what it can get, and of the other
	Location, SKU     string
	SoldOut           string // SKU of which nothing is free
	BesideAt, Another string // location and SKU of the other account
	From              time.Time
	Load              string
	For               time.Duration
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fair:", err)
		os.Exit(1)
	}
}

func run() error {
	role := flag.String("role", "", "what this process does: of the command itself")
	budget := flag.Duration("time", 6*time.Second, "time for one load")
	only := flag.String("only", "", "only loads whose name matches this regular expression, and idle")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the server to this file")
	flag.Parse()
	if *role != "" {
		var p plan
		if err := json.NewDecoder(os.Stdin).Decode(&p); err != nil {
			return err
		}
		if *role == "load" {
			return loads[p.Load](p)
		}
		return json.NewEncoder(os.Stdout).Encode(wait(p))
	}
	choice, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pace.Start() // as the server does
	p, end, err := serve()
	if err != nil {
		return err
	}
	defer end()
	written, err := bench.Profile(*profile)
	if err != nil {
		return err
	}
	defer written()
	p.For = *budget
	out := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(out, "load\tbookings p50\tp99\tmax\treads p50\tp99\tmax\tp99 of idle\t")
	var idle waits
	for _, name := range names {
		if name != names[0] && !choice.MatchString(name) {
			continue
		}
		p.Load = name
		w, err := measure(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if name == names[0] {
			idle = w
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t\n", name, w.Bookings, w.Reads, judged(w, idle))
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// judged says how often the idle server's wait this is, and whether it is more than is meant to be.
func judged(w, idle waits) string {
	text := ""
	for _, x := range [...][2]figures{{w.Bookings, idle.Bookings}, {w.Reads, idle.Reads}} {
		times := float64(x[0].P99) / float64(x[1].P99)
		if text += fmt.Sprintf("x %.1f", times); x[0].P99 > 50*time.Millisecond && times > 5 {
			text += " (above 50 ms and five times)"
		}
		text += "  "
	}
	return text
}

// measure runs a load, and at the same time the account that waits.
func measure(ctx context.Context, p plan) (w waits, err error) {
	settle := 500 * time.Millisecond
	if p.Load == lapsingLoad {
		settle, p.For = 29*time.Second, max(p.For, 6*time.Second)
	}
	if loads[p.Load] != nil {
		load, err := child(ctx, "load", p)
		if err != nil {
			return w, err
		}
		if err := load.Start(); err != nil {
			return w, err
		}
		defer func() {
			load.Process.Kill()
			load.Wait()
			time.Sleep(time.Second) // what is left of it goes by
		}()
		time.Sleep(settle)
	}
	c, err := child(ctx, "wait", p)
	if err != nil {
		return w, err
	}
	text, err := c.Output()
	if err != nil {
		return w, err
	}
	return w, json.Unmarshal(text, &w)
}

func child(ctx context.Context, role string, p plan) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	in, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self, "-role", role)
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if _, err := w.Write(in); err != nil {
		return nil, err
	}
	c.Stdin, c.Stderr = r, os.Stderr
	return c, nil
}

func listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
