import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "../../panos/clock.js";
import { Compute, type ComputeOptions } from "../compute/compute.js";
import { Identity, type IdentityOptions } from "../identity/identity.js";
import { ImageStore } from "../image/images.js";
import { type NetworkOptions, NetworkService } from "../network/network-service.js";
import { BlockStorage, type VolumeOptions } from "../volume/block-storage.js";
import { WorldEvents } from "./events.js";
import { Identifiers } from "./identifiers.js";
import type { Requester } from "./requester.js";
import { seed } from "./seed.js";

export interface WorldOptions {
  readonly clock?: Clock;
  readonly random?: (length: number) => Buffer;
  readonly identity?: IdentityOptions;
  readonly network?: NetworkOptions;
  readonly compute?: ComputeOptions;
  readonly volume?: VolumeOptions;
  /** Whether to create the users, networks, flavors, images and key pairs of `openstack-up`. Defaults to true. */
  readonly seeded?: boolean;
}

/** A cloud without HTTP: identity, network, compute, images and volumes with one clock. Other services follow it through `events`. */
export class OpenstackWorld {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly events = new WorldEvents();
  readonly identity: Identity;
  readonly network: NetworkService;
  readonly images: ImageStore;
  readonly compute: Compute;
  readonly volumes: BlockStorage;

  constructor(options: WorldOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.identifiers = new Identifiers(options.random ?? randomBytes);
    this.identity = new Identity(this.clock, this.identifiers, options.identity);
    this.network = new NetworkService(this.clock, this.identifiers, this.events, options.network);
    this.images = new ImageStore(this.clock, this.identifiers);
    this.compute = new Compute(this, options.compute);
    this.volumes = new BlockStorage(this, options.volume);
    if (options.seeded !== false) seed(this);
  }

  /** Returns a requester that acts without a token, by user name and project name. Throws if one of them is unknown. */
  as(userName: string, projectName?: string): Requester {
    return this.identity.requester(userName, projectName ?? userName);
  }
}
