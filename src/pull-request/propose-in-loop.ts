import { PlumblineError } from "../core/errors.js";
import type { TargetContext } from "../engine/pass/context.js";
import type { Readers } from "../engine/pass/options.js";
import { openHost } from "./open-host.js";
import { type ProposeResult, proposeDrift } from "./propose/propose-drift.js";
import { surveyTargets } from "./propose/survey.js";
import { hostSettings } from "./settings.js";

export interface LoopProposals {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readers: Readers;
  /** Branch that the loop follows. Undefined: see `ProposeOptions.base`. */
  readonly base: string | undefined;
  /** Called for each request that was opened, updated or closed. */
  proposed(target: string, result: ProposeResult): void;
  /** Called for each failure. The loop continues and retries with the next visit. */
  failed(target: string, error: PlumblineError): void;
}

/** Results that changed a request. */
const CHANGED: readonly ProposeResult["done"][] = ["proposed", "updated", "closed"];

/**
 * Returns a function that keeps the request for the drift of a target with the mode `propose`; `drifts` is the number of its differences.
 * Returns undefined if `PLUMBLINE_HOST` is not set. Proposals are made one after another, because they share a repository. Throws the errors
 * of `hostSettings` immediately.
 */
export function proposalsInLoop(options: LoopProposals): ((context: TargetContext, drifts: number) => Promise<void>) | undefined {
  const { environment, readers, base } = options;
  if ((environment.PLUMBLINE_HOST ?? "") === "") return undefined;
  const host = openHost(hostSettings({}, environment));
  /** Targets without drift and without an open request. */
  const settled = new Set<string>();
  let before: Promise<unknown> = Promise.resolve();
  const propose = async (context: TargetContext): Promise<ProposeResult> => {
    const { outcomes, surveys } = await surveyTargets([context], readers);
    const failure = outcomes[0]?.error;
    if (failure !== undefined) throw failure;
    const [survey] = surveys;
    if (survey === undefined) throw new Error("a target without an error has no survey");
    const turn = before.then(() => proposeDrift(survey, { host, base }));
    before = turn.catch(() => undefined);
    const result = await turn;
    if (survey.isCompared && survey.drift.items.length === 0) settled.add(context.name);
    return result;
  };
  return async (context, drifts) => {
    if (drifts > 0) settled.delete(context.name);
    if (settled.has(context.name)) return;
    try {
      const result = await propose(context);
      if (CHANGED.includes(result.done)) options.proposed(context.name, result);
    } catch (error) {
      if (!(error instanceof PlumblineError)) throw error;
      options.failed(context.name, error);
    }
  };
}
