import { describe, expect, it } from "vitest";
import { planTargets, reconcileTargets } from "../../../src/engine/reconcile.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { passOptions } from "../../pass-options.js";
import { Cloudlet, TwoTargets } from "./cloudlet.js";

const of = (outcomes: readonly TargetOutcome[], target: string): TargetOutcome => {
  const found = outcomes.find((outcome) => outcome.target === target);
  if (found === undefined) throw new Error(target);
  return found;
};
const reconcile = (two: TwoTargets) => reconcileTargets(two.options, two.write, two.targets);

const server = (name: string, address: string) => `<entry name='${name}'><owner>netops</owner>${address}</entry>`;
const cloud = (...servers: string[]) => new Cloudlet(`<cloud><networks/><servers>${servers.join("")}</servers><groups/></cloud>`);
const GOOD = server("good", "<address>10.0.0.7</address>");
const BAD = server("bad", "");

const declared = (...names: string[]) =>
  `target: cloud\nscope: project\nconfig: { servers: { ${names.map((name) => `${name}: {}`).join(", ")} } }\n`;
const WHERE = ", where: address";
const edge = (more: string) =>
  `target: edge\nscope: shared\nconfig:\n  address:\n    $entries:\n      - $forEach: { in: cloud, select: servers/entry, name: "srv-\${name}"${more} }\n        ip-netmask: "\${address}/32"\n`;

describe("$forEach over servers of which one has no address", () => {
  it("stops its target, and names the server, without an instruction", async () => {
    const two = new TwoTargets(cloud(GOOD, BAD))
      .file("documents/cloud.yaml", declared("good", "bad"))
      .file("documents/edge.yaml", edge(""));
    const { error } = of(await reconcile(two), "edge");
    expect(error).toMatchObject({ code: "reference-nothing", message: expect.stringContaining('"bad"'), where: { line: 7 } });
    expect(error?.next).toContain("where: address");
  });

  it.each(["", ", from: live"])("omits it with where:, reports it, and creates the rest (%s)", async (from) => {
    const two = new TwoTargets(cloud(GOOD, BAD));
    two.file("documents/cloud.yaml", declared("good", "bad")).file("documents/edge.yaml", edge(WHERE + from));
    const outcomes = await reconcile(two);
    expect(of(outcomes, "edge").error).toBeUndefined();
    expect(of(outcomes, "edge").warnings).toEqual([
      expect.stringContaining("not in a git repository"),
      expect.stringMatching(/\$forEach omits entries without address in cloud: bad \(documents\/edge\.yaml:6\)/),
    ]);
    expect(two.edge).toContain("srv-good");
    expect(two.edge).not.toContain("srv-bad");
    expect(exitCode(await planTargets(two.options, two.targets))).toBe(0);
  });

  it("selects all live entries of a firewall, and names them by the value that where: asks for", async () => {
    const entries = "<entry name='a'><ip-netmask>10.0.0.7</ip-netmask></entry><entry name='b'><fqdn>b.example</fqdn></entry>";
    const more = "<entry name='c'><ip-netmask>10.0.0.8</ip-netmask></entry>";
    const two = new TwoTargets(cloud(), `<config><shared><address>${entries}${more}</address></shared></config>`);
    const loop = '{ in: edge, from: live, select: shared/address/entry, name: "s-${ip-netmask}", where: ip-netmask }';
    two.file("documents/cloud.yaml", `target: cloud\nscope: project\nconfig: { servers: { each: { $forEach: ${loop} } } }\n`);
    const { error, plan } = of(await planTargets(two.options, two.targets), "cloud");
    expect(error).toBeUndefined();
    expect(plan?.changes.map(({ path }) => path.toString()).sort()).toEqual(
      ["7", "8"].map((last) => `/cloud/servers/entry[@name='s-10.0.0.${last}']`),
    );
  });

  it("includes servers that this run will create, in its second wave", async () => {
    const two = new TwoTargets(cloud()).file("documents/cloud.yaml", declared("new")).file("documents/edge.yaml", edge(WHERE));
    expect(of(await planTargets(two.options, two.targets), "edge").plan?.operations).toHaveLength(1);
    await reconcile(two);
    expect(two.edge).toContain("srv-new");
  });

  it("stops its target if a declared server does not exist: that may be a missing permission", async () => {
    const two = new TwoTargets(cloud(GOOD)).file("documents/cloud.yaml", declared("good", "gone")).file("documents/edge.yaml", edge(WHERE));
    const outcomes = await reconcileTargets(passOptions({ targets: ["edge"] }, two.options), two.write, two.targets);
    expect(of(outcomes, "edge").error).toMatchObject({ code: "reference-nothing", message: expect.stringContaining('"gone"') });
    expect(two.edge).not.toContain("srv-");
  });

  it("stops its target if it finds none", async () => {
    const two = new TwoTargets(cloud(BAD)).file("documents/cloud.yaml", declared("bad")).file("documents/edge.yaml", edge(WHERE));
    expect(of(await planTargets(two.options, two.targets), "edge").error?.code).toBe("for-each-empty");
  });

  it("checks the required form of a value", async () => {
    const two = new TwoTargets(cloud(GOOD, server("other", "<address>10.0.0.8</address>")));
    two.file("documents/cloud.yaml", declared("good", "other"));
    two.file("documents/edge.yaml", edge(`, where: "address[text()='10.0.0.8']"`));
    await reconcile(two);
    expect(two.edge).toContain("srv-other");
    expect(two.edge).not.toContain("srv-good");
  });

  it.each(["adress", "/cloud/servers", "address["])("is an error in the document if the path cannot be right: %s", async (path) => {
    const two = new TwoTargets(cloud(GOOD)).file("documents/cloud.yaml", declared("good"));
    two.file("documents/edge.yaml", edge(`, where: "${path}"`));
    await expect(planTargets(two.options, two.targets)).rejects.toMatchObject({ errors: [{ where: { line: 6 } }] });
  });
});
