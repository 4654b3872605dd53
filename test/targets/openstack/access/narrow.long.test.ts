import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Edit, withEdits } from "../../../../src/access/edit.js";
import { designsForFlow, revocationsForFlow } from "../../../../src/access/flow-designer.js";
import { PlumblineError } from "../../../../src/core/errors.js";
import { find } from "../../../../src/core/tree/lookup.js";
import type { TreeNode } from "../../../../src/core/tree/node.js";
import { openstackDesigner } from "../../../../src/targets/openstack/access/designer.js";
import { ROOT_PATH } from "../../../../src/targets/openstack/shape.js";
import { seedOf } from "../../../seed.js";
import { isWanted, packetsOf, passes, readCloud } from "./interpreter.js";
import { cloud, treesOf, type Wanted, wanted } from "./worlds.js";

const TIMEOUT = 1_200_000;
const WORLDS = Number(process.env.PLUMBLINE_ACCESS_WORLDS ?? 60);

interface Trees {
  readonly tree: TreeNode;
  readonly declared: TreeNode;
}

/** Undefined if the request is refused. */
function requestIn({ tree, declared }: Trees, { from, to, service }: Wanted) {
  try {
    const request = openstackDesigner.request(tree, { from, to, service }, {});
    return { designer: openstackDesigner, place: { scope: request.scope, tree, declared }, request, options: {} };
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "flow-not-understood") return undefined;
    throw error;
  }
}

function revoke(trees: Trees, request: Wanted) {
  const asked = requestIn(trees, request);
  return asked && { ...trees, ...revocationsForFlow(asked) };
}

/** The packets that an edit treats otherwise than the request asks for. */
function wrongPackets(tree: TreeNode, after: TreeNode, request: Wanted) {
  const [was, is] = [readCloud(tree), readCloud(after)];
  return packetsOf(was).filter((packet) => passes(is, packet) !== (passes(was, packet) && !isWanted(was, request, packet)));
}

/** Each declared rule of a group, and each group of a machine with another one. */
function singleRemovals(tree: TreeNode, declared: TreeNode): readonly Edit[] {
  const under = (list: string) => find(declared, ROOT_PATH.child(list))?.children ?? [];
  const rules = under("security_groups").flatMap(({ name = "" }) => {
    const list = ROOT_PATH.child("security_groups").entry(name).child("rules");
    return (find(tree, list)?.children ?? []).map((rule): Edit => ({ kind: "remove", at: list.entry(rule.name ?? "") }));
  });
  const memberships = ["servers", "ports"].flatMap((kind) =>
    under(kind).flatMap(({ name = "" }) => {
      const list = ROOT_PATH.child(kind).entry(name).child("security_groups");
      const members = find(tree, list)?.children ?? [];
      return members.length < 2 ? [] : members.map(({ text }): Edit => ({ kind: "remove-member", list, member: text }));
    }),
  );
  return [...rules, ...memberships];
}

describe("random flows of random projects", () => {
  it(
    "are closed exactly",
    () => {
      const counts = new Map<string, number>();
      const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
      fc.assert(
        fc.property(cloud, wanted, (raw, request) => {
          const found = revoke(treesOf(raw), request);
          if (found === undefined) return count("refused");
          const before = readCloud(found.tree);
          const open = packetsOf(before).filter((packet) => isWanted(before, request, packet) && passes(before, packet));
          if (found.state === "denied") {
            count("denied");
            expect(open).toEqual([]);
            return;
          }
          expect(found.state).toBe("allowed");
          const exact = found.designs.filter(({ excess }) => excess.length === 0);
          for (const { edits, steps } of exact)
            expect({ steps, wrong: wrongPackets(found.tree, withEdits(found.tree, edits), request) }).toEqual({ steps, wrong: [] });
          for (const { edits } of found.designs) {
            const after = readCloud(withEdits(found.tree, edits));
            expect(open.filter((packet) => passes(after, packet))).toEqual([]);
          }
          count(exact.length > 0 ? "exact" : found.designs.length > 0 ? "closes more" : "none");
          if (exact.length > 0 || open.length === 0) return;
          const better = singleRemovals(found.tree, found.declared).find(
            (edit) => wrongPackets(found.tree, withEdits(found.tree, [edit]), request).length === 0,
          );
          const text = better && (better.kind === "remove" ? better.at.toString() : "list" in better ? `${better.list}` : "");
          expect({ text, reasons: found.reasons }).toMatchObject({ text: undefined });
        }),
        { numRuns: WORLDS * 10, seed: seedOf(48) },
      );
      expect(counts.get("exact") ?? 0).toBeGreaterThan(0);
      expect(counts.get("closes more") ?? 0).toBeGreaterThan(0);
      if (process.env.PLUMBLINE_ACCESS_WORLDS !== undefined) console.log(Object.fromEntries(counts));
    },
    TIMEOUT,
  );

  it(
    "are closed exactly again after they were opened",
    () => {
      let closed = 0;
      fc.assert(
        fc.property(cloud, wanted, (raw, request) => {
          const trees = treesOf(raw);
          const asked = requestIn(trees, request);
          if (asked === undefined || revocationsForFlow(asked).state !== "denied") return;
          for (const { edits, proof, summary } of designsForFlow(asked, "CHG-1").designs) {
            if (proof.excess.length > 0) continue;
            const opened = { tree: withEdits(trees.tree, edits), declared: withEdits(trees.declared, edits) };
            const [design] = revoke(opened, request)?.designs ?? [];
            expect({ summary, excess: design?.excess }).toEqual({ summary, excess: [] });
            const wrong = wrongPackets(opened.tree, withEdits(opened.tree, design?.edits ?? []), request);
            expect({ summary, steps: design?.steps, wrong }).toEqual({ summary, steps: design?.steps, wrong: [] });
            closed++;
          }
        }),
        { numRuns: WORLDS * 5, seed: seedOf(49) },
      );
      expect(closed).toBeGreaterThan(WORLDS);
    },
    TIMEOUT,
  );
});
