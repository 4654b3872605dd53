import { PlumblineError, type Where } from "../core/errors.js";
import { SecretValue } from "../core/secret.js";
import { childByTag } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import { parseXPath, select } from "../core/tree/xpath/xpath.js";
import type { LocalScope, PendingValue, TargetDraft } from "./body/context.js";
import { checkEvaluated, type Evaluation, type Origin, placesOf } from "./evaluated-values.js";
import { isKnownPlace } from "./known-place.js";
import type { LiveLookup } from "./loaded.js";
import type { DesiredNode } from "./model.js";
import { isOffered, isOpen, throughDeclared } from "./open-selection.js";
import type { Problems } from "./problems.js";
import { LATER, type Piece, replaceNodes, withValue } from "./resolved-value.js";
import { SymbolicSecret } from "./secrets.js";
import type { KindOf } from "./selector.js";
import type { SourceMap } from "./source-map.js";
import { suggest } from "./suggest.js";
import type { TemplateReference } from "./template.js";
import { unreadable } from "./unreadable.js";
import type { UnresolvableTargets } from "./unresolvable-targets.js";

/** A target whose documents are merged into one tree. */
export interface TargetTree {
  root: DesiredNode;
  readonly sources: SourceMap;
  readonly draft: TargetDraft;
}

const NAMES = "/@name";
const NONE = "null";

/** Error text for a reference without a value. */
interface Nothing {
  readonly message: string;
  readonly next: string;
}

/**
 * Replaces references by values. A reference may lead to a value with further references. A reference that leads to itself, to no value, or
 * to several values instead of one is an error: an empty list would mean `any`.
 */
export class References {
  readonly #trees: ReadonlyMap<string, TargetTree>;
  readonly #targets: readonly string[];
  /** Values by the text of a secret reference. Other secrets stay symbolic. */
  readonly #secrets: ReadonlyMap<string, string>;
  readonly #live: LiveLookup | undefined;
  readonly #kindOf: KindOf;
  readonly #problems: Problems;
  readonly #broken: UnresolvableTargets;
  /** The target whose values are being resolved. */
  #asking = "";
  readonly #done = new Map<TreeNode, Evaluation | undefined>();
  readonly #running = new Set<TreeNode>();
  /** Origins of the value that is being resolved. */
  #origins: Origin[] = [];

  constructor(options: {
    trees: ReadonlyMap<string, TargetTree>;
    targets: readonly string[];
    secrets: ReadonlyMap<string, string>;
    live: LiveLookup | undefined;
    kindOf: KindOf;
    problems: Problems;
    broken: UnresolvableTargets;
  }) {
    this.#broken = options.broken;
    this.#trees = options.trees;
    this.#targets = options.targets;
    this.#secrets = options.secrets;
    this.#live = options.live;
    this.#kindOf = options.kindOf;
    this.#problems = options.problems;
  }

  /**
   * Resolves every pending value of every tree. Trees with expanded lists get a new root. Returns the targets with values that come later.
   */
  resolve(): ReadonlySet<string> {
    const later = new Set<string>();
    for (const [target, tree] of this.#trees) {
      this.#asking = target;
      const grown = new Map<DesiredNode, readonly DesiredNode[]>();
      const { kind, pending: all } = tree.draft;
      // Strict kinds are checked completely in finish.ts.
      const places = kind.strict === true ? undefined : placesOf(tree.root, kind.shape, all);
      for (const [node, pending] of all) {
        const evaluation = this.#evaluate(node, pending);
        if (evaluation === undefined) continue;
        const place = places?.get(node);
        // A live value of the wrong type blocks only its own target.
        for (const error of place === undefined ? [] : checkEvaluated(evaluation, node, pending, place))
          if (evaluation.origins.some(({ isLive }) => isLive)) this.#broken.add(target, error);
          else this.#problems.error(error);
        if (evaluation.values.some((pieces) => pieces.includes(LATER))) later.add(target);
        const nodes = evaluation.values.map((pieces) => withValue(node, pending.template, pieces));
        const [only] = nodes;
        if (nodes.length === 1 && only !== undefined && node.name === undefined) {
          node.text = only.text;
          node.handling = only.handling;
        } else grown.set(node, nodes);
      }
      if (grown.size > 0) tree.root = replaceNodes(tree.root, grown, (list, name) => this.#twice(tree, list, name));
    }
    return later;
  }

  #evaluate(node: TreeNode, pending: PendingValue): Evaluation | undefined {
    if (this.#done.has(node)) return this.#known(this.#done.get(node));
    if (this.#running.has(node))
      return this.#error("reference-cycle", "The reference leads back to itself.", pending.where, "Write the value in one of the places.");
    this.#running.add(node);
    const outer = this.#origins;
    this.#origins = [];
    const values = this.#template(pending, node.tag === "member" || node.name !== undefined);
    const evaluation = values === undefined ? undefined : { values, origins: this.#origins };
    this.#origins = outer;
    this.#running.delete(node);
    this.#done.set(node, evaluation);
    return this.#known(evaluation);
  }

  /** A reference that leads to a live value is live, too. */
  #known(evaluation: Evaluation | undefined): Evaluation | undefined {
    this.#origins.push(...(evaluation?.origins ?? []).filter(({ isLive }) => isLive));
    return evaluation;
  }

  #template(pending: PendingValue, mayBeSeveral: boolean): readonly (readonly Piece[])[] | undefined {
    const { template, scope, where } = pending;
    const pieces: Piece[] = [];
    for (const part of template) {
      if (typeof part === "string") {
        pieces.push(part);
        continue;
      }
      const values = this.#reference(part, scope, where);
      if (values === undefined) return undefined;
      if (mayBeSeveral && template.length === 1) return values;
      if (values.length !== 1)
        return this.#error("reference-many", `${part.text} has ${values.length} values.`, where, "Choose one with [@name='…'].");
      pieces.push(...(values[0] ?? []));
    }
    return [pieces];
  }

  /** Returns the values of one reference, at least one; undefined after an error. */
  #reference(part: TemplateReference, scope: LocalScope | undefined, where: Where): readonly (readonly Piece[])[] | undefined {
    switch (part.kind) {
      case "env":
      case "file":
      case "exec":
      case "vault":
      case "sops":
      case "credential": {
        const value = this.#secrets.get(part.text);
        return [[value === undefined ? new SymbolicSecret(part.text) : new SecretValue(value, part.text)]];
      }
      case "target":
        return this.#target(part, where);
      case "local":
        return this.#local(part, scope, where);
      case "keep":
        return [[part.text]];
    }
  }

  #target(part: Extract<TemplateReference, { kind: "target" }>, where: Where): readonly (readonly Piece[])[] | undefined {
    if (!this.#targets.includes(part.target))
      return this.#error(
        "target-unknown",
        `There is no target "${part.target}" in plumbline.yaml.`,
        where,
        suggest(part.target, this.#targets),
      );
    const found = this.#find(part.target, part.path, where);
    if (found === undefined) return undefined;
    const values = this.#values(found, part.target, part.text, where);
    if (values === undefined || values.length > 0) return values;
    return (
      this.#derived(part.target, part.path) ??
      this.#declaredThenLive(part.target, part.path, part.text, where, {
        message: `${part.text} resolves to nothing.`,
        next: `Declare ${part.path} in ${part.target}, or correct the path: it starts at the root element.`,
      })
    );
  }

  /** If a path names no object, returns live values of declared objects only. Each of them must have a value. */
  #declaredThenLive(target: string, path: string, text: string, where: Where, nothing: Nothing): readonly (readonly Piece[])[] | undefined {
    const shape = this.#kindOf(target)?.shape;
    const isOfNames = path.endsWith(NAMES);
    const plain = isOfNames ? path.slice(0, -NAMES.length) : path;
    if (shape === undefined || target === this.#asking || !isOpen(plain, shape)) return this.#fromLive(target, path, text, where, nothing);
    const root = this.#trees.get(target)?.root;
    const paths = root === undefined ? [] : throughDeclared(plain, root);
    if (paths.length === 0) {
      const message = `${text} resolves to nothing: it names no object, and no declared object of ${target} matches.`;
      const next = `Name one, as in entry[@name='…'], or declare it in ${target}. Unmanaged objects are not used without a name.`;
      const error = new PlumblineError("reference-nothing", message, { where, next });
      if (this.#live === undefined) this.#problems.error(error);
      else this.#broken.add(this.#asking, error);
      return undefined;
    }
    const answers = paths.map((each) => this.#fromLive(target, `${each}${isOfNames ? NAMES : ""}`, text, where, nothing));
    const known = answers.filter((answer) => answer !== undefined);
    return known.length === answers.length ? known.flat() : undefined;
  }

  /** Returns the value of an undeclared leaf that follows from other leaves, if the kind of target knows how. */
  #derived(target: string, path: string): readonly (readonly Piece[])[] | undefined {
    const tree = this.#trees.get(target);
    const xpath = path.endsWith(NAMES) ? undefined : parseXPath(path);
    const last = xpath?.steps.at(-1);
    if (tree === undefined || xpath === undefined || last?.tag === undefined || last.predicates.length > 0) return undefined;
    const above = select(tree.root, { ...xpath, steps: xpath.steps.slice(0, -1) }, Path.root.child(tree.root.tag));
    const pieces = above.map(({ node, path: at }) => this.#derive(tree, node, at, last.tag ?? ""));
    const known = pieces.filter((each) => each !== undefined);
    return known.length > 0 && known.length === pieces.length ? known : undefined;
  }

  #derive({ draft }: TargetTree, entry: TreeNode, at: Path, tag: string): readonly Piece[] | undefined {
    if (draft.kind.derive === undefined || entry.name === undefined) return undefined;
    let later = false;
    const text = draft.kind.derive(at.parent ?? at, tag, (sibling) => {
      const leaf = childByTag(entry, sibling);
      const pending = leaf === undefined ? undefined : this.#pendingOf(leaf);
      if (leaf === undefined || pending === undefined) return leaf?.text;
      const pieces = this.#evaluate(leaf, pending)?.values[0];
      later ||= pieces?.includes(LATER) === true;
      return pieces?.every((piece) => typeof piece === "string") === true ? pieces.join("") : undefined;
    });
    if (later) return [LATER];
    return text === undefined ? undefined : [text];
  }

  /** Returns the live value, or `later`. Without a value, reports an error, which blocks only this target if live trees were searched. */
  #fromLive(target: string, path: string, text: string, where: Where, nothing: Nothing): readonly (readonly Piece[])[] | undefined {
    const kind = this.#trees.get(target)?.draft.kind;
    if (kind?.strict === true && !isKnownPlace(kind.shape, path))
      return this.#error("reference-nothing", nothing.message, where, nothing.next);
    // Objects that a target offers, such as images, do not depend on its own documents.
    const isOwn = target === this.#asking && !(kind !== undefined && isOffered(path.replace(NAMES, ""), kind.shape));
    if (this.#live === undefined || isOwn) {
      if (kind?.strict === true && !isOwn) return [[LATER]];
      return this.#error("reference-nothing", nothing.message, where, nothing.next);
    }
    const answer = this.#live.values(target, path);
    if (answer === "later") return [[LATER]];
    if (answer instanceof PlumblineError) this.#broken.add(this.#asking, unreadable(answer, target, where));
    else if (answer.length > 0 && !answer.some((value) => value === "" || this.#isNone(value, target))) {
      this.#origins.push({ text: `live in ${target}`, isLive: true });
      return answer.map((value) => [value]);
    } else {
      const none = answer.some((value) => this.#isNone(value, target));
      const message = none
        ? `${text} is ${NONE} in ${target}, which means none.`
        : `${text} resolves to nothing: it is neither declared nor live in ${target}.`;
      this.#broken.add(this.#asking, new PlumblineError("reference-nothing", message, { where, next: nothing.next }));
    }
    return undefined;
  }

  #local(
    part: Extract<TemplateReference, { kind: "local" }>,
    scope: LocalScope | undefined,
    where: Where,
  ): readonly (readonly Piece[])[] | undefined {
    if (part.path === "index") return [[String(scope?.index ?? 0)]];
    const node = scope?.node;
    if (node === undefined)
      return this.#error(
        "reference-nothing",
        `${part.text} has no selected node to start from.`,
        where,
        "Under $count only ${index} is known.",
      );
    if (part.path === "name" && node.name !== undefined) return [[node.name]];
    const found = part.path === "." ? [node] : this.#select(node, part.path, where);
    const values = found === undefined ? undefined : this.#values(found, scope?.target, part.text, where);
    if (values === undefined || values.length > 0) return values;
    const nothing = { message: `${part.text} resolves to nothing in "${node.name ?? node.tag}".`, next: "Correct the path." };
    if (scope?.path === undefined || scope.target === undefined)
      return this.#error("reference-nothing", nothing.message, where, nothing.next);
    const path = `${scope.path}/${part.path}`;
    const text = `${part.text} of "${node.name ?? node.tag}"`;
    const next = `Check it in ${scope.target}, or correct the path. where: ${part.path} in $forEach omits entries without it.`;
    return this.#derived(scope.target, path) ?? this.#fromLive(scope.target, path, text, where, { ...nothing, next });
  }

  /** Returns the values of nodes: the text of leaves, the members of member lists. `/@name` selects names of entries. */
  #values(
    found: readonly (TreeNode | string)[],
    target: string | undefined,
    text: string,
    where: Where,
  ): readonly (readonly Piece[])[] | undefined {
    const values: (readonly Piece[])[] = [];
    for (const node of found) {
      if (typeof node === "string") {
        values.push([node]);
        continue;
      }
      this.#recordOrigin(node, target);
      if (node.children.length > 0 && node.children.every((child) => child.tag === "member")) {
        const inner = this.#values(node.children, target, text, where);
        if (inner === undefined) return undefined;
        values.push(...inner);
      } else if (node.children.length > 0 || node.name !== undefined)
        return this.#error(
          "reference-many",
          `${text} leads to "${node.name ?? node.tag}", which is no leaf.`,
          where,
          "Lead the path to a leaf, or end it with /@name.",
        );
      else {
        const leaf = this.#leaf(node, text, where);
        if (leaf === undefined) return undefined;
        if (leaf === "empty" && found.length === 1) return values;
        if (leaf === "empty" || leaf.some(([only]) => this.#isNone(only, target)))
          return this.#error(
            "reference-nothing",
            leaf === "empty"
              ? `One of the ${found.length} values of ${text} is empty.`
              : `${text} is ${NONE} in ${target}, which means none.`,
            where,
            "Use a path to a node with a value.",
          );
        values.push(...leaf);
      }
    }
    return values;
  }

  /** Clouds use the word `null` for no value. No other platform knows it. */
  #isNone(value: unknown, target: string | undefined): boolean {
    if (value !== NONE || target === undefined) return false;
    return this.#kindOf(target)?.strict === true && this.#kindOf(this.#asking)?.strict !== true;
  }

  #recordOrigin(node: TreeNode, target: string | undefined): void {
    const { origin = -1 } = node as Partial<DesiredNode>;
    const place = target === undefined ? undefined : this.#trees.get(target)?.sources.locate(origin);
    if (place !== undefined) this.#origins.push({ text: `${place.file}:${place.line}`, isLive: false });
  }

  #leaf(node: TreeNode, text: string, where: Where): readonly (readonly Piece[])[] | "empty" | undefined {
    const pending = this.#pendingOf(node);
    if (pending !== undefined) return this.#evaluate(node, pending)?.values;
    const { handling } = node as Partial<DesiredNode>;
    if (handling?.keep === true)
      return this.#error("reference-nothing", `${text} refers to a value that is only on the device.`, where, "Refer to another leaf.");
    return node.text === "" ? "empty" : [[node.text]];
  }

  #pendingOf(node: TreeNode): PendingValue | undefined {
    for (const { draft } of this.#trees.values()) {
      const pending = draft.pending.get(node as DesiredNode);
      if (pending !== undefined) return pending;
    }
    return undefined;
  }

  #find(target: string, path: string, where: Where): readonly (TreeNode | string)[] | undefined {
    const root = this.#trees.get(target)?.root;
    return root === undefined ? [] : this.#select(root, path, where);
  }

  #select(from: TreeNode, path: string, where: Where): readonly (TreeNode | string)[] | undefined {
    const names = path.endsWith(NAMES);
    try {
      const found = select(from, parseXPath(names ? path.slice(0, -NAMES.length) : path)).map(({ node }) => node);
      return names ? found.flatMap(({ name }) => (name === undefined ? [] : [name])) : found;
    } catch (cause) {
      if (!(cause instanceof PlumblineError)) throw cause;
      this.#problems.error(new PlumblineError(cause.code, cause.message, { where: { ...where, xpath: path }, next: cause.next }));
      return undefined;
    }
  }

  #twice({ draft }: TargetTree, entry: DesiredNode, name: string): void {
    const where = draft.pending.get(entry)?.where ?? {};
    this.#error("declared-twice", `References create the name "${name}" twice in one list.`, where, "Let each lead to another value.");
  }

  #error(code: ReferenceError, message: string, where: Where, next: string): undefined {
    this.#problems.error(new PlumblineError(code, message, { where, next }));
    return undefined;
  }
}

type ReferenceError = "declared-twice" | "target-unknown" | "reference-nothing" | "reference-many" | "reference-cycle";
