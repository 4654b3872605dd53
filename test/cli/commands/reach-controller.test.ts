import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { startContrailLab } from "../../../src/lab/contrail/start.js";
import { afterTest } from "../../after-test.js";
import { runIn } from "../run-in.js";

const rule = (from: string, to: string, port: number, action: string) =>
  `        - { direction: <>, protocol: tcp, src_addresses: [{ virtual_network: "default-domain:demo:${from}" }], src_ports: [{ start_port: -1, end_port: -1 }], dst_addresses: [{ virtual_network: "default-domain:demo:${to}" }], dst_ports: [{ start_port: ${port}, end_port: ${port} }], action_list: { simple_action: ${action} } }\n`;
const network = (name: string, ...policies: string[]) =>
  `    default-domain:demo:${name}: { network_policy_refs: { ${policies.map((each) => `"default-domain:demo:${each}": {}`).join(", ")} } }\n`;
const policy = (name: string, ...rules: string[]) =>
  `    default-domain:demo:${name}:\n      network_policy_entries:\n       policy_rule:\n${rules.join("")}`;
const document = (policies: string, networks: string) =>
  `target: fabric\nscope: controller\nconfig:\n  network-policys:\n${policies}  virtual-networks:\n${networks}`;

const TIGHT = document(policy("web-to-db", rule("web", "db", 5432, "pass")), network("web", "web-to-db") + network("db", "web-to-db"));
/** Another port, the opposite rule after it, and a policy without a network. */
const OPEN = document(
  policy("web-to-db", rule("web", "db", 5432, "pass"), rule("web", "db", 22, "pass"), rule("web", "db", 22, "deny")) +
    policy("stop-ssh", rule("web", "db", 22, "deny")),
  network("web", "web-to-db") + network("db", "web-to-db"),
);

let folder: string;
let url: string;
const repository = (text: string, reading = "") => {
  const targets = `targets: { fabric: { kind: contrail, url: "${url}", mode: enforce${reading} } }`;
  const guards = "guards: { updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow }";
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: netops\ndocuments: [fabric]\n${targets}\n${guards}\n`);
  writeFileSync(join(folder, "fabric", "fabric.yaml"), text);
};
const run = async (line: string) => {
  const { code, out } = await runIn(folder, line.split(" "));
  return `$ plumbline ${line}\n${out.replaceAll(url, "URL")}exit code ${code}\n`;
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-controller-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "fabric"));
  const lab = await startContrailLab({ port: 0 });
  afterTest(() => lab.close());
  lab.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
  ({ url } = lab);
  repository(TIGHT);
  const { code, text } = await runIn(folder, ["reconcile"]);
  expect(code, text).toBe(0);
});

describe("a controller", () => {
  it.each(["reach fabric --from web --to db --service tcp/5432", "reach fabric --from web --to db --service tcp/22", "lint fabric"])(
    "answers: %s",
    async (line) => {
      await expect(await run(line)).toMatchFileSnapshot(`../../cases/controller/${line.replaceAll(/[^a-z0-9]+/g, "-")}.txt`);
    },
  );

  it("shows what a plan opens, and lint shows the rule that becomes redundant", async () => {
    repository(OPEN);
    const planned = await run("plan");
    await expect(planned.slice(planned.indexOf("\n  What becomes"))).toMatchFileSnapshot("../../cases/controller/plan.txt");
    expect((await runIn(folder, ["reconcile"])).code).toBe(0);
    await expect(await run("lint fabric")).toMatchFileSnapshot("../../cases/controller/lint-after.txt");
  });

  it("is configured in plumbline.yaml", async () => {
    repository(TIGHT, ", reading: { logicalRouters: disabled }");
    const said = await run("reach fabric --from db --to web --service tcp/22");
    expect(said).toContain("as in controllers without logical routers [?]");
    repository(TIGHT, ", reading: { logicalRouters: perhaps }");
    expect((await runIn(folder, ["reach", "fabric"])).text).toContain("logicalRouters");
  });
});
