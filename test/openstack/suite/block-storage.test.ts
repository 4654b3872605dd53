import { expect, it } from "vitest";
import { onRealServices } from "../harness/clouds.js";
import type { Answer, Session } from "../harness/session.js";

const GIGABYTE = { size: 1 };

async function until(look: () => Promise<Answer["json"]>, status: string): Promise<Answer["json"]> {
  for (;;) {
    const found = await look();
    if (found.status.toLowerCase() === status) return found;
    if (/error/i.test(found.status)) throw new Error(`${found.id} is in ${found.status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function made(user: Session, volume: Readonly<Record<string, unknown>>): Promise<string> {
  const { id } = (await user.demand("volumev3", "POST", "/volumes", { volume: { ...GIGABYTE, ...volume } })).volume;
  await until(async () => (await user.demand("volumev3", "GET", `/volumes/${id}`)).volume, "available");
  return id;
}

onRealServices("block storage", (open) => {
  it("has volumes that grow, that a server boots from, and that are attached to it and taken off again", async () => {
    const { user } = await open();
    const volume = async (id: string) => (await user.demand("volumev3", "GET", `/volumes/${id}`)).volume;
    const [image] = await user.list("image", "/v2/images", "images");
    const [boot, data] = await Promise.all([made(user, { name: "boot", imageRef: image?.id }), made(user, { name: "data" })]);
    await user.demand("volumev3", "POST", `/volumes/${data}/action`, { "os-extend": { new_size: 2 } });
    expect(await until(() => volume(data), "available")).toMatchObject({ size: 2 });

    const [network] = await user.list("network", "/v2.0/networks?router:external=false", "networks");
    const from = { boot_index: 0, uuid: boot, source_type: "volume", destination_type: "volume", delete_on_termination: false };
    const networks = network === undefined ? "none" : [{ uuid: network.id }];
    const body = { server: { name: "booted", flavorRef: "1", networks, block_device_mapping_v2: [from] } };
    const { json, status } = await user.request("compute", "POST", "/servers", body, "2.37");
    expect(status).toBe(202);
    const server = async () => (await user.demand("compute", "GET", `/servers/${json.server.id}`)).server;
    expect(await until(server, "active")).toMatchObject({ image: "" });
    expect((await volume(boot)).attachments).toMatchObject([{ server_id: json.server.id }]);

    const attachments = `/servers/${json.server.id}/os-volume_attachments`;
    await user.demand("compute", "POST", attachments, { volumeAttachment: { volumeId: data } });
    await until(() => volume(data), "in-use");
    await user.demand("compute", "DELETE", `${attachments}/${data}`);
    await until(() => volume(data), "available");

    await user.demand("compute", "DELETE", `/servers/${json.server.id}`);
    await until(() => volume(boot), "available");
    for (const id of [boot, data]) await user.demand("volumev3", "DELETE", `/volumes/${id}`);
  });
});
