import { isAdmin, owns, type Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import type { OpenstackWorld } from "../world/world.js";
import { refuseStatus, type Snapshot, type Volume, type VolumeStatus } from "./volume.js";

export interface VolumeOptions {
  /** Milliseconds until a volume is available. Defaults to 2000. */
  readonly makeDuration?: number;
  /** Milliseconds until a volume is extended, attached, detached or deleted. Defaults to 1000. */
  readonly changeDuration?: number;
  /** Maximum number of objects in a list reply. Defaults to 1000. */
  readonly pageMaximum?: number;
}

/** A request for a volume. */
export interface VolumeRequest {
  readonly name: string | null;
  readonly description: string | null;
  readonly size: number | undefined;
  readonly type: string | undefined;
  readonly availabilityZone: string | undefined;
  readonly metadata: Record<string, string>;
  readonly imageId: string | undefined;
  readonly snapshotId: string | undefined;
  readonly sourceId: string | undefined;
}

export const LIMITS = { volumes: 10, gigabytes: 1000, snapshots: 10 };
type Limits = typeof LIMITS;

const DEFAULT_TYPE = "__DEFAULT__";
const ZONE = "nova";

/** Transitional statuses. They are never final. */
const UNDER_WAY: ReadonlySet<VolumeStatus> = new Set(["creating", "reserved", "detaching", "extending", "retyping", "deleting"]);

/** The volume service without HTTP. States change when they are read, by the world's clock. */
export class BlockStorage {
  readonly types = new Set([DEFAULT_TYPE]);
  /** Reasons for failed creates, by volume id. */
  readonly messages = new Map<string, string>();
  readonly snapshots = new Map<string, Snapshot>();
  readonly #volumes = new Map<string, Volume>();
  readonly #limits = new Map<string, Partial<Limits>>();
  readonly #world: OpenstackWorld;
  readonly #makeDuration: number;
  readonly #changeDuration: number;
  pageMaximum: number;

  constructor(world: OpenstackWorld, { makeDuration = 2000, changeDuration = 1000, pageMaximum = 1000 }: VolumeOptions = {}) {
    this.#world = world;
    this.#makeDuration = makeDuration;
    this.#changeDuration = changeDuration;
    this.pageMaximum = pageMaximum;
  }

  limits(projectId: string): Limits {
    return { ...LIMITS, ...this.#limits.get(projectId) };
  }

  setLimits(projectId: string, limits: Partial<Limits>): void {
    this.#limits.set(projectId, { ...this.#limits.get(projectId), ...limits });
  }

  used(projectId: string): Limits {
    const own = this.volumes(projectId);
    const snapshots = [...this.snapshots.values()].filter((each) => each.projectId === projectId).length;
    return { volumes: own.length, gigabytes: own.reduce((sum, { size }) => sum + size, 0), snapshots };
  }

  /** Returns the volumes of a project, or of all projects, newest first. */
  volumes(projectId: string | undefined, all = false): Volume[] {
    this.settle();
    return [...this.#volumes.values()].filter((volume) => all || volume.projectId === projectId).reverse();
  }

  get(id: string, requester: Requester): Volume {
    const volume = this.find(id);
    if (volume === undefined || !owns(requester, volume.projectId)) throw notFound(`Volume ${id} could not be found.`);
    return volume;
  }

  find(id: string): Volume | undefined {
    this.settle();
    return this.#volumes.get(id);
  }

  /** Creates a volume. `endsIn` is the final status if a fault sets one. */
  create(requester: Requester, request: VolumeRequest, endsIn: VolumeStatus | undefined): Volume {
    const { projectId, userId } = requester;
    if (projectId === undefined) throw new ServiceError(403, "forbidden", "Forbidden");
    const { name, description, type = DEFAULT_TYPE, availabilityZone = ZONE, metadata, snapshotId, sourceId } = request;
    // The service checks the size by its schema, before it looks for the type.
    if (request.size !== undefined && (!Number.isInteger(request.size) || request.size < 1)) throw invalidSize(String(request.size));
    if (!this.types.has(type)) throw notFound(`Volume type with name ${type} could not be found.`);
    const source = this.#source(requester, request);
    if (availabilityZone !== ZONE) throw invalid(`Availability zone '${availabilityZone}' is invalid.`);
    const size = request.size ?? source.size;
    if (size === undefined) throw invalidSize("None");
    if (size < (source.size ?? 0))
      throw invalid(`Invalid input received: Volume size ${size}GB cannot be smaller than its source, ${source.size}GB.`);
    this.#refuseOver(projectId, 1, size);
    const volume: Volume = {
      id: this.#world.identifiers.uuid(),
      projectId,
      userId,
      name,
      description,
      size,
      status: "creating",
      type,
      availabilityZone,
      metadata: { ...metadata },
      bootable: false,
      snapshotId: snapshotId ?? null,
      sourceId: sourceId ?? null,
      image: source.image,
      created: this.#world.clock.now(),
      updated: undefined,
      attachment: undefined,
      due: undefined,
    };
    this.#volumes.set(volume.id, volume);
    this.#begin(volume, "creating", endsIn ?? "available", this.#makeDuration, (status) => {
      if (status === "available") volume.bootable ||= source.bootable;
      else this.messages.set(volume.id, "schedule allocate volume:Could not find any available weighted backend.");
    });
    return volume;
  }

  extend(volume: Volume, size: number, isInUseFit: boolean, endsIn: VolumeStatus | undefined): void {
    const { status } = volume;
    const isAttached = isInUseFit && status === "in-use";
    const fit = isAttached ? "in-use" : "available";
    refuseStatus(volume, [fit], `Volume ${volume.id} status must be '{'status': '${fit}'}' to extend, currently ${status}.`);
    if (size <= volume.size)
      throw invalid(
        `Invalid input received: New size for extend must be greater than current size. (current: ${volume.size}, extended: ${size}).`,
      );
    this.#refuseOver(volume.projectId, 0, size - volume.size);
    this.#begin(volume, "extending", endsIn ?? fit, this.#changeDuration, (ended) => {
      if (ended === fit) volume.size = size;
    });
  }

  /** Changes the type. If `endsIn` is set, the backend cannot do this: the type stays unchanged, without an error. */
  retype(volume: Volume, type: string, endsIn: VolumeStatus | undefined): void {
    if (!this.types.has(type)) throw notFound(`Volume type with name ${type} could not be found.`);
    const words =
      "Retype needs volume to be in available or in-use state, not be part of an active migration or a consistency group, requested type has to be different that the one from the volume, and for in-use volumes front-end qos specs cannot change.";
    refuseStatus(volume, type === volume.type ? [] : ["available", "in-use"], words);
    this.#begin(volume, "retyping", endsIn ?? volume.status, this.#changeDuration, () => {
      if (endsIn === undefined) volume.type = type;
    });
  }

  delete(volume: Volume, endsIn: VolumeStatus | undefined): void {
    const hasSnapshots = [...this.snapshots.values()].some(({ volumeId }) => volumeId === volume.id);
    const words =
      "Volume status must be available or error or error_restoring or error_extending or error_managing and must not be migrating, attached, belong to a group, have snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer.";
    refuseStatus(volume, hasSnapshots ? [] : ["available", "error", "error_extending"], words);
    this.#begin(volume, "deleting", endsIn ?? "deleting", this.#changeDuration, () => {
      if (endsIn === undefined) this.#volumes.delete(volume.id);
    });
  }

  /** Reserves a volume for a server. */
  reserve(volume: Volume): void {
    refuseStatus(volume, ["available"], `volume ${volume.id} status must be 'available'. Currently in '${volume.status}' status`);
    this.#move(volume, "reserved");
  }

  /** Attaches a volume. Calls `failed` if the server does not get it. */
  attach(volume: Volume, serverId: string, device: string, endsIn: VolumeStatus | undefined, failed: () => void): void {
    this.#begin(volume, "reserved", endsIn ?? "in-use", this.#changeDuration, (status) => {
      if (status === "in-use") this.join(volume, serverId, device);
      else failed();
    });
  }

  /** Attaches a volume immediately. */
  join(volume: Volume, serverId: string, device: string): void {
    volume.attachment = { id: this.#world.identifiers.uuid(), serverId, device, attachedAt: this.#world.clock.now() };
    this.#move(volume, "in-use");
  }

  /** Detaches a volume, then calls `then`. */
  detach(volume: Volume, endsIn: VolumeStatus | undefined, then: () => void): void {
    this.#begin(volume, "detaching", endsIn ?? "available", this.#changeDuration, (status) => {
      if (status !== "available") return;
      volume.attachment = undefined;
      then();
    });
  }

  /** Detaches a volume immediately, because its server is deleted. */
  free(volume: Volume): void {
    volume.attachment = undefined;
    volume.due = undefined;
    this.#move(volume, "available");
  }

  discard(volume: Volume): void {
    this.#volumes.delete(volume.id);
  }

  snapshot(volume: Volume, name: string, description: string | null): Snapshot {
    const { projectId, id: volumeId, size, bootable, image } = volume;
    const made: Snapshot = {
      id: this.#world.identifiers.uuid(),
      projectId,
      volumeId,
      name,
      description,
      size,
      bootable,
      image,
      created: this.#world.clock.now(),
    };
    this.snapshots.set(made.id, made);
    return made;
  }

  #source(requester: Requester, { imageId, snapshotId, sourceId }: VolumeRequest) {
    if (snapshotId !== undefined) {
      const found = this.snapshots.get(snapshotId);
      if (found === undefined || !owns(requester, found.projectId)) throw notFound(`Snapshot ${snapshotId} could not be found.`);
      return { size: found.size, bootable: found.bootable, image: found.image };
    }
    if (sourceId !== undefined) {
      const found = this.get(sourceId, requester);
      refuseStatus(
        found,
        ["available", "in-use"],
        "Originating source volume status must be one of 'available, in-use, maintenance' values",
      );
      return { size: found.size, bootable: found.bootable, image: found.image };
    }
    const image = imageId === undefined ? undefined : this.#world.images.get(imageId, requester.projectId, isAdmin(requester));
    if (imageId !== undefined && image === undefined) throw invalid("Invalid image identifier or unable to access requested image.");
    if (image === undefined) return { size: undefined, bootable: false, image: undefined };
    return { size: undefined, bootable: true, image };
  }

  /** Starts an operation that ends in status `end` after a while. If `end` is transitional, the volume keeps it indefinitely. */
  #begin(
    volume: Volume,
    status: VolumeStatus,
    end: VolumeStatus,
    duration: number,
    then: (status: VolumeStatus, at: number) => void,
  ): void {
    this.#move(volume, status);
    if (UNDER_WAY.has(end) && end !== "deleting") {
      volume.status = end;
      volume.due = undefined;
      return;
    }
    volume.due = {
      at: this.#world.clock.now() + duration,
      end: (at) => {
        volume.status = end;
        then(end, at);
      },
    };
  }

  #move(volume: Volume, status: VolumeStatus): void {
    volume.status = status;
    volume.updated = this.#world.clock.now();
  }

  /** Ends all work that is due. Servers come first, because finished servers attach and detach volumes. */
  settle(): void {
    this.#world.compute.settle();
    const now = this.#world.clock.now();
    for (const volume of [...this.#volumes.values()]) {
      const { due } = volume;
      if (due === undefined || due.at > now) continue;
      volume.due = undefined;
      volume.updated = due.at;
      due.end(due.at);
    }
  }

  #refuseOver(projectId: string, volumes: number, gigabytes: number): void {
    const limits = this.limits(projectId);
    const used = this.used(projectId);
    const over = (message: string) => new ServiceError(413, "overLimit", message);
    if (limits.gigabytes >= 0 && used.gigabytes + gigabytes > limits.gigabytes)
      throw over(
        `Requested volume or snapshot exceeds allowed gigabytes quota. Requested ${gigabytes}G, quota is ${limits.gigabytes}G and ${used.gigabytes}G has been consumed.`,
      );
    if (limits.volumes >= 0 && used.volumes + volumes > limits.volumes)
      throw over(`Maximum number of volumes allowed (${limits.volumes}) exceeded for quota 'volumes'.`);
  }
}

function notFound(message: string): ServiceError {
  return new ServiceError(404, "itemNotFound", message);
}

function invalidSize(size: string): ServiceError {
  return invalid(`Invalid input received: Volume size '${size}' must be an integer and greater than 0`);
}

function invalid(message: string): ServiceError {
  return new ServiceError(400, "badRequest", message);
}
