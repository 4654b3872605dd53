import type { channelSchema, TOPICS } from "./notify-schema.js";
import type { TextOf } from "./text-of.js";

export type Topic = (typeof TOPICS)[number];

/** A channel of `agent.notify`, as written in the file. Secrets are unresolved references: only the agent needs them. */
export type ChannelSettings = TextOf<typeof channelSchema>;

export type WebhookSettings = Extract<ChannelSettings, { kind: "webhook" }>;

export type EmailSettings = Extract<ChannelSettings, { kind: "email" }>;

/** Channels by name. */
export type NotifySettings = Readonly<Record<string, ChannelSettings>>;
