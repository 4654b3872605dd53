import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { ControllerWorld } from "./world.js";

const BLUE = "default-domain:demo:blue";
const POLICY = "default-domain:demo:p";
const wanted = (attributes: string) => `network-policys: { "${POLICY}": {} }
virtual-networks: { "${BLUE}": { network_policy_refs: { "${POLICY}": ${attributes} } } }`;

const attrOf = (world: ControllerWorld) => world.object("virtual-network", BLUE)?.references.get("network_policy_refs")?.[0]?.attr;

/** The same reference, as a client writes it that knows no sequences. */
function strip(world: ControllerWorld, attr: object) {
  world.lab.world.update("virtual-network", world.object("virtual-network", BLUE)?.uuid ?? "", {
    network_policy_refs: [{ to: POLICY.split(":"), attr: attr as never }],
  });
}

/** The controller keeps a policy without a sequence on its network, but does not apply it. */
describe("the sequence of a policy on a network", () => {
  it("is sent if none is declared", async () => {
    const world = await ControllerWorld.start();
    await world.reconciled(wanted("{}"));
    expect(attrOf(world)).toMatchObject({ sequence: { major: 0, minor: 0 } });
    strip(world, { sequence: { major: 3, minor: 1 }, timer: null });
    expect(exitCode([await world.plan()])).toBe(0);
  });

  it("of declared zeros differs from none, and is healed", async () => {
    const world = await ControllerWorld.start();
    await world.reconciled(wanted("{ sequence: { major: 0, minor: 0 } }"));
    strip(world, { sequence: null, timer: null });
    expect((await world.drift()).drift?.items).toHaveLength(1);
    expect(exitCode([await world.reconcile()])).toBe(0);
    expect(attrOf(world)).toMatchObject({ sequence: { major: 0, minor: 0 } });
    expect(exitCode([await world.plan()])).toBe(0);
  });

  it("of which one part is declared is sent completely", async () => {
    const world = await ControllerWorld.start();
    await world.reconciled(wanted("{ sequence: { major: 2 } }"));
    expect(attrOf(world)).toMatchObject({ sequence: { major: 2, minor: 0 } });
  });
});
