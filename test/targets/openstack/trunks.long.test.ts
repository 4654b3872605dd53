import { describe, expect, it } from "vitest";
import type { Trunk } from "../../../src/lab/openstack/network/trunks.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const NETWORKS = `subnetpools: { inner: { prefixes: [10.5.0.0/16], default_prefixlen: 24 } }
networks:
  outer: { subnets: { outer-a: { cidr: 10.0.0.0/24 } } }
  red: { subnets: { red-a: { subnetpool: inner } } }
  blue: { subnets: { blue-a: { subnetpool: inner } } }
`;
const PORTS = `ports:
  up: { network: outer }
  red: { network: red }
  blue: { network: blue }
`;
const TRUNK = `trunks:
  uplink:
    port: up
    description: to the firewall
    tags: [edge]
    sub_ports: [{ port: red, segmentation_id: 10 }, { port: blue, segmentation_id: 20 }]
`;
const SERVER = "servers: { fw: { image: cirros, flavor: m1.tiny, networks: [{ port: up }] } }\n";
const DECLARED = NETWORKS + PORTS + TRUNK + SERVER;

const AT = "/openstack/trunks/entry[@name='uplink']";

const changed = (outcome: TargetOutcome) =>
  (outcome.drift?.items.map(({ change }) => change) ?? outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`).sort();

const told = ({ error, plan }: TargetOutcome) => JSON.stringify([error?.message, error?.next, plan?.refusals]);

function trunk({ lab }: CloudWorld, key = "uplink"): Trunk {
  const [found, ...others] = lab.world.network.all("trunk").filter(({ tags }) => tags.includes(`plumbline:key=${key}`));
  if (found === undefined || others.length > 0) throw new Error(`${others.length} more than one trunk are ${key}`);
  return found;
}

function port({ lab }: CloudWorld, name: string): string {
  return lab.world.network.all("port").find((each) => each.name === name)?.id ?? "";
}

const vlans = (world: CloudWorld, key?: string) =>
  Object.fromEntries(
    trunk(world, key).sub_ports.map(({ port_id, segmentation_id }) => [
      world.lab.world.network.all("port").find(({ id }) => id === port_id)?.name,
      segmentation_id,
    ]),
  );

async function standing(documents = DECLARED): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(documents);
  await world.reconciled();
  return world;
}

/** Trunks and the parts that a run wrote. */
const writes = (world: CloudWorld, since: number) => world.writesSince(since).filter((each) => each.includes("/trunks"));

describe("trunks", () => {
  it("are created on ports before their server, by one request with all subports, and no difference remains", async () => {
    const world = await standing();
    expect(trunk(world)).toMatchObject({ name: "uplink", port_id: port(world, "up"), description: "to the firewall" });
    expect(trunk(world).tags).toContain("edge");
    expect(vlans(world)).toEqual({ red: 10, blue: 20 });
    const made = world.writesSince(0);
    expect(made.indexOf("POST /v2.0/trunks")).toBeLessThan(made.indexOf("POST /v2.1/servers"));
    expect(made.filter((each) => each.includes("subports"))).toEqual([]);
    const since = world.lab.journal.length;
    expect(changed(await world.reconciled())).toEqual([]);
    expect(world.writesSince(since)).toEqual([]);
  });

  it("change their subports by one request for removals and one for additions, while a server has them", async () => {
    const world = await standing();
    const { id } = trunk(world);
    const since = world.lab.journal.length;
    world.want(
      DECLARED.replace("segmentation_id: 10", "segmentation_id: 20")
        .replace("port: blue, segmentation_id: 20", "port: green, segmentation_id: 10")
        .replace("  blue: { network: blue }\n", "  blue: { network: blue }\n  green: { network: blue }\n"),
    );
    await world.reconciled();
    expect(vlans(world)).toEqual({ red: 20, green: 10 });
    expect(trunk(world).id).toBe(id);
    expect(writes(world, since)).toEqual(["PUT /v2.0/trunks/ID/remove_subports", "PUT /v2.0/trunks/ID/add_subports"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("that were changed manually are detected and healed", async () => {
    const world = await standing();
    const { id } = trunk(world);
    world.act("PUT", `/v2.0/trunks/${id}/remove_subports`, { sub_ports: [{ port_id: port(world, "red") }] });
    world.act("PUT", `/v2.0/trunks/${id}`, { trunk: { name: "theirs", admin_state_up: false } });
    expect(changed(await world.drift())).toEqual([
      `extra ${AT}/admin_state_up`,
      `extra ${AT}/name`,
      `missing ${AT}/sub_ports/entry[@name='red']`,
    ]);
    await world.reconciled();
    expect(trunk(world)).toMatchObject({ id, name: "uplink", admin_state_up: true });
    expect(vlans(world)).toEqual({ red: 10, blue: 20 });
    expect(changed(await world.plan())).toEqual([]);
  });

  it("that are declared down, which locks them, are changed anyway, stay down, and are deleted", async () => {
    const down = DECLARED.replace("    port: up\n", "    port: up\n    admin_state_up: false\n");
    const world = await standing(down);
    expect(trunk(world).admin_state_up).toBe(false);
    world.want(down.replace(", { port: blue, segmentation_id: 20 }", ""));
    await world.reconciled();
    expect(trunk(world).admin_state_up).toBe(false);
    expect(vlans(world)).toEqual({ red: 10 });
    world.want(NETWORKS + PORTS);
    await world.reconciled();
    expect(world.lab.world.network.all("trunk")).toEqual([]);
  });

  it("are deleted by ledger and mark, after their server and before their ports; those of others stay", async () => {
    const world = await standing();
    const { network } = world.act("POST", "/v2.0/networks", { network: { name: "theirs" } }).body as { network: { id: string } };
    const made = world.act("POST", "/v2.0/ports", { port: { network_id: network.id } }).body as { port: { id: string } };
    world.act("POST", "/v2.0/trunks", { trunk: { name: "theirs", port_id: made.port.id } });
    const since = world.lab.journal.length;
    world.want("networks: { last: {} }");
    await world.reconciled();
    expect(world.lab.world.network.all("trunk").map(({ name }) => name)).toEqual(["theirs"]);
    const gone = world.writesSince(since).filter((each) => /(trunks|servers|ports)\/ID$/.test(each));
    expect(gone.slice(0, 3)).toEqual(["DELETE /v2.1/servers/ID", "DELETE /v2.0/trunks/ID", "DELETE /v2.0/ports/ID"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("stay, with their content, if the server on their port is replaced", async () => {
    const world = await standing();
    const { id } = trunk(world);
    const [before] = world.lab.world.compute.servers(world.lab.world.as("demo").projectId);
    const since = world.lab.journal.length;
    world.want(DECLARED.replace("m1.tiny", "m1.small, $replace: true"));
    await world.reconciled();
    const [after] = world.lab.world.compute.servers(world.lab.world.as("demo").projectId);
    expect(after?.id).not.toBe(before?.id);
    expect(writes(world, since)).toEqual([]);
    expect(trunk(world).id).toBe(id);
    expect(vlans(world)).toEqual({ red: 10, blue: 20 });
  });

  it("are recreated with their port if permitted, otherwise the port is refused with its reason", async () => {
    const world = await standing(NETWORKS + PORTS + TRUNK);
    const moved = NETWORKS + PORTS.replace("up: { network: outer }", "up: { network: blue, $replace: true }") + TRUNK;
    const { id } = trunk(world);
    world.want(moved);
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(told(refused)).toContain("uplink");
    world.want(moved.replace("    port: up\n", "    port: up\n    $replace: true\n"));
    await world.reconciled();
    expect(trunk(world).id).not.toBe(id);
    expect(vlans(world)).toEqual({ red: 10, blue: 20 });
    expect(changed(await world.plan())).toEqual([]);
  });

  it("of a port that is no longer theirs: replaced if permitted", async () => {
    const world = await standing(NETWORKS + PORTS + TRUNK);
    const other = (NETWORKS + PORTS + TRUNK).replace("  red: { network: red }\n", "  red: { network: red }\n  up2: { network: outer }\n");
    world.want(other.replace("    port: up\n", "    port: up2\n"));
    expect(told(await world.reconcile())).toContain('\\"port\\" of \\"uplink\\"');
    world.want(other.replace("    port: up\n", "    port: up2\n    $replace: true\n"));
    await world.reconciled();
    expect(trunk(world).port_id).toBe(port(world, "up2"));
  });

  it("exchange subports and ports among each other in one run", async () => {
    const two = (one: string, other: string) => `${NETWORKS}ports:
  up: { network: outer }
  up2: { network: outer }
  red: { network: red }
  blue: { network: blue }
trunks:
  a: { port: up, sub_ports: [{ port: ${one}, segmentation_id: 10 }] }
  b: { port: up2, sub_ports: [{ port: ${other}, segmentation_id: 20 }] }
`;
    const world = await standing(two("red", "blue"));
    world.want(two("blue", "red"));
    await world.reconciled();
    expect([vlans(world, "a"), vlans(world, "b")]).toEqual([{ blue: 10 }, { red: 20 }]);
    world.want(two("blue", "red").replace("  a: {", "  c: {").replace("sub_ports: [{ port: red, segmentation_id: 20 }]", ""));
    await world.reconciled();
    expect(vlans(world, "c")).toEqual({ blue: 10 });
    expect(changed(await world.plan())).toEqual([]);
  });

  it("of others are taken over with $adopt, and renamed", async () => {
    const world = await standing(NETWORKS + PORTS);
    world.act("POST", "/v2.0/trunks", { trunk: { name: "uplink", port_id: port(world, "up") } });
    world.want(NETWORKS + PORTS + TRUNK);
    expect(exitCode([await world.reconcile()])).toBe(3);
    world.want(NETWORKS + PORTS + TRUNK.replace("    port: up\n", "    $adopt: true\n    port: up\n"));
    await world.reconciled();
    const { id } = trunk(world);
    world.want((NETWORKS + PORTS + TRUNK).replace("  uplink:\n", "  edge:\n    $was: uplink\n"));
    await world.reconciled();
    expect(world.lab.world.network.all("trunk")).toMatchObject([{ id, name: "edge" }]);
  });
});

describe("failing trunks", () => {
  it("are reported with the next step", async () => {
    const world = await standing(NETWORKS + PORTS);
    const fail = async (documents: string) => {
      world.want(documents);
      const outcome = await world.reconcile();
      expect(exitCode([outcome]), documents).not.toBe(0);
      return told(outcome);
    };
    expect(await fail(NETWORKS + PORTS + TRUNK.replace("    port: up\n", ""))).toContain("a trunk needs its port");
    expect(await fail(NETWORKS + PORTS + TRUNK.replace(", segmentation_id: 10", ""))).toContain("a subport needs its port and its");
    expect(await fail(NETWORKS + PORTS + TRUNK.replace("port: red", "port: nowhere"))).toContain('no port called \\"nowhere\\"');
    await expect(fail(NETWORKS + PORTS + TRUNK.replace("segmentation_id: 10", "segmentation_id: 4095"))).rejects.toThrow(/VLAN from 1 to/);
    expect(await fail(NETWORKS + PORTS + TRUNK.replace("segmentation_id: 10", "segmentation_id: 20"))).toContain("is not unique");
    world.act("POST", "/v2.0/trunks", { trunk: { name: "theirs", port_id: port(world, "red") } });
    expect(await fail(NETWORKS + PORTS + TRUNK)).toContain("openstack network trunk list");
  });

  it("a server that has the port prevents a trunk from being created and deleted", async () => {
    const world = await standing(NETWORKS + PORTS + SERVER);
    world.want(DECLARED);
    expect(told(await world.reconcile())).toContain("trunks are created before the servers on their ports");
    world.want(DECLARED.replace("m1.tiny", "m1.small, $replace: true"));
    await world.reconciled();
    expect(vlans(world)).toEqual({ red: 10, blue: 20 });
    world.want(NETWORKS + PORTS + SERVER.replace("m1.tiny", "m1.small"));
    expect(told(await world.reconcile())).toContain("A server has the port of the trunk");
    expect(trunk(world).name).toBe("uplink");
  });

  it("a subport that was removed just before is no failure", async () => {
    const world = await standing();
    const { id } = trunk(world);
    world.want(DECLARED.replace(/ {4}sub_ports: .*\n/, ""));
    const refusal = { kind: "refuse" as const, status: 404, type: "SubPortNotFound", message: "SubPort x on trunk y could not be found." };
    world.lab.fault({ match: { path: "/remove_subports" }, effect: refusal, count: 1 });
    await world.reconciled();
    expect(trunk(world)).toMatchObject({ id, sub_ports: [] });
  });

  it.each([
    ["remove_subports", "drop"],
    ["remove_subports", "drop-reply"],
    ["add_subports", "drop"],
    ["add_subports", "drop-reply"],
  ] as const)("a %s of which nothing comes back (%s) ends as declared, with no subport twice", async (path, kind) => {
    const world = await standing();
    const { id } = trunk(world);
    world.want(DECLARED.replace("port: red, segmentation_id: 10", "port: red, segmentation_id: 30"));
    world.lab.fault({ match: { path }, effect: { kind } });
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(vlans(world)).toEqual({ red: 30, blue: 20 });
    expect(trunk(world).id).toBe(id);
    const sent = ["PUT /v2.0/trunks/ID/remove_subports", "PUT /v2.0/trunks/ID/add_subports"];
    if (kind === "drop-reply") expect(writes(world, since)).toEqual(sent);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("a cloud without the extension is reported at plan if one is declared, and read otherwise", async () => {
    const world = (await CloudWorld.start()).want(NETWORKS + PORTS);
    const refusal = { kind: "refuse" as const, status: 404, type: "HTTPNotFound", message: "The resource could not be found." };
    world.lab.fault({ match: { path: "/trunks" }, effect: refusal, count: 100 });
    await world.reconciled();
    world.want(NETWORKS + PORTS + TRUNK);
    expect((await world.plan()).error).toMatchObject({ code: "cloud-extension-missing", message: expect.stringContaining("no trunks") });
  });

  it.each([1, 2, 3, 4])("a run killed after write %i of them is continued from a new clone: one of each", async (write) => {
    const world = await standing(NETWORKS + PORTS);
    world.want(DECLARED);
    world.death = { atWrite: write, when: "after" };
    expect((await world.reconcile()).error).toBeDefined();
    await world.resurrect().cloneAnew().reconciled();
    expect(world.lab.world.network.all("trunk")).toHaveLength(1);
    expect(vlans(world)).toEqual({ red: 10, blue: 20 });
    expect(changed(await world.plan())).toEqual([]);
  });
});
