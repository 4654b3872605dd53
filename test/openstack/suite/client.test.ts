import { dirname } from "node:path";
import { Pool } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { textAt } from "../../../src/core/json/value.js";
import { OpenstackClient } from "../../../src/targets/openstack-client/client/client.js";
import { onEachCloud } from "../harness/clouds.js";
import type { Rig } from "../harness/rig.js";

const NETWORKS = { service: "network", path: ["networks"], collection: "networks" } as const;
const SERVERS = { service: "compute", path: ["servers", "detail"], collection: "servers" } as const;

onEachCloud("the client", (open) => {
  it("logs in according to clouds.yaml, with the project of all requests", async () => {
    const rig = await open();
    const client = clientOf(rig);
    expect((await client.session()).project).toMatchObject({ id: await rig.user.projectId(), name: rig.access.project });
    expect((await client.projects()).map(({ name }) => name)).toEqual([rig.access.project]);
    expect(await client.list(SERVERS)).toEqual([]);
  });

  it("reads lists to their end with pages of 2", async () => {
    const rig = await open();
    for (const name of ["a", "b", "c"]) await rig.somebody.createNetwork(name);
    await rig.set({ pageMaximum: 2 });
    const client = clientOf(rig);
    expect((await client.list(NETWORKS)).map((network) => textAt(network, "name")).sort()).toEqual(["a", "b", "c", "public"]);
    const flavors = await client.list({ service: "compute", path: ["flavors", "detail"], collection: "flavors" });
    expect(flavors.map((flavor) => textAt(flavor, "name")).sort()).toEqual(["m1.large", "m1.medium", "m1.small", "m1.tiny"]);
  });

  it("logs in again when a service refuses its token", async () => {
    const rig = await open();
    // Under load a login and the request after it took more than 2 seconds.
    await rig.set({ tokenLifetime: 15 });
    const client = clientOf(rig);
    expect(await client.list(NETWORKS)).toHaveLength(1);
    const first = await client.token();
    await expect.poll(() => rig.user.statusWith(first.reveal(), "network", "/v2.0/networks"), { timeout: 60_000 }).toBe(401);
    expect(await client.list(NETWORKS)).toHaveLength(1);
    expect((await client.token()).reveal()).not.toBe(first.reveal());
  });

  it("reports a refusal with the service's text", async () => {
    const rig = await open();
    const client = clientOf(rig);
    const refused = (request: Parameters<typeof client.request>[0]) => client.request(request).catch((error: unknown) => error);
    const nobody = "11111111-2222-4333-8444-555555555555";
    expect(await refused({ service: "network", method: "GET", path: ["networks", nobody] })).toMatchObject({
      ...{ refusal: "not-found", status: 404, type: "NetworkNotFound" },
      message: expect.stringContaining(`Network ${nobody} could not be found.`),
    });
    expect(await refused({ service: "network", method: "POST", path: ["networks"], body: { network: { nmae: "x" } } })).toMatchObject({
      ...{ refusal: "invalid", status: 400 },
      message: expect.stringContaining("Unrecognized attribute(s) 'nmae'"),
    });
    await rig.somebody.createNetwork("a");
    const { id, revision_number: revision } = await rig.user.named("network", "/v2.0/networks", "networks", "a");
    const change = { service: "network", method: "PUT", path: ["networks", id], body: { network: { description: "d" } } } as const;
    expect(await refused({ ...change, ifRevision: revision + 7 })).toMatchObject({ refusal: "changed", status: 412 });
    expect(await refused({ ...change, ifRevision: revision })).toMatchObject({ status: 200 });
  });
});

/** A client whose clock is stopped: it considers every token valid until a service refuses it. */
function clientOf(rig: Rig): OpenstackClient {
  const client = new OpenstackClient(
    {
      kind: "openstack",
      name: "cloud",
      cloud: "lab",
      access: { endpoints: new Map() },
      tls: { insecure: false },
      folder: "/nowhere",
      references: [],
      mode: "observe",
      rewriteLists: "never",
      approve: "none",
      timeout: 60,
      createSettle: 30,
      concurrency: 10,
      pageSize: undefined,
    },
    {
      clock: { now: () => 0, sleep: () => Promise.resolve() },
      random: () => 0.5,
      logger: { debug: () => undefined, warn: () => undefined },
      dispatcher: (origin, options) => new Pool(origin, options),
      environment: { OS_CLIENT_CONFIG_FILE: rig.cloudsFile },
      home: dirname(rig.cloudsFile),
      workingFolder: dirname(rig.cloudsFile),
    },
  );
  onTestFinished(() => client.close());
  return client;
}
