import { PAGE_ROLES } from "../../desired/configuration/page-schema.js";
import { historyKinds } from "../../outcome/history.js";
import { LEVEL_NAMES, LEVEL_STATES } from "../../outcome/levels.js";
import { PUSH_STEPS } from "../../outcome/push-course.js";
import { STATES } from "./fleet-row.js";

export type Schema = Readonly<Record<string, unknown>>;

const text = { type: "string" } as const;
const number = { type: "number" } as const;
const flag = { type: "boolean" } as const;
const texts = { type: "array", items: text } as const;
const time = { type: "number", description: "Seconds since 1970 UTC. 0 if unknown." } as const;
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const list = (items: Schema): Schema => ({ type: "array", items });
const words = (all: readonly string[]): Schema => ({ type: "string", enum: all });

/** An object with these fields only. A name that ends with `?` is optional. */
function object(fields: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(fields);
  return {
    type: "object",
    required: names.filter((name) => !name.endsWith("?")),
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ""), fields[name]])),
    additionalProperties: false,
  };
}

const place = object({ file: text, line: number, "column?": number });
const commit = object({ id: text, author: text, at: time, message: text });
const error = object({ code: text, message: text, "next?": text });
const side = { anyOf: [text, texts] };
const packedRow = {
  type: "array",
  description: "name, kind, mode, labels, number of the state, drifts, pending, since, who, checked, note",
  items: { type: ["string", "number"] },
  minItems: 11,
  maxItems: 11,
} as const;

const drift = object({
  kind: words(["missing", "extra", "differs", "order", "renamed", "unmanaged"]),
  xpath: text,
  "before?": side,
  "after?": side,
  "moved?": texts,
  "follows?": text,
  "from?": text,
  "to?": text,
  "reason?": words(["closed", "ledger", "excluded"]),
  "source?": place,
  "attribution?": { type: "object" },
  "author?": text,
  "authorTime?": text,
  "firstSeen?": time,
});

const rollout = object({ commit: text, wave: number, of: number, isStopped: flag, failed: texts, open: texts, left: number });
const pause = object({ target: text, reason: text, by: text, since: time, until: time });

const meta = object({
  version: text,
  commit: text,
  "head?": commit,
  source: text,
  "folder?": text,
  pauses: list(pause),
  "rollout?": rollout,
  alarms: texts,
  hasAudit: flag,
});

/** Part of the JSON report (`schemas/report.schema.json`), which describes it completely. */
const plan = {
  type: "object",
  required: ["digest", "changes", "refusals", "operations"],
  properties: { digest: text, changes: list({ type: "object" }), refusals: list({ type: "object" }), operations: list({ type: "object" }) },
} as const;

const push = object({
  run: text,
  by: text,
  began: text,
  waves: number,
  firewalls: list(object({ serial: text, "hostname?": text, wave: number, step: words(PUSH_STEPS), since: text, job: text })),
  isBack: flag,
  "ended?": text,
});

const assertions = object({
  holding: number,
  others: list(
    object({ name: text, state: words(["holds", "broken", "unknown", "empty"]), isSettled: flag, words: text, "source?": place }),
  ),
  more: number,
  judged: time,
  commit: text,
});

const target = object({
  row: packedRow,
  drift: list(ref("Drift")),
  "driftCommit?": text,
  "plan?": object({ planned: time, digest: text, "json?": plan, "commit?": text, "waitsForApproval?": flag, "flags?": texts }),
  "pass?": object({ at: time, outcome: text, summary: text, commit: text, "error?": error }),
  "commit?": commit,
  "assertions?": assertions,
  "levels?": object({
    seen: time,
    all: list(object({ level: number, name: words(LEVEL_NAMES), state: words(LEVEL_STATES), words: text })),
  }),
  "push?": push,
  "ends?": object({ first: list(object({ text: text, until: text, isOver: flag })), count: number }),
  "hold?": object({ reason: text, attempts: number, nextTry: time }),
  warnings: texts,
  may: list(words(PAGE_ROLES)),
  seenBy: text,
});

const historyRow = object({
  id: number,
  kind: words(historyKinds),
  at: time,
  ended: time,
  target: text,
  path: text,
  author: text,
  outcome: text,
  summary: text,
  "commit?": commit,
});

const finding = object({
  kind: words(["only-in-network-service", "only-in-controller", "differs", "re-keyed", "lookup-row"]),
  what: words(["network", "subnet"]),
  network: text,
  "subnet?": text,
  id: text,
  "field?": text,
  "networkService?": text,
  "controller?": text,
});

const audit = object({
  networkService: text,
  controller: text,
  networks: number,
  subnets: number,
  outside: number,
  findings: list(finding),
});

const accessAnswer = {
  target: text,
  request: object({ from: text, fromZone: text, to: text, toZone: text, service: text, application: text }),
  scope: text,
  state: words(["allowed", "conditional", "designed", "refused"]),
  now: texts,
  designs: list(object({ summary: text, isPartial: flag, excess: texts, notes: texts })),
  reasons: texts,
  notes: texts,
};

const access = object({
  ...accessAnswer,
  commit: text,
  hops: { ...list(object(accessAnswer)), description: "Targets on the path of the flow. Empty for a named target." },
  chosen: { ...number, description: "Number of the design in files, from 1. 0 without a design." },
  files: list(object({ file: text, lines: { ...texts, description: "Changed lines, as in a unified diff" } })),
  faults: texts,
  warnings: texts,
  digest: { ...text, description: "Value of digest for /api/propose. Empty if there is no edit." },
  canPropose: flag,
  "proposed?": object({ branch: text, url: text, isNew: flag }),
});

/** Schemas of all replies by name. */
export const REPLIES: Readonly<Record<string, Schema>> = {
  Targets: object({
    now: time,
    targets: list(
      object({
        name: text,
        kind: text,
        mode: words(["observe", "propose", "enforce"]),
        labels: { ...texts, description: "KEY=VALUE, and group=NAME for each group" },
        state: words(STATES),
        paused: flag,
        drifts: number,
        pending: number,
        since: time,
        who: text,
        checked: time,
        note: text,
        "noAnswer?": object({
          since: time,
          visits: { ...number, description: "Consecutive visits without an answer" },
          nextTry: { ...time, description: "Seconds since 1970 UTC. 0 while a visit is running." },
        }),
      }),
    ),
  }),
  Fleet: object({ now: time, meta, rows: list(packedRow) }),
  Target: target,
  Drift: drift,
  History: object({ rows: list(historyRow), next: { ...text, description: "Value of cursor for the next page. Empty on the last page." } }),
  Access: access,
  AccessTargets: object({ targets: texts, paths: { ...flag, description: "Whether requests with all are permitted." } }),
  Audit: object({ at: time, results: list(object({ target: text, "audit?": audit, "error?": error })) }),
  Session: object({
    name: text,
    csrf: text,
    canSignIn: flag,
    takes: object({ token: flag, name: flag }),
    provider: text,
    askAgain: flag,
    may: list(words(PAGE_ROLES)),
    seesNothing: flag,
  }),
  Done: object({ done: { ...text, description: "What was done, for the user." } }),
  Error: object({ error }),
};

const named = { ...text, description: "Name of a target." } as const;
const digest = { ...text, description: "Digest of the newest plan." } as const;
const request = {
  target: named,
  all: { ...flag, description: "Instead of target: the targets on the path of the flow." },
  from: { ...text, description: "Address, network, object, group or zone." },
  to: { ...text, description: "Address, network, object, group or zone." },
  service: { ...text, description: "tcp/5432, or a name." },
  application: { ...text, description: "Application or application group. Default: any, which firewalls refuse." },
  reason: { ...text, description: "For the description of the rule." },
  until: { ...text, description: "End date for the description of the rule (yyyy-mm-dd)." },
  fromZone: { ...text, description: "Zone of the source, if routes do not determine it." },
  toZone: { ...text, description: "Zone of the destination, if routes do not determine it." },
  choose: { ...text, description: "Number of the design to use. Default: 1." },
  acceptExcess: { ...flag, description: "Allow a design that opens more than the request." },
} as const;
const orAll = { target: named, all: { ...flag, description: "Instead of target: every target." } } as const;

/** Fields of the body of each POST request. A body with another type of field is refused. */
export const REQUESTS: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  "/api/login": { token: text, name: { ...text, description: "Only with the shared token." } },
  "/api/logout": {},
  "/api/access": request,
  "/api/propose": { ...request, digest: { ...text, description: "Digest of the answer." } },
  "/api/pause": { ...orAll, reason: text, for: { ...text, description: "Duration, for example 2h. Omit it for an indefinite pause." } },
  "/api/resume": orAll,
  "/api/plan": { target: named },
  "/api/reconcile": { target: named },
  "/api/approve": { target: named, digest },
  "/api/allow": { target: named, digest, flags: { ...texts, description: "Values of --allow, as in the target's plan." } },
};

/** Returns why a body does not match the schema of its request. Undefined if it does. A field with null counts as omitted: the page sends it. */
export function bodyFault(path: string, body: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, schema] of Object.entries(REQUESTS[path] ?? {})) {
    const value = body[name];
    const fits = schema.type === "array" ? isTexts(value) : typeof value === schema.type;
    if (value !== undefined && value !== null && !fits) return `${name} must be ${TYPES[String(schema.type)] ?? "omitted"}.`;
  }
  return undefined;
}

const TYPES: Readonly<Record<string, string>> = { array: "a list of texts", boolean: "true or false", string: "a text" };

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
