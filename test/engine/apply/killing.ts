import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { LabWorld } from "./lab-world.js";
import { addressesOf, policy } from "./scenes.js";

const VICTIM = fileURLToPath(new URL("victim.mjs", import.meta.url));

export const WANTED = { a: "10.0.0.9", c: "10.0.0.3" };
const HOUR = 3_600_000;

export interface Death {
  /** The n-th step from 0; or the n-th request from 1 that changes something, whose reply is dropped. */
  readonly at: { readonly step: number; readonly moment: "before" | "after" } | { readonly changingRequest: number };
  /** Another administrator edits something else: not at all, before the run, or at the moment of death. */
  readonly foreign: "none" | "earlier" | "then";
  /** The next run finds the state folder, or starts on another machine with an empty one, an hour later. */
  readonly keepState: boolean;
}

/** Creates a world that was reconciled once and needs a change, a creation, a deletion and another reference. */
export async function prepare(world: LabWorld): Promise<void> {
  world.want(policy({ a: "10.0.0.1", b: "10.0.0.2" }, "b"));
  const first = await world.reconcile();
  if (first.error !== undefined) throw first.error;
  world.want(policy(WANTED, "c"));
}

/** Runs a victim to its death, or to its end when it never gets there. Resolves to whether it was killed. */
export async function kill(world: LabWorld, death: Death): Promise<boolean> {
  if (death.foreign === "earlier") foreignEdit(world);
  const step = "step" in death.at ? death.at : undefined;
  const child = spawn(process.execPath, [VICTIM, JSON.stringify({ files: world.files, death: step })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const strike = () => {
    if (death.foreign === "then") foreignEdit(world);
    child.kill("SIGKILL");
  };
  if ("changingRequest" in death.at) dropReply(world, death.at.changingRequest, strike);
  else onOutput(child, strike);
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => child.on("close", (_, by) => resolve(by)));
  world.lab.clearFaults();
  return signal === "SIGKILL";
}

/** The next run converges, and no foreign change was committed by us or lost. Judges by the device's own records. */
export async function expectConvergence(world: LabWorld, death: Death): Promise<void> {
  const next = await nextRun(world, death);
  expect(next.error).toBeUndefined();
  const { commits, running, candidate, violations } = world.lab.device.state;
  expect(addressesOf(running)).toEqual({ theirs: "192.0.2.9", ...WANTED });
  const carried = commits.filter(({ admin }) => admin === "netops").flatMap(({ edits }) => edits.map(({ admin }) => admin));
  expect(new Set(carried)).toEqual(new Set(["netops"]));
  expect(addressesOf(running, SHARED)).toEqual({ common: "192.0.2.1" });
  expect(candidate.pending.map(({ stamp }) => stamp.admin)).toEqual(foreignStands(world) ? ["alice"] : []);
  const digests = commits.filter(({ ok, edits }) => ok && edits.length > 0).map(({ description }) => description.split(" ")[2]);
  expect(new Set(digests).size).toBe(digests.length);
  expect(violations).toEqual([]);
  const before = commits.length;
  const last = await nextRun(world, death);
  expect(last.applied).toMatchObject({ operations: 0, proven: true });
  expect(commits).toHaveLength(before);
}

const SHARED = "/config/shared/address";
const FOREIGN = {
  type: "config",
  action: "set",
  xpath: SHARED,
  element: "<entry name='half-done'><ip-netmask>10.5.5.5</ip-netmask></entry>",
};

/** A refusal, because the device is locked as intended. */
function foreignEdit(world: LabWorld): void {
  world.lab.device.act("alice", FOREIGN);
}

function foreignStands(world: LabWorld): boolean {
  return world.lab.device.state.journal.some(({ admin, outcome }) => admin === "alice" && outcome?.status === "success");
}

/** After the n-th request that changes something was executed, the client is killed and gets no reply. */
function dropReply(world: LabWorld, nth: number, strike: () => void): void {
  let count = 0;
  const run = () => {
    const [request] = world.lab.device.state.journal.filter(({ admin }) => admin === "netops").slice(-1);
    if (request === undefined || !isChanging(request)) return;
    count += 1;
    if (count === nth) strike();
  };
  world.lab.fault({ match: { admin: "netops" }, effect: { kind: "call", when: "after", run }, count: Number.MAX_SAFE_INTEGER });
}

function isChanging({ type, action, cmd = "" }: { type: string; action: string | undefined; cmd: string | undefined }): boolean {
  if (type === "commit") return true;
  if (type === "config") return action !== "get" && action !== "show";
  return /^<(request|save|revert|validate|load)>/.test(cmd ?? "");
}

function onOutput(child: ChildProcess, strike: () => void): void {
  child.stdout?.on("data", (chunk: Buffer) => {
    if (chunk.toString().split("\n").includes("here")) strike();
  });
}

async function nextRun(world: LabWorld, { keepState }: Death) {
  if (keepState) return await world.reconcile();
  world.emptyState();
  return await world.later(HOUR).reconcile({ machine: { host: "another", isAlive: () => true } });
}
