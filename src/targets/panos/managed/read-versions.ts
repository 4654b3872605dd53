import type { TreeNode } from "../../../core/tree/node.js";
import type { RunningVersion } from "../../../outcome/managed-firewalls.js";
import { showVersions } from "../client/commands.js";
import { childOf, textOf } from "../client/reply.js";
import type { OpenSession } from "../session.js";

/**
 * Reads the committed versions of the manager, oldest first. They show who made the changes that a firewall does not have yet. Empty if the
 * manager has no list.
 */
export async function readVersions({ client }: OpenSession): Promise<readonly RunningVersion[]> {
  const reply = await client.runIfSupported(showVersions);
  const rows = reply?.result === undefined ? [] : entriesIn(reply.result);
  return rows.flatMap((row) => versionOf(row)).sort((a, b) => a.version - b.version);
}

function entriesIn(node: TreeNode): readonly TreeNode[] {
  return node.children.flatMap((child) => (child.tag === "entry" ? [child] : entriesIn(child)));
}

function versionOf(entry: TreeNode): RunningVersion[] {
  const text = (tag: string) => textOf(childOf(entry, tag));
  const version = Number(text("version") || (entry.name ?? ""));
  if (!Number.isSafeInteger(version) || version < 1) return [];
  return [{ version, admin: text("admin"), time: text("time"), description: text("description") }];
}
