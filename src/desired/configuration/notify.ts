import type { TOPICS } from "./notify-schema.js";

export type Topic = (typeof TOPICS)[number];

interface Common {
  /** All where undefined. */
  readonly targets?: readonly string[];
  /** All where undefined. */
  readonly on?: readonly Topic[];
  /** What lets us in may go there unencrypted. */
  readonly plaintext?: boolean;
}

export interface WebhookSettings extends Common {
  readonly kind: "webhook";
  readonly url: string;
  readonly secret?: string;
  /** In the shape of whoever gets it; `{…}` in its texts is filled in. */
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

/** A channel of `agent.notify`, as the file writes it. Secrets are references, not resolved: only the agent needs them. */
export type ChannelSettings = WebhookSettings | SlackSettings | EmailSettings | CommitStatusSettings;

/** Channels by name. */
export type NotifySettings = Readonly<Record<string, ChannelSettings>>;
