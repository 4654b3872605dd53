import { canonicalScalar } from "../../core/tree/canonical.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import { DesiredNode } from "../../desired/model.js";
import { isInherited } from "./inherited.js";

/** The difference of two member lists. */
export interface MembersDifference {
  readonly missing: readonly DesiredNode[];
  /** Live members to delete, and why. */
  readonly extra: readonly { readonly node: TreeNode; readonly reason: "closed" | "excluded" }[];
  /** The members are in another order, and the order matters. */
  readonly reordered: boolean;
}

/** The member that matches everything. */
const ANY = "any";

const NONE: MembersDifference = { missing: [], extra: [], reordered: false };

/** Compares members as sets, or as sequences if the shape is ordered. Ignored members are skipped on both sides. */
export function compareMembers(desired: DesiredNode, live: TreeNode, shape: Shape): MembersDifference {
  if (desired.handling === undefined && sameSequence(desired, live)) return NONE;
  const { equality } = shape;
  const wanted = new Map<string, DesiredNode>();
  const ignored = new Set<string>();
  for (const child of desired.children) {
    const key = canonicalScalar(child.text, equality);
    if (child.handling?.ignored === true) ignored.add(key);
    else if (child.declared) wanted.set(key, child);
  }
  const excluded = new Set((desired.handling?.exclude ?? []).map((text) => canonicalScalar(text, equality)));
  const found = new Set<string>();
  const extra: { node: TreeNode; reason: "closed" | "excluded" }[] = [];
  for (const node of live.children) {
    const key = canonicalScalar(node.text, equality);
    if (ignored.has(key)) continue;
    if (wanted.has(key)) found.add(key);
    else if (isInherited(node)) continue;
    else if (excluded.has(key)) extra.push({ node, reason: "excluded" });
    else if (desired.prunes) extra.push({ node, reason: "closed" });
  }
  const missing = [...wanted].filter(([key]) => !found.has(key)).map(([, node]) => node);
  const reordered =
    shape.ordered && desired.prunes && [...wanted.keys()].filter((key) => found.has(key)).join("\n") !== [...found].join("\n");
  return { missing, extra, reordered };
}

function sameSequence(desired: DesiredNode, live: TreeNode): boolean {
  const { children } = live;
  if (desired.children.length !== children.length) return false;
  for (let i = 0; i < children.length; i += 1) {
    const wanted = desired.children[i];
    if (wanted === undefined || wanted.text !== children[i]?.text || wanted.handling !== undefined) return false;
  }
  return true;
}

/**
 * Checks a change of some members of a list with a limit, or in which `any` must be the only member. `replaced`: one edit must write the
 * list, because the device refuses old and new members together. `refused`: live members that no document excludes would stay with them.
 */
export function changeOfLimited(
  live: TreeNode,
  { missing, extra }: Pick<MembersDifference, "missing" | "extra">,
  shape: Shape,
): "replaced" | { readonly refused: string } | undefined {
  if (missing.length === 0) return undefined;
  const removed = new Set(extra.map(({ node }) => node));
  const staying = live.children.filter((member) => !removed.has(member)).map(({ text }) => text);
  const after = [...staying, ...missing.map(({ text }) => text)];
  const { most = Number.POSITIVE_INFINITY } = shape;
  if (after.length > most)
    return {
      refused: `"${live.tag}" would hold ${after.length} members, and the device allows ${most}. Add $exclude: [${staying.join(", ")}], or declare the complete list.`,
    };
  const takesAny = missing.some(isAny);
  const concernsAny = anyIsAlone(shape) && (takesAny || live.children.some(isAny));
  if (!concernsAny) return live.children.length + missing.length > most ? "replaced" : undefined;
  if (!after.includes(ANY) || after.length === 1) return "replaced";
  const excluded = takesAny ? after.filter((text) => text !== ANY) : [ANY];
  return {
    refused: `"${live.tag}" would hold any together with other members, which the device refuses. Add $exclude: [${excluded.join(", ")}], or declare the complete list.`,
  };
}

/** Returns the list with only its declared members, to be written completely. */
export function asCompleteList({ tag, name, children, origin }: DesiredNode): DesiredNode {
  const members = children.filter((child) => child.declared && child.handling?.ignored !== true);
  return new DesiredNode(tag, name, "", members, { origin, prunes: true, declared: true });
}

/**
 * Returns whether one edit must write a list, because the device refuses its old and new members together: `any` and others, or more than
 * its limit.
 */
export function isReplaced({ before, after }: { readonly before: TreeNode; readonly after: TreeNode }, shape: Shape): boolean {
  if (anyIsAlone(shape) && before.children.some(isAny) !== after.children.some(isAny)) return true;
  return shape.most !== undefined && new Set([...before.children, ...after.children].map(({ text }) => text)).size > shape.most;
}

const isAny = ({ text }: TreeNode): boolean => text === ANY;

function anyIsAlone({ matchList, reserved }: Shape): boolean {
  return matchList && reserved.has(ANY);
}
