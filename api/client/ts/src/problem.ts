// This file owns refusals as errors.
import type { Problem, ProblemCode } from "./types.js";

/** A refusal: every answer but success. Decide by `problem.code`, whose `details` have the form of the code. */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";

  constructor(
    /** The HTTP status; 304 where the record still has the ETag of `If-None-Match`. */
    readonly status: number,
    /** The headers of the answer. */
    readonly headers: Headers,
    /** The refusal; undefined where it is not the service's, such as a proxy's page. */
    readonly problem?: Problem,
  ) {
    const faults = problem?.errors?.map((f) => `; ${f.in} ${f.pointer}: ${f.message}`).join("") ?? "";
    const says = problem ? ` ${problem.code}: ${problem.detail}${faults} (request ${problem.requestId})` : "";
    super(`${status}${says}`);
  }
}

/** Says whether an error is a refusal with a code, and gives `problem.details` the type of the code. */
export function isProblem<C extends ProblemCode>(
  error: unknown,
  code: C,
): error is HoldfastError & { problem: Problem & { code: C } } {
  return error instanceof HoldfastError && error.problem?.code === code;
}

/** Reads a refusal. */
export function refused({ status, headers }: Response, text: string): HoldfastError {
  return new HoldfastError(status, headers, codeOf(text) ? (JSON.parse(text) as Problem) : undefined);
}

/** The code of a refusal, undefined where the text is none. */
export function codeOf(text: string): unknown {
  try {
    return (JSON.parse(text) as Partial<Problem> | null)?.code;
  } catch {
    return undefined;
  }
}
