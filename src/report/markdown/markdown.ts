import { reasonsNotInSync } from "../../outcome/in-sync.js";
import type { Command, TargetOutcome } from "../../outcome/outcome.js";
import { unsettled } from "../assertions.js";
import { count } from "../format-counts.js";
import { unmanagedMarkdown } from "../unmanaged.js";
import { changesIn, renderFold } from "./block.js";
import { foldsOf } from "./folds.js";
import { listed } from "./names.js";
import { noticesOf } from "./notes.js";

/** Maximum length of a comment. Code hosts refuse longer ones (GitHub: 65,536). */
const LIMIT = 60_000;
/** Maximum length of errors, refusals and changes of meaning. They come first and leave the other half to the changes. */
const NOTICES = LIMIT / 2;
/** Reserved for the lines about targets without changes and about omitted changes. */
const TAIL = 3_000;
/** Size that each of many folds may take until the space is used up. */
const FAIR = 2_000;

/**
 * Renders a comment for a pull request: one line if there are no changes. Otherwise the important notices, followed by a fold for each set
 * of targets with the same changes. At most 60,000 characters; omitted changes are counted.
 */
export function renderMarkdown(command: Command, outcomes: readonly TargetOutcome[]): string {
  const quiet = outcomes.filter((outcome) => isQuiet(outcome));
  const loud = outcomes.filter((outcome) => !isQuiet(outcome));
  const unknown = quiet.filter(({ lacksLedger }) => lacksLedger === "missing");
  const nothing = unknown.length > 0 ? "differences" : command === "drift" ? "drift" : "changes";
  const deletions = unknown.length === 0 ? "" : " Deletions are unknown until you run `plumbline adopt`.";
  const omitted = outcomes[0]?.targetsOmitted ?? 0;
  const rest = omitted === 0 ? "" : ` ${count(omitted, "other target")} not compared.`;
  const unmanaged = unmanagedMarkdown(command, outcomes);
  if (loud.length === 0) {
    const line = `**Plumbline ${command}**: no ${nothing} on ${count(outcomes.length, "target")}.${deletions}${rest}\n`;
    return unmanaged === "" ? line : `${line}\n${unmanaged}\n`;
  }

  const parts = [`### Plumbline ${command}\n`];
  const notices = noticesShown(loud, command);
  if (notices !== "") parts.push(notices);
  let room = LIMIT - TAIL - parts.join("\n").length - unmanaged.length;
  let hidden = 0;
  const folds = foldsOf(loud);
  for (const [i, fold] of folds.entries()) {
    const share = Math.max(FAIR, Math.floor(room / (folds.length - i)));
    const shown = renderFold(command, fold, folds.length === 1, Math.min(room, share));
    hidden += shown === undefined ? changesIn(fold) : shown.hidden;
    if (shown === undefined) continue;
    parts.push(shown.text);
    room -= shown.text.length + 1;
  }
  if (quiet.length > 0) parts.push(`No ${nothing}: ${listed(quiet.map(({ target }) => target))}.${deletions}\n`);
  if (rest !== "") parts.push(`${rest.trim()}\n`);
  if (unmanaged !== "") parts.push(`${unmanaged}\n`);
  if (hidden > 0)
    parts.push(
      `**${hidden.toLocaleString("en")} ${hidden === 1 ? "change is" : "changes are"} not shown here**, since the comment would grow too long: see the whole report in the job's output (\`plumbline ${command}\`).\n`,
    );
  return `${parts.join("\n").trimEnd()}\n`;
}

function noticesShown(outcomes: readonly TargetOutcome[], command: Command): string {
  const lines = noticesOf(outcomes, command);
  let text = "";
  let left = 0;
  for (const line of lines) {
    if (text.length + line.length > NOTICES) left++;
    else text += `${line}\n`;
  }
  return left === 0 ? text : `${text}- … and ${left.toLocaleString("en")} more of these, in the job's output\n`;
}

/** Returns whether one line is enough for the target. A missing ledger has its own sentence. */
function isQuiet(outcome: TargetOutcome): boolean {
  const wrote = (outcome.applied?.operations ?? 0) > 0;
  return reasonsNotInSync(outcome).every(({ reason }) => reason === "no-ledger") && !wrote && unsettled(outcome).length === 0;
}
