// This file holds the client against answers of the test's own: what is sent, what is sent again and when, what is
// thrown.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createHoldfast, HoldfastError, isProblem } from "../src/index.js";
import { verifyServiceSignature, verifyWebhook, WebhookError } from "../src/index.js";
import type { Options } from "../src/index.js";

const key = "hf_client00_ssssssssssssssssssssssssssssssss";

/** A client whose requests are answered by these functions, one after the other, and what it has asked. */
function scripted(answers: (() => Response)[], options: Partial<Options> = {}) {
  const asked: { method: string; url: URL; headers: Headers; body: string }[] = [];
  const hf = createHoldfast({
    baseUrl: "https://rent.example.com/",
    key,
    maxWait: 1,
    fetch: async (r) => {
      asked.push({ method: r.method, url: new URL(r.url), headers: r.headers, body: await r.text() });
      const next = answers[asked.length - 1];
      if (!next) throw new Error("the script has no more answers");
      return next();
    },
    ...options,
  });
  return { hf, asked };
}

const done = () => Response.json({ id: "1", status: "held" });
const problem = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers: { "Content-Type": "application/problem+json", ...headers } });
const refusal = (status: number, code: string, headers: Record<string, string> = {}) => () =>
  problem(status, { code, detail: "no", requestId: "r", details: {} }, headers);
const line = { skuId: "1", serviceLocationId: "2", from: "2031-06-02T09:00:00Z" };
const place = { body: { lines: [line] } };

const lost = () => {
  throw new TypeError("fetch failed");
};
const cut = () =>
  new Response(
    new ReadableStream({
      start: (c) => c.enqueue(new TextEncoder().encode('{"id"')),
      pull: (c) => c.error(new TypeError("terminated")),
    }),
  );

for (const [name, first] of Object.entries({
  408: refusal(408, "REQUEST_TIMEOUT"),
  429: refusal(429, "RATE_LIMITED"),
  500: refusal(500, "INTERNAL"),
  502: () => new Response("<html>", { status: 502 }),
  503: refusal(503, "OVERLOADED", { "Retry-After": "0" }),
  504: () => new Response(null, { status: 504 }),
  "a request that is still being done": refusal(409, "IDEMPOTENCY_KEY_IN_USE"),
  "no connection": lost,
  "an answer that is cut off": cut,
})) {
  test(`sends again after ${name}, under the same key`, async () => {
    const { hf, asked } = scripted([first, first, first, done, done]);
    assert.equal((await hf.POST("/v1/admin/holds", place)).data.id, "1");
    assert.equal(asked.length, 4);
    const once = asked[0]?.headers.get("Idempotency-Key") ?? "";
    assert.match(once, /^[0-9a-f-]{36}$/);
    for (const a of asked) {
      assert.equal(a.headers.get("Idempotency-Key"), once);
      assert.equal(a.body, JSON.stringify(place.body));
    }
    await hf.POST("/v1/admin/holds", place);
    assert.notEqual(asked[4]?.headers.get("Idempotency-Key"), once);
  });
}

const path = { params: { path: { id: "1" } } };

test("does not send again what would be refused again", async () => {
  const final = [[400, "INVALID_ARGUMENTS"], [401, "UNAUTHENTICATED"], [409, "CONFLICT"], [404, "NOT_FOUND"]] as const;
  for (const [status, code] of final) {
    const { hf, asked } = scripted([refusal(status, code), done]);
    await assert.rejects(hf.GET("/v1/admin/holds/{id}", path), (e) => isProblem(e, code) && e.status === status);
    assert.equal(asked.length, 1);
  }
  const { hf, asked } = scripted([refusal(503, "OVERLOADED"), done], { retries: 0 });
  await assert.rejects(hf.GET("/v1/admin/holds/{id}", path), (e) => isProblem(e, "OVERLOADED"));
  assert.equal(asked.length, 1);
  const never = scripted([lost, lost, lost, lost, done]);
  await assert.rejects(never.hf.GET("/v1/admin/holds/{id}", path), /fetch failed/);
  assert.equal(never.asked.length, 4);
});

test("waits as Retry-After says, and not at all where that is too long", async (t) => {
  const pauses: number[] = [];
  const real = globalThis.setTimeout;
  t.mock.method(globalThis, "setTimeout", (f: () => void, ms: number) => (pauses.push(ms), real(f, 0)));
  const busy = (after: string) => refusal(429, "RATE_LIMITED", { "Retry-After": after });
  const soon = new Date(Date.now() + 20_500).toUTCString();
  const { hf } = scripted([busy("7"), busy(soon), busy("-5"), done], { maxWait: 30_000 });
  await hf.GET("/v1/admin/holds/{id}", path);
  const [told = 0, until = 0, growing = 0] = pauses;
  assert.ok(told >= 7_000 && told <= 7_950, `${told}`);
  assert.ok(until > 15_000 && until <= 30_000, `${until}`);
  assert.ok(growing >= 500 && growing <= 1_000, `${growing}`);
  const long = scripted([busy("86400"), done], { maxWait: 30_000 });
  await assert.rejects(long.hf.GET("/v1/admin/holds/{id}", path), (e) => isProblem(e, "RATE_LIMITED"));
  assert.equal(pauses.length, 3);
});

test("ends with the caller's signal and with the time of an attempt", async () => {
  const abort = new AbortController();
  const busy = refusal(503, "OVERLOADED", { "Retry-After": "60" });
  const abortSoon = () => (setTimeout(() => abort.abort(new Error("enough"))), busy());
  const { hf, asked } = scripted([abortSoon, done], { maxWait: 60_000 });
  await assert.rejects(hf.GET("/v1/admin/holds/{id}", { ...path, signal: abort.signal }), /enough/);
  assert.equal(asked.length, 1);
  const silent = createHoldfast({
    baseUrl: "https://rent.example.com", key, retries: 1, maxWait: 1, timeout: 5,
    fetch: (r) => new Promise((_, reject) => r.signal.addEventListener("abort", () => reject(r.signal.reason))),
  });
  const alive = setInterval(() => {}, 1000); // the timeout of an attempt does not keep a program alive
  await assert.rejects(silent.GET("/v1/admin/holds/{id}", path), { name: "TimeoutError" });
  clearInterval(alive);
});

test("sends what the document says", async () => {
  const { hf, asked } = scripted([done, done, done, done]);
  await hf.PATCH("/v1/admin/articles/{id}/scheduled-events/{eventId}", {
    params: { path: { id: "a/b", eventId: "c d?" }, header: { "If-Match": '"4"', "Idempotency-Key": "mine" } },
    body: { name: "x" },
  });
  const [patch] = asked;
  assert.equal(patch?.url.href, "https://rent.example.com/v1/admin/articles/a%2Fb/scheduled-events/c%20d%3F");
  const sent = { "X-API-KEY": key, "If-Match": '"4"', "Idempotency-Key": "mine", "Content-Type": "application/json" };
  for (const [name, value] of Object.entries(sent)) assert.equal(patch?.headers.get(name), value);
  assert.match(patch?.headers.get("User-Agent") ?? "", /^holdfast-ts\//);
  assert.match(patch?.headers.get("X-Api-Version") ?? "", /^\d{4}-\d{2}$/);

  const filters = {
    0: { field: "name", operator: "contains", value: "x" },
    1: { field: "tags", operator: "inArray", value: ["b", "c"] },
  } as const;
  await hf.GET("/v1/admin/articles", {
    params: { query: { ids: ["1", "2"], search: "a&b", dateRange: { from: "F", to: "T" }, page: 3, filters } },
  });
  assert.deepEqual([...(asked[1]?.url.searchParams ?? [])], [
    ["ids", "1"], ["ids", "2"], ["search", "a&b"], ["dateRange[from]", "F"], ["dateRange[to]", "T"], ["page", "3"],
    ["filters[0][field]", "name"], ["filters[0][operator]", "contains"], ["filters[0][value]", "x"],
    ["filters[1][field]", "tags"], ["filters[1][operator]", "inArray"],
    ["filters[1][value]", "b"], ["filters[1][value]", "c"],
  ]);
  assert.equal(asked[1]?.headers.has("Idempotency-Key"), false);
  assert.equal(asked[1]?.headers.has("Content-Type"), false);

  // An id that would make another path of it is not sent: deleting ".." would delete something else.
  for (const id of ["", ".", ".."]) {
    await assert.rejects(hf.DELETE("/v1/admin/holds/{id}", { params: { path: { id } } }), /cannot be the id of a path/);
  }
  assert.equal(asked.length, 2);
});

test("refuses an address or a key that is none, without showing it", () => {
  for (const baseUrl of ["rent.example.com", "ftp://x", "https://", "https://me:secret@x", "https://x/?a=1"]) {
    assert.throws(
      () => createHoldfast({ baseUrl, key }),
      (e) => e instanceof TypeError && !e.message.includes("secret"),
    );
  }
  for (const bad of ["", "hf secret", "hf_secret\r\nX: 1"]) {
    assert.throws(
      () => createHoldfast({ baseUrl: "https://x", key: bad }),
      (e) => e instanceof TypeError && !e.message.includes("secret"),
    );
  }
});

test("throws what is no success", async () => {
  const faults = [{ in: "body", pointer: "/name", code: "required", message: "is missing" }];
  const body = { code: "INVALID_ARGUMENTS", detail: "faults", requestId: "r-1", details: {}, errors: faults };
  const { hf } = scripted([
    () => problem(400, body),
    () => new Response("<html>no</html>", { status: 403 }),
    () => new Response(null, { status: 304, headers: { ETag: '"7"' } }),
    () => new Response(null, { status: 307, headers: { Location: "https://elsewhere.example.com" } }),
    () => new Response("null", { status: 200 }),
  ]);
  await assert.rejects(hf.POST("/v1/admin/skus", { body: { name: "" } }), {
    name: "HoldfastError", status: 400, message: "400 INVALID_ARGUMENTS: faults; body /name: is missing (request r-1)",
  });
  await assert.rejects(hf.GET("/v1/admin/account"), { name: "HoldfastError", status: 403, problem: undefined });
  await assert.rejects(
    hf.GET("/v1/admin/account"),
    (e) => e instanceof HoldfastError && e.status === 304 && e.headers.get("ETag") === '"7"',
  );
  await assert.rejects(hf.GET("/v1/admin/account"), { status: 307 });
  const { data } = await hf.DELETE("/v1/admin/holds/{id}", path);
  const nothing: null = data;
  assert.equal(nothing, null);
});

// What stands in front of the service answers in its own way, also with JSON, and with 200.
test("takes nobody else's answer for the service's", async () => {
  const none = { detail: "no", requestId: "r" };
  const others = [
    () => Response.json({ code: "X", errors: { a: 1 } }, { status: 403 }),
    () => Response.json({ code: 1020 }, { status: 403 }),
    () => Response.json({ ...none, code: "NOT_FOUND" }, { status: 404 }),
    () => problem(403, { ...none, code: 1020 }),
    () => problem(403, { code: "X" }),
    () => problem(400, { ...none, code: "X", errors: { a: ["b"] } }),
    () => problem(400, { ...none, code: "X", errors: [null] }),
    () => problem(403, null),
    () => new Response('{"code"', { status: 403, headers: { "Content-Type": "application/problem+json" } }),
  ];
  for (const other of others) {
    const { status } = other();
    await assert.rejects(scripted([other]).hf.GET("/v1/admin/account"), (e) => {
      assert.ok(e instanceof HoldfastError);
      assert.deepEqual([e.status, e.message, e.problem], [status, `${status}`, undefined]);
      return true;
    });
  }
  const typed = { "Content-Type": "Application/Problem+JSON; charset=utf-8" };
  const { hf } = scripted([refusal(404, "NOT_FOUND", typed)]);
  await assert.rejects(hf.GET("/v1/admin/account"), (e) => isProblem(e, "NOT_FOUND"));
  for (const page of ["<html>", ""]) {
    const paged = scripted([() => new Response(page, { headers: { "X-Seen": "yes" } })]);
    await assert.rejects(paged.hf.GET("/v1/admin/account"), (e) => {
      assert.ok(e instanceof HoldfastError);
      assert.deepEqual([e.status, e.headers.get("X-Seen")], [200, "yes"]);
      assert.equal(e.message, "200: the answer is no JSON");
      return true;
    });
  }
});

test("takes an address however it is written", async () => {
  for (const baseUrl of ["HTTPS://rent.example.com", "https://rent.example.com//"]) {
    const { hf, asked } = scripted([done], { baseUrl });
    await hf.GET("/v1/admin/account");
    assert.equal(asked[0]?.url.href, "https://rent.example.com/v1/admin/account");
  }
});

test("types requests and answers by the document", async () => {
  const { hf } = scripted([done, done, done, done, done]);
  // @ts-expect-error: a name is text
  await hf.POST("/v1/admin/skus", { body: { name: 7 } });
  // @ts-expect-error: the body has to be given
  await hf.POST("/v1/admin/skus");
  // @ts-expect-error: there is no such member
  await hf.POST("/v1/admin/skus", { body: { name: "x", colour: "red" } });
  // @ts-expect-error: there is no such path
  await hf.GET("/v1/admin/nothing");
  // @ts-expect-error: an answer has no such member
  (await hf.GET("/v1/admin/holds/{id}", path)).data.colour;
});

test("goes through all pages", async () => {
  const page = (next: boolean, ...ids: string[]) => () =>
    Response.json({ data: ids.map((id) => ({ id })) }, { headers: { Link: `</x>; rel="${next ? "next" : "last"}"` } });
  const orders = [page(true, "a", "b"), page(true, "c"), page(false, "d")];
  const { hf, asked } = scripted([...orders, page(true, "e"), refusal(410, "SNAPSHOT_GONE")]);
  const seen: string[] = [];
  for await (const order of hf.all("/v1/admin/orders", { params: { query: { number: 5 } } })) seen.push(order.id);
  assert.equal(seen.join(""), "abcd");
  assert.deepEqual(asked.map((a) => a.url.search), ["?number=5&page=1", "?number=5&page=2", "?number=5&page=3"]);
  const rest = hf.all("/v1/admin/orders", { params: { query: { page: 4 } } });
  assert.equal((await rest.next()).value?.id, "e");
  await assert.rejects(rest.next(), (e) => isProblem(e, "SNAPSHOT_GONE"));
  assert.equal(asked[4]?.url.search, "?page=5");
});

test("verifies webhooks as every language does", async () => {
  const file = process.env["HOLDFAST_CASES"];
  assert.ok(file, "HOLDFAST_CASES names the cases");
  type Texts = Record<string, string>;
  type Case = { name: string; secret: string; body: string; good: boolean; headers: Texts; now: number };
  const cases: Case[] = JSON.parse(readFileSync(file, "utf8"));
  assert.ok(cases.length > 15);
  for (const c of cases) {
    for (const [headers, body] of [[c.headers, c.body], [new Headers(c.headers), Buffer.from(c.body)]] as const) {
      const verified = verifyWebhook(c.secret, headers, body, c.now);
      if (c.good) assert.equal((await verified).eventId, c.headers["webhook-id"], c.name);
      else await assert.rejects(verified, WebhookError, c.name);
    }
  }
  const { secret, headers, body, now } = cases.find((c) => c.good)!;
  const named = (how: (name: string) => string) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [how(name), value]));
  for (const written of [named((n) => n.toUpperCase()), named((n) => n.replace(/\b[a-z]/g, (c) => c.toUpperCase()))]) {
    assert.equal((await verifyWebhook(secret, written, body, now)).eventId, headers["webhook-id"]);
  }
  for (const missing of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    const rest = { ...headers, [missing]: undefined };
    const says = { name: "WebhookError", message: `the webhook has no header ${missing}` };
    await assert.rejects(verifyWebhook(secret, rest, body, now), says);
  }
  for (const secret of ["", "AAEC", "whsec_", "whsec_!"]) {
    await assert.rejects(verifyWebhook(secret, cases[0]!.headers, cases[0]!.body, cases[0]!.now), /whsec_…/);
  }
});

test("verifies the signature of the body alone", async () => {
  const body = '{"eventId":"1"}';
  const right = "sha256=210dff7981f1b8eb26f5a8ef16adb4c4538ac6b0ec9834f101d3b43b475e4002";
  assert.equal((await verifyServiceSignature("whsec_AAEC", { "x-service-signature": right }, body)).eventId, "1");
  for (const wrong of ["", "sha256=", right.slice(7), right + "0", right.toUpperCase()]) {
    await assert.rejects(verifyServiceSignature("whsec_AAEC", { "x-service-signature": wrong }, body), WebhookError);
  }
  const headers = { "x-service-signature": right };
  await assert.rejects(verifyServiceSignature("whsec_AAEC", headers, body + " "), WebhookError);
  await assert.rejects(verifyServiceSignature("", headers, body), WebhookError);
});
