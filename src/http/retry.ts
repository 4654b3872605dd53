import { PlumblineError } from "../core/errors.js";
import { askingAgain } from "../core/observe.js";
import type { HttpDependencies } from "./dependencies.js";
import { type HttpReply, headerOf } from "./message.js";
import { type RetryPolicy, waitBefore } from "./retry-policy.js";

/** One call of a server, which may take several tries. */
export interface Call<Reply> {
  readonly target: string;
  /** Of the target, for observers; left out for a service that is no target. */
  readonly kind?: string | undefined;
  /** In words for messages: no query, no body. */
  readonly words: string;
  /** What is called, for messages: `the device`. */
  readonly peer: string;
  /** It may be carried out twice. */
  readonly repeatable: boolean;
  /** Makes one try, from 1. @throws PlumblineError where no whole reply came */
  readonly send: (attempt: number) => Promise<HttpReply>;
  /** @throws PlumblineError where the reply is not what was asked for */
  readonly understand: (reply: HttpReply) => Reply | Promise<Reply>;
  /** Milliseconds that a reply asks to wait; by `Retry-After` in seconds where left out. */
  readonly askedWait?: (reply: HttpReply) => number | undefined;
  /** The failure that a reply tells of, where the last such reply is handed out as it is. */
  readonly failureIn?: (reply: Reply) => PlumblineError | undefined;
}

export type RetryDependencies = Pick<HttpDependencies, "clock" | "random"> & Partial<Pick<HttpDependencies, "logger">>;

type Outcome<Reply> = { readonly reply: Reply } | Failure<Reply>;

interface Failure<Reply> {
  readonly error: PlumblineError;
  /** Milliseconds that the server asks to wait. */
  readonly askedWait: number | undefined;
  /** What the caller gets in place of the error. */
  readonly instead?: { readonly reply: Reply };
}

/**
 * Makes a call, and makes it again as `policy` says.
 * @throws PlumblineError of the last try; `reply-lost` where nobody knows whether a write was carried out
 */
export async function callWithRetries<Reply>(call: Call<Reply>, policy: RetryPolicy, dependencies: RetryDependencies): Promise<Reply> {
  const { clock, random, logger } = dependencies;
  const { target, kind, words, repeatable } = call;
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(call, attempt);
    if ("reply" in outcome) return outcome.reply;
    const { code } = outcome.error;
    const delay = waitBefore(attempt + 1, policy, { code, repeatable, askedWait: outcome.askedWait }, random);
    if (delay === undefined) return lastOf(outcome, call, policy);
    logger?.debug({ target, call: words, code, attempt, delay }, "asking again");
    if (kind !== undefined) askingAgain(target, kind);
    await clock.sleep(delay);
  }
}

async function tryOnce<Reply>(call: Call<Reply>, attempt: number): Promise<Outcome<Reply>> {
  let askedWait: number | undefined;
  try {
    const raw = await call.send(attempt);
    askedWait = (call.askedWait ?? retryAfter)(raw);
    const reply = await call.understand(raw);
    const error = call.failureIn?.(reply);
    return error === undefined ? { reply } : { error, askedWait, instead: { reply } };
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    return { error, askedWait };
  }
}

function lastOf<Reply>(failure: Failure<Reply>, { repeatable, target, words, peer }: Call<Reply>, { certain }: RetryPolicy): Reply {
  const { error, instead } = failure;
  if (instead !== undefined) return instead.reply;
  if (repeatable || certain.includes(error.code)) throw error;
  throw new PlumblineError("reply-lost", `the reply to a write (${words}) was lost: ${error.message}`, {
    where: { target },
    next: `Run again: ${peer} is looked at before anything is repeated.`,
    cause: error,
  });
}

/** Milliseconds of `Retry-After` in seconds; a date is left to our own patience. */
function retryAfter(reply: HttpReply): number | undefined {
  const value = headerOf(reply, "retry-after");
  return value !== undefined && /^\d+$/.test(value) ? Number(value) * 1000 : undefined;
}
