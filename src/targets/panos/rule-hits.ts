import type { TreeNode } from "../../core/tree/node.js";
import type { RuleHits } from "../../reachability/policy-target.js";
import type { PanosClient } from "./client/client.js";
import { showRuleHits } from "./client/commands.js";
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
