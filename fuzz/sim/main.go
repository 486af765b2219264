package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// This file owns the run: workers, each a process at a time, and what is said in the end.

// block is how many seeds a process plays.
const block = 60

func main() {
	crashes := flag.Int("crashes", 10_000, "go on until so many crashes were simulated")
	from := flag.Uint64("from", uint64(time.Now().UnixNano())/1_000_000, "the first seed")
	only := flag.Uint64("seed", 0, "play this seed alone and say all that happens; 0: many")
	workers := flag.Int("workers", 2, "processes at a time")
	child := flag.Bool("child", false, "play the seeds of one process and tell each as a line of JSON")
	flag.Parse()
	if *child || *only != 0 {
		runtime.GOMAXPROCS(1) // fewer orders in which goroutines can run
	}
	switch {
	case *child:
		for seed := *from; seed < *from+block; seed++ {
			_ = json.NewEncoder(os.Stdout).Encode(play(seed, io.Discard))
		}
	case *only != 0:
		out := play(*only, os.Stdout)
		report(map[string]int{"seeds": 1}, out)
		os.Exit(out.status())
	default:
		os.Exit(run(*from, *crashes, *workers))
	}
}

// outcome is what came of a seed.
type outcome struct {
	Seed   uint64
	Lost   string // empty: nothing is
	Trace  string // tells runs apart
	Counts map[string]int
}

func (o outcome) status() int {
	if o.Lost != "" {
		return 1
	}
	return 0
}

func play(seed uint64, tell io.Writer) outcome {
	h := newHistory(seed, tell)
	out := outcome{Seed: seed, Counts: h.counts}
	if err := h.play(); err != nil {
		out.Lost = err.Error()
	}
	out.Trace = fmt.Sprintf("%x", h.trace.Sum(nil))
	return out
}

// mishaps are the counts that are crashes.
func crashesOf(counts map[string]int) (n int) {
	for what, k := range counts {
		if strings.HasPrefix(what, "power cuts") || strings.HasPrefix(what, "failing disks") ||
			strings.HasPrefix(what, "full disks") {
			n += k
		}
	}
	return n
}

// run plays seeds until there were so many crashes, or one has lost something.
func run(from uint64, crashes, workers int) int {
	began := time.Now()
	var next, had atomic.Int64
	var over atomic.Bool
	var mu sync.Mutex
	total := map[string]int{}
	var bad outcome
	said := began
	note := func(o outcome) bool {
		mu.Lock()
		defer mu.Unlock()
		total["seeds"]++
		for what, n := range o.Counts {
			total[what] += n
		}
		had.Store(int64(crashesOf(total)))
		if o.Lost != "" && bad.Lost == "" {
			bad = o
			over.Store(true)
		}
		if time.Since(said) > 30*time.Second {
			said = time.Now()
			fmt.Printf("sim: %d crashes, %.0f a second\n", had.Load(), float64(had.Load())/time.Since(began).Seconds())
		}
		return over.Load()
	}
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for had.Load() < int64(crashes) && !over.Load() {
				first := from + uint64(next.Add(block)-block)
				if err := process(first, note); err != nil {
					note(*err)
				}
			}
		})
	}
	all.Wait()
	fmt.Printf("sim: seeds from %d on, %.0f s, %.0f crashes a second\n", from, time.Since(began).Seconds(),
		float64(crashesOf(total))/time.Since(began).Seconds())
	report(total, bad)
	return bad.status()
}

// process plays one block of seeds in a process of its own, until the run is over. A process that ends before them is a
// loss of the seed it was at.
func process(first uint64, note func(outcome) (over bool)) *outcome {
	name, err := os.Executable()
	if err != nil {
		return &outcome{Seed: first, Lost: err.Error()}
	}
	var said strings.Builder
	c := exec.Command(name, "-child", "-from", fmt.Sprint(first))
	c.Env = append(os.Environ(), "GOGC=400")
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return &outcome{Seed: first, Lost: err.Error()}
	}
	seed := first
	for lines := bufio.NewScanner(out); lines.Scan(); seed++ {
		var o outcome
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return &outcome{Seed: seed, Lost: err.Error()}
		}
		if note(o) {
			_ = c.Process.Kill()
			_ = c.Wait()
			return nil
		}
	}
	if err := c.Wait(); err != nil || seed != first+block {
		return &outcome{Seed: seed, Lost: fmt.Sprintf("the process ended: %v\n%s", err, said.String())}
	}
	return nil
}

// report says what happened. The last line says what was lost.
func report(total map[string]int, bad outcome) {
	if bad.Counts != nil && total["operations"] == 0 {
		maps.Copy(total, bad.Counts)
	}
	kinds := []string{}
	for what := range total {
		if crashesOf(map[string]int{what: 1}) > 0 || what == "clean stops" {
			kinds = append(kinds, what)
		}
	}
	slices.Sort(kinds)
	fmt.Printf("sim: %d seeds, %d operations, %d acknowledged, %d recovered that were not acknowledged, %d states "+
		"built twice\n",
		total["seeds"], total["operations"], total["acknowledged"], total["recovered"], total["replays"])
	fmt.Printf("sim: %d crashes\n", crashesOf(total))
	for _, what := range kinds {
		fmt.Printf("sim: %9d %s\n", total[what], what)
	}
	if bad.Lost != "" {
		fmt.Printf("sim: %s\nsim: LOST: SEED=%d\n", bad.Lost, bad.Seed)
		return
	}
	fmt.Println("sim: 0 lost")
}
