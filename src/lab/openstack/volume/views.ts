import type { Image } from "../image/images.js";
import type { JsonObject } from "../world/json.js";
import type { Snapshot, Volume } from "./volume.js";

/** `2026-11-21T01:50:19.000000`, of UTC: as the volume service writes times. */
export function instant(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : `${new Date(milliseconds).toISOString().slice(0, 23)}000`;
}

export function briefVolume({ id, name }: Volume, base: string): JsonObject {
  const links = [
    { rel: "self", href: `${base}/volumes/${id}` },
    { rel: "bookmark", href: `${base.replace("/v3", "")}/volumes/${id}` },
  ];
  return { id, name, links };
}

/** The reply of a create or an update, which has neither the project nor the image. */
export function writtenVolume(volume: Volume, base: string): JsonObject {
  const { "os-vol-tenant-attr:tenant_id": _project, volume_image_metadata: _image, ...shown } = detailedVolume(volume, base);
  return shown;
}

export function detailedVolume(volume: Volume, base: string): JsonObject {
  const { id, attachment, image } = volume;
  const attachments = attachment === undefined ? [] : [attachment];
  return {
    ...briefVolume(volume, base),
    status: volume.status,
    size: volume.size,
    availability_zone: volume.availabilityZone,
    created_at: instant(volume.created),
    updated_at: instant(volume.updated),
    description: volume.description,
    volume_type: volume.type,
    snapshot_id: volume.snapshotId,
    source_volid: volume.sourceId,
    metadata: { ...volume.metadata },
    user_id: volume.userId,
    bootable: String(volume.bootable),
    encrypted: false,
    replication_status: null,
    consistencygroup_id: null,
    multiattach: false,
    attachments: attachments.map(({ id: attachment_id, serverId, device, attachedAt }) => ({
      id,
      attachment_id,
      volume_id: id,
      server_id: serverId,
      host_name: null,
      device,
      attached_at: instant(attachedAt),
    })),
    "os-vol-tenant-attr:tenant_id": volume.projectId,
    ...(image === undefined ? {} : { volume_image_metadata: imageOf(image) }),
  };
}

/** The facts of an image that a volume keeps, all as texts. */
function imageOf({ id, name, checksum, container_format, disk_format, min_disk, min_ram, size }: Image): JsonObject {
  const numbers = { min_disk: String(min_disk), min_ram: String(min_ram), size: String(size) };
  return { image_id: id, image_name: name, checksum, container_format, disk_format, ...numbers };
}

export function snapshotView({ id, name, description, volumeId, size, created }: Snapshot): JsonObject {
  const at = instant(created);
  return { id, name, description, status: "available", size, volume_id: volumeId, metadata: {}, created_at: at, updated_at: at };
}
