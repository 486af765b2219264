# Verifies a webhook in Python 3.8 or later. Body is bytes; headers is a dict with lower-case names.
import base64, hashlib, hmac, time


def verify(secret, headers, body, now=None):
    event, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not event or not stamp.isdecimal() or abs((now or time.time()) - int(stamp)) > 300:
        return False
    key = base64.b64decode(secret[len("whsec_"):])
    want = base64.b64encode(hmac.new(key, f"{event}.{stamp}.".encode() + body, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(s.encode(), b"v1," + want) for s in signatures)
