import { accessState } from "../../../access/design.js";
import { type ComparableRules, onlyFlow, withImpossible } from "../../../access/flow-designer.js";
import { closingOf } from "../../../access/revoke.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { PolicyOptions } from "../../../reachability/policy-role.js";
import { type Group, type GroupRule, passing } from "../policy/groups.js";
import { type Project, projectIn, zonesOf } from "../policy/members.js";
import { policyOf } from "../policy/policies.js";
import { topologyIn } from "../policy/topology.js";
import { addressBook } from "./addresses.js";
import { type Flows, flowSetOf, impossibleFlows, partsOf } from "./flows.js";

/** Compiles two versions of a project, in which the ends of requests are zones of their own. */
export function compareProjects(before: TreeNode, after: TreeNode, requests: readonly Flows[], options: PolicyOptions): ComparableRules {
  return compared([versionOf(before), versionOf(after)], requests, options);
}

interface Version {
  readonly tree: TreeNode;
  readonly project: Project;
  readonly topology: ReturnType<typeof topologyIn>;
}

function versionOf(tree: TreeNode): Version {
  return { tree, project: projectIn(tree), topology: topologyIn(tree) };
}

function compared(versions: readonly [Version, Version], requests: readonly Flows[], options: PolicyOptions): ComparableRules {
  const book = addressBook(versions);
  const ends = requests.flatMap(({ from, to }) => [from, to]);
  const apart = new Set([...book.open, ...ends.flatMap(({ group, holders }) => (group === undefined ? holders : []))]);
  const projects = versions.map(({ project }) => project);
  // A group without members has flows only if a request names it.
  const named = new Set(ends.flatMap(({ group }) => group ?? []));
  const zones = zonesOf(projects, apart).filter(({ name, holders }) => holders.length > 0 || named.has(name));
  const [before, after] = projects.map((project, at) => policyOf(project, zones, at, options));
  if (before === undefined || after === undefined) throw new Error("two versions make two policies");
  return {
    before,
    after,
    flows: requests.map((flows) => flowSetOf(flows, zones)),
    impossible: impossibleFlows(zones, book, requests),
    isUnordered: true,
  };
}

/** Parts of a request that the rules of one end do not certainly allow, whatever the other end allows. */
export function deniedParts(tree: TreeNode, flows: Flows, direction: GroupRule["direction"]): readonly Flows[] {
  const version = versionOf(tree);
  const other = direction === "ingress" ? "egress" : "ingress";
  const project = withAll(version.project, other);
  return partsOf(flows, direction === "egress" ? "from" : "to").filter((part) => {
    const one = { ...version, project };
    const rules = withImpossible(compared([one, one], [part], {}), "allow");
    return accessState(rules.before, rules.flows[0] as NonNullable<(typeof rules.flows)[0]>) !== "allowed";
  });
}

/** Returns whether a rule of a group allows some flow of a request, if the other end allows everything. */
export function ruleAllows(tree: TreeNode, flows: Flows, group: string, rule: GroupRule): boolean {
  const version = versionOf(tree);
  const { groups, holders } = version.project;
  const others = [...groups].map(([name, each]) => [name, { ...each, rules: name === group ? [rule] : [] }] as const);
  const one = { ...version, project: withAll({ groups: new Map(others), holders }, rule.direction === "ingress" ? "egress" : "ingress") };
  const rules = withImpossible(compared([one, one], [flows], {}), "deny");
  return closingOf(rules.before, rules.after, onlyFlow(rules)).allowing.length > 0;
}

const ALL = "(everything)";

/** Allows everything in one direction, also for ports without groups. */
function withAll({ groups, holders }: Project, direction: GroupRule["direction"]): Project {
  const free = passing(direction);
  const all: Group = { rules: free, isStateful: true, isShared: false };
  return {
    groups: new Map([...[...groups].map(([name, group]) => [name, { ...group, rules: [...group.rules, ...free] }] as const), [ALL, all]]),
    holders: new Map([...holders].map(([holder, names]) => [holder, new Set([...names, ALL])])),
  };
}
