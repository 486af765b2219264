package holdfast

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// This file owns the verification of webhooks.

// WebhookTolerance is how far the time of a webhook may be from this machine's, so that an attacker cannot send an old
// one again.
const WebhookTolerance = 5 * time.Minute

var (
	// ErrWebhookSignature says that a webhook has no signature by the secret.
	ErrWebhookSignature = errors.New("holdfast: the webhook is not signed with the secret")
	// ErrWebhookTime says that a webhook is signed, or claims to be, more than WebhookTolerance ago or ahead.
	ErrWebhookTime = errors.New("holdfast: the time of the webhook is too far off")
	// ErrWebhookSecret says that the secret is none: it has to be the text that the server gave, whsec_….
	ErrWebhookSecret = errors.New("holdfast: the secret of the webhook is not of the form whsec_…")
)

// VerifyWebhook verifies a webhook by the rules of Standard Webhooks and reads its event. Body is the bytes as they
// came. While a secret is rotated there are two signatures, and one suffices. An event may come more than once:
// remember the ids that you have taken.
func VerifyWebhook(secret string, header http.Header, body []byte) (*Event, error) {
	return verifyAt(time.Now(), secret, header, body)
}

func verifyAt(now time.Time, secret string, header http.Header, body []byte) (*Event, error) {
	text, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) == 0 {
		return nil, ErrWebhookSecret
	}
	id, stamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(stamp, 10, 62)
	if err != nil || now.Sub(time.Unix(int64(seconds), 0)).Abs() > WebhookTolerance {
		return nil, ErrWebhookTime
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, stamp)
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	signed := false
	for signature := range strings.SplitSeq(header.Get("webhook-signature"), " ") {
		signed = signed || hmac.Equal([]byte(signature), []byte(want))
	}
	if !signed || id == "" {
		return nil, ErrWebhookSignature
	}
	return readEvent(body)
}

// VerifyServiceSignature verifies a webhook by X-Service-Signature alone, and reads its event. It does not check the
// time: anyone who has seen an old event can send it again. During a rotation only the new secret is good. Use
// VerifyWebhook where you can.
func VerifyServiceSignature(secret string, header http.Header, body []byte) (*Event, error) {
	if secret == "" {
		return nil, ErrWebhookSecret
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(header.Get("X-Service-Signature")), []byte(want)) {
		return nil, ErrWebhookSignature
	}
	return readEvent(body)
}

func readEvent(body []byte) (*Event, error) {
	e := &Event{}
	if err := json.Unmarshal(body, e); err != nil {
		return nil, fmt.Errorf("holdfast: the event: %w", err)
	}
	return e, nil
}
