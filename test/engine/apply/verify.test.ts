import { describe, expect, it } from "vitest";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { ApplySession } from "../../../src/engine/apply/apply-session.js";
import { refusedPlan, refuseUncommitted } from "../../../src/engine/apply/confirm.js";
import { formatMark } from "../../../src/engine/apply/lock-mark.js";
import {
  refuseNewChangesOfOthers,
  verifyActive,
  verifyActiveAndLocked,
  verifyLockWithPending,
  verifyWithPending,
} from "../../../src/engine/apply/verify.js";
import type { TargetContext } from "../../../src/engine/pass/context.js";
import type { Planned } from "../../../src/engine/pass/planner.js";
import type { Identity, PendingChange } from "../../../src/plan/platform.js";

const RUN = { started: 0, host: "a1", pid: 7, random: "x" };
const box = (role: Identity["role"], serial: string | undefined = "1"): Identity => ({
  serial,
  role,
  model: undefined,
  version: undefined,
  hostname: undefined,
});
const A = parsePath("/config/vsys/entry[@name='v1']/address/entry[@name='a']");

interface Case {
  readonly ours?: Identity;
  /** Which member answers, and whether its peer has the same configuration. The last entry repeats. */
  readonly answers?: readonly (readonly [Identity, boolean | undefined])[];
  readonly lock?: string | undefined;
  readonly hasLocks?: boolean;
  readonly pending?: readonly PendingChange[];
  readonly before?: string;
  readonly partialCommit?: boolean;
}

function world({
  ours = box("active"),
  answers = [[box("active"), true]],
  lock = formatMark("o", RUN, "0"),
  hasLocks = true,
  ...more
}: Case) {
  const left = [...answers];
  const slept: number[] = [];
  const warnings: string[] = [];
  const session = {
    target: {
      name: "edge",
      open: async () => {
        const [identity, isSynchronized] = (left.length > 1 ? left.shift() : left[0]) ?? [box("unknown"), undefined];
        return { identity, isSynchronized };
      },
      pendingAndLocks: {
        locks: async () => (lock === undefined ? [] : [{ kind: "config", scope: "", owner: "svc", comment: lock, created: undefined }]),
        pending: async () => more.pending ?? [],
      },
    },
    locks: hasLocks ? {} : undefined,
    facts: {
      identity: ours,
      administrator: "svc",
      capabilities: { changeList: true, candidate: true, partialCommit: more.partialCommit ?? true },
    },
    run: RUN,
    progress: {
      undo: {
        others: more.before ?? "",
        sent: [
          { action: "delete", at: parsePath("/config/tag") },
          { action: "delete", at: A },
        ],
      },
    },
    write: { sleep: async (milliseconds: number) => void slept.push(milliseconds) },
    warnings,
    step: async <T>(_: string, act: () => Promise<T>) => await act(),
  } as unknown as ApplySession;
  return { session, slept, warnings };
}
const fault = async (act: Promise<unknown>): Promise<unknown> => await act.then(() => undefined).catch((error: unknown) => error);

describe("before a write and before a commit", () => {
  const stands = (test: Case) => fault(verifyActiveAndLocked(world(test).session, "write"));

  it("the device must be the same, active or standalone, and hold the own lock", async () => {
    expect(await stands({})).toBeUndefined();
    expect(await stands({ ours: box("standalone"), answers: [[box("standalone"), undefined]] })).toBeUndefined();
    expect(await stands({ lock: undefined, hasLocks: false })).toBeUndefined();
  });

  it.each(["passive", "suspended", "unknown"] as const)("a box that is %s is not written to", async (role) => {
    expect(await stands({ answers: [[box(role), true]] })).toMatchObject({
      code: "not-active",
      severity: "refused",
      message: `The role of 1 is ${role}`,
      where: { target: "edge" },
    });
  });

  it("another device or a lost lock stops the run", async () => {
    expect(await stands({ answers: [[box("active", "2"), true]] })).toMatchObject({
      code: "failover",
      message: "2 answers now, 1 did before",
      where: { target: "edge" },
    });
    const other = formatMark("o", { ...RUN, random: "y" }, "0");
    for (const lock of [undefined, other]) {
      const session = world(lock === undefined ? {} : { lock }).session;
      const without = { ...session, target: { ...session.target, pendingAndLocks: { locks: async () => [] } } } as unknown as ApplySession;
      expect(await fault(verifyActiveAndLocked(lock === undefined ? without : session, "commit"))).toMatchObject({
        code: "lock-lost",
        where: { target: "edge" },
      });
    }
  });
});

describe("a device whose identity and role are read separately", () => {
  /** The request and its result, if it is another member or has become the passive one of a pair. */
  async function standing(sending: "write" | "commit", more: Case, now: Partial<Identity> = {}) {
    const asked: string[] = [];
    const { session } = world({ ours: box("standalone"), answers: [[box("active"), undefined]], ...more });
    const { open } = session.target;
    Object.assign(session.target, {
      who: {
        serial: async () => asked.push("serial") && (now.serial ?? "1"),
        role: async () => asked.push("role") && (now.role ?? "standalone"),
      },
      open: async () => asked.push("both") && (await open()),
    });
    return [asked, await fault(verifyActiveAndLocked(session, sending))] as const;
  }

  it("is checked for its identity before a write, and for its role before a commit", async () => {
    expect(await standing("write", {})).toEqual([["serial"], undefined]);
    expect(await standing("commit", {})).toEqual([["role"], undefined]);
    expect(await standing("write", {}, { serial: "2" })).toEqual([["serial"], expect.objectContaining({ code: "failover" })]);
    expect(await standing("commit", {}, { role: "passive" })).toEqual([["role"], expect.objectContaining({ code: "not-active" })]);
    expect(await standing("commit", {}, { role: "active" })).toEqual([["role"], undefined]);
  });

  it("is checked for both if it has a peer, or if no own lock identifies it", async () => {
    for (const sending of ["write", "commit"] as const) {
      expect(await standing(sending, { ours: box("active") })).toEqual([["both"], undefined]);
      expect(await standing(sending, { hasLocks: false })).toEqual([["both"], undefined]);
    }
  });

  it("is another one if the lock is gone", async () => {
    expect(await standing("commit", { lock: formatMark("o", { ...RUN, random: "y" }, "0") })).toEqual([
      ["role"],
      expect.objectContaining({ code: "lock-lost" }),
    ]);
  });
});

describe("right before the first write", () => {
  it("the own lock is checked, and pending changes if a batch may revert them", async () => {
    const bobs = { owner: "bob", xpath: "/config", action: "SET" };
    const seen = async (atomicBatch: boolean) => {
      const { session } = world({ pending: [bobs] });
      Object.assign(session.facts.capabilities, { atomicBatch });
      return await verifyLockWithPending(session);
    };
    expect([await seen(true), await seen(false)]).toEqual([[bobs], undefined]);
    const { session } = world({ lock: formatMark("o", { ...RUN, random: "y" }, "0") });
    expect(await fault(verifyLockWithPending(session))).toMatchObject({ code: "lock-lost" });
  });
});

describe("after a commit", () => {
  const active = async (test: Case) => {
    const { session, slept, warnings } = world(test);
    return [await fault(verifyActive(session)), slept, warnings] as const;
  };

  it("the active device must have it, and its peer is waited for", async () => {
    expect(await active({})).toEqual([undefined, [], []]);
    expect(
      await active({
        answers: [
          [box("active"), false],
          [box("active"), false],
          [box("active"), true],
        ],
      }),
    ).toEqual([undefined, [2000, 2000], []]);
    expect(await active({ answers: [[box("active"), undefined]] })).toEqual([undefined, [], []]);
    expect(await active({ ours: box("standalone"), answers: [[box("passive", "2"), false]] })).toEqual([undefined, [], []]);
  });

  it("a peer that does not have it after a minute is reported", async () => {
    const [error, slept, warnings] = await active({ answers: [[box("active"), false]] });
    expect([error, slept.length]).toEqual([undefined, 30]);
    expect(warnings).toEqual(["1 has the commit, and its peer does not have it yet: a failover now would lose it"]);
  });

  it("a failover makes the result unknown", async () => {
    const [passive] = await active({
      answers: [
        [box("active"), false],
        [box("passive"), false],
      ],
    });
    expect(passive).toMatchObject({
      code: "failover",
      message: expect.stringMatching(/^1 took the commit and is passive now:/),
      where: { target: "edge" },
    });
    const [other] = await active({ answers: [[box("active", "2"), true]] });
    expect(other).toMatchObject({ code: "failover", message: expect.stringMatching(/^2 answers now:/) });
  });
});

describe("changes of others during a write", () => {
  const pending = (xpath: string, owner = "bob"): PendingChange => ({ owner, xpath, action: "SET" });
  const refused = (test: Case) => {
    const { session } = world(test);
    return fault(verifyWithPending(session).then((listed) => refuseNewChangesOfOthers(session, listed)));
  };

  it("stop the run if they are near, with names", async () => {
    for (const xpath of [A.toString(), `${A}/ip`, "/config/vsys", "somewhere["])
      expect(await refused({ pending: [pending(xpath)] })).toMatchObject({
        code: "foreign-change",
        severity: "refused",
        message: '"bob" started to change the target during the write',
        where: { target: "edge", xpath },
      });
  });

  it("are kept elsewhere by a partial commit, and stop a commit of everything", async () => {
    const elsewhere = [pending("/config/shared")];
    expect(await refused({ pending: elsewhere })).toBeUndefined();
    expect(await refused({ pending: elsewhere, partialCommit: false })).toMatchObject({
      code: "foreign-change",
      message: "Somebody else started to change the target during the write",
    });
  });

  it("exclude the own account", async () => {
    expect(await refused({ pending: [pending(A.toString(), "svc")] })).toBeUndefined();
    expect(await refused({ pending: [pending(A.toString(), "svc")], partialCommit: false })).toBeUndefined();
    expect(await refused({ pending: [pending(A.toString(), "svc"), pending("/config/shared")] })).toBeUndefined();
  });
});

describe("a plan that is refused under the lock", () => {
  const context = { desired: { sources: { locate: (origin: number) => ({ line: origin }) } } } as unknown as TargetContext;
  const refusal = { guard: "deletes", message: "too many", path: A, origin: 7, allow: "--allow deletes=50%" };

  it("is reported with its first refusal, its place, and the number of others", () => {
    expect(refusedPlan(context, "edge", [])).toBeUndefined();
    expect(refusedPlan(context, "edge", [refusal])).toMatchObject({
      code: "plan-refused",
      severity: "refused",
      message: "deletes: too many",
      where: { line: 7, target: "edge", xpath: A.toString() },
      next: "Check the plan. To override once: --allow deletes=50%",
    });
    const bare = { ...refusal, path: undefined, origin: undefined, allow: undefined };
    expect(refusedPlan(context, "edge", [bare, refusal, refusal])).toMatchObject({
      message: "deletes: too many (and 2 more)",
      where: { line: -1, xpath: undefined },
      next: "Change the desired state.",
    });
  });

  it("is refused also if others made the desired change and did not commit it", () => {
    const planned = (owners: string[], commitOnly = true) =>
      ({
        plan: { commitOnly },
        live: { pending: owners.map((owner) => ({ owner, xpath: "/config", action: "SET" })) },
      }) as unknown as Planned;
    const refuse = (owners: string[], commitOnly?: boolean) => () => refuseUncommitted(world({}).session, planned(owners, commitOnly));
    expect(refuse(["bob", "eve"])).toThrow(
      expect.objectContaining({
        code: "foreign-change",
        message: "The target has the desired content, but it is not committed: bob has it pending",
        where: { target: "edge", xpath: "/config" },
      }),
    );
    for (const fine of [refuse([]), refuse(["svc"]), refuse(["bob", "svc"]), refuse(["bob"], false)]) expect(fine).not.toThrow();
  });
});
