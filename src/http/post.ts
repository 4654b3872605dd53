import { request } from "undici";
import { withDeadline } from "./deadline.js";

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for all of it. */
  readonly timeout: number;
  readonly stop?: AbortSignal;
}

/**
 * Posts JSON once, to an address that is no target, and passes over what the reply holds. Redirects are not followed.
 * Resolves to the status; rejects with undici's own error, or with why it was stopped.
 */
export function postJson(url: string, body: string, { headers, timeout, stop }: PostOptions): Promise<number> {
  return withDeadline(timeout, async (deadline) => {
    const { statusCode, body: rest } = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "plumbline", ...headers },
      body,
      signal: stop === undefined ? deadline : AbortSignal.any([stop, deadline]),
    });
    await rest.dump();
    return statusCode;
  });
}
