import { childAt, find } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
import type { DesiredNode } from "../desired/model.js";
import type { PlanInput, Refusal } from "../plan/model.js";
import { Scopes } from "../plan/namespace.js";
import { othersPending, pendingPath } from "../plan/pending-path.js";
import type { PendingChange } from "../plan/platform.js";
import { referredObjects } from "../plan/referred-objects.js";
import { rulebaseOf } from "../plan/rulebase.js";
import { isCommitted, uncommittedDeclared, uncommittedWritten, type Views } from "../plan/uncommitted.js";
import type { GuardContext } from "./context.js";

/**
 * Refuses the plan if uncommitted changes of others conflict with it (ADR 18). They conflict if this commit would include them, if the plan
 * overwrites them or depends on them. Unless `foreignChanges: leaveOut`, changes to owned objects conflict, too. Other changes, also in the
 * same list, stay uncommitted, because the commit is limited to Plumbline's administrator.
 */
export function refusePendingOfOthers(context: GuardContext): Refusal[] {
  const { input, operations } = context;
  const pending = operations.length === 0 ? [] : othersPending(input);
  if (pending.length === 0) return [];
  const refusals = pending.flatMap((change) => reasonAgainst(change, context) ?? []);
  return [...refusals, ...leaningOnThem(context, pending)];
}

function reasonAgainst(change: PendingChange, { input, desired, operations }: GuardContext): Refusal | undefined {
  const path = pendingPath(change);
  const who = `"${change.owner}" has an uncommitted change (${change.action.toLowerCase()})`;
  if (!input.capabilities.partialCommit)
    return refusal(path, `${who}, and this target can only commit all changes together: ${change.xpath}.`);
  const views = viewsOf(input);
  if (path !== undefined && operations.some(({ operation }) => isOfOneRulebase(operation.at, path, views)))
    return refusal(path, `${who} in a rulebase that this plan writes; both could only be committed together.`);
  if (path !== undefined && views !== undefined) {
    for (const { operation } of operations) {
      const written = uncommittedWritten(operation, path, views);
      if (written !== undefined) return refusal(written, `${who} at a path that this plan overwrites: ${written}.`);
    }
  }
  if (input.foreignChanges !== "refuse") return undefined;
  if (path === undefined || views === undefined)
    return path === undefined || overlaps(desired, path)
      ? refusal(path, `${who} at a path that this repository manages: ${change.xpath}.`)
      : undefined;
  const owned = uncommittedDeclared(desired, path, views);
  return owned === undefined ? undefined : refusal(owned, `${who} at a path that this repository manages: ${owned}.`);
}

/** A pending change of a larger part counts if the rulebase differs between candidate and running. */
function isOfOneRulebase(written: Path, changed: Path, views: Views | undefined): boolean {
  const rulebase = rulebaseOf(written);
  if (rulebase === undefined) return false;
  return rulebase.contains(changed) || (changed.contains(rulebase) && (views === undefined || !isCommitted(rulebase, views)));
}

/** Refuses new references to objects that exist only in others' uncommitted changes: a commit of Plumbline's changes would fail. */
function leaningOnThem({ input, operations }: GuardContext, others: readonly PendingChange[]): Refusal[] {
  const views = viewsOf(input);
  if (views === undefined) return [];
  const scopes = new Scopes(input.kindGuards.scopeParents?.(input.candidate));
  const named = referredObjects(
    operations.map(({ operation }) => operation),
    views.candidate,
    views.shape,
    scopes,
  );
  return named
    .filter((path) => find(views.running, path) === undefined)
    .map((path) => {
      const owner = others.find((change) => pendingPath(change)?.contains(path) === true)?.owner;
      const author = owner === undefined ? "somebody" : `"${owner}"`;
      return refusal(path, `This plan references "${path.name}", which ${author} has created and not committed: ${path}.`);
    });
}

function viewsOf({ candidate, running, shape }: PlanInput): Views | undefined {
  return running === undefined ? undefined : { candidate, running, shape };
}

function refusal(path: Path | undefined, message: string): Refusal {
  return { guard: "foreign-changes", message: `${message} Have it committed or reverted first.`, path, allow: undefined };
}

/** Returns whether a declared node is above, at or below the path. */
function overlaps(root: DesiredNode, path: Path): boolean {
  let node: DesiredNode = root;
  for (const step of path.steps().slice(1)) {
    const next = childAt(node, step);
    if (next === undefined) return node.prunes && node.declared;
    node = next;
  }
  return holdsDeclared(node);
}

function holdsDeclared(node: DesiredNode): boolean {
  return node.declared || node.children.some(holdsDeclared);
}
