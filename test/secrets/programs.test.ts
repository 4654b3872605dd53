import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SecretReader } from "../../src/desired/secrets.js";
import type { SecretReference } from "../../src/desired/template.js";
import { afterTest } from "../after-test.js";
import { leaveOut } from "../left-out.js";

// Against the programs themselves, as far as this machine has them; what it lacks is told, and stands at the end of .ci/run.

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
  it.each(["yaml", "json"])("gives what it encrypted in a .%s file, to who has the key alone", async (type) => {
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
  });
});

describe.runIf(VAULT !== undefined)("the server of Vault", () => {
  it("gives a secret for a token and an AppRole", async () => {
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

it("systemd's folder of credentials gives them by name", async () => {
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
