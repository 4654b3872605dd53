import type { TreeNode } from "../../../core/tree/node.js";
import { unimportedInterfaces } from "../references/imports.js";
import { needsNoDefinition } from "../references/literals.js";
import { NameIndex } from "../references/name-index.js";
import { type Reference, visitRoot } from "../references/names.js";
import { Visibility } from "../references/visibility.js";
import { arrowsOf, placeOf } from "../tree/place.js";
import { commitFindings } from "../validation/on-commit.js";

/**
 * Checks of validate and commit: required fields, missing choices, interfaces without an import and dangling references. Findings in the initial configuration of the
 * lab are allowed, because the device that it came from had committed it.
 */
export class Validation {
  readonly #initial: TreeNode;

  constructor(initial: TreeNode) {
    this.#initial = initial;
  }

  /**
   * Returns the first finding, because devices report only one, or undefined if the configuration is valid. References are checked only
   * if `references` is set: each edit already checks the references of the candidate.
   */
  firstFinding(root: TreeNode, references: boolean): string | undefined {
    const finding = this.#first(root, commitFindings) ?? this.#first(root, unimportedInterfaces);
    return finding ?? (references ? this.#first(root, danglingReferences) : undefined);
  }

  #first(root: TreeNode, find: (root: TreeNode) => string[]): string | undefined {
    const findings = find(root);
    if (findings.length === 0) return undefined;
    const known = initialFindings(this.#initial, find);
    return findings.find((finding) => !known.has(finding));
  }
}

const initial = new WeakMap<TreeNode, Map<(root: TreeNode) => string[], ReadonlySet<string>>>();

/**
 * Returns the findings in an initial configuration. Devices with the same configuration share its root, so the findings are cached by
 * root.
 */
function initialFindings(root: TreeNode, find: (root: TreeNode) => string[]): ReadonlySet<string> {
  const byKind = initial.get(root) ?? new Map<(root: TreeNode) => string[], ReadonlySet<string>>();
  initial.set(root, byKind);
  const known = byKind.get(find) ?? new Set(find(root));
  byKind.set(find, known);
  return known;
}

/** Returns the device's message for every dangling reference. */
function danglingReferences(root: TreeNode): string[] {
  const index = new NameIndex(new Visibility(root));
  const counter = index.counter(1);
  const references: Reference[] = [];
  visitRoot(root, placeOf([root]), {
    definition: (definition) => counter.definition(definition),
    reference: (reference) => {
      references.push(reference);
    },
  });
  return references
    .filter((each) => !needsNoDefinition(each) && !index.resolves(each.kinds, each.value, each.scopes))
    .map((each) => `${arrowsOf(each.chain.slice(0, -1))} '${each.value}' is not a valid reference`);
}
