// A client of Holdfast. This file owns what other programs see of it.
export { createHoldfast } from "./client.js";
export type { Answer, Data, Holdfast, Init, Method, Options, RecordOf } from "./client.js";
export { HoldfastError, isProblem } from "./problem.js";
export { verifyServiceSignature, verifyWebhook, WebhookError } from "./webhook.js";
export type { WebhookEvent, WebhookHeaders } from "./webhook.js";
export { version } from "./version.js";
export type * from "./types.js";
