import { resolve } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import { printJson } from "../../core/json/print.js";
import { joinLines } from "../../core/printable.js";
import { readRegularFileSync, whyUnread } from "../../core/regular-file.js";
import { type AccessPass, accessPass } from "../../engine/access/access-pass.js";
import { accessOnPaths, type PathAccess } from "../../engine/access/path-access.js";
import type { AccessAnswer, AccessResult, AccessWords, FileEdit } from "../../outcome/access.js";
import { exitCode } from "../../outcome/outcome.js";
import { answerOfPath, proposeAccess } from "../../pull-request/access/propose-access.js";
import type { CodeHost } from "../../pull-request/host.js";
import { openHost } from "../../pull-request/open-host.js";
import { hostSettings } from "../../pull-request/settings.js";
import { accessLines, pathAccessLines } from "../../report/access.js";
import { errorLines } from "../../report/error-lines.js";
import { errorView } from "../../report/error-view.js";
import { noteOf } from "../access-note.js";
import type { Context } from "../context.js";
import { ACCESS_TOOLS, designHints, type EditFlags, NOT_WRITTEN, onlyTarget } from "../edit-flags.js";
import { readersFor } from "../open-targets.js";
import { requestsIn } from "../requests-file.js";
import { openSession, passOptions, type Terminal } from "../terminal.js";
import { formatProposed, message, writeDocuments } from "../write-documents.js";

interface AllowFlags extends EditFlags {
  readonly from?: string;
  readonly to?: string;
  readonly service?: string;
  readonly application?: string;
  readonly user?: string;
  readonly fromZone?: string;
  readonly toZone?: string;
  readonly requests?: string;
  readonly reason: string;
  readonly requester?: string;
  readonly until?: string;
  readonly choose?: number;
}

/** Bytes of a file of requests. */
const LARGEST_FILE = 4_000_000;
const DESIGNED = 2;
const REFUSED = 3;

/** Answers access requests, and edits the documents on demand. Returns the exit code. */
export async function allow(flags: AllowFlags, context: Context, target: string | undefined): Promise<number> {
  const session = openSession(flags, context);
  const requests = requestsOf(flags, context);
  const note = noteOf(flags, context.now());
  // Reports missing settings before the first request to a device.
  const host = flags.propose && flags.push ? openHost(hostSettings(flags, context.environment)) : undefined;
  const known = target ?? (await onlyTarget(flags, context));
  if (known === undefined) return await allowOnPaths({ flags, context, session, requests, note, host });
  const options = passOptions({ ...flags, target: [known] }, context, session);
  const question = { requests, note, scope: flags.scope, choose: flags.choose, acceptExcess: flags.acceptExcess };
  const pass = await accessPass(options, readersFor(session.logger), question, ACCESS_TOOLS);
  session.progress.end();
  const { result, outcome } = pass;
  print(pass, flags, context, session);
  const failed = exitCode([outcome]);
  if (failed !== 0 || result === undefined) return failed === 0 ? 1 : failed;
  const isEdited = result.files.length > 0;
  if (isEdited && flags.write) message(await writeDocuments(result.files, options), flags.format, context);
  if (isEdited && flags.propose) {
    const chosen = flags.choose ?? 1;
    const proposed = await proposeAccess({ context: pass.context, result, note, chosen, host, base: flags.base });
    message(formatProposed(proposed), flags.format, context);
  }
  return codeOf(result, flags);
}

interface PathCommand {
  readonly flags: AllowFlags;
  readonly context: Context;
  readonly session: Terminal;
  readonly requests: readonly AccessWords[];
  readonly note: string;
  readonly host: CodeHost | undefined;
}

/** Answers requests for all targets that their flows cross. */
async function allowOnPaths({ flags, context, session, requests, note, host }: PathCommand): Promise<number> {
  const { scope, choose, acceptExcess, format } = flags;
  if (scope !== undefined || choose !== undefined)
    throw invalid("--scope and --choose are about one target.", "Name the target, for example `plumbline allow edge`.");
  const options = passOptions({ ...flags, target: [] }, context, session);
  const found = await accessOnPaths(options, readersFor(session.logger), { requests, note, acceptExcess }, ACCESS_TOOLS);
  session.progress.end();
  printPaths(found, flags, context, session);
  const failed = exitCode([...found.outcomes, ...found.passes.map(({ outcome }) => outcome)]);
  if (failed !== 0) return failed;
  const [first] = found.passes;
  const isEdited = found.files.length > 0 && first !== undefined;
  if (isEdited && flags.write) message(await writeDocuments(found.files, options), format, context);
  if (isEdited && flags.propose) {
    const result = { answers: found.answers.map(answerOfPath), files: found.files, faults: [] };
    const proposed = await proposeAccess({ context: first.context, result, note, chosen: 1, host, base: flags.base });
    message(formatProposed(proposed), format, context);
  }
  return codeOf(found, flags);
}

interface Answers {
  readonly answers: readonly Pick<AccessAnswer, "state">[];
  readonly files: readonly FileEdit[];
  readonly faults: readonly string[];
}

function codeOf({ answers, files, faults }: Answers, { write, propose }: AllowFlags): number {
  const states = new Set(answers.map(({ state }) => state));
  if (states.has("refused") || faults.length > 0 || (states.has("designed") && files.length === 0)) return REFUSED;
  if (states.has("conditional")) return DESIGNED;
  return files.length === 0 || write || propose ? 0 : DESIGNED;
}

function requestsOf(flags: AllowFlags, context: Context): readonly AccessWords[] {
  if (flags.requests !== undefined) return requestsIn(readRequests(flags.requests, context), flags.requests);
  // Only firewalls distinguish applications, and their answer asks for one.
  const { from, to, service, application = "any", user, fromZone, toZone } = flags;
  if (from === undefined || to === undefined || service === undefined)
    throw invalid("A request needs --from, --to and --service.", "Add them, or name a file with --requests.");
  return [{ from, to, service, application, user, fromZone, toZone }];
}

function readRequests(file: string, context: Context): string {
  try {
    return readRegularFileSync(resolve(context.folder, file), LARGEST_FILE).toString("utf8");
  } catch (error) {
    throw new PlumblineError("requests-invalid", `The file of requests cannot be read: ${whyUnread(error)}.`, {
      where: { file },
      next: "Name a CSV file.",
    });
  }
}

function invalid(problem: string, next: string): PlumblineError {
  return new PlumblineError("option-invalid", problem, { next });
}

function print({ outcome, result }: AccessPass, flags: AllowFlags, { stdout }: Context, { paint }: Terminal): void {
  const { target, error, warnings } = outcome;
  if (flags.format === "json") {
    stdout.write(`${printJson({ format: 1, target, error: error && errorView(error), warnings, ...result }, 2)}\n`);
    return;
  }
  const isOpen = result !== undefined && result.files.length > 0 && !flags.write && !flags.propose;
  stdout.write(
    joinLines([
      paint("bold", target),
      ...warnings.map((warning) => `  ${paint("yellow", "warning")} ${warning}`),
      ...(result === undefined ? [] : accessLines(result, flags.choose ?? 1, paint)),
      ...(result === undefined ? [] : hints(result, flags)),
      ...(isOpen ? [NOT_WRITTEN] : []),
      ...(error === undefined ? [] : errorLines(error, paint)),
    ]),
  );
}

function printPaths(
  { answers, files, faults, outcomes, passes }: PathAccess,
  flags: AllowFlags,
  { stdout }: Context,
  { paint }: Terminal,
): void {
  const all = [...outcomes, ...passes.map(({ outcome }) => outcome)].filter(
    ({ error, warnings }) => error !== undefined || warnings.length > 0,
  );
  if (flags.format === "json") {
    const targets = all.map(({ target, error, warnings }) => ({ target, error: error && errorView(error), warnings }));
    stdout.write(`${printJson({ format: 1, paths: answers, files, faults, targets }, 2)}\n`);
    return;
  }
  const isOpen = files.length > 0 && !flags.write && !flags.propose;
  const failures = all.flatMap(({ target, error, warnings }) => [
    ...warnings.map((warning) => `  ${paint("yellow", "warning")} ${warning}`),
    ...(error === undefined ? [] : [paint("bold", target), ...errorLines(error, paint)]),
  ]);
  stdout.write(joinLines([...failures, ...pathAccessLines({ answers, files, faults }, paint), ...(isOpen ? [NOT_WRITTEN] : [])]));
}

function hints({ answers }: AccessResult, flags: AllowFlags): string[] {
  const [answer, ...others] = answers;
  return answer?.state !== "designed" || others.length > 0 ? [] : designHints(answer.designs, flags.choose ?? 1, flags);
}
