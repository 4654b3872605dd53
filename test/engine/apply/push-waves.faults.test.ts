import fc from "fast-check";
import { expect, it } from "vitest";
import type { TreeNode } from "../../../src/core/tree/node.js";
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
  { kind: "loses", name: "above" },
];
/** An uncommitted change of an administrator on a firewall, until the round is over. */
const OWN = ["lock", "name", "uncommitted"] as const;
const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";

const round = fc.record({
  /** The run is killed the nth time that it reaches this point; 9 means never. */
  kill: fc.record({ step: fc.constantFrom(...STEPS), nth: fc.constantFrom(1, 2, 3, 9), isAfter: fc.boolean() }),
  name: fc.constantFrom<Name>("a", "b", "c"),
  trouble: fc.constantFrom(...TROUBLES),
  own: fc.option(fc.constantFrom(...OWN), { nil: undefined }),
  away: fc.option(fc.constantFrom<Name>("a", "b", "c"), { nil: undefined }),
  failsOver: fc.boolean(),
  isTwice: fc.boolean(),
});

/**
 * Writes on a firewall and returns a function that removes the change. A passive member accepts no writes, so they go to the active one.
 */
function putAt(world: ManagedWorld, name: Name, own: (typeof OWN)[number]): () => void {
  const device = world.lab.devices.find((each) => each.name === (own === "lock" ? name : "c"));
  const act = (params: Readonly<Record<string, string>>) => expect(device?.act("admin", params).status).toBe("success");
  const op = (what: "add" | "remove") => act({ type: "op", cmd: `<request><config-lock><${what}/></config-lock></request>` });
  if (own === "lock") {
    op("add");
    return () => op("remove");
  }
  const place = own === "name" ? "tag" : "address";
  const commit = () => own === "name" && act({ type: "commit", cmd: "<commit/>" });
  act({
    type: "config",
    action: "set",
    xpath: `${VSYS}/${place}`,
    element: `<entry name='above'>${own === "name" ? "" : "<ip-netmask>10.0.0.1</ip-netmask>"}</entry>`,
  });
  commit();
  return () => {
    act({ type: "config", action: "delete", xpath: `${VSYS}/${place}/entry[@name='above']` });
    commit();
  };
}

/** Firewalls whose configuration differs from their report, read directly from the lab's trees. */
function lost(world: ManagedWorld): Name[] {
  const holds = ({ name, children }: TreeNode): boolean => name === "above" || children.some(holds);
  return (["a", "b", "c"] as const).filter((name) => {
    const policies = [...(world.device(name).attachment?.handed.policies.values() ?? [])];
    return !policies.every(({ tree }) => holds(tree));
  });
}

function killAt({ step, nth, isAfter }: { readonly step: StepName; readonly nth: number; readonly isAfter: boolean }): StepObserver {
  let seen = 0;
  const look = (side: boolean) => (name: StepName) => {
    if (side === isAfter && name === step && ++seen === nth) throw new Error("killed");
  };
  return { before: look(false), after: look(true) };
}

/** Jobs that Plumbline must not start, judged by the lab's own state at the time of the request. */
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

it("in waves, with any failure, failover or kill: the canary is first, pair members are separate, and all get it in the end", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
      const rollout = `rollout: { canary: ["${SERIALS.c}"], batch: 2 }`;
      const world = await ManagedWorld.start(`{ timeout: 1, validate: false, ${rollout} }, firewalls: verify`, "a");
      const broken: string[] = [];
      watch(world, broken);
      world.write("above", "device-group/all", "{ tag: { above: { comments: ours } } }");
      const settle = (name: Name, trouble: PushTrouble | undefined) => {
        const { attachment } = world.device(name);
        if (attachment !== undefined) attachment.trouble = trouble;
      };
      for (const { kill, name, trouble, own, away, failsOver, isTwice } of rounds) {
        settle(name, trouble);
        const takeAway = own === undefined ? undefined : putAt(world, name, own);
        if (away !== undefined) setConnected(world.device(away), false);
        const other = isTwice ? world.reconcile(undefined, undefined, "other") : undefined;
        const outcomes = await Promise.all([world.reconcile(killAt(kill)), other]);
        for (const outcome of outcomes)
          if (outcome !== undefined && exitCode([outcome]) === 0 && lost(world).length > 0)
            broken.push(`done without ${lost(world).join()}`);
        settle(name, undefined);
        takeAway?.();
        if (away !== undefined) setConnected(world.device(away), true);
        if (failsOver) failOver(world.device("a"));
      }
      await world.reconcile();
      if (lost(world).length > 0) {
        if (exitCode([await world.reconcile()]) === 0) broken.push(`done without ${lost(world).join()}`);
        // An administrator checks the state and corrects it.
        world.pushByHand("branch", "plants");
        await world.reconcile();
      }
      const last = await world.reconcile();
      expect({ broken, error: last.error?.message, code: exitCode([last]) }).toEqual({ broken: [], error: undefined, code: 0 });
    }),
    { numRuns: 12 },
  );
});
