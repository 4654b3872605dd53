import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const CONFIG = `networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }
security_groups: { of-port: {}, of-server: {} }
ports: { vip: { network: n, security_groups: [of-port] } }
servers: { web: { image: cirros, flavor: m1.tiny, networks: [{ port: vip }, { network: n }], security_groups: [of-server], saveTo: web.password } }`;

describe("security groups of a server", () => {
  it("are those of its creation, not those of separately declared ports", async () => {
    const world = (await CloudWorld.start()).want(CONFIG);
    await world.reconciled();
    expect((await world.plan()).plan?.changes).toEqual([]);
    world.want(CONFIG.replace("security_groups: [of-port]", "security_groups: [of-server, of-port]"));
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("are requested by id if another group has the name", async () => {
    const world = await CloudWorld.start();
    for (const description of ["one", "two"]) world.act("POST", "/v2.0/security-groups", { security_group: { name: "twin", description } });
    const [, second] = world.lab.world.network.all("security_group").filter(({ name }) => name === "twin");
    const key = `twin~${second?.id.slice(0, 8)}`;
    world.want(
      `networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }\nservers: { web: { image: cirros, flavor: m1.tiny, networks: [{ network: n }], security_groups: [${key}], saveTo: web.password } }`,
    );
    await world.reconciled();
    const ports = world.lab.world.network.all("port").filter(({ device_owner }) => device_owner.startsWith("compute"));
    expect(ports.map(({ security_groups }) => security_groups)).toEqual([[second?.id]]);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });
});
