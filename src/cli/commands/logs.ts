import type { LogFormat } from "../choices.js";
import type { Context } from "../context.js";
import { parseColumns } from "../logs/columns.js";
import { printerFor } from "../logs/printer.js";
import { LogShow } from "../logs/show.js";
import { parseSince } from "../logs/since.js";
import { logReadersFor } from "../open-targets.js";
import type { GlobalOptions } from "../options.js";
import { eachTarget } from "../reader.js";
import { openSession } from "../terminal.js";

interface Flags extends GlobalOptions {
  readonly type: string;
  readonly query?: string;
  readonly since?: string;
  readonly follow: boolean;
  readonly count: number;
  readonly columns?: string;
  readonly format: LogFormat;
}

/** Prints log records of a firewall. Returns the exit code. */
export async function logs(flags: Flags, context: Context, name: string): Promise<number> {
  const query = {
    ...flags,
    query: flags.query,
    since: flags.since === undefined ? undefined : parseSince(flags.since),
    columns: flags.columns === undefined ? undefined : parseColumns(flags.columns),
  };
  const session = openSession(flags, context);
  const printer = printerFor({ ...query, endless: flags.follow, paint: session.paint });
  const show = new LogShow(query, printer, context, session);
  return await eachTarget(flags, context, [name], logReadersFor(session.logger), (reader) => show.run(reader));
}
