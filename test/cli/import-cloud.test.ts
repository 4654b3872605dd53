import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { type RunningContrailLab, startContrailLab } from "../../src/lab/contrail/start.js";
import { type RunningOpenstackLab, startOpenstackLab } from "../../src/lab/openstack/start.js";
import type { JsonObject } from "../../src/lab/openstack/world/json.js";
import { followNetworks } from "../../src/lab/shared-world.js";

let cloud: RunningOpenstackLab;
let controller: RunningContrailLab;
let folder: string;

beforeEach(async () => {
  cloud = await startOpenstackLab({ ports: "free", compute: { buildDuration: 0 }, volume: { makeDuration: 0, changeDuration: 0 } });
  controller = await startContrailLab({ port: 0 });
  followNetworks(cloud.world, controller.world);
  folder = mkdtempSync(join(tmpdir(), "plumbline-import-"));
  writeFileSync(
    join(folder, "plumbline.yaml"),
    `format: 1
owner: netops
documents: [network]
targets:
  cloud: { kind: openstack, url: "${cloud.urls.identity}", project: { name: demo, domain: Default }, credentials: { username: demo, userDomain: Default, password: "\${env:PASSWORD}" }, mode: enforce }
  fabric: { kind: contrail, url: "${controller.url}", auth: { from: cloud }, mode: enforce }
`,
  );
  act("POST", "/v2.0/security-groups", { security_group: { name: "web" } });
  const [image] = cloud.world.images.visible(undefined, true);
  act("POST", "/v3/volumes", { volume: { name: "root", size: 1, imageRef: image?.id ?? "" } });
  act("POST", "/v3/volumes", {
    volume: { name: "data", size: 2, metadata: { role: "db", "cost center": "7", "0day": "true", "a:b": "1" } },
  });
  const [data, root] = cloud.world.volumes.volumes(cloud.world.as("demo").projectId);
  const from = (uuid = "", boot_index = -1) => ({ uuid, boot_index, source_type: "volume", destination_type: "volume" });
  const disks = [from(root?.id, 0), from(data?.id)];
  const pool = cloud.world.network.all("network").find(({ name }) => name === "public")?.id ?? "";
  act("POST", "/v2.1/os-server-groups", { server_group: { name: "apart", policies: ["anti-affinity"] } });
  const [group] = cloud.world.compute.groups.of(cloud.world.as("demo").projectId);
  act("POST", "/v2.1/servers", {
    server: { name: "db", flavorRef: "1", networks: "auto", block_device_mapping_v2: disks },
    "os:scheduler_hints": { group: group?.id ?? "" },
  });
  const [db] = cloud.world.compute.servers(cloud.world.as("demo").projectId);
  const [port] = cloud.world.network.ports.ofDevice(db?.id ?? "");
  act("POST", "/v2.0/floatingips", { floatingip: { floating_network_id: pool, port_id: port?.id ?? "" } });
});
afterEach(async () => {
  await Promise.all([cloud.close(), controller.close()]);
  rmSync(folder, { recursive: true, force: true });
});

function act(method: "POST" | "PUT", path: string, body: JsonObject): void {
  const service = path.startsWith("/v3/") ? "volume" : path.startsWith("/v2.1/") ? "compute" : "network";
  const { status, text } = cloud.act({ service, method, path, user: "demo", body });
  expect(status, text).toBeLessThan(300);
}

async function run(line: string) {
  let out = "";
  let err = "";
  const code = await runCli(["--no-color", ...line.split(" ")], {
    environment: { HOME: folder, PASSWORD: "secret", PLUMBLINE_STATE_DIR: join(folder, "state") },
    folder,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    now: () => new Date(),
    stop: new AbortController().signal,
  });
  return { code, out, err };
}

describe.each(["cloud", "fabric"])("import of %s", (target) => {
  it("writes documents that only take ownership of live objects, and then change nothing", async () => {
    expect(await run(`import ${target} --out mine`)).toMatchObject({ code: 0, err: "" });
    const config = "--config mine/plumbline.yaml";
    const planned = await run(`plan ${config} --format json`);
    expect(planned.code, planned.out).toBe(2);
    const { changes } = JSON.parse(planned.out).targets[0].plan;
    expect(changes.map(({ xpath }: { xpath: string }) => xpath.split("/").at(-1))).toEqual(changes.map(() => "owner"));
    const done = await run(`reconcile --yes ${config}`);
    expect(done.code, done.out).toBe(0);
    expect((await run(`plan ${config}`)).out).toContain("no changes");
    expect((await run(`import ${target} --out mine`)).out).not.toContain("  - ");
    expect((await run(`plan ${config}`)).code).toBe(0);
  });
});

interface Rule extends JsonObject {
  readonly id: string;
  readonly security_group_id: string;
}

const EGRESS = { direction: "egress", ethertype: "IPv4" };
const DNS = { ...EGRESS, protocol: "udp", port_range_min: 53, port_range_max: 53 };

describe("import of a security group without one of the default rules", () => {
  it.each([
    ["limits egress", [DNS], ["IPv4", "IPv6"]],
    ["allows all IPv4 egress only", [], ["IPv6"]],
    ["has no rule", [], ["IPv4", "IPv6"]],
    ["allows all egress with a described rule", [{ ...EGRESS, description: "to anywhere" }], ["IPv4"]],
  ])("gives the same group elsewhere: %s", async (_, added, deleted) => {
    const groupId = () => cloud.world.network.all("security_group").find(({ name }) => name === "web")?.id ?? "";
    const rules = () =>
      (cloud.world.network.all("security_group_rule") as unknown as Rule[]).filter((rule) => rule.security_group_id === groupId());
    const kept = ["direction", "ethertype", "protocol", "port_range_min", "port_range_max", "description"];
    const texts = () =>
      rules()
        .map((rule) => kept.map((tag) => String(rule[tag] ?? "")).join(" "))
        .sort();
    for (const { id, ethertype } of rules())
      if (deleted.includes(String(ethertype)))
        cloud.act({ service: "network", method: "DELETE", path: `/v2.0/security-group-rules/${id}`, user: "demo" });
    for (const rule of added) act("POST", "/v2.0/security-group-rules", { security_group_rule: { ...rule, security_group_id: groupId() } });
    const before = texts();
    expect(before).toHaveLength(2 - deleted.length + added.length);
    expect(await run("import cloud --out mine")).toMatchObject({ code: 0, err: "" });
    expect((await run("import cloud --out mine")).out).not.toContain("  - ");
    cloud.act({ service: "network", method: "DELETE", path: `/v2.0/security-groups/${groupId()}`, user: "demo" });
    const done = await run("reconcile --yes --config mine/plumbline.yaml");
    expect(done.code, done.err + done.out).toBe(0);
    expect(texts()).toEqual(before);
    expect((await run("plan --config mine/plumbline.yaml")).out).toContain("no changes");
  });
});

it("leaves out objects whose names are too long for a mark, and writes documents that validate accepts", async () => {
  const long = "n".repeat(90);
  act("POST", "/v2.0/networks", { network: { name: long } });
  const network = cloud.world.network.all("network").find(({ name }) => name === "private")?.id ?? "";
  act("POST", "/v2.0/subnets", { subnet: { name: long, network_id: network, ip_version: 4, cidr: "10.99.0.0/24" } });
  const imported = await run("import cloud --out mine");
  expect(imported).toMatchObject({ code: 0, err: "" });
  expect(imported.out).toContain("omitted");
  expect(readFileSync(join(folder, "mine/cloud/networks.yaml"), "utf8")).not.toContain(long);
  expect(await run("validate --config mine/plumbline.yaml")).toMatchObject({ code: 0, err: "" });
  const done = await run("reconcile --yes --config mine/plumbline.yaml");
  expect(done.code, done.out).toBe(0);
  expect(cloud.world.network.all("subnet").filter(({ name }) => name === long)).toHaveLength(1);
});

it("omits fields that only the platform writes, and objects of others", async () => {
  expect((await run("import cloud --out mine")).out).toContain("omitted");
  const text = readFileSync(join(folder, "mine/cloud/networks.yaml"), "utf8");
  expect(text).toContain("private:");
  expect(text).not.toContain("public:");
  expect(text).not.toMatch(/revision_number|status:|\bid:/);
  const groups = readFileSync(join(folder, "mine/cloud/security_groups.yaml"), "utf8");
  expect(groups).not.toContain("default:");
  const read = (list: string) => readFileSync(join(folder, `mine/cloud/${list}.yaml`), "utf8");
  expect(read("servers")).toMatch(/boot_volume: root\n.*volumes: \[data\].*server_group: apart/s);
  expect(read("server_groups")).toMatch(/apart:.*policy: anti-affinity/s);
  expect(read("floatingips")).toMatch(/pool: public\n.*server: db/s);
  expect(read("volumes")).toMatch(/data:.*size: 2.*root:.*image: cirros/s);
});
