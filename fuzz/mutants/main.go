package main

// This file owns the run: which bugs are planted, and what is said of them.

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	part := flag.String("part", "0/1", "run every N-th bug, from the K-th on: K/N")
	only := flag.String("only", "", "run the bugs whose name contains this")
	workers := flag.Int("workers", 2, "bugs that are planted at once, each in a copy of its own")
	flag.Parse()
	var k, n int
	if _, err := fmt.Sscanf(*part, "%d/%d", &k, &n); err != nil || k < 0 || k >= n || *workers < 1 {
		fmt.Fprintln(os.Stderr, "mutants: -part is K/N with 0 <= K < N, and -workers at least 1")
		os.Exit(2)
	}
	all, err := readMutants("fuzz/mutants")
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	var list []mutant
	for i, m := range all {
		if i%n == k && strings.Contains(m.name, *only) {
			list = append(list, m)
		}
	}
	if missed := run(list, *workers); missed > 0 {
		os.Exit(1)
	}
}

// run plants the bugs and says of each what became of it. It returns how many were not caught.
func run(list []mutant, workers int) (missed int) {
	root, err := os.MkdirTemp("", "holdfast-mutants-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		return len(list)
	}
	defer os.RemoveAll(root)
	began := time.Now()
	todo := make(chan mutant)
	var mu sync.Mutex
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			dir := filepath.Join(root, fmt.Sprint(w))
			err := copyTree(".", dir)
			for m := range todo {
				at := time.Now()
				by, fault := "", err
				if fault == nil {
					by, fault = m.plant(dir)
				}
				mu.Lock()
				if fault != nil {
					missed++
					fmt.Printf("NOT CAUGHT  %-32s %s\n            %v\n", m.name, m.about, fault)
				} else {
					fmt.Printf("caught      %-32s %4.0f s  %s\n", m.name, time.Since(at).Seconds(), by)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range list {
		todo <- m
	}
	close(todo)
	all.Wait()
	fmt.Printf("%d of %d bugs caught in %.0f s\n", len(list)-missed, len(list), time.Since(began).Seconds())
	return missed
}

// copyTree copies the project without what is no part of it.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "dist", "node_modules"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o755)
		case !d.Type().IsRegular() || path == "holdfast":
			return nil
		}
		return copyFile(path, filepath.Join(to, path))
	})
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}
