import { dayOf } from "../../core/day.js";
import { PlumblineError } from "../../core/errors.js";
import { sizeOf } from "../../core/tree/canonical.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { Query } from "../../core/tree/query/query.js";
import { loadDesired } from "../../desired/load.js";
import type { LiveLookup } from "../../desired/loaded.js";
import { querySubtrees, searchRoots } from "../../desired/query-subtrees.js";
import { suggest } from "../../desired/suggest.js";
import type { ReadTarget } from "../../engine/target.js";
import { count } from "../../report/format-counts.js";
import { kinds } from "../../targets/registry.js";
import type { GetView } from "../choices.js";
import type { Context } from "../context.js";
import { reportFailure } from "../failure.js";
import { protectByLedger } from "../known-secrets.js";
import { findConfiguration, type GlobalOptions } from "../options.js";
import { readOnly } from "../reader.js";
import { openSession } from "../terminal.js";
import type { Answer } from "./answer.js";

interface Flags extends GlobalOptions {
  readonly target: readonly string[];
  readonly ledger?: string;
}

/** Number of nodes from which a hint recommends a plain path, which reads less. */
const LARGE = 50_000;

/** Evaluates an expression on each target and adds the results to `answers`. Returns the exit code. */
export async function evaluateOn(view: GetView, query: Query, flags: Flags, context: Context, answers: Answer[]): Promise<number> {
  return view === "desired" ? await onDesired(query, flags, context, answers) : await onTargets(view, query, flags, context, answers);
}

async function onTargets(given: GetView, query: Query, flags: Flags, context: Context, answers: Answer[]): Promise<number> {
  const view = given === "running" ? "running" : "candidate";
  return await readOnly(flags, context, flags.target, async (target, _, settings) => {
    const kind = kinds.get(target.kind);
    if (kind === undefined) return;
    const subtrees = querySubtrees(query, kind, Path.root.child(kind.rootTag));
    await target.open();
    await protectByLedger(target, settings, flags, context);
    const root = await target.read(subtrees ?? searchRoots(target.shape, kind.rootTag), view);
    if (subtrees === undefined) warnIfLarge(target, root, context);
    answers.push({ target: target.name, kind, root, result: query.evaluate(root) });
  });
}

function warnIfLarge({ name }: ReadTarget, root: TreeNode, { stderr }: Context): void {
  const size = sizeOf(root);
  if (size < LARGE) return;
  stderr.write(
    `${name}: the complete configuration was read (${count(size, "node")}); an expression that begins with a plain path reads less\n`,
  );
}

/** Live values are not read. References to them are shown as written. */
const NOT_READ: LiveLookup = { values: () => "later", nodes: () => "later" };

async function onDesired(query: Query, flags: Flags, context: Context, answers: Answer[]): Promise<number> {
  const { configuration, targets, broken } = await loadDesired(findConfiguration(flags, context), {
    environment: context.environment,
    kinds,
    today: dayOf(context.now()),
    resolveSecrets: false,
    live: NOT_READ,
  });
  let code = 0;
  const known = [...configuration.targets.keys()];
  for (const target of flags.target.length > 0 ? flags.target : known) {
    const kind = kinds.get(configuration.targets.get(target)?.kind ?? "");
    if (kind === undefined)
      throw new PlumblineError("target-unknown", `There is no target "${target}".`, {
        where: { file: configuration.file },
        next: suggest(target, known),
      });
    const problems = broken.get(target) ?? [];
    for (const problem of problems) code = Math.max(code, await reportFailure(problem, context.stderr, openSession(flags, context).paint));
    const root = targets.get(target)?.root;
    if (root !== undefined && problems.length === 0) answers.push({ target, kind, root, result: query.evaluate(root) });
  }
  return code;
}
