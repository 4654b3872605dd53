import { resolve } from "node:path";
import type { Logger } from "pino";
import { systemClock } from "../../agent/clock.js";
import { limitDriftLines } from "../../agent/drift-lines.js";
import { eventText, omittedText } from "../../agent/event-text.js";
import type { AgentEvent, PassResult } from "../../agent/events.js";
import { insightInProcess } from "../../agent/insight-process.js";
import { type Instruments, openInstruments } from "../../agent/instruments.js";
import { type LoadLimits, loadInProcess } from "../../agent/loading/load-in-process.js";
import { type OpenAgent, openAgent } from "../../agent/open.js";
import { openStore } from "../../agent/store/open.js";
import type { Store } from "../../agent/store/store.js";
import { PlumblineError } from "../../core/errors.js";
import { observing } from "../../core/observe.js";
import { programFile } from "../../core/package-file.js";
import { version } from "../../core/version.js";
import { ANY_COMMAND } from "../../desired/commands.js";
import { type AgentConfiguration, readAgent } from "../../desired/configuration/agent.js";
import { parseDuration } from "../../desired/configuration/duration.js";
import { readHostNames } from "../../desired/configuration/host-name.js";
import { parseConfiguration } from "../../desired/configuration/read.js";
import { thisMachine } from "../../engine/pass/machine.js";
import type { EndsProposed } from "../../pull-request/access/propose-ends.js";
import { endsInLoop } from "../../pull-request/ends-in-loop.js";
import { proposalsInLoop } from "../../pull-request/propose-in-loop.js";
import { plain } from "../../report/style.js";
import { kinds } from "../../targets/registry.js";
import { openAgentPage } from "../agent-page.js";
import { allowedCommands } from "../allowed-commands.js";
import type { Context } from "../context.js";
import { ACCESS_TOOLS } from "../edit-flags.js";
import { writersFor } from "../open-targets.js";
import { findConfiguration, type GlobalOptions } from "../options.js";
import { repositoryName } from "../repository-name.js";
import { findStore } from "../store.js";
import { openSession, passOptions, type Terminal, writeOptions } from "../terminal.js";

interface Flags extends GlobalOptions {
  readonly once?: boolean;
  readonly source?: string;
  readonly branch?: string;
  readonly tag?: string;
  readonly interval?: string;
  readonly driftInterval?: string;
  readonly port?: number;
  readonly host?: string;
  readonly ledger?: string;
}

/** Log messages about the requests of targets with the mode `propose`. */
const PROPOSED: Readonly<Record<string, string>> = {
  proposed: "drift proposed",
  updated: "proposal updated: the drift has changed",
  closed: "proposal closed: the drift is gone",
};

const ENDS: Readonly<Record<string, string>> = {
  proposed: "removal of ended rules proposed",
  updated: "proposal updated: other rules end",
  closed: "proposal closed: no rule ends",
};

/** Writes the changes of requests to the log. */
function logged(logger: Logger, texts: Readonly<Record<string, string>>) {
  return {
    proposed: (target: string, { done, pullRequest }: Pick<EndsProposed, "done" | "pullRequest">) =>
      logger.info({ target, url: pullRequest?.url }, texts[done] ?? done),
    failed: (target: string, error: PlumblineError) => logger.warn({ target, code: error.code }, error.message),
  };
}

/** Runs an agent until the user stops it, or for one pass. Returns the exit code. */
export async function agent(flags: Flags, context: Context): Promise<number> {
  const session = openSession(flags, context);
  const file = localConfiguration(flags, context);
  const folder = file === undefined ? context.folder : resolve(file, "..");
  const text = file === undefined ? {} : ((await parseConfiguration(file, kinds)).text.agent ?? {});
  const fromFile = readAgent(text, folder);
  const { source: _, http: __, ...fixed } = flagsOver(fromFile, flags, context);
  const settings: AgentConfiguration = { ...fromFile, ...flagsOver(fromFile, flags, context) };
  const place = settings.source.url ?? (file === undefined ? undefined : folder);
  const repository = place === undefined ? undefined : await repositoryName(place);
  const store = await openStore(await findStore(flags, context), { readOnly: false, repository });
  try {
    const machine = { ...thisMachine, now: () => context.now().getTime() };
    const runner = { host: machine.host, pid: machine.pid, started: machine.now(), version };
    // Agents of a shared store identify each other by this record.
    const claim = store.shared === undefined ? await store.claim(runner, machine.now()) : undefined;
    try {
      const writers = writersFor(session.logger);
      const given = passOptions({ ...flags, config: file ?? "plumbline.yaml" }, context, session);
      const pass = { ...given, machine, listeners: { ...given.listeners, progress: undefined } };
      const forked = { program: programFile(), stop: context.stop };
      const opened = await openAgent({
        settings,
        fixed,
        configurationFile: file,
        store,
        pass: {
          ...pass,
          stop: context.stop,
          source: { ...pass.source, mayRun: pass.source.mayRun ?? ANY_COMMAND },
          analysis: { ...pass.analysis, insightWork: insightInProcess({ ...forked, words: ["work-out-insight"] }) },
        },
        // The next agent decides on a watched commit; the stop does not force a decision.
        write: { ...writeOptions({ ...NO_WRITE_FLAGS, ...flags }, context), leaveWatch: flags.once !== true },
        writers,
        load: loadInProcess({ ...forked, words: ["load-commit"], limits: limitsOf(settings) }),
        propose: proposalsInLoop({
          environment: context.environment,
          readers: writers,
          base: settings.source.branch,
          ...logged(session.logger, PROPOSED),
        }),
        proposeEnds: endsInLoop({
          environment: context.environment,
          readers: writers,
          designer: ACCESS_TOOLS.designer,
          base: settings.source.branch,
          ...logged(session.logger, ENDS),
        }),
        clock: systemClock,
        stop: context.stop,
        onFault: (error, about) => session.logger.error({ err: error, about }, "unforeseen"),
      });
      if (flags.logFormat !== "json") {
        const print = (line: string | undefined) => void (line !== undefined && context.stdout.write(`${line}\n`));
        opened.events.listen(
          limitDriftLines(
            (event) => print(eventText(event, session.paint)),
            (target, omitted, time) => print(omittedText(target, omitted, time, session.paint)),
          ),
        );
      }
      const { logger } = session;
      const { environment } = context;
      // A log in text format is for the same reader as the printed lines, who needs each event once.
      const isText = (flags.logFormat ?? (context.stderr.isTTY === true ? "text" : "json")) === "text";
      const isPrinted = isText ? (event: AgentEvent) => eventText(event, plain) !== undefined : undefined;
      const instruments = await openInstruments(opened, { logger, store, environment, clock: systemClock, isPrinted });
      try {
        return await observing(instruments.observer, () => watch(opened, flags, context, store, { ...instruments, logger }));
      } finally {
        await instruments.close();
      }
    } finally {
      await claim?.release();
    }
  } finally {
    await store.close();
  }
}

function limitsOf({ source: { loadTime: time, loadMemory: memory, visitLoadTime: visit } }: AgentConfiguration): LoadLimits {
  return { time, memory, visit };
}

const NO_WRITE_FLAGS = {
  allow: [],
  takeover: false,
  lockTimeout: 0,
  allowEmptyLive: [],
  allowNonDescendant: false,
  rotate: false,
};

async function watch(
  opened: OpenAgent,
  flags: Flags,
  context: Context,
  store: Store,
  { pages, logger }: Instruments & Pick<Terminal, "logger">,
): Promise<number> {
  const { agent, events, source, serve } = opened;
  const targets: readonly string[] = [];
  await events.emit({ type: "agent-started", version, source, targets });
  if (flags.once === true) {
    const results = await agent.once(context.stop);
    await events.emit({ type: "agent-stopped", reason: "once" });
    return exitCodeOf([...results.values()]);
  }
  const mayRun = allowedCommands({ ...flags, config: localConfiguration(flags, context) ?? "plumbline.yaml" }, context) ?? ANY_COMMAND;
  const access = {
    program: programFile(),
    words: ["answer-access"],
    settings: { ...flags, base: opened.settings().source.branch },
    folder: context.folder,
    stop: context.stop,
  };
  const web = await openAgentPage(opened, { access, store, logger, environment: context.environment, mayRun });
  const server = await serve(pages, web);
  const about = `page, health, metrics and webhook at ${server.url}, store ${store.place}`;
  if (flags.logFormat === "json") logger.info({ event: "listening", url: server.url, store: store.place }, about);
  else context.stderr.write(`${about}\n`);
  try {
    await agent.run(context.stop);
  } finally {
    web.close();
    await server.close();
  }
  await events.emit({ type: "agent-stopped", reason: "signal" });
  return 0;
}

/** Exit codes of `drift` and `reconcile`: 1 error, 3 refused, 2 open differences, otherwise 0. */
function exitCodeOf(results: readonly PassResult[]): number {
  if (results.length === 0 || results.includes("failed")) return 1;
  if (results.includes("refused")) return 3;
  return results.includes("drifted") || results.includes("pending") || results.includes("held") ? 2 : 0;
}

function localConfiguration(flags: Flags, context: Context): string | undefined {
  try {
    return findConfiguration(flags, context);
  } catch (error) {
    if (flags.source !== undefined && flags.config === undefined && error instanceof PlumblineError) return undefined;
    throw error;
  }
}

function flagsOver(
  fromFile: AgentConfiguration,
  flags: Flags,
  { folder, environment }: Context,
): Partial<AgentConfiguration> & Pick<AgentConfiguration, "source" | "http"> {
  const { source, http } = fromFile;
  const url = flags.source === undefined ? source.url : isAddress(flags.source) ? flags.source : resolve(folder, flags.source);
  const driftInterval = flags.driftInterval === undefined ? undefined : duration("--drift-interval", flags.driftInterval);
  const trustProxy = environment.PLUMBLINE_TRUST_PROXY?.split(/[\s,]+/).filter((each) => each !== "") ?? http.trustProxy;
  const names = readHostNames("PLUMBLINE_HTTP_NAMES", environment.PLUMBLINE_HTTP_NAMES) ?? http.names;
  return {
    source: {
      ...source,
      url,
      branch: flags.branch ?? (flags.tag === undefined ? source.branch : undefined),
      tag: flags.tag ?? (flags.branch === undefined ? source.tag : undefined),
      interval: flags.interval === undefined ? source.interval : duration("--interval", flags.interval),
    },
    http: { port: flags.port ?? http.port, host: flags.host ?? http.host, names, trustProxy },
    ...(driftInterval === undefined ? {} : { driftInterval }),
  };
}

/** Matches `https://…`, `ssh://…`, or `git@host:path`. */
function isAddress(text: string): boolean {
  return /^[a-z+]+:\/\//i.test(text) || /^[^/]+@[^/]+:/.test(text);
}

function duration(flag: string, text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new PlumblineError("option-invalid", `${flag} ${text} is not a duration.`, {
    next: "Write a number and s, m, h or d, such as 15m.",
  });
}
