import { describe, expect, it } from "vitest";
import type { Designs } from "../../../../src/access/design.js";
import type { DesignPlace } from "../../../../src/access/designer.js";
import { type Edit, withEdits } from "../../../../src/access/edit.js";
import { designsForFlow } from "../../../../src/access/flow-designer.js";
import type { TreeNode } from "../../../../src/core/tree/node.js";
import { contrailDesigner } from "../../../../src/targets/contrail/access/designer.js";
import { seedOf } from "../../../seed.js";
import { randomOf } from "../../panos/policy/random.js";
import { decide, type Packet, type RawFabric } from "../policy/brute.js";
import { singleEntries, singleRules, withoutRule } from "./exhaustive.js";
import { isWanted, optionsOf, packetsFor, randomFabric, randomWanted, rawOf, treeOfWorld, type Wanted } from "./worlds.js";

/** Worlds of each kind: `PLUMBLINE_ACCESS_WORLDS` sets more. */
const WORLDS = Number(process.env.PLUMBLINE_ACCESS_WORLDS ?? 25);
const TIMEOUT = 1_200_000;

function designed(raw: RawFabric, tree: TreeNode, wanted: Wanted): Designs {
  const options = optionsOf(raw);
  const request = contrailDesigner.request(tree, wanted, options);
  const place: DesignPlace = { scope: "controller", tree, declared: tree };
  return designsForFlow({ designer: contrailDesigner, place, request, options }, "CHG-1");
}

const verdicts = (raw: RawFabric, packets: readonly Packet[], doRoutesLead: boolean) =>
  packets.map((packet) => decide(raw, packet, doRoutesLead).verdict === "allow");

interface Asked {
  readonly packets: readonly Packet[];
  readonly asked: readonly boolean[];
  /** Verdicts without and with leading routes. */
  readonly before: readonly (readonly boolean[])[];
}

const LEADS = [false, true];

/** Whether a controller allows all packets of a request, and treats all others as before. */
function isExactly({ packets, asked, before }: Asked, after: RawFabric): boolean {
  return LEADS.every((leads, way) =>
    packets.every((packet, at) => {
      const isAllowed = decide(after, packet, leads).verdict === "allow";
      return isAllowed === (asked[at] === true || before[way]?.[at] === true);
    }),
  );
}

/** Names of the rules without which each packet has the same verdict. */
function idleRules(raw: RawFabric, packets: readonly Packet[]): ReadonlySet<string> {
  const all = verdicts(raw, packets, true);
  const names = raw.policies.flatMap(({ fq_name, network_policy_entries }, at) =>
    network_policy_entries.policy_rule.map(
      (rule, index) => [`${fq_name.join(":")} ${JSON.stringify(rule)}`, withoutRule(raw, at, index)] as const,
    ),
  );
  return new Set(
    names
      .filter(([, without]) => packets.every((packet, at) => (decide(without, packet, true).verdict === "allow") === all[at]))
      .map(([name]) => name),
  );
}

describe("random requests in random controllers", () => {
  it.each([1, 2, 3])(
    "open exactly the requested flows, or are refused for a true reason: %i rules",
    (rules) => {
      const random = randomOf(seedOf(rules));
      const counts = new Map<string, number>();
      const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
      const wrong: unknown[] = [];
      for (let world = 0; world < WORLDS && wrong.length === 0; world++) {
        const raw = randomFabric(random, rules);
        const tree = treeOfWorld(raw);
        const wanted = randomWanted(random);
        const found = designed(raw, tree, wanted);
        const [design] = found.designs;
        const isExact = design !== undefined && design.proof.excess.length === 0;
        count(found.state === "denied" && isExact ? design.kind : found.state);
        const packets = packetsFor(wanted);
        const asked = packets.map((packet) => isWanted(wanted, packet));
        const failed = (why: string, more: unknown) =>
          wrong.push({ world, why, wanted, more, summary: design?.summary, raw: JSON.stringify(raw) });
        for (const leads of [true, false]) {
          const before = verdicts(raw, packets, leads);
          const isOpen = before.every((is, at) => is || !asked[at]);
          if (found.state === "allowed" && !isOpen) failed("said to be allowed", undefined);
          if (found.state === "denied" && isOpen && !leads) failed("said to be denied", undefined);
          if (!isExact) continue;
          const after = verdicts(rawOf(withEdits(tree, design.edits), raw), packets, leads);
          const changed = packets.find((_, at) => (asked[at] ? after[at] !== true : after[at] !== before[at]));
          if (changed !== undefined) failed("another flow changed, or one is still denied", changed);
        }
      }
      expect(wrong).toEqual([]);
      expect(counts.get("rule") ?? 0).toBeGreaterThan(WORLDS / 5);
    },
    TIMEOUT,
  );
});

describe("the smallest edit", () => {
  it(
    "is found whenever one entry of a rule or one new rule suffices",
    () => {
      const random = randomOf(seedOf(77));
      const counts = new Map<string, number>();
      const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
      const missed: unknown[] = [];
      for (let world = 0; world < WORLDS; world++) {
        const raw = randomFabric(random, 2);
        const tree = treeOfWorld(raw);
        const wanted = randomWanted(random);
        const found = designed(raw, tree, wanted);
        if (found.state !== "denied") continue;
        const [design] = found.designs.filter(({ proof }) => proof.excess.length === 0);
        const size = design === undefined ? "none" : design.kind === "member" ? "member" : newRulesIn(design.edits);
        count(String(size));
        if (size === "member") continue;
        const packets = packetsFor(wanted);
        const asked = packets.map((packet) => isWanted(wanted, packet));
        const before = LEADS.map((leads) => verdicts(raw, packets, leads));
        const idle = idleRules(raw, packets);
        for (const [what, other] of [...singleEntries(raw, wanted), ...(size === 1 ? [] : singleRules(raw, wanted))]) {
          if (!isExactly({ packets, asked, before }, other)) continue;
          if ([...idleRules(other, packets)].some((name) => !idle.has(name))) continue;
          missed.push({ world, wanted, what, found: design?.summary, reasons: found.reasons, raw: JSON.stringify(raw) });
          break;
        }
      }
      expect(missed).toEqual([]);
      expect(counts.get("1") ?? 0).toBeGreaterThan(0);
    },
    TIMEOUT,
  );
});

/** The number of rules that edits add. */
function newRulesIn(edits: readonly Edit[]): number {
  const entries = edits.flatMap((edit) => (edit.kind === "entry" ? [edit.entry] : []));
  const policies = entries.flatMap(({ children }) => children.filter(({ tag }) => tag === "network_policy_entries"));
  const inside = policies.flatMap(({ children }) => children.flatMap((list) => list.children)).length;
  return inside + entries.filter(({ children }) => children.some(({ tag }) => tag === "action_list")).length;
}
