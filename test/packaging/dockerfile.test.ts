import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RecordingServer } from "../agent/recording-server.js";
import { faultsOf, stagesOf } from "./dockerfile.js";

const run = promisify(execFile);
const text = readFileSync("Dockerfile", "utf8");
/** The last stage is the image that runs. */
const BASE = /^FROM \S+\n/m.exec(text)?.[0] ?? "";

describe("the Dockerfile", () => {
  it("has no common mistake", () => {
    expect(faultsOf(text)).toEqual([]);
  });

  it.each([
    [BASE, "FROM node\n", "node has no tag of its own"],
    [BASE, "FROM node:24-bookworm-slim\n", "node:24-bookworm-slim has no digest"],
    ["USER node\n", "USER root\n", "runs as root"],
    ["USER node\n", "", "runs as root"],
    ["--omit=dev", "", "development tools are in the image"],
    ["rm -rf node_modules/@libsql/*-musl && ", "", "libraries for musl are in the image"],
    [" && find node_modules -name '*.map' -delete", "", "source maps are in the image"],
    ["HEALTHCHECK", "LABEL x=", "no health check"],
    [
      'ENTRYPOINT ["node", "/plumbline/dist/cli.js"]',
      "ENTRYPOINT node /plumbline/dist/cli.js",
      "a shell stands between the engine and the program",
    ],
    ["ENV NODE_ENV=production", "ENV FW_PASSWORD=x NODE_ENV=production", "ENV holds a secret"],
    ["COPY --from=build /build/release/package ./\n", "COPY . .\n", "the whole folder is copied into the image"],
    ["EXPOSE 9464\n", "RUN chown -R node /plumbline\n", "work is done after USER"],
  ])("would be caught with %j as %j", (from, to, fault) => {
    expect(text).toContain(from);
    expect(faultsOf(text.replace(from, to))).toContain(fault);
  });

  it("copies existing files that .dockerignore does not exclude", () => {
    const kept = readFileSync(".dockerignore", "utf8").split("\n");
    expect(kept).toEqual(expect.arrayContaining([".git", "**/node_modules", "**/*.pem", "**/*.key", "**/.env*"]));
    for (const { name, text: words } of stagesOf(text).flat()) {
      if (name !== "COPY" || words.startsWith("--from")) continue;
      for (const source of words.split(" ").slice(0, -1)) {
        expect(existsSync(source), source).toBe(true);
        expect(kept).not.toContain(source);
      }
    }
    for (const needed of ["src", "web", "packaging", "package.json", "schemas", "tsconfig.build.json"]) expect(kept).not.toContain(needed);
  });
});

describe("its git", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mounted-")));
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_SYSTEM: join(folder, "gitconfig"),
    GIT_TEST_ASSUME_DIFFERENT_OWNER: "1",
  };
  const git = (...words: string[]) => run("git", words, { cwd: folder, env: environment });
  const settings = [...text.matchAll(/git config --system (.+?)(?: \\)?$/gm)].map(([, words = ""]) => words.split(" "));

  afterAll(() => rmSync(folder, { recursive: true }));

  it("reads and fetches a checkout of another user in the mounted folder, and nowhere else", async () => {
    const [work, other] = [join(folder, "work"), join(folder, "other")];
    for (const each of [work, other]) {
      await run("git", ["init", "--quiet", each]);
      await run("git", ["-C", each, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "first"]);
    }
    await expect(git("clone", "--quiet", work, "before")).rejects.toThrow("dubious ownership");
    for (const words of settings) await git("config", "--system", ...words.map((word) => word.replace(/^\/work/, work)));
    expect((await git("-C", work, "status", "--porcelain")).stdout).toBe("");
    await git("clone", "--quiet", work, "after");
    await expect(git("-C", other, "status")).rejects.toThrow("dubious ownership");
    await expect(git("clone", "--quiet", other, "none")).rejects.toThrow("dubious ownership");
  });

  it("leaves no background process", async () => {
    const { stdout } = await git("config", "--system", "--list");
    expect(stdout).toContain("gc.autodetach=false");
    expect(stdout).toContain("maintenance.autodetach=false");
  });
});

describe("its health check", () => {
  const check = JSON.parse(/HEALTHCHECK.* CMD (\[.*\])/.exec(text)?.[1] ?? "[]") as string[];
  let server: RecordingServer;

  beforeAll(async () => {
    server = await RecordingServer.start();
  });

  afterAll(() => server.close());

  const verdict = async (): Promise<number> => {
    const [program = "", ...words] = check;
    const environment = { PATH: process.env.PATH, PLUMBLINE_PORT: new URL(server.url).port };
    return await run(program, words, { env: environment }).then(
      () => 0,
      (error: { code?: number }) => error.code ?? -1,
    );
  };

  it("requests the agent's health, and prints the answer", async () => {
    expect(await verdict()).toBe(0);
    server.answers.push(503, "drop");
    expect([await verdict(), await verdict()]).toEqual([1, 1]);
    expect(server.arrived.map(({ method, path }) => `${method} ${path}`)).toEqual(Array.from({ length: 3 }, () => "GET /healthz"));
  });
});
