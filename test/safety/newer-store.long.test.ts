import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqlite } from "../../src/agent/store/sqlite.js";
import { afterTest } from "../after-test.js";
import { SharedWorld } from "../agent/shared/world.js";
import { startPostgres, type TestPostgres } from "../agent/store/postgres.js";
import { AgentWorld } from "../agent/world.js";

const MINUTE = 60_000;
const NEWER = { code: "store-newer", message: expect.stringContaining("9999-later") };

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => await postgres.stop());

describe("an agent whose store is upgraded by a newer version while it runs", () => {
  it("applies nothing more, and ends with the reason, on SQLite", async () => {
    const world = await AgentWorld.startForTest();
    const { agent } = await world.openAgent();
    const stop = new AbortController();
    const running = agent.run(stop.signal);
    const ended = expect(running).rejects.toMatchObject(NEWER);
    await world.event("applied");
    await world.settle();
    const { db, close } = openSqlite(`${world.stateFolder}/plumbline.db`, { readOnly: false });
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')`.execute(db);
    await close();
    world.want("edge", { a: "10.0.0.2" });
    world.push("too late");
    world.clock.advance(6 * MINUTE);
    expect((await world.event("store-failed")).error).toMatchObject(NEWER);
    const ticking = setInterval(() => world.clock.advance(5_000), 50);
    await ended;
    clearInterval(ticking);
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1" });
    expect(world.seen("applied")).toBe(1);
  });

  it("applies nothing more, and ends with the reason, on PostgreSQL", async () => {
    const shared = await SharedWorld.start(postgres, {});
    afterTest(() => shared.close());
    const agent = await shared.agent();
    await agent.event("commit-in-force");
    await shared.live(agent.event("applied"), [agent]);
    await shared.query("insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')");
    shared.world.want("edge", { a: "10.0.0.2" });
    shared.world.push("too late");
    expect((await shared.live(agent.event("store-failed"), [agent])).error).toMatchObject(NEWER);
    await expect(shared.live(shared.end(agent), [agent])).rejects.toMatchObject(NEWER);
    await agent.store.close();
    expect(shared.world.addressesOf()).toMatchObject({ a: "10.0.0.1" });
  }, 60_000);
});
