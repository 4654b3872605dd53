import type { Logger } from "pino";
import { sleep as systemSleep } from "../core/clock.js";
import type { ReadVerdicts } from "../engine/artifacts.js";
import { thisMachine } from "../engine/pass/machine.js";
import type { AnalysisOptions, PassOptions, WriteOptions } from "../engine/pass/options.js";
import { choosePaint, type Paint } from "../report/style.js";
import { kinds } from "../targets/registry.js";
import { allowedCommands } from "./allowed-commands.js";
import type { Context, Output } from "./context.js";
import { loggerFor } from "./logger.js";
import { findConfiguration, type GlobalOptions, parseAllow, stateFolder, type WriteFlags } from "./options.js";
import { ProgressLine } from "./progress.js";
import { storedApprovals, storeLedgers } from "./store-ledgers.js";
import { wholePath } from "./whole-path.js";

/** Options of a command that reads targets. */
export interface PassFlags extends GlobalOptions, Partial<WriteFlags> {
  readonly target?: readonly string[];
  readonly path?: string;
  readonly unmanaged?: boolean;
}

/** Output of this run: colours, progress and logs. */
export interface Terminal {
  readonly paint: Paint;
  readonly progress: ProgressLine;
  readonly logger: Logger;
}

/** Discards progress for `--quiet`. */
const DISCARD: Output = { write: () => undefined };

export function openSession(flags: GlobalOptions, context: Context): Terminal {
  const paint = choosePaint(context.stdout, context.environment, flags.color);
  const painting = choosePaint(context.stderr, context.environment, flags.color);
  return {
    paint,
    progress: new ProgressLine(flags.quiet === true ? DISCARD : context.stderr, painting),
    logger: loggerFor(flags.logLevel, context.stderr, painting, flags.logFormat),
  };
}

/** Returns the options of a pass, from flags and environment. */
export function passOptions(flags: PassFlags, context: Context, session: Terminal): PassOptions {
  const { "empty-live": emptyLive, "non-descendant": nonDescendant, ...allow } = Object.fromEntries(parseAllow(flags.allow ?? []));
  return {
    machine: { ...thisMachine, now: () => context.now().getTime() },
    stop: context.stop,
    source: {
      configurationFile: findConfiguration(flags, context),
      kinds,
      environment: context.environment,
      mayRun: allowedCommands(flags, context),
    },
    stores: {
      stateFolder: stateFolder(flags, context),
      ledger: flags.ledger,
      storeLedgers: storeLedgers(flags, context),
      storedApprovals: storedApprovals(flags, context),
    },
    selection: {
      targets: flags.target ?? [],
      only: flags.path === undefined ? undefined : wholePath(flags.path),
      listsUnmanaged: flags.unmanaged,
    },
    overrides: {
      allow: new Map(Object.entries(allow)),
      allowEmptyLive: [...(emptyLive?.split("\n") ?? []), ...(flags.allowEmptyLive ?? [])].map((path) => wholePath(path)),
      allowNonDescendant: nonDescendant !== undefined || flags.allowNonDescendant === true,
      rotateSecrets: flags.rotate ?? false,
    },
    analysis: { verdicts: readVerdicts(context, session, stateFolder(flags, context)) },
    listeners: {
      progress: (target, text, counted) => session.progress.update(`${target}: ${text}`, counted),
      tally: (begun, ended) => session.progress.tally(begun, ended),
    },
  };
}

/** Adds the analysis of flows to the options of a pass. */
export function withAnalysis(options: PassOptions, more: Partial<AnalysisOptions> = {}): PassOptions {
  return { ...options, analysis: { ...options.analysis, insight: true, ...more } };
}

export function writeOptions(flags: WriteFlags, { sleep = systemSleep }: Context): WriteOptions {
  return {
    takeover: flags.takeover,
    lockTimeout: flags.lockTimeout,
    // Not aborted by the stop signal: the waiting code checks it itself.
    sleep: (milliseconds) => sleep(milliseconds, new AbortController().signal),
  };
}

/**
 * Looks up verdicts with the service from the environment, like `plumbline verdict`. Results are cached in the state folder. Loaded on use,
 * because most plans have no hashes.
 */
function readVerdicts(context: Context, session: Terminal, stateFolder: string): ReadVerdicts {
  return async (hashes) => {
    const [{ serviceSettings }, { openVerdicts, systemVerdictDependencies }] = await Promise.all([
      import("../verdict/settings.js"),
      import("../verdict/verdicts.js"),
    ]);
    const service = await serviceSettings({}, context.environment, context.folder);
    const dependencies = systemVerdictDependencies(session.logger, () => context.now().getTime());
    const verdicts = await openVerdicts(service, stateFolder, dependencies);
    try {
      const found = await verdicts.lookUp(hashes, { stop: context.stop });
      return new Map([...found.verdicts].map(([hash, { verdict }]) => [hash, verdict]));
    } finally {
      await verdicts.close();
    }
  };
}
