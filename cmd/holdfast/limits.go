package main

// This file owns the options that say how much may be asked.

import (
	"fmt"

	"github.com/spf13/pflag"

	"holdfast/api"
	"holdfast/api/ratelimit"
)

// limitedPlans are the plans that have limits, in the order of the help.
var limitedPlans = []string{"starter", "growth", "scale"}

type limitsConfig struct {
	ip     int64
	conns  int
	exempt []string
	plans  map[string]*string
}

func (c *limitsConfig) flags(f *pflag.FlagSet) {
	defaults := api.DefaultLimits()
	f.Int64Var(&c.ip, "limit-ip", defaults.PerAddress,
		"requests a minute from one address before its key is looked at, 0 for no limit")
	f.IntVar(&c.conns, "limit-ip-conns", defaults.ConnsPerAddress,
		"connections of one address at once, or requests of one that a trusted proxy passes on, 0 for no limit")
	f.StringSliceVar(&c.exempt, "limit-exempt", nil,
		"networks whose addresses have no limit, like 10.0.0.0/8; loopback has none where nobody else's request "+
			"is passed on")
	c.plans = map[string]*string{}
	for _, name := range limitedPlans {
		p := defaults.Plans[name]
		c.plans[name] = f.String("limit-"+name,
			fmt.Sprintf("%d,%d,%d,%d", p.PerMinute, p.PerSecond, p.Burst, p.PerMonth),
			"plan "+name+": requests of an account a minute, of a key a second, of a key at once, of an "+
				"account a month")
	}
}

// limits reads the options.
func (c *limitsConfig) limits() (api.Limits, error) {
	l := api.Limits{PerAddress: c.ip, ConnsPerAddress: c.conns, Plans: map[string]ratelimit.Plan{}}
	if c.ip < 0 {
		return l, usagef("--limit-ip \"%d\" must not be negative: 0 for no limit", c.ip)
	}
	if c.conns < 0 {
		return l, usagef("--limit-ip-conns \"%d\" must not be negative: 0 for no limit", c.conns)
	}
	var err error
	if l.Exempt, err = readNetworks("--limit-exempt", c.exempt); err != nil {
		return l, err
	}
	for _, name := range limitedPlans {
		p, ok := readPlan(*c.plans[name])
		if !ok {
			return l, usagef("--limit-%s %q must be four numbers like 120,2,50,100000: from 1, the second at most a "+
				"million, the third at most a billion",
				name, *c.plans[name])
		}
		l.Plans[name] = p
	}
	return l, nil
}

func readPlan(text string) (p ratelimit.Plan, ok bool) {
	var rest string
	n, _ := fmt.Sscanf(text, "%d,%d,%d,%d%s", &p.PerMinute, &p.PerSecond, &p.Burst, &p.PerMonth, &rest)
	return p, n == 4 && min(p.PerMinute, p.PerSecond, p.Burst, p.PerMonth) >= 1 && p.PerSecond <= 1_000_000 &&
		p.Burst <= 1_000_000_000
}
