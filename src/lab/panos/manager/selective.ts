import type { TreeNode } from "../../../core/tree/node.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import type { PendingEdit } from "../state/change.js";
import { replay } from "../state/replay.js";
import type { Basis, Delivered } from "./attachment.js";

/** Of selective push, where versions differ and nobody wrote it down. */
export interface SelectiveOptions {
  /** Kinds of pushes that take `<admin>`; policies alone from 10.2 on when left out, none before. */
  readonly takes: "nothing" | "policies" | "policies and stacks";
  /** The version that a firewall bears afterwards: the manager's newest, or the one that it had; `newest` when left out. */
  readonly version: "newest" | "kept";
  /** Versions that may lie between what a firewall has and what is running; 100 when left out. */
  readonly window: number;
}

export function selectiveOptions({ version, options }: LabDevice): SelectiveOptions {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const knows = major > 10 || (major === 10 && minor >= 2);
  return { takes: knows ? "policies" : "nothing", version: "newest", window: 100, ...options.selective };
}

/** What a firewall is handed of: what is running, or what it has with the work of some administrators since. */
export interface Source {
  readonly root: TreeNode;
  readonly version: string;
  readonly basis: Basis;
}

/** Throws why a firewall can be handed nothing but all. */
export function sourceFor(manager: LabDevice, held: Delivered | undefined, admins: ReadonlySet<string> | undefined): Source {
  const { versions } = manager.saved;
  const newest = versions.length;
  if (admins === undefined)
    return { root: manager.running, version: String(newest), basis: { version: newest, edits: new Set<PendingEdit>(), manager } };
  const { window, version } = selectiveOptions(manager);
  const isForeign = held?.basis.manager !== manager && manager.options.pairVersions?.foreign !== "counted";
  if (held === undefined || isForeign || newest - held.basis.version > window)
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
