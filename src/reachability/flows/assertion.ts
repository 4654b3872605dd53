import { type Bounds, Budget } from "./budget.js";
import { isCertain } from "./changed-pieces.js";
import type { CompiledPolicy, Model } from "./compile.js";
import { opposite } from "./conjunctions.js";
import type { Rule, Verdict } from "./policy.js";
import { type Region, regionOf } from "./region.js";
import type { Piece } from "./rule-index.js";
import { AXES, type Box, PLACE, type Space } from "./space.js";
import { uncovered } from "./uncovered.js";

/** Maximum number of unknowns of one flow. Every combination of them is tried. */
const MOST_UNKNOWNS = 10;
/** Maximum number of flows per rule that are checked for every case. A rule may decide them only under conditions. */
const MOST_WITNESSES = 4;

/** An assertion about flows: all of them have a verdict, or some have. */
export interface Assertion {
  readonly verdict: Verdict;
  /** Whether one flow with the verdict is enough. */
  readonly some: boolean;
  /** Questions of the model, as boxes. */
  readonly flows: readonly Box[];
  readonly except: readonly Box[];
  /** Whether flows under the conditions of `flows` exist. Otherwise a conditional question may select no flow. */
  readonly isGiven?: boolean | undefined;
}

/**
 * `empty`: the assertion selects no flow, which never counts as "holds". `broken`: a flow has another verdict (with `some`: no flow can
 * have the verdict), whatever the unknowns are. `not proven`: the result depends on unknowns. `undecided`: the effort ran out.
 */
export interface Judgement {
  readonly state: "holds" | "broken" | "not proven" | "undecided" | "empty";
  /** A flow that breaks the assertion (with `some`: that has the verdict), with the deciding rule and the conditions. */
  readonly witness?: { readonly rule: Rule; readonly region: Region } | undefined;
}

interface Witness {
  readonly at: number;
  readonly box: Box;
}

export function judge(model: Model, policy: CompiledPolicy, assertion: Assertion, bounds: Bounds = {}): Judgement {
  const { space } = model;
  const effort = new Budget(bounds);
  const cover = assertion.flows.map((box) => uncovered(space, box, assertion.except, effort).state);
  if (cover.every((state) => state === "covered")) return { state: "empty" };
  const sought = (verdict: Verdict | undefined): boolean => (verdict === assertion.verdict) === assertion.some;
  const { certain, open, undecided } = search(model, policy, assertion, sought, effort);
  const witness = certain ?? open;
  const match = witness && { rule: policy.rules[witness.at]?.rule as Rule, region: regionOf(model, witness.box) };
  if (certain !== undefined) return { state: assertion.some ? "holds" : "broken", witness: match };
  if (undecided) return { state: "undecided", witness: match };
  if (open !== undefined) return { state: "not proven", witness: match };
  return { state: assertion.some ? "broken" : "holds" };
}

interface Sought {
  readonly certain?: Witness;
  readonly open?: Witness;
  readonly undecided: boolean;
}

/** Searches for a flow that a rule with a sought verdict decides, in every case or under conditions. */
function search(
  model: Model,
  policy: CompiledPolicy,
  { flows, except, isGiven = false }: Assertion,
  sought: (verdict: Verdict | undefined) => boolean,
  effort: Budget,
): Sought {
  const { space } = model;
  let [open, undecided]: [Witness | undefined, boolean] = [undefined, false];
  for (const flow of flows) {
    const question = {
      space,
      pieces: policy.index.meeting(flow),
      flow,
      except,
      isSought: (at: number) => sought(policy.rules[at]?.rule.verdict),
    };
    for (const piece of question.pieces) {
      const part = question.isSought(piece.at) ? space.and(flow, piece.box) : undefined;
      const answer = part && searchIn(question, piece.at, part, effort);
      if (answer?.certain !== undefined && (isGiven || isCertain(flow))) return answer;
      open ??= answer?.certain ?? answer?.open;
      undecided ||= answer?.undecided ?? false;
    }
  }
  return { ...(open && { open }), undecided };
}

interface Question {
  readonly space: Space;
  /** The question and its exceptions. */
  readonly flow: Box;
  readonly except: readonly Box[];
  /** Pieces of rules that meet the question, from the top. */
  readonly pieces: readonly Piece[];
  readonly isSought: (at: number) => boolean;
}

/** Searches `part`, which is part of a box of the sought rule at `at`. */
function searchIn(question: Question, at: number, part: Box, effort: Budget): Sought {
  const { space, pieces, flow, except, isSought } = question;
  const given = flow[PLACE.condition] as number;
  const whatever = (box: Box): Box => box.with(PLACE.condition, given);
  const above = pieces.filter((piece) => piece.at < at);
  if (part[PLACE.condition] === given) {
    // If no rule above can have another verdict in any case, then this rule or a sought rule above decides.
    const others = above.filter((piece) => !isSought(piece.at)).map(({ box }) => whatever(box));
    const cover = uncovered(space, part, [...others, ...except.map(whatever)], effort);
    if (cover.state === "uncovered") return { certain: { at, box: cover.witness }, undecided: false };
    if (cover.state === "undecided") return { undecided: true };
  }
  const taken = [...except, ...above.map(({ box }) => box)];
  let open: Witness | undefined;
  for (let witnesses = 0; witnesses < MOST_WITNESSES; witnesses++) {
    const cover = uncovered(space, part, taken, effort);
    if (cover.state !== "uncovered") return { ...(open && { open }), undecided: cover.state === "undecided" };
    const witness = { at, box: cover.witness };
    if (inEveryCase(question, cover.witness)) return { certain: witness, undecided: false };
    open ??= witness;
    taken.push(whatever(cover.witness));
  }
  return { ...(open && { open }), undecided: false };
}

/**
 * Returns whether a flow of `box` has a sought verdict in every case. Tries each combination of the unknowns in the rules that match it.
 */
function inEveryCase({ space, flow, except, pieces, isSought }: Question, box: Box): boolean {
  const literals = (each: Box): readonly number[] => space.conditions.literals(each[PLACE.condition] as number);
  const ranks = AXES.map((_, place) => space.axes[place]?.nth(box[place] as number, 0) ?? 0);
  const holdsRanks = (each: Box): boolean => ranks.every((rank, place) => space.axes[place]?.has(each[place] as number, rank));
  const [excepted, meeting] = [except.filter(holdsRanks), pieces.filter((piece) => holdsRanks(piece.box))];
  const given = literals(flow);
  const unknowns = new Set(
    [...excepted, ...meeting.map((piece) => piece.box)].flatMap((each) => literals(each).map((literal) => literal & ~1)),
  );
  const free = [...unknowns].filter((literal) => !given.includes(literal) && !given.includes(opposite(literal)));
  if (free.length > MOST_UNKNOWNS) return false;
  return Array.from({ length: 2 ** free.length }, (_, bits) => bits).every((bits) => {
    const holding = new Set([...given, ...free.map((literal, at) => ((bits >> at) & 1 ? literal : opposite(literal)))]);
    const holds = (each: Box): boolean => literals(each).every((literal) => holding.has(literal));
    const decider = meeting.find((piece) => holds(piece.box));
    return !excepted.some(holds) && decider !== undefined && isSought(decider.at);
  });
}
