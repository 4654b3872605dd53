import type { DesignConventions } from "../../../access/designer.js";
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
/** Characters that the number of a name needs. */
const NUMBER = 4;
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

/** Names of a request for the name of a new group. */
export interface NameWords {
  readonly from: string;
  readonly to: string;
  readonly service: string;
  readonly note: string;
}

/** Returns a name that no group has. Without `{n}`, a number follows the second and later names. */
export function groupName(
  { note, ...words }: NameWords,
  taken: ReadonlySet<string>,
  { ruleName = USUAL_NAME }: DesignConventions = {},
): string {
  const [reason = ""] = /[A-Za-z0-9._-]+/.exec(note) ?? [];
  const values: Readonly<Record<string, string>> = { ...words, application: words.service, reason };
  const fill = (n: number): string => {
    const word = (name: string) => (name === "n" ? String(n) : (values[name] ?? "").replaceAll(/[^A-Za-z0-9._-]+/g, "-"));
    const filled = ruleName.replaceAll(/\{(\w+)\}/g, (_, name: string) => word(name));
    return (
      filled
        .replace(/^[^A-Za-z0-9]+/, "")
        .slice(0, LONGEST_NAME - NUMBER)
        .trimEnd() || "access"
    );
  };
  const isNumbered = fill(1) !== fill(2);
  for (let n = 1; ; n++) {
    const name = n === 1 || isNumbered ? fill(n) : `${fill(n)}-${n}`;
    if (!taken.has(name)) return name;
  }
}
