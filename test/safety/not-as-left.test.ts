import { describe, expect, it } from "vitest";
import { afterTest } from "../after-test.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { ADDRESS, addresses, addressesOf, BARE } from "../engine/apply/scenes.js";

const at = (name: string): string => `${ADDRESS}/entry[@name='${name}']`;
const live = (world: LabWorld) => addressesOf(world.lab.device.state.running);

describe("a deletion by the ledger of an object that another administrator changed last", () => {
  it("is refused with the name, until it is allowed", async () => {
    const world = await LabWorld.start(BARE, { strict: true });
    afterTest(() => world.close());
    world.want(addresses({ ours: "10.0.0.1", other: "10.0.0.2" }));
    await world.reconcile();
    const { device } = world.lab;
    device.act("alice", {
      type: "config",
      action: "edit",
      xpath: at("other"),
      element: "<entry name='other'><ip-netmask>10.0.0.2</ip-netmask></entry>",
    });
    device.act("alice", { type: "commit", cmd: "<commit/>" });
    world.want(addresses({ ours: "10.0.0.1" }));
    const refused = await world.reconcile();
    expect(refused.plan?.refusals).toMatchObject([{ guard: "not-as-left", message: expect.stringContaining('"alice" changed it last') }]);
    expect(live(world)).toHaveProperty("other");
    const allow = new Map([["not-as-left", at("other")]]);
    expect((await world.reconcile({ pass: { allow } })).error).toBeUndefined();
    expect(live(world)).not.toHaveProperty("other");
  });
});
