import { createHash, createHmac } from "node:crypto";
import type { SecretValue } from "../../../core/secret.js";
import type { Sender } from "../channel.js";
import { noticesIn } from "../notice.js";
import { postNotification } from "../post.js";

export interface Webhook {
  readonly url: SecretValue;
  readonly key: SecretValue | undefined;
}

/**
 * Posts JSON to an address (docs/notifications.md). The signature is the HMAC-SHA-256 of the time, a dot and the body, so that the receiver
 * can reject forged and old deliveries.
 */
export function webhookSender(open: () => Promise<Webhook>, now: () => number): Sender {
  return async (news, { id, signal }) => {
    const { url, key } = await open();
    const delivery = createHash("sha256").update(id).digest("hex").slice(0, 32);
    const body = JSON.stringify({ version: 1, id: delivery, notices: noticesIn(news).map(wireNotice) });
    const time = String(Math.floor(now() / 1000));
    const headers = { "x-plumbline-delivery": delivery, "x-plumbline-timestamp": time };
    const signature = key === undefined ? {} : { "x-plumbline-signature": signatureOf(key, time, body) };
    await postNotification(url.reveal(), body, { ...headers, ...signature }, signal);
  };
}

function signatureOf(key: SecretValue, time: string, body: string): string {
  return `sha256=${createHmac("sha256", key.reveal()).update(`${time}.${body}`).digest("hex")}`;
}

/** Converts times to ISO 8601 and unknown facts to null. */
function wireNotice({ topic, target, title, lines, since, by, commit, look, at }: ReturnType<typeof noticesIn>[number]): object {
  const iso = (time: number | undefined): string | null => (time === undefined ? null : new Date(time).toISOString());
  return { topic, target: target ?? null, title, lines, since: iso(since), by: by ?? null, commit: commit ?? null, look, at: iso(at) };
}
