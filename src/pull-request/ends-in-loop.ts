import { PlumblineError } from "../core/errors.js";
import { nearEnds, SOON } from "../desired/rule-end.js";
import { canCleanUp, cleanUpTargets } from "../engine/access/cleanup-pass.js";
import type { AccessTools } from "../engine/access/edit-plan.js";
import { type TargetContext, today } from "../engine/pass/context.js";
import type { Readers } from "../engine/pass/options.js";
import { editDocuments } from "./access/edit-documents.js";
import { type EndsProposed, proposeEnds } from "./access/propose-ends.js";
import { openHost } from "./open-host.js";
import { hostSettings } from "./settings.js";

export interface LoopEnds {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readers: Readers;
  readonly designer: AccessTools["designer"];
  /** Branch that the loop follows. Undefined: the branch that is checked out. */
  readonly base: string | undefined;
  /** Called for each request that was opened, updated or closed. */
  proposed(target: string, result: EndsProposed): void;
  /** Called for each failure. The loop continues and retries with the next visit. */
  failed(target: string, error: PlumblineError): void;
}

/** Results that changed a request. */
const CHANGED: readonly EndsProposed["done"][] = ["proposed", "updated", "closed"];

/**
 * Returns a function that keeps the request for the ended rules of a target. Returns undefined if `PLUMBLINE_HOST` is not set. Requests are
 * made one after another, because they share a repository. Throws the errors of `hostSettings` immediately.
 */
export function endsInLoop(options: LoopEnds): ((context: TargetContext) => Promise<void>) | undefined {
  const { environment, readers, base, designer } = options;
  if ((environment.PLUMBLINE_HOST ?? "") === "") return undefined;
  const host = openHost(hostSettings({}, environment));
  /** By target: the ends and the commit of the last visit that changed nothing. */
  const settled = new Map<string, string>();
  let before: Promise<unknown> = Promise.resolve();
  const propose = async (context: TargetContext): Promise<EndsProposed> => {
    const question = { scope: undefined, unused: undefined, disable: false, deleteAfter: 0, acceptExcess: true };
    const lint = { ...question, today: today(context), onlyEndsWithin: SOON };
    const [pass] = await cleanUpTargets([context], context.options, readers, lint, { designer, edit: editDocuments });
    if (pass?.outcome.error !== undefined) throw pass.outcome.error;
    if (pass?.result === undefined) throw new Error("a target without an error has a result");
    const { result } = pass;
    const turn = before.then(() => proposeEnds(context, result, { host, base }));
    before = turn.catch(() => undefined);
    return await turn;
  };
  return async (context) => {
    const { configuration, desired, name, checkout } = context;
    if (!canCleanUp(await designer(configuration.kind))) return;
    const kind = context.options.source.kinds.get(configuration.kind);
    const ends = nearEnds(kind?.ruleEnds?.(desired.root) ?? [], today(context));
    const settledAt = ends.length === 0 ? "none" : JSON.stringify([checkout.commit, today(context)]);
    if (settled.get(name) === settledAt) return;
    try {
      const result = await propose(context);
      settled.set(name, settledAt);
      if (CHANGED.includes(result.done)) options.proposed(name, result);
    } catch (error) {
      if (!(error instanceof PlumblineError)) throw error;
      options.failed(name, error);
    }
  };
}
