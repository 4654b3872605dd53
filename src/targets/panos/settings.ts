import type { SecretValue, TextOrSecret } from "../../core/secret.js";
import type { TlsTrust } from "../../core/tls-trust.js";
import { readRollout } from "../../desired/configuration/agent.js";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";
import { DURATION_PATTERN, parseDuration } from "../../desired/configuration/duration.js";
import type { KindSettings } from "../../desired/configuration/kind-settings.js";
import { addressOf, REQUEST_TIMEOUT_SECONDS, readCommon, readTls, type TargetContext } from "../../desired/configuration/target-context.js";
import {
  commonKeys,
  httpUrl,
  nonEmptyText,
  positive,
  rolloutSchema,
  targetSchema,
  timeout,
  tls,
} from "../../desired/configuration/target-schema.js";
import type { TextOf } from "../../desired/configuration/text-of.js";
import type { Interpretation } from "./policy/reading.js";

const INTERPRETATIONS = {
  groupMembers: {
    enum: ["from the rule", "from the group"],
    description: "Scope in which the members of a shared group are looked up. Default: from the rule.",
  },
  precedence: { enum: ["nearest", "ancestors"], description: "Object that wins if several scopes have the name. Default: nearest." },
  targeted: {
    enum: ["left out", "delivered"],
    description: "Whether a manager delivers rules for other firewalls. Default: left out.",
  },
  defaultRules: {
    enum: ["nearest", "shared"],
    description: "Default rule that applies if several scopes define it. Default: nearest.",
  },
  wildcards: { enum: ["longest prefix", "top down"], description: "Evaluation of wildcard addresses. Default: as set on the device." },
  missingIpv6: {
    enum: ["unknown", "none"],
    description: "Whether an FQDN that the device shows without IPv6 addresses may have some. Default: unknown.",
  },
  wayBackFrom: {
    enum: ["any zone", "its zones"],
    description: "Source zones of the reverse direction of a bidirectional NAT rule. Default: any zone.",
  },
  wayBackPlace: {
    enum: ["behind its rule", "behind all rules"],
    description: "Position of the reverse direction of a bidirectional NAT rule. Default: behind its rule.",
  },
} as const satisfies {
  readonly [Name in keyof Interpretation]: { readonly enum: readonly Interpretation[Name][]; readonly description: string };
};

/** References (`${env:NAME}` …) are already resolved. */
export interface Credentials {
  readonly username?: TextOrSecret | undefined;
  readonly password?: SecretValue | undefined;
  readonly apiKey?: SecretValue | undefined;
}

/** A target of this kind in `plumbline.yaml`, with defaults and the overrides from `PLUMBLINE_TARGET_<NAME>_*` applied. */
export interface PanosTargetConfiguration extends TargetConfiguration {
  readonly kind: "panos";
  readonly url: string;
  readonly peers: readonly string[];
  readonly identity: { readonly serial?: string | undefined; readonly model?: string | undefined };
  readonly credentials: Credentials;
  readonly tls: TlsTrust;
  readonly http: "auto" | "get" | "post";
  readonly keyIn: "parameter" | "header";
  readonly foreignChanges: "refuse" | "leaveOut";
  readonly blindCommit: boolean;
  readonly firewalls: "ignore" | "tell" | "watch" | "verify";
  readonly validate: "before-commit" | "with-commit";
  readonly maxRequestBytes: number | undefined;
  readonly maxBatchOperations: number | undefined;
  readonly maxPendingChanges: number | undefined;
  /** Assumptions about this device where the behavior of devices is not generally known. */
  readonly reading: Partial<Interpretation>;
  /** Timeout of one request, in seconds. */
  readonly timeout: number;
  /** The manager that pushes a part of this firewall's configuration. */
  readonly manager?: PanosTargetConfiguration | undefined;
  /** Serial number of the firewall, if its manager relays the requests to it. */
  readonly through?: string | undefined;
}

const schema = targetSchema("panos", [], {
  url: {
    ...httpUrl,
    description: "Address of the firewall: https://HOST, without /api. Without url:, a firewall with manager: is read through its manager.",
  },
  manager: { ...nonEmptyText, description: "Target that manages this firewall. `plumbline explain` shows the pushed values." },
  identity: {
    type: "object",
    additionalProperties: false,
    description: "Verified on every pass, so that no other device gets this configuration.",
    properties: {
      serial: { ...nonEmptyText, description: "Serial number of the device." },
      model: { ...nonEmptyText, description: "Model of the device, such as PA-VM." },
    },
  },
  peers: { type: "array", items: httpUrl, description: "The other address of an HA pair." },
  credentials: {
    type: "object",
    additionalProperties: false,
    description: "A user and password, or an API key. Secrets are references such as ${env:FW_PASSWORD}.",
    properties: {
      username: { ...nonEmptyText, description: "Administrator account of Plumbline." },
      password: { ...nonEmptyText, description: "A reference to the password." },
      apiKey: { ...nonEmptyText, description: "A reference to an API key, instead of user and password." },
    },
  },
  tls,
  ...commonKeys,
  http: { enum: ["auto", "get", "post"], description: "HTTP method of requests. auto sends long requests by POST. Default: auto." },
  keyIn: { enum: ["parameter", "header"], description: "Place of the API key in requests. Default: parameter." },
  foreignChanges: {
    enum: ["refuse", "leaveOut"],
    description:
      "Uncommitted changes of other administrators to declared objects: refuse the plan, or only if it writes or needs these objects. Default: refuse.",
  },
  blindCommit: {
    type: "boolean",
    description:
      "Commit even if the device shows neither its running configuration nor uncommitted changes. A commit may include the work of others. Default: false.",
  },
  firewalls: {
    enum: ["ignore", "tell", "watch", "verify"],
    description:
      "For a manager: tell reports firewalls that lack its running configuration. With watch, the target is in sync only if its firewalls are. With verify, each firewall is read, too. Default: tell.",
  },
  offline: {
    type: "string",
    pattern: DURATION_PATTERN,
    description:
      "For a manager: a firewall that is disconnected for longer, such as 3d, causes an alarm. Default: only reported as not connected.",
  },
  push: {
    type: "object",
    additionalProperties: false,
    description: "For a manager: push its running configuration to firewalls that lack it, and watch them. Default: no push.",
    properties: {
      validate: { type: "boolean", description: "Validate the push on every firewall first. Default: true." },
      arrival: { enum: ["firewall", "manager"], description: "Source of the result: each firewall or the manager. Default: firewall." },
      others: {
        enum: ["refuse", "include", "selective"],
        description:
          "Commits of others that were not pushed: refuse the push, include them, or omit them (PAN-OS 10.2 and later). Default: refuse.",
      },
      perJob: { ...positive, description: "Maximum number of firewalls in one job. Default: no limit." },
      systems: {
        enum: ["bare", "named"],
        description: "Whether a job names the virtual systems of a multi-vsys firewall, or only its serial number. Default: bare.",
      },
      timeout: { ...positive, description: "Seconds until every firewall of a push must have ended. Default: 1800." },
      rollout: rolloutSchema("Serial numbers", "a push", ""),
    },
  },
  validate: {
    enum: ["before-commit", "with-commit"],
    description: "Whether the device validates in a separate job before each commit, or as a part of the commit. Default: before-commit.",
  },
  maxRequestBytes: { ...positive, description: "Maximum bytes of a request to the device." },
  maxBatchOperations: { ...positive, description: "Maximum number of operations in a request." },
  maxPendingChanges: {
    ...positive,
    description: "Maximum number of uncommitted changes on the device. A larger plan commits in several steps.",
  },
  reading: {
    type: "object",
    additionalProperties: false,
    description: "How the device evaluates its rules, if this is not the same for all (docs/insight.md).",
    properties: INTERPRETATIONS,
  },
  timeout,
});

/** A firewall as written in `plumbline.yaml`. */
type PanosText = TextOf<typeof schema>;

/** Reads a firewall, and applies defaults and the overrides from `PLUMBLINE_TARGET_<NAME>_*`. */
async function readPanos(text: PanosText, context: TargetContext): Promise<PanosTargetConfiguration> {
  const url = addressOf(text.url, context);
  const manager = text.manager === undefined ? undefined : managerNamed(text.manager, context);
  // Without an address, the manager relays requests to the firewall.
  const relay = url === undefined ? manager : undefined;
  if (url === undefined) checkNoAddress(text, context);
  const credentials = await readCredentials(text, context);
  const ownLogIn = Object.keys(credentials).length > 0;
  return {
    kind: "panos",
    ...readCommon(text, context),
    url: url ?? relay?.url ?? "",
    manager,
    ...(relay === undefined ? {} : { through: text.identity?.serial }),
    logInOf: relay === undefined || ownLogIn ? [] : [relay.name],
    peers: text.peers ?? [],
    identity: text.identity ?? {},
    credentials: relay === undefined || ownLogIn ? credentials : relay.credentials,
    http: text.http ?? relay?.http ?? "auto",
    keyIn: text.keyIn ?? relay?.keyIn ?? "parameter",
    foreignChanges: text.foreignChanges ?? "refuse",
    blindCommit: text.blindCommit ?? false,
    ...watchedOf(text, context),
    offline: text.offline === undefined ? undefined : parseDuration(text.offline),
    validate: text.validate ?? "before-commit",
    maxRequestBytes: text.maxRequestBytes,
    maxBatchOperations: text.maxBatchOperations,
    maxPendingChanges: text.maxPendingChanges,
    reading: text.reading ?? {},
    timeout: text.timeout ?? relay?.timeout ?? REQUEST_TIMEOUT_SECONDS,
    tls: relay !== undefined && (text.tls === undefined || relay.pinnedOrigins !== undefined) ? relay.tls : readTls(text.tls, context),
  };
}

function managerNamed(name: string, { others, invalid }: TargetContext): PanosTargetConfiguration | undefined {
  const found = others.get(name) as PanosTargetConfiguration | undefined;
  if (found?.kind === "panos" && found.manager === undefined) return found;
  invalid(["manager"], `manager: ${name} is no target that manages firewalls.`, "Name a target of kind panos that has no manager: itself.");
  return undefined;
}

/** A firewall without an address is read through its manager by serial number, and is never written. */
function checkNoAddress({ manager, identity, mode, peers }: PanosText, { invalid }: TargetContext): void {
  if (manager === undefined) invalid(["url"], "url: is missing.", "Set url: of the firewall, or the manager: through which it is read.");
  else if (identity?.serial === undefined)
    invalid(["identity"], "Without url: the firewall is read through its manager, by its serial number.", "Set identity: { serial: … }.");
  if (peers !== undefined) invalid(["peers"], "peers: goes with url:.", "Declare the other member of the pair as a separate target.");
  if (mode === "enforce")
    invalid(
      ["mode"],
      "A firewall that is read through its manager is not written.",
      "Give it a url:, or declare it in the manager's documents.",
    );
}

/** Default time for the firewalls of a push to commit, in seconds. */
const PUSH_TIMEOUT = 1800;

/** A target that pushes also watches its firewalls. */
function watchedOf(
  { firewalls, push, offline }: PanosText,
  { invalid }: TargetContext,
): Pick<PanosTargetConfiguration, "firewalls" | "push"> {
  if (offline !== undefined && firewalls === "ignore")
    invalid(["offline"], "offline: is not possible with firewalls: ignore, which reads none of them.", "Leave one of them out.");
  if (push === undefined) return { firewalls: firewalls ?? "tell" };
  if (firewalls !== undefined && firewalls !== "watch" && firewalls !== "verify")
    invalid(
      ["firewalls"],
      `firewalls: ${firewalls} does not go with push:, which is done when they are in sync.`,
      "Omit it, or use watch or verify.",
    );
  const { validate = true, arrival = "firewall", others = "refuse", timeout: seconds = PUSH_TIMEOUT, rollout, perJob, systems } = push;
  if (others === "selective" && arrival === "manager")
    invalid(
      ["push", "others"],
      "others: selective is not possible with arrival: manager, which does not report firewalls that lack only the work of others.",
      "Leave one of them out.",
    );
  return {
    firewalls: firewalls ?? "watch",
    push: { validate, arrival, others, perJob, systems, timeout: seconds, rollout: readRollout(rollout) },
  };
}

/** A key from the environment replaces a user and password of the file. A password from the environment replaces a key. */
async function readCredentials(
  text: PanosText,
  { name, override, secretOverride, credentials }: TargetContext,
): Promise<PanosTargetConfiguration["credentials"]> {
  const key = secretOverride("KEY");
  if (key !== undefined) return { apiKey: key };
  const password = secretOverride("PASSWORD");
  const login = text.credentials ?? {};
  const username = override("USER") ?? (await credentials.text(name, ["credentials", "username"], login.username));
  const secret = password ?? (await credentials.secret(name, ["credentials", "password"], login.password));
  const apiKey = password === undefined ? await credentials.secret(name, ["credentials", "apiKey"], login.apiKey) : undefined;
  return {
    ...(username === undefined ? {} : { username }),
    ...(secret === undefined ? {} : { password: secret }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

/** Settings of a firewall in `plumbline.yaml`. */
export const panosSettings: KindSettings<PanosText> = {
  schema,
  refersTo: ({ manager }) => (manager === undefined ? [] : [manager]),
  read: readPanos,
};
