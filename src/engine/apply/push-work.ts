import type { ManagedFirewall, PushedFirewall } from "../../outcome/managed-firewalls.js";
import type { PushWave } from "../../plan/model.js";
import type { Fenced } from "../fence.js";
import type { OutcomeDraft } from "../pass/pass-over.js";
import { isDue } from "../pass/push-order.js";
import type { BeforePush } from "../pass/unpushed.js";
import type { Managed } from "../target.js";
import type { OpenWatch } from "../watch/open-watch.js";
import type { Pushes, PushResult } from "../write-target.js";
import type { ApplySession } from "./apply-session.js";
import type { PushSteps } from "./push-steps.js";

/** One push, as far as it has come. */
export interface PushWork {
  readonly session: ApplySession;
  readonly pushes: Fenced<Pushes>;
  readonly managed: Managed;
  readonly before: BeforePush | undefined;
  readonly draft: OutcomeDraft;
  /** What firewalls said that they have, by `rowKey`. */
  readonly handed: Map<string, ManagedFirewall>;
  /** What the manager says now of the firewalls that are reached. */
  readonly ask: () => Promise<readonly ManagedFirewall[]>;
  readonly steps: PushSteps;
  /** Of which of the manager's versions a firewall said that it would take it, by serial number. */
  readonly asked: Map<string, number>;
  /** By serial number, in the order of the waves. */
  readonly results: Map<string, PushedFirewall>;
  /** Asked after each wave, of the time since it began: whether the next one may begin. */
  readonly check: ((since: string) => Promise<boolean>) | undefined;
  /** A commit that was taken back: those alone that have it are pushed to. */
  readonly back: OpenWatch | undefined;
  /** Serial numbers of those; undefined where anybody may be pushed to. */
  only: ReadonlySet<string> | undefined;
  /** What the push of that commit came to. */
  readonly former: readonly PushedFirewall[];
  /** Pushes that were sent. */
  jobs: number;
}

/** From here on the report says of each of these firewalls what became of it, however the run ends. */
export function tellPushed(work: PushWork, due: readonly ManagedFirewall[], waves: readonly PushWave[]): void {
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
  tell(work, []);
}

export function tell({ session, results, draft, back, former }: PushWork, found: readonly PushResult[]): void {
  const isBack = back === undefined ? {} : { isBack: true };
  const now = new Date(session.context.options.machine.now()).toISOString();
  for (const each of found) {
    const known = results.get(each.serial);
    const since = known?.result === each.result ? known.since : now;
    results.set(each.serial, { ...each, ...isBack, since, wave: known?.wave ?? 1 });
  }
  draft.pushed = [...former.filter(({ serial }) => !results.has(serial)), ...results.values()];
}

/** What lacks something now and is to get it by this push. */
export function isToBePushed({ only }: PushWork, row: ManagedFirewall): boolean {
  return isDue(row) && only?.has(row.serial) !== false;
}
