import { pathOf } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { Change, Diff, Finding } from "./change.js";

/** Collects changes and findings. Refuses changes at paths that match several nodes. */
export class Results implements Diff {
  readonly changes: Change[] = [];
  readonly findings: Finding[] = [];
  readonly remaining: Change[] = [];
  readonly unmanaged: Path[] = [];
  /** Functions that return the rule names of a rulebase in their final order, by the path of the rulebase. */
  readonly orders = new Map<string, () => readonly string[]>();
  readonly #repeated = new Map<TreeNode, ReadonlySet<string>>();
  readonly #reported = new Set<string>();

  add(change: Change): void {
    this.changes.push(change);
  }

  /** Returns the changes; each new rule has its place. */
  placed(): Change[] {
    if (this.orders.size === 0) return this.changes;
    const places = new Map<string, ReadonlyMap<string, string>>();
    return this.changes.map((change) => {
      if (change.kind !== "missing" || change.path.name === undefined || change.path.parent === undefined) return change;
      const list = change.path.parent.toString();
      const before =
        places.get(list) ??
        new Map(
          this.orders
            .get(list)?.()
            .map((name, at, order) => [name, order[at - 1] ?? ""]),
        );
      places.set(list, before);
      const follows = before.get(change.path.name);
      return follows === undefined ? change : { ...change, follows };
    });
  }

  find(kind: Finding["kind"], path: Path, message: string, origin: number, refuses: boolean): void {
    this.findings.push({ kind, path, message, origin, refuses });
  }

  /** Returns whether the element is one of several with the same tag, so that its path is ambiguous. Reports each place once. */
  refuseRepeated(path: Path, node: TreeNode, parents: readonly (TreeNode | undefined)[], origin: number): boolean {
    if (node.name !== undefined || node.tag === "member") return false;
    if (!parents.some((parent) => parent !== undefined && this.#repeatedTags(parent).has(node.tag))) return false;
    const place = path.toString();
    if (this.#reported.has(place)) return true;
    this.#reported.add(place);
    const what = node.tag === "#text" ? "Text between elements" : `One of several <${node.tag}> elements of one parent`;
    this.find("duplicate", path, `${what} differs; it has no address of its own and cannot be changed.`, origin, true);
    return true;
  }

  #repeatedTags(parent: TreeNode): ReadonlySet<string> {
    const known = this.#repeated.get(parent);
    if (known !== undefined) return known;
    const seen = new Set<string>();
    const repeated = new Set<string>(["#text"]);
    for (const child of parent.children) {
      if (child.name !== undefined) continue;
      if (seen.has(child.tag)) repeated.add(child.tag);
      seen.add(child.tag);
    }
    this.#repeated.set(parent, repeated);
    return repeated;
  }
}

/** Yields all `${keep}` leaves at or below a node, with their paths. */
export function* keptBelow(node: DesiredNode, path: Path): Generator<{ readonly path: Path; readonly node: DesiredNode }> {
  if (node.handling?.keep === true) yield { path, node };
  for (const child of node.children) yield* keptBelow(child, pathOf(path, child));
}
