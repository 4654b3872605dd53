import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  cloud = await startOpenstackLab({ ports: "free" });
  controller = await startContrailLab({ port: 0, checkToken: () => ({ user: "plumbline", roles: ["member"] }) });
  followNetworks(cloud.world, controller.world);
  folder = mkdtempSync(join(tmpdir(), "plumbline-audit-"));
  writeFileSync(
    join(folder, "plumbline.yaml"),
    `format: 1
owner: netops
documents: [.]
targets:
  cloud: { kind: openstack, url: "${cloud.urls.identity}", project: { name: admin, domain: Default }, credentials: { username: admin, userDomain: Default, password: "\${env:PASSWORD}" } }
  fabric: { kind: contrail, url: "${controller.url}", auth: { from: cloud } }
`,
  );
});
afterEach(async () => {
  await Promise.all([cloud.close(), controller.close()]);
  rmSync(folder, { recursive: true, force: true });
});

async function run(...words: string[]) {
  let out = "";
  let err = "";
  const code = await runCli(["audit", "--no-color", ...words], {
    environment: { HOME: folder, PASSWORD: "secret", PLUMBLINE_STATE_DIR: join(folder, "state") },
    folder,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    now: () => new Date(),
    stop: new AbortController().signal,
  });
  return { code, out, err };
}

function act(method: "POST" | "PUT" | "DELETE", path: string, body?: JsonObject): Record<string, { id: string }> {
  const { status, text } = cloud.act({ service: "network", method, path, user: "admin", ...(body === undefined ? {} : { body }) });
  expect(status, text).toBeLessThan(300);
  return text === "" ? {} : JSON.parse(text);
}

async function makeSubnet() {
  const network = act("POST", "/v2.0/networks", { network: { name: "web" } }).network?.id ?? "";
  const subnet = act("POST", "/v2.0/subnets", {
    subnet: { network_id: network, name: "web-a", ip_version: 4, cidr: "10.1.0.0/24", dns_nameservers: ["192.0.2.53"] },
  }).subnet?.id;
  return { network, subnet: subnet ?? "" };
}

async function put(network: string, fields: JsonObject) {
  const reply = await fetch(`${controller.url}/virtual-network/${network}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ "virtual-network": fields }),
  });
  expect(reply.status, await reply.text()).toBe(200);
}

describe("plumbline audit", () => {
  it("finds no difference between a network service and the controller that it shows", async () => {
    await makeSubnet();
    const { code, out, err } = await run();
    expect(err).toBe("");
    expect(out).toContain("agree");
    expect(code).toBe(0);
  });

  it("reports a re-keyed subnet with both ids", async () => {
    const { network, subnet } = await makeSubnet();
    const found = (await (await fetch(`${controller.url}/virtual-network/${network}`)).json())["virtual-network"];
    const refs = found.network_ipam_refs.map((ref: { attr: { ipam_subnets: JsonObject[] } }) => ({
      ...ref,
      attr: { ...ref.attr, ipam_subnets: ref.attr.ipam_subnets.map(({ subnet_uuid: _, ...rest }) => rest) },
    }));
    await put(network, { network_ipam_refs: refs });
    const { code, out } = await run();
    expect(code).toBe(2);
    expect(out).toContain("re-keyed");
    expect(out).toContain(subnet);
  });

  it("reports differing fields, and networks on only one side, in every format", async () => {
    const { network } = await makeSubnet();
    await put(network, { router_external: true });
    const made = await fetch(`${controller.url}/virtual-networks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ "virtual-network": { fq_name: ["default-domain", "default-project", "stray"], parent_type: "project" } }),
    });
    expect(made.status, await made.text()).toBe(200);
    const { code, out } = await run();
    expect(code).toBe(2);
    expect(out).toContain("external: false in cloud, true in fabric");
    expect(out).toMatch(/network stray\n.*only-in-controller/);
    const json = JSON.parse((await run("--format", "json")).out);
    expect(json.targets[0].audit.findings.map(({ kind }: { kind: string }) => kind).sort()).toEqual(["differs", "only-in-controller"]);
    for (const format of ["markdown", "junit", "sarif"]) expect((await run("--format", format)).out).toContain("stray");
  });

  it("fails instead of reporting success if one side cannot be read", async () => {
    await controller.close();
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toContain("error");
  });

  it("distinguishes a network that the controller hides from a missing one", async () => {
    const { network } = await makeSubnet();
    controller.world.update("virtual-network", network, {
      perms2: { owner: "0123456789abcdef0123456789abcdef", owner_access: 7, global_access: 0, share: [] },
    });
    controller.gate.mode = "rbac";
    const open = [{ rule_object: "*", rule_field: "", rule_perms: [{ role_name: "*", role_crud: "CRUD" }] }];
    const list = [...controller.world.store.ofType("api-access-list")][0];
    controller.world.update("api-access-list", list?.uuid ?? "", { api_access_list_entries: { rbac_rule: open } });
    const { code, out, err } = await run();
    expect(out + err).toContain("object-hidden");
    expect(out + err).toContain('"web"');
    expect(out).not.toContain("is in cloud and not in fabric");
    expect(code).toBe(1);
  });
});
