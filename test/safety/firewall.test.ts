import { afterEach, describe, expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { ADDRESS, addresses, addressesOf, BARE, policy, setMember, VSYS } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

/** Dangers of docs/contributing/architecture.md that concern the firewall, by number. */

const worlds: LabWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const WANTED = { a: "10.0.0.1", b: "10.0.0.2" };
const SHARED = "/config/shared/address";

/** A lab firewall and a ledger that match the repository. */
async function reconciled(text: string): Promise<LabWorld> {
  const world = await LabWorld.start(BARE, { strict: true });
  worlds.push(world);
  world.want(text);
  const { error } = await world.reconcile();
  if (error !== undefined) throw error;
  return world;
}

/** Writing requests of Plumbline after `since`. */
function writesSince(world: LabWorld, since: number): string[] {
  return world.lab.device.state.journal
    .slice(since)
    .filter(
      ({ admin, type, action }) =>
        admin === "netops" && (type === "commit" || (type === "config" && action !== "get" && action !== "show")),
    )
    .map(({ type, action, xpath }) => `${type} ${action} ${xpath}`);
}

describe("1: a truncated reply", () => {
  it.each([0.05, 0.3, 0.6, 0.9, 0.99])("at %d of its length never reads as deleted entries", async (share) => {
    const world = await reconciled(addresses(WANTED));
    const since = world.lab.device.state.journal.length;
    world.lab.fault({ match: { action: "get", xpath: "/address" }, effect: { kind: "cut", share, announced: "sent" }, count: 1000 });
    for (const outcome of [await world.plan(), await world.drift(), await world.reconcile()]) {
      expect(outcome.error).toMatchObject({ severity: "error" });
      expect(outcome.plan?.operations ?? []).toEqual([]);
      expect(outcome.drift?.items ?? []).toEqual([]);
      expect(exitCode([outcome])).toBe(1);
    }
    expect(writesSince(world, since)).toEqual([]);
  });
});

describe("2: an empty answer to a read without permission", () => {
  it("is not accepted if the ledger has entries there", async () => {
    const world = await reconciled(addresses({ ...WANTED }));
    const { administrators, journal } = world.lab.device.state;
    administrators.add({ name: "netops", password: "secret", role: { kind: "custom", hidden: [ADDRESS] } });
    const since = journal.length;
    const outcome = await world.reconcile();
    expect([1, 3]).toContain(exitCode([outcome]));
    expect(writesSince(world, since)).toEqual([]);
  });

  it("is not accepted if everything is hidden", async () => {
    const world = await reconciled(addresses({ ...WANTED }));
    const { administrators, journal } = world.lab.device.state;
    administrators.add({ name: "netops", password: "secret", role: { kind: "custom", hidden: ["/config"] } });
    const since = journal.length;
    for (const outcome of [await world.plan(), await world.drift(), await world.reconcile()]) {
      expect([1, 3]).toContain(exitCode([outcome]));
    }
    expect(writesSince(world, since)).toEqual([]);
  });
});

describe("5: a replaced list to which an entry was added since the read", () => {
  const rule = (source: string) => policy(WANTED, source);

  function alicesMember(world: World): () => void {
    let done = false;
    return () => {
      if (done) return;
      done = true;
      world.device.write("alice", [setMember(`${VSYS}/rulebase/security/rules/entry[@name='allow']/source`, "theirs")]);
      world.device.commit("alice", "by hand", false);
    };
  }

  it("does not happen unnoticed: the executed plan includes the addition", async () => {
    const world = new World(BARE).want(rule("a"));
    await world.reconcile();
    world.want(rule("b"));
    const add = alicesMember(world);
    const outcome = await world.reconcile({ wire: { before: (call) => (call === "lock" ? add() : undefined) } });
    expect(outcome.error).toBeUndefined();
    const before = outcome.plan?.changes.flatMap((change) =>
      "before" in change && "children" in change.before ? change.before.children : [],
    );
    expect(before?.map((member) => ("text" in member ? member.text : ""))).toContain("theirs");
  });

  it("does not happen if another plan was approved", async () => {
    const world = new World(BARE).want(rule("a"));
    await world.reconcile();
    world.want(rule("b"));
    const { plan } = await world.plan();
    const add = alicesMember(world);
    const writes = world.device.events.filter((event) => event.kind === "write" && event.admin === "netops").length;
    const outcome = await world.reconcile({
      write: { digests: new Map([["edge", plan?.digest ?? ""]]) },
      wire: { before: (call) => (call === "lock" ? add() : undefined) },
    });
    expect(outcome.error).toMatchObject({ code: "plan-moved" });
    expect(world.device.events.filter((event) => event.kind === "write" && event.admin === "netops")).toHaveLength(writes);
  });
});

describe("9: a commit and another administrator's unfinished work", () => {
  const HALF = { type: "config", action: "set", xpath: SHARED, element: "<entry name='half'><fqdn>a.example</fqdn></entry>" };

  it("does not include it", async () => {
    const world = await reconciled(addresses(WANTED));
    world.lab.device.act("alice", HALF);
    world.want(addresses({ ...WANTED, c: "10.0.0.3" }));
    expect((await world.reconcile()).error).toBeUndefined();
    const { commits, running, candidate } = world.lab.device.state;
    expect(commits.flatMap(({ edits }) => edits.map(({ admin }) => admin))).not.toContain("alice");
    expect(addressesOf(running, SHARED)).toEqual({ common: "192.0.2.1" });
    expect(candidate.pending.map(({ stamp }) => stamp.admin)).toEqual(["alice"]);
  });

  it("leaves no own changes for them to commit when it fails", async () => {
    const world = await reconciled(addresses(WANTED));
    world.lab.device.act("alice", HALF);
    world.want(addresses({ ...WANTED, c: "10.0.0.3" }));
    world.lab.fault({ match: { type: "commit" }, effect: { kind: "job-fails", lines: ["vsys1 is broken"] } });
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "commit-failed", message: expect.stringContaining("vsys1 is broken") });
    expect(world.lab.device.state.candidate.pending.map(({ stamp }) => stamp.admin)).toEqual(["alice"]);
    expect(world.lab.device.act("alice", { type: "commit", cmd: "<commit/>" }).status).toBe("success");
    expect((await world.drift()).drift?.items.map(({ change }) => change.kind)).toEqual(["missing"]);
  });
});

describe("10: a desired state that did not load completely", () => {
  const whole = policy(WANTED, "a");
  it.each([
    ["empty", ""],
    ["only a comment", "# everything moved\n"],
    ["without a body", "target: edge\nscope: vsys1\nconfig:\n"],
    ["with a list whose rows are commented out", "target: edge\nscope: vsys1\nconfig:\n  address:\n    # a: { ip-netmask: 10.0.0.1 }\n"],
    ["in conflict after a merge", `<<<<<<< HEAD\n${whole}=======\n>>>>>>> other\n`],
    ["cut in the middle of a rule", whole.slice(0, whole.indexOf("to: [any]"))],
    ["of another target that does not exist", whole.replace("target: edge", "target: egde")],
  ])("%s plans nothing, and does not even ask the device", async (_, text) => {
    const world = await reconciled(whole);
    const since = world.lab.device.state.journal.length;
    world.want(text);
    await expect(world.plan()).rejects.toThrow();
    await expect(world.reconcile()).rejects.toThrow();
    expect(world.lab.device.state.journal.length).toBe(since);
  });
});

describe("11: a system object in an exclusive list", () => {
  it("is never deleted, and the plan that would is refused", async () => {
    const world = new World(BARE).want(addresses(WANTED).replace("config:", "owns: { address: exclusive }\nconfig:"));
    world.guards = { ...world.guards, neverPruned: (entry) => entry.name === "theirs" };
    await world.adopt();
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(addressesOf(world.device.candidate)).toHaveProperty("theirs");
    expect(world.device.events.filter(({ kind }) => kind === "write")).toEqual([]);
  });
});

describe("12: a reference that resolves to nothing", () => {
  it("stops before anything is planned if it is in the text", async () => {
    const world = await reconciled(addresses(WANTED));
    const since = world.lab.device.state.journal.length;
    world.want(addresses({ ...WANTED, c: `"\${edge:/config/shared/address/entry[@name='nowhere']/ip-netmask}"` }));
    await expect(world.reconcile()).rejects.toThrow();
    world.want(addresses({ ...WANTED, c: '"${env:NOT_SET}"' }));
    await expect(world.reconcile()).rejects.toThrow();
    expect(world.lab.device.state.journal.length).toBe(since);
  });

  it("never leaves a rule without members, which would mean any", async () => {
    const world = await reconciled(policy(WANTED, "b"));
    const since = world.lab.device.state.journal.length;
    world.want(policy(WANTED, ""));
    await expect(world.reconcile()).rejects.toThrow();
    world.want(policy(WANTED, "b").replace("source: [b]", "source: { $exclude: [b] }"));
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(writesSince(world, since)).toEqual([]);
  });

  it("does not delete an object that an unmanaged rule still references", async () => {
    const world = await reconciled(addresses(WANTED));
    const xpath = `${VSYS}/rulebase/security/rules/entry[@name='deny-all']/source`;
    world.lab.device.act("alice", { type: "config", action: "edit", xpath, element: "<source><member>b</member></source>" });
    world.lab.device.act("alice", { type: "commit", cmd: "<commit/>" });
    const since = world.lab.device.state.journal.length;
    world.want(addresses({ a: "10.0.0.1" }));
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).toBe(3);
    expect(outcome.error?.message).toContain("deny-all");
    expect(writesSince(world, since)).toEqual([]);
  });
});
