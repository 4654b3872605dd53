import { describe, expect, it } from "vitest";
import { readCatalogV2, readCatalogV3 } from "../../../../src/targets/openstack-client/catalog/catalog.js";
import { splitAddress } from "../../../../src/targets/openstack-client/catalog/service-addresses.js";
import { readVersions } from "../../../../src/targets/openstack-client/catalog/versions.js";
import { OpenstackClient } from "../../../../src/targets/openstack-client/client/client.js";
import { bench, closing, configuration, demoAccess, dependencies, requestsOf } from "../../openstack/fixtures.js";
import { type Answer, type Asked, scriptedService } from "../../openstack/scripted-service.js";

const SERVERS = { service: "compute", path: ["servers"], collection: "servers" } as const;

/** A client of the lab's identity whose compute service is a scripted one, at `path`. */
async function computeAt(path: string, script: (asked: Asked) => Answer) {
  const { lab } = await bench();
  const service = await scriptedService(script);
  const endpoints = new Map([["compute", `${service.url}${path}`]]);
  return { service, client: closing(new OpenstackClient(configuration({ ...demoAccess(lab.authUrl), endpoints }), dependencies())) };
}

const version = (id: string, step: string, max = "") => ({
  id,
  status: "CURRENT",
  version: max,
  min_version: max === "" ? "" : "2.1",
  links: [{ rel: "self", href: `http://inner:1/${step}/` }],
});
const NOVA = { versions: [version("v2.0", "v2"), version("v2.1", "v2.1", "2.93")] };

describe("the address of a service", () => {
  it("comes from the catalog, by interface and region, and its version is read once", async () => {
    const { client, lab } = await bench({ regions: ["One", "Two"] }, { access: { region: "Two", interface: "internal" } });
    await client.list({ service: "network", path: ["networks"], collection: "networks" });
    await client.list({ service: "network", path: ["subnets"], collection: "subnets" });
    await client.list(SERVERS);
    expect(requestsOf(lab).slice(1)).toEqual([
      "network GET /",
      "network GET /v2.0/networks",
      "network GET /v2.0/subnets",
      "compute GET /v2.1/servers",
    ]);
  });

  it("keeps the project in the catalog's address", async () => {
    const { client, lab } = await bench({ projectInComputeEndpoint: true });
    await client.list(SERVERS);
    expect(requestsOf(lab).at(-1)).toBe(`compute GET /v2.1/${(await client.session()).project?.id}/servers`);
  });

  it("keeps scheme, host, port and path of the catalog, whatever links contain", async () => {
    const { client, service } = await computeAt("/compute/", ({ path }) => ({ body: path === "/compute/" ? NOVA : { servers: [] } }));
    await client.list(SERVERS);
    expect(service.asked.map(({ path }) => path)).toEqual(["/compute/", "/compute/v2.1/servers"]);
    expect(await client.versions("compute")).toMatchObject([
      { id: "v2.0", step: "v2" },
      { id: "v2.1", max: "2.93" },
    ]);
  });

  it("contains the project in the path of an old compute service", async () => {
    const { client, service } = await computeAt("", ({ path }) => ({
      body: path === "/" ? { versions: [version("v2.0", "v2")] } : { servers: [] },
    }));
    await client.list(SERVERS);
    expect(service.asked[1]?.path).toBe(`/v2/${(await client.session()).project?.id}/servers`);
  });

  it.each([
    ["a page", { status: 404, body: "<html></html>", headers: { "content-type": "text/html" } }],
    ["a refusal", { status: 401, body: "401 Unauthorized" }],
  ])("gets the usual version where the service answers with %s", async (_, answer) => {
    const { client, service } = await computeAt("", ({ path }) => (path === "/" ? answer : { body: { servers: [] } }));
    await client.list(SERVERS);
    expect(service.asked[1]?.path).toBe("/v2.1/servers");
  });

  it("is not guessed if the service is unavailable, or has other versions", async () => {
    const down = await computeAt("", () => ({ status: 503, body: "" }));
    await expect(down.client.list(SERVERS)).rejects.toMatchObject({ code: "cloud-service-unavailable" });
    const other = await computeAt("", () => ({ body: { versions: [version("v9.0", "v9")] } }));
    await expect(other.client.list(SERVERS)).rejects.toMatchObject({
      code: "service-version-unknown",
      message: expect.stringContaining("v9.0"),
    });
  });

  it.each([
    ["region", { region: "Three" }, "in region Three"],
    ["interface", { region: "RegionOne", interface: "admin" }, "has no admin address"],
  ] as const)("is an error where the catalog has none for the %s", async (_, access, words) => {
    const service = await scriptedService(() => ({
      status: 201,
      headers: { "x-subject-token": "t" },
      body: {
        token: {
          project: { id: "1" },
          catalog: [{ type: "compute", endpoints: [{ interface: "public", region_id: "RegionOne", url: "http://c" }] }],
        },
      },
    }));
    const client = closing(new OpenstackClient(configuration({ ...demoAccess(`${service.url}/v3`), ...access }), dependencies()));
    const refused = expect(client.list(SERVERS)).rejects;
    await refused.toMatchObject({
      code: "service-not-in-catalog",
      message: expect.stringContaining(words),
      next: expect.stringContaining("public in RegionOne"),
    });
    await expect(client.list({ ...SERVERS, service: "network" })).rejects.toMatchObject({
      next: expect.stringContaining("The catalog has: compute."),
    });
  });
});

describe("microversions", () => {
  const asked = (microversion: string) => ({ ...SERVERS, microversion });

  it("are sent if offered, and their echo is checked", async () => {
    const { client, lab } = await bench();
    expect(await client.list(asked("2.26"))).toEqual([]);
    expect(requestsOf(lab).slice(1)).toEqual(["compute GET /", "compute GET /v2.1/servers"]);
    await expect(client.list(asked("2.999"))).rejects.toMatchObject({
      code: "microversion-not-offered",
      message: expect.stringContaining("2.93"),
    });
    await expect(client.list(asked("2.0"))).rejects.toMatchObject({ code: "microversion-not-offered" });
  });

  it("are refused if the service would ignore them", async () => {
    const { client } = await computeAt("/v2/abc", ({ path }) => ({ body: path === "/" ? NOVA : { servers: [] } }));
    await expect(client.list(asked("2.26"))).rejects.toMatchObject({
      code: "microversion-not-offered",
      message: expect.stringContaining("in v2,"),
    });
  });

  it("that are not echoed are an error", async () => {
    const { client } = await computeAt("/v2.1", ({ path }) => ({
      body: path === "/" ? NOVA : { servers: [] },
      headers: { "openstack-api-version": "compute 2.1" },
    }));
    await expect(client.list(asked("2.26"))).rejects.toMatchObject({
      message: expect.stringContaining('got microversion 2.26 and answered with "compute 2.1"'),
    });
  });
});

describe("version documents of services", () => {
  it("are read in all their forms", () => {
    expect(readVersions({ versions: { values: [version("v3.14", "v3")] } })).toMatchObject([{ id: "v3.14", step: "v3", max: undefined }]);
    expect(readVersions({ version: version("v2.0", "v2.0") })).toMatchObject([{ step: "v2.0" }]);
    expect(readVersions({ versions: [{ id: "v2.0" }, {}] })).toMatchObject([{ step: "v2.0", status: "" }]);
    expect(readVersions({ hello: "world" })).toEqual([]);
  });

  it("are in the catalog of either version", () => {
    const entry = { interface: "public", region: "R", region_id: "R1", url: "http://n" };
    expect(readCatalogV3({ catalog: [{ type: "network", endpoints: [entry, {}] }, { endpoints: [entry] }] })).toEqual([
      { type: "network", interface: "public", region: "R1", url: "http://n" },
    ]);
    const old = { region: "R", publicURL: "http://p", internalURL: "http://i" };
    expect(readCatalogV2({ serviceCatalog: [{ type: "compute", endpoints: [old] }] })).toEqual([
      { type: "compute", interface: "public", region: "R", url: "http://p" },
      { type: "compute", interface: "internal", region: "R", url: "http://i" },
    ]);
  });

  it.each([
    ["http://h:1", "", undefined, undefined],
    ["http://h:1/network/", "/network", undefined, undefined],
    ["http://h:1/v2.1/abc", "", "v2.1", "/abc"],
    ["http://h:1/compute/v2/abc/", "/compute", "v2", "/abc"],
    ["http://h:1/v3/", "", "v3", ""],
  ])("%s is taken apart", (url, root, step, rest) => {
    expect(splitAddress(new URL(url))).toEqual({ origin: "http://h:1", root, version: step, rest });
  });
});
