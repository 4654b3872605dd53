import { LEVEL_NAMES, LEVEL_STATES } from "../outcome/levels.js";

const text = { type: "string" } as const;
const list = (items: object) => ({ type: "array", items });
const object = (properties: Record<string, object>, required: readonly string[] = Object.keys(properties)) => ({
  type: "object",
  properties,
  required: [...required],
  additionalProperties: false,
});

const where = object({ file: text, line: { type: "integer" }, column: { type: "integer" }, xpath: text, target: text }, []);
const attribution = object({ admin: text, time: text, request: text }, ["admin"]);
const location = object({ file: text, line: { type: "integer", minimum: 1 }, column: { type: "integer", minimum: 1 } });
const exit = { type: "integer", enum: [0, 1, 2, 3, 4] };

const change = {
  type: "object",
  description: "One difference. Trees are XML text, secrets are labels.",
  properties: {
    kind: { enum: ["missing", "extra", "differs", "order", "renamed"] },
    xpath: text,
    before: { oneOf: [text, list(text)] },
    after: { oneOf: [text, list(text)] },
    moved: list(text),
    from: text,
    to: text,
    reason: { enum: ["closed", "ledger", "excluded"] },
    source: location,
    attribution,
  },
  required: ["kind", "xpath"],
  additionalProperties: false,
};

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
    where: object({ file: text, line: { type: "integer" }, column: { type: "integer" }, xpath: text, target: text }, []),
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

const planFields = {
  digest: { type: "string", pattern: "^[0-9a-f]{64}$" },
  changes: list(change),
  findings: list(finding),
  meaning: list(object({ xpath: text, message: text })),
  refusals: list(
    object({ guard: text, message: text, xpath: text, source: location, stops: { const: "subtree" }, allow: text }, ["guard", "message"]),
  ),
  leftOut: list(text),
  operations: list(operation),
  requests: { type: "integer", minimum: 0 },
  commitOnly: { type: "boolean" },
  deletionsUnknown: { type: "boolean" },
  foreign: list(pending),
};

const wave = object({ canary: { type: "boolean", description: "What comes behind it waits until it has it." }, serials: list(text) });

const others = object({ goes: { enum: ["along", "left out"] }, work: list(text) });

const plan = object({ ...planFields, reaches: list(text), alreadyHave: list(text), waves: list(wave), others }, Object.keys(planFields));

const deciding = object({
  verdict: text,
  rules: list(
    object({ name: text, where: object({ file: text, line: { type: "integer" }, column: { type: "integer" }, xpath: text }, []) }),
  ),
  more: { type: "integer", minimum: 0 },
});

const flow = object({ from: text, to: text, source: text, destination: text, service: text, application: text, user: text });

const judgedFirewalls = {
  ...list(object({ serial: text, hostname: text, vsys: text }, ["serial"])),
  description: "Of a manager: all firewalls of which this is so.",
};

const judgedFlows = {
  cause: text,
  was: deciding,
  now: deciding,
  reaches: object({ was: text, now: text }, []),
  conditions: list(text),
  flows: list(flow),
  more: { type: "integer", minimum: 0 },
  except: text,
};
const ofJudgedFlows = ["cause", "was", "now", "conditions", "flows", "more"];

const insight = object(
  {
    scopes: list(
      object(
        {
          scope: text,
          firewalls: judgedFirewalls,
          rules: { type: "integer", minimum: 0 },
          exact: { type: "boolean" },
          rows: list(object({ change: { enum: ["opened", "closed"] }, ...judgedFlows }, ["change", ...ofJudgedFlows])),
          redirected: {
            ...list(object(judgedFlows, [...ofJudgedFlows, "reaches"])),
            description: "Flows that pass before and after, and come to another place; left out where there are none.",
          },
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
        ["scope", "rules", "exact", "rows", "idle", "notes", "undecided", "doubts", "beside"],
      ),
    ),
    failure: text,
  },
  ["scopes"],
);

const sessions = { type: "integer", minimum: 0 };

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
            moreSources: { type: "integer", minimum: 0 },
            destination: text,
            service: text,
            application: text,
            sessions,
            bytes: { type: "integer", minimum: 0 },
            last: text,
            was: deciding,
            now: deciding,
          }),
        ),
        more: { type: "integer", minimum: 0 },
        disagreements: list(object({ logged: text, model: list(text), sessions, example: text })),
        rulesThatLog: { type: "integer", minimum: 0 },
        rules: { type: "integer", minimum: 0 },
      }),
    ),
    failure: text,
  },
  ["since", "notJudged", "scopes"],
);

const state = { enum: ["holds", "broken", "unknown", "empty"] };

const assertion = object(
  {
    name: text,
    description: text,
    verdict: { enum: ["allow", "deny"] },
    scope: text,
    firewalls: judgedFirewalls,
    others: { type: "integer", minimum: 1, description: "Firewalls of the group of which it is not so." },
    where,
    state: { ...state, description: "By the rules after the change; of drift by those in force. unknown: only what is not known decides." },
    before: state,
    isByChange: { type: "boolean", description: "The plan, or whoever made the drift, turned something against it." },
    why: list(text),
    accepted: text,
    strict: { type: "boolean" },
    witness: object({ rule: object({ name: text, where }), flow, condition: text, admin: text, time: text }, ["rule", "flow", "condition"]),
    selected: object({ count: { type: "integer", minimum: 1 }, places: list(where), admin: text, time: text }, ["count", "places"]),
  },
  ["name", "scope", "where", "state", "before", "isByChange", "why", "strict"],
);

const applied = object(
  {
    operations: { type: "integer", minimum: 0 },
    requests: { type: "integer", minimum: 0 },
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
  networks: { type: "integer", minimum: 0 },
  subnets: { type: "integer", minimum: 0 },
  outside: { type: "integer", minimum: 0 },
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

const whole = { type: "integer", minimum: 0 };

const watch = object(
  {
    decision: { enum: ["confirmed", "taken back", "stands"] },
    commit: text,
    reason: text,
    counts: list(object({ type: text, query: text, found: whole, threshold: whole, before: whole }, ["type", "found", "threshold"])),
    samples: list(text),
    left: list(object({ xpath: text, why: text })),
  },
  ["decision", "counts", "samples", "left"],
);

const levels = list(
  object({
    level: { type: "integer", minimum: 1, maximum: 5 },
    name: { enum: [...LEVEL_NAMES] },
    state: { enum: [...LEVEL_STATES] },
    words: text,
  }),
);

const firewalls = object(
  {
    watched: { type: "boolean", description: "firewalls: watch or verify: the target is in sync when they are." },
    rows: list(
      object(
        {
          serial: text,
          hostname: text,
          vsys: text,
          by: text,
          state: { enum: ["in sync", "out of sync", "unknown"] },
          connected: { type: "boolean" },
          away: object({ since: text, tooLong: { type: "boolean", description: "For longer than offline: lets it." } }, ["tooLong"]),
          ha: object({ state: text, peer: text }),
          version: text,
          bears: text,
          lastPush: object({ result: text, at: text }, ["result"]),
          lacksOnlyOf: {
            ...list(text),
            description:
              "Administrators: all that it lacks is their work, which our pushes leave out. None: it has all, whatever its manager calls it.",
          },
          handed: object(
            {
              state: { enum: ["equal", "differs", "unknown"], description: "What the firewall says it has, held against its manager." },
              differences: list(
                object({ what: { enum: ["missing", "extra", "differs", "out of place"] }, xpath: text, wanted: text, found: text }, [
                  "what",
                  "xpath",
                ]),
              ),
              more: whole,
              why: text,
            },
            ["state", "differences", "more"],
          ),
        },
        ["serial", "by", "state", "connected"],
      ),
    ),
    inTheWay: list(
      object(
        { serial: text, hostname: text, kind: { enum: ["name", "lock", "override", "uncommitted", "unknown"] }, xpath: text, words: text },
        ["serial", "kind", "xpath", "words"],
      ),
    ),
    failure: text,
  },
  ["watched", "rows"],
);

const pushed = object({
  serial: text,
  wave: { type: "integer", minimum: 1 },
  job: text,
  result: { enum: ["ok", "failed", "not connected", "missing", "unknown", "not pushed"] },
  since: { type: "string", description: "When it came to this, by our clock." },
  isBack: { type: "boolean", description: "It had what was taken back: the result is of the push that brings the former state." },
  lines: list(text),
});

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
    identity: object({ serial: text, model: text, version: text, hostname: text, role: text }, ["role"]),
    warnings: list(text),
    error,
    plan,
    drift: object({ items: list(change), findings: list(finding), pending: list(pending) }),
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
  ["target", "kind", "exitCode", "warnings"],
);

/** JSON Schema of what `--format json` prints; committed as `schemas/report.schema.json`. */
export const reportSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Plumbline report",
  ...object({
    format: { const: 1 },
    command: { enum: ["plan", "drift", "reconcile", "apply", "audit"] },
    exitCode: exit,
    targets: list(target),
  }),
};
