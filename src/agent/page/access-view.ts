import { createHash } from "node:crypto";
import type { AccessPass } from "../../engine/access/access-pass.js";
import type { PathAccess } from "../../engine/access/path-access.js";
import type { AccessAnswer, AccessResult, AccessWords } from "../../outcome/access.js";
import { patchLines } from "../../report/access.js";
import { flowText } from "../../report/insight.js";
import { reachLines } from "../../report/reach.js";
import { plain } from "../../report/style.js";
import type { AccessQuestion } from "../access-process.js";
import type { AccessHopView, AccessView } from "./view.js";

/** Maximum number of lines of a list. Designs rarely have more than 15. */
const MOST_LINES = 200;

/** Returns the answer to a single request as the page shows it. Its edit has only the changed lines, because neighbours may be secret. */
export function accessView(pass: AccessPass, question: AccessQuestion, commit: string, canPropose: boolean): AccessView {
  const { outcome, result } = pass;
  const answer = result?.answers[0];
  if (outcome.error !== undefined) throw outcome.error;
  if (result === undefined || answer === undefined) throw new Error("a pass without an error has an answer");
  return {
    ...answerView(outcome.target, answer),
    ...editView(answer.state, result, question),
    commit,
    hops: [],
    chosen: answer.designs.length === 0 ? 0 : question.choose,
    warnings: outcome.warnings,
    canPropose,
  };
}

/** Returns the answer to a request about the path of a flow. The first design of each target is used. */
export function pathAccessView(found: PathAccess, question: AccessQuestion, commit: string, canPropose: boolean): AccessView {
  const { answers, outcomes, passes } = found;
  const [answer] = answers;
  for (const { outcome } of passes) if (outcome.error !== undefined) throw outcome.error;
  if (answer === undefined) throw new Error("a request has an answer");
  const { request, state, hops, reasons, notes } = answer;
  const warnings = [...outcomes, ...passes.map(({ outcome }) => outcome)].flatMap((outcome) => outcome.warnings);
  return {
    target: "",
    request: requestView(request),
    scope: "",
    state,
    now: [],
    designs: [],
    hops: hops.map((hop) => answerView(hop.target, hop)),
    reasons,
    notes,
    ...editView(state, found, question),
    commit,
    chosen: state === "designed" ? 1 : 0,
    warnings: [...new Set(warnings)],
    canPropose,
  };
}

function answerView(target: string, { request, scope = "", state, now, designs, reasons, notes }: AccessAnswer): AccessHopView {
  return {
    target,
    request: requestView(request),
    scope,
    state,
    now: now === undefined ? [] : limited(reachLines({ ...now, beside: [] }, plain).slice(1)),
    designs: designs.map(({ summary, isPartial, excess, notes: more }) => {
      return { summary, isPartial, excess: limited(excess.map(flowText)), notes: more };
    }),
    reasons: state === "refused" ? reasons : [],
    notes: notes.filter((text) => now?.doubts.includes(text) !== true),
  };
}

function requestView({ fromZone = "", toZone = "", ...request }: AccessWords): AccessView["request"] {
  return { ...request, fromZone, toZone };
}

function editView(
  state: AccessAnswer["state"],
  { files, faults }: Pick<AccessResult, "files" | "faults">,
  question: AccessQuestion,
): Pick<AccessView, "files" | "faults" | "digest"> {
  return {
    files: files.map((each) => ({ file: each.file, lines: limited(patchLines(each, 0)) })),
    faults,
    digest: state === "designed" ? digestOf(files, question) : "",
  };
}

/** Identifies the edit that the user saw. Empty if there is none. */
function digestOf(files: AccessResult["files"], { target = "", reason, until }: AccessQuestion): string {
  if (files.length === 0) return "";
  return createHash("sha256")
    .update(JSON.stringify([target, reason, until, files]))
    .digest("hex");
}

function limited(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];
}
