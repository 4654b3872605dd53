import { isAdmin, type Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import type { OpenstackWorld } from "../world/world.js";
import { attach, attachable, detach } from "./attach.js";
import { forbidden, itemNotFound } from "./errors.js";
import type { Flavor } from "./flavors.js";
import { InstanceActions } from "./instance-actions.js";
import { KeyPairs } from "./key-pairs.js";
import { type Attachment, fail, refuseLocked, type Server } from "./server.js";
import { type ServerGroup, ServerGroups } from "./server-groups.js";
import { joinVolumes, leaveVolumes, reserveVolumes, type ServerVolume } from "./server-volumes.js";

export interface ComputeOptions {
  /** Milliseconds from the request to ACTIVE or ERROR. Defaults to 2000. */
  readonly buildDuration?: number;
  /** Milliseconds from the request until a server is deleted. Defaults to 1000. */
  readonly deleteDuration?: number;
  /** Milliseconds from the request until a server is started or stopped. Defaults to 1000. */
  readonly actionDuration?: number;
  /** Milliseconds from the request until a server waits for the confirmation of its resize. Defaults to 2000. */
  readonly resizeDuration?: number;
  /** Maximum number of objects in a list reply. Defaults to 1000. */
  readonly pageMaximum?: number;
  /**
   * Accepted bodies of a create: only those of Nova's schema, or also those of the specification, which Nova refuses. The latter may
   * contain empty texts, which are ignored, and `network` in addition to or instead of `uuid`. Defaults to `nova`.
   */
  readonly serverBodies?: "nova" | "specification";
}

/** A validated request for servers. */
export interface ServerRequest {
  readonly name: string;
  readonly imageId: string | undefined;
  readonly flavor: Flavor;
  readonly count: number;
  readonly minCount: number;
  readonly keyName: string | null;
  readonly hasConfigDrive: boolean;
  readonly metadata: Record<string, string>;
  readonly tags: string[];
  readonly description: string | null;
  readonly attachments: readonly Attachment[];
  readonly volumes: readonly ServerVolume[];
  readonly securityGroups: readonly string[];
  readonly availabilityZone: string;
  readonly group: ServerGroup | undefined;
  readonly failsWith: string | undefined;
}

const LIMITS = { cores: 20, instances: 10, ram: 51_200, server_groups: 10, server_group_members: 10 };
type Limits = typeof LIMITS;
/** Resources that servers use according to their flavors. */
type Limited = "cores" | "instances" | "ram";

/** The compute service without HTTP. States change when they are read, by the world's clock. */
export class Compute {
  readonly flavors = new Map<string, Flavor>();
  readonly keyPairs = new KeyPairs();
  readonly groups = new ServerGroups();
  readonly actions = new InstanceActions();
  readonly #servers = new Map<string, Server>();
  readonly #deleted = new Map<string, Server>();
  readonly #unfinished = new Set<Server>();
  #leaving: { readonly server: Server; readonly port: string; readonly at: number }[] = [];
  readonly #limits = new Map<string, Partial<Limits>>();
  readonly #used = new Map<string, Record<Limited, number>>();
  readonly #world: OpenstackWorld;
  buildDuration: number;
  deleteDuration: number;
  actionDuration: number;
  resizeDuration: number;
  pageMaximum: number;
  readonly serverBodies: "nova" | "specification";
  #count = 0;

  constructor(
    world: OpenstackWorld,
    {
      buildDuration = 2000,
      deleteDuration = 1000,
      actionDuration = 1000,
      resizeDuration = 2000,
      pageMaximum = 1000,
      serverBodies = "nova",
    }: ComputeOptions = {},
  ) {
    this.#world = world;
    this.buildDuration = buildDuration;
    this.deleteDuration = deleteDuration;
    this.actionDuration = actionDuration;
    this.resizeDuration = resizeDuration;
    this.pageMaximum = pageMaximum;
    this.serverBodies = serverBodies;
  }

  limits(projectId: string): Limits {
    return { ...LIMITS, ...this.#limits.get(projectId) };
  }

  setLimits(projectId: string, limits: Partial<Limits>): void {
    this.#limits.set(projectId, { ...this.#limits.get(projectId), ...limits });
  }

  used(projectId: string): Record<Limited, number> {
    return this.#used.get(projectId) ?? { cores: 0, instances: 0, ram: 0 };
  }

  /** Creates one or more servers. Several servers are numbered from 1. Throws 403 if the quota does not allow the minimum count. */
  create(requester: Requester, request: ServerRequest): Server[] {
    const projectId = requester.projectId;
    if (projectId === undefined) throw forbidden("Forbidden");
    attachable(this.#world, requester, request.attachments, request.count);
    const count = this.#affordable(projectId, request);
    if (request.group !== undefined && this.membersOf(request.group.id).length + count > this.limits(projectId).server_group_members)
      throw forbidden("Quota exceeded, too many servers in group");
    reserveVolumes(this.#world, request.volumes);
    const servers = Array.from({ length: count }, (_, index) =>
      this.#make(projectId, requester.userId, request, count > 1 ? index + 1 : undefined),
    );
    for (const server of servers) attach(this.#world, server, requester);
    return servers;
  }

  /** Returns the servers of a project, or of all projects, newest first. */
  servers(projectId: string | undefined, all = false): Server[] {
    this.settle();
    return [...this.#servers.values()].filter((server) => all || server.projectId === projectId).reverse();
  }

  /** Returns the ids of the servers in a group, oldest first. */
  membersOf(group: string): string[] {
    this.settle();
    return [...this.#servers.values()].filter((server) => server.groupId === group).map(({ id }) => id);
  }

  /** The lab has one host. An anti-affinity group therefore accepts only as many servers as may run on one host. */
  #unplaced(group: ServerGroup | undefined): string | undefined {
    if (group?.policy !== "anti-affinity" || this.membersOf(group.id).length < (group.maxServerPerHost ?? 1)) return undefined;
    return "No valid host was found. There are not enough hosts available.";
  }

  /** Returns deleted servers, newest first. */
  deleted(projectId: string | undefined): Server[] {
    this.settle();
    return [...this.#deleted.values()].filter((server) => server.projectId === projectId).reverse();
  }

  get(id: string, requester: Requester): Server {
    this.settle();
    const server = this.#servers.get(id);
    if (server === undefined || (!isAdmin(requester) && server.projectId !== requester.projectId)) {
      throw itemNotFound(`Instance ${id} could not be found.`);
    }
    return server;
  }

  delete(id: string, requester: Requester): void {
    const server = this.get(id, requester);
    refuseLocked(server, requester);
    this.begin(server, "deleting", this.deleteDuration, (at) => this.#end(server, at));
  }

  /** Starts a task on a server, which ends with `end`. A previous task never ends. */
  begin(server: Server, taskState: string, duration: number, end: (at: number) => void): void {
    server.taskState = taskState;
    this.later(server, this.#world.clock.now() + duration, end);
  }

  /** Like `begin`, for work that the service does not report as a task. */
  later(server: Server, at: number, end: (at: number) => void): void {
    server.due = { at, end };
    this.#unfinished.add(server);
  }

  /** Detaches a port from a server after a delay, without a reported task. */
  leave(server: Server, port: string): void {
    this.#leaving.push({ server, port, at: this.#world.clock.now() + this.actionDuration });
  }

  /** Ends all work that is due: builds, deletes, actions. */
  settle(): void {
    const now = this.#world.clock.now();
    const due = this.#leaving.filter(({ at }) => at <= now);
    this.#leaving = this.#leaving.filter(({ at }) => at > now);
    for (const { server, port } of due) detach(this.#world, server, port);
    for (const server of this.#unfinished) {
      const { due } = server;
      if (due === undefined || due.at > now) continue;
      this.#unfinished.delete(server);
      server.due = undefined;
      server.taskState = null;
      server.updated = due.at;
      due.end(due.at);
    }
  }

  #built(server: Server, at: number): void {
    if (server.failsWith === undefined) {
      server.vmState = "active";
      server.launchedAt = at;
      joinVolumes(this.#world, server);
      return;
    }
    fail(server, server.failsWith, at);
    detach(this.#world, server);
    leaveVolumes(this.#world, server);
  }

  #end(server: Server, at: number): void {
    detach(this.#world, server);
    server.vmState = "deleted";
    server.terminatedAt = at;
    leaveVolumes(this.#world, server);
    this.#servers.delete(server.id);
    this.#deleted.set(server.id, server);
    this.discardShelvedImage(server);
    this.#charge(server.projectId, server.flavor, -1);
  }

  /** Deletes the image with the root disk of a server that is no longer shelved. */
  discardShelvedImage(server: Server): void {
    if (server.shelvedImageId !== undefined) this.#world.images.remove(server.shelvedImageId);
    server.shelvedImageId = undefined;
  }

  #make(projectId: string, userId: string, request: ServerRequest, ordinal: number | undefined): Server {
    const now = this.#world.clock.now();
    const id = this.#world.identifiers.uuid();
    this.#count++;
    const {
      name,
      imageId,
      flavor,
      keyName,
      description,
      metadata,
      tags,
      attachments,
      volumes,
      securityGroups,
      availabilityZone,
      failsWith,
    } = request;
    const server: Server = {
      id,
      number: this.#count,
      name: ordinal === undefined ? name : `${name}-${ordinal}`,
      projectId,
      userId,
      imageId,
      shelvedImageId: undefined,
      flavor,
      keyName,
      description,
      metadata: { ...metadata },
      tags: [...tags],
      attachments,
      volumes: volumes.map((each) => ({ ...each })),
      securityGroups,
      created: now,
      updated: now,
      vmState: "building",
      taskState: null,
      isLocked: false,
      before: undefined,
      launchedAt: undefined,
      terminatedAt: undefined,
      fault: undefined,
      due: undefined,
      ownPorts: new Set(),
      availabilityZone,
      groupId: request.group?.id,
      hasConfigDrive: request.hasConfigDrive,
      failsWith: failsWith ?? this.#unplaced(request.group) ?? unreachable(this.#world, id, attachments),
    };
    this.#servers.set(server.id, server);
    this.begin(server, "scheduling", this.buildDuration, (at) => this.#built(server, at));
    this.#charge(projectId, flavor, 1);
    return server;
  }

  #affordable(projectId: string, { count, minCount, flavor }: ServerRequest): number {
    for (let wanted = count; ; wanted--) {
      try {
        this.#refuseOver(projectId, { cores: flavor.vcpus * wanted, instances: wanted, ram: flavor.ram * wanted });
        return wanted;
      } catch (error) {
        if (wanted <= minCount) throw error;
      }
    }
  }

  #charge(projectId: string, { vcpus, ram }: Flavor, sign: 1 | -1): void {
    const { cores, instances, ram: before } = this.used(projectId);
    this.#used.set(projectId, { cores: cores + sign * vcpus, instances: instances + sign, ram: before + sign * ram });
  }

  /** Throws 403 if the quota does not allow the additional resources of a new flavor. */
  refuseUpsize(projectId: string, from: Flavor, to: Flavor): void {
    const more = { cores: Math.max(0, to.vcpus - from.vcpus), instances: 0, ram: Math.max(0, to.ram - from.ram) };
    this.#refuseOver(projectId, more);
  }

  /** Changes the flavor and the used quota. */
  reflavor(server: Server, flavor: Flavor): void {
    this.#charge(server.projectId, server.flavor, -1);
    this.#charge(server.projectId, flavor, 1);
    server.flavor = flavor;
  }

  /** Throws 403 if the additional resources exceed a limit. */
  #refuseOver(projectId: string, more: Record<Limited, number>): void {
    const limits = this.limits(projectId);
    const used = this.used(projectId);
    const over = (["cores", "instances", "ram"] as const).filter(
      (kind) => more[kind] > 0 && limits[kind] >= 0 && used[kind] + more[kind] > limits[kind],
    );
    if (over.length === 0) return;
    const list = (value: (kind: Limited) => number): string => over.map(value).join(", ");
    const text = `Requested ${list((kind) => more[kind])}, but already used ${list((kind) => used[kind])} of ${list((kind) => limits[kind])}`;
    throw new ServiceError(403, "forbidden", `Quota exceeded for ${over.join(", ")}: ${text} ${over.join(", ")}`);
  }
}

/** The service detects a fixed address outside the network's subnets only while the server builds. */
function unreachable(world: OpenstackWorld, id: string, attachments: readonly Attachment[]): string | undefined {
  for (const each of attachments) {
    if (each.kind !== "network" || each.fixedIp === undefined || world.network.holds(each.networkId, each.fixedIp)) continue;
    return `Build of instance ${id} aborted: Invalid input received: Fixed IP ${each.fixedIp} is not a valid ip address for network ${each.networkId}.`;
  }
  return undefined;
}
