import type { FromSchema } from "json-schema-to-ts";
import { REASONS } from "../outcome/in-sync.js";
import { firewalls, levels, pushed } from "./schema-firewalls.js";
import { flow } from "./schema-flows.js";
import { count, integer, list, namesOf, object, positive, text } from "./schema-parts.js";

const where = object({ file: text, line: integer, column: integer, xpath: text, target: text }, []);
const attribution = object({ admin: text, time: text, request: text }, ["admin"]);
const location = object({ file: text, line: positive, column: positive });
const exit = { type: "integer", enum: [0, 1, 2, 3, 4] } as const;

const change = {
  type: "object",
  description: "One difference. Trees are XML text, secrets are labels.",
  properties: {
    kind: { enum: ["missing", "extra", "differs", "order", "renamed", "unmanaged"] },
    xpath: text,
    before: { oneOf: [text, list(text)] },
    after: { oneOf: [text, list(text)] },
    moved: list(text),
    from: text,
    to: text,
    follows: { ...text, description: "The rule that a new rule of a rulebase follows. Empty: it is the first." },
    reason: { enum: ["closed", "ledger", "excluded"] },
    source: location,
    attribution,
  },
  required: ["kind", "xpath"],
  additionalProperties: false,
} as const;

const finding = object({ kind: text, xpath: text, message: text, refuses: { type: "boolean" }, source: location }, [
  "kind",
  "xpath",
  "message",
  "refuses",
]);

const error = object(
  {
    code: text,
    message: text,
    severity: { enum: ["error", "refused", "partial"] },
    where: object({ file: text, line: integer, column: integer, xpath: text, target: text }, []),
    next: text,
  },
  ["code", "message", "severity", "where"],
);

const operation = object(
  {
    phase: { enum: ["rename", "create", "update", "move", "delete"] },
    action: { enum: ["set", "edit", "delete", "move", "rename"] },
    xpath: text,
    element: text,
    where: { enum: ["top", "bottom", "before", "after"] },
    dst: text,
    newname: text,
  },
  ["phase", "action", "xpath"],
);

const pending = object({ owner: text, xpath: text, action: text });

const refusal = object({ guard: text, message: text, xpath: text, source: location, stops: { const: "subtree" }, allow: text }, [
  "guard",
  "message",
]);

const planFields = {
  digest: { type: "string", pattern: "^[0-9a-f]{64}$" },
  changes: list(change),
  findings: list(finding),
  meaning: list(object({ xpath: text, message: text })),
  refusals: list(refusal),
  leftOut: list(text),
  operations: list(operation),
  requests: count,
  commitOnly: { type: "boolean" },
  deletionsUnknown: { type: "boolean" },
  foreign: list(pending),
} as const;

const wave = object({ canary: { type: "boolean", description: "Later firewalls wait until this one has it." }, serials: list(text) });

const others = object({ goes: { enum: ["along", "left out"] }, work: list(text) });

const observed = { ...list(change), description: "Differences at paths that `modes:` keeps this plan from writing." };

const plan = object(
  { ...planFields, observed, reaches: list(text), alreadyHave: list(text), waves: list(wave), others },
  namesOf(planFields),
);

const deciding = object({
  verdict: text,
  rules: list(object({ name: text, where: object({ file: text, line: integer, column: integer, xpath: text }, []) })),
  more: count,
});

const judgedFirewalls = {
  ...list(object({ serial: text, hostname: text, vsys: text }, ["serial"])),
  description: "Of a manager: all firewalls of which this is so.",
} as const;

const judgedFlows = {
  cause: text,
  was: deciding,
  now: deciding,
  reaches: object({ was: text, now: text }, []),
  conditions: list(text),
  flows: list(flow),
  more: count,
  except: text,
} as const;
const edit = object({ subject: text, where, changes: list(object({ kind: text, items: list(text) })) });

const { sets: _, steps: __, conditions: ___, ...flowNames } = flow.properties;
const summaryRow = {
  ...object(
    {
      change: { enum: ["opened", "closed", "redirected"] },
      flow: object({ ...flowNames, conditions: flow.properties.conditions }, namesOf(flowNames)),
      addresses: object({ source: text, destination: text }),
      parts: count,
      conditions: list(text),
      conditionsDiffer: { const: true, description: "Each flow has only some of the conditions. The rows pair them." },
      was: deciding,
      now: deciding,
      reaches: object({ was: text, now: text }, []),
      example: object(
        {
          from: text,
          to: text,
          source: text,
          destination: text,
          service: text,
          sourcePort: integer,
          application: text,
          user: text,
        },
        ["source", "destination", "service"],
      ),
    },
    ["change", "flow", "addresses", "parts", "conditions", "was", "now", "example"],
  ),
  description: "Smallest product of sets that contains all flows of an edit and a direction. With 1 part, it contains no other flows.",
} as const;
const ofJudgedFlows = ["cause", "was", "now", "conditions", "flows", "more"] as const;

const insight = object(
  {
    scopes: list(
      object(
        {
          scope: text,
          firewalls: judgedFirewalls,
          rules: count,
          exact: { type: "boolean" },
          rows: list(object({ change: { enum: ["opened", "closed"] }, ...judgedFlows }, ["change", ...ofJudgedFlows])),
          redirected: {
            ...list(object(judgedFlows, [...ofJudgedFlows, "reaches"])),
            description: "Flows that are allowed before and after, with another destination. Omitted if empty.",
          },
          edits: list(object({ edit, rows: list(summaryRow) })),
          dependsOn: { ...list(object({ kind: text, names: list(text) })), description: "Unknowns that rows depend on." },
          idle: list(
            object({
              kind: { enum: ["shadowed", "matches-nothing", "undecided"] },
              isNew: { type: "boolean" },
              rule: text,
              where,
              by: list(object({ name: text, where })),
            }),
          ),
          notes: list(text),
          undecided: list(text),
          doubts: list(text),
          beside: list(text),
        },
        ["scope", "rules", "exact", "rows", "edits", "dependsOn", "idle", "notes", "undecided", "doubts", "beside"],
      ),
    ),
    failure: text,
  },
  ["scopes"],
);

const sessions = count;

const traffic = object(
  {
    since: text,
    backTo: text,
    source: object(
      {
        from: { enum: ["device", "store"] },
        because: text,
        boxes: list(object({ box: text, until: text })),
        gaps: list(object({ from: text, to: text, why: { enum: ["log", "clock"] } })),
        cut: object({ from: text, to: text, flows: sessions, sessions }),
        failure: text,
      },
      ["from"],
    ),
    notJudged: sessions,
    scopes: list(
      object({
        scope: text,
        sessions,
        opened: sessions,
        closed: sessions,
        mayChange: sessions,
        disagree: sessions,
        older: sessions,
        rows: list(
          object({
            change: { enum: ["opened", "closed", "may change"] },
            from: text,
            to: text,
            sources: list(text),
            moreSources: count,
            destination: text,
            service: text,
            application: text,
            sessions,
            bytes: count,
            last: text,
            was: deciding,
            now: deciding,
          }),
        ),
        more: count,
        disagreements: list(object({ logged: text, model: list(text), sessions, example: text })),
        rulesThatLog: count,
        rules: count,
      }),
    ),
    failure: text,
  },
  ["since", "notJudged", "scopes"],
);

const state = { enum: ["holds", "broken", "unknown", "empty"] } as const;

const assertion = object(
  {
    name: text,
    description: text,
    verdict: { enum: ["allow", "deny"] },
    scope: text,
    firewalls: judgedFirewalls,
    others: { type: "integer", minimum: 1, description: "Firewalls of the group that differ." },
    where,
    state: {
      ...state,
      description: "State with the rules after the change; for drift, with the running rules. unknown: unknown values decide.",
    },
    before: state,
    isByChange: { type: "boolean", description: "The plan or the drift broke it." },
    why: list(text),
    accepted: text,
    strict: { type: "boolean" },
    witness: object({ rule: object({ name: text, where }), flow, condition: text, admin: text, time: text }, ["rule", "flow", "condition"]),
    selected: object({ count: positive, places: list(where), admin: text, time: text }, ["count", "places"]),
  },
  ["name", "scope", "where", "state", "before", "isByChange", "why", "strict"],
);

const applied = object(
  {
    operations: count,
    requests: count,
    commit: { enum: ["committed", "nothing", "none"] },
    job: text,
    lines: list(text),
    proven: { type: "boolean" },
  },
  ["operations", "requests", "commit", "lines", "proven"],
);

const audit = object({
  networkService: text,
  controller: text,
  networks: count,
  subnets: count,
  outside: count,
  findings: list(
    object(
      {
        kind: { enum: ["only-in-network-service", "only-in-controller", "differs", "re-keyed", "lookup-row"] },
        what: { enum: ["network", "subnet"] },
        network: text,
        subnet: text,
        id: text,
        field: text,
        networkService: text,
        controller: text,
      },
      ["kind", "what", "network", "id"],
    ),
  ),
});

const watch = object(
  {
    decision: { enum: ["confirmed", "taken back", "stands"] },
    commit: text,
    reason: text,
    counts: list(object({ type: text, query: text, found: count, threshold: count, before: count }, ["type", "found", "threshold"])),
    samples: list(text),
    left: list(object({ xpath: text, why: text })),
  },
  ["decision", "counts", "samples", "left"],
);

const verdict = object({ hash: text, image: text, verdict: text, standing: { enum: ["good", "open", "bad", "unavailable"] }, why: text }, [
  "verdict",
  "standing",
]);

const target = object(
  {
    target: text,
    kind: text,
    mode: { enum: ["observe", "propose", "enforce"] },
    exitCode: exit,
    inSync: { type: "boolean", description: "Everything declared was read and compared, is equal, and reached the device." },
    notInSync: {
      ...list(object({ reason: { enum: REASONS }, message: text, xpath: text }, ["reason", "message"])),
      description: "Why the target is not in sync, apart from the differences that plan and drift list.",
    },
    narrowed: { type: "string", description: "XPath of --path: nothing else was compared." },
    identity: object({ serial: text, model: text, version: text, hostname: text, role: text }, ["role"]),
    warnings: list(text),
    error,
    plan,
    drift: object({ items: list(change), findings: list(finding), refusals: list(refusal), pending: list(pending) }, [
      "items",
      "findings",
      "pending",
    ]),
    unmanaged: object({ count: count, entries: list(text) }, ["count"]),
    insight,
    traffic,
    assertions: list(assertion),
    audit,
    applied,
    watch,
    levels,
    firewalls,
    pushed: list(pushed),
    verdicts: list(verdict),
  },
  ["target", "kind", "exitCode", "inSync", "warnings"],
);

/** JSON Schema of the output of `--format json`, committed as `schemas/report.schema.json`. */
export const reportSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Plumbline report",
  ...object(
    {
      format: { const: 1 },
      command: { enum: ["plan", "drift", "reconcile", "apply", "audit"] },
      exitCode: exit,
      targetsOmitted: { type: "integer", minimum: 0, description: "Number of targets that --target excluded." },
      targets: list(target),
    },
    ["format", "command", "exitCode", "targets"],
  ),
};

type Json<Value> = Value extends readonly (infer Item)[]
  ? readonly Json<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Json<Value[Key]> | (Record<never, never> extends Pick<Value, Key> ? undefined : never) }
    : Value;

/** The report, as the schema describes it. Printing omits undefined fields. */
export type Report = Json<FromSchema<typeof reportSchema>>;
