import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Context } from "../../src/cli/context.js";
import { readersFor } from "../../src/cli/open-targets.js";
import { openSession, passOptions } from "../../src/cli/terminal.js";
import { startPass } from "../../src/engine/pass/run-targets.js";
import { proposalsInLoop } from "../../src/pull-request/propose-in-loop.js";
import { type CliWorld, openWorld } from "../cli/world.js";
import { RecordingServer } from "./recording-server.js";

const ADDRESS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address";

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
  await world.run("reconcile");
});
afterEach(async () => {
  await server.close();
  await world.close();
  rmSync(bare, { recursive: true, force: true });
});

describe("proposals in a loop", () => {
  it("are one request per target, against the branch that the loop follows", async () => {
    const environment = {
      ...server.environment,
      PATH: process.env.PATH,
      PLUMBLINE_TARGET_EDGE_URL: world.lab.device.url,
      PLUMBLINE_TARGET_EDGE_CA: join(world.folder, "ca.pem"),
      PLUMBLINE_USER: "plumbline",
      PLUMBLINE_PASSWORD: "plumbline",
      PLUMBLINE_STATE_DIR: join(world.folder, "state"),
    };
    const silent = { write: () => true };
    const context: Context = {
      environment,
      folder: world.folder,
      stdout: silent,
      stderr: silent,
      now: () => new Date(),
      stop: new AbortController().signal,
    };
    const flags = { color: false, logLevel: "silent" };
    const session = openSession(flags, context);
    const readers = readersFor(session.logger);
    const told: string[] = [];
    const propose = proposalsInLoop({
      environment,
      readers,
      base: "live",
      proposed: (target, { done, branch }) => told.push(`${target} ${done} ${branch}`),
      failed: (target, { code }) => told.push(`${target} ${code}`),
    });
    const visit = async (drifts: number) => {
      for (const one of await startPass(passOptions(flags, context, session), readers)) await propose?.(one, drifts);
    };
    const change = (value: string) => {
      world.lab.device.act("mkovacs", {
        type: "config",
        action: "edit",
        xpath: `${ADDRESS}/entry[@name='db-01']/ip-netmask`,
        element: `<ip-netmask>${value}</ip-netmask>`,
      });
      world.lab.device.act("mkovacs", { type: "commit", cmd: "<commit/>" });
    };
    await visit(0);
    expect(told).toEqual([]);
    const before = server.requests.length;
    await visit(0);
    expect(server.requests).toHaveLength(before);
    change("10.9.9.9");
    server.faults.push({ method: "POST", fault: { status: 403 } });
    await visit(1);
    expect(told).toEqual(["edge code-host-forbidden"]);
    await visit(1);
    await visit(1);
    change("10.9.9.8");
    await visit(1);
    expect(server.pullRequests).toMatchObject([{ base: "live", state: "open" }]);
    const declared = /db-01: \{ ip-netmask: ([\d.]+)/.exec(readFileSync(join(world.folder, "desired-state/edge/objects.yaml"), "utf8"));
    change(declared?.[1] ?? "");
    await visit(0);
    expect(server.pullRequests).toMatchObject([{ base: "live", state: "closed" }]);
    const branch = expect.stringMatching(/^edge (proposed|updated|closed) plumbline\/drift\/[a-z-]+\/edge-[0-9a-f]{8}$/);
    expect(told.slice(1)).toEqual([branch, branch, branch]);
    expect(told.slice(1).map((line) => line.split(" ")[1])).toEqual(["proposed", "updated", "closed"]);
  });

  it("are not available without a code host", () => {
    const readers = readersFor(
      openSession({ color: false, logLevel: "silent" }, {
        stdout: { write: () => true },
        stderr: { write: () => true },
        environment: {},
      } as unknown as Context).logger,
    );
    expect(proposalsInLoop({ environment: {}, readers, base: undefined, proposed: () => {}, failed: () => {} })).toBeUndefined();
  });
});
