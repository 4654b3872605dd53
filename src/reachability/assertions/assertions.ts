import { PlumblineError } from "../../core/errors.js";
import { groupBy } from "../../core/group-by.js";
import { TreeNode } from "../../core/tree/node.js";
import { type FlowAssertion, type FlowWords, isHouseRule, isOfFlows, isOfPath, isSent } from "../../desired/assertions.js";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";
import type { DesiredTarget } from "../../desired/model.js";
import { gravityOf, type JudgedAssertion } from "../../outcome/assertion.js";
import { type FlowQuestion, type InsightWork, isOfWork, type JudgedVersion, workHere } from "../changes/analysis.js";
import type { FlowSet } from "../flows/policy.js";
import type { PolicyRole, Rulebase } from "../policy-role.js";
import type { PolicyTarget } from "../policy-target.js";
import { policyOptions } from "../predefined.js";
import { declaredAssertion } from "./declared-assertion.js";
import type { Surroundings } from "./path-assertions.js";

/** The rules of a target before and after a change. The same tree twice if there is no change. */
export interface Versions {
  readonly before: TreeNode;
  readonly after: TreeNode;
}

export interface AssertionSource {
  /** Undefined of a kind whose rules are not judged, and of which no flows are asserted. */
  readonly role: PolicyRole | undefined;
  readonly desired: DesiredTarget;
  readonly configuration: TargetConfiguration;
  /** Needed for assertions about paths through several targets. */
  readonly around?: Surroundings | undefined;
  /** Reads the applications that the target defines itself. Without it, every application name is accepted. */
  readonly target?: Pick<PolicyTarget, "resolver"> | undefined;
  /** Runs the calculation. Default: this process. */
  readonly work?: InsightWork | undefined;
}

/** Judges all assertions of a target: about flows per rulebase, about paths, and about its configuration. */
export async function judgeAssertions(source: AssertionSource, versions: Versions): Promise<JudgedAssertion[]> {
  const { assertions = [] } = source.desired;
  const flows = assertions.filter(isOfFlows);
  const rules = assertions.filter(isHouseRule);
  const paths = assertions.filter(isOfPath);
  const judged = [
    ...(paths.length === 0 ? [] : await (await import("./path-assertions.js")).judgePaths(paths, source, versions)),
    ...(flows.length === 0 ? [] : await judgeFlows(flows, source, versions)),
    ...(rules.length === 0 ? [] : (await import("./house-rules.js")).judgeHouseRules(rules, source.desired, ownOf(versions, source.role))),
  ];
  return assertions.flatMap(({ name }) => judged.filter((each) => each.name === name));
}

/** Removes data of other services, because house rules are about the target's own configuration. */
function ownOf({ before, after }: Versions, role: PolicyRole | undefined): Versions {
  const tags = new Set(role?.borrowed.map(({ tag }) => tag));
  const own = (tree: TreeNode): TreeNode => {
    if (!tree.children.some(({ tag }) => tags.has(tag))) return tree;
    const kept = tree.children.filter(({ tag }) => !tags.has(tag));
    return new TreeNode(tree.tag, tree.name, tree.text, kept, tree.attributes);
  };
  const [one, other] = [own(before), own(after)];
  return before === after ? { before: other, after: other } : { before: one, after: other };
}

async function judgeFlows(
  assertions: readonly FlowAssertion[],
  { role, desired, configuration, target, work = workHere }: AssertionSource,
  versions: Versions,
): Promise<JudgedAssertion[]> {
  if (role === undefined) throw new Error(`rules of ${desired.target} are not judged`);
  const [reader, { judgeSent }] = await Promise.all([role.load(), import("./sent-assertions.js")]);
  const trees = versions.before === versions.after ? [versions.after] : [versions.before, versions.after];
  const applications = assertions.flatMap(({ flows, except }) => [flows, ...except].flatMap((words) => words.application));
  const options = await policyOptions(reader, trees, applications, { target, desired, configuration });
  const all = reader.rulebases(trees, options).filter(({ firewalls, isThere }) => firewalls === undefined || isThere.at(-1) === true);
  const spoken = assertions.map((assertion) => ({ assertion, scope: role.scopeAt(assertion.place) }));
  const declared = (assertion: FlowAssertion) => ({ said: declaredAssertion(assertion, desired.sources), some: assertion.some });
  const judgedOf = async (rulebase: Rulebase): Promise<JudgedAssertion[]> => {
    const { scope, within, firewalls, isSame } = rulebase;
    const here = spoken.filter((each) => each.scope === undefined || within.includes(each.scope)).map(({ assertion }) => assertion);
    const own = here.filter((assertion) => !isSent(assertion));
    if (here.length === 0) return [];
    try {
      const policies = rulebase.policies();
      const [before, after = before] = trees.map(
        (_, at): JudgedVersion => ({ policy: policies[at], asked: own.map((assertion) => questionOf(rulebase, at, assertion)) }),
      );
      if (before === undefined || after === undefined) throw new Error("there is no version");
      const isNew = firewalls !== undefined && before.policy === undefined;
      const found = [
        ...(own.length === 0
          ? []
          : await work.judge({ scope, assertions: own.map(declared), versions: [isNew || isSame ? after : before, after] })),
        ...here.filter(isSent).map((assertion) => judgeSent(rulebase, policies, assertion, desired.sources)),
      ];
      return found.map((each) => ({ ...(isNew ? causedByChange(each) : each), firewalls }));
    } catch (error) {
      if (firewalls === undefined || isOfWork(error)) throw error;
      const why = error instanceof Error ? error.message : String(error);
      return here.map((assertion) => ({ ...notJudged(assertion, desired, scope, why), firewalls }));
    }
  };
  const judged: JudgedAssertion[] = [];
  for (const rulebase of all) judged.push(...(await judgedOf(rulebase)));
  const known = new Set(all.flatMap(({ within }) => within));
  const absent = spoken.flatMap(({ assertion, scope }) => (scope === undefined || known.has(scope) ? [] : [{ assertion, scope }]));
  const nowhere = absent.map(({ assertion, scope }): JudgedAssertion => {
    const why = [`There is no rulebase "${scope}".`];
    return { ...declaredAssertion(assertion, desired.sources), scope, state: "empty", before: "empty", isByChange: false, why };
  });
  return assertions.flatMap(({ name }) => byGroup(withoutElsewhere([...judged, ...nowhere].filter((each) => each.name === name))));
}

/** A firewall that joins a group is new: a broken assertion on it counts as caused by the change. */
function causedByChange(judged: JudgedAssertion): JudgedAssertion {
  const { state, witness, accepted } = judged;
  const isOpen = state === "broken" || (state === "unknown" && witness !== undefined && accepted === undefined);
  return { ...judged, before: "holds", isByChange: isOpen };
}

function notJudged(assertion: FlowAssertion, { sources }: DesiredTarget, scope: string, why: string): JudgedAssertion {
  return {
    ...declaredAssertion(assertion, sources),
    scope,
    state: "unknown",
    before: "unknown",
    isByChange: false,
    why: [`It could not be judged: ${why}`],
  };
}

/** Summarises the firewalls of a device group: the most severe result, with all firewalls that share it. */
function byGroup(judged: readonly JudgedAssertion[]): JudgedAssertion[] {
  return [...groupBy(judged, ({ scope }) => scope)].flatMap(([, all]) => {
    const managed = all.filter(({ firewalls }) => firewalls !== undefined);
    const [gravest] = [...managed].sort(gravestFirst);
    if (gravest === undefined) return all;
    const { state, isByChange, before } = gravest;
    const same = managed.filter((each) => each.state === state && each.isByChange === isByChange && each.before === before);
    const firewalls = same.flatMap((each) => each.firewalls ?? []);
    const others = managed.reduce((sum, each) => sum + (each.firewalls?.length ?? 0), 0) - firewalls.length;
    return [{ ...gravest, firewalls, ...(others === 0 ? {} : { others }) }];
  });
}

function gravestFirst(one: JudgedAssertion, other: JudgedAssertion): number {
  return Number(other.isByChange) - Number(one.isByChange) || gravityOf(other.state) - gravityOf(one.state);
}

/** Drops empty results if other rulebases have results: an assertion for all rulebases may name a zone that some lack. */
function withoutElsewhere(judged: readonly JudgedAssertion[]): readonly JudgedAssertion[] {
  const spoken = judged.filter(({ state, before }) => state !== "empty" || before !== "empty");
  return spoken.length === 0 ? judged.slice(0, 1) : spoken;
}

function questionOf(rulebase: Rulebase, version: number, { flows, except, verdict, some }: FlowAssertion): FlowQuestion {
  const of = (words: FlowWords): FlowSet => rulebase.flows(version, words);
  try {
    const flowSets = of(flows);
    const isClosed = verdict === "deny" && !some;
    return { flows: flowSets, except: except.map(of), translated: isClosed ? rulebase.translated?.(version, flowSets) : undefined };
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "flow-not-understood") return { notUnderstood: error.message };
    throw error;
  }
}
