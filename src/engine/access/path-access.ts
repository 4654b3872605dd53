import type { AccessAnswer, AccessResult, AccessWords, FileEdit, PathAnswer, PathHopAnswer } from "../../outcome/access.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import { type Hop, isPassed, isStopped, type WholePath } from "../../outcome/whole-path.js";
import { NoSinglePath, singlePath } from "../../reachability/questions/single-path.js";
import type { Part } from "../../reachability/questions/whole-path.js";
import { forwardingParts } from "../pass/answer-question.js";
import type { PassOptions, Readers } from "../pass/options.js";
import { type AccessPass, type AccessQuestion, accessPass } from "./access-pass.js";
import type { TargetRequest } from "./answer-requests.js";
import type { AccessTools } from "./edit-plan.js";

/** Requests whose targets are found from the paths of their flows. */
export type PathQuestion = Pick<AccessQuestion, "note" | "acceptExcess"> & { readonly requests: readonly AccessWords[] };

/** Answers of all targets on the paths, and the edit of their documents. */
export interface PathAccess {
  readonly answers: readonly PathAnswer[];
  /** Empty if one request was refused: the documents of all targets are edited together or not at all. */
  readonly files: readonly FileEdit[];
  readonly faults: readonly string[];
  /** Outcomes of the targets that were read. */
  readonly outcomes: readonly TargetOutcome[];
  /** The passes of the targets whose rules can be edited. */
  readonly passes: readonly AccessPass[];
}

/** The path of one request, or the reason why it is refused. */
interface Followed {
  readonly words: AccessWords;
  readonly path: WholePath | undefined;
  readonly reasons: readonly string[];
}

/**
 * Follows each request through all targets, and designs an edit for each target that stops its flow. Documents of several targets are edited
 * together, after the path with all edits is followed again. Writes nothing.
 */
export async function accessOnPaths(
  options: PassOptions,
  readers: Readers,
  question: PathQuestion,
  tools: AccessTools,
): Promise<PathAccess> {
  const applications = [...new Set(question.requests.map(({ application }) => application))].filter((each) => each !== "any");
  const { parts, outcomes } = await forwardingParts(options, readers, "running", applications);
  const unread = outcomes.filter(({ error }) => error !== undefined).map(({ target }) => target);
  const followed = question.requests.map((words) => follow(words, parts, unread));
  const needsDesign = await designedHops(outcomes, tools);
  const passing = { options, readers, question, tools };
  const own = await passesFor(passing, requestsAt(followed, needsDesign));
  const answered = answersOf(followed, own, needsDesign);
  const byManagers = await passesFor(passing, managerRequests(answered));
  const passes = [...own, ...byManagers];
  const serials = new Map(own.map(({ outcome }) => [outcome.target, outcome.identity?.serial]));
  const answers = withManagers(answered, byManagers, serials);
  const none = { answers, files: [], outcomes, passes };
  const failed = passes.filter(({ outcome }) => outcome.error !== undefined);
  const faults = passes.flatMap(({ outcome, result }) => (result?.faults ?? []).map((text) => `${outcome.target}: ${text}`));
  const isUsable = passes.every(({ result }) => isEdited(result));
  if (failed.length > 0 || faults.length > 0 || !isUsable || answers.some(({ state }) => state === "refused")) return { ...none, faults };
  const edited = new Set(passes.map(({ outcome }) => outcome.target));
  const after = [...parts.filter(({ target }) => !edited.has(target)), ...passes.flatMap((pass) => pass.partsAfter())];
  const missed = followed.flatMap((each, at) => stillStopped(each, after, answers[at]?.hops ?? []));
  if (missed.length > 0) return { ...none, faults: missed };
  return { ...none, files: passes.flatMap(({ result }) => result?.files ?? []), faults: [] };
}

/**
 * Returns whether a target answers a request itself, from its state after the next apply. Others are answered from the path: their rules
 * cannot be edited, or they have none for the flow.
 */
async function designedHops(outcomes: readonly TargetOutcome[], { designer }: AccessTools): Promise<(hop: Hop) => boolean> {
  const styles = new Map<string, "rules" | "ends" | undefined>();
  for (const { target, kind } of outcomes) styles.set(target, (await designer(kind))?.style);
  return ({ target, checks, flow }) => {
    const style = styles.get(target);
    return style === "ends" ? flow.source !== undefined && checks.length > 0 : style !== undefined;
  };
}

/** Returns whether each design of a target is used. A design that opens more than the request may not be. */
function isEdited(result: AccessResult | undefined): boolean {
  return result?.answers.every(({ state }) => state !== "designed") === true || (result?.files.length ?? 0) > 0;
}

/** Finds the path of a request. Without a path, the result has the reasons. */
export function follow(words: AccessWords, parts: readonly Part[], unread: readonly string[]): Followed {
  const refused = (...reasons: string[]): Followed => ({ words, path: undefined, reasons });
  if (unread.length > 0)
    return refused(`The path is not known, because ${unread.join(", ")} could not be read. Name the target, if the flow crosses only one.`);
  if (words.user !== undefined) return refused("--user needs the name of a target: a path has no users.");
  if (words.toZone !== undefined) return refused("--to-zone needs the name of a target: routes and NAT decide on a path.");
  try {
    return { words, path: singlePath(parts, words), reasons: [] };
  } catch (error) {
    if (!(error instanceof NoSinglePath)) throw error;
    return refused(error.message);
  }
}

interface Passing {
  readonly options: PassOptions;
  readonly readers: Readers;
  readonly question: PathQuestion;
  readonly tools: AccessTools;
}

/** Answers the requests of each target. Only documents of a single target are edited, so no edit changes another target. */
async function passesFor(
  { options, readers, question, tools }: Passing,
  requests: ReadonlyMap<string, readonly TargetRequest[]>,
): Promise<AccessPass[]> {
  const passes: AccessPass[] = [];
  for (const [target, own] of requests) {
    const here = { ...options, selection: { ...options.selection, targets: [target] } };
    const asked = { ...question, requests: own, scope: undefined, choose: undefined };
    passes.push(await accessPass(here, readers, asked, tools));
  }
  return passes;
}

function requestsAt(followed: readonly Followed[], needsDesign: (hop: Hop) => boolean): ReadonlyMap<string, readonly TargetRequest[]> {
  const requests = new Map<string, TargetRequest[]>();
  for (const { words, path } of followed)
    for (const hop of path?.hops ?? [])
      if (needsDesign(hop)) requests.set(hop.target, [...(requests.get(hop.target) ?? []), requestAt(hop, words)]);
  return requests;
}

/** Requests for the managers whose pre-rules decide on firewalls, in the order of the answers. */
function managerRequests(answers: readonly PathAnswer[]): ReadonlyMap<string, readonly TargetRequest[]> {
  const requests = new Map<string, TargetRequest[]>();
  for (const { request, managed } of answers.flatMap(({ hops }) => hops))
    if (managed?.target !== undefined)
      requests.set(managed.target, [...(requests.get(managed.target) ?? []), { ...request, scope: managed.scope }]);
  return requests;
}

/**
 * Adds the answers of managers, in the order of `managerRequests`.
 *
 * @param serials Serial numbers of the firewalls: a manager may have a group of the same name with other firewalls.
 */
function withManagers(
  answers: readonly PathAnswer[],
  passes: readonly AccessPass[],
  serials: ReadonlyMap<string, string | undefined>,
): PathAnswer[] {
  const waiting = new Map(passes.map(({ outcome, result }) => [outcome.target, [...(result?.answers ?? [])]]));
  return answers.map((answer) => {
    const hops = answer.hops.flatMap((hop): PathHopAnswer[] => {
      const { target, scope = "" } = hop.managed ?? {};
      const own = target === undefined ? undefined : waiting.get(target)?.shift();
      if (target === undefined || own === undefined) return [hop];
      const serial = serials.get(hop.target);
      if (own.firewalls !== undefined && (serial === undefined || !own.firewalls.includes(serial)))
        return [{ ...hop, reasons: [...hop.reasons, `${target} pushes no rules of ${scope} to firewall ${serial ?? hop.target}.`] }];
      const notes = [...hop.notes, `A rule that ${target} pushes for ${scope} decides.`];
      if (own.state === "designed") notes.push(`The edit reaches ${hop.target} when ${target} pushes it.`);
      // The firewall still has the former rules.
      const isPending = own.state === "allowed";
      if (isPending) notes.push(`The rules of ${target} allow the flow, but ${hop.target} does not have them yet.`);
      return [
        { ...hop, state: isPending ? "conditional" : own.state, reasons: [], notes },
        { target, ...own },
      ];
    });
    return { ...answer, hops, state: answer.hops.length === 0 ? answer.state : combined(hops) };
  });
}

/** The request as it enters a target: after the translations of the targets before it. */
export function requestAt({ scope, flow, way }: Hop, { application }: AccessWords): TargetRequest {
  const { source = "", destination, service } = flow;
  return { from: source, to: destination, service, application, fromZone: way.from?.zone, toZone: way.to?.zone, scope };
}

function answersOf(followed: readonly Followed[], passes: readonly AccessPass[], needsDesign: (hop: Hop) => boolean): PathAnswer[] {
  const waiting = new Map(passes.map(({ outcome, result }) => [outcome.target, [...(result?.answers ?? [])]]));
  return followed.map(({ words, path, reasons }): PathAnswer => {
    const hops = (path?.hops ?? []).map((hop): PathHopAnswer => {
      const own = needsDesign(hop) ? (waiting.get(hop.target)?.shift() ?? unanswered(hop, words)) : undefined;
      // A flow that the designer does not understand may still be allowed.
      const isUnclear = own?.state === "refused" && own.scope === undefined && hop.checks.every(isPassed);
      return { target: hop.target, ...(own === undefined || isUnclear ? answerWithoutDesign(hop, words) : own) };
    });
    const notes = [...new Set([...(path?.assumptions ?? []).map((text) => `The path assumes that ${text}.`)])];
    return { request: words, state: path === undefined ? "refused" : combined(hops), hops, reasons, notes };
  });
}

const ORDER = ["refused", "designed", "conditional", "allowed"] as const;

function combined(hops: readonly PathHopAnswer[]): AccessAnswer["state"] {
  return ORDER.find((state) => hops.some((hop) => hop.state === state)) ?? "allowed";
}

function answerAt(hop: Hop, words: AccessWords): Omit<AccessAnswer, "state"> {
  const { scope: _, ...request } = requestAt(hop, words);
  const answers = hop.checks.flat();
  return {
    request,
    scope: hop.scope,
    now: { scope: hop.scope, answers, doubts: hop.doubts, beside: [] },
    designs: [],
    reasons: [],
    notes: [],
  };
}

/** Answer of a target whose rules are not edited for a request. */
function answerWithoutDesign(hop: Hop, words: AccessWords): AccessAnswer {
  const known = answerAt(hop, words);
  const stops = hop.checks.filter(isStopped).map(([answer]) => `"${answer?.rule ?? ""}"`);
  if (stops.length > 0) {
    const why = hop.flow.source === undefined ? ", and the source address there is not known" : "";
    return {
      ...known,
      state: "refused",
      reasons: [`${hop.target} stops the flow by ${stops.join(", ")}${why}. Its rules are not designed: edit ${hop.target} first.`],
    };
  }
  const isCertain = hop.doubts.length === 0 && hop.checks.every(isPassed);
  const pending = hop.checks.length === 0 ? [] : [`Pending changes of ${hop.target} were not checked.`];
  return { ...known, state: isCertain ? "allowed" : "conditional", notes: [...hop.doubts, ...pending] };
}

/** The target could not be read for its edit. */
function unanswered(hop: Hop, words: AccessWords): AccessAnswer {
  return { ...answerAt(hop, words), state: "refused", reasons: [`${hop.target} was not answered.`] };
}

/**
 * Follows a request again, with all edits. Returns why it would not arrive. Firewalls whose manager is edited still have their former rules,
 * and the proof of the manager covers them.
 */
function stillStopped({ words, path }: Followed, parts: readonly Part[], hops: readonly PathHopAnswer[]): string[] {
  const managed = new Set(hops.flatMap((hop) => (hop.managed?.target === undefined ? [] : [hop.target])));
  const flow = `${words.from} > ${words.to} ${words.service}`;
  try {
    const now = singlePath(parts, words);
    const places = ({ hops }: WholePath) => hops.map(({ target, scope }) => `${target} ${scope}`).join(", ");
    if (path !== undefined && places(now) !== places(path))
      return [`${flow}: after the edits and pending changes the flow crosses ${places(now)} instead of ${places(path)}.`];
    const own = now.hops.filter(({ target }) => !managed.has(target));
    const stops = own.flatMap(({ target, checks }) => checks.filter(isStopped).map(([answer]) => `${target} (${answer?.rule ?? ""})`));
    return stops.length === 0 ? [] : [`${flow}: after the edits it is still stopped by ${stops.join(", ")}.`];
  } catch (error) {
    if (!(error instanceof NoSinglePath)) throw error;
    return [`${flow}: after the edits and pending changes ${error.message}`];
  }
}
