import type { TreeNode } from "../../core/tree/node.js";
import type { FirewallRuleHits, ManagedRule, RuleHits } from "../../reachability/policy-target.js";
import type { PanosClient } from "./client/client.js";
import { showManagedRuleHits, showRuleHits } from "./client/commands.js";
import { childOf, descend, textOf } from "./client/reply.js";

/**
 * Reads the counters of the security rules of one virtual system. Undefined if the device has none
 * (docs/contributing/devices/panos.md#rules-and-their-hits).
 */
export async function readRuleHits(client: PanosClient, vsys: string): Promise<readonly RuleHits[] | undefined> {
  const reply = await client.runIfSupported(showRuleHits(vsys));
  if (reply === undefined) return undefined;
  const rules = descend(reply.result, "rule-hit-count", "vsys", "entry", "rule-base", "entry", "rules");
  return rules?.children.flatMap((entry) => (entry.name === undefined ? [] : [hitsOf(entry.name, entry)])) ?? [];
}

/** Maximum number of rules in one request. */
const MOST_RULES = 100;

/**
 * Reads the counters of rules of a device group on its firewalls, through the manager. A firewall that is not connected has none. Undefined
 * if the manager has no such command (docs/contributing/devices/panos.md#rules-and-their-hits).
 */
export async function readManagedRuleHits(
  client: PanosClient,
  group: string,
  rules: readonly ManagedRule[],
): Promise<readonly FirewallRuleHits[] | undefined> {
  const found: FirewallRuleHits[] = [];
  for (const level of ["pre", "post"] as const) {
    const names = rules.filter((rule) => rule.level === level).map(({ name }) => name);
    for (let at = 0; at < names.length; at += MOST_RULES) {
      const reply = await client.runIfSupported(showManagedRuleHits(group, level, names.slice(at, at + MOST_RULES)));
      if (reply === undefined) return undefined;
      const entry = descend(reply.result, "rule-hit-count", "device-group", "entry");
      // Public tools differ in the name of this element.
      const rulebase = entry?.children.find(({ tag }) => tag === "rule-base" || tag === `${level}-rulebase`);
      const entries = rulebase === undefined ? [] : (descend(rulebase, "entry", "rules")?.children ?? []);
      found.push(...entries.flatMap((rule) => managedHitsOf(rule, level)));
    }
  }
  return found;
}

function managedHitsOf(rule: TreeNode, level: ManagedRule["level"]): FirewallRuleHits[] {
  return (childOf(rule, "device-vsys")?.children ?? []).flatMap((row): FirewallRuleHits[] => {
    const [serial, vsys] = (row.name ?? "").split("/").slice(-2);
    if (rule.name === undefined || serial === undefined || vsys === undefined) return [];
    // The manager did not get the count of the firewall.
    const isOld = textOf(childOf(row, "latest")) === "no";
    const hits = hitsOf(rule.name, row);
    return [{ ...hits, ...(isOld ? { count: undefined } : {}), level, serial, vsys }];
  });
}

function hitsOf(rule: string, entry: TreeNode): RuleHits {
  const begins = [timeOf(entry, "last-reset-timestamp"), timeOf(entry, "rule-creation-timestamp")].flatMap((time) => time ?? []);
  const count = Number(textOf(childOf(entry, "hit-count")));
  return {
    rule,
    count: Number.isSafeInteger(count) ? count : undefined,
    last: timeOf(entry, "last-hit-timestamp"),
    since: begins.length === 0 ? undefined : Math.max(...begins),
  };
}

/** Converts seconds since 1970 to milliseconds. 0 means never. */
function timeOf(entry: TreeNode, tag: string): number | undefined {
  const seconds = Number(textOf(childOf(entry, tag)));
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}
