import { childAt, find } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { PlanInput, Refusal } from "../model.js";
import { Scopes } from "../namespace.js";
import { pendingPath } from "../pending-path.js";
import type { PendingChange } from "../platform.js";
import { referredObjects } from "../referred.js";
import { rulebaseOf } from "../rulebase.js";
import type { GuardContext } from "./context.js";
import { isCommitted, uncommittedDeclared, uncommittedWritten, type Views } from "./uncommitted.js";

/** Pending changes that are not ours. Without a name for ourselves, all of them. */
export function foreignPending({ pending, administrator }: PlanInput): PendingChange[] {
  return pending.filter((change) => change.owner !== administrator);
}

/**
 * Others' uncommitted work that is in the way of ours (ADR 22): where our commit would carry it along, where we would write over
 * it, where ours would depend on it, and, unless `foreignChanges: leaveOut`, where it is on what we own. Other work of theirs,
 * also in the same list, is left to them by a commit of our administrator alone.
 */
export function refuseForeignChanges(context: GuardContext): Refusal[] {
  const { input, operations } = context;
  const foreign = operations.length === 0 ? [] : foreignPending(input);
  if (foreign.length === 0) return [];
  const refusals = foreign.flatMap((change) => reasonAgainst(change, context) ?? []);
  return [...refusals, ...leaningOnThem(context, foreign)];
}

function reasonAgainst(change: PendingChange, { input, desired, operations }: GuardContext): Refusal | undefined {
  const path = pendingPath(change);
  const who = `"${change.owner}" has an uncommitted change (${change.action.toLowerCase()})`;
  if (!input.capabilities.partialCommit)
    return refusal(path, `${who}, and this target can only commit everything at once: ${change.xpath}.`);
  const views = viewsOf(input);
  if (path !== undefined && operations.some(({ operation }) => isOfOneRulebase(operation.at, path, views)))
    return refusal(path, `${who} in a rulebase that this plan writes; both could only be committed together.`);
  if (path !== undefined && views !== undefined) {
    for (const { operation } of operations) {
      const written = uncommittedWritten(operation, path, views);
      if (written !== undefined) return refusal(written, `${who} on what this plan would write over: ${written}.`);
    }
  }
  if (input.foreignChanges !== "refuse") return undefined;
  if (path === undefined || views === undefined)
    return path === undefined || overlaps(desired, path)
      ? refusal(path, `${who} on what this repository owns: ${change.xpath}.`)
      : undefined;
  const owned = uncommittedDeclared(desired, path, views);
  return owned === undefined ? undefined : refusal(owned, `${who} on what this repository owns: ${owned}.`);
}

/** A change that is told of something larger counts where the rulebase itself is not committed as it stands. */
function isOfOneRulebase(written: Path, changed: Path, views: Views | undefined): boolean {
  const rulebase = rulebaseOf(written);
  if (rulebase === undefined) return false;
  return rulebase.contains(changed) || (changed.contains(rulebase) && (views === undefined || !isCommitted(rulebase, views)));
}

/** Objects that ours begins to name and that only others' uncommitted work has: the commit of ours alone would fail. */
function leaningOnThem({ input, operations }: GuardContext, foreign: readonly PendingChange[]): Refusal[] {
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
      const owner = foreign.find((change) => pendingPath(change)?.contains(path) === true)?.owner;
      const whose = owner === undefined ? "somebody" : `"${owner}"`;
      return refusal(path, `This plan names "${path.name}", which ${whose} has made and not committed: ${path}.`);
    });
}

function viewsOf({ candidate, running, shape }: PlanInput): Views | undefined {
  return running === undefined ? undefined : { candidate, running, shape };
}

function refusal(path: Path | undefined, message: string): Refusal {
  return { guard: "foreign-changes", message: `${message} Have it committed or reverted first.`, path, allow: undefined };
}

/** True where something declared stands above, at or below the path. */
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
