package backup

// This file owns looking whether the target is still there, also while there is nothing to send.

import (
	"context"
	"path"
	"time"
)

// looks reads the mark of the last good archive again and again, until the habit ends.
func (h *Habit) looks(ctx context.Context) {
	for h.pause(h.o.LookEvery) {
		h.look(ctx)
	}
}

// lookAgainTimeout is how long the target may take to answer that.
const lookAgainTimeout = 20 * time.Second

// look reads the mark of the last good archive: it is small, and if it is gone, everything may be. The result is logged
// if it differs from that of the look before.
func (h *Habit) look(ctx context.Context) {
	good, line := h.lastGood()
	if good == nil {
		return // Fault says so
	}
	one, cancel := context.WithTimeout(ctx, lookAgainTimeout)
	_, err := readMark(one, h.o.Target, Full{Seq: good.Seq, Name: path.Join(line, good.Name)})
	cancel()
	if ctx.Err() != nil {
		return
	}
	if now, _ := h.lastGood(); err != nil && now != good {
		return // another one took its place, and it was taken away
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch was := h.state.unseen; {
	case err == nil:
		h.state.seen = h.o.Now()
		if was {
			h.log.Info("the backup target is there again", "target", h.o.Target.String())
		}
	case !was:
		h.log.Error("the backup target cannot be read", "target", h.o.Target.String(), "cause", err)
	}
	h.state.unseen = err != nil
}

// lastGood is the last good archive and its line; nil where there is none.
func (h *Habit) lastGood() (*Mark, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state.Good, h.state.GoodLine
}
