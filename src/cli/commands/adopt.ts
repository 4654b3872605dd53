import { adoptTargets } from "../../engine/adopt.js";
import { exitCode } from "../../outcome/outcome.js";
import { errorLines } from "../../report/error-lines.js";
import { count } from "../../report/words.js";
import type { Context } from "../context.js";
import { readersFor } from "../open-targets.js";
import { openSession, type PassFlags, passOptions } from "../terminal.js";

/** Takes what is declared and live as ours. Gives the exit code. */
export async function adopt(given: PassFlags, context: Context, name: string): Promise<number> {
  const flags: PassFlags = { ...given, target: [name] };
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
  return exitCode(adoptions.map(({ outcome }) => ({ ...outcome, plan: undefined })));
}
