import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { dayOf } from "../../core/day.js";
import { readCheckout } from "../../engine/checkout/checkout.js";
import { rollBack } from "../../engine/rollback.js";
import { kinds } from "../../targets/registry.js";
import { refuseWithoutTerminal } from "../confirmation.js";
import type { Context } from "../context.js";
import { findConfiguration, type GlobalOptions, type PlainFormat, type WriteFlags } from "../options.js";
import { show } from "../show.js";
import type { PassFlags } from "../terminal.js";

interface Flags extends GlobalOptions, WriteFlags, PlainFormat, Pick<PassFlags, "target" | "path"> {
  readonly push?: boolean;
  readonly reconcile?: boolean;
  readonly yes: boolean;
}

/** Creates a commit that reverts another one, and applies it if requested. Returns the exit code. */
export async function rollback(flags: Flags, context: Context, commit: string): Promise<number> {
  const configurationFile = realpathSync(findConfiguration(flags, context));
  const today = dayOf(context.now());
  const reconciles = flags.reconcile === true;
  if (reconciles && !flags.yes) refuseWithoutTerminal("rollback --reconcile", flags, context);
  const { revert, wasDone, subject, pushed, needsSignature } = await rollBack({
    checkout: await readCheckout(dirname(configurationFile)),
    configurationFile,
    commit,
    push: flags.push ?? false,
    mayBeDone: reconciles,
    load: { environment: context.environment, kinds, today, live: { values: () => "later", nodes: () => "later" } },
  });
  const where = pushed === undefined ? "Not pushed. Run `git push`, or use --push next time." : `Pushed to ${pushed}.`;
  const sign = needsSignature
    ? "The commit is not signed, and the agent accepts only signed commits. Run `git commit --amend --no-edit -S`.\n"
    : "";
  const done = wasDone ? "The commit was already reverted.\n" : "";
  const next = reconciles
    ? ""
    : "The targets still run the old configuration. Next: `plumbline reconcile`, unless an agent follows this branch.\n";
  const text = () => `${revert.slice(0, 12)} ${subject}\n${done}${where}\n${sign}${next}`;
  if (!reconciles) {
    show(flags, context, () => ({ commit: revert, subject, pushed, needsSignature }), text);
    return 0;
  }
  // Standard output contains only one result in JSON: that of the run.
  (flags.format === "json" ? context.stderr : context.stdout).write(text());
  const { reconcile } = await import("./reconcile.js");
  return await reconcile(flags, context, { isWayBack: true });
}
