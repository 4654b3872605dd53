import { formatWhere } from "../errors.js";
import { type Command, isPending, type TargetOutcome } from "../outcome.js";
import { type Item, type Section, sectionsOf } from "./sections.js";
import { byWhom, count, driftSummary, planSummary, targetTitle } from "./words.js";

/** Code hosts refuse longer comments (GitHub: 65,536); we stay below. */
const LIMIT = 60_000;

/** A pull request comment: one line when nothing changes, else a fold a group of targets with the same changes. */
export function renderMarkdown(command: Command, outcomes: readonly TargetOutcome[]): string {
  const quiet = outcomes.filter((outcome) => isQuiet(outcome));
  const loud = outcomes.filter((outcome) => !isQuiet(outcome));
  const what = command === "drift" ? "drift" : "plan";
  if (loud.length === 0)
    return `**Plumbline ${what}**: no ${command === "drift" ? "drift" : "changes"} on ${count(outcomes.length, "target")}.\n`;

  const groups = new Map<string, TargetOutcome[]>();
  for (const outcome of loud) {
    const body = bodyOf(outcome);
    groups.set(body, [...(groups.get(body) ?? []), outcome]);
  }
  const head = [`### Plumbline ${what}`, ""];
  const tail =
    quiet.length > 0
      ? ["", `No ${command === "drift" ? "drift" : "changes"}: ${quiet.map((outcome) => code(outcome.target)).join(", ")}.`]
      : [];
  let room = LIMIT - [...head, ...tail].join("\n").length - 200 * groups.size;
  const folds: string[] = [];
  for (const [body, members] of groups) {
    const first = members[0];
    if (first === undefined) continue;
    const names =
      members.length === 1
        ? targetTitle(first)
        : `${members.map((outcome) => outcome.target).join(", ")} (${members.length} targets, the same changes)`;
    const shown = body.length <= room ? body : `${cut(body, Math.max(0, room))}\n\n… cut here; the whole report is in the job's output.`;
    room -= shown.length;
    folds.push(
      `<details${groups.size === 1 ? " open" : ""}><summary><b>${escapeHtml(names)}</b>: ${escapeHtml(summary(command, first))}</summary>`,
      "",
      shown,
      "",
      "</details>",
      "",
    );
  }
  return `${[...head, ...folds, ...tail].join("\n").trimEnd()}\n`;
}

function isQuiet(outcome: TargetOutcome): boolean {
  const refused = (outcome.plan?.refusals.length ?? 0) > 0;
  const wrote = (outcome.applied?.operations ?? 0) > 0;
  return outcome.error === undefined && !refused && !wrote && !isPending(outcome);
}

function summary(command: Command, outcome: TargetOutcome): string {
  if (outcome.error !== undefined) return `${outcome.error.severity}: ${outcome.error.message.split("\n")[0] ?? ""}`;
  const words =
    command === "drift" ? driftSummary(outcome.drift?.items.map((item) => item.change) ?? []) : planSummary(outcome.plan?.changes ?? []);
  const refused = outcome.plan?.refusals.map((refusal) => refusal.guard) ?? [];
  const commit = outcome.plan?.commitOnly ? "a commit is due" : "";
  return [words, commit, refused.length > 0 ? `refused: ${refused.join(", ")}` : ""].filter((part) => part !== "").join(" · ");
}

/** Cuts between lines and closes an open code block. */
function cut(text: string, room: number): string {
  const kept = text.slice(0, Math.max(0, text.lastIndexOf("\n", room)));
  return (kept.match(/^```/gm)?.length ?? 0) % 2 === 1 ? `${kept}\n\`\`\`` : kept;
}

function bodyOf(outcome: TargetOutcome): string {
  const lines: string[] = [];
  const { error, plan, drift, shape } = outcome;
  if (error !== undefined) {
    lines.push(
      `**${error.severity}** ${escapeMarkdown(error.message)} (${code(error.code)})`,
      "",
      formatWhere(error.where),
      error.next ?? "",
      "",
    );
  }
  for (const change of plan?.meaning ?? []) lines.push(`- ⚠️ **changes what is permitted:** ${escapeMarkdown(change.message)}`);
  for (const refusal of plan?.refusals ?? []) {
    lines.push(
      `- ⛔ **${refusal.guard}**: ${escapeMarkdown(refusal.message)}${refusal.allow === undefined ? "" : ` To let it pass once: ${code(refusal.allow)}`}`,
    );
  }
  const changes = drift !== undefined ? drift.items : (plan?.changes ?? []).map((change) => ({ change }));
  if (shape !== undefined)
    for (const section of sectionsOf(changes, shape, outcome.sources)) lines.push("", ...sectionLines(section, drift !== undefined));
  for (const finding of [...(plan?.findings ?? []), ...(drift?.findings ?? [])])
    lines.push(`- **${finding.kind}** ${escapeMarkdown(finding.message)} ${code(finding.path.toString())}`);
  return lines.join("\n").trim();
}

function sectionLines(section: Section, attributed: boolean): string[] {
  return [
    `**${escapeMarkdown(section.group)}** ${section.scope === "" ? "" : code(section.scope)}`.trimEnd(),
    "```diff",
    ...section.items.flatMap((item) => itemLines(item, attributed)),
    "```",
  ];
}

/** `diff` blocks colour lines that begin with + or -; `!` marks a change. */
function itemLines(item: Item, attributed: boolean): string[] {
  const mark = item.mark === "~" || item.mark === ">" ? "!" : item.mark;
  const note = [attributed ? byWhom(item.attribution) : "", item.source ?? ""].filter((part) => part !== "").join(", ");
  const head = `${mark} ${item.name}${note === "" ? "" : `   # ${note}`}`;
  return [head, ...item.details.map((detail) => `${detail.mark === "~" ? "!" : detail.mark}     ${detail.text}`)].map((line) =>
    line.replaceAll("```", "'''"),
  );
}

function code(text: string): string {
  return text.includes("`") ? `<code>${escapeHtml(text)}</code>` : `\`${text}\``;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function escapeMarkdown(text: string): string {
  return escapeHtml(text).replace(/[\\`*_[\]|]/g, (character) => `\\${character}`);
}
