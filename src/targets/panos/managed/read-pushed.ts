import { childByTag, find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { PanosClient } from "../client/client.js";
import { showPushedPolicy, showPushedTemplate } from "../client/commands.js";
import type { PanosRequest } from "../client/request.js";
import { meantFor, type Receiver } from "../policy/conditions.js";
import { pushedPolicyIn, pushedTemplateIn } from "../projection/pushed.js";
import { PUSHED_PATH } from "../pushed-paths.js";
import { deviceEntry } from "../scope.js";

const SYSTEMS = deviceEntry.child("vsys");

/**
 * Reads the configuration that a firewall received from its manager, as a node at `HANDED`. It sends one request per virtual system in
 * `root`, one for the shared part, and one for the zones of its template. Rejects if the firewall does not report it.
 */
export async function readPushed(client: PanosClient, root: TreeNode, serial: string): Promise<TreeNode> {
  const names = (find(root, SYSTEMS)?.children ?? []).flatMap(({ name }) => name ?? []);
  const query = async (command: PanosRequest) => (await client.run(command)).result;
  const isOne = names.length < 2;
  const [template, bare, policies] = await Promise.all([
    query(showPushedTemplate).then(pushedTemplateIn),
    query(showPushedPolicy(undefined)).then(pushedPolicyIn),
    isOne ? undefined : Promise.all(names.map(async (name) => pushedPolicyIn(await query(showPushedPolicy(name))))),
  ]);
  const systems = names.map((name, at) => {
    const own = (policies?.[at] ?? bare).own?.children ?? [];
    const zone = template === undefined ? undefined : find(template, SYSTEMS.entry(name).child("zone"));
    const kept = own.map((child) => (child.tag.endsWith("-rulebase") ? forReceiver(child, { serial, vsys: name }) : child));
    return new TreeNode("entry", name, "", zone === undefined ? kept : [...kept, zone]);
  });
  const shared = bare.shared === undefined ? [] : [bare.shared];
  return new TreeNode(PUSHED_PATH.tag, undefined, "", [...shared, new TreeNode("vsys", undefined, "", systems)]);
}

/** Removes rules for other firewalls, which some devices receive too. The remaining rules are for this firewall. */
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
