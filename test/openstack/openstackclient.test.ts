import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startOpenstackLab } from "../../src/lab/openstack/start.js";
import { CommandSomebody } from "./harness/somebody.js";

const services = inject("services");
const session = "real" in services ? services.real.session : undefined;

/** Debian's python-openstackclient, an independent client, as the user `demo` of a lab cloud. */
describe.skipIf(session === undefined)("python-openstackclient on the lab", () => {
  let close: () => Promise<void>;
  let client: CommandSomebody;
  /** Output of a command with `-f json`. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own shape.
  const json = async (...words: string[]): Promise<any> => JSON.parse((await client.openstack(...words, "-f", "json")).out);
  const names = async (...words: string[]): Promise<string[]> => (await json(...words)).map(({ Name }: { Name: string }) => Name).sort();

  beforeAll(async () => {
    const lab = await startOpenstackLab({ ports: "free" });
    const home = mkdtempSync(join(tmpdir(), "plumbline-openstackclient-"));
    close = async () => {
      await lab.close();
      rmSync(home, { recursive: true });
    };
    const login = { OS_USERNAME: "demo", OS_PASSWORD: "secret", OS_PROJECT_NAME: "demo" };
    const domains = { OS_USER_DOMAIN_ID: "default", OS_PROJECT_DOMAIN_ID: "default", OS_IDENTITY_API_VERSION: "3" };
    // An empty clouds.yaml keeps the machine's own away.
    writeFileSync(join(home, "clouds.yaml"), "clouds: {}\n");
    const settings = { HOME: home, OS_CLIENT_CONFIG_FILE: join(home, "clouds.yaml"), OS_CLOUD: "envvars" };
    client = new CommandSomebody(session ?? "", { ...settings, ...login, ...domains, OS_AUTH_URL: lab.authUrl });
  });
  afterAll(() => close());

  it("gets a token and reads the catalog", async () => {
    const token = await json("token", "issue");
    expect(Object.keys(token).sort()).toEqual(["expires", "id", "project_id", "user_id"]);
    expect((await json("project", "show", "demo")).id).toBe(token.project_id);
    expect(await names("catalog", "list")).toEqual(["cinder", "glance", "keystone", "neutron", "nova"]);
  });

  it("lists and shows networks and subnets", async () => {
    expect(await names("network", "list")).toEqual(["private", "public"]);
    expect(await json("network", "show", "public")).toMatchObject({ name: "public", status: "ACTIVE", "router:external": true });
    expect(await names("subnet", "list")).toContain("private-subnet");
    expect(await json("subnet", "show", "private-subnet")).toMatchObject({ cidr: "10.0.0.0/24", gateway_ip: "10.0.0.1", ip_version: 4 });
  });

  it("creates, changes and deletes a network and its subnet", async () => {
    expect(await json("network", "create", "--tag", "blue", "web")).toMatchObject({ name: "web", tags: ["blue"] });
    await client.createSubnet("web", "web-a", "192.0.2.0/24");
    await client.setNameServers("web-a", ["192.0.2.53"]);
    await client.describeNetwork("web", "front");
    expect(await json("network", "show", "web")).toMatchObject({ description: "front" });
    expect(await json("subnet", "show", "web-a")).toMatchObject({ dns_nameservers: ["192.0.2.53"] });
    await client.deleteSubnet("web-a");
    await client.deleteNetwork("web");
    expect(await names("network", "list")).toEqual(["private", "public"]);
  });

  it("creates, extends, describes, shows, lists and deletes a subnet pool, and a subnet from it", async () => {
    const lengths = ["--default-prefix-length", "26", "--description", "ours"];
    await client.openstack("subnet", "pool", "create", "--pool-prefix", "10.5.0.0/24", ...lengths, "inner");
    await client.openstack("subnet", "pool", "set", "--pool-prefix", "10.5.1.0/24", "--description", "", "inner");
    expect(await json("subnet", "pool", "show", "inner")).toMatchObject({ prefixes: ["10.5.0.0/23"], default_prefixlen: 26 });
    await client.createNetwork("cut");
    await client.openstack("subnet", "create", "--network", "cut", "--subnet-pool", "inner", "cut-a");
    expect(await json("subnet", "show", "cut-a")).toMatchObject({ cidr: "10.5.0.0/26" });
    await client.deleteNetwork("cut");
    await client.openstack("subnet", "pool", "delete", "inner");
    expect(await names("subnet", "pool", "list")).toEqual([]);
  });

  it("shares a network with another project, lists and shows that, and removes it", async () => {
    await client.createNetwork("open");
    const other = ["--target-project", "7a0f1d11111141118111111111111111"];
    const made = await json("network", "rbac", "create", "--type", "network", "--action", "access_as_shared", ...other, "open");
    expect(await json("network", "rbac", "show", made.id)).toMatchObject({ action: "access_as_shared", object_type: "network" });
    expect(await json("network", "rbac", "list")).toHaveLength(1);
    await client.openstack("network", "rbac", "delete", made.id);
    await client.deleteNetwork("open");
  });

  it("creates, shows, changes and deletes a trunk", async () => {
    for (const name of ["up", "red"]) await client.openstack("port", "create", "--network", "private", name);
    const red = ["--subport", "port=red,segmentation-type=vlan,segmentation-id=10"];
    await client.openstack("network", "trunk", "create", "--parent-port", "up", ...red, "edge");
    expect(await json("network", "trunk", "show", "edge")).toMatchObject({ sub_ports: [{ segmentation_id: 10 }] });
    await client.openstack("network", "trunk", "unset", "--subport", "red", "edge");
    await client.openstack("network", "trunk", "delete", "edge");
  });

  it("creates, extends, shows, lists and deletes a volume", async () => {
    expect(await json("volume", "create", "--size", "1", "--property", "role=db", "data")).toMatchObject({ name: "data", size: 1 });
    await expect.poll(async () => (await json("volume", "show", "data")).status, { timeout: 20_000 }).toBe("available");
    await client.openstack("volume", "set", "--size", "2", "--description", "more", "data");
    expect(await json("volume", "list")).toMatchObject([{ Name: "data", "Attached to": [] }]);
    await expect.poll(async () => (await json("volume", "show", "data")).size, { timeout: 20_000 }).toBe(2);
    await client.openstack("volume", "delete", "data");
  });

  it("creates, attaches, detaches, shows and deletes a floating IP, on a port with an address pair", async () => {
    await client.openstack("port", "create", "--network", "private", "--allowed-address", "ip-address=10.0.0.99", "vip");
    const address = await client.createFloatingIp("public", "front");
    await client.openstack("floating", "ip", "set", "--port", "vip", address);
    expect(await json("floating", "ip", "show", address)).toMatchObject({
      description: "front",
      fixed_ip_address: expect.stringMatching(/^10\.0\.0\./),
    });
    await client.takeOffFloatingIp(address);
    expect(await json("floating", "ip", "list")).toMatchObject([{ "Floating IP Address": address, Port: null }]);
    await client.deleteFloatingIp(address);
    await client.deletePort("vip");
    expect(await json("floating", "ip", "list")).toEqual([]);
  });

  it("creates, changes and deletes an address group, and a rule that references it", async () => {
    await client.openstack("address", "group", "create", "--address", "192.0.2.0/24", "office");
    await client.openstack("address", "group", "set", "--address", "198.51.100.0/24", "office");
    expect(await json("address", "group", "show", "office")).toMatchObject({ addresses: ["192.0.2.0/24", "198.51.100.0/24"] });
    await client.openstack("security", "group", "create", "web");
    await client.openstack("security", "group", "rule", "create", "--remote-address-group", "office", "web");
    await client.openstack("security", "group", "delete", "web");
    await client.openstack("address", "group", "delete", "office");
    expect(await names("address", "group", "list")).toEqual([]);
  });

  it("lists and shows flavors and images", async () => {
    expect(await names("flavor", "list")).toEqual(["m1.large", "m1.medium", "m1.small", "m1.tiny"]);
    expect(await json("flavor", "show", "m1.small")).toMatchObject({ ram: 2048, disk: 20, vcpus: 1 });
    expect(await names("image", "list")).toEqual(["cirros"]);
    expect(await json("image", "show", "cirros")).toMatchObject({ name: "cirros", status: "active" });
  });

  it("lists, shows, creates and deletes key pairs", async () => {
    const made = await client.openstack("keypair", "create", "laptop");
    expect(made.out).toContain("PRIVATE KEY");
    expect(await names("keypair", "list")).toEqual(["demo-key", "laptop"]);
    expect(await json("keypair", "show", "laptop")).toMatchObject({ name: "laptop" });
    await client.openstack("keypair", "delete", "laptop");
    expect(await names("keypair", "list")).toEqual(["demo-key"]);
  });

  it("creates, lists, shows and deletes a server", async () => {
    const wanted = ["--image", "cirros", "--flavor", "m1.tiny", "--network", "private", "--key-name", "demo-key", "--property", "role=web"];
    expect(await json("server", "create", ...wanted, "--wait", "web-1")).toMatchObject({ name: "web-1", status: "ACTIVE" });
    expect(await names("server", "list")).toEqual(["web-1"]);
    const shown = await json("server", "show", "web-1");
    expect(shown).toMatchObject({ key_name: "demo-key", properties: { role: "web" } });
    expect(shown.addresses.private[0]).toMatch(/^10\.0\.0\./);
    await client.deleteServer("web-1");
    expect(await names("server", "list")).toEqual([]);
  });

  it("creates, lists, shows and deletes a server group, with a server in it", async () => {
    const group = (...words: string[]) => client.openstack("--os-compute-api-version", "2.64", "server", "group", ...words);
    await group("create", "--policy", "anti-affinity", "--rule", "max_server_per_host=2", "apart");
    const shown = async () => JSON.parse((await group("show", "-f", "json", "apart")).out);
    expect(await shown()).toMatchObject({ name: "apart", policy: "anti-affinity", members: [] });
    const { id } = await shown();
    const hint = ["--image", "cirros", "--flavor", "m1.tiny", "--network", "private", "--hint", `group=${id}`, "--wait", "web-3"];
    const made = await json("server", "create", ...hint);
    expect((await shown()).members).toContain(made.id);
    await client.deleteServer("web-3");
    expect(await names("server", "group", "list")).toEqual(["apart"]);
    await group("delete", "apart");
    expect(await names("server", "group", "list")).toEqual([]);
  });

  it("stops, starts, pauses, locks, describes, tags and resizes a server, and reverts the resize", async () => {
    await client.openstack("server", "create", "--image", "cirros", "--flavor", "m1.tiny", "--network", "private", "--wait", "web-2");
    const show = () => json("--os-compute-api-version", "2.26", "server", "show", "web-2");
    for (const [to, status] of [
      ["stop", "SHUTOFF"],
      ["start", "ACTIVE"],
      ["pause", "PAUSED"],
      ["unpause", "ACTIVE"],
    ] as const) {
      await client.switchServer("web-2", to);
      expect(await show()).toMatchObject({ status });
    }
    await client.openstack("--os-compute-api-version", "2.26", "server", "set", "--description", "front", "--tag", "a", "web-2");
    await client.tagServer("web-2", "b");
    await client.openstack("--os-compute-api-version", "2.26", "server", "unset", "--tag", "a", "web-2");
    expect(await show()).toMatchObject({ description: "front", tags: ["b"] });
    await client.switchServer("web-2", "lock");
    expect(await show()).toMatchObject({ locked: true });
    await client.switchServer("web-2", "unlock");
    await client.resizeServer("web-2", "m1.small");
    expect(await show()).toMatchObject({ status: "VERIFY_RESIZE", flavor: expect.stringContaining("m1.small") });
    await client.revertResize("web-2");
    expect(await show()).toMatchObject({ status: "ACTIVE", flavor: expect.stringContaining("m1.tiny") });
    await client.resizeServer("web-2", "m1.small");
    await client.openstack("server", "resize", "confirm", "web-2");
    const events = await json("server", "event", "list", "web-2");
    expect(events.map(({ Action }: { Action: string }) => Action).slice(0, 4)).toEqual([
      "confirmResize",
      "resize",
      "revertResize",
      "resize",
    ]);
    await client.deleteServer("web-2");
  });

  it("attaches ports and networks to a server, detaches a port, and lists its interfaces", async () => {
    await client.openstack("server", "create", "--image", "cirros", "--flavor", "m1.tiny", "--network", "private", "--wait", "web-4");
    await client.openstack("port", "create", "--network", "private", "vip");
    await client.attachPort("web-4", "vip");
    await client.attachNetwork("web-4", "private");
    const ports = () => json("port", "list", "--server", "web-4");
    expect(await ports()).toHaveLength(3);
    expect((await json("server", "show", "web-4")).addresses.private).toHaveLength(3);
    await client.detachPort("web-4", "vip");
    await expect.poll(async () => (await ports()).length, { timeout: 20_000 }).toBe(2);
    expect(await json("port", "show", "vip")).toMatchObject({ device_id: "", status: "DOWN" });
    await client.deletePort("vip");
    await client.openstack("server", "add", "fixed", "ip", "--fixed-ip-address", "10.0.0.177", "web-4", "private");
    expect((await json("server", "show", "web-4")).addresses.private).toContain("10.0.0.177");
    await client.openstack("server", "remove", "network", "web-4", "private");
    await expect.poll(async () => (await ports()).length, { timeout: 20_000 }).toBe(0);
    await client.deleteServer("web-4");
  });

  it("creates, lists, shows and deletes a router, adds a subnet and removes it", async () => {
    await client.createNetwork("routed");
    await client.createSubnet("routed", "routed-a", "192.0.2.0/24");
    await client.openstack("router", "create", "edge");
    await client.openstack("router", "set", "--external-gateway", "public", "edge");
    await client.openstack("router", "add", "subnet", "edge", "routed-a");
    const shown = await json("router", "show", "edge");
    expect([shown.interfaces_info.length, Object.keys(shown.external_gateway_info)]).toEqual([1, expect.arrayContaining(["network_id"])]);
    await client.openstack("router", "remove", "subnet", "edge", "routed-a");
    await client.openstack("router", "delete", "edge");
    expect(await names("router", "list")).not.toContain("edge");
    await client.deleteNetwork("routed");
  });

  it("creates, shows and deletes security groups and rules, and a port in one, with several addresses", async () => {
    await client.openstack("security", "group", "create", "front");
    const rule = ["--protocol", "tcp", "--dst-port", "443", "--remote-group", "front", "front"];
    const { id } = await json("security", "group", "rule", "create", ...rule);
    expect(await json("security", "group", "rule", "list", "front")).toHaveLength(3);
    await client.openstack("security", "group", "rule", "delete", id);
    const addresses = ["--fixed-ip", "ip-address=10.0.0.181", "--fixed-ip", "ip-address=10.0.0.182"];
    await client.openstack("port", "create", "--network", "private", ...addresses, "--security-group", "front", "several");
    await client.openstack("port", "set", "--no-security-group", "several");
    expect(await json("port", "show", "several")).toMatchObject({ security_group_ids: [], fixed_ips: [{}, {}] });
    await client.deletePort("several");
    await client.openstack("security", "group", "delete", "front");
    expect(await names("security", "group", "list")).toEqual(["default"]);
  });

  it("rebuilds a server on an image, with a volume on it, of a snapshot", async () => {
    const status = async (name: string) => (await json("volume", "show", name)).status;
    const becomes = (name: string, wanted: string) => expect.poll(() => status(name), { timeout: 20_000 }).toBe(wanted);
    await client.openstack("volume", "create", "--size", "1", "kept");
    await becomes("kept", "available");
    await client.openstack("volume", "snapshot", "create", "--volume", "kept", "--description", "each night", "nightly");
    expect(await json("volume", "snapshot", "show", "nightly")).toMatchObject({ description: "each night", size: 1 });
    await client.openstack("volume", "create", "--snapshot", "nightly", "restored");
    await becomes("restored", "available");
    await client.openstack("server", "create", "--image", "cirros", "--flavor", "m1.tiny", "--network", "private", "--wait", "web-5");
    await client.openstack("server", "add", "volume", "web-5", "restored");
    await becomes("restored", "in-use");
    expect(await json("server", "volume", "list", "web-5")).toHaveLength(1);
    await client.openstack("server", "rebuild", "--image", "cirros", "--wait", "web-5");
    expect(await json("server", "show", "web-5")).toMatchObject({ status: "ACTIVE" });
    await client.openstack("server", "remove", "volume", "web-5", "restored");
    await becomes("restored", "available");
    await client.deleteServer("web-5");
    await client.openstack("volume", "delete", "restored");
    await client.openstack("volume", "snapshot", "delete", "nightly");
    expect(await names("volume", "snapshot", "list")).toEqual([]);
    await client.openstack("volume", "delete", "kept");
    expect(await names("volume", "type", "list")).not.toEqual([]);
  });

  it("shows quotas, limits and availability zones", async () => {
    const quotas = await json("quota", "show");
    expect(JSON.stringify(quotas)).toMatch(/instances.*100?|floating/);
    expect((await json("limits", "show", "--absolute")).map(({ Name }: { Name: string }) => Name)).toContain("maxTotalInstances");
    for (const service of ["--compute", "--volume"])
      expect(await json("availability", "zone", "list", service)).toContainEqual(expect.objectContaining({ "Zone Status": "available" }));
  });

  it("reports unsupported requests with the text of a real refusal", async () => {
    await expect(client.openstack("container", "list")).rejects.toThrow(/object.store/i);
    await expect(client.openstack("server", "create", "--image", "cirros", "--flavor", "99", "--network", "private", "x")).rejects.toThrow(
      /No flavor with a name or ID of '99' exists|Flavor 99 could not be found/,
    );
  });
});
