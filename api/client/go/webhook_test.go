package holdfast

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"
)

// This file runs the verification of webhooks on the cases that every language is held against.

func TestVerifyWebhook(t *testing.T) {
	text, err := os.ReadFile("../../docs/examples/webhooks/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Secret, Body string
		Good               bool
		Headers            map[string]string
		Now                int64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, c := range cases {
		h := http.Header{}
		for name, value := range c.Headers {
			h.Set(name, value)
		}
		event, err := verifyAt(time.Unix(c.Now, 0), c.Secret, h, []byte(c.Body))
		equal(t, c.Name, err == nil, c.Good)
		equal(t, c.Name+": there is an event", event != nil, c.Good)
		if c.Good {
			equal(t, "event", event.EventID, c.Headers["webhook-id"])
			good++
		}
	}
	equal(t, "good", good, 3)
	equal(t, "many cases", len(cases) > 15, true)
}

func TestWhyAWebhookIsRefused(t *testing.T) {
	now := time.Unix(1767225600, 0)
	h := func(stamp string) http.Header {
		return http.Header{"Webhook-Id": {"1"}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {"v1,x"}}
	}
	for _, c := range []struct {
		secret, stamp string
		want          error
	}{
		{"whsec_AAEC", "1767225600", ErrWebhookSignature},
		{"whsec_AAEC", "1767225901", ErrWebhookTime},
		{"whsec_AAEC", "1767225299", ErrWebhookTime},
		{"whsec_AAEC", "99999999999999999999", ErrWebhookTime},
		{"whsec_AAEC", "4611686018427387903", ErrWebhookTime},
		{"whsec_AAEC", "+1767225600", ErrWebhookTime},
		{"whsec_AAEC", "", ErrWebhookTime},
		{"AAEC", "1767225600", ErrWebhookSecret},
		{"whsec_", "1767225600", ErrWebhookSecret},
		{"whsec_!", "1767225600", ErrWebhookSecret},
	} {
		_, err := verifyAt(now, c.secret, h(c.stamp), nil)
		equal(t, c.secret+" "+c.stamp, err, c.want)
	}
}

// The signature is sha256= and the HMAC of the body, keyed with the whole text of the secret.
func TestVerifyServiceSignature(t *testing.T) {
	body := `{"eventId":"1"}`
	right := "sha256=210dff7981f1b8eb26f5a8ef16adb4c4538ac6b0ec9834f101d3b43b475e4002"
	event, err := VerifyServiceSignature("whsec_AAEC", http.Header{"X-Service-Signature": {right}}, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "event", event.EventID, "1")
	for _, wrong := range []string{"", "sha256=", right[7:], right + "0"} {
		_, err := VerifyServiceSignature("whsec_AAEC", http.Header{"X-Service-Signature": {wrong}}, []byte(body))
		equal(t, wrong, err, ErrWebhookSignature)
	}
	_, err = VerifyServiceSignature("whsec_AAEC", http.Header{"X-Service-Signature": {right}}, []byte(body+" "))
	equal(t, "another body", err, ErrWebhookSignature)
	_, err = VerifyServiceSignature("", http.Header{"X-Service-Signature": {right}}, []byte(body))
	equal(t, "no secret", err, ErrWebhookSecret)
}
