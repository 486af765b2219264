package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns the commands on webhooks.

func (a *Account) hook(id ID) *Hook { return at(a.Hooks, func(h *Hook) bool { return h.ID == id }) }

// hooking says that a command is on webhooks: it is judged when what was due is done, command by command.
func hooking(op base.Op) bool {
	switch op.(type) {
	case outbox.CreateWebhook, outbox.DeleteWebhook, outbox.EnableWebhook, outbox.DisableWebhook, outbox.PatchWebhook,
		outbox.TestWebhook,
		outbox.RecordAttempts, outbox.RedeliverDelivery, outbox.RecoverDeliveries:
		return true
	}
	return false
}

// hooks judges a command on webhooks; others it leaves alone.
func (s *step) hooks(op base.Op, res any, err error) error {
	if fault := s.quiet(); fault != nil {
		return fault
	}
	switch o := op.(type) {
	case outbox.CreateWebhook:
		if err := refused(err, ""); err != nil {
			return err
		}
		types := o.EventTypes
		if types == nil {
			types = []base.HookEvent{o.EventType}
		}
		s.a.Hooks = append(s.a.Hooks,
			Hook{ID: res.(*outbox.Webhook).ID, Types: listed(types), Version: o.APIVersion, Enabled: true})
	case outbox.DeleteWebhook:
		return s.hooked(o.ID, err, true, true, func(h *Hook) {
			s.a.Hooks = slices.DeleteFunc(s.a.Hooks, func(x Hook) bool { return x.ID == o.ID })
		})
	case outbox.EnableWebhook:
		return s.hooked(o.ID, err, false, true, func(h *Hook) { h.Enabled, h.Reason, h.Failed = true, "", 0 })
	case outbox.DisableWebhook:
		return s.hooked(o.ID, err, true, false, func(h *Hook) { h.Enabled, h.Missed, h.Since = false, 0, 0 })
	case outbox.PatchWebhook:
		return s.hooked(o.ID, err, true, true, func(h *Hook) {
			if h.Types = []base.HookEvent{o.EventType.Value}; o.EventTypes.Set {
				h.Types = listed(o.EventTypes.Value)
			}
		})
	case outbox.TestWebhook:
		return s.hooked(o.ID, err, true, true, func(*Hook) {})
	case outbox.RecordAttempts:
		s.attempts(o.Outcomes)
		return refused(err, "")
	case outbox.RedeliverDelivery:
		return s.redeliver(o, err)
	case outbox.RecoverDeliveries:
		return s.recover(o, res, err)
	}
	return nil
}

// listed is types of events in the order of their list.
func listed(types []base.HookEvent) (list []base.HookEvent) {
	for _, typ := range base.HookEvents {
		if slices.Contains(types, typ) {
			list = append(list, typ)
		}
	}
	return list
}

// hooked does something to a webhook that may be enabled, or disabled.
func (s *step) hooked(id ID, err error, enabled, disabled bool, do func(*Hook)) error {
	h := s.a.hook(id)
	switch {
	case h == nil:
		return refused(err, base.CodeNotFound)
	case h.Enabled && !enabled || !h.Enabled && !disabled:
		return refused(err, base.CodeStateNotAllowed)
	}
	if fault := refused(err, ""); fault != nil {
		return fault
	}
	do(h)
	return nil
}

// hookRecords judges every webhook, and that its log has the events that it was sent.
func (a *Account) hookRecords(v base.View) error {
	if n := len(outbox.Webhooks(v)); n != len(a.Hooks) {
		return wrong("%d webhooks, the twin has %d", n, len(a.Hooks))
	}
	for _, h := range a.Hooks {
		w := outbox.WebhookByID(v, h.ID)
		if w != nil && (w.MissedEvents != h.Missed || w.MissedSince != h.Since) {
			return wrong("webhook %x missed %d events since %d, the twin says %d since %d", h.ID, w.MissedEvents,
				w.MissedSince, h.Missed, h.Since)
		}
		if w == nil || !slices.Equal(w.EventTypes(), h.Types) || w.APIVersion != h.Version || w.Enabled != h.Enabled ||
			(w.DisabledReason == nil) != (h.Reason == "") {
			return wrong("webhook %+v, the twin says %+v", w, h)
		}
		n := 0
		for _, d := range a.Deliveries {
			if d.Webhook == h.ID {
				n++
			}
		}
		if _, total := outbox.Deliveries(v, h.ID, 0, 0, 0); total != n {
			return wrong("webhook %x was told %d times, the twin says %d", h.ID, total, n)
		}
	}
	return a.deliveryRecords(v)
}
