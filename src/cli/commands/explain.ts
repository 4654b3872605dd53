import { PlumblineError } from "../../core/errors.js";
import { joinLines } from "../../core/printable.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { Locator } from "../../core/tree/query/locate.js";
import { Query } from "../../core/tree/query/query.js";
import { writeXml } from "../../core/tree/xml/write.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { type ExplainedTarget, explainTargets } from "../../engine/explain.js";
import { exitCode } from "../../outcome/outcome.js";
import type { Explanation } from "../../plan/explain.js";
import { block } from "../../report/describe.js";
import { errorLines } from "../../report/error-lines.js";
import { errorView } from "../../report/error-view.js";
import { count, formatAuthor } from "../../report/format-counts.js";
import type { Paint } from "../../report/style.js";
import type { Context } from "../context.js";
import { type Answer, isElement, isNodes, withoutDocument } from "../get/answer.js";
import { evaluateOn } from "../get/ask.js";
import { readersFor } from "../open-targets.js";
import type { GlobalOptions, PlainFormat } from "../options.js";
import { show } from "../show.js";
import { openSession, type PassFlags, passOptions } from "../terminal.js";
import { wholePath } from "../whole-path.js";

type Flags = PassFlags & PlainFormat;

const WHY: Record<Explanation["ownership"], string> = {
  declared: "managed: declared",
  inside: "managed: not declared, so it would be deleted",
  ledger: "managed: created by an earlier commit and no longer declared, so it would be deleted",
  ignored: "ignored: the live value is accepted",
  kept: "kept: must be present, is never compared or written",
  place: "unmanaged: contains declared nodes",
  unowned: "unmanaged: Plumbline does not change or delete it",
};

/** Prints for one node its declaration, its owner and its last author. Returns the exit code. */
export async function explain(flags: Flags, context: Context, xpath: string): Promise<number> {
  const session = openSession(flags, context);
  const options = passOptions(flags, context, session);
  const readers = readersFor(session.logger);
  const explained: ExplainedTarget[] = [];
  if (isPath(xpath)) explained.push(...(await explainTargets(options, readers, wholePath(xpath))));
  else
    for (const [target, path] of await selectedNodes(xpath, { ...flags, target: options.selection.targets }, context))
      explained.push(...(await explainTargets({ ...options, selection: { ...options.selection, targets: [target] } }, readers, path)));
  session.progress.end();
  const code = exitCode(explained.map(({ outcome }) => outcome));
  const text = () => explained.map((one) => joinLines(lines(one, session.paint))).join("\n");
  show(flags, context, () => ({ exitCode: code, targets: explained.map(explanationView) }), text);
  return code;
}

/** Maximum number of nodes that one command explains. Each is read separately. */
const MOST_NODES = 20;

/** Returns whether the text is the path of one node. Other expressions select nodes as in `plumbline get`. */
function isPath(text: string): boolean {
  try {
    return text.startsWith("/") && !text.startsWith("//") && parsePath(text).depth > 0;
  } catch {
    return false;
  }
}

/** Returns the target and path of each element that an expression selects in the desired state or on a target. */
async function selectedNodes(
  expression: string,
  flags: GlobalOptions & { readonly target: readonly string[]; readonly ledger?: string },
  context: Context,
): Promise<(readonly [string, Path])[]> {
  const query = new Query(expression);
  const answers: Answer[] = [];
  for (const view of ["desired", "live"] as const) await evaluateOn(view, query, flags, context, answers);
  const locator = new Locator();
  const found = new Map<string, readonly [string, Path]>();
  for (const { target, result } of answers)
    for (const node of isNodes(result) ? result.map(withoutDocument).filter(isElement) : []) {
      const xpath = locator.locate(node);
      found.set(`${target} ${xpath}`, [target, parsePath(xpath)]);
    }
  if (found.size > 0 && found.size <= MOST_NODES) return [...found.values()];
  throw new PlumblineError("option-invalid", `The expression ${expression} selects ${count(found.size, "element")}.`, {
    next: found.size === 0 ? "Test it with `plumbline get`." : `Select at most ${MOST_NODES}, or name one target.`,
  });
}

function explanationView({ outcome: { target, error, sources }, explanation, attribution, handed }: ExplainedTarget): object {
  if (explanation === undefined) return { target, error: error === undefined ? undefined : errorView(error) };
  const { path, wanted, candidate, running, ownership, decidedBy, exclusive, ignore, madeBy, origin } = explanation;
  return {
    target,
    xpath: path.toString(),
    wanted: wanted?.declared === true ? treeText(wanted) : undefined,
    live: treeText(candidate),
    running: treeText(running),
    changed: attribution,
    source: sources?.locate(origin),
    standing: ownership,
    decidedBy: decidedBy?.toString(),
    exclusive,
    ignore: ignore === undefined ? undefined : { path: ignore.path, owner: ignore.owner, reason: ignore.reason, until: ignore.until },
    madeBy,
    handed: handedView(handed),
  };
}

function handedView(handed: ExplainedTarget["handed"]): object | undefined {
  if (handed === undefined) return undefined;
  if (handed instanceof PlumblineError) return { error: errorView(handed) };
  const { manager, by, at, node, hiddenBy } = handed;
  const hidden = hiddenBy === undefined ? undefined : { xpath: hiddenBy.path.toString(), words: hiddenBy.words };
  return { manager, by, xpath: at.toString(), value: treeText(node), hiddenBy: hidden };
}

/** Returns the configuration that the manager pushes to the device, its place there, and local configuration that hides it. */
function handedRows(handed: ExplainedTarget["handed"]): (readonly [string, readonly string[]])[] {
  if (handed === undefined) return [];
  if (handed instanceof PlumblineError) return [["pushed", [`not known: ${handed.message}`]]];
  const { manager, by, at, node, hiddenBy } = handed;
  return [
    ["pushed", block(node)],
    ["by", [`${by} of ${manager}`, at.toString()]],
    ...(hiddenBy === undefined ? [] : [["hidden by", [`${hiddenBy.path} of the firewall: ${hiddenBy.words}`]] as const]),
  ];
}

/** Returns the node as XML, with secrets as labels. */
function treeText(node: TreeNode | undefined): string | undefined {
  return node === undefined ? undefined : writeXml(node, { secrets: "label" });
}

function lines({ outcome, explanation, attribution, handed }: ExplainedTarget, paint: Paint): string[] {
  const title = paint("bold", outcome.target);
  if (outcome.error !== undefined) return [title, ...errorLines(outcome.error, paint)];
  if (explanation === undefined) return [title];
  const { candidate, running, wanted, decidedBy, exclusive, ignore, madeBy, path } = explanation;
  const at = outcome.sources?.locate(explanation.origin);
  const rows: (readonly [string, readonly string[]])[] = [
    ["wanted", wanted === undefined || !wanted.declared ? ["nothing"] : block(wanted)],
    ["live", value(candidate)],
  ];
  if (outcome.hasCommit !== false && running !== candidate && value(running).join() !== value(candidate).join())
    rows.push(["running", value(running)]);
  rows.push(...handedRows(handed), ["changed", [formatAuthor(attribution)]]);
  if (at !== undefined) rows.push(["source", [`${at.file}:${at.line}:${at.column}`]]);
  const isManagers = explanation.ownership === "unowned" && handed !== undefined && !(handed instanceof PlumblineError);
  rows.push(["ownership", [isManagers ? "managed by its manager" : WHY[explanation.ownership]]]);
  if (explanation.ownership === "inside" && decidedBy !== undefined && !decidedBy.equals(path))
    rows.push([exclusive ? "exclusive" : "whole", [decidedBy.toString()]]);
  if (ignore !== undefined)
    rows.push([
      "ignore",
      [`${ignore.path} (${ignore.owner}: ${ignore.reason}${ignore.until === undefined ? "" : `, until ${ignore.until}`})`],
    ]);
  if (madeBy !== undefined) rows.push(["made by", [madeBy]]);
  return [
    `${title}  ${path}`,
    ...rows.flatMap(([label, texts]) => texts.map((text, i) => `  ${paint("dim", (i === 0 ? label : "").padEnd(9))}  ${text}`)),
  ];
}

function value(node: TreeNode | undefined): string[] {
  return node === undefined ? ["nothing"] : block(node);
}
