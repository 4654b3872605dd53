import { find, shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { DesiredNode } from "../desired/model.js";
import type { Change, Finding } from "./diff/change.js";
import { EffectFinder } from "./effect-finder.js";
import type { PlanInput, Refusal } from "./model.js";
import { Catalog, type NameReference, Scopes } from "./namespace.js";
import { markedEntry } from "./objects.js";
import { survey } from "./reference-index.js";
import { rowAround } from "./row.js";

/** A part of an object that refers to a recreated object. The plan removes it before and writes it again afterwards. */
export interface Detached {
  /** The object around the part. */
  readonly holder: Path;
  /** The removed leaf, member or entry without a name of its own. */
  readonly row: Path;
  /** The recreated object that the part refers to. */
  readonly from: Path;
}

/** An object with a permanent reference to a recreated object; the plan recreates it, too. */
interface Dragged {
  readonly entry: Path;
  readonly live: TreeNode;
  readonly desired: DesiredNode;
  readonly because: Path;
}

export interface Dependants {
  readonly dragged: readonly Dragged[];
  readonly detached: readonly Detached[];
  readonly findings: readonly Finding[];
  readonly refusals: readonly Refusal[];
}

type Input = Pick<PlanInput, "candidate" | "shape">;

/**
 * Finds references to objects that are deleted and recreated: platforms keep objects in use. A declared part that can be removed is
 * detached for that time. An object with a permanent reference is recreated too, if its document allows that. Any other reference refuses
 * the plan before a request is sent.
 */
export function dependantsOf(replaced: readonly Path[], changes: readonly Change[], desired: DesiredNode, input: Input): Dependants {
  return new Search(changes, desired, input).from(replaced);
}

class Search {
  readonly #changes: readonly Change[];
  readonly #desired: DesiredNode;
  readonly #input: Input;
  readonly #finder: EffectFinder;
  readonly #scopes = new Scopes();
  readonly #entries = new Set<string>();
  readonly #dragged: Dragged[] = [];
  readonly #detached: Detached[] = [];
  readonly #findings: Finding[] = [];
  readonly #refusals: Refusal[] = [];

  constructor(changes: readonly Change[], desired: DesiredNode, input: Input) {
    this.#changes = changes;
    this.#desired = desired;
    this.#input = input;
    this.#finder = new EffectFinder(input.candidate, input.shape, this.#scopes);
  }

  from(replaced: readonly Path[]): Dependants {
    for (const entry of replaced) this.#entries.add(entry.toString());
    for (let next = replaced; next.length > 0; ) {
      const before = this.#dragged.length;
      for (const { reference, entry } of this.#naming(next)) this.#meet(reference, entry);
      next = this.#dragged.slice(before).map(({ entry }) => entry);
    }
    return { dragged: this.#dragged, detached: this.#detached, findings: this.#findings, refusals: this.#refusals };
  }

  /** Returns live references from elsewhere to objects at or below the entries. */
  #naming(entries: readonly Path[]): { readonly reference: NameReference; readonly entry: Path }[] {
    const { candidate, shape } = this.#input;
    const names = new Set<string>();
    for (const entry of entries) {
      names.add(entry.name ?? "");
      namesBelow(find(candidate, entry), names);
    }
    const { definitions, references } = survey(candidate, shape, this.#scopes, names);
    const catalog = new Catalog();
    for (const definition of definitions) catalog.add(definition);
    return references.flatMap((reference) => {
      const path = catalog.resolve(reference)?.path;
      const entry = path === undefined ? undefined : entries.find((each) => each.contains(path));
      const isCopied = path?.parent !== undefined && shapeAt(path.parent, shape).copied === true;
      return entry === undefined || isCopied || entry.contains(reference.path) ? [] : [{ reference, entry }];
    });
  }

  #meet({ path }: NameReference, entry: Path): void {
    const holder = markedEntry(path, this.#input.shape);
    if (holder === undefined || this.#entries.has(holder.toString()) || this.#isDeleted(path)) return;
    const live = find(this.#input.candidate, holder);
    const desired = find(this.#desired, holder) as DesiredNode | undefined;
    if (live === undefined) return;
    if (desired === undefined || this.#isRenamed(holder))
      this.#refuse(entry, `"${holder.name}" (${holder}) names it, and is not declared here`);
    else if (this.#isFixed(path, holder)) this.#drag({ entry: holder, live, desired, because: entry });
    else this.#detach(path, holder, entry);
  }

  #drag(dragged: Dragged): void {
    const { entry, desired, because } = dragged;
    if (desired.handling?.replace !== true) {
      this.#refuse(because, `"${entry.name}" (${entry}) depends on it. $replace: true on both recreates both`, entry);
      return;
    }
    this.#entries.add(entry.toString());
    this.#dragged.push(dragged);
    this.#findings.push({
      kind: "made-again",
      path: entry,
      message: `It depends on "${because.name}", which is recreated. It is deleted before that and recreated afterwards: its id changes and its content is lost.`,
      origin: desired.origin,
      refuses: false,
    });
  }

  #detach(path: Path, holder: Path, entry: Path): void {
    const row = rowAround(path, this.#finder);
    const wanted = find(this.#desired, row) as DesiredNode | undefined;
    if (wanted === undefined || path.name !== undefined) {
      const tag = holder.depth < row.depth ? (row.steps()[holder.depth]?.tag ?? row.tag) : row.tag;
      this.#refuse(
        entry,
        `"${holder.name}" (${holder}) uses it in ${tag}, which would not be restored. Declare ${tag} there, or remove it first`,
      );
      return;
    }
    this.#detached.push({ holder, row, from: entry });
    this.#findings.push({
      kind: "detached",
      path: holder,
      message: `It is detached while "${entry.name}" is recreated, and attached again afterwards. Its traffic is interrupted in between${this.#users(holder)}.`,
      origin: wanted.origin,
      refuses: false,
    });
  }

  #users(holder: Path): string {
    const users = new Set(this.#naming([holder]).map(({ reference }) => markedEntry(reference.path, this.#input.shape)?.name ?? ""));
    if (users.size === 0) return "";
    return ` (${[...users].map((name) => `"${name}"`).join(", ")} ${users.size === 1 ? "uses" : "use"} it)`;
  }

  #refuse(entry: Path, why: string, path = entry): void {
    const message = `"${entry.name}" would be recreated, and is in use: ${why}.`;
    this.#refusals.push({ guard: "replace", message, path, allow: undefined });
  }

  /** Returns whether the plan itself deletes the reference or a node around it. */
  #isDeleted(path: Path): boolean {
    return this.#changes.some((change) => change.kind === "extra" && change.path.contains(path));
  }

  #isRenamed(holder: Path): boolean {
    return this.#changes.some(
      (change) =>
        change.kind === "renamed" &&
        (change.path.contains(holder) || change.path.parent?.entry(change.from, change.path.tag).contains(holder) === true),
    );
  }

  /** Returns whether the reference can only be set when the object is created. */
  #isFixed(path: Path, holder: Path): boolean {
    return path
      .steps()
      .slice(holder.depth)
      .some((step) => shapeAt(step, this.#input.shape).immutable === true);
  }
}

function namesBelow(node: TreeNode | undefined, names: Set<string>): void {
  for (const child of node?.children ?? []) {
    if (child.name !== undefined) names.add(child.name);
    namesBelow(child, names);
  }
}
