import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json/value.js";
import { type ListRequest, listPages } from "../../../../src/targets/openstack-client/client/pages.js";
import { bench, requestsOf } from "../../openstack/fixtures.js";

const NETWORKS = { service: "network", path: ["networks"], collection: "networks" } as const;

/** Lists from a sequence of replies. Also returns the requests. */
async function listFrom(replies: readonly JsonObject[], list: ListRequest = NETWORKS) {
  const asked: string[] = [];
  const rest = [...replies];
  const items = await listPages(
    list,
    async ({ query }) => {
      asked.push(new URLSearchParams([...(query ?? [])].map(([key, value]) => [key, value])).toString());
      return { status: 200, body: rest.shift() ?? { networks: [] }, secrets: new Map(), headers: {}, requestId: undefined };
    },
    "cloud",
  );
  return { asked, ids: items.map(({ id }) => id) };
}

const page = (ids: readonly string[], next?: string): JsonObject => ({
  networks: ids.map((id) => ({ id })),
  ...(next === undefined
    ? {}
    : {
        networks_links: [
          { rel: "previous", href: "http://x/v2.0/networks" },
          { rel: "next", href: next },
        ],
      }),
});

describe("a list", () => {
  it.each([
    ["asked for in pages of two", { target: { pageSize: 2 } }, {}],
    ["cut by the server's maximum", {}, { network: { pageMaximum: 2 } }],
    ["whose links name an inner host", { target: { pageSize: 2 } }, { linkBase: "http://inner.invalid:1" }],
  ])("%s is read whole", async (_, overrides, options) => {
    const { client, lab } = await bench(options, overrides);
    const made = ["a", "b", "c", "d", "e"];
    for (const name of made) await client.request({ service: "network", method: "POST", path: ["networks"], body: { network: { name } } });
    const names = (await client.list(NETWORKS)).map(({ name }) => name);
    expect(names.sort()).toEqual([...made, "private", "public"].sort());
    expect(requestsOf(lab).filter((words) => words === "network GET /v2.0/networks").length).toBeGreaterThanOrEqual(4);
  });

  it("of compute and of images is read completely in pages", async () => {
    const { client } = await bench({ compute: { pageMaximum: 2 } }, { target: { pageSize: 1 } });
    expect(await client.list({ service: "compute", path: ["flavors", "detail"], collection: "flavors" })).toHaveLength(4);
    expect(await client.list({ service: "image", path: ["images"], collection: "images" })).toHaveLength(1);
  });

  it("fails completely if one page fails", async () => {
    const { client, lab } = await bench({ network: { pageMaximum: 1 } });
    const match = { path: "/v2.0/networks", query: "marker=" };
    lab.fault({ match, effect: { kind: "refuse", status: 404, type: "NetworkNotFound", message: "marker" } });
    await expect(client.list(NETWORKS)).rejects.toMatchObject({ code: "cloud-not-found" });
    lab.fault({ match, effect: { kind: "html", status: 200 } });
    await expect(client.list(NETWORKS)).rejects.toMatchObject({ code: "reply-html" });
  });

  it("ends with an empty page after a full one, and with a null link", async () => {
    expect((await listFrom([page(["a"], "/v2.0/networks?marker=a"), page([])])).ids).toEqual(["a"]);
    expect((await listFrom([{ ...page(["a"]), links: { next: null, self: "x" } }])).ids).toEqual(["a"]);
  });

  it("contains an object once that two pages contain", async () => {
    expect((await listFrom([page(["a", "b"], "/v2.0/networks?marker=b"), page(["b", "c"])])).ids).toEqual(["a", "b", "c"]);
  });

  it("uses only the query of a link, with any host and path", async () => {
    const { asked } = await listFrom([page(["a"], "http://inner:1/neutron/v2.0/networks.json?limit=1&marker=a%20b"), page(["b"])], {
      ...NETWORKS,
      query: [["name", "n"]],
      pageSize: 1,
    });
    expect(asked).toEqual(["name=n&limit=1", "limit=1&marker=a+b"]);
  });

  it.each([
    ["that leads back", [page(["a"], "/networks?marker=a"), page(["b"], "/networks?marker=b"), page(["c"], "/networks?marker=a")]],
    ["that leads back to the beginning", [page(["a"], "/networks")]],
    ["on a page with nothing new", [page(["a"], "/networks?marker=a"), page(["a"], "/networks?marker=b")]],
    ["on an empty page", [page([], "/networks?marker=a")]],
    ["to another list", [page(["a"], "/v2.0/subnets?marker=a")]],
    ["that is none", [page(["a"], "http://[")]],
  ])("is an error with a link %s", async (_, replies) => {
    await expect(listFrom(replies)).rejects.toMatchObject({ code: "list-not-whole", where: { target: "cloud" } });
  });

  it.each([
    ["no list in the reply", [{}]],
    ["something else in the list", [{ networks: ["a"] }]],
    ["an object that is known by nothing", [{ networks: [{ name: "a" }] }]],
  ])("is an error with %s", async (_, replies) => {
    await expect(listFrom(replies as JsonObject[])).rejects.toMatchObject({ code: "list-not-whole" });
  });

  it("without an end is an error", async () => {
    let n = 0;
    const endless = listPages(
      NETWORKS,
      async () => {
        n++;
        const body = page([String(n)], `/networks?marker=${n}`);
        return { status: 200, body, secrets: new Map(), headers: {}, requestId: undefined };
      },
      "cloud",
    );
    await expect(endless).rejects.toMatchObject({ code: "list-not-whole", message: expect.stringContaining("10000 pages") });
  });
});
