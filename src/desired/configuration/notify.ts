import type { TOPICS } from "./notify-schema.js";

export type Topic = (typeof TOPICS)[number];

interface Common {
  /** Undefined means all targets. */
  readonly targets?: readonly string[];
  /** Undefined means all topics. */
  readonly on?: readonly Topic[];
  /** Credentials may be sent unencrypted. */
  readonly plaintext?: boolean;
}

export interface WebhookSettings extends Common {
  readonly kind: "webhook";
  readonly url: string;
  readonly secret?: string;
  /** Body in the format of the recipient. `{…}` in texts is replaced. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly overUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface SlackSettings extends Common {
  readonly kind: "slack";
  readonly url: string;
}

export interface EmailSettings extends Common {
  readonly kind: "email";
  /** `smtp://host:port` or `smtps://host:port`. */
  readonly server: string;
  readonly username?: string;
  readonly password?: string;
  readonly from: string;
  readonly to: readonly string[];
}

interface CommitStatusSettings extends Pick<Common, "targets" | "plaintext"> {
  readonly kind: "commit-status";
  readonly host: "github" | "gitlab" | "gitea";
  readonly api?: string;
  readonly repository: string;
  readonly token: string;
}

/** A channel of `agent.notify`, as written in the file. Secrets are unresolved references: only the agent needs them. */
export type ChannelSettings = WebhookSettings | SlackSettings | EmailSettings | CommitStatusSettings;

/** Channels by name. */
export type NotifySettings = Readonly<Record<string, ChannelSettings>>;
