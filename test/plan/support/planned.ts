import type { TreeNode } from "../../../src/core/tree/node.js";
import type { Path } from "../../../src/core/tree/path.js";
import type { Shape } from "../../../src/core/tree/shape.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { DesiredNode, type DesiredTarget } from "../../../src/desired/model.js";
import { SourceMap } from "../../../src/desired/source-map.js";
import { planGuards } from "../../../src/guards/registry.js";
import { makePlan } from "../../../src/plan/make-plan.js";
import type { Plan, PlanInput } from "../../../src/plan/model.js";
import { smallShape } from "./shape.js";

export function tree(xml: string): TreeNode {
  return parseXml(Buffer.from(xml));
}

/** Desired state from XML: everything below entries is closed, frames and lists are open unless marked `closed="yes"`. */
export function desired(xml: string, shape: Shape = smallShape): DesiredTarget {
  const exclusive: Path[] = [];
  return { target: "t", root: wanted(tree(xml), shape, false), exclusive, allowEmpty: [], ignores: [], sources: new SourceMap() };
}

function wanted(node: TreeNode, shape: Shape, inEntry: boolean): DesiredNode {
  const whole =
    inEntry || (node.name !== undefined && !shape.structural) || node.attributes?.get("closed") === "yes" || shape.kind === "members";
  const children = node.children.map((child) => wanted(child, shape.child(child.tag), whole && (inEntry || node.name !== undefined)));
  const frame = (shape.structural && node.name !== undefined) || shape.kind === "container" || shape.kind === "list";
  const was = node.attributes?.get("was");
  const isExclusive = node.attributes?.get("closed") === "yes";
  const facts = {
    origin: -1,
    prunes: whole,
    declared: !frame || inEntry || isExclusive,
    handling: was === undefined ? undefined : { was },
  };
  return new DesiredNode(node.tag, node.name, node.text, children, facts);
}

export const firewallCapabilities = {
  candidate: true,
  atomicBatch: true,
  move: true,
  rename: true,
  locks: true,
  changeList: true,
  partialCommit: true,
  partialRevert: true,
  validate: true,
  maxRequestBytes: 5_000_000,
  maxBatchOperations: 10_000,
  maxPendingChanges: undefined,
} as const;

export function planInput(live: TreeNode, wantedTarget: DesiredTarget, more: Partial<PlanInput> = {}): PlanInput {
  return {
    desired: wantedTarget,
    candidate: live,
    running: undefined,
    shape: smallShape,
    capabilities: firewallCapabilities,
    ledger: { state: "missing" },
    otherLedgers: new Map(),
    guards: { updates: 1, deletes: 1, from: 10, short: 1, emptyList: "allow", deletesPerDay: undefined },
    kindGuards: { management: () => undefined, meaning: () => undefined, neverPruned: () => false },
    allow: new Map([["first-contact", "1000000"]]),
    allowEmptyLive: [],
    rewriteLists: "never",
    approve: "none",
    foreignChanges: "refuse",
    pending: [],
    administrator: "plumbline",
    descends: undefined,
    deletedToday: 0,
    today: "2026-01-01",
    rotateSecrets: false,
    secretState: () => "equal",
    only: undefined,
    ...more,
  };
}

export function plan(liveXml: string, wantedXml: string, more: Partial<PlanInput> = {}): Plan {
  return makePlan(planInput(tree(liveXml), desired(wantedXml, more.shape), more), planGuards);
}
