import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Context } from "../../src/cli/context.js";
import { readersFor } from "../../src/cli/open-targets.js";
import { openSession, passOptions } from "../../src/cli/terminal.js";
import { startPass } from "../../src/engine/pass/run-targets.js";
import { endsInLoop } from "../../src/pull-request/ends-in-loop.js";
import { kinds } from "../../src/targets/registry.js";
import { type CliWorld, openWorld } from "../cli/world.js";
import { RecordingServer } from "./recording-server.js";

const RULES = "desired-state/edge/rules/security.yaml";

let world: CliWorld;
let server: RecordingServer;
let bare: string;
beforeEach(async () => {
  world = await openWorld();
  server = await RecordingServer.start("gitea");
  bare = mkdtempSync(join(tmpdir(), "plumbline-bare-"));
  execFileSync("git", ["init", "-q", "--bare", "--initial-branch=main", bare]);
  execFileSync("git", ["-C", world.folder, "remote", "add", "origin", bare]);
  await world.run("adopt edge");
});
afterEach(async () => {
  await server.close();
  await world.close();
  rmSync(bare, { recursive: true, force: true });
});

it("keeps one request for rules that end within a week, and closes it when their end dates change", async () => {
  const environment = {
    ...server.environment,
    PATH: process.env.PATH,
    PLUMBLINE_TARGET_EDGE_URL: world.lab.device.url,
    PLUMBLINE_TARGET_EDGE_CA: join(world.folder, "ca.pem"),
    PLUMBLINE_USER: "plumbline",
    PLUMBLINE_PASSWORD: "plumbline",
    PLUMBLINE_STATE_DIR: join(world.folder, "state"),
  };
  let now = new Date("2027-01-20T12:00:00Z");
  const silent = { write: () => true };
  const stop = new AbortController().signal;
  const context: Context = { environment, folder: world.folder, stdout: silent, stderr: silent, now: () => now, stop };
  const flags = { color: false, logLevel: "silent" };
  const session = openSession(flags, context);
  const readers = readersFor(session.logger);
  const told: string[] = [];
  const propose = endsInLoop({
    environment,
    readers,
    designer: (kind) => kinds.get(kind)?.designer?.(),
    base: "live",
    proposed: (target, { done }) => told.push(`${target} ${done}`),
    failed: (target, { message }) => told.push(`${target} ${message}`),
  });
  const visit = async (day: string) => {
    now = new Date(`${day}T12:00:00Z`);
    for (const one of await startPass(passOptions(flags, context, session), readers)) await propose?.(one);
  };
  const describe = (name: string, text: string) => {
    const file = join(world.folder, RULES);
    const before = readFileSync(file, "utf8").replace(new RegExp(`(- name: ${name}\n) +description: .*\n`), "$1");
    writeFileSync(file, before.replace(`- name: ${name}\n`, `- name: ${name}\n          description: ${text}\n`));
    world.commit(text);
  };

  describe("collect-metrics", "CHG-1 [until 2027-02-01]");
  await visit("2027-01-20");
  expect([told, server.pullRequests]).toEqual([[], []]);
  await visit("2027-01-25");
  expect(told).toEqual(["edge proposed"]);
  expect(server.pullRequests).toMatchObject([{ base: "live", state: "open", title: "Remove ended rules of edge" }]);
  expect(server.pullRequests[0]?.body).toContain("remove collect-metrics: ends (last day 2027-02-01)");
  expect(server.pullRequests[0]?.body).toMatch(/- closes `office > .*tcp\/8443/);
  const inBare = (...words: string[]) => execFileSync("git", ["-C", bare, ...words], { encoding: "utf8" }).trim();
  const proposed = inBare("show", `${inBare("for-each-ref", "--format=%(refname)", "refs/heads/plumbline/ends")}:${RULES}`);
  expect(proposed).not.toContain("collect-metrics");
  await visit("2027-01-26");
  expect(told).toEqual(["edge proposed"]);
  await visit("2027-02-02");
  expect(told).toEqual(["edge proposed", "edge updated"]);
  expect(server.pullRequests[0]?.body).toContain("remove collect-metrics: ended (last day 2027-02-01)");
  describe("collect-metrics", "CHG-1 [until 2028-02-01]");
  await visit("2027-02-03");
  expect(told).toEqual(["edge proposed", "edge updated", "edge closed"]);
  expect(server.pullRequests).toMatchObject([{ state: "closed" }]);
  // The documents of the branch were never changed.
  expect(readFileSync(join(world.folder, RULES), "utf8")).toContain("- name: collect-metrics");
});

it("does nothing for a target of a kind whose end dates are not read", async () => {
  const failed: string[] = [];
  const propose = endsInLoop({
    environment: server.environment,
    readers: undefined as never,
    designer: (kind) => kinds.get(kind)?.designer?.(),
    base: "live",
    proposed: () => failed.push("proposed"),
    failed: (_, { message }) => failed.push(message),
  });
  // No other field of the context may be read.
  await propose?.({ configuration: { kind: "memory" } } as never);
  expect(failed).toEqual([]);
  expect(server.pullRequests).toEqual([]);
});
