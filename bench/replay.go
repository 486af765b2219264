package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// This file owns the replay of real bookings: the command that a user runs, in a process of its own.

// replay builds the command and lets it play the hotel's bookings with room for all of them; the rate is the command's
// own.
func replay(ctx context.Context) (r Result, err error) {
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return r, fmt.Errorf("the source tree is not found: %w", err)
	}
	root := string(bytes.TrimSpace(module))
	dir, err := os.MkdirTemp("", "holdfast-bench-*")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "holdfast")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/holdfast")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return r, fmt.Errorf("%w: %s", err, out)
	}
	play := exec.CommandContext(ctx, program, "replay", "--json",
		filepath.Join(root, "bench/testdata/resort-hotel-bookings.csv.gz"))
	var said bytes.Buffer
	play.Stderr = &said
	out, err := play.Output()
	if err != nil {
		return r, fmt.Errorf("%w: %s", err, said.Bytes())
	}
	var told struct {
		Bookings, Accepted, WrongRefusals int
		PerSecond                         float64
	}
	if err := json.Unmarshal(out, &told); err != nil {
		return r, err
	}
	r = Judge(told.PerSecond, bookTarget)
	r.PerSecond = told.PerSecond
	r.Note = fmt.Sprintf("%d of %d bookings accepted, %d refused wrongly", told.Accepted, told.Bookings,
		told.WrongRefusals)
	return r, nil
}
