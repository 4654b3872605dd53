import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { startContrailLab } from "../../../src/lab/contrail/start.js";
import { afterTest } from "../../after-test.js";
import { runIn } from "../run-in.js";

const DOCUMENT = `target: fabric
scope: controller
config:
  network-policys:
    # owned by the database team
    default-domain:demo:web-to-db:
      network_policy_entries:
        policy_rule:
          # postgres
          - direction: ">"
            protocol: tcp
            src_addresses: [{ virtual_network: "default-domain:demo:web" }]
            src_ports: [{ start_port: -1, end_port: -1 }]
            dst_addresses: [{ virtual_network: "default-domain:demo:db" }]
            dst_ports: [{ start_port: 5432, end_port: 5432 }]
            action_list: { simple_action: pass }

          # nobody
          - direction: ">"
            protocol: any
            src_addresses: [{ virtual_network: "default-domain:demo:db" }]
            src_ports: [{ start_port: -1, end_port: -1 }]
            dst_addresses: [{ virtual_network: "default-domain:demo:web" }]
            dst_ports: [{ start_port: -1, end_port: -1 }]
            action_list: { simple_action: deny }
`;
const network = (name: string, cidr: string, policies = "") =>
  `    default-domain:demo:${name}:\n      network_ipam_refs: { "default-domain:default-project:default-network-ipam": { ipam_subnets: { ${cidr}: {} } } }\n${policies}`;
const ATTACHED = `      network_policy_refs: { "default-domain:demo:web-to-db": { sequence: { major: 0, minor: 0 } } }\n`;
const NETWORKS = `target: fabric\nscope: controller\nconfig:\n  virtual-networks:\n${network("web", "10.1.0.0/24", ATTACHED)}${network("db", "10.2.0.0/24", ATTACHED)}${network("lone", "10.3.0.0/24")}`;

let folder: string;
const file = (name: string) => readFileSync(join(folder, "fabric", name), "utf8");
const run = async (line: string) => await runIn(folder, line.split(" "));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-controller-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "fabric"));
  const lab = await startContrailLab({ port: 0 });
  afterTest(() => lab.close());
  lab.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
  lab.world.create("virtual-network", { fq_name: ["default-domain", "demo", "outside"], parent_type: "project" });
  const targets = `targets: { fabric: { kind: contrail, url: "${lab.url}", mode: enforce } }`;
  const guards = "guards: { updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow }";
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: netops\ndocuments: [fabric]\n${targets}\n${guards}\n`);
  writeFileSync(join(folder, "fabric", "policies.yaml"), DOCUMENT);
  writeFileSync(join(folder, "fabric", "networks.yaml"), NETWORKS);
  const { code, text } = await run("reconcile");
  expect(code, text).toBe(0);
});

/** Applies the documents. The plan after it is empty, and the request is allowed. */
async function applied(line: string): Promise<void> {
  const { code, text } = await run("reconcile");
  expect(code, text).toBe(0);
  const plan = await run("plan fabric");
  expect(plan.code, plan.text).toBe(0);
  const again = await run(line);
  expect(again.code, again.text).toBe(0);
  expect(again.out).toMatch(/: already allowed|^ {2}allowed/m);
}

describe("an access request for a controller", () => {
  it("adds a port to a rule, keeps comments and order, and is applied", async () => {
    const line = "allow fabric --from web --to db --service tcp/22 --reason CHG-1";
    const { code, out, text } = await run(`${line} --write`);
    expect(code, text).toBe(0);
    expect(out).toContain("add port 22 to dst_ports of rule web-to-db: tcp/5432 web > db");
    expect(file("policies.yaml")).toBe(
      DOCUMENT.replace(
        "[{ start_port: 5432, end_port: 5432 }]",
        "[{ start_port: 5432, end_port: 5432 }, { start_port: 22, end_port: 22 }]",
      ),
    );
    expect(file("networks.yaml")).toBe(NETWORKS);
    await applied(line);
  });

  it("adds a rule for two addresses, and is applied", async () => {
    const line = "allow fabric --from 10.1.0.5 --to 10.2.0.7 --service tcp/22 --reason CHG-1";
    const { code, out, text } = await run(`${line} --write`);
    expect(code, text).toBe(0);
    expect(out).toContain("add rule tcp/22 10.1.0.5 of web > 10.2.0.7 of db to policy web-to-db");
    expect(file("policies.yaml")).toMatchInlineSnapshot(`
      "target: fabric
      scope: controller
      config:
        network-policys:
          # owned by the database team
          default-domain:demo:web-to-db:
            network_policy_entries:
              policy_rule:
                # postgres
                - direction: ">"
                  protocol: tcp
                  src_addresses: [{ virtual_network: "default-domain:demo:web" }]
                  src_ports: [{ start_port: -1, end_port: -1 }]
                  dst_addresses: [{ virtual_network: "default-domain:demo:db" }]
                  dst_ports: [{ start_port: 5432, end_port: 5432 }]
                  action_list: { simple_action: pass }

                # nobody
                - direction: ">"
                  protocol: any
                  src_addresses: [{ virtual_network: "default-domain:demo:db" }]
                  src_ports: [{ start_port: -1, end_port: -1 }]
                  dst_addresses: [{ virtual_network: "default-domain:demo:web" }]
                  dst_ports: [{ start_port: -1, end_port: -1 }]
                  action_list: { simple_action: deny }

                - direction: ">"
                  protocol: tcp
                  ethertype: IPv4
                  src_addresses:
                    - virtual_network: default-domain:demo:web
                      subnet: { ip_prefix: 10.1.0.5, ip_prefix_len: 32 }
                  src_ports:
                    - { start_port: -1, end_port: -1 }
                  dst_addresses:
                    - virtual_network: default-domain:demo:db
                      subnet: { ip_prefix: 10.2.0.7, ip_prefix_len: 32 }
                  dst_ports:
                    - { start_port: 22, end_port: 22 }
                  action_list: { simple_action: pass }
      "
    `);
    await applied(line);
  });

  it("adds a policy that connects two networks, with the reason and the end date, and is applied", async () => {
    const line = "allow fabric --from lone --to 10.2.0.7 --service tcp/22 --reason CHG-1 --until 2999-12-31";
    const { code, out, text } = await run(`${line} --write`);
    expect(code, text).toBe(0);
    expect(out).toContain("add policy lone-to-10.2.0.7 (tcp/22 lone > 10.2.0.7 of db and deny db > lone)");
    expect(file("policies.yaml").slice(DOCUMENT.length)).toMatchInlineSnapshot(`
      "    default-domain:demo:lone-to-10.2.0.7:
            network_policy_entries:
              policy_rule:
                - direction: ">"
                  protocol: any
                  src_addresses:
                    - { virtual_network: default-domain:demo:db }
                  dst_addresses:
                    - { virtual_network: default-domain:demo:lone }
                  src_ports:
                    - { start_port: -1, end_port: -1 }
                  dst_ports:
                    - { start_port: -1, end_port: -1 }
                  action_list: { simple_action: deny }
                - direction: ">"
                  protocol: tcp
                  ethertype: IPv4
                  src_addresses:
                    - { virtual_network: default-domain:demo:lone }
                  dst_addresses:
                    - virtual_network: default-domain:demo:db
                      subnet: { ip_prefix: 10.2.0.7, ip_prefix_len: 32 }
                  src_ports:
                    - { start_port: -1, end_port: -1 }
                  dst_ports:
                    - { start_port: 22, end_port: 22 }
                  action_list: { simple_action: pass }
            id_perms: { description: "CHG-1 [until 2999-12-31]" }
      "
    `);
    expect(file("networks.yaml")).toMatchInlineSnapshot(`
      "target: fabric
      scope: controller
      config:
        virtual-networks:
          default-domain:demo:web:
            network_ipam_refs: { "default-domain:default-project:default-network-ipam": { ipam_subnets: { 10.1.0.0/24: {} } } }
            network_policy_refs: { "default-domain:demo:web-to-db": { sequence: { major: 0, minor: 0 } } }
          default-domain:demo:db:
            network_ipam_refs: { "default-domain:default-project:default-network-ipam": { ipam_subnets: { 10.2.0.0/24: {} } } }
            network_policy_refs: { "default-domain:demo:web-to-db": { sequence: { major: 0, minor: 0 } }, default-domain:demo:lone-to-10.2.0.7: { sequence: { major: 0, minor: 1 } } }
          default-domain:demo:lone:
            network_ipam_refs: { "default-domain:default-project:default-network-ipam": { ipam_subnets: { 10.3.0.0/24: {} } } }
            network_policy_refs:
              default-domain:demo:lone-to-10.2.0.7: { sequence: { major: 0, minor: 0 } }
      "
    `);
    await applied(line);
  });

  it("of several flows in a file edits all of them together, one after another", async () => {
    const rows = ["web,db,tcp/22,", "web,db,tcp/23,", "lone,10.2.0.7,tcp/22,", "lone,10.2.0.8,tcp/22,"];
    writeFileSync(join(folder, "requests.csv"), `from,to,service,application\n${rows.join("\n")}\n`);
    const line = "allow fabric --requests requests.csv --reason CHG-1";
    const { code, out, text } = await run(`${line} --write`);
    expect(code, text).toBe(0);
    expect(file("policies.yaml")).toContain(
      "dst_ports: [{ start_port: 5432, end_port: 5432 }, { start_port: 22, end_port: 22 }, { start_port: 23, end_port: 23 }]",
    );
    expect(out).toContain("add 10.2.0.8 of db to dst_addresses of rule lone-to-10.2.0.7: tcp/22 lone > db 10.2.0.7/32");
    await applied(line);
  });

  it("is refused with the reason for what cannot be edited", async () => {
    const { code, out } = await run("allow fabric --from outside --to db --service tcp/22 --reason CHG-1 --write");
    expect(code).toBe(3);
    expect(out).toContain("A policy cannot be attached: no document declares network outside.");
  });
});

describe("a revocation for a controller", () => {
  const closed = async (line: string) => {
    const { code, text } = await run("reconcile");
    expect(code, text).toBe(0);
    expect((await run("plan fabric")).code).toBe(0);
    const again = await run(line);
    expect(again.code, again.text).toBe(0);
  };

  it("removes the only rule that allows it, with its comment", async () => {
    const line = "revoke fabric --from web --to db --service tcp/5432 --reason CHG-2";
    const { code, out, text } = await run(`${line} --write`);
    expect(code, text).toBe(0);
    expect(out).toContain("remove rule web-to-db: tcp/5432 web > db");
    expect(file("policies.yaml")).not.toContain("postgres");
    expect(file("policies.yaml")).toContain("# nobody");
    await closed(line);
  });

  it("adds a rule that denies one address, above the rule that allows it", async () => {
    const line = "revoke fabric --from 10.1.0.5 --to db --service tcp/5432 --reason CHG-2";
    const { code, out, text } = await run(`${line} --write`);
    expect(code, text).toBe(0);
    expect(out).toContain("add rule deny tcp/5432 10.1.0.5 of web > db to policy web-to-db, above rule tcp/5432 web > db");
    expect(file("policies.yaml").indexOf("10.1.0.5")).toBeLessThan(file("policies.yaml").indexOf("5432"));
    await closed(line);
  });

  it("removes a port of several, and the last rule of a policy", async () => {
    expect((await run("allow fabric --from web --to db --service tcp/22 --reason CHG-1 --write")).code).toBe(0);
    expect((await run("reconcile")).code).toBe(0);
    const line = "revoke fabric --from web --to db --service tcp/22 --reason CHG-2";
    const { code, text } = await run(`${line} --write`);
    expect(code, text).toBe(0);
    expect(file("policies.yaml")).toBe(DOCUMENT);
    await closed(line);
    writeFileSync(join(folder, "fabric", "policies.yaml"), `${DOCUMENT.slice(0, DOCUMENT.indexOf("\n          # nobody"))}`);
    expect((await run("reconcile")).code).toBe(0);
    const all = "revoke fabric --from db --to web --service icmp --reason CHG-2";
    const only = await run(`${all} --write --accept-excess`);
    expect(only.code, only.text).toBe(0);
    await closed(all);
  });
});

describe("an end date of a policy", () => {
  it("is shown by status and lint, and lint --fix removes the policy from its networks", async () => {
    expect((await run("allow fabric --from lone --to db --service tcp/22 --reason CHG-1 --until 2999-12-31 --write")).code).toBe(0);
    const ended = file("policies.yaml").replace("2999-12-31", "2021-03-31");
    writeFileSync(join(folder, "fabric", "policies.yaml"), ended);
    expect((await run("reconcile")).code).toBe(0);
    expect((await run("status")).out).toMatch(/network policy default-domain:demo:lone-to-db.*\n?.*2021-03-31/);
    expect((await run("lint fabric")).out).toMatch(/lone-to-db.*\n?.*2021-03-31/);
    const { out, text } = await run("lint fabric --fix --write");
    expect(out, text).toContain("remove network policy lone-to-db: ended (last day 2021-03-31)");
    expect(out).toContain("lone > db");
    expect(file("policies.yaml")).toBe(DOCUMENT);
    expect(file("networks.yaml")).toBe(NETWORKS);
    expect((await run("reconcile")).code).toBe(0);
    expect((await run("plan fabric")).code).toBe(0);
  });
});
