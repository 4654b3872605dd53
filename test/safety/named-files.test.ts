import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { urlDocument } from "../../src/engine/ledger/document.js";
import { afterTest } from "../after-test.js";

// A pull request can name any file and any URL in plumbline.yaml. A plan must not print their content, must not wait for them
// and must not read more than a bounded number of bytes.

const CANARY = "canary-7f3a-secret-of-the-runner";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-named-"));
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "docs", "a.yaml"), "target: edge\nscope: vsys1\nconfig: { tag: { a: {} } }\n");
  writeFileSync(join(folder, "edge.xml"), "<config/>\n");
  execFileSync("mkfifo", [join(folder, "pipe")]);
});
afterEach(() => rmSync(folder, { recursive: true }));

const MEMORY = "{ kind: memory, file: edge.xml }";

function configure(more: string, target = MEMORY): void {
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: o\ndocuments: [docs]\n${more}\ntargets:\n  edge: ${target}\n`);
}

/** Runs a command and returns all that it prints. */
async function printed(...words: string[]): Promise<string> {
  let text = "";
  const write = (part: string) => (text += part);
  await runCli(words, {
    environment: { HOME: folder, PATH: process.env.PATH, PLUMBLINE_STATE_DIR: join(folder, "state"), PASSWORD: "p" },
    folder,
    stdout: { write },
    stderr: { write },
    now: () => new Date(),
    stop: new AbortController().signal,
  });
  return text;
}

const plan = async (): Promise<string> => `${await printed("plan")}${await printed("plan", "--format", "json", "--log-level", "debug")}`;

function link(to: string, name: string): string {
  symlinkSync(to, join(folder, name));
  return name;
}

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ledger`;
}

/** Sends bytes until the client closes the connection, and counts them. */
function endless(sent: { bytes: number }): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { etag: '"1"' });
    const chunk = Buffer.alloc(1_048_576, 0x20);
    const more = (): void => {
      if (response.destroyed) return;
      sent.bytes += chunk.length;
      response.write(chunk, () => setImmediate(more));
    };
    more();
  };
}

describe("ledger:", () => {
  it.each([
    ["is not JSON", CANARY],
    ["is cut JSON", `{"password": "${CANARY}`],
    ["is other JSON", `{"format": 1, "ledgers": {"o": {"edge": "${CANARY}"}}}`],
    ["has another format", `{"format": 1, "ledgers": {"o": {"edge": "{\\"format\\": \\"${CANARY}\\"}"}}}`],
    [
      "has other rows",
      `{"format": 1, "ledgers": {"o": {"edge": "{\\"format\\":2,\\"rows\\":{\\"${CANARY}\\":{\\"came\\":\\"${CANARY}\\"}},\\"writers\\":[]}"}}}`,
    ],
    [
      "belongs to another owner",
      `{"format": 1, "ledgers": {"o": {"edge": "{\\"format\\":2,\\"rows\\":{},\\"writers\\":[],\\"adopted\\":[],\\"secrets\\":{},\\"owner\\":\\"${CANARY}\\",\\"target\\":\\"edge\\"}"}}}`,
    ],
  ])("does not print a file that %s", async (_, text) => {
    writeFileSync(join(folder, "secret"), text);
    configure(`ledger: ${join(folder, "secret")}`);
    const said = await plan();
    expect(said).toContain("ledger");
    expect(said).not.toContain("canary");
  });

  it.each([
    ["/dev/zero", "is not a regular file"],
    ["/proc/self/environ", "belongs to the kernel"],
    ["pipe", "is not a regular file"],
  ])("does not read %s", async (name, why) => {
    configure(`ledger: ${resolve(folder, name)}`);
    expect(await plan()).toContain(why);
  });

  it("stops reading a URL that never ends", async () => {
    const sent = { bytes: 0 };
    configure(`ledger: ${await serve(endless(sent))}`);
    expect(await printed("plan")).toContain("more than 256 MB");
    expect(sent.bytes).toBeLessThan(600_000_000);
  });

  it("does not start to read a URL that announces too much", async () => {
    configure(`ledger: ${await serve((response) => response.writeHead(200, { etag: '"1"', "content-length": "9000000000" }).write(" "))}`);
    expect(await printed("plan")).toContain("more than 256 MB");
  });

  it("does not print the answer of a URL", async () => {
    configure(`ledger: ${await serve((response) => response.writeHead(200, { etag: '"1"' }).end(CANARY))}`);
    expect(await plan()).not.toContain("canary");
  });
});

describe("tls.ca:", () => {
  const firewall = (ca: string) =>
    `{ kind: panos, url: "https://127.0.0.1:9", tls: { ca: "${ca}" }, credentials: { username: u, password: "\${env:PASSWORD}" } }`;

  it.each([
    ["/dev/zero", "is not a regular file"],
    ["/proc/self/environ", "belongs to the kernel"],
    ["pipe", "is not a regular file"],
  ])("does not read %s", async (name, why) => {
    configure("", firewall(name));
    expect(await plan()).toContain(why);
  });

  it("does not read more than the maximum size of a list of authorities", async () => {
    writeFileSync(join(folder, "large"), Buffer.alloc(5_000_000));
    configure("", firewall("large"));
    expect(await plan()).toContain("has more than 4,194,304 bytes");
  });

  it("does not print a file without a certificate", async () => {
    writeFileSync(join(folder, "secret"), `-----BEGIN CERTIFICATE-----\n${CANARY}\n-----END CERTIFICATE-----\n`);
    configure("", firewall("secret"));
    expect(await plan()).not.toContain("canary");
  });
});

describe("file: of a memory target", () => {
  const outside = `<config><shared><tag><entry name="${CANARY}"/></tag></shared></config>\n`;
  beforeEach(() => {
    mkdirSync(join(folder, "..", "outside"), { recursive: true });
    afterTest(() => rmSync(join(folder, "..", "outside"), { recursive: true }));
    writeFileSync(join(folder, "..", "outside", "backup.xml"), outside);
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git", "backup.xml"), outside);
  });

  it.each([
    ["an absolute path", () => join(folder, "..", "outside", "backup.xml")],
    ["a relative path", () => "../outside/backup.xml"],
    ["a file in .git", () => ".git/backup.xml"],
    ["a link to a file", () => link("../outside/backup.xml", "link.xml")],
    ["a file in a linked folder", () => `${link("../outside", "linked")}/backup.xml`],
  ])("is not read outside the folder of plumbline.yaml: %s", async (_, file) => {
    configure("", `{ kind: memory, file: "${file()}" }`);
    const said = `${await plan()}${await printed("get", "/config", "--target", "edge")}`;
    expect(said).toContain("file-leaves-repository");
    expect(said).not.toContain("canary");
  });

  it("is read through a link inside the folder", async () => {
    writeFileSync(join(folder, "real.xml"), outside);
    configure("", `{ kind: memory, file: "${link("real.xml", "link.xml")}" }`);
    expect(await printed("get", "/config/shared", "--target", "edge")).toContain(CANARY);
  });

  it("does not wait for a FIFO", async () => {
    configure("", "{ kind: memory, file: pipe }");
    expect(await plan()).toContain("is not a regular file");
  });

  it.each([
    ["a text", CANARY],
    ["a name", `<config><${CANARY}`],
    ["an end tag", `<config></${CANARY}>`],
    ["an open element", `<${CANARY}></other>`],
    ["an entity", `<config>&${CANARY};</config>`],
    ["an attribute", `<config ${CANARY}="1" ${CANARY}="2"/>`],
    ["an encoding", `<?xml version="1.0" encoding="${CANARY}"?><config/>`],
  ])("does not print %s of a file that is not XML", async (_, text) => {
    writeFileSync(join(folder, "edge.xml"), text);
    configure("");
    const said = await plan();
    expect(said).toContain("xml-");
    expect(said).not.toContain("canary");
  });
});

describe("a link into .git", () => {
  beforeEach(() => {
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git", "config"), `[http]\n\textraheader = "AUTHORIZATION: ${CANARY}\n`);
  });

  it("is no document", async () => {
    configure("");
    execFileSync("ln", ["-s", "../.git/config", join(folder, "docs", "b.yaml")]);
    const said = await printed("validate");
    expect(said).toContain("file-leaves-repository");
    expect(said).not.toContain("canary");
  });

  it("is no configuration", async () => {
    execFileSync("ln", ["-s", ".git/config", join(folder, "plumbline.yaml")]);
    const said = await printed("validate");
    expect(said).toContain("file-leaves-repository");
    expect(said).not.toContain("canary");
  });
});

it("the process ends although a FIFO is named, which once blocked a thread through SIGTERM", async () => {
  configure(`ledger: ${join(folder, "pipe")}`, "{ kind: memory, file: pipe }");
  const environment = { PATH: process.env.PATH, HOME: folder, PLUMBLINE_STATE_DIR: join(folder, "state") };
  const child = spawn(process.execPath, [resolve("dist/cli.js"), "plan"], { cwd: folder, env: environment, stdio: "ignore" });
  afterTest(() => child.kill("SIGKILL"));
  expect((await once(child, "exit"))[0]).toBe(1);
});

it("a URL that sends a byte from time to time is read for a limited time", async () => {
  const url = await serve((response) => {
    response.writeHead(200, { etag: '"1"' });
    const timer = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(timer));
  });
  await expect(urlDocument(url, 100).read()).rejects.toThrow("timed out");
});
