import { createHash } from "node:crypto";
import type { Dispatcher } from "undici";

/** Servers whose connections are kept at most; of more, those that were asked least lately are forgotten. */
const MOST = 2_000;

/**
 * Connections that outlive whoever opened them, for a process that asks the same servers again and again. Only who trusts a server
 * by the very same authority, certificate and pin, and waits as long for it, gets the connections that others made. What is
 * forgotten serves those who have it to their end, and is closed once it was not used for a while.
 */
export class KeptPools {
  readonly #pools = new Map<string, { readonly pool: Dispatcher; readonly made: number }>();
  readonly #most: number;

  constructor(most = MOST) {
    this.#most = most;
  }

  /**
   * `facts`: all that one who shares the connections has in common, as JSON can say it. `now` and `longest` in milliseconds: what
   * was made as long ago is forgotten, and made anew.
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
