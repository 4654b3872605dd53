import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { DesiredNode } from "../../desired/model.js";
import { addressesAsShown, interfacesAsShown, pairsAsShown } from "./address-form.js";
import { floatingIpAsShown } from "./floating-ip-form.js";
import { imageAsShown } from "./image-form.js";
import { withChildren } from "./map-children.js";
import { poolAsShown } from "./prefixes.js";
import { rulesAsShown } from "./rule-form.js";
import { bareIn, groupsAsShown } from "./security-group-form.js";

/** Parts of the live state that several entries need. */
interface Around {
  readonly isBare: ReturnType<typeof bareIn>;
  readonly ports: TreeNode | undefined;
}

type Wording = (entry: DesiredNode, live: TreeNode, around: Around) => DesiredNode;

/** Converts declared entries to the form of the live ones, by list. */
const WORDINGS: Readonly<Record<string, Wording>> = {
  floatingips: floatingIpAsShown,
  subnetpools: poolAsShown,
  ports: (port, live) => addressesAsShown(pairsAsShown(port, live), live, "fixed_ips"),
  security_groups: rulesAsShown,
  servers: (server, live, { isBare, ports }) => imageAsShown(groupsAsShown(interfacesAsShown(server, live, ports), live, isBare), live),
  volumes: imageAsShown,
  routers: (router, live) => addressesAsShown(router, live, "external_fixed_ips"),
};

/** Converts the desired state to the form of the live state, so that different forms of the same content are not a difference. */
export function inLiveForm(desired: DesiredNode, live: TreeNode): DesiredNode {
  const around = { isBare: bareIn(desired, live), ports: childByTag(live, "ports") };
  return mapped(desired, (list) => {
    const wording = WORDINGS[list.tag];
    const current = wording === undefined ? undefined : childByTag(live, list.tag);
    if (wording === undefined || current === undefined) return list;
    const lives = new Map(current.children.map((entry) => [entry.name, entry]));
    return mapped(list, (entry) => {
      const there = lives.get(entry.name);
      return there === undefined ? entry : wording(entry, there, around);
    });
  });
}

function mapped(node: DesiredNode, map: (child: DesiredNode) => DesiredNode): DesiredNode {
  const children = node.children.map(map);
  return children.every((child, index) => child === node.children[index]) ? node : withChildren(node, children);
}
