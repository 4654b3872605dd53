import { PlumblineError } from "../../core/errors.js";
import { printJson } from "../../core/json/print.js";
import { joinLines } from "../../core/printable.js";
import { type RevokePass, type RevokeWish, revokePass } from "../../engine/access/revoke-pass.js";
import { type PathRevocation, revokeOnPath } from "../../engine/access/revoke-path.js";
import type { PassOptions, Readers } from "../../engine/pass/options.js";
import { planTargets } from "../../engine/reconcile.js";
import type { FileEdit } from "../../outcome/access.js";
import { exitCode } from "../../outcome/outcome.js";
import type { RevokeResult } from "../../outcome/revoke.js";
import type { Traffic } from "../../outcome/traffic.js";
import { proposeRevoke, revocationOfPath } from "../../pull-request/access/propose-revoke.js";
import type { CodeHost } from "../../pull-request/host.js";
import { openHost } from "../../pull-request/open-host.js";
import { hostSettings } from "../../pull-request/settings.js";
import type { ReplayRequest } from "../../reachability/traffic/traffic.js";
import { errorLines } from "../../report/error-lines.js";
import { errorView } from "../../report/error-view.js";
import { pathRevokeLines, revokeLines } from "../../report/revoke.js";
import { type Paint, plain } from "../../report/style.js";
import { trafficLines } from "../../report/traffic.js";
import type { Context } from "../context.js";
import { ACCESS_TOOLS, designHints, type EditFlags, NOT_WRITTEN, onlyTarget } from "../edit-flags.js";
import { readersFor } from "../open-targets.js";
import { type ReplayFlags, replayRequest } from "../replay.js";
import { openSession, passOptions, type Terminal, withAnalysis } from "../terminal.js";
import { formatProposed, message, writeDocuments } from "../write-documents.js";

interface RevokeFlags extends EditFlags, ReplayFlags {
  readonly from: string;
  readonly to: string;
  readonly service: string;
  readonly application: string;
  readonly user?: string;
  readonly fromZone?: string;
  readonly toZone?: string;
  readonly reason: string;
  readonly choose?: number;
}

const DESIGNED = 2;
const REFUSED = 3;

interface RevokeCommand {
  readonly flags: RevokeFlags;
  readonly context: Context;
  readonly session: Terminal;
  readonly wish: Pick<RevokeWish, "request" | "note" | "acceptExcess">;
  readonly replay: ReplayRequest | undefined;
  readonly host: CodeHost | undefined;
}

/** Closes flows by the narrowest edit of the documents. Returns the exit code. */
export async function revoke(flags: RevokeFlags, context: Context, target: string | undefined): Promise<number> {
  const session = openSession(flags, context);
  const { from, to, service, application, user, fromZone, toZone, acceptExcess } = flags;
  const replay = replayRequest(flags, context);
  // Reports missing settings before the first request to a device.
  const host = flags.propose && flags.push ? openHost(hostSettings(flags, context.environment)) : undefined;
  const wish = { request: { from, to, service, application, user, fromZone, toZone }, note: flags.reason.trim(), acceptExcess };
  const command = { flags, context, session, wish, replay, host };
  const known = target ?? (await onlyTarget(flags, context));
  return known === undefined ? await revokeAlongPath(command) : await revokeAt(command, known);
}

async function revokeAt({ flags, context, session, wish, replay, host }: RevokeCommand, target: string): Promise<number> {
  const { scope, choose = 1, format, base } = flags;
  const options = passOptions({ ...flags, target: [target] }, context, session);
  const readers = readersFor(session.logger);
  const pass = await revokePass(options, readers, { ...wish, scope, choose }, ACCESS_TOOLS);
  const { result, outcome } = pass;
  const [traffic] = await replayed(result?.files ?? [], replay && withAnalysis(options, { replay }), readers);
  session.progress.end();
  print({ ...pass, traffic }, flags, context, session.paint);
  const failed = exitCode([outcome]);
  if (failed !== 0 || result === undefined) return failed === 0 ? 1 : failed;
  const isEdited = result.files.length > 0;
  if (isEdited && flags.write) message(await writeDocuments(result.files, options), format, context);
  if (isEdited && flags.propose) {
    const evidence = traffic === undefined ? [] : trafficLines(traffic, plain);
    const proposal = { context: pass.context, result, note: wish.note, chosen: choose, host, base, evidence };
    message(formatProposed(await proposeRevoke(proposal)), format, context);
  }
  return codeOf(result, flags);
}

/** Closes a flow on each target on its path. */
async function revokeAlongPath({ flags, context, session, wish, replay, host }: RevokeCommand): Promise<number> {
  const { scope, choose, format, base } = flags;
  if (scope !== undefined || choose !== undefined)
    throw new PlumblineError("option-invalid", "--scope and --choose are about one target.", {
      next: "Name the target, for example `plumbline revoke edge`.",
    });
  const options = passOptions({ ...flags, target: [] }, context, session);
  const readers = readersFor(session.logger);
  const found = await revokeOnPath(options, readers, wish, ACCESS_TOOLS);
  const { files, outcomes, passes } = found;
  const edited = passes.filter(({ result }) => (result?.files.length ?? 0) > 0).map(({ outcome }) => outcome.target);
  const replaying = replay && withAnalysis(passOptions({ ...flags, target: edited }, context, session), { replay });
  const traffic = await replayed(files, replaying, readers);
  session.progress.end();
  printPath(found, traffic, flags, context, session.paint);
  const failed = exitCode([...outcomes, ...passes.map(({ outcome }) => outcome)]);
  if (failed !== 0) return failed;
  const [first] = passes;
  if (files.length > 0 && flags.write) message(await writeDocuments(files, options), format, context);
  if (files.length > 0 && flags.propose && first !== undefined) {
    const evidence = traffic.flatMap((each) => trafficLines(each, plain));
    const proposal = { context: first.context, result: revocationOfPath(found), note: wish.note, chosen: 1, host, base, evidence };
    message(formatProposed(await proposeRevoke(proposal)), format, context);
  }
  return codeOf(found, flags);
}

/** Replays the logs against the plans of the edited documents. */
async function replayed(files: readonly FileEdit[], replaying: PassOptions | undefined, readers: Readers): Promise<readonly Traffic[]> {
  if (files.length === 0 || replaying === undefined) return [];
  const unsaved = new Map(files.map(({ file, after }) => [file, after]));
  const planned = await planTargets({ ...replaying, source: { ...replaying.source, unsaved } }, readers);
  return planned.flatMap(({ traffic }) => traffic ?? []);
}

function codeOf({ state, files }: Pick<RevokeResult, "state" | "files">, { write, propose }: RevokeFlags): number {
  if (state === "denied") return 0;
  if (files.length === 0) return REFUSED;
  return write || propose ? 0 : DESIGNED;
}

interface Printed extends RevokePass {
  readonly traffic: Traffic | undefined;
}

function print({ outcome, result, traffic }: Printed, flags: RevokeFlags, { stdout }: Context, paint: Paint): void {
  const { target, error, warnings } = outcome;
  const { format, choose = 1, write, propose } = flags;
  if (format === "json") {
    stdout.write(`${printJson({ format: 1, target, error: error && errorView(error), warnings, ...result, traffic }, 2)}\n`);
    return;
  }
  const isOpen = result !== undefined && result.files.length > 0 && !write && !propose;
  stdout.write(
    joinLines([
      paint("bold", target),
      ...warnings.map((warning) => `  ${paint("yellow", "warning")} ${warning}`),
      ...(result === undefined ? [] : revokeLines(result, choose, paint)),
      ...(result?.state === "designed" ? designHints(result.designs, choose, flags) : []),
      ...(traffic === undefined ? [] : trafficLines(traffic, paint)),
      ...(isOpen ? [NOT_WRITTEN] : []),
      ...(error === undefined ? [] : errorLines(error, paint)),
    ]),
  );
}

function printPath(found: PathRevocation, traffic: readonly Traffic[], flags: RevokeFlags, { stdout }: Context, paint: Paint): void {
  const { request, state, hops, reasons, files, faults, outcomes, passes } = found;
  const all = [...outcomes, ...passes.map(({ outcome }) => outcome)];
  const concerned = all.filter(({ error, warnings }) => error !== undefined || warnings.length > 0);
  if (flags.format === "json") {
    const targets = concerned.map(({ target, error, warnings }) => ({ target, error: error && errorView(error), warnings }));
    stdout.write(`${printJson({ format: 1, request, state, hops, reasons, files, faults, targets, traffic }, 2)}\n`);
    return;
  }
  const isOpen = files.length > 0 && !flags.write && !flags.propose;
  stdout.write(
    joinLines([
      ...concerned.flatMap(({ target, error, warnings }) => [
        ...warnings.map((warning) => `  ${paint("yellow", "warning")} ${warning}`),
        ...(error === undefined ? [] : [paint("bold", target), ...errorLines(error, paint)]),
      ]),
      ...pathRevokeLines(found, paint),
      ...hops.flatMap((hop) => (hop.state === "designed" ? designHints(hop.designs, 1, flags) : [])),
      ...traffic.flatMap((each) => trafficLines(each, paint)),
      ...(isOpen ? [NOT_WRITTEN] : []),
    ]),
  );
}
