// This file owns the verification of webhooks, with WebCrypto, which browsers, Node, Deno and workers have.
import type { webhooks } from "./types.js";

/** What a webhook is sent: by its `eventType` the record in `data`. */
export type WebhookEvent = {
  [T in keyof webhooks]: Omit<webhooks[T]["post"]["requestBody"]["content"]["application/json"], "eventType"> & {
    eventType: T;
  };
}[keyof webhooks];

/** Headers as fetch or as node:http give them, or with names in another case. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** How far the time of a webhook may be from this machine's, in seconds, so that nobody can send an old one again. */
const tolerance = 300;

/** Says why a webhook is not verified. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/**
 * Verifies a webhook by the rules of Standard Webhooks and gives its event. `body` is what came, before it is parsed.
 * While a secret is rotated there are two signatures, and one suffices. An event may come more than once: remember the
 * ids that you have taken. It throws a WebhookError.
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: Uint8Array | string,
  now: number = Date.now() / 1000,
): Promise<WebhookEvent> {
  const raw = secret.startsWith("whsec_") && bytesOf(secret.slice(6));
  if (!raw || !raw.length) throw new WebhookError("the secret is not of the form whsec_…");
  const id = header(headers, "webhook-id");
  const time = header(headers, "webhook-timestamp");
  if (!/^\d{1,15}$/.test(time) || Math.abs(now - Number(time)) > tolerance) {
    throw new WebhookError("the time of the webhook is too far off");
  }
  const signatures = header(headers, "webhook-signature").split(" ");
  const bytes = signatures.filter((s) => s.startsWith("v1,")).map((s) => bytesOf(s.slice(3)));
  const content = concat(`${id}.${time}.`, body);
  if (!(await signed(raw, content, bytes))) {
    throw new WebhookError("the webhook is not signed with the secret");
  }
  return parse(body);
}

/**
 * Verifies a webhook by X-Service-Signature alone and gives its event. It knows no time: who has seen an old event can
 * send it again, and during a rotation only the new secret is good. Use verifyWebhook where you can. It throws a
 * WebhookError.
 */
export async function verifyServiceSignature(
  secret: string,
  headers: WebhookHeaders,
  body: Uint8Array | string,
): Promise<WebhookEvent> {
  if (!secret) throw new WebhookError("the secret is empty");
  const text = /^sha256=([0-9a-f]{64})$/.exec(header(headers, "x-service-signature"))?.[1];
  const bytes = text && Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16));
  if (!bytes || !(await signed(new TextEncoder().encode(secret), concat("", body), [bytes]))) {
    throw new WebhookError("the webhook is not signed with the secret");
  }
  return parse(body);
}

/** Says whether one of the signatures is right. WebCrypto compares in constant time. */
async function signed(
  secret: Uint8Array,
  content: Uint8Array,
  signatures: (Uint8Array | undefined)[],
): Promise<boolean> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret as BufferSource, hmac, false, ["verify"]);
  let good = false;
  for (const s of signatures) {
    if (s && (await crypto.subtle.verify("HMAC", key, s as BufferSource, content as BufferSource))) good = true;
  }
  return good;
}

/** The value of a header, however its name is written. */
function header(headers: WebhookHeaders, name: string): string {
  const all = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const value = all.find(([n]) => n.toLowerCase() === name)?.[1];
  const first = Array.isArray(value) ? value[0] : value;
  if (!first) throw new WebhookError(`the webhook has no header ${name}`);
  return first;
}

/** The bytes of Base64, undefined where it is none. */
function bytesOf(base64: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4) return undefined;
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

function concat(before: string, body: Uint8Array | string): Uint8Array {
  const encoder = new TextEncoder();
  const first = encoder.encode(before);
  const second = typeof body === "string" ? encoder.encode(body) : body;
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function parse(body: Uint8Array | string): WebhookEvent {
  return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as WebhookEvent;
}
