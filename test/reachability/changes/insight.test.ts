import { expect, it } from "vitest";
import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { notWorkedOut, workHere } from "../../../src/reachability/changes/analysis.js";
import { type InsightSource, insightOf } from "../../../src/reachability/changes/insight.js";
import { ANY_FLOW, type Policy } from "../../../src/reachability/flows/policy.js";
import type { PolicyRole, Rulebase } from "../../../src/reachability/policy-role.js";

const RULES = Path.root.child("config").child("rules");
const tree = new TreeNode("config");
const source = {
  plan: { operations: [], remaining: [] },
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

it("is empty for a kind without rules, and for a plan without changed match criteria", async () => {
  expect(await insightOf(undefined, source, "forward")).toBeUndefined();
  expect(await insightOf({ ...role, concerns: () => false }, source, "forward")).toBeUndefined();
});

it("reports unknowns without stopping: unreadable parts and invalid rules do not throw", async () => {
  const broken: PolicyRole = { ...role, load: () => Promise.reject(new Error("no rule was understood")) };
  expect(await insightOf(broken, source, "forward")).toEqual({ scopes: [], failure: "no rule was understood" });
  const read = () => Promise.reject(new Error("we may not read that"));
  const more = { ...role, subtrees: () => [Path.root.child("config").child("objects")] };
  expect(await insightOf(more, { ...source, target: { read } } as unknown as InsightSource, "back")).toMatchObject({
    failure: "we may not read that",
  });
});

it("omits a firewall whose policy cannot be computed, and reports none without an analysis", async () => {
  const policy: Policy = {
    scope: "branch",
    zones: ["in"],
    otherZones: false,
    rules: [
      {
        key: { level: "pre", group: "branch", name: "one" },
        origin: {},
        zones: { type: "universal", from: "any", to: "any" },
        ...ANY_FLOW,
        verdict: "deny",
        action: "deny",
      },
    ],
    otherwise: "deny",
    limits: [],
  };
  const rulebase = (serial: string, policies: Rulebase["policies"]): Rulebase => ({
    scope: "branch",
    within: ["branch"],
    firewalls: [{ serial }],
    isSame: false,
    isThere: [true, true],
    size: 1,
    policies,
    flows,
  });
  const all = [
    rulebase("001", () => [policy, policy]),
    rulebase("002", () => {
      throw new Error("a group names itself");
    }),
  ];
  const managing = { ...role, load: async () => ({ rulebases: () => all }) };
  const { scopes } = (await insightOf(managing, source, "forward")) ?? { scopes: [] };
  expect(scopes.map(({ firewalls, exact }) => [firewalls?.map(({ serial }) => serial), exact])).toEqual([
    [["002"], false],
    [["001"], true],
  ]);
  const work = { ...workHere, between: () => Promise.reject(notWorkedOut("it takes longer than 1 s")) };
  expect(await insightOf(managing, { ...source, work }, "forward")).toEqual({
    scopes: [],
    failure: "The flow analysis failed: it takes longer than 1 s.",
  });
});
