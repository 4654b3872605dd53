import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Policy } from "../../insight/policy.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import type { Lint, Reach } from "../../outcome/reach.js";
import { openTarget } from "../pass/opened-target.js";
import type { PassOptions, Readers } from "../pass/options.js";
import { passOver, startPass } from "../pass/pass-over.js";
import type { FlowQuestion, PolicyOptions, PolicyReader } from "../policies.js";
import type { View } from "../target.js";
import { declaredAt } from "./declared-at.js";

/** Which rules are asked. */
export interface Asked {
  readonly view: View;
  /** One rulebase (`vsys2`); all of the target's when undefined. */
  readonly scope: string | undefined;
}

export interface Answered<Answer> {
  readonly outcome: TargetOutcome;
  readonly answers: readonly Answer[];
}

/** What the rules of targets make of a question's flows. */
export async function reachTargets(
  options: PassOptions,
  readers: Readers,
  asked: Asked,
  question: FlowQuestion,
): Promise<Answered<Reach>[]> {
  const { reachIn } = await import("./reach-words.js");
  return await askRules(options, readers, asked, (policy, reader, root, told) =>
    reachIn(policy, reader.flows(root, policy.scope, question, told)),
  );
}

/** Rules of targets that do nothing, or nothing that others do not do. */
export async function lintTargets(options: PassOptions, readers: Readers, asked: Asked): Promise<Answered<Lint>[]> {
  const { lintOf } = await import("./lint-words.js");
  return await askRules(options, readers, asked, lintOf);
}

async function askRules<Answer>(
  options: PassOptions,
  readers: Readers,
  { view, scope }: Asked,
  ask: (policy: Policy, reader: PolicyReader, root: TreeNode, options: PolicyOptions) => Answer,
): Promise<Answered<Answer>[]> {
  const found = new Map<string, Answer[]>();
  const contexts = await startPass({ ...options, acceptKnownAfterApply: true }, readers);
  const concerned = options.targets.length > 0 ? contexts : contexts.filter(({ policies }) => policies !== undefined);
  const outcomes = await passOver(concerned, readers.reader, async (target, context, draft) => {
    const { policies: role, desired, name, configuration } = context;
    if (role === undefined)
      throw new PlumblineError("rules-not-read", `Rules of targets of kind ${target.kind} cannot be asked.`, {
        where: { target: name },
        next: "Name a firewall.",
      });
    await openTarget(target, context, draft);
    const root = await target.read(role.subtrees(desired.root), view);
    const reader = await role.load();
    const told: PolicyOptions = { configuration, locate: (path) => declaredAt(desired, path) };
    const [all = []] = reader.policies([root], told);
    const policies = all.filter((policy) => scope === undefined || policy.scope === scope);
    if (scope !== undefined && policies.length === 0) {
      const next = `It has ${all.map((policy) => policy.scope).join(", ")}.`;
      throw new PlumblineError("rulebase-unknown", `There is no rulebase "${scope}".`, { where: { target: name }, next });
    }
    found.set(
      name,
      policies.map((policy) => ask(policy, reader, root, told)),
    );
  });
  return outcomes.map((outcome) => ({ outcome, answers: found.get(outcome.target) ?? [] }));
}
