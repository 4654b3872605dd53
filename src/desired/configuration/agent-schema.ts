import { SECRET_SCHEMES } from "../template.js";
import { DURATION_PATTERN } from "./duration.js";
import { HOST_NAME_PATTERN } from "./host-name.js";
import { notifySchema } from "./notify-schema.js";
import { pageSchema } from "./page-schema.js";
import { rolloutSchema } from "./target-schema.js";

const text = { type: "string", minLength: 1 } as const;
const duration = (description: string) => ({ description, type: "string", pattern: DURATION_PATTERN }) as const;
const reference = { type: "string", pattern: `^\\$\\{(?:${SECRET_SCHEMES.join("|")}):.+\\}$` } as const;
const names = { type: "array", items: text, uniqueItems: true } as const;

const window = {
  type: "object",
  additionalProperties: false,
  required: ["for"],
  oneOf: [{ required: ["allow"] }, { required: ["deny"] }],
  properties: {
    allow: { ...text, description: "When it opens, as cron writes it: minute hour day month weekday." },
    deny: { ...text, description: "When a time begins in which nothing is written." },
    for: duration("How long it lasts, such as 8h."),
    timeZone: { ...text, description: "A name such as Europe/Budapest. Default: UTC." },
    targets: { ...names, description: "Only these targets. Default: all." },
  },
} as const;

/** JSON Schema of `agent:` in `plumbline.yaml`. */
export const agentSchema = {
  type: "object",
  additionalProperties: false,
  description: "How `plumbline agent` runs.",
  properties: {
    source: {
      type: "object",
      additionalProperties: false,
      description: "Where commits come from. Default: the repository that this file is in.",
      properties: {
        url: { ...text, description: "An address that git knows (https, ssh) or the path of a repository; without a password." },
        branch: { ...text, description: "Default: the branch that the repository names." },
        tag: text,
        path: { ...text, description: "Of plumbline.yaml in the repository." },
        username: { ...text, description: "For https. Default: plumbline." },
        password: { ...reference, description: "A reference to a password or token for https." },
        plaintext: { type: "boolean", description: "The password may go to an http:// address, also of another machine. Default: false." },
        interval: duration("How often to ask for new commits, jitter not counted. Default: 120s."),
        loadTime: duration("How long a commit may take to load; one that takes longer is refused. Default: 2m."),
        visitLoadTime: duration(
          "Processor time that plumbline.yaml, or what one target needs, may take to read: the agent waits for it at each visit. Default: 10s.",
        ),
        loadMemory: {
          type: "integer",
          minimum: 64,
          description: "MiB that a commit may take while it is loaded; one that takes more is refused. Default: 2048.",
        },
        allowRewind: {
          type: "boolean",
          description: "Also take a commit that does not follow the one in force. Default: false.",
        },
        ancestor: {
          type: "string",
          pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$",
          description: "A commit, by its whole id: only it and what comes after it is taken.",
        },
        signatures: {
          type: "object",
          additionalProperties: false,
          required: ["require"],
          description: "Take only commits that somebody whom we trust has signed.",
          properties: {
            require: { enum: ["ssh", "gpg", "any"] },
            allowedSigners: { ...text, description: "Allowed-signers file of ssh-keygen." },
            keyring: { ...text, description: "GnuPG folder; every key in it is trusted." },
          },
        },
      },
    },
    driftInterval: duration("How often each target is compared with what is running. Default: 15m."),
    lease: duration("Where agents share a store: after how long of silence others take over an agent's targets. Default: 30s."),
    skipPasses: { type: "integer", minimum: 0, description: "Passes that may be skipped in a row while nothing moves. Default: 24." },
    concurrency: { type: "integer", minimum: 1, maximum: 64, description: "Targets worked on at once. Default: 8." },
    healLimit: { type: "integer", minimum: 1, description: "Heals of one drift in an hour, after which it is left alone. Default: 3." },
    attempts: { type: "integer", minimum: 1, description: "Tries to apply one commit to one target. Default: 5." },
    retention: duration("How long history is kept. Default: 400d."),
    traffic: {
      type: "object",
      additionalProperties: false,
      required: ["keep"],
      description: "Keep the sessions that firewalls log, for `plan --replay`: addresses of people's machines. Default: none.",
      properties: {
        keep: duration("For how long, such as 7d; then they are deleted."),
        interval: duration("How often a log is read. Default: 15m."),
        rows: {
          type: "integer",
          minimum: 1,
          description: "Flows of one firewall, each hour's for itself; then rare ones go. Default: 200000.",
        },
        targets: { ...names, description: "Only of these targets. Default: of all." },
      },
    },
    http: {
      type: "object",
      additionalProperties: false,
      properties: {
        port: { type: "integer", minimum: 0, maximum: 65_535, description: "Default: 9464." },
        host: { ...text, description: "Default: 127.0.0.1." },
        names: {
          ...names,
          items: { ...text, pattern: HOST_NAME_PATTERN },
          description: "Names by which people reach the page and the metrics, beside addresses and localhost; that of a proxy too.",
        },
        trustProxy: {
          ...names,
          items: { ...text, pattern: "^[0-9A-Fa-f.:]+(?:/[0-9]{1,3})?$" },
          description: "Addresses and networks of proxies before the agent: who asked them is what their X-Forwarded-For says.",
        },
      },
    },
    webhook: {
      type: "object",
      additionalProperties: false,
      required: ["secret"],
      properties: { secret: { ...reference, description: "A reference to the secret that the code host signs with." } },
    },
    page: pageSchema,
    windows: { type: "array", items: window, description: "When targets may be written." },
    notify: notifySchema,
    rollout: rolloutSchema("Targets", "a commit", ", beside those that name each other as peers"),
  },
} as const;
