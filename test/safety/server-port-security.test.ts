import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { flowText } from "../../src/report/insight.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

const BASE = `networks: { n: { subnets: { a: { cidr: 10.9.0.0/24 } } }, free: { port_security_enabled: false, subnets: { f: { cidr: 10.9.1.0/24 } } } }
security_groups: { web: { rules: [{ direction: ingress, protocol: tcp, port_range_min: 443, port_range_max: 443 }] } }
`;
const server = (more: string, networks = "[{ network: n }]") =>
  `${BASE}servers: { own: { image: cirros, flavor: m1.tiny, networks: ${networks}${more} } }`;

const changed = ({ plan }: TargetOutcome) => plan?.changes.map(({ path }) => path.tag).sort();

/** Ports that the service made for the server, without ids. */
const ownPorts = ({ lab }: CloudWorld) => {
  const { network } = lab.world;
  const names = new Map(network.all("security_group").map(({ id, name }) => [id, name]));
  return network
    .all("port")
    .filter(({ device_owner }) => device_owner.startsWith("compute"))
    .map(({ id, port_security_enabled, security_groups }) => ({
      id,
      on: port_security_enabled,
      groups: security_groups.map((each) => names.get(each)),
    }));
};

function switchOff(world: CloudWorld): void {
  for (const { id, on } of ownPorts(world))
    if (on) expect(world.act("PUT", `/v2.0/ports/${id}`, { port: { security_groups: [], port_security_enabled: false } }).status).toBe(200);
}

async function standing(config: string): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(config);
  await world.reconciled();
  expect(changed(await world.plan())).toEqual([]);
  return world;
}

describe("port security that an administrator turns off on a server's own port", () => {
  it.each([
    ["with declared groups", server(", security_groups: [web]")],
    ["without declared groups", server("")],
    ["next to a network without port security", server("", "[{ network: n }, { network: free }]")],
  ])("is drift, and the next run turns it on with the same groups: %s", async (_, config) => {
    const world = await standing(config);
    const before = ownPorts(world);
    switchOff(world);
    const drift = await world.drift();
    expect(exitCode([drift])).toBe(2);
    expect(drift.drift?.refusals).toEqual([]);
    const tags = drift.drift?.items.map(({ change: { path } }) => path.tag);
    expect(tags).toContain("port_security_enabled");
    expect(drift.drift?.items.every(({ attribution }) => attribution?.time !== undefined)).toBe(true);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(ownPorts(world)).toEqual(before);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("is reported as access from anywhere", async () => {
    const world = await standing(server(", security_groups: [web]"));
    switchOff(world);
    const { insight } = await world.drift({ insight: true });
    expect(insight?.failure).toBeUndefined();
    const opened = insight?.scopes.flatMap(({ rows }) => rows.filter(({ change }) => change === "opened")) ?? [];
    expect(opened.flatMap(({ flows }) => flows.map(flowText))).toContain(
      "any but server own > server own on n  0.0.0.0/0 > any  any service",
    );
  });

  it("is kept for a server that was taken over without it", async () => {
    const world = (await CloudWorld.start()).want(BASE);
    await world.reconciled();
    const { lab } = world;
    const net = lab.world.network.all("network").find(({ name }) => name === "n")?.id;
    const [image] = lab.world.images.visible(undefined, true);
    world.act("POST", "/v2.1/servers", { server: { name: "own", imageRef: image?.id, flavorRef: "1", networks: [{ uuid: net }] } });
    await world.reconciled();
    switchOff(world);
    world.want(server(", $adopt: true"));
    await world.reconciled();
    expect(ownPorts(world).map(({ on }) => on)).toEqual([false]);
    expect(changed(await world.plan())).toEqual([]);
  });
});

describe("port security turned off in the documents", () => {
  const port = (more: string) => `${BASE}ports: { p: { network: n${more} } }
servers: { own: { image: cirros, flavor: m1.tiny, networks: [{ port: p }] } }`;

  it.each([
    ["a new port", undefined, ", port_security_enabled: false"],
    ["a port with the group default", "", ", port_security_enabled: false"],
    ["a port with declared groups", ", security_groups: [web]", ", port_security_enabled: false"],
  ])("takes one run and stays: %s", async (_, before, after) => {
    const world = before === undefined ? await CloudWorld.start() : await standing(port(before));
    world.want(port(after));
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(ownPorts(world)).toMatchObject([{ on: false, groups: [] }]);
    expect(changed(await world.plan())).toEqual([]);
    world.want(port(", security_groups: [web]"));
    expect(exitCode([await world.reconcile()])).toBe(0);
  });

  it("is refused on a server, and the error names the way", async () => {
    const world = (await CloudWorld.start()).want(server(", port_security_enabled: false"));
    await expect(world.plan()).rejects.toMatchObject({
      errors: [{ code: "value-type", message: expect.stringContaining("under ports:") }],
    });
  });
});
