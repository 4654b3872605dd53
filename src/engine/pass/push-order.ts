import type { PushSettings } from "../../desired/configuration/configuration.js";
import { type ManagedFirewall, serialsOf } from "../../outcome/managed-firewalls.js";
import type { PushWave } from "../../plan/model.js";
import type { Reached } from "../absences.js";
import { apartOf, wavesOf } from "../rollout-waves.js";
import type { ReadTarget } from "../target.js";

/** A wave with its rows that are due now. */
export interface DueWave extends PushWave {
  /** From 1, among all waves. */
  readonly number: number;
  readonly rows: readonly ManagedFirewall[];
}

/**
 * Waves for all firewalls of the rows. Firewalls that are in sync keep their place, so a later run computes the same waves.
 * The halves of a pair are in different waves, the passive one first. If one half is a canary, both are.
 */
export function pushWavesOf(rows: readonly ManagedFirewall[], settings: PushSettings): readonly PushWave[] {
  return wavesWith(rows, settings, pairsOf(rows));
}

/** Waves that do not depend on which half of a pair is active, so an approval stays valid after a failover. */
export function approvedWavesOf(rows: readonly ManagedFirewall[], settings: PushSettings): readonly PushWave[] {
  return wavesWith(
    rows,
    settings,
    pairsOf(rows).map((pair) => pair.toSorted()),
  );
}

function wavesWith(
  rows: readonly ManagedFirewall[],
  { rollout }: PushSettings,
  pairs: readonly (readonly string[])[],
): readonly PushWave[] {
  const ahead = new Map(pairs.map(([first = "", second = ""]) => [second, first]));
  const followed = (serial: string) => [ahead.get(serial)].filter((each) => each !== undefined);
  const canaries = new Set(rollout.canary.flatMap((serial) => [serial, ...followed(serial)]));
  const waves = wavesOf([...serialsOf(rows)].sort(), rollout, apartOf([...rollout.apart, ...pairs], new Map()), followed);
  return waves.map((serials) => ({ canary: serials.every((serial) => canaries.has(serial)), serials }));
}

/** High-availability pairs, each once, with the half to push first. One half that names its peer is enough. */
function pairsOf(rows: readonly ManagedFirewall[]): readonly (readonly string[])[] {
  const reached = new Map(rows.map(({ serial, ha }) => [serial, ha]));
  const isBusy = (serial: string) => /^active(?:-primary)?$/i.test(reached.get(serial)?.state ?? "");
  const pairs = new Map<string, readonly string[]>();
  for (const [serial, ha] of reached) {
    if (ha === undefined || ha.peer === serial || !reached.has(ha.peer)) continue;
    const pair = [serial, ha.peer].sort((a, b) => Number(isBusy(a)) - Number(isBusy(b)) || (a < b ? -1 : 1));
    pairs.set(pair.toSorted().join(" "), pair);
  }
  return [...pairs.values()];
}

/** Warnings for declared paths that no push of this run delivers. */
export function undeliveredWarnings({ managed }: ReadTarget, { reach, subtrees }: Reached, push: PushSettings | undefined): string[] {
  const found = push === undefined ? [] : (managed?.beyond(reach ?? subtrees) ?? []);
  return found.map((each) => `changes of ${each} are not pushed: pushes to collectors and appliances are manual`);
}

/** Warning if canaries are configured and none is reached, for example because of a mistyped serial number. */
export function noCanaryWarning(rows: readonly ManagedFirewall[], push: PushSettings | undefined): string[] {
  const { canary = [] } = push?.rollout ?? {};
  const all = serialsOf(rows);
  if (all.size === 0 || canary.length === 0 || canary.some((serial) => all.has(serial))) return [];
  return [`there is no canary: none of the ${all.size} affected firewalls is in push.rollout.canary (${canary.join(", ")})`];
}

/**
 * Reports whether a firewall can be pushed to now. Excludes firewalls that are disconnected, in an unknown state, or only missing other
 * administrators' work.
 */
export function isDue({ state, connected, lacksOnlyOf }: ManagedFirewall): boolean {
  return state === "out of sync" && connected && lacksOnlyOf === undefined;
}

/** Waves with at least one due firewall. Stops after a canary wave in which a firewall is missing the change and cannot be pushed to. */
export function dueWavesOf(rows: readonly ManagedFirewall[], waves: readonly PushWave[]): readonly DueWave[] {
  const found: DueWave[] = [];
  for (const [index, wave] of waves.entries()) {
    const own = lackingIn(wave, rows);
    const due = own.filter(isDue);
    if (due.length > 0) found.push({ ...wave, number: index + 1, rows: due });
    if (wave.canary && due.length < own.length) break;
  }
  return found;
}

/** Rows of a wave that may be missing some of our changes. */
export function lackingIn({ serials }: PushWave, rows: readonly ManagedFirewall[]): readonly ManagedFirewall[] {
  return rows.filter(({ serial, state, lacksOnlyOf }) => state !== "in sync" && lacksOnlyOf === undefined && serials.includes(serial));
}
