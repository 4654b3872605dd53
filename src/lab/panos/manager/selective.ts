import type { TreeNode } from "../../../core/tree/node.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import type { PendingEdit } from "../state/change.js";
import { replay } from "../state/replay.js";
import type { Basis, Delivered } from "./attachment.js";

/** Behaviour of selective push that depends on the version or is undocumented. */
export interface SelectiveOptions {
  /** Kinds of pushes that accept `<admin>`. Default: `policies` since 10.2, `nothing` before. */
  readonly takes: "nothing" | "policies" | "policies and stacks";
  /** Version that the firewall reports after the push: the manager's newest, or its former version. Default: `newest`. */
  readonly version: "newest" | "kept";
  /** Maximum number of versions between the firewall's version and the manager's newest. Default: 100. */
  readonly window: number;
}

export function selectiveOptions({ version, options }: LabDevice): SelectiveOptions {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const knows = major > 10 || (major === 10 && minor >= 2);
  return { takes: knows ? "policies" : "nothing", version: "newest", window: 100, ...options.panorama?.selective };
}

/**
 * Configuration from which a package is built: the running configuration, or the firewall's version plus later edits of the selected
 * administrators.
 */
export interface Source {
  readonly root: TreeNode;
  readonly version: string;
  readonly basis: Basis;
}

/** Returns the source for a push. Throws if a selective push is not possible and all changes must be pushed once. */
export function sourceFor(manager: LabDevice, held: Delivered | undefined, admins: ReadonlySet<string> | undefined): Source {
  const { versions } = manager.saved;
  const newest = versions.length;
  if (admins === undefined)
    return { root: manager.running, version: String(newest), basis: { version: newest, edits: new Set<PendingEdit>(), manager } };
  const { window, version } = selectiveOptions(manager);
  const isOtherManager = held?.basis.manager !== manager && manager.options.panorama?.pairVersions?.foreign !== "counted";
  if (held === undefined || isOtherManager || newest - held.basis.version > window)
    throw new DeviceError("12", "Selective push is not possible: push all changes to this device once");
  const since = versions.slice(held.basis.version).flatMap(({ edits = [] }) => edits);
  const taken = since.filter((edit) => held.basis.edits.has(edit) || admins.has(edit.stamp.admin));
  const from = versions[held.basis.version - 1]?.root ?? manager.running;
  return {
    root: replay(from, taken, manager.settings),
    version: version === "kept" ? held.version : String(newest),
    basis: { version: held.basis.version, edits: new Set(taken), manager },
  };
}
