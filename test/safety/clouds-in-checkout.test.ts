import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { afterTest } from "../after-test.js";

// A pull request can add clouds.yaml with its own auth_url for the cloud of the operator. The password in the operator's
// secure.yaml must not be sent there.

const PASSWORD = "canary-c10d";

let root: string;
let checkout: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plumbline-clouds-"));
  checkout = join(root, "checkout");
  put("checkout/net/docs/a.yaml", "target: cloud\nscope: project\nconfig: { networks: { a: {} } }\n");
  execFileSync("git", ["init", "--quiet", checkout]);
  put("home/.config/openstack/secure.yaml", `clouds: { lab: { auth: { password: ${PASSWORD} } } }\n`);
  configure("{ kind: openstack, cloud: lab }");
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function configure(target: string): void {
  put("checkout/net/plumbline.yaml", `format: 1\nowner: o\ndocuments: [docs]\ntargets:\n  cloud: ${target}\n`);
}

const cloud = (url: string, more = ""): string =>
  `clouds: { lab: { auth: { auth_url: "${url}/v3", username: u, project_name: p }, ${more} } }\n`;

interface IdentityService {
  readonly url: string;
  /** Bodies of all requests. */
  readonly received: string[];
}

async function identityService(): Promise<IdentityService> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      received.push(body);
      response.writeHead(401, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  afterTest(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Runs `plumbline plan` as its own process, because clients of clouds use the home folder of the process. */
async function plan(folder = "checkout/net", more: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: join(root, "home"), PLUMBLINE_STATE_DIR: join(root, "state"), PASSWORD: "p", ...more };
  const words = [resolve("dist/cli.js"), "plan", "--config", join(checkout, "net", "plumbline.yaml")];
  return await new Promise((done) => {
    execFile(process.execPath, words, { cwd: join(root, folder), env }, (_, stdout, stderr) => done(`${stdout}${stderr}`));
  });
}

const sent = ({ received }: IdentityService): boolean => received.some((body) => body.includes(PASSWORD));

describe("clouds.yaml", () => {
  it("of the operator is used", async () => {
    const own = await identityService();
    put("home/.config/openstack/clouds.yaml", cloud(own.url));
    expect(await plan()).toContain("cloud-login-refused");
    expect(sent(own)).toBe(true);
  });

  it.each([
    ["the folder of plumbline.yaml", "checkout/net", "checkout/net"],
    ["the root of the repository", "checkout", "checkout"],
    ["a folder below", "checkout/net/below", "checkout/net/below"],
  ])("in %s is not used", async (_, place, folder) => {
    const [own, other] = [await identityService(), await identityService()];
    put("home/.config/openstack/clouds.yaml", cloud(own.url));
    put(`${place}/clouds.yaml`, cloud(other.url));
    await plan(folder);
    expect([sent(own), other.received]).toEqual([true, []]);
  });

  it("in another working tree in which the run starts is not used", async () => {
    const other = await identityService();
    mkdirSync(join(root, "second"));
    execFileSync("git", ["init", "--quiet", join(root, "second")]);
    put("second/clouds.yaml", cloud(other.url));
    expect(await plan("second")).toContain("cloud-not-known");
    expect(other.received).toEqual([]);
  });

  it("outside that is a link into the checkout is not used, and the error names it", async () => {
    const other = await identityService();
    put("checkout/clouds.yaml", cloud(other.url));
    symlinkSync(join(checkout, "clouds.yaml"), join(root, "home/.config/openstack/clouds.yaml"));
    const said = await plan();
    expect(said).toContain("cloud-not-known");
    expect(said).toContain(`ignored ${join(root, "home/.config/openstack/clouds.yaml")}`);
    expect(other.received).toEqual([]);
  });

  it("in the working folder outside any checkout is used", async () => {
    const own = await identityService();
    put("work/clouds.yaml", cloud(own.url));
    await plan("work");
    expect(sent(own)).toBe(true);
  });

  it.each(["OS_CLIENT_CONFIG_FILE", "OS_CLIENT_SECURE_FILE"])("in the checkout is refused if %s names it", async (variable) => {
    const other = await identityService();
    put("home/.config/openstack/clouds.yaml", cloud(other.url));
    const file = put("checkout/named.yaml", cloud(other.url));
    expect(await plan("checkout/net", { [variable]: file })).toContain("clouds-file-in-checkout");
    expect(other.received).toEqual([]);
  });

  it("in the checkout neither disables the verification of TLS nor names a profile", async () => {
    const own = await identityService();
    put("home/.config/openstack/clouds.yaml", `clouds: { lab: { profile: p, auth: { username: u, project_name: p } } }\n`);
    put("checkout/net/clouds-public.yaml", `public-clouds: { p: { verify: false, auth: { auth_url: "${own.url}" } } }\n`);
    expect(await plan()).toContain("cloud-not-known");
    expect(own.received).toEqual([]);
  });
});

describe("the final address of a login", () => {
  const approve = (credentials: unknown): Readonly<Record<string, string>> => ({
    PLUMBLINE_APPROVED: put("approved.yaml", JSON.stringify({ references: ["env:*"], credentials })),
  });

  it("is refused if the approved origins do not list it", async () => {
    const own = await identityService();
    put("home/.config/openstack/clouds.yaml", cloud(own.url));
    const said = await plan("checkout/net", approve({ "env:PASSWORD": ["https://cloud.example.net"] }));
    expect(said).toContain("origin-not-approved");
    expect(own.received).toEqual([]);
  });

  it("is used if they list it", async () => {
    const own = await identityService();
    put("home/.config/openstack/clouds.yaml", cloud(own.url));
    await plan("checkout/net", approve({ "env:CLOUD": [own.url] }));
    expect(sent(own)).toBe(true);
  });

  it("must be listed for the credential that plumbline.yaml names", async () => {
    const own = await identityService();
    put("home/.config/openstack/clouds.yaml", cloud(own.url));
    configure('{ kind: openstack, cloud: lab, credentials: { username: u, password: "${env:PASSWORD}" } }');
    const said = await plan("checkout/net", approve({ "env:CLOUD": [own.url], "env:PASSWORD": ["https://cloud.example.net"] }));
    expect(said).toContain("origin-not-approved");
    expect(own.received).toEqual([]);
  });

  it("is checked for the addresses that replace the catalog, too", async () => {
    const own = await identityService();
    put("home/.config/openstack/clouds.yaml", cloud(own.url, 'network_endpoint_override: "http://127.0.0.2:9"'));
    const said = await plan("checkout/net", approve({ "env:CLOUD": [own.url] }));
    expect(said).toContain("http://127.0.0.2:9");
    expect(own.received).toEqual([]);
  });
});
