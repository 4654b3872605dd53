import type { TreeNode } from "../../../core/tree/node.js";
import { escapeText } from "../../../core/tree/xml/escape.js";
import { result } from "../http/reply.js";
import { child, vsysEntries } from "../state/system-facts.js";
import { texts } from "../traffic/objects.js";
import type { OperationCall, OperationTable } from "./operation.js";

export const RUNNING_POLICY_OPERATIONS: OperationTable = {
  "show/running/security-policy": { needs: "extras", run: (call) => policy(call) },
};

/**
 * Prints the security rules of a virtual system, one block for each rule. Measured by OptivEdgeIntegrations: services are printed as
 * `0:any/any/any/any`, or `0:any/any/any/app-default`. The lab prints names of objects instead of their values.
 */
function policy({ device, vsys }: OperationCall) {
  const system = vsysEntries(device.running).find(({ name }) => name === (vsys ?? "vsys1"));
  const rules = child(child(child(system, "rulebase"), "security"), "rules")?.children ?? [];
  const active = rules.filter((rule) => child(rule, "disabled")?.text !== "yes");
  return result(escapeText(active.map((rule, index) => block(rule, index + 1)).join("")));
}

function block(rule: TreeNode, index: number): string {
  const list = (tag: string): string => {
    const members = texts(child(rule, tag));
    return members.length > 1 ? `[ ${members.join(" ")} ]` : (members[0] ?? "any");
  };
  const services = texts(child(rule, "service"));
  const applications = texts(child(rule, "application"));
  const pairs = applications.flatMap((application) => services.map((service) => `${application}/any/any/${portOf(service)}`));
  const lines = [
    `from ${list("from")};`,
    `source ${list("source")};`,
    "source-region none;",
    `to ${list("to")};`,
    `destination ${list("destination")};`,
    "destination-region none;",
    `user ${list("source-user")};`,
    `category ${list("category")};`,
    `application/service ${pairs.map((pair, at) => `${at}:${pair}`).join(" ")};`,
    `action ${child(rule, "action")?.text ?? "deny"};`,
    "icmp-unreachable: no",
    "terminal yes;",
  ];
  return `"${rule.name}; index: ${index}" {\n${lines.map((line) => `        ${line}\n`).join("")}}\n\n`;
}

function portOf(service: string): string {
  return service === "application-default" ? "app-default" : service;
}
