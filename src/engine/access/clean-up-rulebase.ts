import { type IdleRules, idleTogether, openingCheck } from "../../access/cleanup.js";
import type { ExistingRule } from "../../access/designer.js";
import { type Edit, withEdits } from "../../access/edit.js";
import { disabledDateIn, endDatesIn } from "../../access/end-date.js";
import { changesNothing, effectOf } from "../../access/proof.js";
import type { Where } from "../../core/errors.js";
import { daysUntil } from "../../desired/rule-end.js";
import type { CleanupEffect, CleanupKind, CleanupStep, RulebaseCleanup } from "../../outcome/cleanup.js";
import type { Policy, Rule } from "../../reachability/flows/policy.js";
import { AmbiguousNames } from "../../reachability/format/ambiguous-names.js";
import { AddressNames } from "../../reachability/format/format-addresses.js";
import { pairedFlows } from "../../reachability/format/format-flow.js";
import type { Rulebase } from "../../reachability/policy-role.js";
import { type Unused, unusedRules } from "../../reachability/questions/unused-rules.js";
import { type AccessBase, brokenBy, policyAfter } from "./answer-requests.js";

export interface CleanupQuestion {
  readonly scope: string | undefined;
  /** Also removes rules without sessions since this time. Undefined: the counters are not read. */
  readonly unused: Unused | undefined;
  /** Disables rules and writes the day into their descriptions, instead of removing them. */
  readonly disable: boolean;
  /** Removes rules that were disabled this way at least this number of days ago. */
  readonly deleteAfter: number;
  /** Also removes unused rules whose removal opens flows. */
  readonly acceptExcess: boolean;
  /** yyyy-mm-dd */
  readonly today: string;
  /** Only removes rules and members that end within this number of days. Undefined: also other rules, and only ended ones. */
  readonly onlyEndsWithin?: number | undefined;
}

interface Cleaned {
  readonly report: RulebaseCleanup;
  readonly edits: readonly Edit[];
}

/** A step with its edits. */
interface Step extends CleanupStep {
  readonly edits: readonly Edit[];
}

type Kept = RulebaseCleanup["kept"][number];

/** One rulebase whose rules can be edited. */
interface Site {
  readonly base: AccessBase;
  readonly scope: string;
  readonly policy: Policy;
  readonly rules: ReadonlyMap<string, ExistingRule>;
  readonly question: CleanupQuestion;
  /** Rules with an accepted finding, and the name of the assertion. */
  readonly accepted: ReadonlyMap<string, string>;
}

const OPENS = "its removal opens flows: accept this with --accept-excess";
const NO_EFFECT: CleanupEffect = { opened: [], closed: [], handled: [] };

/** Finds rules of one rulebase that can be removed, with the edits that remove or disable them. */
export async function cleanUpRulebase(base: AccessBase, rulebase: Rulebase, question: CleanupQuestion): Promise<Cleaned> {
  const { scope, firewalls } = rulebase;
  const existing = base.designer.rules({ scope, tree: base.tree, declared: base.declared });
  const [policy] = rulebase.policies();
  if (existing === undefined || policy === undefined || firewalls !== undefined)
    return { report: { scope, steps: [], kept: [], effect: NO_EFFECT, notes: ["not supported yet: rules of a manager."] }, edits: [] };
  const rules = new Map(existing.map((rule) => [rule.name, rule]));
  const site: Site = { base, scope, policy, rules, question, accepted: acceptedIn(base, rulebase, question) };
  const kept: Kept[] = [];
  const idle = question.onlyEndsWithin === undefined ? [...idleSteps(site, kept), ...disabledSteps(site)] : [];
  const done = new Set(idle.map(({ rule }) => rule));
  const calm = policyAfter(base, scope, editsOf(idle));
  if (!changesNothing(policy, calm)) throw new Error(`the removal of rules without effect changes flows of ${scope}`);
  const notes: string[] = [];
  const ended = endedSteps(site, done, kept);
  for (const { rule, action } of ended) if (action !== "remove-member") done.add(rule);
  const unused = await unusedSteps(site, done, kept, notes);
  const changing = await withoutBroken(site, idle, [...ended, ...unused], kept);
  const steps = [...idle, ...changing];
  const after = policyAfter(base, scope, editsOf(steps));
  const effect = changing.length === 0 ? NO_EFFECT : effectWords(calm, after, notes);
  return { report: { scope, steps: steps.map(withoutEdits), kept, effect, notes }, edits: editsOf(steps) };
}

const editsOf = (steps: readonly Step[]): Edit[] => steps.flatMap(({ edits }) => edits);

function withoutEdits({ edits: _, ...step }: Step): CleanupStep {
  return step;
}

function acceptedIn({ context }: AccessBase, { scope, within }: Rulebase, { today }: CleanupQuestion): ReadonlyMap<string, string> {
  const { policies, desired } = context;
  const here = (desired.overlaps ?? []).filter(({ place, until }) => until >= today && within.includes(policies?.scopeAt(place) ?? scope));
  return new Map(here.flatMap(({ name, overlaps }) => overlaps.map((rule) => [rule, name])));
}

/** Returns why a rule must stay, whatever its finding. */
function reasonToKeep({ rules, accepted }: Site, { key }: Rule): string | undefined {
  const rule = rules.get(key.name);
  if (key.level !== "local" || rule === undefined) return "it is a rule of a manager";
  if (!rule.isDeclared) return "no document declares it";
  const by = accepted.get(key.name);
  return by === undefined ? undefined : `${by} accepts the finding`;
}

/** Returns the step that removes or disables a rule. Adds the rule to `kept` if that is not possible. */
function stepFor({ rules, question, base }: Site, name: string, kind: CleanupKind, facts: Partial<CleanupStep>, kept: Kept[]): Step[] {
  const rule = rules.get(name);
  if (rule === undefined) return [];
  const where = whereOf(base, rule);
  const isDisabled = question.disable && kind !== "disabled";
  const edits: readonly Edit[] | undefined = isDisabled ? base.designer.disable(rule, question.today) : [{ kind: "remove", at: rule.path }];
  if (edits === undefined) {
    kept.push({ rule: name, kind, reason: "its description has no room for the day" });
    return [];
  }
  return [{ action: isDisabled ? "disable" : "remove", kind, rule: name, where, by: [], ...facts, edits }];
}

function whereOf({ options }: AccessBase, { path }: ExistingRule): Where {
  return options.locate?.(path) ?? { xpath: path.toString() };
}

function idleSteps(site: Site, kept: Kept[]): Step[] {
  const found: IdleRules = idleTogether(site.policy, (rule) => reasonToKeep(site, rule) === undefined);
  for (const { rule, kind } of found.fixed) kept.push({ rule: rule.key.name, kind, reason: reasonToKeep(site, rule) ?? "" });
  for (const { key } of found.needed)
    kept.push({ rule: key.name, kind: "redundant", reason: "it has an effect without the other removed rules" });
  for (const { key } of found.undecided)
    kept.push({ rule: key.name, kind: "undecided", reason: "the rules are too complex for an exact answer" });
  return found.idle.flatMap(({ kind, rule, by }) => stepFor(site, rule.key.name, kind, { by: by.map(({ key }) => key.name) }, kept));
}

/** Rules that an earlier run disabled, and expired rules that are disabled already. */
function disabledSteps(site: Site): Step[] {
  const { rules, question } = site;
  return [...rules.values()].flatMap((rule) => {
    if (!rule.isDisabled || !rule.isDeclared) return [];
    const disabledOn = disabledDateIn(rule.description);
    if (disabledOn !== undefined)
      return daysUntil(question.today, disabledOn) >= question.deleteAfter ? stepFor(site, rule.name, "disabled", { disabledOn }, []) : [];
    return [];
  });
}

function isNear(until: string, { today, onlyEndsWithin }: CleanupQuestion): boolean {
  return onlyEndsWithin === undefined ? until < today : daysUntil(until, today) <= onlyEndsWithin;
}

function endKind(until: string, { today }: CleanupQuestion): "expired" | "expires-soon" {
  return until < today ? "expired" : "expires-soon";
}

/** Rules and members after their last day. */
function endedSteps(site: Site, done: ReadonlySet<string>, kept: Kept[]): Step[] {
  const { rules, question } = site;
  const steps: Step[] = [];
  const ended = new Set(done);
  for (const rule of rules.values()) {
    const until = endDatesIn(rule.description).find((end) => end.member === undefined && isNear(end.until, question))?.until;
    if (until === undefined || rule.isDisabled || ended.has(rule.name)) continue;
    if (!rule.isDeclared) kept.push({ rule: rule.name, kind: endKind(until, question), reason: "no document declares it" });
    else steps.push(...stepFor(site, rule.name, endKind(until, question), { until }, kept));
    ended.add(rule.name);
  }
  return [...steps, ...endedMembers(site, ended, kept)];
}

/** Members after their last day. If the last member of a field ends, the rule ends. */
function endedMembers(site: Site, ended: ReadonlySet<string>, kept: Kept[]): Step[] {
  const { base, scope, rules, question } = site;
  const steps: Step[] = [];
  const done = new Set<string>();
  // Several members of one description can end: each edit starts from the text of the one before.
  for (let { tree } = base; ; ) {
    const place = base.designer.endingMembers({ scope, tree, declared: base.declared }).find(({ until, where, member, rule }) => {
      const isKnown = done.has(`${where} ${member.name}`) || (rule !== undefined && (ended.has(rule) || done.has(rule)));
      return isNear(until, question) && !isKnown;
    });
    if (place === undefined) return steps.filter(({ action, rule }) => action !== "remove-member" || !done.has(rule));
    const { until, member, where, rule, edits } = place;
    done.add(`${where} ${member.name}`);
    if (edits !== undefined) {
      const found = rules.get(rule ?? "");
      const at = found === undefined ? { xpath: place.path.toString() } : whereOf(base, found);
      const text = `${member.name} from ${where}`;
      steps.push({
        action: "remove-member",
        kind: endKind(until, question),
        rule: rule ?? where,
        where: at,
        member: text,
        by: [],
        until,
        edits,
      });
      tree = withEdits(tree, edits);
    } else if (rule === undefined) kept.push({ rule: where, kind: endKind(until, question), reason: `${member.name} is its only member` });
    else {
      steps.push(...stepFor(site, rule, endKind(until, question), { until }, kept));
      done.add(rule);
    }
  }
}

async function unusedSteps(site: Site, done: ReadonlySet<string>, kept: Kept[], notes: string[]): Promise<Step[]> {
  const { base, scope, policy, question } = site;
  const { unused } = question;
  if (unused === undefined) return [];
  const hits = await base.target.counters?.ruleHits(scope);
  if (hits === undefined) {
    notes.push(`The use of the rules is unknown: ${base.context.name} has no counters for them.`);
    return [];
  }
  const { findings, unknown } = unusedRules(policy, hits, unused);
  if (unknown.length > 0) notes.push(`Not counted for long enough: ${unknown.join(", ")}.`);
  notes.push("The counters are those of this firewall. The other member of an HA pair counts separately.");
  const steps: Step[] = [];
  const byName = new Map(policy.rules.map((rule) => [rule.key.name, rule]));
  const opens = openingCheck(policy);
  for (const { rule: name, lastHit, countedSince } of findings) {
    const rule = byName.get(name);
    if (rule === undefined || done.has(name)) continue;
    const reason = reasonToKeep(site, rule) ?? (rule.verdict !== "allow" && !question.acceptExcess && opens(rule) ? OPENS : undefined);
    if (reason === undefined) steps.push(...stepFor(site, name, "unused", { lastHit, countedSince }, kept));
    else kept.push({ rule: name, kind: "unused", reason });
  }
  return steps;
}

/** Drops steps that break an assertion. */
async function withoutBroken({ base }: Site, idle: readonly Step[], steps: readonly Step[], kept: Kept[]): Promise<readonly Step[]> {
  const breaks = async (some: readonly Step[]) => await brokenBy(base, withEdits(base.tree, editsOf([...idle, ...some])));
  if (steps.length === 0 || (await breaks(steps)).length === 0) return steps;
  const fine: Step[] = [];
  for (const step of steps) {
    const [reason] = await breaks([...fine, step]);
    if (reason === undefined) fine.push(step);
    else kept.push({ rule: step.rule, kind: step.kind, reason });
  }
  return fine;
}

function effectWords(before: Policy, after: Policy, notes: string[]): CleanupEffect {
  const { model, opened, closed, handled, isComplete } = effectOf(before, after);
  if (!isComplete) notes.push("The rules are too complex: more flows may be affected.");
  const names = new AddressNames(before.rules, new AmbiguousNames(before.rules));
  const words = (regions: typeof opened) => pairedFlows(regions, model, names);
  return { opened: words(opened), closed: words(closed), handled: words(handled) };
}
