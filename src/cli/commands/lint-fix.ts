import { dayOf } from "../../core/day.js";
import { printJson } from "../../core/json/print.js";
import { joinLines } from "../../core/printable.js";
import type { CleanupQuestion } from "../../engine/access/clean-up-rulebase.js";
import { type CleanupPass, cleanupPass } from "../../engine/access/cleanup-pass.js";
import { exitCode } from "../../outcome/outcome.js";
import { proposeCleanup } from "../../pull-request/access/propose-cleanup.js";
import { openHost } from "../../pull-request/open-host.js";
import { hostSettings } from "../../pull-request/settings.js";
import { cleanupLines } from "../../report/cleanup.js";
import { errorLines } from "../../report/error-lines.js";
import { errorView } from "../../report/error-view.js";
import type { Paint } from "../../report/style.js";
import type { Context } from "../context.js";
import { ACCESS_TOOLS, type EditFlags, NOT_WRITTEN } from "../edit-flags.js";
import { readersFor } from "../open-targets.js";
import { openSession, passOptions } from "../terminal.js";
import { formatProposed, message, writeDocuments } from "../write-documents.js";

export interface FixFlags extends EditFlags {
  readonly fix: boolean;
  readonly disable: boolean;
  readonly deleteAfter: number;
}

const EDITED = 2;
const REFUSED = 3;

/** Removes rules without effect, ended rules and unused rules from the documents on demand. Returns the exit code. */
export async function lintFix(flags: FixFlags, context: Context, unused: CleanupQuestion["unused"]): Promise<number> {
  const session = openSession(flags, context);
  // Reports missing settings before the first request to a device.
  const host = flags.propose && flags.push ? openHost(hostSettings(flags, context.environment)) : undefined;
  const options = passOptions(flags, context, session);
  const { scope, disable, deleteAfter, acceptExcess, write, propose, format } = flags;
  const today = dayOf(context.now());
  const passes = await cleanupPass(
    options,
    readersFor(session.logger),
    { scope, unused, disable, deleteAfter, acceptExcess, today },
    ACCESS_TOOLS,
  );
  session.progress.end();
  print(passes, flags, context, session.paint);
  const failed = exitCode(passes.map(({ outcome }) => outcome));
  if (failed === 1) return failed;
  const edited = passes.filter(({ result }) => (result?.files.length ?? 0) > 0);
  const files = edited.flatMap(({ result }) => result?.files ?? []);
  if (write && files.length > 0) message(await writeDocuments(files, options), format, context);
  for (const { context: target, result } of propose ? edited : [])
    if (result !== undefined) message(formatProposed(await proposeCleanup(target, result, host, flags.base)), format, context);
  if (passes.some(({ result }) => (result?.faults.length ?? 0) > 0)) return REFUSED;
  return files.length === 0 || write || propose ? failed : EDITED;
}

function print(passes: readonly CleanupPass[], { format, write, propose }: FixFlags, { stdout }: Context, paint: Paint): void {
  if (format === "json") {
    const targets = passes.map(({ outcome: { target, error, warnings }, result }) => ({
      target,
      error: error && errorView(error),
      warnings,
      ...result,
    }));
    stdout.write(`${printJson({ format: 1, targets }, 2)}\n`);
    return;
  }
  const blocks = passes.map(({ outcome: { target, error, warnings }, result }) => [
    paint("bold", target),
    ...warnings.map((warning) => `  ${paint("yellow", "warning")} ${warning}`),
    ...(result === undefined ? [] : cleanupLines(result, paint)),
    ...(result === undefined || result.files.length === 0 || write || propose ? [] : [NOT_WRITTEN]),
    ...(error === undefined ? [] : errorLines(error, paint)),
  ]);
  stdout.write(blocks.map(joinLines).join("\n"));
}
