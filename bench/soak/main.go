package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// This file owns the run: how fast the machine is, then the load, and the samples that are taken during it.

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

type options struct {
	length, measure, every time.Duration
	share                  int
	seed                   uint64
}

// warmUp is how long it takes until as many carts lapse, and as many snapshots are let go, as are made.
const warmUp = 70 * time.Second

func parse() (o options, err error) {
	minutes := flag.Float64("minutes", 10, "how long the load goes on")
	flag.IntVar(&o.share, "share", 70, "the load, in percent of what the machine carries")
	flag.DurationVar(&o.measure, "measure", 10*time.Second, "how long it is measured what the machine carries")
	flag.DurationVar(&o.every, "every", 2*time.Second, "how often the figures are sampled")
	flag.Uint64Var(&o.seed, "seed", 1, "of the visits that are drawn")
	flag.Parse()
	o.length = time.Duration(*minutes * float64(time.Minute))
	switch {
	case o.share < 1 || o.share > 100 || o.measure <= 0 || o.every <= 0:
		err = errors.New("-share is 1 to 100, -measure and -every are more than nothing")
	case o.length < 3*warmUp || o.length < 3*leastInThird*o.every:
		err = fmt.Errorf("a third of the time is at least %v and %d samples: until then more is held each second",
			warmUp, leastInThird)
	}
	return o, err
}

func run() error {
	o, err := parse()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "holdfast-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, err := build(ctx, dir)
	if err != nil {
		return err
	}
	full, err := fullSpeed(ctx, o, binary, filepath.Join(dir, "measured"))
	if err != nil {
		return err
	}
	rate := full * float64(o.share) / 100
	fmt.Printf("%.0f visits a second at full speed: the load is %.0f a second, %d %% of it\n", full, rate, o.share)
	data := filepath.Join(dir, "data")
	began := time.Now()
	m, err := furnish(ctx, data, rate*holdsOfAVisit, o.length)
	if err != nil {
		return err
	}
	fmt.Printf("a past of %d ended holds, made in %.0f s\n", m.past, time.Since(began).Seconds())
	s, err := serve(ctx, binary, data, dir)
	if err != nil {
		return err
	}
	sampled, load, err := soak(ctx, o, s, m, rate)
	if err = errors.Join(err, s.stop()); err != nil {
		return err
	}
	return report(o, sampled, load, rate, full)
}

// fullSpeed is how many visits a second are done where each client begins the next as soon as one is done.
func fullSpeed(ctx context.Context, o options, binary, data string) (float64, error) {
	m, err := furnish(ctx, data, 0, 0)
	if err != nil {
		return 0, err
	}
	s, err := serve(ctx, binary, data, filepath.Dir(data))
	if err != nil {
		return 0, err
	}
	c := newCrowd(s, m, o.seed)
	began := time.Now()
	l := c.come(ctx, o.measure, 0)
	took := time.Since(began)
	return float64(l.visits) / took.Seconds(), errors.Join(l.err, ctx.Err(), s.stop(), os.RemoveAll(data))
}

// soak makes the clients come, and takes samples meanwhile.
func soak(ctx context.Context, o options, s *server, m *merchant, rate float64) (list []sample, l load, err error) {
	beside, stop := context.WithCancel(ctx)
	defer stop()
	watched := make(chan error, 1)
	began := time.Now()
	go func() {
		tick := time.NewTicker(o.every)
		defer tick.Stop()
		said := 0
		for {
			select {
			case <-beside.Done():
				watched <- nil
				return
			case <-tick.C:
			}
			x, err := s.sample(beside)
			if beside.Err() != nil {
				continue
			}
			if err != nil {
				watched <- err
				stop()
				return
			}
			x.at = time.Since(began)
			list = append(list, x)
			if minute := int(x.at.Minutes()); minute > said {
				said = minute
				fmt.Printf("minute %d: %s\n", minute, x)
			}
		}
	}()
	c := newCrowd(s, m, o.seed+1)
	go c.pin(beside)
	l = c.come(beside, o.length, rate)
	broken := beside.Err() != nil
	stop()
	err = errors.Join(<-watched, l.err, ctx.Err())
	if err == nil && broken {
		err = errors.New("the load has ended early")
	}
	return list, l, err
}

// report prints the table and the verdict; what has grown is an error.
func report(o options, list []sample, l load, rate, full float64) error {
	fmt.Printf("\n%d visits, %d more came too late to begin%s; half of the visits took %.1f ms, 99 in 100 up to "+
		"%.1f ms\n\n",
		l.visits, l.late, l.turned, l.p50.Seconds()*1000, l.p99.Seconds()*1000)
	verdicts := judge(list, o.length)
	if err := table(os.Stdout, verdicts); err != nil {
		return err
	}
	var grown []string
	for _, v := range verdicts {
		if v.grows {
			grown = append(grown, v.name)
		}
	}
	what := fmt.Sprintf("%.1f minutes at %.0f visits a second (%d %% of %.0f)", o.length.Minutes(), rate, o.share, full)
	if len(grown) > 0 {
		fmt.Printf("\nsoak: %s: GROWS: %s\n", what, strings.Join(grown, ", "))
		return errors.New("something grows")
	}
	fmt.Printf("\nsoak: %s: nothing grows\n", what)
	return nil
}
