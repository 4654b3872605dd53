import type { DesignPlace } from "../../../access/designer.js";
import type { Edit } from "../../../access/edit.js";
import type { EndingRule } from "../../../access/flow-designer.js";
import { find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { type Fabric, lastOf } from "../policy/fabric.js";
import { ruleEndsIn } from "../rule-ends.js";
import { networkAt } from "./site.js";

/** Returns the declared policies that end, with the edits that detach and remove them. */
export function endingPolicies({ tree, declared }: Pick<DesignPlace, "tree" | "declared">, fabric: Fabric): readonly EndingRule[] {
  return ruleEndsIn(tree)
    .filter(({ path }) => find(declared, path) !== undefined)
    .map(({ name, path, until }) => ({
      name: `network policy ${lastOf(name)}`,
      path,
      until,
      edits: removal(declared, fabric, name, path),
    }));
}

/** Returns the reason if documents cannot remove a policy. */
function removal(declared: TreeNode, fabric: Fabric, policy: string, path: Path): readonly Edit[] | string {
  const holders = [...fabric.networks.values()].filter(({ attached }) => attached.some((each) => each.policy === policy));
  const rows = holders.map(({ name }) => networkAt(name).child("network_policy_refs").entry(policy));
  const foreign = holders.find((_, at) => find(declared, rows[at] as Path) === undefined);
  if (foreign !== undefined) return `no document declares that ${lastOf(foreign.name)} has it`;
  const user = [...fabric.policies].find(
    ([name, rules]) =>
      name !== policy && rules.some(({ sources, destinations }) => [...sources, ...destinations].some((side) => side.policy === policy)),
  );
  if (user !== undefined) return `a rule of policy ${lastOf(user[0])} names it`;
  return [...rows.map((at) => ({ kind: "remove", at }) as const), { kind: "remove", at: path }];
}
