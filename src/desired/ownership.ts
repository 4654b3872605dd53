import { PlumblineError, type Where } from "../core/errors.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { TargetDraft } from "./body/context.js";
import { DesiredNode, type Handling } from "./model.js";
import type { Problems } from "./problems.js";

/** One `owns:` line, merged over all documents of a target. */
export interface OwnedPath {
  readonly path: Path;
  readonly ownership: "exclusive" | "shared";
  readonly allowEmpty: boolean;
  readonly where: Where;
}

interface Step {
  owned: OwnedPath | undefined;
  readonly below: Map<string, Step>;
}

/**
 * Applies the lines of `owns:`. An exclusive container prunes, with all containers and lists below it, except lists that another line
 * calls shared. Nodes with `$partial: true`, and members under `$include`, stay open. A shared container marks itself and the lists below
 * it. Reports paths at which no document declares anything.
 */
export function applyOwnership(
  root: DesiredNode,
  shape: Shape,
  owned: readonly OwnedPath[],
  partial: ReadonlySet<DesiredNode>,
  problems: Problems,
): DesiredNode {
  if (owned.length === 0) return root;
  const top: Step = { owned: undefined, below: new Map() };
  for (const row of owned) {
    let at = top;
    for (const step of row.path.steps()) {
      const key = keyOf(step.tag, step.name);
      let next = at.below.get(key);
      if (next === undefined) {
        next = { owned: undefined, below: new Map() };
        at.below.set(key, next);
      }
      at = next;
    }
    at.owned = row;
  }
  const reached = new Set<OwnedPath>();
  const first = top.below.get(keyOf(root.tag, root.name));
  const prunes = first === undefined ? root : new OwnershipWalk(reached, partial).walk(root, shape, first);
  for (const row of owned) if (!reached.has(row)) problems.error(undeclared(row));
  return prunes;
}

class OwnershipWalk {
  readonly #reached: Set<OwnedPath>;
  readonly #partial: ReadonlySet<DesiredNode>;

  constructor(reached: Set<OwnedPath>, partial: ReadonlySet<DesiredNode>) {
    this.#reached = reached;
    this.#partial = partial;
  }

  walk(node: DesiredNode, shape: Shape, step: Step): DesiredNode {
    let at = node;
    if (step.below.size > 0)
      at = withChildren(
        node,
        node.prunes,
        node.children.map((child) => {
          const next = step.below.get(keyOf(child.tag, child.name));
          return next === undefined ? child : this.walk(child, shape.child(child.tag), next);
        }),
      );
    if (step.owned === undefined) return at;
    if (!node.declared && !node.children.some((child) => child.declared)) return at;
    this.#reached.add(step.owned);
    if (step.owned.ownership === "shared") return markShared(at);
    if (isContainer(at, shape)) return this.#closeAll(at, shape);
    const list = withChildren(at, true, at.children);
    return shape.key === undefined ? list : asExclusive(list);
  }

  #closeAll(node: DesiredNode, shape: Shape): DesiredNode {
    if (node.handling?.shared === true || this.#partial.has(node) || node.handling?.exclude !== undefined || node.handling?.keep === true)
      return node;
    if (node.children.length === 0 && (node.prunes || node.text !== "")) return node;
    return withChildren(
      node,
      true,
      node.children.map((child) => (child.tag === "member" ? child : this.#closeAll(child, shape.child(child.tag)))),
    );
  }
}

function isContainer(node: DesiredNode, shape: Shape): boolean {
  if (shape.kind !== "unknown") return shape.kind === "container" || shape.kind === "entry";
  const tag = node.children[0]?.tag;
  return tag !== undefined && tag !== "entry" && tag !== "member";
}

function withChildren(node: DesiredNode, prunes: boolean, children: readonly DesiredNode[]): DesiredNode {
  if (prunes === node.prunes && children.every((child, at) => child === node.children[at])) return node;
  const copy = new DesiredNode(node.tag, node.name, node.text, children, {
    origin: node.origin,
    prunes,
    declared: node.declared,
    handling: node.handling,
  });
  copy.attributes = node.attributes;
  return copy;
}

function asExclusive(list: DesiredNode): DesiredNode {
  return withHandling(list, list.children, { exclusive: true });
}

/** Marks a node and the containers and lists below it, down to the first entries. */
function markShared(node: DesiredNode): DesiredNode {
  const children = node.children.map((child) => (child.name === undefined && child.children.length > 0 ? markShared(child) : child));
  return withHandling(node, children, { shared: true });
}

function withHandling(node: DesiredNode, children: readonly DesiredNode[], more: Handling): DesiredNode {
  const { tag, name, text, origin, prunes, declared, handling } = node;
  const copy = new DesiredNode(tag, name, text, children, { origin, prunes, declared, handling: { ...handling, ...more } });
  copy.attributes = node.attributes;
  return copy;
}

function keyOf(tag: string, name: string | undefined): string {
  return name === undefined ? tag : `${tag} ${name}`;
}

function undeclared({ path, ownership, where }: OwnedPath): PlumblineError {
  const consequence = ownership === "exclusive" ? ", so every live entry there would be deleted" : "";
  return new PlumblineError(
    "exclusive-undeclared",
    `owns: calls ${path} ${ownership}, but no document declares anything there${consequence}.`,
    {
      where,
      next:
        ownership === "exclusive"
          ? "Declare the entries, delete the line in owns:, or declare [] with allowEmpty: true to empty the list."
          : "Correct the path, or delete the line in owns:.",
    },
  );
}

/** Checks declarations that are only valid with a matching `owns:` line. */
export function checkObligations(draft: TargetDraft, owned: readonly OwnedPath[], problems: Problems): void {
  const rows = new Map(owned.map((row) => [row.path.toString(), row]));
  for (const { kind, path, where, example } of draft.obligations) {
    const row = nearestRow(path, rows);
    if (kind === "shared-members") {
      if (row === undefined)
        problems.error(
          new PlumblineError("shared-members", `"${path.tag}" is shared: others also add members to it.`, {
            where,
            next: `Write ${example}, or make the path exclusive in owns:.`,
          }),
        );
    } else if (row?.allowEmpty !== true && (kind === "empty-list" || row !== undefined))
      problems.error(
        new PlumblineError(
          "empty-list",
          row === undefined ? `"${example}" is empty, and is not exclusive.` : `"${example}" is empty: everything live in it would go.`,
          {
            where,
            next: `If that is intended, write { exclusive: true, allowEmpty: true } for it in owns:. Otherwise delete the key.`,
          },
        ),
      );
  }
}

/** Returns the row of the path itself, or of an exclusive container above it. */
function nearestRow(path: Path, rows: ReadonlyMap<string, OwnedPath>): OwnedPath | undefined {
  if (rows.size === 0) return undefined;
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) {
    const row = rows.get(at.toString());
    if (row !== undefined) return row;
  }
  return undefined;
}
