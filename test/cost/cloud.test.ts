import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

const networks = (count: number) =>
  `networks: { ${Array.from({ length: count }, (_, at) => `n${at}: { subnets: { n${at}-a: { cidr: 10.${at >> 8}.${at & 255}.0/24 } } }`).join(", ")} }`;

/** Number of requests of a run for each kind of request. */
function counted({ lab }: CloudWorld, since: number): Record<string, number> {
  const sent: Record<string, number> = {};
  for (const { service, method, path } of lab.journal.slice(since)) {
    const words = `${service} ${method} ${path.replace(/^\/v[0-9.]+/, "").replace(/[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}/g, "ID")}`;
    sent[words] = (sent[words] ?? 0) + 1;
  }
  return sent;
}

/** The table of `docs/contributing/requests.md`: the number of each request for 0, 1 and 300 new networks with a subnet. */
function table(): ReadonlyMap<string, readonly number[]> {
  const [, section = ""] = readFileSync("docs/contributing/requests.md", "utf8").split("\n## An apply to a cloud\n");
  const [below = ""] = section.split(/^## /m);
  const rows = [...below.matchAll(/^\| `([^`]+)` \| (\d+) \| (\d+) \| (\d+) \|/gm)];
  return new Map(rows.map(([, words = "", ...counts]) => [words, counts.map(Number)]));
}

function column(at: number): Record<string, number> {
  return Object.fromEntries([...table()].flatMap(([words, counts]) => (counts[at] === 0 ? [] : [[words, counts[at] ?? 0]])));
}

/** Checks that only the documented requests were sent, and that each count is within its limit. */
function expectAtMost(sent: Record<string, number>, limits: Record<string, number>): void {
  expect(Object.keys(sent).sort()).toEqual(Object.keys(limits).sort());
  for (const [words, count] of Object.entries(sent)) expect(count, words).toBeLessThanOrEqual(limits[words] ?? 0);
}

describe("requests of an apply to a cloud", () => {
  it.each([
    ["one network with a subnet, and then nothing to do", 1, 1],
    ["300 networks with a subnet", 300, 2],
  ])("of %s", { timeout: 120_000 }, async (_, count, at) => {
    const world = await CloudWorld.start();
    const quota = { network: -1, subnet: -1 };
    world.act("PUT", `/v2.0/quotas/${world.lab.world.as("demo").projectId}`, { quota }, "admin");
    world.want(networks(count));
    const before = world.lab.journal.length;
    await world.reconciled();
    expectAtMost(counted(world, before), column(at));
    const after = world.lab.journal.length;
    await world.reconciled();
    expectAtMost(counted(world, after), column(0));
  });

  it("of 300 networks with a subnet, if the service accepts tags on create", { timeout: 120_000 }, async () => {
    const world = await CloudWorld.start({ network: { tagsAtCreate: true } });
    world.act("PUT", `/v2.0/quotas/${world.lab.world.as("demo").projectId}`, { quota: { network: -1, subnet: -1 } }, "admin");
    world.want(networks(300));
    const before = world.lab.journal.length;
    await world.reconciled();
    const told = /nothing follows: (\d+) requests/.exec(readFileSync("docs/contributing/requests.md", "utf8"))?.[1];
    expect(world.lab.journal.length - before, JSON.stringify(counted(world, before))).toBeLessThanOrEqual(Number(told));
  });
});
