import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import { type FlowAssertion, type FlowWords, isHouseRule, isOfFlows } from "../../desired/assertions.js";
import type { TargetConfiguration } from "../../desired/configuration.js";
import type { DesiredTarget } from "../../desired/model.js";
import type { FlowSet } from "../../insight/policy.js";
import type { JudgedAssertion } from "../../outcome/assertion.js";
import type { PolicyOptions, PolicyReader, PolicyRole } from "../policies.js";
import type { AskedFlows, JudgedVersion } from "./assertion-words.js";
import { declaredAt } from "./declared-at.js";

/** The rules of a target before and after a change; one and the same tree where nothing changes. */
export interface Versions {
  readonly before: TreeNode;
  readonly after: TreeNode;
}

export interface AssertionSource {
  /** Undefined of a kind whose rules are not judged, and of which no flows are asserted. */
  readonly role: PolicyRole | undefined;
  readonly desired: DesiredTarget;
  readonly configuration: TargetConfiguration;
}

/** Judges what documents assert of a target: of flows in each rulebase that they speak of, and of its configuration. */
export async function judgeAssertions(source: AssertionSource, versions: Versions): Promise<JudgedAssertion[]> {
  const { assertions = [] } = source.desired;
  const flows = assertions.filter(isOfFlows);
  const rules = assertions.filter(isHouseRule);
  const judged = [
    ...(flows.length === 0 ? [] : await judgeFlows(flows, source, versions)),
    ...(rules.length === 0 ? [] : (await import("./house-rules.js")).judgeHouseRules(rules, source.desired, versions)),
  ];
  return assertions.flatMap(({ name }) => judged.filter((each) => each.name === name));
}

async function judgeFlows(
  assertions: readonly FlowAssertion[],
  { role, desired, configuration }: AssertionSource,
  versions: Versions,
): Promise<JudgedAssertion[]> {
  if (role === undefined) throw new Error(`rules of ${desired.target} are not judged`);
  const [reader, { judgeIn }] = await Promise.all([role.load(), import("./assertion-words.js")]);
  const same = versions.before === versions.after;
  const trees = same ? [versions.after] : [versions.before, versions.after];
  const told: PolicyOptions = { configuration, locate: (path) => declaredAt(desired, path) };
  const read = reader.policies(trees, told);
  const [before = [], after = before] = read;
  const known = [...new Set([...before, ...after].map(({ scope }) => scope))];
  const spoken = assertions.map((assertion) => ({ assertion, scope: reader.scopeAt(assertion.place) }));
  const scopes = [...new Set([...known, ...spoken.flatMap(({ scope }) => scope ?? [])])];
  const judged = scopes.flatMap((scope) => {
    const own = spoken.filter((each) => each.scope === undefined || each.scope === scope).map(({ assertion }) => assertion);
    if (own.length === 0) return [];
    const versionOf = (policies: typeof after, root: TreeNode): JudgedVersion => ({
      policy: policies.find((policy) => policy.scope === scope),
      asked: own.map((assertion) => askedOf(reader, root, scope, assertion, told)),
    });
    const now = versionOf(after, versions.after);
    return judgeIn(scope, own, [same ? now : versionOf(before, versions.before), now], desired.sources);
  });
  return assertions.flatMap(({ name }) => withoutElsewhere(judged.filter((each) => each.name === name)));
}

/** What is asserted of all rulebases may speak of a zone that some of them do not have. */
function withoutElsewhere(judged: readonly JudgedAssertion[]): readonly JudgedAssertion[] {
  const spoken = judged.filter(({ state, before }) => state !== "empty" || before !== "empty");
  return spoken.length === 0 ? judged.slice(0, 1) : spoken;
}

function askedOf(reader: PolicyReader, root: TreeNode, scope: string, { flows, except }: FlowAssertion, told: PolicyOptions): AskedFlows {
  const of = (words: FlowWords): FlowSet => reader.flows(root, scope, words, told);
  try {
    return { flows: of(flows), except: except.map(of) };
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "flow-not-understood") return error;
    throw error;
  }
}
