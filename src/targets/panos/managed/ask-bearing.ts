import { TreeNode } from "../../../core/tree/node.js";
import type { ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import type { PanosClient } from "../client/client.js";
import type { Projection } from "../projection/projection.js";
import { askVersion } from "./ask-touched.js";
import { type SentByFirewalls, verifyFirewalls } from "./verify-firewalls.js";

/** Versions that firewalls are held against: each is a whole configuration. */
const MOST = 10;

/**
 * The rows with the number of that version of this manager which each firewall has by what it says itself: first those are tried whose numbers
 * they bear, then the newest. Without a number where it is none of them, and where something else is running than the newest version: then it keeps no
 * number of what it took over from the other one, and nobody can say whose that is. `running`: what is.
 */
export async function askBearing(
  client: PanosClient,
  running: Projection,
  rows: readonly ManagedFirewall[],
  versions: readonly number[],
): Promise<ManagedFirewall[]> {
  const borne = new Set(rows.map(({ version }) => Number(version)));
  const newestFirst = versions.toSorted((a, b) => b - a);
  const tried = [...newestFirst.filter((each) => borne.has(each)), ...newestFirst.filter((each) => !borne.has(each))];
  const sent: SentByFirewalls = new Map();
  const found = new Map<ManagedFirewall, number>();
  const of = async (version: number) => running.of(await askVersion(client, version).catch(() => new TreeNode("config")));
  const [newest] = newestFirst;
  const isKept = newest !== undefined && running.isSame(await of(newest));
  for (const version of isKept ? tried.slice(0, MOST) : []) {
    const open = rows.filter((row) => row.connected && !found.has(row));
    if (open.length === 0) break;
    const judged = await verifyFirewalls(client, version === newest ? running : await of(version), open, sent);
    for (const [at, row] of open.entries()) if (judged[at]?.handed?.state === "equal") found.set(row, version);
  }
  return rows.map((row) => ({ ...row, version: found.get(row)?.toString() }));
}
