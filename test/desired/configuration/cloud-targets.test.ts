import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reveal } from "../../../src/core/secret.js";
import type { Configuration, TargetConfiguration } from "../../../src/desired/configuration/configuration.js";
import { readConfiguration } from "../../../src/desired/configuration/read.js";
import type { ContrailTargetConfiguration } from "../../../src/targets/contrail/settings.js";
import type { OpenstackTargetConfiguration } from "../../../src/targets/openstack-client/configuration.js";
import { kinds } from "../../../src/targets/registry.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-cloud-targets-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

type More = { environment?: Record<string, string>; resolveSecrets?: boolean; targets?: readonly string[] };

async function read(targets: string, more: More = {}): Promise<Configuration> {
  const file = join(folder, "plumbline.yaml");
  writeFileSync(file, `format: 1\nowner: o\ndocuments: [d]\ntargets:\n${targets}`);
  return (await readConfiguration(file, { environment: {}, kinds, ...more })).configuration;
}

async function cloud(line: string, more: More = {}): Promise<OpenstackTargetConfiguration> {
  return (await read(`  cloud: ${line}\n`, more)).targets.get("cloud") as OpenstackTargetConfiguration;
}

async function fabric(line: string, more: More = {}): Promise<ContrailTargetConfiguration> {
  const targets = `  fabric: ${line}\n  cloud: { kind: openstack, credentials: { password: "\${env:P}" } }\n`;
  return (await read(targets, more)).targets.get("fabric") as ContrailTargetConfiguration;
}

describe("a target of kind openstack", () => {
  it("needs only its kind, and has defaults", async () => {
    expect(await cloud("{ kind: openstack }")).toMatchObject({
      kind: "openstack",
      name: "cloud",
      cloud: undefined,
      mode: "observe",
      rewriteLists: "never",
      approve: "none",
      timeout: 60,
      createSettle: 30,
      concurrency: 10,
      pageSize: undefined,
      tls: { ca: undefined, insecure: false },
    });
  });

  it("reads the access to the cloud from the file, and secrets by reference", async () => {
    const read = await cloud(
      '{ kind: openstack, url: "http://127.0.0.1:5000/v3", identityVersion: "3", region: R, interface: internal, ' +
        'credentials: { username: "${env:U}", password: "${env:P}", userDomain: Default }, ' +
        'project: { name: demo, domain: Default }, endpoints: { network: "http://127.0.0.1:9" }, tls: { ca: ca.pem }, ' +
        "timeout: 5, createSettle: 0, concurrency: 2, pageSize: 2 }",
      { environment: { U: "demo", P: "pa55" } },
    );
    expect(read.access).toMatchObject({
      authUrl: "http://127.0.0.1:5000/v3",
      identityVersion: "3",
      userDomain: "Default",
      projectName: "demo",
      projectDomain: "Default",
      region: "R",
      interface: "internal",
      endpoints: new Map([["network", "http://127.0.0.1:9"]]),
    });
    expect(reveal(read.access.username ?? "")).toBe("demo");
    expect(String(read.access.username)).toBe("${env:U}");
    expect(read.access.password?.reveal()).toBe("pa55");
    expect(inspect(read, { depth: 9 }) + JSON.stringify(read)).not.toContain("pa55");
    expect(read.tls.ca).toBe(join(folder, "ca.pem"));
    expect([read.timeout, read.createSettle, read.concurrency, read.pageSize]).toEqual([5, 0, 2, 2]);
  });

  it("can be overridden by PLUMBLINE_TARGET_<NAME>_*", async () => {
    const environment = {
      PLUMBLINE_TARGET_CLOUD_CLOUD: "other",
      PLUMBLINE_TARGET_CLOUD_URL: "https://x:5000",
      PLUMBLINE_TARGET_CLOUD_USER: "u",
      PLUMBLINE_TARGET_CLOUD_PASSWORD: "p",
      PLUMBLINE_TARGET_CLOUD_CA: "/ca.pem",
    };
    const read = await cloud("{ kind: openstack, cloud: lab }", { environment });
    expect(read).toMatchObject({ cloud: "other", access: { authUrl: "https://x:5000", username: "u" }, tls: { ca: "/ca.pem" } });
    expect(read.access.password?.reveal()).toBe("p");
    expect(String(read.access.password)).toBe("${env:PLUMBLINE_TARGET_CLOUD_PASSWORD}");
  });

  it.each([
    ["a password as plain text", "{ kind: openstack, credentials: { password: secret } }", "plaintext-secret"],
    ["an unknown key", "{ kind: openstack, claud: lab }", "configuration-invalid"],
    ["an interface that is none", "{ kind: openstack, interface: outside }", "configuration-invalid"],
    ["more requests at once than a service takes", "{ kind: openstack, concurrency: 11 }", "configuration-invalid"],
    ["an endpoint that is not an address", "{ kind: openstack, endpoints: { network: here } }", "configuration-invalid"],
  ])("refuses %s", async (_, line, code) => {
    await expect(cloud(line)).rejects.toMatchObject({ errors: [{ code, where: { line: 5 } }] });
  });
});

describe("an invalid address", () => {
  it.each(["foo", "127.0.0.1:5000", "ftp://x", "https://u:pa55@x"])(
    "from the environment is reported with its variable, without its value: %s",
    async (text) => {
      const failed = cloud("{ kind: openstack, cloud: lab }", { environment: { PLUMBLINE_TARGET_CLOUD_URL: text } });
      const [error] = await failed.then(
        () => [],
        ({ errors }) => errors,
      );
      expect(error).toMatchObject({ code: "configuration-invalid", where: { target: "cloud" } });
      expect(error.message).toBe("PLUMBLINE_TARGET_CLOUD_URL is not an address of the form https://host:port.");
    },
  );

  it("from the file is reported with its line", async () => {
    const failed = cloud('{ kind: openstack, url: "https://u:pa55@x" }');
    await expect(failed).rejects.toMatchObject({
      errors: [{ message: expect.stringMatching(/^url: is not an address/), where: { line: 5 } }],
    });
  });
});

describe("a target of kind contrail", () => {
  const environment = { P: "pa55" };

  it("works without credentials", async () => {
    expect(await fabric('{ kind: contrail, url: "http://127.0.0.1:8082" }', { environment })).toMatchObject({
      url: "http://127.0.0.1:8082",
      auth: { by: "none" },
      mode: "observe",
      timeout: 60,
    });
  });

  it("accepts a user and a password, also from the environment", async () => {
    const written = await fabric('{ kind: contrail, url: "https://x", auth: { username: admin, password: "${env:P}" } }', { environment });
    expect(written.auth).toMatchObject({ by: "basic", username: "admin" });
    const override = { PLUMBLINE_TARGET_FABRIC_USER: "u", PLUMBLINE_TARGET_FABRIC_PASSWORD: "p", PLUMBLINE_TARGET_FABRIC_URL: "https://y" };
    const overridden = await fabric('{ kind: contrail, url: "https://x" }', { environment: { ...environment, ...override } });
    expect(overridden).toMatchObject({ url: "https://y", auth: { by: "basic", username: "u" } });
  });

  it("gets tokens from a cloud defined anywhere in the file, and reads its secrets if only the controller is selected", async () => {
    const read = await fabric('{ kind: contrail, url: "https://x", auth: { from: cloud } }', { environment, targets: ["fabric"] });
    if (read.auth.by !== "openstack") throw new Error("no cloud");
    expect(read.auth.cloud.name).toBe("cloud");
    expect(read.auth.cloud.access.password?.reveal()).toBe("pa55");
  });

  it("keeps the order of the file", async () => {
    const targets: ReadonlyMap<string, TargetConfiguration> = (
      await read('  z: { kind: contrail, url: "https://x" }\n  a: { kind: openstack }\n  m: { kind: memory, file: m.xml }\n')
    ).targets;
    expect([...targets.keys()]).toEqual(["z", "a", "m"]);
  });

  it.each([
    ["a cloud that is not there", "{ from: claud }", "Write one of: cloud."],
    ["a target that is no cloud", "{ from: fabric }", "Write one of: cloud."],
    ["a user without password", "{ username: admin }", "Write both, or from: and the name of a cloud."],
    ["two ways at once", '{ from: cloud, username: admin, password: "${env:P}" }', "Write from:, or a user name and a password."],
  ])("refuses %s", async (_, auth, next) => {
    await expect(fabric(`{ kind: contrail, url: "https://x", auth: ${auth} }`, { environment })).rejects.toMatchObject({
      errors: [{ code: "configuration-invalid", next, where: { line: 5, target: "fabric" } }],
    });
  });
});

it("reads the example of the documentation", async () => {
  const blocks = [...readFileSync("docs/clouds.md", "utf8").matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const shown = blocks.filter((block) => /kind: (openstack|contrail)/.test(block) && !block.startsWith("format:"));
  const { targets } = await read(shown.join(""), { environment: { CLOUD_PASSWORD: "p" } });
  expect([...targets.values()].map(({ name, kind }) => `${name} ${kind}`)).toEqual(["cloud openstack", "own openstack", "fabric contrail"]);
});
