import type { Edit, Effect } from "../config/edit.js";
import type { Stamp } from "../tree/stamp.js";

/** One uncommitted edit: what `list changes` prints, and what a partial commit or revert applies again. */
export interface PendingEdit {
  readonly stamp: Stamp;
  readonly edit: Edit;
  readonly effect: Effect;
}

/** What part of the configuration an edit touches, as commits can be limited to it. */
export type Component = "policy-and-objects" | "device-and-network" | "shared-object";

export function componentOf(xpath: string): Component {
  if (xpath.startsWith("/config/shared")) return "shared-object";
  return vsysOf(xpath) === undefined ? "device-and-network" : "policy-and-objects";
}

/** The vsys, or the device group of a manager, in an xpath: what locks and partial commits go by. */
export function vsysOf(xpath: string): string | undefined {
  const found = /\/(?:vsys|device-group)\/entry\[@name=(?:'([^']*)'|"([^"]*)")\]/.exec(xpath);
  return found?.[1] ?? found?.[2];
}

/** The group, template or stack of a manager in an xpath. */
export function managedOf(xpath: string): { readonly list: string; readonly name: string } | undefined {
  const found = /\/devices\/entry\[[^\]]*\]\/(device-group|template|template-stack)\/entry\[@name=(?:'([^']*)'|"([^"]*)")\]/.exec(xpath);
  return found?.[1] === undefined ? undefined : { list: found[1], name: found[2] ?? found[3] ?? "" };
}

/** The vsys and rulebase whose rules an edit adds, deletes or moves: devices commit such edits of all administrators together. */
export function rulebaseOf({ edit, effect }: PendingEdit): string | undefined {
  const match = /^(.*\/(?:\w+-)?rulebase\/[\w-]+)\/rules(?:\/entry\[[^\]]*\])?$/.exec(effect.xpath);
  if (match === null) return undefined;
  const rearranges = edit.action !== "set" && edit.action !== "edit";
  return rearranges || effect.before === undefined ? match[1] : undefined;
}
