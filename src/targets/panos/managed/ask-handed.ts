import { childByTag, find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import { HANDED } from "../borrowed.js";
import type { Sender } from "../client/client.js";
import { op } from "../client/request.js";
import { showPushedPolicy, showPushedTemplate } from "../commands.js";
import { requireSuccess } from "../device-errors.js";
import { meantFor, type Receiver } from "../policy/conditions.js";
import { pushedPolicyIn, pushedTemplateIn } from "../projection/pushed.js";
import { deviceEntry } from "../scope.js";

const SYSTEMS = deviceEntry.child("vsys");

/**
 * What a firewall says that its manager handed to it, as the node at `HANDED`: one question for each virtual system of `root`, one for
 * what several of them share, one for zones of its template. Rejects where the firewall does not say.
 */
export async function askHanded(client: Sender, root: TreeNode, serial: string): Promise<TreeNode> {
  const names = (find(root, SYSTEMS)?.children ?? []).flatMap(({ name }) => name ?? []);
  const ask = async (command: string) => requireSuccess(await client.send(op(command)), client.place).result;
  const isOne = names.length < 2;
  const [template, bare, policies] = await Promise.all([
    ask(showPushedTemplate).then(pushedTemplateIn),
    ask(showPushedPolicy(undefined)).then(pushedPolicyIn),
    isOne ? undefined : Promise.all(names.map(async (name) => pushedPolicyIn(await ask(showPushedPolicy(name))))),
  ]);
  const systems = names.map((name, at) => {
    const own = (policies?.[at] ?? bare).own?.children ?? [];
    const zone = template === undefined ? undefined : find(template, SYSTEMS.entry(name).child("zone"));
    const kept = own.map((child) => (child.tag.endsWith("-rulebase") ? forReceiver(child, { serial, vsys: name }) : child));
    return new TreeNode("entry", name, "", zone === undefined ? kept : [...kept, zone]);
  });
  const shared = bare.shared === undefined ? [] : [bare.shared];
  return new TreeNode(HANDED.tag, undefined, "", [...shared, new TreeNode("vsys", undefined, "", systems)]);
}

/** Without rules for other firewalls, which some devices are handed too; what is left is for this one. */
function forReceiver(rulebase: TreeNode, receiver: Receiver): TreeNode {
  const kinds = rulebase.children.map((kind) => {
    const rules = (childByTag(kind, "rules")?.children ?? []).flatMap((rule) => {
      const meant = meantFor(rule, receiver);
      if (meant === false) return [];
      const children = meant === true ? rule.children.filter(({ tag }) => tag !== "target") : rule.children;
      return [new TreeNode(rule.tag, rule.name, rule.text, children, rule.attributes)];
    });
    return new TreeNode(kind.tag, kind.name, "", [new TreeNode("rules", undefined, "", rules)]);
  });
  return new TreeNode(rulebase.tag, undefined, "", kinds);
}
