import { expect, it } from "vitest";
import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { type InsightSource, insightOf } from "../../../src/engine/insight/insight.js";
import type { PolicyRole } from "../../../src/engine/policies.js";

const RULES = Path.root.child("config").child("rules");
const tree = new TreeNode("config");
const source = {
  plan: { operations: [] },
  changed: [RULES],
  live: { subtrees: [RULES], candidate: tree },
  desired: { root: tree, sources: { locate: () => undefined } },
} as unknown as InsightSource;
const flows = (): never => {
  throw new Error("nothing is asked");
};
const role: PolicyRole = {
  concerns: () => true,
  subtrees: () => [RULES],
  borrowed: [],
  scopeAt: () => undefined,
  load: async () => ({ rulebases: () => [] }),
  loadWords: async () => ({ flows }),
};

it("is nothing for a kind without rules, and for a plan that changes nothing which rules match by", async () => {
  expect(await insightOf(undefined, source, "forward")).toBeUndefined();
  expect(await insightOf({ ...role, concerns: () => false }, source, "forward")).toBeUndefined();
});

it("says what it does not know, and stops nothing: neither what cannot be read nor a mistake in a rule is thrown", async () => {
  const broken: PolicyRole = { ...role, load: () => Promise.reject(new Error("no rule was understood")) };
  expect(await insightOf(broken, source, "forward")).toEqual({ scopes: [], failure: "no rule was understood" });
  const read = () => Promise.reject(new Error("we may not read that"));
  const more = { ...role, subtrees: () => [Path.root.child("config").child("objects")] };
  expect(await insightOf(more, { ...source, target: { read } } as unknown as InsightSource, "back")).toMatchObject({
    failure: "we may not read that",
  });
});
