package engine

import (
	"cmp"
	"encoding/base64"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"holdfast/engine/table"
)

// This file owns webhooks: subscriptions, each of some types of events and one endpoint that is told.

// TooManyFailures is the reason for which the engine itself disables a webhook.
const TooManyFailures = "TOO_MANY_FAILED_DELIVERY_ATTEMPTS"

// Webhook is a webhook's record. Its secrets are not in it: what is shown, kept for a repeat or logged is made of records.
type Webhook struct {
	ID             ID
	EventType      HookEvent   // the first of its types
	More           []HookEvent `json:",omitempty"` // the others
	URL            string      // absolute, https
	Label          *string
	APIVersion     string // in which the bodies of its events are written
	Enabled        bool
	DisabledReason *string // nil: it is enabled, or was disabled by hand
	MissedEvents   int     `json:",omitempty"` // since it was last disabled: that happened then and were not kept
	MissedSince    int64   `json:",omitempty"` // when the first of them happened
	UpdatedAt      int64
	Revision       uint64
	Maker          *Maker `json:",omitempty"` // nil: nobody whose rights are bounded
}

// Maker is who said where a webhook sends what: the key, and what it could read then. What the webhook is sent is judged by
// these scopes, also when the key is revoked.
type Maker struct {
	Key    ID
	Scopes []string `json:",omitempty"` // none: full access
}

// EventTypes are the types of events that the webhook is told of, in the order of HookEvents.
func (w *Webhook) EventTypes() []HookEvent { return append([]HookEvent{w.EventType}, w.More...) }

// tells has the webhook told of some types of events.
func (w *Webhook) tells(types []HookEvent) {
	types = slices.Clone(types)
	slices.SortFunc(types, func(x, y HookEvent) int { return cmp.Compare(slices.Index(HookEvents, x), slices.Index(HookEvents, y)) })
	w.EventType, w.More = types[0], nil
	if len(types) > 1 {
		w.More = types[1:]
	}
}

// missed counts an event of an instant that the webhook is not told of and that is not kept for it. The first makes the record another; how many
// follow does not, as each would be a change that is told.
func (w *webhookRow) missed(at, now int64) {
	if w.MissedEvents == 0 {
		w.touch(now)
		w.MissedSince = at
	}
	w.MissedEvents++
	w.MissedSince = min(w.MissedSince, at)
}

// Scopes are those that the webhook is sent by; none: it may be told of everything.
func (w *Webhook) Scopes() []string {
	if w.Maker == nil {
		return nil
	}
	return w.Maker.Scopes
}

// webhookRow is what is kept of a webhook.
type webhookRow struct {
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

	maxWebhooks = 100 // of an account
	failuresAll = 3   // events in a row that fail for good before a webhook is disabled
)

var webhookKind = func() *kind[webhookRow] {
	k := rowsOf(tagWebhook, "webhook", func(w *webhookRow) ID { return w.ID }, table.By(func(w *webhookRow) (types []string) {
		for _, typ := range w.EventTypes() {
			types = append(types, string(typ))
		}
		return types
	}))
	k.dueAt(func(w *webhookRow) int64 { return w.Drain })
	put := k.put
	k.put = func(s *state, a *account, before, after *webhookRow) {
		put(s, a, before, after)
		s.call(a)
	}
	k.quiet = func(before, after *webhookRow) bool { return before.Revision == after.Revision }
	k.carry = func(w *webhookRow) *webhookRow { // without secrets, and so as if it was disabled by hand
		n := webhookRow{Webhook: w.Webhook}
		n.Enabled, n.DisabledReason, n.MissedEvents, n.MissedSince = false, nil, 0, 0
		return &n
	}
	return k
}()

func (a *account) webhooks() *table.Table[webhookRow] { return tableOf[webhookRow](a, tagWebhook) }

// endpoint demands an absolute https address without anything that could lead a reader astray.
func (c *checker) endpoint(pointer, s string) {
	if len(s) > maxURL {
		c.fault(pointer, "length", "must have at most 2048 characters")
		return
	}
	u, err := url.Parse(s)
	bad := err != nil || u.Scheme != "https" || u.Opaque != "" || u.User != nil || strings.Contains(s, "#") || strings.HasSuffix(u.Host, ":") || !hostname(u)
	for i := range len(s) {
		bad = bad || s[i] <= ' ' || s[i] >= 0x7f || s[i] == '\\'
	}
	if bad {
		c.fault(pointer, "format", "must be an absolute https URL without user info and fragment, such as https://example.com/hooks")
	}
}

// hostname says whether an address names a host in a form of which there is one reading: a name, or an IP address as it is
// usually written. Whether that may be called is judged when it is dialled.
func hostname(u *url.URL) bool {
	if p := u.Port(); p != "" {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		a, err := netip.ParseAddr(host)
		return err == nil && a.Is6() && a.Zone() == ""
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Is4()
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.Trim(strings.ToLower(l), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	// Some resolvers read 2130706433, 0x7f000001 and 127.1 as addresses.
	last := labels[len(labels)-1]
	return len(host) <= 253 && strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(strings.ToLower(last), "0x")
}

// version demands a version of the interface, by its month.
func (c *checker) version(pointer, s string) {
	if len(s) != 7 || s[4] != '-' || strings.Trim(s[:4]+s[5:], "0123456789") != "" {
		c.fault(pointer, "format", "must be a version like 2025-06")
	}
}

// eventTypes demands types of events, each once, with one that is given beside them; empty: none is.
func (c *checker) eventTypes(pointer string, types []HookEvent, beside HookEvent) {
	if len(types) == 0 || len(types) > len(HookEvents) {
		c.fault(pointer, "length", "must have between 1 and "+itoa(len(HookEvents))+" types")
		return
	}
	for i, e := range types {
		c.eventType(pointer+"/"+itoa(i), e)
		if slices.Contains(types[:i], e) {
			c.fault(pointer+"/"+itoa(i), "duplicate", "is there already")
		}
	}
	if beside != "" && !slices.Contains(types, beside) {
		c.fault("/eventType", "conflict", "must be one of eventTypes, where both are given")
	}
}

func (c *checker) eventType(pointer string, e HookEvent) {
	if !slices.Contains(HookEvents, e) {
		words := make([]string, len(HookEvents))
		for i, typ := range HookEvents {
			words[i] = string(typ)
		}
		c.oneOf(pointer, string(e), words...)
	}
}

// SecretPrefix begins the text of each secret; behind it stand SecretBytes random bytes in base64.
const (
	SecretPrefix = "whsec_"
	SecretBytes  = 32
)

// secret demands a secret's text. It is drawn by the caller, so that it is an input like any other.
func (c *checker) secret(s string) {
	text, ok := strings.CutPrefix(s, SecretPrefix)
	if b, err := base64.StdEncoding.DecodeString(text); !ok || err != nil || len(b) != SecretBytes {
		c.fault("/secret", "format", "must be whsec_ and 32 bytes in base64")
	}
}

// CreateWebhook makes a webhook, which is enabled. Its types of events are given as one, or as a list. It answers with the *Webhook.
type CreateWebhook struct {
	EventType  HookEvent // the only one; empty: EventTypes has them
	EventTypes []HookEvent
	URL        string
	Label      *string
	APIVersion string
	Secret     string
	Maker      *Maker
}

func (o CreateWebhook) Check() []Fault {
	var c checker
	switch {
	case o.EventTypes != nil:
		c.eventTypes("/eventTypes", o.EventTypes, o.EventType)
	case o.EventType == "":
		c.fault("/eventType", "required", "is required, or eventTypes")
	default:
		c.eventType("/eventType", o.EventType)
	}
	c.endpoint("/url", o.URL)
	c.optional("/label", o.Label, 1, maxName)
	c.version("/apiVersion", o.APIVersion)
	c.secret(o.Secret)
	return c.faults
}

func (o CreateWebhook) plan(t *tx) (any, error) {
	if t.acc.webhooks().Len() >= maxWebhooks {
		return nil, refuse(CodeConflict, "an account has at most %d webhooks", maxWebhooks)
	}
	w := &webhookRow{Secret: o.Secret, Webhook: Webhook{
		ID: t.newID(), URL: o.URL, Label: o.Label, APIVersion: o.APIVersion, Enabled: true, UpdatedAt: t.now, Revision: 1, Maker: o.Maker,
	}}
	if o.EventTypes == nil {
		o.EventTypes = []HookEvent{o.EventType}
	}
	w.tells(o.EventTypes)
	record(t, webhookKind, nil, w)
	return &w.Webhook, nil
}

func (CreateWebhook) result() any { return new(Webhook) }

func (w *webhookRow) revision() uint64 { return w.Revision }
func (w *webhookRow) touch(now int64)  { w.UpdatedAt, w.Revision = now, w.Revision+1 }

// change records what a command makes of a webhook's own fields, if it changes them.
func (w *webhookRow) change(t *tx, edit func(n *webhookRow)) (any, error) {
	n := *w
	edit(&n)
	return &revise(t, webhookKind, w, n).Webhook, nil
}

// PatchWebhook changes a webhook. What is queued goes to the endpoint as it is when it is sent. Who gives it another endpoint or
// type of event is its maker from then on. It answers with the *Webhook.
type PatchWebhook struct {
	ID         ID
	IfMatch    []uint64
	EventType  Opt[HookEvent]   // the only one, or one of EventTypes
	EventTypes Opt[[]HookEvent] // all of them
	URL        Opt[string]
	Label      Opt[string]
	Maker      *Maker
}

func (o PatchWebhook) Check() []Fault {
	var c checker
	switch {
	case o.EventTypes.Set:
		c.eventTypes("/eventTypes", o.EventTypes.Value, o.EventType.Value)
	case o.EventType.Set:
		c.eventType("/eventType", o.EventType.Value)
	}
	if o.URL.Set {
		c.endpoint("/url", o.URL.Value)
	}
	if o.Label.Set && !o.Label.Null {
		c.text("/label", o.Label.Value, 1, maxName)
	}
	return c.faults
}

func (o PatchWebhook) plan(t *tx) (any, error) {
	w, err := found(t, webhookKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	return w.change(t, func(n *webhookRow) {
		switch {
		case o.EventTypes.Set:
			n.tells(o.EventTypes.Value)
		case o.EventType.Set:
			n.tells([]HookEvent{o.EventType.Value})
		}
		o.URL.set(&n.URL)
		o.Label.merge(&n.Label)
		if !slices.Equal(n.EventTypes(), w.EventTypes()) || n.URL != w.URL {
			n.Maker = o.Maker
		}
	})
}

func (PatchWebhook) result() any { return new(Webhook) }

// DeleteWebhook removes a webhook. What is queued is not sent; its log goes soon after. It answers with nil.
type DeleteWebhook struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteWebhook) Check() []Fault { return nil }

func (o DeleteWebhook) plan(t *tx) (any, error) {
	w, err := found(t, webhookKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	record(t, webhookKind, w, nil)
	t.bury(tagWebhook, w.ID, 0)
	return nil, nil
}

func (DeleteWebhook) result() any { return new(any) }

// EnableWebhook has a disabled webhook told of events again: of those to come. What was kept meanwhile waits for RecoverDeliveries. It answers
// with the *Webhook.
type EnableWebhook struct{ ID ID }

func (EnableWebhook) Check() []Fault { return nil }

func (o EnableWebhook) plan(t *tx) (any, error) {
	w, err := found(t, webhookKind, o.ID, nil)
	if err != nil {
		return nil, err
	}
	if w.Enabled {
		return nil, &Error{Code: CodeStateNotAllowed, Detail: "the webhook is enabled already", Details: StateDetails{"enabled", []string{"disable"}}}
	}
	return w.change(t, func(n *webhookRow) { n.Enabled, n.DisabledReason, n.Failed, n.Drain = true, nil, 0, 0 })
}

func (EnableWebhook) result() any { return new(Webhook) }

// DisableWebhook has a webhook told of nothing any more: what is queued stays in its log as failed, and what happens from then on is
// counted only. It answers with the *Webhook.
type DisableWebhook struct{ ID ID }

func (DisableWebhook) Check() []Fault { return nil }

func (o DisableWebhook) plan(t *tx) (any, error) {
	w, err := found(t, webhookKind, o.ID, nil)
	if err != nil {
		return nil, err
	}
	if err := w.enabled(); err != nil {
		return nil, err
	}
	return w.change(t, func(n *webhookRow) {
		n.Enabled, n.MissedEvents, n.MissedSince = false, 0, 0
		if t.acc.calls().waiting(w.ID) > 0 {
			n.Drain = t.now
		}
	})
}

func (DisableWebhook) result() any { return new(Webhook) }

// enabled refuses what a disabled webhook does not do.
func (w *webhookRow) enabled() error {
	if w.Enabled {
		return nil
	}
	return &Error{Code: CodeStateNotAllowed, Detail: "the webhook is disabled", Details: StateDetails{"disabled", []string{"enable"}}}
}

// RotateSecret gives a webhook a new secret. The one before it stays good for the overlap: what is sent in that time is signed
// with both, and the old one signs where there is room for one signature, unless SignWith says otherwise. It answers with the
// *Webhook.
type RotateSecret struct {
	ID       ID
	Secret   string
	Overlap  int64 // seconds
	SignWith Signer
}

// Signer says which of two secrets signs X-Service-Signature during the overlap; none: the old one.
type Signer string

const (
	SignOld Signer = "old"
	SignNew Signer = "new"
)

// Signers lists them.
var Signers = []Signer{SignOld, SignNew}

// MaxOverlap is the longest time in seconds for which a rotated secret stays good.
const MaxOverlap = 30 * 24 * 60 * 60

func (o RotateSecret) Check() []Fault {
	var c checker
	if o.Overlap < 0 || o.Overlap > MaxOverlap {
		c.fault("/overlapSeconds", "range", "must be between 0 and "+itoa(MaxOverlap))
	}
	if o.SignWith != "" && !slices.Contains(Signers, o.SignWith) {
		c.oneOf("/signWith", string(o.SignWith), string(SignOld), string(SignNew))
	}
	c.secret(o.Secret)
	return c.faults
}

func (o RotateSecret) plan(t *tx) (any, error) {
	w, err := found(t, webhookKind, o.ID, nil)
	if err != nil {
		return nil, err
	}
	return w.change(t, func(n *webhookRow) {
		n.Secret, n.OldSecret, n.OldUntil, n.OldSigns = o.Secret, "", 0, false
		if o.Overlap > 0 {
			n.OldSecret, n.OldUntil, n.OldSigns = w.Secret, t.now+o.Overlap*1000, o.SignWith != SignNew
		}
	})
}

func (RotateSecret) result() any { return new(Webhook) }

// UpgradeWebhook pins a webhook to a version of the interface. What is queued stays as it was written. It answers with the
// *Webhook.
type UpgradeWebhook struct {
	ID         ID
	APIVersion string
}

func (o UpgradeWebhook) Check() []Fault {
	var c checker
	c.version("/apiVersion", o.APIVersion)
	return c.faults
}

func (o UpgradeWebhook) plan(t *tx) (any, error) {
	w, err := found(t, webhookKind, o.ID, nil)
	if err != nil {
		return nil, err
	}
	if w.APIVersion == o.APIVersion {
		return &w.Webhook, nil
	}
	return w.change(t, func(n *webhookRow) { n.APIVersion = o.APIVersion })
}

func (UpgradeWebhook) result() any { return new(Webhook) }

// Webhook returns a webhook, or nil.
func (v View) Webhook(id ID) *Webhook {
	if w := v.acc.webhooks().Get(id); w != nil {
		return &w.Webhook
	}
	return nil
}

// Webhooks lists the account's webhooks in order of creation. They are few.
func (v View) Webhooks() (list []*Webhook) {
	for w := range v.acc.webhooks().All() {
		list = append(list, &w.Webhook)
	}
	return list
}
