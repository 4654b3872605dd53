import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { startContrailLab } from "../../../src/lab/contrail/start.js";
import { startLab } from "../../../src/lab/lab.js";
import { afterTest } from "../../after-test.js";
import { runIn } from "../run-in.js";

const IPAM = "default-domain:default-project:default-network-ipam";
/** The firewall of the fixture is the gateway of web and db. The app network is behind its offices, where no target is. */
const network = (name: string, subnet: string, gateway: string, more: string) =>
  `    default-domain:demo:${name}: { network_ipam_refs: { "${IPAM}": { ipam_subnets: { ${subnet}: { default_gateway: ${gateway} } } } }${more} }\n`;
const BRIDGED = ", virtual_network_properties: { forwarding_mode: l2 }";
const STOP =
  '{ direction: <>, protocol: tcp, src_addresses: [{ virtual_network: "default-domain:demo:db" }], src_ports: [{ start_port: -1, end_port: -1 }], dst_addresses: [{ virtual_network: "default-domain:demo:db" }], dst_ports: [{ start_port: 5432, end_port: 5432 }], action_list: { simple_action: deny } }';
const fabric = (db = "") => `target: fabric
scope: controller
config:
  network-policys: { "default-domain:demo:stop": { network_policy_entries: { policy_rule: [${STOP}] } } }
  virtual-networks:
${network("web", "10.110.0.0/24", "10.110.0.1", BRIDGED)}${network("db", "10.120.0.0/24", "10.120.0.1", BRIDGED + db)}${network("app", "10.64.1.0/24", "10.64.1.1", "")}`;

const FLOW = "reach fabric --whole-path --source 10.110.0.11 --destination 10.120.0.21 --service tcp/5432 --application postgres";

let folder: string;
const run = async (line: string, password = "plumbline") => await runIn(folder, line.split(" "), { PASSWORD: password });
const reconciled = async (text: string) => {
  writeFileSync(join(folder, "documents", "fabric.yaml"), text);
  const { code, text: said } = await run("reconcile --target fabric");
  expect(code, said).toBe(0);
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-fabric-path-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "documents"));
  const edge = await startLab({ devices: [{ name: "edge", configFile: "test/fixtures/edge/lab/edge.xml", jobDuration: 0, strict: true }] });
  afterTest(() => edge.close());
  const lab = await startContrailLab({ port: 0 });
  afterTest(() => lab.close());
  lab.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
  writeFileSync(join(folder, "ca.pem"), edge.caPem);
  writeFileSync(
    join(folder, "plumbline.yaml"),
    `format: 1
owner: netops
documents: [documents]
guards: { from: 1000, short: 100%, emptyList: allow }
targets:
  edge: { kind: panos, url: "${edge.device.url}", tls: { ca: ca.pem }, credentials: { username: plumbline, password: "\${env:PASSWORD}" }, mode: enforce }
  fabric: { kind: contrail, url: "${lab.url}", mode: enforce }
`,
  );
  await reconciled(fabric());
});

describe("reach --whole-path across a firewall and a controller", () => {
  it("shows the networks of the controller, the firewall between them, and the conditions", async () => {
    const { code, out, text } = await run(FLOW);
    expect(code, text).toBe(0);
    expect(out.split("\n")).toEqual([
      "fabric controller  10.110.0.11 > 10.120.0.21  tcp/5432",
      "  in     web",
      "  out    web  to 10.110.0.1",
      "  allow  within a network",
      "      web > web  10.110.0.11 > 10.120.0.21  tcp/5432",
      "edge vsys1  10.110.0.11 > 10.120.0.21  tcp/5432",
      "  in     web by ethernet1/2.110  10.110.0.0/24 of default",
      "  out    db by ethernet1/2.120  10.120.0.0/24 of default",
      expect.stringMatching(/^ {2}allow {2}web-to-db {2}\/config\//),
      expect.stringContaining("tcp/5432 · postgres"),
      "fabric controller  10.110.0.11 > 10.120.0.21  tcp/5432",
      "  in     db",
      "  out    db",
      "  allow  within a network",
      "      db > db  10.110.0.11 > 10.120.0.21  tcp/5432",
      "arrives  it is sent to 10.120.0.21 in the network of db of fabric",
      "  if network db of fabric answers for 10.120.0.21,",
      "     and the controller takes it for traffic of db,",
      "     and security groups of interfaces in web let it out,",
      "     and security groups of interfaces in db let it in",
      "",
    ]);
    expect((await run(`${FLOW} --expect arrives`)).code).toBe(2);
  });

  it("names everything that stops it, with the line of the policy rule", async () => {
    await reconciled(fabric(', network_policy_refs: { "default-domain:demo:stop": {} }'));
    expect((await run(FLOW)).out).toContain("\nstopped  fabric: stop: tcp/5432 db <> db (documents/fabric.yaml:4)\n  if network db of");
    expect((await run(FLOW.replace("5432", "8080"))).out).toContain("\nstopped  edge: deny-all");
  });

  it("is opened by plumbline allow, which finds the target by the path", async () => {
    await reconciled(fabric() + network("log", "10.64.2.0/24", "10.64.2.1", ""));
    const line = "allow --from fabric:10.64.1.9 --to 10.64.2.9 --service udp/514 --application syslog --reason CHG-1";
    const { code, out, text } = await run(`${line} --write`);
    expect(code, text).toBe(0);
    expect(out).toContain("add policy 10.64.1.9-to-10.64.2.9 (udp/514 10.64.1.9 of app > 10.64.2.9 of log and deny log > app)");
    await reconciled(readFileSync(join(folder, "documents", "fabric.yaml"), "utf8"));
    const again = await run(line);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("already allowed")]);
  });

  it("assumes, as a condition, that the controller is behind a next hop without a target", async () => {
    const { out } = await run("reach edge --whole-path --from web --source 10.110.0.11 --destination 10.64.1.9 --service tcp/443");
    expect(out).toContain("fabric controller  10.110.0.11 > 10.64.1.9  tcp/443\n  in     anywhere\n  out    app\n");
    expect(out).toContain("10.30.0.254 leads to network app of fabric");
  });

  it("is unknown if the firewall cannot be read", async () => {
    const { code, out } = await run(FLOW, "wrong");
    expect(code).toBe(1);
    expect(out).toContain("not known  who has 10.110.0.1, to whom fabric hands it by web, no target says, unless edge would");
  });
});
