import { SecretLeaf, type TreeNode } from "../core/tree/node.js";
import { secretOf } from "../core/tree/secret-of.js";
import type { Shape } from "../core/tree/shape.js";
import { DesiredNode } from "../desired/model.js";
import { escapeTemplate } from "../desired/template.js";
import { countsByAttributes, isText, KEEP, xmlContent, xmlText } from "./fragment.js";
import { isWithoutMeaning, textOf } from "./silence.js";
import { contents, EMPTY, entries, keyedEntries, type Mapping, mapping, members, type Pair, text, type Value } from "./value.js";

const XML = "$xml";
/** Maximum length of a key. Longer keys need another YAML syntax, which is hard to read. */
export const LONGEST_KEY = 1000;

/** Containers up to this depth below the place contain sections and are on separate lines. Deeper ones and entries may be on one line. */
const INLINE_DEPTH = 3;

/** Number of nodes that import could only write as `$xml`. */
export interface Fallbacks {
  nodes: number;
}

type EncoderOptions = { readonly [part in "unmarked" | "partial" | "refused" | "complete"]?: ReadonlySet<TreeNode> | undefined };

const NONE: ReadonlySet<TreeNode> = new Set();

/** Writes live nodes in the syntax of `config:` (docs/desired-state.md#a-document). */
export class Encoder {
  readonly fallbacks: Fallbacks = { nodes: 0 };
  readonly #unmarked: ReadonlySet<TreeNode>;
  readonly #partial: ReadonlySet<TreeNode>;
  readonly #refused: ReadonlySet<TreeNode>;
  readonly #complete: ReadonlySet<TreeNode>;

  /**
   * `unmarked`: entries that get `$adopt: true`. `partial`: entries that get `$partial: true`. `refused`: nodes that the loader accepts
   * only as `$xml`. `complete`: lists that are written even if they are empty.
   */
  constructor({ unmarked = NONE, partial = NONE, refused = NONE, complete = NONE }: EncoderOptions = {}) {
    this.#unmarked = unmarked;
    this.#partial = partial;
    this.#refused = refused;
    this.#complete = complete;
  }

  /** Returns the value of the key `node.tag`. Undefined if a missing element has the same meaning. `depth` is counted from the place. */
  element(node: TreeNode, shape: Shape, depth: number): Value | undefined {
    if (this.#isRefused(node)) return this.#xml(node.children, node.children.length === 0 ? ownText(node) : "");
    if (node.children.length === 0) return this.#childless(node, shape);
    switch (shape.kind) {
      case "list":
        return this.#list(node, shape) ?? this.#xml(node.children);
      case "members":
        return memberList(node.children, shape) ?? this.#xml(node.children);
      case "leaf":
        return this.#xml(node.children);
      case "unknown":
        return this.#unknown(node, shape, depth);
      default: {
        const body = this.body(node, shape, depth);
        return shape.emptyIsAbsent && body.pairs.length === 0 ? undefined : body;
      }
    }
  }

  /** Returns the children of a container or an entry as the keys of one map. Children that no key can express are under `$xml`. */
  body(node: TreeNode, shape: Shape, depth: number, nameFirst?: string): Mapping {
    if (node.children.length === 0 && (textOf(node) !== "" || node instanceof SecretLeaf)) {
      return mapping([...named(nameFirst), ...this.#xml([], ownText(node)).pairs], true);
    }
    const pairs: Pair[] = [...named(nameFirst)];
    if (this.#unmarked.has(node)) pairs.push(["$adopt", text("true")]);
    if (this.#partial.has(node)) pairs.push(["$partial", text("true")]);
    const { keyed, rest } = split(node.children, shape, this.#complete);
    for (const child of keyed) {
      const value = this.element(child, shape.child(child.tag), depth + 1);
      if (value !== undefined) pairs.push([child.tag, value]);
    }
    if (rest.length > 0) pairs.push(...this.#xml(rest).pairs);
    return mapping(pairs, depth >= INLINE_DEPTH);
  }

  /** Returns whether the node or one of its members is refused. */
  #isRefused(node: TreeNode): boolean {
    if (this.#refused.size === 0) return false;
    return this.#refused.has(node) || node.children.some((child) => child.tag === "member" && this.#refused.has(child));
  }

  #childless(node: TreeNode, shape: Shape): Value | undefined {
    const empty = textOf(node) === "" && !(node instanceof SecretLeaf);
    if (shape.kind === "leaf") return text(empty ? "" : ownText(node));
    if (this.#complete.has(node)) return contents([], shape.ordered);
    if (empty && shape.emptyIsAbsent) return undefined;
    if (shape.kind === "unknown") return empty ? EMPTY : text(ownText(node));
    if (empty && shape.kind !== "list" && !shape.matchList) return EMPTY;
    return this.#xml([], ownText(node));
  }

  #unknown(node: TreeNode, shape: Shape, depth: number): Value {
    if (node.children.every((child) => child.tag === "member")) return memberList(node.children, shape) ?? this.#xml(node.children);
    if (node.children.every((child) => child.tag === "entry")) return this.#list(node, shape) ?? this.#xml(node.children);
    return this.body(node, shape, depth);
  }

  /** Returns entries in the shortest possible form. Undefined if only `$xml` can express them. */
  #list(node: TreeNode, shape: Shape): Value | undefined {
    if (shape.key !== undefined) return this.#nameless(node, shape);
    const names = new Set<string>();
    let dollar = false;
    let long = false;
    let childNamed = false;
    let bare = shape.kind === "list";
    for (const child of node.children) {
      if (child.tag !== "entry" || child.name === undefined || !isName(child.name) || names.has(child.name)) return undefined;
      names.add(child.name);
      dollar ||= child.name.startsWith("$");
      long ||= child.name.length > LONGEST_KEY;
      if (countsByAttributes(child)) return undefined;
      bare &&= !this.#unmarked.has(child);
      bare &&= child.children.length === 0 && textOf(child) === "" && !(child instanceof SecretLeaf);
      childNamed ||= child.children.some((grandchild) => grandchild.tag === "name");
    }
    if (bare) return entries([...names].map(escaped), shape.ordered);
    if (childNamed) return dollar || long ? undefined : this.#literalEntries(node, shape);
    if (shape.ordered || shape.kind === "unknown" || long) return this.#namedSequence(node, shape);
    const map = this.#keyedEntries(node, shape);
    return dollar ? mapping([["$entries", map]], false) : map;
  }

  #entry(node: TreeNode, shape: Shape, nameFirst?: string): Mapping {
    if (this.#refused.has(node) && node.children.length > 0) return mapping([...named(nameFirst), ...this.#xml(node.children).pairs], true);
    const held = node.children.length === 0 ? undefined : memberList(node.children, shape);
    return held === undefined ? this.body(node, shape, INLINE_DEPTH, nameFirst) : mapping([...named(nameFirst), ["$members", held]], true);
  }

  /** Returns entries whose key is their content. */
  #nameless(node: TreeNode, shape: Shape): Value {
    const entry = shape.child("entry");
    return contents(
      node.children.map((child) => this.body(child, entry, INLINE_DEPTH)),
      shape.ordered,
    );
  }

  #namedSequence(node: TreeNode, shape: Shape): Value {
    const entry = shape.child("entry");
    const items = node.children.map((child) => this.#entry(child, entry, child.name ?? ""));
    return entries(items, shape.ordered);
  }

  #keyedEntries(node: TreeNode, shape: Shape): Mapping {
    const entry = shape.child("entry");
    const pairs = node.children.map((child): Pair => [escapeTemplate(child.name ?? ""), this.#entry(child, entry)]);
    return keyedEntries(pairs);
  }

  /** Returns entries keyed by name, so that a child may have the name `name`. */
  #literalEntries(node: TreeNode, shape: Shape): Value {
    const entry = shape.child("entry");
    if (!shape.ordered) return mapping([["$entries", this.#keyedEntries(node, shape)]], false);
    const items = node.children.map((child) => keyedEntries([[escapeTemplate(child.name ?? ""), this.#entry(child, entry)]]));
    return mapping([["$entries", entries(items, true)]], false);
  }

  #xml(nodes: readonly TreeNode[], ownText = ""): Mapping {
    this.fallbacks.nodes += nodes.reduce((sum, node) => sum + count(node), 1);
    return mapping([[XML, text(nodes.length === 0 ? xmlText(ownText) : xmlContent(nodes))]], true);
  }
}

/** Splits children into those for keys, in the order of the shape, and those for `$xml`. Empty ones are omitted unless they are in `complete`. */
function split(all: readonly TreeNode[], shape: Shape, complete: ReadonlySet<TreeNode>): { keyed: TreeNode[]; rest: TreeNode[] } {
  if (all.some(isText)) return { keyed: [], rest: [...all] };
  const children = all.filter((child) => complete.has(child) || !isWithoutMeaning(child, shape.child(child.tag)));
  const times = new Map<string, number>();
  for (const child of children) times.set(child.tag, (times.get(child.tag) ?? 0) + 1);
  const choices = new Set<string>();
  const keyed: TreeNode[] = [];
  const rest: TreeNode[] = [];
  for (const child of children) {
    const choice = shape.child(child.tag).choice;
    const second = choice !== undefined && choices.has(choice);
    if (choice !== undefined) choices.add(choice);
    (second || times.get(child.tag) !== 1 || child.name !== undefined || !isKey(child, shape) ? rest : keyed).push(child);
  }
  return { keyed: inShapeOrder(keyed, shape), rest };
}

function inShapeOrder(children: TreeNode[], shape: Shape): TreeNode[] {
  const rank = rankOf(shape);
  if (rank.size === 0) return children;
  const last = rank.size;
  return children.sort((a, b) => (rank.get(a.tag) ?? last) - (rank.get(b.tag) ?? last));
}

const ranks = new WeakMap<Shape, ReadonlyMap<string, number>>();

function rankOf(shape: Shape): ReadonlyMap<string, number> {
  let rank = ranks.get(shape);
  if (rank === undefined) {
    rank = new Map(shape.knownTags.map((tag, index) => [tag, index]));
    ranks.set(shape, rank);
  }
  return rank;
}

function isKey({ tag, attributes }: TreeNode, parent: Shape): boolean {
  const shape = parent.child(tag);
  // The loader reports an unknown field here as an error or a warning.
  if (shape.kind === "unknown" && parent.complete !== undefined) return false;
  if (tag === "entry" || tag === "member" || tag.startsWith("#")) return false;
  if (tag.includes(":") && shape.kind === "unknown") return false;
  return attributes === undefined || !countsByAttributes({ attributes });
}

/** Returns whether the loader accepts a name or a member: not empty, and on one line. */
function isName(name: string): boolean {
  return name !== "" && !/[\t\n\r]/.test(name);
}

function memberList(nodes: readonly TreeNode[], shape: Shape): Value | undefined {
  const texts = new Set<string>();
  for (const node of nodes) {
    if (node.tag !== "member" || node.name !== undefined || node.children.length > 0 || node instanceof SecretLeaf) return undefined;
    if (countsByAttributes(node) || !isName(node.text) || (shape.ordered && texts.has(node.text))) return undefined;
    texts.add(node.text);
  }
  const list = members([...texts].map(escaped), shape.ordered);
  return shape.sharedMembers ? mapping([["$include", list]], true) : list;
}

function escaped(name: string): Value {
  return text(escapeTemplate(name));
}

/** Returns `${keep}` for a secret, and the expression for a value that only a run can resolve. */
function ownText(node: TreeNode): string {
  const handling = node instanceof DesiredNode ? node.handling : undefined;
  if (secretOf(node) !== undefined || handling?.keep === true) return KEEP;
  return handling?.unresolved ?? escapeTemplate(textOf(node));
}

function named(name: string | undefined): Pair[] {
  return name === undefined ? [] : [["name", escaped(name)]];
}

function count(node: TreeNode): number {
  return node.children.reduce((sum, child) => sum + count(child), 1);
}
