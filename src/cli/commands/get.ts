import { PlumblineError } from "../../core/errors.js";
import { sizeOf } from "../../core/tree/canonical.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { Query } from "../../core/tree/query/query.js";
import { loadDesired } from "../../desired/load.js";
import type { LiveLookup } from "../../desired/loaded.js";
import { suggest } from "../../desired/nearest.js";
import { searchRoots } from "../../engine/live.js";
import { querySubtrees } from "../../engine/query-subtrees.js";
import type { ReadTarget } from "../../engine/target.js";
import { count } from "../../report/words.js";
import { kinds } from "../../targets/registry.js";
import type { GetFormat, GetView } from "../choices.js";
import type { Context } from "../context.js";
import { reportFailure } from "../failure.js";
import { type Answer, isEmptyAnswer } from "../get/answer.js";
import { jsonText } from "../get/json.js";
import { xmlText } from "../get/xml.js";
import { yamlText } from "../get/yaml.js";
import { protectByLedger } from "../known-secrets.js";
import { findConfiguration, type GlobalOptions } from "../options.js";
import { readOnly } from "../reader.js";
import { openSession } from "../terminal.js";

interface Flags extends GlobalOptions {
  readonly target: readonly string[];
  readonly view: GetView;
  readonly format: GetFormat;
  readonly ledger?: string;
}

/** Number of nodes from which a hint recommends a plain path, which reads less. */
const LARGE = 50_000;

/** Evaluates an XPath expression on each target and prints the results. Returns the exit code, which is also 0 without results. */
export async function get(flags: Flags, context: Context, expression: string): Promise<number> {
  const query = new Query(expression);
  const answers: Answer[] = [];
  const code =
    flags.view === "desired" ? await askDesired(query, flags, context, answers) : await askTargets(query, flags, context, answers);
  print(answers, flags, expression, context);
  return code;
}

async function askTargets(query: Query, flags: Flags, context: Context, answers: Answer[]): Promise<number> {
  const view = flags.view === "running" ? "running" : "candidate";
  return await readOnly(flags, context, flags.target, async (target, _, whole) => {
    const kind = kinds.get(target.kind);
    if (kind === undefined) return;
    const subtrees = querySubtrees(query, kind, Path.root.child(kind.rootTag));
    await target.open();
    await protectByLedger(target, whole, flags, context);
    const root = await target.read(subtrees ?? searchRoots(target.shape, kind.rootTag), view);
    if (subtrees === undefined) tellLarge(target, root, context);
    answers.push({ target: target.name, kind, root, result: query.evaluate(root) });
  });
}

function tellLarge({ name }: ReadTarget, root: TreeNode, { stderr }: Context): void {
  const size = sizeOf(root);
  if (size < LARGE) return;
  stderr.write(`${name}: read whole, ${count(size, "node")}; an expression that begins with a plain path reads less\n`);
}

/** Live values are not read. References to them are shown as written. */
const NOT_ASKED: LiveLookup = { values: () => "later", nodes: () => "later" };

async function askDesired(query: Query, flags: Flags, context: Context, answers: Answer[]): Promise<number> {
  const { configuration, targets, broken } = await loadDesired(findConfiguration(flags, context), {
    environment: context.environment,
    kinds,
    today: context.now().toISOString().slice(0, 10),
    resolveSecrets: false,
    live: NOT_ASKED,
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

function print(answers: readonly Answer[], { format, view }: Flags, expression: string, context: Context): void {
  const { stdout, stderr } = context;
  for (const answer of answers) if (isEmptyAnswer(answer)) stderr.write(`${answer.target}: nothing found\n`);
  const found = answers.filter((answer) => !isEmptyAnswer(answer));
  switch (format) {
    case "json":
      stdout.write(jsonText(answers, expression, view));
      return;
    case "xml":
      if (found.length > 0) stdout.write(xmlText(found, view));
      return;
    case "yaml": {
      const { text, notes } = yamlText(found, expression, view);
      stdout.write(text);
      for (const note of notes) stderr.write(`${note}\n`);
    }
  }
}
