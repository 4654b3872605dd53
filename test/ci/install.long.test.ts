import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const run = promisify(execFile);
const home = mkdtempSync(join(tmpdir(), "plumbline-install-"));
/** Files of the releases, by path. */
const released = new Map<string, Buffer>();
let server: Server;

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const sums = (rows: readonly (readonly [string, string])[]): Buffer => Buffer.from(rows.map(([sum, name]) => `${sum}  ${name}\n`).join(""));

/** A package with our name and command that only prints its version. */
async function packOf(version: string): Promise<Buffer> {
  const folder = join(home, `package-${version}`);
  mkdirSync(join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "plumbline-network", version, type: "module" }));
  writeFileSync(join(folder, "dist/cli.js"), `console.log("released ${version}", process.argv[2]);`);
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", home], { cwd: folder });
  return readFileSync(join(home, (JSON.parse(stdout) as { filename: string }[])[0]?.filename ?? ""));
}

beforeAll(async () => {
  server = createServer(({ url = "" }, answer) => {
    const body = released.get(url);
    answer.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const packed = await packOf("1.2.3");
  for (const version of ["1.2.3", "1.2.5", "1.2.6", "1.2.7"]) released.set(`/v${version}/plumbline-network-${version}.tgz`, packed);
  const other = "0".repeat(64);
  released.set(
    "/v1.2.3/SHA256SUMS",
    sums([
      [other, "plumbline.mjs"],
      [sha256(packed), "plumbline-network-1.2.3.tgz"],
    ]),
  );
  // The package was changed after its release, or the checksum of another file has its name in it, or there is no list at all.
  released.set("/v1.2.5/SHA256SUMS", sums([[other, "plumbline-network-1.2.5.tgz"]]));
  released.set("/v1.2.6/SHA256SUMS", sums([[sha256(packed), "not-plumbline-network-1.2.6.tgz"]]));
});

afterAll(() => {
  server.close();
  rmSync(home, { recursive: true });
});

/** A job at this ref with a checkout of this version and without a build. A build only prints that it was started. */
async function job(version: string, ref: string, releases = `http://127.0.0.1:${(server.address() as AddressInfo).port}`): Promise<string> {
  const checkout = mkdtempSync(join(home, "checkout-"));
  cpSync("ci", join(checkout, "ci"), { recursive: true });
  const scripts = { build: `mkdir dist && echo 'console.log("built", process.argv[2])' > dist/cli.js` };
  writeFileSync(join(checkout, "package.json"), JSON.stringify({ name: "plumbline-network", version, scripts }));
  writeFileSync(
    join(checkout, "package-lock.json"),
    JSON.stringify({ name: "plumbline-network", version, lockfileVersion: 3, packages: { "": { name: "plumbline-network", version } } }),
  );
  const env = { ...process.env, PLUMBLINE_HOME: checkout, PLUMBLINE_REF: ref, PLUMBLINE_RELEASES: releases };
  await run("sh", ["ci/install.sh"], { cwd: checkout, env });
  const { stdout } = await run("sh", ["-euc", ". ci/common.sh; plumbline plan"], { cwd: checkout, env });
  return stdout.trim();
}

it.each(["v1.2.3", "v1.2", "v1"])("a job at %s runs the package of the release, and builds nothing", async (ref) => {
  expect(await job("1.2.3", ref)).toBe("released 1.2.3 plan");
});

it.each([
  ["1.2.3", "main"],
  ["1.2.3", "v1.2.30"],
  ["1.2.3", "v"],
  ["1.2.3", ""],
  ["1.3.0", "v1"],
])("a job of version %s at %j builds its own", async (version, ref) => {
  expect(await job(version, ref)).toBe("built plan");
});

it("a job builds from source if no release location is configured, or if the release does not exist", async () => {
  expect(await job("1.2.3", "v1", "")).toBe("built plan");
  expect(await job("1.2.4", "v1")).toBe("built plan");
});

it.each(["1.2.5", "1.2.6", "1.2.7"])("a job fails if the package of %s does not match its SHA-256 checksum", async (version) => {
  await expect(job(version, `v${version}`)).rejects.toMatchObject({ stderr: expect.stringContaining("checksum") });
});
