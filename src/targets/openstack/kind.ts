import { childByTag } from "../../core/tree/lookup.js";
import { checkText } from "../../desired/leaf-types.js";
import type { TargetKind } from "../../engine/target-kind.js";
import { literalFault } from "../../reachability/kit/literal-fields.js";
import type { OpenstackTargetConfiguration } from "../openstack-client/configuration.js";
import { canonicalDocument } from "./canonical-document.js";
import { listsWithoutDefaults } from "./default-rules.js";
import { openstackPolicies } from "./policy-role.js";
import { ruleEndsIn } from "./rule-ends.js";
import { openstackSettings } from "./settings.js";
import { openstackShape, PROJECT, ROOT_PATH, ROOT_TAG, shapeOf } from "./shape.js";

/** One project of a cloud. */
export const openstackKind: TargetKind<OpenstackTargetConfiguration> = {
  kind: "openstack",
  settings: openstackSettings,
  guards: async () => (await import("./guards.js")).openstackGuards,
  networks: "service",
  policies: openstackPolicies,
  designer: async () => (await import("./access/designer.js")).openstackDesigner,
  flowWordFault: (field, word) => literalFault(field, word, { rules: "security groups", zones: "groups, ports and servers" }),
  connect: async (logger) => (await import("./connections.js")).openstackConnections(logger),
  rootTag: ROOT_TAG,
  get shape() {
    return openstackShape();
  },
  scopeWords: [PROJECT],
  strict: true,
  canonical: canonicalDocument,
  place: (scope) => (scope === PROJECT ? ROOT_PATH : undefined),
  derive(list, tag, text) {
    if (list.tag !== "subnets" || (tag !== "address" && tag !== "prefix-len")) return undefined;
    const [address, length] = text("cidr")?.split("/") ?? [];
    return tag === "address" ? address : length;
  },
  isPlatforms(entry, path) {
    const is = (tag: string, text: string) => childByTag(entry, tag)?.text === text;
    if (path.parent?.tag === "subnetpools") return is("shared", "true");
    if (path.parent?.tag === "networks") return is("shared", "true") || is("router:external", "true");
    if (path.parent?.tag === "security_groups") return entry.name === "default" || is("shared", "true");
    return path.parent?.tag === "ports" && (childByTag(entry, "device_owner")?.text ?? "") !== "";
  },
  ruleEnds: (root) => ruleEndsIn(root).map(({ path: _, ...end }) => end),
  exclusiveLists: listsWithoutDefaults,
  checkName(list, name) {
    const { type } = shapeOf(list).child("entry");
    const expected = type === undefined ? undefined : checkText(type, name);
    return expected === undefined ? undefined : `is not ${expected}`;
  },
};
