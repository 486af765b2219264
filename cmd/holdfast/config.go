package main

// This file owns the options: every one of every command with its default, and the twin that each flag has in the
// environment.

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"holdfast/engine/base"
	"holdfast/persist"
)

// Defaults that more than one command has.
const (
	defaultData = "./data"
	defaultZone = "Europe/Lisbon"
)

// bootstrapVariable holds the first key of an empty data directory. It has no flag: a key on a command line is read by
// everybody on the machine.
const bootstrapVariable = "HOLDFAST_BOOTSTRAP_KEY"

type serveConfig struct {
	network   networkConfig
	ops       opsConfig
	data      string
	grace     time.Duration
	demo      bool
	accessLog bool
	log       string
	overdue   time.Duration
	limits    limitsConfig
	hooks     hooksConfig
	memory    memoryConfig
	habit     habitConfig
	logKeep   string
	keep      persist.Keep // see logKeep
	bootstrap string       // see bootstrapKey
	pair      *pair        // nil: no TLS
	proxies   []netip.Prefix
}

func (c *serveConfig) flags(f *pflag.FlagSet) {
	c.network.flags(f)
	c.ops.flags(f)
	f.StringVar(&c.data, "data", defaultData, "data directory")
	f.DurationVar(&c.grace, "grace", 10*time.Second, "how long requests in flight may take after SIGTERM")
	f.BoolVar(&c.demo, "demo", false, "load a demo merchant into an empty data directory")
	f.BoolVar(&c.accessLog, "access-log", false,
		"log one line per request: address, method, path, user agent, account, key, status, duration")
	f.StringVar(&c.log, "log-level", "info", "lowest level that is logged: debug, info, warn or error")
	f.StringVar(&c.logKeep, "log-keep", "1GiB",
		"how much of the log stays in the data directory, like 1GiB, or all: this is how far back restore --at "+
			"and cursors of the change feed can go")
	f.DurationVar(&c.overdue, "overdue-step", 15*time.Minute,
		"by how much the booking of a late unit is extended, again and again until the unit is back")
	c.limits.flags(f)
	c.hooks.flags(f)
	c.memory.flags(f)
	c.habit.flags(f)
}

type replayConfig struct {
	zone      string
	capacity  int
	stock     string
	placement string
	json      bool
	data      string
	url       string
	key       string
}

func (c *replayConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.zone, "zone", defaultZone, "time zone of arrivals and departures")
	f.IntVar(&c.capacity, "capacity", 100, "units of each SKU, in percent of its peak")
	f.StringVar(&c.stock, "stock", stockArticles, "articles (one a unit) or lot (one article with all units)")
	f.StringVar(&c.placement, "placement", "exact",
		"exact, or, for comparison, best-fit or first-fit, which never move anything")
	f.BoolVar(&c.json, "json", false, "print one JSON object instead of a table")
	f.StringVar(&c.data, "data", "", "keep the result in this new data directory (default: a temporary one)")
	f.StringVar(&c.url, "url", "", "play against a running server, like http://127.0.0.1:8080")
	f.StringVar(&c.key, "key", "", "API key for --url")
}

type backupConfig struct {
	adminConfig
	to string
}

func (c *backupConfig) flags(f *pflag.FlagSet) {
	c.adminConfig.flags(f)
	f.StringVar(&c.to, "to", "", "a new directory, a file that ends with .tar.zst, or - for standard output")
}

type restoreConfig struct {
	from string
	data string
	at   string

	bucket bucketConfig
}

func (c *restoreConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.from, "from", "", "a backup: a directory or s3://bucket/prefix of --backup-to, or one backup as "+
		"a directory, a file, or - for standard input")
	c.bucket.flags(f)
	f.StringVar(&c.data, "data", defaultData, "data directory to make; must not exist or be empty")
	f.StringVar(&c.at, "at", "", "go back to a log sequence, or to an instant like 2025-06-01T10:00:00Z")
}

type verifyConfig struct {
	data   string
	start  bool
	bucket bucketConfig
}

func (c *verifyConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.data, "data", defaultData, "data directory of a stopped server, a directory or "+
		"s3://bucket/prefix of --backup-to, or one backup: a directory, a file, or - for standard input")
	c.bucket.flags(f)
	f.BoolVar(&c.start, "start", false,
		"then start on a copy as a server does, and print what was opened as one line of JSON alone")
}

// exchangeConfig is what import and export have in common.
type exchangeConfig struct {
	adminConfig
	account string
	format  string
	all     string
}

func (c *exchangeConfig) flags(f *pflag.FlagSet) {
	c.adminConfig.flags(f)
	f.StringVar(&c.account, "account", "", "id of the account; default: the only one there is")
	f.StringVar(&c.format, "format", "", "csv or ndjson; default: by the name of the file")
}

type importConfig struct {
	exchangeConfig
	check     bool
	batch     int
	from      int
	again     string
	separator string
	ids       string
	name      string
}

func (c *importConfig) flags(f *pflag.FlagSet) {
	c.exchangeConfig.flags(f)
	f.BoolVar(&c.check, "check", false, "name every bad row, and change nothing")
	f.IntVar(&c.batch, "batch", 0, "import so many rows at once, each batch all or none; default: 5000")
	f.IntVar(&c.from, "from-line", 1, "begin with the row on this line")
	f.StringVar(&c.separator, "separator", "",
		"of CSV: comma, semicolon or tab; default: the one in the line of headings")
	f.StringVar(&c.all, "all", "",
		"make a whole account of this directory of export --all, in place of RESOURCE and FILE")
	f.StringVar(&c.ids, "ids", "keep",
		"with --all: keep the ids of the archive, or give its records new ones, which are written to a file beside it")
	f.StringVar(&c.name, "name", "",
		"with --all: what the account is called; default: as the one of --account is, or as in the archive")
	f.StringVar(&c.again, "idempotency-key", "",
		"tells this import from others of the same rows; default: the rows and their lines")
}

type accountConfig struct {
	adminConfig
	name     string
	currency string
	timezone string
	plan     string
}

func (c *accountConfig) flags(f *pflag.FlagSet) {
	c.adminConfig.flags(f)
	f.StringVar(&c.name, "name", "", "what the account is called")
	f.StringVar(&c.currency, "currency", "EUR", "currency of the account")
	f.StringVar(&c.timezone, "timezone", "UTC", "time zone of the account")
	f.StringVar(&c.plan, "plan", "unlimited", "plan of the account: "+strings.Join(base.Plans, ", "))
}

type keyConfig struct {
	adminConfig
	account string
	label   string
	scopes  []string
	expires string
}

func (c *keyConfig) flags(f *pflag.FlagSet) {
	c.adminConfig.flags(f)
	f.StringVar(&c.account, "account", "", "id of the account; default: the only one there is")
	f.StringVar(&c.label, "label", "", "what the key is for")
	f.StringSliceVar(&c.scopes, "scope", nil,
		"what the key may do, like inventory.read, any number of times; default: everything")
	f.StringVar(&c.expires, "expires", "", "when the key expires, like 2026-01-31T00:00:00Z; default: never")
}

// nameTwins says of every flag of every command what its twin is called, and lets the twins in before the command runs.
func nameTwins(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage += " [" + twinOf(f.Name) + "]" })
	if cmd.RunE != nil {
		cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
			if err := takeTwins(cmd); err != nil {
				return err
			}
			return checkData(cmd)
		}
	}
	for _, sub := range cmd.Commands() {
		nameTwins(sub)
	}
}

// twinOf is the environment variable of a flag: --ops-listen is HOLDFAST_OPS_LISTEN.
func twinOf(flag string) string {
	return twinPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// takeTwins sets each flag that was not given from its twin, where that is set and not empty.
func takeTwins(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value := os.Getenv(twinOf(f.Name))
		if f.Changed || value == "" || err != nil || f.Name == "help" {
			return
		}
		if e := cmd.Flags().Set(f.Name, value); e != nil {
			err = usageError{badValue(twinOf(f.Name), e)}
			return
		}
		f.Annotations = map[string][]string{byTwin: nil}
	})
	return err
}

// checkData refuses --data with no name after it, as of a variable of a script that is not set.
func checkData(cmd *cobra.Command) error {
	if f := cmd.Flags().Lookup("data"); f != nil && f.Changed && f.Value.String() == "" {
		return usagef("--data \"\" must name a directory")
	}
	return nil
}

// badValue says of a value that a flag cannot take what it may be. name is what it was given by.
func badValue(name string, err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	if name == "" {
		name = "--" + bad.GetFlag().Name
	}
	return fmt.Errorf("%s %q must be %s", name, bad.GetValue(), allowedValues[bad.GetFlag().Value.Type()])
}

// allowedValues says by the type of a flag what it takes; one that takes any text is judged by its command.
var allowedValues = map[string]string{
	"bool": "true or false", "int": "a whole number", "int64": "a whole number",
	"duration":    "a time like 10s or 15m, of 2562047h at most",
	"stringSlice": "a list with commas, in which quotes are closed",
}

// byTwin marks a flag whose value is that of its twin.
const byTwin = "holdfast_twin"

// typed says whether a flag was given on the command line.
func typed(cmd *cobra.Command, flag string) bool {
	f := cmd.Flags().Lookup(flag)
	_, twin := f.Annotations[byTwin]
	return f.Changed && !twin
}

// given says whether a flag, or its twin, has a value.
func given(cmd *cobra.Command, flag string) bool { return cmd.Flags().Changed(flag) }
