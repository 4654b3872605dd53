import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "commander";
import { readCheckout } from "../../engine/checkout.js";
import { rollBack } from "../../engine/rollback.js";
import { kinds } from "../../targets/registry.js";
import { findConfiguration, type GlobalOptions } from "../options.js";
import type { Register } from "../register.js";

interface Flags extends GlobalOptions {
  readonly push?: boolean;
}

export const rollback: Register = (program, context) => {
  program
    .command("rollback")
    .description("write a commit that takes another one back (git revert), once it is known to load")
    .argument("<commit>")
    .option("--push", "push it to the branch that is checked out")
    .action(async (commit: string, _own: unknown, invoked: Command) => {
      const flags = invoked.optsWithGlobals<Flags>();
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
      context.stdout.write(`${revert.slice(0, 12)} ${subject}\n${where}\n${sign}`);
    });
};
