import { createHash } from "node:crypto";
import type { AccessPass } from "../../engine/access/access-pass.js";
import type { AccessAnswer, AccessResult } from "../../outcome/access.js";
import { patchLines } from "../../report/access.js";
import { flowText } from "../../report/insight.js";
import { reachLines } from "../../report/reach.js";
import { plain } from "../../report/style.js";
import type { AccessQuestion } from "../access-process.js";
import type { AccessView } from "./view.js";

/** Maximum number of lines of a list. Designs rarely have more than 15. */
const MOST_LINES = 200;

/** Returns the answer to a single request as the page shows it. Its edit has only the changed lines, because neighbours may be secret. */
export function accessView(pass: AccessPass, question: AccessQuestion, commit: string, canPropose: boolean): AccessView {
  const { outcome, result } = pass;
  const answer = result?.answers[0];
  if (outcome.error !== undefined) throw outcome.error;
  if (result === undefined || answer === undefined) throw new Error("a pass without an error has an answer");
  const { request, scope = "", state, now, designs, reasons, notes } = answer;
  const { files, faults } = result;
  return {
    target: outcome.target,
    commit,
    request: { ...request, fromZone: request.fromZone ?? "", toZone: request.toZone ?? "" },
    scope,
    state,
    now: now === undefined ? [] : limited(reachLines({ ...now, beside: [] }, plain).slice(1)),
    designs: designs.map(({ summary, isPartial, excess, notes: more }) => {
      return { summary, isPartial, excess: limited(excess.map(flowText)), notes: more };
    }),
    chosen: designs.length === 0 ? 0 : question.choose,
    files: files.map((each) => ({ file: each.file, lines: limited(patchLines(each, 0)) })),
    reasons: state === "refused" ? reasons : [],
    faults,
    notes: notes.filter((text) => now?.doubts.includes(text) !== true),
    warnings: outcome.warnings,
    digest: digestOf(answer, result, question),
    canPropose,
  };
}

/** Identifies the edit that the user saw. Empty if there is none. */
function digestOf({ state }: AccessAnswer, { files }: AccessResult, { target, reason, until }: AccessQuestion): string {
  if (state !== "designed" || files.length === 0) return "";
  return createHash("sha256")
    .update(JSON.stringify([target, reason, until, files]))
    .digest("hex");
}

function limited(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];
}
