import type { AccessWords, FileEdit } from "../../outcome/access.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { RevokeHop } from "../../outcome/revoke.js";
import { type Hop, isStopped } from "../../outcome/whole-path.js";
import type { Part } from "../../reachability/questions/whole-path.js";
import { forwardingParts } from "../pass/answer-question.js";
import type { PassOptions, Readers } from "../pass/options.js";
import type { AccessTools } from "./edit-plan.js";
import { follow, requestAt } from "./path-access.js";
import { type RevokePass, type RevokeWish, revokePass } from "./revoke-pass.js";

/** Answers of all targets on the path of a flow, and the edit of their documents. */
export interface PathRevocation {
  readonly request: AccessWords;
  /** `refused`: one target refuses, or the path is not certain. */
  readonly state: RevokeHop["state"];
  /** In the order of the path. Empty if the path is not certain. */
  readonly hops: readonly RevokeHop[];
  /** Reasons for a refusal that belong to no target. */
  readonly reasons: readonly string[];
  /** Empty if one target refuses: the documents of all targets are edited together or not at all. */
  readonly files: readonly FileEdit[];
  readonly faults: readonly string[];
  /** Outcomes of the targets that were read. */
  readonly outcomes: readonly TargetOutcome[];
  readonly passes: readonly RevokePass[];
}

/** Follows a flow through all targets, and closes it on each target that allows it. Writes nothing. */
export async function revokeOnPath(
  options: PassOptions,
  readers: Readers,
  wish: Pick<RevokeWish, "request" | "note" | "acceptExcess">,
  tools: AccessTools,
): Promise<PathRevocation> {
  const { request } = wish;
  const applications = request.application === "any" ? [] : [request.application];
  const { parts, outcomes } = await forwardingParts(options, readers, "running", applications);
  const unread = outcomes.filter(({ error }) => error !== undefined).map(({ target }) => target);
  const { path, reasons } = follow(request, parts, unread);
  const none = { request, hops: [], files: [], faults: [], outcomes, passes: [] };
  if (path === undefined) return { ...none, state: "refused", reasons };
  const twice = path.hops.find((hop, at) => path.hops.findIndex(({ target }) => target === hop.target) < at);
  if (twice !== undefined)
    return {
      ...none,
      state: "refused",
      reasons: [`The flow crosses ${twice.target} twice. Name the target, and --scope for each of its rulebases.`],
    };
  const kinds = new Map(outcomes.map(({ target, kind }) => [target, kind]));
  const passes: RevokePass[] = [];
  const hops: RevokeHop[] = [];
  const ruled = path.hops.filter(({ checks }) => checks.length > 0);
  if (ruled.length === 0) return { ...none, state: "refused", reasons: ["No target on the path has rules for the flow."] };
  for (const hop of ruled) {
    // Also targets that stop the flow now: their documents may allow it after the next apply.
    const canEdit = hop.flow.source !== undefined && tools.designer(kinds.get(hop.target) ?? "") !== undefined;
    const pass = canEdit ? await passAt(hop) : undefined;
    if (pass !== undefined) passes.push(pass);
    hops.push({ target: hop.target, ...(pass === undefined ? withoutDesign(hop, request) : (pass.result ?? unanswered(hop, request))) });
  }
  const faults = hops.flatMap((hop) => hop.faults.map((text) => `${hop.target}: ${text}`));
  const state = hops.some((hop) => hop.state === "refused")
    ? "refused"
    : hops.some((hop) => hop.state === "designed")
      ? "designed"
      : "denied";
  const known = { ...none, hops, passes, reasons: [] };
  const isEdited = hops.every((hop) => hop.state !== "designed" || hop.files.length > 0);
  if (state !== "designed" || faults.length > 0 || !isEdited) return { ...known, state, faults };
  const still = stillOpen(hops, request, [
    ...parts.filter(({ target }) => passes.every((pass) => pass.outcome.target !== target)),
    ...passes.flatMap((pass) => pass.partsAfter()),
  ]);
  return { ...known, state, faults: still, files: still.length > 0 ? [] : hops.flatMap(({ files }) => files) };

  async function passAt(hop: Hop): Promise<RevokePass> {
    const { scope, ...words } = requestAt(hop, request);
    const here = { ...options, selection: { ...options.selection, targets: [hop.target] } };
    return await revokePass(here, readers, { ...wish, request: words, scope, choose: 1 }, tools);
  }
}

/** Answer of a target that cannot be edited. */
function withoutDesign(hop: Hop, words: AccessWords): Omit<RevokeHop, "target"> {
  const known = answerAt(hop, words);
  const pending = `Pending changes of ${hop.target} were not checked.`;
  if (hop.checks.some(isStopped)) return { ...known, state: "denied", reasons: [], notes: [pending] };
  const why = hop.flow.source === undefined ? "the source address there is not known" : "its rules are not designed";
  return { ...known, state: "refused", reasons: [`${hop.target} lets the flow through, and ${why}.`] };
}

function unanswered(hop: Hop, words: AccessWords): Omit<RevokeHop, "target"> {
  return { ...answerAt(hop, words), state: "refused", reasons: [`${hop.target} was not answered.`] };
}

function answerAt(hop: Hop, words: AccessWords): Omit<RevokeHop, "target" | "state" | "reasons"> {
  const { scope, ...request } = requestAt(hop, words);
  const now = { scope: hop.scope, answers: hop.checks.flat(), doubts: hop.doubts, beside: [] };
  return { request, scope, now, designs: [], notes: [], files: [], faults: [], atApply: [] };
}

/** Follows the flow again, with all edits. Returns the edited targets whose rules would not stop it. */
function stillOpen(hops: readonly RevokeHop[], words: AccessWords, parts: readonly Part[]): string[] {
  const { path, reasons } = follow(words, parts, []);
  if (path === undefined) return reasons.map((text) => `After the edits and pending changes, the path is not certain: ${text}`);
  const edited = new Set(hops.filter(({ files }) => files.length > 0).map(({ target }) => target));
  return path.hops
    .filter(({ target, checks }) => edited.has(target) && !checks.some(isStopped))
    .map(({ target }) => `${target} would still let the flow through after the edits.`);
}
