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
    for (const noticeState of news) {
      if (noticeState.audience !== "people") continue;
      const fields = fieldsOf(noticeState, noticeState.notice, { id, secret: key?.reveal() ?? "" });
      const address =
        noticeState.isUsual && overUrl !== undefined ? filled(overUrl, fields, noticeState, encodeURIComponent) : url.reveal();
      const lines = Object.entries(headers).map(([name, text]) => [name, filled(text, fields, noticeState)] as const);
      await postNotification(address, JSON.stringify(filledIn(body, fields, noticeState)), Object.fromEntries(lines), signal);
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
function filledIn(value: unknown, fields: Fields, noticeState: Pick<NoticeState, "isUsual">): unknown {
  if (typeof value === "string") return filled(value, fields, noticeState);
  if (Array.isArray(value)) return value.map((each) => filledIn(each, fields, noticeState));
  if (typeof value !== "object" || value === null) return value;
  const inside = (value as { readonly type?: unknown }).type === "TextBlock" ? withoutMarkdown(fields) : fields;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledIn(each, inside, noticeState)]));
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
  return text.replace(/\{open:([^:{}]*):([^:{}]*)\}|\{(\w+)\}/g, (match, open?: string, over?: string, name = "") =>
    open !== undefined ? ((isUsual ? over : open) ?? "") : Object.hasOwn(fields, name) ? write(fields[name] ?? "") : match,
  );
}
