import { cutText } from "../core/cut-text.js";
import { groupBy } from "../core/group-by.js";
import { oneLine } from "../core/printable.js";
import type { Shape } from "../core/tree/shape.js";
import { isInSync, reasonsNotInSync, refusalsIn } from "../outcome/in-sync.js";
import type { Applied, Command, Drift, TargetOutcome } from "../outcome/outcome.js";
import { type Change, type Finding, isRemaining } from "../plan/diff/change.js";
import { differencesOf, type Plan, type Refusal } from "../plan/model.js";
import { assertionLines } from "./assertions.js";
import { auditLines, auditVerdict } from "./audit.js";
import { checkLines } from "./checks.js";
import { errorLines } from "./error-lines.js";
import { firewallLines, levelLines, notInSync, pushLines, reachLines } from "./firewalls.js";
import { count, driftSummary, formatAuthor, ledgerNote, planSummary, remainingSummary, targetTitle } from "./format-counts.js";
import { insightLines } from "./insight.js";
import { type Item, type Places, type Section, sectionsOf } from "./sections.js";
import type { Colour, Paint } from "./style.js";
import { trafficLines } from "./traffic.js";
import { unmanagedLines } from "./unmanaged.js";

const MARK_COLOUR: Record<string, Colour> = { "+": "green", "-": "red", "~": "yellow", ">": "cyan", "!": "yellow", " ": "dim" };
const MAX_NAME = 32;
/** The message of every successful commit job. */
const UNREMARKABLE = /^configuration committed successfully$/i;

/** Maximum number of target names before a shared block. */
const NAMES = 6;
/** Minimum number of targets for a shared block that has only a verdict line. */
const FEW = 4;
/** Maximum number of refusals or findings of one kind that are shown in full. */
const ALIKE = 4;
const ALL = "(--format json has them all)";

/**
 * Renders the report for a terminal: a block for each target, grouped by list, with a summary line. Equal blocks are shown once. Ends with
 * a newline.
 */
export function renderText(command: Command, outcomes: readonly TargetOutcome[], paint: Paint): string {
  const own = (outcome: TargetOutcome) =>
    titled(targetTitle(outcome), targetLines(command, outcome, paint, { isShared: false, places: outcome.sources }), paint);
  if (outcomes.length === 1) return `${outcomes.map(own).join("")}\n`;
  const equal = groupedBy(outcomes, (outcome) => targetLines(command, outcome, paint, { isShared: true, places: outcome.sources }));
  // Targets with a folder each differ only in the names of files.
  const general = groupedBy(
    equal.flatMap(({ same }) => (same.length === 1 ? same : [])),
    (outcome) => targetLines(command, outcome, paint, { isShared: true, places: sharedPlaces(outcome) }),
  );
  const merged = new Map(
    general.filter(({ same }) => same.length > 1).flatMap((group) => group.same.map((each) => [each, group] as const)),
  );
  const alike = new Set(equal.map((group) => (group.same[0] && merged.get(group.same[0])) ?? group));
  const blocks = [...alike].flatMap(({ lines, same }) => {
    const isShared = same.length >= (lines.length === 1 ? FEW : 2);
    return isShared ? [titled(sharedTitle(same), lines, paint)] : same.map(own);
  });
  return `${blocks.join("\n\n")}\n`;
}

interface AlikeTargets {
  readonly lines: readonly string[];
  readonly same: TargetOutcome[];
}

/** Groups targets with equal lines, in the order of the first of each group. */
function groupedBy(outcomes: readonly TargetOutcome[], linesOf: (outcome: TargetOutcome) => string[]): readonly AlikeTargets[] {
  const groups = new Map<string, AlikeTargets>();
  for (const outcome of outcomes) {
    const lines = linesOf(outcome);
    const key = lines.join("\n");
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { lines, same: [outcome] });
    else known.same.push(outcome);
  }
  return [...groups.values()];
}

function sharedTitle(same: readonly TargetOutcome[]): string {
  // A user who has to fix a failure needs every name.
  const failed = same.some((outcome) => outcome.error !== undefined || refusalsIn(outcome).length > 0);
  const most = failed ? same.length : NAMES;
  const names = same.slice(0, most).map(({ target }) => target);
  const more = same.length > most ? ` and ${same.length - most} more` : "";
  return `${names.join(", ")}${more}: ${count(same.length, "target")}`;
}

function titled(title: string, [verdict, ...lines]: readonly string[], paint: Paint): string {
  return [`${paint("bold", oneLine(title))}  ${verdict}`, ...lines].join("\n");
}

interface Form {
  /** The lines are of several targets, and omit the digest. */
  readonly isShared: boolean;
  readonly places: Places | undefined;
}

/** Returns the verdict, followed by all details of the target. */
function targetLines(command: Command, outcome: TargetOutcome, paint: Paint, form: Form): string[] {
  const lines: string[] = [];
  for (const warning of outcome.warnings) lines.push(`  ${paint("yellow", "warning")} ${warning}`);
  if (outcome.audit !== undefined) lines.push(...auditLines(outcome.audit, paint));
  if (outcome.drift !== undefined) lines.push(...driftLines(outcome.drift, outcome, paint));
  const shown = command === "apply" && outcome.applied !== undefined && outcome.plan?.remaining.length === 0;
  if (outcome.plan !== undefined && outcome.shape !== undefined && !shown)
    lines.push(...planLines(outcome.plan, outcome, outcome.shape, paint, form));
  lines.push(...statusLines(outcome, paint), ...unmanagedLines(outcome, command, paint));
  const note = ledgerNote(outcome);
  if (note !== undefined) lines.push("", `  ${paint("dim", note)}`);
  if (outcome.insight !== undefined) lines.push(...insightLines(outcome.insight, command, paint));
  if (outcome.traffic !== undefined) lines.push(...trafficLines(outcome.traffic, paint));
  lines.push(...assertionLines(outcome, command, paint));
  lines.push(...checkLines(outcome, paint));
  lines.push(...pushLines(outcome.pushed, paint), ...levelLines(outcome, paint), ...firewallLines(outcome.firewalls, paint));
  for (const line of outcome.applied?.lines ?? []) if (!UNREMARKABLE.test(line)) lines.push(`  ${cutText(line)}`);
  const isPrinted = outcome.error?.code === "plan-refused" && refusalsIn(outcome).length > 0;
  if (outcome.error !== undefined && !isPrinted) lines.push(...errorLines(outcome.error, paint));
  return [verdict(command, outcome, paint), ...(lines[0] === "" ? lines.slice(1) : lines)].map(oneLine);
}

function verdict(command: Command, outcome: TargetOutcome, paint: Paint): string {
  if (outcome.watch?.decision === "taken back") return paint("red", "commit rolled back");
  const { applied, audit, error } = outcome;
  const refusals = refusalsIn(outcome);
  const remaining = outcome.plan?.remaining ?? [];
  if (error !== undefined) {
    if (error.severity === "refused" && applied !== undefined && applied.operations > 0)
      return `${paint("red", "refused in part")}  ${paint("dim", appliedSummary(applied, outcome))}`;
    return paint("red", error.severity === "refused" ? "refused" : error.severity === "partial" ? "partly applied" : "error");
  }
  if (audit !== undefined) return auditVerdict(audit, paint);
  const late = notInSync(outcome.firewalls);
  if (applied !== undefined && (applied.operations > 0 || applied.commit === "committed")) {
    return `${paint(remaining.length === 0 && late === undefined ? "green" : "yellow", appliedWord(applied, remaining, late))}  ${paint("dim", appliedSummary(applied, outcome))}`;
  }
  if (refusals.length > 0) return paint("red", `refused: ${[...new Set(refusals.map(({ guard }) => guard))].join(", ")}`);
  return differenceVerdict(command, outcome, paint);
}

function differenceVerdict(command: Command, outcome: TargetOutcome, paint: Paint): string {
  const late = notInSync(outcome.firewalls);
  const changes = command === "drift" ? (outcome.drift?.items.map((item) => item.change) ?? []) : differencesOf(outcome.plan);
  if (changes.length === 0 && late !== undefined && outcome.plan?.commitOnly !== true) return paint("yellow", late);
  if (changes.length === 0 && outcome.plan?.commitOnly) return paint("yellow", "a commit is due");
  if (changes.length === 0)
    return isInSync(outcome) ? paint("green", command === "drift" ? "no drift" : "no changes") : paint("yellow", notInSyncLabel(outcome));
  const summary = paint("yellow", summaryOf(command, changes));
  const note = modeNote(command, outcome);
  return note === "" ? summary : `${summary}  ${paint("dim", note)}`;
}

/** Returns a short label for a target without a difference that is not in sync. */
function notInSyncLabel(outcome: TargetOutcome): string {
  const reasons = reasonsNotInSync(outcome);
  const observed = reasons.filter(({ reason }) => reason === "observed").length;
  if (observed > 0) return `${count(observed, "difference")} only observed`;
  const [first] = reasons;
  if (first?.reason === "no-ledger") return "no differences";
  return first?.reason === "narrowed" ? "nothing differs in the part that was compared" : `not in sync: ${first?.message ?? "unknown"}`;
}

/** Returns lines about reasons that keep the target from being in sync and that no other part of the report shows. */
function statusLines(outcome: TargetOutcome, paint: Paint): string[] {
  const { plan, narrowed, shape } = outcome;
  const { changes, findings } = plan?.observed ?? { changes: [], findings: [] };
  const observed =
    shape === undefined
      ? []
      : sectionsOf(
          changes.map((change) => ({ change })),
          shape,
          outcome.sources,
        );
  const others = reasonsNotInSync(outcome).filter(({ reason }) => reason === "unread" || reason === "undelivered" || reason === "paused");
  return [
    ...(changes.length + findings.length === 0 ? [] : ["", `  ${paint("yellow", "only observed, not written")}`]),
    ...sectionLines(observed, paint),
    ...findings.map(({ kind, message, path }) => `  ${paint("yellow", kind)} ${message} ${paint("dim", path.toString())}`),
    ...others.map(({ reason, message, xpath = "" }) => `  ${paint("yellow", reason)} ${message} ${paint("dim", xpath)}`.trimEnd()),
    ...(narrowed === undefined ? [] : [`  ${paint("yellow", "narrowed")} only ${narrowed} was compared`]),
  ];
}

/** The mode prevents writing, so the report must say that nothing was written. */
function modeNote(command: Command, { mode }: TargetOutcome): string {
  if (mode === undefined || mode === "enforce" || command === "drift") return "";
  return command === "plan" ? `mode ${mode}: reconcile does not write it` : `mode ${mode}: not written`;
}

function appliedWord({ proven }: Applied, remaining: readonly Change[], late: string | undefined): string {
  if (remaining.length > 0) return `applied, ${remainingSummary(remaining)}`;
  if (late !== undefined) return `${proven ? "committed and read back" : "applied"}, ${late}`;
  return proven ? "applied and verified" : "applied";
}

function summaryOf(command: Command, changes: readonly Change[]): string {
  if (command === "drift") return driftSummary(changes);
  return changes.every(isRemaining) ? remainingSummary(changes) : planSummary(changes);
}

function planLines(plan: Plan, outcome: TargetOutcome, shape: Shape, paint: Paint, { isShared, places }: Form): string[] {
  const lines: string[] = [];
  if (plan.meaning.length > 0) {
    lines.push("", `  ${paint("magenta", "changes access")}`);
    for (const change of plan.meaning) lines.push(`  ! ${change.message}`);
  }
  lines.push(
    ...sectionLines(
      sectionsOf(
        differencesOf(plan).map((change) => ({ change })),
        shape,
        places,
      ),
      paint,
    ),
  );
  const findings = fewOfEach(withoutRefusals(plan.findings), ({ kind }) => kind);
  for (const finding of findings.shown)
    lines.push(`  ${paint("yellow", finding.kind)} ${finding.message} ${paint("dim", finding.path.toString())}`);
  for (const [kind, more] of findings.hidden) lines.push(`  ${paint("yellow", kind)} ${more} more like it ${ALL}`);
  if (plan.foreign.length > 0) {
    lines.push("", `  ${paint("yellow", "uncommitted changes of other administrators")}`);
    for (const change of plan.foreign) lines.push(`    ${change.owner} ${change.action.toLowerCase()} ${change.xpath}`);
  }
  if (plan.operations.length > 0 && outcome.applied === undefined) lines.push(...reachLines(plan, outcome.firewalls, paint));
  lines.push(...refusalLines(plan.refusals, outcome, paint));
  if (plan.operations.length > 0 && outcome.applied === undefined) {
    lines.push(
      "",
      `  ${paint("dim", `${count(plan.operations.length, "operation")} in ${count(plan.batches.length, "request")}${commitsOf(plan, outcome)}${isShared ? " on each" : ` · digest ${plan.digest.slice(0, 12)}`}`)}`,
    );
  }
  return lines;
}

/** Writes `TARGET` for the target in names of files, so that targets with a folder each can share a block. */
function sharedPlaces({ sources, target }: TargetOutcome): Places | undefined {
  const general = (part: string): string =>
    part === target || part.startsWith(`${target}.`) ? `TARGET${part.slice(target.length)}` : part;
  return (
    sources && {
      locate: (origin) => {
        const place = sources.locate(origin);
        return place && { ...place, file: place.file.split("/").map(general).join("/") };
      },
    }
  );
}

/** Returns the findings that no refusal repeats: `refuseUnsureGround` makes a refusal of each refusing one. */
function withoutRefusals(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ refuses }) => !refuses);
}

function refusalLines(refusals: readonly Refusal[], outcome: TargetOutcome, paint: Paint): string[] {
  const lines: string[] = [];
  const { shown, hidden } = fewOfEach(refusals, ({ guard }) => guard);
  for (const refusal of shown) {
    lines.push("", `  ${paint("red", "refused")} ${paint("bold", refusal.guard)}  ${refusal.message}`);
    const at = placeAndPath(refusal, outcome);
    if (at !== "") lines.push(`    at ${at}`);
    for (const path of refusal.stops === undefined ? [] : (outcome.plan?.leftOut ?? [])) lines.push(`    omitted: ${path}`);
    if (refusal.allow !== undefined) lines.push(`    to override once: ${refusal.allow}`);
  }
  for (const [guard, more] of hidden) lines.push("", `  ${paint("red", "refused")} ${paint("bold", guard)}  ${more} more like it ${ALL}`);
  return lines;
}

/** Shows the first rows of each kind and counts the others, if this saves more than one line. One cause can produce a hundred rows. */
function fewOfEach<Row>(
  rows: readonly Row[],
  kindOf: (row: Row) => string,
): { readonly shown: readonly Row[]; readonly hidden: readonly (readonly [string, number])[] } {
  const groups = [...groupBy(rows, kindOf)].map(([kind, same]) => ({ kind, same, most: same.length > ALIKE + 1 ? ALIKE : same.length }));
  const kept = new Set(groups.flatMap(({ same, most }) => same.slice(0, most)));
  return {
    shown: rows.filter((row) => kept.has(row)),
    hidden: groups.filter(({ same, most }) => same.length > most).map(({ kind, same, most }) => [kind, same.length - most] as const),
  };
}

function placeAndPath({ origin = -1, path }: Refusal, { sources }: TargetOutcome): string {
  const place = sources?.locate(origin);
  return [place === undefined ? "" : `${place.file}:${place.line}:${place.column}`, path?.toString() ?? ""]
    .filter((part) => part !== "")
    .join(" · ");
}

function driftLines(drift: Drift, outcome: TargetOutcome, paint: Paint): string[] {
  const lines = outcome.shape === undefined ? [] : sectionLines(sectionsOf(drift.items, outcome.shape, outcome.sources), paint, true);
  for (const finding of withoutRefusals(drift.findings))
    lines.push(`  ${paint("yellow", finding.kind)} ${finding.message} ${paint("dim", finding.path.toString())}`);
  lines.push(...refusalLines(drift.refusals ?? [], outcome, paint));
  if (drift.pending.length > 0) {
    const owners = [...new Set(drift.pending.map((change) => change.owner))];
    lines.push("", `  ${paint("yellow", "uncommitted")} ${count(drift.pending.length, "change")} by ${owners.join(", ")}`);
  }
  return lines;
}

function sectionLines(sections: readonly Section[], paint: Paint, attributed = false): string[] {
  return sections.flatMap((section) => {
    const width = Math.min(MAX_NAME, Math.max(...section.items.map((item) => item.name.length)));
    const scope = section.scope === "" ? "" : `  ${paint("dim", section.scope)}`;
    return ["", `  ${paint("bold", section.group)}${scope}`, ...section.items.flatMap((item) => itemLines(item, width, paint, attributed))];
  });
}

function itemLines(item: Item, width: number, paint: Paint, attributed: boolean): string[] {
  const colour = MARK_COLOUR[item.mark] ?? "dim";
  const notes = [attributed ? formatAuthor(item.attribution) : (item.place ?? ""), item.source ?? ""]
    .filter((note) => note !== "")
    .map((note) => paint("dim", note));
  const [first, ...others] = item.details;
  const short = others.length === 0 && first !== undefined;
  const sign = short && first.mark !== item.mark && first.mark !== " " && first.mark !== "~" ? `${first.mark} ` : "";
  const head = [
    paint(colour, `${item.mark} ${item.name.padEnd(width)}`),
    short ? paint(MARK_COLOUR[first.mark] ?? colour, sign + first.text) : "",
    ...notes,
  ];
  const lines = [`  ${head.filter((part) => part !== "").join("  ")}`.trimEnd()];
  if (!short)
    for (const detail of item.details) lines.push(`      ${paint(MARK_COLOUR[detail.mark] ?? "dim", `${detail.mark} ${detail.text}`)}`);
  return lines;
}

function commitsOf(plan: Plan, { hasCommit }: TargetOutcome): string {
  return hasCommit === false ? "" : `, ${count(Math.max(1, plan.commitAfter.length), "commit")}`;
}

function appliedSummary(applied: Applied, { hasCommit }: TargetOutcome): string {
  const done = `${count(applied.operations, "operation")} in ${count(applied.requests, "request")}`;
  if (hasCommit === false) return done;
  const job = applied.job === undefined ? "" : ` as job ${applied.job}`;
  const commit = { committed: `committed${job}`, nothing: "nothing to commit", none: "not committed" }[applied.commit];
  return `${done}, ${commit}`;
}
