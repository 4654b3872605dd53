import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { formats } from "../../src/report/renderers.js";
import { afterTest } from "../after-test.js";

// A pull request can write a reference wherever text is allowed. Its value is then a secret: neither Plumbline nor an error of the device
// may put it into the comment.

const CANARY = "canary-5d1f";
const LINES = `PATH=/usr/bin ${CANARY}-one\nTOKEN=${CANARY}-two`;
const DOCUMENTS = {
  edge: "target: edge\nscope: vsys1\nconfig: { tag: { a: {} } }\n",
  cloud: "target: cloud\nscope: project\nconfig: { networks: { a: {} } }\n",
  net: "target: net\nscope: controller\nconfig: { virtual-networks: { 'default-domain:p:a': {} } }\n",
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-references-"));
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "runner"), LINES);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A service that refuses every login and quotes the request in its error. */
async function echo(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const sent = Buffer.concat(chunks).toString();
      const basic = Buffer.from(request.headers.authorization?.replace("Basic ", "") ?? "", "base64").toString();
      const words = new URLSearchParams(sent).get("user") ?? `${basic}${sent}`;
      if (request.url?.startsWith("/api")) {
        response.setHeader("content-type", "application/xml");
        const lines = words.split("\n").map((line) => `<line>no such user: ${line}</line>`);
        response.end(`<response status="error" code="403"><msg>${lines.join("")}</msg></response>`);
      } else {
        response.writeHead(401, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { code: 401, title: "Unauthorized", message: `no such user: ${words}` } }));
      }
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  afterTest(() => new Promise((closed) => server.close(closed)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** All output of a `plan` run: both streams and each kind of report. */
async function everythingSaid(target: keyof typeof DOCUMENTS, settings: string, command = "plan"): Promise<string> {
  writeFileSync(join(folder, "docs", "a.yaml"), DOCUMENTS[target]);
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: o\ndocuments: [docs]\ntargets:\n  ${target}: ${settings}\n`);
  let said = "";
  const write = (text: string) => (said += text);
  const run = async (words: string[]) =>
    await runCli(words, {
      environment: { HOME: folder, PATH: process.env.PATH, PLUMBLINE_STATE_DIR: join(folder, "state"), PASSWORD: `secret-${CANARY}` },
      folder,
      stdout: { write },
      stderr: { write },
      now: () => new Date(),
      stop: new AbortController().signal,
    });
  for (const format of formats) await run([command, "--format", format, "--log-level", "debug"]);
  return said;
}

const PASSWORD = 'password: "${env:PASSWORD}"';
const RUNNER = '"${file:runner}"';

describe("a reference in a plain text field is shown as its label", () => {
  it("as the user of a firewall that repeats the sent text", async () => {
    const said = await everythingSaid("edge", `{ kind: panos, url: "${await echo()}", credentials: { username: ${RUNNER}, ${PASSWORD} } }`);
    expect(said).toContain("login-refused");
    expect(said).toContain(RUNNER.slice(1, -1));
    expect(said).not.toContain(CANARY);
  });

  it.each([
    ["the user of a cloud", `username: ${RUNNER}, ${PASSWORD}`],
    ["the domain of a cloud's user", `username: me, userDomain: ${RUNNER}, ${PASSWORD}`],
    ["the id of an application credential", `applicationCredentialId: ${RUNNER}, applicationCredentialSecret: "\${env:PASSWORD}"`],
    ["its name", `username: me, applicationCredentialName: ${RUNNER}, applicationCredentialSecret: "\${env:PASSWORD}"`],
  ])("as %s", async (_, credentials) => {
    const url = `${await echo()}/v3`;
    const said = await everythingSaid("cloud", `{ kind: openstack, url: "${url}", project: { name: p }, credentials: { ${credentials} } }`);
    expect(said).toContain("cloud-login-refused");
    expect(said).toContain("no such user");
    expect(said).not.toContain(CANARY);
  });

  it("as the user of a controller", async () => {
    const said = await everythingSaid("net", `{ kind: contrail, url: "${await echo()}", auth: { username: ${RUNNER}, ${PASSWORD} } }`);
    expect(said).toContain("controller-authentication");
    expect(said).not.toContain(CANARY);
  });

  it("and stays unchanged for validate, which reads none", async () => {
    const said = await everythingSaid(
      "edge",
      `{ kind: panos, url: "https://192.0.2.10", credentials: { username: ${RUNNER}, ${PASSWORD} } }`,
      "validate",
    );
    expect(said).not.toContain(CANARY);
  });
});
