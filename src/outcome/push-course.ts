/**
 * Where a firewall stands in a push: `waiting` for its turn, or `waiting for a canary`; `validating`, asked whether it would take it;
 * `pushing`, sent and not ended; `pushed`, it took it and was not asked yet what it has; `arrived`, it has it. `failed`, `unknown` and
 * `not connected` end it for this push.
 */
export type PushStep = (typeof PUSH_STEPS)[number];

export const PUSH_STEPS = [
  "waiting",
  "waiting for a canary",
  "validating",
  "pushing",
  "pushed",
  "arrived",
  "failed",
  "unknown",
  "not connected",
] as const;

export interface FirewallStep {
  readonly serial: string;
  readonly hostname?: string | undefined;
  /** From 1. */
  readonly wave: number;
  readonly step: PushStep;
  /** When it came to this, by our clock, in ISO 8601. */
  readonly since: string;
  /** The manager's number of its job; empty where there is none yet. */
  readonly job: string;
}

/** A push as far as it has come. */
export interface PushCourse {
  /** The run that pushes, and the account under which it does. */
  readonly run: string;
  readonly by: string;
  /** ISO 8601. */
  readonly began: string;
  readonly waves: number;
  /** In the order of the waves. */
  readonly firewalls: readonly FirewallStep[];
  /** It brings the former state to those that have what was taken back. */
  readonly isBack: boolean;
  /** When the run was through with it; undefined while it is at work. */
  readonly ended?: string | undefined;
}

/** `wave 2 of 3, 4 of 12 firewalls have it, 2 pushing, 6 waiting`; the wave is the first in which something is under way or to come. */
export function courseWords({ firewalls, waves }: Pick<PushCourse, "firewalls" | "waves">): string {
  const open = firewalls.find(({ step }) => !OVER.has(step));
  const wave = waves < 2 || open === undefined ? "" : `wave ${open.wave} of ${waves}, `;
  const [has, ...others] = ["arrived" as const, ...PUSH_STEPS.filter((step) => step !== "arrived").toReversed()].map((step) => ({
    step,
    count: firewalls.filter((each) => each.step === step).length,
  }));
  const rest = others.filter(({ count }) => count > 0).map(({ step, count }) => `, ${count} ${step}`);
  return `${wave}${has?.count ?? 0} of ${firewalls.length} ${firewalls.length === 1 ? "firewall has" : "firewalls have"} it${rest.join("")}`;
}

const OVER: ReadonlySet<PushStep> = new Set(["arrived", "failed", "unknown", "not connected"]);
