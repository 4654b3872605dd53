import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../world.js";

const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
  const any = (tag: string) => `<${tag}><member>any</member></${tag}>`;
  const rule = ["from", "to", "source", "destination", "application", "service"].map(any).join("");
  const params = { type: "config", action: "set", xpath: `${RULES}/entry[@name='too-late']`, element: `${rule}<action>allow</action>` };
  world.lab.device.act("mkovacs", params);
});
afterEach(() => world.close());

function accept(item: string): void {
  const folder = join(world.folder, "desired-state/edge/accepted");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "overlaps.yaml"), `target: edge\nscope: vsys1\nassert:\n  - ${item}\n`);
}

const overlap = (until: string, rule = "too-late"): string =>
  `{ name: known, overlaps: [${rule}], reason: kept until the migration, until: ${until} }`;

describe("a lint finding that documents accept", () => {
  it("is shown with its reason and last day, and is not counted", async () => {
    expect((await world.run("lint edge --view candidate")).code).toBe(2);
    accept(overlap("2999-12-31"));
    const { code, out } = await world.run("lint edge --view candidate");
    expect(out).toMatch(/too-late is never reached: .* above .*\n {6}accepted until 2999-12-31 \(known: kept until the migration\)/);
    expect(code).toBe(0);
    const { targets } = JSON.parse((await world.run("lint edge --view candidate --format json")).out) as {
      targets: { rulebases: { findings: object[] }[] }[];
    };
    const accepted = { name: "known", reason: "kept until the migration", until: "2999-12-31", isOver: false };
    expect(targets[0]?.rulebases[0]?.findings).toEqual([expect.objectContaining({ rule: "too-late", accepted })]);
  });

  it("is counted again after its last day", async () => {
    accept(overlap("2020-01-31"));
    const { code, out } = await world.run("lint edge --view candidate");
    expect(out).toContain("was accepted until 2020-01-31 (known: kept until the migration)");
    expect(code).toBe(2);
  });

  it("is reported as unnecessary if lint no longer finds it", async () => {
    accept(overlap("2999-12-31", "web-to-db"));
    const { out } = await world.run("lint edge");
    expect(out).toContain("known accepts web-to-db, which is no finding: it can go");
  });

  it("breaks no other assertion", async () => {
    accept(overlap("2999-12-31"));
    expect((await world.run("plan --target edge")).out).not.toContain("Assertions");
    expect((await world.run("validate")).code).toBe(0);
  });

  it.each([
    ["{ name: known, overlaps: [a], reason: r }", "until: is missing"],
    ["{ name: known, overlaps: [a], until: 2999-12-31 }", "reason: is missing"],
    ["{ name: known, overlaps: [a], reason: r, until: 2999-02-30 }", 'until: cannot be "2999-02-30"'],
    ["{ name: known, overlaps: [], reason: r, until: 2999-12-31 }", "overlaps: names no rule"],
    ["{ name: known, overlaps: [a], reason: r, until: 2999-12-31, verdict: deny }", "verdict: is not allowed next to overlaps:"],
  ])("is refused as %s", async (item, message) => {
    accept(item);
    const { code, out, err } = await world.run("validate");
    expect(code).toBe(1);
    expect(out + err).toContain(message);
    expect(out + err).toMatch(/accepted\/overlaps\.yaml:4:/);
  });
});
