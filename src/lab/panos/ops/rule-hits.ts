import type { TreeNode } from "../../../core/tree/node.js";
import { escapeValue } from "../../../core/tree/xml/escape.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { type Reply, result, success } from "../http/reply.js";
import { groupMembers, managedEntry } from "../manager/memberships.js";
import { managedNames } from "../state/device-groups.js";
import { child, vsysEntries } from "../state/system-facts.js";
import type { HitCount } from "../traffic/rule-hits.js";
import { fields, type OperationCall, type OperationTable } from "./operation.js";

export const RULE_HIT_OPERATIONS: OperationTable = {
  "show/rule-hit-count": { needs: "extras", run: (call) => show(call) },
  "clear/rule-hit-count": { needs: "extras", run: (call) => clear(call) },
};

interface Question {
  readonly vsys: TreeNode;
  readonly counts: readonly HitCount[];
}

function show(call: OperationCall): Reply {
  const group = child(call.node, "device-group");
  if (group !== undefined) return showPushed(call.device, group);
  const { vsys, counts } = readQuestion(call);
  const entries = counts.map((count) => `<entry name="${escapeValue(count.rule)}">${fields(rowOf(count))}</entry>`);
  const rules = `<rule-base><entry name="security"><rules>${entries.join("")}</rules></entry></rule-base>`;
  return result(`<rule-hit-count><vsys><entry name="${escapeValue(vsys.name ?? "")}">${rules}</entry></vsys></rule-hit-count>`);
}

/**
 * Answers a manager's command about rules of a device group: one row for each connected firewall that has the rule. Rows have the form that
 * pan-os-php reads: `GROUP/SERIAL/VSYS`.
 */
function showPushed(manager: LabDevice, node: TreeNode): Reply {
  const group = child(node, "entry")?.name ?? "";
  const rulebase = child(node, "entry")?.children.find(({ tag }) => tag === "pre-rulebase" || tag === "post-rulebase");
  const names = child(child(child(rulebase, "entry"), "rules"), "rule-name")?.children.flatMap(({ name }) => name ?? []);
  if (managedEntry(manager.running, "device-group", group) === undefined || rulebase === undefined || names === undefined)
    throw new DeviceError("17", " rule-hit-count -> device-group is invalid");
  const connected = manager.firewalls.filter(({ attachment }) => attachment?.isConnected === true);
  const entries = names.map((rule) => {
    const rows = connected.flatMap((firewall) => {
      firewall.jobs.advance();
      firewall.traffic.advance();
      return vsysEntries(firewall.running).flatMap(({ name = "" }) => {
        const count = firewall.traffic.hits.ofPushed(name, rule, `${rulebase.tag} ${group}`);
        return count === undefined
          ? []
          : [
              `<entry name="${escapeValue(`${groupOf(manager, firewall.serial)}/${firewall.serial}/${name}`)}">${fields(rowOf(count))}</entry>`,
            ];
      });
    });
    return `<entry name="${escapeValue(rule)}"><device-vsys>${rows.join("")}</device-vsys></entry>`;
  });
  const rules = `<rule-base><entry name="security"><rules>${entries.join("")}</rules></entry></rule-base>`;
  return result(`<rule-hit-count><device-group><entry name="${escapeValue(group)}">${rules}</entry></device-group></rule-hit-count>`);
}

/** Returns the group that a firewall itself is in. */
function groupOf(manager: LabDevice, serial: string): string {
  const isIn = (group: string) => groupMembers(manager.running, group).some((member) => member.serial === serial);
  return managedNames(manager.running, "device-group").find(isIn) ?? "";
}

function clear(call: OperationCall): Reply {
  const { vsys, counts } = readQuestion(call);
  for (const { rule } of counts) call.device.traffic.hits.clear(vsys.name ?? "", rule, call.device.clock.now());
  return success(undefined, ["<msg>Succeeded to reset rule hit count for specified rules</msg>"]);
}

/** Returns the hit counts of one rulebase, for all rules or for the listed rules. */
function readQuestion({ device, node }: OperationCall): Question {
  const entry = child(child(child(node, "vsys"), "vsys-name"), "entry");
  const base = child(child(entry, "rule-base"), "entry");
  device.jobs.advance();
  const vsys = vsysEntries(device.running).find(({ name }) => name === entry?.name);
  const rules = child(base, "rules");
  if (vsys === undefined || base?.name !== "security" || rules === undefined)
    throw new DeviceError("17", " rule-hit-count -> vsys -> vsys-name is invalid");
  device.traffic.advance();
  const all = device.traffic.hits.of(vsys);
  const listed = child(rules, "list")?.children.map(({ text }) => text);
  return { vsys, counts: listed === undefined ? all : all.filter(({ rule }) => listed.includes(rule)) };
}

function rowOf({ count, first, last, reset, created }: HitCount): readonly (readonly [string, string])[] {
  const seconds = (time: number) => String(Math.floor(time / 1000));
  return [
    ["latest", "yes"],
    ["hit-count", String(count)],
    ["last-hit-timestamp", seconds(last)],
    ["last-reset-timestamp", seconds(reset)],
    ["first-hit-timestamp", seconds(first)],
    ["rule-creation-timestamp", seconds(created)],
    ["rule-modification-timestamp", seconds(created)],
  ];
}
