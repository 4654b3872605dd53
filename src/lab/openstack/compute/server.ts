import { isAdmin, type Requester } from "../world/requester.js";
import { seconds } from "../world/time.js";
import { conflict } from "./errors.js";
import type { Flavor } from "./flavors.js";
import type { ServerVolume } from "./server-volumes.js";

interface ServerFault {
  readonly code: number;
  readonly created: string;
  readonly message: string;
  /** Visible only to administrators. */
  readonly details: string;
}

/** Network or port to attach a server to. */
export type Attachment =
  | { readonly kind: "network"; readonly networkId: string; readonly fixedIp: string | undefined }
  | { readonly kind: "port"; readonly portId: string };

/** A server. Times in milliseconds since 1970. */
export interface Server {
  readonly id: string;
  readonly number: number;
  name: string;
  readonly projectId: string;
  readonly userId: string;
  imageId: string | undefined;
  /** Image with the root disk of a shelved server. */
  shelvedImageId: string | undefined;
  flavor: Flavor;
  /** Flavor and state before an unconfirmed resize. */
  before: { readonly flavor: Flavor; readonly vmState: "active" | "stopped" } | undefined;
  readonly keyName: string | null;
  readonly hasConfigDrive: boolean;
  description: string | null;
  metadata: Record<string, string>;
  tags: string[];
  readonly attachments: readonly Attachment[];
  /** In the order of attachment. */
  readonly volumes: ServerVolume[];
  readonly securityGroups: readonly string[];
  readonly created: number;
  updated: number;
  vmState: keyof typeof STATUS;
  taskState: string | null;
  isLocked: boolean;
  launchedAt: number | undefined;
  terminatedAt: number | undefined;
  fault: ServerFault | undefined;
  /** When the current work ends, and the function that completes it. */
  due: { readonly at: number; end(at: number): void } | undefined;
  /** Ports that were created for this server and are deleted with it. */
  readonly ownPorts: Set<string>;
  readonly availabilityZone: string;
  readonly groupId: string | undefined;
  /** Error message of the build, if a fault sets one. */
  readonly failsWith: string | undefined;
}

const STATUS = {
  building: "BUILD",
  active: "ACTIVE",
  stopped: "SHUTOFF",
  paused: "PAUSED",
  suspended: "SUSPENDED",
  shelved: "SHELVED",
  shelved_offloaded: "SHELVED_OFFLOADED",
  rescued: "RESCUE",
  resized: "VERIFY_RESIZE",
  error: "ERROR",
  deleted: "DELETED",
} as const;

export function statusOf({ vmState, taskState }: Server): string {
  if (vmState === "active" && taskState === "rebooting") return "REBOOT";
  if (vmState === "active" && taskState === "rebooting_hard") return "HARD_REBOOT";
  if (taskState === "resize_prep") return "RESIZE";
  if (taskState === "rebuilding") return "REBUILD";
  return taskState === "resize_reverting" ? "REVERT_RESIZE" : STATUS[vmState];
}

/** Sets the state ERROR. */
export function fail(server: Server, message: string, at: number): void {
  server.vmState = "error";
  server.fault = { code: 500, created: seconds(at), message, details: `Traceback (most recent call last):\n${message}` };
}

/** A lock blocks everyone except administrators. */
export function refuseLocked({ id, isLocked }: Server, requester: Requester): void {
  if (isLocked && !isAdmin(requester)) throw conflict(`Instance ${id} is locked`);
}

/** Refuses an action that a lock, the state or a task not in `tasks` forbids. Order and messages are the service's. */
export function refuseUnfit(
  server: Server,
  requester: Requester,
  action: string,
  fit: readonly Server["vmState"][],
  tasks: readonly string[] = [],
): void {
  refuseLocked(server, requester);
  const cannot = `Cannot '${action}' instance ${server.id} while it is in`;
  if (!fit.includes(server.vmState)) throw conflict(`${cannot} vm_state ${server.vmState}`);
  if (server.taskState !== null && !tasks.includes(server.taskState)) throw conflict(`${cannot} task_state ${server.taskState}`);
}
