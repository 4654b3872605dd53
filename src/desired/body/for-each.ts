import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { nearest } from "../suggest.js";
import type { BuildContext, LocalScope, LoopNode } from "./context.js";
import type { Directives } from "./directives.js";
import { readTemplate } from "./value.js";

const MOST_COPIES = 10_000;
const KEYS = ["in", "select", "name", "from", "where", "allowEmpty"];

/** One entry or member that a directive creates. */
export interface Repetition {
  readonly name: string;
  readonly scope: LocalScope;
}

/** Expands `$count: n` to `name-1` to `name-n`. Returns undefined without `$count`. */
export function counted(name: string, directives: Directives): readonly Repetition[] | undefined {
  const count = directives.count("$count", MOST_COPIES);
  if (count === undefined) return undefined;
  return Array.from({ length: count }, (_, at) => ({
    name: `${name}-${at + 1}`,
    scope: { node: undefined, target: undefined, index: at + 1 },
  }));
}

/**
 * Expands `$forEach: { in, select, name, from, where, allowEmpty }` to one repetition per selected node. Returns undefined without
 * `$forEach`, or after an error.
 */
export function repeated(context: BuildContext, list: Path, directives: Directives): readonly Repetition[] | undefined {
  const pair = directives.pair("$forEach");
  if (pair === undefined) return undefined;
  const loop = readForEach(context, pair.key, pair.value);
  if (loop === undefined) return undefined;
  const where = context.where(pair.key);
  const { target, select: xpath, isLive, condition, allowEmpty } = loop;
  const nodes = context.select({ asking: context.draft.target, target, xpath, where, isLive, condition, allowEmpty });
  if (nodes === undefined) {
    context.draft.unlisted.push(list);
    return undefined;
  }
  if (nodes.length === 0 && !loop.allowEmpty) {
    return context.error(
      new PlumblineError("for-each-empty", `$forEach selects nothing in ${loop.target}: ${loop.select}`, {
        where,
        next: `Correct select:, or write allowEmpty: true if an empty result is intended. Undeclared objects of ${loop.target} count with from: live.`,
      }),
    );
  }
  const made: Repetition[] = [];
  const names = new Set<string>();
  nodes.forEach(({ node, path, undecided }, at) => {
    const scope: LocalScope = { node, path, target: loop.target, index: at + 1 };
    const name = loop.name(scope, undecided);
    if (name === undefined) return;
    const wrong = names.has(name) ? "is made twice" : (context.draft.kind.checkName?.(list, name) ?? undefined);
    names.add(name);
    if (wrong === undefined) made.push({ name, scope });
    else
      context.error(
        new PlumblineError("for-each-name", `$forEach creates the name "${name}", which ${wrong}.`, {
          where,
          next: "Change name: so that each node gets a name of its own that the device takes; names are never cut.",
        }),
      );
  });
  return made;
}

interface ForEach {
  readonly target: string;
  readonly select: string;
  readonly isLive: boolean;
  readonly condition: string | undefined;
  readonly allowEmpty: boolean;
  name(scope: LocalScope, undecided: LoopNode["undecided"]): string | undefined;
}

function readForEach(context: BuildContext, key: number, map: number): ForEach | undefined {
  const { doc } = context;
  const wrong = (next: string, at = map): undefined =>
    context.error(
      new PlumblineError("directive-value", "$forEach takes { in: TARGET, select: XPATH, name: TEMPLATE }.", {
        where: context.where(at),
        next,
      }),
    );
  if (doc.kind(map) !== "map") return wrong("Write a map.", key);
  const texts = new Map<string, { readonly text: string; readonly node: number }>();
  for (let at = doc.first(map); !doc.ends(at); ) {
    const value = doc.after(at);
    const word = doc.text(at);
    if (!KEYS.includes(word)) return wrong(`"${word}" is not one of ${KEYS.join(", ")}. ${near(word)}`, at);
    if (doc.kind(value) !== "scalar" || doc.isLeftOut(value)) return wrong(`Give ${word}: one value.`, at);
    texts.set(word, { text: doc.text(value), node: value });
    at = doc.after(value);
  }
  const target = texts.get("in")?.text;
  const select = texts.get("select")?.text;
  const name = texts.get("name");
  if (target === undefined || select === undefined) return wrong("Write in: and select:.");
  const allowEmpty = texts.get("allowEmpty")?.text ?? "false";
  if (allowEmpty !== "true" && allowEmpty !== "false") return wrong("allowEmpty: takes true or false.");
  const from = texts.get("from")?.text ?? "desired";
  if (from !== "desired" && from !== "live") return wrong("from: takes desired or live.");
  const marker: LocalScope = { node: undefined, target, index: 0 };
  const template = readTemplate(context, name?.text ?? "${name}", name?.node ?? map, marker);
  if (template === undefined) return undefined;
  if (template.some((part) => typeof part !== "string" && part.kind !== "local"))
    return wrong("name: takes text and references to the selected node, such as net-${name}.", name?.node);
  return {
    target,
    select,
    isLive: from === "live",
    condition: texts.get("where")?.text,
    allowEmpty: allowEmpty === "true",
    name: (scope, undecided) => {
      const parts: string[] = [];
      for (const part of template) {
        const path = typeof part !== "string" && part.kind === "local" ? part.path : "";
        const text = typeof part === "string" ? part : localText(context, path, scope, name?.node ?? map, undecided);
        if (text === undefined) return undefined;
        parts.push(text);
      }
      return parts.join("");
    },
  };
}

function near(word: string): string {
  const meant = nearest(word, KEYS);
  return meant === undefined ? "" : `Did you mean "${meant}"?`;
}

/** Returns `name`, `index`, or the text of a child leaf of the selected node. Names cannot wait for later references. */
function localText(
  context: BuildContext,
  path: string,
  scope: LocalScope,
  at: number,
  undecided: LoopNode["undecided"],
): string | undefined {
  if (path === "index") return String(scope.index);
  const { node } = scope;
  if (path === "name" && node?.name !== undefined) return node.name;
  const leaf = path === "." ? node : childAt(node, path);
  if (leaf !== undefined && leaf.children.length === 0 && leaf.text !== "" && !leaf.text.includes("${")) return leaf.text;
  if (undecided === "offline") return undefined;
  if (undecided === "later") {
    const message = `The name of an entry of $forEach needs \${${path}} of node ${scope.index} of ${scope.target ?? "the selection"}, which is not read yet.`;
    const next = "Reconcile: this target is planned again when that one is done.";
    context.draft.stop(new PlumblineError("reference-later", message, { where: context.where(at), next }));
    return undefined;
  }
  return context.error(
    new PlumblineError("for-each-name", `\${${path}} gives no text for node ${scope.index} of ${scope.target ?? "the selection"}.`, {
      where: context.where(at),
      next: "Use ${name}, ${index}, or the path of a leaf that every selected node has and whose value is no reference.",
    }),
  );
}

function childAt(node: TreeNode | undefined, path: string): TreeNode | undefined {
  let at = node;
  for (const step of path.split("/")) at = at?.children.find((child) => child.tag === step);
  return at;
}
