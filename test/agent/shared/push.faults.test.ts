import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { MANAGER, managed, pushOf, SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { startPostgres, type TestPostgres } from "../store/postgres.js";
import type { Sent } from "./gate.js";
import { type SharedAgentInTest, SharedWorld } from "./world.js";

const LEASE_AND_REQUEST = 30_000 + 60_000;

/** Requests of an agent between its commit on the manager and the push to the firewalls. */
const ORDERS = {
  commit: /type=commit(?!&action=all)/,
  validate: /<validate-only>yes/,
  push: /<validate-only>no/,
} as const;
type Order = keyof typeof ORDERS;
/** The agent stops before or after it sends the job request, or is suspended before it until another agent has finished. */
type When = "gone before" | "gone after" | "late with";
type Moment = readonly [When, Order, number];

const FEW: readonly Moment[] = [
  ["gone after", "push", 1],
  ["late with", "push", 2],
];
const ALL: readonly Moment[] = (["gone before", "gone after", "late with"] as const).flatMap((when) =>
  (["commit", "validate", "push"] as const).flatMap((order) => (order === "push" ? [1, 2] : [1]).map((nth): Moment => [when, order, nth])),
);

let postgres: TestPostgres;
let shared: SharedWorld;
let broken: string[];
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => await postgres.stop());
beforeEach(async () => {
  broken = [];
  const more = managed()
    .slice(1)
    .map((each) => ({ ...each, manager: "edge", jobDuration: 100 }));
  const target = `firewalls: verify, push: { timeout: 20, rollout: { canary: ["${SERIALS.a}"] } }`;
  shared = await SharedWorld.start(postgres, { target, device: { config: MANAGER }, more });
  const { world } = shared;
  byHand({ type: "commit", action: "all", cmd: pushOf({ branch: [], plants: [] }) });
  // In a group outside the documents, and uncommitted: it must stay unchanged.
  const plants = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='plants']/tag";
  byHand({ type: "config", action: "set", xpath: plants, element: "<entry name='theirs'/>" });
  world.write("edge/objects.yaml", "target: edge\nscope: device-group/offices\nconfig: { tag: { ours: { comments: ours } } }\n");
  world.push("a tag");
  watchOrders();
});
afterEach(async () => await shared.close());

function byHand(params: Readonly<Record<string, string>>): void {
  expect(shared.world.device("edge").act("alice", params).status).toBe("success");
}

/** Firewalls of the plan that have the tag, according to the lab's pushes. */
function having(tag = "ours"): readonly string[] {
  const holds = ({ name, children }: TreeNode): boolean => name === tag || children.some(holds);
  return (["a", "b", "c"] as const).filter((name) =>
    [...(shared.world.device(name).state.attachment?.handed.policies.values() ?? [])].some(({ tree }) => holds(tree)),
  );
}

/** Jobs that Plumbline must not start, judged by the state of the lab at that time. */
function watchOrders(): void {
  const { state } = shared.world.device("edge");
  const look = () => {
    const order = state.pushes.at(-1);
    if (order?.admin !== "netops") return;
    if (order.serials.includes(SERIALS.c)) broken.push("a firewall that the plan does not name");
    if (order.mergesCandidate) broken.push("what is uncommitted at a firewall");
    if (!order.validateOnly && order.serials.includes(SERIALS.b) && !having().includes("a")) broken.push("before the canary has it");
  };
  shared.world.lab.fault({ match: { cmd: "<commit-all>" }, effect: { kind: "call", when: "after", run: look }, count: 10_000 });
}

/** Checks the lab at each end of a pass that reports success. */
function watchEnds({ open }: SharedAgentInTest): void {
  open.events.listen((event) => {
    if (event.type !== "pass-ended" || (event.result !== "in-sync" && event.result !== "applied")) return;
    if (having().length < 2) broken.push(`${event.result}, and only ${having().join()} has it`);
  });
}

/** The request at which the agent is suspended, for good or for a long time. */
function at([when, order, nth]: Moment): (request: Sent) => boolean {
  let seen = 0;
  return ({ text }) => {
    const isBehind = seen === nth;
    if (ORDERS[order].test(text)) seen += 1;
    return when === "gone after" ? isBehind : seen === nth;
  };
}

const isDone = (agent: SharedAgentInTest) => agent.event("pass-ended", ({ result }) => result === "in-sync");
const pushesTo = (serial: string) =>
  shared.world.device("edge").state.pushes.filter((each) => each.admin === "netops" && !each.validateOnly && each.serials.includes(serial));

it.each(process.env.PLUMBLINE_SOAK === undefined ? FEW : ALL)(
  "an agent that is %s %s number %i of a push leaves work that another one completes, only at the planned firewalls",
  async (...moment) => {
    let stands: Promise<Sent> | undefined;
    const first = await shared.agent(1, ({ gate }) => {
      stands = gate.stopAt(at(moment));
    });
    watchEnds(first);
    await first.event("commit-in-force");
    await shared.live(stands ?? Promise.reject(new Error("no gate")), [first]);
    await shared.passTime(LEASE_AND_REQUEST);
    const second = await shared.agent();
    watchEnds(second);
    await shared.live(isDone(second), [second]);
    expect(having()).toEqual(["a", "b"]);
    const [when] = moment;
    // A push that was sent is found, and not sent again.
    expect([pushesTo(SERIALS.a).length, pushesTo(SERIALS.b).length]).toEqual([1, 1]);
    if (when === "late with") {
      const from = first.events.length;
      first.clock.advance(LEASE_AND_REQUEST);
      first.gate.open();
      await shared.live(
        first.event("pass-ended", () => true, from),
        [first, second],
      );
      const { length } = pushesTo(SERIALS.b);
      expect(length, "the one late request").toBe(moment[1] === "push" && moment[2] === 2 ? 2 : 1);
    }
    expect(shared.world.device("edge").state.commits.filter(({ admin }) => admin === "netops")).toHaveLength(1);
    expect([having(), having("theirs"), broken]).toEqual([["a", "b"], [], []]);
    expect(shared.world.device("edge").state.candidate.pending.map(({ stamp }) => stamp.admin)).toEqual(["alice"]);
    for (const agent of [first, second]) await shared.end(agent);
  },
  60_000,
);
