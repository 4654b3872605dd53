import { isIP } from "node:net";
import { PlumblineError } from "../../core/errors.js";
import { pathOf } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";

/** Scopes from the outermost to the innermost. A name is defined in the last one. */
type Scopes = readonly string[];

interface Naming {
  readonly path: Path;
  readonly value: string;
  readonly kinds: readonly string[];
  readonly scopes: Scopes;
}

/**
 * Refuses a tree with an unresolved reference, or with an empty match list, which would mean `any`. A firewall checks this after each
 * operation. `shape` is that of the root element. Literal addresses and reserved words are not references.
 * @throws PlumblineError `reference-unresolved`, `match-list-empty`
 */
export function checkReferences(root: TreeNode, shape: Shape): void {
  const check = new Check();
  check.walk(root, shape, shape, Path.root.child(root.tag), []);
  check.finish();
}

class Check {
  readonly #references: Naming[] = [];
  /** Scopes that define an object, by `kind` and name. */
  readonly #definitions = new Map<string, Set<string>>();

  walk(node: TreeNode, shape: Shape, above: Shape, path: Path, scopes: Scopes): void {
    if (node.name !== undefined && above.defines !== undefined) this.#define(above.defines, node.name, scopes.at(-1) ?? "");
    if (node.name !== undefined) this.#refer(shape, node.name, path, scopes);
    else if (node.children.length === 0) this.#refer(node.tag === "member" ? above : shape, node.text, path, scopes);
    if (shape.matchList && node.children.length === 0) throw emptyList(path);
    const inner = shape.globalScope ? ["*"] : shape.scope ? [...scopes, path.toString()] : scopes;
    for (const child of node.children) this.walk(child, shape.child(child.tag), shape, pathOf(path, child), inner);
  }

  #define(kind: string, name: string, scope: string): void {
    const key = `${kind}\n${name}`;
    const known = this.#definitions.get(key) ?? new Set();
    this.#definitions.set(key, known.add(scope));
  }

  #refer(shape: Shape, value: string, path: Path, scopes: Scopes): void {
    if (shape.references.length === 0 || value === "" || shape.reserved.has(value) || isAddress(value)) return;
    this.#references.push({ path, value, kinds: shape.references, scopes });
  }

  finish(): void {
    for (const reference of this.#references) if (!this.#resolves(reference)) throw unresolved(reference);
  }

  #resolves({ kinds, value, scopes }: Naming): boolean {
    for (const kind of kinds) {
      const known = this.#definitions.get(`${kind}\n${value}`);
      if (known === undefined) continue;
      if (known.has("") || known.has("*") || scopes.some((scope) => known.has(scope))) return true;
    }
    return false;
  }
}

/** Whether the value is an address, a network or a range. */
function isAddress(value: string): boolean {
  return value.split("-").every((part) => isIP(part.split("/")[0] ?? "") !== 0);
}

function unresolved({ path, value }: Naming): PlumblineError {
  return new PlumblineError("reference-unresolved", `"${value}" is referenced but does not exist.`, {
    where: { xpath: path.toString() },
    next: "Declare the object, or take the reference away.",
  });
}

function emptyList(path: Path): PlumblineError {
  return new PlumblineError("match-list-empty", "The list is empty and would match anything.", {
    where: { xpath: path.toString() },
    next: "Declare at least one member.",
  });
}
