package main

// This file owns the run: which bugs are planted, and what is said of them.

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

func main() {
	part := flag.String("part", "0/1", "run every N-th bug, from the K-th on: K/N")
	only := flag.String("only", "", "run the bugs whose name contains this")
	workers := flag.Int("workers", 2, "bugs that are looked for at once")
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
	root, err := filepath.Abs(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		return len(list)
	}
	began := time.Now()
	todo := make(chan mutant)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for m := range todo {
				at := time.Now()
				by, fault := m.plant(root)
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
