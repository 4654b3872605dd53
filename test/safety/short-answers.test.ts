import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { insightBetween } from "../../src/reachability/changes/format-difference.js";
import { insightLines } from "../../src/report/insight.js";
import { plain } from "../../src/report/style.js";
import { policiesOf } from "../../src/targets/panos/policy/policies.js";
import { Dice, edited } from "../reachability/flows/worlds.js";
import { seedOf } from "../seed.js";
import { REAL, worldOf } from "../targets/panos/policy/real.js";

const EDITS = 10;
const ROWS = 15;

/** Configurations of a branch, a data centre and a gateway for remote access. */
const IMPORTED = ["branch", "datacenter", "remote-access", "manager"].map((name) => ({
  name,
  xml: readFileSync(`test/import/fixtures/${name}.xml`, "utf8"),
}));

describe.each([...REAL, ...IMPORTED])("the answer to an edit of a real configuration: $name", ({ xml }) => {
  const [policies = []] = policiesOf([parseXml(xml)]);

  it("has at most 15 rows of three lines, and JSON has the others and all exact sets", () => {
    for (const policy of policies) {
      const zones = policy.zones.length > 1 ? policy.zones : ["one", "other"];
      const before = { ...policy, zones };
      const [world, dice] = [worldOf(before), new Dice(seedOf(policy.rules.length))];
      for (let edit = 0; edit < EDITS; edit++) {
        const scope = insightBetween(before, edited(world, dice, before, 1));
        const lines = insightLines({ scopes: [scope] }, "plan", plain);
        const shown = lines.filter((line) => /^ {4}[+~-] /.test(line)).length;
        const rows = scope.edits.flatMap((each) => each.rows);
        expect(shown).toBe(Math.min(rows.length, ROWS));
        expect(lines.filter((line) => line.startsWith("        ")).length).toBe(2 * shown);
        expect(lines.filter((line) => line.startsWith("    by "))).toHaveLength(scope.edits.length);
        // One edit causes few rows: two directions, each certain or with a condition.
        expect(rows.length).toBeLessThanOrEqual(8 * Math.max(1, scope.edits.length));
        expect(scope.rows.length > 0).toBe(rows.length > 0);
        for (const row of scope.rows)
          expect([row.more, row.flows.every(({ sets, steps }) => sets && (steps !== undefined || row.except === undefined))]).toEqual([
            0,
            true,
          ]);
      }
    }
  });
});
