import { SECRET_SCHEMES } from "../template.js";

const text = { type: "string", minLength: 1 } as const;
const reference = { type: "string", pattern: `^\\$\\{(?:${SECRET_SCHEMES.join("|")}):.+\\}$` } as const;
const names = { type: "array", items: text, minItems: 1, uniqueItems: true } as const;

const KIND = "Kind of the receiver.";

/** Events that a channel can receive. */
export const TOPICS = [
  "drift",
  "in-sync",
  "assertion",
  "refused",
  "failed",
  "recovered",
  "held",
  "released",
  "heal-guard",
  "ignore",
  "away",
  "paused",
  "resumed",
  "source",
  "rollout",
  "store",
] as const;

const common = {
  targets: { ...names, description: "Only these targets, and events of all targets. Default: all." },
  plaintext: { type: "boolean", description: "Allow sending credentials unencrypted. Default: false, except to this machine." },
  on: { type: "array", items: { enum: TOPICS }, minItems: 1, uniqueItems: true, description: "Only these changes. Default: all." },
} as const;

const webhook = {
  type: "object",
  required: ["kind", "url"],
  additionalProperties: false,
  dependencies: { overUrl: ["body"], headers: ["body"] },
  properties: {
    kind: { const: "webhook", description: KIND },
    url: {
      type: "string",
      pattern: `^(?:https?://|\\$\\{(?:${SECRET_SCHEMES.join("|")}):)`,
      description: "An address, or a reference to one.",
    },
    secret: {
      ...reference,
      description: "A reference to the signing key of deliveries. With body:, a reference to the value of {secret}.",
    },
    body: {
      type: "object",
      description: "Body that replaces the standard JSON, one event per delivery. Placeholders such as {title} are replaced.",
    },
    overUrl: { type: "string", pattern: "^https?://", description: "With body: address for the end of an event. Default: url." },
    headers: { type: "object", additionalProperties: text, description: "With body: additional headers." },
    ...common,
  },
} as const;

const slack = {
  type: "object",
  required: ["kind", "url"],
  additionalProperties: false,
  properties: {
    kind: { const: "slack", description: KIND },
    url: { ...reference, description: "A reference to the address of the incoming webhook. Everyone who knows the address can post." },
    ...common,
  },
} as const;

const email = {
  type: "object",
  required: ["kind", "server", "from", "to"],
  additionalProperties: false,
  properties: {
    kind: { const: "email", description: KIND },
    server: { type: "string", pattern: "^smtps?://[^@/]+$", description: "smtps://HOST:465, or smtp://HOST:587 with STARTTLS." },
    username: { ...text, description: "User name of the mailbox. Without it, no login is sent." },
    password: { ...reference, description: "A reference to the mailbox's password." },
    from: { ...text, description: "Address of the sender." },
    to: { ...names, description: "Addresses of the recipients." },
    ...common,
  },
} as const;

const commitStatus = {
  type: "object",
  required: ["kind", "host", "repository", "token"],
  additionalProperties: false,
  properties: {
    kind: { const: "commit-status", description: KIND },
    host: { enum: ["github", "gitlab", "gitea"], description: "Kind of the code host." },
    api: { type: "string", pattern: "^https?://", description: "Base address of the API. Default: the public service." },
    repository: { ...text, description: "OWNER/NAME. On GitLab also a number." },
    token: { ...reference, description: "A reference to a token that may set commit statuses." },
    targets: common.targets,
    plaintext: common.plaintext,
  },
} as const;

export const channelSchema = {
  type: "object",
  required: ["kind"],
  discriminator: { propertyName: "kind" },
  oneOf: [webhook, slack, email, commitStatus],
} as const;

/** JSON Schema of `agent.notify` in `plumbline.yaml`. */
export const notifySchema = {
  type: "object",
  description: "Receivers of notifications, by a name of your choice.",
  additionalProperties: false,
  patternProperties: {
    "^[A-Za-z0-9][A-Za-z0-9._-]*$": channelSchema,
  },
} as const;
