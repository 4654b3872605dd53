import fc from "fast-check";
import { expect, it } from "vitest";
import type { StepName, StepObserver } from "../../../src/engine/apply/steps.js";
import { failOver } from "../../../src/lab/panos/commit/pair.js";
import type { PushTrouble } from "../../../src/lab/panos/manager/attachment.js";
import { setConnected } from "../../../src/lab/panos/manager/push.js";
import { groupSum } from "../../../src/lab/panos/manager/receive.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld } from "./managed-world.js";

type Name = keyof typeof SERIALS;

const STEPS: readonly StepName[] = ["push-wait", "push-local", "push-validate", "push", "push-arrival"];
const TROUBLES: readonly (PushTrouble | undefined)[] = [
  undefined,
  { kind: "fails", lines: ["Commit failed"] },
  { kind: "left-out" },
  { kind: "reverts" },
  { kind: "slow", duration: 60 },
];

const round = fc.record({
  /** The run is killed the nth time that it comes here; 9: it is not. */
  kill: fc.record({ step: fc.constantFrom(...STEPS), nth: fc.constantFrom(1, 2, 3, 9), isAfter: fc.boolean() }),
  name: fc.constantFrom<Name>("a", "b", "c"),
  trouble: fc.constantFrom(...TROUBLES),
  away: fc.option(fc.constantFrom<Name>("a", "b", "c"), { nil: undefined }),
  failsOver: fc.boolean(),
  isTwice: fc.boolean(),
});

function killAt({ step, nth, isAfter }: { readonly step: StepName; readonly nth: number; readonly isAfter: boolean }): StepObserver {
  let seen = 0;
  const look = (side: boolean) => (name: StepName) => {
    if (side === isAfter && name === step && ++seen === nth) throw new Error("killed");
  };
  return { before: look(false), after: look(true) };
}

/** What no order of ours may be, by what the lab knows itself at the moment of the order. */
function watch(world: ManagedWorld, broken: string[]): void {
  const manager = world.device("manager");
  const has = (name: Name) => {
    const { policies } = world.device(name).attachment?.handed ?? {};
    const group = name === "c" ? "plants" : "branch";
    const systems = name === "c" ? ["vsys1", "vsys2"] : ["vsys1"];
    return systems.every((vsys) => policies?.get(vsys)?.sum === groupSum(manager, group));
  };
  const look = () => {
    const order = manager.pushes.at(-1);
    if (order === undefined || order.validateOnly || order.admin !== "plumbline") return;
    const names = (["a", "b", "c"] as const).filter((name) => order.serials.includes(SERIALS[name]));
    if (names.includes("a") && names.includes("b")) broken.push("both halves of a pair in one job");
    if (!names.includes("c") && !has("c")) broken.push(`${names.join()} before the canary has it`);
    for (const [name, other] of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      const half = world.device(other);
      if (!names.includes(name) || world.device(name).haState !== "active") continue;
      if (!has(other) && half.attachment?.isConnected === true) broken.push(`${name}, which is active, before ${other}`);
    }
  };
  world.lab.fault({ match: { cmd: "<commit-all>" }, effect: { kind: "call", when: "after", run: look }, count: 10_000 });
}

it("in waves, whatever fails, is away, fails over or is killed: the canary first, halves apart, and all have it in the end", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
      const rollout = `rollout: { canary: ["${SERIALS.c}"], batch: 2 }`;
      const world = await ManagedWorld.start(`{ timeout: 1, validate: false, ${rollout} }`, "a");
      const broken: string[] = [];
      watch(world, broken);
      world.write("above", "device-group/all", "{ tag: { above: { comments: ours } } }");
      const settle = (name: Name, trouble: PushTrouble | undefined) => {
        const { attachment } = world.device(name);
        if (attachment !== undefined) attachment.trouble = trouble;
      };
      for (const { kill, name, trouble, away, failsOver, isTwice } of rounds) {
        settle(name, trouble);
        if (away !== undefined) setConnected(world.device(away), false);
        const other = isTwice ? world.reconcile(undefined, undefined, "other") : undefined;
        await Promise.all([world.reconcile(killAt(kill)), other]);
        settle(name, undefined);
        if (away !== undefined) setConnected(world.device(away), true);
        if (failsOver) failOver(world.device("a"));
      }
      await world.reconcile();
      const last = await world.reconcile();
      expect({ broken, error: last.error?.message, code: exitCode([last]) }).toEqual({ broken: [], error: undefined, code: 0 });
    }),
    { numRuns: 12 },
  );
});
