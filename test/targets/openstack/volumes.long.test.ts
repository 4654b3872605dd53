import { describe, expect, it } from "vitest";
import type { Volume } from "../../../src/lab/openstack/volume/volume.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const DECLARED = `
volumes:
  boot: { size: 1, image: cirros, description: what web-1 starts from }
  data: { size: 2, metadata: { role: db }, bootable: "false" }
  copy: { source_volume: data, size: 3 }
`;

const changed = (outcome: TargetOutcome) =>
  (outcome.drift?.items.map(({ change }) => change) ?? outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`).sort();

const own = ({ lab }: CloudWorld): Volume[] => lab.world.volumes.volumes(lab.world.as("demo").projectId);

function keyed(world: CloudWorld, key: string): Volume {
  const [found, ...others] = own(world).filter(({ metadata }) => metadata.plumbline_key === key);
  if (found === undefined || others.length > 0) throw new Error(`${others.length} more than one volume are ${key}`);
  return found;
}

async function standing(documents = DECLARED): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(documents);
  await world.reconciled();
  return world;
}

const made = { match: { service: "volume", method: "POST", path: "/volumes" } } as const;

describe("volumes", () => {
  it("are created once, marked, ready when the run ends, and no difference remains", async () => {
    const world = await standing();
    expect(own(world)).toHaveLength(3);
    expect(keyed(world, "boot")).toMatchObject({
      status: "available",
      bootable: true,
      description: "what web-1 starts from",
      name: "boot",
    });
    expect(keyed(world, "data").metadata).toMatchObject({ role: "db", plumbline_owner: "netops", plumbline_run: expect.any(String) });
    expect(keyed(world, "copy")).toMatchObject({ size: 3, sourceId: keyed(world, "data").id });
    const since = world.lab.journal.length;
    expect(changed(await world.reconciled())).toEqual([]);
    expect(world.writesSince(since)).toEqual([]);
  });

  it("are retyped in place, and extended after it, also while in use", async () => {
    const world = await standing();
    world.lab.world.volumes.types.add("fast").add("faster");
    const { id } = keyed(world, "data");
    const fast = (type: string, size: number) => DECLARED.replace("data: { size: 2", `data: { volume_type: ${type}, size: ${size}`);
    world.want(fast("fast", 4));
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(keyed(world, "data")).toMatchObject({ id, type: "fast", size: 4, status: "available" });
    expect(world.writesSince(since).filter((each) => each.endsWith("/action"))).toHaveLength(2);
    expect(changed(await world.plan())).toEqual([]);
    const server = "servers: { web: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], volumes: [data] } }";
    world.want(`${fast("fast", 4)}${server}`);
    await world.reconciled();
    world.want(`${fast("faster", 4)}${server}`);
    await world.reconciled();
    expect(keyed(world, "data")).toMatchObject({ id, type: "faster", status: "in-use" });
  });

  it("of a type that the backend cannot provide, of an unknown type, or with an interrupted retype: reported once, and continued", async () => {
    const world = await standing();
    world.lab.world.volumes.types.add("elsewhere");
    const typed = (type: string) => DECLARED.replace("data: {", `data: { volume_type: ${type},`);
    world.want(typed("none"));
    expect((await world.reconcile()).error?.next).toContain("Correct volume_type");
    world.want(typed("elsewhere"));
    world.lab.fault({ match: { path: "/action" }, effect: { kind: "volume-ends", status: "available" } });
    const since = world.lab.journal.length;
    const { error } = await world.reconcile();
    expect(error?.message).toContain('volume "data" is not of type elsewhere: its status is available');
    expect(error?.next).toContain("--retype-policy on-demand");
    expect(world.writesSince(since).filter((each) => each.endsWith("/action"))).toHaveLength(1);
    world.death = { atWrite: 1, when: "after" };
    await world.reconcile();
    world.resurrect();
    expect(keyed(world, "data").status).toBe("retyping");
    const again = world.lab.journal.length;
    await world.reconciled();
    expect(keyed(world, "data").type).toBe("elsewhere");
    expect(world.writesSince(again).filter((each) => each.endsWith("/action"))).toEqual([]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("are extended, described, made bootable and renamed in place", async () => {
    const world = await standing();
    const { id } = keyed(world, "data");
    world.want(
      DECLARED.replace(
        'data: { size: 2, metadata: { role: db }, bootable: "false"',
        'disk: { $was: data, size: 5, metadata: { of: db }, bootable: "true", description: more',
      ).replace("source_volume: data", "source_volume: disk"),
    );
    await world.reconciled();
    expect(keyed(world, "disk")).toMatchObject({ id, size: 5, description: "more", bootable: true, name: "disk", metadata: { of: "db" } });
    expect(keyed(world, "disk").metadata).not.toHaveProperty("role");
    expect(changed(await world.plan())).toEqual([]);
  });

  it("never shrink, nor change fixed fields, unless they may be replaced with their data", async () => {
    const world = await standing();
    const { id } = keyed(world, "data");
    world.want(DECLARED.replace("size: 2", "size: 1"));
    const smaller = await world.reconcile();
    expect(exitCode([smaller])).toBe(3);
    expect(smaller.plan?.refusals).toMatchObject([
      { guard: "replace", message: expect.stringContaining('"size" of "data", which is "2", cannot be made smaller') },
    ]);
    world.want(DECLARED.replace("image: cirros", "image: other"));
    expect((await world.plan()).plan?.refusals).toMatchObject([
      { guard: "replace", message: expect.stringContaining('"image" of "boot"') },
    ]);
    world.want(DECLARED.replace("data: { size: 2", "data: { $replace: true, size: 1"));
    await world.reconciled();
    expect(keyed(world, "data")).toMatchObject({ size: 1 });
    expect(keyed(world, "data").id).not.toBe(id);
  });

  it("of others are refused, and taken over with $adopt", async () => {
    const world = await CloudWorld.start();
    world.act("POST", "/v3/volumes", { volume: { name: "data", size: 2, metadata: { theirs: "yes" } } });
    world.clock.advance(5000);
    world.want("volumes: { data: { size: 3 } }");
    expect(exitCode([await world.reconcile()])).toBe(3);
    world.want("volumes: { data: { $adopt: true, size: 3 } }");
    await world.reconciled();
    expect(own(world)).toHaveLength(1);
    expect(keyed(world, "data")).toMatchObject({ size: 3, metadata: { theirs: "yes" } });
  });

  it("of an image that was renamed since are unchanged", async () => {
    const world = await standing();
    const [image] = world.lab.world.images.visible(undefined, true);
    world.lab.world.images.remove(image?.id ?? "");
    expect(changed(await world.plan())).toEqual([]);
    world.lab.world.images.add("cirros-of-old", image?.owner ?? "", { ...image, name: "cirros-of-old" });
    world.lab.world.images.add("cirros", image?.owner ?? "");
    expect(changed(await world.plan())).toEqual([]);
    world.want(DECLARED.replace("image: cirros", "image: cirros-of-old"));
    expect(changed(await world.plan())).toEqual([]);
  });

  it("of a snapshot are created from it, and need it no longer", async () => {
    const world = await standing("volumes: { data: { size: 2 } }");
    const { id } = keyed(world, "data");
    world.act("POST", "/v3/snapshots", { snapshot: { volume_id: id, name: "nightly" } });
    world.want("volumes: { data: { size: 2 }, restored: { snapshot: nightly } }");
    await world.reconciled();
    expect(keyed(world, "restored")).toMatchObject({ size: 2, snapshotId: expect.any(String) });
    world.lab.world.volumes.snapshots.clear();
    expect(changed(await world.plan())).toEqual([]);
  });

  it("without a size, an existing type or zone are reported with the line of the document, and the rest stays", async () => {
    const world = (await CloudWorld.start()).want(
      "volumes: { a: { description: no size }, b: { size: 1 }, c: { size: 1, volume_type: fast } }",
    );
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain('"a" cannot be created: a volume needs its size');
    expect(outcome.error?.message).toContain("Volume type with name fast could not be found");
    world.want("volumes: { b: { size: 1 }, c: { size: 1, volume_type: fast } }");
    expect((await world.reconcile()).error?.next).toContain("Correct volume_type");
    expect(own(world).map(({ name }) => name)).toEqual(["b"]);
  });
});

describe("a cloud without a volume service", () => {
  it("is read as before, and reported if volumes are declared", async () => {
    const world = (await CloudWorld.start({ volumeService: false })).want("networks: { n: {} }");
    await world.reconciled();
    world.want("networks: { m: {} }");
    await world.reconciled();
    world.want("networks: { m: {} }\nvolumes: { data: { size: 1 } }");
    expect((await world.plan()).error?.code).toBe("service-not-in-catalog");
  });
});

describe("volumes that another user changes", () => {
  it("are fixed if their description or size changed, as far as possible", async () => {
    const world = await standing();
    const { id } = keyed(world, "data");
    world.act("PUT", `/v3/volumes/${id}`, { volume: { description: "mine now" } });
    world.act("POST", `/v3/volumes/${id}/action`, { "os-extend": { new_size: 4 } });
    world.clock.advance(2000);
    expect(changed(await world.drift())).toEqual([
      "differs /openstack/volumes/entry[@name='data']/size",
      "extra /openstack/volumes/entry[@name='data']/description",
    ]);
    expect((await world.reconcile()).plan?.refusals).toMatchObject([{ guard: "replace" }]);
    world.want(DECLARED.replace("size: 2", "size: 4"));
    await world.reconciled();
    expect(keyed(world, "data")).toMatchObject({ id, description: "", size: 4 });
  });

  it("and are deleted are created again, once, without their data", async () => {
    const world = await standing();
    const { id } = keyed(world, "data");
    world.act("DELETE", `/v3/volumes/${id}`);
    expect(changed(await world.drift())).toEqual(["extra /openstack/volumes/entry[@name='data']/unready"]);
    world.clock.advance(2000);
    expect(changed(await world.drift())).toEqual(["missing /openstack/volumes/entry[@name='data']"]);
    await world.reconciled();
    expect(keyed(world, "data").id).not.toBe(id);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("and disappear between read and write are reported, and created by the next run", async () => {
    const world = await standing();
    const { id } = keyed(world, "data");
    world.lab.fault({
      match: { service: "volume", method: "GET", path: `/volumes/${id}` },
      effect: { kind: "act", act: { service: "volume", method: "DELETE", path: `/v3/volumes/${id}`, user: "demo" } },
    });
    world.want(DECLARED.replace("size: 2", "size: 3"));
    const outcome = await world.reconcile();
    expect(outcome.error).toBeDefined();
    expect(exitCode([outcome])).not.toBe(0);
    world.clock.advance(2000);
    await world.reconciled();
    expect(keyed(world, "data")).toMatchObject({ size: 3 });
  });
});

describe("volumes that the service fails to create", () => {
  it("in error are reported with its reason, require a replacement, and are created again then", async () => {
    const world = (await CloudWorld.start()).want(DECLARED);
    world.lab.fault({ match: { ...made.match, body: '"boot"' }, effect: { kind: "volume-ends", status: "error" } });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(4);
    expect(outcome.error?.message).toContain("weighted backend");
    const held = await world.reconcile();
    expect(held.plan?.refusals).toMatchObject([{ guard: "replace", message: expect.stringContaining("fault: error") }]);
    world.want(DECLARED.replace("boot: { size: 1", "boot: { $replace: true, size: 1"));
    await world.reconciled();
    expect(keyed(world, "boot")).toMatchObject({ status: "available" });
    expect(changed(await world.plan())).toEqual([]);
  });

  it("and that stay in creating are waited for, reported, never created twice, and never in sync", async () => {
    const world = (await CloudWorld.start()).want("volumes: { data: { size: 2 } }");
    world.lab.fault({ ...made, effect: { kind: "volume-ends", status: "creating" } });
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain("its status is creating");
    expect(changed(await world.plan())).toEqual(["extra /openstack/volumes/entry[@name='data']/unready"]);
    const again = await world.reconcile();
    expect(exitCode([again])).toBe(4);
    expect(own(world)).toHaveLength(1);
    world.act("POST", `/v3/volumes/${keyed(world, "data").id}/action`, { "os-reset_status": { status: "available" } }, "admin");
    expect(changed(await world.reconciled())).toEqual([]);
  });

  it("whose extension fails keep their data, and an administrator must fix them", async () => {
    const world = await standing();
    world.lab.fault({ match: { path: "/action" }, effect: { kind: "volume-ends", status: "error_extending" } });
    const wider = DECLARED.replace("size: 2", "size: 4");
    const outcome = await world.want(wider).reconcile();
    expect(outcome.error?.message).toContain("status is error_extending");
    expect(outcome.error?.next).toContain("Do not replace it");
    expect(exitCode([await world.reconcile()])).toBe(4);
    world.act("POST", `/v3/volumes/${keyed(world, "data").id}/action`, { "os-reset_status": { status: "available" } }, "admin");
    await world.reconciled();
    expect(keyed(world, "data")).toMatchObject({ size: 4, status: "available" });
  });

  it("over a quota are refused once, the rest is created, and the next run completes it", async () => {
    const world = await CloudWorld.start();
    const { volumes } = world.lab.world;
    const { projectId = "" } = world.lab.world.as("demo");
    volumes.setLimits(projectId, { gigabytes: 3 });
    world.want("volumes: { a: { size: 2 }, b: { size: 2 } }");
    const outcome = await world.reconcile();
    expect(outcome.error?.message).toContain("exceeds allowed gigabytes quota");
    expect(world.writesSince(0).filter((write) => write.startsWith("POST"))).toHaveLength(2);
    volumes.setLimits(projectId, { gigabytes: 10 });
    await world.reconciled();
    expect(own(world)).toHaveLength(2);
  });

  it("and whose create lost its reply, or whose run was killed, exist once", async () => {
    const world = (await CloudWorld.start()).want(DECLARED);
    world.lab.fault({ ...made, effect: { kind: "drop-reply" } });
    await world.reconciled();
    expect(own(world)).toHaveLength(3);
    for (const when of ["before", "after"] as const) {
      const other = (await CloudWorld.start()).want(DECLARED);
      other.death = { atWrite: 2, when };
      expect((await other.reconcile()).error).toBeDefined();
      await other.resurrect().cloneAnew().reconciled();
      expect(
        own(other)
          .map(({ name }) => name)
          .sort(),
      ).toEqual(["boot", "copy", "data"]);
    }
  });
});
