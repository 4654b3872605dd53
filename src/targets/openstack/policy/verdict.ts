import { addressNumber } from "../../../core/address-range.js";
import { literalService } from "../../../core/service-range.js";
import type { ReachAnswer } from "../../../outcome/reach.js";
import type { PolicyOptions } from "../../../reachability/policy-role.js";
import type { GroupRule } from "./groups.js";
import type { Project } from "./members.js";

/** A flow from the view of one side's groups. */
export interface SeenFlow {
  readonly direction: GroupRule["direction"];
  /** The port or server whose groups decide: `server web-01`. */
  readonly holder: string;
  /** Address of the other side. Undefined if it was translated to an unknown one. */
  readonly remote: string | undefined;
  /** Port or server of the project with that address. */
  readonly remoteHolder: string | undefined;
  readonly isIpv6: boolean;
  /** One protocol with one port: `tcp/443`. */
  readonly service: string;
}

/** Returns the group rule that allows a flow, or a deny. Returns several answers with conditions if the result depends on unknowns. */
export function verdictOf(flow: SeenFlow, project: Project, options: PolicyOptions): readonly ReachAnswer[] {
  const names = [...(project.holders.get(flow.holder) ?? [])].sort();
  const open: ReachAnswer[] = [];
  for (const name of names) {
    const group = project.groups.get(name);
    if (group === undefined) open.push(answer("allow", name, {}, [`a rule of ${name}, which was not read, lets it pass`]));
    for (const rule of group?.rules ?? []) {
      const conditions = rule.direction === flow.direction ? matching(rule, flow, project) : undefined;
      if (conditions === undefined) continue;
      const where = rule.path === undefined ? {} : { xpath: rule.path.toString(), ...options.locate?.(rule.path) };
      const met = answer("allow", `${name}: ${rule.text}`, where, conditions.length === 0 ? [] : [conditions.join(", and ")]);
      if (conditions.length === 0) return [met];
      open.push(met);
    }
  }
  const subject = names.length === 0 ? "no group, so that nothing" : `${names.join(", ")}, of which no rule`;
  const way = flow.direction === "ingress" ? "lets it in" : "lets it out";
  const none = answer("deny", `${flow.holder} is in ${subject} ${way}`, {}, open.length === 0 ? [] : ["nothing of that is so"]);
  return [...open, none];
}

function answer(verdict: "allow" | "deny", rule: string, where: ReachAnswer["where"], conditions: readonly string[]): ReachAnswer {
  return { verdict, action: verdict, rule, where, conditions, flows: [], isExample: false, undecided: false };
}

/** Returns the conditions of a match; empty for a certain match. Undefined if the rule does not match. */
function matching(rule: GroupRule, flow: SeenFlow, project: Project): readonly string[] | undefined {
  if ((rule.family === "IPv6") !== flow.isIpv6) return undefined;
  const [asked] = literalService(flow.service) ?? [];
  const isServed =
    rule.services === "any" ||
    rule.services.some(({ protocol, first, last }) => protocol === asked?.protocol && first <= asked.first && asked.last <= last);
  const remote = isServed ? remoteOf(rule, flow, project) : undefined;
  return remote === undefined ? undefined : [...rule.conditions.flat().map(({ unknown }) => unknown.name), ...remote];
}

function remoteOf({ remote: declared, family }: GroupRule, { remote, remoteHolder }: SeenFlow, { groups, holders }: Project) {
  if ("group" in declared) {
    if (remote === undefined) return [`its source by then is of a port in ${declared.group}`];
    if (remoteHolder !== undefined && holders.get(remoteHolder)?.has(declared.group) === true) return [];
    return groups.get(declared.group)?.isShared === false ? undefined : [`${remote} is of a port of others in ${declared.group}`];
  }
  const objects = declared.addresses === "any" ? [] : declared.addresses.objects;
  const ranges = objects.flatMap(({ values }) => values);
  const number = remote === undefined ? undefined : addressNumber(remote);
  const most = family === "IPv4" ? (1n << 32n) - 1n : (1n << 127n) - 1n;
  const isIn = ranges.some(({ first, last }) => (number === undefined ? last - first >= most : first <= number && number <= last));
  if (isIn || declared.addresses === "any") return [];
  if (number === undefined) return [`its source by then is in ${objects.map(({ name }) => name).join(", ")}`];
  const [unknown] = objects.flatMap(({ unknowns }) => unknowns);
  return unknown === undefined ? undefined : [`${remote} is in ${unknown.name} (${unknown.reason})`];
}
