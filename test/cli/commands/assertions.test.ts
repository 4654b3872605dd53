import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterEach, beforeEach, expect, it } from "vitest";
import { reportSchema } from "../../../src/report/schema.js";
import { type CliWorld, openWorld } from "../world.js";

const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const assertions = (...rows: readonly string[]): void =>
  writeFileSync(
    join(world.folder, "desired-state/edge/expect.yaml"),
    `target: edge\nscope: vsys1\nassert:\n${rows.map((row) => `  - ${row}\n`).join("")}`,
  );

const POSTGRES =
  "{ name: db-only-postgres, description: web reaches db with PostgreSQL alone, verdict: deny, from: [web], to: [db], except: [{ service: [tcp/5432] }, { application: [dns] }] }";
const SILENT = "{ name: db-is-silent, verdict: deny, from: [db], to: [web], except: [{ application: [dns] }] }";

const openByHand = (): void => {
  const act = (params: Readonly<Record<string, string>>) => world.lab.device.act("mkovacs", params);
  const element = "<service><member>any</member></service>";
  act({ type: "config", action: "edit", xpath: `${RULES}/entry[@name='web-to-db']/service`, element });
  act({
    type: "config",
    action: "edit",
    xpath: `${RULES}/entry[@name='web-to-db']/application`,
    element: element.replaceAll("service", "application"),
  });
  act({ type: "commit", cmd: "<commit/>" });
};

it("a plan counts assertions that hold, and validate finds type errors without a device", async () => {
  assertions(POSTGRES, SILENT);
  expect((await world.run("plan")).out).toContain("  Assertions  2 hold\n");
  expect((await world.run("validate")).code).toBe(0);
  assertions(POSTGRES.replace("from: [web]", "from: [web], source: [web-severs]"));
  const { err, code } = await world.run("validate");
  expect([code, err]).toEqual([0, expect.stringContaining('There is no address "web-severs"')]);
  assertions(POSTGRES.replace("deny", "denied"));
  const wrong = await world.run("validate");
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/edge\/expect\.yaml:4:\d+/)]);
});

it("a manual change that breaks an assertion is reported with its author in every output, and a heal fixes it", async () => {
  assertions(POSTGRES, SILENT);
  world.commit("assert");
  await world.run("adopt edge");
  expect((await world.run("reconcile")).code).toBe(0);
  openByHand();
  const { out } = await world.run("drift");
  expect(out).toContain("  Assertions  1 holds · 1 broken\n    ! db-only-postgres  broken by a manual change  vsys1  edge/expect.yaml:4:");
  expect(out).toMatch(/by rule web-to-db \(edge\/rules\/security\.yaml:\d+\), by mkovacs at /);
  expect(out).toContain("asserted: web reaches db with PostgreSQL alone");

  const json = JSON.parse((await world.run("drift --format json")).out) as { targets: { assertions: unknown[] }[] };
  expect(new Ajv().validate(reportSchema, json)).toBe(true);
  expect(json.targets[0]?.assertions).toMatchObject([
    { name: "db-only-postgres", state: "broken", before: "holds", isByChange: true },
    { name: "db-is-silent", state: "holds" },
  ]);
  const markdown = (await world.run("drift --format markdown")).out;
  expect(markdown).toMatch(/📌 \*\*assertion\*\* on `edge`: .*db-only-postgres/);
  expect(markdown).toContain("**assertions** 1 holds · 1 broken");
  const junit = (await world.run("drift --format junit")).out;
  expect(junit).toContain('<testcase name="edge vsys1: db-is-silent" classname="plumbline.assertion"/>');
  expect(junit).toMatch(/<testcase name="edge vsys1: db-only-postgres" classname="plumbline.assertion">\s*<failure type="broken"/);
  const sarif = JSON.parse((await world.run("drift --format sarif")).out) as {
    runs: { results: { ruleId: string; level: string; locations: { physicalLocation: { region: object } }[] }[] }[];
  };
  const result = sarif.runs[0]?.results.find(({ ruleId }) => ruleId === "assertion/broken");
  expect([result?.level, result?.locations[0]?.physicalLocation.region]).toEqual(["error", { startLine: 4, startColumn: 13 }]);

  const healed = await world.run("reconcile --yes");
  expect([healed.code, healed.out]).toEqual([0, expect.stringContaining("  Assertions  2 hold\n")]);
});

it("a house rule that a manual change breaks is reported with path and line", async () => {
  assertions(`{ name: closed, xpath: "rulebase/security/rules/entry[@name='web-to-db'][service/member='any']" }`);
  openByHand();
  const { out } = await world.run("drift");
  expect(out).toContain("  Assertions  1 broken\n    ! closed  broken");
  expect(out).toMatch(/edge\/rules\/security\.yaml:\d+:\d+ · \/config\/\S+entry\[@name='web-to-db'\]/);
});

it("a plan that breaks an assertion is refused with its own guard by every command that writes", async () => {
  assertions("{ name: office-off-web, verdict: deny, from: [office], to: [web], except: [{ application: [dns] }] }", SILENT);
  const refused = await world.run("plan");
  expect(refused.code).toBe(3);
  expect(refused.out).toContain("refused: assertion");
  expect(refused.out).toContain('to override once: --allow "assertion=office-off-web"');
  expect(refused.out).toContain("! office-off-web  broken by this plan");
  await world.run("plan --out plan.json");
  for (const line of ["reconcile", "apply plan.json"]) {
    const { code, out } = await world.run(line);
    expect([line, code, out]).toEqual([line, 3, expect.stringContaining("assertion")]);
  }
  expect((await world.run("plan --allow assertion=office-off-web --allow dirty=1 --allow first-contact=1")).code).toBe(2);
});
