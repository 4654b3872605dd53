import { PlumblineError } from "../core/errors.js";
import { Path } from "../core/tree/path.js";
import { parseXPath, type Selected, select } from "../core/tree/xpath/xpath.js";
import type { LoopNode, Selection, Selector } from "./body/context.js";
import { judge, parseCondition } from "./for-each-condition.js";
import type { DesiredKind } from "./kind.js";
import { isKnownPlace } from "./known-place.js";
import type { LiveLookup } from "./loaded.js";
import type { DesiredNode } from "./model.js";
import { isOpen } from "./open-selection.js";
import type { Problems } from "./problems.js";
import { suggest } from "./suggest.js";
import { unreadable } from "./unreadable.js";
import type { UnresolvableTargets } from "./unresolvable-targets.js";

export interface SelectorOptions {
  /** Returns the merged desired tree of a target, or undefined if it has no documents. */
  roots(target: string): DesiredNode | undefined;
  readonly targets: ReadonlyMap<string, unknown>;
  readonly kindOf: KindOf;
  readonly live: LiveLookup | undefined;
  readonly problems: Problems;
  readonly broken: UnresolvableTargets;
}

/** Returns the kind of a target, or undefined for an unknown target or kind. */
export type KindOf = (target: string) => DesiredKind | undefined;

/**
 * Returns the selector for `$forEach`. It selects from desired state. If no node matches and the path names a single object, it selects
 * from live state. It selects among several live objects only with `from: live`.
 */
export function selectorOf(options: SelectorOptions): Selector {
  const { roots, targets, kindOf, live, problems } = options;
  return (question) => {
    const { target, xpath, where, isLive } = question;
    if (!targets.has(target)) {
      const next = suggest(target, [...targets.keys()]);
      problems.error(new PlumblineError("target-unknown", `There is no target "${target}" in plumbline.yaml.`, { where, next }));
      return undefined;
    }
    try {
      const parsed = parseXPath(xpath);
      // `validate` does not read live trees, so the result is unknown, which is not an error.
      if (isLive && live === undefined) return undefined;
      const root = isLive ? undefined : roots(target);
      const found = root === undefined ? [] : select(root, parsed, Path.root.child(root.tag));
      const shape = kindOf(target)?.shape;
      const isAnswered = found.length > 0 || live === undefined || (!isLive && shape !== undefined && isOpen(xpath, shape));
      const nodes = isAnswered ? found : fromLive(live, question, options.broken);
      return nodes === undefined || question.condition === undefined ? nodes : fulfilling(nodes, question.condition, question, options);
    } catch (cause) {
      if (!(cause instanceof PlumblineError)) throw cause;
      problems.error(new PlumblineError(cause.code, cause.message, { where: { ...where, xpath }, next: cause.next }));
      return undefined;
    }
  };
}

/** Selects from live state. An error blocks only the target with the `$forEach`. */
function fromLive(
  live: LiveLookup,
  { asking, target, xpath, where, allowEmpty }: Selection,
  broken: UnresolvableTargets,
): readonly Selected[] | undefined {
  const answer = live.nodes(target, xpath);
  if (answer instanceof PlumblineError) broken.add(asking, unreadable(answer, target, where));
  else if (answer === "later") {
    const message = `$forEach selects objects that ${target} will contain only after this run has written them: ${xpath}`;
    const next = "Reconcile: this target is planned again when that one is done.";
    broken.add(asking, new PlumblineError("reference-later", message, { where, next }));
  } else if (answer.length > 0 || allowEmpty) return answer;
  else {
    const next = "Correct select:, or write allowEmpty: true if an empty result is intended.";
    broken.add(asking, new PlumblineError("for-each-empty", `$forEach selects nothing in ${target}: ${xpath}`, { where, next }));
  }
  return undefined;
}

/** Returns the nodes that match `where:`, and reports the omitted ones. */
function fulfilling(
  nodes: readonly Selected[],
  text: string,
  { asking, target, xpath, where, allowEmpty }: Selection,
  { kindOf, live, broken }: SelectorOptions,
): readonly LoopNode[] | undefined {
  const condition = parseCondition(text);
  const kind = kindOf(target);
  const out: string[] = [];
  const kept: LoopNode[] = [];
  for (const selected of nodes) {
    if (kind?.strict === true && !isKnownPlace(kind.shape, `${selected.path}/${text}`)) {
      const next = "Correct where:, a path from the selected node to a required child.";
      throw new PlumblineError("reference-nothing", `Nothing in ${target} is called ${text}.`, { next });
    }
    const verdict = judge(selected, condition, target, live, where);
    if (verdict instanceof PlumblineError) broken.add(asking, verdict);
    else if (verdict === "in") kept.push(selected);
    else if (verdict !== "out") kept.push({ ...selected, undecided: verdict });
    else out.push(selected.node.name ?? selected.node.tag);
  }
  if (out.length > 0) broken.leaveOut(asking, `$forEach omits entries without ${text} in ${target}: ${out.join(", ")}`, where);
  if (kept.length > 0 || nodes.length === 0 || allowEmpty) return kept;
  const next = "Check them, or write allowEmpty: true if an empty result is intended.";
  broken.add(asking, new PlumblineError("for-each-empty", `$forEach finds no entry with ${text} in ${target}: ${xpath}`, { where, next }));
  return undefined;
}
