import { joinLines } from "../../core/printable.js";
import { adoptTargets } from "../../engine/adopt.js";
import { exitCode } from "../../outcome/outcome.js";
import { errorLines } from "../../report/error-lines.js";
import { errorView } from "../../report/error-view.js";
import { count } from "../../report/format-counts.js";
import type { Context } from "../context.js";
import { readersFor } from "../open-targets.js";
import type { PlainFormat } from "../options.js";
import { show } from "../show.js";
import { openSession, type PassFlags, passOptions } from "../terminal.js";

/** Takes ownership of declared objects that exist on the target. Returns the exit code. */
export async function adopt(given: PassFlags & PlainFormat, context: Context, name: string): Promise<number> {
  const flags = { ...given, target: [name] };
  const session = openSession(flags, context);
  const { paint } = session;
  const adoptions = await adoptTargets(passOptions(flags, context, session), readersFor(session.logger));
  session.progress.end();
  const code = exitCode(adoptions.map(({ outcome }) => ({ ...outcome, plan: undefined })));
  const value = () => ({
    exitCode: code,
    targets: adoptions.map(({ outcome: { target, error }, record }) => ({
      target,
      paths: record?.paths,
      exclusiveLists: record?.adopted,
      error: error === undefined ? undefined : errorView(error),
    })),
  });
  show(flags, context, value, () => {
    const lines = adoptions.flatMap(({ record, found }) => {
      if (record === undefined) return [];
      if (found.length === 0 && flags.path !== undefined)
        return [`${paint("bold", name)}  nothing adopted: the target has nothing at ${flags.path} that the documents or the ledger name`];
      const counts = `${count(found.length, "path")}, ${count(record.adopted.length, "exclusive list")}`;
      return [`${paint("bold", name)}  ${paint("green", "adopted")}  ${counts}`, ...record.adopted.map((list) => `  ${list}`)];
    });
    return lines.map((line) => `${line}\n`).join("");
  });
  for (const { outcome } of adoptions) if (outcome.error !== undefined) context.stderr.write(joinLines(errorLines(outcome.error, paint)));
  return code;
}
