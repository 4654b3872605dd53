import type { TreeNode } from "../../../core/tree/node.js";
import { escapeText, escapeValue } from "../../../core/tree/xml/escape.js";
import type { LabDevice } from "../device.js";
import { type Reply, result } from "../http/reply.js";
import type { Attachment, Delivered } from "../manager/attachment.js";
import { groupMembers, stackMembers, stackTemplates } from "../manager/memberships.js";
import { sumOf } from "../manager/policy-projection.js";
import { firewallOf } from "../manager/push.js";
import { groupSum } from "../manager/receive.js";
import { templateOf } from "../manager/template-projection.js";
import { managedNames } from "../state/device-groups.js";
import { child, hostname, systemOf, vsysEntries } from "../state/system-facts.js";
import { fields, type OperationTable, textAt } from "./operation.js";
import { multiVsys } from "./system.js";

export const MANAGED_FIREWALL_OPERATIONS: OperationTable = {
  "show/devices/all": { needs: "extras", run: ({ device }) => devices(device, () => true) },
  "show/devices/connected": { needs: "extras", run: ({ device }) => devices(device, isConnected) },
  "show/devicegroups": { needs: "extras", run: ({ device, node }) => groups(device, textAt(node, "name")) },
  "show/template-stack": { needs: "extras", run: ({ device, node }) => stacks(device, textAt(node, "name")) },
  "show/templates": { needs: "extras", run: ({ device, node }) => templates(device, textAt(node, "name")) },
};

const IN_SYNC = "In Sync";
const OUT_OF_SYNC = "Out of Sync";

interface Known {
  readonly serial: string;
  readonly firewall: LabDevice | undefined;
  readonly attachment: Attachment | undefined;
}

/**
 * Returns the firewalls that were added to the manager or are in one of its groups or stacks. A serial number without a device in the
 * lab is never connected.
 */
function knownFirewalls(manager: LabDevice): Known[] {
  const { running, firewalls } = manager;
  const added = child(child(running, "mgt-config"), "devices")?.children.flatMap(({ name }) => name ?? []) ?? [];
  const grouped = managedNames(running, "device-group").flatMap((group) => groupMembers(running, group).map(({ serial }) => serial));
  const stacked = managedNames(running, "template-stack").flatMap((stack) => stackMembers(running, stack));
  return [...new Set([...firewalls.map(({ serial }) => serial), ...added, ...grouped, ...stacked])].map((serial) => known(manager, serial));
}

function known(manager: LabDevice, serial: string): Known {
  const firewall = firewallOf(manager, serial);
  return { serial, firewall, attachment: firewall?.attachment };
}

function isConnected({ attachment }: Known): boolean {
  return attachment?.isConnected === true;
}

function devices(manager: LabDevice, isWanted: (one: Known) => boolean): Reply {
  const rows = knownFirewalls(manager)
    .filter(isWanted)
    .map((one) => entry(one.serial, [head(one), description(one, true), systems(one)]));
  return result(`<devices>${rows.join("")}</devices>`);
}

function groups(manager: LabDevice, only: string | undefined): Reply {
  const rows = named(manager, "device-group", only).map((group) => {
    const listed = groupMembers(manager.running, group).filter(({ serial }) => isListed(manager, serial));
    const members = listed.map(({ serial, vsys }) => {
      const one = known(manager, serial);
      const isMulti = one.firewall !== undefined && multiVsys(one.firewall) === "on";
      const last = lastPushes(one, "sp");
      const sync = (name: string) => fields(policyState(manager, one, group, name));
      if (!isMulti) return entry(serial, [head(one), last, sync(vsys?.[0] ?? "vsys1"), description(one, false), "<vsys/>"]);
      const each = (vsys ?? vsysEntries(one.firewall?.running ?? manager.running).map(({ name = "" }) => name)).map((name) =>
        entry(name, [fields([["display-name", name]]), last, sync(name)]),
      );
      return entry(serial, [head(one), description(one, false), `<vsys>${each.join("")}</vsys>`]);
    });
    const list = members.length === 0 ? "" : `<devices>${members.join("")}</devices>`;
    return entry(group, [fields([["shared-policy-md5sum", groupSum(manager, group)]]), list]);
  });
  return result(`<devicegroups>${rows.join("")}</devicegroups>`);
}

function stacks(manager: LabDevice, only: string | undefined): Reply {
  const rows = named(manager, "template-stack", only).map((stack) => {
    const members = stackTemplates(manager.running, stack).map((name) => `<member>${escapeText(name)}</member>`);
    return entry(stack, [`<templates>${members.join("")}</templates>`, stackDevices(manager, [stack])]);
  });
  return result(`<template-stack>${rows.join("")}</template-stack>`);
}

function templates(manager: LabDevice, only: string | undefined): Reply {
  const all = managedNames(manager.running, "template-stack");
  const rows = named(manager, "template", only).map((template) => {
    const within = all.filter((stack) => stackTemplates(manager.running, stack).includes(template));
    return entry(template, [stackDevices(manager, within)]);
  });
  return result(`<templates>${rows.join("")}</templates>`);
}

function stackDevices(manager: LabDevice, within: readonly string[]): string {
  const rows = within.flatMap((stack) =>
    stackMembers(manager.running, stack).flatMap((serial) => {
      if (!isListed(manager, serial)) return [];
      const one = known(manager, serial);
      const state = templateState(manager, one, stack);
      return entry(serial, [head(one), lastPushes(one, "tpl"), fields(state), description(one, false)]);
    }),
  );
  return rows.length === 0 ? "" : `<devices>${rows.join("")}</devices>`;
}

function isListed({ options }: LabDevice, serial: string): boolean {
  return options.panorama?.unlisted?.includes(serial) !== true;
}

function named(manager: LabDevice, list: "device-group" | "template" | "template-stack", only: string | undefined): readonly string[] {
  return managedNames(manager.running, list).filter((name) => only === undefined || only === "" || name === only);
}

type Rows = readonly (readonly [string, string])[];

function policyState(manager: LabDevice, { attachment }: Known, group: string, vsys: string): Rows {
  const delivered = attachment?.handed.policies.get(vsys);
  return [
    ["shared-policy-status", delivered?.sum === groupSum(manager, group) ? IN_SYNC : OUT_OF_SYNC],
    ["shared-policy-md5sum", delivered?.sum ?? ""],
    ["shared-policy-version", delivered?.version ?? ""],
  ];
}

function templateState(manager: LabDevice, { attachment, firewall, serial }: Known, stack: string): Rows {
  const delivered = attachment?.handed.template;
  const isSeen = manager.options.panorama?.projection?.overrides === "out of sync";
  const isHidden = isSeen && delivered !== undefined && firewall !== undefined && overrides(firewall.running, delivered.tree);
  const status = !isHidden && delivered?.sum === sumOf(templateOf(manager.running, stack, serial)) ? IN_SYNC : OUT_OF_SYNC;
  return [
    ["template-status", status],
    ["template-md5sum", delivered?.sum ?? ""],
    ["template-no-content-preview-status", status],
    ["template-no-content-preview-md5sum", delivered?.sum ?? ""],
    ["template-version", delivered?.version ?? ""],
  ];
}

/** Whether the firewall has a local value that differs from the pushed value. */
function overrides(own: TreeNode, handed: TreeNode): boolean {
  if (own.children.length === 0 && handed.children.length === 0) return own.text !== "" && own.text !== handed.text;
  return own.children.some((node) => {
    const other = handed.children.find(({ tag, name }) => tag === node.tag && name === node.name);
    return other !== undefined && overrides(node, other);
  });
}

function lastPushes({ attachment }: Known, suffix: "sp" | "tpl"): string {
  const commit = attachment?.last.get(`commit-${suffix}`);
  const validate = attachment?.last.get(`validate-${suffix}`);
  return fields([
    [`last-commit-all-state-${suffix}`, commit?.state ?? "none"],
    [`last-validate-all-state-${suffix}`, validate?.state ?? "none"],
    [`last-commit-all-upd-${suffix}`, commit?.at ?? "none"],
    [`last-validate-all-upd-${suffix}`, validate?.at ?? "none"],
  ]);
}

function head(one: Known): string {
  return fields([
    ["serial", one.serial],
    ["connected", isConnected(one) ? "yes" : "no"],
    ["unsupported-version", "no"],
    ["wildfire-rt", "no"],
    ["deactivated", "no"],
  ]);
}

/**
 * Details that a firewall reports about itself. Empty for a firewall without a device in the lab. The lists of groups and stacks omit
 * the connection time.
 */
function description({ firewall, attachment }: Known, isComplete: boolean): string {
  if (firewall === undefined) return "";
  const model = firewall.options.system?.model ?? "PA-VM";
  const { haState, peer } = firewall;
  const pair = haState === undefined ? fields([["state", "no"]]) : `${fields([["state", haState]])}${peerOf(peer)}`;
  const rows = fields([
    ["hostname", hostname(firewall.running)],
    ["ip-address", child(systemOf(firewall.running), "ip-address")?.text ?? "127.0.0.1"],
    ["family", model === "PA-VM" ? "vm" : model.replace(/^PA-/, "")],
    ["model", model],
    ["sw-version", firewall.version],
    ["app-version", "8800-8600"],
    ["operational-mode", "normal"],
    ["connected-at", isComplete ? (attachment?.connectedAt ?? "") : " "],
    ["multi-vsys", multiVsys(firewall) === "on" ? "yes" : "no"],
  ]);
  return `${isComplete ? `<ha>${pair}</ha>` : ""}${rows}`;
}

function peerOf(peer: LabDevice | undefined): string {
  return peer === undefined ? "" : `<peer>${fields([["serial", peer.serial]])}</peer>`;
}

/** `show devices` prints the checksums for each virtual system and leaves their status empty. */
function systems({ firewall, attachment }: Known): string {
  if (firewall === undefined) return "<vsys/>";
  const rows = vsysEntries(firewall.running).map(({ name = "" }) => {
    const delivered: Delivered | undefined = attachment?.handed.policies.get(name);
    return entry(name, [
      fields([
        ["display-name", name],
        ["shared-policy-status", ""],
        ["shared-policy-md5sum", delivered?.sum ?? ""],
        ["shared-policy-version", delivered?.version ?? ""],
      ]),
    ]);
  });
  return `<vsys>${rows.join("")}</vsys>`;
}

function entry(name: string, parts: readonly string[]): string {
  return `<entry name="${escapeValue(name)}">${parts.join("")}</entry>`;
}
