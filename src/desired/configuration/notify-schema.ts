import { SECRET_SCHEMES } from "../template.js";

const text = { type: "string", minLength: 1 } as const;
const reference = { type: "string", pattern: `^\\$\\{(?:${SECRET_SCHEMES.join("|")}):.+\\}$` } as const;
const names = { type: "array", items: text, minItems: 1, uniqueItems: true } as const;

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
  targets: { ...names, description: "Only these targets, and what concerns all. Default: all." },
  plaintext: { type: "boolean", description: "What lets us in may go there unencrypted. Default: false, except to this machine." },
  on: { type: "array", items: { enum: TOPICS }, minItems: 1, uniqueItems: true, description: "Only these changes. Default: all." },
} as const;

const webhook = {
  type: "object",
  required: ["kind", "url"],
  additionalProperties: false,
  dependencies: { overUrl: ["body"], headers: ["body"] },
  properties: {
    kind: { const: "webhook" },
    url: {
      type: "string",
      pattern: `^(?:https?://|\\$\\{(?:${SECRET_SCHEMES.join("|")}):)`,
      description: "An address, or a reference to one.",
    },
    secret: {
      ...reference,
      description: "A reference to the key that deliveries are signed with; with body:, to what {secret} stands for.",
    },
    body: {
      type: "object",
      description: "What is posted instead of our own JSON, one change a delivery; {title} and its like in texts are filled in.",
    },
    overUrl: { type: "string", pattern: "^https?://", description: "With body: where it is posted once it is over. Default: url." },
    headers: { type: "object", additionalProperties: text, description: "With body: headers beside ours." },
    ...common,
  },
} as const;

const slack = {
  type: "object",
  required: ["kind", "url"],
  additionalProperties: false,
  properties: {
    kind: { const: "slack" },
    url: { ...reference, description: "A reference to the incoming webhook's address: who knows it may post." },
    ...common,
  },
} as const;

const email = {
  type: "object",
  required: ["kind", "server", "from", "to"],
  additionalProperties: false,
  properties: {
    kind: { const: "email" },
    server: { type: "string", pattern: "^smtps?://[^@/]+$", description: "smtps://HOST:465, or smtp://HOST:587 with STARTTLS." },
    username: text,
    password: { ...reference, description: "A reference to the mailbox's password." },
    from: text,
    to: names,
    ...common,
  },
} as const;

const commitStatus = {
  type: "object",
  required: ["kind", "host", "repository", "token"],
  additionalProperties: false,
  properties: {
    kind: { const: "commit-status" },
    host: { enum: ["github", "gitlab", "gitea"] },
    api: { type: "string", pattern: "^https?://", description: "Base of the API. Default: that of the public service." },
    repository: { ...text, description: "OWNER/NAME; on GitLab also a number." },
    token: { ...reference, description: "A reference to a token that may set commit statuses." },
    targets: common.targets,
    plaintext: common.plaintext,
  },
} as const;

/** JSON Schema of `agent.notify` in `plumbline.yaml`. */
export const notifySchema = {
  type: "object",
  description: "Who is told when something changes, by names of your own.",
  additionalProperties: false,
  patternProperties: {
    "^[A-Za-z0-9][A-Za-z0-9._-]*$": {
      type: "object",
      required: ["kind"],
      discriminator: { propertyName: "kind" },
      oneOf: [webhook, slack, email, commitStatus],
    },
  },
} as const;
