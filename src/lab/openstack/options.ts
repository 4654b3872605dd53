import type { WorldOptions } from "./world/world.js";

export const SERVICES = ["identity", "network", "compute", "image", "volume"] as const;
export type Service = (typeof SERVICES)[number];

/** The ports of the specification; those of the image and the volume service are their usual ones. */
export const USUAL_PORTS: Readonly<Record<Service, number>> = { identity: 5000, network: 9696, compute: 8774, image: 9292, volume: 8776 };

export interface OpenstackLabOptions extends WorldOptions {
  /** The usual ports when left out; 0, or `free`, takes free ones. */
  readonly ports?: "free" | Partial<Readonly<Record<Service, number>>>;
  /** 127.0.0.1 when left out. */
  readonly host?: string;
  /** Serves TLS, by a certificate authority of the lab's own. */
  readonly tls?: boolean;
  /** Whether identity v2.0 is there; yes when left out. Today's services have it no more. */
  readonly identityV2?: boolean;
  /** `RegionOne` when left out. All regions have the same endpoints. */
  readonly regions?: readonly string[];
  /** The compute endpoint ends in the project's id; off when left out. */
  readonly projectInComputeEndpoint?: boolean;
  /** Whether there is a volume service; yes when left out. */
  readonly volumeService?: boolean;
  /** What links name in place of the service's own address, as behind a proxy: `http://inner:9696`. The catalog stays right. */
  readonly linkBase?: string;
}
