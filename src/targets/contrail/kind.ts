import { checkText } from "../../desired/leaf-types.js";
import type { TargetKind } from "../../engine/target-kind.js";
import { literalFault } from "../../reachability/kit/literal-fields.js";
import { ROOT, ROOT_PATH, SCOPE } from "./collections.js";
import { contrailPolicies } from "./policy-role.js";
import { ruleEndsIn } from "./rule-ends.js";
import { type ContrailTargetConfiguration, contrailSettings } from "./settings.js";
import { contrailShape } from "./shape.js";
import { isSystemObject } from "./system-objects.js";

export const contrailKind: TargetKind<ContrailTargetConfiguration> = {
  kind: "contrail",
  settings: contrailSettings,
  guards: async () => (await import("./guards.js")).contrailGuards,
  networks: "controller",
  policies: contrailPolicies,
  designer: async () => (await import("./access/designer.js")).contrailDesigner,
  flowWordFault: (field, word) => literalFault(field, word, { rules: "network policies", zones: "networks" }),
  connect: async (logger) => (await import("./connections.js")).contrailConnections(logger),
  rootTag: ROOT,
  get shape() {
    return contrailShape();
  },
  scopeWords: [SCOPE],
  strict: true,
  place: (scope) => (scope === SCOPE ? ROOT_PATH : undefined),
  ruleEnds: (root) => ruleEndsIn(root).map(({ path: _, ...end }) => end),
  isPlatforms: (entry) => isSystemObject(entry.name ?? ""),
  checkName(list, name) {
    const { type } = list
      .steps()
      .slice(1)
      .reduce((shape, step) => shape.child(step.tag), contrailShape())
      .child("entry");
    const expected = type === undefined ? undefined : checkText(type, name);
    return expected === undefined ? undefined : `is not ${expected}`;
  },
};
