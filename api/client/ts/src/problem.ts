// This file owns refusals as errors.
import type { Problem, ProblemCode } from "./types.js";

/**
 * Every answer but the one that was asked for: mostly a refusal. Decide by `problem.code`, whose `details` have the
 * form of the code.
 */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";

  constructor(
    /** The HTTP status; 304 where the record still has the ETag of `If-None-Match`, 200 where the answer is no JSON. */
    readonly status: number,
    /** The headers of the answer. */
    readonly headers: Headers,
    /** The refusal; undefined where it is not the service's, such as a proxy's page. */
    readonly problem?: Problem,
  ) {
    const faults = problem?.errors?.map((f) => `; ${f.in} ${f.pointer}: ${f.message}`).join("") ?? "";
    const refusal = problem && ` ${problem.code}: ${problem.detail}${faults} (request ${problem.requestId})`;
    super(`${status}${refusal ?? (status === 200 ? ": the answer is no JSON" : "")}`);
  }
}

/** Says whether an error is a refusal with a code, and gives `problem.details` the type of the code. */
export function isProblem<C extends ProblemCode>(
  error: unknown,
  code: C,
): error is HoldfastError & { problem: Problem & { code: C } } {
  return error instanceof HoldfastError && error.problem?.code === code;
}

/** An answer whose body has been read. */
export interface Read {
  text: string;
  response: Response;
}

/** Reads an answer. */
export function read(answer: Read): unknown {
  const { status, headers } = answer.response;
  if (status === 200) {
    try {
      return JSON.parse(answer.text);
    } catch {} // a proxy's page
  }
  throw new HoldfastError(status, headers, problemOf(answer));
}

/** The refusal, undefined where the answer is none of the service's. */
export function problemOf({ text, response }: Read): Problem | undefined {
  if (!/^application\/problem\+json *(;|$)/i.test(response.headers.get("Content-Type") ?? "")) return undefined;
  try {
    const p = JSON.parse(text) as Problem;
    const own = [p.code, p.detail, p.requestId, ...(p.errors ?? []).map((f) => f.message)];
    return own.every((says) => typeof says === "string") ? p : undefined;
  } catch {
    return undefined; // it has not even the form of one
  }
}
