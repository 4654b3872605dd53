import type { Lint } from "../../outcome/reach.js";
import { compile } from "../flows/compile.js";
import { lint } from "../flows/lint.js";
import type { Policy } from "../flows/policy.js";

/** Finds rules that match no flow, are shadowed, or have no effect. */
export function lintOf(policy: Policy): Lint {
  const model = compile([policy]);
  const [compiled] = model.policies;
  if (compiled === undefined) throw new Error("one policy makes one");
  const findings = lint(model, compiled).map((finding) => ({
    kind: finding.kind,
    rule: finding.rule.key.name,
    where: finding.rule.origin,
    by: finding.kind === "shadowed" ? finding.by.map(({ key, origin }) => ({ name: key.name, where: origin })) : [],
  }));
  return { scope: policy.scope, rules: policy.rules.length, findings };
}
