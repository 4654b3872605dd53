import { parsePath } from "../../core/tree/xpath.js";
import type { Handed, ManagedFirewall } from "../../outcome/managed-firewalls.js";
import { sideBySide } from "../side-by-side.js";
import type { Managed, ReadTarget } from "../target.js";
import type { TargetContext } from "./context.js";
import { leavesOut } from "./others-work.js";
import { isDue } from "./push-order.js";

/**
 * Where others' work is left out, whose it is that firewalls lack: each is asked what it has, and the manager who made what it has
 * not. Elsewhere those alone are asked that bear what is running and are out of sync with it. A firewall that lacks others' work alone, or nothing, has all of ours, whatever its manager calls it. Versions do not tell: after a push
 * that left something out a firewall may bear the newest one. What nobody can say counts as ours. Versions are those of the box that is asked.
 */
export async function knowingWhose(
  target: ReadTarget,
  asked: readonly ManagedFirewall[],
  context: TargetContext,
  ours: ReadonlySet<string>,
): Promise<readonly ManagedFirewall[]> {
  const { managed } = target;
  const lacking = asked.filter(isDue);
  if (managed === undefined || lacking.length === 0) return asked;
  const due = await managed.bearing(lacking);
  const rows = asked.map((row) => due[lacking.indexOf(row)] ?? row);
  const isSelective = leavesOut(context) && ours.size > 0;
  const late = isSelective ? due : await bearingNewest(managed, due, context);
  if (late.length === 0) return rows;
  const judged = await managed.verify(late).catch(() => []);
  const whose = await sideBySide(judged, async (row) => ({ ...row, lacksOnlyOf: await othersIn(target, row.handed, ours) }));
  return rows.map((row) => ({ ...row, lacksOnlyOf: whose[late.indexOf(row)]?.lacksOnlyOf }));
}

/** Those that are out of sync with a version that they bear: what else the manager makes of that, a push of it changes nothing. */
async function bearingNewest(
  managed: Managed,
  due: readonly ManagedFirewall[],
  { configuration }: TargetContext,
): Promise<readonly ManagedFirewall[]> {
  if (configuration.push?.arrival === "manager") return [];
  const newest = (await managed.versions()).at(-1)?.version;
  return due.filter(({ version }) => version !== undefined && Number(version) === newest);
}

/** Undefined where any of it is ours, or not known to be theirs; nobody where it lacks nothing. */
async function othersIn(target: ReadTarget, handed: Handed | undefined, ours: ReadonlySet<string>): Promise<readonly string[] | undefined> {
  if (handed?.state === "equal") return [];
  if (handed?.state !== "differs" || handed.more > 0) return undefined;
  const found = await sideBySide(handed.differences, async ({ xpath }) => await target.attribution(parsePath(xpath), undefined));
  const admins = found.map((by) => by?.admin);
  const theirs = admins.filter((admin) => admin !== undefined && !ours.has(admin));
  return theirs.length < admins.length ? undefined : [...new Set(theirs.flatMap((admin) => admin ?? []))].sort();
}
