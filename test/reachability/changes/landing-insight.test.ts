import { Ajv } from "ajv";
import { beforeEach, describe, expect, it } from "vitest";
import type { Path } from "../../../src/core/tree/path.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import { insightLines } from "../../../src/report/insight.js";
import { renderJson } from "../../../src/report/json.js";
import { insightNotes, openedNotices } from "../../../src/report/markdown/insight.js";
import { openedLines } from "../../../src/report/opened-flows.js";
import { insightResults } from "../../../src/report/sarif/insight.js";
import { reportSchema } from "../../../src/report/schema.js";
import { plain } from "../../../src/report/style.js";
import { VSYS } from "../../engine/apply/scenes.js";
import { World } from "../../engine/apply/world.js";

const list = (tag: string, ...members: string[]) => `<${tag}>${members.map((each) => `<member>${each}</member>`).join("")}</${tag}>`;
const layer3 = (name: string, address: string) => `<entry name='${name}'><layer3><ip><entry name='${address}'/></ip></layer3></entry>`;
const zone = (name: string, port: string) => `<entry name='${name}'><network>${list("layer3", port)}</network></entry>`;
const address = (name: string, text: string) => `<entry name='${name}'><ip-netmask>${text}</ip-netmask></entry>`;

/** A web server behind NAT. */
const LIVE = [
  "<config><devices><entry name='localhost.localdomain'>",
  `<network><interface><ethernet>${layer3("ethernet1/1", "203.0.113.1/24")}${layer3("ethernet1/3", "10.1.0.1/24")}</ethernet></interface>`,
  `<virtual-router><entry name='default'>${list("interface", "ethernet1/1", "ethernet1/3")}<routing-table><ip><static-route>`,
  "<entry name='out'><destination>0.0.0.0/0</destination><interface>ethernet1/1</interface><nexthop><ip-address>203.0.113.254</ip-address></nexthop></entry>",
  "</static-route></ip></routing-table></entry></virtual-router></network>",
  `<vsys><entry name='vsys1'><zone>${zone("untrust", "ethernet1/1")}${zone("dmz", "ethernet1/3")}</zone>`,
  `<address>${address("web-01", "10.1.0.11")}${address("web-02", "10.1.0.12")}</address><rulebase><nat><rules>`,
  `<entry name='web-in'>${list("from", "untrust")}${list("to", "untrust")}${list("source", "any")}${list("destination", "203.0.113.10")}<service>any</service><destination-translation><translated-address>web-01</translated-address></destination-translation></entry>`,
  `</rules></nat><security><rules><entry name='web'>${list("from", "untrust")}${list("to", "dmz")}${list("source", "any")}${list("destination", "203.0.113.10")}${list("application", "any")}${list("service", "any")}<action>allow</action></entry>`,
  "</rules></security></rulebase></entry></vsys></entry></devices><shared></shared></config>",
].join("");

const document = (config: string): string => `target: edge\nscope: vsys1\nconfig:\n${config}`;
const TO_THE_SECOND = document(
  "  rulebase: { nat: { rules: { $entries: [{ name: web-in, $partial: true, destination-translation: { translated-address: web-02 } }] } } }\n",
);

const said = ({ insight }: TargetOutcome, command: "plan" | "drift" = "plan"): string =>
  insight === undefined
    ? ""
    : insightLines({ scopes: insight.scopes.map((scope) => ({ ...scope, beside: [] })) }, command, plain).join("\n");

const ASKED = { pass: { insight: true } };

let world: World;
beforeEach(() => {
  world = new World(LIVE);
});

describe("a plan that changes NAT", () => {
  it("shows flows that reach another server, and is exact", async () => {
    world.want(TO_THE_SECOND);
    const outcome = await world.plan(ASKED);
    expect(outcome.insight?.scopes).toMatchObject([{ exact: true, doubts: [], rows: [{ change: "redirected" }] }]);
    expect(said(outcome)).toBe(
      [
        "",
        "  What becomes reachable  vsys1  0 openings · 0 closings · 1 redirected · exact",
        "    ~ untrust > dmz   any > 203.0.113.10",
        "        any service · any application   before: allowed by web   now: allowed by web",
        "        for example 198.51.100.7 > 203.0.113.10 tcp/443   now reaches web-02 (10.1.0.12) in dmz, was web-01 (10.1.0.11) in dmz",
        "    by NAT rule web-in: changed",
      ].join("\n"),
    );
  });

  it("shows them to reviewers and in the on-call summary, and at the rule's line in SARIF", async () => {
    world.want(TO_THE_SECOND);
    const outcome = await world.plan(ASKED);
    expect(openedNotices(outcome.insight)).toEqual([
      expect.stringContaining("**has another destination** on %: `untrust > dmz   any > 203.0.113.10"),
    ]);
    expect(insightNotes(outcome.insight)).toEqual(["- **reachability** 0 openings · 0 closings · 1 redirected · exact"]);
    expect(openedLines(outcome.insight)).toEqual([
      "redirects untrust > dmz  any > 203.0.113.10  any service · any application to web-02 (10.1.0.12) in dmz",
    ]);
    expect(insightResults("plan", outcome)).toMatchObject([{ ruleId: "reachable/redirected", level: "warning" }]);
  });

  it("has them in a separate list in JSON", async () => {
    world.want(TO_THE_SECOND);
    const report = JSON.parse(renderJson("plan", [await world.plan(ASKED)]));
    const validate = new Ajv({ strict: true, allErrors: true }).compile(reportSchema);
    validate(report);
    expect(validate.errors).toBeNull();
    const [scope] = report.targets[0].insight.scopes;
    const reaches = { was: "web-01 (10.1.0.11) in dmz", now: "web-02 (10.1.0.12) in dmz" };
    expect(scope).toMatchObject({ rows: [], redirected: [{ cause: "NAT rule web-in: changed", reaches }] });
    expect(scope.redirected[0].change).toBeUndefined();
  });

  it("has all addresses of a landing in JSON, and the first ones in the text", async () => {
    const pool = Array.from({ length: 8 }, (_, at) => `203.0.113.${20 + 2 * at}`);
    const config = `source-translation: { dynamic-ip-and-port: { translated-address: [${pool.join(", ")}] } }`;
    world.want(document(`  rulebase: { nat: { rules: { $entries: [{ name: web-in, $partial: true, ${config} }] } } }\n`));
    const outcome = await world.plan(ASKED);
    const [scope] = JSON.parse(renderJson("plan", [outcome])).targets[0].insight.scopes;
    for (const address of pool) expect(scope.redirected[0].reaches.now).toContain(address);
    expect(said(outcome)).toContain("and 2 more");
    expect(said(outcome)).not.toContain("203.0.113.34");
  });

  it("needs no interfaces if only security rules change", async () => {
    world.want(document("  rulebase: { security: { rules: { $entries: [{ name: web, $partial: true, action: deny }] } } }\n"));
    let asked: string[] = [];
    const wrap = (target: WriteTarget): WriteTarget =>
      new Proxy(target, {
        get(own, name) {
          const value = Reflect.get(own, name, own);
          if (typeof value !== "function") return value;
          return (...given: unknown[]) => {
            if (name === "read") asked = [...asked, ...(given[0] as readonly Path[]).map(String)];
            return Reflect.apply(value, own, given);
          };
        },
      });
    const outcome = await world.plan({ ...ASKED, wrap });
    expect(outcome.insight?.scopes).toMatchObject([{ exact: true, rows: [{ change: "closed" }] }]);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((path) => path.includes("/network"))).toEqual([]);
    world.want(TO_THE_SECOND);
    await world.plan({ ...ASKED, wrap });
    expect(asked.filter((path) => path.includes("/network"))).toHaveLength(1);
  });

  it("detects a changed object that a NAT rule uses: interfaces and routes are read then", async () => {
    world.want(document("  address: { $entries: [{ name: web-01, ip-netmask: 10.1.0.13 }] }\n"));
    expect(said(await world.plan(ASKED))).toContain("now reaches web-01 (10.1.0.13) in dmz, was web-01 (10.1.0.11) in dmz");
  });

  it("shows the flows of a disabled NAT rule", async () => {
    world.want(document("  rulebase: { nat: { rules: { $entries: [{ name: web-in, $partial: true, disabled: yes }] } } }\n"));
    const outcome = await world.plan(ASKED);
    expect(outcome.insight?.scopes[0]?.rows.map(({ change, reaches, cause }) => [change, reaches, cause])).toEqual([
      ["redirected", { was: "web-01 (10.1.0.11) in dmz", now: "its destination in untrust" }, "NAT rule web-in: changed"],
    ]);
  });

  it("shows flows that a manual change redirected", async () => {
    world.want(TO_THE_SECOND.replace("web-02", "web-01"));
    expect((await world.reconcile()).error).toBeUndefined();
    const place = `${VSYS}/rulebase/nat/rules/entry[@name='web-in']/destination-translation`;
    const elsewhere = "<translated-address>web-02</translated-address>";
    world.device.write("mkovacs", [{ action: "set", at: parsePath(place), element: parseXml(Buffer.from(elsewhere)) }]);
    world.device.commit("mkovacs", "by hand", false);
    expect(said(await world.drift(ASKED), "drift")).toContain("now reaches web-02 (10.1.0.12) in dmz, was web-01 (10.1.0.11) in dmz");
  });
});
