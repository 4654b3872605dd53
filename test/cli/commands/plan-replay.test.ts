import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Flow } from "../../../src/lab/panos/traffic/flow.js";
import type { Traffic } from "../../../src/outcome/traffic.js";
import { type CliWorld, openWorld } from "../world.js";

const RULES = "desired-state/edge/rules/security.yaml";
const POSTGRES: Flow = { from: "web", to: "db", source: "10.110.0.11", destination: "10.120.0.21", application: "postgres", port: 5432 };
const LOOKED_AT = "--allow dirty=1 --allow first-contact=1";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** Traffic of which one session each was logged. */
function sessions(...flows: readonly Partial<Flow>[]): void {
  world.lab.device.state.traffic.add(flows.map((more) => ({ ...POSTGRES, every: 3_600_000, ...more })));
  world.lab.device.state.traffic.advance();
}

function edit(from: string, to: string): void {
  const file = join(world.folder, RULES);
  const edited = readFileSync(file, "utf8").replace(from, to);
  expect(edited).toContain(to);
  writeFileSync(file, edited);
}

async function replayed(options = "--replay 1h"): Promise<Traffic | undefined> {
  const { out } = await world.run(`plan --target edge ${LOOKED_AT} ${options} --format json`.replaceAll(/ +/g, " "));
  return (JSON.parse(out) as { targets: { traffic?: Traffic }[] }).targets[0]?.traffic;
}

describe("plan --replay", () => {
  it("lists sessions that would be stopped and may be allowed, by rule, with counts", async () => {
    sessions({}, { source: "10.110.0.12" }, { source: "10.110.0.77" }, { port: 5433 });
    edit("source: [web-servers]", "source: [10.110.0.77]");
    const { code, out } = await world.run(`plan --target edge ${LOOKED_AT} --replay 1h`);
    expect(code).toBe(2);
    expect(out).toMatch(/ {2}Traffic since \d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d {2}vsys1 {2}8 sessions · 6 of 8 rules log\n/);
    expect(out).toMatch(
      / {4}- would be stopped {2}2 sessions {2}web > db {2}10\.110\.0\.11, 10\.110\.0\.12 > 10\.120\.0\.21 {2}tcp\/5432 · postgres\n {6}was: web-to-db \(.*:36\) {3}now: deny-all \(.*:72\) {3}\(last /,
    );
    // A firewall that denies a session does not see its application.
    expect(out).toMatch(
      / {4}\? may change {2}1 session {2}web > db {2}10\.110\.0\.77 > 10\.120\.0\.21 {2}tcp\/5432 · application not known\n/,
    );
    expect((await replayed())?.scopes[0]).toMatchObject({ sessions: 8, closed: 2, opened: 0, mayChange: 1 });
  });

  it("shows the resulting action of the firewall", async () => {
    sessions({}, { source: "10.110.0.12" }, { source: "10.110.0.99", to: "untrust" }, { from: "db", to: "web" });
    edit(
      "application: [postgres]\n          service: [tcp-5432]\n          action: allow",
      "application: [any]\n          service: [any]\n          action: deny",
    );
    const said = (await replayed())?.scopes[0];
    const allowed = () => world.lab.device.state.traffic.list().map(({ judgement }) => judgement.action === "allow");
    const before = allowed();
    expect((await world.run(`reconcile --target edge ${LOOKED_AT}`)).code).toBe(0);
    const after = allowed();
    expect(said).toMatchObject({
      closed: before.filter((is, at) => is && !after[at]).length,
      opened: before.filter((is, at) => !is && after[at]).length,
      mayChange: 0,
    });
    expect(said?.closed).toBe(2);
  });

  it("reads only the newest records if there are more, and reports the start", async () => {
    sessions({}, { source: "10.110.0.12" }, { source: "10.110.0.13" });
    edit("source: [web-servers]", "source: [10.110.0.77]");
    const { out } = await world.run(`plan --target edge ${LOOKED_AT} --replay 1h --replay-records 2`);
    expect(out).toContain("2 sessions · 6 of 8 rules log");
    expect(out).toMatch(/Requested from .*; the log has more than was read\./);
    expect((await replayed("--replay 1h --replay-records 2"))?.backTo).toMatch(/^\d{4}\//);
    expect((await replayed())?.backTo).toBeUndefined();
  });

  it("counts sessions that the model decides differently, separately since the last commit", async () => {
    const { device } = world.lab;
    device.act("mkovacs", { type: "commit", cmd: "<commit/>" });
    sessions({});
    const [record] = device.state.traffic.records("TRAFFIC").slice(-1);
    (record as Map<string, string>).set("rule", "publish-web").set("rule_uuid", "").set("receive_time", "2099/01/01 00:00:00");
    edit("source: [web-servers]", "source: [10.110.0.77]");
    const { out } = await world.run(`plan --target edge ${LOOKED_AT} --replay 1h`);
    expect(out).toMatch(
      /The log disagrees with the model for 1 session since the last commit: publish-web where the model says web-to-db \(web > db {2}10\.110\.0\.11 > /,
    );
    expect((await replayed())?.scopes[0]).toMatchObject({ disagree: 1, closed: 1 });
  });

  it("is part of the comment of a pull request", async () => {
    sessions({});
    edit("source: [web-servers]", "source: [10.110.0.77]");
    const { out } = await world.run(`plan --target edge ${LOOKED_AT} --replay 1h --format markdown`);
    expect(out).toMatch(/^- 🛑 \*\*would stop 1 session that passed\*\* on `edge`: `web > db/m);
    expect(out).toMatch(/- \*\*traffic\*\* since .*, `vsys1`: 5 sessions · 6 of 8 rules log\n {2}- `- would be stopped {2}1 session/);
  });

  it("plans anyway if the log is refused, and reports it", async () => {
    edit("source: [web-servers]", "source: [10.110.0.77]");
    world.lab.fault({ match: { type: "log" }, effect: { kind: "status", status: 403 }, count: 100 });
    const { code, out } = await world.run(`plan --target edge ${LOOKED_AT} --replay 1h`);
    expect(code).toBe(2);
    expect(out).toMatch(/Traffic {2}not replayed: .*403/);
  });

  it("is off by default, and refuses an invalid time", async () => {
    edit("source: [web-servers]", "source: [10.110.0.77]");
    expect(await replayed("")).toBeUndefined();
    const { code, err, out } = await world.run("plan --target edge --replay soon");
    expect(code).toBe(1);
    expect(err + out).toContain('--replay "soon" is neither a stretch of time nor a moment');
  });
});
