import { PlumblineError } from "../../core/errors.js";
import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { parseXPath, type Selected, select, type XPath } from "../../core/tree/xpath/xpath.js";
import type { LiveAnswer, LiveLookup } from "../../desired/loaded.js";

/** A target that other targets refer to. */
export interface ReferredTarget {
  readonly rootTag: string;
  /** The lists are directly below the root, and a list is always read completely. */
  readonly isStrict: boolean;
  /** Desired state of the target. Undefined if no document declares it. */
  readonly desired: TreeNode | undefined;
  /** This run will write to it, and has not yet. */
  readonly willBeWritten: boolean;
}

interface Reading {
  readonly subtrees: readonly Path[];
  readonly tree: TreeNode | PlumblineError;
}

const NAMES = "/@name";

/**
 * Answers references from trees that were read, and records the references to trees that were not. The caller reads those and loads again.
 */
export class LiveTrees implements LiveLookup {
  /** XPaths whose answers still have to be read, by target. */
  readonly requested = new Map<string, Set<string>>();
  readonly #targets: ((name: string) => ReferredTarget | undefined) | undefined;
  readonly #readings = new Map<string, Reading>();

  /** Without `targets`, as before the first load, it only records the references. */
  constructor(targets?: (name: string) => ReferredTarget | undefined) {
    this.#targets = targets;
  }

  /** Adds a tree that was read at `subtrees`, or the error of the read. */
  add(target: string, subtrees: readonly Path[], tree: TreeNode | PlumblineError): void {
    this.#readings.set(target, { subtrees, tree });
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
        next: "Refer to the source of the secret: ${env:NAME}, ${file:PATH}, ${exec:COMMAND}.",
      });
    return leaves.filter((leaf) => leaf.children.length === 0).map((leaf) => leaf.text);
  }

  nodes(target: string, xpath: string): LiveAnswer<Selected> {
    if (this.#targets === undefined) return this.#request(target, xpath);
    const referred = this.#targets(target);
    if (referred === undefined) return [];
    const parsed = parseXPath(xpath);
    const reading = this.#readings.get(target);
    const subtree = subtreeOf(xpath, referred);
    if (reading === undefined || !reading.subtrees.some((path) => path.contains(subtree))) return this.#request(target, xpath);
    if (reading.tree instanceof PlumblineError) return reading.tree;
    const found = select(reading.tree, parsed, Path.root.child(referred.rootTag));
    if (found.length > 0) return found;
    return referred.willBeWritten && isDeclaredOnTheWay(parsed, referred) ? "later" : [];
  }

  #request(target: string, xpath: string): "later" {
    const known = this.requested.get(target);
    if (known === undefined) this.requested.set(target, new Set([xpath]));
    else known.add(xpath);
    return "later";
  }
}

/** Path to read for a reference: the list directly below the root for a strict kind, otherwise the longest exact prefix. */
export function subtreeOf(xpath: string, { rootTag, isStrict }: Pick<ReferredTarget, "rootTag" | "isStrict">): Path {
  const { absolute, steps } = parseXPath(xpath);
  let path = Path.root.child(rootTag);
  for (const { tag, predicates } of absolute ? steps.slice(1) : steps) {
    const [predicate, ...more] = predicates;
    if (tag === undefined || more.length > 0 || (isStrict && path.depth === 2)) return path;
    // An entry without a name stands for all entries of its list.
    if (predicate === undefined && tag === "entry") return path;
    if (predicate === undefined) path = path.child(tag);
    else if (predicate.kind === "attribute" && predicate.name === "name") path = path.entry(predicate.value, tag);
    else return path;
  }
  return path;
}

/** True if the desired state declares an entry on the path. Its contents will exist once it is created. */
function isDeclaredOnTheWay(xpath: XPath, { desired, rootTag }: ReferredTarget): boolean {
  if (desired === undefined) return false;
  const last = xpath.steps.findLastIndex(({ predicates }) => predicates.length > 0);
  for (let length = last + 1; length > 0; length -= 1) {
    if ((xpath.steps[length - 1]?.predicates.length ?? 0) === 0) continue;
    if (select(desired, { ...xpath, steps: xpath.steps.slice(0, length) }, Path.root.child(rootTag)).length > 0) return true;
  }
  return false;
}
