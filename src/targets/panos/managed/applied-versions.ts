import { TreeNode } from "../../../core/tree/node.js";
import type { ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import type { PanosClient } from "../client/client.js";
import type { Projection } from "../projection/projection.js";
import { type SentByFirewalls, verifyFirewalls } from "./verify-firewalls.js";
import { readVersion } from "./versions-that-change.js";

/** Maximum number of versions to compare with the firewalls. Each is a complete configuration. */
const MOST = 10;

/**
 * Finds the version of this manager that each firewall has. It tries the versions that the firewalls report first, then the newest. Rows
 * without a match get no version. If the running configuration differs from the newest version, no row gets one: this manager took it over
 * from its peer without a version number. `running` is the running configuration.
 */
export async function readAppliedVersions(
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
  const of = async (version: number) => running.of(await readVersion(client, version).catch(() => new TreeNode("config")));
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
