import fc from "fast-check";
import { expect, it } from "vitest";
import type { TreeNode } from "../../../src/core/tree/node.js";
import type { Effect } from "../../../src/lab/panos/faults/fault.js";
import { groupMembers } from "../../../src/lab/panos/manager/memberships.js";
import { groupSum } from "../../../src/lab/panos/manager/receive.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld } from "./managed-world.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const PUSH = `{ timeout: 1, rollout: { canary: ["${SERIALS.a}"] } }, firewalls: verify`;

/** The fault of the nth request of a run, or an action of another administrator right after it. */
const EFFECTS: Readonly<Record<string, (world: ManagedWorld) => Effect>> = {
  "connection drops": () => ({ kind: "drop" }),
  "reply is lost": () => ({ kind: "drop-reply" }),
  "reply is cut": () => ({ kind: "cut", announced: "whole" }),
  "proxy says 502": () => ({ kind: "html", status: 502 }),
  "manager is busy": () => ({ kind: "busy" }),
  "key is no longer good": () => ({ kind: "revoke-key" }),
  "job fails": () => ({ kind: "job-fails" }),
  "commit does nothing": () => ({ kind: "job-does-nothing" }),
  "manager is started again": (world) => behind(() => forget(world)),
  "colleague pushes all": (world) => behind(() => world.pushByHand("branch", "plants")),
  "colleague commits elsewhere": (world) => behind(() => world.commitByHand(`${DEVICE}/device-group/entry[@name='plants']`)),
  "firewall leaves the group": (world) => behind(() => move(world, "b", "branch", "all")),
};

function behind(run: () => void): Effect {
  return { kind: "call", when: "after", run };
}

/** Once Plumbline has pushed, it waits for a commit whose job is forgotten as long as commits may take. */
function forget(world: ManagedWorld): void {
  if (world.pushes.length > 0) world.device("manager").jobs.forget();
}

/** Alice takes a firewall from a group and gives it to another one, and commits. */
function move(world: ManagedWorld, name: keyof typeof SERIALS, from: string, to: string): void {
  const at = (group: string) => `${DEVICE}/device-group/entry[@name='${group}']/devices`;
  world.alice({ type: "config", action: "delete", xpath: `${at(from)}/entry[@name='${SERIALS[name]}']` });
  world.alice({ type: "config", action: "set", xpath: at(to), element: `<entry name="${SERIALS[name]}"/>` });
  world.alice({ type: "commit", cmd: "<commit/>" });
  world.alice({ type: "op", cmd: "<show><jobs><all/></jobs></show>" });
}

/** Whether a firewall was handed the tag, by the lab's own trees. */
function has(world: ManagedWorld, name: keyof typeof SERIALS, tag = "ours"): boolean {
  const holds = (node: TreeNode): boolean => node.name === tag || node.children.some(holds);
  return [...(world.device(name).attachment?.handed.policies.values() ?? [])].some(({ tree }) => holds(tree));
}

/** Jobs that Plumbline must not start, judged by the state of the lab at that time. */
function watchOrders(world: ManagedWorld, broken: string[]): void {
  const manager = world.device("manager");
  const isCurrent = (name: "a" | "b") => world.device(name).attachment?.handed.policies.get("vsys1")?.sum === groupSum(manager, "branch");
  let before: { readonly orders: number; readonly current: readonly string[] } = { orders: 0, current: [] };
  const look = () => {
    before = { orders: manager.pushes.length, current: (["a", "b"] as const).filter(isCurrent) };
  };
  const judge = () => {
    const order = manager.pushes.length > before.orders ? manager.pushes.at(-1) : undefined;
    if (order?.admin !== "plumbline") return;
    const names = (["a", "b", "c"] as const).filter((name) => order.serials.includes(SERIALS[name]));
    if (names.includes("c")) broken.push("a firewall that the plan does not name");
    if (order.validateOnly) return;
    if (names.includes("b") && !before.current.includes("a")) broken.push("before the canary has it");
    // Between the last check and the job request, another administrator may push the same, which nothing prevents.
    const isAlone = manager.pushes.filter(({ admin }) => admin !== "plumbline").length === 1;
    if (isAlone && names.every((name) => before.current.includes(name))) broken.push(`again to ${names.join()}, which has it`);
  };
  const match = { cmd: "<commit-all>" };
  world.lab.fault({ match, effect: { kind: "call", when: "before", run: look }, count: 10_000 });
  world.lab.fault({ match, effect: { kind: "call", when: "after", run: judge }, count: 10_000 });
}

/** Firewalls that the current documents reach. */
function reached(world: ManagedWorld): readonly ("a" | "b")[] {
  const members = groupMembers(world.device("manager").running, "branch").map(({ serial }) => serial);
  return (["a", "b"] as const).filter((name) => members.includes(SERIALS[name]));
}

const RUNS = process.env.PLUMBLINE_SOAK === undefined ? 6 : 400;

it("with any fault at any request of a push, no other firewall gets it, no false result is reported, and all affected ones get it in the end", async () => {
  const meeting = fc.record({ nth: fc.integer({ min: 8, max: 104 }), what: fc.constantFrom(...Object.keys(EFFECTS)) });
  await fc.assert(
    fc.asyncProperty(fc.array(meeting, { minLength: 1, maxLength: 2 }), async (meetings) => {
      const world = await ManagedWorld.start(PUSH);
      const broken: string[] = [];
      watchOrders(world, broken);
      world.want("ours");
      for (const { nth, what } of meetings) {
        const effect = EFFECTS[what]?.(world);
        if (effect !== undefined) world.lab.fault({ match: { nth, admin: "plumbline" }, effect });
      }
      for (let run = 0; run < 4; run++) {
        const outcome = await world.reconcile();
        const { error } = outcome;
        if (run === 1) {
          world.lab.clearFaults();
          watchOrders(world, broken);
        }
        expect(error?.code).not.toBe("unexpected");
        if (error !== undefined) expect(error.next).toBeDefined();
        if (exitCode([outcome]) === 0 && !reached(world).every((name) => has(world, name))) broken.push("done without all of them");
        world.machine = { ...world.machine, pid: world.machine.pid + 1, isAlive: () => false };
        if (exitCode([outcome]) === 0) break;
        // An administrator checks whose change it is, and allows it.
        if (error?.code === "push-foreign" || outcome.plan?.refusals.some(({ guard }) => guard === "unpushed") === true)
          world.allow.set("unpushed", "");
      }
      world.lab.clearFaults();
      watchOrders(world, broken);
      const last = await world.reconcile();
      expect({
        broken,
        code: exitCode([last]),
        error: last.error?.message,
        lost: reached(world).filter((name) => !has(world, name)),
      }).toEqual({
        broken: [],
        code: 0,
        error: undefined,
        lost: [],
      });
    }),
    { numRuns: RUNS },
  );
});
