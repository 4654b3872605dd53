import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";

/** Group of items directly below a scope. */
export const TOP_LEVEL = "top level";

/** A path for display: its scope, its group (a list or a container) and the item in the group. */
export interface ShownPlace {
  /** `vsys1`, `shared`, `device-group/edge`, `device`. Empty for a tree without scopes. */
  readonly scope: string;
  /** `rulebase/security/rules`, `deviceconfig/system`. */
  readonly group: string;
  /** Entry name, or leaf tag if the group is a container. */
  readonly item: string;
  /** Path below the item: `source-user`, `profile-setting/group`. Empty for the item itself. */
  readonly rest: string;
}

/** Splits a path for display. The target's shape defines the scopes. */
export function shownPlace(path: Path, shape: Shape): ShownPlace {
  const steps = path.steps();
  let at = shape;
  let scopeEnd = 1;
  const scopes: string[] = [];
  const shapes: Shape[] = [];
  for (const [i, step] of steps.entries()) {
    at = i === 0 ? shape : at.child(step.tag);
    shapes.push(at);
    if (i === 0 || !(at.scope || at.globalScope)) continue;
    const list = steps[i - 1]?.tag;
    scopes.push(step.name === undefined ? step.tag : list === "vsys" || list === "devices" ? step.name : `${list}/${step.name}`);
    scopeEnd = i + 1;
  }
  const inner = steps.slice(scopeEnd);
  const entryAt = inner.findIndex((step, i) => step.name !== undefined && !shapes[scopeEnd + i]?.structural);
  const itemAt = entryAt === -1 ? inner.length - 1 : entryAt;
  const show = (from: number, to: number) =>
    inner
      .slice(from, to)
      .map((step) => step.name ?? step.text ?? step.tag)
      .join("/");
  const item = inner[itemAt];
  return {
    scope: scopeName(scopes),
    group: show(0, itemAt) || TOP_LEVEL,
    item: item === undefined ? path.toString() : (item.name ?? item.text ?? item.tag),
    rest: show(itemAt + 1, path.text === undefined ? inner.length : inner.length - 1),
  };
}

/** The device entry is only shown if it is the innermost scope. */
function scopeName(scopes: readonly string[]): string {
  const [first, ...rest] = scopes;
  if (first === undefined) return "";
  return rest.length > 0 ? rest.join(" ") : first === "localhost.localdomain" ? "device" : first;
}
