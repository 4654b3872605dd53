import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { readCheckout } from "../../engine/checkout.js";
import { rollBack } from "../../engine/rollback.js";
import { kinds } from "../../targets/registry.js";
import type { Context } from "../context.js";
import { findConfiguration, type GlobalOptions, type PlainFormat } from "../options.js";
import { show } from "../show.js";

interface Flags extends GlobalOptions, PlainFormat {
  readonly push?: boolean;
}

/** Writes a commit that takes another one back. Gives the exit code. */
export async function rollback(flags: Flags, context: Context, commit: string): Promise<number> {
  const configurationFile = realpathSync(findConfiguration(flags, context));
  const today = context.now().toISOString().slice(0, 10);
  const { revert, subject, pushed, needsSignature } = await rollBack({
    checkout: await readCheckout(dirname(configurationFile)),
    configurationFile,
    commit,
    push: flags.push ?? false,
    load: { environment: context.environment, kinds, today, live: { values: () => "later", nodes: () => "later" } },
  });
  const where = pushed === undefined ? "Not pushed: --push does that, or `git push`." : `Pushed to ${pushed}.`;
  const sign = needsSignature ? "It is not signed, and the agent takes signed commits alone: `git commit --amend --no-edit -S`.\n" : "";
  const value = () => ({ commit: revert, subject, pushed, needsSignature });
  show(flags, context, value, () => `${revert.slice(0, 12)} ${subject}\n${where}\n${sign}`);
  return 0;
}
