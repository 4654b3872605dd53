import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SecretReader } from "../../../src/desired/secrets.js";
import type { SecretReference } from "../../../src/desired/template.js";
import { afterTest } from "../../after-test.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-stores-"));
  mkdirSync(join(folder, "checkout", ".git"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

type Environment = Readonly<Record<string, string | undefined>>;

function reader(environment: Environment): (kind: SecretReference["kind"], argument: string) => Promise<string> {
  const secrets = new SecretReader({ PATH: process.env.PATH, ...environment }, join(folder, "checkout"));
  return async (kind, argument) =>
    await secrets
      .read({ kind, argument, text: `\${${kind}:${argument}}` }, {})
      .catch((error: { code: string; message: string }) => `${error.code} ${error.message}`);
}

describe("a credential of the service", () => {
  it("is a file in the folder that systemd or Kubernetes provides", async () => {
    mkdirSync(join(folder, "credentials", "..data"), { recursive: true });
    writeFileSync(join(folder, "credentials", "..data", "fw"), "word\n");
    symlinkSync("..data/fw", join(folder, "credentials", "fw"));
    const read = reader({ CREDENTIALS_DIRECTORY: join(folder, "credentials") });
    expect(await read("credential", "fw")).toBe("word");
    expect(await read("credential", "none")).toBe("secret-unavailable ${credential:none}: the credential cannot be read (ENOENT).");
    for (const name of ["../fw", "a/b", ".", "..", ""]) expect(await read("credential", name)).toContain("it is not a credential name");
    expect(await reader({})("credential", "fw")).toContain("CREDENTIALS_DIRECTORY is not set");
  });
});

describe("a file encrypted with SOPS", () => {
  const encrypted = (about: object) => JSON.stringify({ a: { b: "ENC[x]" }, sops: about });
  const AGE = { age: [{ recipient: "age1x", enc: "x" }], lastmodified: "2026-01-01T00:00:00Z", mac: "ENC[y]", version: "3.10.2" };

  /** Replaces the program and prints its arguments. */
  function standIn(script: string): Environment {
    const bin = join(folder, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "sops"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, "sops"), 0o755);
    return { PATH: [bin, process.env.PATH].join(delimiter), AWS_SECRET_ACCESS_KEY: "aws", VAULT_TOKEN: "vault", SOPS_AGE_KEY: "key" };
  }

  it("is decrypted by the program, which gets only its keys from the environment", async () => {
    writeFileSync(join(folder, "checkout", "s.yaml"), encrypted(AGE));
    const environment = standIn(`printf '{"a":{"b":"%s"},"n":7,"all":"%s"}' "$(cat | wc -c)" "$(env | cut -d= -f1 | sort | tr '\\n' ' ')"`);
    const read = reader(environment);
    expect(Number(await read("sops", "s.yaml#a/b"))).toBe(encrypted(AGE).length);
    expect(await read("sops", "s.yaml#n")).toBe("7");
    expect(await read("sops", "s.yaml#all")).not.toMatch(/AWS|VAULT/);
    expect(await read("sops", "s.yaml#a")).toContain("the file holds no text at a.");
    expect(await read("sops", "s.yaml#a/c")).toContain("the file has no a/c.");
    expect(await read("sops", "s.yaml#__proto__")).toContain("the file has no __proto__.");
    expect(await read("sops", "s.yaml")).toContain("write FILE#KEY");
  });

  it.each([
    ["hc_vault", { ...AGE, hc_vault: [{ vault_address: "https://evil.example" }] }],
    ["kms", { ...AGE, kms: [{ arn: "x" }] }],
    ["pgp", { key_groups: [{ age: [], pgp: [{ fp: "x" }] }] }],
  ])("is refused where it names another keeper of its key, before anybody is asked: %s", async (keeper, about) => {
    writeFileSync(join(folder, "checkout", "s.yaml"), encrypted(about));
    const environment = standIn(`touch ${join(folder, "ran")}; echo '{}'`);
    expect(await reader(environment)("sops", "s.yaml#a/b")).toContain(`the file names ${keeper} as keeper of its key`);
    expect(() => symlinkSync("x", join(folder, "ran"))).not.toThrow();
  });

  const KEEPER = [{ vault_address: "https://evil.example", engine_path: "sops", key_name: "k" }];
  it.each([
    ["a keeper in other capitals", encrypted({ ...AGE, HC_Vault: KEEPER })],
    ["a keeper that is a map", encrypted({ ...AGE, hc_vault: KEEPER[0] })],
    ["a keeper with the long s", encrypted({ ...AGE, km\u017f: KEEPER })],
    ["age in other capitals", encrypted({ ...AGE, Age: AGE.age })],
    ["a group that is a map", encrypted({ ...AGE, key_groups: { hc_vault: KEEPER } })],
    ["a group with a keeper in other capitals", encrypted({ key_groups: [{ age: AGE.age, HC_VAULT: KEEPER }] })],
    ["groups in other capitals", encrypted({ ...AGE, Key_Groups: [{ hc_vault: KEEPER }] })],
    ["an age key with another field", encrypted({ age: [{ ...AGE.age[0], vault_address: "https://evil.example" }] })],
    ["a threshold that is text", encrypted({ ...AGE, shamir_threshold: "1" })],
    ["an unknown key", encrypted({ ...AGE, constructor: "x" })],
    ["a second section in other capitals", `{"a": 1, "sops": ${JSON.stringify(AGE)}, "SOPS": {"hc_vault": ${JSON.stringify(KEEPER)}}}`],
    ["a second section with the long s", `{"a": 1, "sops": ${JSON.stringify(AGE)}, "\u017fops": {"hc_vault": ${JSON.stringify(KEEPER)}}}`],
    ["two sections", `{"a": 1, "sops": ${JSON.stringify(AGE)}, "sops": {"hc_vault": ${JSON.stringify(KEEPER)}}}`],
  ])("is refused before sops runs if it has %s", async (_, text) => {
    writeFileSync(join(folder, "checkout", "s.json"), text);
    const said = await reader(standIn(`touch ${join(folder, "ran")}; echo '{"a":{"b":"x"}}'`))("sops", "s.json#a/b");
    expect(said).toContain("secret-unavailable");
    expect(said).not.toContain("evil");
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  it("is decrypted if an older version wrote empty lists of other key services, or a group of age keys", async () => {
    const empty = { kms: [], gcp_kms: [], azure_kv: [], hc_vault: [], pgp: null };
    for (const about of [
      { ...AGE, ...empty },
      { ...AGE, age: [], key_groups: [{ age: AGE.age, ...empty }], shamir_threshold: 1 },
    ]) {
      writeFileSync(join(folder, "checkout", "s.json"), encrypted(about));
      expect(await reader(standIn(`cat > /dev/null; echo '{"a":{"b":"x"}}'`))("sops", "s.json#a/b")).toBe("x");
    }
  });

  it("is decrypted with an empty home folder and the user's age keys", async () => {
    writeFileSync(join(folder, "checkout", "s.yaml"), encrypted(AGE));
    const keys = join(folder, "user", ".config", "sops", "age", "keys.txt");
    mkdirSync(dirname(keys), { recursive: true });
    writeFileSync(keys, "key");
    writeFileSync(join(folder, "user", ".vault-token"), "token");
    const script = `cat > /dev/null; printf '{"home":"%s","here":"%s","keys":"%s","files":"[%s]"}' "$HOME" "$PWD" "$SOPS_AGE_KEY_FILE" "$(ls -A "$HOME")"`;
    const { SOPS_AGE_KEY: _, ...environment } = standIn(script);
    const read = reader({ ...environment, HOME: join(folder, "user") });
    const home = await read("sops", "s.yaml#home");
    expect(home).toContain("plumbline-sops-");
    expect(existsSync(home)).toBe(false);
    expect(await read("sops", "s.yaml#here")).toContain("plumbline-sops-");
    expect(await read("sops", "s.yaml#files")).toBe("[]");
    expect(await read("sops", "s.yaml#keys")).toBe(keys);
  });

  it("is reported as invalid without the output of the program", async () => {
    writeFileSync(join(folder, "checkout", "s.yaml"), encrypted(AGE));
    writeFileSync(join(folder, "checkout", "plain.yaml"), "a: 1\n");
    writeFileSync(join(folder, "checkout", "s.txt"), "x");
    const read = reader(standIn("echo secret; echo secret >&2; exit 128"));
    expect(await read("sops", "s.yaml#a/b")).toBe("secret-unavailable ${sops:s.yaml#a/b}: sops failed (exit 128).");
    expect(await read("sops", "plain.yaml#a")).toContain("not encrypted by SOPS");
    expect(await read("sops", "s.txt#a")).toContain("neither .yaml nor .json");
    expect(await reader({ PATH: join(folder, "nothing") })("sops", "s.yaml#a/b")).toContain("the program sops is not installed");
  });
});

describe("a secret of Vault", () => {
  interface Asked {
    readonly what: string;
    readonly token: string | undefined;
    readonly body: string;
  }

  async function vault(): Promise<{ readonly url: string; readonly asked: Asked[] }> {
    const asked: Asked[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const what = `${request.method} ${request.url}`;
      const token = request.headers["x-vault-token"];
      asked.push({ what, token: token?.toString(), body });
      const say = (status: number, said: unknown): void => void response.writeHead(status).end(JSON.stringify(said));
      if (what.startsWith("POST /v1/auth/"))
        say(body.includes("wrong") ? 400 : 200, { auth: { client_token: `of ${request.url}` }, errors: [body] });
      else if (what === "GET /v1/secret/data/fw") say(200, { data: { data: { password: "word", n: 7 }, metadata: { version: 2 } } });
      else if (what === "GET /v1/kv1/fw") say(200, { data: { password: "word" } });
      else say(token === "denied" ? 403 : 404, { errors: [`no ${token}`] });
    };
    const server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    afterTest(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  it("is read through the proxy of the environment, except a loopback address", async () => {
    const tunnels: string[] = [];
    const proxy = createServer();
    proxy.on("connect", (request, socket) => {
      tunnels.push(request.url ?? "");
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await new Promise<void>((ready) => proxy.listen(0, "127.0.0.1", ready));
    afterTest(() => void proxy.close());
    const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const away = reader({ VAULT_ADDR: "https://vault.invalid:8200", VAULT_TOKEN: "t", HTTPS_PROXY });
    expect(await away("vault", "secret/data/fw#password")).toContain("secret-unavailable");
    expect(tunnels).toEqual(["vault.invalid:8200"]);
    const near = reader({ VAULT_ADDR: (await vault()).url, VAULT_TOKEN: "t", HTTPS_PROXY, HTTP_PROXY: HTTPS_PROXY });
    expect(await near("vault", "secret/data/fw#password")).toBe("word");
  });

  it("is read by path and key, once per secret", async () => {
    const { url, asked } = await vault();
    const read = reader({ VAULT_ADDR: url, VAULT_TOKEN: "t", VAULT_NAMESPACE: "team" });
    expect(await read("vault", "secret/data/fw#password")).toBe("word");
    expect(await read("vault", "secret/data/fw#n")).toBe("7");
    expect(asked).toEqual([{ what: "GET /v1/secret/data/fw", token: "t", body: "" }]);
    expect(await read("vault", "secret/data/fw#none")).toContain("the secret has no none");
    expect(await read("vault", "secret/data/none#x")).toContain("answered 404 (there is no such secret)");
    expect(await read("vault", "kv1/fw#password")).toContain("version 2");
  });

  it("is read with an AppRole or a pod's account, which log in once", async () => {
    const { url, asked } = await vault();
    const asRole = reader({ VAULT_ADDR: url, VAULT_ROLE_ID: "r", VAULT_SECRET_ID: "s" });
    expect(await Promise.all([asRole("vault", "secret/data/fw#password"), asRole("vault", "secret/data/none#x")])).toEqual(
      expect.arrayContaining(["word"]),
    );
    expect(asked[0]).toMatchObject({ what: "POST /v1/auth/approle/login", token: undefined, body: '{"role_id":"r","secret_id":"s"}' });
    expect(asked.filter(({ what }) => what.startsWith("POST"))).toHaveLength(1);
    expect(asked.at(-1)?.token).toBe("of /v1/auth/approle/login");
    const file = join(folder, "jwt");
    writeFileSync(file, "a.b.c\n");
    const asPod = reader({ VAULT_ADDR: url, VAULT_ROLE: "plumbline", VAULT_AUTH_PATH: "cluster-1", VAULT_K8S_TOKEN_FILE: file });
    expect(await asPod("vault", "secret/data/fw#password")).toBe("word");
    expect(asked.at(-2)).toMatchObject({ what: "POST /v1/auth/cluster-1/login", body: '{"role":"plumbline","jwt":"a.b.c"}' });
  });

  it("is reported on failure without the request, and never sent in plain text", async () => {
    const { url, asked } = await vault();
    expect(await reader({ VAULT_ADDR: url, VAULT_TOKEN: "denied" })("vault", "secret/data/x#y")).toBe(
      `secret-unavailable \${vault:secret/data/x#y}: ${url} answered 403 (our token may not read this).`,
    );
    const wrong = await reader({ VAULT_ADDR: url, VAULT_ROLE_ID: "r", VAULT_SECRET_ID: "wrong" })("vault", "secret/data/x#y");
    expect(wrong).toContain("answered 400");
    expect(wrong).not.toContain('wrong"');
    const before = asked.length;
    for (const path of ["../sys/seal", "a//b", "a?x", "a%2fb", "a b", "/a"]) {
      expect(await reader({ VAULT_ADDR: url, VAULT_TOKEN: "t" })("vault", `${path}#y`)).toContain("it is not a path of a secret");
    }
    expect(await reader({ VAULT_ADDR: "http://192.0.2.1:8200", VAULT_TOKEN: "t" })("vault", "a/b#c")).toContain(
      "credentials would be sent to http://192.0.2.1:8200 in plain text",
    );
    expect(await reader({ VAULT_ADDR: url })("vault", "a/b#c")).toContain("no credentials are set: VAULT_TOKEN");
    expect(await reader({ VAULT_TOKEN: "t" })("vault", "a/b#c")).toContain("VAULT_ADDR is not set");
    expect(asked).toHaveLength(before);
  });
});
