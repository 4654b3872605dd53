import type { TreeNode } from "../../../core/tree/node.js";
import { dateTime } from "../clock.js";
import type { LabDevice } from "../device.js";
import { child, hostname, vsysEntries } from "../state/system-facts.js";
import { common, type LogRecord } from "./record.js";

/** One record for each security rule of the running configuration, a minute apart, the newest last. */
export function ruleRecords(device: LabDevice, type: "TRAFFIC" | "THREAT"): LogRecord[] {
  const rules = vsysEntries(device.running).flatMap((vsys) =>
    (child(child(child(vsys, "rulebase"), "security"), "rules")?.children ?? []).map((rule) => ({ vsys: vsys.name ?? "", rule })),
  );
  return rules.map(({ vsys, rule }, index) => {
    const time = dateTime(device.started - (rules.length - index) * 60_000);
    const fields = common(type, { serial: device.serial, time, seqno: index + 1, deviceName: hostname(device.running) });
    return new Map([...fields, ...sessionFields(rule, vsys, index), ...(type === "THREAT" ? THREAT_FIELDS : TRAFFIC_FIELDS)]);
  });
}

/** Start of the device and the commits since. */
export function systemRecords(device: LabDevice): LogRecord[] {
  const events: [string, string, string][] = [
    [dateTime(device.started), "general", "System started"],
    ...device.commits.map(({ time, job, ok }): [string, string, string] => [
      time,
      "general",
      `Commit job ${ok ? "succeeded" : "failed"}, JobId=${job}`,
    ]),
  ];
  return events.map(([time, eventid, opaque], index) => {
    const fields = common("SYSTEM", { serial: device.serial, time, seqno: index + 1, deviceName: hostname(device.running) });
    return new Map([...fields, ["eventid", eventid], ["severity", "informational"], ["module", "general"], ["opaque", opaque]]);
  });
}

function sessionFields(rule: TreeNode, vsys: string, index: number): [string, string][] {
  const first = (tag: string, fallback: string): string => child(rule, tag)?.children[0]?.text ?? fallback;
  const action = child(rule, "action")?.text ?? "allow";
  return [
    ["src", `192.0.2.${(index % 250) + 1}`],
    ["dst", `198.51.100.${(index % 250) + 1}`],
    ["rule", rule.name ?? ""],
    ["rule_uuid", rule.attributes?.get("uuid") ?? ""],
    ["app", first("application", "not-applicable")],
    ["vsys", vsys],
    ["from", first("from", "any")],
    ["to", first("to", "any")],
    ["sport", String(40_000 + (index % 20_000))],
    ["dport", "443"],
    ["proto", "tcp"],
    ["action", action],
    ["sessionid", String(index + 1)],
    ["repeatcnt", "1"],
  ];
}

const TRAFFIC_FIELDS: [string, string][] = [
  ["bytes", "4096"],
  ["packets", "12"],
  ["session_end_reason", "tcp-fin"],
];

const THREAT_FIELDS: [string, string][] = [
  ["severity", "informational"],
  ["direction", "client-to-server"],
  ["misc", "example.net/"],
  ["threatid", "(9999)"],
  ["category", "any"],
];
