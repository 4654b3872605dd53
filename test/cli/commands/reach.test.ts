import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../world.js";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const FLOW = "--from web --to db --source web-01 --destination db-01 --service tcp/5432 --application postgres";

describe("reach", () => {
  it("names the rule that decides a flow, with its line", async () => {
    const { code, out } = await world.run(`reach edge ${FLOW}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^edge\n {2}vsys1\n {2}allow {2}web-to-db {2}edge\/rules\/security\.yaml:\d+\n/);
    expect(out).toContain("web > db  web-01 (10.110.0.11) > db-01 (10.120.0.21)  tcp/5432 · postgres");
  });

  it("splits a set of flows by the deciding rules, in their order, also in JSON", async () => {
    const { out } = await world.run("reach edge --from office --to db --destination db-01 --format json");
    const { targets } = JSON.parse(out) as { targets: { rulebases: { answers: { rule: string; verdict: string }[] }[] }[] };
    expect(targets[0]?.rulebases[0]?.answers.map(({ rule, verdict }) => `${verdict} ${rule}`)).toEqual([
      "allow migration-2019",
      "deny deny-all",
    ]);
  });

  it("follows a flow as sent: ingress, NAT, egress, and deciding rules", async () => {
    const flow = "reach edge --as-sent --source 192.0.2.77 --destination public-web --service tcp/443";
    const { code, out } = await world.run(flow);
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, 6)).toEqual([
      "edge",
      "  vsys1",
      "  in     untrust by ethernet1/1  0.0.0.0/0 of default",
      expect.stringMatching(/^ {2}NAT {4}publish-web: destination becomes 10\.110\.0\.11 {2}\/config\/.*entry\[@name='publish-web'\]$/),
      "  out    web by ethernet1/2.110  10.110.0.0/24 of default",
      expect.stringMatching(/^ {2}(allow|deny) {2,3}\S+ {2}edge\/rules\/security\.yaml:\d+$/),
    ]);
    const { targets } = JSON.parse((await world.run(`${flow} --format json`)).out) as { targets: { rulebases: unknown[] }[] };
    expect(targets[0]?.rulebases).toMatchObject([
      {
        scope: "vsys1",
        ways: [{ from: { zone: "untrust" }, translation: { rule: "publish-web", destination: "10.110.0.11" }, to: { zone: "web" } }],
      },
    ]);
  });

  it.each([
    ["--as-sent --source 10.0.0.0/8 --destination 10.110.0.11 --service tcp/443", "flow-not-understood"],
    ["--as-sent --source 10.0.0.1 --destination 10.110.0.11", "flow-not-understood"],
    ["--as-sent --source 10.0.0.1 --destination 10.110.0.11 --service tcp/443 --to db", "flow-not-understood"],
    ["--from nowhere", "flow-not-understood"],
    ["--destination nobody", "flow-not-understood"],
    ["--service tcp/99999999", "flow-not-understood"],
    ["--scope vsys9", "rulebase-unknown"],
  ])("refuses %s: it would be a question about nothing", async (words, error) => {
    const { code, out } = await world.run(`reach edge ${words}`);
    expect(code).toBe(1);
    expect(out).toContain(`[${error}]`);
  });
});

describe("lint", () => {
  const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";

  it("finds unreachable rules and the rules that shadow them", async () => {
    const rule =
      "<from><member>any</member></from><to><member>any</member></to><source><member>web-01</member></source><destination><member>any</member></destination>";
    const rest = "<application><member>any</member></application><service><member>any</member></service><action>allow</action>";
    world.lab.device.act("mkovacs", { type: "config", action: "set", xpath: `${RULES}/entry[@name='too-late']`, element: rule + rest });
    expect((await world.run("lint edge")).out).not.toContain("too-late");
    const { code, out } = await world.run("lint edge --view candidate");
    expect(code).toBe(2);
    expect(out).toMatch(/too-late is never reached: .*deny-all \(edge\/rules\/security\.yaml:\d+\) above/);
  });
});
