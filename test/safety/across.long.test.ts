import { describe, expect, it } from "vitest";
import { DataCentre } from "../cli/data-centre.js";

/** Dangers of docs/contributing/architecture.md that begin in a cloud and end on a firewall, by number. */

const VSYS = "target: edge\nscope: vsys1\nconfig:\n";
const ADDRESS = "servers/entry[@name='web']/addresses/entry/address";

/** A rule whose destination is `reference`. */
const rule = (reference: string): string => `${VSYS.replace("config:", "owns: { rulebase/security/rules: shared }\nconfig:")}  rulebase:
    security:
      rules:
        $position: top
        $entries:
          - { name: follows, from: [any], to: [any], source: [any], destination: ["${reference}"], source-user: [any], category: [any], application: [ssl], service: [application-default], action: allow }
`;
const NETWORK = (dns: string): string =>
  `target: cloud\nscope: project\nconfig: { networks: { a: { subnets: { a-a: { cidr: 10.9.1.0/24${dns} } } } } }\n`;

/** A server that others made, and a firewall with a rule that leads to it. */
async function followingServer(): Promise<{ readonly world: DataCentre; readonly server: string }> {
  const world = await DataCentre.start();
  world
    .file("documents/cloud.yaml", NETWORK(""))
    .file("documents/edge.yaml", rule(`\${cloud:${ADDRESS}}`))
    .push();
  const demo = world.cloud.world.as("demo");
  const [network] = world.cloud.world.network.visible("network", demo).filter(({ name }) => name === "private");
  const [image] = world.cloud.world.images.visible(demo.projectId, false);
  const body = { server: { name: "web", imageRef: image?.id, flavorRef: "1", networks: [{ uuid: network?.id }] } };
  const server = world.act("POST", "/v2.1/servers", body, "compute").server?.id ?? "";
  const { code, out, err } = await world.run("reconcile");
  expect(code, out + err).toBe(0);
  expect(destination(world)).toMatch(/^<destination><member>[0-9.]+<\/member><\/destination>$/);
  return { world, server };
}

function destination(world: DataCentre): string {
  const xml = world.running("rulebase/security/rules/entry[@name='follows']/destination");
  return /<destination>.*<\/destination>/s.exec(xml)?.[0].replace(/\s+/g, "") ?? xml;
}

/** No command sends the change to the firewall, and each names the line whose reference is missing. */
async function expectStopped(world: DataCentre, code: string, reconcileEnds = 1): Promise<void> {
  const before = [world.running(), world.commits];
  for (const command of ["plan", "reconcile", "drift"]) {
    const run = await world.run(command);
    expect(run.code, run.out + run.err).toBe(command === "reconcile" ? reconcileEnds : 1);
    expect(run.out).toContain(`[${code}]`);
    expect(run.out).toMatch(/at documents\/edge\.yaml:\d+:\d+/);
  }
  expect([world.running(), world.commits]).toEqual(before);
}

describe("12: a reference that resolves to nothing never turns a rule into any", () => {
  it("if the server behind it is deleted", async () => {
    const { world, server } = await followingServer();
    world.act("DELETE", `/v2.1/servers/${server}`, undefined, "compute");
    await expectStopped(world, "reference-nothing");
  });

  it("if the server loses its address", async () => {
    const { world, server } = await followingServer();
    for (const port of world.cloud.world.network.ports.ofDevice(server)) world.act("DELETE", `/v2.0/ports/${port.id}`);
    await expectStopped(world, "reference-nothing");
  });

  it.each([
    ["is down", { kind: "drop" } as const],
    ["answers with a page of a proxy", { kind: "html", status: 200 } as const],
    ["cuts its list in half", { kind: "cut", share: 0.5 } as const],
    ["shows its list to others only", { kind: "refuse", status: 403, type: "Forbidden", message: "no" } as const],
  ])("when the cloud %s", async (_, effect) => {
    const { world } = await followingServer();
    world.cloud.fault({ match: { method: "GET", path: "/servers" }, effect, count: 1000 });
    await expectStopped(world, "reference-unreadable");
  });

  it("if a list of members becomes empty, declared or live", async () => {
    const world = await DataCentre.start();
    const reference = "${cloud:networks/entry[@name='a']/subnets/entry[@name='a-a']/dns_nameservers}";
    world
      .file("documents/cloud.yaml", NETWORK(", dns_nameservers: [192.0.2.1, 192.0.2.2]"))
      .file("documents/edge.yaml", rule(reference))
      .push();
    const { code, out, err } = await world.run("reconcile");
    expect(code, out + err).toBe(0);
    expect(destination(world)).toBe("<destination><member>192.0.2.1</member><member>192.0.2.2</member></destination>");
    const [subnet] = world.cloud.world.network.visible("subnet", world.cloud.world.as("demo")).filter(({ name }) => name === "a-a");
    world.act("PUT", `/v2.0/subnets/${subnet?.id}`, { subnet: { dns_nameservers: [] } });
    world.file("documents/cloud.yaml", NETWORK("")).push();
    const before = [world.running(), world.commits];
    const run = await world.run("reconcile");
    expect(run.code, run.out + run.err).toBe(1);
    expect(run.out + run.err).toContain("[reference-nothing]");
    expect([world.running(), world.commits]).toEqual(before);
  });

  it("if nothing is declared any longer, and others have objects of that kind", async () => {
    const world = await DataCentre.start();
    world.file("documents/cloud.yaml", NETWORK("")).file("documents/edge.yaml", rule("${cloud:networks/entry/subnets/entry/cidr}")).push();
    expect((await world.run("reconcile")).code).toBe(0);
    expect(destination(world)).toBe("<destination><member>10.9.1.0/24</member></destination>");
    world.file("documents/cloud.yaml", "target: cloud\nscope: project\nconfig: { routers: { r: {} } }\n").push();
    // The cloud is changed, so the run is partly applied.
    await expectStopped(world, "reference-nothing", 4);
  });
});

describe("11: system objects in lists that are exclusive on both", () => {
  it("stay, and only objects that follow deleted ones are deleted", async () => {
    const world = await DataCentre.start();
    const cloud = (groups: string) =>
      `target: cloud\nscope: project\nowns: { networks: exclusive, security_groups: exclusive }\nconfig: { networks: { a: {} }, security_groups: { ${groups} } }\n`;
    const edge = `target: edge
scope: vsys1
owns: { service-group: exclusive }
config:
  service-group:
    $entries:
      - { name: app-ports, members: [tcp-8443, service-https] }
      - $forEach: { in: cloud, select: security_groups/entry, name: "sg-\${name}" }
        members: [tcp-5432]
`;
    world.file("documents/cloud.yaml", cloud("g: {}, h: {}")).file("documents/edge.yaml", edge).push();
    for (const target of ["cloud", "edge"]) expect((await world.run(`adopt ${target}`)).code).toBe(0);
    const { code, out, err } = await world.run("reconcile");
    expect(code, out + err).toBe(0);
    world.file("documents/cloud.yaml", cloud("g: {}")).push();
    expect((await world.run("reconcile")).code).toBe(0);
    expect(world.networks).toEqual(["a", "private", "public"]);
    const groups = world.cloud.world.network.visible("security_group", world.cloud.world.as("demo"));
    expect(groups.map(({ name }) => name).sort()).toEqual(["default", "g"]);
    expect([...world.running("service-group").matchAll(/<entry name="([^"]+)"/g)].map(([, name]) => name)).toEqual(["app-ports", "sg-g"]);
  });
});
