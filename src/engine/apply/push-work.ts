import type { ManagedFirewall, PushedFirewall } from "../../outcome/managed-firewalls.js";
import type { PushWave } from "../../plan/model.js";
import type { Fenced } from "../fence.js";
import { isDue } from "../pass/push-order.js";
import type { OutcomeDraft } from "../pass/run-targets.js";
import type { BeforePush } from "../pass/unpushed.js";
import type { Managed } from "../target.js";
import type { OpenWatch } from "../watch/open-watch.js";
import type { Pushes, PushResult } from "../write-target.js";
import type { PushSession } from "./apply-session.js";
import type { PushSteps } from "./push-steps.js";

/** State of one push. */
export interface PushWork {
  readonly session: PushSession;
  readonly pushes: Fenced<Pushes>;
  readonly managed: Managed;
  readonly before: BeforePush | undefined;
  readonly draft: OutcomeDraft;
  /** Results that firewalls reported about their configuration, by `rowKey`. */
  readonly handed: Map<string, ManagedFirewall>;
  /** Returns the current report of the manager about the reached firewalls. */
  readonly read: () => Promise<readonly ManagedFirewall[]>;
  readonly steps: PushSteps;
  /** Version of the manager that each firewall has validated, by serial number. */
  readonly validated: Map<string, number>;
  /** By serial number, in the order of the waves. */
  readonly results: Map<string, PushedFirewall>;
  /** Called after each wave with the start time of the wave. Resolves to whether the next wave may begin. */
  readonly check: ((since: string) => Promise<boolean>) | undefined;
  /** A commit that was rolled back. Only firewalls that have it are pushed to. */
  readonly back: OpenWatch | undefined;
  /** Serial numbers of those firewalls. Undefined if there is no restriction. */
  only: ReadonlySet<string> | undefined;
  /** Results of the push of that commit. */
  readonly former: readonly PushedFirewall[];
  /** Number of pushes that were sent. */
  jobs: number;
}

/** Adds a result for each of these firewalls to the report, so that the report lists them however the run ends. */
export function reportPushed(work: PushWork, due: readonly ManagedFirewall[], waves: readonly PushWave[]): void {
  const serials = new Set(due.map(({ serial }) => serial));
  for (const [index, wave] of waves.entries())
    for (const serial of wave.serials.filter((each) => serials.has(each)))
      work.results.set(serial, {
        serial,
        wave: index + 1,
        job: "",
        result: "not pushed",
        lines: [],
        since: new Date(work.session.context.options.machine.now()).toISOString(),
        ...(work.back === undefined ? {} : { isBack: true }),
      });
  reportResults(work, []);
}

export function reportResults({ session, results, draft, back, former }: PushWork, found: readonly PushResult[]): void {
  const isBack = back === undefined ? {} : { isBack: true };
  const now = new Date(session.context.options.machine.now()).toISOString();
  for (const each of found) {
    const known = results.get(each.serial);
    const since = known?.result === each.result ? known.since : now;
    results.set(each.serial, { ...each, ...isBack, since, wave: known?.wave ?? 1 });
  }
  draft.pushed = [...former.filter(({ serial }) => !results.has(serial)), ...results.values()];
}

/** Returns true if the row lacks changes and this push includes its firewall. */
export function isToBePushed({ only }: PushWork, row: ManagedFirewall): boolean {
  return isDue(row) && only?.has(row.serial) !== false;
}
