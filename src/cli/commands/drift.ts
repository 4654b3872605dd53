import { driftTargets } from "../../engine/reconcile.js";
import { exitCode } from "../../outcome/outcome.js";
import type { Context } from "../context.js";
import { readersFor } from "../open-targets.js";
import type { ProposeFlags } from "../propose.js";
import { reporting } from "../reports.js";
import { openSession, passOptions, withAnalysis } from "../terminal.js";

/** Reports drift, and proposes it as a pull request if requested. Returns the exit code. */
export async function drift(flags: ProposeFlags & { readonly propose?: boolean }, context: Context): Promise<number> {
  const session = openSession(flags, context);
  if (flags.propose === true) return await (await import("../propose.js")).propose(flags, context, session);
  const outcomes = await reporting("drift", flags, context, session, () =>
    driftTargets(withAnalysis(passOptions(flags, context, session)), readersFor(session.logger)),
  );
  return exitCode(outcomes);
}
