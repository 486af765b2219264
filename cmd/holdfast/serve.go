package main

// This file owns `holdfast serve`.

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"holdfast/engine/pace"
	"holdfast/persist"
)

func newServe() *cobra.Command {
	var c serveConfig
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a data directory",
		Long: `Serves a data directory, by default on loopback. The first run makes the account and a key with full access,
and prints the key once.
` + bootstrapVariable + ` sets that first key instead; once there is an account it is ignored, but has to look like a key.
On SIGTERM it finishes the requests in flight and stops; on a second one it stops at once. On SIGHUP it reads its certificate again.

Other machines reach it with --tls-cert and --tls-key, or without TLS with --listen-insecure, if the network itself is private:

  holdfast serve --listen :8443 --tls-cert cert.pem --tls-key key.pem`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.check(); err != nil {
				return err
			}
			limits, err := c.limits.limits()
			if err != nil {
				return err
			}
			if c.proxies, err = c.network.trusted(); err != nil {
				return err
			}
			hooks, err := c.hooks.options()
			if err != nil {
				return err
			}
			if c.bootstrap, err = bootstrapKey(); err != nil {
				return err
			}
			if err := notForeign(c.data); err != nil {
				return err
			}
			memory, from, err := c.memory.wanted(os.Getenv("GOMEMLIMIT"), systemFile)
			if err != nil {
				return err
			}
			level, err := c.logLevel()
			if err != nil {
				return err
			}
			log := newLog(cmd.ErrOrStderr(), level)
			log.Info("holdfast", "version", programVersion(), "go", runtime.Version())
			if c.network.cert != "" {
				if c.pair, err = openPair(c.network, log); err != nil {
					return err
				}
			}
			debug.SetMemoryLimit(memory)
			log.Info("memory limit", "bytes", debug.SetMemoryLimit(-1), "of", from)
			p, err := start(cmd.Context(), c, limits, hooks, cmd.OutOrStdout(), log)
			if cmd.Context().Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, errStillLoading)) {
				return nil // it was asked to stop
			}
			if err != nil {
				return err
			}
			tell(daemon.SdNotifyReady, log)
			go watchdog(cmd.Context(), p.alive, log)
			select {
			case <-cmd.Context().Done():
				p.log.Info("stopping", "grace", c.grace)
				tell(daemon.SdNotifyStopping, log)
				return p.stop()
			case err := <-p.ended:
				p.stop()
				return err
			}
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

// check says what is wrong with the flags themselves.
func (c *serveConfig) check() error {
	if err := fitData(c.data); err != nil {
		return err
	}
	if err := c.network.check(); err != nil {
		return err
	}
	if err := c.ops.check(c.network); err != nil {
		return err
	}
	if c.ops.listen == "" {
		if err := fitSocket(c.data); err != nil {
			return err
		}
	}
	if c.grace < 0 {
		return usagef("--grace %q must not be negative: a time like 10s", c.grace)
	}
	if c.overdue < time.Second {
		return usagef("--overdue-step %q must be a time from 1s on, like 15m", c.overdue)
	}
	if err := c.habit.check(c.data); err != nil {
		return err
	}
	return c.checkKeep()
}

// leastKept is the least of the log that is kept: readers of the change feed need some time.
const leastKept = 1 << 20

// checkKeep reads --log-keep. What waits for a backup target is part of what is kept.
func (c *serveConfig) checkKeep() error {
	if c.logKeep == "all" {
		c.keep = persist.Keep{All: true}
		return nil
	}
	bytes, ok := pace.ParseMemory(c.logKeep)
	if !ok || c.logKeep == "off" || bytes < leastKept {
		return usagef("--log-keep %q must be a number of bytes from 1MiB on, as in 1GiB, or all", c.logKeep)
	}
	if c.habit.to != "" && bytes < c.habit.waiting {
		return usagef("--log-keep %q must not be less than --backup-log-max %q: that much may wait for the "+
			"backup target", c.logKeep, c.habit.logMax)
	}
	c.keep.Bytes = bytes
	return nil
}

// logLevel reads --log-level.
func (c *serveConfig) logLevel() (level slog.Level, err error) {
	switch c.log {
	case "debug", "info", "warn", "error":
		return level, level.UnmarshalText([]byte(c.log))
	}
	return level, usagef("--log-level %q must be debug, info, warn or error", c.log)
}

// newLog writes text to a terminal, JSON to anything else; times that pass are text in both.
func newLog(errs io.Writer, from slog.Level) *slog.Logger {
	o := &slog.HandlerOptions{Level: from, ReplaceAttr: readable}
	if isTerminal(errs) {
		return slog.New(slog.NewTextHandler(errs, o))
	}
	return slog.New(slog.NewJSONHandler(errs, o))
}

// readable logs durations as text, and of errors only their message: Pebble's errors would log their stacks, too.
func readable(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case time.Duration:
		a.Value = slog.StringValue(v.String())
	case error:
		a.Value = slog.StringValue(v.Error())
	}
	return a
}
