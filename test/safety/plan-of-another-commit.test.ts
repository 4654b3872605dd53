import { describe, expect, it } from "vitest";
import type { TargetOutcome } from "../../src/outcome/outcome.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

const FIRST = { a: "10.0.0.1" };
const WANTED = { a: "10.0.0.2" };

/** The content of a plan file about a plan. */
function fileOf({ plan }: TargetOutcome) {
  if (plan === undefined) throw new Error("there is no plan");
  return { digests: new Map([["edge", plan.digest]]), effects: new Map([["edge", plan.effect]]) };
}

/** A world with a plan that changes `a`. */
async function planned() {
  const world = new World(BARE).want(addresses(FIRST));
  await world.reconcile();
  world.want(addresses(WANTED));
  return { world, file: fileOf(await world.plan()) };
}

describe("a plan file that is applied after another commit", () => {
  it("is executed if that commit has the same effect", async () => {
    const { world, file } = await planned();
    world.want(addresses({ ...WANTED, theirs: "192.0.2.9" }));
    expect((await world.plan()).plan?.digest).not.toBe(file.digests.get("edge"));
    const outcome = await world.reconcile({ write: file });
    expect([outcome.error, addressesOf(world.device.running).a]).toEqual([undefined, WANTED.a]);
  });

  it.each([
    ["wants another value", { a: "10.0.0.3" }],
    ["wants more", { ...WANTED, b: "10.0.0.4" }],
  ])("is refused where it %s", async (_, wanted) => {
    const { world, file } = await planned();
    world.want(addresses(wanted));
    expect((await world.reconcile({ write: file })).error).toMatchObject({ code: "plan-moved" });
    expect(addressesOf(world.device.running).a).toBe(FIRST.a);
  });

  it("is refused if an overwritten value changed, although the operations are the same", async () => {
    const { world, file } = await planned();
    world.device.write("alice", [setAddress(ADDRESS, "a", "10.0.0.8")]);
    world.device.commit("alice", "", true);
    world.want(addresses({ ...WANTED, theirs: "192.0.2.9" }));
    expect((await world.reconcile({ write: file })).error).toMatchObject({ code: "plan-moved" });
  });

  it("is bound to the digest only if the file is of an older version", async () => {
    const { world, file } = await planned();
    world.want(addresses({ ...WANTED, theirs: "192.0.2.9" }));
    expect((await world.reconcile({ write: { digests: file.digests } })).error).toMatchObject({ code: "plan-moved" });
  });

  it("with only a commit to do is equal only for the same uncommitted work", async () => {
    const { world } = await planned();
    const kill = {
      before: (step: string) => (step === "commit" ? Promise.reject(new Error("killed")) : undefined),
      after: () => undefined,
    };
    world.capabilities = { ...world.capabilities, partialRevert: false };
    await world.reconcile({ observer: kill });
    world.device.locks.splice(0);
    world.device.write("netops", [setAddress(ADDRESS, "a", WANTED.a)]);
    const only = await world.plan();
    expect(only.plan?.commitOnly).toBe(true);
    world.want(addresses({ ...WANTED, theirs: "192.0.2.9" }));
    expect((await world.plan()).plan).toMatchObject({ commitOnly: true, effect: only.plan?.effect });
    world.device.write("netops", [setAddress(ADDRESS, "b", "10.0.0.7")]);
    world.want(addresses({ ...WANTED, b: "10.0.0.7" }));
    const more = await world.plan();
    expect(more.plan?.commitOnly).toBe(true);
    expect(more.plan?.effect).not.toBe(only.plan?.effect);
  });
});
