import type { Flavor } from "./flavors.js";

interface ServerFault {
  readonly code: number;
  readonly created: string;
  readonly message: string;
  /** Administrators alone see it. */
  readonly details: string;
}

/** What a server is to be joined to. */
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
  readonly imageId: string | undefined;
  readonly flavor: Flavor;
  readonly keyName: string | null;
  readonly description: string | null;
  metadata: Record<string, string>;
  tags: string[];
  readonly attachments: readonly Attachment[];
  readonly securityGroups: readonly string[];
  readonly created: number;
  updated: number;
  vmState: "building" | "active" | "stopped" | "error" | "deleted";
  taskState: string | null;
  launchedAt: number | undefined;
  terminatedAt: number | undefined;
  fault: ServerFault | undefined;
  /** When the state that is under way ends. */
  dueAt: number | undefined;
  /** Ports that this server made and takes along. */
  readonly ownPorts: Set<string>;
  readonly availabilityZone: string;
  /** What its build ends in, where that was arranged. */
  readonly failsWith: string | undefined;
}

const STATUS = { building: "BUILD", active: "ACTIVE", stopped: "SHUTOFF", error: "ERROR", deleted: "DELETED" } as const;

export function statusOf({ vmState }: Server): (typeof STATUS)[keyof typeof STATUS] {
  return STATUS[vmState];
}
