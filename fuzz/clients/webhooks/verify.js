// Holds deliveries against the library that receivers use: each is taken as it came, and refused after one changed byte.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secrets, deliveries } = JSON.parse(readFileSync("deliveries.json", "utf8"));
assert.ok(deliveries.length > 0);
for (const { headers, body, good } of deliveries) {
  for (const [i, secret] of secrets.entries()) {
    const receiver = new Webhook(secret);
    if (!good.includes(i)) {
      assert.throws(() => receiver.verify(body, headers));
      continue;
    }
    assert.equal(receiver.verify(body, headers).eventId, headers["webhook-id"]);
    for (const at of [0, Math.floor(body.length / 2), body.length - 1]) {
      const other = String.fromCharCode(body.charCodeAt(at) ^ 1);
      assert.throws(() => receiver.verify(body.slice(0, at) + other + body.slice(at + 1), headers));
    }
    const changed = {
      "webhook-id": headers["webhook-id"].slice(0, -1),
      "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 1),
      "webhook-signature": headers["webhook-signature"].replaceAll("v1,", "v1,A"),
    };
    for (const [name, value] of Object.entries(changed)) {
      assert.throws(() => receiver.verify(body, { ...headers, [name]: value }), name);
    }
  }
}
console.log(`${deliveries.length} deliveries verified`);
