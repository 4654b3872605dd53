import { readJson } from "../core/json/read-json.js";
import type { TreeNode } from "../core/tree/node.js";
import { DesiredNode } from "../desired/model.js";
import type { Capabilities, Identity } from "../plan/platform.js";
import type { TargetContext, TargetRecords } from "./pass/context.js";

/** Results of trials on one device with one version. */
export interface Checked {
  readonly format: 1;
  readonly serial: string;
  readonly version: string;
  /** ISO 8601. */
  readonly time: string;
  readonly answers: Readonly<Record<string, "yes" | "no">>;
}

type Place = Pick<TargetContext, "owner" | "name"> & { readonly records: Pick<TargetRecords, "leases"> };

/** Reads the results for this device and version. Undefined if missing, or for another device or version. */
export async function readChecked(
  { owner, name, records: { leases } }: Place,
  { serial, version }: Identity,
): Promise<Checked | undefined> {
  const found = await leases.read({ owner, target: keyOf(name) });
  if (found === undefined) return undefined;
  const checked = readJson(found.text) as Checked;
  return checked.format === 1 && checked.serial === serial && checked.version === version ? checked : undefined;
}

/** Replaces the results of the target. @throws VersionConflict if another process writes concurrently. */
export async function writeChecked({ owner, name, records: { leases } }: Place, checked: Checked): Promise<void> {
  const key = { owner, target: keyOf(name) };
  const known = await leases.read(key);
  await leases.write(key, `${JSON.stringify(checked, null, 1)}\n`, known?.version);
}

/**
 * Adds the results of trials to the capabilities. Reads them only if the desired state renames an object. Unreadable results count as
 * unknown.
 */
export async function withChecked(capabilities: Capabilities, identity: Identity, context: TargetContext): Promise<Capabilities> {
  if (!capabilities.rename || capabilities.renameKeepsReferences !== undefined || !renames(context.desired.root)) return capabilities;
  const checked = await readChecked(context, identity).catch(() => undefined);
  const renameKeepsReferences = checked?.answers.renameKeepsReferences;
  return renameKeepsReferences === undefined ? capabilities : { ...capabilities, renameKeepsReferences };
}

function renames(node: TreeNode): boolean {
  return (node instanceof DesiredNode && node.handling?.was !== undefined) || node.children.some(renames);
}

/** Stored next to the ledger. Target names cannot contain a colon. */
function keyOf(target: string): string {
  return `:checked:${target}`;
}
