import { describe, expect, it } from "vitest";
import { lab, login } from "../support.js";

const names = (volumes: { name: string }[]) => volumes.map(({ name }) => name);

async function standing() {
  const { lab: cloud, clock } = await lab();
  const demo = await login(cloud);
  const made = async (volume: object) => (await demo.volume("POST", "/volumes", { volume })).json.volume;
  const shown = async (id: string) => (await demo.volume("GET", `/volumes/${id}`)).json.volume;
  return { cloud, clock, demo, made, shown };
}

describe("the volume service", () => {
  it("returns its versions without a token, and answers in the requested microversion", async () => {
    const { cloud, demo } = await standing();
    const versions = await fetch(`${cloud.urls.volume}/`);
    expect([versions.status, await versions.json()]).toMatchObject([
      300,
      { versions: [{ id: "v3.0", min_version: "3.0", version: "3.70" }] },
    ]);
    const asked = await demo.volume("GET", "/volumes", undefined, { "openstack-api-version": "volume 3.42" });
    expect(asked.headers.get("openstack-api-version")).toBe("volume 3.42");
    expect((await demo.volume("GET", "/volumes", undefined, { "openstack-api-version": "volume 3.99" })).status).toBe(406);
    expect((await fetch(`${cloud.urls.volume}/v3/volumes`)).status).toBe(401);
  });

  it("creates volumes that become available later, lists them newest first and in pages", async () => {
    const { clock, demo, made, shown } = await standing();
    const { id } = await made({ name: "a", size: 1, metadata: { k: "v" }, description: "first" });
    await made({ name: "b", size: 2 });
    expect(await shown(id)).toMatchObject({ status: "creating", bootable: "false", attachments: [], updated_at: expect.any(String) });
    clock.advance(2000);
    expect(await shown(id)).toMatchObject({
      status: "available",
      size: 1,
      metadata: { k: "v" },
      description: "first",
      volume_type: "__DEFAULT__",
    });
    expect(names((await demo.volume("GET", "/volumes/detail")).json.volumes)).toEqual(["b", "a"]);
    const page = (await demo.volume("GET", "/volumes/detail?limit=1")).json;
    expect([names(page.volumes), page.volumes_links[0].rel]).toEqual([["b"], "next"]);
    expect((await demo.volume("GET", "/volumes/nowhere")).json.itemNotFound.message).toBe("Volume nowhere could not be found.");
  });

  it("extends available volumes, and never shrinks", async () => {
    const { clock, demo, made, shown } = await standing();
    const { id } = await made({ size: 2 });
    const extend = (new_size: number) => demo.volume("POST", `/volumes/${id}/action`, { "os-extend": { new_size } });
    expect((await extend(3)).json.badRequest.message).toContain("status must be '{'status': 'available'}' to extend, currently creating");
    clock.advance(2000);
    expect((await extend(2)).json.badRequest.message).toContain("must be greater than current size. (current: 2, extended: 2)");
    expect((await extend(5)).status).toBe(202);
    expect(await shown(id)).toMatchObject({ status: "extending", size: 2 });
    clock.advance(1000);
    expect(await shown(id)).toMatchObject({ status: "available", size: 5 });
  });

  it("copies snapshots, volumes and images, and keeps a volume that has snapshots", async () => {
    const { cloud, clock, demo, made, shown } = await standing();
    const [image] = cloud.world.images.visible(undefined, true);
    const boot = await made({ name: "boot", size: 1, imageRef: image?.id });
    clock.advance(2000);
    expect(await shown(boot.id)).toMatchObject({ bootable: "true", volume_image_metadata: { image_name: "cirros" } });
    const { snapshot } = (await demo.volume("POST", "/snapshots", { snapshot: { volume_id: boot.id, name: "then" } })).json;
    const copies = [await made({ snapshot_id: snapshot.id }), await made({ source_volid: boot.id })];
    clock.advance(2000);
    for (const { id } of copies) expect(await shown(id)).toMatchObject({ size: 1, bootable: "true" });
    expect((await demo.volume("DELETE", `/volumes/${boot.id}`)).json.badRequest.message).toContain("have snapshots");
    await demo.volume("DELETE", `/snapshots/${snapshot.id}`);
    expect((await demo.volume("DELETE", `/volumes/${boot.id}`)).status).toBe(202);
    clock.advance(1000);
    expect((await demo.volume("GET", `/volumes/${boot.id}`)).status).toBe(404);
  });

  it("refuses over a quota like the real service, with a retry time", async () => {
    const { cloud, demo } = await standing();
    const admin = await login(cloud, "admin");
    await admin.volume("PUT", `/os-quota-sets/${demo.projectId}`, { quota_set: { gigabytes: 3 } });
    const over = await demo.volume("POST", "/volumes", { volume: { size: 4 } });
    expect([over.status, over.headers.get("retry-after")]).toEqual([413, "0"]);
    expect(over.json.overLimit.message).toContain("exceeds allowed gigabytes quota");
    expect((await demo.volume("PUT", `/os-quota-sets/${demo.projectId}`, { quota_set: {} })).status).toBe(403);
    expect((await demo.volume("GET", "/limits")).json.limits.absolute).toMatchObject({ maxTotalVolumeGigabytes: 3, totalVolumesUsed: 0 });
  });

  it("leaves a volume in a state by a fault, and reports why it could not be created", async () => {
    const { cloud, clock, demo, made, shown } = await standing();
    cloud.fault({ match: { service: "volume", method: "POST" }, effect: { kind: "volume-ends", status: "error" } });
    const { id } = await made({ size: 1 });
    clock.advance(2000);
    expect(await shown(id)).toMatchObject({ status: "error" });
    const told = await demo.volume("GET", `/messages?resource_uuid=${id}`, undefined, { "openstack-api-version": "volume 3.5" });
    expect(told.json.messages).toMatchObject([{ user_message: expect.stringContaining("weighted backend") }]);
    cloud.fault({ match: { service: "volume", method: "POST" }, effect: { kind: "volume-ends", status: "creating" } });
    const stuck = await made({ size: 1 });
    clock.advance(600_000);
    expect(await shown(stuck.id)).toMatchObject({ status: "creating" });
  });

  it("is in no catalog of a cloud without it", async () => {
    const { lab: cloud } = await lab({ volumeService: false });
    const { catalog } = (await (await login(cloud)).identity("GET", "/v3/auth/catalog")).json;
    expect(catalog.map(({ type }: { type: string }) => type)).toEqual(["identity", "network", "compute", "image"]);
  });
});
