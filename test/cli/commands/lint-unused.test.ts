import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../world.js";

const POSTGRES = { from: "web", to: "db", source: "10.110.0.11", destination: "10.120.0.21", application: "postgres", port: 5432 };
const DAY = 86_400_000;

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** As if the firewall had counted for so many days. */
function countingFor(days: number): void {
  const { hits } = world.lab.device.state.traffic;
  const { running } = world.lab.device.state;
  const empty = { ...running, children: [] };
  hits.runs(empty, 0);
  hits.runs(running, Date.now() - days * DAY);
}

interface Finding {
  readonly kind: string;
  readonly rule: string;
  readonly lastHit?: string;
}

async function unused(since = "30d"): Promise<{ readonly rules: readonly string[]; readonly uncounted: readonly string[] }> {
  const { out } = await world.run(`lint edge --unused ${since} --format json`);
  const { targets } = JSON.parse(out) as { targets: { rulebases: { findings: Finding[]; uncounted: string[] }[] }[] };
  const [rulebase] = targets[0]?.rulebases ?? [];
  const rules = (rulebase?.findings ?? []).filter(({ kind }) => kind === "unused").map(({ rule }) => rule);
  return { rules, uncounted: rulebase?.uncounted ?? [] };
}

describe("lint --unused", () => {
  it("names rules without hits, with their lines and the start of the counters, and no rule with hits", async () => {
    countingFor(100);
    world.lab.device.state.traffic.add([{ ...POSTGRES, every: 3_600_000 }]);
    const { code, out } = await world.run("lint edge --unused 30d");
    expect(code).toBe(2);
    expect(out).toMatch(/publish-web decided no session, and was counted since \d{4}-\d\d-\d\d {2}edge\/rules\/security\.yaml:\d+/);
    expect(out).not.toMatch(/web-to-db decided no session|-default decided/);
  });

  it("shows the last session that a rule decided", async () => {
    countingFor(100);
    world.lab.device.state.traffic.hits.note("vsys1", "publish-web", Date.now() - 60 * DAY);
    expect((await unused()).rules).toContain("publish-web");
    expect((await unused("90d")).rules).not.toContain("publish-web");
    const day = new Date(Date.now() - 60 * DAY).toISOString().slice(0, 10);
    expect((await world.run("lint edge --unused 30d")).out).toContain(`publish-web decided no session since ${day}`);
  });

  it("reports rules that are younger, or whose counters were cleared, as unknown", async () => {
    countingFor(10);
    expect(await unused()).toMatchObject({ rules: [], uncounted: expect.arrayContaining(["publish-web", "web-to-db"]) });
    countingFor(100);
    world.lab.device.state.traffic.hits.clear("vsys1", "publish-web", Date.now() - DAY);
    const { rules, uncounted } = await unused();
    expect(rules).not.toContain("publish-web");
    expect(uncounted).toEqual(["publish-web"]);
    expect((await world.run("lint edge --unused 30d")).out).toContain("not counted for long enough to say whether it is used: publish-web");
  });

  it("reports a device without counters, and lints anyway", async () => {
    Object.assign(world.lab.device.state.capabilities, { extras: false });
    const { out } = await world.run("lint edge --unused 30d");
    expect(out).toContain("The use of the rules of vsys1 is unknown: edge has no counters for them.");
  });

  it("reads counters only on request, and refuses an invalid time", async () => {
    countingFor(100);
    const { out } = await world.run("lint edge");
    expect(out).not.toContain("decided no session");
    expect(world.lab.device.state.journal.some(({ params }) => params.cmd?.includes("rule-hit-count"))).toBe(false);
    const refused = await world.run("lint edge --unused soon");
    expect([refused.code, refused.err + refused.out]).toEqual([1, expect.stringContaining('--unused "soon" is neither')]);
  });
});
