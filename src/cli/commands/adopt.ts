import type { Command } from "commander";
import { adoptTargets } from "../../engine/adopt.js";
import { exitCode } from "../../outcome/outcome.js";
import { errorLines } from "../../report/text.js";
import { count } from "../../report/words.js";
import { readersFor } from "../../targets/registry.js";
import { withLedger } from "../options.js";
import type { Register } from "../register.js";
import { openSession, type PassFlags, passOptions } from "../session.js";

export const adopt: Register = (program, context, finish) => {
  withLedger(
    program.command("adopt").description("take what is declared and live as ours: writes the ledger, nothing else").argument("<target>"),
  )
    .option("--path <xpath>", "only this subtree")
    .action(async (name: string, _own: unknown, invoked: Command) => {
      const flags: PassFlags = { ...invoked.optsWithGlobals<PassFlags>(), target: [name] };
      const session = openSession(flags, context);
      const { paint } = session;
      const adoptions = await adoptTargets(passOptions(flags, context, session), readersFor(session.logger));
      session.progress.end();
      for (const { outcome, record } of adoptions) {
        if (outcome.error !== undefined) context.stderr.write(`${errorLines(outcome.error, paint).join("\n")}\n`);
        if (record === undefined) continue;
        context.stdout.write(
          `${paint("bold", name)}  ${paint("green", "adopted")}  ${count(record.paths.length, "path")}, ${count(record.adopted.length, "exclusive list")}\n`,
        );
        for (const list of record.adopted) context.stdout.write(`  ${list}\n`);
      }
      finish(exitCode(adoptions.map(({ outcome }) => ({ ...outcome, plan: undefined }))));
    });
};
