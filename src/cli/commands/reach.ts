import { millisecondsOf } from "../../core/device-time.js";
import { PlumblineError } from "../../core/errors.js";
import { printJson } from "../../core/json/print.js";
import { joinLines } from "../../core/printable.js";
import { type Answered, followCompletely, lintTargets, pathThrough, reachTargets } from "../../engine/pass/answer-question.js";
import { exitCode } from "../../outcome/outcome.js";
import { counts, type FlowPath, type Lint, type Reach } from "../../outcome/reach.js";
import type { WholePath } from "../../outcome/whole-path.js";
import type { View } from "../../plan/platform.js";
import type { FlowQuestion } from "../../reachability/policy-role.js";
import { errorLines } from "../../report/error-lines.js";
import { errorView } from "../../report/error-view.js";
import { lintLines, pathLines, reachLines, wholePathLines } from "../../report/reach.js";
import type { Paint } from "../../report/style.js";
import type { ReachFormat } from "../choices.js";
import type { Context } from "../context.js";
import { parseSince } from "../logs/since.js";
import { readersFor } from "../open-targets.js";
import type { GlobalOptions } from "../options.js";
import { openSession, passOptions } from "../terminal.js";
import type { FixFlags } from "./lint-fix.js";

interface AskFlags extends GlobalOptions {
  readonly view: View;
  readonly scope?: string;
  readonly format: ReachFormat;
}

interface LintFlags extends AskFlags, FixFlags {
  readonly format: ReachFormat;
  readonly unused?: string;
}

/** Counters are in seconds since 1970, so a duration is converted with our clock. */
function unusedSince(text: string, context: Context): number {
  const since = parseSince(text, "--unused");
  return "ago" in since ? context.now().getTime() - since.ago : millisecondsOf(since.at);
}

interface ReachFlags extends AskFlags, FlowQuestion {
  readonly asSent?: boolean;
  readonly wholePath?: boolean;
  readonly through: readonly string[];
  readonly expect?: string;
}

/** Prints the rules that decide flows. Returns the exit code. */
export async function reach(flags: ReachFlags, context: Context, target: string): Promise<number> {
  const session = openSession(flags, context);
  const { from, to, source, destination, service, application, view, scope } = flags;
  const question = { from, to, source, destination, service, application };
  const readers = readersFor(session.logger);
  if (flags.wholePath === true) {
    const targets = flags.through.length === 0 ? [] : [target, ...flags.through];
    const followed = await followCompletely(
      passOptions({ ...flags, target: targets }, context, session),
      readers,
      { view, scope },
      target,
      question,
    );
    session.progress.end();
    printPaths(followed, target, flags.format, context, session.paint);
    const code = exitCode(followed.outcomes);
    const { expect } = flags;
    return code === 0 && expect !== undefined && !isCertain(followed.paths, expect) ? 2 : code;
  }
  const options = passOptions({ ...flags, target: [target] }, context, session);
  if (flags.asSent === true) {
    const followed = await pathThrough(options, readers, { view, scope }, question);
    session.progress.end();
    print(followed, flags.format, context, session.paint, pathLines);
    return exitCode(followed.map(({ outcome }) => outcome));
  }
  const answered = await reachTargets(options, readers, { view, scope }, question);
  session.progress.end();
  print(answered, flags.format, context, session.paint, reachLines);
  return exitCode(answered.map(({ outcome }) => outcome));
}

/** A result with conditions is not certain. */
function isCertain(paths: readonly WholePath[], expected: string): boolean {
  return paths.length > 0 && paths.every(({ verdict, conditions }) => verdict === expected && conditions.length === 0);
}

function printPaths(
  { outcomes, paths }: Awaited<ReturnType<typeof followCompletely>>,
  start: string,
  format: ReachFormat,
  { stdout }: Context,
  paint: Paint,
): void {
  const failed = outcomes.filter(({ error }) => error !== undefined);
  if (format === "json") {
    const targets = outcomes.map(({ target, error, warnings }) => ({ target, error: error && errorView(error), warnings }));
    stdout.write(`${printJson({ format: 1, from: start, paths, targets }, 2)}\n`);
    return;
  }
  const blocks = [
    ...paths.map((path) => wholePathLines(path, paint)),
    ...failed.map(({ target, error }) => [paint("bold", target), ...(error === undefined ? [] : errorLines(error, paint))]),
  ];
  stdout.write(blocks.map(joinLines).join("\n"));
}

/** Prints rules without effect. Returns the exit code, which is 2 if there are any. */
export async function lint(flags: LintFlags, context: Context): Promise<number> {
  const unused = flags.unused === undefined ? undefined : { since: unusedSince(flags.unused, context) };
  if (flags.fix) return await (await import("./lint-fix.js")).lintFix(flags, context, unused);
  if (flags.write || flags.propose || flags.disable)
    throw new PlumblineError("option-invalid", "--write, --propose and --disable need --fix.", { next: "Add --fix." });
  const session = openSession(flags, context);
  const { view, scope } = flags;
  const options = passOptions(flags, context, session);
  const answered = await lintTargets(options, readersFor(session.logger), { view, scope }, unused);
  session.progress.end();
  print(answered, flags.format, context, session.paint, lintLines);
  const code = exitCode(answered.map(({ outcome }) => outcome));
  return code === 0 && answered.some(({ answers }) => answers.some(({ findings }) => findings.some(counts))) ? 2 : code;
}

function print<Answer extends Lint | Reach | FlowPath>(
  answered: readonly Answered<Answer>[],
  format: ReachFormat,
  { stdout }: Context,
  paint: Paint,
  linesOf: (answer: Answer, paint: Paint) => string[],
): void {
  if (format === "json") {
    const targets = answered.map(({ outcome: { target, error, warnings }, answers }) => ({
      target,
      error: error && errorView(error),
      warnings,
      rulebases: answers,
    }));
    stdout.write(`${printJson({ format: 1, targets }, 2)}\n`);
    return;
  }
  const blocks = answered.map(({ outcome, answers }) => [
    paint("bold", outcome.target),
    ...outcome.warnings.map((warning) => `  ${paint("yellow", "warning")} ${warning}`),
    ...answers.flatMap((answer) => linesOf(answer, paint)),
    ...(outcome.error === undefined ? [] : errorLines(outcome.error, paint)),
  ]);
  stdout.write(blocks.map(joinLines).join("\n"));
}
