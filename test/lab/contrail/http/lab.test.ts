import { describe, expect, it } from "vitest";
import { ContrailWorld } from "../../../../src/lab/contrail/world/world.js";
import { ManualClock } from "../../../../src/lab/panos/clock.js";
import { type Answer, call, networkDocument, startLab } from "../support.js";

async function demoLab() {
  const lab = await startLab();
  lab.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
  const network = lab.world.create("virtual-network", networkDocument("n", "10.1.0.0/24"));
  return { lab, network, path: `/virtual-network/${network.uuid}` };
}

describe("a lab controller", () => {
  it("links every call, with the host of the request", async () => {
    const { lab } = await demoLab();
    const { json } = await call(lab, "GET", "/");
    expect(json.href).toBe(lab.url);
    expect(JSON.stringify(json.links)).toContain(`"href":"${lab.url}/network-policys"`);
  });

  it("has the system's networks from the start, and allows their deletion", async () => {
    const { lab } = await demoLab();
    const { json } = await call(lab, "POST", "/fqname-to-id", {
      type: "virtual-network",
      fq_name: ["default-domain", "default-project", "ip-fabric"],
    });
    expect((await call(lab, "DELETE", `/virtual-network/${String(json.uuid)}`)).status).toBe(200);
    const names = JSON.stringify((await call(lab, "GET", "/virtual-networks")).json);
    expect(names).toContain("__link_local__");
    expect(names).not.toContain("ip-fabric");
  });

  it("knows an unchanged object by its ETag; a write without effect is a change, If-Match is ignored", async () => {
    const { lab, path } = await demoLab();
    const etag = (await call(lab, "GET", path)).headers.get("etag") ?? "";
    expect((await call(lab, "GET", path, undefined, { "If-None-Match": etag })).status).toBe(304);
    expect((await call(lab, "PUT", path, {})).text).toBe("");
    expect((await call(lab, "GET", path, undefined, { "If-None-Match": etag })).status).toBe(304);
    expect((await call(lab, "PUT", path, { "virtual-network": { display_name: "n" } }, { "If-Match": '"1999"' })).status).toBe(200);
    expect((await call(lab, "GET", path, undefined, { "If-None-Match": etag })).status).toBe(200);
  });

  it("merges fields, replaces complex ones completely, and removes null or empty ones", async () => {
    const { lab, network, path } = await demoLab();
    const put = (document: Record<string, never> | object): Promise<Answer> =>
      call(lab, "PUT", path, { "virtual-network": document as never });
    await put({ virtual_network_properties: { forwarding_mode: "l3" }, route_target_list: { route_target: ["target:1:2"] } });
    await put({ virtual_network_properties: { rpf: "disable" }, route_target_list: null });
    expect(network.properties.virtual_network_properties).toEqual({ rpf: "disable" });
    expect(network.properties).not.toHaveProperty("route_target_list");
    expect(network.references.has("network_ipam_refs")).toBe(true);
    await put({ network_ipam_refs: [] });
    expect(network.references.has("network_ipam_refs")).toBe(false);
  });

  it("answers HEAD without a body, and a path in another spelling with 404", async () => {
    const { lab, path } = await demoLab();
    const head = await call(lab, "HEAD", path);
    expect([head.status, head.text, head.headers.get("etag")?.length]).toEqual([200, "", 28]);
    for (const wrong of ["/virtual-networks/", "/virtual_networks", `${path}/`, "/constructors", "/toString"]) {
      expect((await call(lab, "GET", wrong)).status).toBe(404);
    }
  });

  it("refuses an oversized body with a page, and another content type with 500", async () => {
    const lab = await startLab({ maxRequestBytes: 100 });
    const large = await call(lab, "POST", "/virtual-networks", { x: "y".repeat(200) });
    expect([large.status, large.text.includes("<title>Error: 413 ")]).toEqual([413, true]);
    expect((await call(lab, "POST", "/virtual-networks", {}, { "content-type": "text/plain" })).status).toBe(500);
  });

  it("records every request and its result", async () => {
    const { lab, path } = await demoLab();
    await call(lab, "PUT", path, { "virtual-network": { display_name: "x" } });
    await call(lab, "GET", "/no-such-types");
    expect(lab.journal.map(({ n, method, url, status, reply, body }) => [n, method, url, status, reply, body.length > 0])).toEqual([
      [1, "PUT", path, 200, "sent", true],
      [2, "GET", "/no-such-types", 404, "sent", false],
    ]);
  });

  it("serves a world that other code has changed, with times of the given clock", async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 5));
    const world = new ContrailWorld({ clock });
    world.neutron?.project("1".repeat(32), "tenant");
    const lab = await startLab({ world });
    const id = String(world.neutron?.networks.create({ tenantId: "1".repeat(32), admin: false }, { name: "blue" }).id);
    const { json } = await call(lab, "GET", `/virtual-network/${id}?fields=display_name`);
    expect(JSON.stringify(json["virtual-network"], (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value))).toContain(
      '"created":"2026-01-05T00:00:00.0000',
    );
  });
});

describe("annotations", () => {
  it("are set and removed one by one", async () => {
    const { lab, network } = await demoLab();
    const change = (...updates: object[]): Promise<Answer> =>
      call(lab, "POST", "/prop-collection-update", { uuid: network.uuid, updates: updates as never });
    await change(
      { field: "annotations", operation: "set", value: { key: "a", value: "1" }, position: "a" },
      { field: "annotations", operation: "set", value: { key: "b", value: "2" } },
    );
    await change({ field: "annotations", operation: "set", value: { key: "a", value: "3" }, position: "a" });
    const read = await call(lab, "GET", `/prop-collection-get?uuid=${network.uuid}&fields=annotations`);
    expect(read.json).toEqual({
      annotations: [
        [{ key: "a", value: "3" }, "a"],
        [{ key: "b", value: "2" }, "b"],
      ],
    });
    await change({ field: "annotations", operation: "delete", position: "a", value: null });
    expect(network.properties.annotations).toEqual({ key_value_pair: [{ key: "b", value: "2" }] });
    expect((await change({ field: "display_name", operation: "set", value: {} })).status).toBe(400);
    expect((await change({ field: "annotations", operation: "frob", value: { key: "b" } })).status).toBe(400);
  });
});

describe("/watch", () => {
  it("sends the present state, then each change, of the requested types only", async () => {
    const { lab, network } = await demoLab();
    const stop = new AbortController();
    const response = await fetch(`${lab.url}/watch?resource_type=virtual_network&virtual_network_fields=display_name`, {
      signal: stop.signal,
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let told = "";
    const until = async (piece: string): Promise<void> => {
      while (!told.includes(piece)) told += (await reader?.read())?.value ?? "";
    };
    await until('"n"');
    lab.world.create("network-policy", { fq_name: ["default-domain", "demo", "p"], parent_type: "project" });
    lab.world.update("virtual-network", network.uuid, { display_name: "renamed" });
    lab.world.delete("virtual-network", network.uuid);
    await until("event: delete");
    stop.abort();
    expect(told.match(/^event: .*/gm)).toEqual(["event: init", "event: update", "event: delete"]);
    expect(told).toContain(`event: delete\ndata: {"virtual-network": {"uuid": "${network.uuid}"}}`);
    expect(told).toContain('"display_name": "renamed"');
  });

  it("requires the types to watch", async () => {
    const { lab } = await demoLab();
    expect((await call(lab, "GET", "/watch")).status).toBe(400);
    expect((await call(lab, "GET", "/watch?resource_type=bogus")).status).toBe(404);
  });
});
