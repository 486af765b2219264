// The round of doc.go with openapi-fetch, every request and answer typed by the document.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./generated.js";

const client = createClient<paths>({
  baseUrl: process.env.HOLDFAST_URL ?? "",
  headers: { "X-API-KEY": process.env.HOLDFAST_KEY ?? "" },
});

// done gives the answer of a request that has to succeed.
function done<T>(r: { data?: T; error?: unknown; response: Response }): T {
  assert.equal(r.response.status, 200, JSON.stringify(r.error));
  assert.ok(r.data !== undefined);
  return r.data;
}

const location = done(await client.POST("/v1/admin/locations", { body: { name: "Lisbon (TypeScript)", timezone: "Europe/Lisbon", address: { city: "Lisboa" } } }));
const sku = done(await client.POST("/v1/admin/skus", { body: { name: "Cargo bike", purchasePrice: 289900 } }));
const created = await client.POST("/v1/admin/articles", {
  params: { header: { "Idempotency-Key": "round-ts" } },
  body: { name: "Bike 1", skuId: sku.id, quantities: [{ serviceLocationId: location.id, count: 2, from: "2025-01-01T00:00:00Z" }] },
});
const article = done(created);
assert.equal(article.sku?.id, sku.id);
assert.equal(article.quantity.total, 2);
assert.match(created.response.headers.get("ETag") ?? "", /^"\d+(-\w+)?"$/);

const window = { from: "2031-06-02T09:00:00Z", to: "2031-06-04T09:00:00Z" };
const ask = async () =>
  done(await client.GET("/v1/admin/availability", { params: { query: { skuId: sku.id, serviceLocationId: location.id, ...window } } })).available;
assert.equal(await ask(), 2);

const line = { skuId: sku.id, serviceLocationId: location.id, ...window };
const hold = done(await client.POST("/v1/admin/holds", { body: { lines: [{ ...line, quantity: 2 }], expiresInSeconds: 900 } }));
assert.equal(hold.status, "held");
assert.equal(hold.lines[0]?.unavailabilities.length, 2);
assert.equal(await ask(), 0);

// The one too many.
const refused = await client.POST("/v1/admin/holds", { body: { lines: [line] } });
assert.equal(refused.response.status, 409);
const problem: components["schemas"]["Problem"] | undefined = refused.error;
assert.ok(problem?.code === "INSUFFICIENT_AVAILABILITY");
// The details are typed by the code.
const short = problem.details.lines[0];
assert.equal(short?.requested, 1);
assert.equal(short.blockingTotal, 2);

// A query in brackets, a record that is asked for again, and a fault with its pointer.
const listed = done(await client.GET("/v1/admin/articles/{id}", { params: { path: { id: article.id }, query: { dateRange: window } } }));
assert.equal(listed.unavailability.length, 2);
const same = await client.GET("/v1/admin/skus/{id}", { params: { path: { id: sku.id }, header: { "If-None-Match": "*" } } });
assert.equal(same.response.status, 304);
// @ts-expect-error: the document says that a name is text
const wrong = await client.POST("/v1/admin/skus", { body: { name: 7 } });
assert.equal(wrong.error?.errors?.[0]?.pointer, "/name");

assert.equal((await client.DELETE("/v1/admin/holds/{id}", { params: { path: { id: hold.id } } })).response.status, 200);
assert.equal(await ask(), 2);
console.log("the TypeScript client has gone its round");
