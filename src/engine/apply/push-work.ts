import type { ManagedFirewall, PushedFirewall } from "../../outcome/managed-firewalls.js";
import type { PushWave } from "../../plan/model.js";
import type { Fenced } from "../fence.js";
import type { OutcomeDraft } from "../pass/pass-over.js";
import type { BeforePush } from "../pass/unpushed.js";
import type { Managed } from "../target.js";
import type { Pushes, PushResult } from "../write-target.js";
import type { ApplySession } from "./apply-session.js";

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
  /** By serial number, in the order of the waves. */
  readonly results: Map<string, PushedFirewall>;
  /** Pushes that were sent. */
  jobs: number;
}

/** From here on the report says of each of these firewalls what became of it, however the run ends. */
export function tellPushed(work: PushWork, due: readonly ManagedFirewall[], waves: readonly PushWave[]): void {
  const serials = new Set(due.map(({ serial }) => serial));
  for (const [index, wave] of waves.entries())
    for (const serial of wave.serials.filter((each) => serials.has(each)))
      work.results.set(serial, { serial, wave: index + 1, job: "", result: "not pushed", lines: [] });
  tell(work, []);
}

export function tell({ results, draft }: PushWork, found: readonly PushResult[]): void {
  for (const each of found) results.set(each.serial, { ...each, wave: results.get(each.serial)?.wave ?? 1 });
  draft.pushed = [...results.values()];
}
