import type { WorldOptions } from "./world/world.js";

export const SERVICES = ["identity", "network", "compute", "image", "volume"] as const;
export type Service = (typeof SERVICES)[number];

/** Ports of the specification. The image and volume services use their usual ports. */
export const USUAL_PORTS: Readonly<Record<Service, number>> = { identity: 5000, network: 9696, compute: 8774, image: 9292, volume: 8776 };

export interface OpenstackLabOptions extends WorldOptions {
  /** Defaults to the usual ports. 0 or `free` chooses free ports. */
  readonly ports?: "free" | Partial<Readonly<Record<Service, number>>>;
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Serves TLS with the lab's own certificate authority. */
  readonly tls?: boolean;
  /** Whether identity v2.0 exists. Defaults to true. Current services no longer have it. */
  readonly identityV2?: boolean;
  /** Defaults to `RegionOne`. All regions have the same endpoints. */
  readonly regions?: readonly string[];
  /** Whether the compute endpoint ends in the project id. Defaults to false. */
  readonly projectInComputeEndpoint?: boolean;
  /** Whether a volume service exists. Defaults to true. */
  readonly volumeService?: boolean;
  /** Start of links instead of the service's own URL, as behind a proxy: `http://inner:9696`. The catalog stays correct. */
  readonly linkBase?: string;
}
