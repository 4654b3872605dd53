import { request } from "undici";
import { withDeadline } from "./deadline.js";

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for the complete exchange. */
  readonly timeout: number;
  readonly stop?: AbortSignal;
}

/**
 * Posts JSON once to an address that is not a target. Ignores the body of the reply and does not follow redirects. Returns the status.
 * Rejects with the undici error or the reason of the abort.
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
