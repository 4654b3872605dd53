import { describe, expect, it } from "vitest";
import type { Server } from "../../../src/lab/openstack/compute/server.js";
import type { Volume } from "../../../src/lab/openstack/volume/volume.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const BASE = `
networks: { n: { subnets: { s: { cidr: 10.7.0.0/24 } } } }
volumes: { root: { size: 1, image: cirros }, data: { size: 2 }, logs: { size: 1 } }
`;
const web = (more: string) => `  web: { boot_volume: root, flavor: m1.tiny, networks: [{ network: n }], ${more} }\n`;
const app = (more = "") => `  app: { image: cirros, flavor: m1.tiny, networks: [{ network: n }]${more} }\n`;
const DECLARED = `${BASE}servers:\n${web("volumes: [data, logs]")}${app()}`;

const changed = (outcome: TargetOutcome) =>
  (outcome.drift?.items.map(({ change }) => change) ?? outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`).sort();

const volumes = ({ lab }: CloudWorld): Volume[] => lab.world.volumes.volumes(lab.world.as("demo").projectId);

function volume(world: CloudWorld, name: string): Volume {
  const found = volumes(world).find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no volume ${name}`);
  return found;
}

function server({ lab }: CloudWorld, name: string): Server {
  const found = lab.world.compute.servers(lab.world.as("demo").projectId).find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no server ${name}`);
  return found;
}

/** Names by device: `vda root`. */
function disks(world: CloudWorld, name: string): string[] {
  const { id } = server(world, name);
  const held = volumes(world).filter(({ attachment }) => attachment?.serverId === id);
  return held.map(({ attachment, name: each }) => `${attachment?.device.slice(5)} ${each}`).sort();
}

async function standing(documents = DECLARED): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(documents);
  await world.reconciled();
  return world;
}

describe("servers with volumes", () => {
  it("start from one that the same run creates, have others in the order of their document, and no difference remains", async () => {
    const world = await standing();
    expect(disks(world, "web")).toEqual(["vda root", "vdb data", "vdc logs"]);
    expect(server(world, "web").imageId).toBeUndefined();
    expect(server(world, "web").volumes.map(({ deleteOnTermination }) => deleteOnTermination)).toEqual([false, false, false]);
    const since = world.lab.journal.length;
    expect(changed(await world.reconciled())).toEqual([]);
    expect(world.writesSince(since)).toEqual([]);
    world.want(DECLARED.replace("data: { size: 2 }", "data: { size: 3 }"));
    await world.reconciled();
    expect(volume(world, "data")).toMatchObject({ size: 3, status: "in-use" });
    world.want(DECLARED.replace("boot_volume: root", "boot_volume: root, image: cirros"));
    await expect(world.plan()).rejects.toThrow('"boot_volume" and "image" exclude each other');
  });

  it("lose one that leaves the documents altogether, in one run", async () => {
    const world = await standing();
    world.want(DECLARED.replace(", logs: { size: 1 }", "").replace("volumes: [data, logs]", "volumes: [data], $down: true"));
    const outcome = await world.reconcile({ allow: new Map([["data", "/openstack/volumes/entry[@name='logs']"]]) });
    expect([exitCode([outcome]), outcome.error?.message]).toEqual([0, undefined]);
    expect(disks(world, "web")).toEqual(["vda root", "vdb data"]);
    expect(volumes(world).map(({ name }) => name)).not.toContain("logs");
    expect(changed(await world.plan())).toEqual([]);
  });

  it("lose none that they must keep, and pass one to another server in one run", async () => {
    const world = await standing();
    const moved = (down: string) => `${BASE}servers:\n${web(`volumes: [data]${down}`)}${app(", volumes: [logs]")}`;
    world.want(moved(""));
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(refused.plan?.refusals).toMatchObject([
      { guard: "down", message: expect.stringContaining('"logs" in volumes of "web" goes by detach'), allow: "--allow down" },
    ]);
    world.want(moved(", $down: true").replace("logs: { size: 1 }", "logs: { size: 2 }"));
    await world.reconciled();
    expect(volume(world, "logs").size).toBe(2);
    expect([disks(world, "web"), disks(world, "app")]).toEqual([["vda root", "vdb data"], ["vdb logs"]]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("exchange them", async () => {
    const both = (one: string, other: string) =>
      `${BASE}servers:\n${web(`$down: true, volumes: [${one}]`)}${app(`, $down: true, volumes: [${other}]`)}`;
    const world = await standing(both("data", "logs"));
    world.want(both("logs", "data"));
    await world.reconciled();
    expect([disks(world, "web"), disks(world, "app")]).toEqual([["vda root", "vdb logs"], ["vdb data"]]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("that are replaced keep all of them, and boot from another only then", async () => {
    const world = await standing();
    const { id } = server(world, "web");
    const ids = volumes(world).map((each) => each.id);
    world.want(DECLARED.replace("boot_volume: root", "image: cirros"));
    expect((await world.plan()).plan?.refusals).toMatchObject([{ guard: "replace" }]);
    world.want(DECLARED.replace("boot_volume: root, flavor: m1.tiny", "boot_volume: root, $replace: true, flavor: m1.small"));
    await world.reconciled();
    expect(server(world, "web").id).not.toBe(id);
    expect(disks(world, "web")).toEqual(["vda root", "vdb data", "vdc logs"]);
    expect(volumes(world).map((each) => each.id)).toEqual(ids);
  });

  it("are deleted before their volumes, which stay unless they are named", async () => {
    const world = await standing();
    world.want(`${BASE}`);
    await world.reconciled();
    expect(volumes(world).map(({ status }) => status)).toEqual(["available", "available", "available"]);
    const again = await standing();
    const all = ["root", "data", "logs"].map((each) => `/openstack/volumes/entry[@name='${each}']`).join("\n");
    again.want("networks: { last: {} }");
    await again.reconciled({ allow: new Map([["data", all]]) });
    expect(volumes(again)).toEqual([]);
  });

  it("are detached from a volume that is recreated, and get the new one", async () => {
    const world = await standing();
    const { id } = volume(world, "data");
    world.want(DECLARED.replace("data: { size: 2 }", "data: { size: 1, $replace: true }"));
    const outcome = await world.reconcile();
    expect(outcome.plan?.findings.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["made-again", "detached"]));
    expect(outcome.error).toBeUndefined();
    expect(volume(world, "data").id).not.toBe(id);
    expect(disks(world, "web")).toEqual(["vda root", "vdb data", "vdc logs"]);
  });
});

describe("servers whose volumes another user changes", () => {
  it("get detached ones back, with the author", async () => {
    const world = await standing();
    const { id } = server(world, "web");
    world.act("DELETE", `/v2.1/servers/${id}/os-volume_attachments/${volume(world, "data").id}`);
    world.clock.advance(2000);
    const drift = await world.drift();
    expect(changed(drift)).toEqual(["differs /openstack/servers/entry[@name='web']/volumes"]);
    expect(drift.drift?.items[0]?.attribution).toMatchObject({ admin: "demo", request: expect.stringMatching(/^req-/) });
    await world.reconciled();
    expect(server(world, "web").id).toBe(id);
    expect(disks(world, "web")).toEqual(["vda root", "vdb data", "vdc logs"].toSorted());
  });

  it("do not get one that another user attached elsewhere: its place is reported, and the rest is done", async () => {
    const world = await standing(DECLARED.replace("[data, logs]", "[logs]"));
    const other = server(world, "app");
    world.want(DECLARED.replace("logs: { size: 1 }", "logs: { size: 2 }"));
    world.act("POST", `/v2.1/servers/${other.id}/os-volume_attachments`, { volumeAttachment: { volumeId: volume(world, "data").id } });
    world.clock.advance(2000);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain(`volume "data" is attached to server "app" (${other.id}) as /dev/vdb`);
    expect(volume(world, "logs").size).toBe(2);
    expect(disks(world, "app")).toEqual(["vdb data"]);
    world.act("DELETE", `/v2.1/servers/${other.id}/os-volume_attachments/${volume(world, "data").id}`);
    await world.reconciled();
    expect(disks(world, "web")).toContain("vdc data");
  });

  it("and are not declared prevent a volume from being recreated: reported before a request", async () => {
    const world = await standing("volumes: { data: { size: 2 } }");
    const { images, network } = world.lab.world;
    const private_ = network.all("network").find(({ name }) => name === "private");
    const body = {
      server: {
        name: "theirs",
        imageRef: images.visible(undefined, true)[0]?.id ?? "",
        flavorRef: "1",
        networks: [{ uuid: private_?.id ?? "" }],
      },
    };
    expect(world.act("POST", "/v2.1/servers", body).status).toBe(202);
    world.clock.advance(3000);
    const attachments = `/v2.1/servers/${server(world, "theirs").id}/os-volume_attachments`;
    world.act("POST", attachments, { volumeAttachment: { volumeId: volume(world, "data").id } });
    world.clock.advance(3000);
    world.want("volumes: { data: { $replace: true, size: 1 } }");
    const since = world.lab.journal.length;
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.plan?.refusals.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('"data" would be recreated, and is in use by remaining objects: server "theirs"'),
    );
    expect(world.writesSince(since)).toEqual([]);
    world.want("networks: { m: {} }");
    const gone = await world.reconcile({ allow: new Map([["data", "/openstack/volumes"]]) });
    expect(gone.plan?.refusals.map(({ guard }) => guard)).toContain("referrers");
  });

  it("keep owned ones when they are deleted, with any setting of another user", async () => {
    const world = await standing(DECLARED);
    for (const each of server(world, "web").volumes) each.deleteOnTermination = true;
    world.want(BASE);
    await world.reconciled();
    expect(
      volumes(world)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["data", "logs", "root"]);
  });
});

describe("volumes of servers that the service fails at", () => {
  it("in a hanging detach are reported, no detach is sent twice, and the next run completes it", async () => {
    const world = await standing();
    world.lab.fault({ match: { method: "DELETE", path: "os-volume_attachments" }, effect: { kind: "volume-ends", status: "detaching" } });
    world.want(`${BASE}servers:\n${web("volumes: [data], $down: true")}${app()}`);
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain('volume "logs" is not detached from "web": its status is detaching');
    expect(changed(await world.plan()).join()).toContain("volumes/entry[@name='logs']/unready");
    const since = world.lab.journal.length;
    const again = await world.reconcile();
    expect([exitCode([again]), again.error?.message]).toEqual([4, expect.stringContaining("its status is detaching")]);
    expect(world.writesSince(since)).toEqual([]);
    world.act("POST", `/v3/volumes/${volume(world, "logs").id}/action`, { "os-reset_status": { status: "in-use" } }, "admin");
    await world.reconciled();
    expect(disks(world, "web")).toEqual(["vda root", "vdb data"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("in another user's hanging detach are not in sync, waited for with a limit, and attached again when it ended", async () => {
    const world = await standing();
    const logs = volume(world, "logs").id;
    const reset = (status: string) => world.act("POST", `/v3/volumes/${logs}/action`, { "os-reset_status": { status } }, "admin");
    world.lab.fault({ match: { method: "DELETE", path: "os-volume_attachments" }, effect: { kind: "volume-ends", status: "detaching" } });
    world.act("DELETE", `/v2.1/servers/${server(world, "web").id}/os-volume_attachments/${logs}`);
    reset("detaching");
    const from = world.clock.now();
    const held = await world.reconcile();
    expect(exitCode([held])).toBe(4);
    expect(held.error?.message).toContain("its status is detaching");
    expect(world.clock.now() - from).toBeLessThan(15 * 60_000);
    reset("in-use");
    await world.reconciled();
    expect(disks(world, "web")).toEqual(["vda root", "vdb data", "vdc logs"]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("that a server does not get are reported, and retried", async () => {
    const world = await standing(DECLARED.replace("[data, logs]", "[data]"));
    world.lab.fault({ match: { method: "POST", path: "os-volume_attachments" }, effect: { kind: "volume-ends", status: "available" } });
    const outcome = await world.want(DECLARED).reconcile();
    expect(outcome.error?.message).toContain('volume "logs" is not attached to "web": its status is available');
    await world.reconciled();
    expect(disks(world, "web")).toEqual(["vda root", "vdb data", "vdc logs"]);
  });

  it("are free again if the server could not be built, and it gets them when it is recreated", async () => {
    const world = (await CloudWorld.start()).want(DECLARED);
    world.lab.fault({
      match: { method: "POST", path: "/servers", body: '"web"' },
      effect: { kind: "server-fails", message: "No valid host was found." },
    });
    expect(exitCode([await world.reconcile()])).toBe(4);
    expect(volume(world, "root").status).toBe("available");
    world.want(DECLARED.replace("boot_volume: root", "$replace: true, boot_volume: root"));
    await world.reconciled();
    expect(disks(world, "web")).toEqual(["vda root", "vdb data", "vdc logs"]);
  });

  it("whose attachment lost its reply are attached once", async () => {
    const world = await standing(DECLARED.replace("[data, logs]", "[data]"));
    world.lab.fault({ match: { method: "POST", path: "os-volume_attachments" }, effect: { kind: "drop-reply" } });
    const since = world.lab.journal.length;
    world.want(DECLARED);
    await world.reconciled();
    expect(disks(world, "web")).toEqual(["vda root", "vdb data", "vdc logs"]);
    expect(world.writesSince(since)).toEqual(["POST /v2.1/servers/ID/os-volume_attachments"]);
  });

  it("are attached once if the run is killed after the write", async () => {
    const world = await standing(DECLARED.replace("[data, logs]", "[data]"));
    world.want(DECLARED);
    world.death = { atWrite: 1, when: "after" };
    expect((await world.reconcile()).error).toBeDefined();
    await world.resurrect().cloneAnew().reconciled();
    expect(disks(world, "web")).toEqual(["vda root", "vdb data", "vdc logs"]);
    expect(changed(await world.plan())).toEqual([]);
  });
});
