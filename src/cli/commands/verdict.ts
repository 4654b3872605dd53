import { gather } from "../../verdict/inputs.js";
import type { VerdictService } from "../../verdict/service.js";
import { type ServiceFlags, serviceSettings } from "../../verdict/settings.js";
import { openVerdicts, systemVerdictDependencies } from "../../verdict/verdicts.js";
import type { VerdictFormat } from "../choices.js";
import type { Context } from "../context.js";
import { type GlobalOptions, stateFolder } from "../options.js";
import { openSession, type Terminal } from "../terminal.js";
import { exitCodeOf, render, rowsOf } from "../verdict-report.js";

interface Flags extends GlobalOptions, Omit<ServiceFlags, "timeout"> {
  readonly list: readonly string[];
  readonly path: readonly string[];
  readonly format: VerdictFormat;
  readonly fresh: boolean;
}

/** Prints the service's verdicts on files. Returns the exit code. */
export async function verdict(flags: Flags, context: Context, hashes: readonly string[]): Promise<number> {
  const session = openSession(flags, context);
  const { progress, paint } = session;
  try {
    const subjects = await gather({ hashes, lists: flags.list, paths: flags.path }, context.folder, context.stop, (file) =>
      progress.update(`hashing ${file}`),
    );
    const service = await serviceSettings(flags, context.environment, context.folder);
    warnOfOpenDoors(service, session);
    const dependencies = systemVerdictDependencies(session.logger, () => context.now().getTime());
    const verdicts = await openVerdicts(service, stateFolder(flags, context), dependencies);
    try {
      const found = await verdicts.lookUp(
        subjects.map(({ hash }) => hash),
        {
          stop: context.stop,
          fresh: flags.fresh,
          progress: (done, all) => progress.update(`verdicts: ${done} of ${all} hashes`),
        },
      );
      const rows = rowsOf(subjects, found);
      progress.end();
      context.stdout.write(render(rows, { requests: found.requests, left: await verdicts.left() }, flags.format, paint));
      return exitCodeOf(rows);
    } finally {
      await verdicts.close();
    }
  } finally {
    progress.end();
  }
}

function warnOfOpenDoors({ url, tls }: VerdictService, { logger }: Terminal): void {
  const { origin, protocol } = new URL(url);
  if (protocol === "http:") logger.warn(`${origin} does not use encryption: the key can be read on the network`);
  else if (tls.insecure) logger.warn(`${origin} is not verified (--insecure): anybody may answer in its place`);
}
