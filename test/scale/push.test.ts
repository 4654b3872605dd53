import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import type { TreeNode } from "../../src/core/tree/node.js";
import type { PushTrouble } from "../../src/lab/panos/manager/attachment.js";
import { setConnected } from "../../src/lab/panos/manager/push.js";
import type { RunningLab } from "../../src/lab/panos/start.js";
import { MANAGER, managed, pushOf, SERIALS } from "../lab/panos/manager/managed-lab.js";
import { shuffled } from "../shuffled.js";
import { generator, SEED } from "./random.js";
import { type AgentProcess, type OtherWorld, ScaleWorld } from "./world.js";

console.log(`seed of the pushes: PLUMBLINE_FAULT_SEED=${SEED}`);
const random = generator(SEED);
const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
const ROUNDS = Number(process.env.PLUMBLINE_PUSH_ROUNDS ?? (process.env.PLUMBLINE_SOAK === undefined ? "3" : "200"));
/** Longer than two retries of a target that failed: 45 and 90 seconds. */
const BOUND = 240_000;
const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
/** Firewalls that documents reach. */
const REACHED = ["a", "b"] as const;
type Name = (typeof REACHED)[number];

let world: ScaleWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const stateOf = (lab: RunningLab, name: string) => {
  const found = lab.devices.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no device ${name}`);
  return found.state;
};
const holds = (node: TreeNode, tag: string): boolean => node.name === tag || node.children.some((child) => holds(child, tag));
/** Whether a firewall got a tag, according to the lab's trees. */
const has = (lab: RunningLab, name: string, tag: string): boolean =>
  [...(stateOf(lab, name).attachment?.handed.policies.values() ?? [])].some(({ tree }) => holds(tree, tag));

const other: OtherWorld = {
  devices: managed({ name: "manager", config: MANAGER }).map((each) => ({ ...each, jobDuration: 60 })),
  target: `firewalls: verify, push: { timeout: 10, rollout: { canary: ["${SERIALS.a}"] } }`,
  documents: (entries) => {
    const tags = Object.keys(entries).map((tag) => `${tag}: { comments: ours }`);
    return `target: manager\nscope: device-group/offices\nconfig: { tag: { ${tags.join(", ")} } }\n`;
  },
  isAsWanted: (lab, entries) => {
    const { running, locks } = stateOf(lab, "manager");
    const isHere = (tag: string) => holds(running, tag) && REACHED.every((name) => has(lab, name, tag));
    return Object.keys(entries).every(isHere) && locks.list("config", "all").length === 0;
  },
};

/** Contradictions between the labs' journals and the actions and reports of the agents. */
class Checker {
  readonly broken: string[] = [];
  /** Tags of documents by commit. They only ever become more. */
  readonly wanted = new Map<string, readonly string[]>();
  /** Commits of another administrator that are not pushed yet. */
  readonly staying = new Set<string>();
  readonly #world: ScaleWorld;
  #orders = 0;
  #commits = 0;

  constructor(world: ScaleWorld) {
    this.#world = world;
    const run = () => this.look();
    world.lab.fault({ match: {}, effect: { kind: "call", when: "after", run }, count: Number.MAX_SAFE_INTEGER });
  }

  look(): void {
    const { lab } = this.#world;
    const { pushes, commits } = stateOf(lab, "manager");
    const tags = [...this.wanted.values()].at(-1) ?? [];
    const lacks = (name: Name) => tags.some((tag) => holds(stateOf(lab, "manager").running, tag) && !has(lab, name, tag));
    for (const { admin, serials, validateOnly, mergesCandidate, templates, job } of pushes.slice(this.#orders)) {
      if (admin !== "netops") continue;
      if (serials.includes(SERIALS.c)) this.broken.push(`order ${job} names a firewall that no document reaches`);
      if (mergesCandidate || templates.length > 0) this.broken.push(`order ${job} takes more along than was asked`);
      if (!validateOnly && serials.includes(SERIALS.b) && lacks("a")) this.broken.push(`order ${job} goes out before the canary has it`);
    }
    this.#orders = pushes.length;
    for (const { admin, edits, job } of commits.slice(this.#commits))
      if (admin === "netops" && edits.some((edit) => edit.admin !== "netops")) this.broken.push(`commit ${job} took others' work along`);
    this.#commits = commits.length;
    for (const tag of this.staying)
      for (const name of REACHED) if (has(lab, name, tag)) this.broken.push(`${tag} of a colleague's came to ${name}`);
  }

  /** Each pass that reported success was right. */
  said({ lines }: AgentProcess): void {
    for (const line of lines) {
      const [what, , result = "", , commit = "", open] = line.split(" ");
      if (what !== "pass" || open !== "whole" || !["in-sync", "applied"].includes(result)) continue;
      const missing = (this.wanted.get(commit) ?? []).filter((tag) => REACHED.some((name) => !has(this.#world.lab, name, tag)));
      if (missing.length > 0) this.broken.push(`${line}, and firewalls lack ${missing.join()}`);
    }
  }
}

const TROUBLES: readonly PushTrouble[] = [
  { kind: "fails", lines: ["Commit failed"] },
  { kind: "left-out" },
  { kind: "reverts" },
  { kind: "slow", duration: 800 },
  { kind: "loses", name: "above" },
];
const BEFALLS = ["nothing", "trouble", "away", "forget", "elsewhere"] as const;

/** Lets something befall the manager or a firewall at a moment, and ends it after a while. */
async function befall({ lab }: ScaleWorld, checker: Checker, round: number): Promise<string> {
  const what = pick(BEFALLS);
  const name = pick(REACHED);
  const alice = async (params: Readonly<Record<string, string>>) => {
    // While an agent holds a lock a colleague tries again, as people do.
    for (let tries = 0; tries < 1000 && lab.device.act("alice", params).status !== "success"; tries++) await wait(20);
  };
  const commit = async (group: string, tag: string) => {
    await alice({
      type: "config",
      action: "set",
      xpath: `${DEVICE}/device-group/entry[@name='${group}']/tag`,
      element: `<entry name='${tag}'/>`,
    });
    await alice({ type: "commit", cmd: "<commit><partial><admin><member>alice</member></admin></partial></commit>" });
  };
  const device = stateOf(lab, name);
  const [before, during] = [random() * 1500, random() * 2500];
  await wait(before);
  if (what === "trouble" && device.attachment !== undefined) device.attachment.trouble = pick(TROUBLES);
  if (what === "away") setConnected(device, false);
  if (what === "forget") stateOf(lab, "manager").jobs.forget();
  if (what === "elsewhere") await commit("plants", `elsewhere-${round}`);
  await wait(during);
  const isLosing = device.attachment?.trouble?.kind === "loses";
  if (device.attachment !== undefined) device.attachment.trouble = undefined;
  setConnected(device, true);
  checker.look();
  // A firewall that differs from its report blocks all others until an administrator corrects it (docs/manager.md#waves).
  if (isLosing) {
    await wait(500);
    checker.staying.clear();
    await alice({ type: "commit", action: "all", cmd: pushOf({ branch: [] }) });
  }
  return `${what} at ${name}, from ${Math.round(before)} ms for ${Math.round(during)} ms`;
}

it(`agents that are killed with SIGKILL at any of ${ROUNDS} points of pushes deliver every change to every firewall, and nothing else`, {
  timeout: (ROUNDS + 2) * BOUND,
}, async () => {
  world = await ScaleWorld.start({ targets: 1, other });
  const { lab } = world;
  const checker = new Checker(world);
  const alice = (params: Readonly<Record<string, string>>) => expect(lab.device.act("alice", params).status).toBe("success");
  const pushAll = () => alice({ type: "commit", action: "all", cmd: pushOf({ branch: [], plants: [] }) });
  pushAll();
  let entries: Readonly<Record<string, string>> = { n0: "" };
  const want = (tags: Readonly<Record<string, string>>) => {
    entries = tags;
    checker.wanted.set(world?.want(tags) ?? "", Object.keys(tags));
  };
  want(entries);
  let agents = [0, 1, 2].map(() => world?.startAgent() as AgentProcess);
  await world.converged(BOUND);
  const told: string[] = [];
  let midst = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const theirs = `theirs-${round}`;
    const isWaiting = random() < 0.25;
    if (isWaiting) {
      alice({
        type: "config",
        action: "set",
        xpath: `${DEVICE}/device-group/entry[@name='all']/tag`,
        element: `<entry name='${theirs}'/>`,
      });
      alice({ type: "commit", cmd: "<commit><partial><admin><member>alice</member></admin></partial></commit>" });
      checker.staying.add(theirs);
      await wait(100);
    }
    const { pushes, commits } = stateOf(lab, "manager");
    const began = pushes.length + commits.length;
    want({ ...entries, [`n${round}`]: "" });
    const happens = befall(world, checker, round);
    const isOrdered = () => pushes.length + commits.length > began;
    for (let looks = 0; looks < 400 && !isOrdered(); looks++) await wait(isWaiting ? 10 : 25);
    const moment = random() * (isWaiting ? 4000 : 1200);
    await wait(moment);
    if (isOrdered() && !other.isAsWanted(lab, entries)) midst += 1;
    // Any of them may do the work.
    for (const victim of agents.splice(0, 1 + Math.floor(random() * agents.length))) {
      await world.kill(victim);
      checker.said(victim);
      agents.push(world.startAgent());
    }
    agents = shuffled(agents, random);
    told.push(`round ${round}: killed at ${Math.round(moment)} ms; ${await happens}${isWaiting ? "; a colleague's work waits" : ""}`);
    if (isWaiting) {
      checker.look();
      checker.staying.delete(theirs);
      pushAll();
    }
    try {
      await world.converged(BOUND);
    } catch (error) {
      throw new Error(told.slice(-3).join("\n"), { cause: error });
    }
    checker.look();
    expect(checker.broken, told.slice(-3).join("\n")).toEqual([]);
  }
  for (const agent of agents) checker.said(agent);
  console.log(`${midst} of ${ROUNDS} were killed between the first order and the last firewall`);
  expect(checker.broken).toEqual([]);
});
