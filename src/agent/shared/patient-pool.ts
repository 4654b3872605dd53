import type pg from "pg";
import type { AgentClock } from "../clock.js";

const AGAIN = 1000;

/**
 * Lets the job queue wait for a database that is away: it takes a connection that cannot be had while it notes the end
 * of a job for a fault of its own, and ends the process.
 */
export function patient(pool: pg.Pool, clock: AgentClock, stop: AbortSignal): pg.Pool {
  const connect = pool.connect.bind(pool);
  const waiting = async (): Promise<pg.PoolClient> => {
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        if (stop.aborted) throw error;
        await clock.sleep(AGAIN * (0.5 + clock.random()), stop);
      }
    }
  };
  type Told = Parameters<pg.Pool["connect"]>[0];
  pool.connect = ((told?: Told) => (told === undefined ? waiting() : connect(told))) as pg.Pool["connect"];
  return pool;
}
