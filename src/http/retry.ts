import { AsyncLocalStorage } from "node:async_hooks";
import { PlumblineError } from "../core/errors.js";
import { reportRetry } from "../core/observe.js";
import type { HttpDependencies } from "./dependencies.js";
import { type HttpReply, headerOf } from "./message.js";
import { type RetryPolicy, waitBefore } from "./retry-policy.js";

/** Call of a server, with its retries. */
export interface Call<Reply> {
  readonly target: string;
  /** Kind of the target, for observers. Undefined for other services. */
  readonly kind?: string | undefined;
  /** Description for messages, without query and body. */
  readonly words: string;
  /** Name of the server in messages, such as `the device`. */
  readonly peer: string;
  /** The call may be carried out twice. */
  readonly repeatable: boolean;
  /** Makes one try, counted from 1. @throws PlumblineError without a complete reply */
  readonly send: (attempt: number) => Promise<HttpReply>;
  /** Parses the reply. @throws PlumblineError for an unexpected reply */
  readonly understand: (reply: HttpReply) => Reply | Promise<Reply>;
  /** Returns the milliseconds that the server requests to wait. The default reads `Retry-After` in seconds. */
  readonly requestedWait?: (reply: HttpReply) => number | undefined;
  /** Returns the failure in a reply. After the last try, that reply is returned instead of an error. */
  readonly failureIn?: (reply: Reply) => PlumblineError | undefined;
}

export type RetryDependencies = Pick<HttpDependencies, "clock" | "random"> & Partial<Pick<HttpDependencies, "logger">>;

type Outcome<Reply> = { readonly reply: Reply } | Failure<Reply>;

interface Failure<Reply> {
  readonly error: PlumblineError;
  /** Milliseconds that the server requests to wait. */
  readonly requestedWait: number | undefined;
  /** Reply to return instead of the error. */
  readonly instead?: { readonly reply: Reply };
}

const singleTry = new AsyncLocalStorage<true>();

/** Runs `work`. Its calls are not repeated after a failure. */
export function withSingleTries<T>(work: () => T): T {
  return singleTry.run(true, work);
}

/**
 * Makes a call, with retries according to `policy`.
 * @throws PlumblineError of the last try; `reply-lost` if it is unknown whether a write was carried out
 */
export async function callWithRetries<Reply>(call: Call<Reply>, policy: RetryPolicy, dependencies: RetryDependencies): Promise<Reply> {
  const { clock, random, logger } = dependencies;
  const { target, kind, words, repeatable } = call;
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(call, attempt);
    if ("reply" in outcome) return outcome.reply;
    const { code } = outcome.error;
    const failed = { code, repeatable, requestedWait: outcome.requestedWait };
    const delay = singleTry.getStore() === true ? undefined : waitBefore(attempt + 1, policy, failed, random);
    if (delay === undefined) return lastOf(outcome, call, policy);
    logger?.debug({ target, call: words, code, attempt, delay }, "asking again");
    if (kind !== undefined) reportRetry(target, kind);
    await clock.sleep(delay);
  }
}

async function tryOnce<Reply>(call: Call<Reply>, attempt: number): Promise<Outcome<Reply>> {
  let requestedWait: number | undefined;
  try {
    const raw = await call.send(attempt);
    requestedWait = (call.requestedWait ?? retryAfter)(raw);
    const reply = await call.understand(raw);
    const error = call.failureIn?.(reply);
    return error === undefined ? { reply } : { error, requestedWait, instead: { reply } };
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    return { error, requestedWait };
  }
}

function lastOf<Reply>(failure: Failure<Reply>, { repeatable, target, words, peer }: Call<Reply>, { certain }: RetryPolicy): Reply {
  const { error, instead } = failure;
  if (instead !== undefined) return instead.reply;
  if (repeatable || certain.includes(error.code)) throw error;
  throw new PlumblineError("reply-lost", `the reply to a write (${words}) was lost: ${error.message}`, {
    where: { target },
    next: `Run again: ${peer} is read before anything is repeated.`,
    cause: error,
  });
}

/** Returns milliseconds from `Retry-After` in seconds. A date is ignored, and the usual backoff applies. */
function retryAfter(reply: HttpReply): number | undefined {
  const value = headerOf(reply, "retry-after");
  return value !== undefined && /^\d+$/.test(value) ? Number(value) * 1000 : undefined;
}
