import { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { parseXPath, type Step, select } from "../core/tree/xpath/xpath.js";
import type { DesiredNode } from "./model.js";

/**
 * Returns whether a path selects among objects instead of naming one. Objects of other owners match such a path only if the document
 * requests that. Otherwise, without any matching declaration, the path would select every live object.
 */
export function isOpen(xpath: string, shape: Shape): boolean {
  return !isOffered(xpath, shape) && choosesAmong(xpath, shape);
}

/** Returns whether a path leads into a list that no document declares: the platform's own objects (images, flavors). */
export function isOffered(xpath: string, shape: Shape): boolean {
  const { absolute, steps } = parseXPath(xpath);
  const list = steps[absolute ? 1 : 0]?.tag;
  return list !== undefined && shape.child(list).readOnly === true;
}

function choosesAmong(xpath: string, shape: Shape): boolean {
  const { absolute, steps } = parseXPath(xpath);
  let at = shape;
  for (const step of absolute ? steps.slice(1) : steps) {
    if (step.tag === undefined) return true;
    at = at.child(step.tag);
    const isEntry = step.tag === "entry";
    if (isEntry && nameIn(step) === undefined) return true;
    if (isEntry && !at.structural) return false;
  }
  return false;
}

/** Expands an open path to one path per declared entry on it. Empty if there is no such entry. */
export function throughDeclared(xpath: string, root: DesiredNode): Path[] {
  const parsed = parseXPath(xpath);
  const entries = parsed.steps.flatMap(({ tag }, at) => (tag === "entry" ? [at + 1] : []));
  for (const length of entries.reverse()) {
    const found = select(root, { ...parsed, steps: parsed.steps.slice(0, length) }, Path.root.child(root.tag));
    if (found.length > 0) return found.flatMap(({ path }) => extended(path, parsed.steps.slice(length)) ?? []);
  }
  return [];
}

/** Returns undefined if a step has a condition other than a name. */
function extended(path: Path, steps: readonly Step[]): Path | undefined {
  let at = path;
  for (const step of steps) {
    const name = nameIn(step);
    if (step.tag === undefined || (step.predicates.length > 0 && name === undefined)) return undefined;
    at = name === undefined ? at.child(step.tag) : at.entry(name, step.tag);
  }
  return at;
}

function nameIn({ predicates: [only, ...others] }: Step): string | undefined {
  return others.length === 0 && only?.kind === "attribute" && only.name === "name" ? only.value : undefined;
}
