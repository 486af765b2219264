// This file owns the client: how it is made, what it sends beside the caller's request, and the way through the pages
// of a list. openapi-fetch gives the types of requests and answers, and puts address and headers together.
import { createFinalURL, mergeHeaders } from "openapi-fetch";
import type { HeadersOptions, ParamsOption, RequestBodyOption } from "openapi-fetch";
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from "openapi-typescript-helpers";
import { read } from "./problem.js";
import { type Patience, send } from "./retry.js";
import type { paths } from "./types.js";
import { version } from "./version.js";

export interface Options {
  /** The server, such as https://rent.example.com. */
  baseUrl: string;
  /** The key, hf_…. It opens what its scopes say to whoever has it: keep it on a server, never in a page. */
  key: string;
  /** How often a request is sent again at most; 0: never. Default: 3. */
  retries?: number;
  /** The longest pause before the next attempt, in milliseconds. Default: 30,000. */
  maxWait?: number;
  /** How long an attempt may take, in milliseconds. Default: 75,000. */
  timeout?: number;
  /** Sends a request. Default: the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/** What comes back: the answer, and the response with its headers, such as ETag. */
export interface Answer<T> {
  data: T;
  response: Response;
}

type Operation<P extends keyof paths, M extends HttpMethod> = paths[P][M & keyof paths[P]];

/** What an operation takes: `params` with path, query and header, and `body`. */
export type Init<P extends keyof paths, M extends HttpMethod> = ParamsOption<Operation<P, M>> &
  RequestBodyOption<Operation<P, M>> & { headers?: HeadersOptions; signal?: AbortSignal };

type Args<I> = RequiredKeysOf<I> extends never ? [init?: I] : [init: I];

/** What an operation gives; null where that is nothing. */
export type Data<P extends keyof paths, M extends HttpMethod> =
  Operation<P, M> extends { responses: { 200: { content: { "application/json": infer D } } } } ? D : null;

/** Sends a request that the document has, and gives its answer. Every other answer is thrown as a HoldfastError. */
export type Method<M extends HttpMethod> = <P extends PathsWithMethod<paths, M>>(
  path: P,
  ...init: Args<Init<P, M>>
) => Promise<Answer<Data<P, M>>>;

/** The record of a page. */
export type RecordOf<Page> = Page extends { data: (infer R)[] } | { articles: (infer R)[] } ? R : never;

export interface Holdfast {
  GET: Method<"get">;
  POST: Method<"post">;
  PATCH: Method<"patch">;
  DELETE: Method<"delete">;
  /**
   * Goes through the records of all pages of a list, from the query's page on. A list that others change meanwhile may
   * show a record twice or leave one out: the query's `asOf` reads all pages of one snapshot.
   */
  all<P extends PathsWithMethod<paths, "get">>(
    path: P,
    ...init: Args<Init<P, "get">>
  ): AsyncGenerator<RecordOf<Data<P, "get">>, void, undefined>;
}

type Values = Record<string, unknown>;

/** What the methods take, whatever the operation. */
interface Given {
  params?: { path?: Values; query?: Values; header?: Record<string, string> };
  body?: unknown;
  headers?: HeadersOptions;
  signal?: AbortSignal;
}

/** Makes a client. */
export function createHoldfast(options: Options): Holdfast {
  const { key, retries = 3, maxWait = 30_000, timeout = 75_000 } = options;
  if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(options.baseUrl)) {
    throw new TypeError("baseUrl is not of the form https://host");
  }
  if (!/^[!-~]+$/.test(key)) throw new TypeError("the key is empty, or has characters that no key has");
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const patience: Patience = { retries, maxWait, timeout, fetch: options.fetch ?? ((request) => fetch(request)) };
  const own: Record<string, string> = { "X-API-KEY": key, "X-Api-Version": version };
  if (typeof window === "undefined") own["User-Agent"] = `holdfast-ts/${version}`;

  const call =
    (method: string) =>
    async (path: string, { params = {}, body, headers, signal }: Given = {}): Promise<Answer<unknown>> => {
      // One key for all attempts: what an attempt without an answer has done is not done again.
      const once = method === "GET" ? {} : { "Idempotency-Key": crypto.randomUUID() };
      const json = body === undefined ? {} : { "Content-Type": "application/json" };
      const request = new Request(createFinalURL(path, { baseUrl, params, querySerializer, pathSerializer }), {
        method,
        headers: mergeHeaders(own, json, once, headers, params.header),
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
        redirect: "manual", // one to another host would take the key along
      });
      const answer = await send(request, patience);
      return { data: read(answer), response: answer.response };
    };
  const GET = call("GET");

  async function* all(path: string, init: Given = {}) {
    const query = init.params?.query;
    for (let page = Number(query?.["page"] ?? 1); ; page++) {
      const { data, response } = await GET(path, { ...init, params: { ...init.params, query: { ...query, page } } });
      const answer = data as { data?: unknown[]; articles?: unknown[] };
      const records = answer.data ?? answer.articles ?? [];
      yield* records;
      if (!records.length || !response.headers.get("Link")?.includes('rel="next"')) return;
    }
  }
  return { GET, POST: call("POST"), PATCH: call("PATCH"), DELETE: call("DELETE"), all } as unknown as Holdfast;
}

/** Writes a query: lists repeat their name, objects have brackets, as deep as they go. */
function querySerializer(query: unknown): string {
  const to = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) for (const one of value) add(name, one);
    else if (typeof value === "object") for (const [k, v] of Object.entries(value)) add(`${name}[${k}]`, v);
    else to.append(name, String(value));
  };
  for (const [name, value] of Object.entries(query as Values)) add(name, value);
  return to.toString();
}

/** Puts values into a path. One that is empty or made of dots would make another path of it. */
function pathSerializer(path: string, values: Values): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? "");
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`"${value}" cannot be the ${name} of a path`);
    return encodeURIComponent(value);
  });
}
