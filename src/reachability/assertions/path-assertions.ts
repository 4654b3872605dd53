import { addressNumber, isSameAddress } from "../../core/address-range.js";
import { PlumblineError } from "../../core/errors.js";
import { type PathAssertion, type PathWords, targetAndName } from "../../desired/assertions.js";
import { type AssertionWitness, gravityOf, type JudgedAssertion } from "../../outcome/assertion.js";
import type { ReachAnswer } from "../../outcome/reach.js";
import { isPassed, isStopped, type WholePath } from "../../outcome/whole-path.js";
import type { FlowQuestion } from "../policy-role.js";
import { policyOptions } from "../predefined.js";
import { addressOf, completePaths, type Other, type Part, partOf } from "../questions/whole-path.js";
import type { AssertionSource, Versions } from "./assertions.js";
import { declaredAssertion } from "./declared-assertion.js";

/** Access to the current state of other targets. */
export interface Surroundings {
  /**
   * Reads the named targets, or all. The answer contains the reason if one could not be read.
   *
   * @param applications Applications of the questions. Containers in rules may hold them.
   */
  read(names: readonly string[] | undefined, applications: readonly string[]): Promise<ReadonlyMap<string, Other>>;
  /** The change may affect routing. Then a result that needs an unreadable target does not pass. */
  readonly mayMatter: boolean;
}

/** Result for one flow or one of its paths. */
interface Finding {
  readonly state: JudgedAssertion["state"];
  /** Severity. Doubts and unreadable targets do not increase it. */
  readonly gravity: number;
  readonly why: readonly string[];
  readonly witness?: AssertionWitness | undefined;
  /** A target that it may meet could not be read. */
  readonly isCut?: boolean;
}

/** Parts that flows can meet in one version, and why others could not be read. */
interface Around {
  readonly own: string;
  readonly scope: string | undefined;
  readonly parts: readonly Part[];
  readonly failures: ReadonlyMap<string, string>;
}

/**
 * Judges assertions about complete paths before and after a change of one target. Other targets are taken from their running configuration
 * both times. A result that needs an unreadable target is unknown.
 */
export async function judgePaths(
  assertions: readonly PathAssertion[],
  { role, desired, configuration, around, target }: AssertionSource,
  { before, after }: Versions,
): Promise<JudgedAssertion[]> {
  if (role === undefined || around === undefined) throw new Error(`paths from ${desired.target} are not judged`);
  const trees = before === after ? [after] : [before, after];
  const applications = assertions.flatMap(({ path }) => path.application);
  const reader = await role.load();
  const rulebases = reader.rulebases(trees, await policyOptions(reader, trees, applications, { target, desired, configuration }));
  const own = trees.map((_, version) => rulebases.flatMap((rulebase) => partOf(desired.target, rulebase, version) ?? []));
  const needed = assertions.map(({ path }) => othersIn(path));
  const all = needed.flatMap((names) => names ?? []);
  const read = await around.read(needed.includes(undefined) ? undefined : [...new Set(all)], applications);
  return assertions.map((assertion, at) => {
    const others = [...read].filter(([name]) => needed[at]?.includes(name) !== false);
    const failures = new Map(others.flatMap(([name, other]) => ("failure" in other ? [[name, other.failure] as const] : [])));
    const siblings = others.flatMap(([, other]) => ("parts" in other ? other.parts : []));
    const versions = own.map((parts): Around => {
      return { own: desired.target, scope: role.scopeAt(assertion.place), parts: [...parts, ...siblings], failures };
    });
    const [was = [], is = was] = versions.map((each) =>
      questionsOf(assertion.path).map((question) => findingOf(assertion, question, each)),
    );
    const judged = judgedBy(assertion, was, is, around.mayMatter);
    return { ...declaredAssertion(assertion, desired.sources), ...judged, scope: role.scopeAt(assertion.place) ?? "" };
  });
}

/** Targets to read: those of `through`, and those named in the question. Undefined: all. */
function othersIn({ through, source, destination, reaches }: PathWords): readonly string[] | undefined {
  return through && [...through, ...[...source, ...destination, ...reaches].flatMap((word) => targetAndName(word)?.[0] ?? [])];
}

function questionsOf({ from, source, destination, service, application }: PathWords): FlowQuestion[] {
  const applications = application.length === 0 ? [[]] : application.map((each) => [each]);
  return source.flatMap((one) =>
    destination.flatMap((other) =>
      service.flatMap((port) =>
        applications.map((names) => ({ from, to: [], source: [one], destination: [other], service: [port], application: names })),
      ),
    ),
  );
}

function judgedBy(
  { acceptsUnknowns }: PathAssertion,
  was: readonly Finding[],
  is: readonly Finding[],
  mayMatter: boolean,
): Pick<JudgedAssertion, "state" | "before" | "isByChange" | "why" | "witness"> {
  const isWorse = (each: Finding, at: number) =>
    !(each.state === "unknown" && acceptsUnknowns !== undefined) &&
    (each.gravity > (was[at]?.gravity ?? 0) || (mayMatter && each.isCut === true));
  const worse = is.filter(isWorse);
  const shown = gravest(worse.length > 0 ? worse : is);
  const others = is.filter(({ state }) => state !== "holds").length - 1;
  const more = others > 0 ? [`${others === 1 ? "1 other flow does" : `${others} other flows do`} not hold, either.`] : [];
  return {
    state: gravest(is)?.state ?? "empty",
    before: gravest(was)?.state ?? "empty",
    isByChange: worse.length > 0,
    why: [...(shown?.why ?? []), ...more, ...(mayMatter && shown?.isCut === true ? ["The change may affect it."] : [])],
    witness: shown?.witness,
  };
}

function gravest(found: readonly Finding[]): Finding | undefined {
  const rank = ({ state, gravity }: Finding) => gravityOf(state) * 4 + gravity;
  return found.reduce<Finding | undefined>((one, other) => (one === undefined || rank(other) > rank(one) ? other : one), undefined);
}

function found(state: Finding["state"], why: readonly string[], more: Partial<Finding> = {}): Finding {
  return { state, gravity: gravityOf(state), why, ...more };
}

function findingOf({ verdict, path: { reaches } }: PathAssertion, question: FlowQuestion, around: Around): Finding {
  const { own, scope, parts, failures } = around;
  const qualified = (word: string) => (targetAndName(word) ?? [])[0];
  const [source = ""] = question.source;
  const start = qualified(source) ?? own;
  const cut = [...failures].map(([name, why]) => `${name} could not be read: ${why.replace(/\.$/, "")}.`);
  const needed = [start, ...[...question.destination, ...reaches].flatMap((word) => qualified(word) ?? [])];
  if (needed.some((name) => failures.has(name))) return found("unknown", cut, { isCut: true });
  if (!parts.some(({ target }) => target === start)) return found("empty", [`No flow can be followed from ${start} on.`]);
  // Names without a target belong to the document's own target.
  const named = (word: string) => (start === own || addressNumber(word) !== undefined || word.includes(":") ? word : `${own}:${word}`);
  const asserted = { ...question, destination: question.destination.map(named) };
  try {
    const paths = completePaths(parts, start, asserted, [], start === own ? scope : undefined);
    const here = parts.filter(({ target }) => target === start);
    const places = reaches.map((word) => addressOf(named(word), "--reaches", here, parts));
    const courses = paths.map((path) => courseFinding(verdict, path, own, places));
    const worst = gravest(courses) ?? found("unknown", ["No way is known."]);
    const flow = `${source} > ${question.destination.join()}  ${[...question.service, ...question.application].join(" · ")}`;
    const finding = { ...worst, why: worst.why.map((words) => `${flow} ${words}`) };
    if (failures.size === 0) return finding;
    return { ...finding, state: "unknown", gravity: Math.min(finding.gravity, 1), why: [...finding.why, ...cut], isCut: true };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof PlumblineError && error.code === "flow-not-understood") return found("empty", [message.replace(/--(\w+)/, "$1:")]);
    return found("unknown", [`It could not be followed: ${message}`], { isCut: true });
  }
}

/** Judges one path. */
function courseFinding(verdict: PathAssertion["verdict"], path: WholePath, own: string, places: readonly string[]): Finding {
  const checks = path.hops.flatMap((hop) => hop.checks);
  const doubts = [...new Set(path.hops.flatMap((hop) => hop.doubts))];
  const end = endOf(path, checks);
  const { way, flow } = path.hops.at(-1) ?? {};
  const place = way?.reaches ?? flow?.destination ?? "";
  const isElsewhere = end !== "stopped" && end !== "unknown" && places.length > 0 && !places.some((each) => isSameAddress(each, place));
  const isSure = path.conditions.length === 0 && end !== "unknown";
  const conditions = [...new Set(path.conditions)];
  const suffix = conditions.length === 0 ? "" : `, if ${conditions.join(" and ")}`;
  const words = isElsewhere ? `comes to ${place}, and not to ${places.join(", ")}` : wordsOf(end, path);
  const why = [`${words}${suffix}.`];
  const wanted = verdict === "allow" ? "arrives" : "stopped";
  if (end === wanted && isSure && !isElsewhere) return doubts.length === 0 ? found("holds", []) : found("unknown", doubts, { gravity: 0 });
  const isBroken = isSure && doubts.length === 0 && (end === "may arrive" && !isElsewhere ? isPartly(verdict, checks) : true);
  return found(isBroken ? "broken" : "unknown", [...why, ...doubts], { witness: witnessOf(verdict, path, own) });
}

/** Verdict by rules only, without doubts. */
function endOf({ verdict }: WholePath, checks: readonly (readonly ReachAnswer[])[]): WholePath["verdict"] {
  if (checks.some(isStopped)) return "stopped";
  if (verdict === "unknown") return verdict;
  return checks.every(isPassed) ? "arrives" : "may arrive";
}

/** Reports whether some flows of the question, such as an application or a source port, certainly contradict the assertion. */
function isPartly(verdict: PathAssertion["verdict"], checks: readonly (readonly ReachAnswer[])[]): boolean {
  const open = checks.filter((check) => !isPassed(check));
  const isCertain = (answer: ReachAnswer) => answer.conditions.length === 0 && !answer.undecided;
  if (verdict === "allow") return open.some((check) => check.some((answer) => answer.verdict !== "allow" && isCertain(answer)));
  const [first] = open;
  return open.length === 1 && first?.some((answer) => answer.verdict === "allow" && isCertain(answer)) === true;
}

function wordsOf(end: WholePath["verdict"], { hops, ends }: WholePath): string {
  if (end === "arrives") return `arrives: ${ends}`;
  if (end === "unknown") return `is not known to end: ${ends}`;
  const isAgainst = end === "stopped" ? isStopped : (check: readonly ReachAnswer[]) => !isPassed(check);
  const rules = hops.flatMap(({ target, checks }) =>
    checks.filter(isAgainst).map((check) => `${target}: ${check.find((answer) => answer.verdict !== "allow")?.rule ?? ""}`),
  );
  return `${end === "stopped" ? "is stopped by" : "may be stopped by"} ${rules.join("; ")}`;
}

/** The deciding rule on the own target. The author of a change is only known there. */
function witnessOf(verdict: PathAssertion["verdict"], { hops }: WholePath, own: string): AssertionWitness | undefined {
  const answers = hops.filter(({ target }) => target === own).flatMap(({ checks }) => checks.flat());
  const answer = answers.find((each) => (each.verdict === "allow") !== (verdict === "allow"));
  const [flow] = answer?.flows ?? [];
  if (answer === undefined || flow === undefined) return undefined;
  return { rule: { name: answer.rule, where: answer.where }, flow, condition: answer.conditions.join(", or ") };
}
