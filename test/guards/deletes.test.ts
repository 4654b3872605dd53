import { describe, expect, it } from "vitest";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { refuseDeletes } from "../../src/guards/deletes.js";
import { desired } from "../plan/support/planned.js";
import { addresses, type Case, contextOf, planOf, refusalsBy, V1 } from "./support.js";

const exclusive = [`${V1}/address`];
const two: Case = { live: addresses(["a", "b", "c"]), wanted: addresses(["c"]), exclusive, allow: { deletes: "67%" } };
const record = { owner: "o", target: "t", commit: undefined, paths: [] as string[], adopted: [] as string[], secrets: {} };
const row = (name: string): string => `${V1}/address/entry[@name='${name}']`;

describe("the daily limit of deletions", () => {
  const guards = { updates: 1, deletes: 1, from: 10, short: 1, emptyList: "allow" as const, deletesPerDay: 5 };

  it("includes today's earlier deletions, and refuses only the excess", () => {
    expect(planOf({ ...two, more: { guards, deletedToday: 3 } }).refusals).toEqual([]);
    expect(planOf({ ...two, more: { guards, deletedToday: 4 } }).refusals).toEqual([
      {
        guard: "deletes-per-day",
        message: "2 entries would be deleted and 4 were deleted today already: over guards.deletesPerDay, which is 5.",
        path: undefined,
        origin: -1,
        allow: "--allow deletes-per-day=6",
      },
    ]);
    expect(planOf({ ...two, allow: { ...two.allow, "deletes-per-day": "6" }, more: { guards, deletedToday: 4 } }).refusals).toEqual([]);
    const [first] = planOf({ ...two, more: { guards: { ...guards, deletesPerDay: 1 } } }).refusals;
    expect(first?.message).toBe("2 entries would be deleted: over guards.deletesPerDay, which is 1.");
    expect(planOf({ ...two, wanted: addresses(["a", "b", "c"]), more: { guards, deletedToday: 9 } }).refusals).toEqual([]);
  });
});

describe("first contact with an exclusive list", () => {
  const told = (
    fields: Partial<typeof record & { rows: Record<string, { came: "equal" | "made" }> }> | undefined,
    ...deleted: string[]
  ) => {
    const ledger = fields === undefined ? { state: "missing" as const } : { state: "present" as const, record: { ...record, ...fields } };
    const wanted = { ...desired("<config/>"), exclusive: [parsePath(exclusive[0] ?? "")] };
    const context = contextOf({ deletions: deleted.map((path) => parsePath(path)) }, { desired: wanted, ledger, allow: new Map() });
    return refuseDeletes(context).map(({ guard, path, message }) => `${guard} ${path} ${message.split(":")[0]}`);
  };
  const words = (count: string): string =>
    `first-contact ${exclusive[0]} ${count} would be deleted, because the list is exclusive and was never adopted. Check them, then run \`plumbline adopt\`.`;

  it("counts its unowned entries, including ones that were only found", () => {
    expect(told(undefined, row("a"))).toEqual([words("1 entry")]);
    expect(told({}, row("a"), `${row("b")}/ip`)).toEqual([words("2 entries")]);
    expect(told({ paths: [row("a"), row("b")] }, row("a"), row("b"))).toEqual([]);
    expect(
      told({ paths: [row("a"), row("b")], rows: { [row("a")]: { came: "equal" }, [row("b")]: { came: "made" } } }, row("a"), row("b")),
    ).toEqual([words("1 entry")]);
    expect(told({}, `${V1}/tag/entry[@name='t']`)).toEqual([]);
  });

  it("refuses, names the adopt command, and can be overridden with the printed number", () => {
    const plan = planOf({ ...two, allow: { ...two.allow, "first-contact": "1" } });
    expect(refusalsBy(plan, "first-contact")).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^2 entries .*plumbline adopt/), allow: "--allow first-contact=2" }),
    ]);
    expect(planOf({ ...two, allow: { ...two.allow, "first-contact": "2" } }).refusals).toEqual([]);
  });

  it("ends after adopt, and does not count owned entries", () => {
    const allow = { ...two.allow, "first-contact": "1" };
    expect(planOf({ ...two, allow, more: { ledger: { state: "present", record: { ...record, adopted: exclusive } } } }).refusals).toEqual(
      [],
    );
    expect(planOf({ ...two, allow, more: { ledger: { state: "present", record: { ...record, paths: [row("a")] } } } }).refusals).toEqual(
      [],
    );
  });
});

describe("a commit that does not descend from the applied one", () => {
  it("deletes nothing, and names the flag to override", () => {
    const plan = planOf({ ...two, more: { descends: false } });
    expect(refusalsBy(plan, "non-descendant")).toEqual([
      expect.objectContaining({ message: expect.stringContaining("may only be newer"), allow: "--allow non-descendant" }),
    ]);
    expect(planOf({ ...two, more: { descends: true } }).refusals).toEqual([]);
    expect(refusalsBy(planOf({ ...two, more: { descends: "cut" } }), "non-descendant")).toEqual([
      expect.objectContaining({ message: expect.stringContaining("git fetch --unshallow"), allow: "--allow non-descendant" }),
    ]);
    expect(planOf({ ...two, more: { descends: undefined } }).refusals).toEqual([]);
    expect(planOf({ ...two, wanted: addresses(["a", "b", "c", "d"]), more: { descends: false } }).refusals).toEqual([]);
  });
});

describe("entries of the system", () => {
  it("are never deleted, without a flag to override", () => {
    const kindGuards = {
      management: () => undefined,
      meaning: () => undefined,
      neverPruned: (entry: { name?: string | undefined }) => entry.name === "a",
    };
    expect(planOf({ ...two, more: { kindGuards } }).refusals).toEqual([
      expect.objectContaining({ guard: "never-pruned", message: expect.stringContaining('"a"'), allow: undefined }),
    ]);
  });
});

describe("without a ledger", () => {
  const merged: Case = { live: addresses(["a", "b"]), wanted: addresses(["b"]) };

  it("nothing is deleted outside exclusive lists, and the plan reports it", () => {
    for (const ledger of [{ state: "missing" as const }, { state: "unreadable" as const, reason: "torn" }]) {
      const plan = planOf({ ...merged, more: { ledger } });
      expect([plan.operations, plan.deletionsUnknown]).toEqual([[], true]);
    }
    const plan = planOf({ ...merged, more: { ledger: { state: "present", record: { ...record, paths: [row("a"), row("b")] } } } });
    expect([plan.operations.map(({ operation }) => `${operation.action} ${operation.at}`), plan.deletionsUnknown]).toEqual([
      [`delete ${row("a")}`],
      false,
    ]);
  });
});
