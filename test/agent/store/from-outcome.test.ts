import { describe, expect, it } from "vitest";
import { passEnd } from "../../../src/agent/store/from-outcome.js";
import { PlumblineError } from "../../../src/core/errors.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../../src/desired/model.js";
import { SourceMap } from "../../../src/desired/source-map.js";
import type { Applied, Drift, TargetOutcome } from "../../../src/outcome/outcome.js";
import type { Plan } from "../../../src/plan/model.js";
import { addressPath, T0 } from "./passes.js";

const path = parsePath(addressPath("web")).child("ip-netmask");
const wanted = (text: string) => new DesiredNode("ip-netmask", undefined, text, [], { origin: -1, prunes: true, declared: true });
const change = { kind: "differs", path, before: new TreeNode("ip-netmask", undefined, "10.0.0.1"), after: wanted("10.0.0.2") } as const;
const drift: Drift = { items: [{ change, attribution: { admin: "alice", time: "2026/11/20 07:59:00" } }], findings: [], pending: [] };
const applied: Applied = { operations: 1, requests: 1, commit: "committed", job: "7", lines: ["ok"], proven: true };

function planOf(more: Partial<Plan> = {}): Plan {
  const operations: Plan["operations"] = [
    { operation: { action: "edit", at: path, element: change.after }, phase: "update", changes: [0] },
  ];
  const nothing = { findings: [], meaning: [], refusals: [], commitAfter: [0], foreign: [], leftOut: [], owns: [] };
  const facts = { commitOnly: false, deletionsUnknown: false };
  return {
    format: 1,
    target: "edge",
    digest: "d1",
    effect: "e1",
    remaining: [],
    changes: [change],
    operations,
    batches: [operations],
    ...nothing,
    ...facts,
    ...more,
  };
}

function endOf(outcome: Partial<TargetOutcome>, only?: string) {
  return passEnd({ target: "edge", kind: "panos", warnings: [], ...outcome }, { ended: T0, durations: {}, only });
}

describe("the stored outcome", () => {
  const failed = (severity: "error" | "refused" | "partial") => new PlumblineError("unexpected", "no answer", { severity });
  it.each([
    ["in-sync", { drift: { ...drift, items: [] } }],
    ["pending", { drift }],
    ["pending", { plan: planOf() }],
    ["refused", { plan: planOf({ refusals: [{ guard: "deletes", message: "too many", path: undefined, allow: undefined }] }) }],
    ["applied", { plan: planOf(), applied }],
    ["in-sync", { plan: planOf({ operations: [], changes: [] }), applied: { ...applied, operations: 0, commit: "nothing" as const } }],
    ["failed", { error: failed("error") }],
    ["refused", { error: failed("refused") }],
    ["partial", { error: failed("partial") }],
  ])("is %s", (word, outcome) => {
    expect(endOf(outcome).outcome).toBe(word);
  });

  it("keeps with a plan what it lets through, for the page, and no more than it has room for", () => {
    const nothing = {
      rules: 3,
      exact: true,
      rows: [],
      edits: [],
      dependsOn: [],
      idle: [],
      notes: [],
      undecided: [],
      doubts: [],
      beside: [],
    };
    const scopes = (count: number) => Array.from({ length: count }, (_, at) => ({ ...nothing, scope: `vsys${at}` }));
    const kept = (count: number): readonly string[] =>
      JSON.parse(endOf({ plan: planOf(), insight: { scopes: scopes(count) } }).plan?.json ?? "{}").reachable;
    expect(kept(1)).toEqual(["", "What becomes reachable  vsys0  0 openings · 0 closings · exact"]);
    expect(kept(70)).toHaveLength(101);
    expect(kept(70).at(-1)).toBe("and 40 more lines: plumbline plan has them all");
    expect(JSON.parse(endOf({ plan: planOf() }).plan?.json ?? "{}")).not.toHaveProperty("reachable");
  });

  it("includes the effects of a commit that was rolled back", () => {
    const watch = { decision: "taken back", commit: "c0ffee", reason: "9 records", counts: [], samples: [], left: [] } as const;
    const error = new PlumblineError("commit-taken-back", "The commit was rolled back: 9 records");
    const end = endOf({ plan: planOf(), watch, error });
    expect(end).toMatchObject({
      outcome: "failed",
      operations: [{ action: "edit", path: path.toString() }],
      job: { job: undefined, result: "taken back", lines: ["committed, then: 9 records"] },
    });
    const left = [{ xpath: "/config/a", why: "it was changed since" }];
    expect(endOf({ watch: { ...watch, decision: "stands", left }, error })).toMatchObject({
      operations: [],
      job: { result: "stands", lines: ["committed, then: 9 records", "stays: /config/a (it was changed since)"] },
    });
    expect(endOf({ plan: planOf(), error }).operations).toEqual([]);
  });

  it("contains drift with its author and both values", () => {
    expect(endOf({ drift }).drift).toEqual({
      only: undefined,
      items: [
        {
          path: path.toString(),
          change: "differs",
          author: "alice",
          authorTime: "2026/11/20 07:59:00",
          view: {
            kind: "differs",
            xpath: path.toString(),
            before: "<ip-netmask>10.0.0.1</ip-netmask>",
            after: "<ip-netmask>10.0.0.2</ip-netmask>",
          },
        },
      ],
    });
  });

  it("contains the line that the drift contradicts", () => {
    const sources = new SourceMap();
    const origin = sources.add("objects.yaml", "a: 1\nweb: 10.0.0.2\n") + 5;
    const after = new DesiredNode("ip-netmask", undefined, "10.0.0.2", [], { origin, prunes: true, declared: true });
    const items = [{ change: { ...change, after }, attribution: undefined }];
    const [item] = endOf({ drift: { ...drift, items }, sources }).drift?.items ?? [];
    expect(item?.view).toMatchObject({ source: { file: "objects.yaml", line: 2 } });
  });

  it("contains no drift for verified work, within the compared part", () => {
    expect(endOf({ plan: planOf(), applied }, "/config/shared").drift).toEqual({ items: [], only: "/config/shared" });
    expect(endOf({ plan: planOf(), applied: { ...applied, proven: false } }).drift).toBeUndefined();
    expect(endOf({ error: failed("error") }).drift).toBeUndefined();
  });

  it("contains the state of assertions for the running configuration, the worst first", () => {
    const judged = {
      description: undefined,
      verdict: "deny",
      scope: "vsys1",
      before: "holds",
      isByChange: true,
      why: [],
      accepted: undefined,
      strict: false,
    } as const;
    const assertions = [
      { ...judged, name: "a", state: "holds", where: {} },
      { ...judged, name: "b", state: "unknown", where: {}, accepted: "known since May" },
      { ...judged, name: "c", state: "broken", where: { file: "expect.yaml", line: 7 }, why: ["w".repeat(2000)] },
    ] as const;
    const { asserted } = endOf({ drift, assertions });
    expect(asserted).toMatchObject({
      holding: 1,
      more: 0,
      others: [
        { name: "c", state: "broken", isSettled: false, source: { file: "expect.yaml", line: 7 } },
        { name: "b", state: "unknown", isSettled: true, source: undefined },
      ],
    });
    expect(asserted?.others[0]?.words).toMatch(/^broken by a manual change.*…$/);
    expect(asserted?.others[0]?.words).toHaveLength(600);
    const many = Array.from({ length: 25 }, (_, at) => ({ ...assertions[2], name: `n${at}` }));
    expect(endOf({ drift, assertions: many }).asserted).toMatchObject({ holding: 0, more: 5 });
    expect(endOf({ drift }).asserted).toBeNull();
    // A pass of the plan, or of a part only, does not report the state of assertions.
    expect(endOf({ plan: planOf(), assertions }).asserted).toBeUndefined();
    expect(endOf({ drift, assertions }, "/config/shared").asserted).toBeUndefined();
  });

  it("contains the acknowledged operations, the job and the plan", () => {
    const end = endOf({ plan: planOf(), applied });
    expect(end.operations).toEqual([{ action: "edit", path: path.toString(), phase: "update", acknowledged: T0 }]);
    expect(end.job).toEqual({ job: "7", result: "committed", lines: ["ok"] });
    expect(end.plan).toMatchObject({ digest: "d1", changes: { differs: 1 }, operations: 1, refusals: 0, commitOnly: false });
    expect(JSON.parse(end.plan?.json ?? "")).toMatchObject({ digest: "d1", operations: [{ action: "edit" }] });
    expect(endOf({ plan: planOf() }).operations).toEqual([]);
  });

  it("contains only the counts of an oversized plan", () => {
    const long = { ...change, after: wanted("x".repeat(5_000_000)) };
    const end = endOf({ plan: planOf({ changes: [long] }) });
    expect(end.plan).toMatchObject({ json: undefined, changes: { differs: 1 } });
  });
});
