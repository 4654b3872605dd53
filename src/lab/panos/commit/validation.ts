import type { TreeNode } from "../../../tree/node.js";
import { needsNoDefinition } from "../references/literals.js";
import { NameIndex } from "../references/name-index.js";
import { type Reference, visitRoot } from "../references/names.js";
import { arrowsOf, placeOf } from "../tree/place.js";
import { commitFindings } from "../validation/on-commit.js";

/**
 * What validate and commit refuse: required fields, choices not made, references to nothing. What was wrong in the
 * configuration that the lab was started with stays allowed, since the device it came from had committed it.
 */
export class Validation {
  readonly #initial: TreeNode;
  #known: ReadonlySet<string> | undefined;

  constructor(initial: TreeNode) {
    this.#initial = initial;
  }

  /** The first finding, as devices report only one; undefined when the configuration is good. */
  firstFinding(root: TreeNode): string | undefined {
    const findings = findingsOf(root);
    if (findings.length === 0) return undefined;
    this.#known ??= new Set(findingsOf(this.#initial));
    return findings.find((finding) => this.#known?.has(finding) !== true);
  }
}

function findingsOf(root: TreeNode): string[] {
  return [...commitFindings(root), ...danglingReferences(root)];
}

/** Every reference that names nothing, in the words of devices. */
export function danglingReferences(root: TreeNode): string[] {
  const index = new NameIndex();
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
