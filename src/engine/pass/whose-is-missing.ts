import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { FirewallComparison, ManagedFirewall } from "../../outcome/managed-firewalls.js";
import { boundedMap } from "../bounded-map.js";
import type { Managed, ReadTarget } from "../target.js";
import type { TargetContext } from "./context.js";
import { isDue } from "./push-order.js";
import { excludesUnpushed } from "./unpushed-commits.js";

/**
 * Finds whose changes firewalls lack. With selective push, every due firewall is verified; otherwise only firewalls that have the newest
 * version and are out of sync.
 * A firewall that lacks only other administrators' work has all changes of this owner, even if the manager reports it as out of sync.
 * Versions do not show this: after a selective push a firewall may have the newest version. Unknown work counts as this owner's.
 */
export async function knowingWhose(
  target: ReadTarget,
  firewalls: readonly ManagedFirewall[],
  context: TargetContext,
  accounts: ReadonlySet<string>,
): Promise<readonly ManagedFirewall[]> {
  const { managed } = target;
  const lacking = firewalls.filter(isDue);
  if (managed === undefined || lacking.length === 0) return firewalls;
  const due = await managed.bearing(lacking);
  const rows = firewalls.map((row) => due[lacking.indexOf(row)] ?? row);
  const isSelective = excludesUnpushed(context) && accounts.size > 0;
  const late = isSelective ? due : await bearingNewest(managed, due, context);
  if (late.length === 0) return rows;
  const judged = await managed.verify(late).catch(() => []);
  const withOwners = await boundedMap(judged, async (row) => ({ ...row, lacksOnlyOf: await othersIn(target, row.handed, accounts) }));
  return rows.map((row) => ({ ...row, lacksOnlyOf: withOwners[late.indexOf(row)]?.lacksOnlyOf }));
}

/** Due firewalls that already have the newest version. A push does not change them. */
async function bearingNewest(
  managed: Managed,
  due: readonly ManagedFirewall[],
  { configuration }: TargetContext,
): Promise<readonly ManagedFirewall[]> {
  if (configuration.push?.arrival === "manager") return [];
  const newest = (await managed.versions()).at(-1)?.version;
  return due.filter(({ version }) => version !== undefined && Number(version) === newest);
}

/** Administrators of the missing changes. Undefined if one is unknown or an account of this owner; empty if no change is missing. */
async function othersIn(
  target: ReadTarget,
  handed: FirewallComparison | undefined,
  accounts: ReadonlySet<string>,
): Promise<readonly string[] | undefined> {
  if (handed?.state === "equal") return [];
  if (handed?.state !== "differs" || handed.more > 0) return undefined;
  const found = await boundedMap(handed.differences, async ({ xpath }) => await target.attribution(parsePath(xpath), undefined));
  const admins = found.map((by) => by?.admin);
  const others = admins.filter((admin) => admin !== undefined && !accounts.has(admin));
  return others.length < admins.length ? undefined : [...new Set(others.flatMap((admin) => admin ?? []))].sort();
}
