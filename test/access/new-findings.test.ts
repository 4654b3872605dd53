import { expect, it } from "vitest";
import { withEdits } from "../../src/access/edit.js";
import { prove, treated } from "../../src/access/proof.js";
import { find } from "../../src/core/tree/lookup.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { compile } from "../../src/reachability/flows/compile.js";
import { lint } from "../../src/reachability/flows/lint.js";
import type { FlowSet, Policy } from "../../src/reachability/flows/policy.js";
import { seedsOf, soak } from "../seed.js";
import { randomOf } from "../targets/panos/policy/random.js";
import { askable } from "./ask.js";
import { RULES, singleMembers, singleRules, withoutRule } from "./exhaustive.js";
import { randomRequest, randomWorld } from "./worlds.js";

/** Names of the rules that meet the request and have a finding after the edit, but none before, by lint of all rules. */
function expected(before: Policy, after: Policy, flows: FlowSet): readonly string[] {
  const model = compile([treated(before), treated(after)], [flows]);
  const { space, policies, questions } = model;
  const [one, other] = policies.map(
    (policy) =>
      new Set(
        lint(model, policy)
          .filter(({ kind }) => kind !== "undecided")
          .map(({ rule }) => rule.key.name),
      ),
  );
  const met = (policies[1]?.rules ?? []).filter(({ boxes }) => boxes.some((box) => questions[0]?.some((each) => space.meets(each, box))));
  const names = met.map(({ rule }) => rule.key.name);
  return [...new Set(names)].filter((name) => other?.has(name) === true && one?.has(name) === false);
}

/** A copy of a rule, with another action, above all rules. */
function withCopyOnTop(tree: TreeNode, rule: TreeNode, action: string): TreeNode {
  const kept = rule.children.filter(({ tag }) => tag !== "action" && tag !== "disabled");
  const entry = new TreeNode("entry", "copy", "", [...kept, new TreeNode("action", undefined, action)]);
  return withEdits(tree, [{ kind: "entry", list: RULES, entry, after: "" }]);
}

/** Some edits: added members and rules, and a removed rule. */
function someEdits(tree: TreeNode, random: () => number, wanted: ReturnType<typeof randomRequest>): TreeNode[] {
  const all = [...singleMembers(tree, wanted), ...singleRules(tree, wanted, "web")].map((each) => each.tree);
  const some = Array.from({ length: 12 }, () => all[Math.floor(random() * all.length)]).filter((each) => each !== undefined);
  const rules = find(tree, RULES)?.children ?? [];
  const copies = rules.flatMap((rule) => ["allow", "deny"].map((action) => withCopyOnTop(tree, rule, action)));
  return [...some, ...copies, withoutRule(tree, rules[0]?.name ?? ""), withEdits(tree, [])];
}

it.each(seedsOf(soak ? 300 : 25))("finds the rules that lose their effect as lint of all rules does: seed %i", (seed) => {
  const random = randomOf(3300 + seed);
  const tree = parseXml(randomWorld(random, 4 + (seed % 9), { unknown: seed % 3 === 0 ? 0.1 : 0, nat: 0 }));
  const wanted = randomRequest(random, tree);
  const { policy, flows, policyOf } = askable(tree, wanted);
  for (const edited of someEdits(tree, random, wanted)) {
    const after = policyOf(edited);
    const { faults } = prove(policy, after, [flows]);
    const found = faults.flatMap((text) => /^Rule "(.*?)" would/.exec(text)?.[1] ?? []);
    expect(found.sort()).toEqual([...expected(policy, after, flows)].sort());
  }
});
