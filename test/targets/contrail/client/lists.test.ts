import { describe, expect, it } from "vitest";
import { listAll } from "../../../../src/targets/contrail/client/lists.js";
import { failure } from "../../panos/fixtures.js";
import { clientOf, networkDocument, scripted, startLab } from "../fixtures.js";

const DEMO = ["default-domain", "demo"];

describe("a list", () => {
  it("is read with detail in pages, each object once, without a request per object", async () => {
    const lab = await startLab();
    for (let i = 0; i < 7; i++) lab.world.create("virtual-network", networkDocument(`net-${i}`, `10.${i}.0.0/24`));
    const found = await listAll(clientOf(lab.url, { pageLimit: 3 }), "virtual-network", { parent: DEMO });
    expect(found.map(({ name }) => name).sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map((i) => `net-${i}`));
    expect(found.every(({ network_ipam_refs }) => Array.isArray(network_ipam_refs))).toBe(true);
    expect(lab.journal.map(({ method }) => method)).toEqual(["GET", "GET", "GET"]);
    expect(lab.journal[0]?.url).toBe(
      "/virtual-networks?detail=True&exclude_hrefs=1&parent_fq_name_str=default-domain%3Ademo&page_marker=None&page_limit=3",
    );
  });

  it("ends with an empty page after a full one", async () => {
    const lab = await startLab();
    for (let i = 0; i < 4; i++) lab.world.create("virtual-network", networkDocument(`net-${i}`));
    expect((await listAll(clientOf(lab.url, { pageLimit: 2 }), "virtual-network", { parent: DEMO })).length).toBe(4);
    expect(lab.journal.length).toBe(3);
  });

  it("uses the controller's type names, and can contain only some fields", async () => {
    const lab = await startLab();
    lab.world.create("network-policy", { fq_name: [...DEMO, "web-to-db"], parent_type: "project" });
    const [policy] = await listAll(clientOf(lab.url), "network-policy", { fields: ["annotations"] });
    expect(policy).toMatchObject({ fq_name: [...DEMO, "web-to-db"], parent_type: "project" });
    expect(lab.journal[0]?.url).toContain("/network-policys?fields=annotations&");
  });

  it("is complete on a controller without pages", async () => {
    const { url, asked } = await scripted(() => ({ body: '{"virtual-networks": [{"virtual-network": {"uuid": "1"}}]}' }));
    expect(await listAll(clientOf(url), "virtual-network")).toEqual([{ uuid: "1" }]);
    expect(asked.length).toBe(1);
  });

  it("fails completely if one page fails", async () => {
    const lab = await startLab();
    for (let i = 0; i < 4; i++) lab.world.create("virtual-network", networkDocument(`net-${i}`));
    lab.fault({ match: { path: "/virtual-networks", nth: 2 }, effect: { kind: "status", status: 500, text: "no" } });
    expect((await failure(listAll(clientOf(lab.url, { pageLimit: 2 }), "virtual-network", { parent: DEMO }))).code).toBe(
      "controller-failed",
    );
  });

  it("has a page limit, even if each page looks new", async () => {
    let page = 0;
    const endless = await scripted(() => ({ body: `{"virtual-networks": [{"uuid": "u-${++page}"}], "marker": "m-${page}"}` }));
    const { code, message } = await failure(listAll(clientOf(endless.url), "virtual-network"));
    expect({ code, message, page }).toEqual({
      code: "controller-list-endless",
      message: expect.stringContaining("more than 10000 pages"),
      page: 10_000,
    });
  });

  it("contains an object once that two pages contain", async () => {
    const pages = [
      '{"virtual-networks": [{"uuid": "a"}, {"uuid": "b"}], "marker": "b"}',
      '{"virtual-networks": [{"uuid": "b"}, {"uuid": "c"}]}',
    ];
    const repeating = await scripted(() => ({ body: pages.shift() ?? "" }));
    expect((await listAll(clientOf(repeating.url), "virtual-network")).map(({ uuid }) => uuid)).toEqual(["a", "b", "c"]);
  });

  it("is not followed in a circle, and an invalid one is an error", async () => {
    const circle = await scripted(() => ({ body: '{"virtual-networks": [], "marker": "a:b:1"}' }));
    expect((await failure(listAll(clientOf(circle.url), "virtual-network"))).code).toBe("controller-list-endless");
    for (const body of ['{"networks": []}', '{"virtual-networks": {"count": 3}}', '{"virtual-networks": [1]}']) {
      const { url } = await scripted(() => ({ body }));
      expect((await failure(listAll(clientOf(url), "virtual-network"))).code).toBe("controller-reply-unexpected");
    }
  });
});
