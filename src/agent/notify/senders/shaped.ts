import { createHash } from "node:crypto";
import type { WebhookSettings } from "../../../desired/configuration/notify.js";
import type { Sender } from "../channel.js";
import type { NoticeState } from "../notice.js";
import { postNotification } from "../post.js";
import type { Webhook } from "./webhook.js";

type Fields = Readonly<Record<string, string>>;

/** Sends JSON in a custom shape, one change per delivery (docs/notifications.md#another-shape). It is not signed. */
export function shapedSender(
  { overUrl, headers = {} }: Pick<WebhookSettings, "overUrl" | "headers">,
  body: NonNullable<WebhookSettings["body"]>,
  open: () => Promise<Webhook>,
): Sender {
  return async (news, { id, signal }) => {
    const { url, key } = await open();
    for (const standing of news) {
      if (standing.audience !== "people") continue;
      const fields = fieldsOf(standing, standing.notice, { id, secret: key?.reveal() ?? "" });
      const address = standing.isUsual && overUrl !== undefined ? filled(overUrl, fields, standing, encodeURIComponent) : url.reveal();
      const lines = Object.entries(headers).map(([name, text]) => [name, filled(text, fields, standing)] as const);
      await postNotification(address, JSON.stringify(filledIn(body, fields, standing)), Object.fromEntries(lines), signal);
    }
  };
}

function fieldsOf(
  { subject }: NoticeState,
  { topic, target = "", title, lines, since, by = "", commit = "", look, at }: Extract<NoticeState, { audience: "people" }>["notice"],
  { id, secret }: { readonly id: string; readonly secret: string },
): Fields {
  const iso = (time: number | undefined): string => (time === undefined ? "" : new Date(time).toISOString());
  const short = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);
  const text = [title, ...lines].join("\n");
  const times = { since: iso(since), at: iso(at) };
  return { topic, target, title, text, by, commit, look, ...times, key: short(subject), id: short(id), secret };
}

/** Fills in each text of a JSON value. Field names do not change. */
function filledIn(value: unknown, fields: Fields, standing: Pick<NoticeState, "isUsual">): unknown {
  if (typeof value === "string") return filled(value, fields, standing);
  if (Array.isArray(value)) return value.map((each) => filledIn(each, fields, standing));
  if (typeof value !== "object" || value === null) return value;
  const inside = (value as { readonly type?: unknown }).type === "TextBlock" ? withoutMarkdown(fields) : fields;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledIn(each, inside, standing)]));
}

/** A `TextBlock` of an Adaptive Card (Microsoft Teams) renders Markdown, such as links. */
function withoutMarkdown(fields: Fields): Fields {
  const escaped = Object.entries(fields).map(([name, text]) => {
    return [name, text.replaceAll(/([\\`*_[\]])/g, "\\$1").replaceAll("://", ":\u200b//")] as const;
  });
  return Object.fromEntries(escaped);
}

/**
 * Replaces `{title}` with the field, and `{open:trigger:resolve}` with the first word while the state lasts and with the second word
 * afterwards. Other text does not change.
 */
function filled(text: string, fields: Fields, { isUsual }: Pick<NoticeState, "isUsual">, write = (field: string): string => field): string {
  return text.replace(/\{open:([^:{}]*):([^:{}]*)\}|\{(\w+)\}/g, (whole, open?: string, over?: string, name = "") =>
    open !== undefined ? ((isUsual ? over : open) ?? "") : Object.hasOwn(fields, name) ? write(fields[name] ?? "") : whole,
  );
}
