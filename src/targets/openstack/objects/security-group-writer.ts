import type { JsonObject } from "../../../core/json/value.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { DesiredNode } from "../../../desired/model.js";
import { isNotFound, OpenstackError } from "../../openstack-client/client/openstack-error.js";
import type { WriteContext } from "../write/context.js";
import { type Members, membersOf, rowsOf, textOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { kindOf } from "./all.js";
import { networkWriter, type Parts } from "./network-writer.js";
import { ruleIds } from "./security-group.js";
import { shareable } from "./shares-writer.js";

/** Maximum number of rules in one request. */
const MOST_AT_ONCE = 100;

/** ID of the existing rule, in the message of `SecurityGroupRuleExists`. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

export const securityGroupObjects = networkWriter(
  shareable({
    list: "security_groups",
    singular: "security_group",
    own: ["rules"],
    /** A rule cannot be updated. If its description changes, it is deleted and created again. */
    async addParts(parts) {
      const { object, before, after, context } = parts;
      const had = before === undefined ? defaultsOf(parts) : new Map(rowsOf(before, "rules").map((rule) => [rule.name, rule]));
      const rules = rowsOf(after, "rules");
      const added = rules.filter(({ name }) => !had.has(name));
      for (let from = 0; from < added.length; from += MOST_AT_ONCE) await addRules(added.slice(from, from + MOST_AT_ONCE), parts);
      if (before === undefined && isExclusive(after)) await deleteDefaults(parts, new Set(rules.map(({ name }) => name ?? "")));
      const described = rules.filter(
        (rule) => had.has(rule.name) && textOf(had.get(rule.name), "description") !== textOf(rule, "description"),
      );
      // One rule at a time, so that at most one rule is missing.
      for (const rule of described) {
        await deleteRules([rule], object, context);
        await addRules([rule], parts);
      }
      return added.length + described.length > 0;
    },
    async removeParts({ object, before, after, context }) {
      const wanted = new Set(rowsOf(after, "rules").map(({ name }) => name));
      await deleteRules(
        rowsOf(before, "rules").filter(({ name }) => !wanted.has(name)),
        object,
        context,
      );
    },
  }),
);

function isExclusive(group: TreeNode): boolean {
  const rules = childByTag(group, "rules");
  return rules instanceof DesiredNode && rules.handling?.exclusive === true;
}

/** Returns the names of the rules in a new group. Documents cannot change their fields. */
function defaultsOf({ object, context }: Parts): ReadonlyMap<string | undefined, TreeNode | undefined> {
  return new Map([...ruleIds(object, context.inventory).keys()].map((name) => [name, undefined]));
}

/** Deletes the rules that the service created in a new group, unless they are declared. */
async function deleteDefaults({ object, context }: Parts, declared: ReadonlySet<string>): Promise<void> {
  const names = [...ruleIds(object, context.inventory).keys()].filter((name) => !declared.has(name));
  await deleteRules(
    names.map((name) => ({ name })),
    object,
    context,
  );
}

async function deleteRules(rules: readonly Pick<TreeNode, "name">[], group: JsonObject, context: WriteContext): Promise<void> {
  const { client, inventory, keptRules } = context;
  if (rules.length === 0) return;
  const ids = ruleIds(group, inventory);
  for (const { name } of rules) {
    const id = ids.get(name ?? "");
    if (id === undefined || keptRules.has(id)) continue;
    await client.request({ service: "network", method: "DELETE", path: ["security-group-rules", id] }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

/** Sends all rules in one request. If the service refuses it, each rule is sent separately, so that the error names the rule. */
async function addRules(rules: readonly TreeNode[], { id, path, context }: Parts): Promise<void> {
  const bodies = await Promise.all(rules.map((rule) => ruleBody(rule, id, path, context)));
  const post = (body: Readonly<Record<string, Members | readonly Members[]>>) =>
    context.client.request({ service: "network", method: "POST", path: ["security-group-rules"], body });
  if (bodies.length > 1) {
    try {
      await post({ security_group_rules: bodies });
      return;
    } catch (error) {
      if (!(error instanceof OpenstackError)) throw error;
    }
  }
  for (const body of bodies) {
    try {
      await post({ security_group_rule: body });
    } catch (error) {
      if (!(error instanceof OpenstackError) || error.type !== "SecurityGroupRuleExists") throw error;
      // The service has an equal rule. It counts as the declared one, so this run never deletes it.
      const id = UUID.exec(error.words)?.[0];
      if (id === undefined) throw error;
      context.keptRules.add(id);
    }
  }
}

async function ruleBody(rule: TreeNode, group: string, path: Path, context: WriteContext): Promise<Members> {
  const shape = kindOf("security_groups").entry.child("rules").child("entry");
  const remote = textOf(rule, "remote_group");
  const at = path.child("rules").entry(rule.name ?? "");
  const addresses = textOf(rule, "remote_address_group");
  return {
    security_group_id: group,
    ...membersOf(rule, shape, new Set(["remote_group", "remote_address_group"])),
    ...(addresses === undefined ? {} : { remote_address_group_id: await idOf(context, "address_groups", addresses, at) }),
    ...(remote === undefined ? {} : { remote_group_id: remote === path.name ? group : await idOf(context, "security_groups", remote, at) }),
  };
}
