import { createHash } from "node:crypto";
import { refusalsOf } from "../../guards/guard.js";
import { GUARDS } from "../../guards/registry.js";
import type { ManagedFirewall, RunningVersion } from "../../outcome/managed-firewalls.js";
import type { Plan, Refusal } from "../../plan/model.js";
import { readManagedFirewalls } from "../absences.js";
import type { Live } from "../live.js";
import type { Managed, ReadTarget } from "../target.js";
import type { TargetContext } from "./context.js";
import { approvedWavesOf, isDue, pushWavesOf } from "./push-order.js";
import { excludesUnpushed, includesUnpushed } from "./unpushed-commits.js";
import { knowingWhose } from "./whose-is-missing.js";

/** State of the firewalls before the run changed anything. */
export interface BeforePush {
  readonly versions: readonly RunningVersion[];
  readonly rows: readonly ManagedFirewall[];
}

/** Reads the versions first. A commit between the two reads is then seen at a firewall and counts as newer. */
export async function readBeforePush(
  target: ReadTarget,
  live: Live,
  context: TargetContext,
  accounts: readonly string[],
): Promise<BeforePush | undefined> {
  const { managed } = target;
  if (managed === undefined) return undefined;
  const versions = await managed.versions();
  const rows = await readManagedFirewalls(managed, context, live);
  return rows === undefined ? undefined : { versions, rows: await knowingWhose(target, rows, context, new Set(accounts)) };
}

/** Adds the reached firewalls to the plan and its digests, and the refusals of the push. */
export async function withReach(
  { managed }: ReadTarget,
  plan: Plan,
  before: BeforePush,
  context: TargetContext,
  accounts: readonly string[],
): Promise<Plan> {
  const reaches = reachedBy(before.rows);
  const { push } = context.configuration;
  const others = othersIn(before, context, accounts);
  const inWaves = push === undefined ? [] : pushWavesOf(before.rows, push);
  const waves = inWaves.length > 1 ? inWaves : undefined;
  const approved = waves === undefined || push === undefined ? [] : [approvedWavesOf(before.rows, push)];
  const covered = [reaches, ...approved, ...(others === undefined ? [] : [others])];
  const covering = (digest: string) =>
    createHash("sha256")
      .update(JSON.stringify([digest, ...covered]))
      .digest("hex");
  const isChecked = !includesUnpushed(context) && accounts.length > 0;
  const refusals = isChecked ? await unpushedRefusals(managed, before, accounts, excludesUnpushed(context)) : [];
  const digests = { digest: covering(plan.digest), effect: covering(plan.effect) };
  return { ...plan, ...digests, reaches, waves, others, refusals: [...plan.refusals, ...refusals] };
}

/**
 * Firewalls that already have the result of the plan, if others lack the running configuration. A rollback is then pushed only to those
 * that received the change. Undefined if no firewall is due or verification fails.
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

/** Other administrators' versions that the firewalls lack, and what the push does with them. Part of the digest. */
function othersIn({ rows, versions }: BeforePush, context: TargetContext, accounts: readonly string[]): Plan["others"] {
  const goes = includesUnpushed(context) ? "along" : excludesUnpushed(context) ? "left out" : undefined;
  if (goes === undefined || accounts.length === 0) return undefined;
  const from = Math.min(...rows.flatMap(({ version, state }) => (state === "in sync" || version === undefined ? [] : [Number(version)])));
  const ofOthers = versions.filter(({ version, admin }) => version > from && !accounts.includes(admin));
  const lacking = rows.flatMap(({ lacksOnlyOf = [] }) => lacksOnlyOf);
  const words = ofOthers.map(({ version, admin, time }) => `version ${version} by ${admin} at ${time}`);
  const works = words.length > 0 ? words : [...new Set(lacking)].sort().map((admin) => `work of ${admin}`);
  return works.length === 0 ? undefined : { goes, work: works };
}

function reachedBy(rows: readonly ManagedFirewall[]): string[] {
  return [...new Set(rows.map(({ serial, vsys, by }) => [serial, vsys ?? "", by].join(" ")))].sort();
}

async function unpushedRefusals(
  managed: Managed | undefined,
  { rows, versions }: BeforePush,
  accounts: readonly string[],
  isSelective: boolean,
): Promise<Refusal[]> {
  const due = rows.filter(isDue);
  const found = isSelective ? miscountedIn(due) : await reachingOf(managed, due, { versions, before: undefined, accounts });
  return refusalsOf(GUARDS.push, found);
}

export interface Newer {
  readonly versions: readonly RunningVersion[];
  readonly before: BeforePush | undefined;
  readonly accounts: readonly string[];
}

/** `unpushedOf` without versions that do not affect the rows. Requests these versions from the manager only if there are any. */
export async function reachingOf(
  managed: Managed | undefined,
  late: readonly ManagedFirewall[],
  { versions, before, accounts: ours }: Newer,
): Promise<string[]> {
  const found = unpushedOf(late, versions, before, ours);
  if (managed === undefined || found.length === 0) return found;
  const from = Math.min(...late.map((row) => knownVersion(row, versions, before) ?? 0));
  const ofOthers = versions.filter(({ version, admin }) => version > from && !ours.includes(admin)).map(({ version }) => version);
  const places = [...new Set(late.map(({ by }) => by))];
  const touched = await managed.touched(places, ofOthers).catch(() => () => true);
  return unpushedOf(late, versions, before, ours, touched);
}

/** Sentences for rows whose version number belongs to another manager. A selective push cannot use such a number. */
export function miscountedIn(rows: readonly ManagedFirewall[]): string[] {
  return rows.flatMap(({ hostname, serial, by, bears, version }) =>
    bears === undefined || version === undefined
      ? []
      : [
          `${hostname ?? serial} bears version ${bears} of the other manager for ${by}, and a selective push selects commits by that number`,
        ],
  );
}

/**
 * Other administrators' changes that a push to these rows would include, one sentence per firewall. A firewall that was in sync before the
 * run lacks only later commits; any other lacks everything newer than its version.
 */
export function unpushedOf(
  late: readonly ManagedFirewall[],
  versions: readonly RunningVersion[],
  before: BeforePush | undefined,
  accounts: readonly string[],
  isTouched: (place: string, version: number) => boolean = () => true,
): string[] {
  return late.flatMap((row) => {
    const from = knownVersion(row, versions, before);
    const name = [row.hostname ?? row.serial, row.vsys].filter((part) => part !== undefined).join(" ");
    const why =
      row.bears === undefined
        ? "the manager does not know which version it has"
        : `version ${row.bears}, which it bears, is not known to be one of this manager of the pair`;
    if (from === undefined) return [`the commits of ${row.by} that ${name} lacks are unknown: ${why}`];
    const ofOthers = versions.filter(({ version, admin }) => version > from && !accounts.includes(admin) && isTouched(row.by, version));
    if (ofOthers.length === 0) return [];
    const words = ofOthers.map(({ version, admin, time }) => `version ${version} by ${admin} at ${time}`);
    return [`a push of ${row.by} to ${name} would include commits of others that were not pushed: ${words.join(", ")}`];
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
