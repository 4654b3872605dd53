import type { TreeNode } from "../../../core/tree/node.js";
import type { ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import type { PanosClient } from "../client/client.js";
import { getConfiguration } from "../client/commands.js";
import { childOf } from "../client/reply.js";
import { readSubtree } from "../read/read-subtree.js";
import { deviceEntry } from "../scope.js";

/** A list of the manager that assigns firewalls: to device groups or to template stacks. */
export type MemberList = "device-group" | "template-stack";

/** Firewalls that only one of the two sources lists, as `by serial` (`device-group/branch 0071`). */
interface Disagreement {
  readonly onlyConfigured: readonly Pick<ManagedFirewall, "by" | "serial">[];
  readonly onlyShown: ReadonlySet<string>;
}

const AGREED: Disagreement = { onlyConfigured: [], onlyShown: new Set() };

/**
 * Compares the firewalls that a `show` command lists with the members in the manager's configuration. One small request suffices while
 * both agree. It reads the candidate, because `show` accepts no path to several nodes. Otherwise the running list decides.
 */
export async function compareMembers(client: PanosClient, list: MemberList, shown: readonly TreeNode[]): Promise<Disagreement> {
  const path = deviceEntry.child(list);
  const reply = await client.runIfPresent(getConfiguration("candidate", `${path.toString()}/entry/devices`));
  const candidate = reply?.result?.children ?? [];
  const serials = candidate.flatMap(({ children }) => children.map(({ name = "" }) => name));
  if (sortedText(serials) === sortedText(shown.flatMap(memberSerials))) return AGREED;
  const running = await readSubtree(client, path, "running");
  const configured = membersOf(list, running?.children ?? []);
  const known = membersOf(list, shown);
  return {
    onlyConfigured: [...configured].flatMap(([key, member]) => (known.has(key) ? [] : [member])),
    onlyShown: new Set([...known.keys()].filter((key) => !configured.has(key))),
  };
}

export function memberKey({ by, serial }: Pick<ManagedFirewall, "by" | "serial">): string {
  return `${by} ${serial}`;
}

function membersOf(list: MemberList, entries: readonly TreeNode[]): ReadonlyMap<string, Pick<ManagedFirewall, "by" | "serial">> {
  const members = entries.flatMap((entry) => memberSerials(entry).map((serial) => ({ by: `${list}/${entry.name}`, serial })));
  return new Map(members.map((member) => [memberKey(member), member]));
}

function memberSerials(entry: TreeNode): string[] {
  return (childOf(entry, "devices")?.children ?? []).map(({ name = "" }) => name);
}

function sortedText(serials: readonly string[]): string {
  return serials.toSorted().join(" ");
}
