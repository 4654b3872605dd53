import type { TargetContext } from "../../engine/pass/context.js";
import type { AccessAnswer, AccessDesign, AccessResult, AccessWords, PathAnswer } from "../../outcome/access.js";
import { codeSpan, prose } from "../../report/markdown/text.js";
import type { CodeHost } from "../host.js";
import { type EditProposed, proposeEdit, withoutMarkup } from "./propose-edit.js";

export interface AccessProposal {
  readonly context: TargetContext;
  readonly result: AccessResult;
  readonly note: string;
  /** Number of the used design of a single request, from 1. */
  readonly chosen: number;
  /** Undefined: creates a local branch and no pull request. */
  readonly host: CodeHost | undefined;
  /** Target branch. Undefined: the branch that is checked out. */
  readonly base: string | undefined;
}

/** Maximum number of requests in the text of a pull request. */
const SHOWN = 50;

/** Proposes the edit that the designs of access requests make. */
export async function proposeAccess(proposal: AccessProposal): Promise<EditProposed> {
  const { context, result, note, host, base } = proposal;
  const texts = { title: titleOf(proposal), message: plainLines(proposal), body: bodyOf(proposal) };
  return await proposeEdit({ context, kind: "allow", files: result.files, key: note, ...texts, host, base });
}

/** Returns the answer to a request about a path as one answer, with the designs of all targets as one. */
export function answerOfPath({ request, state, hops, reasons, notes }: PathAnswer): AccessAnswer {
  const used = hops.flatMap(({ target, designs }) => designs.slice(0, 1).map((design) => ({ target, design })));
  const design: AccessDesign = {
    summary: used.map(({ target, design: { summary } }) => `${target}: ${summary}`).join("; "),
    isPartial: used.some((each) => each.design.isPartial),
    excess: used.flatMap((each) => each.design.excess),
    notes: [...used.flatMap((each) => each.design.notes), ...notes],
  };
  return { request, scope: undefined, state, now: undefined, designs: used.length === 0 ? [] : [design], reasons, notes };
}

function designed({ result }: AccessProposal): readonly AccessAnswer[] {
  return result.answers.filter(({ state }) => state === "designed");
}

function titleOf(proposal: AccessProposal): string {
  const [first, ...others] = designed(proposal);
  const what = first === undefined ? "" : plainText(first.request);
  return others.length === 0 ? `Allow ${what}` : `Allow ${others.length + 1} access requests on ${withoutMarkup(proposal.context.name)}`;
}

function plainLines(proposal: AccessProposal): string[] {
  const answers = designed(proposal);
  const lines = answers.slice(0, SHOWN).map((answer) => `- ${plainText(answer.request)}: ${withoutMarkup(summaryOf(answer, proposal))}`);
  const more = answers.length > SHOWN ? [`- and ${answers.length - SHOWN} more`] : [];
  return [withoutMarkup(proposal.note), "", ...lines, ...more];
}

/** The design that the edit uses. */
function usedDesign({ designs }: AccessAnswer, { chosen, result }: AccessProposal): AccessDesign | undefined {
  return designs[result.answers.length === 1 ? chosen - 1 : 0];
}

function summaryOf(answer: AccessAnswer, proposal: AccessProposal): string {
  return usedDesign(answer, proposal)?.summary ?? "";
}

/** Returns what the edit opens, as far as the proof of each design states it. */
function effectOf(used: readonly AccessDesign[]): string {
  if (used.some(({ excess }) => excess.length > 0)) return "**This edit opens more than the request.**";
  return used.some(({ isPartial }) => isPartial)
    ? "The plan of this commit opens only requested flows, and closes none. Other rules may still deny some of them."
    : "The plan of this commit opens exactly the requested flows, and closes none.";
}

/** Question, current answer, design, difference and alternatives. */
function bodyOf(proposal: AccessProposal): string {
  const answers = designed(proposal);
  const single = answers.length === 1 ? answers[0] : undefined;
  const out = [`Reason: ${prose(proposal.note, 400)}`, ""];
  for (const answer of answers.slice(0, SHOWN)) {
    out.push(`- ${codeSpan(requestText(answer.request))}`, `  - edit: ${codeSpan(summaryOf(answer, proposal))}`);
    const rules = [...new Set((answer.now?.answers ?? []).map(({ rule, verdict }) => `${verdict} by ${rule}`))];
    if (single !== undefined) out.push(`  - now: ${rules.map(codeSpan).join(", ")}`);
  }
  if (answers.length > SHOWN) out.push(`- and ${answers.length - SHOWN} more`);
  const used = answers.flatMap((answer) => usedDesign(answer, proposal) ?? []);
  const chosen = single === undefined ? undefined : used[0];
  out.push("", effectOf(used));
  for (const text of chosen?.notes ?? []) out.push(`- ${prose(text, 300)}`);
  const others = single === undefined ? [] : single.designs.filter((design) => design !== chosen);
  if (others.length > 0) {
    out.push("", "Alternatives:", "");
    for (const { summary, excess } of others)
      out.push(`- ${codeSpan(summary)}: ${excess.length === 0 ? "exact" : "opens more than the request"}`);
  }
  return out.join("\n");
}

function requestText({ from, to, service, application, user, fromZone, toZone }: AccessWords): string {
  const end = (text: string, zone: string | undefined) => (zone === undefined ? text : `${text} (${zone})`);
  return `${end(from, fromZone)} > ${end(to, toZone)} ${service} ${application}${user === undefined ? "" : ` user ${user}`}`;
}

function plainText({ from, to, service, application, user }: AccessWords): string {
  const words = [from, ">", to, service, application, ...(user === undefined ? [] : ["user", user])];
  return words.map((word) => (word === ">" ? word : withoutMarkup(word))).join(" ");
}
