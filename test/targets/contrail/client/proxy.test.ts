import { describe, expect, it } from "vitest";
import { listAll } from "../../../../src/targets/contrail/client/lists.js";
import { deleteObject, readObject, updateObject } from "../../../../src/targets/contrail/client/objects.js";
import { clientOf, networkDocument, scripted, startLab } from "../fixtures.js";

describe("a controller behind a proxy with wrong hrefs", () => {
  it("is read and written by the configured addresses", async () => {
    const lab = await startLab();
    const { uuid } = lab.world.create("virtual-network", networkDocument("blue", "10.1.0.0/24"));
    const proxy = await scripted(async ({ method, url, body }) => {
      const path = url.replace("/sdn", "").replaceAll(/exclude_hrefs=1&?/g, "");
      const response = await fetch(lab.url + path, {
        method,
        headers: { "content-type": "application/json" },
        body: method === "GET" || method === "DELETE" ? null : body,
      });
      const text = (await response.text()).replaceAll(lab.url, "http://127.0.0.1:1");
      return { status: response.status, type: response.headers.get("content-type") ?? "", body: text };
    });
    const client = clientOf(`${proxy.url}/sdn`);
    const [first] = (await listAll(client, "virtual-network")).filter((network) => network.uuid === uuid);
    expect(first?.href).toMatch(/^http:\/\/127\.0\.0\.1:1\//);
    await updateObject(client, "virtual-network", uuid, { display_name: "azure" });
    expect(await readObject(client, "virtual-network", uuid)).toMatchObject({ object: { document: { display_name: "azure" } } });
    expect(await deleteObject(client, "virtual-network", uuid)).toBeUndefined();
    expect(lab.world.store.get(uuid)).toBeUndefined();
  });
});
