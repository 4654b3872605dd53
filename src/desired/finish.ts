import { formatWhere, PlumblineError } from "../core/errors.js";
import { SecretValue } from "../core/secret.js";
import { contentKey } from "../core/tree/content-key.js";
import { markTag } from "../core/tree/owner-mark.js";
import type { Shape } from "../core/tree/shape.js";
import { checkText } from "./leaf-types.js";
import { DesiredNode } from "./model.js";
import type { Problems } from "./problems.js";
import type { SourceMap } from "./source-map.js";

/**
 * Last step of loading a strict kind, after all references are resolved (ADR 7). Entries without names get keys from their content.
 * Entries of marked lists get the mark of `owner`. Hidden values become secrets. Types of texts and names are checked. Reports `value-type`
 * and `declared-twice`.
 */
export function finishDesired(root: DesiredNode, shape: Shape, owner: string, sources: SourceMap, problems: Problems): DesiredNode {
  return new Finish(owner, sources, problems).node(root, shape);
}

class Finish {
  readonly #owner: string;
  readonly #sources: SourceMap;
  readonly #problems: Problems;

  constructor(owner: string, sources: SourceMap, problems: Problems) {
    this.#owner = owner;
    this.#sources = sources;
    this.#problems = problems;
  }

  node(node: DesiredNode, shape: Shape): DesiredNode {
    if (node.children.length === 0 && node.name === undefined) {
      this.#checkType(node, shape);
      return shape.hidden === true ? hidden(node) : node;
    }
    if (node.name !== undefined) this.#checkName(node, node.name, shape);
    if (shape.kind === "container") for (const child of node.children) this.#checkKey(child, shape);
    const finished = node.children.map((child) => this.node(child, shape.child(child.tag)));
    const named = shape.key === undefined ? finished : this.#named(finished, shape);
    const children = [...named, ...this.#mark(node, shape)];
    const isSame = children.length === node.children.length && children.every((child, index) => child === node.children[index]);
    return isSame ? node : copy(node, node.name, children);
  }

  #checkType(node: DesiredNode, shape: Shape): void {
    const { handling, text } = node;
    // A member list with only `$exclude` has no text.
    if (shape.type === undefined || shape.kind === "members" || !node.declared) return;
    if (handling?.unresolved !== undefined || handling?.secret !== undefined || handling?.keep === true) return;
    const expected = checkText(shape.type, text);
    if (expected === undefined) return;
    const made = handling?.madeBy === undefined ? "" : ` (from ${handling.madeBy})`;
    this.#problems.error(
      new PlumblineError("value-type", `"${text}"${made} is not ${expected}.`, {
        where: this.#sources.locate(node.origin),
        next: `Write ${expected}.`,
      }),
    );
  }

  /** Checks the name of an element against the type of its container. */
  #checkKey({ tag, origin }: DesiredNode, { type }: Shape): void {
    const expected = type === undefined ? undefined : checkText(type, tag);
    if (expected === undefined) return;
    this.#problems.error(
      new PlumblineError("value-type", `"${tag}" is not ${expected}.`, { where: this.#sources.locate(origin), next: `Write ${expected}.` }),
    );
  }

  /** The type of a list applies to the names of its entries. */
  #checkName(node: DesiredNode, name: string, shape: Shape): void {
    const expected = shape.kind !== "entry" || shape.type === undefined || !node.declared ? undefined : checkText(shape.type, name);
    if (expected === undefined) return;
    this.#problems.error(
      new PlumblineError("value-type", `The name "${name}" is not ${expected}.`, {
        where: this.#sources.locate(node.origin),
        next: `Write ${expected}.`,
      }),
    );
  }

  /** Reports two equal entries of a list, except in an ordered list, where their positions differ. */
  #named(entries: readonly DesiredNode[], list: Shape): DesiredNode[] {
    const seen = new Map<string, number>();
    const first = new Map<string, DesiredNode>();
    return entries.map((entry) => {
      const key = contentKey(entry, list);
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      if (count === 1) first.set(key, entry);
      const isReported =
        list.several === true && entries.every((each) => each === entry || textOfEntry(each, list) !== textOfEntry(entry, list));
      if (count > 1 && !list.ordered && !isReported)
        this.#problems.error(
          new PlumblineError("declared-twice", `The list has two equal entries: ${key}.${this.#firstAt(first.get(key))}`, {
            where: this.#sources.locate(entry.origin),
            next: "Delete one of them.",
          }),
        );
      return copy(entry, count === 1 ? key : `${key} #${count}`, entry.children);
    });
  }

  #firstAt(entry: DesiredNode | undefined): string {
    const where = entry === undefined ? undefined : this.#sources.locate(entry.origin);
    return where === undefined ? "" : ` The first is at ${formatWhere(where)}.`;
  }

  /** A `$partial` entry is another owner's object of which Plumbline manages a part: it gets no mark. */
  #mark(node: DesiredNode, shape: Shape): DesiredNode[] {
    const tag = node.declared && node.prunes ? markTag(shape) : undefined;
    if (tag === undefined) return [];
    const handling = { ownerMark: true };
    return [new DesiredNode(tag, undefined, this.#owner, [], { origin: node.origin, prunes: true, declared: true, handling })];
  }
}

/** Converts the text of a node to a secret, unless a reference already is one. */
function hidden(node: DesiredNode): DesiredNode {
  const { tag, text, origin, prunes, declared, handling } = node;
  if (text === "" || handling?.unresolved !== undefined || handling?.secret !== undefined || handling?.keep === true) return node;
  const secret = new SecretValue(text, `«${tag}»`);
  return new DesiredNode(tag, undefined, secret.label, [], { origin, prunes, declared, handling: { ...handling, secret } });
}

/** Returns the complete content of an entry as text. */
function textOfEntry(entry: DesiredNode, list: Shape): string {
  return contentKey(entry, { key: list.child("entry").knownTags, child: (tag) => list.child(tag) });
}

function copy(node: DesiredNode, name: string | undefined, children: readonly DesiredNode[]): DesiredNode {
  const { origin, prunes, declared, handling } = node;
  const made = new DesiredNode(node.tag, name, node.text, children, { origin, prunes, declared, handling });
  made.attributes = node.attributes;
  return made;
}
