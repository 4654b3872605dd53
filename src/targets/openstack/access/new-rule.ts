import type { DesignConventions } from "../../../access/designer.js";
import { freeName, type NameWords } from "../../../access/rule-name.js";
import { contentKey } from "../../../core/tree/content-key.js";
import { TreeNode } from "../../../core/tree/node.js";
import { canonicalFields } from "../canonical-rule.js";
import type { GroupRule } from "../policy/groups.js";
import { protocolName } from "../policy/protocols.js";
import { openstackShape } from "../shape.js";
import type { Flows } from "./flows.js";

/** Maximum length of a description in the network service. */
export const LONGEST_DESCRIPTION = 255;
const LONGEST_NAME = 46;
const USUAL_NAME = "{from}-to-{to}";

/** Returns the rule of one end that allows a part of a request. */
export function ruleFor(part: Flows, direction: GroupRule["direction"], description: string): TreeNode {
  const [family, service] = [part.families[0] ?? "IPv4", part.services[0]];
  const remote = direction === "ingress" ? part.from : part.to;
  const isAllPorts = service?.first === 0 && service.last === 65_535;
  const written: Readonly<Record<string, string | undefined>> = {
    ethertype: family,
    protocol: service === undefined ? undefined : (protocolName(service.protocol) ?? String(service.protocol)),
    port_range_min: isAllPorts ? undefined : service?.first.toString(),
    port_range_max: isAllPorts ? undefined : service?.last.toString(),
    remote_ip_prefix: remote.group === undefined ? remote.prefixes[0]?.text : undefined,
  };
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["description", description === "" ? undefined : description],
    ["direction", direction],
    ["ethertype", family === "IPv4" ? undefined : family],
    ...Object.entries(canonicalFields((tag) => written[tag])),
    ["remote_group", remote.group],
  ];
  const children = fields.flatMap(([tag, text]) => (text === undefined ? [] : [new TreeNode(tag, undefined, text)]));
  const list = openstackShape().child("security_groups").child("entry").child("rules");
  return new TreeNode("entry", contentKey(new TreeNode("entry", undefined, "", children), list), "", children);
}

/** Returns a name that no group has, by the pattern of the conventions. */
export function groupName(words: Omit<NameWords, "application">, taken: ReadonlySet<string>, conventions: DesignConventions = {}): string {
  const { ruleName = USUAL_NAME } = conventions;
  return freeName(ruleName, { ...words, application: words.service }, (name) => taken.has(name), { longest: LONGEST_NAME });
}
