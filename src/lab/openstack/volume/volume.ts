import type { Image } from "../image/images.js";
import { ServiceError } from "../world/service-error.js";

export type VolumeStatus =
  | "creating"
  | "available"
  | "reserved"
  | "in-use"
  | "detaching"
  | "extending"
  | "retyping"
  | "deleting"
  | "error"
  | "error_extending"
  | "error_deleting";

interface VolumeAttachment {
  readonly id: string;
  readonly serverId: string;
  readonly device: string;
  readonly attachedAt: number;
}

/** A volume. Sizes are in GiB, times in milliseconds since 1970. */
export interface Volume {
  readonly id: string;
  readonly projectId: string;
  readonly userId: string;
  name: string | null;
  description: string | null;
  size: number;
  status: VolumeStatus;
  type: string;
  readonly availabilityZone: string;
  metadata: Record<string, string>;
  bootable: boolean;
  readonly snapshotId: string | null;
  readonly sourceId: string | null;
  readonly image: Image | undefined;
  readonly created: number;
  updated: number | undefined;
  /** At most one. */
  attachment: VolumeAttachment | undefined;
  /** When the current operation ends, and the function that completes it. */
  due: { readonly at: number; end(at: number): void } | undefined;
}

/** A snapshot of a volume. */
export interface Snapshot {
  readonly id: string;
  readonly projectId: string;
  readonly volumeId: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly size: number;
  readonly bootable: boolean;
  readonly image: Volume["image"];
  readonly created: number;
}

/** Throws if the volume has another status than an action requires. */
export function refuseStatus(volume: Volume, fit: readonly VolumeStatus[], message: string): void {
  if (!fit.includes(volume.status)) throw new ServiceError(400, "badRequest", `Invalid volume: ${message}`);
}
