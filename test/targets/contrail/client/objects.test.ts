import { describe, expect, it } from "vitest";
import { isObject, type JsonObject, objectsAt, textAt } from "../../../../src/core/json/value.js";
import {
  createObject,
  deleteObject,
  idOf,
  readObject,
  readWithRelatives,
  updateAnnotations,
  updateObject,
  updateReference,
} from "../../../../src/targets/contrail/client/objects.js";
import { failure } from "../../panos/fixtures.js";
import { clientOf, IPAM, networkDocument, scripted, startLab } from "../fixtures.js";

const UUID = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
const NAME = ["default-domain", "demo", "blue"];

async function withNetwork() {
  const lab = await startLab();
  const client = clientOf(lab.url);
  expect(await createObject(client, "virtual-network", { uuid: UUID, ...networkDocument("blue", "10.1.0.0/24") })).toBeUndefined();
  const read = async (): Promise<JsonObject> => {
    const result = await readObject(client, "virtual-network", UUID);
    if (result.kind !== "found") throw new Error(result.kind);
    return result.object.document;
  };
  return { lab, client, read };
}

describe("one object", () => {
  it("is created with a chosen uuid, read, and found by its name", async () => {
    const { client, read } = await withNetwork();
    const network = await read();
    expect(network).toMatchObject({ uuid: UUID, fq_name: NAME, parent_type: "project", is_shared: false });
    expect(network.href).toBeUndefined();
    const perms = isObject(network.id_perms) && isObject(network.id_perms.uuid) ? network.id_perms.uuid : {};
    expect(perms.uuid_lslong).toBe(0x80b400c04fd430c8n);
    expect(await idOf(client, "virtual-network", NAME)).toBe(UUID);
    expect((await failure(idOf(client, "virtual-network", [...IPAM, "no"]))).code).toBe("controller-not-found");
  });

  it("is not sent again while its ETag is the same, and is after a change", async () => {
    const { client } = await withNetwork();
    const first = await readObject(client, "virtual-network", UUID);
    const etag = first.kind === "found" ? first.object.etag : undefined;
    expect(etag).toMatch(/^"\d{4}-/);
    expect(await readObject(client, "virtual-network", UUID, etag)).toEqual({ kind: "unchanged" });
    await updateObject(client, "virtual-network", UUID, { display_name: "other" });
    expect(await readObject(client, "virtual-network", UUID, etag)).toMatchObject({
      kind: "found",
      object: { document: { display_name: "other" } },
    });
  });

  it("is absent only if the controller reports it", async () => {
    const { client } = await withNetwork();
    expect(await readObject(client, "virtual-network", UUID.replace("6", "7"))).toEqual({ kind: "absent" });
    const { url } = await scripted(() => ({ status: 404, type: "text/html", body: "<html><title>404</title></html>" }));
    expect((await failure(readObject(clientOf(url), "virtual-network", UUID))).code).toBe("controller-reply-html");
  });

  it("is recognised if it is hidden", async () => {
    const { url } = await scripted(() => ({ status: 403, type: "text/html", body: "Permission Denied" }));
    expect(await readObject(clientOf(url), "virtual-network", UUID)).toMatchObject({
      kind: "hidden",
      refusal: { words: "Permission Denied" },
    });
  });

  it("shows its referrers only on request", async () => {
    const { lab, client, read } = await withNetwork();
    lab.world.create("instance-ip", { fq_name: ["ip-1"], virtual_network_refs: [{ to: NAME, attr: null }] });
    expect((await read()).instance_ip_back_refs).toBeUndefined();
    const whole = await readWithRelatives(client, "virtual-network", UUID);
    expect(whole).toMatchObject({ object: { document: { instance_ip_back_refs: [{ to: ["ip-1"] }], routing_instances: [{}] } } });
  });

  it("is refused with both kinds of 409", async () => {
    const { lab, client } = await withNetwork();
    expect(await createObject(client, "virtual-network", networkDocument("blue"))).toMatchObject({ reason: "exists", status: 409 });
    lab.world.create("instance-ip", { fq_name: ["ip-1"], virtual_network_refs: [{ to: NAME, attr: null }] });
    expect(await deleteObject(client, "virtual-network", UUID)).toMatchObject({ reason: "referred", status: 409 });
  });

  it("is deleted once, and already gone the second time", async () => {
    const { client } = await withNetwork();
    expect(await deleteObject(client, "virtual-network", UUID)).toBeUndefined();
    expect(await deleteObject(client, "virtual-network", UUID)).toBeUndefined();
  });

  it("keeps the fields that an update does not contain", async () => {
    const { client, read } = await withNetwork();
    const before = await read();
    await updateObject(client, "virtual-network", UUID, { router_external: true });
    expect(await read()).toMatchObject({ router_external: true, network_ipam_refs: before.network_ipam_refs });
  });
});

describe("single elements", () => {
  it("of references change separately", async () => {
    const { lab, client, read } = await withNetwork();
    for (const name of ["a", "b"])
      lab.world.create("network-policy", { fq_name: ["default-domain", "demo", name], parent_type: "project" });
    const reference = { type: "virtual-network", uuid: UUID, referredType: "network-policy" } as const;
    const attr = { sequence: { major: 1, minor: 0 }, timer: null };
    for (const name of ["a", "b"]) {
      await updateReference(client, { ...reference, referredName: ["default-domain", "demo", name], operation: "ADD", attr });
    }
    await updateReference(client, { ...reference, referredName: ["default-domain", "demo", "a"], operation: "DELETE", attr: null });
    expect(objectsAt(await read(), "network_policy_refs").map(({ to }) => to)).toEqual([["default-domain", "demo", "b"]]);
  });

  it("of annotations change separately", async () => {
    const { client, read } = await withNetwork();
    await updateObject(client, "virtual-network", UUID, { annotations: { key_value_pair: [{ key: "theirs", value: "1" }] } });
    await updateAnnotations(client, UUID, [
      { operation: "set", key: "plumbline_owner", value: "netops" },
      { operation: "set", key: "plumbline_key", value: "k" },
    ]);
    await updateAnnotations(client, UUID, [{ operation: "delete", key: "plumbline_key" }]);
    const { annotations } = await read();
    expect(objectsAt(isObject(annotations) ? annotations : {}, "key_value_pair").map((pair) => textAt(pair, "key"))).toEqual([
      "theirs",
      "plumbline_owner",
    ]);
  });
});
