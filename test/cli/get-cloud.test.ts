import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { type RunningContrailLab, startContrailLab } from "../../src/lab/contrail/start.js";
import { type RunningOpenstackLab, startOpenstackLab } from "../../src/lab/openstack/start.js";
import { followNetworks } from "../../src/lab/shared-world.js";

let cloud: RunningOpenstackLab;
let controller: RunningContrailLab;
let folder: string;

beforeEach(async () => {
  cloud = await startOpenstackLab({ ports: "free" });
  controller = await startContrailLab({ port: 0 });
  followNetworks(cloud.world, controller.world);
  folder = mkdtempSync(join(tmpdir(), "plumbline-get-"));
  mkdirSync(join(folder, "documents"));
  writeFileSync(
    join(folder, "plumbline.yaml"),
    `format: 1
owner: netops
documents: [documents]
targets:
  cloud: { kind: openstack, url: "${cloud.urls.identity}", project: { name: demo, domain: Default }, credentials: { username: demo, userDomain: Default, password: "\${env:PASSWORD}" }, mode: enforce }
  fabric: { kind: contrail, url: "${controller.url}", auth: { from: cloud }, mode: enforce }
`,
  );
  for (const name of ["web", "db"]) {
    const body = { security_group: { name } };
    const { status, text } = cloud.act({ service: "network", method: "POST", path: "/v2.0/security-groups", user: "demo", body });
    expect(status, text).toBeLessThan(300);
  }
});
afterEach(async () => {
  await Promise.all([cloud.close(), controller.close()]);
  rmSync(folder, { recursive: true, force: true });
});

async function run(...words: string[]) {
  let [out, err] = ["", ""];
  const code = await runCli(["--no-color", ...words], {
    environment: { HOME: folder, PASSWORD: "secret", PLUMBLINE_STATE_DIR: join(folder, "state") },
    folder,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    now: () => new Date(),
    stop: new AbortController().signal,
  });
  return { code, out, err };
}

describe("get from a cloud and a controller", () => {
  it("prints complete objects, so that a plan of these documents only takes ownership", async () => {
    const { code, out, err } = await run("get", "security_groups/entry[@name='web']/rules", "--target", "cloud");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^# live cloud: .*\ntarget: cloud\nscope: project\nconfig:\n {2}security_groups:\n {4}web:\n/);
    expect(out).not.toContain("db:");
    writeFileSync(join(folder, "documents/web.yaml"), out);
    const planned = JSON.parse((await run("plan", "--target", "cloud", "--format", "json")).out);
    const changes: { readonly xpath: string }[] = planned.targets[0].plan.changes;
    expect(changes.map(({ xpath }) => xpath)).toEqual(["/openstack/security_groups/entry[@name='web']/owner"]);
  });

  it("queries both with one expression, and reports which one has no result", async () => {
    const { code, out, err } = await run("get", "security_groups/entry/@name", "--format", "json");
    expect(code).toBe(0);
    expect(err).toBe("fabric: nothing found\n");
    const [first, second] = JSON.parse(out).targets;
    expect(first.results.map(({ value }: { readonly value: string }) => value).sort()).toEqual(["db", "default", "web"]);
    expect(second).toEqual({ target: "fabric", results: [] });
  });

  it("omits the platform's own objects from documents, and reports it", async () => {
    const { out, err } = await run("get", "security_groups/entry[@name='default']", "--target", "cloud");
    expect(out).toBe("");
    expect(err).toContain("cloud: documents cannot express the result");
    expect((await run("get", "security_groups/entry[@name='default']", "--target", "cloud", "--format", "xml")).out).toMatch(
      /^<entry name="default">\n/,
    );
  });
});
