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
    allow: { ...text, description: "Start of the window as a cron expression: minute hour day month weekday." },
    deny: { ...text, description: "Start of a time without writes, as a cron expression." },
    for: duration("Duration, such as 8h."),
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
      description: "Source of the commits. Default: the repository of this file.",
      properties: {
        url: { ...text, description: "A git URL (https, ssh) or the path of a repository, without a password." },
        branch: { ...text, description: "Branch to follow. Default: the default branch of the repository." },
        tag: { ...text, description: "Tag to follow instead of a branch." },
        path: { ...text, description: "Path of plumbline.yaml in the repository." },
        username: { ...text, description: "User name for https. Default: plumbline." },
        password: { ...reference, description: "A reference to a password or token for https." },
        plaintext: { type: "boolean", description: "Allow sending the password to an http:// address of any machine. Default: false." },
        interval: duration("Time between checks for new commits, without jitter. Default: 120s."),
        loadTime: duration("Maximum load time of a commit. A slower commit is refused. Default: 2m."),
        visitLoadTime: duration(
          "Maximum processor time to read plumbline.yaml or the documents of one target. The agent waits for it at each visit. Default: 10s.",
        ),
        loadMemory: {
          type: "integer",
          minimum: 64,
          description: "Maximum memory in MiB to load a commit. A larger commit is refused. Default: 2048.",
        },
        allowRewind: {
          type: "boolean",
          description: "Accept a commit that does not descend from the active commit. Default: false.",
        },
        ancestor: {
          type: "string",
          pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$",
          description: "Full id of a commit. Only this commit and its descendants are accepted.",
        },
        signatures: {
          type: "object",
          additionalProperties: false,
          required: ["require"],
          description: "Accept only commits with a trusted signature.",
          properties: {
            require: { enum: ["ssh", "gpg", "any"], description: "Accepted kind of signature." },
            allowedSigners: { ...text, description: "Allowed-signers file of ssh-keygen." },
            keyring: { ...text, description: "GnuPG folder. Every key in this folder is trusted." },
          },
        },
      },
    },
    driftInterval: duration("Time between comparisons of a target with its running configuration. Default: 15m."),
    lease: duration("For agents with a shared store: other agents take over the targets of an agent after this silence. Default: 30s."),
    skipPasses: { type: "integer", minimum: 0, description: "Maximum number of consecutive skipped passes without changes. Default: 24." },
    concurrency: {
      type: "integer",
      minimum: 1,
      maximum: 64,
      description: "Targets processed in parallel. Default: a fifth of the targets, at least 8 and at most 32.",
    },
    healLimit: { type: "integer", minimum: 1, description: "Maximum number of reverts of the same drift in an hour. Default: 3." },
    attempts: { type: "integer", minimum: 1, description: "Attempts to apply a commit to a target. Default: 5." },
    retention: duration("Retention time of the history. Default: 400d."),
    traffic: {
      type: "object",
      additionalProperties: false,
      required: ["keep"],
      description: "Store the logged sessions of firewalls for `plan --replay`. They contain addresses of users. Default: off.",
      properties: {
        keep: duration("Retention time, such as 7d. Older sessions are deleted."),
        interval: duration("Time between reads of a log. Default: 15m."),
        rows: {
          type: "integer",
          minimum: 1,
          description: "Maximum number of flows per firewall and hour. Rare flows are dropped first. Default: 200000.",
        },
        targets: { ...names, description: "Only these targets. Default: all." },
      },
    },
    http: {
      type: "object",
      description: "Address of the page, the API and the metrics.",
      additionalProperties: false,
      properties: {
        port: { type: "integer", minimum: 0, maximum: 65_535, description: "Port of the page. Default: 9464." },
        host: { ...text, description: "Address to listen on. Default: 127.0.0.1." },
        names: {
          ...names,
          items: { ...text, pattern: HOST_NAME_PATTERN },
          description: "Host names of the page and the metrics, in addition to addresses and localhost. Include the name of a proxy.",
        },
        trustProxy: {
          ...names,
          items: { ...text, pattern: "^[0-9A-Fa-f.:]+(?:/[0-9]{1,3})?$" },
          description: "Addresses and networks of trusted proxies. Their X-Forwarded-For names the client.",
        },
      },
    },
    webhook: {
      type: "object",
      description: "Deliveries of a code host that start a fetch immediately.",
      additionalProperties: false,
      required: ["secret"],
      properties: { secret: { ...reference, description: "A reference to the secret with which the code host signs." } },
    },
    page: pageSchema,
    windows: { type: "array", items: window, description: "Times when targets may be written." },
    notify: notifySchema,
    rollout: rolloutSchema("Targets", "a commit", ", in addition to targets that name each other as peers"),
  },
} as const;
