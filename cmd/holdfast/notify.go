package main

// This file owns what a server that systemd started reports to it: that it is ready, that it stops, and, again and
// again, that it is alive.

import (
	"context"
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// tell sends a state to systemd, where that wants to know (sd_notify(3)).
func tell(state string, log *slog.Logger) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd was not told", "state", state, "error", err)
	}
}

// watchdog tells systemd that the server is alive, twice in the time that the unit's WatchdogSec gives, until ctx ends.
// A server whose writer hangs stops reporting, and systemd starts it anew.
func watchdog(ctx context.Context, alive func(context.Context) error, log *slog.Logger) {
	within, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("the watchdog's time is not known", "error", err)
	}
	if within <= 0 {
		return
	}
	every := time.NewTicker(within / 2)
	defer every.Stop()
	for {
		soon, cancel := context.WithTimeout(ctx, within/2)
		err := alive(soon)
		cancel()
		if err == nil {
			tell(daemon.SdNotifyWatchdog, log)
		} else if ctx.Err() == nil {
			log.Error("the watchdog is not told that the server is alive", "error", err)
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
	}
}

// alive fails where what is due is not done by the end of ctx. A server whose disk has failed is alive, though nothing
// is due for it any more: it still answers reads, and a start on that disk would fail and end them.
func (p *program) alive(ctx context.Context) error {
	e := p.core.Load().engine
	if e.Failed() != nil {
		return nil
	}
	err := e.Tick(ctx)
	if e.Failed() != nil { // meanwhile
		return nil
	}
	return err
}
