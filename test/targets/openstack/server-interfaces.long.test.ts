import { describe, expect, it } from "vitest";
import type { Server } from "../../../src/lab/openstack/compute/server.js";
import type { Port } from "../../../src/lab/openstack/network/port.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const BASE = `
networks:
  n: { subnets: { s: { cidr: 10.9.1.0/24 } } }
  m: { subnets: { t: { cidr: 10.9.2.0/24 } } }
security_groups: { front: {}, back: {} }
ports:
  vip: { network: m, security_groups: [back] }
  spare: { network: m }
`;
const web = (networks: string, more = "") => `  web: { image: cirros, flavor: m1.tiny, networks: [${networks}]${more} }\n`;
const app = (networks: string, more = "") => web(networks, more).replace("web", "app");
const config = (...servers: string[]) => `${BASE}servers:\n${servers.join("")}`;

const changed = (outcome: TargetOutcome) =>
  (outcome.drift?.items.map(({ change }) => change) ?? outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`).sort();

function server({ lab }: CloudWorld, name: string): Server {
  const found = lab.world.compute.servers(lab.world.as("demo").projectId).find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no server ${name}`);
  return found;
}

const portsOf = (world: CloudWorld, name: string): Port[] => {
  const { id } = server(world, name);
  return world.lab.world.network.all("port").filter(({ device_id }) => device_id === id);
};

/** Interfaces of a server: the name of each port, or of its network. */
function joined(world: CloudWorld, name: string): string[] {
  const nameOf = ({ network_id }: Port) => world.lab.world.network.store.get("network", network_id).name;
  return portsOf(world, name)
    .map((port) => port.name || nameOf(port))
    .sort();
}

function port(world: CloudWorld, name: string): Port {
  const found = world.lab.world.network.all("port").find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no port ${name}`);
  return found;
}

const groupsOf = (world: CloudWorld, name: string): string[][] =>
  portsOf(world, name)
    .filter((each) => each.name === "")
    .map(({ security_groups }) => security_groups.map((id) => world.lab.world.network.store.get("security_group", id).name).sort());

async function standing(...servers: string[]): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(config(...servers));
  await world.reconciled();
  return world;
}

const N = "{ network: n }";
const VIP = "{ port: vip }";

describe("interfaces of a server in place", () => {
  it("are added while it runs, of ports and of networks, with its security groups, and no difference remains", async () => {
    const world = await standing(web(N, ", security_groups: [front]"));
    const { id } = server(world, "web");
    world.want(config(web(`${N}, ${VIP}, { network: m, fixed_ip: 10.9.2.77 }`, ", security_groups: [front]")));
    const since = world.lab.journal.length;
    const outcome = await world.reconciled();
    expect(outcome.plan?.findings.filter(({ kind }) => kind === "down" || kind === "made-again")).toEqual([]);
    expect(server(world, "web").id).toBe(id);
    expect(joined(world, "web")).toEqual(["m", "n", "vip"]);
    expect(portsOf(world, "web").flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address))).toContain("10.9.2.77");
    expect(groupsOf(world, "web")).toEqual([["front"], ["front"]]);
    expect(world.writesSince(since)).toEqual([
      "POST /v2.1/servers/ID/os-interface",
      "POST /v2.1/servers/ID/os-interface",
      "PUT /v2.0/ports/ID",
    ]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are removed if the document permits the interruption: a declared port stays, a service's port is deleted", async () => {
    const world = await standing(web(`${N}, ${VIP}, { network: m }`));
    const { id } = server(world, "web");
    world.want(config(web(N)));
    const held = await world.reconcile();
    expect(exitCode([held])).toBe(3);
    expect(held.plan?.refusals.map(({ guard, message }) => `${guard}: ${message}`).sort()).toEqual([
      'down: "m" in networks of "web" goes by detach, and is interrupted. $down: true allows that.',
      'down: "vip" in networks of "web" goes by detach, and is interrupted. $down: true allows that.',
    ]);
    world.want(config(web(N, ", $down: true")));
    await world.reconciled();
    expect([server(world, "web").id, joined(world, "web")]).toEqual([id, ["n"]]);
    expect(port(world, "vip").device_id).toBe("");
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are replaced for another address, with a message; the order of rows is no difference", async () => {
    const rows = "{ network: n, fixed_ip: 10.9.1.11 }, { network: n, fixed_ip: 10.9.1.12 }";
    const world = await standing(web(rows));
    const { id } = server(world, "web");
    world.want(config(web("{ network: n, fixed_ip: 10.9.1.12 }, { network: n, fixed_ip: 10.9.1.11 }")));
    expect(changed(await world.plan())).toEqual([]);
    world.want(config(web(rows.replace("1.12", "1.13"))));
    const held = await world.plan();
    expect(held.plan?.refusals.map(({ message }) => message)).toEqual([
      '"fixed_ip" of "web" is changed by reattachment, and is interrupted. $down: true allows that.',
    ]);
    world.want(config(web(rows.replace("1.12", "1.13"), ", $down: true")));
    await world.reconciled();
    const addresses = portsOf(world, "web").flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address));
    expect([server(world, "web").id, addresses.sort()]).toEqual([id, ["10.9.1.11", "10.9.1.13"]]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("of a port do not have its address, with a message at the declaration", async () => {
    const world = await standing(web(`${N}, ${VIP}`));
    world.want(config(web(`${N}, { port: vip, fixed_ip: 10.9.2.99 }`, ", $down: true")));
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain('"web" cannot give port "vip" the address 10.9.2.99');
    expect(joined(world, "web")).toEqual(["n", "vip"]);
  });

  it("move to another server, and exchange places, in one run", async () => {
    const world = await standing(web(`${N}, ${VIP}`), app(`${N}, { port: spare }`));
    world.want(config(web(`${N}, { port: spare }`, ", $down: true"), app(`${N}, ${VIP}`, ", $down: true")));
    await world.reconciled();
    expect([joined(world, "web"), joined(world, "app")]).toEqual([
      ["n", "spare"],
      ["n", "vip"],
    ]);
    expect(changed(await world.plan())).toEqual([]);
    world.want(config(web(`${N}, ${VIP}`), app(`${N}, ${VIP}`)));
    expect((await world.plan()).plan?.refusals.length ?? 1).toBeGreaterThan(0);
  });

  it("change with a resize in one run, before it", async () => {
    const world = await standing(web(N));
    world.want(config(web(`${N}, ${VIP}`, ", $down: true").replace("m1.tiny", "m1.small")));
    await world.reconciled();
    expect([server(world, "web").flavor.name, joined(world, "web")]).toEqual(["m1.small", ["n", "vip"]]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are restored after a port is recreated", async () => {
    const world = await standing(web(`${N}, ${VIP}`));
    const [{ id }, was] = [server(world, "web"), port(world, "vip").id];
    world.want(config(web(`${N}, ${VIP}`)).replace("vip: { network: m,", "vip: { network: n, $replace: true,"));
    const outcome = await world.reconciled();
    expect(outcome.plan?.findings.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["made-again", "detached"]));
    expect([server(world, "web").id, joined(world, "web"), port(world, "vip").id === was]).toEqual([id, ["n", "vip"], false]);
    expect(changed(await world.plan())).toEqual([]);
  });
});

describe("security groups of a server", () => {
  it("are changed on the ports that the service created for it, and drift of them is healed", async () => {
    const world = await standing(web(`${N}, ${VIP}, { network: m }`, ", security_groups: [front]"));
    const { id } = server(world, "web");
    world.want(config(web(`${N}, ${VIP}, { network: m }`, ", security_groups: [back, front]")));
    await world.reconciled();
    expect([server(world, "web").id, groupsOf(world, "web")]).toEqual([
      id,
      [
        ["back", "front"],
        ["back", "front"],
      ],
    ]);
    const [made] = portsOf(world, "web").filter(({ name }) => name === "");
    world.act("PUT", `/v2.0/ports/${made?.id}`, { port: { security_groups: [] } });
    expect(changed(await world.drift())).toEqual(["differs /openstack/servers/entry[@name='web']/security_groups"]);
    await world.reconciled();
    expect(groupsOf(world, "web")).toEqual([
      ["back", "front"],
      ["back", "front"],
    ]);
  });
});

describe("interfaces of a server that another user changes", () => {
  const interfaces = (world: CloudWorld, name: string) => `/v2.1/servers/${server(world, name).id}/os-interface`;

  it("are restored if removed and removed if added, with the author", async () => {
    const world = await standing(web(`${N}, ${VIP}`, ", $down: true"));
    const { id } = server(world, "web");
    world.act("DELETE", `${interfaces(world, "web")}/${port(world, "vip").id}`);
    world.act("POST", interfaces(world, "web"), { interfaceAttachment: { port_id: port(world, "spare").id } });
    world.clock.advance(2000);
    const drift = await world.drift();
    expect(changed(drift).map((each) => each.replace("/openstack/servers/entry[@name='web']/networks", ""))).toEqual([
      "extra /entry[@name='* spare']",
      "missing /entry[@name='* vip']",
    ]);
    for (const { attribution } of drift.drift?.items ?? [])
      expect(attribution).toMatchObject({ admin: "demo", request: expect.stringMatching(/^req-/) });
    await world.reconciled();
    expect([server(world, "web").id, joined(world, "web"), port(world, "spare").device_id]).toEqual([id, ["n", "vip"], ""]);
  });

  it("do not get a port that another user gave to another server: its owner is reported, and the rest is done", async () => {
    const world = await standing(web(N));
    const { images, network } = world.lab.world;
    const n = network.all("network").find(({ name }) => name === "n")?.id ?? "";
    const imageRef = images.visible(undefined, true)[0]?.id ?? "";
    world.act("POST", "/v2.1/servers", { server: { name: "theirs", imageRef, flavorRef: "1", networks: [{ uuid: n }] } });
    world.clock.advance(3000);
    const theirs = interfaces(world, "theirs");
    world.act("POST", theirs, { interfaceAttachment: { port_id: port(world, "vip").id } });
    world.want(config(web(`${N}, ${VIP}`)).replace("spare: { network: m }", "spare: { network: m, description: more }"));
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain(`port "vip" is attached to server "theirs" (${server(world, "theirs").id})`);
    expect([port(world, "spare").description, joined(world, "theirs")]).toEqual(["more", ["n", "vip"]]);
    world.act("DELETE", `${theirs}/${port(world, "vip").id}`);
    world.clock.advance(2000);
    const act = { service: "compute", method: "POST", path: theirs, user: "demo" } as const;
    const body = { interfaceAttachment: { port_id: port(world, "vip").id } };
    world.lab.fault({ match: { method: "POST", path: interfaces(world, "web") }, effect: { kind: "act", act: { ...act, body } } });
    const raced = await world.reconcile();
    expect(raced.error?.message).toContain("is still in use");
    world.act("DELETE", `${theirs}/${port(world, "vip").id}`);
    world.clock.advance(2000);
    await world.reconciled();
    expect(joined(world, "web")).toEqual(["n", "vip"]);
  });

  it("that another user removes first are gone, without an error", async () => {
    const world = await standing(web(`${N}, ${VIP}`));
    world.want(config(web(N, ", $down: true")));
    const act = {
      service: "compute",
      method: "DELETE",
      path: `${interfaces(world, "web")}/${port(world, "vip").id}`,
      user: "demo",
    } as const;
    world.lab.fault({ match: { method: "DELETE", path: "os-interface" }, effect: { kind: "act", act } });
    await world.reconciled();
    expect(joined(world, "web")).toEqual(["n"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are kept if the service refuses: a locked server, and a suspended one", async () => {
    const world = await standing(web(N));
    world.act("POST", `/v2.1/servers/${server(world, "web").id}/action`, { lock: null }, "admin");
    world.want(config(web(`${N}, ${VIP}`)));
    const outcome = await world.reconcile();
    expect([exitCode([outcome]), outcome.error?.message]).toEqual([1, expect.stringContaining("is locked")]);
    world.act("POST", `/v2.1/servers/${server(world, "web").id}/action`, { unlock: null }, "admin");
    await world.reconciled();
    expect(joined(world, "web")).toEqual(["n", "vip"]);
  });
});

describe("interfaces of a server that the service fails at", () => {
  it("whose detach hangs are reported, and the next run completes it", async () => {
    const world = await standing(web(`${N}, ${VIP}`));
    world.lab.fault({ match: { method: "DELETE", path: "os-interface" }, effect: { kind: "interface-stays" } });
    world.want(config(web(N, ", $down: true")));
    const from = world.clock.now();
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain(`port "vip" is not detached from "web"`);
    expect(world.clock.now() - from).toBeLessThan(10 * 60_000);
    expect(changed(await world.plan())).toHaveLength(1);
    await world.reconciled();
    expect(joined(world, "web")).toEqual(["n"]);
  });

  it("whose attachment lost its reply are attached once, of a port and of a network", async () => {
    for (const row of [VIP, "{ network: m }"]) {
      const world = await standing(web(N, ", security_groups: [front]"));
      world.lab.fault({ match: { method: "POST", path: "os-interface" }, effect: { kind: "drop-reply" } });
      world.want(config(web(`${N}, ${row}`, ", security_groups: [front]")));
      await world.reconciled();
      expect(joined(world, "web")).toEqual([row === VIP ? "vip" : "m", "n"].sort());
      expect(groupsOf(world, "web").flat()).toEqual(row === VIP ? ["front"] : ["front", "front"]);
      expect(changed(await world.plan())).toEqual([]);
    }
  });

  it("are as declared after a run that was killed at any write", async () => {
    const from = config(web(`${N}, { port: spare }`, ", $down: true, security_groups: [front]"));
    const to = config(web(`${N}, { network: m }, ${VIP}`, ", $down: true, security_groups: [front]"));
    for (const when of ["before", "after"] as const)
      for (let atWrite = 1; atWrite <= 4; atWrite++) {
        const world = (await CloudWorld.start()).want(from);
        await world.reconciled();
        world.want(to);
        world.death = { atWrite, when };
        expect((await world.reconcile()).error, `${when} ${atWrite}`).toBeDefined();
        await world.resurrect().cloneAnew().reconciled();
        expect([joined(world, "web"), groupsOf(world, "web")], `${when} ${atWrite}`).toEqual([
          ["m", "n", "vip"],
          [["front"], ["front"]],
        ]);
        expect(changed(await world.plan())).toEqual([]);
        await world.close();
      }
  });
});
