import type { PushSettings } from "../../desired/configuration.js";
import { type ManagedFirewall, serialsOf } from "../../outcome/managed-firewalls.js";
import type { PushWave } from "../../plan/model.js";
import { apartOf, wavesOf } from "../rollout-waves.js";

/** A wave with what of it is to be pushed now. */
export interface DueWave extends PushWave {
  /** From 1, among all waves. */
  readonly number: number;
  readonly rows: readonly ManagedFirewall[];
}

/** All firewalls of the rows in the waves in which they are pushed to; who is in sync keeps its place, so that a later run finds the same. */
export function pushWavesOf(rows: readonly ManagedFirewall[], { rollout }: PushSettings): readonly PushWave[] {
  const waves = wavesOf([...serialsOf(rows)].sort(), rollout, apartOf(rollout.apart, new Map()), () => []);
  return waves.map((serials) => ({ canary: serials.every((serial) => rollout.canary.includes(serial)), serials }));
}

/** What can be pushed now: who is away gets it later, and what nobody understands is left to people. */
export function isDue({ state, connected }: ManagedFirewall): boolean {
  return state === "out of sync" && connected;
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

/** Rows of a wave that are not known to be in sync. */
export function lackingIn({ serials }: PushWave, rows: readonly ManagedFirewall[]): readonly ManagedFirewall[] {
  return rows.filter(({ serial, state }) => state !== "in sync" && serials.includes(serial));
}
