import { printJson } from "../../core/json/print.js";
import { joinLines } from "../../core/printable.js";
import { type RevokePass, revokePass } from "../../engine/access/revoke-pass.js";
import type { PassOptions } from "../../engine/pass/options.js";
import { planTargets } from "../../engine/reconcile.js";
import { exitCode } from "../../outcome/outcome.js";
import type { RevokeResult } from "../../outcome/revoke.js";
import type { Traffic } from "../../outcome/traffic.js";
import { proposeRevoke } from "../../pull-request/access/propose-revoke.js";
import { openHost } from "../../pull-request/open-host.js";
import { hostSettings } from "../../pull-request/settings.js";
import { errorLines } from "../../report/error-lines.js";
import { errorView } from "../../report/error-view.js";
import { revokeLines } from "../../report/revoke.js";
import type { Paint } from "../../report/style.js";
import { trafficLines } from "../../report/traffic.js";
import type { Context } from "../context.js";
import { ACCESS_TOOLS, designHints, type EditFlags, NOT_WRITTEN } from "../edit-flags.js";
import { readersFor } from "../open-targets.js";
import { type ReplayFlags, replayRequest } from "../replay.js";
import { openSession, passOptions, withAnalysis } from "../terminal.js";
import { formatProposed, message, writeDocuments } from "../write-documents.js";

interface RevokeFlags extends EditFlags, ReplayFlags {
  readonly from: string;
  readonly to: string;
  readonly service: string;
  readonly application: string;
  readonly fromZone?: string;
  readonly toZone?: string;
  readonly reason: string;
  readonly choose: number;
}

const DESIGNED = 2;
const REFUSED = 3;

/** Closes flows by the narrowest edit of the documents. Returns the exit code. */
export async function revoke(flags: RevokeFlags, context: Context, target: string): Promise<number> {
  const session = openSession(flags, context);
  const { from, to, service, application, fromZone, toZone, scope, choose, acceptExcess, format } = flags;
  const replay = replayRequest(flags, context);
  // Reports missing settings before the first request to a device.
  const host = flags.propose && flags.push ? openHost(hostSettings(flags, context.environment)) : undefined;
  const options = passOptions({ ...flags, target: [target] }, context, session);
  const readers = readersFor(session.logger);
  const note = flags.reason.trim();
  const request = { from, to, service, application, fromZone, toZone };
  const pass = await revokePass(options, readers, { request, note, scope, choose, acceptExcess }, ACCESS_TOOLS);
  const { result, outcome } = pass;
  const traffic = replay === undefined || result === undefined ? undefined : await replayed(withAnalysis(options, { replay }), result);
  session.progress.end();
  print({ ...pass, traffic }, flags, context, session.paint);
  const failed = exitCode([outcome]);
  if (failed !== 0 || result === undefined) return failed === 0 ? 1 : failed;
  const isEdited = result.files.length > 0;
  if (isEdited && flags.write) message(await writeDocuments(result.files, options), format, context);
  if (isEdited && flags.propose) {
    const evidence = traffic === undefined ? [] : trafficLines(traffic, (_, text) => text);
    const proposal = { context: pass.context, result, note, chosen: choose, host, base: flags.base, evidence };
    message(formatProposed(await proposeRevoke(proposal)), format, context);
  }
  if (result.state === "denied") return 0;
  if (!isEdited) return REFUSED;
  return flags.write || flags.propose ? 0 : DESIGNED;

  /** Replays the log against the plan of the edited documents. */
  async function replayed(replaying: PassOptions, { files }: RevokeResult): Promise<Traffic | undefined> {
    if (files.length === 0) return undefined;
    const unsaved = new Map(files.map(({ file, after }) => [file, after]));
    const [planned] = await planTargets({ ...replaying, source: { ...replaying.source, unsaved } }, readers);
    return planned?.traffic;
  }
}

interface Printed extends RevokePass {
  readonly traffic: Traffic | undefined;
}

function print({ outcome, result, traffic }: Printed, flags: RevokeFlags, { stdout }: Context, paint: Paint): void {
  const { target, error, warnings } = outcome;
  const { format, choose, write, propose } = flags;
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
