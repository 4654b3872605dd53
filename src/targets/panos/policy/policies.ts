import type { TreeNode } from "../../../core/tree/node.js";
import type { Policy } from "../../../insight/policy.js";
import { Addresses } from "./addresses.js";
import { Applications } from "./applications.js";
import { changesBeside } from "./beside-rules.js";
import { limitsOf } from "./limits.js";
import { type Found, membersOf, type NameScope, NameScopes } from "./name-scopes.js";
import { Reading, type ReadingOptions } from "./reading.js";
import { rulesOf, securityRules } from "./rules.js";
import { Services } from "./services.js";
import { type EffectiveSystem, systemsIn } from "./systems.js";
import { withWildcardDoubts } from "./wildcard-order.js";

/**
 * The security policies of several versions of one firewall (or manager): for each tree one policy a virtual system (or device
 * group). Versions are translated together, because a name that one of them uses tells something of the other.
 */
export function policiesOf(trees: readonly TreeNode[], options: ReadingOptions = {}): Policy[][] {
  const versions = trees.map(systemsIn);
  const inUse = new Set(versions.flat().flatMap(applicationsIn));
  return versions.map((systems, at) =>
    systems.map((system) => {
      const policy = policyOf(system, options, inUse);
      const former = at === 0 ? undefined : versions[at - 1]?.find(({ scope }) => scope === system.scope);
      const [before, after] = [trees[at - 1], trees[at]];
      if (former === undefined || before === undefined || after === undefined) return policy;
      const beside = changesBeside({ root: before, system: former }, { root: after, system });
      return { ...policy, limits: [...beside.map((text) => ({ text, doubtful: true, isOfChange: true })), ...policy.limits] };
    }),
  );
}

/** The policy of one rulebase. `inUse`: names of applications that rules of any version name. */
function policyOf(system: EffectiveSystem, options: ReadingOptions, inUse: ReadonlySet<string>): Policy {
  const reading = new Reading(options);
  const near = reading.assumed.precedence === "nearest";
  const doubted = ({ node, scope }: Found, other: NameScope): void => {
    reading.doubts.add(`"${node.name}" stands in ${scope.word} and in ${other.word}: the former is taken, by the option precedence [?].`);
  };
  const scopes = new NameScopes(near ? system.names : [...system.names].reverse(), system.zones === undefined ? doubted : undefined);
  const names = {
    scopes,
    addresses: new Addresses(scopes, reading),
    services: new Services(scopes, reading),
    applications: new Applications(scopes, reading, inUse),
  };
  const rules = securityRules(system, names, reading);
  const ordered =
    system.wildcardsInOrder === true || reading.assumed.wildcards === "top down" ? rules : withWildcardDoubts(rules, names.addresses);
  return {
    scope: system.scope,
    zones: system.zones ?? [],
    otherZones: system.zones === undefined,
    rules: ordered,
    otherwise: "deny",
    limits: limitsOf(system, reading.doubts),
  };
}

function applicationsIn({ layers, names }: EffectiveSystem): string[] {
  const rules = layers.flatMap((layer) => rulesOf(layer, "security"));
  const groups = names.flatMap(({ node }) => node.children.find(({ tag }) => tag === "application-group")?.children ?? []);
  return [
    ...rules.flatMap((rule) => membersOf(rule, "application") ?? []),
    ...groups.flatMap((group) => membersOf(group, "members") ?? []),
  ];
}
