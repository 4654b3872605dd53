import { openStore } from "../../agent/store/open.js";
import type { HistoryFormat, HistoryKind } from "../../outcome/history.js";
import { historyKinds } from "../../outcome/history.js";
import { renderHistory } from "../../report/history.js";
import { choosePaint } from "../../report/style.js";
import type { Context } from "../context.js";
import type { GlobalOptions } from "../options.js";
import { parseTime } from "../parse-time.js";
import { currentRepository } from "../repository-name.js";
import { findStore } from "../store.js";
import { wholePath } from "../whole-path.js";

interface Flags extends GlobalOptions {
  readonly since?: string;
  readonly until?: string;
  readonly path?: string;
  readonly author?: string;
  readonly kind: readonly HistoryKind[];
  readonly all: boolean;
  readonly allRepositories: boolean;
  readonly limit: number;
  readonly cursor?: string;
  readonly format: HistoryFormat;
}

/** Prints a page of the agent's history. Returns the exit code. */
export async function history(given: Flags, context: Context, target: string | undefined): Promise<number> {
  const { since, until, path, author, kind, all, allRepositories, limit, cursor, format, color, ...flags } = given;
  const options = { ...flags, color };
  const now = context.now().getTime();
  const query = {
    target,
    since: since === undefined ? undefined : parseTime("--since", since, now),
    until: until === undefined ? undefined : parseTime("--until", until, now),
    path: path === undefined ? undefined : wholePath(path).toString(),
    author,
    kinds: kind.length > 0 || all ? kind : historyKinds.filter((one) => one !== "skip"),
    limit,
    cursor,
    repository: allRepositories ? undefined : await currentRepository(options, context),
  };
  const store = await openStore(await findStore(options, context), { readOnly: true });
  try {
    const page = await store.history.find(query);
    context.stdout.write(renderHistory(format, page, choosePaint(context.stdout, context.environment, color), now));
    if (page.hasOtherRepositories === true)
      context.stderr.write("Events of other repositories are not shown. To show them: --all-repositories\n");
    return 0;
  } finally {
    await store.close();
  }
}
