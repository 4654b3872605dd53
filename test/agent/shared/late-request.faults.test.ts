import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startPostgres, type TestPostgres } from "../store/postgres.js";
import type { Sent } from "./gate.js";
import { type SharedAgentInTest, SharedWorld } from "./world.js";

const LEASE = 30_000;
const REQUEST = 60_000;

/** Requests of the agent that change a firewall, in the order of a pass. A commit drops the lock. */
const WRITES = {
  lock: /<config-lock><add>/,
  snapshot: /<save>/,
  write: /multi-config/,
  validate: /<validate>/,
  commit: /type=commit/,
} as const;
type Write = keyof typeof WRITES;
const KINDS = Object.keys(WRITES) as Write[];

const FEW: readonly (readonly [Write, Write | undefined])[] = [
  ["lock", undefined],
  ["write", undefined],
  ["write", "commit"],
  ["validate", undefined],
  ["commit", undefined],
  ["commit", "validate"],
];
const ALL = KINDS.flatMap((late) => [undefined, ...KINDS].map((meanwhile) => [late, meanwhile] as const));

let postgres: TestPostgres;
let shared: SharedWorld;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => await postgres.stop());
beforeEach(async () => {
  shared = await SharedWorld.start(postgres);
});
afterEach(async () => await shared.close());

const is = (kind: Write) => (request: Sent) => WRITES[kind].test(request.text);

/** An agent that is suspended between its last lease check and the send of the request `late`, for an older commit. */
async function stopped(late: Write): Promise<SharedAgentInTest> {
  const first = await shared.agent(1);
  await first.event("applied");
  const stands = first.gate.stopAt(is(late));
  shared.world.want("edge", { a: "10.1.0.1", old: "10.0.0.2" });
  shared.world.push("older");
  first.clock.advance(200_000);
  await stands;
  return first;
}

/** The state that the current commit declares: committed, without pending changes or locks. */
function isAsWanted(wanted: Readonly<Record<string, string>>): boolean {
  const { world } = shared;
  const { state } = world.device();
  const changes = world.device().act("alice", { type: "op", cmd: "<show><config><list><changes/></list></config></show>" });
  const isEqual = JSON.stringify(Object.entries(world.addressesOf()).sort()) === JSON.stringify(Object.entries(wanted).sort());
  return isEqual && state.locks.list("config", "all").length === 0 && !JSON.stringify(changes).includes("<entry");
}

/** The firewall ends with the newer commit, no matter which agent applies it. */
async function endsWell(agents: readonly SharedAgentInTest[]): Promise<void> {
  const wanted = { theirs: "192.0.2.9", a: "10.2.0.1", new: "10.0.0.3" };
  const well = vi.waitFor(() => expect(isAsWanted(wanted)).toBe(true), { timeout: 45_000, interval: 50 });
  await shared.live(well, agents);
  for (const agent of agents) await shared.end(agent);
}

/** Another agent has applied a newer commit or waits before `meanwhile`. Then the request of the first agent arrives. */
async function overtaken(late: Write, meanwhile: Write | undefined): Promise<readonly [SharedAgentInTest, SharedAgentInTest]> {
  const first = await stopped(late);
  const { store, gate } = first;
  const before = gate.sent.length;
  shared.world.want("edge", { a: "10.2.0.1", new: "10.0.0.3" });
  const commit = shared.world.push("newer");

  await shared.passTime(LEASE);
  const times = { length: LEASE, request: REQUEST };
  const tooEarly = await store.shared?.leases.acquire("edge", "somebody", "s", times);
  expect(tooEarly?.grant, "the next holder waits as long as a request may take").toBeUndefined();
  await shared.passTime(REQUEST);
  const second = await shared.agent();
  const done = second.event("pass-ended", (event) => event.commit === commit);
  await Promise.race([done, ...(meanwhile === undefined ? [] : [second.gate.stopAt(is(meanwhile))])]);

  const from = first.events.length;
  first.clock.advance(LEASE + REQUEST);
  gate.open();
  await first.event("pass-ended", () => true, from);
  expect(gate.sent.slice(before, before + 20).filter(({ writes }) => writes)).toEqual([]);
  second.gate.open();
  await done;
  return [first, second];
}

describe("the single request that may arrive late", () => {
  it.each(process.env.PLUMBLINE_SOAK === undefined ? FEW : ALL)(
    "is one: %s, while the next holder is about to %s",
    async (late, meanwhile) => await endsWell(await overtaken(late, meanwhile)),
    60_000,
  );

  it("is repaired even if the agent that sent it is gone", async () => {
    const [first, second] = await overtaken("write", undefined);
    await shared.end(first);
    await endsWell([second]);
  }, 60_000);
});
