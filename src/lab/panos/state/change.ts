import type { Edit, Effect } from "../config/edit.js";
import type { Stamp } from "../tree/stamp.js";

/** One uncommitted edit. `list changes` prints it; a partial commit or revert replays it. */
export interface PendingEdit {
  readonly stamp: Stamp;
  readonly edit: Edit;
  readonly effect: Effect;
}

/** Part of the configuration that an edit changes. Commits can be limited to such a part. */
export type Component = "policy-and-objects" | "device-and-network" | "shared-object";

export function componentOf(xpath: string): Component {
  if (xpath.startsWith("/config/shared")) return "shared-object";
  return vsysOf(xpath) === undefined ? "device-and-network" : "policy-and-objects";
}

/** Returns the vsys or the manager's device group in an xpath. Locks and partial commits use it as scope. */
export function vsysOf(xpath: string): string | undefined {
  const found = /\/(?:vsys|device-group)\/entry\[@name=(?:'([^']*)'|"([^"]*)")\]/.exec(xpath);
  return found?.[1] ?? found?.[2];
}

/** Returns the manager's group, template or stack in an xpath. */
export function managedOf(xpath: string): { readonly list: string; readonly name: string } | undefined {
  const found = /\/devices\/entry\[[^\]]*\]\/(device-group|template|template-stack)\/entry\[@name=(?:'([^']*)'|"([^"]*)")\]/.exec(xpath);
  return found?.[1] === undefined ? undefined : { list: found[1], name: found[2] ?? found[3] ?? "" };
}

/** Returns the rulebase in which an edit adds, deletes or moves rules. Devices commit such edits of all administrators together. */
export function rulebaseOf({ edit, effect }: PendingEdit): string | undefined {
  const match = /^(.*\/(?:\w+-)?rulebase\/[\w-]+)\/rules(?:\/entry\[[^\]]*\])?$/.exec(effect.xpath);
  if (match === null) return undefined;
  const rearranges = edit.action !== "set" && edit.action !== "edit";
  return rearranges || effect.before === undefined ? match[1] : undefined;
}
