import { logicalRouterRules } from "./logical-router.js";
import { networkIpamRules } from "./network-ipam.js";
import { networkPolicyRules, securityGroupRules } from "./policies.js";
import { floatingIpPoolRules, floatingIpRules, instanceIpRules, virtualMachineInterfaceRules } from "./ports.js";
import { projectRules } from "./project.js";
import type { TypeRules } from "./type-rules.js";
import { virtualNetworkRules } from "./virtual-network.js";

const RULES: Readonly<Record<string, TypeRules>> = {
  project: projectRules,
  "virtual-network": virtualNetworkRules,
  "network-ipam": networkIpamRules,
  "network-policy": networkPolicyRules,
  "security-group": securityGroupRules,
  "logical-router": logicalRouterRules,
  "floating-ip-pool": floatingIpPoolRules,
  "virtual-machine-interface": virtualMachineInterfaceRules,
  "instance-ip": instanceIpRules,
  "floating-ip": floatingIpRules,
};
const NONE: TypeRules = {};

/** The rules of a type, which the controller applies in addition to storing objects. */
export function rulesOf(type: string): TypeRules {
  return RULES[type] ?? NONE;
}
