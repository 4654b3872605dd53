import { PlumblineError } from "../core/errors.js";
import type { TargetContext } from "../engine/pass/context.js";
import type { Readers } from "../engine/pass/options.js";
import { openHost } from "./open-host.js";
import { surveyTargets } from "./propose/survey.js";
import { type ProposeResult, proposeDrift } from "./propose.js";
import { hostSettings } from "./settings.js";

export interface LoopProposals {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readers: Readers;
  /** The branch that the loop follows; the host's default where it follows none. */
  readonly base: string | undefined;
  /** Told of each proposal that was made, and of none that was known. */
  proposed(target: string, result: ProposeResult): void;
  /** Told of what went wrong; the next visit tries again, and the loop goes on. */
  failed(target: string, error: PlumblineError): void;
}

/**
 * Proposes the drift of one target at a time, for a loop that visits targets whose mode is `propose`. Undefined where
 * `PLUMBLINE_HOST` names no code host: there is nowhere to propose to. Calls come one after the other, since they share a
 * repository. Throws `code-host-…` at once for settings that are incomplete.
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
