import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../../src/agent/store/open.js";
import { SecretValue } from "../../../src/core/secret.js";
import { formatMark } from "../../../src/engine/apply/lock-mark.js";
import { readCheckout } from "../../../src/engine/checkout/checkout.js";
import { openLedgerStore } from "../../../src/engine/ledger/open-ledger.js";
import { NoticeBoard } from "../../../src/engine/notices.js";
import { afterTest } from "../../after-test.js";
import { startPostgres } from "../../agent/store/postgres.js";
import { type CliWorld, openWorld } from "../world.js";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(async () => await world.close());

describe("plumbline agent --once", () => {
  it("refuses first contact, applies adopted targets, and then finds no changes", async () => {
    const first = await world.run("agent --once");
    expect([first.code, first.out]).toEqual([3, expect.stringContaining("first-contact")]);
    expect((await world.run("adopt edge")).code).toBe(0);
    const second = await world.run("agent --once");
    expect([second.code, second.err]).toEqual([0, ""]);
    expect(second.out).toContain("applied");
    expect((await world.run("agent --once")).code).toBe(0);
    expect((await world.run("plan")).code).toBe(0);
  });

  it("logs events in one format at a time", async () => {
    const words = await world.run("agent --once --log-level info");
    expect(words.out).toContain("first-contact");
    expect(words.err).not.toMatch(/^\{/m);
    const json = await world.run("agent --once --log-format json --log-level info");
    expect(json.out).toBe("");
    const events = json.err
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { event?: string }).event);
    expect(events).toContain("plan-refused");
    expect(events).toContain("pass-ended");
  });

  it("writes only JSON lines with --log-format json, also while it serves its page", async () => {
    const { code, out, err } = await world.runUntil("agent --port 0 --log-format json --log-level info", /"pass-ended"/);
    expect([code, out]).toEqual([0, ""]);
    const lines = err.trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line) as { event?: string; url?: string; store?: string });
    expect(events.find(({ event }) => event === "listening")).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+/) as string,
      store: expect.stringContaining("plumbline.db") as string,
    });
  });

  it("reports that the repository cannot be fetched", async () => {
    const { code, out } = await world.runWords(["agent", "--once", "--source", "/nowhere/at/all"]);
    expect(code).toBe(1);
    expect(out).toContain("/nowhere/at/all cannot be fetched");
  });

  it("refuses an address in place of a host name", async () => {
    const { code, err } = await world.run("agent --once", { PLUMBLINE_HTTP_NAMES: "https://plumbline.example.com" });
    expect([code, err]).toEqual([1, expect.stringContaining("without scheme and port")]);
  });

  it.each(["--interval x", "--drift-interval 0"])("refuses %s", async (flags) => {
    const { code, err } = await world.run(`agent --once ${flags}`);
    expect([code, err]).toEqual([1, expect.stringContaining("option-invalid")]);
  });
});

describe("commands on a store that several agents share", () => {
  it("record the time of the database, also on a machine whose clock is two hours behind", async () => {
    const postgres = await startPostgres();
    afterTest(() => postgres.stop());
    const url = await postgres.createDatabase();
    const place = { PLUMBLINE_STORE: url };
    const store = await openStore({ kind: "postgres", url: new SecretValue(url, "url") }, { readOnly: false });
    afterTest(() => store.close());
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: now - 2 * 3_600_000 });
    afterTest(() => void vi.useRealTimers());
    const paused = await world.runWords(["pause", "edge", "--reason", "CHG-1", "--for", "1h"], place);
    expect([paused.err, paused.code]).toEqual(["", 0]);
    const [pause] = await store.pauses.active(now);
    const isNow = (time: number | undefined) => time !== undefined && Math.abs(time - now) < 10 * 60_000;
    expect([pause?.reason, isNow(pause?.since), (pause?.until ?? 0) - (pause?.since ?? 0)]).toEqual(["CHG-1", true, 3_600_000]);
    expect((await world.run("resume edge", place)).out).toContain("is resumed");
    const digest = "d".repeat(64);
    expect((await world.run(`approve edge ${digest}`, place)).code).toBe(0);
    expect(isNow((await store.approvals.get("edge", digest))?.at)).toBe(true);
    const { entries } = await store.history.find({ target: "edge", limit: 9 });
    expect(entries.map(({ kind, at }) => [kind, isNow(at)])).toEqual([
      ["approval", true],
      ["resume", true],
      ["pause", true],
    ]);
  }, 60_000);
});

describe("plumbline pause", () => {
  it("stops a CI run with an empty state folder until resume", async () => {
    await world.run("adopt edge");
    const paused = await world.runWords(["pause", "edge", "--reason", "break glass", "--for", "2h", "--by", "ann"]);
    expect([paused.code, paused.out]).toEqual([0, expect.stringContaining("edge is paused until")]);
    const elsewhere = { PLUMBLINE_STATE_DIR: `${world.folder}/ci-state` };
    const refused = await world.run("reconcile", elsewhere);
    expect(refused.code).toBe(3);
    expect(refused.out).toContain("break glass");
    expect((await world.run("plan", elsewhere)).code).toBe(2);
    expect((await world.run("agent --once")).code).toBe(2);
    expect((await world.run("resume edge", elsewhere)).out).toContain("is resumed");
    expect((await world.run("reconcile", elsewhere)).code).toBe(0);
    expect((await world.run("resume edge", elsewhere)).out).toContain("was not paused");
  });

  it("does not report success while an earlier run still writes", async () => {
    const comment = formatMark("others", { started: Date.UTC(2026, 0, 2), host: "elsewhere", pid: 7, random: "ff" }, "digest");
    const lock = (what: string) =>
      world.lab.device.act("plumbline", { type: "op", cmd: `<request><config-lock>${what}</config-lock></request>` });
    lock(`<add><comment>${comment}</comment></add>`);
    const still = await world.runWords(["pause", "edge", "--reason", "fire", "--wait", "1s"]);
    expect([still.code, still.out]).toEqual([4, ""]);
    expect(still.err).toContain("still-writing");
    expect(still.err).toContain("20260102T000000Z-elsewhere-7-ff of others");
    lock("<remove/>");
    const paused = await world.runWords(["pause", "edge", "--reason", "fire"]);
    expect([paused.code, paused.out]).toEqual([0, "edge is paused until it is resumed.\n"]);
  });

  it("does not report success if the pause ended while it waited for a run", async () => {
    const comment = formatMark("others", { started: Date.UTC(2026, 0, 2), host: "elsewhere", pid: 7, random: "ff" }, "digest");
    const lock = (what: string) =>
      world.lab.device.act("plumbline", { type: "op", cmd: `<request><config-lock>${what}</config-lock></request>` });
    lock(`<add><comment>${comment}</comment></add>`);
    const pausing = world.runWords(["pause", "edge", "--reason", "fire", "--wait", "1m"]);
    const place = openLedgerStore(undefined, await readCheckout(join(world.folder, "desired-state")), join(world.folder, "state"));
    // It is in the store before it is in the place that other runners read.
    while ((await new NoticeBoard(place, "anyone").pauses(Date.now())).length === 0);
    expect((await world.run("resume edge")).out).toBe("edge is resumed.\n");
    lock("<remove/>");
    const { code, out, err } = await pausing;
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain("pause-ended");
  });

  it("does not claim more than it knows about an unreachable target", async () => {
    const { code, out } = await world.runWords(["pause", "edge", "--reason", "fire"], { PLUMBLINE_PASSWORD: "wrong" });
    expect(code).toBe(0);
    expect(out).not.toContain("is paused");
    expect(out).toContain(
      "New runs do not write to edge until it is resumed. Plumbline could not check whether a run is still writing:\n  edge: ",
    );
  });

  it("names another way to pause if plumbline.yaml does not load", async () => {
    appendFileSync(join(world.folder, "desired-state", "plumbline.yaml"), "\nbroken: [");
    const { code, err } = await world.run("pause edge --reason fire");
    expect(code).toBe(1);
    expect(err).toContain("Nothing is paused. Other runs read pauses from a place that plumbline.yaml names");
    expect(err).toContain(join(world.folder, "state", "pause", "TARGET"));
  });

  it("is refused with --for if a commit is newer than the clock", async () => {
    const folder = join(world.folder, "desired-state");
    const date = new Date(Date.now() + 2 * 3_600_000).toISOString();
    const who = ["-c", "user.name=ann", "-c", "user.email=ann@example.com"];
    execFileSync("git", ["-C", folder, ...who, "commit", "--quiet", "--allow-empty", "--message", "later"], {
      env: { ...process.env, GIT_COMMITTER_DATE: date },
    });
    const { code, err } = await world.runWords(["pause", "edge", "--reason", "fire", "--for", "1h"]);
    expect([code, err]).toEqual([3, expect.stringContaining("clock-behind")]);
    expect((await world.run("resume edge")).out).toContain("was not paused");
    expect((await world.runWords(["pause", "edge", "--reason", "fire"])).out).toContain("edge is paused until it is resumed");
  });

  it("of all targets is mentioned when one of them is resumed", async () => {
    await world.runWords(["pause", "--all", "--reason", "freeze", "--by", "ann"]);
    const { code, out } = await world.run("resume edge");
    expect([code, out]).toEqual([0, expect.stringMatching(/^edge was not paused\.\nA pause of all targets by ann remains: freeze\./)]);
    expect((await world.run("resume --all")).out).toBe("Every target is resumed.\n");
  });

  it("names the affected runners if others cannot be notified, and cannot be ended for some of them only", async () => {
    const ledger = ["--ledger", "http://127.0.0.1:9/ledgers"];
    const paused = await world.runWords(["pause", "edge", "--reason", "break glass", ...ledger]);
    expect([paused.code, paused.err]).toEqual([
      1,
      expect.stringContaining("paused for an agent with the store of this machine, and for no other"),
    ]);
    const resumed = await world.runWords(["resume", "edge", ...ledger]);
    expect(resumed.code).not.toBe(0);
    expect((await world.run("history --kind pause")).out).toContain("break glass");
    expect((await world.run("resume edge")).out).toContain("edge is resumed");
  });

  it.each([
    [["pause", "egde", "--reason", "x"], "target-unknown"],
    [["pause", "--reason", "x"], "target-unknown"],
    [["pause", "edge", "--reason", "x", "--for", "soon"], "option-invalid"],
    [["pause", "edge", "--reason", "x", "--for", "99999999d"], "option-invalid"],
    [["pause", "edge", "--reason", " "], "option-invalid"],
    [["pause", "edge", "--all", "--reason", "x"], "option-invalid"],
    [["resume", "edge", "--all"], "option-invalid"],
    [["approve", "edge", "abc"], "option-invalid"],
    [["rollback", "no-such-commit"], "rollback-not-possible"],
  ])("says what is wrong with %j", async (words, code) => {
    const run = await world.runWords(words);
    expect(run.code).not.toBe(0);
    expect(run.err).toContain(code);
  });
});

describe("plumbline approve", () => {
  it("lets the agent on this machine apply the plan", async () => {
    const digest = "a".repeat(64);
    const { code, out } = await world.run(`approve edge ${digest} --by ann`);
    expect([code, out]).toEqual([0, expect.stringContaining("is approved")]);
    expect((await world.run("history --kind approval")).out).toContain("ann");
  });

  it("finds an agent's plan by the start of its digest", async () => {
    expect((await world.run("agent --once")).code).toBeLessThan(4);
    const store = await openStore({ kind: "sqlite", file: join(world.folder, "state/plumbline.db") }, { readOnly: true });
    const [digest = ""] = await store.plans.beginning("edge", "");
    await store.close();
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await world.run(`approve edge ${digest.slice(0, 11)}`)).err).toContain("plan --format json");
    expect((await world.run(`approve edge ${digest.slice(0, 12)}`)).out).toContain(`Plan ${digest.slice(0, 12)} of edge is approved.`);
    expect((await world.run("history --kind approval --format json")).out).toContain(digest);
  });
});
