import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Clone } from "../../../src/agent/git/clone.js";
import type { PlumblineError } from "../../../src/core/errors.js";
import { SecretValue } from "../../../src/core/secret.js";
import { makeCertificate } from "../../../src/lab/panos/http/certificate.js";
import { type GitServer, serveGit } from "./git-server.js";

const LOGIN = "ann:hunter2-ß";
const SECRETS = /hunter2|YW5uOmh1bnRlcjIt/;
let folder: string;
let server: GitServer;
let first: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "https-"));
  const origin = join(folder, "origin", "net.git");
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", origin]);
  const git = (...words: string[]) => execFileSync("git", ["-C", origin, ...words], { encoding: "utf8" }).trim();
  const tree = execFileSync("git", ["-C", origin, "mktree"], { input: "", encoding: "utf8" }).trim();
  first = git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit-tree", tree, "-m", "first");
  git("update-ref", "refs/heads/main", first);
  server = await serveGit(join(folder, "origin"), LOGIN);
  mkdirSync(join(folder, "home"));
  writeFileSync(join(folder, "ca.pem"), server.caPem);
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The agent's clone of it, for an agent whose user stores logins with git. */
async function opened(
  password: string | undefined,
  more: Readonly<Record<string, string | undefined>> = {},
  url = `${server.url}/net.git`,
): Promise<Clone> {
  const home = join(folder, "home");
  writeFileSync(join(home, ".gitconfig"), "[credential]\n\thelper = store\n");
  const clone = new Clone({
    access: { url, username: "ann", password: password === undefined ? undefined : new SecretValue(password, "${env:GIT}") },
    branch: "main",
    tag: undefined,
    stateFolder: join(folder, "state"),
    environment: {
      ...process.env,
      HOME: home,
      GIT_SSL_CAINFO: join(folder, "ca.pem"),
      GIT_TRACE_CURL: join(folder, "state", "trace"),
      ...more,
    },
    stop: new AbortController().signal,
  });
  await clone.open();
  return clone;
}

async function failure(clone: Clone): Promise<PlumblineError> {
  return (await clone.fetch().then(
    () => undefined,
    (error: unknown) => error,
  )) as PlumblineError;
}

/** Everything that was written by anybody. */
function written(): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
}

describe("a repository over https with a private authority and a login", () => {
  it("is fetched and pushed to, with the password in no argument and no file", async () => {
    const clone = await opened("hunter2-ß");
    expect((await clone.fetch()).commit).toBe(first);
    expect((await clone.git(["push", "--quiet", "origin", `${first}:refs/plumbline/o/edge`])).code).toBe(0);
    expect(server.asked).toContain(`Basic ${Buffer.from(LOGIN).toString("base64")}`);
    expect(server.commandLines.join("\n")).not.toMatch(SECRETS);
    if (existsSync("/proc/self/cmdline")) expect(server.commandLines.join("\n")).toContain("git");
    expect(written()).not.toMatch(SECRETS);
    expect(existsSync(join(folder, "home", ".git-credentials"))).toBe(false);
  });

  it.each([
    ["a wrong password", "hunter2-x"],
    ["no password", undefined],
  ])("says what to look at with %s", async (_, password) => {
    const error = await failure(await opened(password));
    expect(error).toMatchObject({ code: "source-unreachable", message: expect.stringContaining("127.0.0.1") });
    expect(error.next).toContain("PLUMBLINE_GIT_PASSWORD");
    expect(inspect(error) + error.message + error.next).not.toMatch(SECRETS);
    expect(written()).not.toMatch(SECRETS);
  });

  it("is not contacted with another authority or none", async () => {
    writeFileSync(join(folder, "other.pem"), (await makeCertificate(Date.now())).caPem);
    for (const authority of ["other.pem", "missing.pem"]) {
      const error = await failure(await opened("hunter2-ß", { GIT_SSL_CAINFO: join(folder, authority) }));
      expect(error.code).toBe("source-unreachable");
      expect(error.next).toContain("GIT_SSL_CAINFO");
      expect(inspect(error)).not.toMatch(SECRETS);
    }
    expect(server.asked).toEqual([]);
  });

  it("uses the authority from git settings in the environment", async () => {
    const settings = {
      GIT_SSL_CAINFO: undefined,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "http.sslCAInfo",
      GIT_CONFIG_VALUE_0: join(folder, "ca.pem"),
    };
    expect((await (await opened("hunter2-ß", settings)).fetch()).commit).toBe(first);
  });

  it("is the only server that gets the login, not a redirect target", async () => {
    const other = await serveGit(join(folder, "origin"), LOGIN);
    try {
      writeFileSync(join(folder, "ca.pem"), server.caPem + other.caPem);
      server.movedTo = other.url;
      const error = await failure(await opened("hunter2-ß"));
      expect(error.code).toBe("source-unreachable");
      expect(other.asked.length).toBeGreaterThan(0);
      expect(other.asked.join()).not.toMatch(SECRETS);
      expect(error.next).toContain("sent to no other server");
    } finally {
      await other.close();
    }
  });
});
