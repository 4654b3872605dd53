import { printJson } from "../core/json/print.js";
import type { Operation } from "../core/operation.js";
import type { TreeNode } from "../core/tree/node.js";
import { writeXml } from "../core/tree/xml/write.js";
import type { SourceMap } from "../desired/source-map.js";
import { isInSync, reasonsNotInSync } from "../outcome/in-sync.js";
import type { Insight } from "../outcome/insight.js";
import { levelsOf } from "../outcome/levels.js";
import { type Command, exitCode, outcomeCode, type TargetOutcome } from "../outcome/outcome.js";
import type { Attribution, Change, Finding } from "../plan/diff/change.js";
import { differencesOf, type Refusal } from "../plan/model.js";
import { errorView } from "./error-view.js";
import type { Report } from "./schema.js";

/** Described by `schemas/report.schema.json`. Secrets are labels, trees are XML text. */
export function renderJson(command: Command, outcomes: readonly TargetOutcome[]): string {
  const report: Report = {
    format: 1,
    command,
    exitCode: exitCode(outcomes),
    targetsOmitted: outcomes[0]?.targetsOmitted,
    targets: outcomes.map(targetView),
  };
  return `${printJson(report, 2)}\n`;
}

/** Returns a target in the format of the report. */
export function targetView(outcome: TargetOutcome): Report["targets"][number] {
  const { plan, drift, sources } = outcome;
  return {
    target: outcome.target,
    kind: outcome.kind,
    mode: outcome.mode,
    exitCode: outcomeCode(outcome),
    inSync: isInSync(outcome),
    notInSync: reasonsNotInSync(outcome).filter(({ reason }) => reason !== "differs"),
    narrowed: outcome.narrowed,
    identity: outcome.identity,
    warnings: outcome.warnings,
    error: outcome.error === undefined ? undefined : errorView(outcome.error),
    plan:
      plan === undefined
        ? undefined
        : {
            digest: plan.digest,
            changes: differencesOf(plan).map((change) => changeView(change, sources, undefined)),
            findings: plan.findings.map((finding) => findingView(finding, sources)),
            meaning: plan.meaning.map(({ path, message }) => ({ xpath: path.toString(), message })),
            refusals: plan.refusals.map((refusal) => refusalView(refusal, sources)),
            observed: plan.observed?.changes.map((change) => changeView(change, sources, undefined)),
            leftOut: plan.leftOut.map(String),
            operations: plan.operations.map(({ operation, phase }) => ({ phase, ...operationView(operation) })),
            requests: plan.batches.length,
            commitOnly: plan.commitOnly,
            deletionsUnknown: plan.deletionsUnknown,
            foreign: plan.foreign,
            reaches: plan.reaches,
            alreadyHave: plan.alreadyHave,
            waves: plan.waves,
            others: plan.others,
          },
    drift:
      drift === undefined
        ? undefined
        : {
            items: drift.items.map((item) => changeView(item.change, sources, item.attribution)),
            findings: drift.findings.map((finding) => findingView(finding, sources)),
            refusals: (drift.refusals ?? []).map((refusal) => refusalView(refusal, sources)),
            pending: drift.pending,
          },
    unmanaged: outcome.unmanaged && { count: outcome.unmanaged.count, entries: outcome.unmanaged.entries?.map(String) },
    insight: outcome.insight && insightJson(outcome.insight),
    traffic: outcome.traffic,
    assertions: outcome.assertions,
    audit: outcome.audit,
    applied: outcome.applied,
    watch: outcome.watch,
    levels: levelsOf(outcome),
    firewalls: outcome.firewalls,
    pushed: outcome.pushed,
    verdicts: outcome.verdicts?.map(({ hash, image, word, standing, why }) => ({ hash, image, verdict: word, standing, why })),
  };
}

/** Returns a change in the format of the report: trees are XML text, secrets are labels. */
export function changeView(change: Change, sources: SourceMap | undefined, attribution: Attribution | undefined) {
  const base = { kind: change.kind, xpath: change.path.toString(), attribution };
  switch (change.kind) {
    case "missing":
      return { ...base, after: value(change.after), follows: change.follows, source: sources?.locate(change.after.origin) };
    case "extra":
      return { ...base, before: value(change.before), reason: change.reason };
    case "unmanaged":
      return { ...base, before: value(change.before) };
    case "differs":
      return { ...base, before: value(change.before), after: value(change.after), source: sources?.locate(change.after.origin) };
    case "order":
      return { ...base, before: change.before, after: change.after, moved: change.moved };
    case "renamed":
      return { ...base, from: change.from, to: change.to, source: sources?.locate(change.after.origin) };
  }
}

function findingView(finding: Finding, sources: SourceMap | undefined) {
  return {
    kind: finding.kind,
    xpath: finding.path.toString(),
    message: finding.message,
    refuses: finding.refuses,
    source: sources?.locate(finding.origin),
  };
}

function refusalView({ guard, message, path, origin = -1, stops, allow }: Refusal, sources: SourceMap | undefined) {
  return { guard, message, xpath: path?.toString(), source: sources?.locate(origin), stops, allow };
}

/** Returns one operation in the terms of the API. */
export function operationView(operation: Operation) {
  const base = { action: operation.action, xpath: operation.at.toString() };
  switch (operation.action) {
    case "set":
    case "edit":
      return { ...base, element: value(operation.element) };
    case "move":
      return "anchor" in operation ? { ...base, where: operation.where, dst: operation.anchor } : { ...base, where: operation.where };
    case "rename":
      return { ...base, newname: operation.newName };
    case "delete":
      return base;
  }
}

function value(node: TreeNode): string {
  return writeXml(node, { secrets: "label" });
}

/** Rows are only `opened` or `closed`, as in 0.1.0. Redirected flows are in a separate list. */
function insightJson({ scopes, ...insight }: Insight) {
  const split = scopes.map(({ rows, ...scope }) => {
    const redirected = rows.flatMap(({ change, ...row }) => (change === "redirected" ? { ...row, reaches: row.reaches ?? {} } : []));
    const others = rows.flatMap(({ change, ...row }) => (change === "redirected" ? [] : { change, ...row }));
    return { ...scope, rows: others, ...(redirected.length > 0 ? { redirected } : {}) };
  });
  return { scopes: split, ...insight };
}
