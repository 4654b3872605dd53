import { PlumblineError } from "../../core/errors.js";
import { postJson } from "../../http/post.js";

const TIMEOUT = 10_000;

/**
 * Posts JSON. Redirects are not followed. @throws PlumblineError `notification-not-sent`. It names only the host, because an address may be
 * secret.
 */
export async function postNotification(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const place = URL.canParse(url) ? new URL(url).origin : "an invalid address";
  let status: number;
  try {
    status = await postJson(url, body, { headers, timeout: TIMEOUT, stop: signal });
  } catch (cause) {
    throw notSent(`${place} does not take it (${String((cause as { code?: unknown }).code ?? (cause as Error).name)})`);
  }
  if (status < 200 || status > 299) throw notSent(`${place} answers ${status}`);
}

export function notSent(why: string): PlumblineError {
  return new PlumblineError("notification-not-sent", `A notification was not sent: ${why}.`, {
    next: "Plumbline retries with growing intervals. Check the channel in agent.notify and the network.",
  });
}
