import { type Command, InvalidArgumentError, Option } from "commander";
import { gather, type Inputs } from "../../verdict/inputs.js";
import type { VerdictService } from "../../verdict/service.js";
import { type ServiceFlags, serviceSettings } from "../../verdict/settings.js";
import { openVerdicts, systemVerdictDependencies } from "../../verdict/verdicts.js";
import type { Context } from "../context.js";
import { type GlobalOptions, stateFolder } from "../options.js";
import type { Register } from "../register.js";
import { openSession, type Session } from "../session.js";
import { exitCodeOf, FORMATS, render, rowsOf, type VerdictFormat } from "../verdict-report.js";

interface Flags extends GlobalOptions, Omit<ServiceFlags, "timeout"> {
  readonly list: readonly string[];
  readonly path: readonly string[];
  readonly format: VerdictFormat;
  readonly fresh: boolean;
}

const HELP = `
The service is named by --url or PLUMBLINE_VERDICT_URL (no public one is asked unless named), its key stands in
PLUMBLINE_VERDICT_KEY or in the file of --key-file, its certificate authority in --ca or PLUMBLINE_VERDICT_CA.
Verdicts are remembered in the state folder: benign for 7 days, malicious for 30, unknown for an hour; --fresh asks again.

Exit codes: 0 all are known and benign, 2 some are unknown or absent from the reply, 3 some are malicious or otherwise
bad, 1 no verdict could be had.`;

const collect = (value: string, before: readonly string[]): string[] => [...before, value];

function queries(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("A whole number from 1 on.");
  return Number(text);
}

export const verdict: Register = (program, context, finish) => {
  program
    .command("verdict")
    .description("what the file-verdict service says of files, by their hashes")
    .argument("[hash...]", "MD5 or SHA-256")
    .option("--list <file>", "a hash at the beginning of each line, as sha256sum writes them (repeatable)", collect, [])
    .option("--path <file...>", "files to compute the SHA-256 of", [])
    .option("--url <url>", "the service's address, before /publicapi")
    .option("--key-file <file>", "holds the service's key")
    .option("--ca <file>", "certificate authority as PEM")
    .option("--pin <pin>", "sha256/BASE64 of the public key, or sha256:HEX of the certificate")
    .option("--insecure", "do not verify the certificate")
    .option("--fresh", "ask again for what is remembered, too", false)
    .option("--allotment <n>", "queries a day that the account may make", queries)
    .addOption(new Option("--format <format>", "how to print the report").choices(FORMATS).default("text"))
    .addHelpText("after", HELP)
    .action(async (hashes: string[], _own: unknown, invoked: Command) => {
      const flags = invoked.optsWithGlobals<Flags>();
      finish(await judge({ hashes, lists: flags.list, paths: flags.path }, flags, context));
    });
};

async function judge(inputs: Inputs, flags: Flags, context: Context): Promise<number> {
  const session = openSession(flags, context);
  const { progress, paint } = session;
  try {
    const subjects = await gather(inputs, context.folder, context.stop, (file) => progress.update(`hashing ${file}`));
    const service = await serviceSettings(flags, context.environment, context.folder);
    warnOfOpenDoors(service, session);
    const dependencies = systemVerdictDependencies(session.logger, () => context.now().getTime());
    const verdicts = await openVerdicts(service, stateFolder(flags, context), dependencies);
    try {
      const hashes = subjects.map(({ hash }) => hash);
      const found = await verdicts.lookUp(hashes, {
        stop: context.stop,
        fresh: flags.fresh,
        progress: (done, all) => progress.update(`verdicts: ${done} of ${all} hashes`),
      });
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

function warnOfOpenDoors({ url, tls }: VerdictService, { logger }: Session): void {
  const { origin, protocol } = new URL(url);
  if (protocol === "http:") logger.warn(`${origin} is spoken to without encryption: the key can be read on the way`);
  else if (tls.insecure) logger.warn(`${origin} is not verified (--insecure): anybody may answer in its place`);
}
