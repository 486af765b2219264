// This file goes from the stock to the return with a live server, whose every write is carried out, and then lost or
// refused, before it is answered: HOLDFAST_URL names what is in front of the server. fuzz/clients starts both.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createHoldfast, HoldfastError, isProblem } from "../src/index.js";
import { verifyServiceSignature, verifyWebhook, WebhookError } from "../src/index.js";
import type { Order } from "../src/index.js";

function given(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} has to be given`);
  return value;
}

const live = (key = given("HOLDFAST_KEY")) => createHoldfast({ baseUrl: given("HOLDFAST_URL"), key });

test("books once what is asked once", async () => {
  const hf = live();
  const { data: place } = await hf.POST("/v1/admin/locations", {
    body: { name: "Lisbon (TypeScript)", timezone: "Europe/Lisbon" },
  });
  const { data: sku } = await hf.POST("/v1/admin/skus", { body: { name: "Cargo bike", purchasePrice: 289900 } });
  const { data: article } = await hf.POST("/v1/admin/articles", {
    body: {
      name: "Bikes",
      skuId: sku.id,
      quantities: [{ serviceLocationId: place.id, count: 2, from: "2025-01-01T00:00:00Z" }],
    },
  });
  const { data: table } = await hf.POST("/v1/admin/pricing-tables/pricing-table", { body: { name: "Bikes" } });
  const { data: row } = await hf.POST("/v1/admin/pricing-tables/pricing-table/{pricingTableId}/pricing-row", {
    params: { path: { pricingTableId: table.id } },
    body: { label: "Day", purchaseType: "booking", price: 4500, durationAmount: 1, durationUnit: "days" },
  });
  const { data: item } = await hf.POST("/v1/admin/catalog", {
    body: { name: "Cargo bike", status: "active", pricingTableId: table.id, components: [{ skuId: sku.id }] },
  });

  const day = 24 * 3600 * 1000;
  const first = Math.floor(Date.now() / day + 1) * day;
  const window = { from: new Date(first).toISOString(), to: new Date(first + 2 * day).toISOString() };
  const what = { catalogItemId: item.id, serviceLocationId: place.id, ...window };
  const free = async () => (await hf.GET("/v1/admin/availability", { params: { query: what } })).data.available;
  assert.equal(await free(), 2);

  // All of it is carried out at the first attempt, of which no answer comes. Nothing is done twice.
  const { data: hold, response } = await hf.POST("/v1/admin/holds", { body: { lines: [what], expiresInSeconds: 600 } });
  assert.equal(hold.status, "held");
  assert.equal(response.headers.get("Idempotent-Replayed"), "true");
  assert.equal(await free(), 1);
  const read = await hf.GET("/v1/admin/articles/{id}", {
    params: { path: { id: article.id }, query: { dateRange: window } },
  });
  assert.equal(read.data.unavailability.length, 1);

  await assert.rejects(hf.POST("/v1/admin/holds", { body: { lines: [{ ...what, quantity: 2 }] } }), (error) => {
    assert.ok(isProblem(error, "INSUFFICIENT_AVAILABILITY"));
    const [short] = error.problem.details.lines; // typed by the code
    assert.deepEqual([short?.requested, short?.available], [2, 1]);
    return true;
  });

  const held = await hf.POST("/v1/admin/holds/{id}/order", {
    params: { path: { id: hold.id } },
    body: { reference: "WEB-1" },
  });
  const path = { id: held.data.id };
  const lineItemId = held.data.lineItems[0]?.id ?? "";
  const priced = await hf.PATCH("/v1/admin/orders/{id}/line-items/{lineItemId}", {
    params: { path: { ...path, lineItemId } },
    body: { pricingRowId: row.id },
  });
  assert.equal(priced.data.pricing.total, 9000);
  const paid = await hf.POST("/v1/admin/orders/{id}/payments", {
    params: { path },
    body: { kind: "capture", amount: 9000 },
  });
  assert.equal(paid.data.capturedTotal, 9000);
  await hf.POST("/v1/admin/orders/{id}/prepare", { params: { path }, body: {} });
  await hf.POST("/v1/admin/orders/{id}/fulfill", { params: { path }, body: {} });
  const order: Order = (await hf.POST("/v1/admin/orders/{id}/return", { params: { path }, body: {} })).data;
  assert.equal(order.status, "closed");
  assert.equal(await free(), 2);
});

test("throws refusals", async () => {
  const hf = live();
  // @ts-expect-error: the document says that a name is text
  await assert.rejects(hf.POST("/v1/admin/skus", { body: { name: 7 } }), (error) => {
    assert.ok(error instanceof HoldfastError);
    assert.equal(error.problem?.errors?.[0]?.pointer, "/name");
    return true;
  });
  const { data: sku, response } = await hf.POST("/v1/admin/skus", { body: { name: "Tent" } });
  const path = { id: sku.id };
  const etag = response.headers.get("ETag") ?? "";
  assert.match(etag, /^".+"$/);
  const unchanged = hf.GET("/v1/admin/skus/{id}", { params: { path, header: { "If-None-Match": etag } } });
  await assert.rejects(unchanged, { status: 304 });
  const change = (code: string | null, header = {}) =>
    hf.PATCH("/v1/admin/skus/{id}", { params: { path, header }, body: { code } });
  await change("T1", { "If-Match": etag });
  await assert.rejects(change("T2", { "If-Match": etag }), (error) => isProblem(error, "PRECONDITION_FAILED"));
  assert.equal((await change(null)).data.code, null);
  assert.equal((await hf.DELETE("/v1/admin/skus/{id}", { params: { path } })).data, null);
  await assert.rejects(hf.GET("/v1/admin/skus/{id}", { params: { path } }), (error) => isProblem(error, "NOT_FOUND"));

  const filters = { 0: { field: "name", operator: "inArray", value: ["no such", "nor such"] } } as const;
  const listed = await hf.GET("/v1/admin/articles", { params: { query: { filters } } });
  assert.equal(listed.data.totalCount, 0);
  const searched = await hf.POST("/v1/admin/articles/search", { body: { search: "no such" } });
  assert.equal(searched.data.totalCount, 0);
  const unknown = live("hf_unknown0_ssssssssssssssssssssssssssssssss").GET("/v1/admin/account");
  await assert.rejects(unknown, (error) => isProblem(error, "UNAUTHENTICATED"));
});

test("goes through all pages of one state", async () => {
  const hf = live();
  const add = async (lastName: string) => (await hf.POST("/v1/admin/customers", { body: { lastName } })).data.id;
  const want: string[] = [];
  for (let i = 0; i < 7; i++) want.push(await add(`Costa ${i}`));
  const { data: snapshot } = await hf.POST("/v1/admin/snapshots");
  await add("later");
  const got: string[] = [];
  const query = { pageSize: 3, asOf: snapshot.sequence };
  for await (const customer of hf.all("/v1/admin/customers", { params: { query } })) got.push(customer.id);
  assert.deepEqual(got, want);
});

test("verifies what the server has sent before, while and after its secret was rotated", async () => {
  type Sent = { headers: Record<string, string>; body: string; good: number[]; bodyAlone: number };
  const text = readFileSync(given("HOLDFAST_DELIVERIES"), "utf8");
  const sent: { secrets: string[]; deliveries: Sent[] } = JSON.parse(text);
  assert.equal(sent.deliveries.length, 4);
  for (const { headers, body, good, bodyAlone } of sent.deliveries) {
    for (const [i, secret] of sent.secrets.entries()) {
      if (good.includes(i)) {
        const event = await verifyWebhook(secret, headers, body);
        assert.deepEqual([event.eventId, event.eventType], [headers["webhook-id"], "order.created"]);
      } else {
        await assert.rejects(verifyWebhook(secret, headers, body), WebhookError);
      }
      await assert.rejects(verifyWebhook(secret, headers, body + " "), WebhookError);
      const alone = verifyServiceSignature(secret, headers, body);
      if (i === bodyAlone) assert.equal((await alone).eventId, headers["webhook-id"]);
      else await assert.rejects(alone, WebhookError);
    }
  }
});
