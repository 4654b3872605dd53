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
/** Of the image that runs, the last. */
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

describe("its environment", () => {
  const image = stagesOf(text).at(-1) ?? [];
  const rows = image.filter(({ name }) => name === "ENV").flatMap((row) => row.text.split(/\s+/));
  const environment = Object.fromEntries(rows.map((row) => row.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const workdir = image.filter(({ name }) => name === "WORKDIR").at(-1)?.text ?? "";

  it("lets git read a checkout of another user in the mounted folders, and nowhere else", async () => {
    const [at] = Object.entries(environment).find(([, value]) => value === "safe.directory") ?? [""];
    const place = at.replace("KEY", "VALUE");
    expect(environment[place]).toBe(workdir);
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "mounted-")));
    const status = (more: NodeJS.ProcessEnv) =>
      run("git", ["status", "--porcelain"], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, GIT_TEST_ASSUME_DIFFERENT_OWNER: "1", ...environment, ...more },
      });
    await run("git", ["init", "--quiet", folder]);
    await expect(status({})).rejects.toThrow("dubious ownership");
    expect((await status({ [place]: folder })).stdout).toBe("");
    rmSync(folder, { recursive: true });
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
