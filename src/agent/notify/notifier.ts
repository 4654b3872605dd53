import { PlumblineError } from "../../core/errors.js";
import { expectEncrypted } from "../../core/plaintext-http.js";
import { SecretValue } from "../../core/secret.js";
import type { ChannelSettings, NotifySettings } from "../../desired/configuration/notify.js";
import type { SecretReader } from "../../desired/secrets.js";
import { isSecretReference, parseTemplate } from "../../desired/template.js";
import type { ApiDependencies } from "../../pull-request/api.js";
import { openHost } from "../../pull-request/open-host.js";
import { hostSettings } from "../../pull-request/settings.js";
import type { AgentClock } from "../clock.js";
import type { AgentEvent } from "../events.js";
import type { Notifications } from "../store/store.js";
import { Channel, type Sender } from "./channel.js";
import { CommitFate } from "./commit-news.js";
import type { NoticeState } from "./notice.js";
import { noticeStates } from "./notice-states.js";
import { commitStatusSender } from "./senders/commit-status.js";
import { emailSender } from "./senders/email.js";
import { shapedSender } from "./senders/shaped.js";
import { slackSender } from "./senders/slack.js";
import { webhookSender } from "./senders/webhook.js";

/** Maximum number of changes per message. */
const BATCH = 100;
const PATIENCE = 5_000;

export interface NotifierOptions {
  /** `agent.notify` of the active commit. */
  readonly settings: () => NotifySettings;
  /** Returns a new reader for each delivery, so that changed secrets are read again. */
  readonly secrets: () => SecretReader;
  readonly memory: Notifications;
  readonly clock: AgentClock;
  /** Called after each attempt. The error is undefined on success. */
  readonly onDelivery: (channel: string, error: unknown) => void;
}

/**
 * Notifies people of changes. Deliveries do not block passes. An unreachable channel is retried in the background and then receives the
 * current state.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #fate = new CommitFate();
  readonly #channels = new Map<
    string,
    { readonly written: string; readonly audience: NoticeState["audience"]; readonly channel: Channel }
  >();
  readonly #closing: Promise<void>[] = [];

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  listen(event: AgentEvent): void {
    if (event.type === "commit-in-force") this.#open();
    const news = [...noticeStates(event), ...this.#fate.see(event)];
    for (const { channel, audience } of this.#channels.values())
      for (const noticeState of news) if (noticeState.audience === audience) channel.offer(noticeState);
  }

  /** Opens the configured channels, before the first commit. */
  start(): void {
    this.#open();
  }

  async close(): Promise<void> {
    for (const { channel } of this.#channels.values()) this.#closing.push(channel.close(PATIENCE));
    await Promise.all(this.#closing);
  }

  #open(): void {
    const settings = this.#options.settings();
    for (const [name, { written, channel }] of this.#channels) {
      if (JSON.stringify(settings[name]) === written) continue;
      this.#closing.push(channel.close(PATIENCE));
      this.#channels.delete(name);
    }
    for (const [name, channel] of Object.entries(settings)) {
      if (this.#channels.has(name)) continue;
      const audience = channel.kind === "commit-status" ? "commit" : "people";
      this.#channels.set(name, { written: JSON.stringify(channel), audience, channel: this.#channelOf(name, channel) });
    }
  }

  #channelOf(name: string, settings: ChannelSettings): Channel {
    const { memory, clock, onDelivery } = this.#options;
    return new Channel({
      name,
      wants: (noticeState) => wants(settings, noticeState),
      send: this.#senderOf(settings),
      batch: settings.kind === "commit-status" || (settings.kind === "webhook" && settings.body !== undefined) ? 1 : BATCH,
      memory,
      clock,
      onDelivery: (error) => onDelivery(name, error),
    });
  }

  #senderOf(settings: ChannelSettings): Sender {
    const { clock } = this.#options;
    const read = (text: string): Promise<SecretValue> => secretOf(text, this.#options.secrets());
    switch (settings.kind) {
      case "webhook": {
        const { secret } = settings;
        const open = async () => ({ url: await addressOf(settings, read), key: secret === undefined ? undefined : await read(secret) });
        return settings.body === undefined ? webhookSender(open, () => clock.now()) : shapedSender(settings, settings.body, open);
      }
      case "slack":
        return slackSender(() => addressOf(settings, read));
      case "email":
        return emailSender(settings, async () => (settings.password === undefined ? undefined : await read(settings.password)));
      case "commit-status": {
        const { host, api, repository: repo, token, plaintext = false } = settings;
        const flags = { host, repo, plaintext, ...(api === undefined ? {} : { api }) };
        const dependencies: ApiDependencies = {
          now: () => clock.now(),
          sleep: (milliseconds) => clock.sleep(milliseconds, NEVER),
          random: () => clock.random(),
        };
        return commitStatusSender(async () =>
          openHost(hostSettings(flags, { PLUMBLINE_TOKEN: (await read(token)).reveal() }), dependencies),
        );
      }
    }
  }
}

const NEVER = new AbortController().signal;

function wants(settings: ChannelSettings, noticeState: NoticeState): boolean {
  const { target } = noticeState.audience === "commit" ? noticeState.news : noticeState.notice;
  if (target !== undefined && settings.targets?.includes(target) === false) return false;
  return (
    settings.kind === "commit-status" || noticeState.audience === "commit" || settings.on?.includes(noticeState.notice.topic) !== false
  );
}

/** An address with a secret in it grants access, so it requires TLS. */
async function addressOf(
  { url, plaintext, ...more }: { readonly url: string; readonly plaintext?: boolean; readonly body?: unknown; readonly secret?: string },
  read: (text: string) => Promise<SecretValue>,
): Promise<SecretValue> {
  const address = await read(url);
  const carriesKey = more.body !== undefined && more.secret !== undefined;
  // With a custom body, the key may be part of that body.
  if (url.includes("${") || carriesKey) expectEncrypted(address.reveal(), { isAllowed: plaintext, word: "plaintext: true at the channel" });
  return address;
}

/** Resolves the references in a text. */
async function secretOf(text: string, secrets: SecretReader): Promise<SecretValue> {
  const template = parseTemplate(text);
  if ("unclosedAt" in template) throw unreadable(text);
  const parts: string[] = [];
  for (const part of template) {
    if (typeof part === "string") parts.push(part);
    else if (isSecretReference(part)) parts.push(await secrets.read(part, {}));
    else throw unreadable(text);
  }
  return new SecretValue(parts.join(""), text);
}

function unreadable(text: string): PlumblineError {
  return new PlumblineError("unknown-reference", `The reference ${text} of agent.notify cannot be read.`, {
    next: "Write ${env:NAME}, ${file:PATH} or ${exec:COMMAND}; $${ is a literal ${.",
  });
}
