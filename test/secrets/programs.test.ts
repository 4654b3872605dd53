import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SecretReader } from "../../src/desired/secrets.js";
import type { SecretReference } from "../../src/desired/template.js";
import { afterTest } from "../after-test.js";
import { leaveOut } from "../left-out.js";

// Runs the real programs, as far as this machine has them. Missing ones are reported at the end of .ci/run.

const PATH = [resolve("node_modules/.cache/plumbline-secrets"), process.env.PATH].join(delimiter);
const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`], { env: { PATH } }).status === 0;
const VAULT = ["vault", "bao"].find(has);
const hasSops = has("sops") && has("age-keygen");
if (!hasSops) leaveOut("secrets by SOPS with age: sops or age-keygen is not installed");
if (VAULT === undefined) leaveOut("secrets of Vault: neither vault nor bao is installed; its interface is tested on a server of ours");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-programs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function read(kind: SecretReference["kind"], argument: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const reader = new SecretReader({ PATH, HOME: folder, ...environment }, folder);
  return await reader.read({ kind, argument, text: `\${${kind}:${argument}}` }, {}).catch((error: Error) => error.message);
}

describe.runIf(hasSops)("sops, with age", () => {
  it.each(["yaml", "json"])("decrypts its .%s file only with the key", async (type) => {
    const keys = join(folder, "keys.txt");
    execFileSync("age-keygen", ["-o", keys], { env: { PATH }, stdio: "ignore" });
    const recipient = execFileSync("age-keygen", ["-y", keys], { env: { PATH }, encoding: "utf8" }).trim();
    const file = `secrets.${type}`;
    writeFileSync(join(folder, file), JSON.stringify({ firewall: { password: "p&ss: word" }, port: 830 }));
    execFileSync("sops", ["--encrypt", "--in-place", "--age", recipient, file], { cwd: folder, env: { PATH, HOME: folder } });
    const given = { SOPS_AGE_KEY_FILE: keys };
    expect(await read("sops", `${file}#firewall/password`, given)).toBe("p&ss: word");
    expect(await read("sops", `${file}#port`, given)).toBe("830");
    expect(await read("sops", `${file}#none`, given)).toContain("the file has no none");
    expect(await read("sops", `${file}#firewall/password`, {})).toContain("sops failed (exit");
    mkdirSync(join(folder, ".config", "sops", "age"), { recursive: true });
    copyFileSync(keys, join(folder, ".config", "sops", "age", "keys.txt"));
    expect(await read("sops", `${file}#firewall/password`, {})).toBe("p&ss: word");
  });

  it("would send the token of Vault to an address in a file, which Plumbline refuses in any notation", async () => {
    const keys = join(folder, "keys.txt");
    execFileSync("age-keygen", ["-o", keys], { env: { PATH }, stdio: "ignore" });
    const recipient = execFileSync("age-keygen", ["-y", keys], { env: { PATH }, encoding: "utf8" }).trim();
    writeFileSync(join(folder, "plain.json"), JSON.stringify({ a: "b" }));
    execFileSync("sops", ["--encrypt", "--in-place", "--age", recipient, "plain.json"], { cwd: folder, env: { PATH, HOME: folder } });
    const tokens: unknown[] = [];
    const server = createHttpServer((request, response) => {
      tokens.push(request.headers["x-vault-token"]);
      response.writeHead(403).end();
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    afterTest(() => server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const keeper = { vault_address: address, engine_path: "sops", key_name: "k", created_at: "2026-01-01T00:00:00Z", enc: "vault:v1:x" };
    const { sops, ...rest } = JSON.parse(readFileSync(join(folder, "plain.json"), "utf8"));
    const { age, ...about } = sops;
    const hostile = JSON.stringify({ ...rest, sops: { ...about, HC_Vault: [keeper] } });
    writeFileSync(join(folder, "hostile.json"), hostile);
    writeFileSync(join(folder, ".vault-token"), "canary-token");
    // The program itself falls for it, so the test below checks something.
    const direct = spawn("sops", ["decrypt", "--input-type", "json"], { cwd: folder, env: { PATH, HOME: folder } });
    direct.stdin.end(hostile);
    await once(direct, "close");
    expect(tokens).toContain("canary-token");
    tokens.length = 0;
    expect(await read("sops", "hostile.json#a", { SOPS_AGE_KEY_FILE: keys, VAULT_TOKEN: "canary-token" })).toContain(
      "its sops section has a key",
    );
    expect(tokens).toEqual([]);
  });
});

describe.runIf(VAULT !== undefined)("the server of Vault", () => {
  it("returns a secret for a token and an AppRole", async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const env = { PATH, HOME: folder, VAULT_ADDR: address, BAO_ADDR: address, VAULT_TOKEN: "root", BAO_TOKEN: "root" };
    const server = spawn(VAULT ?? "", ["server", "-dev", "-dev-root-token-id=root", `-dev-listen-address=127.0.0.1:${port}`], { env });
    afterTest(() => void server.kill("SIGKILL"));
    const said = (...words: string[]) => execFileSync(VAULT ?? "", words, { env, encoding: "utf8" }).trim();
    await expect.poll(() => spawnSync(VAULT ?? "", ["status"], { env }).status, { timeout: 20_000 }).toBe(0);
    said("kv", "put", "secret/firewall", "password=p&ss: word");
    expect(await read("vault", "secret/data/firewall#password", { VAULT_ADDR: address, VAULT_TOKEN: "root" })).toBe("p&ss: word");
    said("auth", "enable", "approle");
    writeFileSync(join(folder, "policy"), 'path "secret/data/*" { capabilities = ["read"] }');
    said("policy", "write", "reader", join(folder, "policy"));
    said("write", "auth/approle/role/plumbline", "token_policies=reader");
    const VAULT_ROLE_ID = said("read", "-field=role_id", "auth/approle/role/plumbline/role-id");
    const VAULT_SECRET_ID = said("write", "-f", "-field=secret_id", "auth/approle/role/plumbline/secret-id");
    const role = { VAULT_ADDR: address, VAULT_ROLE_ID, VAULT_SECRET_ID };
    expect(await read("vault", "secret/data/firewall#password", role)).toBe("p&ss: word");
    expect(await read("vault", "secret/data/none#password", role)).toContain("404");
  });
});

it("systemd's credentials folder provides them by name", async () => {
  writeFileSync(join(folder, "firewall"), "word\n");
  expect(await read("credential", "firewall", { CREDENTIALS_DIRECTORY: folder })).toBe("word");
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
