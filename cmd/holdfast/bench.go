package main

// This file owns `holdfast bench`: its options, the run, and the server on a copy of a data directory.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/api"
	"holdfast/api/auth"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/persist"
)

type benchConfig struct {
	url     string
	keyFile string
	data    string
	write   bool
	clients int
	time    time.Duration
	list    bool
	json    bool
	save    string
	compare string
}

func (c *benchConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.url, "url", "", "measure a running server, like http://127.0.0.1:8080")
	f.StringVar(&c.keyFile, "key-file", "", "file, of its owner alone, with the API key for --url")
	f.StringVar(&c.data, "data", "",
		"measure a server of its own on a copy of this data directory, which stays as it is")
	f.BoolVar(&c.write, "write", false,
		"with --url: also do the workloads that write, on records of their own, which are removed again")
	f.IntVar(&c.clients, "clients", 32, "clients that ask at once, each on a connection of its own")
	f.DurationVar(&c.time, "time", 5*time.Second, "time for one workload")
	f.BoolVar(&c.list, "list", false, "list the workloads, and run none")
	f.BoolVar(&c.json, "json", false, "print one JSON object instead of a table")
	f.StringVar(&c.save, "save", "", "also write the run to this file, for --compare")
	f.StringVar(&c.compare, "compare", "", "compare with a run that was saved in this file")
}

// What the options may be.
const (
	mostBenchClients = 1_000
	leastBenchTime   = 10 * time.Millisecond
	mostBenchTime    = 10 * time.Minute
)

func newBench() *cobra.Command {
	var c benchConfig
	cmd := &cobra.Command{
		Use:   "bench [WORKLOAD]...",
		Short: "Measure how fast a server answers, and compare with an earlier run",
		Long: `Runs the named workloads, or all of them, one after the other from many clients, and prints how many requests were answered a second, and within which time.

With --url and --key-file it measures a running server with the stock that is there: it finds articles, SKUs and locations by listing them, and only reads. With --write it
also books: on a location, SKUs and articles that it makes, with holds that expire within two hours. After each workload the holds are released and what it made is
deleted; released holds stay in the history. A run that is killed leaves records called "Holdfast bench", which you then delete by hand.

With --data it copies the directory of a stopped server to the directory for temporary files, serves the copy to its own clients in this process, runs all workloads on the account
with most articles, and removes the copy. The directory itself is not changed. One that a server has open is refused.

With --save a run is written to a file, with version, date and machine; --compare prints the rates and times of this run as multiples of those in such a
file. A slower run is not an error.`,
		Args: knownWorkloads,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.list {
				return listWorkloads(cmd.OutOrStdout())
			}
			key, saved, err := c.check(cmd, args)
			if err != nil {
				return err
			}
			return c.run(cmd, chosenWorkloads(args, c.data != "" || c.write), key, saved)
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

// knownWorkloads refuses arguments that are no workloads, and names all of them.
func knownWorkloads(_ *cobra.Command, args []string) error {
	var unknown []string
	for _, name := range args {
		if !slices.ContainsFunc(workloads, func(w workload) bool { return w.name == name }) {
			unknown = append(unknown, fmt.Sprintf("%q", name))
		}
	}
	if len(unknown) > 0 {
		return usagef("there is no workload %s: --list says which there are", strings.Join(unknown, ", "))
	}
	return nil
}

func listWorkloads(to io.Writer) error {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, w := range workloads {
		mark := ""
		if w.writes {
			mark = "writes"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", w.name, mark, w.about)
	}
	return t.Flush()
}

// chosenWorkloads are those that are named, or all that may be done, in the order of the list.
func chosenWorkloads(names []string, writes bool) (list []workload) {
	for _, w := range workloads {
		if slices.Contains(names, w.name) || len(names) == 0 && (writes || !w.writes) {
			list = append(list, w)
		}
	}
	return list
}

// check names all that is wrong with the options, and reads the key and the run that is compared with.
func (c *benchConfig) check(cmd *cobra.Command, names []string) (key string, saved *benchRun, err error) {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	// What is typed counts before what the environment says, which may name the directory that serve has.
	switch {
	case c.url != "" && c.data != "" && typed(cmd, "url") == typed(cmd, "data"):
		fault("--url %q and --data %q name two: give one of them", c.url, c.data)
	case c.url == "" && c.data == "":
		fault("--url with --key-file, or --data, says what is measured")
	case c.url != "" && (c.data == "" || typed(cmd, "url")):
		c.data = ""
	default:
		c.url = ""
	}
	if c.url != "" {
		if _, err := baseURL(c.url); err != nil {
			faults = append(faults, err)
		}
	}
	switch {
	case c.url != "" && c.keyFile == "":
		fault("--url needs --key-file")
	case c.url != "":
		if key, err = readKeyFile(c.keyFile); err != nil {
			faults = append(faults, err)
		}
	case c.url == "" && typed(cmd, "key-file"):
		fault("--key-file %q is for --url", c.keyFile)
	}
	if c.url == "" && c.write && typed(cmd, "write") {
		fault("--write is for --url: on the copy of --data all workloads are done")
	}
	if c.data == "" && !c.write {
		for _, w := range chosenWorkloads(names, false) {
			if w.writes {
				fault("%s writes: --write says that it may", w.name)
			}
		}
	}
	if c.clients < 1 || c.clients > mostBenchClients {
		fault("--clients %d must be a number from 1 to %d", c.clients, mostBenchClients)
	}
	if c.time < leastBenchTime || c.time > mostBenchTime {
		fault("--time %v must be a time from %v to %v", c.time, leastBenchTime, mostBenchTime)
	}
	if c.save != "" {
		if _, err := os.Lstat(c.save); err == nil {
			fault("--save %q is there already: name another file", c.save)
		}
	}
	if c.compare != "" {
		if saved, err = readBenchRun(c.compare); err != nil {
			fault("--compare %q: %w", c.compare, err)
		}
	}
	if len(faults) > 0 {
		return "", nil, usageError{errors.Join(faults...)}
	}
	return key, saved, nil
}

// run measures and prints.
func (c *benchConfig) run(cmd *cobra.Command, list []workload, key string, saved *benchRun) error {
	r := newBenchRun(*c)
	measure := func(t *benchTarget) error { return r.measure(cmd, t, list, *c) }
	var err error
	if c.data != "" {
		err = onCopy(cmd, c.data, measure)
	} else {
		err = onServer(cmd.Context(), c.url, key, measure)
	}
	if err != nil {
		return err
	}
	if c.save != "" {
		if err := writeFile(c.save, r.write); err != nil {
			return err
		}
	}
	if saved != nil {
		r.compareWith(saved)
	}
	if c.json {
		return r.write(cmd.OutOrStdout())
	}
	return r.table(cmd.OutOrStdout(), saved)
}

// benchTarget is what is measured: a server, asked with a key.
type benchTarget struct {
	*client
	account string // of a copy, empty where the key says it
}

func onServer(ctx context.Context, url, key string, use func(*benchTarget) error) error {
	cl, err := newClient(ctx, url, key, "bench")
	if err != nil {
		return err
	}
	return use(&benchTarget{client: cl})
}

// readKeyFile reads --key-file.
func readKeyFile(name string) (string, error) {
	key, err := readSecret("--key-file", "an API key", name)
	if err != nil {
		return "", err
	}
	if _, _, ok := auth.Parse([]byte(key)); !ok {
		return "", usagef("--key-file %q must have a key like hf_<id>_<secret>, and nothing else", name)
	}
	return key, nil
}

// onCopy serves a copy of a directory to use, with a key that is made in the copy, and removes it.
func onCopy(cmd *cobra.Command, dir string, use func(*benchTarget) error) error {
	ctx := cmd.Context()
	progress, copied := copyProgress(cmd.ErrOrStderr(), "copy")
	defer copied()
	from, o := source{name: dir, dir: dir}, persist.RestoreOptions{Progress: progress}
	err := withCopy(ctx, from, o, func(copy string) (err error) {
		copied()
		log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelError}))
		core, err := openCore(ctx, copy, engine.Options{Now: clock}, log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, core.Close()) }()
		account, ok := core.largestAccount()
		if !ok {
			return errNothingToAsk
		}
		key := auth.Draw()
		id, secret, _ := auth.Parse([]byte(key))
		if err := core.do(account, engine.CreateKey{PublicID: string(id), Hash: sha256.Sum256(secret),
			Label: "bench", Version: api.Version}); err != nil {
			return err
		}
		if err := core.do(account, base.SetPlan{Plan: "unlimited"}); err != nil {
			// of the copy: limits are not what is measured
			return err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		server := api.NewServer(api.Options{Now: clock, Logger: log})
		server.Attach(core.engine)
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(l) }()
		defer func() {
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			err = errors.Join(err, server.Shutdown(end), <-ended)
		}()
		cl, err := newClient(ctx, "http://"+l.Addr().String(), key, "bench")
		if err != nil {
			return err
		}
		return use(&benchTarget{client: cl, account: account.String()})
	})
	if errors.Is(err, persist.ErrLocked) {
		return fmt.Errorf("%s: %w: --url measures the server that has it", dir, persist.ErrLocked)
	}
	return err
}

// largestAccount is the account with most articles, of equal ones the first.
func (c *core) largestAccount() (id base.ID, ok bool) {
	most := 0
	for _, a := range c.engine.Accounts() {
		if v, there := c.engine.View(a); there && stock.Articles(v).Len() > most {
			id, ok, most = a, true, stock.Articles(v).Len()
		}
	}
	return id, ok
}
