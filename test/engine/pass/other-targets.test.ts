import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { WriteTarget } from "../../../src/engine/write-target.js";
import { edge, inner } from "../../reachability/two-firewalls.js";
import { replacing } from "../apply/replacing.js";
import { World } from "../apply/world.js";

const asserting = (target: string, source: string, more = "") =>
  `target: ${target}\nscope: vsys1\nassert: [{ name: ${target}-up, verdict: allow, path: { source: ${source}, destination: "inner:db-01", service: tcp/5432${more} } }]\n`;

let world: World;
let opened: string[];
const wrap = (target: WriteTarget) =>
  replacing(target, {
    open: () => {
      opened.push(target.name);
      return target.open();
    },
  });
beforeEach(() => {
  opened = [];
  world = new World(edge());
  world.add("inner", inner(), asserting("inner", "10.0.0.1"));
  world.add("far", edge(), "target: far\nscope: vsys1\nassert: [{ name: quiet, xpath: nothing }]\n");
  world.want(asserting("edge", "192.0.2.77"));
});

const timesOf = (name: string) => opened.filter((each) => each === name).length;

/** Another credential for `far`, which is not available. */
function withoutCredentials(): void {
  const file = join(world.folder, "plumbline.yaml");
  const rows = readFileSync(file, "utf8").split("\n");
  writeFileSync(file, rows.map((row) => (row.startsWith("  far:") ? row.replace(/\$\{env:PW\}/, "$" + "{env:FAR}") : row)).join("\n"));
}

it("are read once for all targets of a plan, and not at all without path assertions", async () => {
  await world.planAll({ wrap, pass: { targets: ["edge", "inner"] } });
  // Each for its own plan, and once for the path of the other.
  expect([timesOf("edge"), timesOf("inner"), timesOf("far")]).toEqual([2, 2, 1]);
  opened = [];
  await world.plan({ wrap, pass: { targets: ["far"] } });
  expect(opened).toEqual(["far"]);
});

it("are read again under the lock and after the commit, without locks", async () => {
  world.want(`${asserting("edge", "192.0.2.77", ", through: inner")}config: { tag: { blue: { color: color1 } } }\n`);
  const outcomes = await world.reconcileAll({ wrap, pass: { targets: ["edge"] } });
  expect(outcomes[0]?.applied?.commit).toBe("committed");
  expect(timesOf("inner")).toBeGreaterThanOrEqual(3);
  expect(timesOf("far")).toBe(0);
  expect(world.others.get("inner")?.events).toEqual([]);
});

it("are read although the credentials of one are missing, which is reported for that one only", async () => {
  withoutCredentials();
  const outcome = await world.plan({ wrap, pass: { targets: ["edge"] } });
  expect(outcome.error).toBeUndefined();
  expect(opened.sort()).toEqual(["edge", "inner"]);
  expect(outcome.assertions).toMatchObject([{ state: "unknown", why: [expect.stringMatching(/^far could not be read: .*FAR/)] }]);
});

it("are read without documents", async () => {
  writeFileSync(join(world.folder, "edge", "inner.yaml"), "target: far\nscope: vsys1\nassert: [{ name: still, xpath: nothing }]\n");
  world.want(asserting("edge", "192.0.2.77", ", through: inner"));
  expect((await world.plan({ wrap, pass: { targets: ["edge"] } })).assertions).toMatchObject([{ state: "holds" }]);
});
