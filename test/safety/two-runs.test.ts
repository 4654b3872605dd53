import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

/** Two runs on a cloud, which has no lock of its own, are kept apart by a lease in the place of the ledger. */

const WANTED = `
networks: { a: { subnets: { a-1: { cidr: 10.9.1.0/24 } } }, b: {} }
security_groups: { web: {} }
servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: a }], security_groups: [web], saveTo: s.password } }
`;

const named = ({ lab }: CloudWorld): string[] =>
  [
    ...lab.world.network.all("network").map(({ name }) => `network ${name}`),
    ...lab.world.network.all("subnet").map(({ name }) => `subnet ${name}`),
    ...lab.world.network.all("security_group").map(({ name }) => `group ${name}`),
  ].sort();

const countOf = (world: CloudWorld, what: string): number => named(world).filter((each) => each === what).length;

function codeOf({ error }: TargetOutcome): string {
  return error === undefined ? "done" : error.code;
}

describe("two runs of one owner at once", () => {
  it("make each object once: one works, the other says who does", async () => {
    const world = (await CloudWorld.start()).want(WANTED);
    const outcomes = await Promise.all([world.reconcile(), world.reconcile()]);
    expect(outcomes.map(codeOf).sort()).toEqual(["done", "locked-by-run"]);
    for (const what of ["network a", "network b", "subnet a-1", "group web"]) expect(countOf(world, what)).toBe(1);
    const refused = outcomes.find(({ error }) => error !== undefined);
    expect(refused?.error?.message).toMatch(/Another run of ours \(\d{8}T\d{6}Z-.* of \S+@\S+\) is at work/);
    expect(exitCode(refused === undefined ? [] : [refused])).toBe(3);
    expect(exitCode([await world.reconcile()])).toBe(0);
  });

  it("make each object once where the other waits: it plans again from what stands then", async () => {
    const world = (await CloudWorld.start()).want(WANTED);
    const sleep = () => new Promise<void>((resolve) => void setTimeout(resolve, 5));
    const outcomes = await Promise.all([1, 2, 3].map(() => world.reconcile({}, { lockTimeout: 60, sleep })));
    expect(outcomes.map(codeOf)).toEqual(["done", "done", "done"]);
    for (const what of ["network a", "network b", "subnet a-1", "group web"]) expect(countOf(world, what)).toBe(1);
    expect(exitCode([await world.plan()])).toBe(0);
  });
});
