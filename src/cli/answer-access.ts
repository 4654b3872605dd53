import { type AccessTask, serveAccess } from "../agent/access-process.js";
import { accessView, pathAccessView } from "../agent/page/access-view.js";
import type { AccessView } from "../agent/page/view.js";
import { ANY_COMMAND } from "../desired/commands.js";
import { accessPass } from "../engine/access/access-pass.js";
import { accessOnPaths } from "../engine/access/path-access.js";
import { answerOfPath, proposeAccess } from "../pull-request/access/propose-access.js";
import type { EditProposed } from "../pull-request/access/propose-edit.js";
import { openHost } from "../pull-request/open-host.js";
import { hostSettings } from "../pull-request/settings.js";
import { noteOf } from "./access-note.js";
import type { Context, Output } from "./context.js";
import { ACCESS_TOOLS } from "./edit-flags.js";
import { readersFor } from "./open-targets.js";
import { openSession, passOptions } from "./terminal.js";

const DISCARD: Output = { write: () => undefined };

// Entry point of the process that the agent forks for each access request of the page. Not for users.
export const served: Promise<void> = serveAccess(answer);

async function answer({ question, settings, configurationFile, commit }: AccessTask): Promise<AccessView> {
  const environment = process.env;
  const { base, ...own } = settings;
  const { signal: stop } = new AbortController();
  const context: Context = { environment, folder: process.cwd(), stdout: DISCARD, stderr: DISCARD, now: () => new Date(), stop };
  const flags = { ...own, config: configurationFile, color: false, logLevel: "silent", quiet: true };
  const session = openSession(flags, context);
  const note = noteOf(question, context.now());
  const isHosted = (environment.PLUMBLINE_HOST ?? "") !== "";
  // Reports wrong settings before the first request to a device.
  const host = question.propose === undefined ? undefined : openHost(hostSettings({}, environment));
  const { target, choose, acceptExcess } = question;
  const options = passOptions({ ...flags, target: target === undefined ? [] : [target] }, context, session);
  const permitted = { ...options, source: { ...options.source, mayRun: options.source.mayRun ?? ANY_COMMAND } };
  const readers = readersFor(session.logger);
  const requests = [question.request];
  const isSeen = (view: AccessView) => view.digest !== "" && view.digest === question.propose;
  if (target === undefined) {
    const found = await accessOnPaths(permitted, readers, { requests, note, acceptExcess }, ACCESS_TOOLS);
    const view = pathAccessView(found, question, commit, isHosted);
    const [first] = found.passes;
    if (host === undefined || first === undefined || !isSeen(view)) return view;
    const result = { answers: found.answers.map(answerOfPath), files: found.files, faults: [] };
    return withProposal(view, await proposeAccess({ context: first.context, result, note, chosen: 1, host, base }));
  }
  const pass = await accessPass(permitted, readers, { requests, note, scope: undefined, choose, acceptExcess }, ACCESS_TOOLS);
  const view = accessView(pass, question, commit, isHosted);
  const { result } = pass;
  if (host === undefined || result === undefined || !isSeen(view)) return view;
  return withProposal(view, await proposeAccess({ context: pass.context, result, note, chosen: choose, host, base }));
}

function withProposal(view: AccessView, { done, branch, pullRequest }: EditProposed): AccessView {
  return { ...view, proposed: { branch, url: pullRequest?.url ?? "", isNew: done === "proposed" } };
}
