import type { SecretValue } from "../../../core/secret.js";
import type { Sender } from "../channel.js";
import { facts } from "../format-notice.js";
import { type Notice, noticesIn } from "../notice.js";
import { postNotification } from "../post.js";

const MOST = 10;

const SIGNS: Readonly<Record<Notice["topic"], string>> = {
  drift: ":warning:",
  "in-sync": ":white_check_mark:",
  assertion: ":pushpin:",
  refused: ":no_entry:",
  failed: ":x:",
  recovered: ":white_check_mark:",
  held: ":hourglass:",
  released: ":white_check_mark:",
  "heal-guard": ":rotating_light:",
  ignore: ":alarm_clock:",
  away: ":electric_plug:",
  paused: ":double_vertical_bar:",
  resumed: ":arrow_forward:",
  source: ":no_entry:",
  rollout: ":no_entry:",
  store: ":x:",
};

/** Sends messages to Slack and to services with a Slack-compatible webhook: Mattermost, Rocket.Chat, Zulip, Discord (`/slack`). */
export function slackSender(open: () => Promise<SecretValue>): Sender {
  return async (news, { signal }) => {
    const notices = noticesIn(news);
    const more = notices.length > MOST ? [`…and ${notices.length - MOST} more: \`plumbline history\``] : [];
    const text = [...notices.slice(0, MOST).map(block), ...more].join("\n\n");
    await postNotification((await open()).reveal(), JSON.stringify({ text, unfurl_links: false, unfurl_media: false }), {}, signal);
  };
}

function block(notice: Notice): string {
  const { topic, title, lines, since, by, look, at } = notice;
  const usual = topic === "source" && lines.length === 0;
  const sign = usual ? ":white_check_mark:" : SIGNS[topic];
  const paragraphs = [...lines, ...facts(since, by, at)].map((line) => `> ${inert(line)}`);
  return [`${sign} *${inert(title)}*`, ...paragraphs, `\`${inert(look)}\``].join("\n");
}

/** XPath with at least one entry. */
const XPATH = /((?:\/[\w.:-]+)+\[@[\w-]+='[^'\n]*'\](?:\/[\w.:-]+|\[@[\w-]+='[^'\n]*'\])*)/;

/**
 * Escapes external names and messages, so that they cannot mention people, add links or change the layout. An XPath becomes code, without
 * invisible characters, so that users can paste it.
 * @internal Exported for its test.
 */
export function inert(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("`", "'");
  return escaped
    .split(XPATH)
    .map((part, at) => (at % 2 === 1 ? `\`${part}\`` : withoutMarkup(part)))
    .join("");
}

function withoutMarkup(text: string): string {
  return text
    .replaceAll("@", "@\u200b")
    .replaceAll("://", ":\u200b//")
    .replaceAll(/([*_~])/g, "$1\u200b");
}
