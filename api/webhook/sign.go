package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns signatures: ours, and those of the Standard Webhooks specification.

func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// sign sets the headers that show whose the bytes are. X-Service-Signature is of the first secret alone, keyed with its
// whole text, Webhook-Signature of all, each keyed with the bytes that stand in it.
func sign(h http.Header, event base.ID, now int64, secrets []string, body []byte) {
	id, seconds := event.String(), strconv.FormatInt(now/1000, 10)
	h.Set("X-Service-Event-Id", id)
	h.Set("X-Service-Signature", "sha256="+hex.EncodeToString(mac([]byte(secrets[0]), body)))
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", seconds)
	var all []string
	for _, s := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s, outbox.SecretPrefix))
		if err == nil {
			all = append(all, "v1,"+base64.StdEncoding.EncodeToString(mac(key, []byte(id+"."+seconds+"."), body)))
		}
	}
	h.Set("Webhook-Signature", strings.Join(all, " "))
}
