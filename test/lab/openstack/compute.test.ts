import { describe, expect, it } from "vitest";
import { type Answer, call, lab, login, type Person } from "./support.js";

const NOBODY = "7a0f1d11-1111-4111-8111-111111111111";

async function cloud(options: Parameters<typeof lab>[0] = {}) {
  const started = await lab(options);
  const demo = await login(started.lab);
  const [network] = (await demo.network("GET", "/networks?name=private")).json.networks;
  const [image] = (await demo.image("GET", "/v2/images")).json.images;
  const body = { name: "s", imageRef: image.id, flavorRef: "1", networks: [{ uuid: network.id }] };
  const create = (more: object = {}, prefix = "/v2.1", who: Person = demo): Promise<Answer> =>
    who.compute("POST", `${prefix}/servers`, { server: { ...body, ...more } });
  return { ...started, demo, network, image, create };
}

const refused = ({ status, json }: Answer): [number, string, string] => {
  const [kind = ""] = Object.keys(json);
  return [status, kind, json[kind].message];
};

describe("availability zones", () => {
  it("are visible to everyone, and their hosts only to administrators", async () => {
    const { demo } = await cloud();
    const { json } = await demo.compute("GET", "/v2.1/os-availability-zone");
    expect(json.availabilityZoneInfo).toEqual([{ zoneName: "nova", zoneState: { available: true }, hosts: null }]);
    expect(refused(await demo.compute("GET", "/v2.1/os-availability-zone/detail"))).toMatchObject([403, "forbidden", expect.any(String)]);
  });
});

describe("versions", () => {
  it("are readable without a token", async () => {
    const { lab: running } = await lab({ linkBase: "http://inner:1" });
    const root = (await call(running, "compute", "GET", "/")).json.versions;
    expect(root).toMatchObject([
      { id: "v2.0", status: "SUPPORTED", version: "", min_version: "" },
      { id: "v2.1", status: "CURRENT", version: "2.93", min_version: "2.1", links: [{ href: "http://inner:1/v2.1/" }] },
    ]);
    for (const path of ["/v2", "/v2/", "/v2.1/"]) expect((await call(running, "compute", "GET", path)).json.version.id).toMatch(/^v2/);
  });

  it("are chosen by either header, echoed, and refused", async () => {
    const { demo } = await cloud();
    const ask = (value: string): Promise<Answer> => demo.compute("GET", "/v2.1/servers", undefined, { "openstack-api-version": value });
    expect((await ask("compute 2.20")).headers.get("openstack-api-version")).toBe("compute 2.20");
    expect((await ask("compute latest")).headers.get("x-openstack-nova-api-version")).toBe("2.93");
    const old = await demo.compute("GET", "/v2.1/servers", undefined, { "x-openstack-nova-api-version": "2.30" });
    expect(old.headers.get("openstack-api-version")).toBe("compute 2.30");
    expect(refused(await ask("compute 2.999"))).toEqual([
      406,
      "computeFault",
      "Version 2.999 is not supported by the API. Minimum is 2.1 and maximum is 2.93.",
    ]);
    expect(refused(await ask("compute foo"))[2]).toBe("API Version String foo is of invalid format. Must be of format MajorNum.MinorNum.");
    const v2 = await demo.compute("GET", "/v2/servers", undefined, { "openstack-api-version": "compute 2.93" });
    expect([v2.status, v2.headers.get("openstack-api-version")]).toEqual([200, "compute 2.1"]);
  });
});

describe("flavors, images, key pairs", () => {
  it("lists flavors with every column of the specification, in pages", async () => {
    const { demo, lab: running } = await cloud({ compute: { pageMaximum: 3 } });
    const base = running.urls.compute;
    const { flavors, flavors_links } = (await demo.compute("GET", `/v2/${demo.projectId}/flavors/detail`)).json;
    expect([flavors.length, flavors_links[0].href]).toEqual([3, `${base}/v2/${demo.projectId}/flavors/detail?marker=3`]);
    expect(flavors[0]).toEqual({
      ...{
        id: "1",
        name: "m1.tiny",
        ram: 512,
        disk: 1,
        swap: "",
        "OS-FLV-EXT-DATA:ephemeral": 0,
        "OS-FLV-DISABLED:disabled": false,
        vcpus: 1,
      },
      ...{ "os-flavor-access:is_public": true, rxtx_factor: 1 },
      links: [
        { rel: "self", href: `${base}/v2/${demo.projectId}/flavors/1` },
        { rel: "bookmark", href: `${base}/${demo.projectId}/flavors/1` },
      ],
    });
    expect(Object.keys((await demo.compute("GET", "/v2.1/flavors")).json.flavors[0])).toEqual(["id", "name", "links"]);
    const new75 = { "openstack-api-version": "compute 2.75" };
    expect((await demo.compute("GET", "/v2.1/flavors/2", undefined, new75)).json.flavor).toMatchObject({
      swap: 0,
      description: null,
      extra_specs: {},
    });
    expect((await demo.compute("GET", "/v2.1/flavors/1/os-extra_specs")).json).toEqual({ extra_specs: {} });
    expect(refused(await demo.compute("GET", "/v2.1/flavors/x"))).toEqual([404, "itemNotFound", "Flavor x could not be found."]);
    expect((await demo.compute("GET", "/v2.1/flavors?limit=2&marker=3")).json.flavors_links).toBeUndefined();
  });

  it("shows images through compute, until 2.36", async () => {
    const { demo, image, lab: running } = await cloud();
    const [brief] = (await demo.compute("GET", `/v2/${demo.projectId}/images`)).json.images;
    expect([brief.name, brief.links[2].href]).toEqual(["cirros", `${running.urls.image}/images/${image.id}`]);
    const [full] = (await demo.compute("GET", "/v2.1/images/detail")).json.images;
    expect(full).toMatchObject({
      id: image.id,
      status: "ACTIVE",
      progress: 100,
      minRam: 0,
      minDisk: 0,
      metadata: {},
      "OS-EXT-IMG-SIZE:size": 1280,
    });
    expect((await demo.compute("GET", `/v2.1/images/${image.id}`)).json.image).toEqual(full);
    expect(refused(await demo.compute("GET", "/v2.1/images/nope"))).toEqual([404, "itemNotFound", "Image not found."]);
    expect((await demo.compute("GET", "/v2.1/images", undefined, { "openstack-api-version": "compute 2.36" })).status).toBe(404);
  });

  it("returns a private key once, in the reply of the create", async () => {
    const { demo, lab: running } = await cloud();
    const made = await demo.compute("POST", "/v2.1/os-keypairs", { keypair: { name: "kk" } });
    const { keypair } = made.json;
    expect([made.status, keypair.private_key.startsWith("-----BEGIN RSA PRIVATE KEY-----")]).toEqual([200, true]);
    expect([keypair.public_key.startsWith("ssh-rsa AAAAB3NzaC1yc2E"), keypair.fingerprint]).toEqual([
      true,
      expect.stringMatching(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/),
    ]);
    const { keypairs } = (await demo.compute("GET", "/v2.1/os-keypairs")).json;
    expect(keypairs.map((each: { keypair: object }) => Object.keys(each.keypair))).toEqual([
      ["name", "public_key", "fingerprint"],
      ["name", "public_key", "fingerprint"],
    ]);
    const read = (await demo.compute("GET", "/v2.1/os-keypairs/kk", undefined, { "openstack-api-version": "compute 2.10" })).json.keypair;
    expect(read).toMatchObject({ name: "kk", type: "ssh", user_id: running.world.as("demo").userId, deleted: false });
    expect(JSON.stringify([read, running.journal])).not.toContain("PRIVATE KEY");
    const imported = { name: "two", public_key: keypair.public_key };
    const second = await demo.compute("POST", "/v2.1/os-keypairs", { keypair: imported }, { "openstack-api-version": "compute 2.2" });
    expect([second.status, second.json.keypair.private_key, second.json.keypair.fingerprint]).toEqual([
      201,
      undefined,
      keypair.fingerprint,
    ]);
    expect(refused(await demo.compute("POST", "/v2.1/os-keypairs", { keypair: { name: "kk" } }))).toEqual([
      409,
      "conflictingRequest",
      "Key pair 'kk' already exists.",
    ]);
    expect(refused(await demo.compute("POST", "/v2.1/os-keypairs", { keypair: { name: "b", public_key: "bad" } }))[2]).toMatch(
      /failed to generate fingerprint/,
    );
    expect(refused(await demo.compute("POST", "/v2.1/os-keypairs", { keypair: { name: "" } }))[2]).toMatch(/'' is too short$/);
    const odd = { keypair: { name: "me@home", public_key: imported.public_key } };
    expect(refused(await demo.compute("POST", "/v2.1/os-keypairs", odd))[2]).toContain("Only expected characters: [_- 0123");
    const wide = await demo.compute("POST", "/v2.1/os-keypairs", odd, { "openstack-api-version": "compute 2.92" });
    expect(wide.status).toBe(201);
    const since92 = await demo.compute(
      "POST",
      "/v2.1/os-keypairs",
      { keypair: { name: "n" } },
      { "openstack-api-version": "compute 2.92" },
    );
    expect(since92.status).toBe(400);
    expect((await demo.compute("DELETE", "/v2.1/os-keypairs/kk")).status).toBe(202);
    expect((await demo.compute("DELETE", "/v2.1/os-keypairs/two", undefined, { "openstack-api-version": "compute 2.2" })).status).toBe(204);
    expect(refused(await demo.compute("GET", "/v2.1/os-keypairs/kk"))[2]).toMatch(/^Keypair kk not found for user /);
  });

  it("lists images at the image service, by pages and names", async () => {
    const { demo, image, lab: running } = await cloud();
    running.world.images.add("second", running.world.as("demo").projectId ?? "", { visibility: "private" });
    const first = (await demo.image("GET", "/v2/images?limit=1")).json;
    expect([first.images[0].name, first.next]).toEqual(["second", `/v2/images?limit=1&marker=${first.images[0].id}`]);
    const [second] = (await demo.image("GET", first.next)).json.images;
    expect(second).toMatchObject({ id: image.id, status: "active", visibility: "public", size: 1280, self: `/v2/images/${image.id}` });
    expect((await demo.image("GET", "/v2/images?name=zz")).json).toEqual({
      images: [],
      first: "/v2/images?name=zz",
      schema: "/v2/schemas/images",
    });
    expect((await (await login(running, "other")).image("GET", "/v2/images")).json.images).toHaveLength(1);
    const nope = await demo.image("GET", "/v2/images/nope");
    expect([nope.status, nope.text, nope.headers.get("content-type")]).toEqual([
      404,
      "404 Not Found\n\nNo image found with ID nope\n\n   ",
      "text/plain; charset=UTF-8",
    ]);
    expect((await demo.image("GET", "/v2/images?marker=zz")).status).toBe(400);
    const root = await call(running, "image", "GET", "/");
    expect([root.status, root.json.versions[0]]).toMatchObject([300, { id: "v2.15", status: "CURRENT" }]);
  });
});

describe("servers", () => {
  it("build, run, stop, start, and are deleted, by the clock", async () => {
    const { demo, create, clock, network, image, lab: running } = await cloud();
    const made = await create({ metadata: { a: "b" }, key_name: "demo-key" });
    expect([made.status, Object.keys(made.json.server)]).toEqual([
      202,
      ["id", "links", "OS-DCF:diskConfig", "security_groups", "adminPass"],
    ]);
    const { id } = made.json.server;
    expect(made.headers.get("location")).toBe(`${running.urls.compute}/v2.1/servers/${id}`);
    const read = async (): Promise<Answer["json"]> => (await demo.compute("GET", `/v2.1/servers/${id}`)).json.server;
    expect(await read()).toMatchObject({ status: "BUILD", "OS-EXT-STS:task_state": "scheduling", addresses: {}, hostId: "" });
    clock.advance(2000);
    const server = await read();
    expect(server).toMatchObject({
      ...{
        id,
        name: "s",
        status: "ACTIVE",
        tenant_id: demo.projectId,
        metadata: { a: "b" },
        key_name: "demo-key",
        accessIPv4: "",
        accessIPv6: "",
      },
      ...{ image: { id: image.id }, flavor: { id: "1" }, created: "2026-01-05T08:00:00Z", updated: "2026-01-05T08:00:02Z", progress: 0 },
      ...{
        "OS-EXT-STS:vm_state": "active",
        "OS-EXT-STS:power_state": 1,
        "OS-EXT-STS:task_state": null,
        "OS-EXT-AZ:availability_zone": "nova",
      },
      ...{ "OS-SRV-USG:launched_at": "2026-01-05T08:00:02.000000", "OS-DCF:diskConfig": "MANUAL", security_groups: [{ name: "default" }] },
    });
    const [port] = (await demo.network("GET", `/ports?device_id=${id}`)).json.ports;
    expect(port).toMatchObject({ device_owner: "compute:nova", status: "ACTIVE", network_id: network.id });
    const own = { version: 4, addr: port.fixed_ips[0].ip_address, "OS-EXT-IPS:type": "fixed", "OS-EXT-IPS-MAC:mac_addr": port.mac_address };
    expect(server.addresses).toEqual({ private: [own] });
    expect((await demo.compute("GET", `/v2.1/servers/${id}/os-interface`)).json.interfaceAttachments).toMatchObject([{ port_id: port.id }]);
    const newest = (await demo.compute("GET", `/v2.1/servers/${id}`, undefined, { "openstack-api-version": "compute 2.93" })).json.server;
    expect(newest.flavor).toEqual({ vcpus: 1, ram: 512, disk: 1, ephemeral: 0, swap: 0, original_name: "m1.tiny", extra_specs: {} });
    expect(newest).toMatchObject({ locked: false, locked_reason: null, description: "s", tags: [], server_groups: [] });
    const act = (action: string): Promise<Answer> => demo.compute("POST", `/v2.1/servers/${id}/action`, { [action]: null });
    expect((await act("os-stop")).status).toBe(202);
    expect(await read()).toMatchObject({ status: "ACTIVE", "OS-EXT-STS:task_state": "powering-off" });
    expect(refused(await act("os-stop"))[2]).toBe(`Cannot 'stop' instance ${id} while it is in task_state powering-off`);
    clock.advance(1000);
    expect(await read()).toMatchObject({ status: "SHUTOFF", "OS-EXT-STS:task_state": null });
    expect(refused(await act("os-stop"))).toEqual([
      409,
      "conflictingRequest",
      `Cannot 'stop' instance ${id} while it is in vm_state stopped`,
    ]);
    expect((await act("os-start")).status).toBe(202);
    expect(refused(await act("foo"))[2]).toBe("There is no such action: foo");
    expect((await demo.compute("PUT", `/v2.1/servers/${id}`, { server: { name: "renamed" } })).json.server.name).toBe("renamed");
    expect((await demo.compute("DELETE", `/v2.1/servers/${id}`)).status).toBe(204);
    expect((await read())["OS-EXT-STS:task_state"]).toBe("deleting");
    clock.advance(1000);
    expect(refused(await demo.compute("GET", `/v2.1/servers/${id}`))).toEqual([404, "itemNotFound", `Instance ${id} could not be found.`]);
    expect((await demo.network("GET", `/ports?device_id=${id}`)).json.ports).toEqual([]);
    const since = (await demo.compute("GET", "/v2.1/servers/detail?changes-since=2020-01-01T00:00:00Z")).json.servers;
    expect(since).toMatchObject([{ id, status: "DELETED", "OS-SRV-USG:terminated_at": "2026-01-05T08:00:04.000000" }]);
  });

  it("accept a fixed address, a given port, several at once; fail if the address is outside", async () => {
    const { demo, create, clock, network, lab: running } = await cloud();
    const fixed = (await create({ networks: [{ uuid: network.id, fixed_ip: "10.0.0.77" }] })).json.server.id;
    expect(refused(await create({ networks: [{ uuid: network.id, fixed_ip: "10.0.0.77" }] }))[2]).toBe(
      `Fixed IP address 10.0.0.77 is already in use on instance ${fixed}.`,
    );
    const outside = (await create({ networks: [{ uuid: network.id, fixed_ip: "10.77.0.1" }] })).json.server.id;
    const { port } = (await demo.network("POST", "/ports", { port: { network_id: network.id } })).json;
    const onPort = (await create({ networks: [{ port: port.id }] })).json.server.id;
    await create({ min_count: 2, max_count: 3, name: "multi" });
    clock.advance(2000);
    const failed = (await demo.compute("GET", `/v2.1/servers/${outside}`)).json.server;
    const message = `Build of instance ${outside} aborted: Invalid input received: Fixed IP 10.77.0.1 is not a valid ip address for network ${network.id}.`;
    expect([failed.status, failed.fault]).toEqual(["ERROR", { code: 500, created: "2026-01-05T08:00:02Z", message }]);
    const admin = await login(running, "admin");
    expect((await admin.compute("GET", `/v2.1/servers/${outside}`)).json.server.fault.details).toMatch(/^Traceback/);
    const names = (await demo.compute("GET", "/v2.1/servers?name=^multi")).json.servers.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["multi-3", "multi-2", "multi-1"]);
    expect((await demo.network("GET", `/ports/${port.id}`)).json.port.device_id).toBe(onPort);
    await demo.compute("DELETE", `/v2.1/servers/${onPort}`);
    clock.advance(1000);
    await demo.compute("GET", "/v2.1/servers");
    expect((await demo.network("GET", `/ports/${port.id}`)).json.port).toMatchObject({ device_id: "", status: "DOWN" });
  });

  it.each([
    [{ name: "" }, "Invalid input for field/attribute name. Value: . '' is too short"],
    [{ name: null }, "Invalid input for field/attribute name. Value: None. None is not of type 'string'"],
    [{ imageRef: "x" }, "Invalid input for field/attribute imageRef. Value: x. 'x' is not valid under any of the given schemas"],
    [{ imageRef: NOBODY }, "Can not find requested image"],
    [{ flavorRef: "99" }, "Flavor 99 could not be found."],
    [{ key_name: "no" }, "Invalid key_name provided."],
    [{ networks: [{ uuid: NOBODY }] }, `Network ${NOBODY} could not be found.`],
    [{ networks: [{ uuid: "x" }] }, "Bad networks format: network uuid is not in proper format (x)"],
    [{ networks: [{ port: NOBODY }] }, `Port id ${NOBODY} could not be found.`],
    [
      { networks: [{ uuid: NOBODY, fixed_ip: "x" }] },
      "Invalid input for field/attribute fixed_ip. Value: x. 'x' is not valid under any of the given schemas",
    ],
    [
      { networks: [{ uuid: NOBODY, port: "" }] },
      "Invalid input for field/attribute port. Value: . '' is not valid under any of the given schemas",
    ],
    [{ networks: [{}] }, "Bad network format: missing 'uuid'"],
    [{ min_count: 0 }, "Invalid input for field/attribute min_count. Value: 0. 0 is less than the minimum of 1"],
    [{ min_count: 3, max_count: 2 }, "min_count must be <= max_count"],
    [{ metadata: { a: 1 } }, "Invalid input for field/attribute a. Value: 1. 1 is not of type 'string'"],
    [{ security_groups: [{ name: "nope" }] }, "Unable to find security_group with name or id 'nope'"],
  ])("refuse %j", async (more, message) => {
    const { create, demo } = await cloud();
    expect(refused(await create(more))).toEqual([400, "badRequest", message]);
    expect((await demo.compute("GET", "/v2.1/servers")).json.servers).toEqual([]);
  });

  it("refuse the specification's empty keys on both versions, and unknown attributes on v2.1 only", async () => {
    const { create, network, demo } = await cloud();
    const spec = [{ network: network.id, uuid: network.id, port: "", fixed_ip: "" }];
    for (const prefix of ["/v2", `/v2/${demo.projectId}`, "/v2.1"]) {
      expect(refused(await create({ networks: spec }, prefix))[2]).toBe(
        "Invalid input for field/attribute fixed_ip. Value: . '' is not valid under any of the given schemas",
      );
    }
    const both = [{ network: network.id, uuid: network.id }];
    expect([(await create({ networks: both }, "/v2")).status, (await create({ networks: both })).status]).toEqual([202, 400]);
    expect([(await create({ foo: 1 }, "/v2")).status, (await create({ foo: 1 })).status]).toEqual([202, 400]);
    expect((await create({ networks: [{ uuid: network.id, port: null }] })).status).toBe(202);
    expect((await create({ return_reservation_id: true })).json).toEqual({ reservation_id: expect.stringMatching(/^r-/) });
  });

  it("accept the specification's body with empty texts, or with networks by network only, if so configured", async () => {
    const { create, network, demo } = await cloud({ compute: { serverBodies: "specification" } });
    const empty = { network: network.id, uuid: "", port: "", fixed_ip: "" };
    for (const prefix of ["/v2", `/v2/${demo.projectId}`, "/v2.1"]) {
      expect((await create({ min_count: 1, max_count: 1, key_name: "", networks: [empty] }, prefix)).status).toBe(202);
      expect((await create({ networks: [{ network: network.id }] }, prefix)).status).toBe(202);
    }
    const { servers } = (await demo.compute("GET", "/v2.1/servers/detail")).json;
    expect(servers.map(({ key_name }: { key_name: unknown }) => key_name)).toEqual(Array(6).fill(null));
    expect(refused(await create({ name: "" }))[0]).toBe(400);
    expect(refused(await create({ networks: [{ network: "no-such" }] }))[0]).toBe(400);
  });

  it("are counted, and need a network with a subnet that is the only one or named", async () => {
    const { create, demo } = await cloud();
    expect(refused(await create({ min_count: 50 }))).toEqual([
      403,
      "forbidden",
      "Quota exceeded for cores, instances: Requested 50, 50, but already used 0, 0 of 20, 10 cores, instances",
    ]);
    expect((await create({ networks: [] })).status).toBe(202);
    const { id } = (await demo.network("POST", "/networks", { network: {} })).json.network;
    expect(refused(await create({ networks: [{ uuid: id }] }))[2]).toBe(`Network ${id} requires a subnet in order to boot instances on.`);
    await demo.network("POST", "/subnets", { subnet: { network_id: id, ip_version: 4, cidr: "10.5.0.0/24" } });
    const several = "Multiple possible networks found, use a Network ID to be more specific.";
    expect(refused(await create({ networks: [] }))).toEqual([409, "conflictingRequest", several]);
    expect((await demo.compute("GET", "/v2.1/limits")).json.limits.absolute).toMatchObject({
      maxTotalInstances: 10,
      totalInstancesUsed: 1,
    });
    expect((await demo.compute("GET", `/v2.1/os-quota-sets/${demo.projectId}`)).json.quota_set).toMatchObject({ cores: 20, instances: 10 });
  });

  it("store metadata", async () => {
    const { create, demo } = await cloud();
    const at = `/v2.1/servers/${(await create({ metadata: { a: "b" } })).json.server.id}/metadata`;
    expect((await demo.compute("PUT", `${at}/x`, { meta: { x: "y" } })).json).toEqual({ meta: { x: "y" } });
    expect((await demo.compute("POST", at, { metadata: { q: "y" } })).json).toEqual({ metadata: { a: "b", x: "y", q: "y" } });
    expect((await demo.compute("GET", `${at}/x`)).json).toEqual({ meta: { x: "y" } });
    expect((await demo.compute("PUT", at, { metadata: { q: "z" } })).json).toEqual({ metadata: { q: "z" } });
    expect((await demo.compute("DELETE", `${at}/q`)).status).toBe(204);
    expect(refused(await demo.compute("DELETE", `${at}/q`))).toEqual([404, "itemNotFound", "Metadata item was not found"]);
    expect((await demo.compute("GET", at)).json).toEqual({ metadata: {} });
  });

  it("are listed newest first, in pages, to their project; invalid paths and queries are refused", async () => {
    const { create, demo, lab: running } = await cloud({ compute: { pageMaximum: 2 } });
    for (const name of ["a", "b", "c"]) await create({ name });
    const first = (await demo.compute("GET", "/v2.1/servers")).json;
    expect(first.servers.map(({ name }: { name: string }) => name)).toEqual(["c", "b"]);
    const second = (await demo.compute("GET", new URL(first.servers_links[0].href).pathname + new URL(first.servers_links[0].href).search))
      .json;
    expect([second.servers.map(({ name }: { name: string }) => name), second.servers_links]).toEqual([["a"], undefined]);
    const ask = async (query: string): Promise<unknown[]> => refused(await demo.compute("GET", `/v2.1/servers?${query}`));
    expect(await ask("limit=-1")).toEqual([
      400,
      "badRequest",
      "Invalid input for query parameters limit. Value: -1. '-1' does not match '^[0-9]*$'",
    ]);
    expect(await ask("marker=x")).toEqual([400, "badRequest", "marker [x] not found"]);
    expect((await ask("all_tenants=1"))[0]).toBe(403);
    expect((await ask("changes-since=x"))[2]).toBe("Invalid input for query parameters changes-since. Value: x. 'x' is not a 'date-time'");
    expect((await demo.compute("GET", "/v2.1/servers?status=active&nonsense=1")).json.servers).toEqual([]);
    const other = await login(running, "other");
    expect((await other.compute("GET", "/v2.1/servers")).json.servers).toEqual([]);
    expect((await other.compute("GET", `/v2.1/servers/${first.servers[0].id}`)).status).toBe(404);
    const admin = await login(running, "admin");
    expect((await admin.compute("GET", "/v2.1/servers?all_tenants=1")).json.servers).toHaveLength(2);
    for (const path of ["/v2.1/nope", "/v3/servers"]) {
      const { status, headers } = await demo.compute("GET", path);
      expect([status, headers.get("content-type")]).toEqual([404, "text/plain; charset=UTF-8"]);
    }
    expect((await admin.compute("GET", `/v2/${demo.projectId}/servers`)).json.badRequest.message).toMatch(
      /doesn't match Context's project_id/,
    );
  });
});
