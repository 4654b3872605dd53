import type { RevokeHop, RevokeResult } from "../outcome/revoke.js";
import { fileLines, requestText } from "./access.js";
import { count } from "./format-counts.js";
import { flowText } from "./insight.js";
import { reachLines } from "./reach.js";
import type { Paint } from "./style.js";

/** Maximum number of flows outside a request that are printed. */
const MOST_FLOWS = 6;

const STATES = {
  denied: ["green", "already denied"],
  designed: ["cyan", "can pass now"],
  refused: ["red", "refused"],
} as const;

/** Returns the answer and the edit of the documents, for a terminal. */
export function revokeLines(
  { request, state, now, designs, reasons, notes, faults, atApply, files }: RevokeResult,
  chosen: number,
  paint: Paint,
): string[] {
  const [colour, text] = STATES[state];
  return [
    `  ${requestText(request)}: ${paint(colour, text)}`,
    ...(now === undefined ? [] : reachLines({ ...now, beside: [] }, paint).map((line) => `  ${line}`)),
    ...designs.flatMap((design, at) => designLines(design, at + 1, chosen, paint)),
    ...reasons.map((reason) => `  ${paint("red", "because")} ${reason}`),
    ...notes.map((note) => `  ${paint("yellow", "note")} ${note}`),
    ...faults.map((fault) => `  ${paint("red", "refused")} ${fault}`),
    ...atApply.map((refusal) => `  ${paint("yellow", "at apply")} ${refusal}`),
    ...files.flatMap((file) => fileLines(file, paint)),
  ];
}

/** Returns the answers of the targets on the path of a flow, and the edit of their documents. */
export function pathRevokeLines({ request, state, hops, reasons, faults, files }: PathRevocation, paint: Paint): string[] {
  const [colour, text] = STATES[state];
  return [
    `${requestText(request)}: ${paint(colour, text)}`,
    ...hops.flatMap((hop) => [paint("bold", hop.target), ...revokeLines({ ...hop, faults: [], files: [] }, 1, paint)]),
    ...reasons.map((reason) => `  ${paint("red", "because")} ${reason}`),
    ...faults.map((fault) => `  ${paint("red", "refused")} ${fault}`),
    ...files.flatMap((file) => fileLines(file, paint)),
  ];
}

interface PathRevocation extends Pick<RevokeResult, "request" | "state" | "reasons" | "files" | "faults"> {
  readonly hops: readonly RevokeHop[];
}

function designLines({ steps, excess }: RevokeResult["designs"][number], number: number, chosen: number, paint: Paint): string[] {
  const [first = "", ...others] = steps;
  const more = excess.length - MOST_FLOWS;
  return [
    `  ${paint("bold", `${number === chosen ? "*" : " "} ${number}`)} ${first}`,
    ...others.map((step) => `      ${step}`),
    ...(excess.length === 0 ? ["      closes exactly the request"] : [`      ${paint("yellow", "also closes")}`]),
    ...excess.slice(0, MOST_FLOWS).map((flow) => `        ${flowText(flow)}`),
    ...(more > 0 ? [`        and ${count(more, "more set")} of flows`] : []),
  ];
}
