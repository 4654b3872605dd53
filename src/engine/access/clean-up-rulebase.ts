import { type IdleRules, idleTogether, openingCheck, withUnreadRules } from "../../access/cleanup.js";
import type { ExistingRule } from "../../access/designer.js";
import { type Edit, withEdits } from "../../access/edit.js";
import { disabledDateIn, endDatesIn } from "../../access/end-date.js";
import { changesNothing, effectOf } from "../../access/proof.js";
import type { Where } from "../../core/errors.js";
import { daysUntil } from "../../desired/rule-end.js";
import type { CleanupEffect, CleanupKind, CleanupStep, RulebaseCleanup } from "../../outcome/cleanup.js";
import type { FlowWords } from "../../outcome/insight.js";
import { type Policy, type Rule, ruleId } from "../../reachability/flows/policy.js";
import { AmbiguousNames } from "../../reachability/format/ambiguous-names.js";
import { AddressNames } from "../../reachability/format/format-addresses.js";
import { pairedFlows } from "../../reachability/format/format-flow.js";
import type { Rulebase } from "../../reachability/policy-role.js";
import { type Unused, unusedRules, useOnFirewalls } from "../../reachability/questions/unused-rules.js";
import { type AccessBase, brokenBy } from "./answer-requests.js";
import { firewallNamesOf, keysOf } from "./request-site.js";

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

/** Rules of one firewall or device group. */
export interface CleanupPlace {
  readonly scope: string;
  /** All rulebases that these rules are part of. */
  readonly rulebases: readonly Rulebase[];
}

/** A step with its edits. */
interface Step extends CleanupStep {
  /** Path of the rule or group. */
  readonly at: string;
  readonly edits: readonly Edit[];
}

type Kept = RulebaseCleanup["kept"][number];

/** A firewall or device group whose rules can be edited. */
interface Site {
  readonly base: AccessBase;
  readonly scope: string;
  readonly rulebases: readonly Rulebase[];
  readonly policies: readonly Policy[];
  readonly rules: readonly ExistingRule[];
  readonly question: CleanupQuestion;
  /** Rules with an accepted finding, and the name of the assertion. */
  readonly accepted: ReadonlyMap<string, string>;
}

const OPENS = "its removal opens flows: accept this with --accept-excess";
/** Effect of edits that change no flow. */
export const NO_EFFECT: CleanupEffect = { opened: [], closed: [], handled: [] };

/** Finds rules of one firewall or device group that can be removed, with the edits that remove or disable them. */
export async function cleanUpRules(base: AccessBase, place: CleanupPlace, question: CleanupQuestion): Promise<Cleaned> {
  const { scope, rulebases } = place;
  const rules = base.designer.rules({ scope, tree: base.tree, declared: base.declared });
  const unchanged = { scope, steps: [], kept: [], effect: NO_EFFECT };
  const failed = rulebases.filter(({ failure }) => failure !== undefined);
  if (failed.length > 0) {
    const reasons = failed.map((each) => `${firewallNamesOf([each])}: ${each.failure}.`);
    const note = `No rule is removed, because it is not known what all firewalls receive. ${reasons.join(" ")}`;
    return { report: { ...unchanged, isUnchecked: true, notes: [note] }, edits: [] };
  }
  const policies = rulebases.flatMap((each) => each.policies()[0] ?? []);
  if (rules === undefined) {
    const hasRules = policies.some(({ rules: all, disabled = [] }) =>
      [...all.map(({ key }) => key), ...disabled].some(({ group }) => group === scope),
    );
    return { report: { ...unchanged, notes: hasRules ? [`not supported yet: rules of ${scope}.`] : [] }, edits: [] };
  }
  const site: Site = { base, scope, rulebases, policies, rules, question, accepted: acceptedIn(base, place, question) };
  const after = (steps: readonly Step[]) => policiesAfter(site, editsOf(steps));
  const kept: Kept[] = [];
  const idle = question.onlyEndsWithin === undefined ? [...idleSteps(site, kept), ...disabledSteps(site)] : [];
  const done = new Set(idle.map(({ at }) => at));
  const calm = after(idle);
  if (!policies.every((policy, at) => changesNothing(withUnreadRules(policy), withUnreadRules(calm[at] as Policy))))
    throw new Error(`the removal of rules without effect changes flows of ${scope}`);
  const notes = placeNotes(site);
  const ended = endedSteps(site, done, kept);
  for (const { at, action } of ended) if (action !== "remove-member") done.add(at);
  const unused = await unusedSteps(site, done, kept, notes);
  const changing = await withoutBroken(site, idle, [...ended, ...unused], kept);
  const steps = [...idle, ...changing];
  const effect = changing.length === 0 ? NO_EFFECT : effectWords(calm, after(steps), notes);
  return { report: { scope, steps: steps.map(withoutEdits), kept, effect, notes }, edits: editsOf(steps) };
}

/** Returns the policies after edits. Reads both versions, because application names in one of them affect the meaning of the other. */
function policiesAfter({ base: { reader, tree, options }, rulebases }: Site, edits: readonly Edit[]): readonly Policy[] {
  const all = reader.rulebases([tree, withEdits(tree, edits)], options);
  return rulebases.map((rulebase) => {
    const [key = ""] = keysOf(rulebase);
    const policy = all.find((each) => keysOf(each).includes(key))?.policies()[1];
    if (policy === undefined) throw new Error(`an edit keeps the rulebase ${rulebase.scope}`);
    return policy;
  });
}

/** Returns notes about the firewalls of a manager that have the rules, and about rules that were not read. */
function placeNotes({ scope, rulebases, policies }: Site): string[] {
  const names = firewallNamesOf(rulebases);
  const texts = new Set(policies.flatMap(({ unread }) => unread?.text ?? []));
  const unread = [...texts].map((text) => {
    const where = firewallNamesOf(rulebases.filter((_, at) => policies[at]?.unread?.text === text));
    return `Not checked${where === "" ? "" : ` on ${where}`}: ${text}`;
  });
  return [...(names === "" ? [] : [`Rules of ${scope} apply to ${names}.`]), ...unread];
}

const editsOf = (steps: readonly Step[]): Edit[] => steps.flatMap(({ edits }) => edits);

function withoutEdits({ edits: _, at: __, ...step }: Step): CleanupStep {
  return step;
}

function acceptedIn({ context }: AccessBase, { scope, rulebases }: CleanupPlace, { today }: CleanupQuestion): ReadonlyMap<string, string> {
  const { policies, desired } = context;
  const places = new Set(rulebases.flatMap(({ within }) => within));
  const here = (desired.overlaps ?? []).filter(({ place, until }) => until >= today && places.has(policies?.scopeAt(place) ?? scope));
  return new Map(here.flatMap(({ name, overlaps }) => overlaps.map((rule) => [rule, name])));
}

function existingOf({ rules }: Site, { key }: Rule): ExistingRule | undefined {
  const id = ruleId(key);
  return rules.find((rule) => ruleId(rule) === id);
}

/** Returns why a rule must stay, whatever its finding. */
function reasonToKeep(site: Site, rule: Rule): string | undefined {
  const existing = existingOf(site, rule);
  if (existing === undefined) return "it is a rule of a manager";
  if (!existing.isDeclared) return "no document declares it";
  const by = site.accepted.get(existing.name);
  return by === undefined ? undefined : `${by} accepts the finding`;
}

/** Returns the step that removes or disables a rule. Adds the rule to `kept` if that is not possible. */
function stepFor({ question, base }: Site, rule: ExistingRule, kind: CleanupKind, facts: Partial<CleanupStep>, kept: Kept[]): Step[] {
  const where = whereOf(base, rule);
  const isDisabled = question.disable && kind !== "disabled";
  const edits: readonly Edit[] | undefined = isDisabled ? base.designer.disable(rule, question.today) : [{ kind: "remove", at: rule.path }];
  if (edits === undefined) {
    kept.push({ rule: rule.name, kind, reason: "its description has no room for the day" });
    return [];
  }
  const at = rule.path.toString();
  return [{ action: isDisabled ? "disable" : "remove", kind, rule: rule.name, where, by: [], ...facts, edits, at }];
}

function whereOf({ options }: AccessBase, { path }: ExistingRule): Where {
  return options.locate?.(path) ?? { xpath: path.toString() };
}

function idleSteps(site: Site, kept: Kept[]): Step[] {
  const { policies, rulebases } = site;
  const found: IdleRules = idleTogether(policies, (rule) => reasonToKeep(site, rule) === undefined);
  // Rules of other device groups, and local rules, are not rules of this place.
  const isManager = rulebases.some(({ firewalls }) => firewalls !== undefined);
  for (const { rule, kind } of found.fixed)
    if (!isManager || existingOf(site, rule) !== undefined)
      kept.push({ rule: rule.key.name, kind, reason: reasonToKeep(site, rule) ?? "" });
  for (const { key } of found.needed)
    kept.push({ rule: key.name, kind: "redundant", reason: "it has an effect without the other removed rules" });
  for (const { key } of found.undecided)
    kept.push({ rule: key.name, kind: "undecided", reason: "the rules are too complex for an exact answer" });
  return found.idle.flatMap(({ kind, rule, by }) => {
    const existing = existingOf(site, rule);
    return existing === undefined ? [] : stepFor(site, existing, kind, { by: by.map(({ key }) => key.name) }, kept);
  });
}

/** Rules that an earlier run disabled, and expired rules that are disabled already. */
function disabledSteps(site: Site): Step[] {
  const { rules, question } = site;
  return rules.flatMap((rule) => {
    if (!rule.isDisabled || !rule.isDeclared) return [];
    const disabledOn = disabledDateIn(rule.description);
    if (disabledOn !== undefined)
      return daysUntil(question.today, disabledOn) >= question.deleteAfter ? stepFor(site, rule, "disabled", { disabledOn }, []) : [];
    return [];
  });
}

/** Returns whether the last day is over, or near enough for the question. */
export function isNear(until: string, { today, onlyEndsWithin }: CleanupQuestion): boolean {
  return onlyEndsWithin === undefined ? until < today : daysUntil(until, today) <= onlyEndsWithin;
}

/** Returns the kind of finding for a last day. */
export function endKind(until: string, { today }: CleanupQuestion): "expired" | "expires-soon" {
  return until < today ? "expired" : "expires-soon";
}

/** Rules and members after their last day. */
function endedSteps(site: Site, done: ReadonlySet<string>, kept: Kept[]): Step[] {
  const { rules, question } = site;
  const steps: Step[] = [];
  const ended = new Set(done);
  for (const rule of rules) {
    const at = rule.path.toString();
    const until = endDatesIn(rule.description).find((end) => end.member === undefined && isNear(end.until, question))?.until;
    if (until === undefined || rule.isDisabled || ended.has(at)) continue;
    if (!rule.isDeclared) kept.push({ rule: rule.name, kind: endKind(until, question), reason: "no document declares it" });
    else steps.push(...stepFor(site, rule, endKind(until, question), { until }, kept));
    ended.add(at);
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
    const place = base.designer.endingMembers({ scope, tree, declared: base.declared }).find(({ until, path, member }) => {
      const at = path.toString();
      const isKnown = done.has(`${at} ${member.list} ${member.name}`) || ended.has(at) || done.has(at);
      return isNear(until, question) && !isKnown;
    });
    if (place === undefined) return steps.filter(({ action, at }) => action !== "remove-member" || !done.has(at));
    const { until, member, where, rule, edits } = place;
    const at = place.path.toString();
    const existing = rules.find(({ path }) => path.equals(place.path));
    done.add(`${at} ${member.list} ${member.name}`);
    if (edits !== undefined) {
      const text = `${member.name} from ${where}`;
      steps.push({
        action: "remove-member",
        kind: endKind(until, question),
        rule: rule ?? where,
        where: existing === undefined ? { xpath: at } : whereOf(base, existing),
        member: text,
        by: [],
        until,
        edits,
        at,
      });
      tree = withEdits(tree, edits);
    } else if (existing === undefined)
      kept.push({ rule: where, kind: endKind(until, question), reason: `${member.name} is its only member` });
    else {
      steps.push(...stepFor(site, existing, endKind(until, question), { until }, kept));
      done.add(at);
    }
  }
}

async function unusedSteps(site: Site, done: ReadonlySet<string>, kept: Kept[], notes: string[]): Promise<Step[]> {
  const { base, scope, policies, rulebases, question } = site;
  const { unused } = question;
  const [policy] = policies;
  if (unused === undefined || policy === undefined) return [];
  if (rulebases.some(({ firewalls }) => firewalls !== undefined)) return await unusedOfManager(site, unused, done, kept, notes);
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
    const existing = rule === undefined ? undefined : existingOf(site, rule);
    if (rule === undefined || (existing !== undefined && done.has(existing.path.toString()))) continue;
    const reason = reasonToKeep(site, rule) ?? (rule.verdict !== "allow" && !question.acceptExcess && opens(rule) ? OPENS : undefined);
    if (reason !== undefined || existing === undefined) kept.push({ rule: name, kind: "unused", reason: reason ?? "" });
    else steps.push(...stepFor(site, existing, "unused", { lastHit, countedSince }, kept));
  }
  return steps;
}

/** Rules of a device group that no firewall used. */
async function unusedOfManager(site: Site, unused: Unused, done: ReadonlySet<string>, kept: Kept[], notes: string[]): Promise<Step[]> {
  const { base, scope, rules, question } = site;
  const candidates = rules.filter((rule) => !rule.isDisabled && !done.has(rule.path.toString()));
  const wanted = candidates.flatMap(({ level, name }) => (level === "pre" || level === "post" ? [{ level, name } as const] : []));
  const hits = wanted.length === 0 ? [] : await base.target.counters?.managedRuleHits?.(scope, wanted);
  if (hits === undefined) {
    notes.push(`The use of the rules of ${scope} is unknown: ${base.context.name} has no counters for them.`);
    return [];
  }
  const checks = new Map<Policy, ReturnType<typeof openingCheck>>();
  const opensIn = (policy: Policy) => {
    const check = checks.get(policy) ?? openingCheck(policy);
    checks.set(policy, check);
    return check;
  };
  const steps: Step[] = [];
  const unknown: string[] = [];
  for (const existing of candidates) {
    const places = placesOf(site, existing);
    const firewalls = places.flatMap((place) => place.firewalls);
    const use = useOnFirewalls({ ...existing, firewalls }, hits, unused);
    if (use === "unknown") unknown.push(existing.name);
    if (typeof use === "string") continue;
    const opens = places.some(({ policy, rule }) => rule.verdict !== "allow" && opensIn(policy)(rule));
    const [{ rule } = { rule: undefined }] = places;
    const reason = (rule && reasonToKeep(site, rule)) ?? (opens && !question.acceptExcess ? OPENS : undefined);
    if (reason !== undefined) kept.push({ rule: existing.name, kind: "unused", reason });
    else steps.push(...stepFor(site, existing, "unused", use, kept));
  }
  if (unknown.length > 0) notes.push(`Not counted for long enough on all firewalls: ${unknown.join(", ")}.`);
  return steps;
}

/** Returns the policies that contain a rule of a manager, with their firewalls. */
function placesOf({ rulebases, policies }: Site, existing: ExistingRule) {
  const id = ruleId(existing);
  return policies.flatMap((policy, at) => {
    const rule = policy.rules.find(({ key }) => ruleId(key) === id);
    return rule === undefined ? [] : [{ policy, rule, firewalls: rulebases[at]?.firewalls ?? [] }];
  });
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

/** Returns the flows that a change opens, closes, or handles otherwise, in one of the policies or more. */
export function effectWords(before: readonly Policy[], after: readonly Policy[], notes: string[]): CleanupEffect {
  const found: Record<keyof CleanupEffect, Map<string, FlowWords>> = { opened: new Map(), closed: new Map(), handled: new Map() };
  let isExact = true;
  for (const [index, policy] of before.entries()) {
    const { model, isComplete, ...regions } = effectOf(policy, after[index] as Policy);
    isExact &&= isComplete;
    const names = new AddressNames(policy.rules, new AmbiguousNames(policy.rules));
    for (const kind of ["opened", "closed", "handled"] as const)
      for (const words of pairedFlows(regions[kind], model, names)) found[kind].set(JSON.stringify(words), words);
  }
  if (!isExact) notes.push("The rules are too complex: more flows may be affected.");
  return { opened: [...found.opened.values()], closed: [...found.closed.values()], handled: [...found.handled.values()] };
}
