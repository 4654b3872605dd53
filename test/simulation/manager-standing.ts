import type { TreeNode } from "../../src/core/tree/node.js";
import type { LabDevice } from "../../src/lab/panos/device.js";
import { groupMembers, stackMembers } from "../../src/lab/panos/manager/memberships.js";
import { sumOf } from "../../src/lab/panos/manager/policy-projection.js";
import { groupSum } from "../../src/lab/panos/manager/receive.js";
import { templateOf } from "../../src/lab/panos/manager/template-projection.js";
import { SERIALS } from "../lab/panos/manager/managed-lab.js";
import { LETTERS, type Letter } from "./manager-script.js";

const MARK = /^theirs-\d+$/;

/** The lab's knowledge of one firewall at a moment. */
export interface Standing {
  readonly letter: Letter;
  readonly isConnected: boolean;
  /** By checksum: it has what its manager would push now. */
  readonly policy: boolean;
  readonly template: boolean;
  /** For all names that documents ever declared: the pushed values, and the running values on the manager. */
  readonly held: Readonly<Record<string, string>>;
  readonly due: Readonly<Record<string, string>>;
  readonly theirs: ReadonlySet<string>;
}

/** The current state of all firewalls of the manager. */
export function standingOf(manager: LabDevice): readonly Standing[] {
  const { running } = manager;
  const all = valuesIn(running);
  return manager.firewalls.map((firewall) => {
    const letter = letterOf(firewall.serial);
    const { handed, isConnected = false } = firewall.attachment ?? {};
    const groups = ["all", "offices", "branch", "plants"].filter((group) =>
      groupMembers(running, group).some(({ serial }) => serial === firewall.serial),
    );
    const stack = ["branches", "plants-stack"].find((name) => stackMembers(running, name).includes(firewall.serial));
    const systems = letter === "c" ? ["vsys1", "vsys2"] : ["vsys1"];
    const reaches: Readonly<Record<string, boolean>> = {
      g: groups.includes("branch") || groups.includes("offices"),
      p: groups.includes("plants"),
      s: groups.length > 0,
      t: stack === "branches",
    };
    const held: Record<string, string> = {};
    for (const { tree } of handed?.policies.values() ?? []) Object.assign(held, valuesIn(tree));
    if (handed?.shared !== undefined) Object.assign(held, valuesIn(handed.shared));
    if (handed?.template !== undefined) Object.assign(held, valuesIn(handed.template.tree));
    const isReached = ([name]: readonly [string, string]) => reaches[name[0] ?? ""] === true;
    return {
      letter,
      isConnected,
      policy: groups.every((group) => systems.every((vsys) => handed?.policies.get(vsys)?.sum === groupSum(manager, group))),
      template: stack === undefined || handed?.template?.sum === sumOf(templateOf(running, stack, firewall.serial)),
      held: Object.fromEntries(Object.entries(held).filter(isReached)),
      due: Object.fromEntries(Object.entries(all).filter(isReached)),
      theirs: marksOf(firewall),
    };
  });
}

export function letterOf(serial: string): Letter {
  return LETTERS.find((letter) => SERIALS[letter] === serial) ?? "a";
}

/** Declared values by name, in any place. */
function valuesIn(node: TreeNode, found: Record<string, string> = {}): Record<string, string> {
  if (node.tag === "timezone") found.t = node.text;
  if (node.tag === "entry" && /^[gps]\d$/.test(node.name ?? "")) found[node.name ?? ""] = node.children[0]?.text ?? "";
  for (const child of node.children) valuesIn(child, found);
  return found;
}

/** Values of another administrator that a firewall got by a push. */
export function marksOf({ attachment }: LabDevice): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (node: TreeNode): void => {
    for (const word of [node.name, node.text]) if (word !== undefined && MARK.test(word)) found.add(word);
    node.children.forEach(add);
  };
  const { policies, shared, template } = attachment?.handed ?? { policies: new Map(), shared: undefined, template: undefined };
  for (const { tree } of policies.values()) add(tree);
  if (shared !== undefined) add(shared);
  if (template !== undefined) add(template.tree);
  return found;
}
