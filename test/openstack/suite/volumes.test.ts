import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { disksOf, serverNamed, volumeNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";

const NETWORK = "networks: { n: { subnets: { s: { cidr: 192.0.2.0/24 } } } }";
const VOLUMES = "volumes: { root: { size: 1, image: cirros }, data: { size: 1, metadata: { role: db } }, logs: { size: 1 } }";
const web = (volumes: string, more = "") =>
  `web: { boot_volume: root, volumes: [${volumes}], flavor: m1.tiny, networks: [{ network: n }]${more} }`;
const app = (more = "") => `app: { image: cirros, flavor: m1.tiny, networks: [{ network: n }]${more} }`;
const config = (servers: readonly string[], volumes = VOLUMES) => `${NETWORK}\n${volumes}\nservers: { ${servers.join(", ")} }`;

onEachCloud("servers with volumes", (open) => {
  it("are booted from one, have others attached, retyped, extended and moved while they run, changed manually and healed; volumes stay", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(config([web("data"), app()])) });
    const reconciled = async (...flags: string[]) => {
      const done = await repository.plumbline("reconcile", ...flags);
      expect(done, done.err + done.out).toMatchObject({ code: 0 });
    };
    const becomes = (name: string, status: string) =>
      expect.poll(async () => (await volumeNamed(rig.user, name)).status, { timeout: 60_000 }).toBe(status);
    await reconciled();
    const before = await serverNamed(rig.user, "web");
    expect(before).toMatchObject({ status: "ACTIVE", image: "" });
    expect(await disksOf(rig.user, "web")).toEqual(["a root", "b data"]);
    expect((await volumeNamed(rig.user, "data")).metadata).toMatchObject({ role: "db", plumbline_key: "data" });
    const same = await repository.plumbline("plan");
    expect(same, same.err + same.out).toMatchObject({ code: 0 });

    const type = `quick-${randomUUID().slice(0, 8)}`;
    await rig.addVolumeType(type);
    const more = `data: { volume_type: ${type}, size: 2, description: more`;
    repository.declare(config([web("data, logs"), app()], VOLUMES.replace("data: { size: 1", more)));
    await reconciled();
    expect(await disksOf(rig.user, "web")).toEqual(["a root", "b data", "c logs"]);
    expect(await volumeNamed(rig.user, "data")).toMatchObject({ size: 2, status: "in-use", description: "more", volume_type: type });

    await rig.somebody.detachVolume("web", "data");
    await becomes("data", "available");
    const drift = await repository.plumbline("drift", "--format", "json");
    const { items } = JSON.parse(drift.out).targets[0].drift;
    expect(items.map(({ xpath }: { xpath: string }) => xpath.replace(/^.*\//, ""))).toEqual(["volumes"]);
    expect(items[0].attribution).toMatchObject({ admin: rig.access.username, request: expect.stringMatching(/^req-/) });
    await reconciled();
    expect((await disksOf(rig.user, "web")).map((disk) => disk.split(" ")[1]).sort()).toEqual(["data", "logs", "root"]);

    const grown = VOLUMES.replace("data: { size: 1", "data: { size: 2");
    repository.declare(config([web("data", ", $down: true"), app(", volumes: [logs]")], grown));
    await reconciled();
    expect(await disksOf(rig.user, "app")).toEqual(["b logs"]);
    expect((await serverNamed(rig.user, "web")).id).toBe(before.id);

    repository.declare(NETWORK);
    const places = ["root", "data", "logs"].map((name) => `data=/openstack/volumes/entry[@name='${name}']`);
    await reconciled(...["deletes=100%", "empty-list=3", ...places].flatMap((value) => ["--allow", value]));
    expect(await rig.user.list("volumev3", "/volumes/detail", "volumes")).toEqual([]);
  });

  it("that are full, of an unknown type or attached elsewhere are reported, and the rest is created", async () => {
    const rig = await open();
    const quota = async (gigabytes: number) =>
      await rig.admin.demand("volumev3", "PUT", `/os-quota-sets/${await rig.user.projectId()}`, { quota_set: { gigabytes } });
    await quota(2);
    const { id: theirs } = (await rig.user.demand("volumev3", "POST", "/volumes", { volume: { name: "theirs", size: 1 } })).volume;
    const odd = "volumes: { a: { size: 1 }, b: { size: 1 }, c: { size: 1, volume_type: fast } }";
    const repository = Repository.create(rig, { "cloud/main.yaml": document(config([app()], odd)) });
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 4 });
    expect(done.out).toContain('The quota leaves 1 of "gigabytes" (2, 1 used), and this plan takes 3 more.');
    expect(done.out).toContain("exceeds allowed gigabytes quota");
    expect(done.out).toMatch(/Volume type .*fast.* could not be found/);
    await quota(10);

    const adopted = "volumes: { theirs: { $adopt: true, size: 2 }, a: { size: 1 }, b: { size: 1 } }";
    repository.declare(config([app()], adopted));
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    expect(await volumeNamed(rig.user, "theirs")).toMatchObject({ id: theirs, size: 2, metadata: { plumbline_key: "theirs" } });

    const attachments = `/servers/${(await serverNamed(rig.user, "app")).id}/os-volume_attachments`;
    const { id: volumeId } = await volumeNamed(rig.user, "a");
    const becomes = (status: string) =>
      expect.poll(async () => (await volumeNamed(rig.user, "a")).status, { timeout: 60_000 }).toBe(status);
    await rig.user.demand("compute", "POST", attachments, { volumeAttachment: { volumeId } });
    await becomes("in-use");
    repository.declare(config([app(), app(", volumes: [a]").replace("app:", "db:")], adopted));
    const elsewhere = await repository.plumbline("reconcile");
    expect(elsewhere, elsewhere.err + elsewhere.out).toMatchObject({
      code: 1,
      out: expect.stringContaining('is attached to server "app"'),
    });
    await rig.user.demand("compute", "DELETE", `${attachments}/${volumeId}`);
    await becomes("available");
    const then = await repository.plumbline("reconcile");
    expect(then, then.err + then.out).toMatchObject({ code: 0 });
    expect(await disksOf(rig.user, "db")).toEqual(["b a"]);
  });

  it("that the service is processing are not in sync, and one that failed requires a replacement", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document("volumes: { data: { size: 1 } }") });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const { id } = await volumeNamed(rig.user, "data");
    const reset = (status: string) => rig.admin.demand("volumev3", "POST", `/volumes/${id}/action`, { "os-reset_status": { status } });
    await reset("error");
    const failed = await repository.plumbline("plan");
    expect(failed, failed.err + failed.out).toMatchObject({ code: 3, out: expect.stringContaining("fault: error") });
    await reset("extending");
    const unready = await repository.plumbline("plan");
    expect(unready, unready.err + unready.out).toMatchObject({ code: 2, out: expect.stringContaining("unready") });
    await reset("available");
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect((await volumeNamed(rig.user, "data")).id).toBe(id);
  });
});
