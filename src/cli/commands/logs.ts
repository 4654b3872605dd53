import { type Command, InvalidArgumentError, Option } from "commander";
import { LOG_COLUMNS } from "../../targets/panos/log-types.js";
import { logReadersFor } from "../../targets/registry.js";
import { parseColumns } from "../logs/columns.js";
import { LOG_FORMATS, type LogFormat, printerFor } from "../logs/printer.js";
import { LogShow } from "../logs/show.js";
import { parseSince } from "../logs/since.js";
import type { GlobalOptions } from "../options.js";
import { eachTarget } from "../reader.js";
import type { Register } from "../register.js";
import { openSession } from "../session.js";

interface Flags extends GlobalOptions {
  readonly type: string;
  readonly query?: string;
  readonly since?: string;
  readonly follow: boolean;
  readonly count: number;
  readonly columns?: string;
  readonly format: LogFormat;
}

const HELP = `
The newest records come first; with --follow the newest come last, and more as they arrive, until interrupted.
A filter is in the firewall's own language, for example "( severity geq high ) and ( action eq alert )".
Without --columns a table and CSV show the usual fields of the type, JSON shows all. With --follow, JSON is one record a line.`;

function records(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError("A whole number from 1 to 9999999.");
  return Number(text);
}

export const logs: Register = (program, context, finish) => {
  program
    .command("logs")
    .description("what a firewall's logs say")
    .argument("<target>")
    .addOption(new Option("--type <type>", "which log").choices([...LOG_COLUMNS.keys()]).makeOptionMandatory())
    .option("--query <filter>", "only records that pass this filter")
    .option("--since <time>", 'only newer ones: 15m, 2h, 1d, 1w, or a moment of the firewall\'s clock, "2026-01-05 08:00"')
    .option("--follow", "show what arrives, too", false)
    .option("--count <n>", "records at most, of those that are there", records, 20)
    .option("--columns <fields>", "fields to show, separated by commas")
    .addOption(new Option("--format <format>", "how to print them").choices(LOG_FORMATS).default("table"))
    .addHelpText("after", HELP)
    .action(async (name: string, _own: unknown, invoked: Command) => {
      const flags = invoked.optsWithGlobals<Flags>();
      const wish = {
        ...flags,
        query: flags.query,
        since: flags.since === undefined ? undefined : parseSince(flags.since),
        columns: flags.columns === undefined ? undefined : parseColumns(flags.columns),
      };
      const session = openSession(flags, context);
      const printer = printerFor({ ...wish, endless: flags.follow, paint: session.paint });
      const show = new LogShow(wish, printer, context, session);
      finish(await eachTarget(flags, context, [name], logReadersFor(session.logger), (reader) => show.run(reader)));
    });
};
