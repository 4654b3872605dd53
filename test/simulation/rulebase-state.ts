import { ANCHOR } from "./rules.js";
import type { Entries } from "./script.js";
import type { World } from "./world.js";

/** Whether documents can declare a rule with this name. Other administrators create rules with other names. */
export function isDeclarable(name: string): boolean {
  return /^r\d$/.test(name);
}

/** Returns why a rulebase is not in sync with a commit. */
export function problemOf({ script }: World, wanted: Entries, rules: readonly string[]): string | undefined {
  const declared = Object.keys(wanted).filter(isDeclarable);
  if (script.rules === undefined || declared.length === 0) return undefined;
  const order = rules.filter((name) => declared.includes(name));
  if (order.join() !== declared.join()) return `the order of the rules was ${order.join()}`;
  const others = rules.filter((name) => !declared.includes(name));
  if (!script.rules.hasAnchor) return others.length === 0 ? undefined : `${others.join()} was unmanaged`;
  if (!others.includes(ANCHOR)) return "the anchor of $position was missing";
  return rules.indexOf(ANCHOR) < rules.indexOf(declared[0] ?? "") ? undefined : "the rules were above their anchor";
}

/** Returns why no run can apply the branch completely: the place or the anchor is missing, or the rulebase only has unmanaged rules. */
export function obstacleOf(world: World): string | undefined {
  const { firewall, script, head, wanted } = world;
  if (script.rules === undefined) return undefined;
  const declared = Object.keys(wanted.get(head) ?? {}).filter(isDeclarable);
  if (script.rules.hasPlace && !firewall.hasPlace) return "the virtual system is missing";
  if (declared.length === 0) return undefined;
  if (script.rules.hasAnchor) return firewall.rules.includes(ANCHOR) ? undefined : "the anchor is missing";
  return firewall.rules.length > 0 && !firewall.rules.some((name) => declared.includes(name))
    ? "no declared rule is next to the unmanaged ones"
    : undefined;
}
