package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"
)

// This file owns the verdict: what a figure is in the last third of a run, compared with the second third.

// sample is what the server says of itself at an instant.
type sample struct {
	at                                      time.Duration // since the load began
	heap, resident, goroutines, files, disk float64
	snapshots, holds, orders, taken         float64
}

func (x sample) String() string {
	return fmt.Sprintf(
		"heap %.1f MiB, %.0f goroutines, %.0f files, %.0f snapshots, disk %.1f MiB, %.0f holds kept, %.0f units taken",
		x.heap/(1<<20), x.goroutines, x.files, x.snapshots, x.disk/(1<<20), x.holds, x.taken)
}

// series are the figures that are not to grow. The stock is among them: where it grows, the load was not steady, and
// nothing can be said of the rest.
var series = []struct {
	name string
	of   func(sample) float64
}{
	{"heap, MiB", func(x sample) float64 { return x.heap / (1 << 20) }},
	{"resident, MiB", func(x sample) float64 { return x.resident / (1 << 20) }},
	{"goroutines", func(x sample) float64 { return x.goroutines }},
	{"open files", func(x sample) float64 { return x.files }},
	{"snapshots held", func(x sample) float64 { return x.snapshots }},
	{"disk a hold, B", func(x sample) float64 { return x.disk / max(1, x.holds) }},
	{"holds kept", func(x sample) float64 { return x.holds }},
	{"orders", func(x sample) float64 { return x.orders }},
	{"units taken", func(x sample) float64 { return x.taken }},
}

const (
	mayGrow      = 0.10 // from a third to the next
	leastInThird = 10   // samples
)

// verdict is what became of a figure.
type verdict struct {
	name                string
	second, last, noise float64
	grows               bool
}

// judge compares the thirds of a run that come after the first one.
func judge(list []sample, length time.Duration) (all []verdict) {
	for _, s := range series {
		var second, last []float64
		for _, x := range list {
			switch v := s.of(x); {
			case x.at >= length*2/3:
				last = append(last, v)
			case x.at >= length/3:
				second = append(second, v)
			}
		}
		v := compare(second, last)
		v.name = s.name
		all = append(all, v)
	}
	return all
}

// compare holds the medians of two thirds against each other. A third without samples cannot be judged, and counts as
// one that grows.
func compare(second, last []float64) (v verdict) {
	if len(second) < leastInThird || len(last) < leastInThird {
		return verdict{second: math.NaN(), last: math.NaN(), grows: true}
	}
	v.second, v.last, v.noise = median(second), median(last), noise(second)
	v.grows = v.last-v.second > mayGrow*v.second+v.noise
	return v
}

// noise is how far a figure is from its own trend, in the mean of the middle: a figure that only grows has none.
func noise(list []float64) float64 {
	var slopes []float64
	for i := range list {
		for j := range i {
			slopes = append(slopes, (list[i]-list[j])/float64(i-j))
		}
	}
	slope := median(slopes)
	rest := make([]float64, len(list))
	for i := range list {
		rest[i] = list[i] - slope*float64(i)
	}
	middle := median(rest)
	for i := range rest {
		rest[i] = math.Abs(rest[i] - middle)
	}
	return median(rest)
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func table(to io.Writer, all []verdict) error {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "figure\tsecond third\tlast third\tchange\tnoise\t\t")
	for _, v := range all {
		word := "steady"
		if v.grows {
			word = "GROWS"
		}
		change := 0.
		if v.second != 0 {
			change = 100 * (v.last - v.second) / v.second
		}
		fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%+.1f %%\t%.2f\t%s\t\n", v.name, v.second, v.last, change, v.noise, word)
	}
	return t.Flush()
}
