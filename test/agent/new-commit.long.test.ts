import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AgentEvent } from "../../src/agent/events.js";
import { Rollouts } from "../../src/agent/rollouts.js";
import { AgentWorld } from "./world.js";

const HOUR = 3_600_000;
let world: AgentWorld;
afterEach(() => world.close());

/** Two targets of which `edge` gets each commit first, and cannot be reached after the first one. */
async function begin(environment: (world: AgentWorld) => void = () => undefined): Promise<void> {
  world = await AgentWorld.start({ targets: ["edge", "core"], agent: "rollout: { canary: [edge] }" });
  environment(world);
  await world.run();
  for (const name of world.names) await world.event("applied", ({ target }) => target === name);
  await world.settle();
  world.lab.fault({ match: { device: "edge" }, effect: { kind: "html", status: 502 }, count: 1000 });
  for (const name of world.names) world.want(name, { a: "10.0.0.2" });
}

function push(): string {
  const commit = world.push("second");
  world.open?.agent.fetchSoon("webhook");
  return commit;
}

/** Defines the result of the next due visit of `core`. */
async function lookedAt(): Promise<AgentEvent> {
  const from = world.events.length;
  const isCore = ({ target }: { readonly target: string }): boolean => target === "core";
  world.clock.advance(HOUR);
  return await Promise.race([world.event("held", isCore, from), world.event("applied", isCore, from)]);
}

/** A git that waits when it reads notices, while the file `gate` exists. */
function slowGit({ folder, environment }: AgentWorld): void {
  const bin = join(folder, "bin");
  const lines = [
    "#!/bin/sh",
    `case "$*" in *notices*|*ls-remote*refs/plumbline*) while [ -e ${folder}/gate ]; do : > ${folder}/waits; sleep 0.02; done;; esac`,
    `export PATH="\${PATH#*:}"`,
    `exec git "$@"`,
  ];
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), `${lines.join("\n")}\n`, { mode: 0o755 });
  environment.PATH = `${bin}:${environment.PATH}`;
}

describe("a new commit", () => {
  it("reaches no target early while it is reported", async () => {
    await begin();
    let goOn = (): void => undefined;
    const told = new Promise<void>((done) => {
      goOn = done;
    });
    world.open?.events.listen(({ type }) => (type === "commit-in-force" ? told : undefined));
    push();
    await world.event("commit-in-force", ({ previous }) => previous !== undefined);
    const seen = await lookedAt();
    goOn();
    expect(seen).toMatchObject({ type: "held", reason: "rollout" });
    expect(world.addressesOf("core").a).toBe("10.0.0.1");
  });

  it("reaches no target early while its notices are read", async () => {
    await begin(slowGit);
    writeFileSync(join(world.folder, "gate"), "");
    push();
    while (!existsSync(join(world.folder, "waits"))) await wait(10);
    let isOver = false;
    const seen = lookedAt().finally(() => {
      isOver = true;
    });
    // Long enough for a visit that does not wait.
    await Promise.race([seen, wait(1000)]);
    rmSync(join(world.folder, "gate"));
    for (; !isOver; await wait(10)) world.clock.advance(1000);
    expect(await seen).toMatchObject({ type: "held", reason: "rollout" });
    expect(world.addressesOf("core").a).toBe("10.0.0.1");
  });

  it("that arrives during a visit and equals its result is not applied again", async () => {
    await begin();
    world.lab.clearFaults();
    const commit = push();
    // Targets become due while the commit is activated.
    world.clock.advance(HOUR);
    for (const name of world.names) await world.event("applied", ({ target }) => target === name);
    await world.settle();
    for (const name of world.names) expect(world.addressesOf(name).a).toBe("10.0.0.2");
    const ended = world.events.filter((event) => event.type === "pass-ended" && event.commit === commit && event.result === "applied");
    expect(ended).toHaveLength(world.names.length);
  });
});

it("a commit that an unexpected error delays is used a minute later, and visits continue", async () => {
  world = await AgentWorld.start();
  await world.run();
  await world.event("applied");
  await world.settle();
  const thrown = new Promise<void>((done) => {
    vi.spyOn(Rollouts.prototype, "begin").mockImplementationOnce(() => {
      done();
      throw new Error("nobody foresaw this");
    });
  });
  world.want("edge", { a: "10.0.0.2" });
  world.push("second");
  world.open?.agent.fetchSoon("webhook");
  await thrown;
  await world.settle();
  expect(world.faults.splice(0)).toMatchObject([{ message: "nobody foresaw this" }]);
  expect(world.addressesOf().a).toBe("10.0.0.1");
  await world.after(61_000, "applied");
  expect(world.addressesOf().a).toBe("10.0.0.2");
});
