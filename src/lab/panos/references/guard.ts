import type { TreeNode } from "../../../core/tree/node.js";
import { invalidObject, notAReference, referenced } from "../device-messages.js";
import { hierarchyOf } from "../state/device-groups.js";
import type { Chain, ConfigTree, TreeObserver } from "../tree/config-tree.js";
import { arrowsOf, type Place, placeOf } from "../tree/place.js";
import { findChild } from "../tree/sibling-index.js";
import { isImportedForZone } from "./imports.js";
import { needsNoDefinition } from "./literals.js";
import { NameIndex } from "./name-index.js";
import { type Definition, type NameVisitor, type Reference, visitNames, visitRoot } from "./names.js";
import { Visibility } from "./visibility.js";

/** Checks the names of a configuration. Detects edits that leave a dangling reference, add a dangling reference or define a name twice. */
export class ReferenceGuard implements TreeObserver {
  readonly #tree: ConfigTree;
  #index: NameIndex | undefined;
  /** Group hierarchy for which the index was created. After a move of a group, other names are visible. */
  #hierarchy: TreeNode | undefined;
  #removed: Definition[] = [];
  #added: Definition[] = [];
  #references: Reference[] = [];
  /**
   * References that the operation removed, with their scope. If an edit rewrites a reference that was dangling before, it may stay
   * dangling.
   */
  #former = new Set<string>();

  constructor(tree: ConfigTree) {
    this.#tree = tree;
    tree.observer = this;
  }

  /** Prepares the check of an operation. The first call, and a call after groups were moved, counts the complete configuration. */
  begin(): void {
    this.#removed = [];
    this.#added = [];
    this.#references = [];
    this.#former = new Set();
    const hierarchy = hierarchyOf(this.#tree.root);
    if (this.#index !== undefined && this.#hierarchy === hierarchy) return;
    this.#hierarchy = hierarchy;
    this.#index = new NameIndex(new Visibility(this.#tree.root), baseIndex(this.#tree.root));
  }

  added(parents: Chain, node: TreeNode): void {
    this.#visit(parents, node, 1, {
      definition: (definition) => this.#added.push(definition),
      reference: (reference) => this.#references.push(reference),
    });
  }

  removed(parents: Chain, node: TreeNode): void {
    this.#visit(parents, node, -1, {
      definition: (definition) => this.#removed.push(definition),
      reference: (reference) => this.#former.add(keyOf(reference)),
    });
  }

  /** Throws the device's error (codes 10 and 12) if the edits since `begin` broke a reference or defined a name twice. */
  check(): void {
    const index = this.#index;
    if (index === undefined) return;
    for (const definition of this.#removed) {
      if (index.isMissed(definition))
        throw referenced(
          definition.name,
          this.#referrers(definition).map((chain) => arrowsOf(chain)),
        );
    }
    for (const definition of this.#added) {
      if (index.clashes(definition)) throw invalidObject(`${definition.name} is already in use`);
    }
    for (const reference of this.#references) {
      if (this.#isGood(reference) || this.#former.has(keyOf(reference)) || !this.#exists(reference)) continue;
      throw notAReference(arrowsOf(reference.chain.slice(0, -1)), reference.value);
    }
  }

  /** Whether the reference is still in the tree. The operation may have added it and then removed it. */
  #exists({ chain }: Reference): boolean {
    let node: TreeNode | undefined = this.#tree.root;
    for (const step of chain.slice(1)) {
      node = findChild(node.children, step.tag, step.name, step.children.length === 0 && step.text !== "" ? step.text : undefined);
      if (node === undefined) return false;
    }
    return true;
  }

  #isGood(reference: Reference): boolean {
    if (!isImportedForZone(reference.chain, reference.value)) return false;
    return needsNoDefinition(reference) || this.#index?.resolves(reference.kinds, reference.value, reference.scopes) === true;
  }

  #referrers(definition: Definition): Chain[] {
    const found: Chain[] = [];
    const root = this.#tree.root;
    visitRoot(root, placeOf([root]), {
      definition: () => {},
      reference: ({ kinds, value, scopes, chain }) => {
        if (value !== definition.name || !kinds.includes(definition.kind)) return;
        if (this.#index?.resolves(kinds, value, scopes) === false) found.push(chain);
      },
    });
    return found;
  }

  #visit(parents: Chain, node: TreeNode, step: 1 | -1, also: NameVisitor): void {
    const index = this.#index;
    if (index === undefined) return;
    const counter = index.counter(step);
    const visitor: NameVisitor = {
      definition: (definition) => {
        counter.definition(definition);
        also.definition(definition);
      },
      reference: (reference) => {
        counter.reference(reference);
        also.reference(reference);
      },
    };
    if (parents.length === 0) visitRoot(node, placeOf([node]), visitor);
    else visitNames(parents, placeOf(parents) as Place, node, visitor);
  }
}

/** Counts of configurations before their first edit, by root. Devices with the same configuration share its root. */
const bases = new WeakMap<TreeNode, NameIndex>();

function baseIndex(root: TreeNode): NameIndex {
  const known = bases.get(root);
  if (known !== undefined) return known;
  const made = new NameIndex(new Visibility(root));
  visitRoot(root, placeOf([root]), made.counter(1));
  bases.set(root, made);
  return made;
}

function keyOf({ value, scopes }: Reference): string {
  return `${scopes.join("/")}\n${value}`;
}
