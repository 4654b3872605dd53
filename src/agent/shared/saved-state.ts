import type { HoldReason } from "../events.js";
import { newState, type TargetState } from "../visit-parts.js";

/** What goes from one agent to the next with a target. Another version of Plumbline may have written it. */
interface Saved {
  readonly held?: HoldReason;
  readonly refusalsTold?: string;
  readonly unreachable?: number;
  readonly tried?: string;
  /** The agent that visited it last. */
  readonly by?: string;
}

export function readSaved(text: string): { readonly state: TargetState; readonly by: string | undefined } {
  const { held, refusalsTold, unreachable = 0, tried, by } = parse(text);
  return { state: { ...newState(), held, refusalsTold, unreachable, tried }, by };
}

export function writeSaved({ held, refusalsTold, unreachable, tried }: TargetState, by: string): string {
  return JSON.stringify({ held, refusalsTold, unreachable, tried, by });
}

function parse(text: string): Saved {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? value : {};
}
