import { PlumblineError } from "../../core/errors.js";
import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { parseXPath, type Selected, select, type XPath } from "../../core/tree/xpath.js";
import type { LiveAnswer, LiveLookup } from "../../desired/loaded.js";

/** What is known of one target that others refer to. */
export interface ReferredTarget {
  readonly rootTag: string;
  /** Its lists stand right below the root, and a list is read whole. */
  readonly isStrict: boolean;
  /** What is wanted of it; undefined where no document names it. */
  readonly desired: TreeNode | undefined;
  /** This run will write to it, and has not yet. */
  readonly willBeWritten: boolean;
}

interface Reading {
  readonly subtrees: ReadonlySet<string>;
  readonly tree: TreeNode | PlumblineError;
}

const NAMES = "/@name";

/**
 * Answers references from trees that were read, and notes what it was asked of those that were not: the caller reads that
 * and loads again.
 */
export class LiveTrees implements LiveLookup {
  /** XPaths whose answers still have to be read, by target. */
  readonly asked = new Map<string, Set<string>>();
  readonly #targets: ((name: string) => ReferredTarget | undefined) | undefined;
  readonly #readings = new Map<string, Reading>();

  /** Without `targets`, as before the first load, it only notes what it is asked. */
  constructor(targets?: (name: string) => ReferredTarget | undefined) {
    this.#targets = targets;
  }

  /** What a target's reader said of `subtrees`, or why it could not. */
  add(target: string, subtrees: readonly Path[], tree: TreeNode | PlumblineError): void {
    this.#readings.set(target, { subtrees: new Set(subtrees.map(String)), tree });
  }

  values(target: string, xpath: string): LiveAnswer<string> {
    const ofNames = xpath.endsWith(NAMES);
    const nodes = this.nodes(target, ofNames ? xpath.slice(0, -NAMES.length) : xpath);
    if (!Array.isArray(nodes)) return nodes as "later" | PlumblineError;
    const found = nodes as readonly Selected[];
    if (ofNames) return found.flatMap(({ node }) => node.name ?? []);
    const leaves = found.flatMap(({ node }) => (node.children.some((child) => child.tag === "member") ? node.children : [node]));
    if (leaves.some((leaf) => leaf instanceof SecretLeaf))
      return new PlumblineError("reference-secret", `${xpath} of ${target} is a stored secret.`, {
        where: { target, xpath },
        next: "Refer to where the secret comes from: ${env:NAME}, ${file:PATH}, ${exec:COMMAND}.",
      });
    return leaves.filter((leaf) => leaf.children.length === 0).map((leaf) => leaf.text);
  }

  nodes(target: string, xpath: string): LiveAnswer<Selected> {
    if (this.#targets === undefined) return this.#ask(target, xpath);
    const referred = this.#targets(target);
    if (referred === undefined) return [];
    const parsed = parseXPath(xpath);
    const reading = this.#readings.get(target);
    if (reading === undefined || !reading.subtrees.has(subtreeOf(xpath, referred).toString())) return this.#ask(target, xpath);
    if (reading.tree instanceof PlumblineError) return reading.tree;
    const found = select(reading.tree, parsed, Path.root.child(referred.rootTag));
    if (found.length > 0) return found;
    return referred.willBeWritten && isDeclaredOnTheWay(parsed, referred) ? "later" : [];
  }

  #ask(target: string, xpath: string): "later" {
    const known = this.asked.get(target);
    if (known === undefined) this.asked.set(target, new Set([xpath]));
    else known.add(xpath);
    return "later";
  }
}

/** What must be read to answer: the list right below the root of a strict kind, else as much of the path as is exact. */
export function subtreeOf(xpath: string, { rootTag, isStrict }: Pick<ReferredTarget, "rootTag" | "isStrict">): Path {
  const { absolute, steps } = parseXPath(xpath);
  let path = Path.root.child(rootTag);
  for (const { tag, predicates } of absolute ? steps.slice(1) : steps) {
    const [predicate, ...more] = predicates;
    if (tag === undefined || more.length > 0 || (isStrict && path.depth === 2)) return path;
    if (predicate === undefined) path = path.child(tag);
    else if (predicate.kind === "attribute" && predicate.name === "name") path = path.entry(predicate.value, tag);
    else return path;
  }
  return path;
}

/** True where an entry that the path leads through is declared: what is in it will be there once it is made. */
function isDeclaredOnTheWay(xpath: XPath, { desired, rootTag }: ReferredTarget): boolean {
  if (desired === undefined) return false;
  const last = xpath.steps.findLastIndex(({ predicates }) => predicates.length > 0);
  for (let length = last + 1; length > 0; length -= 1) {
    if ((xpath.steps[length - 1]?.predicates.length ?? 0) === 0) continue;
    if (select(desired, { ...xpath, steps: xpath.steps.slice(0, length) }, Path.root.child(rootTag)).length > 0) return true;
  }
  return false;
}
