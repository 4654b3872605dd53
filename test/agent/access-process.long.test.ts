import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AccessProcessOptions, type AccessQuestion, answerInProcess } from "../../src/agent/access-process.js";
import type { AccessView } from "../../src/agent/page/view.js";
import type { PlumblineError } from "../../src/core/errors.js";
import { type CliWorld, openWorld } from "../cli/world.js";
import { RecordingServer } from "../pull-request/recording-server.js";

const PROGRAM = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const SSH: AccessQuestion = {
  target: "edge",
  request: { from: "web-01", to: "db-01", service: "tcp/22", application: "ssh" },
  reason: "CHG-1",
  requester: "ann",
  until: "2999-12-31",
  choose: 1,
  acceptExcess: false,
  propose: undefined,
};

let world: CliWorld;
let stop: AbortController;
beforeEach(async () => {
  world = await openWorld();
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await world.close();
});

const git = (...words: string[]): string => execFileSync("git", ["-C", world.folder, ...words], { encoding: "utf8" }).trim();

function options(more: Partial<AccessProcessOptions> = {}): AccessProcessOptions {
  const environment = {
    HOME: world.folder,
    PATH: process.env.PATH,
    PLUMBLINE_STATE_DIR: join(world.folder, "state"),
    PLUMBLINE_TARGET_EDGE_URL: world.lab.device.url,
    PLUMBLINE_TARGET_EDGE_CA: join(world.folder, "ca.pem"),
    PLUMBLINE_USER: "plumbline",
    PLUMBLINE_PASSWORD: "plumbline",
    ...more.environment,
  };
  const common = { program: PROGRAM, words: ["answer-access"], settings: { base: "main" }, folder: world.folder, stop: stop.signal };
  return { ...common, ...more, environment };
}

async function ask(question: Partial<AccessQuestion>, more: Partial<AccessProcessOptions> = {}): Promise<AccessView> {
  const commit = git("rev-parse", "HEAD");
  const source = { repository: world.folder, file: "desired-state/plumbline.yaml", commit };
  return await answerInProcess({ ...SSH, ...question }, source, options(more));
}

const failure = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "answered",
    ({ code, message }: PlumblineError) => `${code}: ${message}`,
  );

function expectNoTrace(): void {
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  expect(git("status", "--porcelain", "desired-state")).toBe("");
}

describe("the process that answers access requests", () => {
  it("designs the edit that the command designs, with the person and the end date, and writes nothing", async () => {
    const view = await ask({});
    expect(view).toMatchObject({ state: "designed", scope: "vsys1", chosen: 1, faults: [], canPropose: false, target: "edge" });
    expect(view.request).toMatchObject({ from: "web-01", fromZone: "web", toZone: "db" });
    expect(view.now.join("\n")).toContain("deny   deny-all  edge/rules/security.yaml:");
    expect(view.designs[0]).toEqual({
      summary: "add rule web-01-to-db-01-ssh above rule deny-all (service application-default)",
      isPartial: false,
      excess: [],
      notes: ["As most of the other allow rules: log-setting to-siem."],
    });
    const lines = view.files.flatMap((file) => file.lines).map((line) => line.trim());
    expect(lines).toContain("+          description: CHG-1, requested by ann [until 2999-12-31]");
    expect(lines.filter((line) => !/^[+@]/.test(line))).toEqual([]);
    expect(view.digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await ask({})).digest).toBe(view.digest);
    expectNoTrace();
  });

  it("follows the path of a flow if no target is named, and its edit has another digest", async () => {
    const view = await ask({ target: undefined });
    expect(view).toMatchObject({ state: "designed", target: "", scope: "", chosen: 1, designs: [], faults: [] });
    expect(view.hops).toMatchObject([{ target: "edge", scope: "vsys1", state: "designed" }]);
    expect(view.hops[0]?.designs[0]?.summary).toContain("add rule ");
    const named = await ask({});
    expect(view.files.length).toBeGreaterThan(0);
    expect(view.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(view.digest).not.toBe(named.digest);
    expectNoTrace();
  });

  it("answers about the commit, not about files that are not committed", async () => {
    writeFileSync(join(world.folder, "desired-state/edge/rules/security.yaml"), "nonsense: [\n");
    const view = await ask({ request: { ...SSH.request, service: "tcp/5432", application: "postgres" } });
    expect(view).toMatchObject({ state: "allowed", designs: [], files: [], digest: "" });
    expect(view.now.join("\n")).toContain("allow  web-to-db");
  });

  it("shows flows outside the request, and has an edit only if they are accepted", async () => {
    const request = { from: "10.30.0.5", to: "db-01", service: "tcp/5432", application: "postgres" };
    const view = await ask({ request, choose: 3 });
    expect(view.designs[2]?.excess.length).toBeGreaterThan(0);
    expect([view.files, view.digest]).toEqual([[], ""]);
    expect((await ask({ request, choose: 3, acceptExcess: true })).digest).not.toBe("");
  });

  it("gives the reason of a refusal and of a target that cannot be read", async () => {
    expect(await ask({ request: { ...SSH.request, from: "nobody" } })).toMatchObject({
      state: "refused",
      reasons: [expect.stringContaining('There is no zone, address or object "nobody"')],
    });
    expect(await failure(ask({ until: "2001-01-01" }))).toBe("option-invalid: The end date 2001-01-01 is not a date from today on.");
    expect(await failure(ask({}, { environment: { PLUMBLINE_PASSWORD: "wrong" } }))).toMatch(/^login-refused: /);
    expectNoTrace();
  });

  it("proposes the edit of the answer once, and no other one", async () => {
    const server = await RecordingServer.start("gitea");
    try {
      execFileSync("git", ["init", "-q", "--bare", "--initial-branch=main", join(world.folder, "bare")]);
      git("remote", "add", "origin", join(world.folder, "bare"));
      git("push", "-q", "origin", "HEAD:main");
      const environment = {
        PLUMBLINE_HOST: "gitea",
        PLUMBLINE_API_URL: server.api,
        PLUMBLINE_REPOSITORY: server.repository,
        PLUMBLINE_TOKEN: server.token,
        PLUMBLINE_API_PLAINTEXT: "true",
      };
      const { digest, canPropose } = await ask({}, { environment });
      expect(canPropose).toBe(true);
      const other = await ask({ reason: "CHG-2", propose: digest }, { environment });
      expect(other.proposed).toBeUndefined();
      expect(git("ls-remote", "--heads", "origin").split("\n")).toHaveLength(1);
      const { proposed } = await ask({ propose: digest }, { environment });
      expect(proposed).toMatchObject({ isNew: true, url: expect.stringContaining("http") });
      const branch = proposed?.branch ?? "";
      expect(git("log", "-1", "--format=%B", `${git("ls-remote", "origin", branch).split("\t")[0]}`)).toContain("CHG-1, requested by ann");
      expect((await ask({ propose: digest }, { environment })).proposed).toMatchObject({ isNew: false, branch });
      expectNoTrace();
    } finally {
      await server.close();
    }
  });
});

describe("a process without an answer", () => {
  const stub = (text: string): Partial<AccessProcessOptions> => {
    const program = join(world.folder, "program.mjs");
    writeFileSync(program, text);
    return { program, words: [] };
  };

  it("is stopped at its limit, and its working tree is removed", async () => {
    const hanging = stub("process.on('message', () => { for (;;); });");
    expect(await failure(ask({}, { ...hanging, limits: { time: 1_000, memory: 64 } }))).toBe(
      "access-not-answered: The access request was not answered: it takes longer than 1 s.",
    );
    expect(await failure(ask({}, stub("process.on('message', () => process.exit(3));")))).toBe(
      "access-not-answered: The access request was not answered: the process that did it ended (exit 3).",
    );
    expectNoTrace();
  });

  it("ends with the agent", async () => {
    const asked = failure(ask({}, stub("process.on('message', () => { setTimeout(() => undefined, 60_000); });")));
    setTimeout(() => stop.abort(), 300);
    expect(await asked).toBe("interrupted: The run was stopped");
    expect(await failure(ask({}))).toBe("interrupted: The run was stopped");
    expectNoTrace();
  });
});
