import { describe, expect, it } from "vitest";
import type { PlanInput } from "../../src/plan/model.js";
import { addresses, vsys } from "../guards/support.js";
import { desired, plan } from "./support/planned.js";

const rule = (source: string): string =>
  `<rules><entry name="r"><source><member>${source}</member></source><destination><member>any</member></destination></entry></rules>`;
const live = addresses(["a", "b", "other"]) + rule("a");
const wanted = addresses(["a"]) + rule("b");
const digest = (liveInside = live, wantedInside = wanted, more: Partial<PlanInput> = {}): string =>
  plan(vsys(liveInside), vsys(wantedInside), more).digest;

describe("the digest of a plan", () => {
  it("is equal for equal trees", () => {
    expect(digest()).toMatch(/^[0-9a-f]{64}$/);
    expect(digest()).toBe(digest());
  });

  it("changes with the desired tree, owned live content, referenced objects and operations", () => {
    const owned = addresses(["a", "b", "other"], (name) => (name === "a" ? "10.0.0.9" : "10.0.0.1")) + rule("a");
    const referred = addresses(["a", "b", "other"], (name) => (name === "b" ? "10.0.0.9" : "10.0.0.1")) + rule("a");
    const all = [
      digest(),
      digest(live, addresses(["a"]) + rule("other")),
      digest(owned),
      digest(referred),
      digest(live.replace("any", "b")),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it("is computed once, when it is first needed", () => {
    const asked: string[] = [];
    const root = desired(vsys(wanted));
    const told = Object.defineProperty({ ...root }, "target", { enumerable: true, get: () => asked.push("target") && "t" });
    const made = plan(vsys(live), vsys(wanted), { desired: told });
    const before = asked.length;
    expect(made.digest).toBe(digest());
    const after = asked.length;
    expect(after).toBeGreaterThan(before);
    expect([made.digest, made.effect]).toEqual([digest(), plan(vsys(live), vsys(wanted)).effect]);
    expect(asked.length).toBe(after);
  });

  it("changes with the target", () => {
    expect(digest(live, wanted, { desired: { ...desired(vsys(wanted)), target: "u" } })).not.toBe(digest());
  });

  it("does not change with unmanaged siblings, metadata, times or the ledger", () => {
    const sibling = addresses(["a", "b", "other", "more"]) + rule("a");
    const stamped = live.replace('name="a"', 'name="a" admin="bob" dirtyId="4" time="2026/01/01 10:00:00"');
    const record = { owner: "o", target: "t", commit: "0123abc", paths: [], adopted: [], secrets: {} };
    for (const other of [
      digest(sibling),
      digest(stamped),
      digest(live, wanted, { today: "2027-01-01" }),
      digest(live, wanted, { ledger: { state: "present", record } }),
      digest(live, wanted, { approve: "required", deletedToday: 7 }),
    ])
      expect(other).toBe(digest());
  });
});
