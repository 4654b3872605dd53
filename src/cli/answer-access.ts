import { type AccessTask, serveAccess } from "../agent/access-process.js";
import { accessView } from "../agent/page/access-view.js";
import type { AccessView } from "../agent/page/view.js";
import { ANY_COMMAND } from "../desired/commands.js";
import { accessPass } from "../engine/access/access-pass.js";
import { proposeAccess } from "../pull-request/access/propose-access.js";
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
  const options = passOptions({ ...flags, target: [question.target] }, context, session);
  const { choose, acceptExcess } = question;
  const pass = await accessPass(
    { ...options, source: { ...options.source, mayRun: options.source.mayRun ?? ANY_COMMAND } },
    readersFor(session.logger),
    { requests: [question.request], note, scope: undefined, choose, acceptExcess },
    ACCESS_TOOLS,
  );
  const view = accessView(pass, question, commit, isHosted);
  const { result } = pass;
  if (host === undefined || result === undefined || view.digest === "" || view.digest !== question.propose) return view;
  const { done, branch, pullRequest } = await proposeAccess({ context: pass.context, result, note, chosen: choose, host, base });
  return { ...view, proposed: { branch, url: pullRequest?.url ?? "", isNew: done === "proposed" } };
}
