import { escapeText, escapeValue } from "../../../core/tree/xml/escape.js";
import { result } from "../http/reply.js";
import { groupMembers, stackMembers } from "../manager/memberships.js";
import { sumOf } from "../manager/policy-projection.js";
import { firewallOf } from "../manager/push.js";
import { groupSum } from "../manager/receive.js";
import { templateOf } from "../manager/template-projection.js";
import { managedNames } from "../state/device-groups.js";
import { child } from "../state/system-facts.js";
import type { OperationTable } from "./operation.js";

/**
 * Lists groups and stacks with an out-of-sync firewall, which need a push. With `<admin>`, only groups and stacks with changes of these
 * administrators.
 */
export const PUSH_SCOPE_OPERATIONS: OperationTable = {
  "show/config/push-scope": {
    needs: "extras",
    run: ({ device: manager, node }) => {
      const { running } = manager;
      const administrators = child(node, "admin")?.children.map(({ text }) => text);
      const since = (version: string | undefined) => manager.saved.versions.slice(Number(version ?? 0));
      const isWanted = (version: string | undefined) =>
        administrators === undefined ||
        since(version).some(
          ({ admin, edits = [] }) => administrators.includes(admin) || edits.some(({ stamp }) => administrators.includes(stamp.admin)),
        );
      const groups = managedNames(running, "device-group").filter((group) =>
        groupMembers(running, group).some(({ serial, vsys }) =>
          (vsys ?? ["vsys1"]).some((name) => {
            const delivered = firewallOf(manager, serial)?.attachment?.handed.policies.get(name);
            return delivered?.sum !== groupSum(manager, group) && isWanted(delivered?.version);
          }),
        ),
      );
      const stacks = managedNames(running, "template-stack").filter((stack) =>
        stackMembers(running, stack).some((serial) => {
          const delivered = firewallOf(manager, serial)?.attachment?.handed.template;
          return delivered?.sum !== sumOf(templateOf(running, stack, serial)) && isWanted(delivered?.version);
        }),
      );
      const rows = [...groups.map((loc) => ["device-group", loc] as const), ...stacks.map((loc) => ["template-stack", loc] as const)];
      const entries = rows.map(
        ([type, loc]) => `<entry loc-type="${type}" loc="${escapeValue(loc)}"><name>${escapeText(loc)}</name></entry>`,
      );
      return result(`<objects>${entries.join("")}</objects>`);
    },
  },
};
