import { hostname } from "node:os";
import { PlumblineError } from "../../core/errors.js";
import type { Database } from "./database.js";
import { interruptPassesOf } from "./passes.js";
import { type Claim, type Runner, runnerName } from "./store.js";

const ROLE = "agent";

/** Takes the lock of the agent. The row is only information about the holder. */
export async function claim(database: Database, runner: Runner, now: number): Promise<Claim> {
  const lock = await database.reportingFailure(() => database.backend.lock());
  if (lock === undefined) throw claimed(database.backend.place, await holder(database));
  try {
    await database.write(async (transaction) => {
      const before = await transaction.selectFrom("agents").selectAll().where("role", "=", ROLE).executeTakeFirst();
      if (before !== undefined) await interruptPassesOf(transaction, runnerName(before), now);
      const { host, pid, started, version } = runner;
      const values = { host, hostname: runner.hostname ?? hostname(), pid, started, version };
      await transaction
        .insertInto("agents")
        .values({ role: ROLE, ...values })
        .onConflict((conflict) => conflict.column("role").doUpdateSet(values))
        .execute();
    });
  } catch (error) {
    await lock.release();
    throw error;
  }
  return lock;
}

async function holder(database: Database): Promise<Runner | undefined> {
  return await database.read((db) => db.selectFrom("agents").selectAll().where("role", "=", ROLE).executeTakeFirst());
}

function claimed(place: string, first: Runner | undefined): PlumblineError {
  const who =
    first === undefined
      ? "another agent, which has just started"
      : `the agent with process ${first.pid} on ${first.hostname}, since ${new Date(first.started).toISOString()}`;
  return new PlumblineError("store-claimed", `The store ${place} is in use by ${who}.`, {
    next: "Stop that agent first, or give this one a store of its own (--state, or store: in plumbline.yaml).",
    severity: "refused",
  });
}
