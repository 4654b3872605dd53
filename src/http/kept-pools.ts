import { createHash } from "node:crypto";
import type { Dispatcher } from "undici";

/** Maximum number of servers with shared connections. The least recently used ones are dropped. */
const MOST = 2_000;

/**
 * Connections that outlive their first user, for a process that connects to the same servers repeatedly. They are shared only between users
 * with the same authority, certificate, pin and timeout. A dropped pool still serves its current users and closes after a period without
 * use.
 */
export class KeptPools {
  readonly #pools = new Map<string, { readonly pool: Dispatcher; readonly made: number }>();
  readonly #most: number;

  constructor(most = MOST) {
    this.#most = most;
  }

  /**
   * Returns the pool for `facts`, which are the common settings of its users as JSON values. `now` and `longest` are in milliseconds. An
   * older pool is dropped and created again.
   */
  get(facts: readonly unknown[], make: () => Dispatcher, now: number, longest: number): Dispatcher {
    const key = createHash("sha256").update(JSON.stringify(facts)).digest("base64");
    const known = this.#pools.get(key);
    const kept = known !== undefined && now - known.made < longest ? known : { pool: make(), made: now };
    this.#pools.delete(key);
    this.#pools.set(key, kept);
    const [oldest] = this.#pools.keys();
    if (oldest !== undefined && this.#pools.size > this.#most) this.#pools.delete(oldest);
    return kept.pool;
  }
}
