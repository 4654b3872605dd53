import { find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Reach } from "../../../engine/target.js";
import type { ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import type { PanosClient } from "../client/client.js";
import { showManagedDevices, showManagedGroups, showManagedStacks } from "../client/commands.js";
import { childOf, descend, textOf } from "../client/reply.js";
import type { PanosRequest } from "../client/request.js";
import { HIERARCHY } from "../device-groups.js";
import { isManager } from "../is-manager.js";
import { joinSubtrees } from "../read/join-subtrees.js";
import { readHierarchy } from "../read/read-hierarchy.js";
import type { OpenSession } from "../session.js";
import { compareMembers, type MemberList, memberKey } from "./members.js";
import { type Reached, reachedIn, reachesShared, withDescendants } from "./reached.js";

/**
 * Returns the firewalls that receive the configuration at the paths, or all firewalls without `reach`. Sends two requests for policies,
 * two for templates (docs/manager.md#five-levels) and one for `pairs`. Undefined for a device that is not a manager.
 */
export async function readFirewallStates(
  { client, identity }: OpenSession,
  reach: Reach | undefined,
  pairs: boolean,
): Promise<readonly ManagedFirewall[] | undefined> {
  if (!isManager(identity)) return undefined;
  const reads = [ofGroups(client, reach), ofStacks(client, reach)] as const;
  const [policies, templates, halves] = await Promise.all([...reads, pairs ? halvesOf(client) : new Map<string, ManagedFirewall["ha"]>()]);
  return [...policies, ...templates].map((row) => (halves.has(row.serial) ? { ...row, ha: halves.get(row.serial) } : row));
}

/** HA state and peer by serial number. The lists of groups and stacks omit them. */
async function halvesOf(client: PanosClient): Promise<ReadonlyMap<string, ManagedFirewall["ha"]>> {
  return new Map(
    (await devicesOf(client)).flatMap((device) => {
      const pair = childOf(device, "ha");
      const peer = textOf(descend(pair, "peer", "serial"));
      return pair === undefined || peer === "" ? [] : [[serialIn(device), { state: textIn(pair, "state"), peer }]];
    }),
  );
}

/** All devices that the manager knows. Empty if it does not offer the command. */
async function devicesOf(client: PanosClient): Promise<readonly TreeNode[]> {
  const reply = await client.runIfSupported(showManagedDevices);
  return descend(reply?.result, "devices")?.children ?? [];
}

async function ofGroups(client: PanosClient, reach: Reach | undefined): Promise<ManagedFirewall[]> {
  const reached = await reachedGroups(client, reach);
  if (reached !== "all" && reached.size === 0) return [];
  const groups = await entriesOf(client, showManagedGroups, "devicegroups");
  const rows = groups.filter(({ name }) => isIn(reached, name)).flatMap(rowsOfGroup);
  return await withUnconfirmed(client, "device-group", groups, rows, (name) => isIn(reached, name));
}

/** The rows, with state `unknown` for each firewall that only the command or only the configuration lists. */
async function withUnconfirmed(
  client: PanosClient,
  list: MemberList,
  shown: readonly TreeNode[],
  rows: readonly ManagedFirewall[],
  isReached: (name: string) => boolean,
): Promise<ManagedFirewall[]> {
  const { onlyConfigured, onlyShown } = await compareMembers(client, list, shown);
  const missing = onlyConfigured.filter(({ by }) => isReached(by.slice(list.length + 1)));
  const known = missing.length === 0 ? [] : await devicesOf(client);
  return [
    ...rows.map((row) => (onlyShown.has(memberKey(row)) ? { ...row, state: "unknown" as const } : row)),
    ...missing.map(({ by, serial }) => {
      const device = known.find((each) => serialIn(each) === serial);
      return { ...aboutOf(device ?? new TreeNode("entry", serial), by), state: "unknown" as const };
    }),
  ];
}

async function reachedGroups(client: PanosClient, reach: Reach | undefined): Promise<Reached> {
  if (reach === undefined || reachesShared(reach.paths)) return "all";
  const named = reachedIn(reach.paths, "device-group");
  if (named === "all" || named.size === 0) return named;
  const isRead = find(reach.tree, HIERARCHY) !== undefined;
  const hierarchy = isRead ? undefined : await readHierarchy(client, "running");
  return withDescendants(named, hierarchy === undefined ? reach.tree : joinSubtrees([{ path: HIERARCHY, node: hierarchy }]));
}

/** The state is in the firewall element, or in its virtual systems if it has several. */
function rowsOfGroup(group: TreeNode): ManagedFirewall[] {
  const sum = textIn(group, "shared-policy-md5sum");
  return (childOf(group, "devices")?.children ?? []).flatMap((device) => {
    const systems = (childOf(device, "vsys")?.children ?? []).filter((each) => textIn(each, POLICY.status) !== "");
    const by = `device-group/${group.name}`;
    if (systems.length === 0) return [{ ...aboutOf(device, by), ...stateOf(device, device, POLICY, sum) }];
    return systems.map((system) => ({ ...aboutOf(device, by), vsys: system.name, ...stateOf(device, system, POLICY, sum) }));
  });
}

async function ofStacks(client: PanosClient, reach: Reach | undefined): Promise<ManagedFirewall[]> {
  const stacks = reach === undefined ? "all" : reachedIn(reach.paths, "template-stack");
  const templates = reach === undefined ? "all" : reachedIn(reach.paths, "template");
  if (stacks !== "all" && templates !== "all" && stacks.size + templates.size === 0) return [];
  const known = await entriesOf(client, showManagedStacks, "template-stack");
  const isReached = (stack: TreeNode) =>
    isIn(stacks, stack.name) || (childOf(stack, "templates")?.children ?? []).some((member) => isIn(templates, textOf(member)));
  const wanted = known.filter(isReached);
  const rows = wanted.flatMap((stack) =>
    (childOf(stack, "devices")?.children ?? []).map((device) => ({
      ...aboutOf(device, `template-stack/${stack.name}`),
      ...stateOf(device, device, TEMPLATE, ""),
    })),
  );
  const omitted = (name: string) => !known.some((stack) => stack.name === name);
  return await withUnconfirmed(
    client,
    "template-stack",
    known,
    rows,
    (name) => wanted.some((stack) => stack.name === name) || omitted(name),
  );
}

async function entriesOf(client: PanosClient, command: PanosRequest, tag: string): Promise<readonly TreeNode[]> {
  const { result } = await client.run(command);
  return descend(result, tag)?.children ?? [];
}

function isIn(reached: Reached, name: string | undefined): boolean {
  return reached === "all" || (name !== undefined && reached.has(name));
}

function aboutOf(device: TreeNode, by: string): Pick<ManagedFirewall, "serial" | "hostname" | "by" | "connected"> {
  return {
    serial: serialIn(device),
    hostname: textIn(device, "hostname") || undefined,
    by,
    connected: textIn(device, "connected") === "yes",
  };
}

interface Fields {
  readonly status: string;
  readonly sum: string;
  readonly version: string;
  readonly result: string;
  readonly at: string;
}

const POLICY: Fields = {
  status: "shared-policy-status",
  sum: "shared-policy-md5sum",
  version: "shared-policy-version",
  result: "last-commit-all-state-sp",
  at: "last-commit-all-upd-sp",
};

const TEMPLATE: Fields = {
  status: "template-status",
  sum: "template-md5sum",
  version: "template-version",
  result: "last-commit-all-state-tpl",
  at: "last-commit-all-upd-tpl",
};

/** `wanted` is the expected checksum. Empty if the manager does not report one. */
function stateOf(
  device: TreeNode,
  holder: TreeNode,
  fields: Fields,
  wanted: string,
): Pick<ManagedFirewall, "state" | "version" | "lastPush"> {
  const result = textIn(holder, fields.result) || textIn(device, fields.result);
  const at = textIn(holder, fields.at) || textIn(device, fields.at);
  return {
    state: stateIn(textIn(holder, fields.status), textIn(holder, fields.sum), wanted),
    version: textIn(holder, fields.version) || undefined,
    lastPush: result === "" || result === "none" ? undefined : { result, at: at === "" || at === "none" ? undefined : at },
  };
}

function stateIn(status: string, sum: string, wanted: string): ManagedFirewall["state"] {
  if (/^out of sync$/i.test(status)) return "out of sync";
  if (!/^in sync$/i.test(status)) return "unknown";
  return sum !== "" && wanted !== "" && sum !== wanted ? "unknown" : "in sync";
}

function serialIn(device: TreeNode): string {
  return textIn(device, "serial") || (device.name ?? "");
}

function textIn(node: TreeNode, tag: string): string {
  return textOf(childOf(node, tag));
}
