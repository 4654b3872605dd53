import { createHash } from "node:crypto";
import type { ManagedFirewall, RunningVersion } from "../../outcome/managed-firewalls.js";
import type { Plan, Refusal } from "../../plan/model.js";
import { askManaged, type Looker } from "../absences.js";
import type { Live } from "../live.js";
import type { ReadTarget } from "../target.js";
import type { TargetContext } from "./context.js";
import { approvedWavesOf, isDue, pushWavesOf } from "./push-order.js";

/** `--allow unpushed`: others' commits that nobody pushed go along once. */
export const UNPUSHED = "unpushed";

/** What firewalls had before a run changed anything. */
export interface BeforePush {
  readonly versions: readonly RunningVersion[];
  readonly rows: readonly ManagedFirewall[];
}

/** Versions come first: what is committed between the two questions is then seen at a firewall, and counts as newer. */
export async function readBeforePush({ managed }: ReadTarget, live: Live, looker: Looker): Promise<BeforePush | undefined> {
  if (managed === undefined) return undefined;
  const versions = await managed.versions();
  const rows = await askManaged(managed, looker, live);
  return rows === undefined ? undefined : { versions, rows };
}

/** The plan with the firewalls that it reaches, which its digests cover, and with what keeps it from being pushed. */
export function withReach(plan: Plan, before: BeforePush, context: TargetContext, ours: readonly string[]): Plan {
  const reaches = reachedBy(before.rows);
  const { push } = context.configuration;
  const inWaves = push === undefined ? [] : pushWavesOf(before.rows, push);
  const waves = inWaves.length > 1 ? inWaves : undefined;
  const covering = (digest: string) =>
    createHash("sha256")
      .update(
        JSON.stringify(
          waves === undefined || push === undefined ? [digest, reaches] : [digest, reaches, approvedWavesOf(before.rows, push)],
        ),
      )
      .digest("hex");
  const refusals = context.options.allow.has(UNPUSHED) || ours.length === 0 ? [] : refusalsOf(before, ours);
  const digests = { digest: covering(plan.digest), effect: covering(plan.effect) };
  return { ...plan, ...digests, reaches, waves, refusals: [...plan.refusals, ...refusals] };
}

/**
 * Those of the rows that have what the plan makes of their manager, where some lack what is running there now: a change that is taken back
 * goes to those alone that got it. Undefined where that does not arise, or cannot be said.
 */
export async function alreadyHaving(
  { managed }: ReadTarget,
  { rows }: BeforePush,
  { operations }: Plan,
): Promise<readonly string[] | undefined> {
  if (managed === undefined || operations.length === 0 || !rows.some(isDue)) return undefined;
  try {
    const judged = await managed.verify(rows.filter(isDue), operations);
    return reachedBy(judged.filter(({ handed }) => handed?.state === "equal"));
  } catch {
    return undefined;
  }
}

function reachedBy(rows: readonly ManagedFirewall[]): string[] {
  return [...new Set(rows.map(({ serial, vsys, by }) => [serial, vsys ?? "", by].join(" ")))].sort();
}

function refusalsOf({ rows, versions }: BeforePush, ours: readonly string[]): Refusal[] {
  return unpushedOf(rows.filter(isDue), versions, undefined, ours).map((words) => ({
    guard: UNPUSHED,
    message: words,
    path: undefined,
    allow: `--allow ${UNPUSHED}`,
  }));
}

/**
 * What of others would go along with a push to these rows, a sentence for each firewall. A firewall that was in sync before the
 * run lacks only what was committed since; any other all that is newer than what it says it has.
 */
export function unpushedOf(
  late: readonly ManagedFirewall[],
  versions: readonly RunningVersion[],
  before: BeforePush | undefined,
  ours: readonly string[],
): string[] {
  return late.flatMap((row) => {
    const from = knownVersion(row, versions, before);
    const name = [row.hostname ?? row.serial, row.vsys].filter((part) => part !== undefined).join(" ");
    if (from === undefined) return [`nobody can say what ${name} lacks of ${row.by}: the manager does not know which version it has`];
    const theirs = versions.filter(({ version, admin }) => version > from && !ours.includes(admin));
    if (theirs.length === 0) return [];
    const words = theirs.map(({ version, admin, time }) => `version ${version} by ${admin} at ${time}`);
    return [`a push of ${row.by} to ${name} would take along what others committed and nobody pushed: ${words.join(", ")}`];
  });
}

function knownVersion(row: ManagedFirewall, versions: readonly RunningVersion[], before: BeforePush | undefined): number | undefined {
  const isSame = (other: ManagedFirewall) => other.serial === row.serial && other.vsys === row.vsys && other.by === row.by;
  const newest = versions.at(-1)?.version;
  const own = row.version === undefined ? undefined : Number(row.version);
  const has = own === undefined || newest === undefined || !(own <= newest) ? undefined : own;
  if (before?.rows.find(isSame)?.state !== "in sync") return has;
  const then = before.versions.at(-1)?.version;
  return then === undefined ? has : Math.max(then, has ?? 0);
}
