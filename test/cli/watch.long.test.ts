import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ManualClock } from "../../src/lab/lab.js";
import { reportSchema } from "../../src/report/schema.js";
import { type CliWorld, openWorld } from "./world.js";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld(undefined, new ManualClock());
  await world.run("adopt edge");
  expect((await world.run("reconcile")).code).toBe(0);
});
afterEach(() => world.close());

const WATCH = 'watch:\n  - { type: traffic, query: "( action neq allow ) and ( dport eq 5432 )", minutes: 1 }\n';
const POSTGRES = {
  from: "web",
  to: "db",
  source: "10.110.0.11",
  destination: "10.120.0.21",
  application: "postgres",
  port: 5432,
  every: 10,
};
const policy = () => join(world.folder, "desired-state/edge/rules/security.yaml");

/** Blocks all access of the web servers to the database. */
function blockPostgres(): void {
  const text = readFileSync(policy(), "utf8");
  writeFileSync(policy(), `${WATCH}${text.replace("source: [web-servers]", "source: [net-office]")}`);
  world.commit("a narrower rule");
}

const head = () => execFileSync("git", ["-C", world.folder, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();

it("a commit that blocks a flow is rolled back, named in the report, and refused until git changes", async () => {
  const { state } = world.lab.device;
  state.traffic.add([POSTGRES]);
  expect(state.traffic.list()[0]?.judgement).toMatchObject({ rule: "web-to-db", action: "allow" });
  const good = head();
  blockPostgres();
  const bad = head();

  const reconcile = await world.run("reconcile");
  expect(reconcile.code).toBe(1);
  expect(reconcile.out).toContain("commit rolled back");
  expect(reconcile.out).toMatch(/\d+ of 1 traffic record \(0 in as long a time before\)/);
  expect(reconcile.out).toContain("rule deny-all  action deny");
  expect(reconcile.out).toContain(`--allow refused-commit=${bad.slice(0, 8)}`);
  expect(state.traffic.list()[0]?.judgement).toMatchObject({ rule: "web-to-db", action: "allow" });
  expect(state.commits.at(-1)?.description).toMatch(/^plumbline rollback /);

  const plan = await world.run("plan");
  expect(plan.code).toBe(3);
  expect(plan.out).toContain("refused refused-commit  this change was applied before and rolled back: ");
  const again = JSON.parse((await world.run(`reconcile --format json --allow refused-commit=${bad.slice(0, 8)}`)).out);
  expect(again.targets[0]).toMatchObject({
    exitCode: 1,
    error: { code: "commit-taken-back" },
    watch: { decision: "taken back", commit: bad },
  });
  expect(new Ajv().validate(reportSchema, again)).toBe(true);
  expect((await world.run("reconcile --allow refused-commit=1234567")).code).toBe(3);

  writeFileSync(policy(), readFileSync(policy(), "utf8").replace("source: [net-office]", "source: [web-servers]"));
  world.commit("as it was");
  expect(head()).not.toBe(good);
  const after = await world.run("reconcile");
  expect([after.code, after.out.includes("no changes")]).toEqual([0, true]);
}, 60_000);

it("the same report as a comment shows the counts", async () => {
  world.lab.device.state.traffic.add([POSTGRES]);
  blockPostgres();
  const { code, out } = await world.run("reconcile --format markdown");
  expect(code).toBe(1);
  expect(out).toContain("commit rolled back");
  expect(out).toContain("traffic log");
});
