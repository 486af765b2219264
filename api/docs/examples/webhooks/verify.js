// Verifies a webhook in Node 18 or later. Body is the bytes that came, as a Buffer; headers have lower-case names, as node:http gives them.
const { createHmac, timingSafeEqual } = require("node:crypto");

function verify(secret, headers, body, now = Date.now() / 1000) {
  const id = headers["webhook-id"], time = headers["webhook-timestamp"];
  if (!id || !/^\d+$/.test(time ?? "") || Math.abs(now - Number(time)) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const want = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some((signature) => {
    const got = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return signature.startsWith("v1,") && got.length === want.length && timingSafeEqual(got, want);
  });
}

module.exports = { verify };
