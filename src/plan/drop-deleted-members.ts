import { find, shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { DesiredNode } from "../desired/model.js";
import type { Change } from "./diff/change.js";
import { EffectFinder } from "./effect-finder.js";
import type { PlanInput } from "./model.js";
import { Catalog, type NameReference, Scopes } from "./namespace.js";
import { survey } from "./reference-index.js";

/**
 * Adds undeclared member lists of declared entries that refer to an object which `changes` delete, without that object. The platform fills
 * in such a list, so removing the line does not cause a change. Without this, the object could never be deleted.
 */
export function withoutDeletedMembers(
  desired: DesiredNode,
  changes: readonly Change[],
  { candidate, shape, kindGuards }: Pick<PlanInput, "candidate" | "shape" | "kindGuards">,
): DesiredNode {
  const scopes = new Scopes(kindGuards.scopeParents?.(candidate));
  const finder = new EffectFinder(candidate, shape, scopes);
  const deletes = changes.filter(({ kind, path }) => kind === "extra" && path.name !== undefined);
  const { removes } = finder.of(deletes.map(({ path }) => ({ action: "delete", at: path })));
  if (removes.length === 0) return desired;
  const deleted = new Catalog();
  for (const definition of removes) deleted.add(definition);
  const { references } = survey(candidate, shape, scopes, new Set(removes.map(({ name }) => name)));
  const lists = new Map<string, { readonly path: Path; readonly members: Set<string> }>();
  for (const reference of references) {
    const path = deleted.resolve(reference) === undefined ? undefined : undeclaredList(reference, desired, shape);
    if (path === undefined) continue;
    const list = lists.get(path.toString()) ?? { path, members: new Set() };
    lists.set(path.toString(), list);
    list.members.add(reference.value);
  }
  return [...lists.values()].reduce((root, { path, members }) => {
    const list = shapeAt(path, shape);
    const texts = (find(candidate, path)?.children ?? []).map(({ text }) => text).filter((text) => !members.has(text));
    return withList(root, path, texts.length === 0 && list.initial !== undefined ? [list.initial] : texts);
  }, desired);
}

/** Returns the list of the reference when its entry is declared and the list, which the platform fills in, is not. */
function undeclaredList({ path }: NameReference, desired: DesiredNode, shape: Shape): Path | undefined {
  const list = path.parent;
  if (path.text === undefined || list?.parent === undefined) return undefined;
  const { kind, computed, readOnly } = shapeAt(list, shape);
  if (kind !== "members" || computed !== true || readOnly === true) return undefined;
  const entry = find(desired, list.parent) as DesiredNode | undefined;
  return entry?.prunes === true && find(desired, list) === undefined ? list : undefined;
}

function withList(root: DesiredNode, list: Path, texts: readonly string[]): DesiredNode {
  const steps = list.steps().slice(1, -1);
  const change = (node: DesiredNode, depth: number): DesiredNode => {
    const step = steps[depth];
    if (step === undefined) return withChildren(node, [...node.children, listOf(node, list.tag, texts)]);
    const isNext = ({ tag, name }: TreeNode) => tag === step.tag && name === step.name;
    return withChildren(
      node,
      node.children.map((child) => (isNext(child) ? change(child, depth + 1) : child)),
    );
  };
  return change(root, 0);
}

function listOf({ origin }: DesiredNode, tag: string, texts: readonly string[]): DesiredNode {
  const facts = { origin, prunes: true, declared: true };
  return new DesiredNode(
    tag,
    undefined,
    "",
    texts.map((text) => new DesiredNode("member", undefined, text, [], facts)),
    facts,
  );
}

function withChildren(node: DesiredNode, children: readonly DesiredNode[]): DesiredNode {
  return new DesiredNode(node.tag, node.name, node.text, children, node);
}
