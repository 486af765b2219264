// This file owns one request with its retries: what is sent again, and when. Every request may be: those that change
// something have an Idempotency-Key, and the others change nothing.
import { problemOf, type Read } from "./problem.js";

/** The first pause in milliseconds, which doubles with each attempt up to the longest. */
const firstPause = 250;
const longestPause = 8_000;

const again = new Set([408, 429, 500, 502, 503, 504]);

export interface Patience {
  retries: number;
  maxWait: number;
  timeout: number;
  fetch: (request: Request) => Promise<Response>;
}

/** Sends a request until it is answered for good, or until attempts run out. The result is that of the last attempt. */
export async function send(request: Request, p: Patience): Promise<Read> {
  for (let n = 0; ; n++) {
    const last = n >= p.retries;
    let answer: Read | undefined;
    try {
      answer = await attempt(request, p);
    } catch (error) {
      if (last || request.signal.aborted) throw error;
    }
    if (answer && (last || !repeats(answer))) return answer;
    let pause = Math.min(firstPause * 2 ** n, longestPause) * (0.5 + Math.random() / 2);
    const asked = answer && retryAfter(answer.response.headers.get("Retry-After"));
    if (answer && asked !== undefined) {
      if (asked > p.maxWait) return answer;
      pause = asked + Math.random() * (asked / 10 + firstPause); // not all clients at once
    }
    await sleep(Math.min(pause, p.maxWait), request.signal);
  }
}

/** Sends a request once. The body is read here, so that an answer that is cut off counts as none. */
async function attempt(request: Request, p: Patience): Promise<Read> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(p.timeout)]);
  const response = await p.fetch(new Request(request.clone(), { signal }));
  return { text: await response.text(), response };
}

/** Says whether another attempt may be answered otherwise. The first with the same key may still be being done. */
function repeats(answer: Read): boolean {
  return again.has(answer.response.status) || problemOf(answer)?.code === "IDEMPOTENCY_KEY_IN_USE";
}

/** Reads Retry-After in milliseconds: seconds, or an instant, as a proxy may write it. */
function retryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) || /^-/.test(text) ? undefined : Math.max(at - Date.now(), 0);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
