import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const network = (name: string, third: number) => `networks: { ${name}: { subnets: { ${name}-1: { cidr: 10.9.${third}.0/24 } } } }`;

const namesOf = ({ lab }: CloudWorld): string[] =>
  lab.world.network
    .visible("network", lab.world.as("demo"))
    .map(({ name }) => name)
    .sort();

const BOTH = ["a", "b", "private", "public"];

/** Two documents, applied; then one of them is deleted. */
async function oneDocumentGone(): Promise<CloudWorld> {
  const world = (await CloudWorld.start()).want(network("a", 1), "a.yaml").want(network("b", 2), "b.yaml");
  await world.reconciled();
  return world.remove("b.yaml");
}

describe("objects of a deleted document", () => {
  it("are deleted, and nothing else, from a shallow clone with an empty state folder", async () => {
    const world = (await oneDocumentGone()).cloneAnew();
    world.act("POST", "/v2.0/networks", { network: { name: "theirs" } });
    const plan = await world.plan();
    expect(plan.plan?.changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(["extra /openstack/networks/entry[@name='b']"]);
    expect(plan.warnings).toEqual([]);
    await world.reconciled();
    expect(namesOf(world)).toEqual(["a", "private", "public", "theirs"]);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("stay without a ledger", async () => {
    const world = await oneDocumentGone();
    rmSync(join(world.folder, "ledger.json"));
    const outcome = await world.cloneAnew().reconcile();
    expect(outcome.plan?.deletionsUnknown).toBe(true);
    expect(namesOf(world)).toEqual(BOTH);
  });

  it("stay, with the reason, if the rest of a shallow history is unavailable", async () => {
    const world = (await oneDocumentGone()).cloneAnew();
    world.git("remote", "set-url", "origin", "file:///nowhere");
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.plan?.refusals[0]).toMatchObject({ guard: "non-descendant", message: expect.stringContaining("The clone is shallow") });
    expect(namesOf(world)).toEqual(BOTH);
  });

  it("stay after a rewritten history", async () => {
    const world = await oneDocumentGone();
    world.git("checkout", "-q", "--orphan", "other");
    world.commit();
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(namesOf(world)).toEqual(BOTH);
  });

  it("stay if other documents do not load", async () => {
    const world = await oneDocumentGone();
    world.wantText("target: cloud\nscope: project\nconfig:\n  networks: [\n", "a.yaml");
    await expect(world.reconcile()).rejects.toThrow();
    expect(namesOf(world)).toEqual(BOTH);
  });

  it("stay if the list is hidden", async () => {
    const world = await oneDocumentGone();
    world.lab.fault({
      match: { method: "GET", path: "/networks" },
      effect: { kind: "refuse", status: 403, type: "PolicyNotAuthorized", message: "no" },
      count: 100,
    });
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(1);
    expect(namesOf(world)).toEqual(BOTH);
  });
});
