import type { HoldReason } from "../events.js";
import { newState, type TargetState } from "../visit-parts.js";

/**
 * State of a target that is handed from one agent to the next. Another version of Plumbline may have written it, so the stored names stay
 * when a field of `TargetState` is renamed.
 */
interface Saved {
  readonly held?: HoldReason | undefined;
  readonly refusalsTold?: string | undefined;
  readonly ignoresTold?: string | undefined;
  readonly unreachable?: number | undefined;
  readonly unreachableSince?: number | undefined;
  readonly unreadLedgers?: number | undefined;
  readonly undone?: number | undefined;
  readonly brought?: string | undefined;
  readonly putOff?: number | undefined;
  readonly tried?: string | undefined;
  /** Last commit that touched the target. */
  readonly touched?: string | undefined;
  /** Heals before this time do not count, in milliseconds since 1970. */
  readonly healsForgotten?: number | undefined;
  /** Last time that its lease was taken over from an agent that did not release it, in milliseconds since 1970. */
  readonly takenOver?: number | undefined;
  /** Agent that visited the target last. */
  readonly by?: string | undefined;
}

/** Values that are stored in addition to the state of a target. */
export type SavedWith = Pick<Saved, "touched" | "healsForgotten" | "takenOver" | "by">;

export function readSaved(text: string): SavedWith & { readonly state: TargetState } {
  const {
    held,
    refusalsTold: reportedRefusals,
    ignoresTold: reportedIgnores,
    unreachable = 0,
    unreachableSince,
    unreadLedgers = 0,
    undone = 0,
    brought: appliedCommit,
    putOff: postponements = 0,
    tried,
    ...others
  } = parse(text);
  const known = {
    ...{ held, reportedRefusals, reportedIgnores, unreachable, unreachableSince },
    ...{ unreadLedgers, undone, appliedCommit, postponements, tried },
  };
  return { state: { ...newState(), ...known }, ...others };
}

export function writeSaved(state: TargetState, others: SavedWith): string {
  const { held, unreachable, unreachableSince, unreadLedgers, undone, tried } = state;
  const saved: Saved = {
    held,
    refusalsTold: state.reportedRefusals,
    ignoresTold: state.reportedIgnores,
    unreachable,
    unreachableSince,
    unreadLedgers,
    undone,
    brought: state.appliedCommit,
    putOff: state.postponements,
    tried,
    ...others,
  };
  return JSON.stringify(saved);
}

function parse(text: string): Saved {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? value : {};
}
