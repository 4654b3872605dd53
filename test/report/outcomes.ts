import { SecretValue } from "../../src/core/secret.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { Path } from "../../src/core/tree/path.js";
import { DesiredNode } from "../../src/desired/model.js";
import { SourceMap } from "../../src/desired/source-map.js";
import type { TargetOutcome } from "../../src/outcome/outcome.js";
import type { Change } from "../../src/plan/diff/change.js";
import type { Plan } from "../../src/plan/model.js";
import { panosShape } from "../../src/targets/panos/shape.js";

export const vsys = Path.root.child("config").child("devices").entry("localhost.localdomain").child("vsys").entry("vsys1");
export const rules = vsys.child("rulebase").child("security").child("rules");

const sources = new SourceMap();
const base = sources.add("edge/rules.yaml", "one\ntwo\nthree: 3\n");

/** A declared node at line 3 of `edge/rules.yaml`. */
export function desired(tag: string, name: string | undefined, text: string, children: readonly DesiredNode[] = []): DesiredNode {
  return new DesiredNode(tag, name, text, children, { origin: base + 8, prunes: true, declared: true });
}

const members = (tag: string, ...texts: string[]) =>
  desired(
    tag,
    undefined,
    "",
    texts.map((text) => desired("member", undefined, text)),
  );

const liveMembers = (tag: string, ...texts: string[]) =>
  new TreeNode(
    tag,
    undefined,
    "",
    texts.map((text) => new TreeNode("member", undefined, text)),
  );

function secretLeaf(tag: string, value: string): DesiredNode {
  const node = desired(tag, undefined, "${env:PSK}");
  node.handling = { secret: new SecretValue(value, "${env:PSK}") };
  return node;
}

/** One of each kind of change, including a secret. */
export const changes: readonly Change[] = [
  {
    kind: "missing",
    path: vsys.child("address").entry("web-03"),
    after: desired("entry", "web-03", "", [desired("ip-netmask", undefined, "10.0.0.3")]),
  },
  {
    kind: "extra",
    path: vsys.child("address").entry("old"),
    before: new TreeNode("entry", "old", "", [new TreeNode("fqdn", undefined, "old.example.net")]),
    reason: "ledger",
  },
  {
    kind: "differs",
    path: rules.entry("web").child("source-user"),
    before: liveMembers("source-user", "alice", "bob"),
    after: members("source-user", "alice", "carol"),
  },
  {
    kind: "differs",
    path: rules.entry("web").child("action"),
    before: new TreeNode("action", undefined, "deny"),
    after: desired("action", undefined, "allow"),
  },
  { kind: "order", path: rules, before: ["a", "b", "web"], after: ["web", "a", "b"], moved: ["web"] },
  { kind: "missing", path: vsys.child("x").entry("gw").child("key"), after: secretLeaf("key", "hunter2") },
];

export function planOf(over: Partial<Plan> = {}): Plan {
  return {
    format: 1,
    target: "edge",
    digest: "a".repeat(64),
    effect: "e".repeat(64),
    remaining: [],
    changes,
    findings: [],
    meaning: [],
    refusals: [],
    leftOut: [],
    operations: [{ operation: { action: "delete", at: vsys.child("address").entry("old") }, phase: "delete", changes: [1] }],
    batches: [],
    commitAfter: [],
    commitOnly: false,
    foreign: [],
    deletionsUnknown: false,
    owns: [],
    ...over,
  };
}

export function outcome(over: Partial<TargetOutcome> = {}): TargetOutcome {
  return {
    target: "edge",
    kind: "panos",
    identity: { serial: "0123", model: "PA-VM", version: "11.1.2", hostname: "edge", role: "standalone" },
    sources,
    shape: panosShape(),
    warnings: [],
    ...over,
  };
}
