import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startPostgres } from "../store/postgres.js";
import { SharedWorld } from "./world.js";

const GATEWAY = [
  "target: edge",
  "scope: device",
  "config:",
  "  network:",
  "    ike:",
  "      gateway:",
  '        one: { authentication: { pre-shared-key: { key: "${env:KEY}" } } }',
  "",
].join("\n");

it("several agents use no secrets without a shared key: the former commit stays active", async () => {
  const postgres = await startPostgres();
  const shared = await SharedWorld.start(postgres, { device: { behavior: { checks: false } } });
  try {
    const { world } = shared;
    world.environment = { ...world.environment, KEY: "plain text", PLUMBLINE_FINGERPRINT_KEY: "0123456789abcdef0123456789abcdef" };
    const agent = await shared.agent();
    const first = await agent.event("commit-in-force");
    await agent.event("applied");
    world.write("edge/gateways.yaml", GATEWAY);
    const without = world.push("a secret");
    const refused = await shared.live(agent.event("commit-refused"), [agent]);
    expect(refused).toMatchObject({
      commit: without,
      inForce: first.commit,
      error: { code: "fingerprint-key-missing", severity: "refused" },
    });
    expect(refused.error.where).toMatchObject({ target: "edge" });
    expect(refused.error.where?.file).toMatch(/plumbline\.yaml$/);
    expect(await agent.store.shared?.commits.unfinished()).toEqual([]);

    const file = join(world.work, "plumbline.yaml");
    world.write("plumbline.yaml", `fingerprintKey: "\${env:PLUMBLINE_FINGERPRINT_KEY}"\n${readFileSync(file, "utf8")}`);
    const commit = world.push("and the key");
    await shared.live(
      agent.event("applied", (event) => event.commit === commit),
      [agent],
    );
    const other = await shared.agent();
    await shared.end(agent);
    // Its turn comes in a quarter of an hour.
    await shared.live(other.event("commit-in-force"), [other]);
    await other.open.controls.visit("edge", "plan");
    const passed = await shared.live(
      other.event("pass-ended", ({ target }) => target === "edge"),
      [other],
    );
    expect(passed).toMatchObject({ commit, result: "in-sync" });
  } finally {
    await shared.close();
    await postgres.stop();
  }
}, 60_000);
