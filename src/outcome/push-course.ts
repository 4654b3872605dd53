/**
 * Step of a firewall in a push. `waiting`: for its turn. `validating`: the firewall validates the configuration. `pushing`: sent and not
 * ended. `pushed`: accepted and not verified yet. `arrived`: verified. `failed`, `unknown` and `not connected` end the push for the
 * firewall.
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
  /** Start time of the step (our clock, ISO 8601). */
  readonly since: string;
  /** Job number on the manager. Empty if there is no job yet. */
  readonly job: string;
}

/** Progress of a push. */
export interface PushCourse {
  /** The run that pushes, and its account. */
  readonly run: string;
  readonly by: string;
  /** ISO 8601. */
  readonly began: string;
  readonly waves: number;
  /** In the order of the waves. */
  readonly firewalls: readonly FirewallStep[];
  /** True if the push restores the former state after a rollback. */
  readonly isBack: boolean;
  /** End time of the push. Undefined while it runs. */
  readonly ended?: string | undefined;
}

/** Returns `wave 2 of 3, 4 of 12 firewalls have it, 2 pushing, 6 waiting`. The wave is the first one with unfinished firewalls. */
export function formatPushProgress({ firewalls, waves }: Pick<PushCourse, "firewalls" | "waves">): string {
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
