import { describe, expect, it } from "vitest";
import { afterTest } from "../after-test.js";
import { LabWorld } from "./apply/lab-world.js";
import { addresses, BARE } from "./apply/scenes.js";

/** Reconciles a new address whose commit job fails with these lines. */
async function adviceAfterCommit(...lines: string[]) {
  const world = await LabWorld.start(BARE);
  afterTest(() => world.close());
  world.want(addresses({ a: "10.0.0.1" }));
  world.lab.fault({ match: { type: "commit" }, effect: { kind: "job-fails", lines } });
  const { error } = await world.reconcile();
  return { code: error?.code, next: error?.next };
}

describe("the advice after a failed commit", () => {
  it("is to free resources if the device lacks them", async () => {
    const next = expect.stringMatching(/about the device and not about the configuration.*run again/);
    expect(await adviceAfterCommit("Error: out of memory", "Commit failed")).toEqual({ code: "commit-failed", next });
    expect(await adviceAfterCommit("write: No space left on device")).toEqual({ code: "commit-failed", next });
  });

  it("is to change the desired state if the device refuses the configuration", async () => {
    const next = expect.stringMatching(/^Change the desired state/);
    expect(await adviceAfterCommit("a -> ip-netmask 'x' is invalid", "Commit failed")).toEqual({ code: "commit-failed", next });
  });
});
