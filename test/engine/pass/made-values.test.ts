import { describe, expect, it } from "vitest";
import { planTargets, reconcileTargets } from "../../../src/engine/reconcile.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import { Cloudlet, TwoTargets } from "./cloudlet.js";

const of = (outcomes: readonly TargetOutcome[], target: string): TargetOutcome | undefined =>
  outcomes.find((outcome) => outcome.target === target);
const reconcile = (two: TwoTargets) => reconcileTargets(two.options, two.write, two.targets);

/** A server of the cloud whose live address is used by a rule or object of edge. */
function world(address: string, config: string) {
  const cloud = new Cloudlet(
    `<cloud><networks/><servers><entry name='web'><owner>netops</owner><address>${address}</address></entry></servers><groups/></cloud>`,
  );
  return new TwoTargets(cloud)
    .file(
      "documents/cloud.yaml",
      "target: cloud\nscope: project\nconfig: { servers: { web: {} }, networks: { net: { cidr: 10.0.0.0/24 } } }\n",
    )
    .file("documents/edge.yaml", `target: edge\nscope: shared\nconfig:\n${config}`);
}

const ADDRESS = "${cloud:servers/entry[@name='web']/address}";
const object = `  address: { web: { ip-netmask: "${ADDRESS}" } }\n`;
const rule = (source: string) =>
  `  rulebase:\n    security:\n      rules:\n        - { name: r, from: [any], to: [any], source: ["${source}"], destination: [any], application: [any], service: [any], action: allow }\n`;

describe("a live value of another target", () => {
  it.each([
    ["10.0.0.300", object, /"10\.0\.0\.300" is not an IP address.*comes from \$\{cloud:.*\(live in cloud\)/],
    ["any", rule(ADDRESS), /"any" is not a value: the platform treats "any" as a keyword/],
    ["10.0.0.1/40", rule(ADDRESS), /is not an address, a network/],
  ])("%s that is not of the leaf's type stops the target that asks, and no other", async (address, config, message) => {
    const two = world(address, config);
    const outcomes = await reconcile(two);
    expect(of(outcomes, "edge")?.error).toMatchObject({
      code: "value-type",
      message: expect.stringMatching(message),
      where: { file: "documents/edge.yaml" },
    });
    expect(of(outcomes, "cloud")?.error).toBeUndefined();
    expect(two.cloud.xml).toContain('name="net"');
    expect(two.edge).not.toContain("rulebase");
    expect(two.edge).not.toContain('name="web"');
  });

  it.each([object, rule(ADDRESS), rule(`${ADDRESS}/32`)])("that the cloud shows as none is empty (%#)", async (config) => {
    const two = world("null", config);
    const error = of(await reconcile(two), "edge")?.error;
    expect(error).toMatchObject({ code: "reference-nothing", message: expect.stringContaining("is null in cloud, which means none") });
    expect(two.edge).not.toContain("null");
  });

  it("is used if valid", async () => {
    const two = world("10.0.0.7", object + rule(ADDRESS));
    const outcomes = await reconcile(two);
    expect(of(outcomes, "edge")?.error).toBeUndefined();
    expect(two.edge).toContain("<ip-netmask>10.0.0.7</ip-netmask>");
    expect(two.edge).toContain("<member>10.0.0.7</member>");
  });
});

describe("a value that this run creates", () => {
  it("is checked when it is known, in the second wave", async () => {
    const two = new TwoTargets()
      .file("documents/cloud.yaml", "target: cloud\nscope: project\nconfig: { servers: { web: {} } }\n")
      .file("documents/edge.yaml", `target: edge\nscope: shared\nconfig:\n  address: { web: { ip-range: "${ADDRESS}" } }\n`);
    expect(of(await planTargets(two.options, two.targets), "edge")?.error).toBeUndefined();
    const outcomes = await reconcile(two);
    expect(of(outcomes, "cloud")?.error).toBeUndefined();
    expect(of(outcomes, "edge")?.error).toMatchObject({
      code: "value-type",
      message: expect.stringContaining('"10.0.0.10" is not two IP addresses'),
    });
    expect(two.edge).not.toContain("ip-range");
  });
});
