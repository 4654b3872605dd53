import type { TreeNode } from "../../../core/tree/node.js";
import { parseXml } from "../../../core/tree/xml/parse.js";
import type { Administrator } from "../access/administrators.js";
import type { JobFault } from "../commit/commit.js";
import type { LabDevice } from "../device.js";
import { invalidClientCli, invalidVsys, parameterRequired, unknownCommand } from "../device-messages.js";
import type { Reply } from "../http/reply.js";
import { type ApiRequest, param } from "../http/request.js";
import { isScope } from "../state/device-groups.js";
import { AUDIT_OPERATIONS } from "./audit.js";
import { CERTIFICATE_OPERATIONS } from "./certificates.js";
import { CHANGE_OPERATIONS } from "./changes.js";
import { CONFIGURATION_OPERATIONS } from "./configurations.js";
import { DATAPLANE_OPERATIONS } from "./dataplane.js";
import { DEVICE_GROUP_OPERATIONS } from "./device-groups.js";
import { JOB_OPERATIONS } from "./jobs.js";
import { LOCK_OPERATIONS } from "./locks.js";
import { MANAGED_FIREWALL_OPERATIONS } from "./managed-firewalls.js";
import type { Operation } from "./operation.js";
import { PAIR_OPERATIONS } from "./pair.js";
import { PEOPLE_OPERATIONS } from "./people.js";
import { POLICY_TEST_OPERATIONS } from "./policy-tests.js";
import { PUSH_SCOPE_OPERATIONS } from "./push-scope.js";
import { PUSHED_OPERATIONS } from "./pushed.js";
import { LOOK_UP_OPERATIONS } from "./resolved-names.js";
import { RULE_HIT_OPERATIONS } from "./rule-hits.js";
import { RUNNING_POLICY_OPERATIONS } from "./running-policy.js";
import { SYSTEM_OPERATIONS } from "./system.js";
import { UPDATE_OPERATIONS } from "./updates.js";

const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  [
    SYSTEM_OPERATIONS,
    JOB_OPERATIONS,
    LOCK_OPERATIONS,
    CHANGE_OPERATIONS,
    CERTIFICATE_OPERATIONS,
    CONFIGURATION_OPERATIONS,
    AUDIT_OPERATIONS,
    PEOPLE_OPERATIONS,
    PAIR_OPERATIONS,
    DEVICE_GROUP_OPERATIONS,
    MANAGED_FIREWALL_OPERATIONS,
    PUSH_SCOPE_OPERATIONS,
    PUSHED_OPERATIONS,
    POLICY_TEST_OPERATIONS,
    RULE_HIT_OPERATIONS,
    LOOK_UP_OPERATIONS,
    DATAPLANE_OPERATIONS,
    RUNNING_POLICY_OPERATIONS,
    UPDATE_OPERATIONS,
  ].flatMap((table) => Object.entries(table)),
);

/** Handles `type=op`. An unknown command and malformed XML return code 17. */
export function handleOperation(device: LabDevice, admin: Administrator, request: ApiRequest, jobFault: JobFault): Reply {
  const text = param(request, "cmd");
  if (text === undefined) throw parameterRequired("cmd");
  const vsys = param(request, "vsys");
  const chain = commandChain(parseCommand(text));
  if (vsys !== undefined && !isScope(device.running, vsys)) throw invalidVsys(vsys);
  for (let length = chain.length; length > 0; length--) {
    const operation = OPERATIONS.get(tagsOf(chain.slice(0, length)).join("/"));
    if (operation === undefined || (operation.needs !== undefined && !device.capabilities[operation.needs])) continue;
    return operation.run({ device, admin, node: chain[length - 1] as TreeNode, vsys, jobFault });
  }
  throw unknownCommand(tagsOf(chain).join(" -> "));
}

/** Parses a command. Throws code 17 `invalid client cli` if the text is not XML. */
export function parseCommand(text: string): TreeNode {
  try {
    return parseXml(text);
  } catch {
    throw invalidClientCli();
  }
}

/** Returns the command's element, its first child, the first child of that child, and so on. */
function commandChain(command: TreeNode): TreeNode[] {
  const chain = [command];
  for (let next = command.children[0]; next !== undefined; next = next.children[0]) chain.push(next);
  return chain;
}

function tagsOf(nodes: readonly TreeNode[]): string[] {
  return nodes.map((node) => node.tag);
}
