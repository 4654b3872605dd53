import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { endState } from "../../desired/rule-end.js";
import { firewallName, type JudgedFirewall } from "../../outcome/insight.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { FlowPath, Lint, LintedRule, Reach } from "../../outcome/reach.js";
import { listed } from "../../outcome/shorten-list.js";
import type { WholePath } from "../../outcome/whole-path.js";
import type { View } from "../../plan/platform.js";
import { declaredAt } from "../../reachability/declared-at.js";
import type { Policy } from "../../reachability/flows/policy.js";
import type { FlowQuestion, LookUps, Rulebase } from "../../reachability/policy-role.js";
import { policyOptions } from "../../reachability/predefined.js";
import { withAcceptance } from "../../reachability/questions/accepted-findings.js";
import { groupByAnswer } from "../../reachability/questions/group-by-answer.js";
import type { Unused } from "../../reachability/questions/unused-rules.js";
import type { Part } from "../../reachability/questions/whole-path.js";
import type { ReadTarget } from "../target.js";
import { type TargetContext, today } from "./context.js";
import { openTarget } from "./opened-target.js";
import type { PassOptions, Readers } from "./options.js";
import { type OutcomeDraft, runTargets, startPass } from "./run-targets.js";

/** The rules that a question is about. */
export interface QuestionScope {
  readonly view: View;
  /** One rulebase (`vsys2`); all of the target's when undefined. */
  readonly scope: string | undefined;
}

export interface Answered<Answer> {
  readonly outcome: TargetOutcome;
  readonly answers: readonly Answer[];
}

/** Returns the rules that decide the flows of a question, for each target. */
export async function reachTargets(
  options: PassOptions,
  readers: Readers,
  scope: QuestionScope,
  question: FlowQuestion,
): Promise<Answered<Reach>[]> {
  const { reachIn } = await import("../../reachability/questions/format-reach.js");
  const as = { ...scope, withLookUps: true, applications: question.application };
  return await answerForRules(options, readers, as, (policy, rulebase) => reachIn(policy, rulebase.flows(0, question)));
}

/** Returns the paths of one flow through targets, with the deciding rules. */
export async function pathThrough(
  options: PassOptions,
  readers: Readers,
  scope: QuestionScope,
  question: FlowQuestion,
): Promise<Answered<FlowPath>[]> {
  const { pathIn } = await import("../../reachability/questions/format-reach.js");
  const answer = (policy: Policy, rulebase: Rulebase, { target }: Source): FlowPath => {
    const path = pathIn(policy, rulebase, question);
    if (path !== undefined) return path;
    throw new PlumblineError("rules-not-read", `Flows are not followed through targets of kind ${target.kind}.`, {
      where: { target: target.name },
      next: "Name a firewall.",
    });
  };
  return await answerForRules(
    options,
    readers,
    { ...scope, withNetwork: true, withLookUps: true, applications: question.application },
    answer,
  );
}

/** The courses of one flow from a target on, through all targets that are read. */
export async function followCompletely(
  options: PassOptions,
  readers: Readers,
  { view, scope }: QuestionScope,
  start: string,
  question: FlowQuestion,
): Promise<{ readonly outcomes: readonly TargetOutcome[]; readonly paths: readonly WholePath[] }> {
  const { completePaths: wholePaths } = await import("../../reachability/questions/whole-path.js");
  const read = await forwardingParts(options, readers, view, question.application);
  const { outcomes } = read;
  const parts = read.parts.filter(({ target, rulebase }) => target !== start || scope === undefined || rulebase.within.includes(scope));
  const failed = outcomes.filter(({ error }) => error !== undefined).map(({ target }) => target);
  if (failed.includes(start)) return { outcomes, paths: [] };
  if (!parts.some(({ target }) => target === start))
    throw new PlumblineError("rules-not-read", `No flow can be followed from ${start}${scope === undefined ? "" : ` ${scope}`} on.`, {
      where: { target: start },
      next: "Name a firewall, one of its virtual systems, or a cloud.",
    });
  return { outcomes, paths: wholePaths(parts, start, question, failed) };
}

/** Reads the rules and routes of all selected targets that forward flows. */
export async function forwardingParts(
  options: PassOptions,
  readers: Readers,
  view: View,
  applications: readonly string[],
): Promise<{ readonly outcomes: readonly TargetOutcome[]; readonly parts: readonly Part[] }> {
  const parts: Part[] = [];
  const keep = (policy: Policy, rulebase: Rulebase, { target }: Source): Reach => {
    const transit = rulebase.transit?.(0);
    if (transit !== undefined) parts.push({ target: target.name, rulebase, policy, transit });
    return { scope: rulebase.scope, answers: [], doubts: [], beside: [] };
  };
  const read = await answerForRules(options, readers, { view, scope: undefined, withNetwork: true, applications }, keep);
  const outcomes = read.map(({ outcome }) => outcome);
  // Targets are read concurrently. The output must not depend on which one answers first.
  const order = outcomes.map(({ target }) => target);
  return { outcomes, parts: parts.toSorted((a, b) => order.indexOf(a.target) - order.indexOf(b.target)) };
}

/** Finds rules of targets that have no effect. */
export async function lintTargets(
  options: PassOptions,
  readers: Readers,
  scope: QuestionScope,
  unused?: Unused,
): Promise<Answered<Lint>[]> {
  const { lintOf } = await import("../../reachability/questions/format-lint.js");
  // Several rulebases of a manager contain the rules of a parent group.
  const shownEnds = new Set<string>();
  return await answerForRules(options, readers, scope, async (policy, rulebase, source) => {
    const unended = await withUnused(lintOf(policy), policy, rulebase, source);
    const linted = { ...unended, findings: [...unended.findings, ...endsOf(rulebase, source, shownEnds)] };
    const { policies, desired } = source.context;
    const scopeOf = ({ place }: { readonly place: Path }) => policies?.scopeAt(place);
    const here = (desired.overlaps ?? []).filter((each) => rulebase.within.includes(scopeOf(each) ?? rulebase.scope));
    // An overlap of a parent of several rulebases may be needed in another rulebase.
    const own = rulebase.firewalls === undefined ? here.filter((each) => scopeOf(each) === rulebase.scope) : [];
    return withAcceptance(linted, { here, own }, today(source.context));
  });

  async function withUnused(linted: Lint, policy: Policy, { firewalls }: Rulebase, { target, draft }: Source): Promise<Lint> {
    if (unused === undefined) return linted;
    if (firewalls !== undefined) {
      const names = listed(firewalls.map(firewallName), NAMED);
      draft.warnings.push(`The use of the rules of ${names} was not read. \`plumbline lint ${target.name} --fix --unused\` reads it.`);
      return linted;
    }
    const hits = await target.counters?.ruleHits(policy.scope);
    if (hits === undefined) {
      draft.warnings.push(`The use of the rules of ${policy.scope} is unknown: ${target.name} has no counters for them.`);
      return linted;
    }
    const { unusedRules } = await import("../../reachability/questions/unused-rules.js");
    const { findings, unknown } = unusedRules(policy, hits, unused);
    return { ...linted, findings: [...linted.findings, ...findings], uncounted: unknown };
  }
}

/** Rules and members that have ended, or end soon. Adds them to `shown`, and omits those that are in it. */
function endsOf({ scope, within, firewalls }: Rulebase, { context, root }: Source, shown: Set<string>): LintedRule[] {
  const { configuration, desired, options } = context;
  const kind = options.source.kinds.get(configuration.kind);
  const scopes = firewalls === undefined ? [scope] : within;
  return (kind?.ruleEnds?.(root) ?? []).flatMap((end): LintedRule[] => {
    const state = endState(end, today(context));
    const id = JSON.stringify([context.name, end.xpath, end.until, end.member]);
    if (!scopes.includes(end.scope) || end.isDisabled || state === "later" || shown.has(id)) return [];
    shown.add(id);
    const where = declaredAt(desired, parsePath(end.xpath)) ?? { xpath: end.xpath };
    const member = end.member === undefined ? {} : { member: `${end.member.name} in ${end.member.list}` };
    return [{ kind: state === "soon" ? "expires-soon" : "expired", rule: end.name, until: end.until, where, by: [], ...member }];
  });
}

/** The target whose rules are queried. */
interface Source {
  readonly root: TreeNode;
  readonly context: TargetContext;
  readonly target: ReadTarget;
  readonly draft: OutcomeDraft;
}

interface RulesQuestion extends QuestionScope {
  readonly withNetwork?: boolean;
  readonly withLookUps?: boolean;
  readonly applications?: readonly string[];
}

async function answerForRules<Answer extends Reach | Lint | FlowPath>(
  options: PassOptions,
  readers: Readers,
  { view, scope, withNetwork = false, withLookUps = false, applications = [] }: RulesQuestion,
  answer: (policy: Policy, rulebase: Rulebase, from: Source) => Answer | Promise<Answer>,
): Promise<Answered<Answer>[]> {
  const found = new Map<string, Answer[]>();
  const contexts = await startPass(
    { ...options, selection: { ...options.selection, acceptKnownAfterApply: true, withUndeclared: true } },
    readers,
  );
  const concerned = options.selection.targets.length > 0 ? contexts : contexts.filter(({ policies }) => policies !== undefined);
  const outcomes = await runTargets(concerned, readers.reader, async (target, context, draft) => {
    const { policies: role, desired, name, configuration } = context;
    if (role === undefined)
      throw new PlumblineError("rules-not-read", `Targets of kind ${target.kind} have no flow analysis.`, {
        where: { target: name },
        next: "Name a firewall.",
      });
    await openTarget(target, context, draft);
    const network = withNetwork ? (role.network?.(desired.root, configuration) ?? []) : [];
    const root = await target.read([...role.subtrees(desired.root, configuration), ...network], view);
    const reader = await role.load();
    const lookUps = withLookUps ? await readLookUps(view, { context, target, draft, root }) : undefined;
    const known = await policyOptions(reader, [root], applications, { target, desired, configuration });
    const all = reader.rulebases([root], { ...known, lookUps });
    const selected = all.flatMap((rulebase) => within(rulebase, scope));
    if (scope !== undefined && selected.length === 0) {
      const next = `It has ${listed([...new Set(all.flatMap(namesOf))], NAMED)}.`;
      throw new PlumblineError("rulebase-unknown", `There is no rulebase "${scope}".`, { where: { target: name }, next });
    }
    const answers: Answer[] = [];
    const failed: { readonly firewalls: readonly JudgedFirewall[]; readonly error: unknown }[] = [];
    for (const rulebase of selected) {
      try {
        for (const policy of rulebase.policies())
          if (policy !== undefined)
            answers.push({ ...(await answer(policy, rulebase, { context, target, draft, root })), ...placeOf(rulebase) });
      } catch (error) {
        if (rulebase.firewalls === undefined) throw error;
        failed.push({ firewalls: rulebase.firewalls, error });
      }
    }
    const [first] = failed;
    if (answers.length === 0 && first !== undefined) throw first.error;
    draft.warnings.push(...failed.map(({ firewalls, error }) => `${listed(firewalls.map(firewallName), NAMED)}: ${messageOf(error)}`));
    found.set(name, groupByAnswer(answers));
  });
  return outcomes.map((outcome) => ({ outcome, answers: found.get(outcome.target) ?? [] }));
}

/** Current values of names and lists. Warns about values that the target does not provide; they stay unknown. */
async function readLookUps(view: View, { context, target, draft, root }: Source): Promise<LookUps | undefined> {
  const asOf = new Date(context.options.machine.now()).toISOString();
  const found = await target.resolver?.lookUp(root, view);
  draft.warnings.push(...(found?.refused ?? []));
  return found && { asOf, known: found.known };
}

/** Maximum number of rulebases listed in the error for an unknown rulebase. */
const NAMED = 12;

/** Selects a rulebase by scope, or one of its firewalls by serial number, name, or either of them with a virtual system. */
function within(rulebase: Rulebase, scope: string | undefined): Rulebase[] {
  const { within: places, firewalls = [] } = rulebase;
  if (scope === undefined || places.includes(scope)) return [rulebase];
  const named = firewalls.filter((each) => [each.serial, each.hostname, firewallName(each), `${each.serial} ${each.vsys}`].includes(scope));
  return named.length === 0 ? [] : [{ ...rulebase, firewalls: named }];
}

function namesOf({ scope, within: places, firewalls }: Rulebase): readonly string[] {
  return firewalls === undefined ? [scope] : [...places, ...firewalls.map(firewallName)];
}

function placeOf({ scope, firewalls }: Rulebase): { scope: string; firewalls?: readonly JudgedFirewall[] } {
  return firewalls === undefined ? { scope } : { scope, firewalls };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
