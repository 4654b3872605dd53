import { groupBy } from "../../../core/group-by.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { protectSecrets } from "../../../core/tree/stored-secrets.js";
import type { InTheWay, ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import type { PanosClient } from "../client/client.js";
import { showChanges, showLocks } from "../client/commands.js";
import { locksIn } from "../locks.js";
import { pendingIn } from "../pending-reply.js";
import { nameConflicts, overridesOf } from "../projection/name-conflicts.js";
import type { Projection } from "../projection/projection.js";
import { templateFor } from "../projection/stacks.js";
import { readSubtree } from "../read/read-subtree.js";
import { panosShape } from "../shape.js";
import { GROUP, STACK } from "./rows.js";

/** Maximum number of findings of one kind per firewall. */
const MAX_REPORTED = 20;

const CONFIG = Path.root.child("config");

type Found = Omit<InTheWay, "serial" | "hostname">;

/** Finds local state of each connected firewall that conflicts with the pushed configuration. It sends four requests per firewall. */
export async function readLocalConflicts(
  client: PanosClient,
  projection: Projection,
  rows: readonly ManagedFirewall[],
): Promise<InTheWay[]> {
  const connected = [
    ...groupBy(
      rows.filter((row) => row.connected),
      (row) => row.serial,
    ),
  ];
  const found = await Promise.all(
    connected.map(async ([serial, own]) => {
      const conflicts = await localOf(client.firewall(serial), projection, own).catch((error: unknown): Found[] => [
        { kind: "unknown", xpath: CONFIG.toString(), words: error instanceof Error ? error.message : String(error) },
      ]);
      return conflicts.map((each): InTheWay => ({ serial, hostname: own[0]?.hostname, ...each }));
    }),
  );
  return found.flat();
}

async function localOf(firewall: PanosClient, projection: Projection, rows: readonly ManagedFirewall[]): Promise<Found[]> {
  const [read, config, commit, changes] = await Promise.all([
    readSubtree(firewall, CONFIG, "running"),
    locksOf(firewall, "config"),
    locksOf(firewall, "commit"),
    uncommittedOn(firewall),
  ]);
  const running = read === undefined ? undefined : protectSecrets(read, panosShape());
  return [...config, ...commit, ...(running === undefined ? [] : rows.flatMap((row) => ownOf(row, running, projection))), ...changes];
}

function ownOf({ serial, vsys = "vsys1", by }: ManagedFirewall, running: TreeNode, projection: Projection): Found[] {
  const policy = by.startsWith(GROUP) ? projection.policy(by.slice(GROUP.length)) : undefined;
  const template = by.startsWith(STACK) ? templateFor(projection.stack(by.slice(STACK.length)), serial) : undefined;
  const sameNames = policy === undefined ? [] : [...nameConflicts(policy, running, vsys)];
  const overrides = template === undefined ? [] : [...overridesOf(template, running)];
  return [
    ...sameNames.slice(0, MAX_REPORTED).map(({ path, collides }): Found => {
      const words = collides
        ? `the firewall already has an object of this name, as does ${by}`
        : `its own one counts, not the shared one of its manager`;
      return { kind: collides ? "name" : "override", xpath: path.toString(), words };
    }),
    ...overrides.slice(0, MAX_REPORTED).map(({ path, wanted, found }): Found => {
      const values = wanted === undefined && found === undefined ? "" : `, ${found ?? "nothing"} and not ${wanted ?? "nothing"}`;
      return { kind: "override", xpath: path.toString(), words: `its own value counts${values}` };
    }),
  ];
}

async function locksOf(firewall: PanosClient, kind: "config" | "commit"): Promise<Found[]> {
  const reply = await firewall.runIfSupported(showLocks(kind));
  const locks = reply === undefined ? [] : locksIn(reply, kind);
  return locks.map(({ owner, scope, comment }) => ({
    kind: "lock",
    xpath: CONFIG.toString(),
    words: `${owner} holds the ${kind} lock of ${scope}${comment === "" ? "" : ` (${comment})`}`,
  }));
}

/** Returns one row per owner. Empty if the firewall does not list its changes. */
async function uncommittedOn(firewall: PanosClient): Promise<Found[]> {
  const reply = await firewall.runIfSupported(showChanges);
  const changes = reply === undefined ? [] : pendingIn(reply);
  return [...groupBy(changes, ({ owner }) => owner)].map(([owner, own]) => ({
    kind: "uncommitted",
    xpath: own[0]?.xpath ?? CONFIG.toString(),
    words: `${own.length} uncommitted by ${owner}, which a push does not change`,
  }));
}
