package outbox

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/table"
)

// This file owns webhooks: subscriptions, each with some types of events and one endpoint that gets them.

// TooManyFailures is the reason for which the engine itself disables a webhook.
const TooManyFailures = "TOO_MANY_FAILED_DELIVERY_ATTEMPTS"

// Webhook is a webhook's record. Its secrets are not in it: what is shown, kept for a repeat or logged is made of
// records.
type Webhook struct {
	ID        base.ID
	EventType base.HookEvent   // the first of its types
	More      []base.HookEvent `json:",omitempty"` // the others
	WebhookFields
	APIVersion     string // in which the bodies of its events are written
	Enabled        bool
	DisabledReason *string // nil: it is enabled, or was disabled by hand
	MissedEvents   int     `json:",omitempty"` // since it was last disabled: that happened then and were not kept
	MissedSince    int64   `json:",omitempty"` // when the first of them happened
	base.Stamp
	Maker *Maker `json:",omitempty"` // nil: it was made with unrestricted rights
}

// WebhookFields are what callers say of a webhook, in addition to the types of its events.
type WebhookFields struct {
	URL   string  `field:"url endpoint required" about:"Where events are sent." given:"Absolute, https, without user info and fragment; of a host with public addresses, on port 443, unless the operator allows others; what would not be called is refused when it is set."`
	Label *string `field:"label text 1..255" about:"What people call it."`
}

// Maker is the key that set the endpoint and the events of a webhook, with what the key could read then. These scopes
// decide what the webhook is sent, also after the key is revoked.
type Maker struct {
	Key    base.ID
	Scopes []string `json:",omitempty"` // none: full access
}

// EventTypes are the types of events that the webhook gets, in the order of HookEvents.
func (w *Webhook) EventTypes() []base.HookEvent {
	return append([]base.HookEvent{w.EventType}, w.More...)
}

// tells sets the types of events that the webhook gets.
func (w *Webhook) tells(types []base.HookEvent) {
	types = slices.Clone(types)
	slices.SortFunc(types, func(x, y base.HookEvent) int {
		return cmp.Compare(slices.Index(base.HookEvents, x), slices.Index(base.HookEvents, y))
	})
	w.EventType, w.More = types[0], nil
	if len(types) > 1 {
		w.More = types[1:]
	}
}

// missed counts an event of an instant that is neither sent to the webhook nor kept for it. The first one is a change
// of the record. Later ones are not, as else the feed of changes would show each of them.
func (w *WebhookRow) missed(at, now int64) {
	if w.MissedEvents == 0 {
		w.Touch(now)
		w.MissedSince = at
	}
	w.MissedEvents++
	w.MissedSince = min(w.MissedSince, at)
}

// Scopes are those that the webhook is sent by; none: it may be sent everything.
func (w *Webhook) Scopes() []string {
	if w.Maker == nil {
		return nil
	}
	return w.Maker.Scopes
}

// WebhookRow is what is kept of a webhook.
type WebhookRow struct {
	Webhook
	Secret    string // the whole text, whsec_...
	OldSecret string `json:",omitempty"` // the one before it, good until OldUntil
	OldUntil  int64  `json:",omitempty"`
	OldSigns  bool   `json:",omitempty"` // until then X-Service-Signature, which holds one signature, is the old one's
	Failed    int    `json:",omitempty"` // events in a row that failed for good
	Drain     int64  `json:",omitempty"` // when it was disabled, until what is queued was made failed
}

const (
	webhookByType = 0

	MaxWebhooks = 100 // of an account
	FailuresAll = 3   // events in a row that fail for good before a webhook is disabled
)

var WebhookKind = func() *base.Kind[WebhookRow] {
	k := base.RowsOf(base.TagWebhook, "webhook", func(w *WebhookRow) base.ID { return w.ID },
		table.By(func(w *WebhookRow) (types []string) {
			for _, typ := range w.EventTypes() {
				types = append(types, string(typ))
			}
			return types
		}))
	k.DueAt(func(w *WebhookRow) int64 { return w.Drain })
	put := k.Put
	k.Put = func(s *base.State, a *base.AccountState, before, after *WebhookRow) {
		put(s, a, before, after)
		call(s, a)
	}
	k.Told = base.ToldByRevision
	k.Carry = func(w *WebhookRow) *WebhookRow { // without secrets, and so as if it was disabled by hand
		n := WebhookRow{Webhook: w.Webhook}
		n.Enabled, n.DisabledReason, n.MissedEvents, n.MissedSince = false, nil, 0, 0
		return &n
	}
	return k
}()

// WebhookTable are all webhooks of an account.
func WebhookTable(a *base.AccountState) *table.Table[WebhookRow] {
	return base.TableOf[WebhookRow](a, base.TagWebhook)
}

// version demands a version of the interface, by its month.
func version(c *base.Checker, s string) {
	if len(s) != 7 || s[4] != '-' || strings.Trim(s[:4]+s[5:], "0123456789") != "" {
		c.Fault("/apiVersion", "format", "must be a version like 2025-06")
	}
}

// eventTypes demands types of events, each once. beside is the one type that is also given as eventType, and must be
// among them; empty: none is.
func eventTypes(c *base.Checker, types []base.HookEvent, beside base.HookEvent) {
	if len(types) == 0 || len(types) > len(base.HookEvents) {
		c.Fault("/eventTypes", "length", "must have between 1 and "+base.Itoa(len(base.HookEvents))+" types")
		return
	}
	for i, e := range types {
		at := "/eventTypes/" + base.Itoa(i)
		eventType(c, at, e)
		if slices.Contains(types[:i], e) {
			c.Fault(at, "duplicate", "is there already")
		}
	}
	if beside != "" && !slices.Contains(types, beside) {
		c.Fault("/eventType", "conflict", "must be one of eventTypes, where both are given")
	}
}

func eventType(c *base.Checker, pointer string, e base.HookEvent) {
	if !slices.Contains(base.HookEvents, e) {
		words := make([]string, len(base.HookEvents))
		for i, typ := range base.HookEvents {
			words[i] = string(typ)
		}
		c.OneOf(pointer, string(e), words...)
	}
}

// SecretPrefix begins the text of each secret; SecretBytes random bytes in base64 follow.
const (
	SecretPrefix = "whsec_"
	SecretBytes  = 32
)

// secret demands a secret's text. It is drawn by the caller, so that it is an input like any other.
func secret(c *base.Checker, s string) {
	text, ok := strings.CutPrefix(s, SecretPrefix)
	if b, err := base64.StdEncoding.DecodeString(text); !ok || err != nil || len(b) != SecretBytes {
		c.Fault("/secret", "format", "must be whsec_ and 32 bytes in base64")
	}
}

// CreateWebhook makes a webhook, which is enabled. Its types of events are given as one, or as a list.
type CreateWebhook struct {
	base.Answers[*Webhook]
	base.Adds
	EventType  base.HookEvent // the only one; empty: EventTypes has them
	EventTypes []base.HookEvent
	WebhookFields
	APIVersion string
	Secret     string
	Maker      *Maker
}

func (o CreateWebhook) Check(c *base.Checker) {
	switch {
	case o.EventTypes != nil:
		eventTypes(c, o.EventTypes, o.EventType)
	case o.EventType == "":
		c.Fault("/eventType", "required", "is required, or eventTypes")
	default:
		eventType(c, "/eventType", o.EventType)
	}
	base.CheckFields(c, "", &o.WebhookFields)
	version(c, o.APIVersion)
	secret(c, o.Secret)
}

func (o CreateWebhook) PlanOn(t *base.Tx) (any, error) {
	if WebhookTable(t.Acc).Len() >= MaxWebhooks {
		return nil, base.Refuse(base.CodeConflict, "an account has at most %d webhooks", MaxWebhooks)
	}
	w := &WebhookRow{Secret: o.Secret, Webhook: Webhook{
		ID: t.NewID(), WebhookFields: o.WebhookFields, APIVersion: o.APIVersion, Enabled: true, Stamp: t.Stamp(),
		Maker: o.Maker,
	}}
	if o.EventTypes == nil {
		o.EventTypes = []base.HookEvent{o.EventType}
	}
	w.tells(o.EventTypes)
	base.Record(t, WebhookKind, nil, w)
	return &w.Webhook, nil
}

// change records what a command makes of a webhook's own fields, if it changes them.
func (w *WebhookRow) change(t *base.Tx, edit func(n *WebhookRow)) (any, error) {
	n := *w
	edit(&n)
	return &base.Revise(t, WebhookKind, w, n).Webhook, nil
}

// PatchWebhook changes a webhook. Queued events go to the endpoint that the webhook has when they are sent. A key that
// gives it another endpoint or type of event is its maker from then on.
type PatchWebhook struct {
	base.Answers[*Webhook]
	base.IfMatch
	ID         base.ID
	EventType  base.Opt[base.HookEvent]   // the only one, or one of EventTypes
	EventTypes base.Opt[[]base.HookEvent] // all of them
	Fields     base.Changes[WebhookFields]
	Maker      *Maker
}

func (o PatchWebhook) Check(c *base.Checker) {
	switch {
	case o.EventTypes.Set:
		eventTypes(c, o.EventTypes.Value, o.EventType.Value)
	case o.EventType.Set:
		eventType(c, "/eventType", o.EventType.Value)
	}
	o.Fields.Check(c, "")
}

func (o PatchWebhook) PlanOn(t *base.Tx) (any, error) {
	w, err := base.Found(t, WebhookKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	return w.change(t, func(n *WebhookRow) {
		switch {
		case o.EventTypes.Set:
			n.tells(o.EventTypes.Value)
		case o.EventType.Set:
			n.tells([]base.HookEvent{o.EventType.Value})
		}
		n.WebhookFields = o.Fields.Of(w.WebhookFields)
		if !slices.Equal(n.EventTypes(), w.EventTypes()) || n.URL != w.URL {
			n.Maker = o.Maker
		}
	})
}

// DeleteWebhook removes a webhook. Queued events are not sent; its log is removed soon after.
type DeleteWebhook struct {
	base.Answers[any]
	base.IfMatch
	ID base.ID
}

func (o DeleteWebhook) PlanOn(t *base.Tx) (any, error) {
	w, err := base.Found(t, WebhookKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	base.Record(t, WebhookKind, w, nil)
	t.Bury(base.TagWebhook, w.ID, 0)
	return nil, nil
}

// EnableWebhook makes a disabled webhook get events again: those to come. Events that were kept meanwhile wait for
// RecoverDeliveries.
type EnableWebhook struct {
	base.Answers[*Webhook]
	ID base.ID
}

func (o EnableWebhook) PlanOn(t *base.Tx) (any, error) {
	w, err := base.Found(t, WebhookKind, o.ID, nil)
	if err != nil {
		return nil, err
	}
	if w.Enabled {
		return nil, base.NotAllowed("the webhook is enabled already", "enabled", "disable")
	}
	return w.change(t, func(n *WebhookRow) { n.Enabled, n.DisabledReason, n.Failed, n.Drain = true, nil, 0, 0 })
}

// DisableWebhook makes a webhook get nothing any more: what is queued stays in its log as failed, and what happens from
// then on is counted only.
type DisableWebhook struct {
	base.Answers[*Webhook]
	ID base.ID
}

func (o DisableWebhook) PlanOn(t *base.Tx) (any, error) {
	w, err := base.Found(t, WebhookKind, o.ID, nil)
	if err != nil {
		return nil, err
	}
	if err := w.enabled(); err != nil {
		return nil, err
	}
	return w.change(t, func(n *WebhookRow) {
		n.Enabled, n.MissedEvents, n.MissedSince = false, 0, 0
		if Calls(t.Acc).Waiting(w.ID) > 0 {
			n.Drain = t.Now
		}
	})
}

// enabled refuses what a disabled webhook does not do.
func (w *WebhookRow) enabled() error {
	if w.Enabled {
		return nil
	}
	return base.NotAllowed("the webhook is disabled", "disabled", "enable")
}

// RotateSecret gives a webhook a new secret. The one before it stays good for the overlap: what is sent in that time is
// signed with both, and the old one signs where there is room for one signature, unless SignWith says otherwise.
type RotateSecret struct {
	base.Answers[*Webhook]
	ID       base.ID
	Secret   string
	Overlap  int64  `field:"overlapSeconds int 0..2592000" default:"86400" made:"How long the old secret stays valid. Default: a day."`
	SignWith Signer `field:"signWith word" default:"old" made:"Which secret X-Service-Signature is made with while the old one is valid. Default: the old one, so that receivers have time to take over the new one."`
}

// Signer says which of two secrets signs X-Service-Signature during the overlap; none: the old one.
type Signer string

const (
	SignOld Signer = "old"
	SignNew Signer = "new"
)

// Words are those that a signer can be.
func (Signer) Words() []string { return []string{string(SignOld), string(SignNew)} }

func (o RotateSecret) Check(c *base.Checker) {
	base.CheckFields(c, "", &o)
	secret(c, o.Secret)
}

func (o RotateSecret) PlanOn(t *base.Tx) (any, error) {
	w, err := base.Found(t, WebhookKind, o.ID, nil)
	if err != nil {
		return nil, err
	}
	return w.change(t, func(n *WebhookRow) {
		n.Secret, n.OldSecret, n.OldUntil, n.OldSigns = o.Secret, "", 0, false
		if o.Overlap > 0 {
			n.OldSecret, n.OldUntil, n.OldSigns = w.Secret, t.Now+o.Overlap*1000, o.SignWith != SignNew
		}
	})
}

// UpgradeWebhook pins a webhook to a version of the interface. Queued events stay as they were written.
type UpgradeWebhook struct {
	base.Answers[*Webhook]
	ID         base.ID
	APIVersion string
}

func (o UpgradeWebhook) Check(c *base.Checker) { version(c, o.APIVersion) }

func (o UpgradeWebhook) PlanOn(t *base.Tx) (any, error) {
	w, err := base.Found(t, WebhookKind, o.ID, nil)
	if err != nil {
		return nil, err
	}
	if w.APIVersion == o.APIVersion {
		return &w.Webhook, nil
	}
	return w.change(t, func(n *WebhookRow) { n.APIVersion = o.APIVersion })
}

// WebhookByID returns a webhook, or nil.
func WebhookByID(v base.View, id base.ID) *Webhook {
	if w := WebhookTable(v.Acc).Get(id); w != nil {
		return &w.Webhook
	}
	return nil
}

// Webhooks lists the account's webhooks in order of creation. They are few.
func Webhooks(v base.View) (list []*Webhook) {
	for w := range WebhookTable(v.Acc).All() {
		list = append(list, &w.Webhook)
	}
	return list
}
