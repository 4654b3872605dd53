import type { Change } from "../diff/change.js";
import type { Command, TargetOutcome } from "../outcome.js";
import { difference, inline } from "./describe.js";

interface Result {
  readonly ruleId: string;
  readonly level: "error" | "warning" | "note";
  readonly message: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** SARIF 2.1.0: each change, finding and error at the YAML line that wants it, for a code host's review. */
export function renderSarif(command: Command, outcomes: readonly TargetOutcome[]): string {
  const results = outcomes.flatMap((outcome) => resultsOf(command, outcome));
  const rules = [...new Set(results.map((result) => result.ruleId))].sort().map((id) => ({ id }));
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "plumbline", rules } }, results: results.map(sarifResult) }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function sarifResult({ ruleId, level, message, file, line, column }: Result) {
  const region = line === undefined ? undefined : { startLine: line, startColumn: column };
  const locations =
    file === undefined
      ? []
      : [{ physicalLocation: { artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/") }, region } }];
  return { ruleId, level, message: { text: message }, locations };
}

function resultsOf(command: Command, outcome: TargetOutcome): Result[] {
  const { plan, drift, error, sources, target } = outcome;
  const place = (origin: number) => {
    const at = sources?.locate(origin);
    return { file: at?.file, line: at?.line, column: at?.column };
  };
  const changes = command === "drift" ? (drift?.items.map((item) => item.change) ?? []) : (plan?.changes ?? []);
  const results: Result[] = changes.map((change) => ({
    ruleId: `${command}/${change.kind}`,
    level: "note",
    message: `${target}: ${sentence(change)}`,
    ...place("after" in change && !Array.isArray(change.after) && "origin" in change.after ? change.after.origin : -1),
  }));
  for (const finding of [...(plan?.findings ?? []), ...(drift?.findings ?? [])]) {
    results.push({
      ruleId: `finding/${finding.kind}`,
      level: finding.refuses ? "error" : "warning",
      message: `${target}: ${finding.message} (${finding.path})`,
      ...place(finding.origin),
    });
  }
  for (const refusal of plan?.refusals ?? []) {
    results.push({ ruleId: `refused/${refusal.guard}`, level: "error", message: `${target}: ${refusal.message}`, ...place(-1) });
  }
  if (error !== undefined) {
    const { file, line, column } = error.where;
    results.push({
      ruleId: `error/${error.code}`,
      level: "error",
      message: `${target}: ${error.message}${error.next === undefined ? "" : ` ${error.next}`}`,
      file,
      line,
      column,
    });
  }
  return results;
}

function sentence(change: Change): string {
  switch (change.kind) {
    case "missing":
      return `to create ${change.path}: ${inline(change.after)}`;
    case "extra":
      return `to delete ${change.path}`;
    case "differs":
      return `to change ${change.path}: ${difference(change.before, change.after)
        .map((line) => `${line.mark} ${line.text}`)
        .join(", ")}`;
    case "order":
      return `to reorder ${change.path}: ${change.moved.join(", ")}`;
    case "renamed":
      return `to rename ${change.from} to ${change.to} at ${change.path}`;
  }
}
