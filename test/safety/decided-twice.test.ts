import { EventEmitter, once } from "node:events";
import { describe, expect, it } from "vitest";
import { addresses, addressesOf, BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";
import { reachableWhile } from "../engine/watch/reachable.js";

const PROBE = "probe:\n  - { tcp: { host: 192.0.2.80, port: 443 }, attempts: 1 }\n";
const watched = (wanted: Record<string, string>): string => addresses(wanted).replace("config:", `${PROBE}config:`);
const alive = reachableWhile(() => true);

describe("a watched commit on which a run of another machine decides, too", () => {
  const dead = reachableWhile(() => false);
  const elsewhere = { machine: { host: "b2", isAlive: () => true } };

  it("is not confirmed by its run once the other one rolls it back", async () => {
    const world = new World(BARE).want(watched({ a: "10.0.0.1" }));
    const beside: (string | undefined)[] = [];
    const before = async (step: string) => {
      if (step === "watch-end") beside.push((await world.reconcile({ ...elsewhere, write: { network: dead } })).error?.code);
    };
    const outcome = await world.reconcile({ write: { network: alive, observer: { before, after: () => undefined } } });
    expect([beside, outcome.error?.code, outcome.error?.message]).toEqual([
      ["commit-taken-back"],
      "watch-decided",
      "Another run rolls the watched commit back",
    ]);
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9" });
    expect(world.device.locks).toEqual([]);
  });

  it("is not rolled back once its run has confirmed it", async () => {
    const world = new World(BARE).want(watched({ a: "10.0.0.1" }));
    const moments = new EventEmitter();
    const [reached, confirmed] = [once(moments, "reached"), once(moments, "confirmed")];
    const waiting = async (step: string) => {
      if (step !== "watch-decide") return;
      moments.emit("reached");
      await confirmed;
    };
    const after = () => undefined;
    let other: ReturnType<World["reconcile"]> | undefined;
    const before = async (step: string) => {
      if (step !== "watch-end") return;
      other = world.reconcile({ ...elsewhere, write: { network: dead, observer: { before: waiting, after } } });
      await reached;
    };
    const outcome = await world.reconcile({ write: { network: alive, observer: { before, after } } });
    moments.emit("confirmed");
    expect([outcome.error, outcome.watch?.decision]).toEqual([undefined, "confirmed"]);
    expect((await other)?.error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ theirs: "192.0.2.9", a: "10.0.0.1" });
    expect((await world.reconcile({ write: { network: alive } })).error).toBeUndefined();
    expect(world.device.locks).toEqual([]);
  });
});
