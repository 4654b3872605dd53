import type { PushSettings } from "../../desired/configuration.js";
import { type ManagedFirewall, serialsOf } from "../../outcome/managed-firewalls.js";
import type { PushWave } from "../../plan/model.js";
import type { Reached } from "../absences.js";
import { apartOf, wavesOf } from "../rollout-waves.js";
import type { ReadTarget } from "../target.js";

/** A wave with what of it is to be pushed now. */
export interface DueWave extends PushWave {
  /** From 1, among all waves. */
  readonly number: number;
  readonly rows: readonly ManagedFirewall[];
}

/**
 * All firewalls of the rows in the waves in which they are pushed to; who is in sync keeps its place, so that a later run finds the
 * same. Halves of a pair are apart, the one that carries no traffic first; a pair of which one half is a canary is one whole.
 */
export function pushWavesOf(rows: readonly ManagedFirewall[], settings: PushSettings): readonly PushWave[] {
  return wavesWith(rows, settings, pairsOf(rows));
}

/** The same, whoever of a pair carries traffic just now: what is approved holds when the halves change their parts. */
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

/** Pairs, each once: first the half to begin with. One half that tells of the other is enough. */
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

/** Said where documents speak of what no push of ours brings to anybody. */
export function beyondWords({ managed }: ReadTarget, { reach, subtrees }: Reached, push: PushSettings | undefined): string[] {
  const found = push === undefined ? [] : (managed?.beyond(reach ?? subtrees) ?? []);
  return found.map(
    (each) => `what is committed of ${each} is pushed to nobody: that is left to whoever pushes to collectors and appliances`,
  );
}

/** Said where canaries are declared and none is reached: a slip in a serial number must not pass for a roll-out that begins with one. */
export function noCanaryWords(rows: readonly ManagedFirewall[], push: PushSettings | undefined): string[] {
  const { canary = [] } = push?.rollout ?? {};
  const all = serialsOf(rows);
  if (all.size === 0 || canary.length === 0 || canary.some((serial) => all.has(serial))) return [];
  return [`no canary gets it first: of the ${all.size} firewalls that are reached none is in push.rollout.canary (${canary.join(", ")})`];
}

/** What can be pushed now: who is away gets it later, what nobody understands and what lacks others' work alone is left to people. */
export function isDue({ state, connected, lacksOnlyOf }: ManagedFirewall): boolean {
  return state === "out of sync" && connected && lacksOnlyOf === undefined;
}

/** Waves in which something is due, up to a canary that lacks it and cannot be pushed to: whoever comes behind waits for it. */
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

/** Rows of a wave that are not known to have all that is ours. */
export function lackingIn({ serials }: PushWave, rows: readonly ManagedFirewall[]): readonly ManagedFirewall[] {
  return rows.filter(({ serial, state, lacksOnlyOf }) => state !== "in sync" && lacksOnlyOf === undefined && serials.includes(serial));
}
