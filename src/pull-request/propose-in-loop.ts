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
  /** Called for each new proposal. */
  proposed(target: string, result: ProposeResult): void;
  /** Called for each failure. The loop continues and retries with the next visit. */
  failed(target: string, error: PlumblineError): void;
}

/**
 * Returns a function that proposes the drift of one target, for targets with the mode `propose`. Returns undefined if `PLUMBLINE_HOST` is
 * not set. Proposals are made one after another, because they share a repository. Throws the errors of `hostSettings` immediately.
 */
export function proposalsInLoop(options: LoopProposals): ((context: TargetContext) => Promise<void>) | undefined {
  const { environment, readers, base } = options;
  if ((environment.PLUMBLINE_HOST ?? "") === "") return undefined;
  const host = openHost(hostSettings({}, environment));
  let before: Promise<unknown> = Promise.resolve();
  const propose = async (context: TargetContext): Promise<ProposeResult> => {
    const { outcomes, surveys } = await surveyTargets([context], readers);
    const failure = outcomes[0]?.error;
    if (failure !== undefined) throw failure;
    const turn = before.then(() => proposeDrift(surveys, { host, base }));
    before = turn.catch(() => undefined);
    return await turn;
  };
  return async (context) => {
    try {
      const result = await propose(context);
      if (result.done === "proposed") options.proposed(context.name, result);
    } catch (error) {
      if (!(error instanceof PlumblineError)) throw error;
      options.failed(context.name, error);
    }
  };
}
