import type { DesiredNode } from "../../desired/model.js";
import type { PendingChange } from "../../target.js";
import { childAt } from "../../tree/lookup.js";
import type { Path } from "../../tree/path.js";
import { parsePath } from "../../tree/xpath.js";
import type { PlanInput, Refusal } from "../model.js";
import type { GuardContext } from "./context.js";

/** Pending changes that are not ours. Without a name for ourselves, all of them. */
export function foreignPending({ pending, administrator }: PlanInput): PendingChange[] {
  return pending.filter((change) => change.owner !== administrator);
}

/**
 * Others' uncommitted work that our commit would carry along: in a rulebase that we write, which platforms commit as one,
 * or on paths that we own. With `foreignChanges: leaveOut` a partial commit leaves the latter out.
 */
export function refuseForeignChanges({ input, desired, operations }: GuardContext): Refusal[] {
  if (operations.length === 0) return [];
  const rulebases = new Set(operations.map(({ operation }) => rulebaseOf(operation.at)).filter((path) => path !== undefined));
  const refusals: Refusal[] = [];
  for (const change of foreignPending(input)) {
    const path = pathOf(change);
    const rulebase = path === undefined ? undefined : rulebaseOf(path);
    const who = `"${change.owner}" has an uncommitted change (${change.action.toLowerCase()})`;
    if (rulebase !== undefined && rulebases.has(rulebase)) {
      refusals.push(refusal(path, `${who} in a rulebase that this plan writes; both could only be committed together.`));
    } else if (input.foreignChanges === "refuse" && (path === undefined || overlaps(desired, path))) {
      refusals.push(refusal(path, `${who} on what this repository owns: ${change.xpath}`));
    }
  }
  return refusals;
}

function refusal(path: Path | undefined, message: string): Refusal {
  return { guard: "foreign-changes", message: `${message} Have it committed or reverted first.`, path, allow: undefined };
}

/** Undefined where the platform names no single node: then it can be anywhere. */
function pathOf({ xpath }: PendingChange): Path | undefined {
  try {
    return parsePath(xpath);
  } catch {
    return undefined;
  }
}

function rulebaseOf(path: Path): string | undefined {
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) if (at.tag.endsWith("rulebase")) return at.toString();
  return undefined;
}

/** True where something declared stands above, at or below the path. */
function overlaps(root: DesiredNode, path: Path): boolean {
  let node: DesiredNode = root;
  for (const step of path.steps().slice(1)) {
    const next = childAt(node, step);
    if (next === undefined) return node.closed && node.declared;
    node = next;
  }
  return holdsDeclared(node);
}

function holdsDeclared(node: DesiredNode): boolean {
  return node.declared || node.children.some(holdsDeclared);
}
