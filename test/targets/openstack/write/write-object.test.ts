import { expect, it } from "vitest";
import { exitCode } from "../../../../src/outcome/outcome.js";
import { CloudWorld } from "../cloud-world.js";

const config = (description: string) => `
networks: { n: { description: ${description}, subnets: { s: { cidr: 10.9.1.0/24 } } } }
routers: { r: { interfaces: [s], description: ${description} } }`;

it("a change that the service does not answer in time is sent once, its outcome is unknown, and the rest is applied", async () => {
  const world = (await CloudWorld.start()).want(config("a"));
  await world.reconciled();
  world.want(config("b"));
  world.overrides = { timeout: 1 };
  world.lab.fault({ match: { method: "PUT", path: "/routers/" }, effect: { kind: "hold", when: "before" }, count: 10 });
  const since = world.lab.journal.length;
  const outcome = await world.reconcile();
  expect(exitCode([outcome])).toBe(4);
  expect(world.writesSince(since).filter((write) => write.startsWith("PUT /v2.0/routers/"))).toEqual(["PUT /v2.0/routers/ID"]);
  expect(outcome.error).toMatchObject({ code: "partly-applied" });
  expect(outcome.error?.message).toContain(`the outcome of a change to "r" is unknown: `);
  expect(outcome.error?.message).toContain("did not answer in time");
  expect(world.lab.world.network.all("network").find(({ name }) => name === "n")?.description).toBe("b");
});
