import { type Command, InvalidArgumentError, Option } from "commander";
import { openStore } from "../../agent/store/open.js";
import type { HistoryKind } from "../../outcome/history.js";
import { historyKinds } from "../../outcome/history.js";
import { HISTORY_FORMATS, type HistoryFormat, renderHistory } from "../../report/history.js";
import { choosePaint } from "../../report/style.js";
import { parseMoment } from "../moment.js";
import type { GlobalOptions } from "../options.js";
import type { Register } from "../register.js";
import { findStore } from "../store.js";
import { wholePath } from "../whole-path.js";

interface Flags extends GlobalOptions {
  readonly since?: string;
  readonly until?: string;
  readonly path?: string;
  readonly author?: string;
  readonly kind: readonly HistoryKind[];
  readonly all: boolean;
  readonly limit: number;
  readonly cursor?: string;
  readonly format: HistoryFormat;
}

function rows(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("A whole number from 1 to 999999.");
  return Number(text);
}

function kinds(text: string, before: readonly HistoryKind[]): HistoryKind[] {
  const kind = historyKinds.find((one) => one === text);
  if (kind === undefined) throw new InvalidArgumentError(`One of ${historyKinds.join(", ")}.`);
  return [...before, kind];
}

export const history: Register = (program, context) => {
  program
    .command("history")
    .description("what the agent saw and did, newest first; also while it runs")
    .argument("[target]")
    .option("--since <time>", 'from then on: 15m, 2h, 1d ago, or a moment in UTC, "2026-01-05 08:00"')
    .option("--until <time>", "up to then")
    .option("--path <xpath>", "only at or below this node")
    .option("--author <name>", "only what this administrator or author did")
    .option("--kind <kind>", `only rows of this kind (repeatable): ${historyKinds.join(", ")}`, kinds, [])
    .option("--all", "also passes that were skipped because nothing had moved", false)
    .option("--limit <n>", "rows at most", rows, 50)
    .option("--cursor <cursor>", "older rows: what the page before ended with")
    .addOption(new Option("--format <format>", "how to print them").choices(HISTORY_FORMATS).default("text"))
    .action(async (target: string | undefined, _own: unknown, invoked: Command) => {
      const { since, until, path, author, kind, all, limit, cursor, format, color, ...flags } = invoked.optsWithGlobals<Flags>();
      const now = context.now().getTime();
      const query = {
        target,
        since: since === undefined ? undefined : parseMoment("--since", since, now),
        until: until === undefined ? undefined : parseMoment("--until", until, now),
        path: path === undefined ? undefined : wholePath(path).toString(),
        author,
        kinds: kind.length > 0 || all ? kind : historyKinds.filter((one) => one !== "skip"),
        limit,
        cursor,
      };
      const store = await openStore(await findStore({ ...flags, color }, context), { readOnly: true });
      try {
        const page = await store.history.find(query);
        context.stdout.write(renderHistory(format, page, choosePaint(context.stdout, context.environment, color), now));
      } finally {
        await store.close();
      }
    });
};
