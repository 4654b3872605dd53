import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reportSchema } from "../../../src/report/schema.js";
import { type CliWorld, openWorld } from "../world.js";

const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
const SHARED = "/config/shared";

interface Finding {
  readonly ruleId: string;
  readonly message: { readonly text: string };
  readonly locations: readonly { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }[];
}

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const act = (params: Readonly<Record<string, string>>) => world.lab.device.act("mkovacs", params);

describe("plan", () => {
  it("shows newly reachable and blocked flows, with the deciding lines", async () => {
    const { out } = await world.run("plan");
    expect(out).toContain("What becomes reachable  vsys1  2 openings · 2 closings · exact");
    expect(out).toMatch(
      /\+ web > db {3}web-03 \(10\.110\.0\.13\) > db-01 \(10\.120\.0\.21\)\n\s+tcp\/5432 · postgres {3}before: denied by deny-all/,
    );
    expect(out).toMatch(/by rule web-to-db \(edge\/rules\/security\.yaml:\d+\): /);
    expect(out).toMatch(/- office > db {3}old-fileserver \(10\.30\.0\.200\) > db-01 \(10\.120\.0\.21\)\n\s+any but tcp\/8443/);
  });

  it("shows them in JSON according to the schema, and in a comment with opened flows first", async () => {
    const json = JSON.parse((await world.run("plan --format json")).out) as { targets: { insight: { scopes: { rows: unknown[] }[] } }[] };
    expect(new Ajv().validate(reportSchema, json)).toBe(true);
    expect(json.targets[0]?.insight.scopes[0]?.rows).toMatchObject([
      { change: "opened" },
      { change: "opened" },
      { change: "closed" },
      { change: "closed" },
    ]);
    const comment = (await world.run("plan --format markdown")).out;
    expect(comment).toContain("🔓 **becomes reachable** on `edge`: `web > db   web-03 (10.110.0.13) > db-01");
    expect(comment.indexOf("becomes reachable")).toBeLessThan(comment.indexOf("<details"));
    expect(comment).toContain("**no longer reachable**");
    const { runs } = JSON.parse((await world.run("plan --format sarif")).out) as { runs: { results: Finding[] }[] };
    const opened = runs[0]?.results.filter(({ ruleId }) => ruleId === "reachable/opened") ?? [];
    const [finding] = opened.filter(({ message }) => message.text.includes("web-03 (10.110.0.13) > db-01"));
    expect(finding?.locations[0]?.physicalLocation.artifactLocation.uri).toBe("desired-state/edge/rules/security.yaml");
  });

  it("considers unmanaged rules and names, also undeclared shared objects", async () => {
    const element = "<entry name='everyone'><ip-netmask>0.0.0.0/0</ip-netmask></entry>";
    act({ type: "config", action: "set", xpath: `${SHARED}/address`, element });
    const rule =
      "<from><member>web</member></from><to><member>db</member></to><source><member>everyone</member></source><destination><member>any</member></destination>";
    const rest = "<application><member>any</member></application><service><member>any</member></service><action>deny</action>";
    act({ type: "config", action: "set", xpath: `${RULES}/entry[@name='theirs']`, element: rule + rest });
    act({ type: "config", action: "move", xpath: `${RULES}/entry[@name='theirs']`, where: "top" });
    act({ type: "commit", cmd: "<commit/>" });
    const { out } = await world.run("plan");
    expect(out).toMatch(/\+ web > db .*\n\s+tcp\/5432 · postgres {3}before: denied by theirs/);
  });

  it("omits the section if no match criterion changes", async () => {
    const { out, code } = await world.run("plan --path /config/devices/entry[@name='localhost.localdomain']/deviceconfig");
    expect(code).toBe(2);
    expect(out).not.toContain("reachable");
  });
});

describe("drift", () => {
  it("shows the flows that a manual change opened", async () => {
    await world.run("adopt edge");
    expect((await world.run("reconcile")).code).toBe(0);
    act({
      type: "config",
      action: "edit",
      xpath: `${RULES}/entry[@name='web-to-db']/source`,
      element: "<source><member>any</member></source>",
    });
    act({ type: "commit", cmd: "<commit/>" });
    const { out } = await world.run("drift");
    expect(out).toContain("What became reachable  vsys1");
    expect(out).toContain("1 opening · 0 closings");
    expect(out).toMatch(/\+ web > db {3}any but .*\n\s+tcp\/5432 · postgres/);
  });
});

it("drift shows only the flows of a manual change, not of a waiting commit", async () => {
  await world.run("adopt edge");
  expect((await world.run("reconcile")).code).toBe(0);
  const file = join(world.folder, "desired-state/edge/rules/security.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("service: [tcp-8443]", "service: [tcp-8443, service-http]"));
  world.commit("more ports");
  act({
    type: "config",
    action: "edit",
    xpath: `${RULES}/entry[@name='web-to-db']/source`,
    element: "<source><member>any</member></source>",
  });
  act({ type: "commit", cmd: "<commit/>" });
  const { out } = await world.run("drift");
  expect(out).toMatch(/\+ web > db {3}any but/);
  expect(out).toContain("1 opening · 0 closings");
});
