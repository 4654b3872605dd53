import type { PathRevocation } from "../../engine/access/revoke-path.js";
import type { TargetContext } from "../../engine/pass/context.js";
import type { RevokeHop, RevokeResult } from "../../outcome/revoke.js";
import { requestText } from "../../report/access.js";
import { flowText } from "../../report/insight.js";
import { codeSpan, prose } from "../../report/markdown/text.js";
import type { CodeHost } from "../host.js";
import { type EditProposed, proposeEdit, withoutMarkup } from "./propose-edit.js";

export interface RevokeProposal {
  readonly context: TargetContext;
  readonly result: RevokeResult;
  readonly note: string;
  /** Number of the used design, from 1. */
  readonly chosen: number;
  readonly host: CodeHost | undefined;
  readonly base: string | undefined;
  /** More lines for the text, for example about logged sessions. */
  readonly evidence: readonly string[];
}

/** Maximum number of flows and of lines of evidence in the text of a pull request. */
const SHOWN = 30;

/** Returns the answers of all targets on a path as one result, with the designs of all targets as one. */
export function revocationOfPath({ request, state, hops, files }: PathRevocation): RevokeResult {
  const used = hops.flatMap(({ target, designs }) => designs.slice(0, 1).map((design) => ({ target, design })));
  const named = (of: (hop: RevokeHop) => readonly string[]) => hops.flatMap((hop) => of(hop).map((text) => `${hop.target}: ${text}`));
  const steps = used.flatMap(({ target, design }) => design.steps.map((step) => `${target}: ${step}`));
  const design = { steps, excess: used.flatMap((each) => each.design.excess) };
  const [notes, atApply] = [named((hop) => hop.notes), named((hop) => hop.atApply)];
  return { request, scope: undefined, state, now: undefined, designs: [design], reasons: [], notes, files, faults: [], atApply };
}

/** Proposes the edit that closes the flows of a request. */
export async function proposeRevoke({ context, result, note, chosen, host, base, evidence }: RevokeProposal): Promise<EditProposed> {
  const { request, designs, files, now, notes, atApply } = result;
  const design = designs[chosen - 1] ?? { steps: [], excess: [] };
  const { from, to, service, application } = request;
  const rules = [...new Set((now?.answers ?? []).map(({ rule, verdict }) => `${verdict} by ${rule}`))];
  const body = [
    `Reason: ${prose(note, 400)}`,
    "",
    `- ${codeSpan(requestText(request))}`,
    ...(rules.length === 0 ? [] : [`- before: ${rules.map(codeSpan).join(", ")}`]),
    ...design.steps.map((step) => `- ${codeSpan(step)}`),
    ...notes.map((text) => `- ${prose(text, 300)}`),
    "",
    design.excess.length === 0
      ? "The plan of this commit closes exactly the requested flows, and opens no other."
      : "**This edit closes more than the request:**",
    ...design.excess.slice(0, SHOWN).map((flow) => `- ${codeSpan(flowText(flow))}`),
    ...atApply.map((text) => `\nAt apply: ${prose(text, 400)}`),
    ...(evidence.length === 0 ? [] : ["", "```", ...evidence.slice(0, SHOWN).map((line) => line.replaceAll("`", "'")), "```"]),
  ].join("\n");
  return await proposeEdit({
    context,
    kind: "revoke",
    files,
    key: note,
    title: withoutMarkup(`Revoke ${from} > ${to} ${service} ${application}`),
    message: [withoutMarkup(note), "", ...design.steps.map((step) => `- ${withoutMarkup(step)}`)],
    body,
    host,
    base,
  });
}
