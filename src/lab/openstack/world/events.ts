import type { Network } from "../network/network.js";
import type { Port } from "../network/port.js";
import type { Router } from "../network/router.js";
import type { SecurityGroup } from "../network/security-group.js";
import type { Subnet } from "../network/subnet.js";

/** Objects of the network service that listeners receive. */
export interface Followed {
  network: Network;
  subnet: Subnet;
  port: Port;
  router: Router;
  security_group: SecurityGroup;
}

/** A change. `object` is the object after the change, or the last version before a delete. */
export type WorldEvent = {
  readonly [K in keyof Followed]: {
    readonly kind: K;
    readonly action: "create" | "update" | "delete";
    readonly object: Readonly<Followed[K]>;
  };
}[keyof Followed];

export type WorldListener = (event: WorldEvent) => void;

/** Calls listeners in the order of registration, before the service replies to the request. */
export class WorldEvents {
  readonly #listeners = new Set<WorldListener>();

  /** Returns a function that removes the listener. */
  on(listener: WorldListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  emit(event: WorldEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
