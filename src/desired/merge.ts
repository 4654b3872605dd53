import { PlumblineError, type Where } from "../core/errors.js";
import type { Shape } from "../core/tree/shape.js";
import { mergeBlocks } from "./blocks.js";
import type { TargetDraft } from "./body/context.js";
import { choiceConflict } from "./body/element.js";
import { DesiredNode, type Handling } from "./model.js";
import type { Problems } from "./problems.js";
import { checkRenames } from "./renames.js";
import type { SourceMap } from "./source-map.js";

/** Context for merging the documents of a target. */
export class Merging {
  readonly draft: TargetDraft;
  readonly problems: Problems;
  readonly #sources: SourceMap;

  constructor(draft: TargetDraft, sources: SourceMap, problems: Problems) {
    this.draft = draft;
    this.problems = problems;
    this.#sources = sources;
  }

  where(origin: number): Where {
    return this.#sources.locate(origin) ?? { target: this.draft.target };
  }

  /** Returns `, at FILE:LINE` for the end of a sentence; empty if no file declares `node`. */
  elsewhere({ origin }: DesiredNode, word = "at"): string {
    const location = this.#sources.locate(origin);
    return location === undefined ? "" : `, ${word} ${location.file}:${location.line}`;
  }

  /** Records that both nodes declare the same object, entry or member. */
  join(kept: DesiredNode, other: DesiredNode): void {
    this.#sources.join(kept.origin, other.origin);
  }

  error(error: PlumblineError): void {
    this.problems.error(error);
  }
}

/**
 * Merges the trees of all documents of a target. Containers and lists merge. An entry may be in several documents only if all of them use
 * `$partial`. A leaf may be in one document only. Visits each node once, however many documents there are.
 */
export class Merge {
  readonly #merging: Merging;

  constructor(merging: Merging) {
    this.#merging = merging;
  }

  /** Merges `fragments` with the same tag and name. `shared`: below an entry that several documents share. */
  merge(fragments: readonly DesiredNode[], shape: Shape, shared = false): DesiredNode {
    const [first] = fragments as readonly [DesiredNode];
    if (fragments.length === 1) return first;
    const declared = fragments.filter((fragment) => fragment.declared);
    if (first.tag === "entry" && !this.#mayShare(declared, fragments)) return first;
    if (this.#isMembers(declared, shape)) return this.#mergeMembers(declared, shared);
    if (declared.length > 1 && declared.some((one) => isLeaf(one, shape))) return this.#leafTwice(declared, shared);
    const below = shared || (first.tag === "entry" && declared.length > 0);
    const { entries: children, split } = shape.ordered
      ? mergeBlocks(fragments, (origin) => this.#merging.where(origin), this.#merging.problems)
      : { entries: fragments.flatMap((fragment) => fragment.children), split: false };
    const merged = this.#groups(children).map((group) => this.merge(group, shape.child((group[0] as DesiredNode).tag), below));
    this.#checkChoices(merged, shape);
    checkRenames(merged, shape, (origin) => this.#merging.where(origin), this.#merging.problems);
    return this.#node(fragments, declared, merged, split ? without(joined(declared), "position", "contiguous") : joined(declared));
  }

  /** Groups children by tag and name, in the order of first occurrence. */
  #groups(children: readonly DesiredNode[]): DesiredNode[][] {
    const groups = new Map<string, DesiredNode[]>();
    for (const child of children) {
      const key = keyOf(child);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [child]);
      else group.push(child);
    }
    return [...groups.values()];
  }

  #mayShare(declared: readonly DesiredNode[], fragments: readonly DesiredNode[]): boolean {
    const pruning = declared.find((one) => one.prunes);
    if (pruning === undefined) return true;
    const other = fragments.find((one) => one !== pruning) as DesiredNode;
    this.#merging.error(
      new PlumblineError(
        "declared-twice",
        `The entry "${pruning.name}" is declared in two documents${this.#merging.elsewhere(other, "also at")}.`,
        {
          where: this.#merging.where(pruning.origin),
          next: "Keep one of them, or write $partial: true in all of them.",
        },
      ),
    );
    return false;
  }

  #isMembers(declared: readonly DesiredNode[], shape: Shape): boolean {
    if (declared.length < 2) return false;
    return shape.kind === "members" || declared.some((one) => listsMembers(one));
  }

  #mergeMembers(declared: readonly DesiredNode[], shared: boolean): DesiredNode {
    const [first, second] = declared as readonly [DesiredNode, DesiredNode];
    const complete = declared.find((one) => one.handling?.exclude === undefined) ?? this.#unlike(declared);
    if (complete !== undefined) {
      if (shared && declared.every((one) => sameMembers(one, first))) return first;
      this.#merging.error(
        new PlumblineError(
          "declared-twice",
          `The members of "${first.tag}" are declared in two documents${this.#merging.elsewhere(complete === first ? second : first, "also at")}.`,
          {
            where: this.#merging.where(complete.origin),
            next: "Keep one complete list, or write { $include: [...] } in all of them.",
          },
        ),
      );
      return first;
    }
    const members = new Map(declared.flatMap((one) => one.children).map((one) => [one.text, one]));
    const exclude = new Set(declared.flatMap((one) => one.handling?.exclude ?? []));
    for (const text of exclude) {
      const included = members.get(text);
      if (included === undefined) continue;
      this.#merging.error(
        new PlumblineError("leaf-conflict", `One document includes the member "${text}", another excludes it.`, {
          where: this.#merging.where(included.origin),
          next: "Delete it from one of them.",
        }),
      );
    }
    for (const one of declared.flatMap(({ children }) => children)) this.#merging.join(members.get(one.text) ?? one, one);
    const node = this.#node(declared, declared, [...members.values()], { ...joined(declared), exclude: [...exclude] });
    for (const one of declared) if (this.#merging.draft.edits.delete(one)) this.#merging.draft.edits.add(node);
    return node;
  }

  /** Returns a node that edits a wider document's list, if another one manages its own part. */
  #unlike(declared: readonly DesiredNode[]): DesiredNode | undefined {
    const edits = declared.filter((one) => one.handling?.edits === true);
    return edits.length === declared.length ? undefined : edits[0];
  }

  #leafTwice(declared: readonly DesiredNode[], shared: boolean): DesiredNode {
    const [first, ...others] = declared as readonly [DesiredNode, ...DesiredNode[]];
    const other = others.find((one) => one.text !== first.text || one.children.length > 0 || first.children.length > 0);
    if (other === undefined && shared) return first;
    const where = this.#merging.where((other ?? (others[0] as DesiredNode)).origin);
    if (other !== undefined)
      this.#merging.error(
        new PlumblineError(
          "leaf-conflict",
          `"${first.tag}" is declared differently in two documents${this.#merging.elsewhere(first, "also at")}.`,
          {
            where,
            next: "Keep the correct one.",
          },
        ),
      );
    else
      this.#merging.error(
        new PlumblineError("declared-twice", `"${first.tag}" is declared in two documents${this.#merging.elsewhere(first, "also at")}.`, {
          where,
          next: "Delete one of them.",
        }),
      );
    return first;
  }

  #node(
    fragments: readonly DesiredNode[],
    declared: readonly DesiredNode[],
    children: readonly DesiredNode[],
    handling: Handling | undefined,
  ): DesiredNode {
    const model = (declared[0] ?? fragments[0]) as DesiredNode;
    for (const other of declared) this.#merging.join(model, other);
    const node = new DesiredNode(model.tag, model.name, "", children, {
      origin: model.origin,
      prunes: declared.some((one) => one.prunes),
      declared: declared.length > 0,
      handling,
    });
    if (declared.some((one) => this.#merging.draft.partial.has(one))) this.#merging.draft.partial.add(node);
    return node;
  }

  #checkChoices(children: readonly DesiredNode[], shape: Shape): void {
    if (shape.kind === "list") return;
    const taken = new Map<string, string>();
    for (const child of children) {
      const choice = child.declared ? shape.child(child.tag).choice : undefined;
      if (choice === undefined) continue;
      const other = taken.get(choice);
      if (other !== undefined) this.#merging.error(choiceConflict(other, child.tag, this.#merging.where(child.origin)));
      taken.set(choice, child.tag);
    }
  }
}

function sameMembers(a: DesiredNode, b: DesiredNode): boolean {
  return a.children.length === b.children.length && a.children.every((child, at) => child.text === b.children[at]?.text);
}

function joined(nodes: readonly DesiredNode[]): Handling | undefined {
  const handlings = nodes.flatMap((node) => (node.handling === undefined ? [] : [node.handling]));
  return handlings.length === 0 ? undefined : Object.assign({}, ...handlings);
}

function without(handling: Handling | undefined, ...keys: readonly (keyof Handling)[]): Handling | undefined {
  if (handling === undefined) return undefined;
  const rest = Object.entries(handling).filter(([key]) => !(keys as readonly string[]).includes(key));
  return rest.length === 0 ? undefined : (Object.fromEntries(rest) as Handling);
}

/** Key of a node among its siblings. */
export function keyOf({ tag, name }: DesiredNode): string {
  return name === undefined ? tag : `${tag} ${name}`;
}

export function isLeaf({ children, text }: DesiredNode, shape: Shape): boolean {
  return shape.kind === "leaf" || (children.length === 0 && text !== "");
}

/** Returns whether a node lists members, all of them or a managed part. */
export function listsMembers({ handling, children }: DesiredNode): boolean {
  return handling?.exclude !== undefined || children[0]?.tag === "member";
}
